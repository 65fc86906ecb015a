"""Answers: a value, what it stands on, and the way to have it checked again."""

from __future__ import annotations

import html
import itertools
import json
import math
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence, SupportsIndex, Union, overload

from . import _programs
from ._programs import ParikhError, in_python, integer
from ._witness import Witness, read

if TYPE_CHECKING:
    import pandas

#: A truth value, a number (``math.inf`` where there is no largest one), or None where it is not known.
Value = Union[bool, int, float, None]


@dataclass(frozen=True)
class Bounds:
    """A number is in [lower, upper]; None where no bound is known."""

    lower: Union[int, float, None] = None
    upper: Union[int, float, None] = None


@dataclass(frozen=True)
class Progress:
    """What is open, told while questions are worked on."""

    seconds: float
    seconds_left: float | None
    questions: int
    questions_open: int
    goals_open: int
    engines: tuple[str, ...]
    bounds: dict[str, Bounds]


@dataclass(frozen=True)
class Certificate:
    """What the auditor says of an answer: ``"confirmed"``, ``"searched"`` (it would take a search too large
    to be made again), ``"beyond"``, ``"not confirmed"`` or ``"refused"``; and the question as it read it."""

    verdict: str
    because: str
    question: str
    assumes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.verdict == "confirmed"


class Formulas:
    """Formulas with their names, and how both programs read them: as a file, in which each has an id that no
    name can spoil."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        #: The name of each, by its id.
        self.names = {f"q{number}": name for number, name in enumerate(self.texts, 1)}
        #: The id of each, by its name.
        self.ids = {name: id for id, name in self.names.items()}

    def as_file(self) -> str:
        """A file in the language of ``parikh check --formula``.

        >>> print(Formulas({"a name": "AG p <= 1"}).as_file(), end="")
        q1: # "a name"
         AG p <= 1
        """
        # What is indented continues what is before it. The name is there for people.
        entries = ((id, json.dumps(name), self.texts[name]) for id, name in self.names.items())
        return "".join(f"{id}: # {name}\n {_indented(text)}\n" for id, name, text in entries)

    def retold(self, text: str, file: str) -> str:
        """What a program says about a place in the file, with the formula's name instead.

        >>> Formulas({"a": "deadlock", "b": "EF\\n x"}).retold("f:5:2: what is this?", "f")
        'b:2:1: what is this?'
        """
        first, lines = 1, {}
        for name, formula in self.texts.items():
            count = 2 + formula.count("\n")
            lines.update({first + number: (name, number) for number in range(count)})
            first += count

        def place(found: re.Match[str]) -> str:
            name, line = lines.get(int(found[1]), ("formulas", int(found[1])))
            return f"{name}:{line}:{int(found[2]) - 1}" if line else f"{name}:1:1"

        text = re.sub(r"\bformula (q\d+)(?=:)", lambda it: self.names.get(it[1], it[0]), text)
        return re.sub(re.escape(file) + r":(\d+):(\d+)", place, text).replace(file, "formulas")


def _indented(text: str) -> str:
    return text.replace("\n", "\n ")


@dataclass
class Inquiry:
    """Questions asked together: of which model, how they read, and where their evidence lies."""

    source: _programs.Source
    formulas: Formulas = field(default_factory=lambda: Formulas({}))
    queries: str | None = None
    finals: tuple[str, ...] = ()
    #: What only fair runs count for, and what the ends of runs of a system do: options of both programs.
    options: tuple[str, ...] = ()
    #: The file of evidence, where it is not called as the examination is.
    evidence: str | None = None
    #: What the auditor said, by its arguments.
    certificates: dict[tuple[str, ...], dict[str, Certificate]] = field(default_factory=dict)
    directory: _programs.Directory = field(default_factory=_programs.Directory)

    @property
    def file(self) -> str:
        """The file with the formulas."""
        return os.path.join(self.directory.name, "formulas.txt")

    def write(self) -> None:
        """Writes that file.

        Raises :class:`ParikhError` when a formula is no text.
        """
        try:
            Path(self.file).write_bytes(self.formulas.as_file().encode("utf-8"))
        except UnicodeEncodeError as error:
            raise ParikhError(f"a formula cannot be encoded in UTF-8: {error.reason}") from None

    def retold(self, text: str) -> str:
        """What a program says, with names in place of paths that no user knows."""
        return self.source.retold(self.formulas.retold(text, self.file))


@dataclass(frozen=True, repr=False)
class Answer:
    """The answer to a question.

    ``evidence`` is ``"replayed"`` (firing sequences, fired again on the net), ``"certified"`` (a document that
    the checker accepted), ``"searched"`` (the word of a search that visited all markings that matter), or
    None where there is no answer; ``assumes`` what is believed of the model (``"units"``), and ``assumptions`` the
    same in sentences.
    """

    id: str
    examination: str
    value: Value
    reason: str
    evidence: str | None = None
    witness: Witness | None = None
    bounds: Bounds = Bounds()
    places: tuple[str, ...] = ()
    transitions: tuple[str, ...] = ()
    techniques: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    #: The same in sentences.
    assumptions: tuple[str, ...] = ()
    #: How long it took; answers that differ in nothing else are equal.
    seconds: float | None = field(default=None, compare=False)
    #: The net's name or the file, as :func:`parikh.batch` was given it.
    model: str | None = None
    #: Whether this takes back the answer that was given before under this id: it does not stand, and another
    #: may follow. Only a stream tells so.
    withdrawn: bool = False
    #: The reason as data: its ``"kind"``, nodes by id, and numbers, as in the JSON of the program.
    because: dict[str, Any] = field(default_factory=dict, hash=False)
    _inquiry: Inquiry | None = field(default=None, repr=False, compare=False)

    @property
    def known(self) -> bool:
        """Whether there is an answer."""
        return self.value is not None

    def __bool__(self) -> bool:
        """Whether what is asked holds; there has to be an answer, and it has to be a truth value."""
        if not isinstance(self.value, bool):
            what = f"unknown: {self.reason}" if self.value is None else f"the number {self.value}"
            raise ParikhError(f"{self.id} is {what}; see Answer.value")
        return self.value

    def certify(self, timeout: _programs.Time = 600, visit: int = 1_000_000) -> Certificate:
        """Has the evidence checked by ``parikh-certify``, which reads model and question by itself.

        It stops after ``timeout``, which is in seconds or a text such as "10m". Searches of up to ``visit``
        markings are made again.

        Raises :class:`ParikhError` when there is no evidence: where there is no answer, and where the answer was
        pickled, as the evidence stays in a directory of the process that asked.

        >>> from parikh import Net
        >>> net = Net.from_matrices([[1], [0]], [[0], [1]], [1, 0])
        >>> answer = net.check("EF p1 >= 1")
        >>> answer.certify().verdict
        'confirmed'
        """
        inquiry = self._inquiry
        if self.evidence is None:
            raise ParikhError(f"{self.id}: there is no evidence to check: {self.reason}")
        if inquiry is None:
            raise ParikhError(f"{self.id}: a pickled answer has no evidence; certify it before pickling")
        file = os.path.join(inquiry.directory.name, inquiry.evidence or f"{self.examination}.jsonl")
        arguments = [inquiry.source.path, file, "--format", "json", "--timeout", _programs.seconds(timeout)]
        arguments += ["--visit", str(_programs.whole(visit, "visit")), *inquiry.options]
        arguments += [it for last in inquiry.finals for it in ("--final", last)]
        if self.examination == "Formulas":
            arguments += ["--formulas", inquiry.file, "--language", "inline"]
        elif inquiry.queries is not None:
            arguments += ["--queries", inquiry.queries]
        wanted = self.id.removeprefix("STATE_SPACE ")
        if self.examination == "Formulas":
            wanted = inquiry.formulas.ids[self.id]
        # The answers of one file are audited together, and its words kept for the next that asks.
        words = inquiry.certificates.get(tuple(arguments), {})
        if wanted not in words:
            words = inquiry.certificates[tuple(arguments)] = _audited(arguments, inquiry.retold)
        if wanted in words:
            return words[wanted]
        raise ParikhError(f"{self.id}: the evidence has no answer with this id")

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: all but where the evidence is, which is gone with this process."""
        return {**self.__dict__, "_inquiry": None}

    def __copy__(self) -> "Answer":
        return self

    def __deepcopy__(self, memo: Any) -> "Answer":
        """It does not change, and so it is its own copy."""
        return self

    def __str__(self) -> str:
        value = "unknown" if self.value is None else self.value
        return f"{self.id}: {value} — {self._stated()}" + (f" [{self.evidence}]" if self.evidence else "")

    def _stated(self) -> str:
        """The reason, and what it assumes of the model."""
        return self.reason + "".join(f"; assumed: {it}" for it in self.assumptions)

    def __repr__(self) -> str:
        return f"<Answer {self}>"


def _audited(arguments: Sequence[str], retold: Callable[[str], str]) -> dict[str, Certificate]:
    """What the auditor says, by the ids of the answers."""
    said = _programs.run("parikh-certify", arguments, fine=(0, 3, 4, 5, 6), retold=retold)
    return {
        told["id"]: Certificate(told["verdict"], retold(told["because"]), told["question"], tuple(told["assumes"]))
        for told in _programs.objects(said) if told["type"] == "answer"
    }


class Answers(list[Answer]):
    """Answers in the order in which was asked: examinations, then formulas, each as they were given; those of
    a query file in the order in which they came. ``answers["id"]`` is the one of that id, the first where an
    examination and a formula have one name; without one, it raises :class:`KeyError`.
    """

    @overload
    def __getitem__(self, key: Union[SupportsIndex, str]) -> Answer: ...

    @overload
    def __getitem__(self, key: "slice[Any, Any, Any]") -> "Answers": ...

    def __getitem__(self, key: Union[SupportsIndex, str, "slice[Any, Any, Any]"]) -> Union[Answer, "Answers"]:
        if isinstance(key, str):
            for answer in self:
                if answer.id == key:
                    return answer
            raise KeyError(key)
        if isinstance(key, slice):
            return Answers(super().__getitem__(key))
        return super().__getitem__(key)

    def __repr__(self) -> str:
        return "[" + ",\n ".join(map(repr, self)) + "]"

    def _repr_html_(self) -> str:
        """A table, in a notebook."""
        head = "".join(f"<th>{it}</th>" for it in ("model", "question", "answer", "evidence", "reason"))
        lines = []
        for it in self:
            value = "unknown" if it.value is None else it.value
            cells = (it.model or "", it.id, value, it.evidence or "", it._stated())
            lines.append("".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells))
        rows = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def to_frame(self) -> "pandas.DataFrame":
        """A row an answer, as a frame of pandas; its columns are the keys of :meth:`rows`."""
        import pandas

        return pandas.DataFrame(self.rows(), columns=list(_COLUMNS))

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary an answer, of plain values: "model", "examination", "id", "value", "evidence", "reason",
        "lower", "upper", "firings", "techniques", "assumes" and "seconds"."""
        return [
            dict(zip(_COLUMNS, (
                it.model, it.examination, it.id, it.value, it.evidence, it.reason, it.bounds.lower, it.bounds.upper,
                None if it.witness is None else it.witness.firings, " ".join(it.techniques), " ".join(it.assumes),
                it.seconds,
            )))
            for it in self
        ]


_COLUMNS = (
    "model", "examination", "id", "value", "evidence", "reason", "lower", "upper", "firings", "techniques", "assumes",
    "seconds",
)


def value_of(told: Union[str, int]) -> Value:
    """A value of the JSON."""
    words: dict[Any, Value] = {"TRUE": True, "FALSE": False, "+inf": math.inf}
    return words[told] if told in words else integer(told)


class Hearing:
    """Makes answers of what a run prints."""

    def __init__(self, inquiry: Inquiry, model: str | None) -> None:
        self.inquiry = inquiry
        self.model = model
        self.known: dict[str, Bounds] = {}

    def hear(self, told: dict[str, Any]) -> Union[Answer, Progress, None]:
        """An answer, perhaps one that takes back an earlier one, or progress."""
        kind = told["type"]
        if kind == "answer":
            return self._answer(told)
        if kind == "unanswered":
            reason = in_python(self.inquiry.retold(told["reason"]))
            because = {**told["because"], **({"message": reason} if "message" in told["because"] else {})}
            bounds = self.known.get(told["id"], Bounds())
            return Answer(
                self._name(told), told["examination"], None, reason, bounds=bounds, model=self.model, because=because,
            )
        if kind == "withdrawn":
            reason = in_python(told["reason"])
            return Answer(
                self._name(told), told["examination"], None, reason, model=self.model, withdrawn=True,
            )
        return self._progress(told) if kind == "progress" else None

    def _name(self, told: dict[str, Any]) -> str:
        """What the user calls a question."""
        id: str = told["id"]
        return self.inquiry.formulas.names.get(id, id) if told["examination"] == "Formulas" else id

    def _answer(self, told: dict[str, Any]) -> Answer:
        value = value_of(told["value"])
        is_number = not isinstance(value, bool)
        # Of systems, answers speak of no nodes.
        nodes = told.get("nodes", {})
        return Answer(
            id=self._name(told),
            examination=told["examination"],
            value=value,
            reason=in_python(told["reason"]),
            evidence=told["evidence"],
            witness=read(told.get("witness")),
            bounds=Bounds(value, value) if is_number else Bounds(),
            places=tuple(nodes.get("places", ())),
            transitions=tuple(nodes.get("transitions", ())),
            techniques=tuple(told.get("techniques", ())),
            assumes=tuple(told.get("assumes", ())),
            assumptions=tuple(map(in_python, told.get("assumptions", ()))),
            seconds=told["seconds"],
            model=self.model,
            because=told["because"],
            _inquiry=self.inquiry,
        )

    def _progress(self, told: dict[str, Any]) -> Progress:
        def number(it: Union[int, str, None]) -> int | None:
            return None if it is None else integer(it)

        bounds = {it["id"]: Bounds(number(it["seen"]), number(it["proved"])) for it in told["bounds"]}
        self.known.update(bounds)
        bounds = {self.inquiry.formulas.names.get(id, id): it for id, it in bounds.items()}
        return Progress(
            told["seconds"], told["seconds_left"], told["questions"], told["questions_open"],
            told["goals_open"], tuple(it["engine"] for it in told["engines"]), bounds,
        )


def named(questions: Iterable[str]) -> dict[str, str]:
    """Formulas by their names, which may stand before them; the program calls the others so, too.

    Raises :class:`ParikhError` where two have one name, and where one is no text.

    >>> named(["EF deadlock", "safe: AG p <= 1", "bound(p)"])
    {'formula-1': 'EF deadlock', 'safe': 'AG p <= 1', 'formula-3': 'bound(p)'}
    """
    given = [_labelled(text) for text in questions]
    taken = {name for name, _ in given if name}
    formulas: dict[str, str] = {}
    for number, (name, text) in enumerate(given, 1):
        name = name or next(it for it in (f"formula-{n}" for n in itertools.count(number)) if it not in taken)
        if name in formulas:
            raise ParikhError(f"two questions have the name {name}")
        taken.add(name)
        formulas[name] = text
    return formulas


def _labelled(text: Any) -> tuple[str, str]:
    if not isinstance(text, str):
        raise ParikhError(f"a question is {_programs.shown(text)}: expected a formula as a text")
    label = re.match(r"\s*([\w.-]+)\s*:", text)
    name, formula = (label.group(1), text[label.end():].strip()) if label else ("", text)
    if not formula.strip():
        raise ParikhError(f"the question {name or _programs.shown(text)} has no formula")
    return name, formula


def by_name(questions: Mapping[Any, str]) -> dict[str, str]:
    """The same of formulas that have names, of any type: their texts count.

    >>> by_name({1: "EF deadlock", "a: b": "bound(p)"})
    {'1': 'EF deadlock', 'a: b': 'bound(p)'}
    """
    formulas: dict[str, str] = {}
    for key, text in questions.items():
        if str(key) in formulas:
            raise ParikhError(f"two questions have the name {key}")
        if not isinstance(text, str) or not text.strip():
            raise ParikhError(f"the question {key} is {_programs.shown(text)}: expected a formula as a text")
        formulas[str(key)] = text
    return formulas
