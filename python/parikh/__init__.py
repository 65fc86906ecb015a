"""Parikh verifies Petri nets and produces evidence you can check.

    >>> import parikh
    >>> net = parikh.Net.from_matrices(pre=[[1, 0], [0, 1]], post=[[0, 1], [1, 0]], m0=[1, 0])
    >>> net.check("AG (p0 + p1 = 1)").value
    True
    >>> net.check(examination="ReachabilityDeadlock").value
    False

Every answer says what it stands on (:attr:`Answer.evidence`), and :meth:`Answer.certify` has it checked
again by ``parikh-certify``, a small program that shares nothing with the prover.
"""

from ._answer import Answer, Answers, Bounds, Certificate, Progress
from ._batch import batch
from ._net import Arc, Net, load
from ._process import Soundness
from ._programs import InternalError, ParikhError, ParikhWarning, version
from ._structure import Invariant, Invariants, NodeSets
from ._system import System, load_system
from ._witness import Repeat, Stage, Witness

__version__ = "0.1.0"

__all__ = [
    "Answer", "Answers", "Arc", "Bounds", "Certificate", "InternalError", "Invariant", "Invariants", "Net",
    "NodeSets", "ParikhError", "ParikhWarning", "Progress", "Repeat", "Soundness", "Stage", "System", "Witness",
    "batch", "load", "load_system", "version", "__version__",
]
