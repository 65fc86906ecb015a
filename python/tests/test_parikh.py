"""The package as its users meet it, with the programs that it finds (PARIKH_PROGRAMS, or those of the wheel)."""

import asyncio
import copy
import doctest
import gzip
import importlib
import math
import os
import pickle
import pkgutil
import shutil
import signal
import tempfile
import threading
import unittest
import warnings
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


def process(marking=None, **more):
    """One step from i to o."""
    return Net(["i", "o"], ["t"], [("i", "t"), ("t", "o")], marking, **more)


def children():
    """The processes that this one has started and that still run."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            parent = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1]
        except OSError:
            continue
        found += [process] * (int(parent) == os.getpid())
    return found


def hard():
    """A net with very many markings."""
    rows, columns = range(30), range(9)
    nodes = [(i, j) for i in rows for j in columns]
    arcs = [(f"p{i}_{j}", f"t{i}_{j}") for i, j in nodes] + [(f"t{i}_{j}", f"p{i}_{(j + 1) % 9}") for i, j in nodes]
    # A step in one ring looks at the next one.
    arcs += [(f"p{(i + 1) % 30}_{j}", f"t{i}_{j}") for i, j in nodes]
    arcs += [(f"t{i}_{j}", f"p{(i + 1) % 30}_{j}") for i, j in nodes]
    places, transitions = ([f"{kind}{i}_{j}" for i, j in nodes] for kind in "pt")
    return Net(places, transitions, arcs, {f"p{i}_{j}": 1 for i in rows for j in (0, 4)})


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
            (Flow(t, p, 1, {"arctype": "inhibitor"}), "arc from a place"),
            (ResetArc(p, t, 1, {"arctype": "inhibitor"}), "inhibitor and reset"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(ParikhError, words):
                Net.from_pm4py(PetriNet("", [p], [t], [arc]), {p: 1})

    def test_a_name_that_one_node_has_stays_and_ids_are_those_of_the_objects(self):
        first, second, other, t = Place("a"), Place("a"), Place("a_2"), Transition("t")
        arcs = [Flow(first, t), Flow(t, second), Flow(t, other)]
        net = Net.from_pm4py(PetriNet("", [first, second, other], [t], arcs), {first: 1})
        self.assertEqual(set(net.places), {"a", "a_2", "a_3"})
        self.assertEqual((net.ids[other], net.ids[t], {net.ids[first], net.ids[second]}), ("a_2", "t", {"a", "a_3"}))
        self.assertEqual(net.marking, {net.ids[first]: 1})
        self.assertTrue(net.soundness({second: 1, other: 1}), "a marking of PM4Py's, by its places")

    def test_markings_of_pm4py_are_of_its_net(self):
        made, initial, final = order()
        for arguments, words in [
            ((made, {Place("source"): 1}), "the initial marking has tokens on .*, which is not a place"),
            ((made, initial, {Place("sink"): 1}), "the final marking has tokens on .*, which is not a place"),
            ((made, initial, [final, 3]), "expected tokens by place"),
            ((made, initial, "sink"), "expected tokens by place, or a list of such markings"),
            (((made, initial, final, final),), "a tuple of 4 parts: expected a net of PM4Py"),
            (((made, initial), initial), "a tuple of 2 and more markings"),
            ((7,), "7 is not a net of PM4Py: expected places, transitions and arcs"),
            ((made, {next(iter(initial)): 0.5}), "0.5: expected a whole number"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(ParikhError, words):
                Net.from_pm4py(*arguments)
        self.assertTrue(Net.from_pm4py(made).soundness())
        # What pm4py.read_pnml gives, also of a file that has no markings.
        self.assertEqual(Net.from_pm4py(order()).finals, ({"sink": 1},))
        self.assertTrue(Net.from_pm4py((made, {}, {})).soundness())
        self.assertEqual(len(Net.from_pm4py(made, initial, [initial, final]).finals), 2)
        with self.assertRaisesRegex(ParikhError, "a case needs a token in `source`"):
            Net.from_pm4py(made, {}, final).soundness()
        with self.assertRaisesRegex(ParikhError, "not a place of the net"):
            Net.from_pm4py(*order()).soundness({Place("sink"): 1})

    def test_priorities_of_pm4py_are_refused_or_stated(self):
        class Distribution:
            def __init__(self, kind, priority):
                self.get_distribution_type, self.get_priority = lambda: kind, lambda: priority
                self.get_weight = lambda: 1.0

        def made(*kinds):
            p, ends, ts = Place("p"), [Place("early"), Place("late")], [Transition("go"), Transition("expire")]
            for t, (kind, priority) in zip(ts, kinds):
                t.properties["stochastic_distribution"] = Distribution(kind, priority)
            arcs = [arc for t, end in zip(ts, ends) for arc in (Flow(p, t), Flow(t, end))]
            return PetriNet("", [p, *ends], ts, arcs), {p: 1}

        different = made(("IMMEDIATE", 1), ("EXPONENTIAL", 0))
        with self.assertRaisesRegex(ParikhError, "priorities change .* untimed=True"):
            Net.from_pm4py(*different)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", parikh.ParikhWarning)
            answer = Net.from_pm4py(*different, untimed=True).check("EF late >= 1")
        self.assertEqual((answer.value, answer.assumes[-1]), (True, "untimed"))
        self.assertIn("assumed: times and priorities are ignored (untimed=True)", str(answer))
        self.assertEqual(answer.certify().verdict, "confirmed")
        answer = Net.from_pm4py(*made(("EXPONENTIAL", 0), ("EXPONENTIAL", 0))).check("EF late >= 1")
        self.assertEqual((answer.value, "rates" in answer.assumes), (True, True))

    def test_a_timed_model_is_refused_or_loaded_without_its_times(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "timed.net"
            file.write_text("net n\npl p (1)\ntr t [2,5] p -> q\n")
            with self.assertRaisesRegex(ParikhError, "untimed=True"):
                parikh.load(file)
            with self.assertWarnsRegex(parikh.ParikhWarning, "assumed: times and priorities"):
                net = parikh.load(file, untimed=True)
            self.assertEqual(net.check("EF q >= 1").assumes, ("untimed",))
            self.assertTrue(net.check("EF q >= 1").certify())

    def test_guards_of_pm4py_are_refused(self):
        p, t = Place("p"), Transition("t")
        t.properties["guard"] = "x > 5"
        with self.assertRaisesRegex(ParikhError, "the transition 't' has the guard 'x > 5'"):
            Net.from_pm4py(PetriNet("", [p], [t], [Flow(p, t)]), {p: 1})

    def test_answers_state_their_assumptions(self):
        sound = Net.from_matrices([[1], [0]], [[0], [1]]).soundness()
        for text in (str(sound), repr(sound.answer), parikh.Answers([sound.answer])._repr_html_()):
            self.assertIn("; assumed: ", text)
        self.assertEqual(len(sound.diagnostics["assumptions"]), 2)

    def test_reasons_and_warnings_are_in_the_terms_of_python(self):
        net = Net(["p", "a"], ["x", "y"], [("p", "x"), ("x", "a"), ("a", "y"), ("y", "p")], {"p": 1})
        with self.assertWarnsRegex(parikh.ParikhWarning, "^mine: "):
            answers = net.check({"mine": "existence(x)"}, cases=True, final="a")
        self.assertIn("cases=True", answers["mine"].reason)

    def test_matrices_can_have_several_final_markings(self):
        net = Net.from_matrices([[1], [0]], [[0], [1]], final=[[0, 1], [1, 0]])
        self.assertEqual(net.finals, ({"p1": 1}, {"p0": 1}))

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
            # Who closes at once leaves what is raw.
            soundness = net.soundness()
            self.assertIn("leaves tokens behind on `raw`", soundness.reason)
            because = soundness.answer.because
            self.assertEqual(because["kind"], "tokens-left-behind")
            self.assertEqual([it["place"] for it in because["tokens"]], ["raw"])
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
            ((["p"], [], [], {"q": 1}), "not a place"),
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

    def test_what_is_no_whole_number_or_no_text_is_refused_where_it_stands(self):
        for number in (1.5, math.nan, math.inf, "1", True, None, 1j, 2**63, -1, 1e300):
            for make, words in [
                (lambda: Net.from_matrices([[number]], [[0]], [1]), "row 0, column 0 of pre is"),
                (lambda: Net.from_matrices([[0]], [[number]], [1]), "row 0, column 0 of post is"),
                (lambda: Net.from_matrices([[1]], [[0]], [number]), "number 0 of the marking is"),
                (lambda: Net.from_matrices([[1]], [[0]], [1], final=[number]), "number 0 of the final marking is"),
                (lambda: process({"i": number}), "tokens on 'i' in the initial marking is"),
                (lambda: process({"i": 1}, finals=[{"o": number}]), "tokens on 'o' in a final marking is"),
                (lambda: process({"i": 1}).soundness({"o": number}), "tokens on 'o' in the final marking is"),
                (lambda: Net(["i"], ["t"], [("i", "t", number)]), "weight of the arc from 'i' to 't' is"),
            ]:
                with self.subTest(number=number, words=words), self.assertRaisesRegex(ParikhError, words):
                    make()
        self.assertEqual(Net.from_matrices([[2.0]], [[0]], [3.0]).arcs[0].weight, 2)
        with self.assertRaisesRegex(ParikhError, "from 1 to 2\\^63 - 1"):
            Net(["i"], ["t"], [("i", "t", 2**62), ("i", "t", 2**62)])
        for name in (1, None, "", "a\0", "\ud800"):
            with self.subTest(name), self.assertRaisesRegex(ParikhError, "name"):
                Net([name], [], [])
            with self.subTest(name), self.assertRaisesRegex(ParikhError, "name|expected"):
                Net([], [name], [])
        for arc in (3, ("p",), ("p", "t", 1, 1), (["p"], "t")):
            with self.subTest(arc), self.assertRaisesRegex(ParikhError, "expected two ids"):
                Net(["p"], ["t"], [arc])

    def test_shapes_are_those_of_the_matrices(self):
        for matrix, words in [
            ([1, 0], "1 dimensions"), (3, "expected numbers in rows"), (None, "expected numbers in rows"),
            ([[1], 2], "different lengths"),
        ]:
            with self.subTest(matrix), self.assertRaisesRegex(ParikhError, words):
                Net.from_matrices(matrix, [[0], [1]], [1, 0])
        for marking in (3, [1], [[1, 0], [0, 1]]):
            with self.subTest(marking), self.assertRaises(ParikhError):
                Net.from_matrices([[1], [0]], [[0], [1]], marking)
        for final in (3, [1], [[1, 0, 0], [0, 1, 0]]):
            with self.subTest(final), self.assertRaises(ParikhError):
                Net.from_matrices([[1], [0]], [[0], [1]], [1, 0], final=final)
        self.assertEqual(Net.from_matrices([[1], [0]], [[0], [1]], [[1], [0]]).marking, {"p0": 1})
        self.assertEqual(Net.from_matrices([[], []], [[], []], [1, 2]).marking, {"p0": 1, "p1": 2})

    @unittest.skipUnless(has("numpy"), "takes NumPy")
    def test_arrays_are_read_as_lists_are(self):
        import numpy

        nothing = numpy.zeros((0, 3))
        self.assertEqual(Net.from_matrices(nothing, nothing, []).transitions, ("t0", "t1", "t2"))
        pre, post = numpy.array([[1], [0]]), numpy.array([[0], [1]])
        for marking in ([1, 0], numpy.array([1, 0]), numpy.array([[1], [0]]), numpy.array([1.0, 0.0])):
            self.assertEqual(Net.from_matrices(pre, post, marking).marking, {"p0": 1})
        for marking in (numpy.array(3), numpy.array([1.5, 0]), numpy.array([math.nan, 0]), numpy.ones((2, 2))):
            with self.subTest(marking), self.assertRaises(ParikhError):
                Net.from_matrices(pre, post, marking)
        if has("scipy"):
            from scipy.sparse import coo_matrix

            twice = coo_matrix(([1, 2], ([0, 0], [0, 0])), shape=(2, 1))
            self.assertEqual(Net.from_matrices(twice, post, [1, 0]).arcs[0].weight, 3)
        if has("pandas"):
            import pandas

            net = Net.from_matrices(pandas.DataFrame(pre), pandas.DataFrame(post), pandas.Series([1, 0]))
            self.assertEqual(net, Net.from_matrices(pre, post, [1, 0]))

    def test_weights_of_arcs_between_the_same_nodes_add_up(self):
        net = Net(["p"], ["t"], [("p", "t"), ("t", "p"), parikh.Arc("p", "t", 2)], {"p": 3})
        self.assertEqual(net.arcs, (parikh.Arc("p", "t", 3), parikh.Arc("t", "p", 1)))

    def test_a_net_does_not_change(self):
        net = process({"i": 1}, finals=[{"o": 1}], names={"t": "step"})
        for mapping in (net.marking, net.finals[0], net.names, net.ids):
            with self.assertRaises(TypeError):
                mapping["i"] = 2
        with self.assertRaisesRegex(AttributeError, "a net does not change"):
            net.marking = {}

    def test_nets_are_equal_when_their_parts_are(self):
        net = process({"i": 1}, finals=[{"o": 1}])
        turned = Net(["i", "o"], ["t"], [("t", "o"), ("i", "t")], {"i": 1, "o": 0}, finals=[{"o": 1}])
        self.assertEqual((net, hash(net)), (turned, hash(turned)))
        for other in (process({"i": 2}, finals=[{"o": 1}]), process({"i": 1}), "net"):
            self.assertNotEqual(net, other)

    def test_nets_are_pickled_with_all_that_they_are(self):
        net = process({"i": 1}, finals=[{"o": 1}], names={"t": "step"})
        before = net.file
        again = pickle.loads(pickle.dumps(net))
        self.assertEqual(again, net)
        self.assertNotEqual(again.file, before)
        self.assertTrue(again.check("EF o >= 1") and again.soundness())
        self.assertIs(copy.deepcopy(net), net)
        loaded = parikh.load(EXAMPLES / "orders.pnml")
        self.assertEqual(pickle.loads(pickle.dumps(loaded)).file, loaded.file)

    def test_threads_that_ask_first_ask_of_one_file(self):
        size = range(2000)
        net = Net([f"p{i}" for i in size], [f"t{i}" for i in size], [(f"p{i}", f"t{i}") for i in size], {"p0": 1})
        found = []

        def ask():
            found.append((net.file, net.check("EF p0 = 0").value))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for it in threads:
            it.start()
        for it in threads:
            it.join()
        self.assertEqual(found, [(net.file, True)] * 4)

    def test_a_process_that_is_forked_off_leaves_files_alone(self):
        net = process({"i": 1})
        answer, file = net.check("EF o >= 1"), net.file
        child = os.fork()
        if child == 0:
            # What stands for its end: it drops all that it has, and writes a file of its own.
            other = net.file != file and net.check("EF o >= 1").value
            for directory in (answer._inquiry.directory, answer._inquiry.source.directory, net._source.directory):
                parikh._programs._remove(directory.name, directory.owner)
            os._exit(0 if other else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(os.path.exists(file))
        self.assertTrue(answer.certify())

    def test_a_file_that_changed_since_is_not_asked(self):
        for of_directory in (False, True):
            with tempfile.TemporaryDirectory() as at:
                file = Path(at) / "model.pnml"
                shutil.copy(EXAMPLES / "orders.pnml", file)
                net = parikh.load(at if of_directory else file)
                answer = net.check(examination="RD")
                (Path(at) / "other.txt").write_text("beside it")
                self.assertTrue(net.check(examination="RD").known and answer.certify())
                file.write_text(file.read_text() + "\n")
                for ask in (lambda: net.check(examination="RD"), answer.certify, net.invariants, lambda: net.file):
                    with self.assertRaisesRegex(ParikhError, "has changed since it was loaded"):
                        ask()
                file.unlink()
                with self.assertRaisesRegex(ParikhError, "has changed since it was loaded"):
                    net.report()

    def test_messages_speak_of_the_net_and_not_of_a_file_for_the_programs(self):
        net = Net(["i", "o", "q"], ["t"], [("i", "t"), ("t", "o"), ("t", "q")], {"i": 1}, name="shop")
        with self.assertRaisesRegex(ParikhError, "^shop: the final marking of a case is unknown"):
            net.soundness()

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

    def test_formulas_are_certified(self):
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

    def test_questions_are_called_as_their_author_calls_them(self):
        net = process({"i": 1})
        texts = {
            1: "EF o >= 1", 'a: "b"': "AG\ni + o\n= 1 # all\n", "": "deadlock", "OneSafe": "bound(o)",
            "é\n": "EF fireable(t)", "q1": "EF o = 0", "../x": "AG EF deadlock",
        }
        answers = net.check(texts, examination="OneSafe")
        self.assertEqual([it.id for it in answers], ["OneSafe", *map(str, texts)])
        self.assertEqual([it.value for it in answers], [True, True, True, False, 1, True, True, True])
        for answer in answers:
            self.assertEqual(answer.certify().verdict, "confirmed", answer)
        self.assertEqual([it.id for it in net.check(["deadlock", "formula-1: deadlock"])], ["formula-2", "formula-1"])
        for several in (answers[1:], net.check(iter(["deadlock"])), net.check({"deadlock"})):
            self.assertIsInstance(several, parikh.Answers)

        async def open_ones():
            asked = hard().stream({"a b": "bound(p0_0 + p1_0)"}, timeout=3)
            return {id async for it in asked if isinstance(it, parikh.Progress) for id in it.bounds}

        self.assertLessEqual(asyncio.run(open_ones()), {"a b"})

    def test_words_of_other_languages_are_names_as_well(self):
        # The auditor takes a file with such words for one of LoLA's, were it not for the quotes.
        net = Net(["FIREABLE", "AND"], ["DEADLOCK"], [("FIREABLE", "DEADLOCK"), ("DEADLOCK", "AND")], {"FIREABLE": 1})
        answer = net.check("AG (FIREABLE + AND = 1)")
        self.assertTrue(answer)
        self.assertEqual(answer.certify().verdict, "confirmed")

    def test_formulas_longer_than_a_command_line_are_asked_and_certified(self):
        long = "EF (" + " || ".join(["o >= 1"] * 5000) + ")"
        answers = process({"i": 1}).check([long] * 60)
        self.assertEqual({it.value for it in answers}, {True})
        self.assertTrue(answers[59].certify())

    def test_where_a_formula_is_wrong_is_told_by_its_name(self):
        net = process({"i": 1})
        with self.assertRaisesRegex(ParikhError, "^formula-1:1:4: the net has no place `x`"):
            net.check("EF x >= 1")
        with self.assertRaisesRegex(ParikhError, "^late:2:3: the net has no place `x`"):
            net.check({"late": "EF\n  x >= 1"})
        with self.assertWarnsRegex(parikh.ParikhWarning, "^b b:1:4: "):
            answers = net.check({"a": "EF o >= 1", "b b": "EF x >= 1"})
        self.assertEqual((answers[0].value, answers[1].value), (True, None))
        self.assertTrue(answers[1].reason.startswith("b b:1:4: the net has no place `x`"), answers[1].reason)
        for questions in ("", " ", "a:", {"a": ""}, {"a": 1}, [None], "\ud800", {1: "deadlock", "1": "deadlock"}):
            with self.subTest(questions), self.assertRaises(ParikhError):
                net.check(questions)

    def test_options_are_looked_at_before_anything_is_asked(self):
        net = process({"i": 1})
        for timeout in ("1m", "90s", "1.5h", "800ms", 30, 2.5, None, math.inf, 1e17):
            answer = net.check(examination="Liveness", timeout=timeout)
            self.assertTrue(answer.known)
            self.assertTrue(answer.certify(timeout=timeout))
        self.assertIsNone(net.check(examination="Liveness", timeout=1e-9).value)
        for memory in (10**9, 1e9, "1G"):
            self.assertTrue(net.check(examination="Liveness", memory=memory).known)
        for wrong in [
            {"timeout": "1h30m"}, {"timeout": "soon"}, {"timeout": -1}, {"timeout": math.nan}, {"timeout": True},
            {"memory": 0}, {"memory": 1.5}, {"memory": "7"}, {"seed": -1}, {"seed": 0.5}, {"threads": 0}, {"cases": 0},
            {"cases": "two"}, {"engines": "a\0"}, {"queries": "formulas.xml"},
        ]:
            with self.subTest(wrong), self.assertRaises(ParikhError):
                net.check("EF o >= 1", **wrong)
        for ask in (lambda: net.siphons(limit=-1), lambda: net.invariants(timeout="x"), lambda: net.report(timeout=-1)):
            with self.assertRaises(ParikhError):
                ask()

    def test_answers_that_differ_in_their_time_only_are_equal_and_pickled_without_evidence(self):
        net = process({"i": 1})
        # With several threads, the engine that answers first, and so the techniques, may differ.
        answer = net.check("EF o >= 1", threads=1)
        self.assertEqual(answer, net.check("EF o >= 1", threads=1))
        again = pickle.loads(pickle.dumps(answer))
        self.assertEqual(again, answer)
        with self.assertRaisesRegex(ParikhError, "a pickled answer has no evidence"):
            again.certify()
        self.assertTrue(copy.deepcopy(answer).certify())

    def test_no_run_outlives_who_waits_for_it(self):
        class Alarm(Exception):
            pass

        def ring(*_):
            raise Alarm

        net = hard()
        before = signal.signal(signal.SIGALRM, ring)
        try:
            signal.setitimer(signal.ITIMER_REAL, 1)
            with self.assertRaises(Alarm):
                net.check(examination="StateSpace")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(children(), [])

        async def left():
            asked = net.stream("bound(p0_0 + p1_0 + p2_1)", examination="Liveness")
            async for _ in asked:
                break
            await asked.aclose()
            self.assertEqual(children(), [])
            waiting = asyncio.ensure_future(anext(net.stream(examination="StateSpace")))
            await asyncio.sleep(0.5)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting

        asyncio.run(left())
        self.assertEqual(children(), [])

    def test_remarks_of_a_stream_are_warnings(self):
        async def asked():
            return [it async for it in process({"i": 1}).stream({"a": "EF o >= 1", "b": "EF x >= 1"})]

        with self.assertWarnsRegex(parikh.ParikhWarning, "b:1:4: the net has no place `x`"):
            asyncio.run(asked())

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
        with self.assertRaisesRegex(ParikhError, "there is no question"):
            self.net.check()
        with self.assertRaisesRegex(ParikhError, r"^invalid value 'Deadlok'(?!.*--help)"):
            self.net.check(examination="Deadlok")
        with self.assertRaisesRegex(ParikhError, "two questions have the name a"):
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
        self.assertEqual(len(self.net.check("deadlock", examination="StateSpace")), 5)
        self.assertIsInstance(self.net.check(examination=["RD"]), parikh.Answers)
        self.assertIsInstance(answers["STATE_SPACE STATES"].value, int)

    def test_batches_become_rows(self):
        answers = parikh.batch(
            [EXAMPLES / "philosophers.pnml", EXAMPLES / "orders.pnml", "nowhere.pnml"], examination=["RD", "OS"],
        )
        rows = answers.rows()
        self.assertEqual(len(rows), 5)
        self.assertIsNone(rows[-1]["value"])
        self.assertIn("nowhere.pnml", rows[-1]["reason"])
        net = process({"i": 1})
        asked = parikh.batch([net, net], iter(["EF o >= 1", "bound(o)"]), examination=iter(["RD"]))
        self.assertEqual([it.value for it in asked], [True, True, 1] * 2)
        self.assertEqual([it.id for it in parikh.batch(net, "deadlock")], ["formula-1"])
        self.assertEqual([it.model for it in parikh.batch("nowhere.pnml", examination="RD")], ["nowhere.pnml"])
        if has("pandas"):
            self.assertEqual(list(answers.to_frame()["value"][:4]), [it["value"] for it in rows[:4]])
            self.assertEqual(list(parikh.batch([], examination="RD").to_frame().columns), list(rows[0]))


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
        with self.assertRaisesRegex(ParikhError, "use parikh.load"):
            parikh.load_system(EXAMPLES / "orders.pnml")
        post = parikh.load_system(EXAMPLES / "post.dot")
        with self.assertRaisesRegex(ParikhError, "expected `\\)`"):
            post.check("( G(ack )")
        with self.assertWarnsRegex(parikh.ParikhWarning, "never occur"):
            post.check("( G(!akc) )")


class Structure(unittest.TestCase):
    def test_invariants_siphons_traps(self):
        net = parikh.load(EXAMPLES / "philosophers.pnml")
        invariants = net.invariants("P", semiflows=True)
        self.assertTrue(invariants.complete and all(it.is_semiflow for it in invariants))
        self.assertEqual(len(set(invariants)), len(invariants))
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

    def test_a_case_begins_in_the_marking_that_is_given(self):
        self.assertTrue(process().soundness())
        self.assertTrue(Net.from_matrices([[1], [0]], [[0], [1]]).soundness())
        for ask in (
            lambda: process({}).soundness({"o": 1}), lambda: process({"i": 0}).check(examination=["RD", "sound"]),
            lambda: Net.from_matrices([[1], [0]], [[0], [1]], [0, 0], places="io").soundness(),
            lambda: pickle.loads(pickle.dumps(process({}))).soundness(),
        ):
            with self.assertRaisesRegex(ParikhError, "the initial marking is empty: a case needs a token in `i`"):
                ask()
        self.assertIs(process({}).check("EF i >= 1").value, False)

    def test_a_case_may_end_in_several_markings_and_the_answer_names_which(self):
        net = Net(
            ["i", "a", "b"], ["t", "u"], [("i", "t"), ("t", "a"), ("i", "u"), ("u", "b")], {"i": 1},
            finals=[{"a": 1}, {"b": 1}],
        )
        sound = net.soundness()
        self.assertTrue(sound, sound)
        self.assertIn("in `a` or `b`", sound.reason)
        self.assertEqual(sound.answer.certify().verdict, "confirmed")
        self.assertFalse(net.soundness("a"))
        self.assertTrue(net.soundness(["a", {"b": 1}]))
        # Each of two cases may end in another one.
        two = net.soundness(k=2)
        self.assertTrue(two, two)
        self.assertEqual(two.answer.certify().verdict, "confirmed")
        easy = net.soundness([{"b": 1}, "3*a"], kind="easy")
        self.assertIn("to the final marking `b`", easy.reason)
        self.assertTrue(net.check("existence(t) || existence(u)", cases=True))

    def test_a_process_with_reset_and_inhibitor_arcs_is_answered(self):
        # Whoever cancels takes away what the other branch holds; without the arc, it is left behind.
        def cancelled(**more):
            return Net(
                ["i", "a", "b", "o"], ["split", "cancel", "both"],
                [("i", "split"), ("split", "a"), ("split", "b"), ("a", "cancel"), ("cancel", "o"), ("a", "both"),
                 ("b", "both"), ("both", "o")], {"i": 1}, finals=[{"o": 1}], **more,
            )

        self.assertFalse(cancelled().soundness())
        for kind in ("soundness", "weak", "relaxed", "easy"):
            sound = cancelled(resets=[("b", "cancel")]).soundness(kind=kind)
            self.assertTrue(sound, sound)
            self.assertEqual(sound.answer.certify().verdict, "confirmed")
        self.assertTrue(cancelled(resets=[("b", "cancel")]).soundness(k=2))
        relaxed = cancelled(inhibitors=[("b", "cancel")]).soundness(kind="relaxed")
        self.assertIn("transition `cancel` is on no run", relaxed.reason)
        self.assertFalse(relaxed)

    def test_formulas_about_cases_are_asked_with_cases(self):
        # Some runs go round for ever; cases do not.
        net = Net(
            ["i", "p", "q", "o"], ["t1", "t2", "t3"],
            [("i", "t1"), ("t1", "p"), ("t1", "q", 2), ("p", "t2"), ("q", "t2", 2), ("t2", "o"), ("p", "t3"), ("t3", "p")],
            {"i": 1},
        )
        formula = "existence(t1) && existence(t2)"
        answer = net.check(formula, cases=True)
        self.assertIs(answer.value, True)
        self.assertEqual(answer.certify().verdict, "confirmed")
        self.assertIs(net.check(formula).value, False)
        self.assertIs(net.check(formula, cases=False).value, False)

    def test_mistakes_about_cases_are_told_in_the_terms_of_python(self):
        net = process({"i": 1})
        for ask, words in [
            (lambda: net.check("F o >= 1", cases=2), "cases is 2: expected True, for formulas about cases, or False; k is"),
            (lambda: net.check(examination="sound", cases=3), "cases is 3: .* k is the number of cases"),
            (lambda: net.soundness(cases=3), "soundness has no cases=: k is the number"),
            (lambda: net.soundness(k=True), "k is True: expected a whole number"),
            (lambda: net.soundness(k=0), "k is 0: expected a whole number from 1"),
            (lambda: net.check("F o >= 1", k=2), "k is 2, and soundness is not among the questions"),
            (lambda: net.check("F o >= 1", final="o"), "final applies to soundness, and to formulas with cases=True"),
            (lambda: net.check("F o >= 1", cases=True, fair="weak"), "fair and cases=True cannot be combined"),
            (lambda: net.check("F o >= 1", cases=True, examination="sound"), "cases=True applies to formulas"),
            (lambda: net.soundness(kind=[]), "kind is \\[\\]: expected one of 'soundness', 'weak'"),
            (lambda: net.soundness([]), "final has no marking"),
            (lambda: process({"i": 1, "o": 1}).soundness([{"o": True}]), "True: expected a whole number"),
            (lambda: process(1), "the initial marking is 1: expected tokens by place"),
            (lambda: net.check("F o >= 1", threads=True), "threads is True: expected a whole number"),
            (lambda: net.check("F o >= 1", seed=False), "seed is False: expected a whole number"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(ParikhError, words):
                ask()
        isolated = Net(["p", "q", "r"], ["t"], [("p", "t"), ("t", "q"), ("t", "r")], {"p": 1})
        with self.assertRaisesRegex(ParikhError, "final, for example final='q'"):
            isolated.soundness()

    def test_whatever_is_given_by_mistake_is_an_error_of_the_package(self):
        net = process({"i": 1})
        strange = [5, 1.5, True, b"x", object(), [5], [None], {}, {5: 5}, "", "\0", math.nan, (), ((),), lambda: 0]
        asks = [
            lambda it: net.check(it, timeout=5), lambda it: net.check(examination=it, timeout=5),
            lambda it: net.check("EF o >= 1", queries=it, timeout=5), lambda it: net.check("EF o >= 1", fair=it, timeout=5),
            lambda it: net.check("EF o >= 1", engines=it, timeout=5), lambda it: net.check("EF o >= 1", timeout=it),
            lambda it: net.check("EF o >= 1", memory=it, timeout=5), lambda it: net.check("EF o >= 1", require=it, timeout=5),
            lambda it: net.check("EF o >= 1", threads=it, timeout=5), lambda it: net.check("EF o >= 1", seed=it, timeout=5),
            lambda it: net.check("EF o >= 1", cases=it, timeout=5), lambda it: net.check("EF o >= 1", k=it, timeout=5),
            lambda it: net.soundness(it, timeout=5), lambda it: net.soundness(kind=it, timeout=5),
            lambda it: net.soundness(k=it, timeout=5), lambda it: net.reduce(it, timeout=5),
            lambda it: net.reduce("reachability", support=it, timeout=5), lambda it: net.invariants(it),
            lambda it: net.siphons(limit=it), lambda it: net.write(it), parikh.load, parikh.load_system,
            lambda it: parikh.batch(it, examination="RD"), lambda it: parikh.batch([net], it, timeout=5),
            Net.from_pm4py, lambda it: Net.from_pm4py(*order()[:2], it), lambda it: Net.from_pm4py(order()[0], it),
            lambda it: Net(it, [], []), lambda it: Net([], it, []), lambda it: Net(["i"], ["t"], it),
            lambda it: process(it), lambda it: process(finals=it), lambda it: process(names=it),
            lambda it: process(name=it), lambda it: process(resets=it), lambda it: process(inhibitors=it),
            lambda it: Net.from_matrices(it, it), lambda it: Net.from_matrices([[1]], [[1]], it),
            lambda it: Net.from_matrices([[1]], [[1]], places=it), lambda it: Net.from_matrices([[1]], [[1]], final=it),
        ]
        with tempfile.TemporaryDirectory() as at, warnings.catch_warnings():
            warnings.simplefilter("ignore", parikh.ParikhWarning)
            before = os.getcwd()
            os.chdir(at)
            try:
                for number, ask in enumerate(asks):
                    for it in strange:
                        with self.subTest(ask=number, given=it):
                            try:
                                ask(it)
                            except ParikhError as error:
                                self.assertTrue(str(error))
                                self.assertNotRegex(str(error), "(^| )--[a-z]")
            finally:
                os.chdir(before)

    def test_where_a_case_ends_is_a_marking(self):
        net = process({"i": 1})
        sound = net.soundness({"o": 1})
        self.assertEqual((sound[0], sound[1], len(sound)), (*sound, 2))
        for final, words in [
            ({}, "the final marking is empty"), ({"o": 0}, "the final marking is empty"),
            ({"x": 1}, "no place `x`"), ({"o": -1}, "is -1"), ([{"o": 1}, 7], "expected tokens by place"),
        ]:
            with self.subTest(final), self.assertRaisesRegex(ParikhError, words):
                net.soundness(final)

    def test_the_kinds_of_soundness_and_its_evidence(self):
        net = Net.from_pm4py(*order())
        for kind in ("soundness", "weak", "easy"):
            found = net.soundness(kind=kind)
            self.assertIs(found.value, True, kind)
            self.assertEqual(found.answer.certify().verdict, "confirmed", kind)
        self.assertIs(net.soundness(kind="relaxed", k=1).value, True)
        with self.assertRaisesRegex(ParikhError, "expected one of"):
            net.soundness(kind="strong")

    def test_a_net_shows_itself(self):
        page = Net.from_pm4py(*order())._repr_html_()
        self.assertTrue(page.startswith("<iframe srcdoc=") and "&lt;html" in page)


if __name__ == "__main__":
    unittest.main()
