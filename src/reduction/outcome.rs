//! What a reduction gives: the smaller net, what its nodes mean, and the way back.

use super::back::Back;
use super::statistics::{Size, Statistics};
use parikh_evidence::reduction::{Log, Needs, ReducedNet};
use parikh_net::{Net, PlaceId, TransitionId};
use std::ops::Deref;

/// A reduced net and everything about how it came to be. It is its [`ReducedNet`], too.
#[derive(Debug)]
pub struct Reduction {
    /// The reduced net and what its nodes mean.
    pub reduced: ReducedNet,
    /// The way back for firing sequences.
    pub back: Back,
    /// The applications in order.
    pub log: Log,
    /// Counts and times.
    pub statistics: Statistics,
    /// Transitions of the original net found to be dead, ascending. Not all that are.
    pub dead_transitions: Vec<TransitionId>,
    /// Places of the original net found to hold the same tokens for ever, with these, ascending.
    pub constant_places: Vec<(PlaceId, u64)>,
}

impl Deref for Reduction {
    type Target = ReducedNet;
    fn deref(&self) -> &ReducedNet {
        &self.reduced
    }
}

impl Reduction {
    /// The net as its own reduction.
    pub(super) fn nothing(net: &Net, needs: Needs, statistics: Statistics) -> Reduction {
        Reduction {
            reduced: ReducedNet::unreduced(net, needs),
            back: Back::of_nothing(net),
            log: Log::default(),
            statistics: Statistics { before: Size::of(net), after: Size::of(net), ..statistics },
            dead_transitions: Vec::new(),
            constant_places: Vec::new(),
        }
    }
}
