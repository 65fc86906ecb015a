//! Counts and times of a reduction.

use parikh_net::Net;
use std::fmt;
use std::time::Duration;

/// Of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleStatistics {
    /// The rule.
    pub name: &'static str,
    /// Candidates it found.
    pub candidates: u64,
    /// Proposals applied.
    pub applied: u64,
    /// Proposals that were derived but could not be applied: anything but 0 is a bug of ours.
    pub refused: u64,
    /// Places removed by it.
    pub places_removed: u64,
    /// Transitions removed by it less transitions added.
    pub transitions_removed: i64,
    /// Time finding, checking and applying.
    pub time: Duration,
}

/// The size of a net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Places, without virtual ones.
    pub places: usize,
    /// Transitions.
    pub transitions: usize,
    /// Arcs, without those of virtual places.
    pub arcs: usize,
}

impl Size {
    /// That of `net`.
    pub fn of(net: &Net) -> Size {
        Size {
            places: net.place_count(),
            transitions: net.transition_count(),
            arcs: net.arc_count(),
        }
    }
}

/// Of a whole reduction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The net before.
    pub before: Size,
    /// The net after.
    pub after: Size,
    /// One entry per rule that could run, in their order.
    pub rules: Vec<RuleStatistics>,
    /// Rounds over all rules.
    pub rounds: u32,
    /// Whether the budget ended the reduction before its fixpoint.
    pub cut_short: bool,
    /// From start to finish.
    pub time: Duration,
}

impl Statistics {
    /// How often the rule of this name was applied.
    pub fn applied(&self, rule: &str) -> u64 {
        self.rules.iter().filter(|entry| entry.name == rule).map(|entry| entry.applied).sum()
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (self.before, self.after);
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
