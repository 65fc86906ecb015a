#!/usr/bin/env python3
"""Asks several solvers about goals that `parikh encode` writes, and compares with `parikh check`.

    encode-agreement.py --parikh target/release/parikh --inputs INPUTS \\
        --solver cvc5 --solver yices-smt2 --sat-solver cadical153 --sat-solver glucose4

The nets are those of --list, or the largest net of each family that has at most --largest places and
transitions. For each net, `parikh check` answers ReachabilityDeadlock and some formulas. Each goal
with an answer is written in all encodings. A *contradiction* is one of these:

- two solvers say `sat` and `unsat` about one file;
- an encoding that covers all reachable markings is `unsat`, and the goal is reachable;
- a bounded encoding is `sat`, and the goal is unreachable;
- the file has another status than a solver finds (with --status).

Deadlocks are asked a second time with names of places and transitions that differ only in characters
that SMT-LIB does not allow or that begin escapes. The answers must be the same.

`--solver cvc5` uses the package `cvc5` of PyPI. Another solver is a command, which gets the name of
the file. SAT solvers are those of the package `python-sat`. A solver of --spare is asked if fewer than
two others say `sat` or `unsat`. Time limits of solvers are processor seconds, so a busy machine only
makes the run longer. With --record, each goal is a line of a file, and the same command goes on where
it was stopped.

The last lines count, for each encoding and solver, the answers `sat`, `unsat` and `unknown`, time-outs,
crashes (a solver ended by a signal) and errors, and for `parikh encode` the goals that it does not
encode. A table counts, for each encoding, the goals with a file, and the goals that two solvers and
that one solver settled. Exit code 1: there is a contradiction.
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree

# The encoding, the logic, k, and its kind: `over` covers all reachable markings, `bounded` has
# solutions only for reachable goals, and `step` is the step case of an induction.
ALL = "state-equation+flows+bounds+traps+listed-traps+read-feed+causal-order+predecessor"
ENCODINGS = [
    ("state-equation", "LRA", 1, "over"),
    ("state-equation", "LIA", 1, "over"),
    ("flows", "LRA", 1, "over"),
    ("flows+bounds", "BV", 1, "over"),
    ("state-equation+bounds", "LIA", 1, "over"),
    ("state-equation+units", "LIA", 1, "over"),
    ("state-equation+traps", "LIA", 1, "over"),
    ("state-equation+listed-traps", "LRA", 1, "over"),
    ("state-equation+read-feed", "LIA", 1, "over"),
    ("state-equation+causal-order", "LRA", 1, "over"),
    ("state-equation+predecessor", "LIA", 1, "over"),
    (ALL, "LIA", 1, "over"),
    ("flows+bounds+k-induction", "LIA", 1, "step"),
    ("bmc", "LIA", 3, "bounded"),
    ("bmc", "BV", 3, "bounded"),
    ("bmc-steps", "LIA", 3, "bounded"),
    ("bmc-steps", "BV", 3, "bounded"),
    ("bmc-steps", "SAT order", 4, "bounded"),
    ("bmc-steps", "SAT one-of-n", 4, "bounded"),
    ("bmc-steps", "SAT log", 4, "bounded"),
]


def run(command, timeout):
    """Returns the exit code and both outputs of a command, or None if it takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout, done.stderr


def cvc5_output(file):
    """Returns the output of cvc5."""
    import cvc5

    solver = cvc5.Solver()
    symbols = cvc5.SymbolManager(solver)
    parser = cvc5.InputParser(solver, symbols)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(file))
    output = ""
    while not (command := parser.nextCommand()).isNull():
        output += str(command.invoke(solver, symbols))
    return output


def sat_output(solver, file):
    """Returns the answer of a solver of python-sat."""
    from pysat.formula import CNF
    from pysat.solvers import Solver

    with Solver(name=solver, bootstrap_with=CNF(from_file=str(file))) as sat:
        return {True: "sat", False: "unsat", None: "unknown"}[sat.solve()]


def start(function, output):
    """Calls a function in a new process, which writes the result to the file `output`.

    A process of its own makes a crash an answer like any other. A fork saves the import of the package.
    """
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            function()
            os._exit(0)
        except BaseException as error:
            os.write(1, f"{type(error).__name__}: {error}".encode())
            os._exit(1)
    return process


def ask(solver, file, seconds):
    """Returns `sat`, `unsat`, `unknown`, `timeout`, or `crash` or `error` with a message."""
    if file.suffix == ".cnf":
        solve = lambda: os.write(1, sat_output(solver, file).encode())
    elif solver == "cvc5":
        solve = lambda: os.write(1, cvc5_output(file).encode())
    else:
        command = [*solver.split(), str(file)]
        solve = lambda: os.execvp(command[0], command)

    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # A solver that sleeps would never reach its limit of processor time.
        signal.alarm(60 * seconds)
        solve()

    with tempfile.TemporaryFile() as output:
        _, status, usage = os.wait4(start(limited, output), 0)
        output.seek(0)
        text = output.read().decode(errors="replace")
    words = text.split()
    code = os.waitstatus_to_exitcode(status)
    if words in (["sat"], ["unsat"]):
        return words[0]
    is_late = usage.ru_utime + usage.ru_stime >= 0.95 * seconds
    if is_late or code in (-signal.SIGXCPU, -signal.SIGALRM):
        return "timeout"
    if words == ["unknown"]:
        return words[0]
    # A shell returns 128 and the number of the signal.
    if code < 0 or code > 128:
        return f"crash: signal {-code if code < 0 else code - 128}"
    return f"error: code {code}, {' '.join(words)[-100:]}"


def known_answers(parikh, model, examination, seconds):
    """Returns the ids and Boolean values of the answers of `parikh check`."""
    done = run([parikh, "check", model, "-e", examination, "-t", f"{seconds}s", "-f", "json"], seconds + 30)
    answers = {}
    for line in (done[1] if done else "").splitlines():
        answer = json.loads(line)
        if answer.get("type") == "answer" and answer.get("value") in ("TRUE", "FALSE"):
            answers[answer["id"]] = answer["value"] == "TRUE"
    return answers


def renamed(model, target):
    """Writes the net with names that differ only in characters that need escapes."""
    tree = ElementTree.parse(model)
    nodes = [n for n in tree.iter() if n.tag.split("}")[-1] in ("place", "transition")]
    width = len(nodes).bit_length()
    names = ("a" + "".join(name) for name in itertools.product("|_%\\", repeat=width))
    new = {node.get("id"): name for node, name in zip(nodes, names)}
    for node in tree.iter():
        for key in ("id", "source", "target"):
            if node.get(key) in new:
                node.set(key, new[node.get(key)])
        if node.tag.split("}")[-1] in ("places",) and node.text:
            node.text = " ".join(new.get(word, word) for word in node.text.split())
    # The claim about units is outside this comparison.
    for net in tree.iter():
        for child in [c for c in net if c.tag.split("}")[-1] == "toolspecific"]:
            net.remove(child)
    tree.write(target)


def listed_nets(arguments):
    """Returns the names of the nets to ask about."""
    if arguments.list:
        return arguments.list.read_text().split()
    largest = {}
    for archive in sorted(arguments.inputs.glob("*-PT-*.tgz")):
        # A small net has a small archive. Reading all models would take minutes.
        if archive.stat().st_size < 3000 * arguments.largest:
            with tarfile.open(archive) as packed:
                model = packed.extractfile(f"{archive.stem}/model.pnml").read()
            size = model.count(b"<place ") + model.count(b"<transition ")
            family = archive.stem.split("-PT-")[0]
            if largest.get(family, (0,))[0] < size <= arguments.largest:
                largest[family] = (size, archive.stem)
    return [name for _, name in largest.values()]


def number_settled(answers):
    """Returns the number of answers `sat` and `unsat`."""
    return sum(answer in ("sat", "unsat") for answer in answers)


class Comparison:
    """The counts of all goals. `goal` is the record of the current goal, as it is written to a file."""

    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.counts = collections.defaultdict(collections.Counter)
        self.settled = collections.defaultdict(collections.Counter)
        self.contradictions = []
        self.goals = self.files = self.renamed = 0
        self.nets = set()
        self.answered = {}
        self.goal = None
        self.known = {}
        for line in arguments.record.read_text().splitlines() if arguments.record else []:
            line = json.loads(line)
            if "known" in line:
                self.known[line["net"], line["examination"]] = line["known"]
            else:
                self.answered[line["net"], line["goal"]] = line

    def write(self, line):
        """Appends a line to the record."""
        if self.arguments.record:
            with self.arguments.record.open("a") as record:
                record.write(json.dumps(line) + "\n")

    def known_answers(self, name, model, examination):
        """Returns the ids and Boolean values of the answers of `parikh check`."""
        if (name, examination) not in self.known:
            known = known_answers(self.arguments.parikh, model, examination, self.arguments.check)
            self.known[name, examination] = known
            self.write({"net": name, "examination": examination, "known": known})
        return self.known[name, examination]

    def count(self, key, solver, answer):
        self.goal["counts"].append((key, solver, answer))

    def add(self, goal):
        """Adds the record of a goal to the counts."""
        self.goals += 1
        self.nets.add(goal["net"])
        self.files += goal["files"]
        self.renamed += goal["renamed"]
        self.contradictions += goal["contradictions"]
        for key, solver, answer in goal["counts"]:
            self.counts[(key, solver)][answer] += 1
        for key, settled in goal["settled"].items():
            self.settled[key][min(settled, 2)] += 1

    def encode(self, model, goal, encoding, logic, k):
        """Writes a file. Returns None, and counts why, if Parikh writes none."""
        key = f"{encoding} {logic}"
        logic, _, values = logic.partition(" ")
        file = self.folder / ("goal.cnf" if logic == "SAT" else "goal.smt2")
        file.unlink(missing_ok=True)
        command = [self.arguments.parikh, "encode", model, *goal, "-e", encoding, "-l", logic]
        command += ["-k", str(k)] if "bmc" in encoding or "induction" in encoding else []
        command += ["-o", str(file), "-t", "5s"] + (["--values", values] if values else [])
        if self.arguments.status:
            command += ["--status", self.arguments.status]
        done = run(command, 300)
        if done is None:
            why = "time-out"
        elif done[0] == 0:
            return file
        elif done[0] in (1, 2, 3) and "internal error" not in done[2]:
            # Exit codes of refused options, formulas and nets.
            why = "not encoded"
        else:
            why = "crash"
            print(f"{key} parikh encode: crash: code {done[0]}, {done[2][-200:]}", flush=True)
        if self.goal:
            self.count(key, "parikh encode", why)
        return None

    def answers(self, file, key):
        """Returns the answers of all solvers about a file, and counts them."""
        self.goal["files"] += 1
        found = []
        sat = file.suffix == ".cnf"
        solvers = self.arguments.sat_solver if sat else self.arguments.solver + self.arguments.spare
        for solver in solvers:
            if solver in self.arguments.spare and number_settled(found) >= 2:
                continue
            answer = ask(solver, file, self.arguments.timeout)
            self.count(key, solver, answer.split(":")[0])
            if answer.startswith(("error", "crash")):
                print(f"{key} {solver}: {answer}", flush=True)
            found.append(answer)
        return found

    def contradict(self, *what):
        self.goal["contradictions"].append(what)
        print("CONTRADICTION", *what, flush=True)

    def ask_goal(self, name, model, goal, reachable, other_model=None):
        """Asks about a goal in all encodings. `reachable` is the answer of Parikh."""
        question = " ".join(pathlib.Path(word).name for word in goal)
        if (name, question) in self.answered:
            return self.add(self.answered[name, question])
        self.goal = {
            "net": name, "goal": question, "reachable": reachable, "files": 0, "renamed": 0,
            "counts": [], "settled": {}, "contradictions": [],
        }  # fmt: skip
        for encoding, logic, k, kind in ENCODINGS:
            key = f"{encoding} {logic}" + (f" k={k}" if kind != "over" else "")
            file = self.encode(model, goal, encoding, logic, k)
            if file is None:
                continue
            found = self.answers(file, key)
            self.goal["settled"][key] = number_settled(found)
            about = (name, question, key, found, reachable)
            settled = {answer for answer in found if answer in ("sat", "unsat")}
            status = re.search(r"status: (sat|unsat)", file.read_text())
            if self.arguments.status:
                self.count("status in the file", "parikh", status[1] if status else "unknown")
            if len(settled | ({status[1]} if status else set())) > 1:
                self.contradict(*about, status and status[1])
            if kind == "over" and "unsat" in settled and reachable:
                self.contradict(*about)
            if kind == "bounded" and "sat" in settled and not reachable:
                self.contradict(*about)
            if kind == "step" and "unsat" in settled and reachable:
                # The induction proves nothing if the initial marking is a goal marking.
                base = self.encode(model, goal, "bmc", "LIA", 1)
                if base and "unsat" in self.answers(base, "base case"):
                    self.contradict(*about)
            if other_model:
                other = self.encode(other_model, goal, encoding, logic, k)
                again = self.answers(other, key) if other else []
                self.goal["renamed"] += 1
                if len(settled | {a for a in again if a in ("sat", "unsat")}) > 1 or not other:
                    self.contradict("other names", *about, again)
        self.add(self.goal)
        self.write(self.goal)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parikh", required=True)
    parser.add_argument("--inputs", required=True, type=pathlib.Path)
    parser.add_argument("--list", type=pathlib.Path, help="a file with the names of nets")
    parser.add_argument("--solver", action="append", default=[])
    parser.add_argument("--sat-solver", action="append", default=[])
    parser.add_argument("--spare", action="append", default=[], help="a solver for files that are left")
    parser.add_argument("--record", type=pathlib.Path, help="the file with a line for each goal")
    parser.add_argument("--goals", type=int, default=200, help="the largest number of goals")
    parser.add_argument("--goals-of-net", type=int, default=5)
    parser.add_argument("--largest", type=int, default=160, help="places and transitions of a net")
    parser.add_argument("--timeout", type=int, default=2, help="processor seconds for each file and solver")
    parser.add_argument("--check", type=int, default=5, help="seconds for each `parikh check`")
    parser.add_argument("--status", help="the time for `parikh encode --status`")
    arguments = parser.parse_args()
    if arguments.record:
        arguments.record.touch()
    if "cvc5" in arguments.solver + arguments.spare:
        import cvc5  # noqa: F401 The processes that ask it are forks of this one.
    if arguments.sat_solver:
        import pysat.solvers  # noqa: F401
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        comparison = Comparison(arguments, folder)
        for name in listed_nets(arguments):
            if comparison.goals >= arguments.goals:
                break
            with tarfile.open(arguments.inputs / f"{name}.tgz") as packed:
                packed.extractall(folder, filter="data")
            model = folder / name
            left = min(arguments.goals_of_net, arguments.goals - comparison.goals)
            dead = comparison.known_answers(name, model, "ReachabilityDeadlock")
            for reachable in dead.values():
                renamed(model / "model.pnml", folder / "renamed.pnml")
                comparison.ask_goal(name, model, ["--goal", "deadlock"], reachable, folder / "renamed.pnml")
                left -= 1
            for examination in ("ReachabilityCardinality", "ReachabilityFireability"):
                queries = str(model / f"{examination}.xml")
                known = comparison.known_answers(name, model, examination)
                share = left if examination.endswith("Fireability") else (left + 1) // 2
                for id, value in known.items():
                    goal = ["--queries", queries, "--id", id]
                    if share == 0:
                        break
                    comparison.goal = None
                    head = comparison.encode(model, goal, "bmc", "LIA", 1)
                    if head is None:
                        continue
                    violated = f"; goal: {id}: violated by EF" in head.read_text()
                    comparison.ask_goal(name, model, goal, value != violated)
                    share, left = share - 1, left - 1
            print(f"{name}: {comparison.goals} goals, {comparison.files} files", flush=True)
        for (key, solver), counts in sorted(comparison.counts.items()):
            print(f"| {key} | {pathlib.Path(solver).name} |", ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
        print("| encoding | goals | settled by two solvers | by one | by none |")
        print("|---|---|---|---|---|")
        for key, counts in comparison.settled.items():
            print(f"| {key} | {counts.total()} | {counts[2]} | {counts[1]} | {counts[0]} |")
        pairs = sum((counts for counts in comparison.settled.values()), collections.Counter())
        print(f"| all | {pairs.total()} | {pairs[2]} | {pairs[1]} | {pairs[0]} |")
        print(
            f"{comparison.goals} goals of {len(comparison.nets)} nets, {comparison.files} files, "
            f"{comparison.renamed} files with other names, {len(comparison.contradictions)} contradictions"
        )
        sys.exit(1 if comparison.contradictions else 0)


if __name__ == "__main__":
    main()
