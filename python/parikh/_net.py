"""Nets, and what can be asked of them."""

from __future__ import annotations

import asyncio
import html
import itertools
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, AsyncIterator, Iterable, Literal, Mapping, Sequence, Union, overload
from xml.sax.saxutils import escape, quoteattr

from . import _programs, _structure
from ._answer import Answer, Answers, Hearing, Inquiry, Progress, named
from ._process import Soundness
from ._programs import ParikhError, integer

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

#: One formula, several, or several with names.
Questions = Union[str, Sequence[str], Mapping[str, str], None]
#: One examination, or several: names, or short ones such as "RD".
Examinations = Union[str, Sequence[str], None]

#: Examinations that are one question of any net.
OneQuestion = Literal[
    "ReachabilityDeadlock", "RD", "rd", "deadlock", "OneSafe", "OS", "os", "safe", "QuasiLiveness", "QL", "ql",
    "Liveness", "L", "l", "live", "StableMarking", "SM", "sm", "stable", "Soundness", "S", "s", "sound",
    "WeakSoundness", "WS", "ws", "RelaxedSoundness", "RS", "rs", "EasySoundness", "ES", "es",
]

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_SOUNDNESS = {
    "soundness": "Soundness", "weak": "WeakSoundness", "relaxed": "RelaxedSoundness", "easy": "EasySoundness",
}


@dataclass(frozen=True)
class Arc:
    """An arc: ids of a place and a transition, one way or the other, and its weight."""

    source: str
    target: str
    weight: int = 1


class Net:
    """A Petri net: places, transitions, arcs, an initial marking, and perhaps final ones.

    Made by :func:`load`, :meth:`from_pm4py` or :meth:`from_matrices`, or of its parts:

    >>> net = Net(["p", "q"], ["t"], [Arc("p", "t"), Arc("t", "q", 2)], {"p": 1})
    >>> net.check("bound(q)").value
    2
    """

    def __init__(
        self,
        places: Iterable[str],
        transitions: Iterable[str],
        arcs: Iterable[Union[Arc, tuple[str, str], tuple[str, str, int]]],
        marking: Mapping[str, int],
        *,
        finals: Iterable[Mapping[str, int]] = (),
        names: Mapping[str, str] | None = None,
        name: str = "net",
    ) -> None:
        self.name = name
        self.places: tuple[str, ...] = tuple(places)
        self.transitions: tuple[str, ...] = tuple(transitions)
        self.arcs: tuple[Arc, ...] = tuple(it if isinstance(it, Arc) else Arc(*it) for it in arcs)
        self.marking: dict[str, int] = {place: int(n) for place, n in marking.items() if n}
        #: The markings in which a case is done.
        self.finals: tuple[dict[str, int], ...] = tuple(
            {place: int(n) for place, n in it.items() if n} for it in finals
        )
        #: Names for people, by id.
        self.names: dict[str, str] = dict(names or {})
        self._file: str | None = None
        self._keep: _programs.Directory | None = None
        self._report: str | None = None
        self._check_parts()

    def _check_parts(self) -> None:
        places, transitions = set(self.places), set(self.transitions)
        nodes = [*self.places, *self.transitions]
        if len({*nodes}) < len(nodes):
            twice = next(it for it in nodes if nodes.count(it) > 1)
            raise ParikhError(f"two nodes are called {twice!r}")
        for arc in self.arcs:
            is_arc = (arc.source in places and arc.target in transitions) or (
                arc.source in transitions and arc.target in places
            )
            if not is_arc:
                raise ParikhError(
                    f"an arc from {arc.source!r} to {arc.target!r}: expected a place and a transition"
                )
            if arc.weight < 1:
                raise ParikhError(f"the arc from {arc.source!r} to {arc.target!r} has the weight {arc.weight}")
        for marking in (self.marking, *self.finals):
            for place, tokens in marking.items():
                if place not in places:
                    raise ParikhError(f"a marking has tokens on {place!r}, which is no place")
                if tokens < 0:
                    raise ParikhError(f"a marking has {tokens} tokens on {place!r}")

    # --- where nets come from ----------------------------------------------------------------------

    @classmethod
    def from_pm4py(cls, net: Any, initial: Mapping[Any, int], final: Mapping[Any, int] | None = None) -> "Net":
        """A net of PM4Py with its initial and final marking. PM4Py itself is not imported: whatever has
        ``places``, ``transitions`` and ``arcs`` as its nets have is taken.

        Nodes are called by their names, with a number where two have one name; labels become names
        for people. Where PM4Py made up a name (a UUID), a transition is called by its label.

        Inhibitor and reset arcs are taken, of the classes that PM4Py has for them or with that
        ``arctype`` among their properties. What is asked is asked of the net with them; its nodes and arcs
        here are, as those of a file with such arcs, those of the place/transition net that stands for it.
        """
        taken: set[str] = set()

        def called(node: Any) -> str:
            name, label = str(node.name), getattr(node, "label", None)
            if label is not None and _UUID.fullmatch(name):
                name = str(label)
            numbered = (name if n == 1 else f"{name}_{n}" for n in itertools.count(1))
            free = next(it for it in numbered if it not in taken)
            taken.add(free)
            return free

        def by_name(node: Any) -> tuple[str, str]:
            name, label = str(node.name), str(getattr(node, "label", None) or "")
            return ("", label) if label and _UUID.fullmatch(name) else (name, label)

        # Sets have no order: by name, so that the same net is the same net again.
        places = {place: called(place) for place in sorted(net.places, key=by_name)}
        transitions = {t: called(t) for t in sorted(net.transitions, key=by_name)}
        nodes = {**places, **transitions}
        arcs, others = [], []
        for it in net.arcs:
            arc, kind = Arc(nodes[it.source], nodes[it.target], int(getattr(it, "weight", 1))), _kind(it)
            if kind == "normal":
                arcs.append(arc)
            elif it.source not in places:
                raise ParikhError(f"the {kind} arc from {arc.source!r} to {arc.target!r}: expected one from a place")
            elif arc.weight != 1:
                raise ParikhError(
                    f"the {kind} arc from {arc.source!r} to {arc.target!r} has the weight {arc.weight}, which PM4Py "
                    "overlooks: give it the weight 1"
                )
            else:
                others.append((arc, kind))
        arcs.sort(key=lambda arc: (arc.source, arc.target))
        labels = {
            transitions[t]: str(t.label) for t in transitions if getattr(t, "label", None) is not None
        }
        finals = [] if final is None else [{places[place]: n for place, n in final.items()}]
        plain = cls(
            places.values(), transitions.values(), arcs, {places[place]: n for place, n in initial.items()},
            finals=finals, names=labels, name=str(getattr(net, "name", "") or "net"),
        )
        if not others:
            return plain
        # The program makes a net with plain arcs of it, as of any file.
        keep = _programs.Directory()
        file = os.path.join(keep.name, "model.pnml")
        Path(file).write_text(plain._pnml(sorted(others, key=repr)), encoding="utf-8")
        translated = load(file)
        translated._keep = keep
        return translated

    @classmethod
    def from_matrices(
        cls,
        pre: Any,
        post: Any,
        m0: Sequence[int],
        *,
        places: Sequence[str] | None = None,
        transitions: Sequence[str] | None = None,
        final: Sequence[int] | None = None,
        name: str = "net",
    ) -> "Net":
        """A net of matrices with a row a place and a column a transition: what each transition takes and
        puts. Lists, arrays of NumPy and matrices of SciPy are read alike; nodes without names are
        called ``p0``, … and ``t0``, ….

        >>> Net.from_matrices([[1], [0]], [[0], [2]], [3, 0]).arcs
        (Arc(source='p0', target='t0', weight=1), Arc(source='t0', target='p1', weight=2))
        """
        (rows, columns, takes), (more_rows, more_columns, puts) = _entries(pre), _entries(post)
        if (rows, columns) != (more_rows, more_columns):
            raise ParikhError(f"pre is {rows} × {columns}, and post {more_rows} × {more_columns}")
        tokens = [int(it) for it in m0]
        if len(tokens) != rows:
            raise ParikhError(f"the matrices have {rows} rows, and the marking {len(tokens)} places")
        p = list(places) if places is not None else [f"p{i}" for i in range(rows)]
        t = list(transitions) if transitions is not None else [f"t{j}" for j in range(columns)]
        if (len(p), len(t)) != (rows, columns):
            raise ParikhError(f"{len(p)} and {len(t)} names for {rows} places and {columns} transitions")
        arcs = [Arc(p[i], t[j], weight) for i, j, weight in takes]
        arcs += [Arc(t[j], p[i], weight) for i, j, weight in puts]
        finals = [] if final is None else [dict(zip(p, map(int, final)))]
        return cls(p, t, arcs, dict(zip(p, tokens)), finals=finals, name=name)

    # --- what a net is -----------------------------------------------------------------------------

    @property
    def file(self) -> str:
        """The file that the programs read: the one it was loaded from, or one that was written for them."""
        if self._file is None:
            self._keep = _programs.Directory()
            self._file = os.path.join(self._keep.name, "model.pnml")
            self.write(self._file)
        return self._file

    def write(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes it as PNML."""
        Path(path).write_text(self.to_pnml(), encoding="utf-8")

    def to_pnml(self) -> str:
        """It in PNML, of the standard's place/transition nets, with final markings as PM4Py has them."""
        return self._pnml()

    def _pnml(self, others: Iterable[tuple[Arc, str]] = ()) -> str:
        """The same with arcs that inhibit or reset, in the spelling of TAPAAL."""

        def label(node: str) -> str:
            name = self.names.get(node)
            return f"<name><text>{escape(name)}</text></name>" if name else ""

        lines = [
            "<?xml version='1.0' encoding='UTF-8'?>",
            "<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'>",
            f"<net id={quoteattr(self.name)} type='http://www.pnml.org/version-2009/grammar/ptnet'>",
            f"<name><text>{escape(self.name)}</text></name><page id='page'>",
        ]
        for place in self.places:
            tokens = self.marking.get(place, 0)
            initial = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
            lines.append(f"<place id={quoteattr(place)}>{label(place)}{initial}</place>")
        lines += [f"<transition id={quoteattr(t)}>{label(t)}</transition>" for t in self.transitions]
        ids = {*self.places, *self.transitions}
        free = (it for it in (f"arc{n}" for n in itertools.count()) if it not in ids)
        for number, (arc, kind) in zip(free, [*((arc, "") for arc in self.arcs), *others]):
            weight = f"<inscription><text>{arc.weight}</text></inscription>" if arc.weight > 1 else ""
            ends = f"source={quoteattr(arc.source)} target={quoteattr(arc.target)}"
            kind = f" type={quoteattr(kind)}" if kind else ""
            lines.append(f"<arc id='{number}' {ends}{kind}>{weight}</arc>")
        lines.append("</page>")
        if self.finals:
            lines.append("<finalmarkings>")
            for final in self.finals:
                on = (f"<place idref={quoteattr(p)}><text>{n}</text></place>" for p, n in final.items())
                lines.append(f"<marking>{''.join(on)}</marking>")
            lines.append("</finalmarkings>")
        lines.append("</net></pnml>")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Net {self.name}: {len(self.places)} places, {len(self.transitions)} transitions, {len(self.arcs)} arcs>"

    @property
    def incidence(self) -> "scipy.sparse.csc_matrix":
        """The incidence matrix, post − pre: a row a place, a column a transition, int64."""
        return (self.post - self.pre).tocsc()

    @property
    def pre(self) -> "scipy.sparse.csc_matrix":
        """What each transition takes, of SciPy, int64."""
        return self._matrix(takes=True)

    @property
    def post(self) -> "scipy.sparse.csc_matrix":
        """What each transition puts, of SciPy, int64."""
        return self._matrix(takes=False)

    def _matrix(self, takes: bool) -> "scipy.sparse.csc_matrix":
        import numpy
        from scipy.sparse import csc_matrix

        rows = {place: i for i, place in enumerate(self.places)}
        columns = {t: j for j, t in enumerate(self.transitions)}
        arcs = [arc for arc in self.arcs if (arc.source in rows) == takes]
        at = [(rows[a.source], columns[a.target]) if takes else (rows[a.target], columns[a.source]) for a in arcs]
        data = numpy.array([arc.weight for arc in arcs], dtype=numpy.int64)
        index = numpy.array(at, dtype=numpy.int64).reshape(len(arcs), 2)
        return csc_matrix((data, (index[:, 0], index[:, 1])), shape=(len(rows), len(columns)))

    def to_networkx(self) -> "networkx.DiGraph":
        """It as a directed graph of NetworkX: nodes have ``kind`` ("place" or "transition"), ``name``, and
        places ``tokens``; edges have ``weight``."""
        import networkx

        graph = networkx.DiGraph(name=self.name)
        for place in self.places:
            tokens = self.marking.get(place, 0)
            graph.add_node(place, kind="place", name=self.names.get(place, place), tokens=tokens)
        for t in self.transitions:
            graph.add_node(t, kind="transition", name=self.names.get(t, t))
        graph.add_weighted_edges_from((arc.source, arc.target, arc.weight) for arc in self.arcs)
        return graph

    # --- what its arcs say -------------------------------------------------------------------------

    def invariants(
        self, kind: str = "P", *, semiflows: bool = False, timeout: float = 60
    ) -> "_structure.Invariants":
        """Invariants of places ("P") or transitions ("T"): a basis, or all of minimal support without
        negative coefficients.

        >>> ring = Net.from_matrices([[1, 0], [0, 1]], [[0, 1], [1, 0]], [1, 0])
        >>> ring.invariants("P")[0].text
        'p0 + p1 = 1'
        >>> ring.invariants("T").rows()
        [[1, 1]]
        """
        if kind not in ("P", "T"):
            raise ParikhError(f"invariants of {kind!r}: expected 'P' or 'T'")
        more = ["--transitions"] * (kind == "T") + ["--semiflows"] * semiflows
        told = self._told("invariants", *more, "--timeout", _seconds(timeout))
        found = [_structure.invariant(it) for it in told if it["type"] == "invariant"]
        nodes = self.places if kind == "P" else self.transitions
        return _structure.Invariants(found, nodes, told[-1]["complete"])

    def siphons(self, *, limit: int = 1000, timeout: float = 60) -> "_structure.NodeSets":
        """The minimal siphons: sets of places that stay empty once they are.

        >>> Net.from_matrices([[1], [0]], [[0], [1]], [1, 0]).siphons()
        [frozenset({'p0'})]
        """
        return self._sets("siphons", limit, timeout)

    def traps(self, *, limit: int = 1000, timeout: float = 60) -> "_structure.NodeSets":
        """The minimal traps: sets of places that stay marked once they are."""
        return self._sets("traps", limit, timeout)

    def _sets(self, command: str, limit: int, timeout: float) -> "_structure.NodeSets":
        told = self._told(command, "--minimal", "--limit", str(limit), "--timeout", _seconds(timeout))
        sets = [frozenset(it["places"]) for it in told if "places" in it]
        return _structure.NodeSets(sets, told[-1]["complete"])

    def reduce(
        self, preserve: Union[str, Sequence[str]] = "deadlock", *, support: Sequence[str] = (), timeout: float = 60
    ) -> "Net":
        """A smaller net that answers the same: "deadlock", "reachability" (of the nodes of ``support``),
        "liveness" (of the transitions of ``support``), or several of these.

        >>> ring = Net.from_matrices([[1, 0], [0, 1]], [[0, 1], [1, 0]], [1, 0])
        >>> len(ring.reduce("deadlock").places) < 2
        True
        """
        classes = [preserve] if isinstance(preserve, str) else list(preserve)
        with tempfile.TemporaryDirectory(prefix="parikh-") as directory:
            out = os.path.join(directory, "model.pnml")
            more = [it for node in support for it in ("--support", node)]
            self._told(
                "reduce", "--preserve", ",".join(classes), *more, "--timeout", _seconds(timeout), "-o", out,
            )
            reduced = _of_info(_info(out), None)
        return reduced

    def _told(self, command: str, *arguments: str) -> list[dict[str, Any]]:
        said = _programs.run("parikh", [command, self.file, *arguments, "--format", "json"], fine=(0, 3))
        return list(_programs.objects(said))

    # --- questions ---------------------------------------------------------------------------------

    @overload
    def check(
        self, questions: str, *, examination: None = ..., queries: Union[str, "os.PathLike[str]", None] = ...,
        timeout: float = ..., memory: Union[str, int, None] = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Sequence[str]] = ..., require: str = ..., fair: Union[str, Sequence[str]] = ...,
        final: Union[str, Mapping[str, int], None] = ..., cases: int = ...,
    ) -> Answer: ...

    @overload
    def check(
        self, questions: None = ..., *, examination: OneQuestion, queries: Union[str, "os.PathLike[str]", None] = ...,
        timeout: float = ..., memory: Union[str, int, None] = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Sequence[str]] = ..., require: str = ..., fair: Union[str, Sequence[str]] = ...,
        final: Union[str, Mapping[str, int], None] = ..., cases: int = ...,
    ) -> Answer: ...

    @overload
    def check(
        self, questions: Union[list[str], tuple[str, ...], Mapping[str, str]], *, examination: Examinations = ...,
        queries: Union[str, "os.PathLike[str]", None] = ...,
        timeout: float = ..., memory: Union[str, int, None] = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Sequence[str]] = ..., require: str = ..., fair: Union[str, Sequence[str]] = ...,
        final: Union[str, Mapping[str, int], None] = ..., cases: int = ...,
    ) -> Answers: ...

    @overload
    def check(
        self, questions: Questions = ..., *, examination: Union[list[str], tuple[str, ...]], queries: Union[str, "os.PathLike[str]", None] = ...,
        timeout: float = ..., memory: Union[str, int, None] = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Sequence[str]] = ..., require: str = ..., fair: Union[str, Sequence[str]] = ...,
        final: Union[str, Mapping[str, int], None] = ..., cases: int = ...,
    ) -> Answers: ...

    @overload
    def check(
        self, questions: Questions = ..., *, examination: Examinations = ..., queries: Union[str, "os.PathLike[str]", None] = ...,
        timeout: float = ..., memory: Union[str, int, None] = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Sequence[str]] = ..., require: str = ..., fair: Union[str, Sequence[str]] = ...,
        final: Union[str, Mapping[str, int], None] = ..., cases: int = ...,
    ) -> Union[Answer, Answers]: ...

    def check(
        self,
        questions: Questions = None,
        *,
        examination: Examinations = None,
        queries: Union[str, "os.PathLike[str]", None] = None,
        timeout: float = 60,
        memory: Union[str, int, None] = None,
        threads: int | None = None,
        seed: int = 1,
        engines: Union[str, Sequence[str]] = (),
        require: str = "searched",
        fair: Union[str, Sequence[str]] = (),
        final: Union[str, Mapping[str, int], None] = None,
        cases: int = 1,
    ) -> Union[Answer, Answers]:
        """Answers questions: formulas in the language of ``parikh check --help``, examinations of the Model
        Checking Contest, or both. One formula, or one examination that is one question, has an
        :class:`Answer`; all else has :class:`Answers`.

        What is not known within ``timeout`` seconds has the value None, with bounds where some are known.
        ``require="certified"`` takes no search's word. ``fair`` means fair runs only, in what is asked of runs:
        "weak", "strong", or of some transitions, "strong:enter_1,enter_2".

        >>> net = Net(["p", "q"], ["t"], [Arc("p", "t"), Arc("t", "q")], {"p": 1})
        >>> str(net.check("AG !(p >= 1 && q >= 1)").value)
        'True'
        >>> answers = net.check({"both": "EF (p >= 1 && q >= 1)", "most": "bound(q)"}, examination=["RD", "OneSafe"])
        >>> answers["both"].value, answers["most"].value, answers["ReachabilityDeadlock"].witness.firings
        (False, 1, 1)
        """
        asked = self._asked(
            questions, examination, queries, timeout, memory, threads, seed, engines, require, fair, final,
            cases,
        )
        said = _programs.run("parikh", asked.arguments, fine=(0, 3))
        answers: dict[tuple[str, str], Answer] = {}
        for told in _programs.objects(said):
            heard = asked.hearing.hear(told)
            if isinstance(heard, Answer):
                answers[heard.examination, heard.id] = heard
        # Formulas are answered in any order, and read in the order in which they were asked.
        order = {name: number for number, name in enumerate(asked.formulas)}
        of_formulas = sorted((it for it in answers.values() if it.examination == "Formulas"), key=lambda it: order[it.id])
        found = Answers([it for it in answers.values() if it.examination != "Formulas"] + of_formulas)
        return found[0] if asked.is_one and len(found) == 1 else found

    async def stream(
        self,
        questions: Questions = None,
        *,
        examination: Examinations = None,
        queries: Union[str, "os.PathLike[str]", None] = None,
        timeout: float = 60,
        memory: Union[str, int, None] = None,
        threads: int | None = None,
        seed: int = 1,
        engines: Union[str, Sequence[str]] = (),
        require: str = "searched",
        fair: Union[str, Sequence[str]] = (),
        final: Union[str, Mapping[str, int], None] = None,
        cases: int = 1,
    ) -> AsyncIterator[Union[Answer, Progress]]:
        """The same as answers come, with progress between them::

            async for it in net.stream({"a": "EF deadlock", "b": "bound(p)"}):
                print(it)

        Who leaves the loop ends the run.
        """
        asked = self._asked(
            questions, examination, queries, timeout, memory, threads, seed, engines, require, fair, final,
            cases,
        )
        process = await asyncio.create_subprocess_exec(
            _programs.program("parikh"), *asked.arguments, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, limit=1 << 30,
        )
        if process.stdout is None or process.stderr is None:
            raise ParikhError("the program has no output")
        errors = asyncio.ensure_future(process.stderr.read())
        try:
            async for line in process.stdout:
                heard = asked.hearing.hear(_programs.one(line.decode("utf-8")))
                if isinstance(heard, (Answer, Progress)):
                    yield heard
            code = await process.wait()
            if code not in (0, 3):
                raise _programs.refusal(code, (await errors).decode("utf-8"))
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
            if not errors.done():
                errors.cancel()

    def soundness(
        self,
        final: Union[str, Mapping[str, int], None] = None,
        *,
        kind: str = "soundness",
        cases: int = 1,
        timeout: float = 60,
        **more: Any,
    ) -> Soundness:
        """Whether it is sound as a process: every case can always be completed, with nothing left behind,
        and every transition can fire. ``kind`` is "soundness", "weak", "relaxed" or "easy".

        A case is done in ``final``, for example ``{"end": 1}`` or ``"p + 2*q"``, in the net's final
        marking, or with a token in the sink of a workflow net.

        >>> order = Net(["i", "a", "b", "o"], ["split", "join"], [("i", "split"), ("split", "a"), ("split", "b"),
        ...     ("a", "join"), ("b", "join"), ("join", "o")], {"i": 1})
        >>> bool(order.soundness())
        True
        >>> sound, diagnostics = order.soundness({"a": 1})
        >>> sound
        False
        """
        if kind not in _SOUNDNESS:
            raise ParikhError(f"{kind!r} soundness: expected one of {', '.join(_SOUNDNESS)}")
        name = _SOUNDNESS[kind]
        answer = self.check(examination=name, final=final, cases=cases, timeout=timeout, **more)
        return Soundness(answer, answer.transitions, answer.places)

    def _asked(
        self, questions: Questions, examination: Examinations, queries: Union[str, "os.PathLike[str]", None],
        timeout: float, memory: Union[str, int, None], threads: int | None, seed: int, engines: Union[str, Sequence[str]],
        require: str, fair: Union[str, Sequence[str]], final: Union[str, Mapping[str, int], None], cases: int,
    ) -> "_Asked":
        exams = [examination] if isinstance(examination, str) else list(examination or [])
        if isinstance(questions, str):
            formulas = named([("", questions)])
        elif isinstance(questions, Mapping):
            formulas = named(questions.items())
        else:
            formulas = named(("", text) for text in questions or [])
        if not formulas and not exams:
            raise ParikhError("nothing is asked: give a formula or an examination")
        last = final
        if isinstance(final, Mapping):
            last = " + ".join(f"{int(n)}*{_quoted(place)}" for place, n in final.items() if n)
        fairness = [fair] if isinstance(fair, str) else list(fair)
        inquiry = Inquiry(
            self.file, formulas, None if queries is None else os.fspath(queries), None if last is None else str(last),
            tuple(it for one in fairness for it in ("--fair", one)), keep=self._keep,
        )
        arguments = ["check", self.file, "--format", "json", "--evidence", inquiry.directory.name]
        arguments += ["--timeout", _seconds(timeout), "--seed", str(seed), "--require", require, *inquiry.options]
        arguments += [it for exam in exams for it in ("--examination", exam)]
        arguments += [it for name, text in formulas.items() for it in ("--formula", f"{name}: {text}")]
        options = {
            "--queries": inquiry.queries, "--memory": None if memory is None else str(memory), "--final": inquiry.last,
            "--threads": None if threads is None else str(threads),
            "--engines": (engines if isinstance(engines, str) else ",".join(engines)) or None, "--k": None if cases == 1 else str(cases),
        }
        for option, value in options.items():
            arguments += [] if value is None else [option, value]
        if formulas or any(exam.lower() not in ("statespace", "ss", "states", "markings") for exam in exams):
            arguments.append("--events")
        is_one = len(exams) + (isinstance(questions, str)) == 1 and len(formulas) <= 1
        return _Asked(arguments, Hearing(inquiry, self.name), list(formulas), is_one)

    # --- to look at --------------------------------------------------------------------------------

    def report(self, *, timeout: float = 20) -> str:
        """A page in HTML, which needs no network: what is wrong with the net, the net drawn, witnesses to
        play."""
        arguments = ["report", self.file, "--output", "-", "--timeout", _seconds(timeout)]
        return _programs.run("parikh", arguments, fine=(0, 3))

    def _repr_html_(self) -> str:
        if self._report is None:
            self._report = self.report(timeout=10)
        page = html.escape(self._report, quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="{html.escape(self.name)}" '
            'style="width: 100%; height: 720px; border: 0"></iframe>'
        )


@dataclass(frozen=True)
class _Asked:
    """A command line, who makes answers of what comes, and whether one answer is expected."""

    arguments: list[str]
    hearing: Hearing
    formulas: list[str]
    is_one: bool


def load(path: Union[str, "os.PathLike[str]"]) -> Net:
    """Reads a model: PNML or a net as text, compressed (``.gz``) or not, or an instance of the Model Checking
    Contest, its directory or its archive (``.tgz``). Of a coloured model, what is asked is asked of the model;
    its nodes here are those of its unfolding.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as at:
    ...     file = os.path.join(at, "net.txt")
    ...     with open(file, "w") as out:
    ...         print("place p 1\\nplace q\\ntransition t: p -> q", file=out, end="")
    ...     net = load(file)
    >>> net
    <Net net: 2 places, 1 transitions, 2 arcs>
    """
    file = os.path.abspath(os.fspath(path))
    return _of_info(_info(file), file)


def _info(file: str) -> dict[str, Any]:
    return next(_programs.objects(_programs.run("parikh", ["info", file, "--format", "json"])))


def _of_info(info: dict[str, Any], file: str | None) -> Net:
    nodes = info.get("nodes")
    if "system" in info:
        raise ParikhError(f"{file}: this is a parallel system, and no net: parikh.load_system reads it")
    if nodes is None:
        raise ParikhError(f"{file}: the coloured net is too large to be unfolded; `parikh check` asks it as it is")
    ids = [[it["id"] for it in nodes[kind]] for kind in ("places", "transitions")]
    names = {it["id"]: it["name"] for kind in nodes.values() for it in kind if it["name"] is not None}

    def marking(told: dict[str, Any]) -> dict[str, int]:
        return {place: integer(n) for place, n in told.items()}

    net = Net(
        ids[0], ids[1], [Arc(it["from"], it["to"], integer(it["weight"])) for it in info["arc_list"]],
        marking(info["marking"]), finals=map(marking, info["finals"]), names=names,
        name=info["net"] or (Path(file).name.split(".")[0] if file else "net"),
    )
    net._file = file
    return net


def _kind(arc: Any) -> str:
    """What an arc of PM4Py does: "normal", "inhibitor" or "reset"."""
    said = (getattr(arc, "properties", None) or {}).get("arctype") or "normal"
    classes = {it.__name__ for it in type(arc).__mro__}
    kinds = {kind for kind, name in (("inhibitor", "InhibitorArc"), ("reset", "ResetArc")) if name in classes}
    kinds |= {str(said)} - {"normal"}
    if len(kinds) > 1 or not kinds <= {"inhibitor", "reset"}:
        raise ParikhError(f"an arc of the kind {' and '.join(sorted(kinds))!r}: expected 'inhibitor' or 'reset'")
    return next(iter(kinds), "normal")


def _entries(matrix: Any) -> tuple[int, int, list[tuple[int, int, int]]]:
    """Rows, columns, and what is not 0."""
    if hasattr(matrix, "tocoo"):
        coo = matrix.tocoo()
        found = list(zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist()))
        rows, columns = coo.shape
    else:
        lists = [list(row) for row in (matrix.tolist() if hasattr(matrix, "tolist") else matrix)]
        rows, columns = len(lists), max(map(len, lists), default=0)
        if any(len(row) != columns for row in lists):
            raise ParikhError("the rows of a matrix have different lengths")
        found = [(i, j, n) for i, row in enumerate(lists) for j, n in enumerate(row)]
    entries = [(i, j, int(n)) for i, j, n in found if n]
    for i, j, n in entries:
        if n < 0:
            raise ParikhError(f"row {i}, column {j} of a matrix is {n}: expected weights of arcs, which are ≥ 0")
    return rows, columns, entries


def _seconds(time: float) -> str:
    return f"{time}s"


def _quoted(name: str) -> str:
    inner = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'
