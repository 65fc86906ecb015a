//! Runs with loops: the markings along the first rounds of their blocks are reachable.

use crate::audit::account::AnswerObligations;
use crate::audit::context::AuditContext;
use crate::file::LoopsLine;

/// Replays a run with loops, that is, a firing sequence made of nested repeated blocks. Evaluates
/// the goals in the markings of the first round of each block.
///
/// # Errors
/// When the net claims that units are safe, or the line cannot be read or names an unknown
/// transition. Also when the run cannot be fired, needs too much memory, or the audit is stopped.
pub(super) fn check_loops<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    if context.net.safe_units().is_some() {
        return Err(
            "a run with nested loops cannot be checked against the claim that units are safe"
                .to_owned(),
        );
    }
    let loops: LoopsLine = context.lines.read(id)?;
    let run = loops.resolve(context.net)?;
    let goes_on = &mut || context.watch.goes_on();
    obligations.goals.evaluate_along_loops(&run, goes_on).map_err(|error| error.to_string())
}
