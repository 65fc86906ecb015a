//! One search through the markings of a net, for all goals or for one.
//!
//! A search takes a marking from its frontier, fires the enabled transitions, and puts the new
//! markings on the frontier. It repeats this until the frontier is empty. Goals are tested when a
//! marking is new. For breadth-first search the frontier is a single number, since markings are
//! numbered in the order of discovery. For best-first search it is a heap ordered by the distance
//! to the goal.
//!
//! A search that ends with an empty frontier has visited every reachable marking, or with stubborn
//! sets every marking relevant for its goal. Then an unreached goal is unreachable, and the largest
//! value seen is the maximum. A search that ends for another reason refutes nothing.

use super::memory::{MemoryAccount, OutOfMemory};
use super::parallel_expansion::{ExpansionEvent, ParallelExpansion, Visitor};
use super::space::ExpandedMarking;
use super::space::{Space, SpaceError, SpaceOptions, representatives};
use super::state_space::{EffectFilter, count};
use super::stubborn::StubbornSets;
use super::watch::{ExpansionTests, PackedGoal, SearchWatch, transitions_tested_at_expansion};
use crate::Task;
use crate::board::{Proof, ProofReporter, WitnessReporter};
use parikh_evidence::Document;
use parikh_net::{GoalId, MarkingGoal, Net, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::budget::ExhaustionReason as Spent;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of sequential expansions between two checks of the budget and the board.
const MAX_POLLING_INTERVAL: u64 = 64;

/// Size in bytes of the reserve memory, which is freed when memory runs out. It is needed to report
/// results: firing sequences are read back and replayed in ordinary vectors.
const RESERVE_BYTES: usize = 4 << 20;

/// The order in which a search expands the stored markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchOrder {
    /// Breadth-first: finds shortest firing sequences, and needs no memory for the frontier. With
    /// stubborn sets, sequences to other goals than the first may be longer.
    BreadthFirst,
    /// Best-first by the heuristic distance to the first open goal. Among equal distances the
    /// newest marking comes first.
    BestFirst,
}

/// Configuration of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchConfig {
    pub(crate) order: SearchOrder,
    /// True if the search is for the first goal only. The other goals are watched, but not refuted,
    /// and the search ends when the first goal is settled.
    pub(crate) only_first_goal: bool,
    /// True if only the enabled transitions of a stubborn set are fired in each marking. Requires
    /// `only_first_goal`.
    pub(crate) uses_stubborn_sets: bool,
    /// Limit on the memory for markings, in bytes.
    pub(crate) max_bytes: u64,
    /// Number of threads for a breadth-first search without stubborn sets.
    pub(crate) threads: usize,
}

/// The reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchEnd {
    /// Every marking that the search stored has been expanded.
    Exhausted,
    /// Every goal of the search is reached, or settled by another engine. With `only_first_goal`
    /// this is the first goal, otherwise all goals.
    Settled,
    /// The budget is exhausted.
    BudgetExhausted(Spent),
    /// No further marking can be stored, for example because memory is exhausted.
    SpaceFull(SpaceError),
}

/// The reason for the end of a search, and its statistics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchReport {
    pub(crate) end: SearchEnd,
    /// Number of stored markings.
    pub(crate) states: u64,
    /// Number of firings, including those to known markings.
    pub(crate) firings: u64,
    /// Number of times that all markings were repacked because a field was too narrow.
    pub(crate) repackings: u64,
    /// Largest memory of the tables at any time, in bytes.
    pub(crate) peak_bytes: u64,
    /// Memory of the tables at the end of the search, in bytes.
    pub(crate) final_bytes: u64,
}

/// The markings that are stored but not yet expanded, by search order.
enum Frontier {
    /// Number of the next marking to expand.
    Breadth(u32),
    /// For each unexpanded marking, its distance to a goal and its number. The smallest distance
    /// comes first. The goal is the first goal that was open when the marking was stored. The
    /// initial marking has distance 0.
    Best(BinaryHeap<(Reverse<u64>, u32)>),
}

impl Frontier {
    fn new(order: SearchOrder) -> Self {
        match order {
            SearchOrder::BreadthFirst => Frontier::Breadth(0),
            SearchOrder::BestFirst => Frontier::Best(BinaryHeap::new()),
        }
    }

    /// Adds the marking with this number and its distance to the first open goal. Does nothing in a
    /// breadth-first search. The memory of the heap is taken from `memory`.
    fn push(
        &mut self,
        number: u32,
        distance: u64,
        memory: &MemoryAccount,
    ) -> Result<(), OutOfMemory> {
        match self {
            Frontier::Breadth(_) => {}
            Frontier::Best(heap) => {
                let additional =
                    reserve_doubled::<(Reverse<u64>, u32)>(heap.len(), heap.capacity(), memory)?;
                // If this fails, the search ends, and its account is not used any more.
                heap.try_reserve_exact(additional).map_err(|_| OutOfMemory)?;
                heap.push((Reverse(distance), number));
            }
        }
        Ok(())
    }

    /// Removes and returns the number of the next marking to expand. Returns `None` if every stored
    /// marking has been expanded. `marking_count` is the number of stored markings.
    fn pop(&mut self, marking_count: u32) -> Option<u32> {
        match self {
            Frontier::Breadth(next) if *next < marking_count => {
                *next += 1;
                Some(*next - 1)
            }
            Frontier::Breadth(_) => None,
            Frontier::Best(heap) => heap.pop().map(|(_, number)| number),
        }
    }
}

/// Returns the number of additional elements to reserve before the next push, and takes their
/// memory from `memory`. The number is 0 while there is spare capacity. When the capacity is used
/// up, it doubles.
fn reserve_doubled<T>(
    len: usize,
    capacity: usize,
    memory: &MemoryAccount,
) -> Result<usize, OutOfMemory> {
    if len < capacity {
        return Ok(0);
    }
    let additional = len.max(64);
    memory.take((additional * size_of::<T>()) as u64)?;
    Ok(additional)
}

/// The state of a search.
struct ExplicitSearch<'a> {
    task: &'a Task<'a>,
    config: SearchConfig,
    /// Receives the firing sequences to goals.
    witness_reporter: WitnessReporter<'a>,
    /// The visited markings and the compiled transitions.
    space: Space<'a>,
    /// The goals, and the selection of goals to test in a marking.
    watch: SearchWatch,
    /// The markings to expand.
    frontier: Frontier,
    /// The stubborn sets for the first goal, if the search uses them.
    stubborn: Option<StubbornSets<'a>>,
    /// For each transition, true if [`representatives`] selects it, that is, if it is not redundant
    /// among the transitions with the same effect. A search with stubborn sets fires only these
    /// transitions. Another search fires, for each effect, the first enabled transition that the
    /// space lists.
    is_fired: Vec<bool>,
    effect_filter: EffectFilter<'a>,
    firings: u64,
    /// Number of expanded markings.
    expansions: u64,
    /// Number of expansions at which the largest values found are next compared with proved upper
    /// bounds.
    next_maxima_check: u64,
    /// Number of open goals, of which only the first counts with `only_first_goal`. The search ends
    /// when it is 0.
    open_goals: usize,
    /// Version of the board at the last check.
    seen_version: u64,
    /// Indices of the goals that the current marking reaches.
    reached_now: Vec<u32>,
    /// The goals reached but not reported yet: the index of the goal and the number of the marking.
    unreported: Vec<(u32, u32)>,
    /// Reserve memory of [`RESERVE_BYTES`] bytes, freed when memory runs out.
    reserve: Vec<u8>,
}

/// The visitor for parallel expansion. Tests the goals that have to be tested when a marking is
/// expanded, because they depend on its enabled transitions.
struct GoalVisitor<'n> {
    /// The net of the search.
    net: &'n Net,
    /// The goals to test when a marking is expanded.
    goals: ExpansionTests,
}

impl<'n> Visitor for GoalVisitor<'n> {
    /// The filter that keeps one transition per effect, and the indices of the goals that the
    /// current marking reaches.
    type Scratch = (EffectFilter<'n>, Vec<u32>);
    /// For each index of a goal that was reached, the number of the first visited marking that
    /// reaches the goal.
    type Notes = BTreeMap<u32, u32>;

    fn scratch(&self) -> Self::Scratch {
        (EffectFilter::new(self.net), Vec::new())
    }

    fn select_transitions(
        &self,
        (effect_filter, reached_goals): &mut Self::Scratch,
        seen: ExpandedMarking<'_>,
        enabled: &mut Vec<u32>,
    ) {
        reached_goals.clear();
        self.goals.test_all(seen.key, enabled, |goal| reached_goals.push(goal));
        effect_filter.retain(enabled);
    }

    fn note(
        &self,
        (_, reached_goals): &mut Self::Scratch,
        seen: ExpandedMarking<'_>,
        notes: &mut Self::Notes,
    ) {
        for goal in reached_goals.drain(..) {
            notes.entry(goal).or_insert(seen.number);
        }
    }
}

/// Searches for these goals of the task within `budget`. Reports firing sequences to reached goals,
/// and proofs for the other goals if the search is exhaustive.
pub(crate) fn search<'a>(
    task: &'a Task<'a>,
    goals: &[&(GoalId, MarkingGoal)],
    config: SearchConfig,
    budget: &Budget,
    witness_reporter: WitnessReporter<'a>,
    proof_reporter: ProofReporter<'a>,
) -> SearchReport {
    debug_assert!(config.only_first_goal || !config.uses_stubborn_sets);
    let mentions_deadness = goals.iter().any(
        |(_, goal)| matches!(goal, MarkingGoal::Reach(predicate) if predicate.mentions_deadness()),
    );
    let is_representative = representatives(task.net, mentions_deadness);
    let is_fired = |t: TransitionId| is_representative[t.index()];
    let mut listed = is_representative.clone();
    transitions_tested_at_expansion(goals).into_iter().for_each(|t| listed[t.index()] = true);
    let is_listed = |t: TransitionId| listed[t.index()];
    let options =
        SpaceOptions { listed: &is_listed, needs_sequences: true, max_bytes: config.max_bytes };
    let space = match Space::new(task.net, task.facts, options, budget) {
        Ok(space) => space,
        Err(error) => {
            let end = SearchEnd::SpaceFull(error);
            return SearchReport {
                end,
                states: 0,
                firings: 0,
                repackings: 0,
                peak_bytes: 0,
                final_bytes: 0,
            };
        }
    };
    let watch = SearchWatch::new(task.net, space.packing(), goals);
    let stubborn =
        config.uses_stubborn_sets.then(|| StubbornSets::new(task.net, &watch.goals[0], is_fired));
    let mut search = ExplicitSearch {
        task,
        config,
        witness_reporter,
        watch,
        frontier: Frontier::new(config.order),
        stubborn,
        is_fired: is_representative,
        effect_filter: EffectFilter::new(task.net),
        firings: 0,
        expansions: 0,
        next_maxima_check: 0,
        open_goals: goals.len(),
        seen_version: task.board.version(),
        reached_now: Vec::new(),
        unreported: Vec::new(),
        reserve: vec![0; RESERVE_BYTES],
        space,
    };
    let start = Instant::now();
    let end = search.run(budget).unwrap_or_else(SearchEnd::SpaceFull);
    search.report_conclusions(end, start.elapsed(), budget, proof_reporter);
    let (states, memory) = (search.space.store().len(), search.space.store().memory());
    SearchReport {
        end,
        states: u64::from(states),
        firings: search.firings,
        repackings: search.space.repackings,
        peak_bytes: memory.peak(),
        final_bytes: memory.used_bytes(),
    }
}

/// Decides when to check the budget and the board. The interval adapts to the time per expansion. A
/// marking with a thousand successors, each tested against a formula of thousands of atoms, takes
/// as long as a million other markings.
struct PollingInterval {
    /// Number of expansions at which the next check is due.
    next: u64,
    /// Current number of expansions between two checks, from 1 to [`MAX_POLLING_INTERVAL`].
    interval: u64,
    /// Time of the last check.
    last: Instant,
}

impl PollingInterval {
    /// Schedules the next check after a check at `expansion_count` expansions. Aims at 2 to 10 ms
    /// between two checks.
    fn schedule_next(&mut self, expansion_count: u64) {
        let check_interval = self.last.elapsed();
        self.interval = match check_interval {
            _ if check_interval > Duration::from_millis(10) => (self.interval / 4).max(1),
            _ if check_interval < Duration::from_millis(2) => {
                (self.interval * 2).min(MAX_POLLING_INTERVAL)
            }
            _ => self.interval,
        };
        self.next = expansion_count + self.interval;
        self.last = Instant::now();
    }
}

impl<'a> ExplicitSearch<'a> {
    /// Runs the search, and returns the reason for its end. An error means that no further marking
    /// can be stored.
    fn run(&mut self, budget: &Budget) -> Result<SearchEnd, SpaceError> {
        self.open_goals = self.count_open();
        self.watch.test_initial(self.space.key(), &mut self.reached_now);
        self.record_reached(0);
        self.report_reached();
        self.frontier.push(0, 0, self.space.store().memory())?;
        let mut enabled: Vec<u32> = Vec::new();
        let mut new_markings: Vec<(u32, u64)> = Vec::new();
        if self.open_goals == 0 {
            return Ok(SearchEnd::Settled);
        }
        let mut polling = PollingInterval { next: 0, interval: 1, last: Instant::now() };
        let threads = if self.stubborn.is_none() { self.config.threads } else { 1 };
        let mut expansion = ParallelExpansion::new(threads, budget);
        loop {
            let was_parallel = self.expand_in_parallel(&mut expansion)?;
            if was_parallel || self.expansions >= polling.next {
                polling.schedule_next(self.expansions);
                if let Some(spent) = budget.exhausted() {
                    return Ok(SearchEnd::BudgetExhausted(spent));
                }
                self.check_board();
                if self.open_goals == 0 {
                    return Ok(SearchEnd::Settled);
                }
            }
            if was_parallel {
                continue;
            }
            let Some(number) = self.frontier.pop(self.space.store().len()) else { break };
            self.expansions += 1;
            loop {
                self.space.load(number, &mut enabled);
                if self.watch.has_tests_at_expansion() {
                    self.watch.test_at_expansion(self.space.key(), &enabled, &mut self.reached_now);
                    self.record_reached(number);
                }
                self.select_transitions(&mut enabled);
                new_markings.clear();
                let effect_of = |t: u32| self.task.net.effect_of(TransitionId::new(t as usize));
                let is_best_first = self.config.order == SearchOrder::BestFirst;
                let (watch, hits) = (&mut self.watch, &mut self.reached_now);
                let reached = &mut self.unreported;
                // There may be a thousand successors, and each test may take a quarter of a
                // millisecond. So the budget is checked here too, and no more distances are
                // computed once it is exhausted.
                let (mut test_count, mut is_late) = (0_u32, false);
                let mut distance_of = |watch: &SearchWatch, key: &[u64]| {
                    test_count += 1;
                    is_late |= test_count.is_multiple_of(32) && budget.is_exhausted();
                    if is_best_first && !is_late { distance_to_goal(watch, key) } else { 0 }
                };
                let expanded = self.space.expand(number, &enabled, |t, key, new| {
                    watch.test_new_marking(effect_of(t), key, new, hits);
                    reached.extend(hits.drain(..).map(|goal| (goal, new)));
                    new_markings.push((new, distance_of(watch, key)));
                });
                let was_repacked = match expanded {
                    Ok(was_repacked) => was_repacked,
                    Err(error) => {
                        self.reserve = Vec::new();
                        self.report_reached();
                        return Err(error);
                    }
                };
                if !was_repacked {
                    break;
                }
                self.watch.recompile(self.space.packing());
            }
            for &(new, distance) in &new_markings {
                self.frontier.push(new, distance, self.space.store().memory())?;
            }
            self.firings += enabled.len() as u64;
            if !self.unreported.is_empty() {
                self.report_reached();
                if self.open_goals == 0 {
                    return Ok(SearchEnd::Settled);
                }
            }
        }
        Ok(SearchEnd::Exhausted)
    }

    /// Expands the next markings by several threads, if the search is breadth-first and
    /// [`ParallelExpansion::can_expand`] permits it. Returns true if some markings were expanded.
    fn expand_in_parallel(
        &mut self,
        expansion: &mut ParallelExpansion<GoalVisitor<'a>>,
    ) -> Result<bool, SpaceError> {
        let Frontier::Breadth(next) = self.frontier else { return Ok(false) };
        if !expansion.can_expand(&self.space, next) {
            return Ok(false);
        }
        let net = self.task.net;
        let visitor = GoalVisitor { net, goals: std::mem::take(&mut self.watch.at_expansion) };
        let (watch, reached) = (&mut self.watch, &mut self.unreported);
        let (reached_goals, firings) = (&mut self.reached_now, &mut self.firings);
        // Goals stay open until the whole chunk is processed. For each goal only the first marking
        // counts.
        let mut reached_before = HashSet::new();
        let expanded = expansion.expand(&mut self.space, next, &visitor, |event| match event {
            ExpansionEvent::Expanded(notes, fired) => {
                *firings += fired;
                reached.extend(notes.into_iter().filter(|&(goal, _)| reached_before.insert(goal)));
            }
            ExpansionEvent::NewMarking(t, key, number) => {
                let class = net.effect_of(TransitionId::new(t as usize));
                watch.test_new_marking(class, key, number, reached_goals);
                let newly_reached =
                    reached_goals.drain(..).filter(|&goal| reached_before.insert(goal));
                reached.extend(newly_reached.map(|goal| (goal, number)));
            }
        });
        self.watch.at_expansion = visitor.goals;
        if expanded.is_err() {
            self.reserve = Vec::new();
        }
        if !self.unreported.is_empty() {
            self.report_reached();
            self.watch.forget_closed();
        }
        let expanded = expanded?;
        self.frontier = Frontier::Breadth(next + expanded);
        self.expansions += u64::from(expanded);
        Ok(expanded > 0)
    }

    /// Reduces the transitions enabled in the loaded marking to those to fire. With stubborn sets,
    /// first keeps only the members of a stubborn set. Then keeps one transition per effect, and
    /// none without effect.
    fn select_transitions(&mut self, enabled: &mut Vec<u32>) {
        if let Some(stubborn) = &mut self.stubborn {
            let goal = &self.watch.goals[0];
            enabled.retain(|&t| self.is_fired[t as usize]);
            stubborn.reduce(self.space.packing(), self.space.key(), goal, enabled);
        }
        self.effect_filter.retain(enabled);
    }

    /// Records that the current marking, with this number, reaches the goals in `reached_now`.
    fn record_reached(&mut self, number: u32) {
        self.unreported.extend(self.reached_now.drain(..).map(|goal| (goal, number)));
    }

    /// Closes the goals reached since the last report. Reports a firing sequence for each of them
    /// that was still open, if the marking that reaches it is stored.
    fn report_reached(&mut self) {
        for (index, number) in std::mem::take(&mut self.unreported) {
            let goal = &mut self.watch.goals[index as usize];
            if std::mem::replace(&mut goal.is_open, false) {
                goal.is_reported = true;
                let id = goal.id;
                if number < self.space.store().len() {
                    self.witness_reporter.report_reached(id, self.space.sequence_to(number));
                }
            }
        }
        self.open_goals = self.count_open();
    }

    /// Returns the number of open goals. With `only_first_goal`, only the first goal counts.
    fn count_open(&self) -> usize {
        if self.config.only_first_goal {
            usize::from(self.watch.goals[0].is_open)
        } else {
            self.watch.count_open()
        }
    }

    /// Closes goals that other engines have settled since the last call. After every few thousand
    /// expansions, also reports the largest values found that are at least a proved upper bound.
    fn check_board(&mut self) {
        let board = self.task.board;
        if self.seen_version != board.version() {
            self.seen_version = board.version();
            self.watch.drop_settled(board);
            self.open_goals = self.count_open();
        }
        if self.expansions < self.next_maxima_check {
            return;
        }
        self.next_maxima_check = self.expansions + MAX_POLLING_INTERVAL * 64;
        for index in 0..self.watch.goals.len() {
            let goal = &self.watch.goals[index];
            if let PackedGoal::Maximise(_, _, Some((best, number))) = goal.packed
                && goal.is_open
                && self.witness_reporter.proved(goal.id).is_some_and(|proved| best >= proved)
            {
                self.report_maximum(index, best, number);
            }
        }
    }

    /// Reports the largest value of the goal with this index, reached in marking `number`, if the
    /// board has no value as large. Closes the goal if it is settled.
    fn report_maximum(&mut self, index: usize, value: i128, number: u32) {
        let id = self.watch.goals[index].id;
        let is_improvement = self.witness_reporter.largest_seen(id).is_none_or(|seen| seen < value);
        if is_improvement && number < self.space.store().len() {
            self.witness_reporter.report_reached(id, self.space.sequence_to(number));
        }
        let open = self.task.board.is_open(id);
        self.watch.goals[index].is_open = open;
        self.open_goals = self.count_open();
    }

    /// Reports the largest values found. After an exhaustive search, also reports that the goals
    /// not reached are unreachable, and that the largest values are the maxima. With
    /// `only_first_goal`, these proofs are reported for the first goal only.
    fn report_conclusions(
        &mut self,
        end: SearchEnd,
        elapsed: Duration,
        budget: &Budget,
        proof_reporter: ProofReporter<'_>,
    ) {
        self.reserve = Vec::new();
        let exhaustive_proof = (end == SearchEnd::Exhausted).then(|| Proof {
            document: self.certificate(elapsed, budget).map(Arc::new),
            ..Proof::searched(self.space.store().len().into(), self.config.uses_stubborn_sets)
        });
        let prepared_reporter = exhaustive_proof
            .as_ref()
            .and_then(|proof| Some(proof_reporter.with_certificate(proof.document.as_ref()?)));
        for index in 0..self.watch.goals.len() {
            let exhaustive_proof =
                exhaustive_proof.as_ref().filter(|_| index == 0 || !self.config.only_first_goal);
            let goal = &self.watch.goals[index];
            if !goal.is_open || !self.task.board.is_open(goal.id) {
                continue;
            }
            let id = goal.id;
            match (&goal.packed, exhaustive_proof) {
                (PackedGoal::Reach(..), Some(proof)) if !goal.is_reported => {
                    match &prepared_reporter {
                        Some(prepared_reporter) => {
                            prepared_reporter.report_unreachable(id, proof.clone())
                        }
                        None => proof_reporter.report_unreachable(id, proof.clone()),
                    }
                }
                (PackedGoal::Reach(..), _) => {}
                (&PackedGoal::Maximise(_, _, Some((best, number))), _) => {
                    self.report_maximum(index, best, number);
                    match (exhaustive_proof, &prepared_reporter) {
                        (Some(proof), Some(prepared_reporter)) => {
                            prepared_reporter.report_at_most(id, best, proof.clone())
                        }
                        (Some(proof), None) => {
                            proof_reporter.report_at_most(id, best, proof.clone())
                        }
                        (None, _) => {}
                    }
                }
                // The initial marking has been tested, so a value exists.
                (PackedGoal::Maximise(_, _, None), _) => {}
            }
        }
    }
}

impl ExplicitSearch<'_> {
    /// Returns the certificate of an exhaustive search: the number of markings, for a checker to
    /// recount. After a search with stubborn sets, all markings are counted first. Then the result
    /// is `None` in four cases:
    /// - The search visited more than [`MAX_RECOUNTED_VISITED`] markings.
    /// - The search took more than one second.
    /// - The count takes more than twice as long as the search, plus 20 ms, or fails.
    /// - There are more than [`MAX_RECOUNTED_MARKINGS`] markings.
    fn certificate(&self, elapsed: Duration, budget: &Budget) -> Option<Document> {
        let visited = self.space.store().len();
        let count = if !self.config.uses_stubborn_sets {
            visited.into()
        } else if visited <= MAX_RECOUNTED_VISITED && elapsed <= Duration::from_secs(1) {
            let slice = budget.slice(2 * elapsed + Duration::from_millis(20));
            let counted = count(self.task.net, self.task.facts, 1, &slice).ok()?;
            u64::try_from(counted.states).ok().filter(|&states| states <= MAX_RECOUNTED_MARKINGS)?
        } else {
            return None;
        };
        Some(Document::Markings(count))
    }
}

/// Limit on the number of markings visited with stubborn sets. Up to this limit, all markings are
/// counted for a certificate after the search.
const MAX_RECOUNTED_VISITED: u32 = 100_000;

/// Limit on the number of markings in the certificate of a search with stubborn sets. The checker
/// recounts the markings.
const MAX_RECOUNTED_MARKINGS: u64 = 1_000_000;

/// Returns an estimate of how far the marking with this key is from the first open goal. For a
/// maximum, a larger value gives a smaller distance. Returns 0 if no goal is open.
fn distance_to_goal(watch: &SearchWatch, key: &[u64]) -> u64 {
    match watch.goals.iter().find(|goal| goal.is_open).map(|goal| &goal.packed) {
        Some(PackedGoal::Reach(_, test)) => test.distance(key),
        Some(PackedGoal::Maximise(_, sum, _)) => {
            // A larger value means a smaller distance.
            let value = sum.value(key).clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
            u64::MAX - ((value as u64) ^ (1 << 63))
        }
        None => 0,
    }
}
