//! Arguments that no run has a property.

use crate::audit::account::AnswerObligations;
use crate::audit::context::AuditContext;
use crate::no_run::NamedNoRun;

/// Checks an argument that no run has a property. Its premises become proof obligations.
pub(super) fn check_no_run<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    if obligations.runs.is_empty() {
        return Err("the question is not about runs".to_owned());
    }
    let no_run: NamedNoRun = context.lines.read(id)?;
    let (property, argument) = no_run.resolve(context.net)?;
    argument.documents.iter().try_for_each(|document| context.refuse_large_document(document))?;
    let AnswerObligations { runs, claims: refuted, assumes_units, .. } = obligations;
    runs.check_argument(context.net, id, (&property, &argument), refuted, &context.watch)?;
    *assumes_units |= argument.assumes_units();
    Ok(())
}
