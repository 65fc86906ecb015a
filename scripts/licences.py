#!/usr/bin/env python3
"""Prints the licences of everything that a release has in it besides Parikh itself.

    python3 scripts/licences.py native|static
    python3 scripts/licences.py check          whether deny.toml allows those of all dependencies; prints nothing else

Which crates those are, cargo says: what the programs are made of on that target with these features,
without what only builds or tests. Their texts lie in the crates, as they were fetched. A crate without
a text is listed with its licence's name and its source; one that names no licence is an error.
"""

import json
import re
import subprocess
import sys
import zipfile
from glob import glob
from os import environ
from pathlib import Path

FORMS = {
    "native": ("x86_64-unknown-linux-gnu", []),
    "static": ("x86_64-unknown-linux-musl", ["--no-default-features"]),
}
NAMES = ("licen", "copying", "notice", "unlicense", "copyright")

Z3 = """\
Z3
Copyright (c) Microsoft Corporation
All rights reserved.
MIT License

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED *AS IS*, WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."""


def fail(problem):
    sys.exit(f"licences: {problem}")


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def crates(form):
    """The packages from elsewhere that the programs of the workspace are made of."""
    target, features = FORMS[form]
    # `metadata` unites the features of all targets and tests; `tree` knows what one build takes.
    lines = said(
        "cargo", "tree", "--locked", "--workspace", "--edges", "normal", "--target", target,
        *features, "--prefix", "none", "--format", "{p}",
    ).splitlines()
    wanted = {tuple(line.split()[:2]) for line in lines if line}
    packages = json.loads(said("cargo", "metadata", "--locked", "--format-version", "1"))["packages"]
    found = [p for p in packages if p["source"] and (p["name"], "v" + p["version"]) in wanted]
    return sorted(found, key=lambda p: (p["name"], p["version"]))


def allowed():
    """The licences that deny.toml allows."""
    text = Path("deny.toml").read_text()
    return set(re.findall(r'"([^"]+)"', re.search(r"^allow = \[(.*?)^\]", text, re.S | re.M)[1]))


def permits(expression, allow):
    """Whether a licence expression (SPDX, or the older form with slashes) can be met by what is allowed."""
    words = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def choice():
        met = both()
        while words and words[0] == "OR":
            words.pop(0)
            met = both() or met
        return met

    def both():
        met = one()
        while words and words[0] == "AND":
            words.pop(0)
            met = one() and met
        return met

    def one():
        word = words.pop(0)
        if word == "(":
            met = choice()
            words.pop(0)
            return met
        if words and words[0] == "WITH":
            word += f" {words.pop(0)} {words.pop(0)}"
        return word in allow

    return choice()


def check():
    allow = allowed()
    packages = json.loads(said("cargo", "metadata", "--locked", "--format-version", "1"))["packages"]
    wrong = [
        f"{p['name']} {p['version']}: {p['license'] or 'no licence'}"
        for p in packages
        if not (p["license"] and permits(p["license"], allow))
    ]
    elsewhere = [
        f"{p['name']} {p['version']}: from {p['source']}"
        for p in packages
        if p["source"] and not p["source"].startswith("registry+https://github.com/rust-lang/crates.io-index")
    ]
    if wrong + elsewhere:
        fail("deny.toml does not allow\n" + "\n".join(wrong + elsewhere))
    print(f"licences: those of all {len(packages)} crates are allowed")


def texts(directory, named=None):
    """The files of licences at the top of a directory, and the one that the manifest names."""
    files = {f for f in directory.iterdir() if f.is_file() and f.name.lower().startswith(NAMES)}
    if named:
        files.add((directory / named).resolve())
    files = {f for f in files if f.suffix not in (".rs", ".toml")}
    return [f.read_text(encoding="utf-8", errors="replace").strip() for f in sorted(files)]


def wheel_texts(pattern):
    """The licences in a wheel that scripts/setup.sh fetched."""
    cache = environ.get("PARIKH_WHEELS") or (
        environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")) + "/parikh"
    )
    wheels = glob(f"{cache}/{pattern}")
    if not wheels:
        fail(f"no {pattern} in {cache}: remove vendor/lib and run scripts/setup.sh again")
    with zipfile.ZipFile(sorted(wheels)[-1]) as wheel:
        members = [n for n in wheel.namelist() if "/licenses/" in n and not n.endswith("/")]
        found = [wheel.read(n).decode().strip() for n in sorted(members)]
    return found or fail(f"no licence in {wheels[-1]}")


def others(form):
    """What is no crate: name, what its licence is called, texts."""
    sysroot = Path(said("rustc", "--print", "sysroot").strip())
    notice = sysroot / "share/doc/rust/COPYRIGHT-library.html"
    if not notice.is_file():
        fail(f"{notice} is missing: it has the licences of Rust's standard library")
    version = said("rustc", "--version").split()[1]
    yield f"Rust's standard library {version}", "MIT OR Apache-2.0, and others", [notice.read_text().strip()]
    yield (
        "DejaVu Sans Condensed 2.37, a part of it, https://dejavu-fonts.github.io", "Bitstream Vera",
        [Path("pictures/src/png/LICENSE-DejaVu.txt").read_text().strip()],
    )
    if form == "native":
        yield "Z3 (lib/libz3.so.5.3, as in the package z3-solver of PyPI)", "MIT", [Z3]
        yield (
            "HiGHS (lib/libhighs.so.1, as in the package highspy of PyPI)", "MIT",
            wheel_texts("highspy-*.whl"),
        )
        zig = glob("target/zig/lib/python*/site-packages/ziglang")
        if not zig:
            fail("no Zig in target/zig: scripts/release.sh puts it there")
        zig = Path(zig[0])
        yield "Zig's compiler-rt, linked in", "MIT", texts(zig)
        yield (
            "glibc's start files, linked in",
            "LGPL-2.1-or-later, with the exception that what they are linked into is free of it",
            ["Copyright (C) 1991-2026 Free Software Foundation, Inc. Source: https://sourceware.org/glibc/"],
        )
        unwind = sorted((zig / "lib/libunwind").glob("LICENSE*"))
        yield (
            "LLVM's libunwind, linked in", "Apache-2.0 WITH LLVM-exception",
            [f.read_text().strip() for f in unwind]
            or ["See https://llvm.org/LICENSE.txt; source: https://github.com/llvm/llvm-project"],
        )


def main():
    if sys.argv[1:] == ["check"]:
        return check()
    if len(sys.argv) != 2 or sys.argv[1] not in FORMS:
        sys.exit(__doc__.strip())
    form = sys.argv[1]
    parts = []
    for package in crates(form):
        licence = package["license"] or (package["license_file"] and "its own, below")
        if not licence:
            fail(f"{package['name']} {package['version']} names no licence")
        found = texts(Path(package["manifest_path"]).parent, package["license_file"])
        source = package["repository"] or f"https://crates.io/crates/{package['name']}"
        parts.append((f"{package['name']} {package['version']}, {source}", licence, found))
    parts.extend(others(form))

    print("What Parikh is made of besides its own code, and under which licences.\n")
    for name, licence, _ in parts:
        print(f"- {name}: {licence}")
    # Many crates have the same text, word for word.
    owners = {}
    for name, _, found in parts:
        for text in found:
            owners.setdefault(text, []).append(name.split(",")[0])
    for text, names in owners.items():
        print("\n" + "=" * 100 + "\n" + ", ".join(names) + "\n" + "-" * 100 + "\n\n" + text)


if __name__ == "__main__":
    main()
