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
pub(super) mod trace;
mod visited;

use super::account::AnswerObligations;
use super::context::AuditContext;
use crate::file::AnswerLine;
use crate::kind::EvidenceKind;
use parikh_net::printable::Quoted;
use std::collections::{BTreeMap, HashSet};

/// Checks the evidence that an answer lists. A failed check is an error even if the other evidence
/// suffices.
pub(super) fn check_evidence<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    answer: &AnswerLine,
) -> Result<(), String> {
    let relies_on_search = answer.searched.is_some();
    // A trace is replayed only once for all its goals. Other evidence that is listed twice is
    // checked once.
    let mut traces: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
    let mut other_lines = Vec::new();
    let mut listed = HashSet::new();
    for shown in &answer.shown_by {
        match shown.kind {
            EvidenceKind::Trace => traces.entry(&shown.id).or_default().push(shown.prefix_length),
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
        check_line(context, obligations, (kind, id), relies_on_search)?;
    }
    let AnswerObligations { runs, claims: refuted, .. } = &mut *obligations;
    let combined = runs.combine_arguments(context.net, refuted, &context.watch);
    combined.map_err(|(id, why)| failed_check(EvidenceKind::NoRun, &id, &why))?;
    for (id, stops) in traces {
        trace::check_trace(context, obligations, stops, id)
            .map_err(|why| failed_check(EvidenceKind::Trace, id, &why))?;
    }
    without_premises
        .into_iter()
        .try_for_each(|line| check_line(context, obligations, line, relies_on_search))
}

/// Checks one line of evidence. `searched` is true if the answer also relies on a search, which may
/// be too large to repeat.
fn check_line<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    (kind, id): (EvidenceKind, &str),
    searched: bool,
) -> Result<(), String> {
    let result = match kind {
        EvidenceKind::Trace => trace::check_trace(context, obligations, vec![None], id),
        EvidenceKind::Pump => pump::check_pump_line(context, obligations, id),
        EvidenceKind::Loops => loops::check_loops(context, obligations, id),
        EvidenceKind::Lasso => lasso::check_lasso(context, obligations, id),
        EvidenceKind::Document => document::check_document(context, obligations, id),
        EvidenceKind::Structure => structure::check_structure(context, obligations, id, searched),
        EvidenceKind::NoRun => no_run::check_no_run(context, obligations, id),
        EvidenceKind::Visited => visited::check_visited(context, obligations, id),
        EvidenceKind::Labelling => labelling::check_labelling(context, obligations, id),
        EvidenceKind::Count | EvidenceKind::Family => {
            Err("the question does not ask for a number".to_owned())
        }
        EvidenceKind::Reduction => Err("a reduction alone proves nothing".to_owned()),
    };
    result.map_err(|why| failed_check(kind, id, &why))
}

/// Returns the reason of a failed check, with the kind and the id of the evidence.
fn failed_check(kind: EvidenceKind, id: &str, why: &str) -> String {
    format!("{} {}: {why}", kind.name(), Quoted(id))
}
