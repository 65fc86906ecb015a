"""A notebook of ten cells, run cell by cell: in a fresh environment, with nothing but the wheel.

    python notebook.py NOTEBOOK_DIRECTORY

What a cell takes that is not installed (NumPy, SciPy, pandas) is said and left out.
"""

import importlib.util
import sys
import time
from pathlib import Path

CELLS = [
    ("import", "import parikh; parikh.version()"),
    ("load", "net = parikh.load(examples / 'philosophers.pnml'); net"),
    ("check", "answer = net.check(examination='ReachabilityDeadlock'); answer.value"),
    ("witness", "list(answer.witness.transitions())"),
    ("certify", "answer.certify().verdict"),
    ("formulas", "net.check({'never-both': 'AG !(eat1 >= 1 && eat2 >= 1)', 'most': 'bound(eat1 + eat2)'})"),
    ("invariants as a matrix", "net.invariants('P').matrix if numpy else net.invariants('P').rows()"),
    ("soundness of a PM4Py net", "sound, why = parikh.Net.from_pm4py(*order(joined=False)).soundness(); why['reason']"),
    ("a batch", "parikh.batch([net, examples / 'orders.pnml'], examination=['RD', 'OS']).rows()[0]"),
    ("report shown", "len(net._repr_html_())"),
]


def main() -> None:
    examples = Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(Path(__file__).parent))
    from test_parikh import order  # a net of PM4Py's shape

    numpy = importlib.util.find_spec("numpy")
    scope = {"examples": examples, "order": order, "numpy": numpy}
    begun = time.monotonic()
    for number, (title, cell) in enumerate(CELLS, 1):
        *before, last = cell.split("; ")
        for statement in before:
            exec(statement, scope)
        shown = repr(eval(last, scope)) if not last.startswith(("import", "net =")) else exec(last, scope)
        print(f"[{number}] {title}: {' '.join(str(shown).split())[:110]}")
        if title == "check":
            print(f"    first answer after {time.monotonic() - begun:.2f} s")
    print(f"ten cells in {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    main()
