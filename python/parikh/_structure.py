"""What the arcs of a net say: invariants, siphons, traps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._programs import integer

if TYPE_CHECKING:
    import numpy


@dataclass(frozen=True)
class Invariant:
    """A sum of tokens that never changes (``constant`` is its value), or firings that change nothing
    together (``constant`` is None). Transitions of one effect count as one, called by the first."""

    #: How often each node counts. The text has the same, which is what is hashed.
    terms: dict[str, int] = field(hash=False)
    constant: int | None
    text: str
    #: Whether no coefficient is negative.
    is_semiflow: bool

    def __str__(self) -> str:
        return self.text


class Invariants(list[Invariant]):
    """Invariants, which are all that were asked for where ``complete``."""

    def __init__(self, invariants: list[Invariant], nodes: tuple[str, ...], complete: bool) -> None:
        super().__init__(invariants)
        self.nodes = nodes
        self.complete = complete

    @property
    def matrix(self) -> "numpy.ndarray[Any, Any]":
        """A row an invariant, a column one of ``nodes``, which are those of the net in its order; int64, or Python's
        numbers where that is not enough. Of a net with inhibitor or reset arcs, nodes of the place/transition net
        that stands for it are behind them."""
        import numpy

        rows = self.rows()
        fits = all(-(2**63) <= number < 2**63 for row in rows for number in row)
        shape = (len(rows), len(self.nodes))
        return numpy.array(rows, dtype=numpy.int64 if fits else object).reshape(shape)

    def rows(self) -> list[list[int]]:
        """The same as lists."""
        return [[it.terms.get(node, 0) for node in self.nodes] for it in self]


class NodeSets(list[frozenset[str]]):
    """Sets of places; all that were asked for where ``complete``."""

    def __init__(self, sets: list[frozenset[str]], complete: bool) -> None:
        super().__init__(sets)
        self.complete = complete


def invariant(told: dict[str, Any]) -> Invariant:
    """An invariant of the JSON."""
    terms = {
        it["place"] if "place" in it else it["transitions"][0]: integer(it["coefficient"])
        for it in told["terms"]
    }
    constant = told["constant"]
    return Invariant(terms, None if constant is None else integer(constant), told["text"], told["semiflow"])
