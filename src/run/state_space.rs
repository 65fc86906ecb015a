//! The four numbers of a state space, called *figures*: the numbers of markings and firings, and
//! two maxima of tokens. The engines settle the maxima as goals. All four figures are infinite if a
//! self-covering sequence exists.
//!
//! Markings are counted by visiting the markings of the net, or of a reduced net that preserves the
//! count ([`ReducedCount`]). If there are too many, they are counted on decision diagrams. With
//! several threads, half of the threads work on diagrams meanwhile. With one thread, diagrams have
//! a share of the time. After the first short visits, place invariants may give the numbers without
//! a complete visit ([`parikh_engine::family`]), for example for nets with very many tokens. Each
//! figure is reported as soon as it is known. A figure that is found twice is compared with the
//! first value.

use super::counting::{CountMethod, CountResult, ReducedCount};
use super::figures::{FIGURES, described, from_invariants, pumped, through_reduction, visited};
use super::shares::{DIAGRAMS, EARLY_STEP, FIRST_VISIT, MAXIMA, PUMP_BY_WALKS};
use super::{CountEvidence, Event, OpenCause, OpenQuestion, RunConfig, RunReport};
use crate::answer::reason::ReasonNote;
use crate::answer::{GoalAnswer, Plan, QuestionValue};
use parikh_engine::board::Technique;
use parikh_engine::diagrams::OrderThreads;
use parikh_engine::explicit::StopRule;
use parikh_engine::{coverability, diagrams, family, walk};
use parikh_evidence::pump_grows;
use parikh_net::{Facts, FiringSequence, Net, PumpSequence};
use parikh_solvers::Budget;
use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver};

/// Approximate limit on the firings in the search for a self-covering sequence by random walks.
const PUMP_WORK: u64 = 50_000_000;

/// The name of the figure for the most tokens in a place. On an unfolding, the value counts the
/// tokens of each colour separately.
const MAX_TOKENS_IN_PLACE: &str = FIGURES[3];

/// Finds the numbers of reachable markings and of firings between them, and the most tokens in a
/// marking and in a place.
pub fn state_space(
    net: &Net,
    config: &RunConfig,
    budget: &Budget,
    on_event: impl FnMut(Event<'_>),
) -> RunReport {
    let report = RunReport::default();
    let mut figures = FigureSearch {
        on_event,
        report,
        known_figures: BTreeMap::new(),
        failure_reason: OpenCause::NothingMoreToTry,
        diagram_result: None,
        is_unfolding: net.folding().is_some(),
    };
    match net.has_caps() {
        true => figures.failure_reason = OpenCause::CapsUnsupported,
        false => figures.find(net, config, budget),
    }
    let FigureSearch { mut report, known_figures: known, failure_reason: why, .. } = figures;
    report.answered = known.len();
    report.unanswered.retain(|question| !known.contains_key(&question.id));
    for key in FIGURES {
        let is_listed = report.unanswered.iter().any(|question| question.id == key);
        if !known.contains_key(key) && !is_listed {
            let reason = why.clone().into();
            report.unanswered.push(OpenQuestion { id: key.to_owned(), reason });
        }
    }
    report
}

/// The search for the figures of a state space, with the figures known so far.
struct FigureSearch<T> {
    /// Receives the events of the search.
    on_event: T,
    report: RunReport,
    /// The known figures, by their names ([`FIGURES`]).
    known_figures: BTreeMap<String, GoalAnswer>,
    /// The reason why the last attempt to find figures by counting markings failed. Before the
    /// first failure, the reason is that the engines have nothing more to try. For a net with caps,
    /// that is, assumed bounds of places, the reason is that such a net is not supported.
    failure_reason: OpenCause,
    /// The channel for the count that decision diagrams make on other threads; `None` if no such
    /// count runs.
    diagram_result: Option<Receiver<Result<CountResult, String>>>,
    /// True if the net is the unfolding of a coloured net, with a place per colour.
    is_unfolding: bool,
}

impl<T: FnMut(Event<'_>)> FigureSearch<T> {
    /// Runs the steps of the search in order. Ends when every figure is known, the budget is used
    /// up, or all steps have been tried.
    fn find(&mut self, net: &Net, config: &RunConfig, budget: &Budget) {
        // For an unbounded net, coverability often takes milliseconds. Otherwise walks search again
        // later.
        let pump = coverability::find_pump(net, &budget.share(EARLY_STEP));
        if self.record_pump(net, pump, coverability::TECHNIQUE) {
            return;
        }
        let all_threads = (config.threads, StopRule::AtBudgetEnd);
        if self.visit(net, config, all_threads, &budget.slice(FIRST_VISIT)) {
            return;
        }
        let mut count =
            ReducedCount::prepare(net, &config.without_rules, &budget.share(EARLY_STEP))
                .inspect_err(|why| tracing::info!("no counting on the reduced net: {why}"))
                .map(|count| count.with_progress(&config.count_progress))
                .ok();
        // The unreduced net was visited above, and is visited again at the end.
        if let Some(reduced_count) = count.as_mut().filter(|count| count.is_smaller()) {
            let visiting = CountMethod::Visiting(config.threads, StopRule::AtBudgetEnd);
            self.count_through_reduction(
                reduced_count,
                &visiting,
                config,
                &budget.slice(FIRST_VISIT),
            );
        }
        self.find_from_invariants(net, config, budget);
        match &mut count {
            Some(count) if config.threads > 1 && !self.is_counted() => {
                self.find_with_diagrams(net, count, config, budget);
            }
            Some(count) => self.find_on_one_thread(net, Some(count), config, budget),
            None => self.find_on_one_thread(net, None, config, budget),
        }
        if self.known_figures.len() < FIGURES.len() {
            // Unless ordinary arcs replace inhibitor or reset arcs, a visit of all markings also
            // gives the maxima that no engine found.
            let share = if self.is_counted() { MAXIMA } else { 1.0 };
            self.visit(net, config, all_threads, &budget.share(share));
        }
        if self.known_figures.len() < FIGURES.len() && self.is_counted() {
            self.find_on_diagrams(net, config, budget);
        }
    }

    /// Makes the remaining steps one after the other, without diagrams on other threads. This is
    /// the case with one thread, after the markings are counted, and if no count through a
    /// reduction is possible. Diagrams may not terminate on unbounded nets. So diagrams run first
    /// only if all places are known or claimed to be bounded. Otherwise they run after the searches
    /// for a self-covering sequence and for the maxima.
    fn find_on_one_thread(
        &mut self,
        net: &Net,
        mut count: Option<&mut ReducedCount<'_>>,
        config: &RunConfig,
        budget: &Budget,
    ) {
        let bounded = !self.is_counted() && is_bounded(net, &budget.share(EARLY_STEP));
        if let Some(count) = count.as_deref_mut() {
            if bounded {
                self.count_through_reduction(
                    count,
                    &CountMethod::Diagrams(OrderThreads::new(1)),
                    config,
                    &budget.share(DIAGRAMS),
                );
            }
            if count.is_smaller() {
                self.count_through_reduction(
                    count,
                    &CountMethod::Visiting(1, StopRule::AtBudgetEnd),
                    config,
                    &budget.share(EARLY_STEP),
                );
            }
        }
        if !bounded && !self.is_counted() && self.finds_pump(net, config, budget) {
            return;
        }
        let share = if self.is_counted() { 1.0 } else { MAXIMA };
        if self.find_maxima(net, config, &budget.share(share)) {
            return;
        }
        if let Some(count) = count {
            if !bounded {
                self.count_through_reduction(
                    count,
                    &CountMethod::Diagrams(OrderThreads::new(1)),
                    config,
                    &budget.share(DIAGRAMS),
                );
            }
            if count.is_smaller() {
                let visiting = CountMethod::Visiting(1, StopRule::AtBudgetEnd);
                self.count_through_reduction(count, &visiting, config, budget);
            }
        }
    }

    /// Makes the remaining steps on several threads: half of the threads (rounded up) work on
    /// diagrams. The diagrams are cancelled when the markings are counted or known to be infinitely
    /// many. The other threads look for the maxima and visit the markings, and then join. The visit
    /// ends early if it has no prospect of being complete in time.
    fn find_with_diagrams(
        &mut self,
        net: &Net,
        count: &mut ReducedCount<'_>,
        config: &RunConfig,
        budget: &Budget,
    ) {
        let count_budget = budget.child();
        let (result_sender, result_receiver) = mpsc::channel();
        self.diagram_result = Some(result_receiver);
        let mut diagram_count = count.clone();
        let order_threads = OrderThreads::growing(config.threads.div_ceil(2), config.threads);
        let diagram_method = CountMethod::Diagrams(order_threads.clone());
        std::thread::scope(|scope| {
            let count_budget = &count_budget;
            scope.spawn(move || {
                let result = diagram_count.continue_count(&diagram_method, count_budget);
                if result.as_ref().is_ok_and(|it| it.certified || !config.certified_only) {
                    count_budget.cancel();
                }
                // The receiver is kept until this thread has ended, so sending does not fail.
                let _ = result_sender.send(result);
            });
            let is_infinite = self.find_beside_diagrams(net, count, config, [budget, count_budget]);
            if is_infinite || self.is_counted() {
                count_budget.cancel();
            }
            // The visit is over, so its threads are free.
            order_threads.use_all();
        });
        self.receive_diagram_count(config);
        self.diagram_result = None;
    }

    /// Makes the other steps of the search while diagrams run on other threads. `count_budget` is
    /// cancelled as soon as the diagrams have a count that may be reported. Returns true if a
    /// self-covering sequence or an infinite maximum was found, so there are infinitely many
    /// markings.
    fn find_beside_diagrams(
        &mut self,
        net: &Net,
        count: &mut ReducedCount<'_>,
        config: &RunConfig,
        [budget, count_budget]: [&Budget; 2],
    ) -> bool {
        let threads = config.threads / 2;
        if count.is_smaller() {
            let visiting = CountMethod::Visiting(threads, StopRule::AtBudgetEnd);
            let budget = count_budget.share(EARLY_STEP);
            self.count_through_reduction(count, &visiting, config, &budget);
        }
        let bounded = self.is_counted() || is_bounded(net, &budget.share(EARLY_STEP));
        if !bounded && self.finds_pump(net, config, budget) {
            return true;
        }
        if self.find_maxima(net, config, &budget.share(MAXIMA)) {
            return true;
        }
        self.receive_diagram_count(config);
        match count.is_smaller() {
            true => {
                let visiting = CountMethod::Visiting(threads, StopRule::WhenTooSlow);
                self.count_through_reduction(count, &visiting, config, count_budget);
            }
            false if self.is_counted() => {}
            false => {
                let visiting = (threads, StopRule::WhenTooSlow);
                self.visit(net, config, visiting, count_budget);
            }
        }
        false
    }

    /// Takes the result of the diagrams, if it is available.
    fn receive_diagram_count(&mut self, config: &RunConfig) {
        if let Some(result) =
            self.diagram_result.as_ref().and_then(|receiver| receiver.try_recv().ok())
        {
            self.record_count(result, config);
        }
    }

    /// Returns true if the number of markings is known.
    fn is_counted(&self) -> bool {
        self.known_figures.contains_key(FIGURES[0])
    }

    /// Records a figure and reports it. A figure that is known already is compared with the first
    /// value. A different value is an internal error, unless the first one assumes safe units: then
    /// it is withdrawn and replaced.
    fn record(&mut self, answer: &GoalAnswer, counted: Option<CountEvidence<'_>>) {
        match self.known_figures.get(&answer.id) {
            Some(previous) if previous.value == answer.value => {}
            Some(previous) if !previous.assumes_units => {
                self.report.faults += 1;
                let (id, value) = (&answer.id, &previous.value);
                tracing::error!("internal error: {id} is first {value}, then {}", answer.value);
            }
            // A figure that assumes safe units is replaced when another value is found.
            Some(_) => {
                self.withdraw(&answer.id);
                self.record(answer, counted);
            }
            None => {
                let mut answer = answer.clone();
                if self.is_unfolding && answer.id == MAX_TOKENS_IN_PLACE {
                    answer.reason.notes.push(ReasonNote::TokensPerColour);
                }
                self.known_figures.insert(answer.id.clone(), answer.clone());
                (self.on_event)(Event::Figure(&answer, counted));
            }
        }
    }

    /// Withdraws a figure, if it was reported and assumes safe units.
    fn withdraw(&mut self, id: &str) {
        if self.known_figures.get(id).is_some_and(|figure| figure.assumes_units) {
            self.known_figures.remove(id);
            (self.on_event)(Event::Withdrawn { id });
        }
    }

    /// Finds the figures by visiting all markings, without a check. Finds none if only certified
    /// figures may be reported, or if the visit fails, for example because `budget` is used up. On
    /// a translated net, in which ordinary arcs replace inhibitor and reset arcs, finds the numbers
    /// of markings and firings only. Returns true if the visit finished and all four figures are
    /// known then.
    fn visit(
        &mut self,
        net: &Net,
        config: &RunConfig,
        (threads, stop_rule): (usize, StopRule),
        budget: &Budget,
    ) -> bool {
        let visited = match config.certified_only {
            true => Err(OpenCause::SearchNotAccepted),
            false => visited(net, (threads, stop_rule), budget).map_err(failed),
        };
        match visited {
            Ok(figures) => {
                figures[..reportable_figures(net)]
                    .iter()
                    .for_each(|figure| self.record(figure, None));
                self.known_figures.len() == FIGURES.len()
            }
            Err(why) => {
                self.failure_reason = why;
                false
            }
        }
    }

    /// Finds the numbers of markings and firings from place invariants, unless they are known. The
    /// checker computes them.
    fn find_from_invariants(&mut self, net: &Net, config: &RunConfig, budget: &Budget) {
        if self.is_counted() {
            return;
        }
        match family::prove(net, config.smt_solver.as_ref(), budget) {
            Ok((proof, found)) => {
                for figure in from_invariants(&proof, &found) {
                    self.record(&figure, Some(CountEvidence::Family(&proof)));
                }
            }
            Err(why) => tracing::info!("no numbers from place invariants: {why}"),
        }
    }

    /// Counts the markings and firings through a reduction, unless their numbers are known.
    fn count_through_reduction(
        &mut self,
        count: &mut ReducedCount<'_>,
        method: &CountMethod,
        config: &RunConfig,
        budget: &Budget,
    ) {
        if !self.is_counted() {
            self.record_count(count.continue_count(method, budget), config);
        }
    }

    /// Records the result of a count, unless only certified figures may be reported and the checker
    /// did not repeat the count.
    fn record_count(&mut self, result: Result<CountResult, String>, config: &RunConfig) {
        match result {
            Ok(result) if config.certified_only && !result.certified => {
                self.failure_reason = OpenCause::SearchNotAccepted;
            }
            Ok(result) => {
                for figure in through_reduction(&result) {
                    self.record(&figure, Some(CountEvidence::Counted(&result)));
                }
            }
            Err(why) => self.failure_reason = failed(why),
        }
    }

    /// Finds the figures from a diagram of all markings of the unreduced net, without a check.
    /// Finds none if only certified figures may be reported, or if the diagram is not completed. On
    /// a translated net, in which ordinary arcs replace inhibitor and reset arcs, finds the numbers
    /// of markings and firings only.
    fn find_on_diagrams(&mut self, net: &Net, config: &RunConfig, budget: &Budget) {
        let found = match config.certified_only {
            true => Err(OpenCause::SearchNotAccepted),
            false => {
                let figures =
                    diagrams::figures::figures(net, config.threads, budget, &config.count_progress);
                figures.map_err(|why| failed(why.to_string()))
            }
        };
        match found {
            Ok(figures) => {
                let figures = described(&figures);
                figures[..reportable_figures(net)]
                    .iter()
                    .for_each(|figure| self.record(figure, None));
            }
            Err(why) => self.failure_reason = why,
        }
    }

    /// Searches for a self-covering sequence by random walks. The time is short, because walks find
    /// such a sequence early or hardly ever. Returns true if a sequence was found and replayed.
    fn finds_pump(&mut self, net: &Net, config: &RunConfig, budget: &Budget) -> bool {
        let found = walk::find_self_covering_sequence(
            net,
            &budget.share(PUMP_BY_WALKS),
            config.seed,
            PUMP_WORK,
        );
        self.record_pump(net, found, "RANDOM_WALK")
    }

    /// Reports all four figures as infinite, if `found` is a self-covering sequence that replays.
    /// Returns true if it is.
    fn record_pump(
        &mut self,
        net: &Net,
        found: Option<(FiringSequence, FiringSequence)>,
        technique: Technique,
    ) -> bool {
        let Some((prefix, pump)) = found else { return false };
        if !pump_grows(net, &prefix, &pump) {
            tracing::error!(
                "internal error: a self-covering sequence does not replay and is \
                             discarded"
            );
            self.report.faults += 1;
            return false;
        }
        let figures = pumped(&PumpSequence::single(prefix, pump), technique);
        figures.iter().for_each(|figure| self.record(figure, None));
        true
    }

    /// Finds the maxima of tokens. Returns true if a maximum was found to be infinite; then all
    /// four figures are infinite.
    fn find_maxima(&mut self, net: &Net, config: &RunConfig, budget: &Budget) -> bool {
        let mut is_infinite = false;
        let plan = Plan::of_most_tokens(net);
        let run_report = super::run_net(net, plan, config, budget, |event| match event {
            Event::Settled { .. } => (self.on_event)(event),
            Event::Answered(answer) => {
                self.record(answer, None);
                // If a maximum is infinite, the self-covering sequence shows it for all four
                // figures.
                if answer.value == QuestionValue::Infinite {
                    is_infinite = true;
                    for key in FIGURES {
                        self.record(&GoalAnswer { id: key.to_owned(), ..answer.clone() }, None);
                    }
                }
            }
            Event::Withdrawn { id } => self.withdraw(id),
            Event::Waiting { .. } => self.receive_diagram_count(config),
            _ => {}
        });
        // An earlier run had the same questions, so its reasons are out of date.
        self.report.unanswered.clear();
        self.report.add(run_report);
        is_infinite
    }
}

fn failed(message: String) -> OpenCause {
    OpenCause::Failed { message }
}

/// Returns the number of [`FIGURES`], from the first, that follow from the markings of `net`. A
/// translated net has complement places in place of inhibitor and reset arcs. Their tokens must not
/// count, so the maxima are settled as goals.
fn reportable_figures(net: &Net) -> usize {
    if net.translation().is_some() { 2 } else { FIGURES.len() }
}

/// Returns true if every place is known or claimed to be bounded. A claim suffices, because the
/// result only decides which steps of the search run, and in which order.
fn is_bounded(net: &Net, budget: &Budget) -> bool {
    let facts = super::presolve::learn_bounds(net, Facts::claimed_by_model(net), budget);
    net.places().all(|p| facts.upper_bound(p).is_some())
}
