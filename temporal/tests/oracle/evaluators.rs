//! The two evaluators against other representations of a word, negation, worked examples, and each
//! other.

use crate::{random, scaled};
use fastrand::Rng;
use parikh_generate::EdgeGraph;
use parikh_temporal::{
    AtomId, AtomNames, Automaton, AutomatonEdge, AutomatonLimits, Ctl, Cube, Formula, Lasso,
    Letter, Linear, Literal, Ltl, Marks, Quantifier, parse_ctl, parse_ltl,
};

#[test]
fn a_word_written_down_in_another_way_has_the_same_values() {
    for case in 0..scaled(3_000) {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Ltl::default();
        let formula = random::formula(&mut formulas, &mut rng, 3, 8);
        let negation = formulas.negate(formula);
        let word = random::lasso(&mut rng, 3);
        let values = word.values(&formulas, formula);
        let opposite: Vec<bool> = values.iter().map(|it| !it).collect();
        assert_eq!(word.values(&formulas, negation), opposite, "case {case}");
        // The cycle written twice, and the first letters of the cycle moved to the prefix.
        let (letters, back) = (word.letters(), word.cycle_start());
        let twice = [letters, &letters[back..]].concat();
        let turned = rng.usize(back..letters.len());
        let moved = [letters, &letters[back..turned]].concat();
        for (letters, back) in [(twice, back), (moved, turned)] {
            let other = Lasso::new(letters, back).expect("in range").values(&formulas, formula);
            assert_eq!(other[..values.len()], values, "case {case}");
        }
        // A formula holds at a position if and only if it holds of the word that begins there.
        let at = rng.usize(..back + 1);
        let rest = Lasso::new(letters[at..].to_vec(), back - at).expect("in range");
        assert_eq!(rest.satisfies(&formulas, formula), values[at], "case {case}");
    }
}

/// The word: a; then b; then the empty letter and b alternately, forever.
#[test]
fn a_word_worked_out_by_hand() {
    let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
    let [a, b] = ["a", "b"].map(|name| names.atom(name));
    let letters = vec![Letter::of([a]), Letter::of([b]), Letter::of([]), Letter::of([b])];
    let word = Lasso::new(letters, 2).expect("a loop");
    for (text, values) in [
        ("a U b", [true, true, false, true]),
        ("X b", [true, false, true, false]),
        ("GF b", [true; 4]),
        ("FG b", [false; 4]),
        ("G !a", [false, true, true, true]),
        ("b R (a | b)", [true, true, false, true]),
        ("a W b", [true, true, false, true]),
        ("G(b -> X !b)", [true; 4]),
        ("b M !a", [false, true, true, true]),
        ("a U G(b | X b)", [true; 4]),
    ] {
        let formula = parse_ltl(text, &mut formulas, &mut names).expect(text);
        assert_eq!(word.values(&formulas, formula), values, "{text}");
    }
}

/// The graph: edges from 0 (a) to 1 (a) and 2 (b), from 1 to itself, and from 2 to 3 (no atom),
/// where paths end.
#[test]
fn a_graph_worked_out_by_hand() {
    let (mut formulas, mut names) = (Ctl::default(), AtomNames::default());
    let [a, b] = ["a", "b"].map(|name| names.atom(name));
    let letters = [vec![a], vec![a], vec![b], vec![]].map(Letter::of).to_vec();
    let graph =
        EdgeGraph::new(letters, vec![vec![1, 2], vec![1], vec![3], vec![]]).expect("a graph");
    for (text, values) in [
        ("EX a", [true, true, false, false]),
        ("AX a", [false, true, false, true]),
        ("EX 1", [true, true, true, false]),
        ("AX 0", [false, false, false, true]),
        ("EG a", [true, true, false, false]),
        ("AG(a | b)", [false, true, false, false]),
        ("AF b", [false, false, true, false]),
        ("AF(b | AG a)", [true, true, true, false]),
        ("EF AX 0", [true, false, true, true]),
        ("AF AX 0", [false, false, true, true]),
        ("EG !a", [false, false, true, true]),
        ("E(a U b)", [true, false, true, false]),
        ("A(a U b)", [false, false, true, false]),
        ("A(a W b)", [true, true, true, false]),
        ("E(b R (a | b))", [true, true, true, false]),
    ] {
        let formula = parse_ctl(text, &mut formulas, &mut names).expect(text);
        assert_eq!(graph.values(&formulas, formula), values, "{text}");
    }
}

/// Returns an automaton for the words of the paths from a state of a graph. With `repeats`, a path
/// that ends repeats its last letter.
fn paths(graph: &EdgeGraph, from: usize, repeats: bool) -> Automaton {
    let letter = |state: usize| {
        let literal = |atom| Literal { atom, positive: graph.letters()[state].has(atom) };
        Cube::of((0..3).map(AtomId).map(literal)).expect("each atom once")
    };
    let edges = |state: usize| -> Vec<AutomatonEdge> {
        let mut targets = graph.successors(state).to_vec();
        if targets.is_empty() && repeats {
            targets.push(state);
        }
        let edge =
            |&target: &usize| AutomatonEdge { target, marks: Marks::NONE, cube: letter(state) };
        targets.iter().map(edge).collect()
    };
    let states = (0..graph.letters().len()).map(edges).collect();
    Automaton { states, initial: from, marks: 0 }
}

/// For a single temporal operator, CTL states about some path what LTL states about its word.
/// Without X, the repetition of the last letter makes no difference.
#[test]
fn a_path_of_the_graph_is_a_word_of_the_automaton() {
    let mut holds = 0;
    for case in 0..scaled(3_000) {
        let mut rng = Rng::with_seed(case);
        let graph = random::graph(&mut rng, 3);
        let (mut linear, mut branching) = (Ltl::default(), Ctl::default());
        let literals: Vec<Vec<Literal>> = (0..2)
            .map(|_| {
                let literal =
                    |rng: &mut Rng| Literal { atom: AtomId(rng.u32(..3)), positive: rng.bool() };
                (0..rng.usize(1..3)).map(|_| literal(&mut rng)).collect()
            })
            .collect();
        let of_linear: Vec<Formula<Linear>> = literals
            .iter()
            .map(|all| {
                let all: Vec<_> = all.iter().map(|&it| linear.literal(it)).collect();
                linear.or(all)
            })
            .collect();
        let of_branching: Vec<Formula<Quantifier>> = literals
            .iter()
            .map(|all| {
                let all: Vec<_> = all.iter().map(|&it| branching.literal(it)).collect();
                branching.or(all)
            })
            .collect();
        let has_dead_state =
            (0..graph.letters().len()).any(|state| graph.successors(state).is_empty());
        let some = Quantifier::Exists;
        let pairs = [
            Some((
                linear.until(Linear, of_linear[0], of_linear[1]),
                branching.until(some, of_branching[0], of_branching[1]),
            )),
            Some((
                linear.release(Linear, of_linear[0], of_linear[1]),
                branching.release(some, of_branching[0], of_branching[1]),
            )),
            (!has_dead_state).then(|| {
                (linear.next(Linear, of_linear[0]), branching.next(some, of_branching[0]))
            }),
        ];
        for (on_path, on_graph) in pairs.into_iter().flatten() {
            let values = graph.values(&branching, on_graph);
            let automaton =
                Automaton::of(&mut linear, on_path, AutomatonLimits::default()).expect("small");
            for (state, value) in values.into_iter().enumerate() {
                let both = paths(&graph, state, true).and(&automaton, AutomatonLimits::default());
                let word = both.expect("small").find_word();
                assert_eq!(word.is_some(), value, "case {case}, state {state}");
                assert!(word.is_none_or(|word| word.satisfies(&linear, on_path)), "case {case}");
                holds += u64::from(value);
            }
        }
    }
    assert!(holds > scaled(3_000), "{holds}");
}
