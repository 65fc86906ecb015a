#!/usr/bin/env python3
"""Asks Parikh about files of other projects, and parikh-certify about the answers.

    benchmarks/foreign-files.py DIRECTORY [--bin target/release] [--seconds 10] [--places 30]

Of each model of LoLA, TINA, mist and PNML below DIRECTORY: whether it is read, its deadlock, what a
query or target beside it asks, and the most tokens of each of its first places. Prints a line of each
file of which something is open or refused, and the sums.
"""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile
from collections import Counter
from xml.sax.saxutils import escape

KINDS = {".lola": "LoLA", ".net": "TINA", ".spec": "mist", ".pnml": "PNML"}


def run(command):
    """The exit code and the output of a command, both streams."""
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def places_of(model):
    """The ids of the places of a PNML file, as it writes them."""
    text = model.read_text(errors="replace")
    return re.findall(r"<place\b[^>]*\bid=\"([^\"]*)\"", text)


def bounds_query(places):
    """A query file of the contest that asks for the most tokens of each place."""
    of_place = [
        f"<property><id>most-{at}</id><description>tokens</description><formula><place-bound><place>{place}</place>"
        f"</place-bound></formula></property>"
        for at, place in enumerate(places)
    ]
    return '<property-set xmlns="http://mcc.lip6.fr/">' + "".join(of_place) + "</property-set>"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("directory", type=pathlib.Path)
    arguments.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("target/release"))
    arguments.add_argument("--seconds", type=int, default=10)
    arguments.add_argument("--places", type=int, default=30)
    given = arguments.parse_args()
    parikh, certify = given.bin / "parikh", given.bin / "parikh-certify"
    sums, kinds = Counter(), Counter()

    def ask(model, what, more, queries=()):
        """Asks, audits, and counts."""
        with tempfile.TemporaryDirectory() as evidence:
            limit = ["--timeout", str(given.seconds), "--evidence", evidence]
            code, out, err = run([parikh, "check", model, *more, *limit])
            if code not in (0, 3):
                return err.strip().splitlines()[0] if err.strip() else f"exit code {code}"
            lines = [line for line in out.splitlines() if re.match(r"\S+: \S+ — ", line)]
            open_ones = [line for line in lines if ": unknown" in line]
            sums[what, "asked"] += len(lines)
            sums[what, "answered"] += len(lines) - len(open_ones)
            for line in open_ones:
                print(f"{model}: open: {line}")
            _, told, complaint = run([certify, model, evidence, *queries])
            confirmed = len(re.findall(r": confirmed", told))
            sums[what, "confirmed"] += confirmed
            if confirmed < len(lines) - len(open_ones):
                print(f"{model}: {what}: {confirmed} of {len(lines) - len(open_ones)} confirmed")
                print("\n".join(l for l in (told + complaint).splitlines() if ": confirmed" not in l))
        return None

    for model in sorted(p for p in given.directory.rglob("*") if p.suffix in KINDS):
        kind = KINDS[model.suffix]
        kinds[kind, "files"] += 1
        refused = ask(model, "deadlock", ["-e", "ReachabilityDeadlock"])
        if refused:
            kinds[kind, "refused"] += 1
            print(f"{model}: refused: {refused}")
            continue
        query = model if kind == "mist" else model.parent / "query.xml"
        if query.exists():
            why = ask(model, "query", ["--formulas", query], ["--queries", query])
            if why:
                print(f"{model}: its query: {why}")
        if kind == "PNML":
            with tempfile.NamedTemporaryFile("w", suffix=".xml") as bounds:
                bounds.write(bounds_query(escape(it) for it in places_of(model)[: given.places]))
                bounds.flush()
                more = ["-e", "UpperBounds", "--queries", bounds.name]
                why = ask(model, "bound", more, ["--queries", bounds.name])
                if why:
                    print(f"{model}: bounds: {why}")
    for (kind, what), count in sorted({**kinds, **sums}.items()):
        print(f"{kind:10} {what:10} {count}")


if __name__ == "__main__":
    os.environ.setdefault("LD_LIBRARY_PATH", "vendor/lib")
    main()
