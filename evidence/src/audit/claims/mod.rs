//! Files of claims: confirmed answers with their evidence, for the checker that is proved in Coq.
//!
//! `docs/proved-checker.md` describes the format. A file repeats the proof obligations of an answer
//! as numbered statements, and says which of them suffice. Evidence that the proved checker does
//! not know is left out. If the rest does not show the answer, no file is written, and the export
//! records the reason.

mod evidence;
mod smtlib;

pub(super) use smtlib::smt_files;

use super::context::AuditContext;
use crate::certificate::derivation::write_predicate;
use crate::file::AnswerLine;
use crate::question::obligation::{NeededProofs, Obligation};
use crate::question::{AnswerValue, Question};
use evidence::ClaimEvidence;
use parikh_net::Net;
use parikh_net::printable::{Printable, Quoted};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A combination of statements, which are numbered.
enum Claim {
    Statement(usize),
    Connective { all: bool, parts: Vec<Claim> },
}

impl Claim {
    /// Returns the part of a formula over proof obligations that statements express. The statements
    /// are the predicates to reach, the predicates to refute, and the sums that grow. Alternatives
    /// with other obligations are left out. Returns `None` if nothing is left.
    fn of(needed: &NeededProofs, reach_count: usize, refute_count: usize) -> Option<Claim> {
        let parts = |parts: &[NeededProofs]| -> Vec<Option<Claim>> {
            parts.iter().map(|part| Claim::of(part, reach_count, refute_count)).collect()
        };
        match needed {
            NeededProofs::Reach(index) => Some(Claim::Statement(*index)),
            NeededProofs::Refute(index) => Some(Claim::Statement(reach_count + index)),
            NeededProofs::All(all) => {
                let parts = parts(all).into_iter().collect::<Option<_>>()?;
                Some(Claim::Connective { all: true, parts })
            }
            NeededProofs::Any(any) => {
                let parts: Vec<Claim> = parts(any).into_iter().flatten().collect();
                (!parts.is_empty()).then_some(Claim::Connective { all: false, parts })
            }
            NeededProofs::Grow(index) => Some(Claim::Statement(reach_count + refute_count + index)),
            NeededProofs::StaysReachable(_)
            | NeededProofs::NotStaysReachable(_)
            | NeededProofs::Run(_)
            | NeededProofs::NoRun(_)
            | NeededProofs::Tree(_) => None,
        }
    }

    fn is_shown(&self, shown: &BTreeSet<usize>) -> bool {
        match self {
            Claim::Statement(number) => shown.contains(number),
            Claim::Connective { all: true, parts } => parts.iter().all(|it| it.is_shown(shown)),
            Claim::Connective { parts, .. } => parts.iter().any(|it| it.is_shown(shown)),
        }
    }

    /// Returns statements that suffice for the claim, all among the proved ones. Prefers an
    /// alternative with some of the `wanted` statements. Otherwise takes one with the fewest
    /// statements. Returns `None` if the proved statements do not suffice.
    fn sufficient(
        &self,
        shown: &BTreeSet<usize>,
        wanted: &BTreeSet<usize>,
    ) -> Option<BTreeSet<usize>> {
        match self {
            Claim::Statement(number) => shown.contains(number).then(|| BTreeSet::from([*number])),
            Claim::Connective { all: true, parts } => {
                let parts: Option<Vec<_>> =
                    parts.iter().map(|it| it.sufficient(shown, wanted)).collect();
                Some(parts?.into_iter().flatten().collect())
            }
            Claim::Connective { parts, .. } => {
                let sufficient = parts.iter().filter_map(|it| it.sufficient(shown, wanted));
                sufficient
                    .min_by_key(|statements| (statements.is_disjoint(wanted), statements.len()))
            }
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Claim::Statement(number) => {
                let _ = write!(out, "statement {number}");
            }
            Claim::Connective { all, parts } => {
                let _ = write!(out, "{} {}", if *all { "all" } else { "any" }, parts.len());
                for part in parts {
                    out.push(' ');
                    part.write(out);
                }
            }
        }
    }
}

/// Names the obligation that no statement expresses.
fn other_obligation(needed: &NeededProofs) -> Option<&'static str> {
    match needed {
        NeededProofs::All(parts) | NeededProofs::Any(parts) => {
            parts.iter().find_map(other_obligation)
        }
        NeededProofs::Reach(_) | NeededProofs::Refute(_) | NeededProofs::Grow(_) => None,
        NeededProofs::StaysReachable(_) | NeededProofs::NotStaysReachable(_) => {
            Some("predicates that stay reachable")
        }
        NeededProofs::Run(_) | NeededProofs::NoRun(_) => Some("runs"),
        NeededProofs::Tree(_) => Some("the tree of runs"),
    }
}

/// The evidence of an answer that a file of claims contains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EvidenceSelection {
    /// The evidence of a confirmed answer. All reachable markings may be listed.
    Claim,
    /// The evidence of a refused answer: its firing sequences and documents, right or wrong.
    Refused,
    /// The evidence of a confirmed answer, without lists of markings.
    Obligations,
}

/// Returns the claim of an answer, and the evidence for it, as far as it is covered.
///
/// # Errors
/// The reason why there is no claim.
fn gather<'n>(
    context: &mut AuditContext<'n>,
    question: &Question,
    answer: &AnswerLine,
    assumes_units: bool,
    selection: EvidenceSelection,
) -> Result<(Claim, ClaimEvidence<'n>), String> {
    let net = context.net;
    let refuse = |why: &str| Err(why.to_owned());
    if net.is_of_quotient() {
        return refuse("colours are merged");
    }
    if net.translation().is_some() {
        return refuse("inhibitor or reset arcs are translated");
    }
    if matches!(question, Question::Count { .. }) {
        return refuse("numbers of markings are not covered");
    }
    let value = AnswerValue::read(&answer.value).ok_or("the answer has no value")?;
    let obligation = question.obligation(net, value)?;
    let claim = Claim::of(&obligation.needed, obligation.reach.len(), obligation.refute.len());
    let claim = claim.ok_or_else(|| {
        let what = other_obligation(&obligation.needed).unwrap_or("nothing");
        format!("statements about {what} are not covered")
    })?;
    let mut evidence = ClaimEvidence::new(net, obligation, assumes_units, selection);
    evidence.collect(context, answer)?;
    let is_dead = net.is_dead(net.initial());
    if !claim.is_shown(&evidence.shown) && (answer.searched.is_some() || is_dead) {
        evidence.list_markings();
    }
    Ok((claim, evidence))
}

/// Returns the file about a confirmed answer.
///
/// # Errors
/// The reason why the proved checker would not accept the answer.
pub(super) fn claim_file(
    context: &mut AuditContext<'_>,
    question: &Question,
    answer: &AnswerLine,
    assumes_units: bool,
) -> Result<String, String> {
    let (claim, evidence) =
        gather(context, question, answer, assumes_units, EvidenceSelection::Claim)?;
    match claim.is_shown(&evidence.shown) {
        true => Ok(text_of(context.net, question, answer, &claim, &evidence)),
        false => Err(evidence.reason()),
    }
}

/// Returns the file about a refused answer. It has all the evidence as it is, so the proved checker
/// should refuse the file, too.
///
/// # Errors
/// The reason why the question or the evidence is not covered.
pub(super) fn refused_claim_file(
    context: &mut AuditContext<'_>,
    question: &Question,
    answer: &AnswerLine,
    assumes_units: bool,
) -> Result<String, String> {
    let (claim, evidence) =
        gather(context, question, answer, assumes_units, EvidenceSelection::Refused)?;
    if !evidence.left_out.is_empty() {
        return Err(evidence.reason());
    }
    Ok(text_of(context.net, question, answer, &claim, &evidence))
}

/// Returns the text of a file of claims.
fn text_of(
    net: &Net,
    question: &Question,
    answer: &AnswerLine,
    claim: &Claim,
    evidence: &ClaimEvidence<'_>,
) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "# {}: {}", Quoted(&answer.id), Printable(&question.in_words(net)));
    let _ = writeln!(text, "# answer: {}", Printable(&answer.value));
    write_net(net, &mut text);
    evidence.writer.write_assumptions(&mut text);
    let Obligation { reach, refute, grow, .. } = &evidence.obligation;
    let _ = writeln!(text, "statements {}", reach.len() + refute.len() + grow.len());
    let statements = reach.iter().map(|it| ("reachable", it));
    for (word, predicate) in statements.chain(refute.iter().map(|it| ("unreachable", it))) {
        let _ = write!(text, "{word} ");
        write_predicate(predicate, &mut text);
        text.push('\n');
    }
    for sum in grow {
        let _ = write!(text, "unbounded {}", sum.terms().len());
        for (place, a) in sum.terms() {
            let _ = write!(text, " {} {a}", place.index());
        }
        text.push('\n');
    }
    text.push_str("claim ");
    claim.write(&mut text);
    text.push('\n');
    text.push_str(&evidence.writer.text);
    text.push_str("end\n");
    text
}

/// Writes a net with its initial marking. The file refers to nodes by number, so their names are
/// comments.
fn write_net(net: &Net, out: &mut String) {
    let _ = writeln!(out, "parikh-claim 1\nplaces {}", net.place_count());
    for place in net.places() {
        let _ = writeln!(out, "# place {}: {}", place.index(), Quoted(net.place_name(place)));
    }
    let marked: Vec<_> = net.places().filter(|&place| net.initial()[place] > 0).collect();
    let _ = write!(out, "initial {}", marked.len());
    for place in marked {
        let _ = write!(out, " {} {}", place.index(), net.initial()[place]);
    }
    let _ = writeln!(out, "\ntransitions {}", net.transition_count());
    for t in net.transitions() {
        out.push_str("transition");
        for arcs in [net.pre(t), net.post(t)] {
            let _ = write!(out, " {}", arcs.len());
            for arc in arcs {
                let _ = write!(out, " {} {}", arc.place.index(), arc.weight);
            }
        }
        let _ = writeln!(out, " # {}: {}", t.index(), Quoted(net.transition_name(t)));
    }
}
