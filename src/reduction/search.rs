//! How a rule's candidates are found, and when.
//!
//! What a search names need not be right: the rule's conditions are gone through wherever it points
//! to ([`parikh_evidence::reduction::conditions`]). What it does not name is not reduced.

use super::candidate;
use super::journal::Dirty;
use crate::solvers::Budget;
use parikh_evidence::reduction::{Candidate, Conditions, WorkNet};
use parikh_net::{PlaceId, TransitionId};

/// When a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Reads the whole net: once per round, and only when something changed.
    Global,
    /// Cheap and never grows the net: to a fixpoint.
    Cheap,
    /// Merges transitions without adding any.
    Agglomeration,
    /// May add transitions, or is expensive: when nothing else applies.
    Product,
    /// Solves linear programs to find its candidates: when nothing at all applies, and only as long
    /// as [`Search::allow`] says.
    Linear,
}

/// A rule with the search for its candidates.
pub(super) struct Rule {
    /// The name of the search: of statistics and of the command line.
    pub(super) name: &'static str,
    pub(super) conditions: &'static Conditions,
    pub(super) phase: Phase,
    pub(super) search: Box<dyn Search>,
}

/// The search for candidates of one rule.
pub(super) trait Search {
    /// Appends candidates worth a check, in a fixed order; `dirty` is what changed since the last
    /// call.
    fn find(&mut self, net: &WorkNet, dirty: &Dirty, candidates: &mut Vec<Candidate>);

    /// Whether a candidate has to wait for the next batch when a transition around its places was
    /// changed in this one. Not for soundness: it keeps chains from being swallowed from one end,
    /// which would copy an ever longer row for each link.
    fn waits(&self) -> bool {
        false
    }

    /// How long [`find`](Self::find) may take from now on, of rules of [`Phase::Linear`].
    fn allow(&mut self, _slice: Budget) {}

    /// Forgets what it noted of the net, which it is about to be shown from the beginning.
    fn forget(&mut self) {}

    /// Takes note of all that changed since the last call, before [`find`](Self::find) is shown it
    /// in portions: for rules that look for other nodes among it.
    fn learn(&mut self, _net: &WorkNet, _dirty: &Dirty) {}
}

/// Each place that changed, or is next to a transition that did, if it looks like it.
pub(super) struct PlacesAround(pub(super) fn(&WorkNet, PlaceId) -> bool);

/// Each place that changed, if it looks like it.
pub(super) struct ChangedPlaces(pub(super) fn(&WorkNet, PlaceId) -> bool);

/// Each transition that changed, if it looks like it.
pub(super) struct ChangedTransitions(pub(super) fn(&WorkNet, TransitionId) -> bool);

impl Search for PlacesAround {
    fn find(&mut self, net: &WorkNet, dirty: &Dirty, candidates: &mut Vec<Candidate>) {
        let places = dirty.places_around(net).into_iter();
        candidates.extend(places.filter(|&p| self.0(net, p)).map(candidate::place));
    }
}

impl Search for ChangedPlaces {
    fn find(&mut self, net: &WorkNet, dirty: &Dirty, candidates: &mut Vec<Candidate>) {
        let places = dirty.places.iter().copied();
        candidates.extend(places.filter(|&p| self.0(net, p)).map(candidate::place));
    }
}

impl Search for ChangedTransitions {
    fn find(&mut self, net: &WorkNet, dirty: &Dirty, candidates: &mut Vec<Candidate>) {
        let transitions = dirty.transitions.iter().copied().filter(|&t| self.0(net, t));
        candidates.extend(transitions.map(|t| candidate::transitions([t])));
    }
}
