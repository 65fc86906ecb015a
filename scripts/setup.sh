#!/usr/bin/env bash
# Brings what a fresh Debian or Ubuntu machine lacks to build Parikh, and the solver libraries that
# are pinned below, into vendor/lib. Can be run again at any time; does nothing when nothing is
# missing.
#
#   scripts/setup.sh               everything
#   scripts/setup.sh --no-native   only what a build with --no-default-features needs
#
# Both libraries come from inside Python packages, z3-solver and highspy: Debian's Z3 is too old for
# the crate and Debian 12 has no HiGHS, and to build them takes half an hour and ten minutes, CMake
# and a C++ compiler. A wheel that is already in $PARIKH_WHEELS (or ~/.cache/parikh) is used instead
# of downloading it. HiGHS has a second source: highspy has no library to link with in it from 1.16 on, and
# if its pinned version is gone some day, highsbox has one, in the C interface the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

z3_version=5.3.3.0
highs_version=1.15.0
oldest_rust=1.88

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }
matches() { [[ -f "$2" ]] && echo "$1  $2" | sha256sum --check --status -; }

native=yes
for argument in "$@"; do
    case "$argument" in
        --no-native) native=no ;;
        *) fail "unknown argument $argument; there is only --no-native" ;;
    esac
done

# --- the libraries ---------------------------------------------------------------------------------

# One a line: the package, its wheel and the wheel's checksum, where the library is in it, what
# programs ask for (its soname), what the linker asks for, and the library's checksum.
case "$(uname -sm)" in
    "Linux x86_64")
        oldest_glibc=2.28
        platforms=(manylinux_2_27_x86_64 manylinux_2_28_x86_64 manylinux2014_x86_64)
        libraries="\
z3-solver==$z3_version z3_solver-$z3_version-py3-none-manylinux_2_27_x86_64.whl 0431023a82278dab706c02a320f63178ee0755fb8f10a5c980f0bfe3c84f6f96 z3/lib/libz3.so libz3.so.5.3 libz3.so dec9b3180cf904803b0a67505746c90ffa55b9e8f3b05df44a8a7ab7b548ad80
highspy==$highs_version highspy-$highs_version-cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64.whl 327e22b0f7ea62bf68eeaa5f44385fb1f57be1575feef0932eddb9664d37f98a highspy/libhighs.so.1 libhighs.so.1 libhighs.so 62b791b310d607332f8a2d86b028a3999ee83dad38cb23a3a33e2cac54156205"
        # Its library calls itself libhighs.so.
        second="highsbox==1.15.1 highsbox-1.15.1-py3-none-manylinux2014_x86_64.whl 17f30d23ef37488467732b45f141146f7c287826a576b4514ae39a8cc4068b28 highsbox-1.15.1.data/purelib/highsbox/highs_dist/lib/libhighs.so libhighs.so libhighs.so b358c169566b648d2b264d4414618cbac2bd402dfdafd1bc9ad0234684341c07"
        ;;
    "Linux aarch64")
        oldest_glibc=2.38 # of libz3
        platforms=(manylinux_2_38_aarch64 manylinux_2_28_aarch64)
        libraries="\
z3-solver==$z3_version z3_solver-$z3_version-py3-none-manylinux_2_38_aarch64.whl 701619d4995695819e150e9fa10218b67a5a2241868f31dddccfe2d3fe15f986 z3/lib/libz3.so libz3.so.5.3 libz3.so 914eed29252aac0261df2e038d7cfa93f098f459bcd73e9c666481b984f4b3d6
highspy==$highs_version highspy-$highs_version-cp311-cp311-manylinux_2_24_aarch64.manylinux_2_28_aarch64.whl 6d2751fefab1b849abefd7f7afa60c35b5e6f97a908961857a84cc0b05a31e64 highspy/libhighs.so.1 libhighs.so.1 libhighs.so c336193fc880ecc64959dea15cd956c2a59a354725efd7bda2d041358e545ba2"
        ;;
    *)
        [[ $native == no ]] ||
            fail "no libraries are pinned for $(uname -sm); use --no-native and build with --no-default-features"
        ;;
esac

# The same with HiGHS from its second source.
with_second() { grep -v '^highspy==' <<<"$libraries"; echo "$second"; }
second=${second-}
# Whoever set up from there stays with it.
if [[ -n $second ]] && matches "${second##* }" vendor/lib/libhighs.so; then libraries=$(with_second); fi

# The lines above whose library is not in its place, with its link.
missing_libraries() {
    local package wheel wheel_sum member library link sum
    while read -r package wheel wheel_sum member library link sum; do
        [[ -e vendor/lib/$link ]] && matches "$sum" "vendor/lib/$library" ||
            echo "$package $wheel $wheel_sum $member $library $link $sum"
    done <<<"$libraries"
}

# Those of the lines on stdin whose wheel is still to be fetched, as pip wants them. With checksums,
# so that pip refuses anything else before it is kept.
wheels_to_fetch() {
    local package wheel wheel_sum rest
    while read -r package wheel wheel_sum rest; do
        matches "$wheel_sum" "$cache/$wheel" || echo "$package --hash=sha256:$wheel_sum"
    done
}

cache=${PARIKH_WHEELS:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/parikh}
to_unpack=
to_fetch=
if [[ $native == yes ]]; then
    # "glibc 2.36"; other C libraries do not answer.
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d ' ' -f 2) || glibc=
    [[ -n $glibc && $(printf '%s\n' "$oldest_glibc" "$glibc" | sort -V | head -n 1) == "$oldest_glibc" ]] ||
        fail "the pinned libraries need glibc $oldest_glibc, and this is ${glibc:-something else}; use --no-native and build with --no-default-features"
    to_unpack=$(missing_libraries)
    [[ -z $to_unpack ]] || to_fetch=$(wheels_to_fetch <<<"$to_unpack")
fi

# --- packages of the system ----------------------------------------------------------------------

missing=()
# The compiler is only asked to link, and C is enough for that.
has cc || missing+=(gcc libc6-dev)
if [[ -n $to_unpack ]]; then
    has python3 || missing+=(python3)
    # Part of any Debian, but the libraries need them.
    for needed in libz.so.1:zlib1g libstdc++.so.6:libstdc++6; do
        /sbin/ldconfig -p | grep -qF "${needed%:*}" || missing+=("${needed#*:}")
    done
fi
if [[ -n $to_fetch ]]; then
    python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
fi
[[ -e /etc/ssl/certs/ca-certificates.crt || -n ${SSL_CERT_FILE:-} ]] || missing+=(ca-certificates)

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

# --- fetching and unpacking ----------------------------------------------------------------------

# Fetches the packages of stdin.
fetch() {
    # Whatever Python runs this: a wheel is only something to take a library out of.
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
        --only-binary=:all: --implementation cp --python-version 3.11 --abi cp311 \
        "${platforms[@]/#/--platform=}" --dest "$cache" --requirement /dev/stdin
}

if [[ -n $to_fetch ]]; then
    say "fetching" $(sed 's/ .*//' <<<"$to_fetch")
    mkdir -p "$cache"
    if ! fetch <<<"$to_fetch"; then
        [[ -n $second && $to_fetch == *highspy==* ]] ||
            fail "pip could not fetch them; put the wheels (scripts/setup.sh has their names) into $cache by hand and run again"
        libraries=$(with_second)
        to_unpack=$(missing_libraries)
        to_fetch=$(wheels_to_fetch <<<"$to_unpack")
        say "the first source of HiGHS fails; fetching" $(sed 's/ .*//' <<<"$to_fetch")
        [[ -z $to_fetch ]] || fetch <<<"$to_fetch" ||
            fail "pip could not fetch them; put the wheels (scripts/setup.sh has their names) into $cache by hand and run again"
    fi
    [[ -z $(wheels_to_fetch <<<"$to_unpack") ]] ||
        fail "what pip fetched into $cache are not the pinned wheels"
fi

if [[ -n $to_unpack ]]; then
    mkdir -p vendor/lib
    while read -r package wheel wheel_sum member library link sum; do
        # Unpacked beside its place and moved in when it is whole.
        python3 -c 'import sys, zipfile
wheel, member, out = sys.argv[1:]
open(out, "wb").write(zipfile.ZipFile(wheel).read(member))' \
            "$cache/$wheel" "$member" "vendor/lib/$library.unpacking"
        # Not through a link that an earlier set-up left.
        rm -f "vendor/lib/$library" "vendor/lib/$link"
        mv "vendor/lib/$library.unpacking" "vendor/lib/$library"
        [[ $library == "$link" ]] || ln -sf "$library" "vendor/lib/$link"
    done <<<"$to_unpack"
    [[ -z $(missing_libraries) ]] || fail "a library in vendor/lib does not have the pinned checksum"
    say "the libraries are in vendor/lib"
fi

if [[ $native == yes ]]; then
    say "ready (Rust $rust, Z3 $z3_version, HiGHS $highs_version)"
else
    say "ready (Rust $rust); build with --no-default-features"
fi
