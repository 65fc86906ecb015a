"""What shows an answer: firing sequences, runs with loops, pumps, and runs that do not end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Union

from ._programs import ParikhError, integer


@dataclass(frozen=True)
class Repeat:
    """Steps that are gone through so many times in a row."""

    times: int
    steps: tuple["Step", ...]


#: The id of a transition that fires once, or what is repeated.
Step = Union[str, Repeat]


@dataclass(frozen=True)
class Stage:
    """Steps that happen once, and others that can be repeated after them for ever."""

    steps: tuple[Step, ...]
    repeat: tuple[Step, ...]


@dataclass(frozen=True)
class Witness:
    """What shows an answer, from the initial marking on.

    ``kind`` is ``"firings"``, ``"loops"``, ``"pump"`` (what repeats after the last stage adds tokens each
    time) or ``"lasso"`` (a run that does not end: what comes after ``steps`` is ``repeat`` for ever where
    ``end`` is ``"repeats"``, a dead marking where it is ``"dead"``, and anything else where that
    does not matter). Of a system, the steps are labels, and a run that ends has no step after ``steps``.
    """

    kind: str
    firings: int | None
    steps: tuple[Step, ...] = ()
    repeat: tuple[Step, ...] = ()
    end: str | None = None
    stages: tuple[Stage, ...] = ()
    #: Whether it was too long to be told step by step.
    cut: bool = False

    def __len__(self) -> int:
        return self.firings or 0

    def __bool__(self) -> bool:
        """It is there, be it of no firings at all: the initial marking shows the answer."""
        return True

    def transitions(self) -> Iterator[str]:
        """The transitions in the order in which they fire, without what repeats for ever.

        >>> list(Witness("firings", 3, ("a", Repeat(2, ("b",)))).transitions())
        ['a', 'b', 'b']
        """
        if self.cut:
            raise ParikhError("the witness is too long to be listed; `parikh check --trace` writes it to a file")
        stack: list[Iterator[Step]] = [iter(self.stages[0].steps if self.stages else self.steps)]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
            elif isinstance(step, str):
                yield step
            else:
                stack.append(_again(step))

    def __str__(self) -> str:
        if self.cut:
            return f"{self.firings} firings"
        shown = []
        for transition in self.transitions():
            shown.append(transition)
            if len(shown) > 20:
                shown[-1] = "…"
                break
        return " ".join(shown) or "(the initial marking)"


def _again(repeat: Repeat) -> Iterator[Step]:
    for _ in range(repeat.times):
        yield from repeat.steps


def _step(step: Any) -> Step:
    if isinstance(step, str):
        return step
    return Repeat(integer(step["times"]), _steps(step["steps"]))


def _steps(steps: list[Any]) -> tuple[Step, ...]:
    return tuple(map(_step, steps))


def read(told: dict[str, Any] | None) -> Witness | None:
    """A witness of the JSON."""
    if told is None:
        return None
    if "labels" in told:
        return _labels(told["labels"], told["back"])
    firings = told["firings"]
    stages = (Stage(_steps(it["steps"]), _steps(it["repeat"])) for it in told.get("stages", []))
    return Witness(
        kind=told["kind"],
        firings=None if firings is None else integer(firings),
        steps=_steps(told.get("steps", [])),
        repeat=_steps(told.get("repeat", [])),
        end=told.get("end"),
        stages=tuple(stages),
        cut=told.get("cut", False),
    )


def _labels(labels: list[str], back: int) -> Witness:
    """The run of a system: labels in place of transitions, and where it goes on after the last of them."""
    end = "repeats" if back < len(labels) else "dead"
    return Witness("lasso", back, tuple(labels[:back]), tuple(labels[back:]), end)
