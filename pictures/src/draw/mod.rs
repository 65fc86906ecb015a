//! Pictures of nets.
//!
//! [`net()`] shows a net, or the part of the net around its highlighted nodes. [`summary()`] shows
//! the groups of a net with too many nodes, and [`coloured()`] a coloured net. The module
//! `highlight` selects the highlighted nodes. All of these functions return a [`Scene`]. [`svg()`]
//! lays out and draws a scene, and [`dot()`] writes a scene for Graphviz. [`animated()`] animates a
//! firing sequence, and [`strip()`] shows the sequence picture by picture. [`automaton`] draws
//! automata over infinite words, and [`system`] parallel systems.

mod animated;
pub mod automaton;
mod coloured;
pub(crate) mod dot;
mod grouping;
mod highlight;
mod net;
mod scene;
mod strip;
mod summary;
mod svg;
pub mod system;

pub use animated::{MAX_FIRINGS, animated};
pub use coloured::coloured;
pub use dot::dot;
pub use grouping::{NodeGroup, NodeGroups};
pub use highlight::{Highlight, HighlightError};
pub use net::{extended, net};
pub use scene::{LineEnds, NodeForm, Scene, SceneLine, SceneNode};
pub use strip::{MAX_PICTURES, Strip, strip};
pub use summary::{Summary, summary};
pub use svg::svg;

use parikh_net::{Net, PlaceId, TransitionId};
use std::collections::BTreeSet;

/// The largest number of nodes in a readable picture.
pub const MAX_READABLE_NODES: usize = 300;

/// The largest number of nodes in a picture that shows the shape of a whole net, where single
/// labels need not be readable.
pub const MAX_WHOLE_NODES: usize = 1_000;

/// The nodes of a net to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnPart {
    /// The places to draw.
    pub places: BTreeSet<PlaceId>,
    /// The transitions to draw. All arcs between places and transitions of the part are drawn.
    pub transitions: BTreeSet<TransitionId>,
}

impl DrawnPart {
    /// Returns the whole net as a part.
    pub fn whole(net: &Net) -> Self {
        DrawnPart { places: net.places().collect(), transitions: net.transitions().collect() }
    }

    /// Returns the highlighted nodes and their neighbours.
    pub fn around(net: &Net, highlight: &Highlight) -> Self {
        let mut part = DrawnPart {
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

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.places.len() + self.transitions.len()
    }

    /// Returns true if there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
