//! Going through a log again: from the original net, every step checked on the net before it.
//!
//! What is shared with the reduction that wrote the log, and so not doubted: how a rule checks its
//! numbered conditions at a candidate and derives the change from it, and how the change is applied.
//! What is not: everything that finds candidates, the worklists, the order of the rules, their time
//! slices, what rules remember. A log that anybody wrote is as good as ours if its steps hold.
//!
//! That the conditions are the right ones is not a matter of logs: `tests/soundness/reductions.rs`
//! compares both nets by enumeration.

use super::change::{Observer, apply};
use super::conditions::{Conditions, Context, Granted, propose};
use super::log::{Log, LogError};
use super::needs::Needs;
use super::rules;
use super::work::WorkNet;
use parikh_net::Net;

/// How many steps are taken between two questions whether to go on.
const PATIENCE: usize = 256;

/// Makes of `net` the working net that the log says, for `needs`, and checks every condition of every
/// step on the way. `watch` is told what happens.
///
/// # Errors
/// With the first step that does not hold, and when it does not go on.
pub fn redo(
    net: &Net,
    needs: &Needs,
    log: &Log,
    watch: &mut dyn Observer,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<WorkNet, LogError> {
    let mut work = WorkNet::new(net, needs);
    let mut last: Option<&'static Conditions> = None;
    for (at, (name, candidate)) in log.steps().enumerate() {
        let step = at + 1;
        if at % PATIENCE == 0 && !goes_on() {
            return Err(LogError::Stopped);
        }
        let known = last.filter(|rule| rule.name == name).or_else(|| rules::named(name));
        let unknown = || LogError::Unknown { step, name: name.to_owned(), hint: None };
        let rule = known.ok_or_else(unknown)?;
        last = Some(rule);
        if !rule.preserves.covers(needs.preserve) {
            return Err(LogError::NotPreserved { step, rule: name.to_owned() });
        }
        let fails = || LogError::ConditionFails { step, rule: name.to_owned() };
        let context = Context::new(&work, needs.preserve, Granted::NOTHING);
        let proposal = propose(rule, &context, &candidate).ok_or_else(fails)?;
        apply(&mut work, proposal, watch).map_err(|_| fails())?;
        watch.applied(rule, &work);
    }
    Ok(work)
}
