"""Parallel systems, components that synchronise on labels, as RERS has them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterable, Mapping, Union, overload

from . import _programs
from ._answer import Answer, Answers, Hearing, Inquiry
from ._net import Several, _texts
from ._programs import Memory, ParikhError, Time, whole

#: What questions about systems are called together.
_EXAMINATION = "Properties"


class System:
    """A parallel system: components with labels on their edges. :func:`load_system` makes it."""

    def __init__(self, source: _programs.Source, told: Mapping[str, Any]) -> None:
        self._source = source
        self.name: str = told["system"]
        #: The names of its components.
        self.components: tuple[str, ...] = tuple(it["name"] for it in told["components"])
        self.states: int = told["states"]
        self.edges: int = told["edges"]
        self.labels: int = told["labels"]

    @property
    def file(self) -> str:
        """The file it was loaded from.

        Raises :class:`ParikhError` when that has changed since.
        """
        return self._source.path

    def __repr__(self) -> str:
        return (
            f"<System {self.name}: {len(self.components)} components, {self.states} states, {self.edges} edges, "
            f"{self.labels} labels>"
        )

    @overload
    def check(
        self, properties: str, *,
        semantics: str = ..., timeout: Time = ..., memory: Memory = ..., threads: int | None = ...,
        seed: int = ..., require: str = ...,
    ) -> Answer: ...

    @overload
    def check(
        self, properties: Union[Several, "os.PathLike[str]"], *,
        semantics: str = ..., timeout: Time = ..., memory: Memory = ..., threads: int | None = ...,
        seed: int = ..., require: str = ...,
    ) -> Answers: ...

    def check(
        self,
        properties: Union[str, Iterable[str], "os.PathLike[str]"],
        *,
        semantics: str = "infinite",
        timeout: Time = 60,
        memory: Memory = None,
        threads: int | None = None,
        seed: int = 1,
        require: str = "searched",
    ) -> Union[Answer, Answers]:
        """Answers properties in the language of RERS: one, which has an :class:`Answer`, or several, or those
        of a file (a :class:`pathlib.Path`), which have :class:`Answers` with the ids "1", "2" and so on. All of
        them are about runs (LTL), or all about trees (CTL with ``<a>φ`` and ``[a]φ``).

        What finite runs count for in LTL is said by ``semantics``: "infinite", nothing, or "spin", where a
        finite run repeats its last label. ``timeout`` and ``memory`` are as :meth:`Net.check` has them.

        Raises :class:`ParikhError` when a property or an option makes no sense, and when the file has changed since
        it was loaded.

        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as at:
        ...     file = os.path.join(at, "lamp.dot")
        ...     with open(file, "w") as out:
        ...         print('digraph G { subgraph lamp { 0 [label="root"]; 1 [label="off"]; 2 [label="lit"];', file=out)
        ...         print('0->1 [label=""]; 1->2 [label="on"]; 2->1 [label="off"]; } }', file=out)
        ...     lamp = load_system(file)
        ...     answer = lamp.check("( G(on => X(off)) )")
        ...     lamp, answer.value, answer.certify().verdict
        (<System lamp: 1 components, 2 states, 2 edges, 2 labels>, True, 'confirmed')
        """
        inquiry = Inquiry(self._source, options=("--semantics", semantics))
        if isinstance(properties, os.PathLike):
            file = Path(properties)
        else:
            asked = _texts(properties, "properties", "properties")
            if not asked:
                raise ParikhError("there is no question: give a property")
            file = Path(inquiry.directory.name) / f"{_EXAMINATION}.txt"
            text = "".join(f"#{number}:\n{it}\n\n" for number, it in enumerate(asked, 1))
            try:
                file.write_bytes(text.encode("utf-8"))
            except UnicodeEncodeError as error:
                raise ParikhError(f"a property cannot be encoded in UTF-8: {error.reason}") from None
        inquiry.queries = os.fspath(file)
        inquiry.evidence = f"{file.stem}.jsonl"
        arguments = ["check", self.file, "--properties", str(file), "--format", "json"]
        arguments += ["--evidence", inquiry.directory.name, *inquiry.options]
        arguments += ["--timeout", _programs.seconds(timeout), "--require", require]
        arguments += ["--seed", str(whole(seed, "seed"))]
        most = _programs.size(memory)
        arguments += [] if most is None else ["--memory", most]
        arguments += [] if threads is None else ["--threads", str(whole(threads, "threads", least=1))]
        hearing = Hearing(inquiry, self.name)
        answers: dict[str, Answer] = {}
        for told in _programs.objects(_programs.run("parikh", arguments, fine=(0, 3), retold=inquiry.retold)):
            heard = hearing.hear({"examination": _EXAMINATION, **told})
            if isinstance(heard, Answer):
                answers[heard.id] = heard
        found = Answers(answers[it] for it in sorted(answers, key=int))
        return found[0] if isinstance(properties, str) and len(found) == 1 else found


def load_system(path: Union[str, "os.PathLike[str]"]) -> System:
    """Reads a parallel system: ``.dot``, ``.pml``, ``.aut`` or ``.fsm``.

    Raises :class:`ParikhError` when the file cannot be read, or is no parallel system.
    """
    source = _programs.Source(os.path.abspath(_programs.path_of(path, "path")))
    told = next(_programs.objects(_programs.run("parikh", ["info", source.path, "--format", "json"])))
    if "system" not in told:
        raise ParikhError(f"{source.path}: this is a net, not a parallel system: use parikh.load")
    return System(source, told)
