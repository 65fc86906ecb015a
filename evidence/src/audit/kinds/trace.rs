//! Firing sequences: the markings along them are reachable.

use crate::audit::account::AnswerObligations;
use crate::audit::desk::AuditContext;
use crate::audit::shelf::EvidenceLines;
use crate::file::{self, TraceLine};
use crate::first_breach;
use parikh_net::FiringSequence;
use parikh_net::printable::Quoted;

/// Replays a trace. Looks for goals after each number of firings in `looks`, or everywhere for
/// `None`.
pub(super) fn weigh<'n>(
    desk: &mut AuditContext<'n>,
    account: &mut AnswerObligations<'n>,
    looks: Vec<Option<u64>>,
    id: &str,
) -> Result<(), String> {
    let sequence = sequence(&desk.shelf, id)?;
    let to_the_end = looks.contains(&None);
    let mut stops: Vec<u64> = looks.into_iter().flatten().collect();
    stops.sort_unstable();
    let goes_on = &mut || desk.watch.goes_on();
    account.sightings.along(&sequence, &stops, to_the_end, goes_on)?;
    let last = stops.last().copied().filter(|_| !to_the_end).unwrap_or(u64::MAX);
    desk.note_breach(|net| {
        first_breach(net, &sequence, last).map(|how| format!("along trace {}, {how}", Quoted(id)))
    });
    Ok(())
}

/// Reads the firing sequence with this id.
pub(super) fn sequence(shelf: &EvidenceLines<'_>, id: &str) -> Result<FiringSequence, String> {
    let TraceLine { steps } = shelf.take(id)?;
    file::sequence(shelf.net(), &steps)
}
