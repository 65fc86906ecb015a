//! The library's entry: questions about a net in, answers out as they are found.

use crate::answer::{Answer, Plan};
use crate::run::{self, Config, Event, Report};
use parikh_net::Net;
use parikh_solvers::Budget;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

/// Works on the questions of `plan` about `net` in the background, until all are answered or `budget`
/// is spent. What comes back is a stream of answers, each as soon as its evidence is checked.
///
/// ```
/// use parikh::answer::{Plan, Value};
/// use parikh::formula::text::read_one;
/// use parikh::mcc::Examination;
/// use parikh::net::text;
/// use parikh::run::Config;
/// use parikh::solvers::Budget;
/// use std::time::Duration;
///
/// let net = text::parse("
///     place idle 1
///     place busy
///     transition start: idle -> busy
///     transition stop: busy -> idle
/// ")?;
/// let mut plan = Plan::of_examination(Examination::OneSafe, &net).unwrap_or_default();
/// let exclusion = read_one("AG !(idle >= 1 && busy >= 1)", "example", &net).formula?;
/// plan.ask_formula("exclusion", &exclusion, &net)?;
///
/// let budget = Budget::lasting(Duration::from_secs(10));
/// let mut answers = parikh::check(net, plan, Config::default(), &budget);
/// for answer in answers.by_ref() {
///     println!("{} {}: {}", answer.id, answer.value, answer.reason);
///     assert_eq!(answer.value, Value::Bool(true));
/// }
/// assert_eq!(answers.report().answered, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`run::run`] is the same with a callback that hears more: proofs, progress, overruns.
pub fn check(net: Net, plan: Plan, config: Config, budget: &Budget) -> Answers {
    let (send, answers) = channel();
    let own = budget.child();
    let budget = own.clone();
    let run = move || {
        run::run(&net, plan, &config, &budget, |event| {
            if let Event::Answered(answer) = event {
                // Nobody listening any more is no reason to fail.
                let _ = send.send(answer.clone());
            }
        })
    };
    Answers { answers, budget: own, run: Some(std::thread::spawn(run)) }
}

/// Answers in the order in which they are found; ends when the run does. Dropping it ends the run.
///
/// An answer that rested on the model's false claim of safe units comes once more, corrected.
#[derive(Debug)]
pub struct Answers {
    answers: Receiver<Answer>,
    budget: Budget,
    run: Option<JoinHandle<Report>>,
}

impl Answers {
    /// Waits for the end of the run, and says how it ended. Answers not taken by then are lost.
    pub fn report(mut self) -> Report {
        let failed = || Report { faults: 1, ..Report::default() };
        self.run.take().and_then(|run| run.join().ok()).unwrap_or_else(failed)
    }
}

impl Iterator for Answers {
    type Item = Answer;

    fn next(&mut self) -> Option<Answer> {
        self.answers.recv().ok()
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.budget.cancel();
        if let Some(run) = self.run.take() {
            // Its panic was told when it happened.
            let _ = run.join();
        }
    }
}
