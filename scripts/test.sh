#!/usr/bin/env bash
# Runs all tests: with every back-end, then those of the pure-Rust build.
#
#   scripts/test.sh               both
#   scripts/test.sh --no-native   only the second
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh "$@"
if [[ " $* " != *" --no-native "* ]]; then
    cargo test
fi
cargo test --no-default-features
