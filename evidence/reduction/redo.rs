//! Going through a reduction again: from the original net, every step checked on the net before it.
//!
//! What is shared with the reduction that wrote the steps down, and so not doubted: how a rule
//! checks its numbered conditions at a candidate and derives the change from it, and how the change
//! is applied. What is not: everything that finds candidates, the worklists, the order of the
//! rules, their time slices, what rules remember. A log that anybody wrote is as good as ours if
//! its steps hold.
//!
//! That the conditions are the right ones is not a matter of logs: `tests/soundness/reductions.rs`
//! compares both nets by enumeration.

use super::change::{Edit, apply};
use super::conditions::{Candidate, Conditions, Context, Granted, propose};
use super::log::LogError;
use super::needs::Needs;
use super::rules;
use super::work::WorkNet;
use parikh_net::Net;

/// How many steps are taken between two questions whether to go on.
const PATIENCE: usize = 256;

/// Somebody who is told of each application just before it.
pub type Watch<'w> = dyn FnMut(&'static Conditions, &Candidate, &WorkNet, &[Edit]) + 'w;

/// Makes of `net` the working net that `steps` lead to, each a rule and its candidate, for `needs`,
/// and checks every condition of every step on the way.
///
/// # Errors
/// With the first step that does not hold, and when it does not go on.
pub fn redo<'s>(
    net: &Net,
    needs: &Needs,
    steps: impl IntoIterator<Item = Result<(&'s str, Candidate), LogError>>,
    watch: &mut Watch<'_>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<WorkNet, LogError> {
    if !goes_on() {
        return Err(LogError::Stopped);
    }
    let mut work = WorkNet::new(net, needs);
    for (step, named) in (1..).zip(steps) {
        if step % PATIENCE == 1 && !goes_on() {
            return Err(LogError::Stopped);
        }
        let (name, candidate) = named?;
        let unknown = || LogError::Unknown { step, name: name.to_owned() };
        let rule = rules::named(name).ok_or_else(unknown)?;
        if !rule.preserves.covers(needs.preserve) {
            return Err(LogError::NotPreserved { step, rule: rule.name });
        }
        let fails = || LogError::ConditionFails { step, rule: rule.name };
        if !rule.takes.cover(net.features()) {
            return Err(fails());
        }
        let context = Context::new(&work, needs.preserve, Granted::NOTHING);
        let proposal = propose(rule, &context, &candidate).ok_or_else(fails)?;
        apply(&mut work, proposal, |net, edits| watch(rule, &candidate, net, edits))
            .map_err(|_| fails())?;
    }
    Ok(work)
}
