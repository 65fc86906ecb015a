//! Questions on a net with caps ([`parikh_net::translation`]), the translation of a model with
//! inhibitor or reset arcs. A *cap* is an assumed bound of a place. A marking reached without
//! passing a cap is reachable in the model. A marking that is unreachable in the whole net is
//! unreachable in the model.
//!
//! So each reachability goal becomes two goals. The goal within the caps can only show that the
//! original goal is reachable ([`GoalRole::WithinCaps`]). The goal without the caps can only show
//! that it is unreachable. A maximum needs only one goal, the maximum of 2·Σ + within, where
//! `within` holds one token until a cap is passed. An odd maximum 2n + 1 means that n is reached
//! within the caps; an even one decides nothing ([`largest`]).
//!
//! Only this module decides which questions such a net supports. Home properties and properties of
//! runs and their tree would need markings within and beyond the caps at once, so they are refused.

use super::goal_question::{GoalFormula, GoalRole, atom};
use parikh_formula::{Proposition, UnsupportedFormula};
use parikh_net::{
    Goal, LinearSum, Net, PlaceId, Predicate, PumpSequence, Translation, of_model, sum_of_model,
};

/// Returns the place that is marked until a firing passes a cap, that is, an assumed bound of a
/// place. Returns `None` on a net without caps.
fn within_place(net: &Net) -> Option<PlaceId> {
    net.translation().and_then(Translation::within_caps)
}

/// Adapts a formula to a net with caps. On other nets, the formula is unchanged.
///
/// # Errors
/// On a net with caps, if the formula is about more than reachability, or if a number overflows.
pub(super) fn adapt_formula(
    formula: GoalFormula,
    net: &Net,
) -> Result<GoalFormula, UnsupportedFormula> {
    let Some(within) = within_place(net) else { return Ok(formula) };
    let mut refused = None;
    let adapted = formula.replace(&mut |(goal, role)| {
        let predicate = match goal {
            Goal::Reach(predicate) => of_model(net, predicate).ok_or(UnsupportedFormula::TooLarge),
            _ => Err(UnsupportedFormula::Caps),
        };
        match predicate {
            Ok(predicate) => {
                let inside = [predicate.clone(), Predicate::at_least(within, 1)];
                let inside = Goal::Reach(Predicate::and(inside).sorted());
                let shown = Box::new(atom(inside, GoalRole::WithinCaps));
                Proposition::WithConsequences(shown, vec![atom(Goal::Reach(predicate), role)])
            }
            Err(why) => {
                refused = Some(why);
                Proposition::Constant(false)
            }
        }
    });
    refused.map_or(Ok(adapted), Err)
}

/// Returns the message that a net with caps, that is, assumed bounds of places, supports only
/// questions about reachable markings and about maxima.
pub fn not_asked_with_caps() -> String {
    UnsupportedFormula::Caps.to_string()
}

/// Adapts the goal for the maximum of a sum. On a net with caps, the goal becomes the maximum of
/// 2·Σ + w. The place w holds one token until a firing passes a cap.
///
/// # Errors
/// If a number overflows.
pub(super) fn largest_of(goal: Goal, net: &Net) -> Result<Goal, UnsupportedFormula> {
    match (within_place(net), goal) {
        (Some(within), Goal::Maximise(sum)) => {
            let sum = sum_of_model(net, &sum).ok_or(UnsupportedFormula::TooLarge)?;
            let twice = sum.terms().iter().map(|&(place, a)| Some((place, a.checked_mul(2)?)));
            let terms: Option<Vec<_>> = twice.chain([Some((within, 1))]).collect();
            let sum = LinearSum::new(terms.ok_or(UnsupportedFormula::TooLarge)?);
            sum.map(Goal::Maximise).map_err(|_| UnsupportedFormula::TooLarge)
        }
        (_, goal) => Ok(goal),
    }
}

/// Converts the maximum of the goal to the maximum of the sum. On a net with caps, 2n + 1 means n.
/// An even number means that the maximum was only seen beyond the caps, so the result is `None`.
pub(super) fn largest(largest: i128, net: &Net) -> Option<i128> {
    match within_place(net) {
        None => Some(largest),
        Some(_) => (largest.rem_euclid(2) == 1).then(|| largest.div_euclid(2)),
    }
}

/// Returns true if no firing of the self-covering sequence passes a cap. Then the sequence also
/// exists in the model. On a net without caps, this is always the case.
pub(super) fn repeats(pumping: &PumpSequence, net: &Net) -> bool {
    let firings = pumping.stages().flat_map(|stage| [&stage.prefix, &stage.pump]);
    let mut steps = firings.flat_map(|sequence| sequence.steps());
    steps.all(|step| !net.exceeds_cap(step.transition))
}
