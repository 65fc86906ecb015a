//! What is asked of a net with caps ([`parikh_net::translation`]), which stands for a model with
//! inhibitor or reset arcs in two halves: what is reached within the caps is reached, and what is
//! refuted for the whole net cannot be.
//!
//! So each goal of reachability becomes two. The one that asks for a marking within the caps shows
//! that it is true ([`Role::WithinCaps`]), the other that it is false, and neither shows more. A
//! largest value takes one goal, 2·Σ + within ([`largest`]).
//!
//! This is the one place that says what is asked of such a net and what is not: what stays
//! reachable, and what runs and their tree do, would take both halves at once.

use super::aim::{GoalFormula, Role, atom};
use crate::formula::{Proposition, Unsupported};
use parikh_net::{
    Goal, LinearSum, Net, PlaceId, Predicate, PumpSequence, Translation, of_model, sum_of_model,
};

/// The place that is marked within the caps, where there are any.
fn within(net: &Net) -> Option<PlaceId> {
    net.translation().and_then(Translation::within_caps)
}

/// The same formula over goals that a net with caps has an answer to; as it is on others.
///
/// # Errors
/// When it is about more than what can be reached.
pub(super) fn asked(formula: GoalFormula, net: &Net) -> Result<GoalFormula, Unsupported> {
    let Some(within) = within(net) else { return Ok(formula) };
    let mut refused = None;
    let asked = formula.replace(&mut |(goal, role)| {
        let predicate = match goal {
            Goal::Reach(predicate) => of_model(net, predicate).ok_or(Unsupported::TooLarge),
            _ => Err(Unsupported::Caps),
        };
        match predicate {
            Ok(predicate) => {
                let inside = [predicate.clone(), Predicate::at_least(within, 1)];
                let inside = Goal::Reach(Predicate::and(inside).sorted());
                let shown = Box::new(atom(inside, Role::WithinCaps));
                Proposition::Main(shown, vec![atom(Goal::Reach(predicate), role)])
            }
            Err(why) => {
                refused = Some(why);
                Proposition::Constant(false)
            }
        }
    });
    refused.map_or(Ok(asked), Err)
}

/// Why more than what can be reached is not asked of a net with caps.
pub fn not_asked_with_caps() -> String {
    Unsupported::Caps.to_string()
}

/// The goal for the largest value of a sum: on a net with caps that of 2·Σ + within.
///
/// # Errors
/// When its numbers do not fit.
pub(super) fn largest_of(goal: Goal, net: &Net) -> Result<Goal, Unsupported> {
    match (within(net), goal) {
        (Some(within), Goal::Maximise(sum)) => {
            let sum = sum_of_model(net, &sum).ok_or(Unsupported::TooLarge)?;
            let twice = sum.terms().iter().map(|&(place, a)| Some((place, a.checked_mul(2)?)));
            let terms: Option<Vec<_>> = twice.chain([Some((within, 1))]).collect();
            let sum = LinearSum::new(terms.ok_or(Unsupported::TooLarge)?);
            sum.map(Goal::Maximise).map_err(|_| Unsupported::TooLarge)
        }
        (_, goal) => Ok(goal),
    }
}

/// The largest value of a sum, given that of the goal that was asked for it: 2n + 1 says n, and an
/// even number that the largest value was only seen beyond the caps, which says nothing.
pub(super) fn largest(largest: i128, net: &Net) -> Option<i128> {
    match within(net) {
        None => Some(largest),
        Some(_) => (largest.rem_euclid(2) == 1).then(|| largest.div_euclid(2)),
    }
}

/// Whether what repeats for ever does so in the model: on a net with caps, no firing passes one.
pub(super) fn repeats(pumping: &PumpSequence, net: &Net) -> bool {
    let firings = pumping.stages().flat_map(|stage| [&stage.prefix, &stage.pump]);
    let mut steps = firings.flat_map(|sequence| sequence.steps());
    steps.all(|step| !net.passes_a_cap(step.transition))
}
