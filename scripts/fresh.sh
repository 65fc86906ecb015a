#!/usr/bin/env bash
# Shows what the README promises for a fresh machine: makes a minimal Debian 12, puts nothing in but a
# Rust toolchain and a clone, runs the README's two commands there, and reports the minutes.
#
#   scripts/fresh.sh [OPTION…] [COMMAND…]      default: scripts/run.sh scripts/test.sh
#
#   --cores N      only N processors (default: all)
#   --root DIR     where the machine is made (default: a new directory in $TMPDIR or /tmp); must not exist
#   --keep         leave it there, with the logs in DIR/root; to look around: chroot DIR
#   --suite NAME   another release than bookworm
#   --report FILE  append the table to FILE, too
#   --release ARCHIVE
#                  no toolchain, no clone and no network: the machine gets what scripts/release.sh made, and
#                  scripts/try-release.sh asks it for answers (COMMANDs are run in the unpacked archive)
#   --wheel WHEEL  the same with the Python package: Debian's Python and SciPy, the wheel that scripts/release.sh --form
#                  wheel made, and a notebook of ten cells
#
# For root, on a Debian or Ubuntu with debootstrap. The clone is of what is committed here. How this
# machine reaches the network is passed on (name servers, proxies, certificates, settings of pip, cargo
# and apt); nothing else is. What is mounted is so only for the commands' own eyes (unshare) and gone
# when they end, so that removing the machine cannot reach out of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "fresh: $*" >&2; }
fail() { say "$*"; exit 1; }
needs_value() { (($# > 1)) || fail "$1 needs a value"; }

cores=$(nproc)
root=
keep=no
suite=bookworm
report=/dev/null
release=
wheel=
commands=()
while (($#)); do
    case "$1" in
        --cores) needs_value "$@"; cores=$2; shift ;;
        --root) needs_value "$@"; root=$2; shift ;;
        --keep) keep=yes ;;
        --suite) needs_value "$@"; suite=$2; shift ;;
        --report) needs_value "$@"; report=$(realpath "$2"); shift ;;
        --wheel) needs_value "$@"; wheel=$(realpath "$2"); shift ;;
        --release) needs_value "$@"; release=$(realpath "$2"); shift ;;
        -h | --help) sed -n '2,/^set/ { /^set/d; s/^# \?//; p }' "$0"; exit ;;
        -*) fail "unknown option $1; see --help" ;;
        *) commands+=("$1") ;;
    esac
    shift
done
if [[ -n $release ]]; then
    [[ -f $release ]] || fail "no archive $release: scripts/release.sh makes one"
    ((${#commands[@]})) || commands=("bash /root/try-release.sh .")
fi
if [[ -n $wheel ]]; then
    [[ -f $wheel ]] || fail "no wheel $wheel: scripts/release.sh --form wheel makes one"
    [[ -z $release ]] || fail "one of --release and --wheel"
    # What this machine is made of is the same for both.
    release=$wheel
    ((${#commands[@]})) || commands=(
        "python3 -m venv /root/alone"
        "/root/alone/bin/pip install --quiet --no-index /root/$(basename "$wheel")"
        "/root/alone/bin/python tests/notebook.py examples"
        # Once more beside SciPy, for the cell with a matrix.
        "python3 -m venv --system-site-packages /root/beside"
        "/root/beside/bin/pip install --quiet --no-index /root/$(basename "$wheel")"
        "/root/beside/bin/python tests/notebook.py examples"
    )
fi
((${#commands[@]})) || commands=(scripts/run.sh scripts/test.sh)
[[ $cores =~ ^[1-9][0-9]*$ && $cores -le $(nproc) ]] || fail "--cores: 1 to $(nproc)"

# --- what has to be there ------------------------------------------------------------------------

[[ $(id -u) == 0 ]] || fail "only root can make a root directory: sudo scripts/fresh.sh"
if ! command -v debootstrap >/dev/null; then
    command -v apt-get >/dev/null || fail "debootstrap is missing: install it and run again"
    say "installing debootstrap"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap; } >/dev/null ||
        fail "debootstrap is missing, and apt-get could not install it"
fi
if [[ -z $release ]]; then
    command -v rustup >/dev/null || fail "rustup is missing: its toolchain is what goes into the fresh machine"
    toolchain=$(rustup show active-toolchain | cut -d ' ' -f 1)
    toolchains=$(rustup show home)/toolchains
    [[ -d $toolchains/$toolchain ]] || fail "no toolchain $toolchain in $toolchains"
    [[ -z $(git status --porcelain --untracked-files=no) ]] ||
        say "there are changes that are not committed; they are not tried"
fi

if [[ -n $root ]]; then
    [[ ! -e $root ]] || fail "$root exists; name a new directory"
    mkdir -p "$root"
else
    root=$(mktemp -d "${TMPDIR:-/tmp}/fresh-XXXXXX")
fi
root=$(realpath "$root")
remove() {
    if [[ $keep == yes ]]; then
        say "kept in $root"
    else
        rm -rf --one-file-system "$root"
    fi
}
trap remove EXIT

# --- the machine ---------------------------------------------------------------------------------

say "making a minimal Debian ($suite) in $root"
packages=()
[[ -z $wheel ]] || packages=(--include=python3-venv,python3-scipy)
unshare --mount debootstrap --variant=minbase "${packages[@]}" "$suite" "$root" >"$root.log" 2>&1 || {
    tail -n 5 "$root.log" >&2
    fail "debootstrap failed, see $root.log"
}
mv "$root.log" "$root/root/debootstrap.log"

home=$root/root
environment=(HOME=/root USER=root LANG=C.UTF-8 TERM=dumb
    PATH=/root/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)

# A toolchain and a clone, and the way to the network.
furnish_to_build() {
    say "copying the toolchain $toolchain"
    mkdir -p "$home/.rustup/toolchains" "$home/.cargo"
    tar -C "$toolchains" --exclude=share/doc -cf - "$toolchain" | tar -C "$home/.rustup/toolchains" -xf -
    printf 'version = "12"\ndefault_toolchain = "%s"\n' "$toolchain" >"$home/.rustup/settings.toml"
    cp -a "$(dirname "$(command -v rustup)")" "$home/.cargo/bin"

    say "cloning $(git log -1 --format='%h (%s)')"
    git clone --quiet --no-local . "$home/parikh"
    lead_out
}

# An archive or a wheel, and no way out.
furnish_to_run() {
    say "unpacking $(basename "$release")"
    mkdir "$home/parikh"
    if [[ -n $wheel ]]; then
        cp "$wheel" "$home"
        cp -r examples python/tests "$home/parikh"
        return
    fi
    tar -C "$home/parikh" --strip-components=1 --no-same-owner -xzf "$release"
    cp scripts/try-release.sh "$home"
}

# Files that variables name go to a directory of their own, so that the machine's own certificates come
# and go as on any other.
lead_out() {
    mkdir -p "$root/etc/way-out"
    while IFS='=' read -r -d '' name value; do
        case "$name" in
            *_proxy | *_PROXY | PIP_* | CARGO_HTTP_* | CARGO_NET_* | CARGO_REGISTRIES_* | CARGO_SOURCE_* | \
                SSL_CERT_FILE | CURL_CA_BUNDLE | REQUESTS_CA_BUNDLE)
                if [[ -d $value ]]; then
                    continue
                elif [[ -f $value ]]; then
                    cp "$value" "$root/etc/way-out/$name"
                    value=/etc/way-out/$name
                fi
                environment+=("$name=$value")
                ;;
        esac
    done < <(env -0)
    put /etc/resolv.conf /etc/resolv.conf
    put /etc/hosts /etc/hosts
    put /etc/pip.conf /etc/pip.conf
    put "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" /root/.config/pip/pip.conf
    for settings in config.toml config; do
        put "${CARGO_HOME:-$HOME/.cargo}/$settings" "/root/.cargo/$settings"
    done
    for settings in /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy*; do
        put "$settings" "$settings"
    done
}
put() { # FILE DESTINATION: if there is such a file here
    [[ ! -f $1 ]] || install -D -m 644 "$1" "$root$2"
}

if [[ -z $release ]]; then furnish_to_build; else furnish_to_run; fi

# --- the commands --------------------------------------------------------------------------------

isolation=(--mount --pid --fork --kill-child)
[[ -z $release ]] || isolation+=(--net)
# Runs a command inside, in the clone or the unpacked archive. The processor count is what programs see, too.
inside() {
    # shellcheck disable=SC2016  # $0 and $@ are those of the inner shell
    taskset --cpu-list "0-$((cores - 1))" unshare "${isolation[@]}" sh -c '
        mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"' \
        "$root" /usr/bin/env -i "${environment[@]}" sh -c "cd /root/parikh && $1"
}
inside true || fail "no commands can be run in $root (may this root not mount /proc there?)"

# Microseconds.
now() { echo "${EPOCHREALTIME/[.,]/}"; }
# From one number of seconds to another, in minutes.
minutes() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.1f", (to - from) / 60 }'; }
# How many programs wanted a processor in the last minute.
load() { cut -d ' ' -f 1 /proc/loadavg; }
# When a line with this text was logged first, in seconds since the start; nothing if never.
logged() { awk -v text="$2" 'index($0, text) { print $1; exit }' "$1"; }

processor=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
table=$(mktemp)
{
    echo
    echo "### $(date +%F), $(if [[ -z $release ]]; then git log -1 --format=%h; else basename "$release"; fi)"
    echo
    if [[ -z $release ]]; then has=$(inside 'rustc --version' | cut -d ' ' -f 1,2); else has="no network"; fi
    echo "Debian $suite, minimal; $has; $cores cores of ${processor:-$(uname -m)}, load before: $(load)."
    echo
    echo "| command | minutes | of which set-up | first build | the rest | load after | outcome |"
    echo "|---|---|---|---|---|---|---|"
} >>"$table"
failed=0
for command in "${commands[@]}"; do
    say "$command"
    log=$home/$(tr -cs 'a-zA-Z0-9\n' - <<<"$command").log
    begin=$(now)
    outcome=passed
    # Each line with the seconds since the start.
    inside "$command" 2>&1 | while IFS= read -r line; do
        tenths=$((($(now) - begin) / 100000))
        printf '%5d.%d %s\n' $((tenths / 10)) $((tenths % 10)) "$line"
    done >"$log" || outcome=FAILED
    total=$((($(now) - begin) / 1000000))
    [[ $outcome == passed ]] || { failed=1; tail -n 20 "$log" >&2; }
    ready=$(logged "$log" 'setup: ready')
    built=$(logged "$log" 'Finished `')
    {
        printf '| `%s` | %s | %s ' "$command" "$(minutes 0 "$total")" "$(minutes 0 "${ready:-0}")"
        if [[ -n $built ]]; then
            printf '| %s | %s ' "$(minutes "${ready:-0}" "$built")" "$(minutes "$built" "$total")"
        else
            printf '| – | – '
        fi
        echo "| $(load) | $outcome |"
    } >>"$table"
done
[[ $keep == no ]] || cp "$table" "$home/table.md"
tee -a "$report" <"$table"
rm "$table"
exit "$failed"
