//! Decides whether the evidence of an answer proves the answer.

use super::account::AnswerObligations;
use super::context::AuditContext;
use super::exports::Exports;
use super::{AuditVerdict, claims, figures, kinds};
use crate::description;
use crate::file::{AnswerAssumption, AnswerLine};
use crate::question::{AnswerValue, Question};
use crate::reader::Unreadable;
use parikh_net::printable::Quoted;
use std::collections::HashMap;

/// Questions by id, or the reason why a question cannot be audited.
pub(super) type Questions = HashMap<String, Result<Question, Unreadable>>;

/// Checks the answers of one evidence file, and decides on a verdict for each.
pub(super) struct AnswerJudge<'n> {
    pub(super) context: AuditContext<'n>,
    pub(super) questions: Questions,
}

impl AnswerJudge<'_> {
    /// Describes the question with this id in words. Returns an empty text if there is no readable
    /// question.
    pub(super) fn question(&self, id: &str) -> String {
        match self.questions.get(id) {
            Some(Ok(question)) => {
                let net = self.context.net;
                let text = description::shortened(question.in_words(net));
                match net.is_of_quotient() {
                    true => format!("{text}, {}", description::OF_QUOTIENT),
                    false => text,
                }
            }
            _ => String::new(),
        }
    }

    /// Writes the files about a confirmed answer, or records the reason why there are none. The
    /// answer is refused if not `is_confirmed`.
    pub(super) fn export(
        &mut self,
        exports: &Exports,
        examination: &str,
        answer: &AnswerLine,
        assumes_units: bool,
        is_confirmed: bool,
    ) {
        let Some(Ok(question)) = self.questions.get(&answer.id) else { return };
        let context = &mut self.context;
        if let Some(folder) =
            exports.claims.as_ref().filter(|_| is_confirmed || exports.refused_claims)
        {
            folder.add(examination, &answer.id, |_| {
                let text = match is_confirmed {
                    true => claims::claim_file(context, question, answer, assumes_units)?,
                    false => claims::refused_claim_file(context, question, answer, assumes_units)?,
                };
                Ok(vec![("claim", text)])
            });
        }
        if let Some(folder) = exports.smtlib.as_ref().filter(|_| is_confirmed) {
            folder.add(examination, &answer.id, |stem| {
                let names = (&*exports.model, stem);
                claims::smt_files(context, question, answer, assumes_units, names)
            });
        }
    }

    /// Returns the verdict on an answer. The boolean is true if the evidence checked so far assumes
    /// safe units. After the check of all evidence, it is also true if the answer states this
    /// assumption. It is false for a verdict without such a check, for example about a number of
    /// markings.
    pub(super) fn judge(&mut self, answer: &AnswerLine) -> (AuditVerdict, bool) {
        let question = match self.questions.get(&answer.id) {
            None => return (AuditVerdict::Refused("there is no such question".to_owned()), false),
            Some(Err(error)) => {
                return (AuditVerdict::Unsupported(format!("the query file, {error}")), false);
            }
            Some(Ok(question)) => question,
        };
        let context = &mut self.context;
        if let Some(verdict) = figures::judge(context, question, answer) {
            return (verdict, false);
        }
        let obligation = match AnswerValue::read(&answer.value) {
            None => Err(format!("{} is not a value of an answer", Quoted(&answer.value))),
            Some(value) => question.obligation(context.net, value),
        };
        let mut obligations = match obligation {
            Ok(obligation) => AnswerObligations::of(context.net, obligation),
            Err(why) => return (AuditVerdict::Refused(why), false),
        };
        let is_settled_initially = obligations.is_settled();
        if let Err(why) = kinds::check_evidence(context, &mut obligations, answer) {
            return (AuditVerdict::Refused(why), obligations.assumes_units);
        }
        let evidence_assumes_units = obligations.assumes_units;
        let states_assumption = answer.assumes.contains(&AnswerAssumption::Units);
        if evidence_assumes_units && !states_assumption {
            let why = "the evidence assumes that the model's units are safe, but the answer does \
                       not state this assumption";
            return (AuditVerdict::Refused(why.to_owned()), true);
        }
        let verdict = match (obligations.is_settled(), &answer.searched) {
            (true, _) if is_settled_initially => {
                AuditVerdict::Confirmed("the initial marking decides the question".to_owned())
            }
            (true, _) => AuditVerdict::Confirmed(obligations.describe_discharged()),
            (false, Some(searched)) if !obligations.open_trees().is_empty() => {
                context.search_trees(&mut obligations, searched)
            }
            (false, Some(searched)) if !obligations.open_runs().is_empty() => {
                context.search_runs(&mut obligations, searched)
            }
            (false, Some(searched)) if obligations.home.is_some() => {
                context.search_home(&mut obligations, searched)
            }
            (false, Some(searched)) if obligations.is_open_to_search() => {
                context.search_again(&mut obligations, searched)
            }
            (false, _) => AuditVerdict::Refused(obligations.describe_missing(context.net)),
        };
        (verdict, evidence_assumes_units || states_assumption)
    }
}
