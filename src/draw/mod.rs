//! Pictures of nets.
//!
//! [`net()`] shows a net, or the part of it around its highlighted nodes; [`summary()`] what a net
//! too large to look at consists of; [`coloured()`] a coloured net. What can be highlighted is in
//! `highlight`. All of them are a [`Scene`], which [`svg()`] lays out and draws, and [`dot()`]
//! writes for Graphviz; [`animated()`] plays a firing sequence, [`strip()`] shows it picture by
//! picture. [`automaton`] draws automata over infinite words,
//! [`system`] parallel systems.

mod animated;
pub mod automaton;
mod coloured;
mod dot;
mod grouping;
mod highlight;
mod net;
mod scene;
mod strip;
mod summary;
mod svg;
pub mod system;

pub use animated::{MOST_FIRINGS, animated};
pub use coloured::coloured;
pub use dot::dot;
pub use grouping::{Group, Grouping};
pub use highlight::{Highlight, HighlightError};
pub use net::{extended, net};
pub use scene::{Ends, Form, Line, Node, Scene};
pub use strip::{MOST_PICTURES, Strip, strip};
pub use summary::{Summary, summary};
pub(crate) use svg::escaped;
pub use svg::svg;

use parikh_net::{Net, PlaceId, TransitionId};
use std::collections::BTreeSet;

/// As many nodes as can be looked at.
pub const MOST_NODES: usize = 300;

/// As many as can be looked at to see what a whole net is like, where nothing in particular is
/// looked for.
pub const MOST_WHOLE: usize = 1_000;

/// The nodes of a net to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// These places,
    pub places: BTreeSet<PlaceId>,
    /// these transitions, and all arcs between them.
    pub transitions: BTreeSet<TransitionId>,
}

impl Part {
    /// All of a net.
    pub fn whole(net: &Net) -> Self {
        Part { places: net.places().collect(), transitions: net.transitions().collect() }
    }

    /// The highlighted nodes and those next to them.
    pub fn around(net: &Net, highlight: &Highlight) -> Self {
        let mut part = Part {
            places: highlight.places.keys().copied().collect(),
            transitions: highlight.transitions.keys().copied().collect(),
        };
        for &place in highlight.places.keys() {
            let arcs = net.producers(place).iter().chain(net.consumers(place));
            part.transitions.extend(arcs.map(|arc| arc.transition));
        }
        for &transition in highlight.transitions.keys() {
            let arcs = net.pre(transition).iter().chain(net.post(transition));
            part.places.extend(arcs.map(|arc| arc.place));
        }
        part
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.places.len() + self.transitions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
