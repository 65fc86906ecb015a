#!/usr/bin/env bash
# Compares the answers within a second under time limits of 1, 10 and 60 seconds. A longer limit must
# not delay early answers.
# Usage: scripts/early-answers.sh EXAMINATIONS [LIST]
# EXAMINATIONS as for `parikh-bench contest`, for example CTLC,CTLF. LIST has a contest instance per
# line; by default it is quick.txt of the contest data.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=${PARIKH_MCC:-../shared/mcc}
exams=${1:?the examinations, for example CTLC,CTLF}
list=${2:-$data/quick.txt}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo build --release -p parikh-cli -p parikh-benchmarks
bench=${CARGO_TARGET_DIR:-target}/release/parikh-bench
for limit in 1 10 60; do
  "$bench" contest --inputs "$data/inputs" --oracle "$data/oracle" --list "$list" --exams "$exams" \
    --timeout "$limit" --out "$out/$limit.csv" >/dev/null
done
for limit in 10 60; do
  echo "within a second: a limit of 1 s (A) and of $limit s (B)"
  "$bench" compare --at 1 --no-list "$out/1.csv" "$out/$limit.csv"
done
