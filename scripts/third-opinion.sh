#!/usr/bin/env bash
# Runs an SMT solver on the proof obligations that `parikh-certify --smtlib DIR` has written:
#
#   scripts/third-opinion.sh --solver 'COMMAND' [--timeout SECONDS] [--jobs N] DIR...
#
# COMMAND gets the name of a file as its last argument and prints `unsat`, `sat` or `unknown`. A file has 60
# seconds, unless --timeout says otherwise. Each file with another answer than `unsat` is a line of the output; then
# come the numbers of files and of answers. An answer is proved if all its files are `unsat`.
#
# Exit codes: 0 all files are unsat; 1 a file is sat, or the solver printed something else; 2 wrong command line;
# 4 a file is unknown or took too long, and no file is sat. docs/third-opinion.md explains the files.
set -euo pipefail

usage() {
    sed -n '4p' "${BASH_SOURCE[0]}" | sed 's/^# *//' >&2
    exit 2
}

solver=
timeout=60
jobs=1
folders=()
while [[ $# -gt 0 ]]; do
    case $1 in
    --solver | --timeout | --jobs)
        [[ $# -ge 2 ]] || usage
        printf -v "${1#--}" '%s' "$2"
        shift 2
        ;;
    -*) usage ;;
    *)
        folders+=("$1")
        shift
        ;;
    esac
done
[[ -n $solver && ${#folders[@]} -gt 0 ]] || usage

# Prints the verdict on a file, the seconds, and the file.
ask() {
    local file=$1 start output code=0 verdict
    start=$(date +%s%N)
    # The command may have options: it is split into words.
    # shellcheck disable=SC2086
    output=$(timeout --kill-after=5 "$timeout" $solver "$file" 2>&1) || code=$?
    case $code,$output in
    124,* | 137,*) verdict=timeout ;;
    *,unsat) verdict=unsat ;;
    *,sat) verdict=sat ;;
    *,unknown) verdict=unknown ;;
    *) verdict="wrong ($(tr -s '[:space:]' ' ' <<<"$output" | cut -c1-120))" ;;
    esac
    printf '%s\t%s\t%s\n' "$verdict" "$((($(date +%s%N) - start) / 1000000))" "$file"
}
export -f ask
export solver timeout

verdicts=$(find "${folders[@]}" -name '*.smt2' -print0 | sort -z \
    | xargs -0 -r -n 1 -P "$jobs" bash -c 'ask "$1"' ask)
[[ -n $verdicts ]] || {
    echo "third-opinion: no files *.smt2" >&2
    exit 2
}
awk -F'\t' '
    { answer = $3; sub(/\.(initiation|consecution|safety)\.smt2$/, "", answer)
      answers[answer]++; files++; time += $2; if ($2 > longest) longest = $2 }
    $1 == "unsat" { unsat++; next }
    { print $3 ": " $1; open[answer] = 1
      if ($1 == "unknown" || $1 == "timeout") late++; else wrong++ }
    END {
        # An audit that was stopped may have written only some of the three files of an answer.
        for (answer in answers) if (answer in open || answers[answer] < 3) left++; else proved++
        printf "%d of %d files are unsat, %d of %d answers are proved; %.1f s, the longest file %.1f s\n",
            unsat, files, proved, proved + left, time / 1000, longest / 1000
        exit wrong ? 1 : late ? 4 : 0
    }' <<<"$verdicts"
