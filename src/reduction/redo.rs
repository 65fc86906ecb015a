//! Going through a log again: from the original net, every step checked on the net before it.
//!
//! What is shared with the reduction that wrote the log, and so not doubted: how a rule checks its
//! numbered conditions at a focus and derives the change from it, and how the change is applied.
//! What is not: everything that finds foci, the worklists, the order of the rules, their time
//! slices, what rules remember. A log that anybody wrote is as good as ours if its steps hold.
//!
//! That the conditions are the right ones is not a matter of logs: `tests/soundness/reductions.rs`
//! compares both nets by enumeration.

use super::back::Back;
use super::change::apply;
use super::log::{Log, LogError};
use super::needs::{Needs, Preserve};
use super::outcome::{Findings, Reduction};
use super::rule::{Context, propose};
use super::rules::{self, Limits};
use super::statistics::{RuleStatistics, Statistics};
use super::work::WorkNet;
use super::{conclude, size_of};
use crate::net::Net;
use std::time::Instant;

/// Reduces `net` for `needs` as the log says, and checks every condition of every step on the way.
///
/// # Errors
/// With the first step that does not hold.
pub fn redo(net: &Net, needs: &Needs, log: &Log) -> Result<Reduction, LogError> {
    let start = Instant::now();
    let needs = needs.normalised();
    let mut work = WorkNet::new(net, &needs);
    let mut back = Back::new(net.transition_count());
    let mut findings = Findings::new(needs.preserve.covers(Preserve::REACHABILITY));
    let rules = rules::all(&Limits::default());
    let named = |rule: &dyn super::rule::Rule| RuleStatistics {
        name: rule.name(),
        ..RuleStatistics::default()
    };
    let mut counts: Vec<RuleStatistics> = rules.iter().map(|rule| named(rule.as_ref())).collect();
    for (at, (name, focus)) in log.steps().enumerate() {
        let step = at + 1;
        let which = rules.iter().position(|rule| rule.name() == name);
        let which =
            which.ok_or_else(|| LogError::Unknown { step, name: name.to_owned(), hint: None })?;
        let rule = &rules[which];
        if !rule.preserves().covers(needs.preserve) {
            return Err(LogError::NotPreserved { step, rule: name.to_owned() });
        }
        let fails = || LogError::ConditionFails { step, rule: name.to_owned() };
        let context = Context::new(&work, needs.preserve, None);
        let proposal = propose(rule.as_ref(), &context, &focus).ok_or_else(fails)?;
        let (places, transitions) = (work.place_count(), work.transition_count());
        apply(&mut work, &mut back, &mut findings, proposal).map_err(|_| fails())?;
        findings.lossy |= !rule.is_lossless();
        let count = &mut counts[which];
        count.foci += 1;
        count.applied += 1;
        count.places_removed += (places - work.place_count()) as u64;
        count.transitions_removed += transitions as i64 - work.transition_count() as i64;
    }
    let statistics =
        Statistics { before: size_of(net), rules: counts, rounds: 1, ..Statistics::default() };
    let reduction = conclude(net, work, back, findings, needs, log.clone(), statistics);
    let mut reduction = reduction.map_err(|_| LogError::OtherNet)?;
    reduction.statistics.time = start.elapsed();
    Ok(reduction)
}

/// [`redo`], where the net that comes out has to be `reduced`.
///
/// # Errors
/// With the first step that does not hold, and when the log leads to another net.
pub fn recheck(net: &Net, needs: &Needs, log: &Log, reduced: &Net) -> Result<(), LogError> {
    let again = redo(net, needs, log)?;
    let same = crate::net::text::print(&again.net) == crate::net::text::print(reduced);
    if same { Ok(()) } else { Err(LogError::OtherNet) }
}
