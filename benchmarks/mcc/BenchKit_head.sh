#!/usr/bin/env bash
# The contest's entry point: called with BK_EXAMINATION, BK_INPUT, BK_TIME_CONFINEMENT and
# BK_MEMORY_CONFINEMENT set, in a copy of the instance's directory. Put the binary (and, unless it is
# a pure-Rust build, the libraries of vendor/lib beside it) into BK_BIN_PATH, or next to this script
# in bin/.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for bin in "${BK_BIN_PATH:-}" "${BIN_DIR:-}" "$here/bin" "$here/../../target/release"; do
  if [ -n "$bin" ] && [ -x "$bin/parikh" ]; then
    exec "$bin/parikh" mcc
  fi
done
echo "BenchKit_head.sh: no parikh in BK_BIN_PATH, BIN_DIR, $here/bin or target/release" >&2
echo "CANNOT_COMPUTE"
exit 1
