//! Place/transition nets that over-approximate a coloured net.

use super::quotient::Quotient;
use parikh_net::Net;

/// A net that simulates a coloured net with respect to the total number of tokens of each place:
/// the skeleton, or the unfolding of a quotient. Its folding lists the places and transitions that
/// belong to each coloured place and transition.
///
/// # Soundness
/// [`Skeleton`](super::Skeleton) and [`Quotient`] prove the simulation. A goal is weakened to a
/// goal that holds in this net wherever the original goal holds in the coloured net:
/// 1. Comparisons of totals stay as they are.
/// 2. If some binding enables a coloured transition, one of its transitions here is enabled.
/// 3. If no binding enables a transition, none of its transitions here is enabled, provided that
///    the transition is decided: here it is enabled only if some binding enables it. Otherwise the
///    condition is replaced by true. So a deadlock becomes "none of the decided transitions is
///    enabled".
#[derive(Clone, Debug)]
pub struct SimulatingNet {
    pub(super) net: Net,
    /// One entry per coloured transition: true if the transition is known to be decided. A decided
    /// transition is enabled in this net only if some binding enables it in the coloured net.
    pub(super) decided_transitions: Vec<bool>,
}

impl SimulatingNet {
    pub(super) fn new(net: Net, decided: Vec<bool>) -> Self {
        SimulatingNet { net, decided_transitions: decided }
    }

    /// Creates the abstraction given by the unfolding of a quotient.
    pub fn of_quotient(quotient: &Quotient, unfolding: Net) -> Self {
        SimulatingNet {
            net: unfolding,
            decided_transitions: quotient.decided_transitions().to_vec(),
        }
    }

    /// Returns the net.
    pub fn net(&self) -> &Net {
        &self.net
    }
}
