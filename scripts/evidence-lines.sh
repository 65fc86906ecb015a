#!/usr/bin/env bash
# How many lines an auditor of the crate evidence/ has to read: without blank lines and tests, with and
# without comments, file by file.
set -euo pipefail
cd "$(dirname "$0")/.."
total_all=0 total_code=0 coloured_all=0 coloured_code=0
while read -r file; do
    read -r all code < <(awk '
        held { held = 0; if (/^mod [a-z_]+ \{/) exit; if (/^mod /) next }
        /^#\[cfg\(test\)\]/ { held = 1; next }
        !/^[[:space:]]*$/ { all++ }
        !/^[[:space:]]*$/ && !/^[[:space:]]*\/\// { code++ }
        END { print all + 0, code + 0 }' "$file")
    [[ ${1-} == --total ]] || printf '%6d %6d  %s\n' "$all" "$code" "$file"
    if [[ $file == evidence/src/coloured/* || $file == evidence/src/abstraction/* ]]; then
        coloured_all=$((coloured_all + all)) coloured_code=$((coloured_code + code))
    else
        total_all=$((total_all + all)) total_code=$((total_code + code))
    fi
done < <(find evidence -name '*.rs' -not -path '*/tests/*' -not -name 'tests.rs' | sort)
printf '%6d %6d  all lines, lines of code\n' "$total_all" "$total_code"
printf '%6d %6d  on top of these for coloured nets\n' "$coloured_all" "$coloured_code"
