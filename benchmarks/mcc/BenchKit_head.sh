#!/usr/bin/env bash
# The contest's entry point: called with BK_EXAMINATION, BK_INPUT, BK_TIME_CONFINEMENT and
# BK_MEMORY_CONFINEMENT set, in a copy of the instance's directory. Put the program (and, unless it is
# a pure-Rust build, the libraries of vendor/lib beside it or in ../lib) into BK_BIN_PATH, or next to
# this script in bin/.
#
# The program prints its answers itself, and CANNOT_COMPUTE if it has none. This script adds CANNOT_COMPUTE for
# the open questions of a program that does not start, is killed, or ends with some answers only.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { echo "BenchKit_head.sh: $*" >&2; }
# fail MESSAGE…: there is no answer, since the kit or the call is incomplete.
fail() {
  say "$@"
  echo "CANNOT_COMPUTE"
  exit 1
}

program=
for bin in "${BK_BIN_PATH:-}" "${BIN_DIR:-}" "$here/bin" "$here/../../target/release"; do
  if [ -n "$bin" ] && [ -f "$bin/parikh" ]; then
    program=$bin/parikh
    break
  fi
done
[ -n "$program" ] || fail "no parikh in BK_BIN_PATH, BIN_DIR, $here/bin or target/release"
[ -x "$program" ] || fail "$program is not executable: chmod +x $program"

# A program that was copied without its libraries does not start; the loader names one of them.
if ! said=$("$program" --version 2>&1); then
  say "$program does not start: $said"
  missing=$(ldd "$program" 2>/dev/null | sed -n 's/^[[:space:]]*\(.*\) => not found$/\1/p' | sort -u)
  [ -n "$missing" ] || missing=$(sed -n 's/.*loading shared libraries: \([^:]*\):.*/\1/p' <<<"$said")
  for library in $missing; do
    say "the library $library is missing: copy it from the release's lib/ to $(dirname "$program") or to ../lib of there"
  done
  fail "try the static release, which needs no libraries, if none can be copied"
fi

# What is printed passes through at once; a copy tells which questions are answered.
work=$(mktemp -d 2>/dev/null) && mkfifo "$work/out" 2>/dev/null || exec "$program" mcc
trap 'rm -rf "$work"' EXIT
tee "$work/answers" <"$work/out" &
tee=$!
# The program ends with this script, even if that is killed.
starter=()
command -v setpriv >/dev/null && setpriv --pdeathsig TERM true 2>/dev/null && starter=(setpriv --pdeathsig TERM)
"${starter[@]}" "$program" mcc >"$work/out" &
child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM INT HUP
code=0
while :; do
  wait "$child"
  code=$?
  kill -0 "$child" 2>/dev/null || break
done
wait "$tee"

# 0: all is answered; 3: something is open, since the time or the memory is over or nothing more can be tried.
[ "$code" = 0 ] && exit 0
[ "$code" = 3 ] || say "parikh ended with code $code$([ "$code" -gt 128 ] && echo ", which is signal $((code - 128))"); open questions have no answer"
if ! grep -qE '^(FORMULA|STATE_SPACE|CANNOT_COMPUTE|DO_NOT_COMPETE)' "$work/answers"; then
  echo "CANNOT_COMPUTE"
elif grep -q '^FORMULA' "$work/answers" && [ -r "${BK_EXAMINATION:-}.xml" ]; then
  # Some formulas of a query file are answered: the others are named.
  grep -oE '<([A-Za-z]+:)?id>[[:space:]]*[A-Za-z0-9_.-]+[[:space:]]*</' "$BK_EXAMINATION.xml" |
    sed 's/^<[^>]*>[[:space:]]*//; s/[[:space:]]*<\/$//' |
    while IFS= read -r id; do
      grep -qF "FORMULA $id " "$work/answers" || echo "FORMULA $id CANNOT_COMPUTE"
    done
fi
exit "$code"
