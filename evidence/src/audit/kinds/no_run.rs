//! Arguments that no run has a property.

use crate::audit::account::AnswerObligations;
use crate::audit::desk::AuditContext;
use crate::no_run::NamedNoRun;

/// Checks an argument that no run has a property. Its premises become proof obligations.
pub(super) fn weigh<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    if obligations.runs.is_empty() {
        return Err("the question is not about runs".to_owned());
    }
    let no_run: NamedNoRun = context.shelf.take(id)?;
    let (property, argument) = no_run.resolve(context.net)?;
    argument.documents.iter().try_for_each(|document| context.refuse_large(document))?;
    let AnswerObligations { runs, refuted, assumes_units, .. } = obligations;
    runs.weigh(context.net, id, (&property, &argument), refuted, &context.watch)?;
    *assumes_units |= argument.assumes_units();
    Ok(())
}
