"""The cells of the guide that take PM4Py, run as they stand there, with what they print."""

import contextlib
import importlib.util
import io
import os
import re
import unittest
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = next((it for it in (HERE.parent, HERE.parent.parent) if (it / "docs").is_dir()), HERE.parent)
CELL = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


class Guide(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("pm4py"), "takes PM4Py")
    def test_a_bpmn_file_is_checked_as_the_guide_shows(self):
        text = (ROOT / "docs" / "processes.md").read_text(encoding="utf-8")
        cells = CELL.findall(text)
        self.assertEqual(len(cells), 1, "the guide has a cell and what it prints")
        before = os.getcwd()
        os.chdir(ROOT)
        try:
            for cell, expected in cells:
                # PM4Py greets on stdout when it is imported.
                with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    import pm4py  # noqa: F401
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(cell, {})
                self.assertEqual(printed.getvalue(), expected)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    unittest.main()
