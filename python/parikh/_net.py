"""Nets, and what can be asked of them."""

from __future__ import annotations

import asyncio
import html
import itertools
import os
import re
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import (
    TYPE_CHECKING, AbstractSet, Any, AsyncGenerator, Iterable, Iterator, Literal, Mapping, Sequence, Union, ValuesView,
    get_args, overload,
)
from xml.sax.saxutils import escape, quoteattr

from . import _programs, _structure
from ._answer import Answer, Answers, Formulas, Hearing, Inquiry, Progress, by_name, named
from ._process import Soundness
from ._programs import Memory, ParikhError, Time, integer, is_count, whole

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

#: Several questions or names of examinations; a text alone is one.
Several = Union[list[str], tuple[str, ...], AbstractSet[str], ValuesView[str], Iterator[str]]
#: One formula, several, or several with names.
Questions = Union[str, Iterable[str], Mapping[Any, str], None]
#: One examination, or several: names, or short ones such as "RD".
Examinations = Union[str, Iterable[str], None]
#: A file of questions.
QueryFile = Union[str, "os.PathLike[str]", None]
#: A marking in which a case is done: tokens by place, an id or a place of PM4Py, or a text such as "p + 2*q".
Final = Union[str, Mapping[Any, int]]
#: One such marking, or several; a case may end in any of them.
Finals = Union[Final, Iterable[Final], None]

#: Examinations that are one question of any net.
OneQuestion = Literal[
    "ReachabilityDeadlock", "RD", "rd", "deadlock", "OneSafe", "OS", "os", "safe", "QuasiLiveness", "QL", "ql",
    "Liveness", "L", "l", "live", "StableMarking", "SM", "sm", "stable", "Soundness", "S", "s", "sound",
    "WeakSoundness", "WS", "ws", "RelaxedSoundness", "RS", "rs", "EasySoundness", "ES", "es",
]
#: Examinations that are several.
ManyQuestions = Literal[
    "StateSpace", "SS", "ss", "states", "ReachabilityCardinality", "RC", "rc", "ReachabilityFireability", "RF", "rf",
    "UpperBounds", "UB", "ub", "bounds", "CTLCardinality", "CTLC", "CTLFireability", "CTLF", "LTLCardinality", "LTLC",
    "LTLFireability", "LTLF",
]
_ONE_QUESTION = frozenset(name.lower() for name in get_args(OneQuestion))
_OF_CASES = frozenset(
    "soundness s sound weaksoundness ws relaxedsoundness rs easysoundness es".split()
)

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

#: What no XML has, and so no net that is to be written.
_NO_TEXT = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")

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

    Ids are texts, and no two nodes have the same. An arc is an :class:`Arc`, or a pair of ids, perhaps with a weight
    behind; of arcs between the same nodes, the weights add up. A transition with one of ``inhibitors`` is enabled
    only where the place has fewer tokens than the arc's weight; one with one of ``resets`` empties the place. Both
    are arcs from a place. Markings are tokens by the id of a place. Weights and tokens are whole numbers below 2^63;
    floats without a fraction are taken. Where ``marking`` is None, no place has tokens, and soundness is about cases
    that begin with a token in the source of the net.

    Raises :class:`ParikhError`, which says what was found where, when a part is not as this says.

    A net does not change: its mappings are read-only. Nets are equal when all their parts are, whatever the order
    of their arcs. Nets can be pickled.
    """

    def __init__(
        self,
        places: Iterable[str],
        transitions: Iterable[str],
        arcs: Iterable[Union[Arc, tuple[str, str], tuple[str, str, int]]],
        marking: Mapping[str, int] | None = None,
        *,
        inhibitors: Iterable[Union[Arc, tuple[str, str], tuple[str, str, int]]] = (),
        resets: Iterable[Union[Arc, tuple[str, str]]] = (),
        finals: Iterable[Mapping[str, int]] = (),
        names: Mapping[str, str] | None = None,
        name: str = "net",
    ) -> None:
        self.name: str = _text(name, "the name of a net") or "net"
        self.places: tuple[str, ...] = tuple(map(_id, _listed(places, "places", "ids")))
        self.transitions: tuple[str, ...] = tuple(map(_id, _listed(transitions, "transitions", "ids")))
        twice = [id for id, count in Counter((*self.places, *self.transitions)).items() if count > 1]
        if twice:
            raise ParikhError(f"two nodes have the name {twice[0]!r}")
        p, t = frozenset(self.places), frozenset(self.transitions)
        self.arcs: tuple[Arc, ...] = _merged(arcs, p, t)
        #: Arcs from places that disable the transition where the place has as many tokens as their weight.
        self.inhibitors: tuple[Arc, ...] = _special(inhibitors, p, t, "inhibitor")
        #: Arcs from places that the transition empties.
        self.resets: tuple[Arc, ...] = _special(resets, p, t, "reset")
        #: Tokens by place, of those that have some.
        self.marking: Mapping[str, int] = _marking({} if marking is None else marking, self.places, "the initial marking")
        #: The markings in which a case is done.
        self.finals: tuple[Mapping[str, int], ...] = tuple(
            _marking(it, self.places, "a final marking") for it in _listed(finals, "finals", "markings")
        )
        #: Names for people, by id.
        self.names: Mapping[str, str] = MappingProxyType(
            {id: _text(it, f"the name of {id!r}") for id, it in _pairs(names, "names").items()}
        )
        #: The ids of the places and transitions of PM4Py that it was made of: of the objects themselves.
        self.ids: Mapping[Any, str] = MappingProxyType({})
        # A file has no marking, or none that is empty; what is written here has one.
        self._is_empty = marking is not None and not self.marking
        self._source: _programs.Source | None = None
        self._report: str | None = None
        #: Times, priorities and rates of PM4Py, by transition: words and values, as PM4Py writes them to files.
        self._timing: dict[str, dict[str, str]] = {}
        #: Whether the programs ignore times and priorities.
        self._untimed = False
        self._lock = threading.Lock()

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and name in self.__dict__:
            raise AttributeError(f"a net does not change, and neither does its {name}: make another")
        super().__setattr__(name, value)

    def _parts(self) -> tuple[Any, ...]:
        marking, names = frozenset(self.marking.items()), frozenset(self.names.items())
        finals = tuple(frozenset(it.items()) for it in self.finals)
        arcs = tuple(map(frozenset, (self.arcs, self.inhibitors, self.resets)))
        return self.name, self.places, self.transitions, arcs, marking, finals, names, self._is_empty

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, Net) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.places, self.transitions, frozenset(self.marking.items())))

    def __copy__(self) -> "Net":
        return self

    def __deepcopy__(self, memo: Any) -> "Net":
        """It does not change, and so it is its own copy."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: its parts, but no file that this process wrote, and no objects of PM4Py."""
        own = self._source is not None and self._source.directory is None
        return {
            **self.__dict__, "marking": dict(self.marking), "finals": [dict(it) for it in self.finals],
            "names": dict(self.names), "ids": {}, "_source": self._source if own else None, "_report": None,
            "_lock": None,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        frozen = {part: MappingProxyType(state[part]) for part in ("marking", "names", "ids")}
        finals = tuple(map(MappingProxyType, state["finals"]))
        self.__dict__.update({**state, **frozen, "finals": finals, "_lock": threading.Lock()})

    # --- where nets come from ----------------------------------------------------------------------

    @classmethod
    def from_pm4py(
        cls, net: Any, initial: Mapping[Any, int] | None = None,
        final: Union[Mapping[Any, int], Iterable[Mapping[Any, int]], None] = None, *, untimed: bool = False,
    ) -> "Net":
        """A net of PM4Py with its initial and final marking: the three that ``pm4py.read_pnml`` gives, or the tuple
        of them. ``final`` may be a list of several final markings. PM4Py itself is not imported: whatever has
        ``places``, ``transitions`` and ``arcs`` as its nets have is taken.

        Nodes are called by their names. Where several have one name, all but the first get a number that makes a
        new one; labels become names for people. Where PM4Py made up a name (a UUID), a transition is called by its
        label. :attr:`ids` has the id of every place and transition of PM4Py.

        Inhibitor and reset arcs are taken, of the classes that PM4Py has for them or with that
        ``arctype`` among their properties.

        Times and priorities (PM4Py's ``stochastic_distribution``) change what is reachable: a net with them is
        refused, or with ``untimed=True`` read without them, as by :func:`load`. So is one with guards over data.

        Raises :class:`ParikhError` as :class:`Net` does, for other kinds of arcs, for guards, for times and
        priorities, and for markings with tokens on what is no place of the net.
        """

        if isinstance(net, tuple):
            if initial is not None or final is not None or not 1 <= len(net) <= 3:
                raise ParikhError(
                    f"a tuple of {len(net)} {'and more markings' if initial or final else 'parts'}: expected a net of "
                    "PM4Py with its initial and final marking, as pm4py.read_pnml gives them"
                )
            net, initial, final = (*net, None, None)[:3]
            # PM4Py has an empty marking where a file says none.
            initial = None if isinstance(initial, Mapping) and not initial else initial
        parts = ("places", "transitions", "arcs")
        if not all(isinstance(getattr(net, part, None), Iterable) for part in parts):
            raise ParikhError(
                f"{_programs.shown(net)} is not a net of PM4Py: expected places, transitions and arcs, or the result "
                "of pm4py.read_pnml"
            )
        if final is None or isinstance(final, Mapping):
            finals = [] if final is None else [final]
        else:
            finals = _listed(final, "the final marking", "tokens by place, or a list of such markings")

        def by_name(node: Any) -> tuple[str, str]:
            name, label = str(node.name), str(getattr(node, "label", None) or "")
            return ("", label) if label and _UUID.fullmatch(name) else (name, label)

        # Sets have no order: by name, so that the same net is the same net again.
        try:
            places, transitions = sorted(net.places, key=by_name), sorted(net.transitions, key=by_name)
        except AttributeError as error:
            raise ParikhError(f"a node of the net has no name: {error}") from None
        wanted = [by_name(it)[0] or by_name(it)[1] for it in (*places, *transitions)]
        ids = dict(zip((*places, *transitions), _numbered(wanted)))
        arcs: dict[str, list[Arc]] = {"normal": [], "inhibitor": [], "reset": []}
        for it in net.arcs:
            source, target = getattr(it, "source", None), getattr(it, "target", None)
            if source not in ids or target not in ids:
                raise ParikhError(f"an arc from {source!r} to {target!r}: expected nodes of the net")
            between = f"arc from {ids[it.source]!r} to {ids[it.target]!r}"
            weight = whole(getattr(it, "weight", 1), f"the weight of the {between}", least=1)
            arc, kind = Arc(ids[it.source], ids[it.target], weight), _kind(it)
            if kind != "normal" and weight != 1:
                raise ParikhError(
                    f"the {kind} {between} has the weight {weight}, which PM4Py ignores: use the weight 1"
                )
            arcs[kind].append(arc)
        for same in arcs.values():
            same.sort(key=lambda arc: (arc.source, arc.target))
        labels = {ids[t]: str(t.label) for t in transitions if getattr(t, "label", None) is not None}
        made = cls(
            [ids[it] for it in places], [ids[it] for it in transitions], arcs["normal"],
            None if initial is None else _by_id(initial, ids, "the initial marking"),
            # PM4Py has an empty marking where a file says none.
            finals=[_by_id(it, ids, "the final marking") for it in finals if it or not isinstance(it, Mapping)],
            inhibitors=arcs["inhibitor"], resets=arcs["reset"], names=labels,
            name=str(getattr(net, "name", "") or "net"),
        )
        made.__dict__["ids"] = MappingProxyType(ids)
        made._timing = {ids[t]: timing for t in transitions if (timing := _timing(t, ids[t]))}
        made._untimed = _flag(untimed, "untimed")
        if made._timing:
            # The program says whether the times and priorities matter.
            _info(made._read_from(), made._options())
        return made

    @classmethod
    def from_matrices(
        cls,
        pre: Any,
        post: Any,
        m0: Any = None,
        *,
        places: Iterable[str] | None = None,
        transitions: Iterable[str] | None = None,
        final: Any = None,
        name: str = "net",
    ) -> "Net":
        """A net of matrices with a row a place and a column a transition: how many tokens each transition takes and
        puts. ``m0`` and ``final`` are markings, with a number of tokens a place: vectors, or matrices of one column
        or row; ``final`` may have several rows, a marking each. Lists, arrays of NumPy, frames of pandas and matrices of SciPy are read alike; nodes without names
        are called ``p0``, … and ``t0``, ….

        Raises :class:`ParikhError` when shapes do not go together, and when a number is not whole, below 0, or not
        below 2^63.

        >>> Net.from_matrices([[1], [0]], [[0], [2]], [3, 0]).arcs
        (Arc(source='p0', target='t0', weight=1), Arc(source='t0', target='p1', weight=2))
        """
        (rows, columns, takes), (more_rows, more_columns, puts) = _entries(pre, "pre"), _entries(post, "post")
        if (rows, columns) != (more_rows, more_columns):
            raise ParikhError(f"pre is {rows} × {columns}, but post is {more_rows} × {more_columns}")
        p = [f"p{i}" for i in range(rows)] if places is None else _named(places, "places")
        t = [f"t{j}" for j in range(columns)] if transitions is None else _named(transitions, "transitions")
        if (len(p), len(t)) != (rows, columns):
            raise ParikhError(f"{len(p)} and {len(t)} names for {rows} places and {columns} transitions")
        arcs = [Arc(p[i], t[j], weight) for i, j, weight in takes]
        arcs += [Arc(t[j], p[i], weight) for i, j, weight in puts]
        marking = None if m0 is None else dict(zip(p, _vector(m0, rows, "the marking")))
        last = [] if final is None else _vectors(final, rows, "the final marking")
        finals = [dict(zip(p, it)) for it in last]
        return cls(p, t, arcs, marking, finals=finals, name=name)

    # --- what a net is -----------------------------------------------------------------------------

    @property
    def file(self) -> str:
        """The file that the programs read: the one it was loaded from, or one that was written for them, which is
        gone with the net.

        Raises :class:`ParikhError` when the one it was loaded from has changed since.
        """
        return self._read_from().path

    def _read_from(self) -> _programs.Source:
        # Two threads that ask first are not to write two files, and none is to see one that is half written.
        with self._lock:
            source = self._source
            # A process that was forked off has its own: that of the other one may be gone any time.
            if source is None or (source.directory is not None and source.directory.owner != os.getpid()):
                source = self._source = _written(self.to_pnml(), self.name)
            return source

    def write(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the net to a file, as PNML."""
        try:
            Path(_programs.path_of(path, "path")).write_text(self.to_pnml(), encoding="utf-8")
        except (OSError, ValueError) as error:
            raise ParikhError(f"{path}: the net cannot be written: {error}") from None

    def to_pnml(self) -> str:
        """The net in PNML, of the standard's place/transition nets, with final markings as PM4Py has them, and arcs
        that inhibit or reset as TAPAAL has them."""

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
        lines += [f"<transition id={quoteattr(t)}>{label(t)}{self._timing_of(t)}</transition>" for t in self.transitions]
        ids = {*self.places, *self.transitions}
        free = (it for it in (f"arc{n}" for n in itertools.count()) if it not in ids)
        kinds = (("", self.arcs), ("inhibitor", self.inhibitors), ("reset", self.resets))
        for number, (arc, kind) in zip(free, [(arc, kind) for kind, arcs in kinds for arc in arcs]):
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

    def _timing_of(self, transition: str) -> str:
        """Its times and priorities in PNML, as PM4Py writes them."""
        timing = self._timing.get(transition, {})
        inside = "".join(f"<property key={quoteattr(key)}>{escape(it)}</property>" for key, it in timing.items())
        return inside and f"<toolspecific tool='StochasticPetriNet' version='0.2'>{inside}</toolspecific>"

    def _options(self) -> tuple[str, ...]:
        """Options of the programs, wherever they read the net."""
        return ("--untimed",) if self._untimed else ()

    def __repr__(self) -> str:
        return f"<Net {self.name}: {len(self.places)} places, {len(self.transitions)} transitions, {len(self.arcs)} arcs>"

    @property
    def incidence(self) -> "scipy.sparse.csc_matrix":
        """The incidence matrix, post − pre: a row a place, a column a transition, int64. As in :attr:`pre` and
        :attr:`post`, inhibitor and reset arcs are not in it."""
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
        """The net as a directed graph of NetworkX: nodes have ``kind`` ("place" or "transition"), ``name``, and
        places ``tokens``; edges have ``weight``. An edge from a place has ``inhibitor``, a weight, where it
        inhibits, and ``reset`` where it resets; one that does nothing else has the weight 0."""
        import networkx

        graph = networkx.DiGraph(name=self.name)
        for place in self.places:
            tokens = self.marking.get(place, 0)
            graph.add_node(place, kind="place", name=self.names.get(place, place), tokens=tokens)
        for t in self.transitions:
            graph.add_node(t, kind="transition", name=self.names.get(t, t))
        graph.add_edges_from((arc.source, arc.target, {"weight": 0}) for arc in (*self.inhibitors, *self.resets))
        graph.add_weighted_edges_from((arc.source, arc.target, arc.weight) for arc in self.arcs)
        for arc in self.inhibitors:
            graph.edges[arc.source, arc.target]["inhibitor"] = arc.weight
        for arc in self.resets:
            graph.edges[arc.source, arc.target]["reset"] = True
        return graph

    # --- what its arcs say -------------------------------------------------------------------------

    def invariants(
        self, kind: str = "P", *, semiflows: bool = False, timeout: Time = 60
    ) -> "_structure.Invariants":
        """Invariants of places ("P") or transitions ("T"): a basis, or all of minimal support without
        negative coefficients. Those of a net with inhibitor or reset arcs are of the place/transition net that
        stands for it, which may have more nodes.

        >>> ring = Net.from_matrices([[1, 0], [0, 1]], [[0, 1], [1, 0]], [1, 0])
        >>> ring.invariants("P")[0].text
        'p0 + p1 = 1'
        >>> ring.invariants("T").rows()
        [[1, 1]]
        """
        if kind not in ("P", "T"):
            raise ParikhError(f"invariants of {kind!r}: expected 'P' or 'T'")
        more = ["--transitions"] * (kind == "T") + ["--semiflows"] * semiflows
        told = self._told("invariants", *more, "--timeout", _programs.seconds(timeout))
        found = [_structure.invariant(it) for it in told if it["type"] == "invariant"]
        nodes = self.places if kind == "P" else self.transitions
        # Behind the net's own nodes, those that stand for inhibitor and reset arcs.
        all_nodes = tuple(dict.fromkeys((*nodes, *(node for it in found for node in it.terms))))
        return _structure.Invariants(found, all_nodes, told[-1]["complete"])

    def siphons(self, *, limit: int = 1000, timeout: Time = 60) -> "_structure.NodeSets":
        """The minimal siphons: sets of places that stay empty once they are.

        >>> Net.from_matrices([[1], [0]], [[0], [1]], [1, 0]).siphons()
        [frozenset({'p0'})]
        """
        return self._sets("siphons", limit, timeout)

    def traps(self, *, limit: int = 1000, timeout: Time = 60) -> "_structure.NodeSets":
        """The minimal traps: sets of places that stay marked once they are."""
        return self._sets("traps", limit, timeout)

    def _sets(self, command: str, limit: int, timeout: Time) -> "_structure.NodeSets":
        most = str(whole(limit, "limit"))
        told = self._told(command, "--minimal", "--limit", most, "--timeout", _programs.seconds(timeout))
        sets = [frozenset(it["places"]) for it in told if "places" in it]
        return _structure.NodeSets(sets, told[-1]["complete"])

    def reduce(
        self, preserve: Union[str, Iterable[str]] = "deadlock", *, support: Union[str, Iterable[str]] = (),
        timeout: Time = 60,
    ) -> "Net":
        """A smaller net that answers the same: "deadlock", "reachability" (of the nodes of ``support``),
        "liveness" (of the transitions of ``support``), or several of these.

        >>> ring = Net.from_matrices([[1, 0], [0, 1]], [[0, 1], [1, 0]], [1, 0])
        >>> len(ring.reduce("deadlock").places) < 2
        True
        """
        classes = _texts(preserve, "preserve", "what is preserved, such as 'deadlock'")
        with tempfile.TemporaryDirectory(prefix="parikh-") as directory:
            out = os.path.join(directory, "model.pnml")
            nodes = _texts(support, "support", "ids of nodes")
            more = [it for node in nodes for it in ("--support", node)]
            self._told(
                "reduce", "--preserve", ",".join(classes), *more, "--timeout", _programs.seconds(timeout), "-o", out,
            )
            reduced = _of_info(_info(_programs.Source(out)), None)
        return reduced

    def _told(self, command: str, *arguments: str) -> list[dict[str, Any]]:
        source = self._read_from()
        arguments = (command, source.path, *arguments, *self._options(), "--format", "json")
        said = _programs.run("parikh", arguments, fine=(0, 3), retold=source.retold)
        return list(_programs.objects(said))

    # --- questions ---------------------------------------------------------------------------------

    @overload
    def check(
        self, questions: str, *, examination: None = ...,
        queries: QueryFile = ...,
        timeout: Time = ..., memory: Memory = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Iterable[str]] = ..., require: str = ..., fair: Union[str, Iterable[str]] = ...,
        final: Finals = ..., cases: bool = ..., k: int = ...,
    ) -> Answer: ...

    @overload
    def check(
        self, questions: None = ..., *, examination: OneQuestion,
        queries: QueryFile = ...,
        timeout: Time = ..., memory: Memory = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Iterable[str]] = ..., require: str = ..., fair: Union[str, Iterable[str]] = ...,
        final: Finals = ..., cases: bool = ..., k: int = ...,
    ) -> Answer: ...

    @overload
    def check(
        self, questions: None = ..., *, examination: ManyQuestions,
        queries: QueryFile = ...,
        timeout: Time = ..., memory: Memory = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Iterable[str]] = ..., require: str = ..., fair: Union[str, Iterable[str]] = ...,
        final: Finals = ..., cases: bool = ..., k: int = ...,
    ) -> Answers: ...

    @overload
    def check(
        self, questions: Union[Several, Mapping[Any, str]], *, examination: Examinations = ...,
        queries: QueryFile = ...,
        timeout: Time = ..., memory: Memory = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Iterable[str]] = ..., require: str = ..., fair: Union[str, Iterable[str]] = ...,
        final: Finals = ..., cases: bool = ..., k: int = ...,
    ) -> Answers: ...

    @overload
    def check(
        self, questions: Questions = ..., *, examination: Several,
        queries: QueryFile = ...,
        timeout: Time = ..., memory: Memory = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Iterable[str]] = ..., require: str = ..., fair: Union[str, Iterable[str]] = ...,
        final: Finals = ..., cases: bool = ..., k: int = ...,
    ) -> Answers: ...

    @overload
    def check(
        self, questions: Questions = ..., *, examination: Examinations = ...,
        queries: QueryFile = ...,
        timeout: Time = ..., memory: Memory = ..., threads: int | None = ..., seed: int = ...,
        engines: Union[str, Iterable[str]] = ..., require: str = ..., fair: Union[str, Iterable[str]] = ...,
        final: Finals = ..., cases: bool = ..., k: int = ...,
    ) -> Union[Answer, Answers]: ...

    def check(
        self,
        questions: Questions = None,
        *,
        examination: Examinations = None,
        queries: QueryFile = None,
        timeout: Time = 60,
        memory: Memory = None,
        threads: int | None = None,
        seed: int = 1,
        engines: Union[str, Iterable[str]] = (),
        require: str = "searched",
        fair: Union[str, Iterable[str]] = (),
        final: Finals = None,
        cases: bool = False,
        k: int = 1,
    ) -> Union[Answer, Answers]:
        """Answers questions: formulas in the language of ``parikh check --help``, examinations of the Model
        Checking Contest, or both. One formula, or one examination that is one question, has an
        :class:`Answer`; all else has :class:`Answers`.

        Formulas that have names, as keys of a mapping or before a colon ("safe: AG p <= 1"), are called so in the
        answers; the others are called "formula-1" and so on, by their place.

        What is not known within ``timeout`` (in seconds, or a text such as "10m"; None for no limit) has the value
        None, with bounds where some are known. ``memory`` is in bytes, or a text such as "4G"; by default, a run
        takes up to 85 % of the machine's. ``require="certified"`` takes no search's word. ``fair`` means fair runs
        only, in what is asked of runs: "weak", "strong", or of some transitions, "strong:enter_1,enter_2"; names
        with a comma or a colon in them stand in quotes there. ``queries`` is the file with the formulas of an
        examination.

        With ``cases=True``, formulas of LTL, and the constraints of Declare, are about cases: firing sequences from
        the initial marking that end in a final marking. ``final`` is that marking, or several of them; by default
        it is as :meth:`soundness` has it. Of soundness, ``k`` is the number of cases at the same time.

        Raises :class:`ParikhError` when a question or an option makes no sense, before anything is worked on; of
        several formulas, one that cannot be read has the value None, and its reason says why.

        >>> net = Net(["p", "q"], ["t"], [Arc("p", "t"), Arc("t", "q")], {"p": 1})
        >>> str(net.check("AG !(p >= 1 && q >= 1)").value)
        'True'
        >>> answers = net.check({"both": "EF (p >= 1 && q >= 1)", "most": "bound(q)"}, examination=["RD", "OneSafe"])
        >>> answers["both"].value, answers["most"].value, answers["ReachabilityDeadlock"].witness.firings
        (False, 1, 1)
        >>> net.check("existence(t)", cases=True).value
        True
        """
        asked = self._asked(
            questions, examination, queries, timeout, memory, threads, seed, engines, require, fair, final,
            cases, k,
        )
        said = _programs.run("parikh", asked.arguments, fine=(0, 3), retold=asked.inquiry.retold)
        answers: dict[tuple[str, str], Answer] = {}
        for told in _programs.objects(said):
            heard = asked.hearing.hear(told)
            if isinstance(heard, Answer):
                answers[heard.examination, heard.id] = heard
        # Formulas are answered in any order, and read in the order in which they were asked.
        order = {name: number for number, name in enumerate(asked.inquiry.formulas.texts)}
        of_formulas = sorted((it for it in answers.values() if it.examination == "Formulas"), key=lambda it: order[it.id])
        found = Answers([it for it in answers.values() if it.examination != "Formulas"] + of_formulas)
        return found[0] if asked.is_one and len(found) == 1 else found

    async def stream(
        self,
        questions: Questions = None,
        *,
        examination: Examinations = None,
        queries: QueryFile = None,
        timeout: Time = 60,
        memory: Memory = None,
        threads: int | None = None,
        seed: int = 1,
        engines: Union[str, Iterable[str]] = (),
        require: str = "searched",
        fair: Union[str, Iterable[str]] = (),
        final: Finals = None,
        cases: bool = False,
        k: int = 1,
    ) -> AsyncGenerator[Union[Answer, Progress], None]:
        """The same as answers come, with progress between them::

            async for it in net.stream({"a": "EF deadlock", "b": "bound(p)"}):
                print(it)

        The run goes on until its answers are there, or the generator is closed. Who leaves the loop before closes
        it, as ``break`` alone does not where something still holds the generator::

            async with contextlib.aclosing(net.stream(questions)) as answers:
                async for it in answers:
                    break
        """
        asked = self._asked(
            questions, examination, queries, timeout, memory, threads, seed, engines, require, fair, final,
            cases, k,
        )
        try:
            process = await asyncio.create_subprocess_exec(
                _programs.program("parikh"), *asked.arguments, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, limit=1 << 30,
            )
        except (OSError, ValueError) as error:
            raise _programs.not_started("parikh", error) from None
        if process.stdout is None or process.stderr is None:
            raise ParikhError("the program has no output")
        errors = asyncio.ensure_future(process.stderr.read())
        try:
            async for line in process.stdout:
                heard = asked.hearing.hear(_programs.one(line.decode("utf-8")))
                if isinstance(heard, (Answer, Progress)):
                    yield heard
            code = await process.wait()
            said = (await errors).decode("utf-8")
            if code not in (0, 3):
                raise _programs.refusal(code, said, asked.inquiry.retold)
            _programs.remark(said, asked.inquiry.retold, stacklevel=3)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            if not errors.done():
                errors.cancel()

    def soundness(
        self,
        final: Finals = None,
        *,
        kind: str = "soundness",
        k: int = 1,
        timeout: Time = 60,
        **more: Any,
    ) -> Soundness:
        """Whether it is sound as a process: every case can always be completed, with nothing left behind,
        and every transition can fire. ``kind`` is "soundness", "weak", "relaxed" or "easy". ``k`` cases are
        handled at the same time.

        A case begins in the net's initial marking; where none was given, with a token in the source of a workflow
        net. It is done in ``final``, for example ``{"end": 1}``, ``"p + 2*q"`` or a marking of PM4Py's, in the
        net's final marking, or with a token in the sink of a workflow net. Where ``final`` is a list, or the net has
        several final markings, a case may end in any of them, and each of ``k`` cases in another one.

        Nets with inhibitor and reset arcs are answered where the places at these arcs are bounded.

        Raises :class:`ParikhError` when the initial marking or ``final`` is empty, and when the net is coloured.

        >>> order = Net(["i", "a", "b", "o"], ["split", "join"], [("i", "split"), ("split", "a"), ("split", "b"),
        ...     ("a", "join"), ("b", "join"), ("join", "o")], {"i": 1})
        >>> bool(order.soundness())
        True
        >>> sound, diagnostics = order.soundness({"a": 1})
        >>> sound
        False
        """
        if not isinstance(kind, str) or kind not in _SOUNDNESS:
            raise ParikhError(f"kind is {_programs.shown(kind)}: expected one of {', '.join(map(repr, _SOUNDNESS))}")
        if "cases" in more:
            raise ParikhError("soundness has no cases=: k is the number of cases at the same time")
        answer = self.check(examination=_SOUNDNESS[kind], final=final, k=k, timeout=timeout, **more)
        return Soundness(answer, answer.transitions, answer.places)

    def _asked(
        self, questions: Questions, examination: Examinations, queries: QueryFile, timeout: Time, memory: Memory,
        threads: int | None, seed: int, engines: Union[str, Iterable[str]], require: str,
        fair: Union[str, Iterable[str]], final: Finals, cases: bool, k: int,
    ) -> "_Asked":
        exams = [] if examination is None else _texts(examination, "examination", "names of examinations")
        if isinstance(questions, Mapping):
            formulas = by_name(questions)
        else:
            formulas = named([] if questions is None else _texts(questions, "questions", "formulas"))
        if not formulas and not exams:
            raise ParikhError("there is no question: give a formula or an examination")
        if queries is not None and not exams:
            raise ParikhError("queries need an examination: give the examination of the query file")
        names = {name.strip().lower() for exam in exams for name in exam.split(",")}
        if not _is_bool(cases):
            raise ParikhError(
                f"cases is {_programs.shown(cases)}: expected True, for formulas about cases, or False; k is the number "
                "of cases at the same time, of soundness"
            )
        number = whole(k, "k", least=1)
        if number > 1 and not names & _OF_CASES:
            raise ParikhError(f"k is {number}, and soundness is not among the questions: k applies to soundness only")
        if cases and number > 1:
            raise ParikhError(f"k is {number}: with cases=True, formulas are about one case")
        if cases and fair:
            raise ParikhError("fair and cases=True cannot be combined: fairness applies to infinite runs only")
        if cases and not all(name.startswith("ltl") for name in names):
            raise ParikhError(
                "cases=True applies to formulas and LTL examinations: ask the other examinations without it"
            )
        if final is not None and not cases and not names & _OF_CASES:
            raise ParikhError("final applies to soundness, and to formulas with cases=True, and neither is asked")
        if self._is_empty and names & _OF_CASES:
            sources = set(self.places) - {arc.target for arc in self.arcs}
            source = f"`{sources.pop()}`" if len(sources) == 1 else "its source"
            raise ParikhError(
                f"the initial marking is empty: a case needs a token in {source}; omit the initial marking to "
                "begin with one in the source"
            )
        fairness = _texts(fair, "fair", "kinds of fairness, such as 'weak'")
        if not isinstance(require, str):
            raise ParikhError(f"require is {_programs.shown(require)}: expected 'searched' or 'certified'")
        source_file = self._read_from()
        options = (*self._options(), *(it for one in fairness for it in ("--fair", one)))
        inquiry = Inquiry(
            source_file, Formulas(formulas), None if queries is None else _programs.path_of(queries, "queries"),
            self._finals(final), (*options, "--cases") if cases else options,
        )
        arguments = ["check", source_file.path, "--format", "json", "--evidence", inquiry.directory.name]
        arguments += ["--timeout", _programs.seconds(timeout), "--require", require, *inquiry.options]
        arguments += ["--seed", str(whole(seed, "seed"))]
        arguments += [it for exam in exams for it in ("--examination", exam)]
        if formulas:
            inquiry.write()
            arguments += ["--formulas", inquiry.file, "--language", "inline"]
        with_values = {
            "--queries": inquiry.queries, "--memory": _programs.size(memory),
            "--threads": None if threads is None else str(whole(threads, "threads", least=1)),
            "--engines": ",".join(_texts(engines, "engines", "names of engines")) or None,
            "--k": None if number == 1 else str(number),
        }
        for option, value in with_values.items():
            arguments += [] if value is None else [option, value]
        arguments += [it for last in inquiry.finals for it in ("--final", last)]
        if not names & {"statespace", "ss", "states"}:
            # Beside figures of a state space, the program tells no progress.
            arguments.append("--events")
        if isinstance(examination, str):
            is_one = not formulas and examination.lower() in _ONE_QUESTION
        else:
            is_one = not exams and isinstance(questions, str)
        return _Asked(arguments, inquiry, Hearing(inquiry, self.name), is_one)

    def _finals(self, final: Finals) -> tuple[str, ...]:
        """The final markings as the programs read them."""
        if final is None:
            return ()
        given = [final] if isinstance(final, (str, Mapping)) else _listed(final, "final", "markings")
        if not given:
            raise ParikhError("final has no marking: expected one or several markings in which a case is done")
        return tuple(map(self._last, given))

    def _last(self, final: Any) -> str:
        """A final marking as the programs read it."""
        if isinstance(final, str):
            return final
        marking = _by_id(final, self.ids, "the final marking")
        if not marking:
            raise ParikhError("the final marking is empty: expected at least one token")
        return " + ".join(f"{n}*id {_quoted(place)}" for place, n in marking.items())

    # --- to look at --------------------------------------------------------------------------------

    def report(self, *, timeout: Time = 20) -> str:
        """A page in HTML, which needs no network: what is wrong with the net, the net drawn, witnesses to
        play."""
        source = self._read_from()
        arguments = ["report", source.path, *self._options(), "--output", "-", "--timeout", _programs.seconds(timeout)]
        return _programs.run("parikh", arguments, fine=(0, 3), retold=source.retold)

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
    """A command line, what it asks, who makes answers of what comes, and whether one answer is expected."""

    arguments: list[str]
    inquiry: Inquiry
    hearing: Hearing
    is_one: bool


def load(path: Union[str, "os.PathLike[str]"], *, untimed: bool = False) -> Net:
    """Reads a model: PNML or a net as text, compressed (``.gz``) or not, or an instance of the Model Checking
    Contest, its directory or its archive (``.tgz``). Of a coloured model, what is asked is asked of the model;
    its nodes here are those of its unfolding.

    Times and priorities change what is reachable, so a model with them is refused. With ``untimed=True``, questions
    are about the net without them, and the answers say so.

    The file is read again with every question. Raises :class:`ParikhError` when it cannot be read; questions raise it
    when the file has changed since it was loaded.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as at:
    ...     file = os.path.join(at, "net.txt")
    ...     with open(file, "w") as out:
    ...         print("place p 1\\nplace q\\ntransition t: p -> q", file=out, end="")
    ...     net = load(file)
    >>> net
    <Net net: 2 places, 1 transitions, 2 arcs>
    """
    # Looked at before it is read, so that no change is overlooked.
    source = _programs.Source(os.path.abspath(_programs.path_of(path, "path")))
    options = ("--untimed",) if _flag(untimed, "untimed") else ()
    net = _of_info(_info(source, options), source.path)
    net._source, net._untimed = source, bool(options)
    return net


def _info(source: _programs.Source, options: Sequence[str] = ()) -> dict[str, Any]:
    said = _programs.run("parikh", ["info", source.path, *options, "--format", "json"], retold=source.retold)
    return next(_programs.objects(said))


def _written(text: str, name: str) -> _programs.Source:
    """A file with a model, for the programs."""
    directory = _programs.Directory()
    file = os.path.join(directory.name, "model.pnml")
    Path(file).write_bytes(text.encode("utf-8"))
    return _programs.Source(file, name, directory)


def _of_info(info: dict[str, Any], file: str | None) -> Net:
    nodes = info.get("nodes")
    if "system" in info:
        raise ParikhError(f"{file}: this is a parallel system, not a net: use parikh.load_system")
    if nodes is None:
        reason = info.get("not_unfolded", "the coloured net was not unfolded")
        raise ParikhError(f"{file}: {reason}; use `parikh check` instead")
    ids = [[it["id"] for it in nodes[kind]] for kind in ("places", "transitions")]
    names = {it["id"]: it["name"] for kind in nodes.values() for it in kind if it["name"] is not None}

    def marking(told: dict[str, Any]) -> dict[str, int]:
        return {place: integer(n) for place, n in told.items()}

    return Net(
        ids[0], ids[1], [Arc(it["from"], it["to"], integer(it["weight"])) for it in info["arc_list"]],
        marking(info["marking"]) or None,
        inhibitors=[Arc(it["place"], it["transition"], integer(it["weight"])) for it in info["inhibitor_arcs"]],
        resets=[Arc(it["place"], it["transition"]) for it in info["reset_arcs"]],
        finals=map(marking, info["finals"]), names=names,
        name=info["net"] or (Path(file).name.split(".")[0] if file else "net"),
    )


def _kind(arc: Any) -> str:
    """What an arc of PM4Py does: "normal", "inhibitor" or "reset"."""
    said = (getattr(arc, "properties", None) or {}).get("arctype") or "normal"
    classes = {it.__name__ for it in type(arc).__mro__}
    kinds = {kind for kind, name in (("inhibitor", "InhibitorArc"), ("reset", "ResetArc")) if name in classes}
    kinds |= {str(said)} - {"normal"}
    if len(kinds) > 1 or not kinds <= {"inhibitor", "reset"}:
        raise ParikhError(f"an arc of the kind {' and '.join(sorted(kinds))!r}: expected 'inhibitor' or 'reset'")
    return next(iter(kinds), "normal")


def _timing(transition: Any, id: str) -> dict[str, str]:
    """The times, priorities and rates of a transition of PM4Py, by the words that PM4Py has for them in files.

    Raises :class:`ParikhError` when the transition has a guard, a condition on data.
    """
    properties = getattr(transition, "properties", None) or {}
    if properties.get("guard"):
        raise ParikhError(
            f"the transition {id!r} has the guard {_programs.shown(properties['guard'])}: conditions on data are not "
            "supported; remove the guards to ask about the net without them, which may reach more markings"
        )
    distribution = properties.get("stochastic_distribution")
    words = {"distributionType": "get_distribution_type", "priority": "get_priority", "weight": "get_weight"}
    found = {word: getattr(distribution, get, lambda: None)() for word, get in words.items()}
    return {word: str(it) for word, it in found.items() if it is not None}


def _flag(value: Any, what: str) -> bool:
    if not _is_bool(value):
        raise ParikhError(f"{what} is {_programs.shown(value)}: expected True or False")
    return bool(value)


def _is_bool(value: Any) -> bool:
    """Whether it is a truth value: of Python or of NumPy."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool") and not isinstance(value, int)


def _listed(given: Any, what: str, expected: str) -> list[Any]:
    """The parts of a list, or of whatever can be gone through; a text is none."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ParikhError(f"{what} is {_programs.shown(given)}: expected {expected}, in a list")
    return list(given)


def _texts(given: Any, what: str, expected: str) -> list[str]:
    """Texts: one, or several."""
    texts = [given] if isinstance(given, str) else _listed(given, what, expected)
    wrong = [it for it in texts if not isinstance(it, str)]
    if wrong:
        raise ParikhError(f"{what} has {_programs.shown(wrong[0])}: expected {expected}")
    return texts


def _named(given: Any, what: str) -> list[Any]:
    """Names of nodes: in a list, or the letters of a text."""
    return list(given) if isinstance(given, str) else _listed(given, what, "names")


def _pairs(given: Any, what: str) -> Mapping[Any, Any]:
    """A mapping; None is an empty one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParikhError(f"{what} is {_programs.shown(given)}: expected a mapping from ids")
    return given


def _id(name: Any) -> str:
    if isinstance(name, str) and not name:
        raise ParikhError("a node has an empty name")
    return _text(name, "the name of a node")


def _text(text: Any, what: str) -> str:
    if not isinstance(text, str):
        raise ParikhError(f"{what} is {_programs.shown(text)}: expected a text")
    wrong = _NO_TEXT.search(text)
    if wrong:
        raise ParikhError(f"{what}, {_programs.shown(text)}, has the character {wrong[0]!r}, which PNML does not allow")
    return text if type(text) is str else str(text)


def _numbered(wanted: list[str]) -> list[str]:
    """The names; where several are the same, those after the first with a number that makes new ones.

    >>> _numbered(["a", "a", "a_2", "b", "a"])
    ['a', 'a_3', 'a_2', 'b', 'a_4']
    """
    taken, seen, numbers = set(wanted), set(), {name: itertools.count(2) for name in wanted}
    names = []
    for name in wanted:
        if name in seen:
            name = next(it for it in (f"{name}_{n}" for n in numbers[name]) if it not in taken)
            taken.add(name)
        seen.add(name)
        names.append(name)
    return names


def _merged(arcs: Iterable[Any], places: AbstractSet[str], transitions: AbstractSet[str]) -> tuple[Arc, ...]:
    """The arcs, with one from a node to another, which has the weights of all together."""
    merged: dict[tuple[str, str], Arc] = {}
    for it in _listed(arcs, "arcs", "arcs"):
        try:
            arc = it if isinstance(it, Arc) else Arc(*it)
            ends = (arc.source, arc.target)
            is_arc = (ends[0] in places and ends[1] in transitions) or (ends[0] in transitions and ends[1] in places)
        except TypeError:
            raise ParikhError(f"an arc is {_programs.shown(it)}: expected two ids and optionally a weight") from None
        if not is_arc:
            raise ParikhError(f"an arc from {arc.source!r} to {arc.target!r}: expected a place and a transition")
        if not is_count(arc.weight) or not arc.weight or ends in merged:
            what = f"the weight of the arc from {arc.source!r} to {arc.target!r}"
            before = merged[ends].weight if ends in merged else 0
            arc = Arc(*ends, whole(before + whole(arc.weight, what, least=1), what, least=1))
        merged[ends] = arc
    return tuple(merged.values())


def _special(
    arcs: Iterable[Any], places: AbstractSet[str], transitions: AbstractSet[str], kind: str
) -> tuple[Arc, ...]:
    """The arcs from places that inhibit or reset: at most one between two nodes, and none that resets has a weight."""
    given = _listed(arcs, f"{kind} arcs", "arcs")
    found = _merged(given, places, transitions)
    for arc in found:
        between = f"the {kind} arc from {arc.source!r} to {arc.target!r}"
        if arc.source not in places:
            raise ParikhError(f"{between}: expected an arc from a place")
        if kind == "reset" and arc.weight > 1:
            raise ParikhError(f"{between} has the weight {arc.weight}, but takes all tokens: omit the weight")
    if len(found) < len(given):
        raise ParikhError(f"there are two {kind} arcs from one place to one transition")
    return found


def _marking(marking: Any, places: Iterable[str], what: str) -> Mapping[str, int]:
    """The tokens that there are, by place."""
    return MappingProxyType(_by_id(marking, {place: place for place in places}, what, strict=True))


def _by_id(marking: Any, ids: Mapping[Any, str], what: str, strict: bool = False) -> dict[str, int]:
    """The tokens that there are, by the ids of places; texts count as ids unless ``strict``."""
    if not isinstance(marking, Mapping):
        raise ParikhError(f"{what} is {_programs.shown(marking)}: expected tokens by place, as in {{'p': 1}}")
    tokens: dict[str, int] = {}
    for place, count in marking.items():
        id = ids.get(place, None if strict or not isinstance(place, str) else place)
        if id is None:
            raise ParikhError(f"{what} has tokens on {_programs.shown(place)}, which is not a place of the net")
        number = count if is_count(count) else whole(count, f"the number of tokens on {id!r} in {what}")
        if number:
            tokens[id] = number
    return tokens


def _lists(matrix: Any, what: str) -> tuple[tuple[int, ...], Any]:
    """The shape of a matrix or vector, and its numbers in lists."""
    for convert in ("to_numpy", "toarray"):
        matrix = getattr(matrix, convert, lambda it=matrix: it)()
    if hasattr(matrix, "shape"):
        return tuple(matrix.shape), matrix.tolist()
    try:
        numbers = [it.tolist() if hasattr(it, "tolist") else it for it in matrix]
    except TypeError:
        raise ParikhError(f"{what} is {_programs.shown(matrix)}: expected numbers in rows") from None
    if not any(isinstance(it, (list, tuple)) for it in numbers):
        return (len(numbers),) if numbers else (0, 0), numbers
    lengths = {len(it) if isinstance(it, (list, tuple)) else -1 for it in numbers}
    if len(lengths) > 1:
        raise ParikhError(f"the rows of {what} have different lengths")
    return (len(numbers), *lengths), numbers


def _entries(matrix: Any, what: str) -> tuple[int, int, list[tuple[int, int, int]]]:
    """Rows, columns, and what is not 0."""
    found: Iterable[tuple[int, int, Any]]
    if hasattr(matrix, "tocoo"):
        coo = matrix.tocoo()
        shape, found = tuple(coo.shape), zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist())
    else:
        shape, lists = _lists(matrix, what)
        found = ((i, j, n) for i, row in enumerate(lists) for j, n in enumerate(row)) if len(shape) == 2 else ()
    if len(shape) != 2:
        raise ParikhError(f"{what} has {len(shape)} dimensions: expected a row per place and a column per transition")
    weights = ((i, j, n if is_count(n) else whole(n, f"row {i}, column {j} of {what}")) for i, j, n in found)
    return shape[0], shape[1], [(i, j, n) for i, j, n in weights if n]


def _vector(numbers: Any, places: int, what: str) -> list[int]:
    """A number of tokens a place, of a vector or of a matrix with one column or row."""
    shape, lists = _lists(numbers, what)
    if len(shape) == 2 and 1 in shape:
        lists = [it for row in lists for it in row]
    elif len(shape) == 2 and 0 in shape:
        lists = []
    elif len(shape) != 1:
        raise ParikhError(f"{what} has the shape {shape}: expected a number of tokens per place")
    if len(lists) != places:
        raise ParikhError(f"the matrices have {places} rows, but {what} has {len(lists)} places")
    return [it if is_count(it) else whole(it, f"number {i} of {what}") for i, it in enumerate(lists)]


def _vectors(numbers: Any, places: int, what: str) -> list[list[int]]:
    """Numbers of tokens a place: of one vector, or of a matrix with a row for each."""
    shape, lists = _lists(numbers, what)
    several = lists if len(shape) == 2 and min(shape) > 1 else [numbers]
    return [_vector(it, places, what) for it in several]


def _quoted(name: str) -> str:
    inner = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'
