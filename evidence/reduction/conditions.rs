//! What makes a rule right: its numbered conditions at a candidate, and the change that follows.
//!
//! A rule has two halves with different duties. The search, which is not here, is cheap and may be
//! wrong: it names *candidates*, the nodes an application would be about. The conditions are where
//! soundness lives: a check is given a candidate, reads the net as it is now, goes through the
//! rule's numbered conditions and derives the change from nothing but the candidate and the net. So
//! a candidate that was found on an older net does no harm, a mutation test can drop any one
//! condition, and the log of a reduction is the list of (rule, candidate): whoever doubts it checks
//! the same candidates again ([`redo`](super::redo())).

use super::change::Edit;
use super::needs::Preserve;
use super::work::WorkNet;
use parikh_net::{Features, PlaceId, TransitionId};
use std::ops::Deref;

/// The nodes an application of a rule is about, in the order the rule says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Places by their ids in the working net.
    pub places: Vec<PlaceId>,
    /// Transitions by their ids in the working net.
    pub transitions: Vec<TransitionId>,
    /// The multiplicity of each place, positive; empty when all are 1.
    pub weights: Vec<u32>,
}

impl Candidate {
    /// Each place with its multiplicity.
    pub fn weighted_places(&self) -> impl Iterator<Item = (PlaceId, u32)> {
        let weights = self.weights.iter().copied().chain(std::iter::repeat(1));
        self.places.iter().copied().zip(weights)
    }

    /// Its nodes when it is exactly one place.
    pub(super) fn as_place(&self) -> Option<PlaceId> {
        match (&self.places[..], &self.transitions[..]) {
            (&[p], []) => Some(p),
            _ => None,
        }
    }
}

/// The condition that a check takes for granted: none, but for tests that see whether they notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Granted(Option<u8>);

impl Granted {
    /// Every condition is asked for.
    pub const NOTHING: Granted = Granted(None);

    /// Takes this condition for granted, which makes reductions wrong.
    #[cfg(any(test, feature = "mutation"))]
    pub fn condition(number: u8) -> Granted {
        Granted(Some(number))
    }
}

/// The net with what a check may know besides it.
#[derive(Clone, Copy)]
pub struct Context<'w> {
    net: &'w WorkNet,
    preserve: Preserve,
    granted: Granted,
}

impl<'w> Context<'w> {
    /// Of a net that is reduced to preserve this.
    pub fn new(net: &'w WorkNet, preserve: Preserve, granted: Granted) -> Self {
        Context { net, preserve, granted }
    }

    /// Condition `number` of the rule's header: `None` when it does not hold.
    pub fn require(&self, number: u8, holds: bool) -> Option<()> {
        self.grants(number, holds).then_some(())
    }

    /// Condition `number` of the rule's header, where it does not decide alone.
    pub fn grants(&self, number: u8, holds: bool) -> bool {
        holds || self.granted == Granted(Some(number))
    }

    /// Whether some class of these has to be preserved.
    pub fn preserves(&self, class: Preserve) -> bool {
        self.preserve.meets(class)
    }
}

impl Deref for Context<'_> {
    type Target = WorkNet;
    fn deref(&self) -> &WorkNet {
        self.net
    }
}

/// The change at a candidate, or `None` when a condition fails or a weight would overflow.
pub type Check = fn(&Context<'_>, &Candidate) -> Option<Vec<Edit>>;

/// The conditions of a reduction rule. See the module.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// The rule's name: of the log, of statistics and of the file.
    pub name: &'static str,
    /// The classes it preserves.
    pub preserves: Preserve,
    /// The features of nets that its argument holds for.
    pub takes: Features,
    /// How many numbered conditions it has.
    pub conditions: u8,
    /// Whether the reachable markings stay the same but for removed places, and the transitions
    /// that are left fire where they fired: then what later rules find holds of the original net.
    pub is_lossless: bool,
    /// Whether a candidate may give its places multiplicities.
    pub weighs: bool,
    /// Goes through the conditions.
    pub check: Check,
}

impl Conditions {
    /// A rule for nets with weights that loses markings, and whose places have no multiplicities.
    pub(super) const fn new(
        name: &'static str,
        preserves: Preserve,
        conditions: u8,
        check: Check,
    ) -> Conditions {
        Conditions {
            name,
            preserves,
            takes: Features::WEIGHTS,
            conditions,
            is_lossless: false,
            weighs: false,
            check,
        }
    }

    /// The same rule, lossless.
    pub(super) const fn lossless(self) -> Conditions {
        Conditions { is_lossless: true, ..self }
    }

    /// The same rule, whose places may have multiplicities.
    pub(super) const fn weighed(self) -> Conditions {
        Conditions { weighs: true, ..self }
    }
}

/// What `rule` proposes at `candidate`, which anybody may have made up: its nodes are there, each
/// is named once (else a check that compares the length of the candidate with a count of the net
/// would take two for one), and places have multiplicities only where they mean something.
pub fn propose(rule: &Conditions, net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let there = candidate.places.iter().all(|&p| net.has_place(p))
        && candidate.transitions.iter().all(|&t| net.has_transition(t));
    let once = all_differ(&candidate.places) && all_differ(&candidate.transitions);
    let weighed = candidate.weights.is_empty()
        || (rule.weighs
            && candidate.weights.len() == candidate.places.len()
            && !candidate.weights.contains(&0));
    if there && once && weighed { (rule.check)(net, candidate) } else { None }
}

fn all_differ<T: Ord + Copy>(nodes: &[T]) -> bool {
    if nodes.is_sorted_by(|a, b| a < b) {
        return true;
    }
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    sorted.is_sorted_by(|a, b| a < b)
}
