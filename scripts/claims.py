#!/usr/bin/env python3
"""Tests parikh-proved: refuses false claims, and agrees with parikh-certify.

    scripts/claims.py mutate --checker parikh-proved --count 10000 --seed 1 FILE...
    scripts/claims.py agree --checker parikh-proved --bin DIR --nets 200 --seed 1

`mutate` changes files of claims at random, and keeps the changed files whose claim is false by
enumeration. The checker must refuse each of them. `agree` asks the prover about random small nets,
and enumerates their markings. Claims that parikh-certify exports must be true and accepted; with the
opposite answer in the evidence, parikh-certify must export nothing.

The enumeration shares no code with the programs.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

MAX_MARKINGS = 1500
MAX_TOKENS = 200


class Reader:
    """The words of a file of claims."""

    def __init__(self, words):
        self.words = words
        self.position = 0

    def word(self):
        self.position += 1
        return self.words[self.position - 1]

    def number(self):
        return int(self.word())

    def many(self, item):
        count = self.number()
        if not 0 <= count <= len(self.words):
            raise ValueError("count")
        return [item() for _ in range(count)]


def words_of(text):
    return [word for line in text.splitlines() for word in line.split("#")[0].split()]


class Claim:
    """The net, the statements and the claim of a file; the evidence is not read."""

    def __init__(self, words):
        reader = Reader(words)
        pair = lambda: (reader.number(), reader.number())
        assert reader.word() == "parikh-claim" and reader.number() == 1
        assert reader.word() == "places"
        self.places = reader.number()
        assert reader.word() == "initial"
        self.initial = self.weights(reader.many(pair))
        assert reader.word() == "transitions"

        def transition():
            assert reader.word() == "transition"
            return self.weights(reader.many(pair)), self.weights(reader.many(pair))

        self.transitions = reader.many(transition)
        assert reader.word() == "assumptions"
        self.assumptions = reader.many(lambda: self.predicate(reader))
        assert reader.word() == "statements"

        def statement():
            word = reader.word()
            if word == "unbounded":
                reader.many(lambda: (reader.number(), reader.number()))
                # A net that can be enumerated is bounded.
                return "reachable", lambda _: False
            assert word in ("reachable", "unreachable")
            return word, self.predicate(reader)

        self.statements = reader.many(statement)
        assert reader.word() == "claim"
        self.claim = self.formula(reader)
        self.evidence_start = reader.position

    def weights(self, pairs):
        total = {}
        for place, weight in pairs:
            if not 0 <= place < self.places or weight < 0:
                raise ValueError("arc")
            total[place] = total.get(place, 0) + weight
        return total

    def predicate(self, reader):
        word = reader.word()
        if word == "most":
            terms = reader.many(lambda: (reader.number(), reader.number()))
            if any(place < 0 for place, _ in terms):
                raise ValueError("place")
            bound = reader.number()
            return lambda m: sum(a * m[p] for p, a in terms if p < self.places) <= bound
        if word in ("all", "any"):
            parts = reader.many(lambda: self.predicate(reader))
            join = all if word == "all" else any
            return lambda m: join(part(m) for part in parts)
        if word in ("enabled", "disabled"):
            number = reader.number()
            if not 0 <= number < len(self.transitions):
                raise ValueError("transition")
            return lambda m: self.enabled(m, self.transitions[number]) == (word == "enabled")
        assert word in ("dead", "live")
        return lambda m: any(self.enabled(m, t) for t in self.transitions) == (word == "live")

    def formula(self, reader):
        word = reader.word()
        if word == "statement":
            number = reader.number()
            if not 0 <= number:
                raise ValueError("statement")
            # A claim about a statement that does not exist is false.
            return lambda values: number < len(values) and values[number]
        assert word in ("all", "any")
        parts = reader.many(lambda: self.formula(reader))
        join = all if word == "all" else any
        return lambda values: join(part(values) for part in parts)

    @staticmethod
    def enabled(marking, transition):
        return all(marking[place] >= weight for place, weight in transition[0].items())

    def markings(self):
        """Returns the reachable markings, or None if they are too many."""
        first = tuple(self.initial.get(place, 0) for place in range(self.places))
        seen, queue = {first}, [first]
        while queue:
            marking = queue.pop()
            if max(marking, default=0) > MAX_TOKENS:
                return None
            for transition in self.transitions:
                if self.enabled(marking, transition):
                    after = list(marking)
                    for place, weight in transition[0].items():
                        after[place] -= weight
                    for place, weight in transition[1].items():
                        after[place] += weight
                    after = tuple(after)
                    if after not in seen:
                        if len(seen) >= MAX_MARKINGS:
                            return None
                        seen.add(after)
                        queue.append(after)
        return seen

    def is_true(self, markings):
        """Returns whether the claim is true, or an assumption is false."""
        if not all(holds(marking) for holds in self.assumptions for marking in markings):
            return True
        values = []
        for word, predicate in self.statements:
            reached = any(predicate(marking) for marking in markings)
            values.append(reached == (word == "reachable"))
        return self.claim(values)


KEYWORDS = [
    ("reachable", "unreachable"), ("all", "any"), ("enabled", "disabled"), ("dead", "live"),
]


def mutated(words, evidence_start, rng):
    """Returns a changed copy of the words of a file."""
    words = list(words)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        # Half of the changes are before the evidence, which is often longer.
        end = evidence_start if rng.random() < 0.6 else len(words)
        position = rng.randrange(3, max(4, min(end, len(words))))
        word = words[position]
        pairs = [pair for pair in KEYWORDS if word in pair]
        if pairs:
            words[position] = pairs[0][1 - pairs[0].index(word)]
        elif word.lstrip("-").isdigit():
            change = rng.choice([1, -1, 1, -1, 2, -2, rng.randrange(-9, 10)])
            words[position] = str(rng.choice([int(word) + change, -int(word), 0]))
        elif rng.random() < 0.3:
            del words[position]
        else:
            words.insert(position, rng.choice(words))
    return words


def run_checker(checker, folder, texts):
    """Returns for each text whether the checker accepts it."""
    files = []
    for number, text in enumerate(texts):
        file = folder / f"{number}.claim"
        file.write_text(text)
        files.append(str(file))
    output = subprocess.run([checker, *files], capture_output=True, text=True, check=False).stdout
    lines = output.splitlines()
    if len(lines) != len(texts):
        sys.exit(f"the checker printed {len(lines)} lines for {len(texts)} files")
    return [": accepted" in line for line in lines]


def mutate(arguments):
    rng = random.Random(arguments.seed)
    bases = []
    for file in arguments.files:
        words = words_of(pathlib.Path(file).read_text())
        claim = Claim(words)
        if len(words) < 20000 and claim.markings() is not None:
            bases.append((words, claim.evidence_start))
    if not bases:
        sys.exit("no file has a net that can be enumerated")
    false, accepted_true, tried, kinds = 0, 0, 0, {"evidence only": 0}
    with tempfile.TemporaryDirectory() as folder:
        batch = []
        while false < arguments.count:
            words, start = rng.choice(bases)
            words = mutated(words, start, rng)
            tried += 1
            try:
                claim = Claim(words)
                markings = claim.markings()
            except (ValueError, AssertionError, IndexError):
                continue
            if markings is None:
                continue
            batch.append((" ".join(words) + "\n", claim.is_true(markings)))
            if len(batch) == 500:
                texts = [text for text, _ in batch]
                accepted = run_checker(arguments.checker, pathlib.Path(folder), texts)
                for (text, is_true), is_accepted in zip(batch, accepted):
                    if is_accepted and not is_true:
                        sys.exit(f"a false claim was accepted:\n{text}")
                    false += not is_true
                    accepted_true += is_accepted
                batch = []
    print(f"{false} files with false claims were refused, of {tried} mutations of {len(bases)} files;"
          f" {accepted_true} mutated files with true claims were accepted")


def random_net(rng):
    """Returns a random net as text, with names of places."""
    places = [f"p{number}" for number in range(rng.randrange(1, 6))]
    lines = ["net random"]
    lines += [f"place {place} {rng.choice([0, 0, 1, 1, 2, 3])}" for place in places]
    for number in range(rng.randrange(1, 6)):
        def side():
            chosen = rng.sample(places, min(len(places), rng.choice([0, 1, 1, 1, 2, 2])))
            return " + ".join(f"{rng.choice([1, 1, 1, 2])}*{place}" for place in chosen)
        # A transition that consumes nothing makes nets unbounded: few of these.
        pre = side() or (side() if rng.random() < 0.8 else "")
        lines.append(f"transition t{number}: {pre} -> {side()}")
    return "\n".join(lines) + "\n", places


def random_formula(rng, places):
    def atom():
        chosen = rng.sample(places, min(len(places), rng.choice([1, 1, 2, 3])))
        total = " + ".join(f"{rng.choice([1, 1, 2, 3])}*{place}" for place in chosen)
        return f"{total} {rng.choice(['>=', '<=', '<', '>'])} {rng.randrange(0, 6)}"

    def formula(depth):
        if depth == 0 or rng.random() < 0.3:
            return atom()
        join = rng.choice([" && ", " || "])
        return "(" + join.join(formula(depth - 1) for _ in range(rng.choice([2, 2, 3]))) + ")"

    return f"{rng.choice(['EF', 'AG'])} ({formula(2)})"


EXAMINATIONS = ["ReachabilityDeadlock", "OneSafe", "QuasiLiveness", "StableMarking"]


def agree(arguments):
    rng = random.Random(arguments.seed)
    programs = pathlib.Path(arguments.bin)
    counts = {"answers": 0, "exported": 0, "accepted": 0, "true": 0, "opposite": 0}
    reasons = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number in range(arguments.nets):
            text, places = random_net(rng)
            model = folder / f"{number}.net"
            model.write_text(text)
            evidence, claims = folder / f"{number}.evidence", folder / f"{number}.claims"
            formulas = [random_formula(rng, places) for _ in range(arguments.formulas)]
            questions = [word for formula in formulas for word in ("--formula", formula)]
            asked = questions + [word for it in EXAMINATIONS for word in ("-e", it)]
            prover = [arguments.prover or programs / "parikh", "check", model, *asked]
            subprocess.run([*prover, "--timeout", "2", "--evidence", evidence],
                           capture_output=True, check=False)
            if not evidence.is_dir():
                continue
            certify = [programs / "parikh-certify", model, evidence, *questions, "--export", claims]
            audit = subprocess.run(certify, capture_output=True, text=True, check=False)
            files = sorted(claims.glob("*.claim"))
            for line in audit.stderr.splitlines():
                if "was not exported: " in line:
                    reason = line.split("was not exported: ")[1]
                    reasons[reason] = reasons.get(reason, 0) + 1
                    counts["answers"] += 1
            counts["answers"] += len(files)
            counts["exported"] += len(files)
            for file, accepted in zip(files, run_checker(
                    arguments.checker, folder, [file.read_text() for file in files])):
                if not accepted:
                    sys.exit(f"{file.name} of this net was refused:\n{text}\n{file.read_text()}")
                counts["accepted"] += 1
                claim = Claim(words_of(file.read_text()))
                markings = claim.markings()
                if markings is not None:
                    if not claim.is_true(markings):
                        sys.exit(f"{file.name} of this net is false:\n{text}")
                    counts["true"] += 1
            # With the opposite answers, nothing is confirmed or exported.
            for file in evidence.glob("*.jsonl"):
                lines = []
                for line in file.read_text().splitlines():
                    content = json.loads(line)
                    if "answer" in content:
                        value = content["answer"]["value"]
                        opposite = {"TRUE": "FALSE", "FALSE": "TRUE"}.get(value, "7")
                        content["answer"]["value"] = opposite
                        counts["opposite"] += 1
                    lines.append(json.dumps(content))
                file.write_text("\n".join(lines) + "\n")
            others = folder / f"{number}.others"
            subprocess.run([*certify[:-1], others], capture_output=True, check=False)
            if list(others.glob("*.claim")):
                sys.exit(f"an opposite answer about this net was exported:\n{text}")
    print(f"{counts['answers']} confirmed answers about {arguments.nets} nets, {counts['exported']} exported: "
          f"{counts['accepted']} accepted, {counts['true']} true by enumeration; "
          f"{counts['opposite']} opposite answers exported nothing")
    for reason, count in sorted(reasons.items(), key=lambda it: -it[1]):
        print(f"  {count} not exported: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("mutate")
    command.add_argument("--checker", required=True)
    command.add_argument("--count", type=int, default=10000)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("files", nargs="+")
    command.set_defaults(run=mutate)
    command = commands.add_parser("agree")
    command.add_argument("--checker", required=True)
    command.add_argument("--bin", required=True, help="the folder with parikh and parikh-certify")
    command.add_argument("--prover", help="another program `parikh`")
    command.add_argument("--nets", type=int, default=200)
    command.add_argument("--formulas", type=int, default=8)
    command.add_argument("--seed", type=int, default=1)
    command.set_defaults(run=agree)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
