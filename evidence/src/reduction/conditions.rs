//! The conditions of a reduction rule: numbered conditions on a candidate, and the change that
//! follows.
//!
//! A rule has two parts. The search, which is in another crate, is cheap and may be wrong: it
//! proposes *candidates*, the places and transitions of a possible application. The conditions
//! ensure soundness. A check reads a candidate and the current net, decides the rule's numbered
//! conditions, and derives the change from the candidate and the net only.
//!
//! This separation has three benefits. A candidate found on an older net does no harm. A mutation
//! test can drop any single condition. The log of a reduction is a list of rules and candidates,
//! and a checker can check the same candidates again ([`redo`](super::redo())).

use super::change::Edit;
use super::needs::Preserve;
use super::work::WorkNet;
use parikh_net::{Features, PlaceId, TransitionId};
use std::ops::Deref;

/// The places and transitions of a possible application of a rule, in the order that the rule
/// defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Places by their ids in the working net.
    pub places: Vec<PlaceId>,
    /// Transitions by their ids in the working net.
    pub transitions: Vec<TransitionId>,
    /// The multiplicity of each place, positive. An empty list means that all multiplicities are 1.
    pub weights: Vec<u32>,
}

impl Candidate {
    /// Iterates over the places with their multiplicities.
    pub fn weighted_places(&self) -> impl Iterator<Item = (PlaceId, u32)> {
        let weights = self.weights.iter().copied().chain(std::iter::repeat(1));
        self.places.iter().copied().zip(weights)
    }

    /// Returns the place if the candidate is exactly one place.
    pub(super) fn as_place(&self) -> Option<PlaceId> {
        match (&self.places[..], &self.transitions[..]) {
            (&[p], []) => Some(p),
            _ => None,
        }
    }
}

/// The condition that a check assumes without testing it. Outside of mutation tests there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssumedCondition(Option<u8>);

impl AssumedCondition {
    /// Every condition is tested.
    pub const NOTHING: AssumedCondition = AssumedCondition(None);

    /// Assumes condition `number` without testing it, which can make reductions wrong.
    #[cfg(any(test, feature = "mutation"))]
    pub fn condition(number: u8) -> AssumedCondition {
        AssumedCondition(Some(number))
    }
}

/// The current net, and the parameters of the check of a candidate.
#[derive(Clone, Copy)]
pub struct Context<'w> {
    /// The current net.
    net: &'w WorkNet,
    /// The classes of questions that must be preserved.
    preserve: Preserve,
    /// The condition that is assumed, in mutation tests only.
    assumed: AssumedCondition,
}

impl<'w> Context<'w> {
    /// Creates the context for a net that is reduced to preserve `preserve`.
    pub fn new(net: &'w WorkNet, preserve: Preserve, assumed: AssumedCondition) -> Self {
        Context { net, preserve, assumed }
    }

    /// Returns `Some(())` if condition `number` in the rule's module documentation holds or is
    /// assumed, and `None` otherwise.
    pub fn require(&self, number: u8, holds: bool) -> Option<()> {
        self.holds_or_assumed(number, holds).then_some(())
    }

    /// Returns true if condition `number` in the rule's module documentation holds or is assumed.
    /// For conditions whose failure alone does not reject the candidate.
    pub fn holds_or_assumed(&self, number: u8, holds: bool) -> bool {
        holds || self.assumed == AssumedCondition(Some(number))
    }

    /// Returns true if at least one class of questions in `class` must be preserved.
    pub fn preserves(&self, class: Preserve) -> bool {
        self.preserve.intersects(class)
    }
}

impl Deref for Context<'_> {
    type Target = WorkNet;
    fn deref(&self) -> &WorkNet {
        self.net
    }
}

/// A function that returns the change at a candidate. Returns `None` if a condition fails, the
/// candidate does not fit the rule, a number overflows, or too many transitions would result.
pub type ConditionCheck = fn(&Context<'_>, &Candidate) -> Option<Vec<Edit>>;

/// A reduction rule, as its checker sees it.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// The name of the rule in logs and statistics. The rule's file has this name with underscores.
    pub name: &'static str,
    /// The classes of questions that the rule preserves.
    pub preserves: Preserve,
    /// The features of nets for which the rule is sound.
    pub features: Features,
    /// The number of conditions in the rule's module documentation, which are numbered from 1.
    pub conditions: u8,
    /// True if the rule keeps the reachable markings, up to removed places, and the enabledness of
    /// the remaining transitions. Then facts about the reduced net, found by later rules, hold in
    /// the original net.
    pub is_lossless: bool,
    /// True if a candidate may give multiplicities to its places.
    pub has_weights: bool,
    /// The check of the conditions.
    pub check: ConditionCheck,
}

impl Conditions {
    /// Creates a rule for weighted nets that is not lossless and has no multiplicities.
    pub(super) const fn new(
        name: &'static str,
        preserves: Preserve,
        conditions: u8,
        check: ConditionCheck,
    ) -> Conditions {
        Conditions {
            name,
            preserves,
            features: Features::WEIGHTS,
            conditions,
            is_lossless: false,
            has_weights: false,
            check,
        }
    }

    /// Marks the rule as lossless.
    pub(super) const fn lossless(self) -> Conditions {
        Conditions { is_lossless: true, ..self }
    }

    /// Marks the rule as one whose places may have multiplicities.
    pub(super) const fn with_weights(self) -> Conditions {
        Conditions { has_weights: true, ..self }
    }
}

/// Returns the change that `rule` proposes at `candidate`, which may come from any source. Returns
/// `None` if a condition of the rule fails, or the candidate is malformed or does not fit the rule.
/// Also returns `None` if a number overflows or too many transitions would result.
///
/// All places and transitions must exist, none may occur twice, and there may be multiplicities
/// only where they have a meaning. Duplicates would deceive checks that compare the length of the
/// candidate with a count of the net.
pub fn propose(rule: &Conditions, net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let all_exist = candidate.places.iter().all(|&p| net.has_place(p))
        && candidate.transitions.iter().all(|&t| net.has_transition(t));
    let all_distinct = all_differ(&candidate.places) && all_differ(&candidate.transitions);
    let has_valid_weights = candidate.weights.is_empty()
        || (rule.has_weights
            && candidate.weights.len() == candidate.places.len()
            && !candidate.weights.contains(&0));
    if all_exist && all_distinct && has_valid_weights { (rule.check)(net, candidate) } else { None }
}

/// Returns true if no place or transition occurs twice.
fn all_differ<T: Ord + Copy>(nodes: &[T]) -> bool {
    if nodes.is_sorted_by(|a, b| a < b) {
        return true;
    }
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    sorted.is_sorted_by(|a, b| a < b)
}
