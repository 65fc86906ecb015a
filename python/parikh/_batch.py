"""The same questions about many models."""

from __future__ import annotations

import os
from typing import Any, Iterable, Union

from ._answer import Answer, Answers
from ._net import Net, load
from ._programs import ParikhError


def batch(
    models: Iterable[Union[str, "os.PathLike[str]", Net]],
    questions: Any = None,
    *,
    examination: Any = None,
    **more: Any,
) -> Answers:
    """Asks the same questions of many models, one after the other; ``to_frame()`` of what comes back is a
    row an answer. A model that cannot be read is a row without value, whose reason says why.

    >>> from parikh import Net
    >>> ring = Net.from_matrices([[1, 0], [0, 1]], [[0, 1], [1, 0]], [1, 0], name="ring")
    >>> line = Net.from_matrices([[1], [0]], [[0], [1]], [1, 0], name="line")
    >>> [(it.model, it.value) for it in batch([ring, line], examination="Liveness")]
    [('ring', True), ('line', False)]
    """
    answers = Answers()
    for model in models:
        name = model.name if isinstance(model, Net) else os.fspath(model)
        try:
            net = model if isinstance(model, Net) else load(model)
            asked = net.check(questions, examination=examination, **more)
            for answer in asked if isinstance(asked, list) else [asked]:
                answers.append(_of(answer, name))
        except ParikhError as error:
            answers.append(Answer("", str(examination or "Formulas"), None, str(error), model=name))
    return answers


def _of(answer: Answer, model: str) -> Answer:
    object.__setattr__(answer, "model", model)
    return answer
