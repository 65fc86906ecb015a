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

struct ScheduledRule {
    rule: SearchRule,
    cursor: JournalCursor,
    statistics: RuleStatistics,
}

/// The state of a reduction and its schedule.
pub(super) struct Schedule<'a> {
    pub(super) under_way: OngoingReduction,
    budget: &'a Budget,
    config: &'a ReductionConfig,
    rules: Vec<ScheduledRule>,
    /// Time limit for all rules with linear programs.
    linear_time: Duration,
    pub(super) rounds: u32,
    pub(super) cut_short: bool,
}

/// Number of changed nodes shown to a rule at a time. It bounds the memory for candidates.
const PORTION: usize = 64;

/// Number of candidates between two checks of the budget.
const PATIENCE: usize = 64;

/// Time limit for all rules with linear programs, and the divisor that gives their share of the
/// initial time.
const LINEAR_TIME: (Duration, u32) = (Duration::from_secs(2), 5);

impl<'a> Schedule<'a> {
    pub(super) fn new(
        under_way: OngoingReduction,
        rules: Vec<SearchRule>,
        budget: &'a Budget,
        config: &'a ReductionConfig,
    ) -> Self {
        let running = |rule: SearchRule| ScheduledRule {
            statistics: RuleStatistics { name: rule.name, ..RuleStatistics::default() },
            cursor: JournalCursor::default(),
            rule,
        };
        let (most, share) = LINEAR_TIME;
        let linear_time = budget.remaining().map_or(most, |left| most.min(left / share));
        Schedule {
            under_way,
            budget,
            config,
            rules: rules.into_iter().map(running).collect(),
            linear_time,
            rounds: 0,
            cut_short: false,
        }
    }

    /// Returns the statistics of each rule, and drops the rules with their state.
    pub(super) fn take_statistics(&mut self) -> Vec<RuleStatistics> {
        self.rules.drain(..).map(|running| running.statistics).collect()
    }

    /// Runs to the fixpoint or to the end of the budget.
    pub(super) fn run(&mut self) {
        let mut growths = 0;
        let mut smallest = (usize::MAX, usize::MAX);
        let mut applied_before = 0;
        loop {
            self.rounds += 1;
            let mut changed = self.phase(Phase::Global);
            loop {
                changed |= self.fixpoint();
                if !self.phase(Phase::Agglomeration) {
                    break;
                }
                changed = true;
            }
            if !changed {
                changed = self.phase(Phase::Product);
                let size =
                    (self.under_way.net().transition_count(), self.under_way.net().place_count());
                if changed && size >= smallest {
                    growths += 1;
                }
                smallest = smallest.min(size);
            }
            if !changed {
                let applied = self.rules.iter().map(|running| running.statistics.applied).sum();
                if applied > applied_before {
                    applied_before = applied;
                    self.show_all_again();
                    changed = true;
                }
            }
            if !changed {
                changed = self.phase(Phase::Linear);
            }
            if !changed || self.cut_short || growths > self.config.growth_rounds {
                // Remove everything that the last round made superfluous.
                while !self.cut_short && self.phase(Phase::Global) | self.fixpoint() {}
                return;
            }
        }
    }

    fn show_all_again(&mut self) {
        for running in &mut self.rules {
            running.cursor = JournalCursor::default();
            running.rule.search.forget();
        }
    }

    fn fixpoint(&mut self) -> bool {
        let mut changed = false;
        while self.phase(Phase::Cheap) {
            changed = true;
        }
        changed
    }

    /// Runs one batch of every rule of the phase. Returns true if anything changed.
    fn phase(&mut self, phase: Phase) -> bool {
        let mut changed = false;
        for at in 0..self.rules.len() {
            if self.rules[at].rule.phase == phase && !self.cut_short {
                changed |= self.batch(at);
            }
        }
        changed
    }

    fn batch(&mut self, at: usize) -> bool {
        let start = Instant::now();
        let applied_before = self.rules[at].statistics.applied;
        let (net, journals) = self.under_way.journals();
        let (places, transitions) = (net.place_count(), net.transition_count());
        let mut dirty = journals.dirty_since(net, &mut self.rules[at].cursor);
        journals.start_batch();
        let phase = self.rules[at].rule.phase;
        if phase == Phase::Linear {
            // Half of the remaining time, so that the next rule has time, too.
            let slice = self.budget.slice(self.linear_time_left() / 2);
            self.rules[at].rule.search.allow(slice);
        }
        let whole = matches!(phase, Phase::Global | Phase::Linear);
        self.rules[at].rule.search.learn(self.under_way.net(), &dirty);
        while !dirty.is_empty() && !self.cut_short {
            let part = if whole { std::mem::take(&mut dirty) } else { dirty.split_off(PORTION) };
            let mut candidates = Vec::new();
            self.rules[at].rule.search.find(self.under_way.net(), &part, &mut candidates);
            self.apply_all(at, candidates);
        }
        let statistics = &mut self.rules[at].statistics;
        let net = self.under_way.net();
        statistics.places_removed += (places - net.place_count()) as u64;
        statistics.transitions_removed += transitions as i64 - net.transition_count() as i64;
        statistics.time += start.elapsed();
        let applied = statistics.applied - applied_before;
        if applied > 0 {
            tracing::debug!("reduction: {}: {applied} applications", statistics.name);
        }
        applied > 0
    }

    fn linear_time_left(&self) -> Duration {
        let linear = self.rules.iter().filter(|running| running.rule.phase == Phase::Linear);
        self.linear_time.saturating_sub(linear.map(|running| running.statistics.time).sum())
    }

    /// Checks each candidate on the current net, and applies those that pass.
    fn apply_all(&mut self, at: usize, candidates: Vec<Candidate>) {
        let running = &mut self.rules[at];
        let statistics = &mut running.statistics;
        statistics.candidates += candidates.len() as u64;
        let waits = running.rule.search.waits();
        for (number, candidate) in candidates.into_iter().enumerate() {
            if number % PATIENCE == 0 && self.budget.is_exhausted() {
                self.cut_short = true;
            }
            if self.cut_short {
                return;
            }
            // Earlier applications of this batch may have removed nodes of the candidate.
            let (net, journals) = self.under_way.journals();
            if !candidate.places.iter().all(|&p| net.has_place(p))
                || !candidate.transitions.iter().all(|&t| net.has_transition(t))
            {
                continue;
            }
            if waits && journals.is_fresh_around(net, &candidate.places) {
                candidate.places.iter().for_each(|&p| journals.note_place(p));
                continue;
            }
            match self.under_way.try_at(
                running.rule.conditions,
                &candidate,
                AssumedCondition::NOTHING,
            ) {
                ApplicationOutcome::No => {}
                ApplicationOutcome::Applied => statistics.applied += 1,
                ApplicationOutcome::Refused => statistics.refused += 1,
            }
        }
    }
}
