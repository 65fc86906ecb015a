//! Judging an answer by its evidence.

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

/// Judges the answers of one file.
pub(super) struct AnswerJudge<'n> {
    pub(super) context: AuditContext<'n>,
    pub(super) questions: Questions,
}

impl AnswerJudge<'_> {
    /// Describes the question with this id in words. Returns an empty text if there is no readable
    /// question.
    pub(super) fn question(&self, id: &str) -> String {
        match self.questions.get(id) {
            Some(Ok(asked)) => {
                let net = self.context.net;
                let said = description::shortened(asked.in_words(net));
                match net.is_of_quotient() {
                    true => format!("{said}, {}", description::OF_QUOTIENT),
                    false => said,
                }
            }
            _ => String::new(),
        }
    }

    /// Writes the files about a confirmed answer, or records the reason why there are none.
    pub(super) fn export(
        &mut self,
        exports: &Exports,
        examination: &str,
        answer: &AnswerLine,
        assumes_units: bool,
    ) {
        let Some(Ok(question)) = self.questions.get(&answer.id) else { return };
        let context = &mut self.context;
        if let Some(folder) = &exports.claims {
            folder.add(examination, &answer.id, |_| {
                let text = claims::claim_file(context, question, answer, assumes_units)?;
                Ok(vec![("claim", text)])
            });
        }
        if let Some(folder) = &exports.smtlib {
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
        let asked = match self.questions.get(&answer.id) {
            None => return (AuditVerdict::Refused("there is no such question".to_owned()), false),
            Some(Err(error)) => {
                return (AuditVerdict::Unsupported(format!("the query file, {error}")), false);
            }
            Some(Ok(asked)) => asked,
        };
        let desk = &mut self.context;
        if let Some(verdict) = figures::judge(desk, asked, answer) {
            return (verdict, false);
        }
        let obligation = match AnswerValue::read(&answer.value) {
            None => Err(format!("{} is not a value of an answer", Quoted(&answer.value))),
            Some(value) => asked.obligation(desk.net, value),
        };
        let mut account = match obligation {
            Ok(obligation) => AnswerObligations::of(desk.net, obligation),
            Err(why) => return (AuditVerdict::Refused(why), false),
        };
        let initially = account.is_settled();
        if let Err(why) = kinds::check_evidence(desk, &mut account, answer) {
            return (AuditVerdict::Refused(why), account.assumes_units);
        }
        let assumes = account.assumes_units;
        let says_so = answer.assumes.contains(&AnswerAssumption::Units);
        if assumes && !says_so {
            let why = "the evidence assumes that the model's units are safe, but the answer does \
                       not state this assumption";
            return (AuditVerdict::Refused(why.to_owned()), true);
        }
        let verdict = match (account.is_settled(), &answer.searched) {
            (true, _) if initially => {
                AuditVerdict::Confirmed("the initial marking decides the question".to_owned())
            }
            (true, _) => AuditVerdict::Confirmed(account.describe_discharged()),
            (false, Some(searched)) if !account.open_trees().is_empty() => {
                desk.search_trees(&mut account, searched)
            }
            (false, Some(searched)) if !account.open_runs().is_empty() => {
                desk.search_runs(&mut account, searched)
            }
            (false, Some(searched)) if account.home.is_some() => {
                desk.search_home(&mut account, searched)
            }
            (false, Some(searched)) if account.is_open_to_search() => {
                desk.search_again(&mut account, searched)
            }
            (false, _) => AuditVerdict::Refused(account.describe_missing(desk.net)),
        };
        (verdict, assumes || says_so)
    }
}
