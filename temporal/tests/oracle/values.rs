//! Three-valued evaluation of formulas with partial information.

use crate::{random, scaled};
use fastrand::Rng;
use parikh_generate::EdgeGraph;
use parikh_temporal::{AtomId, Ctl, Lasso, Letter, Ltl, PartialTruth};

/// Returns the values of a letter in which atom 2 is unknown.
fn known(letter: &Letter) -> impl Fn(AtomId) -> PartialTruth {
    move |atom| if atom == AtomId(2) { PartialTruth::Unknown } else { letter.has(atom).into() }
}

#[test]
fn values_of_linear_formulas_are_those_of_the_word() {
    let mut decided = 0;
    for case in 0..scaled(5_000) {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Ltl::default();
        let formula = random::formula(&mut formulas, &mut rng, 3, 6);
        let word = random::lasso(&mut rng, 3);
        let first = &word.letters()[0];
        let holds = word.satisfies(&formulas, formula);
        let value = formulas.value_here(formula, known(first)).to_bool();
        assert!(value.is_none_or(|value| value == holds), "case {case}");
        decided += u64::from(value.is_some());
        let given = formulas.simplify_here(formula, known(first));
        assert_eq!(word.satisfies(&formulas, given), holds, "case {case}");
        assert!(value.is_none_or(|value| formulas.is(given, value)), "case {case}");
        let dead = Lasso::stuttering(vec![first.clone()]).expect("a letter");
        let value = formulas.value_at_end(formula, |atom| first.has(atom).into());
        assert_eq!(value.to_bool(), Some(dead.satisfies(&formulas, formula)), "case {case}");
    }
    assert!(decided * 5 > scaled(5_000), "{decided} decided");
}

#[test]
fn values_of_branching_formulas_are_those_of_the_graph() {
    let mut decided = 0;
    for case in 0..scaled(5_000) {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Ctl::default();
        let formula = random::formula(&mut formulas, &mut rng, 3, 6);
        let graph = random::graph(&mut rng, 3);
        let first = &graph.letters()[0];
        let holds = graph.values(&formulas, formula)[0];
        let value = formulas.value_here(formula, known(first)).to_bool();
        assert!(value.is_none_or(|value| value == holds), "case {case}");
        decided += u64::from(value.is_some());
        let given = formulas.simplify_here(formula, known(first));
        assert_eq!(graph.values(&formulas, given)[0], holds, "case {case}");
        let dead = EdgeGraph::new(vec![first.clone()], vec![Vec::new()]).expect("one state");
        let value = formulas.value_at_end(formula, |atom| first.has(atom).into());
        assert_eq!(value.to_bool(), Some(dead.values(&formulas, formula)[0]), "case {case}");
    }
    assert!(decided * 5 > scaled(5_000), "{decided} decided");
}
