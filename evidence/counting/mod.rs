//! Numbers of markings through reductions, in full.
//!
//! Rules that preserve every marking ([`Preserve::MARKINGS`]) say by equations how the markings of the net
//! before follow from those of the reduced net: a place that went holds what others tell, or a place that is
//! left is the sum of several, which take every value together. Each marking of the net before satisfies them
//! for one of the reduced net only. So it is enough to visit the markings of the reduced net and to count
//! each as often as it has solutions, which is a product of binomial coefficients, or nearly so.
//!
//! | file | what |
//! |---|---|
//! | `equations` | the equations, as a reduction is gone through again |
//! | `weights` | how often a value of a place counts |
//! | `formula` | which sums over the markings are asked for, and how the figures follow from them |
//! | `visit` | the sums by visiting the markings, plainly |
//!
//! Whoever has the markings of a [`Part`] in another form, a decision diagram say, may make the sums from
//! that: every factor of a [`Product`] is a function of one place.
//!
//! # Sources
//! B. Berthomieu, D. Le Botlan, S. Dal Zilio, *Counting Petri net markings from reduction equations*,
//! STTT 22, 2020.

mod equations;
mod formula;
mod visit;
mod weights;

pub use formula::{Figures, Formula, NoFormula, Part, Product};
pub use visit::sums;
pub use weights::{Function, WeightError, Weights};

use crate::certificate::Flaw;
use crate::reduction::{Candidate, LogError, NamedLog, Needs, Preserve, WorkNet, finish, redo};
#[cfg(any(test, feature = "mutation"))]
use crate::reduction::{Context, Granted, apply, propose, rules};
use equations::Equations;
use parikh_net::{Net, PlaceId};

/// Why nothing is counted.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// The reduction does not hold.
    #[error(transparent)]
    Log(#[from] LogError),
    /// It was made for something else, or with rules that keep less.
    #[error("the reduction does not keep every marking")]
    NotKept,
    /// It leads to no formula.
    #[error(transparent)]
    NoFormula(#[from] NoFormula),
    /// The markings were not visited to the end.
    #[error(transparent)]
    Flaw(#[from] Flaw),
}

/// What a reduction is made for that keeps every marking.
pub fn needs() -> Needs {
    Needs { preserve: Preserve::MARKINGS, ..Needs::default() }
}

impl Formula {
    /// Goes through a reduction of `net`, every condition of every step checked, and takes down what it says.
    ///
    /// # Errors
    /// With the first step that does not hold; where a number depends on several places at once.
    pub fn of_log(
        net: &Net,
        log: &NamedLog,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Formula, CountError> {
        if log.needs(net)? != needs() {
            return Err(CountError::NotKept);
        }
        Formula::of_steps(net, log.steps(net, &needs()), goes_on)
    }

    /// Goes through these steps.
    ///
    /// # Errors
    /// As [`of_log`](Self::of_log).
    pub fn of_steps<'s>(
        net: &Net,
        steps: impl IntoIterator<Item = Result<(&'s str, Candidate), LogError>>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Formula, CountError> {
        let (mut equations, mut kept) = (Equations::new(net), true);
        let mut take = |_: &_, _: &_, net: &_, edits: &_| {
            kept &= equations.take(net, edits).is_some();
        };
        let work = redo(net, &needs(), steps, &mut take, goes_on)?;
        if kept { Formula::at_the_end(net, &work, equations) } else { Err(CountError::NotKept) }
    }

    /// The same where a condition of every rule is taken for granted, which makes counts wrong: for tests
    /// that see whether they notice.
    ///
    /// # Errors
    /// As [`of_log`](Self::of_log).
    #[cfg(any(test, feature = "mutation"))]
    pub fn of_mutant<'s>(
        net: &Net,
        steps: impl IntoIterator<Item = (&'s str, Candidate)>,
        granted: Granted,
    ) -> Result<Formula, CountError> {
        let (mut work, mut equations) = (WorkNet::new(net, &needs()), Equations::new(net));
        for (step, (name, candidate)) in (1..).zip(steps) {
            let rule = rules::named(name).ok_or(CountError::NotKept)?;
            let context = Context::new(&work, Preserve::MARKINGS, granted);
            let fails = || LogError::ConditionFails { step, rule: rule.name };
            let edits = propose(rule, &context, &candidate).ok_or_else(fails)?;
            equations.take(&work, &edits).ok_or(CountError::NotKept)?;
            apply(&mut work, edits, |_, _| ()).map_err(|_| fails())?;
        }
        Formula::at_the_end(net, &work, equations)
    }

    fn at_the_end(net: &Net, work: &WorkNet, equations: Equations) -> Result<Formula, CountError> {
        let places: Vec<PlaceId> = work.places().collect();
        // No rule that keeps every marking composes transitions.
        let mut name = |_: &_, _| String::new();
        let reduced = finish(net, work, needs(), &mut name, &mut |_, _| ());
        let reduced = reduced.map_err(|_| LogError::OtherNet)?.net;
        Ok(Formula::of(net, equations, &reduced, &places)?)
    }

    /// Of a net that is not reduced: still, its parts combine.
    ///
    /// # Errors
    /// For want of ids.
    pub fn of_net(net: &Net) -> Result<Formula, NoFormula> {
        let places: Vec<PlaceId> = net.places().collect();
        Formula::of(net, Equations::new(net), net, &places)
    }
}

/// The figures of a net by visiting the markings of the parts of a reduced one, at most so many, and how many
/// that were.
///
/// # Errors
/// When there are more, or a place overflows.
pub fn count(formula: &mut Formula, most: u64) -> Result<(Figures, u64), CountError> {
    let (mut all, mut visited) = (Vec::with_capacity(formula.parts.len()), 0);
    for part in &formula.parts {
        let (sums, markings) = visit::sums(part, &mut formula.weights, most - visited)?;
        visited += markings;
        all.push(sums);
    }
    Ok((formula.figures(&all), visited))
}
