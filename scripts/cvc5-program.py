#!/usr/bin/env python3
"""Runs cvc5 on a file in SMT-LIB, with the package `cvc5` of PyPI: scripts/cvc5-program.py FILE

The package has no program `cvc5`. This one prints what the program would print.
"""

import sys

import cvc5


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    solver = cvc5.Solver()
    symbols = cvc5.SymbolManager(solver)
    parser = cvc5.InputParser(solver, symbols)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        print(command.invoke(solver, symbols), end="", flush=True)


if __name__ == "__main__":
    main()
