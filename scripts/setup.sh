#!/usr/bin/env bash
# Brings what a fresh Debian or Ubuntu machine lacks to build Parikh, and the Z3 library that is
# pinned below. Can be run again at any time; does nothing when nothing is missing.
#
#   scripts/setup.sh               everything
#   scripts/setup.sh --no-native   only what a build with --no-default-features needs
#
# The Z3 library is the one inside the Python package z3-solver, because Debian's is too old for the
# crate, and building Z3 takes half an hour and a newer compiler than Debian 12 has. A wheel that is
# already in $PARIKH_Z3_CACHE (or ~/.cache/parikh) is used instead of downloading it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

z3_version=5.3.3.0
oldest_rust=1.88

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 1; }

native=yes
for argument in "$@"; do
    case "$argument" in
        --no-native) native=no ;;
        *) fail "unknown argument $argument; there is only --no-native" ;;
    esac
done

# --- what has to be there ------------------------------------------------------------------------

has() { command -v "$1" >/dev/null 2>&1; }

has_libclang() {
    [[ -n "${LIBCLANG_PATH:-}" ]] && return
    compgen -G '/usr/lib/llvm-*/lib/libclang.so*' >/dev/null ||
        compgen -G '/usr/lib/*-linux-gnu/libclang*.so*' >/dev/null
}

# The library and its link, or nothing.
z3_is_installed() {
    [[ -e vendor-z3/lib/libz3.so ]] && matches "$z3_library_sum" vendor-z3/lib/libz3.so.5.3
}

matches() { [[ -f "$2" ]] && echo "$1  $2" | sha256sum --check --status -; }

case "$(uname -sm)" in
    "Linux x86_64")
        z3_wheel=z3_solver-$z3_version-py3-none-manylinux_2_27_x86_64.whl
        z3_wheel_sum=0431023a82278dab706c02a320f63178ee0755fb8f10a5c980f0bfe3c84f6f96
        z3_library_sum=dec9b3180cf904803b0a67505746c90ffa55b9e8f3b05df44a8a7ab7b548ad80
        ;;
    "Linux aarch64")
        z3_wheel=z3_solver-$z3_version-py3-none-manylinux_2_38_aarch64.whl
        z3_wheel_sum=701619d4995695819e150e9fa10218b67a5a2241868f31dddccfe2d3fe15f986
        z3_library_sum=914eed29252aac0261df2e038d7cfa93f098f459bcd73e9c666481b984f4b3d6
        ;;
    *)
        [[ $native == no ]] ||
            fail "no Z3 library is pinned for $(uname -sm); use --no-native and build with --no-default-features"
        ;;
esac

cache=${PARIKH_Z3_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/parikh}
missing=()
if [[ $native == yes ]]; then
    { has cc && has c++ && has make; } || missing+=(build-essential)
    has cmake || missing+=(cmake)
    # With the headers of the compiler, which HiGHS's bindings are made with.
    has_libclang || missing+=(libclang-dev)
    if ! z3_is_installed; then
        has python3 || missing+=(python3)
        if ! matches "$z3_wheel_sum" "$cache/$z3_wheel"; then
            python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip ca-certificates)
        fi
    fi
else
    has cc || missing+=(gcc libc6-dev)
fi

# --- packages of the system ----------------------------------------------------------------------

if ((${#missing[@]})); then
    has apt-get || fail "install these, or what your system calls them, and run again: ${missing[*]}"
    root=()
    if [[ $(id -u) != 0 ]]; then
        has sudo || fail "as root, run: apt-get install ${missing[*]}"
        root=(sudo)
    fi
    say "installing ${missing[*]}"
    "${root[@]}" apt-get update -qq
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "apt-get could not install ${missing[*]}"
fi

# --- Rust ----------------------------------------------------------------------------------------

if ! has cargo && [[ -x ${HOME:-}/.cargo/bin/cargo ]]; then
    fail "Rust is in ~/.cargo/bin, which is not on the PATH: run . ~/.cargo/env and again"
fi
has cargo && has rustc ||
    fail "Rust is missing: install Rust $oldest_rust or newer with rustup, or the packages cargo and rustc if they are as new, and run again"
rust=$(rustc --version | cut -d ' ' -f 2)
[[ $(printf '%s\n' "$oldest_rust" "$rust" | sort -V | head -n 1) == "$oldest_rust" ]] ||
    fail "Rust $rust is too old: $oldest_rust or newer is needed"

# --- Z3 ------------------------------------------------------------------------------------------

if [[ $native == yes ]] && ! z3_is_installed; then
    if matches "$z3_wheel_sum" "$cache/$z3_wheel"; then
        say "using the Z3 wheel in $cache"
    else
        say "fetching Z3 $z3_version (38 MB)"
        mkdir -p "$cache"
        # --require-hashes makes pip check too, before anything is kept.
        pinned=$(mktemp)
        trap 'rm -f "$pinned"' EXIT
        echo "z3-solver==$z3_version --hash=sha256:$z3_wheel_sum" >"$pinned"
        python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
            --only-binary=:all: --dest "$cache" --requirement "$pinned" ||
            fail "pip could not fetch z3-solver $z3_version; put $z3_wheel into $cache by hand and run again"
        matches "$z3_wheel_sum" "$cache/$z3_wheel" ||
            fail "the fetched $cache/$z3_wheel does not have the pinned checksum"
    fi
    mkdir -p vendor-z3/lib
    # Unpacked beside its place and moved in when it is whole.
    python3 - "$cache/$z3_wheel" vendor-z3/lib/unpacking <<'PYTHON'
import sys
import zipfile

wheel, library = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive, open(library, "wb") as out:
    out.write(archive.read("z3/lib/libz3.so"))
PYTHON
    mv vendor-z3/lib/unpacking vendor-z3/lib/libz3.so.5.3
    # Programs ask for the first name, the linker for the second.
    ln -sf libz3.so.5.3 vendor-z3/lib/libz3.so
    z3_is_installed || fail "the unpacked Z3 library does not have the pinned checksum"
    say "Z3 $z3_version is in vendor-z3/lib"
fi

if [[ $native == yes ]]; then
    say "ready (Rust $rust, Z3 $z3_version)"
else
    say "ready (Rust $rust); build with --no-default-features"
fi
