//! Accelerated sequences with nested loops: witnesses with more firings than can be written down
//! one by one.
//!
//! Nested counters reach very large numbers. Take ten counters, each with numbers twice as long as
//! those of the counter below. A net of 500 places with these counters has runs of 2¹⁰²⁴ firings,
//! and places that no shorter run marks. A normal walk does not get there. But such a run has a
//! short description if repeated rounds are loops, and repeated rounds of rounds are loops of
//! loops.
//!
//! * **Rounds.** The *control* of a marking is the set of marked places among the places that have
//!   never had two tokens. If a transition fires a second time with the same control, the firings
//!   in between are a round. If the round can be repeated, it is repeated at once, as often as
//!   possible: its demand and its effect are known, so the number of repetitions is a division
//!   (`summary`). The trace then contains one loop instead, and later rounds contain this loop. A
//!   loop made once is repeated in one step where possible.
//! * **Preferences.** A fixed rank per transition decides which enabled transition fires. "Continue
//!   while there are tokens, and leave when there are none" is such a preference. A walk with this
//!   preference uses nested counters correctly at every level.
//! * **Backtracking.** A wrong choice often shows only later, when no transition is enabled. Then
//!   the walk goes back one or two choices and takes the less preferred transition. In this way the
//!   last round of a loop can also be left out.
//! * **Learning.** Ranks are random at first. If two transitions were in conflict, their ranks are
//!   exchanged, beginning with the latest conflict. A change is kept if more transitions fire.
//!
//! ```text
//! up_0: no_units -> units     up_1: 9*units + no_tens -> 9*no_units + tens     up_2: 9*units + 9*tens + …
//! up_0 up_0×8 = up_0×9                    (up_1 up_0×9)×9                       (up_2 up_0×9 (up_1 up_0×9)×9)×9 …
//! ```
//!
//! # Soundness
//! The engine reports runs, and the board replays them ([`parikh_evidence::loops`]) for all open
//! goals at once.
//!
//! # Limits
//! The engine works only on the original net, and not on nets whose units are claimed to be safe:
//! in a safe net no round changes anything. It tests the goals after each step, and repeating a
//! loop is one step. So it misses the markings within repeated rounds.
//!
//! # Sources
//! The nets are those of R. Lipton, *The reachability problem requires exponential space*, 1976.
//! Acceleration is based on the linear effect of a loop: J. Leroux, G. Sutre, *Flat counter
//! automata almost everywhere!*, ATVA 2005, for flat loops. Nested loops by folding the trace of a
//! walk, and learnt preferences, are our own.

mod machine;
mod summary;
mod walk;
mod watch;

use super::{Assignment, Engine, ResultKinds, Role, Session, SliceProgress, SupportedGoals};
use fastrand::Rng;
use machine::LoopMarking;
use parikh_net::TransitionId;
use parikh_solvers::Budget;
use walk::{LoopWalk, LoopWalkResult};
use watch::LoopWatch;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "loops",
    technique: "LOOPS",
    result_kinds: ResultKinds::Witnesses,
    role: Role::Loops,
    supported: SupportedGoals::MARKINGS,
    start: |work| Ok(Box::new(LoopSearch::new(work))),
};

/// Limit on the steps of the first walks, where a step is one firing or one loop. The limit doubles
/// when the best walk so far reaches it, and when all rank changes have been tried.
const FIRST_STEPS: u64 = 20_000;

/// Limit on the doublings, caused by useless rank changes, before the search restarts with new
/// random ranks.
const MAX_DOUBLINGS: u32 = 3;

/// Number of restarts without a reached goal after which the engine gives up.
const MAX_FUTILE_RESTARTS: u32 = 3;

/// Number of walks without a repeated round after which the engine assumes that the net has no
/// repeatable rounds.
const MAX_WALKS_WITHOUT_ROUNDS: u64 = 30;

/// Limit on the number of stored elements of blocks, that is, bodies of loops. Beyond this limit,
/// the search restarts.
const MAX_BLOCK_ELEMENTS: usize = 1 << 24;

/// The ranks of transitions, with the result of the walk that used them.
struct RankedWalk {
    /// The ranks, by transition index. Low ranks are preferred.
    ranks: Vec<u32>,
    /// The result of the walk.
    result: LoopWalkResult,
}

/// The search of the engine on a net. It continues from slice to slice.
struct LoopSearch<'g> {
    /// The assignment with the net, the board and the goals.
    assignment: Assignment<'g>,
    /// The random number generator for ranks.
    rng: Rng,
    /// The marking of the walks. `None` before the first slice and during a slice.
    machine: Option<LoopMarking<'g>>,
    /// The walk in which the most different transitions fired since the last restart of the search.
    /// `None` before the first walk after a restart.
    best: Option<RankedWalk>,
    /// Ranks to use again for the next walk. Reasons are new counter places, a raised step limit,
    /// or goals seen but not reported. `None` if the next walk takes its ranks from the best walk
    /// or draws random ranks.
    ranks_to_repeat: Option<Vec<u32>>,
    /// True if the next walk reports every goal that it sees. This is so if the best walk is
    /// repeated with more steps because no rank change improved it. It is also so if all
    /// transitions fired in a new best walk that dropped sightings without a report.
    is_thorough: bool,
    /// Number of choices of the best walk that were changed so far, beginning with the last choice.
    /// A choice is a pair of conflicting transitions; changing it exchanges their ranks.
    next_choice: usize,
    /// Maximum number of steps of the next walk.
    max_steps: u64,
    /// Number of doublings of the step limit since the last restart of the search, caused by
    /// useless rank changes. Doublings because the best walk reached the limit do not count.
    doublings: u32,
    /// Number of walks.
    walks: u64,
    /// Number of rounds that were replaced by loops, in all walks.
    folds: u64,
    /// Largest number of transitions that fired in one walk.
    most_fired: usize,
    /// Number of goals reached in all slices that have ended.
    reached: usize,
    /// Number of restarts since a goal was reached.
    futile_restarts: u32,
}

impl<'g> LoopSearch<'g> {
    fn new(assignment: Assignment<'g>) -> Self {
        let rng = Rng::with_seed(assignment.seed);
        LoopSearch {
            assignment,
            rng,
            machine: None,
            best: None,
            ranks_to_repeat: None,
            is_thorough: false,
            next_choice: 0,
            max_steps: FIRST_STEPS,
            doublings: 0,
            walks: 0,
            folds: 0,
            most_fired: 0,
            reached: 0,
            futile_restarts: 0,
        }
    }

    /// Returns random ranks.
    fn random_ranks(&mut self) -> Vec<u32> {
        let mut ranks: Vec<u32> =
            (0..self.assignment.working_net.net().transition_count() as u32).collect();
        self.rng.shuffle(&mut ranks);
        ranks
    }

    /// Returns the ranks for the next walk. Ranks that are to be used again come first. Otherwise
    /// they are the ranks of the best walk, with the ranks of one conflicting pair exchanged.
    /// Without a best walk, the ranks are random. If all pairs have been tried, the best walk is
    /// repeated with a doubled step limit. After [`MAX_DOUBLINGS`] doublings, the search restarts
    /// with random ranks.
    fn next_ranks(&mut self) -> Vec<u32> {
        if let Some(ranks) = self.ranks_to_repeat.take() {
            return ranks;
        }
        if let Some(best) = &self.best
            && self.next_choice >= best.result.choices.len()
        {
            (self.next_choice, self.doublings, self.max_steps) =
                (0, self.doublings + 1, 2 * self.max_steps);
            if self.doublings > MAX_DOUBLINGS {
                self.restart_search();
            } else {
                // Repeat the walk with more steps.
                self.is_thorough = true;
                return best.ranks.clone();
            }
        }
        let Some(best) = &self.best else { return self.random_ranks() };
        let choices = &best.result.choices;
        let (first, second) = choices[choices.len() - 1 - self.next_choice];
        let mut ranks = best.ranks.clone();
        ranks.swap(first as usize, second as usize);
        self.next_choice += 1;
        ranks
    }

    /// Forgets the best walk, so that the next walk draws random ranks, and resets the step limit.
    /// Counts as a restart without a reached goal.
    fn restart_search(&mut self) {
        self.futile_restarts += 1;
        (self.best, self.ranks_to_repeat, self.next_choice) = (None, None, 0);
        (self.max_steps, self.doublings) = (FIRST_STEPS, 0);
    }

    /// Runs one walk, and remembers its ranks if more transitions fired than in the best walk so
    /// far.
    fn walk(&mut self, machine: &mut LoopMarking<'g>, watch: &mut LoopWatch<'g>, budget: &Budget) {
        let ranks = self.next_ranks();
        machine.restart(ranks.clone());
        watch.is_thorough = std::mem::take(&mut self.is_thorough);
        watch.has_missed = false;
        let best_fired = self.best.as_ref().map_or(0, |best| best.result.fired);
        let result = LoopWalk::new(machine, watch).run(self.max_steps, best_fired, budget);
        let has_learnt = result.has_learnt;
        self.walks += 1;
        self.folds += result.folds;
        self.most_fired = self.most_fired.max(result.fired);
        if self.best.is_none() || result.fired > best_fired {
            tracing::debug!(
                "loops: walk {} of {} steps: {} transitions fire, trace of {}",
                self.walks,
                result.steps,
                result.fired,
                machine.trace_length()
            );
            if result.steps >= self.max_steps {
                self.max_steps *= 2;
                self.ranks_to_repeat = Some(ranks.clone());
            }
            if result.fired == self.assignment.working_net.net().transition_count()
                && watch.has_missed
            {
                self.is_thorough = true;
                self.ranks_to_repeat = Some(ranks.clone());
            }
            self.best = Some(RankedWalk { ranks: ranks.clone(), result });
            self.next_choice = 0;
        }
        if has_learnt {
            self.ranks_to_repeat = Some(ranks);
        }
    }
}

impl Session for LoopSearch<'_> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        let Assignment { working_net, board, .. } = self.assignment;
        let net = working_net.net();
        let has_safe_units = net.safe_units().is_some();
        let can_move =
            |t: TransitionId| !net.delta(t).is_empty() && net.is_enabled(net.initial(), t);
        if working_net.parent().is_some() || has_safe_units || !net.transitions().any(can_move) {
            return SliceProgress::Finished;
        }
        let witness_reporter = board.witness_reporter(ENGINE.technique).on(working_net);
        let mut watch = LoopWatch::new(net, board, witness_reporter, working_net.goals());
        let mut machine = match self.machine.take() {
            Some(machine) => machine,
            None => {
                let ranks = self.random_ranks();
                LoopMarking::new(net, ranks, &mut self.rng)
            }
        };
        let progress = loop {
            let is_hopeless = self.futile_restarts >= MAX_FUTILE_RESTARTS
                || self.folds == 0 && self.walks >= MAX_WALKS_WITHOUT_ROUNDS;
            let is_hopeless = is_hopeless && self.ranks_to_repeat.is_none();
            if !watch.has_open_goal() || is_hopeless {
                break SliceProgress::Finished;
            }
            if budget.is_exhausted() {
                break SliceProgress::Unfinished;
            }
            if machine.loops.size() > MAX_BLOCK_ELEMENTS {
                self.restart_search();
                let ranks = self.random_ranks();
                machine = LoopMarking::new(net, ranks, &mut self.rng);
            }
            let reached_before = watch.reached;
            self.walk(&mut machine, &mut watch, budget);
            if watch.reached > reached_before {
                self.futile_restarts = 0;
            }
        };
        self.reached += watch.reached;
        self.machine = Some(machine);
        progress
    }

    fn statistics(&self) -> String {
        let all = self.assignment.working_net.net().transition_count();
        format!(
            "{} reached, {} walks, {} repeated rounds, at most {} of {all} transitions fired in a walk",
            self.reached, self.walks, self.folds, self.most_fired
        )
    }
}
