"""The programs ``parikh`` and ``parikh-certify``: where they are, and how they are asked."""

from __future__ import annotations

import json
import math
import numbers
import operator
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
import weakref
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence, Union

#: A directory with the two programs, to be used instead of those in this package.
VARIABLE = "PARIKH_PROGRAMS"

#: The version of the objects that the programs print.
JSON_VERSION = 1

#: How long something may take: seconds, or a text such as "90s", "10m", "2h"; None is for ever.
Time = Union[str, float, None]
#: How much memory a program may use: bytes, or a text such as "4G"; None is what the program takes by default.
Memory = Union[str, int, None]

_UNITS = {"": 1.0, "s": 1.0, "ms": 0.001, "m": 60.0, "min": 60.0, "h": 3600.0}
#: For ever, in seconds: three centuries.
_EVER = 10_000_000_000


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
        #: The process that made it. One that is forked off leaves it alone when it ends.
        self.owner = os.getpid()
        weakref.finalize(self, _remove, self.name, self.owner)


def _remove(name: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(name, ignore_errors=True)


class Source:
    """The file that a model is in: one of the user's, which has to stay as it was when it was read, or one that
    was written for the programs, which lies in a ``directory`` of its own."""

    def __init__(self, path: str, name: str = "", directory: Directory | None = None) -> None:
        self._path = path
        self._name = name
        self.directory = directory
        self._stamp = _stamp(path) if directory is None else ()

    @property
    def path(self) -> str:
        """Where it is.

        Raises :class:`ParikhError` when a file of the user's has changed.
        """
        if self.directory is None and _stamp(self._path) != self._stamp:
            raise ParikhError(f"{self._path} has changed since it was loaded; load it again")
        return self._path

    def retold(self, text: str) -> str:
        """What a program says, with the model's name in place of a path that no user knows."""
        return text if self.directory is None else text.replace(self._path, self._name)


def _stamp(path: str) -> tuple[tuple[str, int, int], ...]:
    """Size and time of the file; of the model's, where it is a directory, as others come and go beside it."""
    inside = [os.path.join(path, name) for name in ("model.pnml", "model.pnml.gz")]
    found = []
    for file in inside if os.path.isdir(path) else [path]:
        try:
            status = os.stat(file)
        except (OSError, ValueError):
            continue
        found.append((file, status.st_size, status.st_mtime_ns))
    return tuple(found)


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
        raise ParikhError(f"the program {name} is not in {where}; set {VARIABLE} to its directory")
    return found


def version() -> str:
    """What the program says of itself.

    >>> version().split()[0]
    'parikh'
    """
    return run("parikh", ["--version"]).strip()


def run(
    name: str, arguments: Sequence[str], fine: Sequence[int] = (0,), retold: Callable[[str], str] = str
) -> str:
    """What a program prints that ends with one of these codes; ``retold`` changes the words of its messages."""
    try:
        process = subprocess.Popen(
            [program(name), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, encoding="utf-8",
        )
    except (OSError, ValueError) as error:
        raise not_started(name, error) from None
    with process:
        try:
            out, err = process.communicate()
        except BaseException:
            # Whatever it is (Ctrl-C, an alarm's exception), nobody waits for the program any more.
            process.kill()
            raise
    if process.returncode not in fine:
        raise refusal(process.returncode, err, retold)
    remark(err, retold, stacklevel=4)
    return out


def not_started(name: str, error: Exception) -> ParikhError:
    """Why a program could not be started: it cannot be run, or an argument has a NUL or is too long."""
    return ParikhError(f"the program {name} cannot be started: {error}")


def remark(err: str, retold: Callable[[str], str], stacklevel: int) -> None:
    """Warns of what a program that went well said on stderr."""
    if err.strip():
        warnings.warn(retold(_without_frame(err)), ParikhWarning, stacklevel=stacklevel)


def objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects that a program printed, one a line."""
    for line in text.splitlines():
        yield one(line)


def one(line: str) -> dict[str, Any]:
    """The object of a line."""
    read: dict[str, Any] = json.loads(line)
    if read.get("version") != JSON_VERSION:
        raise ParikhError(f"the program writes JSON of version {read.get('version')}, expected version {JSON_VERSION}")
    return read


def refusal(code: int, err: str, retold: Callable[[str], str] = str) -> ParikhError:
    """Why a program ended with this code."""
    text = retold(_without_frame(err)) or f"the program ended with code {code}"
    return InternalError(text) if code == 4 else ParikhError(text)


def _without_frame(err: str) -> str:
    lines = (line for line in err.strip().splitlines() if line != "For more information, try '--help'.")
    text = "\n".join(line.removeprefix("parikh: ").removeprefix("error: ") for line in lines).strip()
    return in_python(text)


#: What the options of the programs are called in Python.
_KEYWORDS = {
    "--cases": "cases=True", "--examination": "examination", "--formula": "questions", "--formulas": "questions",
    "-e": "examination", "--untimed": "untimed=True",
}
#: Options that are keywords of the same name.
_SAME = frozenset(
    "final k fair queries timeout memory threads engines require seed limit support preserve semantics visit".split()
)
_OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)(?: ('[^']*'|\d+\b)(?! more))?(?: <[A-Z\[\]:]+>)?(?![\w-])")


def in_python(text: str) -> str:
    """A message of a program, in which options are keywords as in Python.

    >>> in_python("name it with --final, for example --final 'p + q'; 2 cases are --k 2 (--cases)")
    "name it with final, for example final='p + q'; 2 cases are k=2 (cases=True)"
    >>> in_python("invalid value 'x' for '--engines <NAMES>'")
    "invalid value 'x' for 'engines'"
    """

    def keyword(found: re.Match[str]) -> str:
        option, value = found[1], found[2]
        name = _KEYWORDS.get(option) or (option[2:] if option[2:] in _SAME else None)
        if name is None:
            return found[0]
        return name if value is None else f"{name}={value}"

    return _OPTION.sub(keyword, text)




def integer(number: int | str) -> int:
    """A number of the JSON, which has digits beyond 2⁵³."""
    return int(number)


def whole(number: Any, where: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """A whole number, of any type: of Python, of NumPy, or a float without a fraction.

    Raises :class:`ParikhError`, which says ``where`` it stands, for all else.

    >>> whole(2.0, "the weight")
    2
    >>> whole(2.5, "the weight")
    Traceback (most recent call last):
    parikh._programs.ParikhError: the weight is 2.5: expected a whole number
    """
    exact: int | None = None
    value: Any = number
    if isinstance(number, numbers.Real) and not isinstance(number, bool) and math.isfinite(number):
        exact = int(value) if int(value) == value else None
    elif not isinstance(number, bool):
        try:
            exact = operator.index(value)
        except TypeError:
            pass
    if exact is None:
        raise ParikhError(f"{where} is {shown(number)}: expected a whole number")
    if not least <= exact <= most:
        limits = "from 0 to 2^63 - 1" if (least, most) == (0, 2**63 - 1) else f"from {least} to {power(most)}"
        raise ParikhError(f"{where} is {shown(number)}: expected a whole number {limits}")
    return exact


def is_count(number: Any) -> bool:
    """Whether there is nothing to do for :func:`whole`; large nets have millions of numbers."""
    return type(number) is int and 0 <= number < 2**63


def shown(value: Any) -> str:
    """A value for a message, short; a number of NumPy as a number."""
    text = str(value) if isinstance(value, numbers.Real) else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def power(number: int) -> str:
    """A number for a message: 2^63 - 1 as such."""
    return f"2^{number.bit_length()} - 1" if number >= 2**31 and number & (number + 1) == 0 else str(number)


def seconds(time: Time, where: str = "timeout") -> str:
    """A time as both programs read it.

    >>> seconds(1.5), seconds("2m"), seconds(1e-7)
    ('1.500000000s', '120.000000000s', '0.000000100s')
    """
    given: Any = time
    if isinstance(given, str):
        read = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(ms|s|min|m|h|)\s*", given, re.ASCII)
        given = None if read is None else float(read.group(1)) * _UNITS[read.group(2)]
    elif given is None:
        given = math.inf
    is_time = isinstance(given, numbers.Real) and not isinstance(given, bool)
    if not is_time or not given >= 0:
        raise ParikhError(f"{where} is {shown(time)}: expected seconds, a time such as '90s', '10m' or '2h', or None")
    return f"{float(min(given, _EVER)):.9f}s"


def size(memory: Memory) -> str | None:
    """Memory as the programs read it: a number is one of bytes.

    >>> size(1_000_000), size("4G")
    ('976.5625000000K', '4G')
    """
    if memory is None:
        return None
    if isinstance(memory, str):
        return memory
    return f"{whole(memory, 'memory', 1) / 1024:.10f}K"


def path_of(path: Any, where: str) -> str:
    """A path as a text.

    Raises :class:`ParikhError`, which says ``where`` it stands, for all else.
    """
    try:
        text = os.fspath(path)
        return text if isinstance(text, str) else os.fsdecode(text)
    except (TypeError, UnicodeDecodeError):
        raise ParikhError(f"{where} is {shown(path)}: expected a path") from None


def main(name: str = "parikh") -> None:
    """Becomes the program, with the arguments of this process."""
    path = program(name)
    os.execv(path, [path, *sys.argv[1:]])


def certify() -> None:
    """Becomes ``parikh-certify``."""
    main("parikh-certify")
