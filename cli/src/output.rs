//! Answers on stdout: as text, as JSON, or as lines of the contest.
//!
//! An id is printed as one word ([`Word`]). So no id in a query file can make a line look like the
//! answer to another question, or like another value.

use super::expected::{
    self, OpenPrinter, QuestionKey, claim_open, in_small_letters, mark_reported,
};
use super::terminal::{line, note, object};
use super::totals::NodeTotals;
use super::{csv, json};
use clap::ValueEnum;
use indicatif::ProgressBar;
use parikh::answer::GoalAnswer;
use parikh::mcc::techniques::{Circumstances, techniques};
use parikh::run::{OpenReason, RunReport};
use parikh_formula::NamedNodes;
use parikh_input::about::NetMeant;
use parikh_input::model::ModelView;
use parikh_net::assumption::{self, Assumption};
use parikh_net::printable::{Printable, Word};
use parikh_solvers::locked;
use serde_json::json;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An output format for answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AnswerFormat {
    /// One line per question: id, answer, reason.
    Text,
    /// A JSON object per line: one per question as soon as it is known, then a summary.
    Json,
    /// Comma-separated values: a header, then a row per question.
    Csv,
    /// The lines of the Model Checking Contest.
    Mcc,
}

/// The context in which an answer is printed.
pub(super) struct AnswerContext<'m> {
    /// The net whose nodes the answer names.
    pub(super) view: ModelView<'m>,
    /// The nodes that names in the question denote.
    pub(super) named: Vec<NamedNodes>,
}

/// A printer for answers as they come.
#[derive(Clone)]
pub(super) struct AnswerPrinter {
    format: AnswerFormat,
    /// True if several engines run in parallel.
    parallel: bool,
    /// The progress bar of `parikh states`, which only computes the numbers of a state space.
    /// Printing a number suspends the bar. `None` for other commands.
    state_space_bar: Option<ProgressBar>,
    /// The name of the inquiry (an examination, or the formulas given) in JSON objects. `None` if
    /// JSON objects name no inquiry.
    examination: Option<String>,
    /// The names of the inquiries (examinations, or the formulas given) that follow. They are
    /// reported as open if the process has to end.
    later_inquiries: Vec<String>,
    /// The totals of an examination about each node, shared by the copies of the printer. `None`
    /// for other inquiries.
    totals: Option<Arc<Mutex<NodeTotals>>>,
    /// The texts of formulas by id, for JSON objects, shared by the copies of the printer.
    formula_texts: Arc<Mutex<HashMap<String, String>>>,
    /// The witness steps in JSON objects so far, shared by the copies of the printer.
    listed_steps: Arc<json::ListedSteps>,
}

impl AnswerPrinter {
    /// Returns a printer. `parallel` is true if several engines run in parallel.
    pub(super) fn new(format: AnswerFormat, parallel: bool) -> Self {
        AnswerPrinter {
            format,
            parallel,
            state_space_bar: None,
            examination: None,
            later_inquiries: Vec::new(),
            totals: None,
            formula_texts: Arc::default(),
            listed_steps: Arc::default(),
        }
    }

    /// Returns the printer for one of several inquiries, that is, examinations or the formulas
    /// given. `name` is its name, and `later` has the names of the inquiries that follow.
    pub(super) fn of_examination(&self, name: String, later: Vec<String>) -> Self {
        AnswerPrinter {
            examination: Some(name),
            later_inquiries: later,
            formula_texts: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns the printer with totals, for an examination about each node.
    pub(super) fn with_totals(self, totals: Option<NodeTotals>) -> Self {
        AnswerPrinter { totals: totals.map(|totals| Arc::new(Mutex::new(totals))), ..self }
    }

    /// Sets the texts of formulas by id. JSON objects about these formulas state the texts.
    pub(super) fn set_formula_texts(&self, texts: HashMap<String, String>) {
        *locked(&self.formula_texts) = texts;
    }

    /// Adds the text of a formula to the JSON object of a question.
    fn add_formula_text(&self, object: &mut serde_json::Value) {
        let texts = locked(&self.formula_texts);
        if let Some(text) = object["id"].as_str().and_then(|id| texts.get(id)) {
            object["formula"] = text.as_str().into();
        }
    }

    /// Returns the printer of `parikh states`. It prints the numbers of a state space as a table or
    /// as JSON objects, and suspends the progress bar while it prints a number.
    pub(super) fn of_states(self, progress: ProgressBar) -> Self {
        AnswerPrinter { state_space_bar: Some(progress), ..self }
    }

    /// Registers the questions of expected answers, in place of those registered before. If the
    /// process ends early, [`expected::report_open_questions`] reports the questions without
    /// answers as open, and the later inquiries, too.
    pub(super) fn expects(&self, questions: impl Iterator<Item = QuestionKey>) {
        let later = self.later_inquiries.iter().cloned().map(QuestionKey::Inquiry);
        expected::expect(self.clone(), questions.chain(later));
    }

    /// Prints an answer that was found after the time `after` since the start of the run. `trace`
    /// is the file with the witness. It is `None` if no trace was written.
    pub(super) fn answer(
        &self,
        answer: &GoalAnswer,
        about: &AnswerContext<'_>,
        after: Duration,
        trace: Option<&PathBuf>,
    ) {
        // The process is ending, and the question was reported as open.
        if self.totals.as_ref().is_some_and(|totals| locked(totals).is_printed()) {
            return;
        }
        let question = QuestionKey::Question(answer.id.clone());
        mark_reported(&question);
        self.update_totals(|totals| totals.add_answer(&answer.id, &answer.value));
        let &AnswerContext { view, ref named } = about;
        let assumptions = assumptions(answer, view);
        let seconds = after.as_secs_f64();
        let engines = answer.techniques.join(" ");
        match self.format {
            AnswerFormat::Text => {
                let trace = trace.map_or(String::new(), |file| format!(" → {}", file.display()));
                let GoalAnswer { value, reason, grade, .. } = answer;
                let notes: String = named.iter().map(|it| format!("; {it}")).collect();
                let notes = notes + &assumed(answer, &assumptions);
                line(&format!(
                    "{}: {value} — {reason}{notes}{trace} [{grade}, {engines}, {seconds:.2} s]",
                    self.label(&question)
                ));
            }
            AnswerFormat::Json => {
                self.print_answer_object(answer, about, view.net_meant(), after, trace);
            }
            AnswerFormat::Csv => self.print_row(answer, &answer.id, &assumptions, after),
            AnswerFormat::Mcc => {
                let value = &answer.value;
                let techniques = self.contest_techniques(answer, view);
                line(&format!("FORMULA {} {value} TECHNIQUES {techniques}", Word(&answer.id)));
            }
        }
    }

    /// Prints an answer as a JSON object. `net` is the net that the answer is about.
    fn print_answer_object(
        &self,
        answer: &GoalAnswer,
        about: &AnswerContext<'_>,
        net: NetMeant,
        after: Duration,
        trace: Option<&PathBuf>,
    ) {
        let &AnswerContext { view, ref named } = about;
        let assumptions = assumptions(answer, view);
        self.print_object(json!({
            "type": "answer",
            "id": answer.id,
            "value": json::value(&answer.value),
            "reason": answer.reason.to_string(),
            "because": answer.reason,
            "net": net.key(),
            "nodes": json::nodes(&answer.nodes, view),
            "named": json::named(named),
            "techniques": answer.techniques,
            "evidence": answer.grade.to_string(),
            "searched": json::searched(answer.grade),
            "assumes_units": answer.assumes_units,
            "assumes": assumption::keys(&assumptions),
            "assumptions": json::assumptions(&assumptions),
            "seconds": after.as_secs_f64(),
            "witness": answer.exhibit.as_ref()
                .map(|exhibit| json::witness(exhibit, view, &self.listed_steps)),
            "witness_firings": answer.exhibit.as_ref()
                .and_then(|exhibit| exhibit.firings()).map(json::number),
            "trace": trace,
        }));
    }

    /// Prints a question without an answer, unless another thread has done so. The contest requires
    /// no answer line in this case, so in the contest's format the reason goes to the log.
    pub(super) fn unanswered(&self, question: &QuestionKey, reason: &OpenReason) {
        if !claim_open(question) {
            return;
        }
        if let QuestionKey::Question(id) = question {
            self.update_totals(|totals| totals.add_open(id, reason));
        }
        if let (Some(progress), QuestionKey::Figure(id)) = (&self.state_space_bar, question) {
            progress.suspend(|| match self.format {
                AnswerFormat::Json => object(json!({
                    "type": "unknown", "figure": figure_key(id),
                    "reason": reason.to_string(), "because": reason,
                })),
                _ => line(&format!("{:<24}  {:<14}  {reason}", figure_words(id), "unknown")),
            });
            return;
        }
        match self.format {
            AnswerFormat::Text => line(&format!("{}: unknown — {reason}", self.label(question))),
            AnswerFormat::Json => {
                let mut about = json!({
                    "type": "unanswered", "examination": self.examination_of(question),
                    "id": question.in_json(),
                    "reason": reason.to_string(), "because": reason,
                });
                self.add_formula_text(&mut about);
                object(about);
            }
            AnswerFormat::Csv => {
                let examination = self.examination_of(question).unwrap_or_default();
                line(&csv::open(examination, &csv::id(&question.in_json()), reason));
            }
            AnswerFormat::Mcc => {
                tracing::warn!("{}: unknown — {reason}", Printable(&question.in_json()));
            }
        }
    }

    /// Withdraws a printed answer. The question counts as open again.
    pub(super) fn withdrawn(&self, question: QuestionKey) {
        if let QuestionKey::Question(id) = &question {
            self.update_totals(|totals| totals.remove_answer(id));
        }
        match (&self.state_space_bar, &question) {
            (Some(progress), QuestionKey::Figure(id)) => progress.suspend(|| match self.format {
                AnswerFormat::Json => object(json!({
                    "type": "withdrawn", "figure": figure_key(id), "reason": WITHDRAWN,
                })),
                _ => line(&format!("{:<24}  {:<14}  {WITHDRAWN}", figure_words(id), "withdrawn")),
            }),
            _ => match self.format {
                AnswerFormat::Text => {
                    line(&format!("{}: withdrawn — {WITHDRAWN}", self.label(&question)));
                }
                AnswerFormat::Json => self.print_object(
                    json!({"type": "withdrawn", "id": question.in_json(), "reason": WITHDRAWN}),
                ),
                AnswerFormat::Csv => {
                    let examination = self.examination_of(&question).unwrap_or_default();
                    let id = csv::id(&question.in_json());
                    line(&csv::withdrawn(examination, &id, WITHDRAWN));
                }
                AnswerFormat::Mcc => {
                    tracing::warn!("{}: withdrawn — {WITHDRAWN}", Printable(&question.in_json()));
                }
            },
        }
        expected::mark_open(question);
    }

    /// Prints the counts of answered and open questions as a JSON object. In other formats, only
    /// an examination about each node has a summary, its totals.
    pub(super) fn summary(&self, report: &RunReport) {
        let mut summary = json!({
            "type": "summary",
            "answered": report.answered,
            "unanswered": report.unanswered.len(),
            "internal_errors": report.faults,
            "false_unit_claim": report.breach,
        });
        match (&self.totals, self.format) {
            (None, AnswerFormat::Json) => self.print_object(summary),
            (None, _) => {}
            (Some(totals), _) => {
                let totals = locked(totals).in_json();
                summary["totals"] = totals;
                self.print_totals_once(summary);
            }
        }
    }

    /// Prints the totals of an examination about each node when the process has to end, unless they
    /// were printed before.
    pub(super) fn print_totals(&self) {
        if let Some(totals) = &self.totals {
            let summary = locked(totals).forced_summary();
            self.print_totals_once(summary);
        }
    }

    /// Prints the totals of an examination about each node once: as a line of text, or on stderr if
    /// stdout has rows or lines of the contest. In JSON, prints `summary`, which has the totals.
    fn print_totals_once(&self, summary: serde_json::Value) {
        self.update_totals(|totals| match self.format {
            _ if !totals.is_first_print() => {}
            AnswerFormat::Text => line(&totals.to_string()),
            AnswerFormat::Csv | AnswerFormat::Mcc => note!("{totals}"),
            AnswerFormat::Json => self.print_object(summary),
        });
    }

    fn update_totals(&self, update: impl FnOnce(&mut NodeTotals)) {
        if let Some(totals) = &self.totals {
            update(&mut locked(totals));
        }
    }

    /// Returns the name of a question for text output. A question about a node has the name of the
    /// examination in front.
    fn label(&self, question: &QuestionKey) -> String {
        match (&self.totals, question) {
            (Some(totals), QuestionKey::Question(_)) => {
                format!("{} {}", locked(totals).name(), question.in_text())
            }
            _ => question.in_text(),
        }
    }

    /// Prints an answer as a row of comma-separated values.
    fn print_row(
        &self,
        answer: &GoalAnswer,
        id: &str,
        assumptions: &[Assumption],
        after: Duration,
    ) {
        let (examination, assumes) =
            (self.examination.as_deref().unwrap_or_default(), assumption::keys(assumptions));
        let id = csv::id(id);
        line(&csv::answer(examination, answer, &id, &assumes, after.as_secs_f64()));
    }

    /// Prints one of the numbers of the state space, such as the number of reachable markings.
    pub(super) fn figure(&self, figure: &GoalAnswer, view: ModelView<'_>, after: Duration) {
        let GoalAnswer { id, value, reason, grade, .. } = figure;
        mark_reported(&QuestionKey::Figure(id.clone()));
        let seconds = after.as_secs_f64();
        let assumptions = assumptions(figure, view);
        let notes = assumed(figure, &assumptions);
        match (self.format, &self.state_space_bar) {
            (AnswerFormat::Text, Some(progress)) => {
                let (key, value) = (figure_words(id), in_groups(&value.to_string()));
                let techniques = figure.techniques.join(" ");
                progress.suspend(|| {
                    line(&format!(
                        "{key:<24}  {value:<14}  {reason}{notes} [{grade}, {techniques}, {seconds:.2} s]"
                    ));
                });
            }
            (AnswerFormat::Json, Some(progress)) => progress.suspend(|| {
                object(json!({
                    "type": "figure",
                    "figure": figure_key(id),
                    "net": figure_net(view).key(),
                    "value": json::value(value),
                    "reason": reason.to_string(),
                    "because": reason,
                    "techniques": figure.techniques,
                    "evidence": grade.to_string(),
                    "assumes": assumption::keys(&assumptions),
                    "assumptions": json::assumptions(&assumptions),
                    "seconds": seconds,
                }));
            }),
            _ => self.contest_figure(figure, view, after),
        }
    }

    /// Prints a number of the state space as an answer of the examination StateSpace, in the format
    /// of the printer.
    fn contest_figure(&self, figure: &GoalAnswer, view: ModelView<'_>, after: Duration) {
        let GoalAnswer { id, value, reason, grade, .. } = figure;
        match self.format {
            AnswerFormat::Text => line(&format!(
                "{}: {value} — {reason}{} [{grade}, {}, {:.2} s]",
                in_small_letters(id),
                assumed(figure, &assumptions(figure, view)),
                figure.techniques.join(" "),
                after.as_secs_f64()
            )),
            AnswerFormat::Json => {
                let id = QuestionKey::Figure(id.clone()).in_json();
                let about = AnswerContext { view, named: Vec::new() };
                let answer = GoalAnswer { id, ..figure.clone() };
                self.print_answer_object(&answer, &about, figure_net(view), after, None);
            }
            AnswerFormat::Csv => {
                let id = QuestionKey::Figure(id.clone()).in_json();
                self.print_row(figure, &id, &assumptions(figure, view), after);
            }
            AnswerFormat::Mcc => {
                let techniques = self.contest_techniques(figure, view);
                line(&format!("STATE_SPACE {id} {value} TECHNIQUES {techniques}"));
            }
        }
    }

    /// Prints a JSON object. If the printer has the name of an inquiry, the object states the name
    /// as `examination`.
    fn print_object(&self, mut about: serde_json::Value) {
        if let Some(examination) = &self.examination {
            about["examination"] = examination.as_str().into();
        }
        self.add_formula_text(&mut about);
        object(about);
    }

    /// Returns the name of the inquiry to which a question belongs, or of the open inquiry itself.
    pub(super) fn examination_of<'k>(&'k self, question: &'k QuestionKey) -> Option<&'k str> {
        match question {
            QuestionKey::Inquiry(name) => Some(name),
            _ => self.examination.as_deref(),
        }
    }

    /// Returns the techniques of an answer about the nodes of `view`, in the contest's words.
    fn contest_techniques(&self, answer: &GoalAnswer, view: ModelView<'_>) -> String {
        let circumstances = Circumstances {
            parallel: self.parallel,
            unfolded: matches!(view, ModelView::Unfolding(_) | ModelView::Quotient(_)),
            merged_colours: matches!(view, ModelView::Quotient(_)),
            ..answer.circumstances()
        };
        techniques(&answer.techniques, circumstances).join(" ")
    }
}

impl OpenPrinter for AnswerPrinter {
    fn print_open(&self, question: &QuestionKey, reason: &OpenReason) {
        self.unanswered(question, reason);
    }

    fn print_totals(&self) {
        self.print_totals();
    }
}

/// Returns everything that an answer assumes about the model.
fn assumptions(answer: &GoalAnswer, view: ModelView<'_>) -> Vec<Assumption> {
    let units = answer.assumes_units.then_some(Assumption::SafeUnits);
    units.into_iter().chain(view.net().assumptions().iter().cloned()).collect()
}

/// Returns the end of an answer's line that says what the answer assumes. The assumption of safe
/// units is left out if the answer's reason mentions it already.
fn assumed(answer: &GoalAnswer, assumptions: &[Assumption]) -> String {
    let mentions_safe_units = answer.reason.cause.mentions_safe_units();
    let others =
        assumptions.iter().filter(|&it| *it != Assumption::SafeUnits || !mentions_safe_units);
    others.map(|it| format!("; assumed: {it}")).collect()
}

/// Returns the net to which the numbers of the state space refer. For a coloured net, this is the
/// unfolding, because the numbers count tokens of each colour and firings of each binding.
fn figure_net(view: ModelView<'_>) -> NetMeant {
    match view.net_meant() {
        NetMeant::Coloured => NetMeant::Unfolding,
        net => net,
    }
}

/// Returns the words for a number of the state space: `markings` for the contest's `STATES`.
/// Returns an unknown id unchanged.
fn figure_words(id: &str) -> &str {
    match id {
        "STATES" => "markings",
        "TRANSITIONS" => "firings",
        "MAX_TOKEN_PER_MARKING" => "most tokens in a marking",
        "MAX_TOKEN_IN_PLACE" => "most tokens in a place",
        other => other,
    }
}

/// Returns the JSON key of a number of the state space, given by its contest name. Returns an
/// unknown id unchanged.
fn figure_key(id: &str) -> &str {
    match id {
        "STATES" => "markings",
        "TRANSITIONS" => "firings",
        "MAX_TOKEN_PER_MARKING" => "most_tokens_in_a_marking",
        "MAX_TOKEN_IN_PLACE" => "most_tokens_in_a_place",
        other => other,
    }
}

/// Returns a number of more than four digits with a blank between groups of three digits. Returns
/// other texts, such as `+inf`, unchanged.
fn in_groups(number: &str) -> String {
    if number.len() <= 4 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.to_owned();
    }
    // The groups are counted from the end of the number, and only the first may be shorter.
    let groups: Vec<&str> = (0..number.len().div_ceil(3))
        .rev()
        .map(|group| {
            let end = number.len() - 3 * group;
            &number[end.saturating_sub(3)..end]
        })
        .collect();
    groups.join(" ")
}

/// The reason for withdrawing an answer.
const WITHDRAWN: &str = "it relied on the model's claim that its units are safe, and this claim is \
                         false";

#[cfg(test)]
mod tests {
    use super::*;
    use parikh::run::OpenCause;

    #[test]
    fn answered_questions_are_not_reported_as_open() {
        let printer = AnswerPrinter::new(AnswerFormat::Text, false);
        let printer = printer.of_examination("Formulas".to_owned(), vec!["a".to_owned()]);
        let question = |id: &str| QuestionKey::Question(id.to_owned());
        let figure = QuestionKey::Figure("STATES".to_owned());
        let ids = ["a", "STATE_SPACE STATES", "b"].map(question);
        printer.expects(ids.into_iter().chain([figure.clone()]));
        printer.unanswered(&question("a"), &OpenCause::OutOfTime.into());
        mark_reported(&figure);
        let open = expected::expected_in_order;
        // Neither the formula called like a figure nor the inquiry called like a formula is known.
        let inquiry = QuestionKey::Inquiry("a".to_owned());
        assert_eq!(printer.examination_of(&question("a")), Some("Formulas"));
        assert_eq!(printer.examination_of(&inquiry), Some("a"));
        assert_eq!(open(), Some(vec![question("STATE_SPACE STATES"), question("b"), inquiry]));
        mark_reported(&question("STATE_SPACE STATES"));
        expected::mark_open(question("STATE_SPACE STATES"));
        assert_eq!(open().map(|open| open[2].clone()), Some(question("STATE_SPACE STATES")));
        // Each question is reported once.
        assert!(!claim_open(&question("a")) && claim_open(&question("b")));
        expected::report_open_questions();
        assert_eq!(open(), Some(Vec::new()));
    }

    #[test]
    fn long_numbers_are_in_groups() {
        let groups = ["7", "1234", "12345", "123456", "1234567", "+inf"].map(in_groups);
        assert_eq!(groups, ["7", "1234", "12 345", "123 456", "1 234 567", "+inf"]);
    }
}
