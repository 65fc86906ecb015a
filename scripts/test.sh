#!/usr/bin/env bash
# Runs all tests: with every back-end, then what is different in the pure-Rust build.
#
#   scripts/test.sh               both
#   scripts/test.sh --no-native   all tests, in the pure-Rust build
#
# `cargo test` runs the same tests, one program after the other, and ends with the first that fails.
# Here as many programs run as there are processors, those that take long first, and all of them also
# where one fails. The output of each is printed whole when it ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Of these programs each takes more than ten seconds; the longest comes first.
long=(soundness evidence cli coloured hostile smt_guests parikh_engine refused_memory)

scripts/setup.sh "$@"
features=()
[[ " $* " != *" --no-native "* ]] || features=(--no-default-features)

outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
export outputs
# As cargo would tell programs that have no run path to the solvers.
export LD_LIBRARY_PATH=$PWD/vendor/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# Builds the programs of the tests. Prints a line of each: where it runs, and its path.
build() {
    cargo test "$@" --no-run --message-format=json-render-diagnostics | sed -nE \
        's|.*"manifest_path":"([^"]*)/Cargo.toml".*"test":true}.*"executable":"([^"]*)".*|\1\t\2|p'
}

# The lines of stdin, those of the long programs first.
longest_first() {
    local lines name
    lines=$(cat)
    for name in "${long[@]}"; do
        grep -E "/$name-[0-9a-f]+(	|$)" <<<"$lines" || true
    done
    grep -vE "/($(IFS='|'; echo "${long[*]}"))-[0-9a-f]+(	|$)" <<<"$lines" || true
}

# Runs one line: where, the program, its arguments.
work() {
    local line output begun=$SECONDS verdict=ok
    IFS=$'\t' read -ra line <<<"$1"
    output=$(mktemp -p "$outputs")
    echo "--- begun: ${line[*]:1}"
    (cd "${line[0]}" && "${line[@]:1}") >"$output" 2>&1 || verdict=FAILED
    {
        flock 9
        echo "--- ${line[*]:1}"
        cat "$output"
        echo "--- $verdict after $((SECONDS - begun)) s"
        [[ $verdict == ok ]] || echo "${line[*]:1}" >>"$outputs/failed"
    } 9>"$outputs/lock"
}
export -f work

# Runs all lines of stdin.
work_all() {
    xargs -d '\n' -P "$(nproc)" -n 1 bash -c 'work "$1"' _
}

programs=$(build "${features[@]}")
{
    echo "$programs"
    # Without native solvers, linear programs are asked of microlp. What asks them is tried again with it.
    if ((!${#features[@]})); then
        asking="with_linear_programs	state_equation::	reductions::all	pipeline::	runs::	check::"
        grep -E '/(soundness|evidence|cli)-[0-9a-f]+$' <<<"$programs" |
            sed -E "s/\t(.*)/\tenv\tPARIKH_LP=microlp\t\1\t$asking/"
    fi
} | longest_first | work_all
cargo test "${features[@]}" --doc --no-fail-fast || echo "documentation" >>"$outputs/failed"

# The pure-Rust build itself, from the command line to an answer. Its own code is not optimised, for
# here it is what takes long to compile; the dependencies are those of above.
if ((!${#features[@]})); then
    export CARGO_PROFILE_DEV_OPT_LEVEL=0
    build --no-default-features --test cli | sed 's/$/\tcheck::/' | work_all
fi

if [[ -s $outputs/failed ]]; then
    echo "failed:" >&2
    cat "$outputs/failed" >&2
    exit 1
fi
