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
    desk: &mut AuditContext<'n>,
    account: &mut AnswerObligations<'n>,
    answer: &AnswerLine,
) -> Result<(), String> {
    let searched = answer.searched.is_some();
    // A trace is replayed only once for all its goals. Other evidence that is listed twice is
    // checked once.
    let mut traces: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
    let mut others = Vec::new();
    let mut listed = HashSet::new();
    for shown in &answer.shown_by {
        match shown.kind {
            EvidenceKind::Trace => traces.entry(&shown.id).or_default().push(shown.after),
            _ if listed.insert(shown) => others.push((shown.kind, &*shown.id)),
            _ => {}
        }
    }
    // Arguments with premises come first. Each premise becomes an obligation, which any other line
    // may discharge.
    let (resting, rest): (Vec<_>, Vec<_>) = others
        .into_iter()
        .partition(|(kind, _)| matches!(kind, EvidenceKind::NoRun | EvidenceKind::Labelling));
    for (kind, id) in resting {
        weigh(desk, account, (kind, id), searched)?;
    }
    let AnswerObligations { runs, refuted, .. } = &mut *account;
    let joined = runs.join(desk.net, refuted, &desk.watch);
    joined.map_err(|(id, why)| failed(EvidenceKind::NoRun, &id, &why))?;
    for (id, stops) in traces {
        trace::weigh(desk, account, stops, id)
            .map_err(|why| failed(EvidenceKind::Trace, id, &why))?;
    }
    rest.into_iter().try_for_each(|line| weigh(desk, account, line, searched))
}

/// Checks one line of evidence. `searched` is true if the answer also relies on a search, which may
/// be too large to repeat.
fn weigh<'n>(
    desk: &mut AuditContext<'n>,
    account: &mut AnswerObligations<'n>,
    (kind, id): (EvidenceKind, &str),
    searched: bool,
) -> Result<(), String> {
    let weighed = match kind {
        EvidenceKind::Trace => trace::weigh(desk, account, vec![None], id),
        EvidenceKind::Pump => pump::weigh(desk, account, id),
        EvidenceKind::Loops => loops::weigh(desk, account, id),
        EvidenceKind::Lasso => lasso::weigh(desk, account, id),
        EvidenceKind::Document => document::weigh(desk, account, id),
        EvidenceKind::Structure => structure::weigh(desk, account, id, searched),
        EvidenceKind::NoRun => no_run::weigh(desk, account, id),
        EvidenceKind::Visited => visited::weigh(desk, account, id),
        EvidenceKind::Labelling => labelling::weigh(desk, account, id),
        EvidenceKind::Count => Err("the question does not ask for a number".to_owned()),
        EvidenceKind::Reduction => Err("a reduction alone proves nothing".to_owned()),
    };
    weighed.map_err(|why| failed(kind, id, &why))
}

fn failed(kind: EvidenceKind, id: &str, why: &str) -> String {
    format!("{} {}: {why}", kind.name(), Quoted(id))
}
