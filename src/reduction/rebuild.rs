//! A reduction from its log alone.
//!
//! Starts from the original net and goes through the log: every entry's conditions are checked from
//! scratch and its change is applied. What comes out translates goals as the reduction itself did.
//! Nothing is searched for, no budget is needed, and a log that somebody made up is refused at the
//! first step whose conditions do not hold.

use super::back::Back;
use super::change::apply;
use super::finish::finish;
use super::log::{Log, LogError};
use super::needs::Needs;
use super::outcome::{Findings, Reduction};
use super::rule::Context;
use super::rules::{self, Limits};
use super::statistics::Statistics;
use super::work::WorkNet;
use crate::net::Net;

/// The reduction of `net` for `needs` that `log` describes. Its statistics and what rules found out
/// on the way are left empty.
///
/// # Errors
/// With the first step that does not hold.
pub fn rebuild(net: &Net, needs: &Needs, log: &Log) -> Result<Reduction, LogError> {
    let mut work = WorkNet::new(net, needs);
    let mut back = Back::new(net.transition_count());
    let mut findings = Findings::default();
    let rules = rules::all(&Limits::default());
    for (at, (name, focus)) in log.steps().enumerate() {
        let step = at + 1;
        let rule = rules.iter().find(|rule| rule.name() == name);
        let rule = rule.ok_or_else(|| LogError::Unknown { step, name: name.to_owned() })?;
        if !rule.preserves().covers(needs.preserve) {
            return Err(LogError::NotPreserved { step, rule: name.to_owned() });
        }
        let fails = || LogError::ConditionFails { step, rule: name.to_owned() };
        let there = focus.places.iter().all(|&p| work.has_place(p))
            && focus.transitions.iter().all(|&t| work.has_transition(t));
        let context = Context::new(&work, needs.preserve, None);
        let proposal = there.then(|| rule.check(&context, &focus)).flatten().ok_or_else(fails)?;
        apply(&mut work, &mut back, &mut findings, proposal).map_err(|_| fails())?;
    }
    let finished =
        finish(net, &mut work, &back, needs, &findings).map_err(|_| LogError::OtherNet)?;
    back.finish(finished.final_ids);
    let (_, _, fixed) = findings.into_parts();
    Ok(Reduction {
        net: finished.net,
        back,
        log: log.clone(),
        statistics: Statistics::default(),
        dead_transitions: Vec::new(),
        constant_places: Vec::new(),
        needs: needs.clone(),
        places: finished.places,
        transitions: finished.transitions,
        fixed,
        firings: finished.firings,
    })
}
