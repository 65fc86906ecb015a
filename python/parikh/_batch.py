"""The same questions about many models."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Iterable, Mapping, Union

from ._answer import Answer, Answers
from ._net import Examinations, Net, Questions, _listed, _texts, load
from ._programs import ParikhError, path_of


def batch(
    models: Union[Iterable[Union[str, "os.PathLike[str]", Net]], str, "os.PathLike[str]", Net],
    questions: Questions = None,
    *,
    examination: Examinations = None,
    untimed: bool = False,
    **more: Any,
) -> Answers:
    """Asks the same questions of many models (nets, or paths), one after the other, as :meth:`Net.check` does with
    the same options; ``to_frame()`` of what comes back is a row an answer. A model that cannot be read, or
    cannot be asked this, is a row without value, whose reason says why. A path or net alone is one model.
    ``untimed`` is that of :func:`load`.

    >>> from parikh import Net
    >>> ring = Net.from_matrices([[1, 0], [0, 1]], [[0, 1], [1, 0]], [1, 0], name="ring")
    >>> line = Net.from_matrices([[1], [0]], [[0], [1]], [1, 0], name="line")
    >>> [(it.model, it.value) for it in batch([ring, line], examination="Liveness")]
    [('ring', True), ('line', False)]
    """
    if isinstance(models, (str, os.PathLike, Net)):
        models = [models]
    # What can be gone through only once is asked of every model.
    if not isinstance(questions, Mapping):
        questions = [] if questions is None else _texts(questions, "questions", "formulas")
    exams = [] if examination is None else _texts(examination, "examination", "names of examinations")
    answers = Answers()
    for model in _listed(models, "models", "nets or paths"):
        name = model.name if isinstance(model, Net) else path_of(model, "a model")
        try:
            net = model if isinstance(model, Net) else load(model, untimed=untimed)
            asked = net.check(questions, examination=exams, **more)
            answers += [replace(it, model=name) for it in asked]
        except ParikhError as error:
            answers.append(Answer("", ",".join(exams) or "Formulas", None, str(error), model=name))
    return answers
