//! Counts and times of a reduction.

use parikh_net::Net;
use std::fmt;
use std::time::Duration;

/// The statistics of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleStatistics {
    /// The name of the search; after a replay, the name of the rule.
    pub name: &'static str,
    /// Number of candidates found.
    pub candidates: u64,
    /// Number of applications.
    pub applied: u64,
    /// Number of proposals whose application failed. Anything but 0 is a bug.
    pub refused: u64,
    /// Number of places removed.
    pub places_removed: u64,
    /// Number of transitions removed minus transitions added.
    pub transitions_removed: i64,
    /// Time for searching, checking and applying.
    pub time: Duration,
}

/// The size of a net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetSize {
    /// Number of places.
    pub places: usize,
    /// Number of transitions.
    pub transitions: usize,
    /// Number of arcs, in both directions.
    pub arcs: usize,
}

impl NetSize {
    /// Returns the size of `net`.
    pub fn of(net: &Net) -> NetSize {
        NetSize {
            places: net.place_count(),
            transitions: net.transition_count(),
            arcs: net.arc_count(),
        }
    }
}

/// The statistics of a reduction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReductionStatistics {
    /// The size of the net before the reduction.
    pub size_before: NetSize,
    /// The size of the net after the reduction.
    pub size_after: NetSize,
    /// One entry per search that could run, in their order. After a replay, one entry per rule in
    /// the log.
    pub rules: Vec<RuleStatistics>,
    /// Number of rounds over the rules.
    pub rounds: u32,
    /// True if the budget ended the reduction before its fixpoint.
    pub cut_short: bool,
    /// Total time.
    pub time: Duration,
}

impl fmt::Display for ReductionStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (self.size_before, self.size_after);
        write!(
            f,
            "{}→{} places, {}→{} transitions, {}→{} arcs, {} rounds, {:.2} s{}",
            before.places,
            after.places,
            before.transitions,
            after.transitions,
            before.arcs,
            after.arcs,
            self.rounds,
            self.time.as_secs_f64(),
            if self.cut_short { ", cut short" } else { "" }
        )
    }
}
