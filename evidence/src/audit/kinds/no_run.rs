//! Arguments that no run has a property.

use crate::audit::account::AnswerObligations;
use crate::audit::desk::AuditContext;
use crate::no_run::NamedNoRun;

/// Checks an argument that no run has a property. Its premises become proof obligations.
pub(super) fn weigh<'n>(
    desk: &mut AuditContext<'n>,
    account: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    if account.runs.is_empty() {
        return Err("the question is not about runs".to_owned());
    }
    let no_run: NamedNoRun = desk.shelf.take(id)?;
    let (property, argument) = no_run.resolve(desk.net)?;
    argument.documents.iter().try_for_each(|document| desk.refuse_large(document))?;
    let AnswerObligations { runs, refuted, assumes_units, .. } = account;
    runs.weigh(desk.net, id, (&property, &argument), refuted, &desk.watch)?;
    *assumes_units |= argument.assumes_units();
    Ok(())
}
