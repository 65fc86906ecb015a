//! Entry point of a run: from a model and questions to events. Decides which views of a coloured
//! net are used, and for how long.
//!
//! ```text
//! a small unfolding ─┬─ built: run on it, unless an equivalent quotient is much smaller
//!                    └─ declined, or not used ─┬─ goals about runs or home properties, or evidence
//!                                              │  files requested: run on that quotient
//!                                              ├─ no quotient, evidence files requested: run on
//!                                              │  the unfolding
//!                                              └─ else: the coloured net, while it is unfolded
//!                                                   ├─ built: run on it, for the open questions
//!                                                   └─ declined: continue without it
//! ```
//!
//! On the coloured net, coloured walks find witnesses, and [abstractions](super::coloured) refute
//! goals. Both need a small part of the unfolding's memory, and an exact quotient satisfies the
//! same properties as the unfolding. So the unfolding takes over only after part of the time has
//! passed.

use super::figures::FIGURES;
use super::questions::{Questions, QuestionsOnNet};
use super::shares::COLOURED_STAGE;
use super::state_space::state_space;
use super::{Event, RunConfig, RunReport, coloured, net};
use crate::answer::reason::ReasonNote;
use crate::answer::{GoalAnswer, Grade, Plan};
use parikh_evidence::abstraction::{ColouredModel, Quotient};
use parikh_input::model::{ColouredViews, Model, ModelView, NotUnfolded};
use parikh_net::printable::counted;
use parikh_net::{Goal, Net};
use parikh_solvers::Budget;
use parikh_unfolding::UnfoldingLimits;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// An unfolding with at most this many transitions is used at once, without a search for a smaller
/// quotient.
const SMALL_UNFOLDING: usize = 1_000;

/// An unfolding within [`UnfoldingLimits::SMALL`] is used at once, unless it has more than this
/// many times the transitions of the quotient.
const QUOTIENT_FACTOR: usize = 4;

/// Works on the questions about a model until all are decided, the engines have nothing more to
/// try, or `budget` is spent.
///
/// Each event comes with the net whose places and transitions it names.
///
/// # Errors
/// If the questions cannot be read on the model, or if the unfolding is needed and declined.
pub fn run<'m, Q: Questions>(
    model: &'m Model,
    questions: &Q,
    config: &RunConfig,
    budget: &Budget,
    mut on_event: impl FnMut(ModelView<'m>, Event<'_>),
) -> Result<RunReport, Q::Error> {
    let (start, on_event) = (Instant::now(), &mut on_event);
    let (report, answered) = Default::default();
    let mut run = ModelRun { questions, config, budget, start, on_event, report, answered };
    match model {
        Model::Plain(net) => run.on_net(ModelView::Model(net))?,
        Model::Coloured(coloured) => run.on_coloured(coloured)?,
    }
    Ok(run.report)
}

/// Finds the [four numbers](state_space) of a model's state space: the numbers of markings and
/// firings, and two maxima of token numbers. For a coloured net, these are the numbers of the
/// unfolding, in which each binding is a transition.
///
/// # Errors
/// If the unfolding is declined.
pub fn figures<'m>(
    model: &'m Model,
    config: &RunConfig,
    budget: &Budget,
    mut on_event: impl FnMut(ModelView<'m>, Event<'_>),
) -> Result<RunReport, NotUnfolded> {
    let view = match model {
        Model::Plain(net) => ModelView::Model(net),
        Model::Coloured(coloured) => {
            ModelView::Unfolding(coloured.unfolding(false, UnfoldingLimits::default(), budget)?)
        }
    };
    on_event(view, Event::NetBegun { questions: &FIGURES.map(str::to_owned) });
    Ok(state_space(view.net(), config, budget, |event| on_event(view, event)))
}

/// The state of a run on a model.
struct ModelRun<'r, 'm, Q> {
    questions: &'r Q,
    config: &'r RunConfig,
    budget: &'r Budget,
    /// The start of the run, for the times of turns.
    start: Instant,
    /// Receives the events, each with the net whose nodes it names.
    on_event: &'r mut dyn FnMut(ModelView<'m>, Event<'_>),
    /// The report of the stages so far.
    report: RunReport,
    /// The ids of the answered questions.
    answered: HashSet<String>,
}

impl<'m, Q: Questions> ModelRun<'_, 'm, Q> {
    /// Runs the engines on a place/transition net.
    fn on_net(&mut self, view: ModelView<'m>) -> Result<(), Q::Error> {
        let net_questions = self.questions.for_view(view)?;
        let (config, budget, start) = (self.config, self.budget, self.start);
        self.work(view, net_questions, |plan, on_event| {
            net::run(view.net(), plan, config, budget, start, on_event)
        });
        Ok(())
    }

    /// Chooses the views of a coloured net and runs the engines on them. The module documentation
    /// shows the choice.
    fn on_coloured(&mut self, coloured: &'m ColouredViews) -> Result<(), Q::Error> {
        let small_unfolding = coloured.unfolding(true, UnfoldingLimits::SMALL, self.budget);
        let full_unfolding = || coloured.unfolding(true, UnfoldingLimits::default(), self.budget);
        let small_unfolding = small_unfolding.ok();
        if let Some(net) = small_unfolding.filter(|net| net.transition_count() <= SMALL_UNFOLDING) {
            return self.on_net(ModelView::Unfolding(net));
        }
        let quotient = coloured::quotient(coloured.net(), self.budget);
        let quotient_is_smaller = |net: &Net| {
            let is_much_smaller = |(_, it): &(_, Net)| {
                it.transition_count() * QUOTIENT_FACTOR < net.transition_count()
            };
            quotient.as_ref().is_some_and(is_much_smaller)
        };
        if let Some(net) = small_unfolding.filter(|net| !quotient_is_smaller(net)) {
            return self.on_net(ModelView::Unfolding(net));
        }
        let Some(model) = coloured.as_it_is() else {
            return self
                .on_net(ModelView::Unfolding(small_unfolding.map_or_else(full_unfolding, Ok)?));
        };
        let net_questions = self.questions.for_view(ModelView::Coloured(model));
        if let (Ok(net_questions), Some((quotient, net))) = (&net_questions, &quotient)
            && net_questions.lacks_only_colours()
            // An evidence file is about a net without colours, so it needs the quotient for all
            // questions.
            && (net_questions.needs_colours() || self.config.keep_certificates)
            && quotient.is_exact()
            && !self.config.show_bindings
            // Works on the quotient. The result is true if no other net is needed afterwards.
            && self.on_quotient(coloured, quotient, net, small_unfolding.is_some())
        {
            return Ok(());
        }
        // Evidence files are about a single net without colours.
        if self.config.keep_certificates {
            return self
                .on_net(ModelView::Unfolding(small_unfolding.map_or_else(full_unfolding, Ok)?));
        }
        // Formulas may name single colours, which only the unfolding has.
        match (net_questions, small_unfolding) {
            (Ok(net_questions), None) => {
                self.run_coloured_net(coloured, model, net_questions, quotient, None)
            }
            (Ok(net_questions), Some(_)) if net_questions.refused.is_empty() => {
                self.run_coloured_net(coloured, model, net_questions, quotient, small_unfolding)
            }
            (_, Some(net)) => self.on_net(ModelView::Unfolding(net)),
            (Err(unread), None) => match full_unfolding() {
                Ok(net) => self.on_net(ModelView::Unfolding(net)),
                Err(declined) => {
                    tracing::info!("{declined}");
                    Err(unread)
                }
            },
        }
    }

    /// Runs the engines on the unfolding of an exact quotient. Returns true if the run needs no
    /// further view, that is, no other net of the model.
    ///
    /// The quotient is bisimilar to the coloured net ([`Quotient::is_exact`]), so it has the same
    /// properties of runs and of the computation tree. The quotient is not used for fairness, which
    /// is about single bindings, nor for questions that cannot be read on it.
    ///
    /// In a run of the quotient, a colour stands for a class of colours of the coloured net. No
    /// colour of the class is chosen. So the answer shows no run, and its reason states that
    /// colours were merged. An evidence file contains the run and the classes, which the auditor
    /// checks. Such a file shows less than a file about the unfolding, where runs have bindings. So
    /// if the unfolding exists (`has_unfolding`), the quotient is used for evidence only if a goal
    /// is a CTL formula.
    fn on_quotient(
        &mut self,
        coloured: &'m ColouredViews,
        quotient: &Quotient,
        net: &Net,
        has_unfolding: bool,
    ) -> bool {
        let Ok(net_questions) = self.questions.for_view(ModelView::Quotient(net)) else {
            return false;
        };
        let classes = quotient.named_classes(coloured.net());
        let is_tree = |goal: &Goal| matches!(goal, Goal::Tree(_));
        let shows_less = has_unfolding && !net_questions.plan.goals().iter().any(is_tree);
        let is_audited = self.config.keep_certificates;
        if !net_questions.plan.fairness().is_none()
            || is_audited && (classes.is_none() || shows_less)
        {
            return false;
        }
        let net = net.clone().of_quotient(classes.unwrap_or_default());
        let view = ModelView::Quotient(coloured.keep_quotient(net));
        let (config, budget, start) = (self.config, self.budget, self.start);
        self.work(view, net_questions, |plan, on_event| {
            net::run(view.net(), plan, config, budget, start, &mut |event: Event<'_>| match event {
                Event::Answered(answer) => on_event(Event::Answered(&of_coloured(answer))),
                event => on_event(event),
            })
        });
        is_audited || self.report.unanswered.is_empty() || budget.is_exhausted()
    }

    /// Works on the coloured net itself while a thread builds the unfolding (if it does not exist).
    /// The work on the coloured net ends after its share of the time, and the engines then work on
    /// the unfolding if questions are open. If the unfolding is declined, the work on the coloured
    /// net continues. [`Event::Declined`] then tells the caller if questions stay open.
    fn run_coloured_net(
        &mut self,
        coloured: &'m ColouredViews,
        model: &'m ColouredModel,
        net_questions: QuestionsOnNet,
        quotient: Option<(Quotient, Net)>,
        existing_unfolding: Option<&'m Net>,
    ) -> Result<(), Q::Error> {
        let (config, budget, start) = (self.config, self.budget, self.start);
        let (coloured_budget, unfolding_budget) = (budget.child(), budget.child());
        let coloured_time = budget.share(COLOURED_STAGE[usize::from(quotient.is_none())]);
        let is_finished = AtomicBool::new(false);
        let unfolded = std::thread::scope(|scope| {
            let unfold_and_wait = || {
                let full_unfolding =
                    || coloured.unfolding(true, UnfoldingLimits::default(), &unfolding_budget);
                let unfolding = existing_unfolding.map_or_else(full_unfolding, Ok);
                if let Err(declined) = &unfolding {
                    tracing::info!("{declined}");
                    return unfolding;
                }
                while !coloured_time.is_exhausted() && !is_finished.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                coloured_budget.cancel();
                unfolding
            };
            let thread = scope.spawn(unfold_and_wait);
            self.work(ModelView::Coloured(model), net_questions, |plan, on_event| {
                coloured::run(
                    model,
                    quotient,
                    plan,
                    config,
                    [budget, &coloured_budget],
                    start,
                    on_event,
                )
            });
            is_finished.store(true, Ordering::Relaxed);
            // If the coloured engines are exhausted, the run waits for the unfolding.
            if self.report.unanswered.is_empty() {
                unfolding_budget.cancel();
            }
            thread.join()
        });
        let is_open = !self.report.unanswered.is_empty();
        match unfolded {
            Ok(Ok(net)) if is_open => self.on_net(ModelView::Unfolding(net))?,
            Ok(Err(declined)) if is_open => {
                (self.on_event)(ModelView::Coloured(model), Event::Declined(&declined));
            }
            Ok(_) => {}
            Err(_) => self.report.faults += 1,
        }
        Ok(())
    }

    /// Runs `work` on the questions that are not answered yet. Afterwards, the report lists the
    /// questions that stay open.
    fn work(
        &mut self,
        view: ModelView<'m>,
        mut net_questions: QuestionsOnNet,
        work: impl FnOnce(Plan, &mut dyn FnMut(Event<'_>)) -> RunReport,
    ) {
        if !self.answered.is_empty() {
            net_questions.plan = net_questions.plan.without_questions(&self.answered);
        }
        (self.on_event)(view, Event::NetBegun { questions: &net_questions.ids() });
        let QuestionsOnNet { plan, refused, .. } = net_questions;
        let questions = counted(plan.questions().len(), "question");
        tracing::info!("{questions}, {}", counted(plan.goals().len(), "goal"));
        let ModelRun { on_event, report, answered, .. } = self;
        report.unanswered.clear();
        let mut view_report = work(plan, &mut |event| match event {
            Event::Overrun { engines, report: view_report } => {
                let mut whole_report = report.clone();
                whole_report.add(view_report.clone());
                whole_report.unanswered.extend(refused.iter().cloned());
                on_event(view, Event::Overrun { engines, report: &whole_report });
            }
            event => {
                match event {
                    Event::Answered(answer) => drop(answered.insert(answer.id.clone())),
                    Event::Withdrawn { id } => drop(answered.remove(id)),
                    _ => {}
                }
                on_event(view, event);
            }
        });
        view_report.unanswered.extend(refused);
        report.add(view_report);
    }
}

/// Adapts an answer about the quotient to the coloured net: removes the run, and adds the note that
/// colours were merged to the reason. A replayed answer becomes a certified answer.
fn of_coloured(answer: &GoalAnswer) -> GoalAnswer {
    let mut reason = answer.reason.clone();
    reason.notes.push(ReasonNote::MergedColours);
    let grade = answer.grade.max(Grade::Certified);
    GoalAnswer { reason, grade, exhibit: None, ..answer.clone() }
}
