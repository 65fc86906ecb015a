#!/usr/bin/env bash
# Checks what would be published: the crates, as crates.io gets them, and the metadata of the Python wheel.
# Builds nothing, publishes nothing, and takes some seconds.
#
#   scripts/package.sh
#
# - cargo packs each crate of the workspace, without network and without a build of the packed crates;
# - each published crate has a description, keywords, categories, a licence and a readme, and its archive
#   has the readme and both licences, and is at most 10 MB, the limit of crates.io;
# - twine reads the metadata of a wheel. Twine comes from PyPI into an environment of its own. Without
#   network, this step says "skipped".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1-}" in
    '') ;;
    -h | --help) sed -n '2,/^set/ { /^set/d; s/^# \?//; p }' "$0"; exit ;;
    *) echo "package: unknown argument $1; see --help" >&2; exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# In a directory of its own, so that it does not wait for a build. Changes that are not committed go in.
cargo package --workspace --no-verify --offline --allow-dirty --quiet --target-dir "$work/target"
cargo metadata --no-deps --offline --format-version 1 >"$work/metadata.json"
python3 scripts/package.py "$work/metadata.json" "$work/target/package"

# The metadata does not depend on the programs, so the wheel has empty ones.
mkdir "$work/programs"
touch "$work/programs/parikh" "$work/programs/parikh-certify"
python3 scripts/wheel.py --programs "$work/programs" --out "$work/wheel" --level 0 >/dev/null
if ! python3 -m venv "$work/venv" 2>/dev/null; then
    echo "package: twine check skipped: python3 cannot make a virtual environment" >&2
elif ! timeout 60 "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 0 \
    --timeout 5 'twine==6.2.0' 2>/dev/null; then
    echo "package: twine check skipped: twine cannot be fetched from PyPI" >&2
else
    "$work/venv/bin/python" -m twine check --strict "$work"/wheel/*.whl
fi
