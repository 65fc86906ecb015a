#!/usr/bin/env bash
# A short run over real contest inputs, when they lie beside the project: any wrong answer fails.
# Usage: scripts/regression.sh [SECONDS_PER_EXAMINATION]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=${PARIKH_MCC:-../shared/mcc}
if [ ! -d "$data/inputs" ]; then
  echo "regression: no contest inputs at $data, nothing to do"
  exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Six small instances of different kinds; the full list is for the benchmark, not for every commit.
printf '%s\n' Peterson-PT-2 MAPK-PT-00008 PhilosophersDyn-PT-03 ShieldRVt-PT-001A \
  SwimmingPool-PT-05 DLCround-PT-03a > "$out/list.txt"
# As the tests were built: `cargo build` would leave out the features that only tests ask for, and compile
# nearly all a second time.
cargo test --no-run
"${CARGO_TARGET_DIR:-target}/debug/parikh-bench" contest --inputs "$data/inputs" --oracle "$data/oracle" \
  --list "$out/list.txt" --exams RD,RC,RF,UB,OS,QL,SM,LTLC,LTLF,CTLC,CTLF --timeout "${1:-5}" --out "$out/run.csv"
