//! Progress of a run: lines on a terminal, or events among the answers in JSON.
//!
//! ```text
//! ⠙ 12 s, 48 s left: 5 of 16 answered, 11 goals open
//!   running: walk, reduced (4 s), state equation (1 s)
//!   last answer: X-03 FALSE
//!   X-07 between 201 and 204
//! ```

use super::json;
use super::terminal::object;
use indicatif::{ProgressBar, ProgressStyle};
use parikh::answer::GoalAnswer;
use parikh::run::{EngineAtWork, MaximumRange};
use parikh_net::printable::{Word, counted};
use parikh_solvers::Budget;
use serde_json::json;
use std::time::{Duration, Instant};

/// The largest number of maxima whose known ranges are shown in the progress lines. Events have all
/// ranges that the run reports.
const MAX_SHOWN_BOUNDS: usize = 4;

/// The time after which an event is printed even if no question or goal was settled and no bound
/// has changed.
const EVENT_INTERVAL: Duration = Duration::from_secs(1);

/// The progress display of a run.
pub(super) struct RunProgress {
    /// The progress lines; hidden if stderr is no terminal.
    bar: ProgressBar,
    budget: Budget,
    /// The number of questions asked.
    questions: usize,
    /// The id and the value of the last answer. `None` before the first answer.
    last_answer: Option<String>,
    /// True if events are printed as JSON.
    events: bool,
    /// The time and the content of the last event. `None` before the first event.
    last_event: Option<(Instant, String)>,
    start: Instant,
}

/// The current state of a run.
pub(super) struct RunState<'a> {
    /// The number of open questions.
    pub(super) open: usize,
    /// The number of open goals.
    pub(super) goals: usize,
    /// The working engines.
    pub(super) engines: &'a [EngineAtWork],
    /// The known ranges of the maxima that are still open: the largest value seen and the smallest
    /// proved bound.
    pub(super) ranges: &'a [MaximumRange],
}

impl RunProgress {
    /// Starts the display for this number of questions. The bar is hidden if stderr is no terminal.
    pub(super) fn start(questions: usize, events: bool, budget: &Budget) -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        let (last_answer, last_event, start) = (None, None, Instant::now());
        RunProgress {
            bar,
            budget: budget.clone(),
            questions,
            last_answer,
            events,
            last_event,
            start,
        }
    }

    /// Records an answer.
    pub(super) fn answered(&mut self, answer: &GoalAnswer) {
        self.last_answer = Some(format!("{} {}", Word(&answer.id), answer.value));
    }

    /// Shows the current state.
    pub(super) fn show(&mut self, state: &RunState<'_>) {
        if !self.bar.is_hidden() {
            self.bar.set_message(self.progress_text(state));
            self.bar.tick();
        }
        if self.events {
            self.event(state);
        }
    }

    /// Returns the progress lines for the terminal.
    fn progress_text(&self, state: &RunState<'_>) -> String {
        let remaining_text = self
            .budget
            .remaining()
            .map_or(String::new(), |remaining| format!(", {} left", short(remaining)));
        let mut text = format!(
            "{}{remaining_text}: {} of {} answered, {} open",
            short(self.start.elapsed()),
            self.questions - state.open.min(self.questions),
            self.questions,
            counted(state.goals, "goal")
        );
        if !state.engines.is_empty() {
            let all: Vec<String> = state
                .engines
                .iter()
                .map(|it| format!("{} ({})", it.engine, short(it.since)))
                .collect();
            text.push_str(&format!("\n  running: {}", all.join(", ")));
        }
        if let Some(last) = &self.last_answer {
            text.push_str(&format!("\n  last answer: {last}"));
        }
        for bounds in state.ranges.iter().take(MAX_SHOWN_BOUNDS) {
            let seen = number(bounds.largest_seen, "0");
            let proved = number(bounds.smallest_bound, "∞");
            text.push_str(&format!("\n  {} between {seen} and {proved}", Word(&bounds.id)));
        }
        text
    }

    /// Prints an event if a number of open questions or goals or a known bound has changed.
    /// Otherwise prints an event if the last event was printed at least [`EVENT_INTERVAL`] ago. A
    /// change of the working engines alone is no reason for an event.
    fn event(&mut self, state: &RunState<'_>) {
        let bounds: Vec<serde_json::Value> = state
            .ranges
            .iter()
            .map(|it| {
                let [seen, proved] =
                    [it.largest_seen, it.smallest_bound].map(|value| value.map(json::number));
                json!({"id": it.id, "seen": seen, "proved": proved})
            })
            .collect();
        let content = format!("{} {} {bounds:?}", state.open, state.goals);
        let is_due = match &self.last_event {
            None => true,
            Some((printed_at, last)) => printed_at.elapsed() >= EVENT_INTERVAL || *last != content,
        };
        if !is_due {
            return;
        }
        self.last_event = Some((Instant::now(), content));
        let engines: Vec<serde_json::Value> = state
            .engines
            .iter()
            .map(|it| json!({"engine": it.engine, "seconds": it.since.as_secs_f64()}))
            .collect();
        object(json!({
            "type": "progress",
            "seconds": self.start.elapsed().as_secs_f64(),
            "seconds_left": self.budget.remaining().map(|left| left.as_secs_f64()),
            "questions": self.questions,
            "questions_open": state.open,
            "goals_open": state.goals,
            "engines": engines,
            "bounds": bounds,
        }));
    }

    /// Removes the progress lines while `print` prints, and shows them again afterwards.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Returns a number as text. Returns the second argument if the number is unknown.
fn number(value: Option<i128>, if_unknown: &str) -> String {
    value.map_or(if_unknown.to_owned(), |value| value.to_string())
}

/// Formats a duration, rounded down to seconds: `48 s`. From two minutes on: `3 min 20 s`.
fn short(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_shows_open_questions_engines_and_bounds() {
        let budget = Budget::lasting(Duration::from_secs(3_000));
        let mut progress = RunProgress::start(16, false, &budget);
        progress.last_answer = Some("X-03 FALSE".to_owned());
        let news = RunState {
            open: 11,
            goals: 20,
            engines: &[EngineAtWork { engine: "walk".to_owned(), since: Duration::from_secs(200) }],
            ranges: &[MaximumRange {
                id: "X-07".to_owned(),
                largest_seen: Some(201),
                smallest_bound: None,
            }],
        };
        let words = progress.progress_text(&news);
        let lines: Vec<&str> = words.lines().collect();
        assert!(lines[0].ends_with("left: 5 of 16 answered, 20 goals open"), "{words}");
        assert_eq!(
            lines[1..],
            [
                "  running: walk (3 min 20 s)",
                "  last answer: X-03 FALSE",
                "  X-07 between 201 and ∞"
            ]
        );
    }
}
