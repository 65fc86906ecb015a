//! Obligations about runs that the auditor discharges by visiting markings along the runs.

use crate::audit::account::AnswerObligations;
use crate::audit::context::AuditContext;
use crate::file::NoRunByVisit;

/// Visits the markings along runs that may have the properties of open obligations.
pub(super) fn check_visited<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    if obligations.runs.is_empty() {
        return Err("the question is not about runs".to_owned());
    }
    let NoRunByVisit { markings } = context.lines.read(id)?;
    context.refuse_many_markings(markings)?;
    let indices = obligations.open_runs();
    // The number of markings depends on the form of the property, and the prover may have used
    // another form.
    let max_markings = markings.max(context.max_markings);
    let (mut is_shown, mut run, mut undecided) = (indices.is_empty(), None, None);
    for index in indices {
        let visits = obligations.runs.visit(context.net, &[index], max_markings, &context.watch)?;
        is_shown |= visits.is_any_shown;
        (run, undecided) = (run.or(visits.violated), undecided.or(visits.undecided));
        if obligations.is_settled() {
            break;
        }
    }
    match (run, undecided) {
        // The line need not cover all properties of the answer, but at least one.
        _ if is_shown => Ok(()),
        (Some(property), _) => Err(format!("some run violates {property}")),
        (None, undecided) => Err(undecided.unwrap_or_default()),
    }
}
