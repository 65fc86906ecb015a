//! Proof obligations in SMT-LIB for confirmed answers that say "unreachable" or "at most".
//!
//! The statements, the facts and the checks of documents are those of files of claims. A solver
//! finds the derivations itself.

use super::{EvidenceSelection, gather};
use crate::audit::context::AuditContext;
use crate::audit::exports::AnswerFiles;
use crate::certificate::smtlib::Obligations;
use crate::file::AnswerLine;
use crate::question::Question;
use parikh_net::Predicate;
use parikh_net::printable::{Printable, Quoted, counted};
use std::fmt::Write as _;

/// The obligations: the end of the name of the file, and the meaning of `unsat`.
const OBLIGATIONS: [(&str, &str); 3] = [
    ("initiation.smt2", "the initial marking has all facts"),
    ("consecution.smt2", "every firing from a marking with all facts leads to one with all facts"),
    ("safety.smt2", "no marking with all facts satisfies a predicate that the answer excludes"),
];

/// Returns the files about a confirmed answer. `model` describes the model, and `stem` is the
/// beginning of the names of the files.
///
/// # Errors
/// The reason why there are no obligations that prove the answer.
pub(in crate::audit) fn smt_files(
    context: &mut AuditContext<'_>,
    question: &Question,
    answer: &AnswerLine,
    assumes_units: bool,
    (model, stem): (&str, &str),
) -> Result<AnswerFiles, String> {
    let net = context.net;
    let (claim, evidence) =
        gather(context, question, answer, assumes_units, EvidenceSelection::Obligations)?;
    let obligation = &evidence.obligation;
    let first = obligation.reach.len();
    // The files are about the refuted statements. The auditor has confirmed the others.
    let statements = claim.sufficient(&evidence.shown, &evidence.refuted);
    // If the evidence covered here does not show the answer, it also rests on markings that other
    // evidence reaches.
    let reachable = || evidence.shown.iter().copied().chain(0..first).collect();
    let statements = statements.or_else(|| claim.sufficient(&reachable(), &evidence.refuted));
    let Some(statements) = statements else {
        return Err(evidence.reason());
    };
    let unreachable: Vec<&Predicate> = (first..)
        .zip(&obligation.refute)
        .filter(|(number, _)| statements.contains(number) && evidence.refuted.contains(number))
        .map(|(_, predicate)| predicate)
        .collect();
    if unreachable.is_empty() {
        return Err("no document shows that something is unreachable".to_owned());
    }
    let facts = evidence.writer.recorded_facts();
    let obligations = Obligations { net, facts, unreachable: &unreachable };
    let mut about = String::new();
    let _ = writeln!(about, "; model: {}", Printable(model));
    let _ = writeln!(
        about,
        "; net: {}, {}, {}",
        Quoted(net.name()),
        counted(net.place_count(), "place"),
        counted(net.transition_count(), "transition")
    );
    let _ = writeln!(
        about,
        "; question {}: {}",
        Quoted(&answer.id),
        Printable(&question.in_words(net))
    );
    let _ = writeln!(about, "; answer: {}", Printable(&answer.value));
    let _ = writeln!(
        about,
        "; All files together prove that the predicates in {stem}.safety.smt2 are unreachable ({}).",
        counted(unreachable.len(), "predicate")
    );
    if statements.len() > unreachable.len() {
        about.push_str(
            "; The answer also rests on other statements, such as reachable markings, which are not shown here.\n",
        );
    }
    if obligations.has_assumptions() {
        about.push_str("; They assume the model's claim that its units are safe.\n");
    }
    let head = |index: usize| {
        let mut head = String::new();
        let (ending, meaning) = OBLIGATIONS[index];
        let name = ending.strip_suffix(".smt2").unwrap_or(ending);
        let _ = writeln!(
            head,
            "; Proof obligation {} of 3, {name}. unsat means: {meaning}.",
            index + 1
        );
        head.push_str(&about);
        let others = OBLIGATIONS.iter().filter(|(other, _)| *other != ending);
        let others: Vec<String> = others.map(|(other, _)| format!("{stem}.{other}")).collect();
        let _ = writeln!(head, "; The other files are {}.", others.join(" and "));
        head
    };
    let safety = obligations.safety(&head(2));
    let safety = safety.ok_or("a predicate has other parts than comparisons")?;
    let texts = [obligations.initiation(&head(0)), obligations.consecution(&head(1)), safety];
    Ok(OBLIGATIONS.iter().map(|(ending, _)| *ending).zip(texts).collect())
}
