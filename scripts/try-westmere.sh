#!/usr/bin/env bash
# Runs programs on the contest's processor: a Westmere of 2010 (rule E-5.2), which has SSE 4.2 and no AVX, BMI or FMA.
# A program that was built for a newer one ends there with an illegal instruction.
#
#   scripts/try-westmere.sh DIRECTORY [MODEL]
#
# DIRECTORY holds parikh and, if it is there, parikh-certify. Programs that need shared libraries find them as usual.
set -euo pipefail
(($# >= 1)) && [[ -x $1/parikh ]] || { echo "usage: $0 DIRECTORY [MODEL], where DIRECTORY/parikh is a program" >&2; exit 2; }
command -v qemu-x86_64 >/dev/null ||
    { echo "try-westmere: qemu-x86_64 is missing: apt-get install qemu-user, and run again" >&2; exit 1; }
programs=$(cd "$1" && pwd)
model=$(realpath "${2:-$(dirname "${BASH_SOURCE[0]}")/../examples/philosophers.pnml}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tried=0

# expect TEXT PROGRAM ARGUMENT…: the program ends with 0 on that processor and prints the text.
expect() {
    local text=$1 program=$2 said code=0
    shift 2
    [[ -x $programs/$program ]] || return 0
    said=$(cd "$work" && qemu-x86_64 -cpu Westmere "$programs/$program" "$@" 2>&1) || code=$?
    if ((code != 0)) || [[ $said != *"$text"* ]]; then
        echo "$said" >&2
        echo "try-westmere: $program $*: exit code $code, and \`$text\` was expected" >&2
        ((code != 132)) || echo "try-westmere: it uses an instruction that the processor does not have" >&2
        exit 1
    fi
    tried=$((tried + 1))
}

# A qemu without that processor would run on another one.
[[ $(qemu-x86_64 -cpu help) == *Westmere* ]] ||
    { echo "try-westmere: this qemu does not know the processor Westmere" >&2; exit 1; }
expect "parikh 0." parikh --version
expect "ReachabilityDeadlock: TRUE" parikh check "$model" -e ReachabilityDeadlock -j 1 --timeout 5m --evidence proofs
expect "OneSafe: TRUE" parikh check "$model" -e OneSafe -j 1 --timeout 5m --evidence proofs
expect "states: " parikh check "$model" -e StateSpace -j 1 --timeout 5m --evidence proofs
expect "answers confirmed" parikh-certify "$model" proofs
echo "try-westmere: $tried commands run on a Westmere, all as expected"
