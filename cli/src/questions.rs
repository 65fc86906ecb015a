//! The questions of `check` and `mcc`, translated into a plan for each net that represents the
//! model.

use super::UsageError;
use super::fair::{RunRestriction, fairness};
use super::formulas::{FormulaOptions, GivenFormula};
use super::model::query_file;
use super::processes::why_not_with_caps;
use super::terminal::note;
use anyhow::{Result, bail};
use parikh::answer::{NodeQuestions, Plan};
use parikh::mcc::Examination;
use parikh::run::{OpenCause, OpenQuestion, OpenReason, Questions, QuestionsOnNet};
use parikh_formula::{Formula, NamedNodes, TemporalLogic, UnsupportedFormula, of_cases};
use parikh_input::model::ModelView;
use parikh_net::Net;
use parikh_net::printable::Word;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// An inquiry, that is, a group of questions with a common name and a common share of the time.
pub(super) enum RequestedQuestions<'a> {
    /// An examination without queries: one question, or a question about each node.
    Examination(Examination),
    /// An examination with queries, and the query file.
    Queries(Examination, PathBuf),
    /// An examination of processes, and the number of cases handled at the same time. The net
    /// already has the initial and final markings for this number of cases.
    Process(Examination, u64),
    /// Formulas given by the user.
    Formulas(&'a FormulaOptions),
}

/// A translator of an inquiry into a plan, that is, into questions about goals on a given net. It
/// leaves out the questions that `--id` does not select.
pub(super) struct InquiryReader<'a> {
    inquiry: &'a RequestedQuestions<'a>,
    /// The runs that formulas consider: all runs, fair runs, or runs of a case.
    restriction: RunRestriction<'a>,
    /// The ids of questions to answer (`--id`). If empty, all questions are answered.
    only: &'a [String],
    /// The ids of answers to explain (`--explain`). An id that no question has is an error.
    explain: &'a [String],
    /// Messages not yet printed. Messages about a coloured net or its quotient are delayed.
    /// Formulas refused there may be accepted on the unfolding, whose messages then replace the
    /// delayed ones.
    notes: RefCell<Vec<String>>,
    /// The nodes that names in a question denote, by the id of the question. The nodes belong to
    /// the net on which the questions were read last. The entry of the empty id is for the names in
    /// `--fair`.
    named: RefCell<HashMap<String, Vec<NamedNodes>>>,
    /// The formulas as their authors wrote them, by id. Only formulas in the language of
    /// `--formula` have an entry.
    written: RefCell<HashMap<String, String>>,
    /// The ids of all formulas that were read last, whether `--id` selects them or not.
    read_ids: RefCell<Vec<String>>,
}

impl RequestedQuestions<'_> {
    /// Returns the inquiry of an examination, with the query file in the directory of the model if
    /// the examination has queries.
    pub(super) fn of_instance(examination: Examination, model: &Path) -> Result<Self> {
        Ok(match examination.has_queries() {
            true => {
                RequestedQuestions::Queries(examination, query_file(model, examination.name())?)
            }
            false => RequestedQuestions::Examination(examination),
        })
    }

    /// Returns the name of the inquiry for messages and file names.
    pub(super) fn name(&self) -> String {
        match self {
            RequestedQuestions::Examination(examination)
            | RequestedQuestions::Queries(examination, _) => examination.name().to_owned(),
            RequestedQuestions::Process(examination, 1) => examination.name().to_owned(),
            RequestedQuestions::Process(examination, cases) => format!("{cases}-{examination}"),
            RequestedQuestions::Formulas(_) => "Formulas".to_owned(),
        }
    }

    /// Returns true if the inquiry may hold several questions, so that `--id` can choose among
    /// them.
    pub(super) fn has_several(&self) -> bool {
        matches!(self, RequestedQuestions::Queries(..) | RequestedQuestions::Formulas(_))
            || self.each_node().is_some()
    }

    /// Returns the examination if it has a question about each node.
    pub(super) fn each_node(&self) -> Option<Examination> {
        match self {
            RequestedQuestions::Examination(examination) if examination.is_about_each_node() => {
                Some(*examination)
            }
            _ => None,
        }
    }

    /// Returns true for the examination StateSpace, which asks for the numbers of a state space.
    /// They are computed without a plan.
    pub(super) fn is_state_space(&self) -> bool {
        matches!(self, RequestedQuestions::Examination(Examination::StateSpace))
    }
}

impl<'a> InquiryReader<'a> {
    /// Creates a translator of `inquiry`. See the fields for `only` and `explain`.
    pub(super) fn new(
        inquiry: &'a RequestedQuestions<'a>,
        restriction: RunRestriction<'a>,
        only: &'a [String],
        explain: &'a [String],
    ) -> Self {
        let (notes, named, written, read_ids) = Default::default();
        InquiryReader { inquiry, restriction, only, explain, notes, named, written, read_ids }
    }

    /// Returns an empty plan with the fairness constraints of the inquiry. Also stores the nodes
    /// that the names in `--fair` denote.
    fn without_questions(&self, net: &Net) -> Result<QuestionsOnNet> {
        let (fairness, named) =
            fairness(self.restriction.fair, net).map_err(|why| anyhow::anyhow!("--fair: {why}"))?;
        self.named.replace(HashMap::from([(String::new(), named)]));
        let mut questions = QuestionsOnNet::default();
        questions.plan.set_fairness(fairness);
        Ok(questions)
    }

    /// Returns the texts of the formulas that were read, by id.
    pub(super) fn formula_texts(&self) -> HashMap<String, String> {
        self.written.borrow().clone()
    }

    /// Returns the nodes that the names in a question and in `--fair` denote.
    pub(super) fn named(&self, id: &str) -> Vec<NamedNodes> {
        let named = self.named.borrow();
        let ids = ["", id].into_iter().filter_map(|id| named.get(id));
        ids.flatten().cloned().collect()
    }

    /// Prints the delayed messages once.
    pub(super) fn print_notes(&self) {
        self.notes.take().iter().for_each(|line| note!("{line}"));
    }

    /// Translates the questions of the inquiry on a net. Messages are appended to `notes`.
    fn read(&self, net: &Net, notes: &mut Vec<String>) -> Result<QuestionsOnNet> {
        match self.inquiry {
            RequestedQuestions::Examination(examination) => {
                if let Some(questions) = Plan::of_each_node(*examination, net) {
                    return Ok(self.of_each_node(questions, notes));
                }
                Ok(match Plan::of_examination(*examination, net) {
                    // Caps are assumed bounds of places, which the model may exceed.
                    None if net.has_caps() => {
                        let id = self.inquiry.name();
                        let reason = OpenReason::from(OpenCause::CapsUnsupported);
                        notes.push(format!("parikh: {id}: {reason}"));
                        let refused = vec![OpenQuestion { id, reason }];
                        QuestionsOnNet { refused, ..QuestionsOnNet::default() }
                    }
                    plan => plan.unwrap_or_default().into(),
                })
            }
            RequestedQuestions::Process(examination, _) => {
                let id = self.inquiry.name();
                Ok(match Plan::of_examination(*examination, net) {
                    Some(plan) => plan.called(&id).into(),
                    None => {
                        let reason = match net.has_caps() {
                            true => why_not_with_caps(net),
                            false => {
                                "the net is too large for goals that mention all places".to_owned()
                            }
                        };
                        notes.push(format!("parikh: {id}: {reason}"));
                        let reason = OpenReason::refused(reason);
                        let refused = vec![OpenQuestion { id, reason }];
                        QuestionsOnNet { refused, ..QuestionsOnNet::default() }
                    }
                })
            }
            RequestedQuestions::Queries(examination, file) => {
                self.of_file(*examination, file, net, notes)
            }
            RequestedQuestions::Formulas(formulas) => {
                let questions = self.without_questions(net)?;
                Ok(self.of_formulas(questions, formulas.read(net, notes)?, net, notes))
            }
        }
    }

    /// Returns the questions about nodes that `--id` selects. A message reports the first node
    /// about which nothing can be asked.
    fn of_each_node(&self, questions: NodeQuestions, notes: &mut Vec<String>) -> QuestionsOnNet {
        let NodeQuestions { mut plan, mut refused } = questions;
        let planned = plan.questions().iter().map(|question| &question.id);
        *self.read_ids.borrow_mut() =
            planned.chain(refused.iter().map(|(id, _)| id)).cloned().collect();
        if !self.only.is_empty() {
            let all = plan.questions().iter().map(|question| &question.id);
            let unwanted: HashSet<String> = all.filter(|id| !self.is_wanted(id)).cloned().collect();
            plan = plan.without_questions(&unwanted);
            refused.retain(|(id, _)| self.is_wanted(id));
        }
        if let Some((node, reason)) = refused.first() {
            notes.push(format!("parikh: {} {node}: {reason}", self.inquiry.name()));
        }
        let refused = refused.into_iter().map(|(id, reason)| {
            let reason = match reason {
                UnsupportedFormula::Caps => OpenCause::CapsUnsupported.into(),
                other => OpenReason::refused(other),
            };
            OpenQuestion { id, reason }
        });
        QuestionsOnNet { plan, refused: refused.collect(), ..QuestionsOnNet::default() }
    }

    /// Translates the questions of a query file. Formulas that cannot be translated are recorded as
    /// refused.
    ///
    /// # Errors
    /// The file cannot be read or contains no formula, or a name in `--fair` is wrong.
    fn of_file(
        &self,
        examination: Examination,
        file: &Path,
        net: &Net,
        notes: &mut Vec<String>,
    ) -> Result<QuestionsOnNet> {
        let queries = parikh_input::read_queries(file, net)?;
        let mut questions = self.without_questions(net)?;
        if let Some(error) = queries.cut_short {
            notes
                .push(format!("parikh: {error}; only the formulas before this place are answered"));
            let is_read =
                |wanted: &String| queries.queries.iter().any(|it| is_called(&it.id, wanted));
            if self.only.is_empty() || !self.only.iter().all(is_read) {
                let id = format!("(the rest of {})", file.display());
                questions.refused.push(OpenQuestion { id, reason: OpenReason::refused(error) });
            }
        } else if queries.queries.is_empty() {
            bail!("{}: the file contains no formula", file.display());
        }
        *self.read_ids.borrow_mut() =
            queries.queries.iter().map(|query| query.id.clone()).collect();
        for query in queries.queries.into_iter().filter(|query| self.is_wanted(&query.id)) {
            let planned = match &query.formula {
                Ok(formula) => {
                    let logic = logic_of(examination).unwrap_or_else(|| TemporalLogic::of(formula));
                    self.ask(&mut questions, &query.id, formula, net, logic)
                }
                Err(error) => Err(error.to_string()),
            };
            if let Err(reason) = planned {
                notes.push(format!("parikh: {}: formula {}: {reason}", file.display(), query.id));
                let reason = OpenReason::refused(reason);
                questions.refused.push(OpenQuestion { id: query.id, reason });
            }
        }
        Ok(questions)
    }

    /// Translates the formulas given by the user. Syntax errors were reported when the formulas
    /// were read. This function reports the formulas that cannot be translated.
    fn of_formulas(
        &self,
        mut planned_questions: QuestionsOnNet,
        formulas: Vec<GivenFormula>,
        net: &Net,
        notes: &mut Vec<String>,
    ) -> QuestionsOnNet {
        *self.read_ids.borrow_mut() = formulas.iter().map(|formula| formula.id.clone()).collect();
        let selected = formulas.into_iter().filter(|formula| self.is_wanted(&formula.id));
        for GivenFormula { id, written, formula, named } in selected {
            self.named.borrow_mut().insert(id.clone(), named);
            if !written.is_empty() {
                let text = written.split_whitespace().collect::<Vec<_>>().join(" ");
                self.written.borrow_mut().insert(id.clone(), text);
            }
            let planned = formula.and_then(|formula| {
                let logic = TemporalLogic::of(&formula);
                let result = self.ask(&mut planned_questions, &id, &formula, net, logic);
                result.inspect_err(|reason| notes.push(format!("parikh: formula {id}: {reason}")))
            });
            if let Err(reason) = planned {
                let reason = OpenReason::refused(reason);
                planned_questions.refused.push(OpenQuestion { id, reason });
            }
        }
        planned_questions
    }

    /// Adds a formula to the plan. With `--cases`, the formula considers only runs of cases, and
    /// its logic is LTL. If the formula is refused, returns the reason. If the reason is that the
    /// net has no colours, also counts the formula in `lacking_colours`: an unfolding would accept
    /// the formula.
    fn ask(
        &self,
        questions: &mut QuestionsOnNet,
        id: &str,
        formula: &Formula,
        net: &Net,
        logic: TemporalLogic,
    ) -> Result<(), String> {
        let plan = &mut questions.plan;
        let result = match self.restriction.cases {
            true => of_cases(formula, net)
                .and_then(|formula| plan.ask_formula_in(id, &formula, net, TemporalLogic::Linear)),
            false => plan.ask_formula_in(id, formula, net, logic),
        };
        result.map_err(|error| {
            questions.lacking_colours += usize::from(matches!(error, UnsupportedFormula::Colours));
            error.to_string()
        })
    }

    /// Returns true if `--id` selects the question.
    fn is_wanted(&self, id: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| is_called(id, wanted))
    }

    /// Returns an error if some id of `--id` or of `--explain` is the id of no question. The error
    /// lists the first 20 ids of questions.
    fn check_ids(&self, planned_questions: &QuestionsOnNet) -> Result<()> {
        let planned = planned_questions.plan.questions().iter().map(|question| &question.id);
        let ids: Vec<&String> =
            planned.chain(planned_questions.refused.iter().map(|it| &it.id)).collect();
        let mut wanted_ids = self.only.iter().chain(self.explain);
        let is_missing = |wanted: &&String| !ids.iter().any(|id| is_called(id, wanted));
        if let Some(id) = wanted_ids.find(is_missing) {
            /// The largest number of ids in the message.
            const MAX_IDS: usize = 20;
            // With `--id`, the plan has only the selected questions.
            let read_ids = self.read_ids.borrow();
            let all_ids: Vec<&String> =
                if read_ids.is_empty() { ids } else { read_ids.iter().collect() };
            let first_ids: Vec<String> =
                all_ids.iter().take(MAX_IDS).map(|id| Word(id).to_string()).collect();
            let first = if all_ids.len() > MAX_IDS { "first " } else { "" };
            bail!(UsageError(format!(
                "no question has the id {id}; the {first}ids are {}",
                first_ids.join(", ")
            )));
        }
        Ok(())
    }
}

impl Questions for InquiryReader<'_> {
    type Error = anyhow::Error;

    fn for_view(&self, view: ModelView<'_>) -> Result<QuestionsOnNet> {
        let mut notes = Vec::new();
        let questions = self.read(view.net(), &mut notes);
        let questions =
            questions.and_then(|questions| self.check_ids(&questions).map(|()| questions));
        self.notes.replace(notes);
        // The questions may be read again on the unfolding, with the same messages. So messages
        // about a coloured net or a quotient wait, and reading again replaces them.
        if !matches!(view, ModelView::Coloured(_) | ModelView::Quotient(_)) {
            self.print_notes();
        }
        questions
    }
}

/// Returns true if `wanted` is the id of the question, or the id in its printed form.
pub(super) fn is_called(id: &str, wanted: &str) -> bool {
    id == wanted || Word(id).to_string() == wanted
}

/// Returns the logic of an examination's formulas, if its name determines the logic. Otherwise the
/// shape of each formula determines it.
fn logic_of(examination: Examination) -> Option<TemporalLogic> {
    match examination {
        Examination::CTLCardinality | Examination::CTLFireability => Some(TemporalLogic::Branching),
        Examination::LTLCardinality | Examination::LTLFireability => Some(TemporalLogic::Linear),
        _ => None,
    }
}
