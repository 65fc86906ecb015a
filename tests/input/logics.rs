//! A single operator under a single quantifier, read as CTL and as LTL, against the markings of
//! small nets.

use super::lowering::{NETS, holds, state};
use crate::support::oracle::{OracleLimits, StateSpace, explore};
use crate::support::scale::cases;
use crate::support::{runs, trees};
use parikh::formula::{Formula, Proposition, Query, TemporalLogic, UnsupportedFormula, lower_in};
use parikh_net::{Goal, text};
use proptest::prelude::*;

/// The values of formulas in each marking.
struct Values<'s, 'n> {
    space: &'s StateSpace<'n>,
    logic: TemporalLogic,
}

impl Values<'_, '_> {
    fn of(&self, formula: &Formula) -> Vec<bool> {
        let markings = self.space.markings().iter();
        markings.map(|marking| holds(formula, self.space.net(), marking)).collect()
    }

    fn next(&self, at: usize) -> Vec<usize> {
        self.space.fired_from(at).map(|(to, _)| to).collect()
    }

    /// Returns true if the initial marking satisfies A or E of one operator, or of its negation.
    fn quantified(&self, all: bool, path: &Formula) -> bool {
        match path {
            Formula::Not(part) => !self.quantified(!all, part),
            Formula::Next(part) => {
                let part = self.of(part);
                match (&self.next(0)[..], self.logic) {
                    ([], TemporalLogic::Linear) => part[0],
                    (next, _) if all => next.iter().all(|&to| part[to]),
                    (next, _) => next.iter().any(|&to| part[to]),
                }
            }
            Formula::Finally(part) => {
                self.until(all, &vec![true; self.space.states()], &self.of(part))
            }
            Formula::Globally(part) => {
                let never: Vec<bool> = self.of(part).into_iter().map(|holds| !holds).collect();
                !self.until(!all, &vec![true; self.space.states()], &never)
            }
            Formula::Until { before, reach } => self.until(all, &self.of(before), &self.of(reach)),
            other => panic!("{other:?}"),
        }
    }

    /// Evaluates an until by its least fixpoint. Returns the value in the initial marking.
    fn until(&self, all: bool, before: &[bool], reach: &[bool]) -> bool {
        let mut set = reach.to_vec();
        for _ in 0..set.len() {
            for at in 0..set.len() {
                let next = self.next(at);
                let goes_on = match all {
                    true => !next.is_empty() && next.iter().all(|&to| set[to]),
                    false => next.iter().any(|&to| set[to]),
                };
                set[at] |= before[at] && goes_on;
            }
        }
        set[0]
    }
}

fn operator() -> BoxedStrategy<Formula> {
    let part = || state().prop_map(Box::new);
    let one = prop_oneof![
        part().prop_map(Formula::Globally),
        part().prop_map(Formula::Finally),
        part().prop_map(Formula::Next),
        (part(), part()).prop_map(|(before, reach)| Formula::Until { before, reach }),
    ];
    (one, any::<bool>())
        .prop_map(|(one, negated)| if negated { Formula::Not(Box::new(one)) } else { one })
        .boxed()
}

fn answer(space: &StateSpace<'_>, proposition: &Proposition<Goal>) -> bool {
    proposition.value(&|goal: &Goal| match goal {
        Goal::Reach(predicate) => space.reaches(predicate),
        Goal::Run(property) => runs::exists(space, property),
        Goal::Tree(property) => trees::holds(space, property),
        other => panic!("{other:?}"),
    })
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn operators_have_their_meaning_in_each_logic(
        path in operator(),
        all in any::<bool>(),
        net in prop::sample::select(&NETS[..]),
        dead in any::<bool>(),
    ) {
        let net = match dead {
            // A dead marking.
            true => {
                let net = text::parse(net).unwrap();
                net.from_marking(parikh_net::Marking::empty(net.place_count()))
            }
            false => text::parse(net).unwrap(),
        };
        let space = explore(&net, OracleLimits::default()).unwrap();
        let whole = Box::new(path.clone());
        let formula = if all { Formula::AllPaths(whole) } else { Formula::ExistsPath(whole) };
        for logic in [TemporalLogic::Linear, TemporalLogic::Branching] {
            let expected = Values { space: &space, logic }.quantified(all, &path);
            match lower_in(&formula, &net, logic) {
                Ok(Query::Truth(proposition)) => {
                    prop_assert_eq!(answer(&space, &proposition), expected, "{:?}", logic);
                }
                // X in CTL is refused if the initial marking is dead.
                Err(UnsupportedFormula::Temporal(_)) => {
                    prop_assert!(logic == TemporalLogic::Branching && net.is_dead(net.initial()));
                }
                Err(error) => prop_assert_eq!(error, UnsupportedFormula::NonLinear),
                Ok(other) => panic!("{other:?}"),
            }
        }
        // An A alone determines the logic, and in LTL the A may be omitted.
        if all && TemporalLogic::of(&path) == TemporalLogic::Linear {
            prop_assert_eq!(
                lower_in(&path, &net, TemporalLogic::Linear).ok(),
                lower_in(&formula, &net, TemporalLogic::Linear).ok()
            );
        }
    }
}
