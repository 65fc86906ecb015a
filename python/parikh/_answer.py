"""Answers: a value, what it stands on, and the way to have it checked again."""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Sequence, Union

from . import _formula, _programs
from ._programs import ParikhError, integer
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


@dataclass
class Inquiry:
    """Questions asked together: of which model, how they read, and where their evidence lies."""

    model: str
    #: The text of each formula, by its name.
    formulas: dict[str, str] = field(default_factory=dict)
    queries: str | None = None
    last: str | None = None
    #: What only fair runs count for, and what the ends of runs of a system do: options of both programs.
    options: tuple[str, ...] = ()
    #: The file of evidence, where it is not called as the examination is.
    evidence: str | None = None
    #: What the auditor said, by its arguments.
    certificates: dict[tuple[str, ...], dict[str, Certificate]] = field(default_factory=dict)
    directory: _programs.Directory = field(default_factory=_programs.Directory)
    #: What has to live as long as the answers: the files that the model is in.
    keep: Any = None


@dataclass(frozen=True, repr=False)
class Answer:
    """The answer to a question.

    ``evidence`` is ``"replayed"`` (firing sequences, fired again on the net), ``"certified"`` (a document that
    the checker accepted), ``"searched"`` (the word of a search that visited all markings that matter), or
    None where there is no answer; ``assumes`` what is believed of the model (``"units"``).
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
    seconds: float | None = None
    #: The net's name or the file, as :func:`parikh.batch` was given it.
    model: str | None = None
    #: Whether this takes back the answer that was given before under this id: it does not stand, and another
    #: may follow. Only a stream tells so.
    withdrawn: bool = False
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

    def certify(self, timeout: float = 600, visit: int = 1_000_000) -> Certificate:
        """Has the evidence checked by ``parikh-certify``, which reads model and question by itself.

        Formulas are handed to it in the contest's XML, which this package writes; searches of up to
        ``visit`` markings are made again.

        >>> from parikh import Net
        >>> net = Net.from_matrices([[1], [0]], [[0], [1]], [1, 0])
        >>> answer = net.check("EF p1 >= 1")
        >>> answer.certify().verdict
        'confirmed'
        """
        inquiry = self._inquiry
        if inquiry is None or self.evidence is None:
            raise ParikhError(f"{self.id}: there is no evidence to check: {self.reason}")
        directory = Path(inquiry.directory.name)
        name = inquiry.evidence or f"{self.examination}.jsonl"
        arguments = [inquiry.model, str(directory / name), "--format", "json"]
        arguments += ["--timeout", f"{timeout}s", "--visit", str(visit)]
        arguments += inquiry.options
        if inquiry.last is not None:
            arguments += ["--final", inquiry.last]
        if self.examination == "Formulas":
            file = directory / "formulas.xml"
            file.write_text(_formula.to_xml(inquiry.formulas), encoding="utf-8")
            arguments += ["--queries", str(file)]
        elif inquiry.queries is not None:
            arguments += ["--queries", inquiry.queries]
        # The answers of one file are audited together, and its words kept for the next that asks.
        wanted = self.id.removeprefix("STATE_SPACE ")
        words = inquiry.certificates.get(tuple(arguments), {})
        if wanted not in words:
            words = inquiry.certificates[tuple(arguments)] = _audited(arguments)
        if wanted in words:
            return words[wanted]
        raise ParikhError(f"{self.id}: the evidence does not speak of it")

    def __str__(self) -> str:
        value = "unknown" if self.value is None else self.value
        return f"{self.id}: {value} — {self.reason}" + (f" [{self.evidence}]" if self.evidence else "")

    def __repr__(self) -> str:
        return f"<Answer {self}>"


def _audited(arguments: Sequence[str]) -> dict[str, Certificate]:
    """What the auditor says, by the ids of the answers."""
    said = _programs.run("parikh-certify", arguments, fine=(0, 3, 4, 5, 6))
    return {
        told["id"]: Certificate(told["verdict"], told["because"], told["question"], tuple(told["assumes"]))
        for told in _programs.objects(said) if told["type"] == "answer"
    }


class Answers(list[Answer]):
    """Answers in the order in which was asked: examinations, then formulas, each as they were given; those of
    a query file in the order in which they came. ``answers["id"]`` is the one of that id.
    """

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            for answer in self:
                if answer.id == key:
                    return answer
            raise KeyError(key)
        return super().__getitem__(key)

    def __repr__(self) -> str:
        return "[" + ",\n ".join(map(repr, self)) + "]"

    def _repr_html_(self) -> str:
        """A table, in a notebook."""
        head = "".join(f"<th>{it}</th>" for it in ("model", "question", "answer", "evidence", "reason"))
        lines = []
        for it in self:
            value = "unknown" if it.value is None else it.value
            cells = (it.model or "", it.id, value, it.evidence or "", it.reason)
            lines.append("".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells))
        rows = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def to_frame(self) -> "pandas.DataFrame":
        """A row an answer, as a frame of pandas."""
        import pandas

        return pandas.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary an answer, of plain values."""
        return [
            {
                "model": answer.model,
                "examination": answer.examination,
                "id": answer.id,
                "value": answer.value,
                "evidence": answer.evidence,
                "reason": answer.reason,
                "lower": answer.bounds.lower,
                "upper": answer.bounds.upper,
                "firings": None if answer.witness is None else answer.witness.firings,
                "techniques": " ".join(answer.techniques),
                "assumes": " ".join(answer.assumes),
                "seconds": answer.seconds,
            }
            for answer in self
        ]


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
            bounds = self.known.get(told["id"], Bounds())
            return Answer(
                told["id"], told["examination"], None, told["reason"], bounds=bounds, model=self.model,
            )
        if kind == "withdrawn":
            return Answer(
                told["id"], told["examination"], None, told["reason"], model=self.model, withdrawn=True,
            )
        return self._progress(told) if kind == "progress" else None

    def _answer(self, told: dict[str, Any]) -> Answer:
        value = value_of(told["value"])
        is_number = not isinstance(value, bool)
        # Of systems, answers speak of no nodes.
        nodes = told.get("nodes", {})
        return Answer(
            id=told["id"],
            examination=told["examination"],
            value=value,
            reason=told["reason"],
            evidence=told["evidence"],
            witness=read(told.get("witness")),
            bounds=Bounds(value, value) if is_number else Bounds(),
            places=tuple(nodes.get("places", ())),
            transitions=tuple(nodes.get("transitions", ())),
            techniques=tuple(told.get("techniques", ())),
            assumes=tuple(told.get("assumes", ())),
            seconds=told["seconds"],
            model=self.model,
            _inquiry=self.inquiry,
        )

    def _progress(self, told: dict[str, Any]) -> Progress:
        def number(it: Union[int, str, None]) -> int | None:
            return None if it is None else integer(it)

        bounds = {it["id"]: Bounds(number(it["seen"]), number(it["proved"])) for it in told["bounds"]}
        self.known.update(bounds)
        return Progress(
            told["seconds"], told["seconds_left"], told["questions"], told["questions_open"],
            told["goals_open"], tuple(it["engine"] for it in told["engines"]), bounds,
        )


def named(questions: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Formulas with the names that they are asked under.

    >>> named([("", "EF deadlock"), ("safe", "AG p <= 1"), ("", "most: bound(p)")])
    {'formula-1': 'EF deadlock', 'safe': 'AG p <= 1', 'most': 'bound(p)'}
    """
    formulas: dict[str, str] = {}
    for number, (name, text) in enumerate(questions, 1):
        given = re.match(r"\s*([\w.-]+)\s*:", text) if not name else None
        if given:
            name, text = given.group(1), text[given.end():].strip()
        name = name or f"formula-{number}"
        if name in formulas:
            raise ParikhError(f"two questions are called {name}")
        formulas[name] = text
    return formulas
