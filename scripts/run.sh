#!/usr/bin/env bash
# Builds Parikh and runs it with the arguments given; without any, on a sample. Quickly: only what is
# needed, and by a profile that Cargo.toml explains; `cargo build --release` makes a faster program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
cargo build --profile quick --package parikh-cli
parikh=${CARGO_TARGET_DIR:-target}/quick/parikh

if (($#)); then
    exec "$parikh" "$@"
fi

# --- the sample: two philosophers, three questions of their own, witnesses in target/witnesses ----
model=examples/philosophers.pnml
witnesses=target/witnesses
show() { echo; echo "\$ parikh $*"; "$parikh" "$@"; }

show info $model
show check $model --examination ReachabilityDeadlock --trace $witnesses
show replay $model $witnesses/ReachabilityDeadlock.trace
show check $model --examination OneSafe
show check $model --examination ReachabilityCardinality \
    --queries examples/philosophers-queries.xml --trace $witnesses
show check $model --examination StateSpace
show report $model --output target/report.html
echo "target/report.html is a page to open in a browser"
[[ -n $(type -P parikh || true) ]] ||
    echo "to call it as \`parikh\` in this shell: export PATH=\"$(cd "$(dirname "$parikh")" && pwd):\$PATH\""
