#!/usr/bin/env bash
# Runs all tests: with every back-end, then what is different in the pure-Rust build.
#
#   scripts/test.sh               both
#   scripts/test.sh --no-native   all tests, in the pure-Rust build
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh "$@"
if [[ " $* " == *" --no-native "* ]]; then
    exec cargo test --no-default-features
fi

cargo test

# Without native solvers, linear programs are asked of microlp, and that is all that differs. The
# back-ends themselves, microlp among them, have been tested above; what asks them is tested again:
# engines, reductions by linear programs, certificates made of answers, and the way from the command
# line to an answer. The whole workspace is selected here as above, because with another selection
# cargo settles on other features of the same dependencies, and compiles them again.
cargo test --no-default-features --test soundness --test evidence --test cli -- \
    engines:: state_equation:: reductions:: pipeline:: runs:: check::
