//! The checks of each kind of evidence, one file per kind.
//!
//! Each check reads a line of the evidence file, checks it, and discharges the proof obligations
//! that it shows.

mod document;
mod labelling;
mod lasso;
mod loops;
mod no_run;
mod pump;
mod structure;
mod trace;
mod visited;

use super::account::AnswerObligations;
use super::desk::AuditContext;
use crate::file::AnswerLine;
use crate::kind::EvidenceKind;
use parikh_net::printable::Quoted;
use std::collections::{BTreeMap, HashSet};

/// Checks the evidence that an answer lists. A failed check is an error even if the other evidence
/// suffices.
pub(super) fn look_at<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    answer: &AnswerLine,
) -> Result<(), String> {
    let searched = answer.searched.is_some();
    // A trace is replayed only once for all its goals. Other evidence that is listed twice is
    // checked once.
    let mut traces: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
    let mut other_lines = Vec::new();
    let mut listed = HashSet::new();
    for shown in &answer.shown_by {
        match shown.kind {
            EvidenceKind::Trace => traces.entry(&shown.id).or_default().push(shown.after),
            _ if listed.insert(shown) => other_lines.push((shown.kind, &*shown.id)),
            _ => {}
        }
    }
    // Arguments with premises come first. Each premise becomes an obligation, which any other line
    // may discharge.
    let (with_premises, without_premises): (Vec<_>, Vec<_>) = other_lines
        .into_iter()
        .partition(|(kind, _)| matches!(kind, EvidenceKind::NoRun | EvidenceKind::Labelling));
    for (kind, id) in with_premises {
        weigh(context, obligations, (kind, id), searched)?;
    }
    let AnswerObligations { runs, refuted, .. } = &mut *obligations;
    let joined = runs.join(context.net, refuted, &context.watch);
    joined.map_err(|(id, why)| failed(EvidenceKind::NoRun, &id, &why))?;
    for (id, stops) in traces {
        trace::weigh(context, obligations, stops, id)
            .map_err(|why| failed(EvidenceKind::Trace, id, &why))?;
    }
    without_premises.into_iter().try_for_each(|line| weigh(context, obligations, line, searched))
}

/// Checks one line of evidence. `searched` is true if the answer also relies on a search, which may
/// be too large to repeat.
fn weigh<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    (kind, id): (EvidenceKind, &str),
    searched: bool,
) -> Result<(), String> {
    let result = match kind {
        EvidenceKind::Trace => trace::weigh(context, obligations, vec![None], id),
        EvidenceKind::Pump => pump::weigh(context, obligations, id),
        EvidenceKind::Loops => loops::weigh(context, obligations, id),
        EvidenceKind::Lasso => lasso::weigh(context, obligations, id),
        EvidenceKind::Document => document::weigh(context, obligations, id),
        EvidenceKind::Structure => structure::weigh(context, obligations, id, searched),
        EvidenceKind::NoRun => no_run::weigh(context, obligations, id),
        EvidenceKind::Visited => visited::weigh(context, obligations, id),
        EvidenceKind::Labelling => labelling::weigh(context, obligations, id),
        EvidenceKind::Count => Err("the question does not ask for a number".to_owned()),
        EvidenceKind::Reduction => Err("a reduction alone proves nothing".to_owned()),
    };
    result.map_err(|why| failed(kind, id, &why))
}

/// Returns the reason of a failed check, with the kind and the id of the evidence.
fn failed(kind: EvidenceKind, id: &str, why: &str) -> String {
    format!("{} {}: {why}", kind.name(), Quoted(id))
}
