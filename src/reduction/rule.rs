//! What a rule is: it finds places worth a look, checks its conditions there, and proposes.
//!
//! The two halves have different duties. `find` is cheap and may be wrong: it reads what changed
//! and names *foci*, the nodes an application would be about. `check` is where soundness lives: it
//! is given a focus, reads the net as it is now, goes through the rule's numbered conditions and
//! derives the change from nothing but the focus and the net. So a focus that was found on an older
//! net does no harm, a mutation test can drop any one condition, and the log of a reduction is the
//! list of (rule, focus): whoever doubts it checks the same foci again
//! ([`log`](super::log)).

use super::change::Proposal;
use super::journal::Dirty;
use super::needs::Preserve;
use super::work::WorkNet;
use crate::net::{PlaceId, TransitionId};
use crate::solvers::Budget;
use std::ops::Deref;

/// The nodes an application of a rule is about, in the order the rule says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// Places by their ids in the working net.
    pub places: Vec<PlaceId>,
    /// Transitions by their ids in the working net.
    pub transitions: Vec<TransitionId>,
    /// The multiplicity of each place, positive; empty when all are 1.
    pub weights: Vec<u32>,
}

impl Focus {
    /// One place.
    pub fn place(p: PlaceId) -> Focus {
        Focus { places: vec![p], ..Focus::default() }
    }

    /// These places.
    pub fn places(places: impl Into<Vec<PlaceId>>) -> Focus {
        Focus { places: places.into(), ..Focus::default() }
    }

    /// These transitions.
    pub fn transitions(transitions: impl Into<Vec<TransitionId>>) -> Focus {
        Focus { transitions: transitions.into(), ..Focus::default() }
    }

    /// One place, and transitions.
    pub fn around(p: PlaceId, transitions: impl Into<Vec<TransitionId>>) -> Focus {
        Focus { transitions: transitions.into(), ..Focus::place(p) }
    }

    /// Places with multiplicities, and transitions.
    pub fn weighted(
        places: impl IntoIterator<Item = (PlaceId, u32)>,
        transitions: impl Into<Vec<TransitionId>>,
    ) -> Focus {
        let (places, mut weights): (Vec<_>, Vec<_>) = places.into_iter().unzip();
        if weights.iter().all(|&weight| weight == 1) {
            weights.clear();
        }
        Focus { places, transitions: transitions.into(), weights }
    }

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

/// When a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Reads the whole net: once per round, and only when something changed.
    Global,
    /// Cheap and never grows the net: to a fixpoint.
    Cheap,
    /// Merges transitions without adding any.
    Agglomeration,
    /// May add transitions, or is expensive: when nothing else applies.
    Product,
    /// Solves linear programs to find its foci: when nothing at all applies, and only as long as
    /// [`Rule::allow`] says.
    Linear,
}

/// The net with what a check may know besides it.
#[derive(Clone, Copy)]
pub struct Context<'w> {
    net: &'w WorkNet,
    preserve: Preserve,
    /// The condition of the running rule that is taken for granted; of mutation tests only.
    dropped: Option<u8>,
}

impl<'w> Context<'w> {
    pub(super) fn new(net: &'w WorkNet, preserve: Preserve, dropped: Option<u8>) -> Self {
        Context { net, preserve, dropped }
    }

    /// Condition `number` of the rule's header: `None` when it does not hold.
    pub fn require(&self, number: u8, holds: bool) -> Option<()> {
        self.grants(number, holds).then_some(())
    }

    /// Condition `number` of the rule's header, where it does not decide alone.
    pub fn grants(&self, number: u8, holds: bool) -> bool {
        holds || self.dropped == Some(number)
    }

    /// Whether some class of these has to be preserved.
    pub fn preserves(&self, class: Preserve) -> bool {
        self.preserve.meets(class)
    }

    /// The net itself.
    pub fn net(&self) -> &'w WorkNet {
        self.net
    }
}

impl Deref for Context<'_> {
    type Target = WorkNet;
    fn deref(&self) -> &WorkNet {
        self.net
    }
}

/// One reduction rule. See the module.
pub trait Rule {
    /// Its name: of the log, of statistics and of the header's file.
    fn name(&self) -> &'static str;

    /// The classes it preserves.
    fn preserves(&self) -> Preserve;

    /// When it runs.
    fn stage(&self) -> Stage;

    /// How many numbered conditions it has.
    fn conditions(&self) -> u8;

    /// Whether the reachable markings stay the same but for removed places, and the transitions
    /// that are left fire where they fired: then what later rules find holds of the original net.
    fn is_lossless(&self) -> bool {
        false
    }

    /// Whether a focus has to wait for the next batch when a transition around its places was
    /// changed in this one. Not for soundness: it keeps chains from being swallowed from one end,
    /// which would copy an ever longer row for each link.
    fn waits(&self) -> bool {
        false
    }

    /// Whether a focus may name a node more than once. Where it may not, a check that compares the
    /// length of the focus with a count of the net would take two for one: such foci never get there.
    fn repeats(&self) -> bool {
        false
    }

    /// Whether a focus may give its places multiplicities.
    fn weighs(&self) -> bool {
        false
    }

    /// How long [`find`](Self::find) may take from now on, of rules of [`Stage::Linear`].
    fn allow(&mut self, _slice: Budget) {}

    /// Forgets what it noted of the net, which it is about to be shown from the beginning.
    fn forget(&mut self) {}

    /// Takes note of all that changed since the last call, before [`find`](Self::find) is shown it
    /// in portions: for rules that look for other nodes among it.
    fn learn(&mut self, _net: &WorkNet, _dirty: &Dirty) {}

    /// Appends foci worth a check, in a fixed order; `dirty` is what changed since the last call.
    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>);

    /// The change at this focus, or `None` when a condition fails or a weight would overflow.
    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal>;
}

/// What `rule` proposes at `focus`, which anybody may have made up: its nodes are there, each is named
/// once, unless the rule counts them, and places have multiplicities only where they mean something.
pub(super) fn propose(rule: &dyn Rule, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
    let there = focus.places.iter().all(|&p| net.has_place(p))
        && focus.transitions.iter().all(|&t| net.has_transition(t));
    let once = rule.repeats() || (all_differ(&focus.places) && all_differ(&focus.transitions));
    let weighed = focus.weights.is_empty()
        || (rule.weighs()
            && focus.weights.len() == focus.places.len()
            && !focus.weights.contains(&0));
    if there && once && weighed { rule.check(net, focus) } else { None }
}

fn all_differ<T: Ord + Copy>(nodes: &[T]) -> bool {
    if nodes.is_sorted_by(|a, b| a < b) {
        return true;
    }
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    sorted.is_sorted_by(|a, b| a < b)
}
