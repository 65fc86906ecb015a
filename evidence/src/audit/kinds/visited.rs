//! Obligations about runs that the auditor discharges by visiting markings along the runs.

use crate::audit::account::AnswerObligations;
use crate::audit::desk::AuditContext;
use crate::file::VisitedRuns;

/// Visits the markings along runs that may have the properties of open obligations.
pub(super) fn weigh<'n>(
    desk: &mut AuditContext<'n>,
    account: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    if account.runs.is_empty() {
        return Err("the question is not about runs".to_owned());
    }
    let VisitedRuns { markings } = desk.shelf.take(id)?;
    desk.refuse_more(markings)?;
    let duties = account.open_runs();
    // The number of markings depends on the form of the property, and the prover may have used
    // another form.
    let most = markings.max(desk.most_visited);
    let (mut is_shown, mut run, mut left) = (duties.is_empty(), None, None);
    for duty in duties {
        let visits = account.runs.visit(desk.net, &[duty], most, &desk.watch)?;
        is_shown |= visits.shown;
        (run, left) = (run.or(visits.run), left.or(visits.left));
        if account.is_settled() {
            break;
        }
    }
    match (run, left) {
        // The line need not cover all properties of the answer, but at least one.
        _ if is_shown => Ok(()),
        (Some(all), _) => Err(format!("some run violates {all}")),
        (None, left) => Err(left.unwrap_or_default()),
    }
}
