"""``python -m parikh`` is the program ``parikh``."""

from ._programs import main

main()
