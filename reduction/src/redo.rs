//! Replay of a log with back-translation.
//!
//! The checker performs the replay ([`parikh_evidence::reduction::redo`]). This module also records
//! the back-translation and the findings.

use super::log::Log;
use super::outcome::Reduction;
use super::statistics::{ReductionStatistics, RuleStatistics};
use super::under_way::{OngoingReduction, ReductionRecord};
use parikh_evidence::reduction::{LogError, Needs, WorkNet};
use parikh_net::Net;
use std::time::Instant;

/// Reduces `net` for `needs` according to the log, and checks every condition of every step.
///
/// # Errors
/// Returns the first step that does not hold, or an error if the reduced net cannot be built.
pub fn redo(net: &Net, needs: &Needs, log: &Log) -> Result<Reduction, LogError> {
    let start = Instant::now();
    let needs = needs.normalised();
    let mut record = ReductionRecord::new(&WorkNet::new(net, &needs), &needs);
    let mut record_edits =
        |rule, candidate: &_, net: &_, edits: &_| record.record(rule, candidate, net, edits);
    let steps = log.steps().map(Ok);
    let work =
        parikh_evidence::reduction::redo(net, &needs, steps, &mut record_edits, &mut || true)?;
    let mut rules: Vec<RuleStatistics> = Vec::new();
    for (name, _) in log.steps() {
        let index = rules.iter().position(|rule| rule.name == name).unwrap_or_else(|| {
            rules.push(RuleStatistics { name, ..RuleStatistics::default() });
            rules.len() - 1
        });
        rules[index].candidates += 1;
        rules[index].applied += 1;
    }
    let statistics = ReductionStatistics { rules, rounds: 1, ..ReductionStatistics::default() };
    let under_way = OngoingReduction::resume(work, needs, log.clone(), record);
    let mut reduction = under_way.finish(net, statistics)?;
    reduction.statistics.time = start.elapsed();
    Ok(reduction)
}

/// Replays the log as [`redo`] does, and checks that the result equals `reduced`. Labels, units and
/// final markings are not compared.
///
/// # Errors
/// Returns the first step that does not hold, or an error if the log leads to another net.
pub fn recheck(net: &Net, needs: &Needs, log: &Log, reduced: &Net) -> Result<(), LogError> {
    let repeated = redo(net, needs, log)?;
    let is_same = parikh_net::text::print(&repeated.net) == parikh_net::text::print(reduced);
    if is_same { Ok(()) } else { Err(LogError::OtherNet) }
}
