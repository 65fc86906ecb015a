#!/usr/bin/env python3
"""Checks the packed crates of a workspace, as scripts/package.sh calls it.

    python3 scripts/package.py METADATA.json DIRECTORY

METADATA.json is the output of `cargo metadata --no-deps`. DIRECTORY has the archives of `cargo package`.
"""

import json
import sys
import tarfile
from pathlib import Path

FIELDS = ("description", "keywords", "categories", "license", "readme")
FILES = ("Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE")
MOST_KEYWORDS = 5
MOST_BYTES = 10_000_000


def faults(crate: dict, directory: Path) -> list[str]:
    """Returns what the crate or its archive lacks."""
    found = [f"no {field}" for field in FIELDS if not crate[field]]
    if len(crate["keywords"]) > MOST_KEYWORDS:
        found.append(f"more than {MOST_KEYWORDS} keywords")
    name = f"{crate['name']}-{crate['version']}"
    archive = directory / f"{name}.crate"
    if archive.stat().st_size > MOST_BYTES:
        found.append(f"an archive of more than {MOST_BYTES} bytes")
    with tarfile.open(archive) as packed:
        files = {it.name for it in packed if it.isfile()}
    return found + [f"no {file} in the archive" for file in FILES if f"{name}/{file}" not in files]


def main() -> None:
    metadata, directory = json.loads(Path(sys.argv[1]).read_text("utf-8")), Path(sys.argv[2])
    # An empty list means `publish = false`.
    published = [crate for crate in metadata["packages"] if crate["publish"] != []]
    wrong = [f"{crate['name']}: {fault}" for crate in published for fault in faults(crate, directory)]
    for line in wrong:
        print(f"package: {line}", file=sys.stderr)
    if wrong or not published:
        sys.exit(1)
    print(f"package: {len(published)} crates are complete")


if __name__ == "__main__":
    main()
