//! The entry point of the library: takes questions about a model, and returns answers as they are
//! found.

use crate::answer::GoalAnswer;
use crate::run::{self, Event, Questions, RunConfig, RunReport};
use parikh_input::model::{Model, ModelView};
use parikh_solvers::Budget;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

/// Answers questions about `model` in a background thread. The run ends when all questions are
/// decided, the engines have nothing more to try, or `budget` is spent. Returns an iterator over
/// the answers. Each answer is available as soon as its evidence is checked.
///
/// ```
/// use parikh::answer::{Plan, QuestionValue};
/// use parikh::formula::text::read_one;
/// use parikh::mcc::Examination;
/// use parikh::net::text;
/// use parikh::run::RunConfig;
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
/// let mut answers = parikh::check(net, plan, RunConfig::default(), &budget);
/// for answer in answers.by_ref() {
///     println!("{} {}: {}", answer.id, answer.value, answer.reason);
///     assert_eq!(answer.value, QuestionValue::Bool(true));
/// }
/// assert_eq!(answers.report()?.answered, 2);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
///
/// A coloured net may be unfolded, or analysed without unfolding. So the questions about a coloured
/// net are given as a function. Its argument is the net that is analysed, and its result is the
/// plan of the questions for this net. A place of this net stands for one colour of a coloured
/// place, or for all colours:
///
/// ```
/// use parikh::answer::{AnswerWitness, Plan, QuestionValue};
/// use parikh::formula::text::read_one;
/// use parikh::net::{Net, coloured};
/// use parikh::solvers::Budget;
/// use std::time::Duration;
///
/// let net = coloured::text::parse("
///     sort Seat = 1..3
///     var x: Seat
///     place thinks: Seat = {all}
///     place eats: Seat
///     transition sit: thinks{x} -> eats{x}
/// ")?;
/// let questions = |net: &Net| -> Result<Plan, Box<dyn std::error::Error + Send + Sync>> {
///     let mut plan = Plan::default();
///     plan.ask_formula("all eat", &read_one("EF eats >= 3", "example", net).formula?, net)?;
///     Ok(plan)
/// };
/// let budget = Budget::lasting(Duration::from_secs(10));
/// let mut answers = parikh::check(net, questions, Default::default(), &budget);
/// let answer = answers.next().ok_or("no answer")?;
/// assert_eq!(answer.value, QuestionValue::Bool(true));
///
/// let sequence = answer.exhibit.as_ref().and_then(AnswerWitness::sequence).ok_or("no witness")?;
/// let view = answers.view().ok_or("no net")?;
/// let mut names: Vec<_> =
///     sequence.steps().iter().map(|step| view.transition_name(step.transition)).collect();
/// names.sort();
/// assert_eq!(names, ["sit(x=1)", "sit(x=2)", "sit(x=3)"]);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
///
/// [`run::run`] answers the same questions in the calling thread. Its callback also receives
/// settled goals, progress, and engines that do not stop in time.
pub fn check<Q>(
    model: impl Into<Model>,
    questions: Q,
    config: RunConfig,
    budget: &Budget,
) -> Answers<Q::Error>
where
    Q: Questions + Send + 'static,
    Q::Error: Send + 'static,
{
    let (send, answers) = channel();
    let own = budget.child();
    let budget = own.clone();
    let model = Arc::new(model.into());
    let asked = Arc::clone(&model);
    let run = move || {
        run::run(&asked, &questions, &config, &budget, |view, event| {
            if let Event::Answered(answer) = event {
                // Sending fails if the caller has dropped the `Answers`. The answer is then not
                // needed.
                let _ = send.send((AnswerNet::of(view), answer.clone()));
            }
        })
    };
    let run = Some(std::thread::spawn(run));
    Answers { model, last: None, answers, budget: own, run }
}

/// An iterator over answers in the order in which they are found. It ends with the run. Dropping it
/// cancels the run.
///
/// If an answer depends on a false claim of safe units by the model, a corrected answer follows.
/// None follows if the question stays open without the claim.
#[derive(Debug)]
pub struct Answers<E> {
    model: Arc<Model>,
    /// The kind of net of the last answer.
    last: Option<AnswerNet>,
    answers: Receiver<(AnswerNet, GoalAnswer)>,
    budget: Budget,
    run: Option<JoinHandle<Result<RunReport, E>>>,
}

/// The kind of net to which an answer refers.
#[derive(Clone, Copy, Debug)]
enum AnswerNet {
    Flat,
    Quotient,
    Coloured,
}

impl AnswerNet {
    fn of(view: ModelView<'_>) -> Self {
        match view {
            ModelView::Model(_) | ModelView::Unfolding(_) => AnswerNet::Flat,
            ModelView::Quotient(_) => AnswerNet::Quotient,
            ModelView::Coloured(_) => AnswerNet::Coloured,
        }
    }
}

impl<E> Answers<E> {
    /// Returns the net to which the last answer refers. Its witness names transitions of this net.
    /// Returns `None` before the first answer.
    pub fn view(&self) -> Option<ModelView<'_>> {
        match (&*self.model, self.last?) {
            (Model::Plain(net), _) => Some(ModelView::Model(net)),
            (Model::Coloured(net), AnswerNet::Coloured) => net.as_it_is().map(ModelView::Coloured),
            (Model::Coloured(net), AnswerNet::Quotient) => net.quotient().map(ModelView::Quotient),
            (Model::Coloured(net), AnswerNet::Flat) => {
                net.existing_unfolding().map(ModelView::Unfolding)
            }
        }
    }

    /// Waits for the end of the run, and returns its report. Answers not taken before are lost. If
    /// the run panicked, the report has one fault and no other content.
    ///
    /// # Errors
    /// The questions cannot be read, or the questions need an unfolding that the model does not
    /// have.
    pub fn report(mut self) -> Result<RunReport, E> {
        let failed = || Ok(RunReport { faults: 1, ..RunReport::default() });
        self.run.take().and_then(|run| run.join().ok()).unwrap_or_else(failed)
    }
}

impl<E> Iterator for Answers<E> {
    type Item = GoalAnswer;

    fn next(&mut self) -> Option<GoalAnswer> {
        let (kind, answer) = self.answers.recv().ok()?;
        self.last = Some(kind);
        Some(answer)
    }
}

impl<E> Drop for Answers<E> {
    fn drop(&mut self) {
        self.budget.cancel();
        if let Some(run) = self.run.take() {
            // A panic of the thread was reported when it occurred.
            let _ = run.join();
        }
    }
}
