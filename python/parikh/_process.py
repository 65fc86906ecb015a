"""Soundness of processes, as people ask for it who come from PM4Py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

from ._answer import Answer
from ._witness import Witness


@dataclass(frozen=True)
class Soundness:
    """Whether every case can always be completed with nothing left behind, and every transition can fire.

    It is a truth value, and unpacks, or is indexed, as the pair that PM4Py's ``check_soundness`` gives::

        sound, diagnostics = net.soundness()
        sound = net.soundness()[0]
    """

    answer: Answer
    #: Transitions that never fire, as far as they were found.
    dead: tuple[str, ...]
    #: Where a case has tokens when it is stuck, or when it is done.
    stuck_on: tuple[str, ...]

    @property
    def value(self) -> bool | None:
        """Whether it is sound; None where that is not known."""
        value = self.answer.value
        return value if isinstance(value, bool) else None

    @property
    def reason(self) -> str:
        """What makes it unsound, in a sentence."""
        return self.answer.reason

    @property
    def witness(self) -> Witness | None:
        """The run that gets stuck or leaves tokens behind."""
        return self.answer.witness

    @property
    def diagnostics(self) -> dict[str, Any]:
        """All of that by name."""
        return {
            "reason": self.reason,
            "assumptions": self.answer.assumptions,
            "evidence": self.answer.evidence,
            "dead_transitions": self.dead,
            "places": self.stuck_on,
            "run": None if self.witness is None else list(self.witness.transitions()),
        }

    def __bool__(self) -> bool:
        return bool(self.answer)

    def __iter__(self) -> Iterator[Any]:
        yield self.value
        yield self.diagnostics

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return (self.value, self.diagnostics)[index]

    def __str__(self) -> str:
        return str(self.answer)
