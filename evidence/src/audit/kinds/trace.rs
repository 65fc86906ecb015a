//! Firing sequences: the markings along them are reachable.

use crate::audit::account::AnswerObligations;
use crate::audit::context::AuditContext;
use crate::audit::shelf::EvidenceLines;
use crate::file::{self, TraceLine};
use crate::first_breach;
use parikh_net::FiringSequence;
use parikh_net::printable::Quoted;

/// Replays a trace. Evaluates the goals after each number of firings in `firing_counts`. If there
/// is an entry `None`, the replay goes on to the end of the trace. In this case, or if there are
/// several goals, the goals are also evaluated after each step.
pub(super) fn check_trace<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    firing_counts: Vec<Option<u64>>,
    id: &str,
) -> Result<(), String> {
    let sequence = sequence(&context.lines, id)?;
    let to_the_end = firing_counts.contains(&None);
    let mut stops: Vec<u64> = firing_counts.into_iter().flatten().collect();
    stops.sort_unstable();
    let goes_on = &mut || context.watch.goes_on();
    obligations.goals.evaluate_along(&sequence, &stops, to_the_end, goes_on)?;
    let last = stops.last().copied().filter(|_| !to_the_end).unwrap_or(u64::MAX);
    context.note_breach(|net| {
        first_breach(net, &sequence, last).map(|how| format!("along trace {}, {how}", Quoted(id)))
    });
    Ok(())
}

/// Reads the firing sequence with this id.
pub(in crate::audit) fn sequence(
    lines: &EvidenceLines<'_>,
    id: &str,
) -> Result<FiringSequence, String> {
    let TraceLine { steps } = lines.read(id)?;
    file::sequence(lines.net(), &steps)
}
