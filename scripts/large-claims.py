#!/usr/bin/env python3
"""Measures parikh-proved on evidence about large nets, one kind of evidence after the other.

    scripts/large-claims.py --checker parikh-proved --bin DIR [--sizes 10000,100000] [KIND...]

Writes nets with the given numbers of transitions, asks `parikh check` one question about each, exports
the answer, and runs the checker. Prints a row of a Markdown table for each: the evidence in the file
of claims, its size, processor seconds of the prover and of the export, and those of the checker with
its memory.
"""

import argparse
import collections
import pathlib
import subprocess
import tempfile


def chain(n):
    """One token goes through all transitions."""
    yield "place p0 1"
    yield from (f"place p{i}" for i in range(1, n + 1))
    yield from (f"transition t{i}: p{i} -> p{i + 1}" for i in range(n))


def switches(n):
    """Independent places with complements."""
    for i in range(n // 2):
        yield f"place off{i} 1"
        yield f"place on{i}"
        yield f"transition up{i}: off{i} -> on{i}"
        yield f"transition down{i}: on{i} -> off{i}"


def mutex(n):
    """Processes that share a lock."""
    yield "place lock 1"
    for i in range(n // 2):
        yield f"place idle{i} 1"
        yield f"place busy{i}"
        yield f"transition enter{i}: idle{i} + lock -> busy{i}"
        yield f"transition leave{i}: busy{i} -> idle{i} + lock"


def locks(n):
    """Processes in a ring, with a lock between neighbours."""
    count = n // 2
    for i in range(count):
        yield f"place lock{i} 1"
        yield f"place idle{i} 1"
        yield f"place busy{i}"
        both = f"lock{i} + lock{(i + 1) % count}"
        yield f"transition enter{i}: idle{i} + {both} -> busy{i}"
        yield f"transition leave{i}: busy{i} -> idle{i} + {both}"


def orders(n):
    """Triples of transitions. Twenty of them need a clause each: `done` implies not `wait`."""
    yield "place bad"
    yield "place other"
    for i in range(n // 3):
        yield f"place wait{i} 1"
        yield f"place open{i}"
        yield f"place done{i}"
        yield f"transition allow{i}: wait{i} -> open{i}"
        yield f"transition use{i}: open{i} -> open{i} + done{i}"
        yield f"transition fail{i}: wait{i} + done{i} -> {'bad' if i < 20 else 'other'}"


def few(n):
    """A ring of 100 markings, and transitions that are never enabled."""
    for i in range(100):
        yield f"place p{i}" + (" 1" if i == 0 else "")
    yield from (f"transition t{i}: p{i} -> p{(i + 1) % 100}" for i in range(100))
    yield from (f"transition d{i}: p{i % 100} + p{(i + 37) % 100} -> 2*p{i % 100}" for i in range(n - 100))


def growth(n):
    """A ring that produces a token in each round, and transitions that are never enabled."""
    yield "place out"
    for i in range(100):
        yield f"place p{i}" + (" 1" if i == 0 else "")
    yield from (f"transition t{i}: p{i} -> p{(i + 1) % 100}{' + out' if i == 99 else ''}" for i in range(100))
    yield from (f"transition d{i}: p{i % 100} + p{(i + 37) % 100} -> 2*p{i % 100}" for i in range(n - 100))


# The net, and the question.
KINDS = {
    "reach": (chain, lambda n: ["--formula", f"EF p{n} >= 1"]),
    "deadlock": (chain, lambda n: ["-e", "ReachabilityDeadlock"]),
    "quasi-live": (chain, lambda n: ["-e", "QuasiLiveness"]),
    "safe": (switches, lambda n: ["-e", "OneSafe"]),
    "no-deadlock": (switches, lambda n: ["-e", "ReachabilityDeadlock"]),
    "exclusion": (mutex, lambda n: ["--formula", "AG (busy0 + busy1 + busy2 <= 1)", "--engines", "state-equation"]),
    "bound": (mutex, lambda n: ["--formula", "bound(" + " + ".join(f"busy{i}" for i in range(n // 2)) + ")"]),
    "locks": (locks, lambda n: ["-e", "ReachabilityDeadlock"]),
    "safe-locks": (locks, lambda n: ["-e", "OneSafe"]),
    "clauses": (orders, lambda n: ["--formula", "EF bad >= 1", "--engines", "pdr,k-induction"]),
    "markings": (few, lambda n: ["--formula", "AG (p0 + 2*p1 <= 2 and !deadlock)", "--engines", "explicit"]),
    "pump": (growth, lambda n: ["--formula", "bound(out)"]),
}


def run(command):
    """Returns the output, the messages, the processor seconds, and the megabytes of a command."""
    timed = ["/usr/bin/time", "-f", "%M %U %S", *map(str, command)]
    done = subprocess.run(timed, capture_output=True, text=True, check=False)
    memory, *seconds = done.stderr.rstrip().splitlines()[-1].split()
    return done.stdout, done.stderr, sum(map(float, seconds)), int(memory) / 1024


def evidence_of(file):
    """Counts the kinds of evidence in a file of claims."""
    words = collections.Counter()
    kinds = {"sequence", "pump", "inductive", "follows", "refutes", "markings", "sum", "bound", "cases", "cut"}
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            words.update(word for word in line.split("#")[0].split() if word in kinds)
    return ", ".join(f"{count} {word}" for word, count in words.most_common())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checker", required=True)
    parser.add_argument("--bin", required=True, help="the folder with parikh and parikh-certify")
    parser.add_argument("--prover", help="another program `parikh`")
    parser.add_argument("--sizes", default="10000,100000", help="the numbers of transitions")
    parser.add_argument("--timeout", default="300s", help="the time limit of the prover")
    parser.add_argument("--folder", help="keep the files there")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    arguments = parser.parse_args()
    programs = pathlib.Path(arguments.bin)
    print("| kind | transitions | evidence | MB | prover, s | export, s | checker, s | checker, MB | verdict |")
    print("|---|---|---|---|---|---|---|---|---|")
    for size in map(int, arguments.sizes.split(",")):
        for kind in arguments.kinds or KINDS:
            net, question = KINDS[kind]
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(arguments.folder or name) / f"{kind}-{size}"
                folder.mkdir(parents=True, exist_ok=True)
                model = folder / "model.net"
                model.write_text("net large\n" + "\n".join(net(size)) + "\n")
                asked = question(size)
                if asked[0] == "--formula":
                    # A formula may be too long for the command line.
                    (folder / "formula.txt").write_text(asked[1] + "\n")
                    asked = ["--formulas", folder / "formula.txt", *asked[2:]]
                prover = [arguments.prover or programs / "parikh", "check", model, *asked]
                prover += ["--without-rules", "all", "--timeout", arguments.timeout]
                output, _, proving, _ = run([*prover, "--evidence", folder / "evidence"])
                formulas = asked[:2] if asked[0] == "--formulas" else []
                certify = [programs / "parikh-certify", model, folder / "evidence", *formulas]
                _, errors, exporting, _ = run([*certify, "--export", folder / "claims"])
                files = sorted((folder / "claims").glob("*.claim"))
                row = f"| {kind} | {size:,} |"
                if not files:
                    why = [line for line in errors.splitlines() if "export" in line] or errors.splitlines()
                    print(f"{row} {output.strip()[:100]} | | {proving:.1f} | {exporting:.1f} | | | {why[0]} |", flush=True)
                    continue
                verdict, _, checking, megabytes = run([arguments.checker, files[0]])
                print(f"{row} {evidence_of(files[0])} | {files[0].stat().st_size / 1e6:.1f} | {proving:.1f} | "
                      f"{exporting:.1f} | {checking:.1f} | {megabytes:.0f} | "
                      f"{verdict.strip().rsplit(': ', 1)[-1]} |", flush=True)


if __name__ == "__main__":
    main()
