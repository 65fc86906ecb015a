#!/usr/bin/env bash
# Asks an unpacked release the sample's questions, and looks at the answers. Needs nothing but the release;
# scripts/fresh.sh --release runs it on a bare machine.
#
#   scripts/try-release.sh DIRECTORY
set -euo pipefail
(($# == 1)) && [[ -x $1/bin/parikh ]] || { echo "usage: $0 DIRECTORY, of an unpacked release" >&2; exit 2; }
release=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=$release/examples/philosophers.pnml
tried=0

# expect TEXT COMMAND…: the command ends with 0 and prints the text.
expect() {
    local text=$1 said
    shift
    echo "\$ $*"
    said=$("$@" 2>&1) || { echo "$said"; echo "try-release: this failed"; exit 1; }
    echo "$said"
    [[ $said == *"$text"* ]] || { echo "try-release: \`$text\` was expected"; exit 1; }
    tried=$((tried + 1))
}

echo "$(sed -n 's/^PRETTY_NAME=//p' /etc/os-release), $(getconf GNU_LIBC_VERSION || echo another C library)"
PATH=$release/bin:$PATH
cd "$work"
expect "parikh 0." parikh --version
expect "places" parikh info "$model"
expect "ReachabilityDeadlock: TRUE" parikh check "$model" -e ReachabilityDeadlock --trace .
expect "the marking is dead" parikh replay "$model" ReachabilityDeadlock.trace
expect "PNG" sh -c "parikh draw '$model' --trace ReachabilityDeadlock.trace --strip -o strip.png && head -c 4 strip.png"
expect "OneSafe: TRUE" parikh check "$model" -e OneSafe --evidence proofs
expect "1 of 1 answer confirmed" parikh-certify "$model" proofs
expect "mine: TRUE" parikh check "$model" --formula 'mine: AG !(eat1 >= 1 && eat2 >= 1)' --require certified
expect "state space states" sh -c "parikh check '$model' -e StateSpace | sed 's/^/state space /'"
# Where there are native solvers, they are asked: a library that cannot be loaded ends the program.
if [[ -d $release/lib ]]; then
    expect "libhighs.so.1 => $release" ldd "$release/bin/parikh"
    expect "mine: TRUE" parikh check "$model" --formula 'mine: AG !(eat1 >= 1 && eat2 >= 1)' --engines state-equation,pdr
fi
# As the contest does it: variables, and the instance in the current directory.
mkdir instance
cp "$model" instance/model.pnml
cp "$release/examples/philosophers-queries.xml" instance/ReachabilityCardinality.xml
contest() { (cd instance && BK_TOOL=parikh BK_INPUT=philosophers BK_TIME_CONFINEMENT=60 BK_EXAMINATION=$1 "$release/BenchKit_head.sh"); }
expect "FORMULA ReachabilityDeadlock TRUE TECHNIQUES" contest ReachabilityDeadlock
expect " TECHNIQUES" contest ReachabilityCardinality
expect "DO_NOT_COMPETE" contest CTLFireability
# The harness is there as well.
expect "Usage: parikh-bench" parikh-bench --help
# What comes with the programs.
expect "complete -F" cat "$release/share/bash-completion/completions/parikh"
expect ".TH parikh-check 1" cat "$release/share/man/man1/parikh-check.1"
expect "MIT" head -n 40 "$release/LICENSES-THIRD-PARTY.txt"
echo "$tried commands run, all as expected"
