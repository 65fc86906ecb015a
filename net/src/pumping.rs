//! Evidence that tokens grow without bound: firing sequences that can be repeated.
//!
//! A *pump* is a firing sequence that lowers no place, so that it can be fired again and again. One
//! pump is not always enough. In the following net, only `make` produces tokens on `made`, after
//! `close` has marked `ready`. From then on, only `make` is enabled, and it consumes tokens from
//! `store`:
//!
//! ```text
//! place open 1 · place ready · place store · place made
//! transition fill: open -> open + store
//! transition close: open -> ready
//! transition make: ready + store -> ready + made
//! ```
//!
//! So there are several *stages*, each with a pump, and a pump may consume tokens that the pumps of
//! earlier stages produced. Earlier pumps are repeated as often as all later stages need. In the
//! net above, `fill` is repeated; then `close` fires, and `make` is repeated.
//!
//! # Source
//! R. Karp, R. Miller, *Parallel program schemata*, J. Computer and System Sciences 3, 1969: a
//! place that becomes ω in the tree, and the path to that node.

use crate::sequence::FiringSequence;

/// A sequence of stages, each with a pump, that is, a firing sequence that can be repeated. It
/// shows that the number of tokens grows without bound by repetitions of the last pump.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PumpSequence {
    /// The stages before the last stage. The first stage begins in the initial marking.
    pub earlier: Vec<Stage>,
    /// The last stage.
    pub last: Stage,
}

/// A firing sequence that is fired once, and the pump that is repeated after it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Stage {
    /// The firings before the pump, fired once.
    pub prefix: FiringSequence,
    /// The pump: the firings that are repeated. In an earlier stage, they are repeated as often as
    /// later stages need. In the last stage, they can be repeated without limit.
    pub pump: FiringSequence,
}

impl PumpSequence {
    /// Makes a sequence of a single stage.
    pub fn single(prefix: FiringSequence, pump: FiringSequence) -> Self {
        PumpSequence { earlier: Vec::new(), last: Stage { prefix, pump } }
    }

    /// Returns the stage if there is only one.
    pub fn only(&self) -> Option<&Stage> {
        self.earlier.is_empty().then_some(&self.last)
    }

    /// Returns the stages in order.
    pub fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.earlier.iter().chain([&self.last])
    }
}
