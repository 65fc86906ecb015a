#!/bin/sh
# Asks SPIN for the LTL properties of a Promela problem of RERS, as an oracle for `--semantics spin`:
#   benchmarks/spin-verdicts.sh problem101.pml problem101-properties.txt
# prints a line `number TRUE` or `number FALSE` for each property. Takes spin (Debian's package) and gcc.
set -eu

model=$(realpath "$1")
properties=$(realpath "$2")
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

# The macros of the file keep their names; a label `a` in a formula is `(lastAction == a)`.
sed 's/^ltl .*//' "$model" > model.pml
tr -d '\r' < "$properties" | awk '
    /^#[0-9]+:/ { number = substr($1, 2) + 0; next }
    NF && number {
        line = $0
        gsub(/=>/, " -> ", line); gsub(/&/, " \\&\\& ", line); gsub(/\|/, " || ", line)
        out = ""
        while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
            word = substr(line, RSTART, RLENGTH)
            out = out substr(line, 1, RSTART - 1)
            line = substr(line, RSTART + RLENGTH)
            if (word == "G") word = "[]"
            else if (word == "F") word = "<>"
            else if (word == "R") word = "V"
            else if (word != "U" && word != "W") word = "(lastAction == " word ")"
            out = out " " word " "
        }
        printf "ltl p%d { %s%s }\n", number, out, line
        print number > "numbers"
    }' >> model.pml

spin -a model.pml > spin.log
gcc -O1 -w -DMEMLIM=3000 -DNOFAIR -o pan pan.c
while read -r number; do
    # A run to the end of the search without an error is TRUE; an error or a search cut short is not.
    ./pan -a -m1000000 -N "p$number" > pan.log 2>&1 || true
    if grep -q 'errors: 0' pan.log && ! grep -q 'max search depth too small\|out of memory' pan.log; then
        echo "$number TRUE"
    elif grep -q 'errors: [1-9]' pan.log; then
        echo "$number FALSE"
    else
        echo "$number unknown"
    fi
done < numbers
