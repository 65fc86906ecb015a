//! The record of a walk: its firings, and the goals seen along them.
//!
//! A sighting is a goal with the number of firings after which the walk reached the goal. Sightings
//! are collected until the walk ends or some time has passed. Then the board gets all of them and
//! replays the sequence once. Replaying is several times slower than walking, so the pause between
//! two reports grows with the duration of the last report.

use super::watch::MaximumRecord;
use crate::board::{Observation, WitnessReporter};
use parikh_net::{FiringSequence, GoalId, TransitionId};
use std::time::{Duration, Instant};

/// A transition fired several times in a row, in eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RepeatedFiring {
    /// The transition.
    pub(super) transition: u32,
    /// The number of firings, at least 1.
    pub(super) count: u32,
}

/// The firings since the initial marking.
pub(super) struct Journal {
    /// The firings, with repetitions merged.
    repeated_firings: Vec<RepeatedFiring>,
    /// Number of firings since the initial marking.
    firings: u64,
    /// Reached goals that are not yet reported.
    pending: Vec<Observation>,
    /// For each maximised cell, the number of firings after which it had its largest value. `None`
    /// if the cell has no unreported largest value.
    best_firings: Vec<Option<u64>>,
    /// Indices of the maximised cells, among the records, that have an unreported largest value.
    improved_records: Vec<u32>,
    /// Time of the last report, or of the creation of the journal before the first report.
    last_report: Instant,
    /// Minimum time between the last report and the next report during a walk.
    pause: Duration,
}

/// Minimum time between two reports during a walk.
const MIN_PAUSE: Duration = Duration::from_millis(50);

impl Journal {
    /// Creates an empty journal for the given number of records.
    pub(super) fn new(records: usize) -> Self {
        Journal {
            repeated_firings: Vec::new(),
            firings: 0,
            pending: Vec::new(),
            best_firings: vec![None; records],
            improved_records: Vec::new(),
            last_report: Instant::now(),
            pause: MIN_PAUSE,
        }
    }

    /// Appends `count` firings of a transition.
    #[inline]
    pub(super) fn push(&mut self, transition: u32, count: u64) {
        self.firings += count;
        if let Some(last) = self.repeated_firings.last_mut()
            && last.transition == transition
            && let Some(sum) = u64::from(last.count).checked_add(count)
            && let Ok(sum) = u32::try_from(sum)
        {
            last.count = sum;
            return;
        }
        let mut remaining = count;
        while remaining > 0 {
            let count = u32::try_from(remaining).unwrap_or(u32::MAX);
            self.repeated_firings.push(RepeatedFiring { transition, count });
            remaining -= u64::from(count);
        }
    }

    /// Returns true if `count` more firings can be recorded: `count` is below 2⁴⁰, and fewer than
    /// 2⁶² firings are recorded. The limit also bounds memory, as a single transition fired 2⁶³
    /// times would take 2³¹ entries.
    pub(super) fn can_record(&self, count: u64) -> bool {
        count < 1 << 40 && self.firings < 1 << 62
    }

    /// Returns the number of firings since the initial marking.
    pub(super) fn firings(&self) -> u64 {
        self.firings
    }

    /// Returns the firings since the initial marking, with repetitions merged.
    pub(super) fn repeated_firings(&self) -> &[RepeatedFiring] {
        &self.repeated_firings
    }

    /// Records that the goal holds at the current end of the walk.
    pub(super) fn record_goal(&mut self, goal: GoalId) {
        self.pending.push(Observation { goal, firings: self.firings });
    }

    /// Records that a maximised cell, given by its index among the records, has a new largest value
    /// at the current end of the walk.
    pub(super) fn record_best(&mut self, record: u32) {
        if self.best_firings[record as usize].replace(self.firings).is_none() {
            self.improved_records.push(record);
        }
    }

    /// Returns true if a reached goal or a raised maximum has not been reported yet.
    pub(super) fn has_news(&self) -> bool {
        !self.pending.is_empty() || !self.improved_records.is_empty()
    }

    /// Reports all goals reached and maxima raised, if there are any and the minimum pause since
    /// the last report has passed.
    pub(super) fn report_if_due(
        &mut self,
        report: &WitnessReporter<'_>,
        records: &[MaximumRecord],
        goal_ids: &[GoalId],
    ) {
        if self.has_news() && self.last_report.elapsed() >= self.pause {
            self.report(report, records, goal_ids);
        }
    }

    /// Reports all goals reached and maxima raised since the last report, as positions in one
    /// firing sequence. `goal_ids` maps the positions of watched goals to their ids on the board.
    pub(super) fn report(
        &mut self,
        report: &WitnessReporter<'_>,
        records: &[MaximumRecord],
        goal_ids: &[GoalId],
    ) {
        if !self.has_news() {
            return;
        }
        let start_time = Instant::now();
        let mut sightings = std::mem::take(&mut self.pending);
        for record in self.improved_records.drain(..) {
            let Some(firings) = self.best_firings[record as usize].take() else { continue };
            let goals = records[record as usize].goals.iter();
            sightings
                .extend(goals.map(|&goal| Observation { goal: goal_ids[goal as usize], firings }));
        }
        let last_firing = sightings.iter().map(|sighting| sighting.firings).max().unwrap_or(0);
        report.report_reached_along(self.prefix(last_firing), sightings);
        self.last_report = Instant::now();
        self.pause = MIN_PAUSE.max(10 * start_time.elapsed());
    }

    /// Returns the first `firings` firings since the initial marking.
    pub(super) fn prefix(&self, firings: u64) -> FiringSequence {
        self.firings_between(0, firings)
    }

    /// Returns the firings from number `start` (exclusive) to number `stop` (inclusive).
    pub(super) fn firings_between(&self, start: u64, stop: u64) -> FiringSequence {
        let mut sequence = FiringSequence::new();
        let mut position = 0;
        for repeated in &self.repeated_firings {
            if position >= stop {
                break;
            }
            let end = position + u64::from(repeated.count);
            let count = end.min(stop).saturating_sub(position.max(start));
            sequence.push(TransitionId::new(repeated.transition as usize), count);
            position = end;
        }
        sequence
    }

    /// Forgets the firings, for a walk that starts again at the initial marking. Pending sightings
    /// must have been reported.
    pub(super) fn restart(&mut self) {
        self.repeated_firings.clear();
        self.firings = 0;
        self.pending.clear();
        self.improved_records
            .drain(..)
            .for_each(|record| self.best_firings[record as usize] = None);
    }
}
