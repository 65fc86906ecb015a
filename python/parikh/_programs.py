"""The programs ``parikh`` and ``parikh-certify``: where they are, and how they are asked."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
import weakref
from pathlib import Path
from typing import Any, Iterator, Sequence

#: A directory with the two programs, to be used instead of those in this package.
VARIABLE = "PARIKH_PROGRAMS"

#: The version of the objects that the programs print.
JSON_VERSION = 1


class ParikhError(Exception):
    """What was asked cannot be read or makes no sense; the text says where and why."""


class ParikhWarning(UserWarning):
    """What a program remarks about what it was asked, for example that a label never comes."""


class InternalError(ParikhError):
    """A claim failed its check: a bug of Parikh's. What was claimed is not told."""


class Directory:
    """A directory that is gone when nobody holds it any more."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="parikh-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


def program(name: str) -> str:
    """The path of a program: of ``$PARIKH_PROGRAMS``, of this package, or of the PATH."""
    chosen = os.environ.get(VARIABLE)
    places = [Path(chosen)] if chosen else [Path(__file__).parent / "bin"]
    for place in places:
        if (place / name).is_file():
            return str(place / name)
    found = None if chosen else shutil.which(name)
    if found is None:
        where = ", ".join(map(str, places))
        raise ParikhError(f"the program {name} is not in {where}; {VARIABLE} names another directory")
    return found


def version() -> str:
    """What the program says of itself.

    >>> version().split()[0]
    'parikh'
    """
    return run("parikh", ["--version"]).strip()


def run(name: str, arguments: Sequence[str], fine: Sequence[int] = (0,)) -> str:
    """What a program prints that ends with one of these codes."""
    process = subprocess.Popen(
        [program(name), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )
    try:
        out, err = process.communicate()
    except KeyboardInterrupt:
        # It prints what it knows by then; nobody waits for more than a second.
        process.send_signal(signal.SIGTERM)
        process.communicate()
        raise
    if process.returncode not in fine:
        raise refusal(process.returncode, err)
    if err.strip():
        warnings.warn(_without_frame(err), ParikhWarning, stacklevel=3)
    return out


def objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects that a program printed, one a line."""
    for line in text.splitlines():
        yield one(line)


def one(line: str) -> dict[str, Any]:
    """The object of a line."""
    read: dict[str, Any] = json.loads(line)
    if read.get("version") != JSON_VERSION:
        raise ParikhError(f"the program speaks version {read.get('version')} of its JSON, not {JSON_VERSION}")
    return read


def refusal(code: int, err: str) -> ParikhError:
    """Why a program ended with this code."""
    text = _without_frame(err) or f"the program ended with code {code}"
    return InternalError(text) if code == 4 else ParikhError(text)


def _without_frame(err: str) -> str:
    lines = (line for line in err.strip().splitlines() if line != "For more information, try '--help'.")
    return "\n".join(line.removeprefix("parikh: ").removeprefix("error: ") for line in lines).strip()


def integer(number: int | str) -> int:
    """A number of the JSON, which has digits beyond 2⁵³."""
    return int(number)


def main(name: str = "parikh") -> None:
    """Becomes the program, with the arguments of this process."""
    path = program(name)
    os.execv(path, [path, *sys.argv[1:]])


def certify() -> None:
    """Becomes ``parikh-certify``."""
    main("parikh-certify")
