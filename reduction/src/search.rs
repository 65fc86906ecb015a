//! The search for a rule's candidates, and its phase.
//!
//! A search may return wrong candidates, because the rule's conditions are checked for each
//! candidate ([`parikh_evidence::reduction::conditions`]). Missed candidates are simply not
//! reduced.

use super::candidate;
use super::journal::ChangedNodes;
use parikh_evidence::reduction::{Candidate, Conditions, WorkNet};
use parikh_net::{PlaceId, TransitionId};
use parikh_solvers::Budget;

/// The phase of a round in which a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Rules that read the whole net. They run once at the beginning of each round, and only after
    /// a change. After the last round, they run until nothing changes.
    Global,
    /// Cheap rules that never grow the net. They run until none applies.
    Cheap,
    /// Rules that merge transitions without adding any.
    Agglomeration,
    /// Rules that may add transitions, such as n·m transitions for n producers and m consumers, or
    /// that are expensive. They run when no rule of an earlier phase applies.
    Product,
    /// Rules that solve linear programs to find candidates. They run last, within the time that
    /// [`CandidateSearch::set_time_limit`] sets.
    Linear,
}

/// A rule with the search for its candidates.
pub(super) struct SearchRule {
    /// The name of the search, used in statistics and on the command line.
    pub(super) name: &'static str,
    /// The conditions of the rule, which the checker also uses.
    pub(super) conditions: &'static Conditions,
    pub(super) phase: Phase,
    /// The search for candidates.
    pub(super) search: Box<dyn CandidateSearch>,
}

/// A search for the candidates of a rule.
pub(super) trait CandidateSearch {
    /// Appends candidates for the nodes in `dirty`, in a deterministic order. A candidate only
    /// looks promising: the conditions of the rule are checked afterwards. `dirty` has the nodes
    /// that changed since the last batch, or a portion of these nodes.
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>);

    /// Returns true if a candidate must wait for the next batch when a transition next to its
    /// places changed in this batch. This is not needed for soundness. In agglomerations, it
    /// prevents chains from being merged from one end, which would copy an ever longer row for each
    /// link.
    fn must_wait(&self) -> bool {
        false
    }

    /// Sets the time limit of the following calls of [`find`](Self::find), for rules of
    /// [`Phase::Linear`].
    fn set_time_limit(&mut self, _slice: Budget) {}

    /// Drops stored information, because the whole net will be shown again.
    fn reset(&mut self) {}

    /// Receives all changes since the last call, before [`find`](Self::find) receives the same
    /// changes in portions. It is for rules that compare nodes with other nodes.
    fn observe(&mut self, _net: &WorkNet, _dirty: &ChangedNodes) {}
}

/// A search that proposes each place that changed, or is adjacent to a changed transition, and for
/// which the function returns true.
pub(super) struct PlacesAround(pub(super) fn(&WorkNet, PlaceId) -> bool);

/// A search that proposes each changed place for which the function returns true.
pub(super) struct ChangedPlaces(pub(super) fn(&WorkNet, PlaceId) -> bool);

/// A search that proposes each changed transition for which the function returns true.
pub(super) struct ChangedTransitions(pub(super) fn(&WorkNet, TransitionId) -> bool);

impl CandidateSearch for PlacesAround {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let places = dirty.places_around(net).into_iter();
        candidates.extend(places.filter(|&p| self.0(net, p)).map(candidate::place));
    }
}

impl CandidateSearch for ChangedPlaces {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let places = dirty.places.iter().copied();
        candidates.extend(places.filter(|&p| self.0(net, p)).map(candidate::place));
    }
}

impl CandidateSearch for ChangedTransitions {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let transitions = dirty.transitions.iter().copied().filter(|&t| self.0(net, t));
        candidates.extend(transitions.map(|t| candidate::transitions([t])));
    }
}
