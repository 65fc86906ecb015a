//! The pipeline: one function from a plan to its answers.
//!
//! ```text
//! plan ──▶ intervals, bounds from flows ──▶ workers (see [`crate::workers`])  ──▶ answers
//!                (cheap, first)                all on one board, until every question is decided
//! ```
//!
//! The calling thread listens to the board. It hands every answer over the moment it is decided,
//! lets go of goals that no question needs any more, and ends the workers when nothing is left to
//! ask. A worker that panics costs its own goals, never an answer.

use crate::answer::{Answer, Plan, Question, Standing};
use crate::board::{Board, Knowledge, Maximum, Reach};
use crate::engine::{Task, intervals, shrink, state_equation, walk};
use crate::evidence::{Claim, Proof};
use crate::short_walks::short_walks;
use crate::workers::Crew;
use crate::{explicit, structure};
use parikh_net::{Facts, FiringSequence, Goal, GoalId, Net, Provenance};
use parikh_solvers::dump::Dump;
use parikh_solvers::{Budget, Exhausted};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How a plan is worked on.
#[derive(Clone, Debug)]
pub struct Config {
    /// Engines at work at the same time, at least 1.
    pub threads: usize,
    /// Same seed and one thread, same run.
    pub seed: u64,
    /// Keep the witness of every goal, not only of those that decide a question by themselves.
    pub keep_all_witnesses: bool,
    /// Keep the certificate of every goal that has one, however many goals there are.
    pub keep_certificates: bool,
    /// Where questions to solvers are written to, if anywhere.
    pub dump: Option<Dump>,
    /// A goal has a turn by itself when the net reduced for it alone has at most this share of the
    /// transitions of the net reduced for all open goals. 0.7 by default.
    pub turns_below: f64,
    /// Leaves out everything before these turns: tests see whether they are right by themselves.
    #[doc(hidden)]
    pub only_turns: bool,
}

impl Default for Config {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Config {
            threads,
            seed: 1,
            keep_all_witnesses: false,
            keep_certificates: false,
            dump: None,
            turns_below: 0.7,
            only_turns: false,
        }
    }
}

/// What the caller is told while a plan is worked on.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A question is decided.
    Answered(&'a Answer),
    /// A goal is shown to be unreachable, or its bound to be met, with this proof.
    Proved {
        /// The question that asks for the goal: its formula's id, or the examination's name.
        id: &'a str,
        /// What is proved.
        claim: &'a Claim,
        /// Why.
        proof: &'a Proof,
    },
    /// Nothing new, but time has passed.
    Waiting {
        /// Questions without an answer.
        questions: usize,
        /// Goals that engines still work on.
        goals: usize,
    },
}

/// A question that was not decided.
#[derive(Clone, Debug)]
pub struct Unanswered {
    /// The formula's id, or the examination's name.
    pub id: String,
    /// Why not, and what is known all the same.
    pub reason: String,
}

/// How a run ended.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The questions decided.
    pub answered: usize,
    /// The questions not decided.
    pub unanswered: Vec<Unanswered>,
    /// Claims that were refused and workers that failed: bugs of ours.
    pub faults: usize,
    /// How a replayed sequence broke the model's claim that its units are safe, if one did.
    pub breach: Option<String>,
    /// What each stage has to say of itself, for `--stats`.
    pub statistics: Vec<(&'static str, String)>,
}

/// How often the caller hears that nothing is new.
const TICK: Duration = Duration::from_millis(20);

/// Works on `plan` until every question is decided or `budget` is spent.
///
/// When the model's claim of safe units turns out to be false on the way, what is left is worked on
/// without it. So are the questions that it answered before: they are answered twice.
pub fn run(
    net: &Net,
    plan: Plan,
    config: &Config,
    budget: &Budget,
    mut tell: impl FnMut(Event<'_>),
) -> Report {
    let (mut report, again) = run_once(net, plan, config, budget, &mut tell);
    if let Some(plan) = again {
        let net = net.without_unit_claim();
        let (rest, _) = run_once(&net, plan, config, budget, &mut tell);
        report.answered += rest.answered;
        report.unanswered.extend(rest.unanswered);
        report.faults += rest.faults;
        report.statistics.extend(rest.statistics);
    }
    report
}

/// One run, and what is left to be asked without the model's claim of safe units if it broke.
fn run_once(
    net: &Net,
    mut plan: Plan,
    config: &Config,
    budget: &Budget,
    tell: &mut impl FnMut(Event<'_>),
) -> (Report, Option<Plan>) {
    let mut report = Report::default();
    for answer in plan.vacuous() {
        report.answered += 1;
        tell(Event::Answered(&answer));
    }
    let (settled, hear) = mpsc::channel();
    let mut board = Board::new(net, plan.goals().to_vec()).with_listener(settled);
    if plan.goals().len() > MANY_GOALS && !config.keep_all_witnesses {
        board = board.without_witnesses();
    }
    let facts = Facts::none(net);
    let budget = budget.child();
    let plan_goals = plan.goals().len();
    let goals: Vec<(GoalId, Goal)> = board.ids().map(|id| (id, board.goal(id).clone())).collect();
    let task = Task {
        net,
        goals: &goals,
        facts: &facts,
        board: &board,
        budget: &budget,
        seed: config.seed,
    };

    let mut hearing = Hearing { board: &board, plan: &mut plan, report: &mut report };
    let (under, over) = (board.under("INITIAL_STATE"), board.over("TOPOLOGICAL"));
    // What can be proved is proved first; only then is the model's claim of safe units believed.
    let mut known = intervals::run(&task, under, over);
    let mut facts = facts.clone();
    if board.open_count() > 0 {
        facts = bounds_from_flows(net, facts, &budget);
        known.learn(net, &facts);
        intervals::settle(&known, &task, under, over);
    }
    let claims = board.open_count() > 0 && net.units().is_some_and(|units| units.safe());
    if claims {
        short_walks(net, config.seed).for_each(|walk| board.check_claim(&walk, u64::MAX));
    }
    if claims && board.breach().is_none() {
        facts.claim_units(net);
        known.learn(net, &facts);
        intervals::settle(&known, &task, under, over);
    }
    let task = Task { facts: &facts, ..task };
    while let Ok(goal) = hear.try_recv() {
        hearing.settled(goal, tell);
    }
    let open: Vec<(GoalId, Goal)> =
        goals.iter().filter(|(id, _)| board.is_open(*id)).cloned().collect();
    tracing::info!("intervals: {} of {} goals are left", open.len(), goals.len());
    let task = Task { goals: &open, ..task };
    let shrunk = open.iter().map(|(id, goal)| (*id, shrink::goal(net, &known, goal))).collect();
    let statistics = std::sync::Mutex::new(Vec::new());
    let note = |name: &'static str, text: String| {
        tracing::info!("{name}: {text}");
        // A poisoned list is still a list.
        statistics.lock().unwrap_or_else(|list| list.into_inner()).push((name, text));
    };
    let keep_certificates = config.keep_certificates || plan_goals <= MANY_GOALS;
    let equations = state_equation::Config {
        keep_certificates,
        dump: config.dump.clone(),
        ..Default::default()
    };
    let crew = Crew::new(&task, shrunk, config, equations, bounds_from_flows, &note);
    let crew = &crew;
    if !open.is_empty() && board.breach().is_none() {
        std::thread::scope(|scope| {
            let mut workers = Vec::new();
            for worker in 0..config.threads.max(1) {
                let work = move || crew.work(worker);
                // Formulas are evaluated as deep as they nest.
                let thread = std::thread::Builder::new().stack_size(8 << 20);
                match thread.spawn_scoped(scope, work) {
                    Ok(handle) => workers.push(handle),
                    Err(error) => tracing::warn!("a worker could not start: {error}"),
                }
            }
            loop {
                match hear.recv_timeout(TICK) {
                    Ok(goal) => hearing.settled(goal, tell),
                    Err(RecvTimeoutError::Timeout) => tell(Event::Waiting {
                        questions: hearing.plan.open_questions().count(),
                        goals: board.open_count(),
                    }),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                let done = hearing.plan.open_questions().next().is_none();
                let broken = board.breach().is_some();
                if done || broken || workers.iter().all(|worker| worker.is_finished()) {
                    break;
                }
            }
            // Asked first: cancelling would hide why the workers stopped.
            let ended = budget.exhausted();
            budget.cancel();
            for worker in workers {
                if worker.join().is_err() {
                    hearing.report.faults += 1;
                }
            }
            while let Ok(goal) = hear.try_recv() {
                hearing.settled(goal, tell);
            }
            if board.breach().is_none() {
                hearing.give_up(ended);
            }
        });
    } else if board.breach().is_none() {
        hearing.give_up(None);
    }
    report.faults += board.faults();
    report.statistics = statistics.into_inner().unwrap_or_else(|list| list.into_inner());
    report.breach = board.breach().map(str::to_owned);
    let again = report.breach.is_some().then(|| {
        let (again, revoked) = plan.without_unit_claim();
        report.answered -= revoked;
        again
    });
    (report, again)
}

/// Adds the bounds that place invariants give to what is known, in at most a tenth of the time.
fn bounds_from_flows(net: &Net, mut facts: Facts, budget: &Budget) -> Facts {
    let start = Instant::now();
    let slice = budget.slice(budget.remaining().map_or(Duration::from_secs(60), |left| left / 10));
    match structure::flows::place_flows(net, &slice) {
        Ok(flows) => {
            structure::bounds::place_bounds(net, &flows, &slice).write(&mut facts);
            let bounded = net
                .places()
                .filter(|&p| facts.upper_bound_within(p, Provenance::PROVED).is_some())
                .count();
            tracing::info!(
                "structure: {} place invariants bound {bounded} of {} places, {:.2?}",
                flows.len(),
                net.place_count(),
                start.elapsed()
            );
        }
        Err(exhausted) => tracing::info!("structure: no place invariants, {exhausted}"),
    }
    facts
}

/// Above this many goals a board forgets witnesses: such a plan is one question over all nodes,
/// whose answer shows at most one of them.
const MANY_GOALS: usize = 1000;

/// The listening end: turns settlements into answers.
struct Hearing<'a, 'n> {
    board: &'a Board<'n>,
    plan: &'a mut Plan,
    report: &'a mut Report,
}

impl Hearing<'_, '_> {
    fn settled(&mut self, goal: GoalId, tell: &mut impl FnMut(Event<'_>)) {
        self.hand_over_proof(goal, tell);
        for (question, standing) in self.plan.settle(self.board, goal) {
            match standing {
                Standing::Answered(answer) => {
                    self.report.answered += 1;
                    // What rests on a claim known to be false is asked again.
                    if !(answer.assumes_units && self.board.breach().is_some()) {
                        tell(Event::Answered(&answer));
                    }
                }
                Standing::Silenced => {
                    tracing::error!(
                        "engines contradict each other on {goal:?}: no answer is given"
                    );
                    let reason = "engines contradict each other (internal error)".to_owned();
                    self.report.unanswered.push(Unanswered { id: question.id.clone(), reason });
                }
                Standing::Open => {}
            }
        }
    }

    fn hand_over_proof(&self, goal: GoalId, tell: &mut impl FnMut(Event<'_>)) {
        let (proof, claim) = match (self.board.knowledge(goal), self.board.goal(goal)) {
            (Some(Knowledge::Reach(Reach::Unreachable { proof, .. })), Goal::Reach(predicate)) => {
                (proof, Claim::Unreachable(predicate.clone()))
            }
            (
                Some(Knowledge::Maximum(Maximum { proved: Some((most, proof, _)), .. })),
                Goal::Maximise(sum),
            ) => match i64::try_from(most) {
                Ok(most) => (proof, Claim::AtMost(sum.clone(), most)),
                Err(_) => return,
            },
            _ => return,
        };
        if proof.assumes_units() && self.board.breach().is_some() {
            return;
        }
        for question in self.plan.asking(goal) {
            tell(Event::Proved { id: &question.id, claim: &claim, proof: &proof });
        }
    }

    /// Says why the questions left are left.
    fn give_up(&mut self, ended: Option<Exhausted>) {
        let why = match ended {
            Some(exhausted) => exhausted.to_string(),
            None => "the engines have nothing more to try".to_owned(),
        };
        let why = match self.board.overflowed() {
            true => format!(
                "on the way a place would hold 2^63 tokens or more, and Parikh counts no further; \
                 {why}"
            ),
            false => why,
        };
        for question in self.plan.open_questions() {
            let known = self.known(question);
            let reason = format!("{why}{known}");
            self.report.unanswered.push(Unanswered { id: question.id.clone(), reason });
        }
    }

    /// What is known of an undecided question.
    fn known(&self, question: &Question) -> String {
        let goals = question.goals.len();
        if goals > 1 {
            let open = question.goal_ids().filter(|&goal| self.board.is_open(goal)).count();
            return format!("; {open} of {goals} goals are open");
        }
        match question.goal_ids().next().and_then(|goal| self.board.knowledge(goal)) {
            Some(Knowledge::Maximum(maximum)) => {
                let seen = maximum.seen.map_or("0".to_owned(), |(seen, ..)| seen.to_string());
                let proved = maximum.proved.map_or("∞".to_owned(), |(most, ..)| most.to_string());
                format!("; the maximum lies between {seen} and {proved}")
            }
            _ => String::new(),
        }
    }
}

/// One figure of the state space.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The contest's name for it.
    pub key: &'static str,
    /// The figure and who found it, or why it is not known.
    pub value: Result<(String, &'static str), String>,
}

/// About how many firings are spent on looking for a pump before the states are counted.
const PUMP_WORK: u64 = 50_000_000;

/// Counts the reachable markings, the firings between them, and the tokens they hold at most. An
/// unbounded net, shown by a pump, has `+inf` of each.
pub fn state_space(net: &Net, config: &Config, budget: &Budget) -> Vec<Figure> {
    const KEYS: [&str; 4] =
        ["STATES", "TRANSITIONS", "MAX_TOKEN_PER_MARKING", "MAX_TOKEN_IN_PLACE"];
    let figures = |value: &dyn Fn(usize) -> Result<(String, &'static str), String>| {
        let figure = |(index, key)| Figure { key, value: value(index) };
        KEYS.into_iter().enumerate().map(figure).collect()
    };
    let counted = |budget: &Budget| {
        explicit::count(net, &Facts::claimed_by_model(net), budget).map(|space| {
            figures(&|index| {
                let values = [
                    space.states,
                    space.firings,
                    space.max_tokens_per_marking,
                    space.max_tokens_in_place,
                ];
                Ok((values[index].to_string(), "EXPLICIT"))
            })
        })
    };
    // Most nets that can be counted at all are counted at once.
    if let Ok(figures) = counted(&budget.slice(Duration::from_millis(500))) {
        return figures;
    }
    if find_pump(net, config, budget).is_some() {
        return figures(&|_| Ok(("+inf".to_owned(), "RANDOM_WALK")));
    }
    counted(budget).unwrap_or_else(|incomplete| figures(&|_| Err(incomplete.to_string())))
}

/// A prefix and a pump, replayed, that show that infinitely many markings are reachable; looked for
/// in a small part of the time.
pub fn find_pump(
    net: &Net,
    config: &Config,
    budget: &Budget,
) -> Option<(FiringSequence, FiringSequence)> {
    // A pump shows itself early or hardly ever: a twentieth of the time is for it.
    let early = match budget.remaining() {
        Some(left) => budget.slice(left / 20),
        None => budget.slice(Duration::from_secs(10)),
    };
    let (prefix, pump) = walk::find_pump(net, &early, config.seed, PUMP_WORK)?;
    if crate::evidence::pump_grows(net, &prefix, &pump) {
        return Some((prefix, pump));
    }
    tracing::error!("internal error: a pump does not replay; it is dropped");
    None
}
