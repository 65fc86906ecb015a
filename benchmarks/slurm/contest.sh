#!/usr/bin/env bash
# A contest on a cluster with Slurm, as an array of jobs that each make one part of the runs.
#
#   contest.sh submit OUT PARTS [SBATCH OPTION…] -- --inputs DIR --oracle DIR --list FILE [CONTEST OPTION…]
#   contest.sh submit OUT                          once more, for what was killed or ran out of time
#   contest.sh summary OUT [SUMMARY OPTION…]       OUT/run.csv and OUT/run.html, of what there is
#
# `submit` sends two jobs: the array, and the summary when all of it has ended. Each part has a result file
# OUT/parts/K.csv, which is continued: submitted again, a part makes only the runs that it lacks, and one
# that lacks none ends at once. What is given to `sbatch` is what the cluster asks for (--partition=…,
# --time=…, --mem=…); what follows `--` is for `parikh-bench contest` (see its --help). OUT, and what is
# read, must be on a file system that all nodes see.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() { echo "contest.sh: $*" >&2; exit 2; }
(($# >= 2)) || { sed -n '2,/^set/ { /^set/d; s/^# \?//; p }' "$0"; exit 2; }

bench=${PARIKH_BENCH:-}
for program in "$here/../bin/parikh-bench" "$here/../../target/release/parikh-bench"; do
    [[ -n $bench || ! -x $program ]] || bench=$(realpath "$program")
done
[[ -x $bench ]] || fail "no parikh-bench in ../bin or target/release; say with PARIKH_BENCH where it is"

command=$1
out=$(realpath -m "$2")
shift 2
# What was asked for, so that it can be asked for again: parts, sbatch and contest.
plan=$out/plan.sh

case "$command" in
    submit)
        if (($#)); then
            [[ ! -e $plan ]] || fail "$out is there already: \`contest.sh submit $out\` continues it"
            [[ $1 =~ ^[1-9][0-9]*$ ]] || fail "PARTS is a number of jobs, found \`$1\`"
            parts=$1
            shift
            sbatch=()
            while (($#)) && [[ $1 != -- ]]; do sbatch+=("$1"); shift; done
            (($# > 1)) || fail "behind -- stands what the contest is to do: --inputs DIR --oracle DIR --list FILE"
            shift
            contest=()
            for argument; do
                # Jobs start elsewhere.
                [[ ! -e $argument ]] || argument=$(realpath "$argument")
                contest+=("$argument")
            done
            mkdir -p "$out"/{parts,logs,slurm}
            declare -p parts sbatch contest >"$plan"
        fi
        [[ -e $plan ]] || fail "there is no contest in $out to be continued"
        # shellcheck source=/dev/null
        source "$plan"
        array=$(sbatch --parsable --job-name=parikh --array="1-$parts" --output="$out/slurm/%a.log" \
            --open-mode=append --requeue --signal=B:TERM@60 "${sbatch[@]}" \
            "$here/part.sbatch" "$bench" "$out" "$parts" "${contest[@]}")
        summary=$(sbatch --parsable --job-name=parikh-summary --dependency="afterany:$array" \
            --output="$out/slurm/summary.log" --export=ALL,PARIKH_BENCH="$bench" "${sbatch[@]}" \
            --wrap "bash $(printf '%q ' "$here/contest.sh" summary "$out")")
        echo "job $array makes $parts parts; job $summary then writes $out/run.csv and $out/run.html"
        ;;
    summary)
        [[ -e $plan ]] || fail "there is no contest in $out"
        # shellcheck source=/dev/null
        source "$plan"
        # The same list and examinations: so that what is missing is told.
        asked=()
        for ((at = 0; at < ${#contest[@]}; at++)); do
            case "${contest[at]}" in
                --list | --exams) asked+=("${contest[at]}" "${contest[at + 1]}") ;;
                --list=* | --exams=*) asked+=("${contest[at]}") ;;
            esac
        done
        code=0
        "$bench" merge "$out"/parts/*.csv "${asked[@]}" --out "$out/run.csv" || code=$?
        # Wrong answers (3) and missing runs (4) are to be seen on the page.
        ((code == 0 || code == 3 || code == 4)) || exit "$code"
        "$bench" summary "$out/run.csv" "$@" --logs "$out/logs" --html "$out/run.html" >/dev/null || (($? == 3))
        exit "$code"
        ;;
    *) fail "unknown command $command, expected submit or summary" ;;
esac
