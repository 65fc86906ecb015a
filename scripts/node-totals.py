#!/usr/bin/env python3
"""Measures for how many nodes the examinations about each node give an exact verdict.

    node-totals.py --parikh target/release/parikh --inputs INPUTS --oracle ORACLE --list LIST --out totals.csv
    node-totals.py --parikh target/release/parikh --model large.pnml --generated lines:2000 --out totals.csv

Each pair of a net and an examination is one run of `parikh check --format json`, with a limit on time and
memory. The result file has a line per run: the nodes, those with an exact verdict, the wall seconds, the peak
memory of the largest process (MB), the exit code, and contradictions. An existing file is continued. The table
at the end has a line per examination.

With --oracle, verdicts are compared with the known answers about the whole net: every transition can fire
(QuasiLiveness), every transition is live (Liveness), some place is stable (StableMarking), every bound is at
most 1 (OneSafe). Each verdict that contradicts its known answer is counted. Exit code 1: there is one, or a run
has no summary.
"""

import argparse
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

EXAMINATIONS = ["UpperBoundsAll", "QuasiLivenessAll", "LivenessAll", "StableMarkingAll"]
COLUMNS = ["instance", "examination", "nodes", "exact", "seconds", "megabytes", "code", "contradictions"]
# The time after its limit in which a run has to end.
GRACE = 15


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parikh", required=True, type=pathlib.Path)
    parser.add_argument("--inputs", type=pathlib.Path, help="the directory of contest instances NAME.tgz")
    parser.add_argument("--oracle", type=pathlib.Path, help="the directory of known answers NAME-XX.out")
    parser.add_argument("--list", type=pathlib.Path, help="a file with a contest instance per line")
    parser.add_argument("--model", type=pathlib.Path, action="append", default=[], help="a model file")
    parser.add_argument("--examinations", default=",".join(EXAMINATIONS))
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each run")
    parser.add_argument("--memory", default="4G", help="the memory limit of each run")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--generated", action="append", default=[], metavar="KIND:N",
                        help="a net with N philosophers (3 N transitions), or N production lines (10 N transitions)")
    given = parser.parse_args()
    if given.list and not given.inputs:
        parser.error("--list needs --inputs")
    if not given.list and not given.model and not given.generated:
        parser.error("nothing to run: --list, --model or --generated")
    return given


def run(given, model, examination):
    """Runs one examination. Returns the verdicts by node, the summary or None, seconds, megabytes and code."""
    command = [given.parikh.resolve(), "check", model, "-e", examination, "--format", "json"]
    command += ["--timeout", f"{given.timeout}s", "--memory", given.memory]
    verdicts, summary = {}, None
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = wait(process, given.timeout + GRACE)
        seconds = time.monotonic() - begin
        output.seek(0)
        for line in output:
            about = json.loads(line)
            if about["type"] == "answer":
                verdicts[about["id"]] = about["value"]
            elif about["type"] == "withdrawn":
                verdicts.pop(about["id"], None)
            elif about["type"] == "summary":
                summary = about
    # ru_maxrss is in kilobytes on Linux.
    return verdicts, summary, seconds, usage.ru_maxrss // 1024, os.waitstatus_to_exitcode(status)


def wait(process, limit):
    """Waits for a process, and kills it after a time limit."""
    def kill(*_):
        process.kill()
    signal.signal(signal.SIGALRM, kill)
    signal.alarm(int(limit) + 1)
    try:
        return os.wait4(process.pid, 0)
    finally:
        signal.alarm(0)


def known(oracle, instance, short):
    """Returns the known answer to a question with one answer, as text; None if it is not known."""
    path = oracle / f"{instance}-{short}.out"
    words = [line.split() for line in path.read_text().splitlines()[1:]] if path.exists() else []
    values = [line[2] for line in words if len(line) > 2 and line[0] == "FORMULA"]
    return values[0] if values and values[0] in ("TRUE", "FALSE") else None


def contradictions(oracle, instance, examination, verdicts, nodes):
    """Counts verdicts that contradict the known answer about the whole net."""
    if oracle is None:
        return 0
    is_complete = len(verdicts) == nodes
    values = list(verdicts.values())
    if examination == "UpperBoundsAll":
        answer, against = known(oracle, instance, "OS"), [it for it in values if it not in (0, 1)]
    elif examination == "StableMarkingAll":
        # TRUE: some place is stable. One stable place contradicts FALSE.
        answer = {"TRUE": "FALSE", "FALSE": "TRUE", None: None}[known(oracle, instance, "SM")]
        against = [it for it in values if it == "TRUE"]
    else:
        answer = known(oracle, instance, "QL" if examination == "QuasiLivenessAll" else "L")
        against = [it for it in values if it == "FALSE"]
    if answer == "TRUE":
        return len(against)
    return int(answer == "FALSE" and is_complete and not against)


def philosophers(count):
    """Returns a ring of philosophers who take the left fork first, in TINA's language. It can deadlock."""
    yield "net philosophers"
    for i in range(count):
        right = (i + 1) % count
        yield f"pl think{i} (1)"
        yield f"pl fork{i} (1)"
        yield f"tr left{i} think{i} fork{i} -> wait{i}"
        yield f"tr right{i} wait{i} fork{right} -> eat{i}"
        yield f"tr leave{i} eat{i} -> think{i} fork{i} fork{right}"


def lines(count, stages=9):
    """Returns production lines that share ten workpieces, in TINA's language. A stage holds at most two. It is live."""
    yield "net lines"
    yield "pl raw (10)"
    for i in range(count):
        for stage in range(stages):
            yield f"pl free{i}_{stage} (2)"
        yield f"tr begin{i} raw free{i}_0 -> at{i}_0"
        for stage in range(1, stages):
            yield f"tr step{i}_{stage} at{i}_{stage - 1} free{i}_{stage} -> at{i}_{stage} free{i}_{stage - 1}"
        yield f"tr end{i} at{i}_{stages - 1} -> raw free{i}_{stages - 1}"


def generate(what, directory):
    """Writes a generated net, and returns its file."""
    kind, count = what.split(":")
    text = {"philosophers": philosophers, "lines": lines}[kind](int(count))
    file = pathlib.Path(directory) / "model.net"
    file.write_text("\n".join(text) + "\n")
    return file


def unpack(inputs, instance, directory):
    with tarfile.open(inputs / f"{instance}.tgz") as archive:
        archive.extractall(directory, filter="data")
    return pathlib.Path(directory) / instance / "model.pnml"


def table(rows, examinations):
    lines = ["| examination | nets | nodes | exact | share | nets with all | total s | peak MB | contradictions |",
             "|---|---|---|---|---|---|---|---|---|"]
    for examination in examinations:
        of = [row for row in rows if row["examination"] == examination]
        total = lambda key: sum(int(row[key]) for row in of)
        nodes, exact = total("nodes"), total("exact")
        # Rounded down: only all nodes are 100 %.
        permille = exact * 1000 // nodes if nodes else 0
        complete = sum(row["nodes"] == row["exact"] for row in of)
        seconds = sum(float(row["seconds"]) for row in of)
        peak = max((int(row["megabytes"]) for row in of), default=0)
        lines.append(f"| {examination} | {len(of)} | {nodes:,} | {exact:,} | {permille // 10}.{permille % 10} % | "
                     f"{complete} | {seconds:.0f} | {peak:,} | {total('contradictions')} |")
    return "\n".join(lines)


def main():
    given = arguments()
    examinations = given.examinations.split(",")
    names = []
    if given.list:
        lines = [line.split("#")[0].strip() for line in given.list.read_text().splitlines()]
        names = [line for line in lines if line]
    rows = list(csv.DictReader(given.out.open())) if given.out.exists() else []
    done = {(row["instance"], row["examination"]) for row in rows}
    without_summary = 0
    with given.out.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not rows:
            writer.writeheader()
        for name in names + given.generated + [str(model) for model in given.model]:
            wanted = [it for it in examinations if (name, it) not in done]
            if not wanted:
                continue
            with tempfile.TemporaryDirectory() as directory:
                if name in names:
                    model = unpack(given.inputs, name, directory)
                else:
                    model = generate(name, directory) if name in given.generated else name
                for examination in wanted:
                    verdicts, summary, seconds, megabytes, code = run(given, model, examination)
                    if summary is None or "totals" not in summary:
                        without_summary += 1
                        print(f"{name} {examination}: no summary, exit code {code}", file=sys.stderr)
                        continue
                    totals = summary["totals"]
                    # A process that has to end at once may count an answer that it does not print any more.
                    row = {
                        "instance": name, "examination": examination, "nodes": totals["nodes"],
                        "exact": len(verdicts), "seconds": f"{seconds:.2f}", "megabytes": megabytes, "code": code,
                        "contradictions": contradictions(given.oracle, name, examination, verdicts, totals["nodes"]),
                    }
                    writer.writerow(row)
                    file.flush()
                    rows.append({key: str(value) for key, value in row.items()})
                    print(*row.values(), file=sys.stderr)
    print(table(rows, examinations))
    wrong = sum(int(row["contradictions"]) for row in rows)
    sys.exit(1 if wrong or without_summary else 0)


if __name__ == "__main__":
    main()
