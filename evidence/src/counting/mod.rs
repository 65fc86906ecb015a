//! Exact numbers of markings through reductions.
//!
//! Rules that preserve every marking ([`Preserve::MARKINGS`]) give equations between the markings
//! of the original net and those of the reduced net. A removed place follows from other places, or
//! a remaining place is the sum of several original places, which take every combination of values.
//! By these equations, each marking of the original net belongs to exactly one marking of the
//! reduced net. So it suffices to visit the markings of the reduced net, and to count the solutions
//! of the equations for each: usually a product of binomial coefficients.
//!
//! | file | content |
//! |---|---|
//! | `equations` | the equations, recorded while a reduction is checked |
//! | `weights` | the number of solutions for a value of a place |
//! | `formula` | the sums over the markings, and the figures in terms of the sums |
//! | `visit` | computation of the sums by visiting the markings |
//!
//! The sums can also be computed from another representation of the markings of a
//! [`CountedComponent`], such as a decision diagram: every factor of a [`FactorProduct`] is a
//! function of one place.
//!
//! # Sources
//! B. Berthomieu, D. Le Botlan, S. Dal Zilio, *Counting Petri net markings from reduction
//! equations*, STTT 22, 2020.

mod equations;
pub mod family;
mod formula;
mod visit;
mod weights;

pub use formula::{CountedComponent, CountingFormula, FactorProduct, NoFormula, StateSpaceFigures};
pub use visit::sums;
pub use weights::{FunctionId, MarkingFactors, WeightError};

use crate::certificate::Flaw;
#[cfg(any(test, feature = "mutation"))]
use crate::reduction::{AssumedCondition, Context, apply, propose, rules};
use crate::reduction::{Candidate, LogError, NamedLog, Needs, Preserve, WorkNet, finish, redo};
use equations::Equations;
use parikh_net::{Net, PlaceId};

/// The reason that the markings are not counted.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// The log of the reduction is wrong: for example, a step is incorrect or a name is unknown.
    /// Also a stop of its check.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The reduction was made for other needs than [`needs_of_counting`], or uses a rule that does
    /// not keep every marking.
    #[error("the reduction does not keep every marking")]
    NotKept,
    /// The reduction gives no formula.
    #[error(transparent)]
    NoFormula(#[from] NoFormula),
    /// The visit of the markings was stopped, exceeded a limit, or met a number of tokens that is
    /// too large.
    #[error(transparent)]
    Visit(#[from] Flaw),
}

/// Returns the needs of a reduction that keeps every marking.
pub fn needs_of_counting() -> Needs {
    Needs { preserve: Preserve::MARKINGS, ..Needs::default() }
}

impl CountingFormula {
    /// Checks every step of a reduction of `net`, and builds the formula from its equations.
    ///
    /// # Errors
    /// The first incorrect step, or an unknown name in the log; [`CountError::NotKept`] if the
    /// reduction does not keep every marking; a stop by `goes_on`. [`CountError::NoFormula`] if a
    /// number depends on several places, a factor cannot be computed, or a component cannot be
    /// built.
    pub fn of_log(
        net: &Net,
        log: &NamedLog,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CountingFormula, CountError> {
        if log.needs(net)? != needs_of_counting() {
            return Err(CountError::NotKept);
        }
        CountingFormula::of_steps(net, log.steps(net, &needs_of_counting()), goes_on)
    }

    /// Checks the steps of a reduction of `net`, and builds the formula from its equations. Each
    /// step is the name of a rule and the candidate to which the rule is applied.
    ///
    /// # Errors
    /// The errors of [`of_log`](Self::of_log).
    pub fn of_steps<'s>(
        net: &Net,
        steps: impl IntoIterator<Item = Result<(&'s str, Candidate), LogError>>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CountingFormula, CountError> {
        let (mut equations, mut keeps_markings) = (Equations::new(net), true);
        let mut record = |_: &_, _: &_, net: &_, edits: &_| {
            keeps_markings &= equations.record(net, edits).is_some();
        };
        let work = redo(net, &needs_of_counting(), steps, &mut record, goes_on)?;
        if keeps_markings {
            CountingFormula::of_reduction(net, &work, equations)
        } else {
            Err(CountError::NotKept)
        }
    }

    /// Builds the formula without checking the condition `assumed` of the rules, so that counts may
    /// be wrong. It is for mutation tests.
    ///
    /// # Errors
    /// The errors of [`of_log`](Self::of_log).
    #[cfg(any(test, feature = "mutation"))]
    pub fn of_mutant<'s>(
        net: &Net,
        steps: impl IntoIterator<Item = (&'s str, Candidate)>,
        assumed: AssumedCondition,
    ) -> Result<CountingFormula, CountError> {
        let (mut work, mut equations) =
            (WorkNet::new(net, &needs_of_counting()), Equations::new(net));
        for (step, (name, candidate)) in (1..).zip(steps) {
            let rule = rules::rule_named(name).ok_or(CountError::NotKept)?;
            let context = Context::new(&work, Preserve::MARKINGS, assumed);
            let fails = || LogError::ConditionFails { step, rule: rule.name };
            let edits = propose(rule, &context, &candidate).ok_or_else(fails)?;
            equations.record(&work, &edits).ok_or(CountError::NotKept)?;
            apply(&mut work, edits, |_, _| ()).map_err(|_| fails())?;
        }
        CountingFormula::of_reduction(net, &work, equations)
    }

    /// Builds the formula from the equations of a complete reduction, whose last net is `work`.
    fn of_reduction(
        net: &Net,
        work: &WorkNet,
        equations: Equations,
    ) -> Result<CountingFormula, CountError> {
        let places: Vec<PlaceId> = work.places().collect();
        // Rules that keep every marking do not compose transitions.
        let mut name = |_: &_, _| String::new();
        let reduced = finish(net, work, needs_of_counting(), &mut name, &mut |_, _| ());
        let reduced = reduced.map_err(LogError::NotBuilt)?.net;
        Ok(CountingFormula::of(net, equations, &reduced, &places)?)
    }

    /// Builds the formula of a net without reduction. If the net consists of components without
    /// common transitions, the formula still multiplies the sums over the components.
    ///
    /// # Errors
    /// When the net has too many places or transitions for the ids of a component.
    pub fn of_net(net: &Net) -> Result<CountingFormula, NoFormula> {
        let places: Vec<PlaceId> = net.places().collect();
        CountingFormula::of(net, Equations::new(net), net, &places)
    }
}

/// Computes the figures by visiting the markings of the components of the reduced net, at most
/// `max_markings` in total. Returns the figures and the number of visited markings. Calls `goes_on`
/// at every marking.
///
/// # Errors
/// When there are more markings or too many for the memory limit, a place overflows, a factor
/// cannot be computed, or `goes_on` returns false.
pub fn count(
    formula: &mut CountingFormula,
    max_markings: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(StateSpaceFigures, u64), CountError> {
    let (mut component_sums, mut visited) = (Vec::with_capacity(formula.components.len()), 0);
    for component in &formula.components {
        let (sums, markings) =
            visit::sums(component, &mut formula.factors, max_markings - visited, goes_on)?;
        visited += markings;
        component_sums.push(sums);
    }
    Ok((formula.figures(&component_sums), visited))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use parikh_net::{TransitionId, text};

    type CountingStep = (&'static str, Candidate);

    fn formula(net: &Net, steps: Vec<CountingStep>) -> Result<CountingFormula, CountError> {
        CountingFormula::of_steps(net, steps.into_iter().map(Ok), &mut || true)
    }

    fn candidate(places: &[usize], transitions: &[usize]) -> Candidate {
        Candidate {
            places: places.iter().map(|&p| PlaceId::new(p)).collect(),
            transitions: transitions.iter().map(|&t| TransitionId::new(t)).collect(),
            weights: Vec::new(),
        }
    }

    #[test]
    fn two_thousand_switches_have_a_number_of_six_hundred_digits() {
        let switch = |i: usize| {
            format!(
                "place on{i} 1\nplace off{i}\ntransition t{i}: on{i} -> off{i}\n\
                 transition u{i}: off{i} -> on{i}\n"
            )
        };
        let net = text::parse(&(0..2000).map(switch).collect::<String>()).unwrap();
        let steps = |i: usize| {
            let (on, off) = (2 * i, 2 * i + 1);
            [
                ("fused-cycles", candidate(&[on, off], &[on, off])),
                ("neutral-transitions", candidate(&[], &[on])),
                ("neutral-transitions", candidate(&[], &[off])),
                ("constant-places", candidate(&[on], &[])),
            ]
        };
        let mut formula = formula(&net, (0..2000).flat_map(steps).collect()).unwrap();
        let (figures, visited) = count(&mut formula, 10, &mut || true).unwrap();
        let states = BigUint::from(2u8).pow(2000);
        assert_eq!(figures.transitions, &states * 2000u32);
        assert_eq!((figures.states, visited), (states, 0));
    }

    #[test]
    fn coupled_places_are_refused() {
        let of = |other: &str| {
            let net = format!(
                "place q 2\nplace r 1\nplace one 3\nplace two\ntransition a: q + one ->\n\
                 transition b: {other} + one ->\ntransition m: one -> two\ntransition n: two -> one"
            );
            text::parse(&net).unwrap()
        };
        // The self-loops that remain of m and n must go first: with q and r empty, the place `one`
        // alone may disable them.
        let fused = || {
            vec![
                ("fused-cycles", candidate(&[2, 3], &[2, 3])),
                ("neutral-transitions", candidate(&[], &[2])),
                ("neutral-transitions", candidate(&[], &[3])),
            ]
        };
        let fused_then_removed =
            |candidate: Candidate| [fused(), vec![("redundant-places", candidate)]].concat();
        let coupled = formula(&of("r"), fused_then_removed(candidate(&[2, 0, 1], &[])));
        let one = vec![PlaceId::new(2)];
        assert!(matches!(
            coupled,
            Err(CountError::NoFormula(NoFormula::Coupled(places))) if places == one
        ));
        // With q alone: the two places hold 1 more token than q, which gives q + 2 distributions.
        let net = of("q");
        let mut formula = formula(&net, fused_then_removed(candidate(&[2, 0], &[]))).unwrap();
        let (figures, visited) = count(&mut formula, 10, &mut || true).unwrap();
        assert_eq!((figures.states, visited), (BigUint::from(4u8 + 3 + 2), 4));
        // a and b fire if q and `one` are marked; m fires if `one` is marked, n if `two` is.
        let takes = (4 - 1) + (3 - 1);
        let moves = (4 - 1) + (3 - 1) + (2 - 1);
        assert_eq!(figures.transitions, BigUint::from(2u8 * takes + 2 * moves));
    }

    #[test]
    fn steps_that_lose_markings_are_refused() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let steps = vec![("implicit-places", candidate(&[1], &[]))];
        let refused = formula(&net, steps);
        assert!(matches!(refused, Err(CountError::Log(LogError::NotPreserved { .. }))));
    }
}
