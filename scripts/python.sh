#!/usr/bin/env bash
# Tries the Python package as its users get it: makes the wheel of programs that are built, a fresh virtual
# environment with nothing else in it, and runs its tests, the examples in its documentation, and a notebook
# of ten cells there.
#
#   scripts/python.sh [--programs DIR | --wheel FILE] [--with PACKAGE]…
#
#   --programs DIR   the programs parikh and parikh-certify to pack (default: target/debug, of `cargo build`)
#   --wheel FILE     this wheel, of scripts/release.sh, instead
#   --with PACKAGE   install this, too (numpy, scipy, pandas, networkx, pm4py), from where pip finds it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

programs=target/debug
wheel=
with=()
while (($#)); do
    [[ -n ${2-} || $1 == -h || $1 == --help ]] || { echo "python: $1 needs a value" >&2; exit 2; }
    case "$1" in
        --programs) programs=$2; shift ;;
        --wheel) wheel=$(realpath "$2"); shift ;;
        --with) with+=("$2"); shift ;;
        -h | --help) sed -n '2,/^set/ { /^set/d; s/^# \?//; p }' "$0"; exit ;;
        *) echo "python: unknown argument $1; see --help" >&2; exit 2 ;;
    esac
    shift
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ -z $wheel ]]; then
    libraries=()
    for library in libhighs.so.1 libz3.so.5.3; do
        [[ ! -f vendor/lib/$library ]] || libraries+=(--library "vendor/lib/$library")
    done
    # This one stays here: what takes time is to compress it.
    wheel=$(python3 scripts/wheel.py --programs "$programs" "${libraries[@]}" --out "$work" --tag linux_x86_64 --level 0)
fi
python3 -m venv "$work/venv"
# No network is asked unless more is wanted.
index=(--no-index)
((${#with[@]} == 0)) || index=()
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check "${index[@]}" "$wheel" "${with[@]}"
"$work/venv/bin/parikh" --version
"$work/venv/bin/parikh-certify" --version
cp -r python/tests examples docs "$work"
cd "$work"
unset PARIKH_PROGRAMS
export PARIKH_EXAMPLES=$work/examples
"$work/venv/bin/python" tests/notebook.py examples
"$work/venv/bin/python" -m unittest discover --start-directory tests --pattern 'test_*.py'
