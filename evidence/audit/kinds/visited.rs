//! Markings that are visited by whoever checks, along runs.

use crate::audit::account::Account;
use crate::audit::desk::Desk;
use crate::file::VisitedRuns;

/// Visits the markings along runs that may have the properties of which nothing is shown yet.
pub(super) fn weigh<'n>(
    desk: &mut Desk<'n>,
    account: &mut Account<'n>,
    id: &str,
) -> Result<(), String> {
    if account.runs.is_empty() {
        return Err("nothing is asked of runs".to_owned());
    }
    let VisitedRuns { markings } = desk.shelf.take(id)?;
    desk.refuse_more(markings)?;
    let duties = account.open_runs();
    // How many markings there are depends on how a property is written, and whoever visited them
    // may have written it in another way.
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
        // Of several properties, it is about those that no run has.
        _ if is_shown => Ok(()),
        (Some(all), _) => Err(format!("some run is without {all}")),
        (None, left) => Err(left.unwrap_or_default()),
    }
}
