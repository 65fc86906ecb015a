#!/usr/bin/env bash
# Builds Parikh and runs it with the arguments given; without any, on a sample.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
cargo build --release
parikh=${CARGO_TARGET_DIR:-target}/release/parikh

if (($#)); then
    exec "$parikh" "$@"
fi

# --- the sample ----------------------------------------------------------------------------------
sample=(check examples/philosophers.pnml --examination ReachabilityDeadlock)
echo "+ parikh ${sample[*]}" >&2
exec "$parikh" "${sample[@]}"
