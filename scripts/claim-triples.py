#!/usr/bin/env python3
"""Compares parikh-certify with parikh-proved on random nets, claims and certificates.

    scripts/claim-triples.py --checker parikh-proved --bin DIR --count 100000 --seed 1

A *triple* is a net, an answer to a question, and evidence. For each random net, the prover answers
random formulas and examinations. Then variants are made: other formulas, opposite answers, evidence
of other answers, and changed numbers and names in the evidence. `parikh-certify --export-refused`
judges each answer, and writes it as a file of claims, whether it is true or false. parikh-proved
must accept the file of a confirmed answer. If the net can be enumerated, each confirmed or accepted
claim must be true. parikh-proved may accept a true claim whose evidence parikh-certify refuses as too
weak, because the export searches for derivations; these files are counted apart.

Evidence that files of claims do not cover, and unreadable lines, are counted apart. Exit code 1: there is a disagreement,
which the first lines show.
"""

import argparse
import collections
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from claims import EXAMINATIONS, Claim, random_formula, random_net, run_checker, words_of

# Each list of engines favours another kind of evidence. The empty one is the default.
ENGINES = ["", "", "state-equation,walk", "pdr,walk", "k-induction,walk", "siphon-trap,walk", "explicit"]

# Reasons why an answer has no file of claims although its evidence may be right.
NOT_COVERED = ["not covered", "a list of all reachable markings"]


def leaves(value, path=()):
    """Yields the paths of the numbers, names and lists in a JSON value."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key not in ("id", "because", "evidence", "format"):
                yield from leaves(part, path + (key,))
    elif isinstance(value, list):
        if value:
            yield path
        for index, part in enumerate(value):
            yield from leaves(part, path + (index,))
    elif isinstance(value, (int, str)):
        yield path


def change(content, nodes, rng):
    """Changes one number, name or list of an evidence line. `nodes` has the names by kind."""
    paths = list(leaves(content))
    if not paths:
        return
    path = rng.choice(paths)
    parent = content
    for key in path[:-1]:
        parent = parent[key]
    value = parent[path[-1]]
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        changed = rng.choice([value + 1, value - 1, -value, 0, value + rng.randrange(-5, 6)])
        # Many numbers must not be negative. Then the line would be unreadable.
        parent[path[-1]] = abs(changed) if value >= 0 and rng.random() < 0.9 else changed
    elif isinstance(value, str):
        same_kind = [names for names in nodes if value in names]
        if same_kind:
            parent[path[-1]] = rng.choice(same_kind[0])
    elif isinstance(value[0], (int, str)):
        # A pair of a name and a number, or the like. Its parts change, not its length.
        return
    elif rng.random() < 0.5:
        del value[rng.randrange(len(value))]
    else:
        value.insert(rng.randrange(len(value) + 1), copy.deepcopy(rng.choice(value)))


def opposite(value, rng):
    return {"TRUE": "FALSE", "FALSE": "TRUE"}.get(value) or str(rng.randrange(6))


def variant(lines, nodes, rng):
    """Returns a changed copy of the lines of an evidence file."""
    lines = copy.deepcopy(lines)
    proofs = [line for line in lines if set(line) & {"document", "trace", "pump", "loops"}]
    for line in proofs:
        while rng.random() < 0.4:
            change(line, nodes, rng)
    references = [it for line in lines for it in line.get("answer", {}).get("shown_by", [])]
    for line in lines:
        answer = line.get("answer")
        if answer is None:
            continue
        if rng.random() < 0.2:
            answer["value"] = opposite(answer["value"], rng)
        if references and rng.random() < 0.2:
            answer["shown_by"] = [rng.choice(references)]
        elif answer.get("shown_by") and rng.random() < 0.1:
            used = rng.choice(answer["shown_by"])
            if "after" in used:
                used["after"] = max(1, used["after"] + rng.choice([-2, -1, 1, 2]))
    return lines


def markings_of(net):
    """Returns the reachable markings of a net as text, or None if they are too many."""
    places, initial, transitions = [], [], []

    def side(text):
        arcs = []
        for arc in text.split("+") if text.strip() else []:
            weight, place = arc.split("*")
            arcs += [places.index(place.strip()), int(weight)]
        return [len(arcs) // 2, *arcs]

    for line in net.splitlines():
        word, rest = line.split(" ", 1)
        if word == "place":
            places.append(rest.split()[0])
            initial += [len(places) - 1, int(rest.split()[1])]
        elif word == "transition":
            pre, post = rest.split(":", 1)[1].split("->")
            transitions += ["transition", *side(pre), *side(post)]
    words = ["parikh-claim", 1, "places", len(places), "initial", len(places), *initial]
    words += ["transitions", transitions.count("transition"), *transitions]
    words += ["assumptions", 0, "statements", 0, "claim", "all", 0]
    return Claim([str(word) for word in words]).markings()


def stem_of(examination, answer_id):
    whole = examination if examination == answer_id else f"{examination}.{answer_id}"
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in whole)


class Comparison:
    def __init__(self, arguments):
        self.arguments = arguments
        self.programs = pathlib.Path(arguments.bin)
        self.rng = random.Random(arguments.seed)
        self.counts = collections.Counter()
        self.disagreements = self.weak = 0
        self.triples = 0

    def formula_arguments(self, formulas):
        return [word for formula in formulas for word in ("--formula", formula)]

    def audit(self, model, folder, formulas):
        """Returns the verdicts of parikh-certify by file name, and the reasons for missing files."""
        claims = folder / "claims"
        command = [self.programs / "parikh-certify", model, folder, *self.formula_arguments(formulas),
                   "--format", "json", "--export", claims, "--export-refused"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        verdicts, missing = {}, {}
        for line in done.stdout.splitlines():
            content = json.loads(line)
            if content.get("type") == "answer":
                verdicts[stem_of(content["examination"], content["id"])] = content
        for line in done.stderr.splitlines():
            if " was not exported: " in line:
                name, reason = line.split(" was not exported: ")
                missing[name.split("`")[1]] = reason
        return verdicts, missing

    def ask_net(self, folder):
        # Most nets can be enumerated.
        text, places = random_net(self.rng)
        markings = markings_of(text)
        while markings is None and self.rng.random() < 0.8:
            text, places = random_net(self.rng)
            markings = markings_of(text)
        transitions = [line.split()[1].rstrip(":") for line in text.splitlines() if line.startswith("transition")]
        model = folder / "model.net"
        model.write_text(text)
        formulas = [random_formula(self.rng, places) for _ in range(self.arguments.formulas)]
        command = [self.programs / "parikh" if not self.arguments.prover else self.arguments.prover,
                   "check", model, *self.formula_arguments(formulas)]
        command += [word for it in EXAMINATIONS for word in ("-e", it)]
        command += ["--timeout", "1", "--without-rules", "all", "--evidence", folder / "evidence"]
        engines = self.rng.choice(ENGINES)
        command += ["--engines", engines] if engines else []
        subprocess.run(command, capture_output=True, check=False)
        nodes = (places, transitions)
        files = {}
        for file in (folder / "evidence").glob("*.jsonl"):
            files[file.name] = [json.loads(line) for line in file.read_text().splitlines()]
        audits = []
        for number in range(self.arguments.variants):
            changed, asked = files, formulas
            # The first variant is the evidence as it is.
            if number > 0:
                changed = {name: variant(lines, nodes, self.rng)
                           for name, lines in files.items()}
                asked = [random_formula(self.rng, places) if self.rng.random() < 0.15 else formula
                         for formula in formulas]
            at = folder / str(number)
            at.mkdir()
            for name, lines in changed.items():
                (at / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
            audits.append((at, *self.audit(model, at, asked)))
        self.compare(text, markings, folder, audits)

    def compare(self, net, markings, folder, audits):
        files = [file for at, _, _ in audits for file in sorted((at / "claims").glob("*.claim"))]
        texts = [file.read_text() for file in files]
        accepted = dict(zip(files, run_checker(self.arguments.checker, folder, texts) if files else []))
        for at, verdicts, missing in audits:
            for stem, content in verdicts.items():
                file = at / "claims" / f"{stem}.claim"
                verdict = content["verdict"]
                reason = missing.get(content["id"], "")
                if verdict not in ("confirmed", "refused"):
                    self.counts[f"{verdict} by parikh-certify, not compared"] += 1
                    continue
                if file not in accepted and (verdict == "refused" or any(it in reason for it in NOT_COVERED)):
                    # Refused evidence without a file has a line that cannot be read.
                    self.counts[f"{verdict} by parikh-certify without a file, not compared"] += 1
                    continue
                self.triples += 1
                is_accepted = accepted.get(file, False)
                truth = "not enumerated"
                if markings is not None and file in accepted:
                    claim = Claim(words_of(file.read_text()))
                    truth = "true" if claim.is_true(markings) else "false"
                proved = "accepted" if is_accepted else "refused" if file in accepted else "no file"
                self.counts[f"{verdict} by parikh-certify, {proved}, {truth}"] += 1
                is_wrong = truth == "false" and (is_accepted or verdict == "confirmed")
                self.weak += is_accepted and verdict == "refused" and not is_wrong
                if is_wrong or verdict == "confirmed" and not is_accepted:
                    self.disagreements += 1
                    self.report(net, content, proved, truth, reason, file, at)

    def report(self, net, content, proved, truth, reason, file, at):
        if self.disagreements > self.arguments.shown:
            return
        print(f"{content['id']} ({content['question']}): {content['value']}: {content['verdict']} "
              f"({content['because']}), parikh-proved: {proved} {reason}; the claim is {truth}\n{net}")
        evidence = at / f"{content['examination']}.jsonl"
        print(evidence.read_text() if evidence.exists() else "", end="")
        print(file.read_text() if file.exists() else "", flush=True)

    def run(self):
        nets = 0
        while self.triples < self.arguments.count:
            with tempfile.TemporaryDirectory() as name:
                self.ask_net(pathlib.Path(name))
            nets += 1
            if nets % 50 == 0:
                print(f"{nets} nets, {self.triples} triples, {self.disagreements} disagreements",
                      file=sys.stderr, flush=True)
        for what, count in sorted(self.counts.items()):
            print(f"  {count} {what}")
        print(f"{self.triples} triples of {nets} nets: {self.disagreements} disagreements,"
              f" {self.weak} weak certificates accepted by parikh-proved only")
        sys.exit(1 if self.disagreements else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checker", required=True)
    parser.add_argument("--bin", required=True, help="the folder with parikh and parikh-certify")
    parser.add_argument("--prover", help="another program `parikh`")
    parser.add_argument("--count", type=int, default=1000, help="the number of triples")
    parser.add_argument("--formulas", type=int, default=12)
    parser.add_argument("--variants", type=int, default=12, help="the number of variants of a net")
    parser.add_argument("--shown", type=int, default=3, help="the number of disagreements shown whole")
    parser.add_argument("--seed", type=int, default=1)
    Comparison(parser.parse_args()).run()


if __name__ == "__main__":
    main()
