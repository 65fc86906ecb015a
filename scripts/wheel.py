#!/usr/bin/env python3
"""Packs the Python package of python/parikh with programs and libraries into a wheel.

    python3 scripts/wheel.py --programs DIR [--library FILE]… --out DIR [--tag manylinux_2_28_x86_64] [--tight]

Programs go to parikh/bin, libraries to parikh/lib, where the programs look for them (rpath). Not maturin:
its binary wheels hold the programs of one crate, which it builds itself, and these are of two crates,
linked by scripts/release.sh for an old glibc. The format is that of packaging.python.org/specifications/
binary-distribution-format. The same files make the same bytes (SOURCE_DATE_EPOCH).
"""

import argparse
import base64
import hashlib
import os
import re
import stat
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("parikh", "parikh-certify")
METADATA = """\
Metadata-Version: 2.1
Name: parikh
Version: {version}
Summary: Verifies Petri nets and produces evidence you can check
Keywords: petri-net,model-checking,verification
License: MIT OR Apache-2.0
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Mathematics
Classifier: Typing :: Typed
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
License-File: LICENSES-THIRD-PARTY.txt
Requires-Python: >=3.10
Provides-Extra: matrices
Requires-Dist: scipy; extra == "matrices"
Provides-Extra: frames
Requires-Dist: pandas; extra == "frames"
Provides-Extra: graphs
Requires-Dist: networkx; extra == "graphs"
Description-Content-Type: text/markdown

{readme}"""
ENTRY_POINTS = """\
[console_scripts]
parikh = parikh._programs:main
parikh-certify = parikh._programs:certify
"""


def version() -> str:
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    return re.search(r'^\[workspace\.package\]\s+version = "([^"]+)"', text, re.MULTILINE).group(1)


class Tight:
    """What zipfile takes for a compressor: one that takes minutes, for some 4 % (Zopfli)."""

    def __init__(self) -> None:
        self.data = bytearray()

    def compress(self, data: bytes) -> bytes:
        self.data += data
        return b""

    def flush(self) -> bytes:
        from zopfli.zlib import compress

        # Without the head and the sum of a zlib stream.
        return compress(bytes(self.data), numiterations=1)[2:-4]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--library", type=Path, action="append", default=[])
    parser.add_argument("--licences", type=Path, help="the licences of what is inside")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tag", default="manylinux_2_28_x86_64")
    parser.add_argument("--level", type=int, default=9, help="0 to 9: how hard to compress")
    parser.add_argument("--tight", action="store_true", help="compress as Zopfli does, which has to be installed")
    arguments = parser.parse_args()
    if arguments.tight:
        import zopfli.zlib  # noqa: F401 - what is missing is said before anything is done

        zipfile._get_compressor = lambda *_: Tight()

    number = version()
    told = re.search(r'^__version__ = "([^"]+)"', (ROOT / "python/parikh/__init__.py").read_text("utf-8"), re.M)
    assert told and told.group(1) == number, f"python/parikh/__init__.py is not of version {number}"
    info = f"parikh-{number}.dist-info"
    tag = f"py3-none-{arguments.tag}"
    readme = (ROOT / "python/README.md").read_text("utf-8")
    files = [(f"parikh/{it.name}", it.read_bytes(), 0o644) for it in sorted((ROOT / "python/parikh").iterdir())
             if it.suffix == ".py" or it.name == "py.typed"]
    files += [(f"parikh/bin/{it}", (arguments.programs / it).read_bytes(), 0o755) for it in PROGRAMS]
    files += [(f"parikh/lib/{it.name}", it.read_bytes(), 0o644) for it in arguments.library]
    licences = [ROOT / "LICENSE-MIT", ROOT / "LICENSE-APACHE"]
    files += [(f"{info}/licenses/{it.name}", it.read_bytes(), 0o644) for it in licences]
    if arguments.licences:
        files.append((f"{info}/licenses/LICENSES-THIRD-PARTY.txt", arguments.licences.read_bytes(), 0o644))
    metadata = METADATA.format(version=number, readme=readme)
    if not arguments.licences:
        metadata = metadata.replace("License-File: LICENSES-THIRD-PARTY.txt\n", "")
    wheel = f"Wheel-Version: 1.0\nGenerator: scripts/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n"
    for name, text in (("METADATA", metadata), ("WHEEL", wheel), ("entry_points.txt", ENTRY_POINTS)):
        files.append((f"{info}/{name}", text.encode(), 0o644))
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data, _ in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644))

    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"parikh-{number}-{tag}.whl"
    epoch = max(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")), 315532800)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=arguments.level) as packed:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, time.gmtime(epoch)[:6])
            entry.external_attr = (stat.S_IFREG | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, data)
    print(path)


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


if __name__ == "__main__":
    main()
