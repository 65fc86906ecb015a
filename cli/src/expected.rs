//! The questions whose answers are expected. If the process has to end early, they are reported as
//! open.
//!
//! Each question is claimed before it is reported, so that it is reported once. The thread that
//! ends the process waits until the main thread has reported
//! ([`joint_output`](super::joint_output)).

use parikh::run::{OpenCause, OpenReason};
use parikh_net::printable::Word;
use parikh_solvers::locked;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// A question, or several, whose answer is expected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum QuestionKey {
    /// The question with this id.
    Question(String),
    /// The number of the state space with this contest name, such as `STATES`.
    Figure(String),
    /// All questions of the inquiry with this name, which has not begun.
    Inquiry(String),
}

impl QuestionKey {
    /// Returns the name for text output: the id, or for a number of the state space its contest
    /// name in small letters.
    pub(super) fn in_text(&self) -> String {
        match self {
            QuestionKey::Question(id) | QuestionKey::Inquiry(id) => Word(id).to_string(),
            QuestionKey::Figure(name) => in_small_letters(name),
        }
    }

    /// Returns the id in JSON objects.
    pub(super) fn in_json(&self) -> String {
        match self {
            QuestionKey::Question(id) | QuestionKey::Inquiry(id) => id.clone(),
            QuestionKey::Figure(name) => format!("STATE_SPACE {name}"),
        }
    }
}

/// Returns the contest's name of a number of the state space in small letters: `max token in
/// place`.
pub(super) fn in_small_letters(figure: &str) -> String {
    figure.to_lowercase().replace('_', " ")
}

/// A printer of questions without an answer.
pub(super) trait OpenPrinter: Send + Sync {
    /// Prints a question without an answer, unless it was printed before.
    fn print_open(&self, question: &QuestionKey, reason: &OpenReason);

    /// Prints the totals of an examination about each node, unless they were printed before.
    fn print_totals(&self);
}

/// The questions whose answers are expected, and the printer that reports them as open.
struct ExpectedAnswers {
    printer: Arc<dyn OpenPrinter>,
    /// The questions without an answer so far, and the inquiries that follow, each with its
    /// position in the report.
    open: HashMap<QuestionKey, usize>,
    /// The position of the next question.
    next: usize,
    /// The questions that were reported as open.
    reported_open: HashSet<QuestionKey>,
}

impl ExpectedAnswers {
    /// Returns the open questions in the order of the report.
    fn in_order(&self) -> Vec<&QuestionKey> {
        let mut open: Vec<(&QuestionKey, &usize)> = self.open.iter().collect();
        open.sort_by_key(|(_, position)| **position);
        open.into_iter().map(|(question, _)| question).collect()
    }
}

/// The expected answers, for the report on open questions when the process has to end. `None`
/// before the first questions are registered, and after the report.
static EXPECTED: Mutex<Option<ExpectedAnswers>> = Mutex::new(None);

fn expected() -> MutexGuard<'static, Option<ExpectedAnswers>> {
    locked(&EXPECTED)
}

/// Returns the expected questions in the order of the report, or `None` if none were registered.
#[cfg(test)]
pub(super) fn expected_in_order() -> Option<Vec<QuestionKey>> {
    let expected = expected();
    let open = expected.as_ref().map(ExpectedAnswers::in_order);
    open.map(|open| open.into_iter().cloned().collect())
}

/// Registers the questions of expected answers, in place of those registered before.
pub(super) fn expect(
    printer: impl OpenPrinter + 'static,
    questions: impl Iterator<Item = QuestionKey>,
) {
    let open = questions.enumerate().map(|(position, question)| (question, position));
    let open: HashMap<QuestionKey, usize> = open.collect();
    let next = open.values().max().map_or(0, |last| last + 1);
    let reported_open = HashSet::new();
    let printer = Arc::new(printer);
    *expected() = Some(ExpectedAnswers { printer, open, next, reported_open });
}

/// Records that a question has been reported, so that it is not reported as open at the end.
pub(super) fn mark_reported(question: &QuestionKey) {
    if let Some(expected) = &mut *expected() {
        expected.open.remove(question);
    }
}

/// Claims a question, to report it as open. Returns false if it has been reported as open before.
pub(super) fn claim_open(question: &QuestionKey) -> bool {
    expected().as_mut().is_none_or(|expected| {
        expected.open.remove(question);
        expected.reported_open.insert(question.clone())
    })
}

/// Records that a reported question is open again. It is the last one in a report.
pub(super) fn mark_open(question: QuestionKey) {
    if let Some(expected) = &mut *expected() {
        expected.open.insert(question, expected.next);
        expected.next += 1;
    }
}

/// Reports all unanswered questions as open when the process has to end, and prints the totals of
/// an examination about each node.
pub(super) fn report_open_questions() {
    let Some((printer, open)) = expected().as_ref().map(|expected| {
        let open: Vec<QuestionKey> = expected.in_order().into_iter().cloned().collect();
        (Arc::clone(&expected.printer), open)
    }) else {
        return;
    };
    for question in &open {
        printer.print_open(question, &OpenCause::Interrupted.into());
    }
    printer.print_totals();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_called_the_same_whether_it_is_known_or_not() {
        let figure = QuestionKey::Figure("MAX_TOKEN_IN_PLACE".to_owned());
        assert_eq!(figure.in_text(), "max token in place");
        assert_eq!(figure.in_json(), "STATE_SPACE MAX_TOKEN_IN_PLACE");
        let question = |id: &str| QuestionKey::Question(id.to_owned()).in_text();
        assert_eq!(question("a b"), r"a\u{20}b");
        assert_eq!(question("STATE_SPACE STATES"), r"STATE_SPACE\u{20}STATES");
    }
}
