"""The package as its users meet it, with the programs that it finds (PARIKH_PROGRAMS, or those of the wheel)."""

import asyncio
import doctest
import gzip
import importlib
import math
import os
import pkgutil
import tempfile
import unittest
from pathlib import Path

import parikh
from parikh import Net, ParikhError

EXAMPLES = Path(os.environ.get("PARIKH_EXAMPLES", Path(__file__).parent.parent.parent / "examples"))


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def load_tests(loader, tests, pattern):
    """The examples of the package's own documentation, too."""
    for module in pkgutil.iter_modules(parikh.__path__):
        if module.name != "__main__":
            tests.addTests(doctest.DocTestSuite(f"parikh.{module.name}"))
    tests.addTests(doctest.DocTestSuite(parikh))
    return tests


class Place:
    """As PM4Py has it, by shape."""

    def __init__(self, name):
        self.name = name
        self.in_arcs, self.out_arcs, self.properties = set(), set(), {}


class Transition(Place):
    def __init__(self, name, label=None):
        super().__init__(name)
        self.label = label


class Flow:
    def __init__(self, source, target, weight=1, properties=None):
        self.source, self.target, self.weight = source, target, weight
        self.properties = properties or {}


class InhibitorArc(Flow):
    """PM4Py has classes for these arcs, and nets that have both know them by that only."""


class ResetArc(Flow):
    """As that."""


class PetriNet:
    def __init__(self, name, places, transitions, arcs):
        self.name, self.places, self.transitions, self.arcs = name, set(places), set(transitions), set(arcs)


def order(joined=True):
    """A process with two branches; unjoined, one is left behind."""
    places = {name: Place(name) for name in ("source", "a", "b", "sink")}
    split, join = Transition("t1", "split"), Transition("t2")
    arcs = [Flow(places["source"], split), Flow(split, places["a"]), Flow(split, places["b"])]
    arcs += [Flow(places["a"], join), Flow(join, places["sink"])]
    if joined:
        arcs.append(Flow(places["b"], join))
    net = PetriNet("order", places.values(), [split, join], arcs)
    return net, {places["source"]: 1}, {places["sink"]: 1}


class Nets(unittest.TestCase):
    def test_a_net_of_pm4py_is_read_by_its_shape(self):
        net = Net.from_pm4py(*order())
        self.assertEqual(net.places, ("a", "b", "sink", "source"))
        self.assertEqual(net.names, {"t1": "split"})
        self.assertEqual((net.marking, net.finals), ({"source": 1}, ({"sink": 1},)))
        self.assertTrue(net.soundness())

    def test_names_that_two_nodes_have_get_a_number_and_other_arcs_are_refused(self):
        p, q, t = Place("x"), Place("y"), Transition("x")
        net = Net.from_pm4py(PetriNet("", [p, q], [t], [Flow(p, t), Flow(t, q)]), {p: 1})
        self.assertEqual((net.places, net.transitions), (("x", "y"), ("x_2",)))
        made_up = Transition("22a1fb92-409c-4c0c-995f-15229229a50e", "pay")
        self.assertEqual(Net.from_pm4py(PetriNet("", [p], [made_up], []), {}).transitions, ("pay",))
        for arc, words in [
            (Flow(p, t, properties={"arctype": "transport"}), "transport"),
            (Flow(p, t, 2, {"arctype": "inhibitor"}), "weight 2"),
            (Flow(t, p, 1, {"arctype": "inhibitor"}), "one from a place"),
            (ResetArc(p, t, 1, {"arctype": "inhibitor"}), "inhibitor and reset"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(ParikhError, words):
                Net.from_pm4py(PetriNet("", [p], [t], [arc]), {p: 1})

    def test_inhibitor_and_reset_arcs_of_pm4py_are_taken(self):
        # A buffer is filled with up to three, and emptied at once; only then it is closed.
        for inhibitor, reset in [
            (InhibitorArc, ResetArc),
            (lambda *it: Flow(*it, 1, {"arctype": "inhibitor"}), lambda *it: Flow(*it, 1, {"arctype": "reset"})),
        ]:
            raw, buffer, open_, closed = map(Place, ("raw", "buffer", "open", "closed"))
            put, empty, close = Transition("put"), Transition("empty"), Transition("close", "close it")
            arcs = [Flow(raw, put), Flow(put, buffer), Flow(open_, put), Flow(put, open_)]
            arcs += [reset(buffer, empty), Flow(open_, empty), Flow(empty, open_)]
            arcs += [inhibitor(buffer, close), Flow(open_, close), Flow(close, closed)]
            made = PetriNet("buffer", [raw, buffer, open_, closed], [put, empty, close], arcs)
            net = Net.from_pm4py(made, {raw: 3, open_: 1}, {closed: 1})
            answers = net.check({
                "closed": "AG (closed = 0 || buffer = 0)", "most": "bound(buffer)", "emptied": "EF (raw = 0 && buffer = 0)",
                "fires": "EF fireable(close)", "both": "EF (fireable(close) && buffer >= 1)",
            })
            self.assertEqual([it.value for it in answers], [True, 3, True, True, False])
            for answer in answers:
                self.assertEqual(answer.certify().verdict, "confirmed", answer)
            self.assertEqual(net.names["close"], "close it")
            with self.assertRaisesRegex(ParikhError, "without inhibitor and reset arcs"):
                net.soundness()
            self.assertEqual(net.inhibitors, (parikh.Arc("buffer", "close"),))
            self.assertEqual(net.resets, (parikh.Arc("buffer", "empty"),))
            # What stands for these arcs is in invariants of places, too.
            invariants = net.invariants("P")
            self.assertEqual(invariants.nodes[:4], net.places)
            self.assertEqual([sum(row) for row in invariants.rows()], [sum(it.terms.values()) for it in invariants])
            self.assertTrue(net._repr_html_())
            with tempfile.TemporaryDirectory() as at:
                net.write(Path(at) / "buffer.pnml")
                again = parikh.load(Path(at) / "buffer.pnml")
            self.assertEqual(again, net)

    def test_what_is_no_net_is_refused(self):
        for parts, words in [
            ((["p", "p"], [], [], {}), "two nodes"),
            ((["p"], ["t"], [("p", "q")], {}), "expected a place and a transition"),
            ((["p"], ["t"], [("p", "t", 0)], {}), "the weight of the arc from 'p' to 't' is 0"),
            ((["p"], [], [], {"q": 1}), "no place"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(ParikhError, words):
                Net(*parts)
        for matrices, words in [
            (([[1]], [[1], [1]], [1]), "pre is 1 × 1"),
            (([[-1]], [[1]], [1]), "row 0, column 0 of pre is -1: expected a whole number from 0"),
            (([[1, 0], [1]], [[1], [1]], [1, 1]), "different lengths"),
            (([[1]], [[1]], [1, 2]), "2 places"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(ParikhError, words):
                Net.from_matrices(*matrices)

    def test_a_net_is_written_and_read_back_whatever_its_names(self):
        net = Net(
            ["a <b>", "arc0", 'q"'], ["t & u"], [("a <b>", "t & u", 3), ("t & u", 'q"')], {"a <b>": 7},
            finals=[{'q"': 2}], names={"t & u": "t → u"}, name="odd",
        )
        with tempfile.TemporaryDirectory() as at:
            file = Path(at) / "odd.pnml"
            net.write(file)
            again = parikh.load(file)
            with gzip.open(Path(at) / "odd.pnml.gz", "wb") as out:
                out.write(file.read_bytes())
            self.assertEqual(parikh.load(Path(at) / "odd.pnml.gz").arcs, again.arcs)
        for part in ("places", "transitions", "arcs", "marking", "finals", "names", "name"):
            self.assertEqual(getattr(again, part), getattr(net, part), part)
        self.assertTrue(net.check('AG "a <b>" <= 7'))
        self.assertEqual(net.soundness({'q"': 2}).value, False)

    def test_a_file_that_is_none_says_where_it_is_wrong(self):
        with self.assertRaisesRegex(ParikhError, "nowhere.pnml"):
            parikh.load("nowhere.pnml")
        with tempfile.TemporaryDirectory() as at:
            file = Path(at) / "broken.pnml"
            file.write_text("<pnml>\n<net id='n'><place id='p'</net></pnml>")
            with self.assertRaisesRegex(ParikhError, "broken.pnml:2"):
                parikh.load(file)

    @unittest.skipUnless(has("networkx"), "takes NetworkX")
    def test_a_graph_has_all_nodes_and_arcs(self):
        graph = parikh.load(EXAMPLES / "orders.pnml").to_networkx()
        self.assertEqual((graph.number_of_nodes(), graph.number_of_edges()), (11, 12))
        self.assertEqual(graph.nodes["t2"]["name"], "Accept")

    @unittest.skipUnless(has("scipy"), "takes SciPy")
    def test_matrices_are_those_of_the_net(self):
        import numpy

        net = parikh.load(EXAMPLES / "philosophers.pnml")
        self.assertEqual((net.incidence.dtype, net.incidence.format), (numpy.int64, "csc"))
        again = Net.from_matrices(
            net.pre, net.post, [net.marking.get(p, 0) for p in net.places], places=net.places,
            transitions=net.transitions,
        )
        self.assertEqual(sorted(map(str, again.arcs)), sorted(map(str, net.arcs)))
        self.assertFalse((net.invariants("P").matrix @ net.incidence.toarray()).any())
        self.assertFalse((net.incidence.toarray() @ net.invariants("T").matrix.T).any())


class Questions(unittest.TestCase):
    def setUp(self):
        self.net = parikh.load(EXAMPLES / "philosophers.pnml")

    def test_answers_have_a_value_evidence_and_a_run_that_fires(self):
        answer = self.net.check(examination="ReachabilityDeadlock")
        self.assertIs(answer.value, True)
        self.assertEqual(answer.evidence, "replayed")
        marking = dict(self.net.marking)
        for t in answer.witness.transitions():
            for arc in self.net.arcs:
                if arc.target == t:
                    marking[arc.source] = marking.get(arc.source, 0) - arc.weight
                    self.assertGreaterEqual(marking[arc.source], 0)
            for arc in self.net.arcs:
                if arc.source == t:
                    marking[arc.target] = marking.get(arc.target, 0) + arc.weight
        self.assertEqual(answer.certify().verdict, "confirmed")

    def test_formulas_are_certified_as_this_package_reads_them(self):
        texts = {
            "a": "AG !(eat1 >= 1 && eat2 >= 1)",
            "b": "EF (eat1 >= 1 || fireable(leave2))",
            "c": "bound(eat1 + eat2)",
            "d": "AG (eat1 + eat2 <= 1)",
            "e": "EF deadlock",
            "f": "A G (eat1 >= 1 -> F (eat1 = 0))",
            # Of all runs, where no quantifier stands before it.
            "g": "G eat1 = 0 || F eat2 >= 1",
            "h": "G !fires(leave1)",
            "i": "! G (eat1 = 0)",
            "j": "AG EF fireable(leave1)",
            "k": "E (eat1 = 0 U eat2 >= 1)",
            # A sum beside a number, which the contest's XML has no words for.
            "l": "AG 2*eat1 + 3 >= eat2 - 1",
            "m": "EF eat1 + 1 <= eat2",
        }
        answers = self.net.check(texts)
        self.assertEqual(len(answers), len(texts))
        for name in texts:
            answer = answers[name]
            self.assertTrue(answer.known, answer)
            if answer.evidence != "searched":
                self.assertEqual(answer.certify().verdict, "confirmed", answer)
        self.assertEqual((answers["c"].value, answers["c"].bounds.upper), (1, 1))
        self.assertEqual([it.id for it in answers], list(texts), "in the order in which was asked")
        self.assertEqual(answers._repr_html_().count("<tr>"), len(texts) + 1)

    def test_a_witness_of_no_firings_is_a_witness(self):
        answer = self.net.check("EF think1 >= 1")
        self.assertTrue(answer.witness)
        self.assertEqual((len(answer.witness), str(answer.witness)), (0, "(the initial marking)"))

    def test_fair_runs_are_asked_for_and_certified(self):
        net = Net.from_matrices([[1, 1], [0, 0]], [[1, 0], [0, 1]], [1, 0])
        self.assertIs(net.check("F p1 >= 1").value, False)
        answer = net.check("F p1 >= 1", fair="weak")
        self.assertIs(answer.value, True)
        self.assertEqual(answer.certify().verdict, "confirmed")

    def test_a_stream_takes_back_what_does_not_stand(self):
        hearing = parikh._answer.Hearing(parikh._answer.Inquiry(parikh._programs.Source("model.pnml")), "net")
        told = {"type": "withdrawn", "id": "a", "examination": "Formulas", "reason": "it rested on a claim"}
        heard = hearing.hear(told)
        self.assertEqual((heard.id, heard.value, heard.withdrawn), ("a", None, True))

    def test_what_is_unbounded_is_infinite_and_what_is_unknown_says_so(self):
        source = Net(["p"], ["t"], [("t", "p")], {})
        answer = source.check("most: bound(p)")
        self.assertEqual((answer.id, answer.value, answer.witness.kind), ("most", math.inf, "pump"))
        with self.assertRaisesRegex(ParikhError, "the number inf"):
            bool(answer)
        late = self.net.check(examination="ReachabilityDeadlock", timeout=0)
        self.assertIsNone(late.value)
        with self.assertRaisesRegex(ParikhError, "unknown"):
            bool(late)
        with self.assertRaisesRegex(ParikhError, "no evidence"):
            late.certify()

    def test_mistakes_are_told_as_the_program_tells_them(self):
        with self.assertRaisesRegex(ParikhError, "did you mean `eat1`"):
            self.net.check("EF eat11 >= 1")
        with self.assertRaisesRegex(ParikhError, "nothing is asked"):
            self.net.check()
        with self.assertRaisesRegex(ParikhError, r"^invalid value 'Deadlok'(?!.*--help)"):
            self.net.check(examination="Deadlok")
        with self.assertRaisesRegex(ParikhError, "two questions are called a"):
            self.net.check(["a: EF deadlock", "a: EF deadlock"])

    def test_a_lasso_shows_a_violation_for_ever(self):
        answer = self.net.check("A (F eat1 >= 1)")
        self.assertIs(answer.value, False)
        self.assertEqual(answer.witness.kind, "lasso")
        self.assertIn(answer.witness.end, ("dead", "repeats", "anything"))

    def test_answers_come_as_a_stream_which_can_be_left(self):
        async def all_of_them():
            asked = self.net.stream({"a": "EF deadlock", "b": "bound(eat1)"}, examination="OneSafe")
            return [it async for it in asked if isinstance(it, parikh.Answer)]

        answers = asyncio.run(all_of_them())
        self.assertEqual({it.id for it in answers}, {"a", "b", "OneSafe"})

        async def first():
            asked = self.net.stream({"a": "EF deadlock", "b": "EF eat1 >= 1"})
            async for it in asked:
                await asked.aclose()
                return it

        self.assertIsNotNone(asyncio.run(first()))

        async def wrong():
            return [it async for it in self.net.stream("EF nothing >= 1")]

        with self.assertRaisesRegex(ParikhError, "no place"):
            asyncio.run(wrong())

    def test_the_state_space_has_four_figures(self):
        answers = self.net.check(examination="StateSpace")
        self.assertEqual(len(answers), 4)
        self.assertIsInstance(answers["STATE_SPACE STATES"].value, int)

    def test_batches_become_rows(self):
        answers = parikh.batch(
            [EXAMPLES / "philosophers.pnml", EXAMPLES / "orders.pnml", "nowhere.pnml"], examination=["RD", "OS"],
        )
        rows = answers.rows()
        self.assertEqual(len(rows), 5)
        self.assertIsNone(rows[-1]["value"])
        self.assertIn("nowhere.pnml", rows[-1]["reason"])
        if has("pandas"):
            self.assertEqual(list(answers.to_frame()["value"][:4]), [it["value"] for it in rows[:4]])


class Systems(unittest.TestCase):
    def test_properties_of_systems_are_answered_and_certified(self):
        post = parikh.load_system(EXAMPLES / "post.dot")
        self.assertEqual((post.components, post.states), (("sender", "channel", "receiver"), 7))
        for file in ("post-properties.txt", "post-branching.txt"):
            answers = post.check(EXAMPLES / file)
            self.assertEqual([it.id for it in answers], [str(n) for n in range(1, len(answers) + 1)])
            for answer in answers:
                self.assertEqual(answer.certify().verdict, "confirmed", answer)
        lost = post.check("( G(deliver => F(ack)) )")
        self.assertIs(lost.value, False)
        self.assertEqual((lost.witness.kind, lost.witness.end), ("lasso", "repeats"))
        self.assertIn("deliver", (*lost.witness.steps, *lost.witness.repeat))
        self.assertEqual([it.value for it in post.check(["( !ack W deliver )", "( G(F(send)) )"])], [True, True])

    def test_what_is_no_system_and_what_never_comes_is_said(self):
        with self.assertRaisesRegex(ParikhError, "load_system"):
            parikh.load(EXAMPLES / "post.dot")
        with self.assertRaisesRegex(ParikhError, "parikh.load reads it"):
            parikh.load_system(EXAMPLES / "orders.pnml")
        post = parikh.load_system(EXAMPLES / "post.dot")
        with self.assertRaisesRegex(ParikhError, "expected `\\)`"):
            post.check("( G(ack )")
        with self.assertWarnsRegex(parikh.ParikhWarning, "never come"):
            post.check("( G(!akc) )")


class Structure(unittest.TestCase):
    def test_invariants_siphons_traps(self):
        net = parikh.load(EXAMPLES / "philosophers.pnml")
        invariants = net.invariants("P", semiflows=True)
        self.assertTrue(invariants.complete and all(it.is_semiflow for it in invariants))
        for it in invariants:
            held = sum(n * net.marking.get(place, 0) for place, n in it.terms.items())
            self.assertEqual(held, it.constant)
        self.assertTrue(net.siphons() and net.traps())
        self.assertFalse(net.siphons(limit=1).complete)

    def test_a_reduced_net_is_a_net_with_the_same_answer(self):
        net = parikh.load(EXAMPLES / "philosophers.pnml")
        small = net.reduce("deadlock")
        self.assertLessEqual(len(small.places), len(net.places))
        self.assertEqual(small.check(examination="RD").value, net.check(examination="RD").value)


class Processes(unittest.TestCase):
    def test_what_makes_a_process_unsound_is_named(self):
        sound, diagnostics = Net.from_pm4py(*order(joined=False)).soundness()
        self.assertIs(sound, False)
        self.assertIn("b", diagnostics["places"])
        self.assertEqual(diagnostics["run"], ["t1", "t2"])
        self.assertIn("leaves tokens behind", diagnostics["reason"])

    def test_the_kinds_of_soundness_and_its_evidence(self):
        net = Net.from_pm4py(*order())
        for kind in ("soundness", "weak", "easy"):
            found = net.soundness(kind=kind)
            self.assertIs(found.value, True, kind)
            self.assertEqual(found.answer.certify().verdict, "confirmed", kind)
        self.assertIs(net.soundness(kind="relaxed", cases=1).value, True)
        with self.assertRaisesRegex(ParikhError, "expected one of"):
            net.soundness(kind="strong")

    def test_a_net_shows_itself(self):
        page = Net.from_pm4py(*order())._repr_html_()
        self.assertTrue(page.startswith("<iframe srcdoc=") and "&lt;html" in page)


if __name__ == "__main__":
    unittest.main()
