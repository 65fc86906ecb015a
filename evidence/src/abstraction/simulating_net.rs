//! Nets that simulate a coloured net.

use super::quotient::Quotient;
use parikh_net::Net;

/// A net with the coloured places and transitions of a coloured net as its folding, and which
/// simulates it with respect to the totals of places: the skeleton, or the unfolding of a quotient.
///
/// # Soundness
/// [`Skeleton`](super::Skeleton) and [`Quotient`] prove the simulation. A goal is weakened to a
/// goal that holds in this net wherever the original goal holds in the coloured net:
/// 1. Comparisons of totals stay as they are.
/// 2. If some binding enables a coloured transition, one of its transitions here is enabled.
/// 3. If no binding enables a transition, none of its transitions here is enabled, provided that
///    the transition is decided. Otherwise the condition is replaced by true. So a deadlock becomes
///    "none of the decided transitions is enabled".
#[derive(Clone, Debug)]
pub struct SimulatingNet {
    pub(super) net: Net,
    /// An entry per coloured transition.
    pub(super) decided: Vec<bool>,
}

impl SimulatingNet {
    pub(super) fn new(net: Net, decided: Vec<bool>) -> Self {
        SimulatingNet { net, decided }
    }

    /// Creates the abstraction given by the unfolding of a quotient.
    pub fn of_quotient(quotient: &Quotient, unfolding: Net) -> Self {
        SimulatingNet { net: unfolding, decided: quotient.decided_transitions().to_vec() }
    }

    /// Returns the net.
    pub fn net(&self) -> &Net {
        &self.net
    }
}
