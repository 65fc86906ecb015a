//! Simplified automata accept the same words, and are not larger.

use crate::{random, scaled};
use fastrand::Rng;
use parikh_temporal::{AtomId, Lasso};
use parikh_temporal::{
    AtomNames, Automaton, AutomatonEdge, AutomatonLimits, Cube, LinearTableau, Literal, Ltl, Marks,
    Strength,
};

#[test]
fn simplified_automata_of_formulas_accept_the_same_words() {
    let (mut before, mut after, mut smaller, mut deterministic) = (0, 0, 0, 0);
    for case in 0..scaled(10_000) {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Ltl::default();
        let operators = rng.usize(1..9);
        let formula = random::formula(&mut formulas, &mut rng, 3, operators);
        let text = formulas.text(formula, &AtomNames::default());
        let automaton = LinearTableau::new(&formulas, formula, AutomatonLimits::default())
            .expect(&text)
            .automaton;
        let simplified = automaton.simplified();
        before += automaton.states.len();
        after += simplified.states.len();
        assert!(simplified.states.len() <= automaton.states.len(), "{text}, case {case}");
        for _ in 0..6 {
            let word = random::lasso(&mut rng, 3);
            let holds = word.satisfies(&formulas, formula);
            assert_eq!(simplified.accepts(&word), holds, "{text} on {word:?}, case {case}");
        }
        check_strengths(&simplified, &mut rng);
        let small = Automaton::of(&mut formulas, formula, AutomatonLimits::default()).expect(&text);
        smaller += small.states.len();
        deterministic += usize::from(small.is_deterministic());
        for _ in 0..6 {
            let word = random::lasso(&mut rng, 3);
            let holds = word.satisfies(&formulas, formula);
            assert_eq!(small.accepts(&word), holds, "{text} on {word:?}, case {case}");
        }
        check_strengths(&small, &mut rng);
    }
    assert!(smaller < after, "{smaller} of {after} states are left");
    assert!(deterministic as u64 > scaled(10_000) / 2, "{deterministic} are deterministic");
    assert!(after * 10 < before * 9, "{after} of {before} states are left");
}

/// Returns a random automaton that belongs to no formula: it may be nondeterministic and have dead
/// or superfluous states.
fn random_automaton(rng: &mut Rng) -> Automaton {
    let count = rng.usize(1..7);
    let marks = rng.u32(..4);
    let edge = |rng: &mut Rng| {
        let literal = |rng: &mut Rng| Literal { atom: AtomId(rng.u32(..2)), positive: rng.bool() };
        let literals: Vec<Literal> = (0..rng.usize(..3)).map(|_| literal(rng)).collect();
        let cube = Cube::of(literals).unwrap_or_default();
        let carried = Marks(rng.u64(..)).and(Marks::all(marks));
        AutomatonEdge { target: rng.usize(..count), marks: carried, cube }
    };
    let states = (0..count).map(|_| (0..rng.usize(..4)).map(|_| edge(rng)).collect()).collect();
    Automaton { states, initial: 0, marks }
}

#[test]
fn simplified_automata_of_no_formula_accept_the_same_words() {
    let mut accepted = 0;
    for case in 0..scaled(5_000) {
        let mut rng = Rng::with_seed(case);
        let automaton = random_automaton(&mut rng);
        let simplified = automaton.simplified();
        for _ in 0..10 {
            let word = random::lasso(&mut rng, 2);
            let accepts = automaton.accepts(&word);
            accepted += u64::from(accepts);
            assert_eq!(
                simplified.accepts(&word),
                accepts,
                "{automaton:?} on {word:?}, case {case}"
            );
        }
        if let Some(word) = automaton.find_word() {
            assert!(automaton.accepts(&word) && simplified.accepts(&word), "case {case}");
        } else {
            assert_eq!(simplified, Automaton::rejecting(), "case {case}");
        }
        check_strengths(&automaton, &mut rng);
    }
    assert!(accepted > scaled(5_000), "{accepted}");
}

/// Checks the strength of each state: a terminal state accepts a random word, and the cycle of a
/// random walk back to the state has all marks if the strength says so.
fn check_strengths(automaton: &Automaton, rng: &mut Rng) {
    let strengths = automaton.strengths();
    assert_eq!(automaton.strength(), strengths.iter().copied().max().expect("a state"));
    for (state, strength) in strengths.iter().enumerate() {
        let word: Lasso = random::lasso(rng, 3);
        if *strength == Strength::Terminal {
            assert!(automaton.accepts_from(state, &word));
        }
        // Any walk that returns to its state gives an infinite run.
        let mut path = Vec::new();
        let mut at = state;
        for _ in 0..12 {
            let Some(edge) = rng.choice(&automaton.states[at]) else { break };
            path.push(edge);
            at = edge.target;
            if at == state {
                let all = path.iter().fold(Marks::NONE, |all, edge| all.or(edge.marks));
                let accepting = Marks::all(automaton.marks).is_subset(all);
                match strength {
                    Strength::Rejecting => assert!(!accepting),
                    Strength::Terminal | Strength::Weak => assert!(accepting),
                    Strength::Strong => {}
                }
            }
        }
    }
}

#[test]
fn well_known_formulas_have_well_known_automata() {
    for (text, states, marks, deterministic, strength) in [
        ("GFa", 1, 1, true, Strength::Strong),
        ("FGa", 2, 1, false, Strength::Weak),
        ("Fa", 2, 1, true, Strength::Terminal),
        ("Ga", 1, 0, true, Strength::Weak),
        ("a U b", 2, 1, true, Strength::Terminal),
        ("a W b", 2, 0, true, Strength::Weak),
        ("G(a -> Fb)", 2, 1, true, Strength::Strong),
        ("GFa & GFb & GFc", 1, 3, true, Strength::Strong),
        ("XXa", 4, 0, true, Strength::Terminal),
        ("G!a | (!b U a)", 3, 0, true, Strength::Weak),
        ("F a | G !a", 1, 0, true, Strength::Terminal),
        ("a & !a", 1, 0, true, Strength::Rejecting),
    ] {
        let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
        let formula = parikh_temporal::parse_ltl(text, &mut formulas, &mut names).expect(text);
        let automaton =
            Automaton::of(&mut formulas, formula, AutomatonLimits::default()).expect(text);
        let seen = (automaton.states.len(), automaton.marks, automaton.is_deterministic());
        assert_eq!(
            (seen, automaton.strength()),
            ((states, marks, deterministic), strength),
            "{text}: {}",
            automaton.hoa(&names)
        );
    }
}
