//! Labellings: markings with the subformulas that hold there, as evidence about the tree of runs.

use crate::audit::account::AnswerObligations;
use crate::audit::context::AuditContext;
use crate::audit::homes::HomeObligations;
use crate::tree::NamedLabelling;

/// Checks a labelling, that is, a set of markings with the subformulas that hold there. Its
/// premises become proof obligations.
pub(super) fn check_labelling<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    if obligations.trees.is_empty() {
        return Err("the question is not about the computation tree".to_owned());
    }
    let labelling: NamedLabelling = context.lines.read(id)?;
    let labelling = labelling.resolve(context.net)?;
    let AnswerObligations { trees, claims: refuted, home, goals: sightings, .. } = obligations;
    let mut homes = Vec::new();
    for wanted in &labelling.premises.home_predicates {
        let home = home.get_or_insert_with(|| HomeObligations::of(Vec::new()));
        homes.push(home.add_premise(wanted, sightings));
    }
    trees.check_labelling(context.net, (&labelling, homes), refuted, &context.watch)
}
