#!/usr/bin/env bash
# Makes what people install, in three forms, in target/dist:
#
#   parikh-VERSION-linux-x86_64.tar.gz          with Z3 and HiGHS; any Linux with glibc 2.28 and libstdc++
#                                               (Debian 10, Ubuntu 20.04, RHEL 8 and newer)
#   parikh-VERSION-linux-x86_64-static.tar.gz   pure Rust, static (musl); any Linux
#   parikh-VERSION-py3-none-manylinux_2_28_x86_64.whl    for Python: parikh, parikh-certify and HiGHS (no Z3)
#
#   scripts/release.sh [--form native|static|wheel] [--out DIR] [--no-build]
#
#   --no-build     packs the programs that the last run built
#
# In each archive: bin/ with parikh, parikh-certify and parikh-bench, manual pages, completions, examples, the
# guide, and the licences of all that is inside. Unpacked as /home/mcc/BenchKit it is the contest's kit:
# BenchKit_head.sh lies at its top. The native form has the libraries in lib/, where the programs look.
#
# The native form is linked by Zig against the symbols of an old glibc: what this machine's own linker
# makes would ask for this machine's glibc. Zig and cargo-zigbuild come from PyPI, pinned below, into
# target/zig, and so does Zopfli, which packs the wheel. The same commit, toolchain and place of the checkout
# make the same bytes.
#
# The static programs are run on the contest's processor by scripts/try-westmere.sh, which needs Debian's qemu-user.
#
# scripts/fresh.sh --release ARCHIVE tries an archive on a bare machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

oldest_glibc=2.28
zig="cargo-zigbuild==0.24.0 --hash=sha256:484412e39e4c6039474535ce97ee75a22bab22d58233056f8ec8a8f9034bb957
ziglang==0.17.1 --hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54"
zopfli="zopfli==0.4.3 --hash=sha256:769875152d0625c46707bcca57d4b2233fe653482067acd55fbf6ec525cb9bdc"

say() { echo "release: $*" >&2; }
fail() { say "$*"; exit 1; }

forms=(native static wheel)
out=target/dist
no_build=
while (($#)); do
    case "$1" in
        --form) [[ ${2-} == @(native|static|wheel) ]] || fail "--form native, static or wheel"; forms=("$2"); shift ;;
        --out) [[ -n ${2-} ]] || fail "--out needs a directory"; out=$2; shift ;;
        --no-build) no_build=yes ;;
        -h | --help) sed -n '2,/^set/ { /^set/d; s/^# \?//; p }' "$0"; exit ;;
        *) fail "unknown argument $1; see --help" ;;
    esac
    shift
done
[[ $(uname -sm) == "Linux x86_64" ]] || fail "made on Linux x86_64 only, and this is $(uname -sm)"
[[ " ${forms[*]} " != *" static "* ]] || command -v qemu-x86_64 >/dev/null ||
    fail "the static form is run by qemu-x86_64: apt-get install qemu-user, and run again"
[[ -z ${RUSTFLAGS-}${CARGO_ENCODED_RUSTFLAGS-} ]] || fail "RUSTFLAGS would replace the flags of .cargo/config.toml; unset it"
[[ -z $(git status --porcelain --untracked-files=no) ]] || say "there are changes that are not committed; they go in"

version=$(sed -n '/^\[workspace.package\]/,/^\[/ s/^version = "\(.*\)"/\1/p' Cargo.toml)
mkdir -p "$out"
out=$(realpath "$out")
# Everything in the archives is as old as the commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH PARIKH_RELEASE=1

# Names of directories end up in messages of panics: these are the same on every machine. The lists of
# flags in a configuration add up; a RUSTFLAGS variable would replace the run path.
home=${CARGO_HOME:-$HOME/.cargo}
flags="target.'cfg(target_os = \"linux\")'.rustflags = ['--remap-path-prefix=$home/registry/src=registry', '--remap-path-prefix=$PWD=.']"
build=(--release --locked --bins --package parikh-cli --package parikh-evidence
    --config "$flags" --config "profile.release.strip = 'debuginfo'")

# Builds one form.
build_native() {
    fetch_zig
    PATH=$PWD/target/zig/bin:$PATH cargo zigbuild "${build[@]}" --package parikh-benchmarks \
        --target "x86_64-unknown-linux-gnu.$oldest_glibc"
}
# In a directory of its own: the programs of the native form ask for Z3. What draws pictures and reads
# command lines is to be small: 12 MB is what a wheel may have.
build_wheel() {
    local small=(--config "profile.release.codegen-units = 1") crate
    for crate in clap_builder clap_complete console indicatif harfrust read-fonts skrifa fontdb usvg svgtypes \
        simplecss resvg kurbo tiny-skia tiny-skia-path; do
        small+=(--config "profile.release.package.$crate.opt-level = 's'")
    done
    fetch_zig
    PATH=$PWD/target/zig/bin:$PATH cargo zigbuild "${build[@]}" "${small[@]}" --no-default-features --features parikh-cli/highs \
        --target "x86_64-unknown-linux-gnu.$oldest_glibc" --target-dir "${CARGO_TARGET_DIR:-target}/wheel"
}
fetch_zig() {
    scripts/setup.sh
    [[ -x target/zig/bin/cargo-zigbuild ]] || fetch Zig "$zig"
}
# Into target/zig, by checksum.
fetch() { # NAME REQUIREMENTS
    say "fetching $1"
    [[ -x target/zig/bin/python ]] || python3 -m venv target/zig ||
        fail "python3 cannot make a virtual environment: apt-get install python3-venv, and run again"
    target/zig/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
        --only-binary=:all: --requirement /dev/stdin <<<"$2" || fail "pip could not fetch $1"
}
build_static() {
    rustup target list --installed | grep -qx x86_64-unknown-linux-musl ||
        rustup target add x86_64-unknown-linux-musl ||
        fail "there is no toolchain for static programs: rustup target add x86_64-unknown-linux-musl"
    cargo build "${build[@]}" --package parikh-benchmarks --no-default-features --features parikh-cli/serve \
        --target x86_64-unknown-linux-musl
}

# A program that asks for more than it may would fail on the user's machine only.
check_native() {
    local asks newest
    asks=$(objdump -T "$1"/bin/* "$1"/lib/* | grep -o 'GLIBC_2[0-9.]*' | sed 's/GLIBC_//' | sort -uV)
    newest=$(tail -n 1 <<<"$asks")
    [[ $(printf '%s\n' "$newest" "$oldest_glibc" | sort -V | tail -n 1) == "$oldest_glibc" ]] ||
        fail "something in $1 asks for glibc $newest, and $oldest_glibc is promised"
    say "asks for glibc $newest"
}
check_wheel() { check_native "$1"; }
check_static() {
    local program
    for program in "$1"/bin/*; do
        ! objdump -p "$program" | grep -q NEEDED || fail "$program asks for a shared library"
    done
    # The contest's processor has no AVX: a program that uses it ends there with an illegal instruction.
    scripts/try-westmere.sh "$1/bin" >&2 || fail "$1 does not run on the contest's processor"
}

# Programs and library as they lie in the package, and the package as a wheel.
pack_wheel() {
    local top=$out/wheel program wheel
    rm -rf "$top"
    mkdir -p "$top"/{bin,lib}
    for program in parikh parikh-certify; do
        install -m 755 "${CARGO_TARGET_DIR:-target}/wheel/x86_64-unknown-linux-gnu/release/$program" "$top/bin/$program"
        # Nobody looks at the symbols of a program inside a package; they are a third of it.
        objcopy --strip-all "$top/bin/$program"
    done
    install -m 644 "$highs" "$top/lib"
    check_wheel "$top"
    python3 scripts/licences.py native >"$top/LICENSES-THIRD-PARTY.txt"
    target/zig/bin/python -c 'import zopfli.zlib' 2>/dev/null || fetch Zopfli "$zopfli"
    wheel=$(target/zig/bin/python scripts/wheel.py --tight --programs "$top/bin" --library "$top/lib/$(basename "$highs")" \
        --licences "$top/LICENSES-THIRD-PARTY.txt" --tag "manylinux_${oldest_glibc/./_}_x86_64" --out "$out")
    rm -rf "$top"
    say "$wheel: $(du -h "$wheel" | cut -f 1)"
}

for form in "${forms[@]}"; do
    # Of whichever source scripts/setup.sh took it from.
    highs=vendor/lib/libhighs.so.1
    [[ -f $highs ]] || highs=vendor/lib/libhighs.so
    if [[ -z $no_build ]]; then
        say "building the $form form"
        "build_$form"
    fi
    if [[ $form == wheel ]]; then
        pack_wheel
        continue
    fi
    programs=${CARGO_TARGET_DIR:-target}/x86_64-unknown-linux-$([[ $form == native ]] && echo gnu || echo musl)/release
    name=parikh-$version-linux-x86_64
    [[ $form == native ]] || name+=-static
    top=$out/$name
    rm -rf "$top"
    mkdir -p "$top"/{bin,share/man,share/bash-completion/completions,share/zsh/site-functions,share/fish/vendor_completions.d}
    for program in parikh parikh-certify parikh-bench; do
        install -m 755 "$programs/$program" "$top/bin/$program"
    done
    if [[ $form == native ]]; then
        mkdir "$top/lib"
        install -m 644 vendor/lib/libz3.so.5.3 "$highs" "$top/lib"
    fi
    "check_$form" "$top"

    "$top/bin/parikh" man "$top/share/man/man1"
    "$top/bin/parikh" completions bash >"$top/share/bash-completion/completions/parikh"
    "$top/bin/parikh" completions zsh >"$top/share/zsh/site-functions/_parikh"
    "$top/bin/parikh" completions fish >"$top/share/fish/vendor_completions.d/parikh.fish"
    "$top/bin/parikh" completions bash parikh-certify >"$top/share/bash-completion/completions/parikh-certify"
    "$top/bin/parikh" completions zsh parikh-certify >"$top/share/zsh/site-functions/_parikh-certify"
    "$top/bin/parikh" completions fish parikh-certify >"$top/share/fish/vendor_completions.d/parikh-certify.fish"
    "$top/bin/parikh-bench" man "$top/share/man/man1"
    "$top/bin/parikh-bench" completions bash >"$top/share/bash-completion/completions/parikh-bench"
    "$top/bin/parikh-bench" completions zsh >"$top/share/zsh/site-functions/_parikh-bench"
    "$top/bin/parikh-bench" completions fish >"$top/share/fish/vendor_completions.d/parikh-bench.fish"

    install -m 755 benchmarks/mcc/BenchKit_head.sh "$top/BenchKit_head.sh"
    install -m 644 README.md ARCHITECTURE.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$top"
    # Nothing that merely lies about.
    git ls-files -z docs examples | tar --null -T - -cf - | tar -C "$top" -xf -
    cp -r benchmarks/slurm "$top/slurm"
    python3 scripts/licences.py "$form" >"$top/LICENSES-THIRD-PARTY.txt"

    tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
        --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
    rm -rf "$top"
    say "$out/$name.tar.gz: $(du -h "$out/$name.tar.gz" | cut -f 1), unpacked $(gzip -dc "$out/$name.tar.gz" | wc -c | numfmt --to=iec)"
done
