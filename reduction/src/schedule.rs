//! The order of the rules and the end of a reduction.
//!
//! A round begins with the rules that read the whole net, once each. Then cheap rules that never
//! grow the net run to a fixpoint. They alternate with one batch of each agglomeration that adds no
//! transitions, until neither finds anything. Only a round without any change so far ends with one
//! batch of each rule that multiplies transitions or is expensive. Rounds end when nothing applies.
//!
//! Only then the rules that solve linear programs run, within a limited share of the time. If they
//! find something, everything starts again.
//!
//! Every rule has a cursor in the journal, so it sees each change once. Rules with limits, and
//! rules that look only near a change, may miss candidates that a distant change made possible. So
//! when nothing applies, all rules are shown the whole net again, until that finds nothing.
//! Reducing the result again then finds nothing, either. (Exceptions are rules that act only once
//! in order to terminate: token-prefiring, and rules that skip composed transitions.)
//!
//! The net is valid between any two applications, so the budget may end the reduction anywhere.

use super::ReductionConfig;
use super::journal::JournalCursor;
use super::search::{Phase, SearchRule};
use super::statistics::RuleStatistics;
use super::under_way::{ApplicationOutcome, OngoingReduction};
use parikh_evidence::reduction::{AssumedCondition, Candidate};
use parikh_solvers::Budget;
use std::time::{Duration, Instant};

/// A rule with its search, its position in the journals of changed nodes, and its statistics.
struct ScheduledRule {
    rule: SearchRule,
    /// The position in the journals of changed nodes up to which the rule has read.
    cursor: JournalCursor,
    statistics: RuleStatistics,
}

/// The state of a reduction and its schedule.
pub(super) struct Schedule<'a> {
    /// The net under reduction, with its log, its back-translation, the facts found, and the
    /// journals of changed nodes.
    pub(super) reduction: OngoingReduction,
    budget: &'a Budget,
    config: &'a ReductionConfig,
    /// The rules, in the order in which they run within a phase.
    rules: Vec<ScheduledRule>,
    /// Time limit for all rules with linear programs together.
    linear_time: Duration,
    /// Number of rounds so far.
    pub(super) rounds: u32,
    /// True if the budget ended the reduction.
    pub(super) cut_short: bool,
}

/// Maximum number of changed places, and of changed transitions, that a search gets at a time. It
/// bounds the memory for candidates. Searches of the phases Global and Linear get all changes at
/// once.
const NODES_PER_SEARCH: usize = 64;

/// Number of candidates between two checks of the budget.
const CANDIDATES_PER_CHECK: usize = 64;

/// The pair (t, d): all rules with linear programs together may use 1/d of the time that the budget
/// has at the beginning, and at most t.
const LINEAR_TIME: (Duration, u32) = (Duration::from_secs(2), 5);

impl<'a> Schedule<'a> {
    pub(super) fn new(
        reduction: OngoingReduction,
        rules: Vec<SearchRule>,
        budget: &'a Budget,
        config: &'a ReductionConfig,
    ) -> Self {
        let scheduled = |rule: SearchRule| ScheduledRule {
            statistics: RuleStatistics { name: rule.name, ..RuleStatistics::default() },
            cursor: JournalCursor::default(),
            rule,
        };
        let (longest, share) = LINEAR_TIME;
        let linear_time = budget.remaining().map_or(longest, |left| longest.min(left / share));
        Schedule {
            reduction,
            budget,
            config,
            rules: rules.into_iter().map(scheduled).collect(),
            linear_time,
            rounds: 0,
            cut_short: false,
        }
    }

    /// Returns the statistics of each rule, and drops the rules.
    pub(super) fn take_statistics(&mut self) -> Vec<RuleStatistics> {
        self.rules.drain(..).map(|scheduled| scheduled.statistics).collect()
    }

    /// Applies rules until no rule applies, the budget is exhausted, or rules of [`Phase::Product`]
    /// often fail to shrink the net. The last reason holds when more than `growth_rounds` rounds
    /// with applications of these rules gave no smaller net than before. At the end, the global and
    /// the cheap rules run until nothing changes or the budget is exhausted.
    pub(super) fn run(&mut self) {
        let mut growing_rounds = 0;
        // The smallest size of the net after a round with rules of [`Phase::Product`]: first the
        // number of transitions, then the number of places.
        let mut smallest = (usize::MAX, usize::MAX);
        let mut applied_before = 0;
        loop {
            self.rounds += 1;
            let mut changed = self.run_phase(Phase::Global);
            loop {
                changed |= self.run_cheap_rules();
                if !self.run_phase(Phase::Agglomeration) {
                    break;
                }
                changed = true;
            }
            if !changed {
                changed = self.run_phase(Phase::Product);
                let size =
                    (self.reduction.net().transition_count(), self.reduction.net().place_count());
                if changed && size >= smallest {
                    growing_rounds += 1;
                }
                smallest = smallest.min(size);
            }
            if !changed {
                let applied_now =
                    self.rules.iter().map(|scheduled| scheduled.statistics.applied).sum();
                if applied_now > applied_before {
                    applied_before = applied_now;
                    self.reset_searches();
                    changed = true;
                }
            }
            if !changed {
                changed = self.run_phase(Phase::Linear);
            }
            if !changed || self.cut_short || growing_rounds > self.config.growth_rounds {
                // After the last round, the global and the cheap rules run until nothing changes or
                // the budget is exhausted. They never grow the net.
                while !self.cut_short && self.run_phase(Phase::Global) | self.run_cheap_rules() {}
                return;
            }
        }
    }

    /// Resets all searches, so that each gets the whole net again.
    fn reset_searches(&mut self) {
        for scheduled in &mut self.rules {
            scheduled.cursor = JournalCursor::default();
            scheduled.rule.search.reset();
        }
    }

    /// Runs the cheap rules until none applies or the budget is exhausted. Returns true if anything
    /// changed.
    fn run_cheap_rules(&mut self) -> bool {
        let mut changed = false;
        while self.run_phase(Phase::Cheap) {
            changed = true;
        }
        changed
    }

    /// Runs one batch of every rule of the phase, that is, each rule once on the nodes that changed
    /// since it last ran. Returns true if anything changed.
    fn run_phase(&mut self, phase: Phase) -> bool {
        let mut changed = false;
        for index in 0..self.rules.len() {
            if self.rules[index].rule.phase == phase && !self.cut_short {
                changed |= self.run_batch(index);
            }
        }
        changed
    }

    /// Runs one rule on the changes since its last batch. Returns true if anything changed.
    fn run_batch(&mut self, index: usize) -> bool {
        let start = Instant::now();
        let applied_before = self.rules[index].statistics.applied;
        let (net, journals) = self.reduction.journals();
        let (places, transitions) = (net.place_count(), net.transition_count());
        let mut dirty = journals.changed_since(net, &mut self.rules[index].cursor);
        journals.start_batch();
        let phase = self.rules[index].rule.phase;
        if phase == Phase::Linear {
            // Half of the remaining time, so that the next rule has time too.
            let slice = self.budget.slice(self.linear_time_left() / 2);
            self.rules[index].rule.search.set_time_limit(slice);
        }
        let is_whole_net = matches!(phase, Phase::Global | Phase::Linear);
        self.rules[index].rule.search.observe(self.reduction.net(), &dirty);
        while !dirty.is_empty() && !self.cut_short {
            let portion = if is_whole_net {
                std::mem::take(&mut dirty)
            } else {
                dirty.split_off(NODES_PER_SEARCH)
            };
            let mut candidates = Vec::new();
            self.rules[index].rule.search.find(self.reduction.net(), &portion, &mut candidates);
            self.apply_all(index, candidates);
        }
        let statistics = &mut self.rules[index].statistics;
        let net = self.reduction.net();
        statistics.places_removed += (places - net.place_count()) as u64;
        statistics.transitions_removed += transitions as i64 - net.transition_count() as i64;
        statistics.time += start.elapsed();
        let applied = statistics.applied - applied_before;
        if applied > 0 {
            tracing::debug!("reduction: {}: {applied} applications", statistics.name);
        }
        applied > 0
    }

    /// Returns the time left for rules with linear programs.
    fn linear_time_left(&self) -> Duration {
        let linear = self.rules.iter().filter(|scheduled| scheduled.rule.phase == Phase::Linear);
        self.linear_time.saturating_sub(linear.map(|scheduled| scheduled.statistics.time).sum())
    }

    /// Checks each candidate on the current net, and applies the candidates that pass. For searches
    /// that must wait, a candidate next to a freshly changed transition is left for the next batch.
    /// Stops when the budget is exhausted.
    fn apply_all(&mut self, index: usize, candidates: Vec<Candidate>) {
        let scheduled = &mut self.rules[index];
        let statistics = &mut scheduled.statistics;
        statistics.candidates += candidates.len() as u64;
        let must_wait = scheduled.rule.search.must_wait();
        for (number, candidate) in candidates.into_iter().enumerate() {
            if number % CANDIDATES_PER_CHECK == 0 && self.budget.is_exhausted() {
                self.cut_short = true;
            }
            if self.cut_short {
                return;
            }
            // Earlier applications of the same batch may have removed nodes of the candidate.
            let (net, journals) = self.reduction.journals();
            if !candidate.places.iter().all(|&p| net.has_place(p))
                || !candidate.transitions.iter().all(|&t| net.has_transition(t))
            {
                continue;
            }
            if must_wait && journals.is_fresh_around(net, &candidate.places) {
                candidate.places.iter().for_each(|&p| journals.record_place(p));
                continue;
            }
            match self.reduction.try_apply(
                scheduled.rule.conditions,
                &candidate,
                AssumedCondition::NOTHING,
            ) {
                ApplicationOutcome::Inapplicable => {}
                ApplicationOutcome::Applied => statistics.applied += 1,
                ApplicationOutcome::Refused => statistics.refused += 1,
            }
        }
    }
}
