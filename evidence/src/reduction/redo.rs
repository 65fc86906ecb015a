//! Checks a reduction again: starts from the original net, and checks every step on the net before
//! it.
//!
//! The checker shares with the prover the code that checks the numbered conditions of a rule at a
//! candidate, derives the change, and applies it. It shares none of the code that finds candidates,
//! orders the rules, or limits their time. So a log of any origin is acceptable if its steps are
//! correct.
//!
//! The correctness of the conditions themselves is tested in `tests/soundness/reductions.rs`, which
//! compares both nets by enumeration.

use super::change::{Edit, apply};
use super::conditions::{AssumedCondition, Candidate, Conditions, Context, propose};
use super::log::LogError;
use super::needs::Needs;
use super::rules;
use super::work::WorkNet;
use parikh_net::Net;

/// The number of steps between two calls of `goes_on`.
const POLL_INTERVAL: usize = 256;

/// A callback that gets each application of a rule just before the net is changed: the rule, its
/// candidate, the net before the change, and the change.
pub type EditObserver<'w> = dyn FnMut(&'static Conditions, &Candidate, &WorkNet, &[Edit]) + 'w;

/// Applies `steps` to the working net of `net` for `needs`, and returns the result. Each step is
/// the name of a rule and its candidate. Checks every condition of every step before its
/// application, and then calls `observe`.
///
/// # Errors
/// The first incorrect step, or [`LogError::Stopped`] when `goes_on` returns false.
pub fn redo<'s>(
    net: &Net,
    needs: &Needs,
    steps: impl IntoIterator<Item = Result<(&'s str, Candidate), LogError>>,
    observe: &mut EditObserver<'_>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<WorkNet, LogError> {
    if !goes_on() {
        return Err(LogError::Stopped);
    }
    let mut work = WorkNet::new(net, needs);
    for (step, named_candidate) in (1..).zip(steps) {
        if step % POLL_INTERVAL == 1 && !goes_on() {
            return Err(LogError::Stopped);
        }
        let (name, candidate) = named_candidate?;
        let unknown = || LogError::Unknown { step, name: name.to_owned() };
        let rule = rules::rule_named(name).ok_or_else(unknown)?;
        if !rule.preserves.covers(needs.preserve) {
            return Err(LogError::NotPreserved { step, rule: rule.name });
        }
        let fails = || LogError::ConditionFails { step, rule: rule.name };
        if !rule.features.cover(net.features()) {
            return Err(fails());
        }
        let context = Context::new(&work, needs.preserve, AssumedCondition::NOTHING);
        let proposal = propose(rule, &context, &candidate).ok_or_else(fails)?;
        apply(&mut work, proposal, |net, edits| observe(rule, &candidate, net, edits))
            .map_err(|_| fails())?;
    }
    Ok(work)
}
