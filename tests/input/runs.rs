//! Path formulas converted to properties of runs keep their meaning. They are compared with an
//! evaluation of the syntax tree, on random lassos of markings and firings from the initial
//! marking.

use super::lowering::{NETS, boolean, holds, state};
use crate::support::scale::cases;
use parikh::formula::{Formula, UnsupportedFormula, run_property};
use parikh_net::{Marking, Net, TransitionId, text};
use parikh_temporal::Lasso;
use proptest::prelude::*;

/// The markings of a lasso, the firing at each, and the position after the last one.
struct LassoRow<'n> {
    net: &'n Net,
    markings: Vec<Marking>,
    fired: Vec<Option<TransitionId>>,
    back: usize,
}

impl LassoRow<'_> {
    /// Returns all positions from `at` onwards, each once.
    fn later(&self, at: usize) -> Vec<usize> {
        let mut all = vec![at];
        loop {
            let next = self.after(all[all.len() - 1]);
            if all.contains(&next) {
                return all;
            }
            all.push(next);
        }
    }

    fn after(&self, at: usize) -> usize {
        if at + 1 < self.markings.len() { at + 1 } else { self.back }
    }

    fn satisfies(&self, formula: &Formula, at: usize) -> bool {
        let here = |formula: &Formula| self.satisfies(formula, at);
        match formula {
            Formula::Globally(part) => self.later(at).iter().all(|&at| self.satisfies(part, at)),
            Formula::Finally(part) => self.later(at).iter().any(|&at| self.satisfies(part, at)),
            Formula::Next(part) => self.satisfies(part, self.after(at)),
            Formula::Until { before, reach } => {
                let row = self.later(at);
                let until = row.iter().position(|&at| self.satisfies(reach, at));
                until.is_some_and(|until| row[..until].iter().all(|&at| self.satisfies(before, at)))
            }
            Formula::Not(part) => !here(part),
            Formula::And(parts) => parts.iter().all(here),
            Formula::Or(parts) => parts.iter().any(here),
            Formula::Implies(a, b) => !here(a) || here(b),
            Formula::Equivalent(a, b) => here(a) == here(b),
            Formula::Xor(a, b) => here(a) != here(b),
            Formula::Fires(any) => self.fired[at].is_some_and(|t| any.contains(&t)),
            state => holds(state, self.net, &self.markings[at]),
        }
    }
}

/// Returns temporal operators, including X, over state formulas and firings.
fn path() -> BoxedStrategy<Formula> {
    let transitions = prop::collection::vec(0..2usize, 1..3);
    let fires = transitions
        .prop_map(|all| Formula::Fires(all.into_iter().map(TransitionId::new).collect()));
    let leaf = prop_oneof![2 => state(), 1 => fires];
    let temporal = leaf.prop_recursive(4, 8, 2, |inner| {
        let part = || inner.clone().prop_map(Box::new);
        prop_oneof![
            part().prop_map(Formula::Globally),
            part().prop_map(Formula::Finally),
            part().prop_map(Formula::Next),
            (part(), part()).prop_map(|(before, reach)| Formula::Until { before, reach }),
            boolean(inner, 1),
        ]
    });
    temporal.boxed()
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn path_formulas_mean_the_same_on_every_row(
        formula in path(),
        expected in any::<bool>(),
        net in prop::sample::select(&NETS[..]),
        markings in prop::collection::vec(prop::collection::vec(0..4u64, 3), 0..5),
        back in 0..5usize,
        fired in prop::collection::vec(prop::option::of(0..2usize), 6),
    ) {
        let net = text::parse(net).unwrap();
        let mut row = vec![net.initial().clone()];
        row.extend(markings.into_iter().map(Marking::new));
        let mut fired: Vec<Option<TransitionId>> =
            fired[..row.len()].iter().map(|fired| fired.map(TransitionId::new)).collect();
        if net.is_dead(net.initial()) {
            fired[0] = None;
        }
        let row = LassoRow { net: &net, back: back % row.len(), markings: row, fired };
        let property = match run_property(&formula, &net, expected) {
            Ok(property) => property,
            Err(error) => {
                prop_assert_eq!(error, UnsupportedFormula::NonLinear);
                return Ok(());
            }
        };
        let along = row.markings.iter().zip(&row.fired);
        let letters = along.map(|(marking, &fired)| property.letter(&net, marking, fired));
        let word = Lasso::new(letters.collect(), row.back).unwrap();
        let said = word.satisfies(property.formulas(), property.formula());
        prop_assert_eq!(said, row.satisfies(&formula, 0) == expected);
    }
}

#[test]
fn formulas_that_are_no_path_formulas_are_refused() {
    let net = text::parse(NETS[0]).unwrap();
    let inner = Formula::ExistsPath(Box::new(Formula::Finally(Box::new(Formula::Deadlock))));
    let mixed = Formula::Globally(Box::new(inner));
    assert!(matches!(run_property(&mixed, &net, true), Err(UnsupportedFormula::Temporal(_))));
}

#[test]
fn parts_that_are_each_others_negation_are_one_atom() {
    let net = text::parse(NETS[0]).unwrap();
    let t = net.transition_named("u").unwrap();
    let some = || Box::new(Formula::Fireable(vec![t]));
    let none = Box::new(Formula::Not(some()));
    let until = Formula::Until { before: none, reach: some() };
    let property = run_property(&Formula::Next(Box::new(until)), &net, true).unwrap();
    assert_eq!(property.atoms().len(), 1);
    // Nothing is left of a formula that the initial marking decides.
    let decided = Formula::Until { before: some(), reach: Box::new(Formula::Not(some())) };
    let property = run_property(&decided, &net, false).unwrap();
    assert!(property.atoms().is_empty());
}
