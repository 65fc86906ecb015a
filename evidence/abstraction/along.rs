//! Nets that go along with every firing of a coloured net.

use super::quotient::Quotient;
use parikh_net::Net;

/// A net whose folding is that of a coloured net, and which fires whatever that fires, seen through
/// the totals of places: its skeleton, or the unfolding with some colours made one.
///
/// # Soundness
/// See [`Skeleton`](super::Skeleton) and [`Quotient`] for why it goes along. A goal is weakened to
/// what holds in this net wherever it holds in the coloured one:
/// 1. Comparisons of totals stay as they are.
/// 2. A transition that some binding enables has one here that is enabled.
/// 3. That no binding enables a transition says something only if the transition is decided; then
///    none here is enabled. For any other transition it is replaced by true, and so a deadlock
///    becomes "none of the decided transitions is enabled".
#[derive(Clone, Debug)]
pub struct Abstraction {
    pub(super) net: Net,
    /// By coloured transition.
    pub(super) decided: Vec<bool>,
}

impl Abstraction {
    pub(super) fn new(net: Net, decided: Vec<bool>) -> Self {
        Abstraction { net, decided }
    }

    /// The abstraction that is this unfolding of a quotient.
    pub fn of_quotient(quotient: &Quotient, unfolding: Net) -> Self {
        Abstraction { net: unfolding, decided: quotient.decided().to_vec() }
    }

    /// The net.
    pub fn net(&self) -> &Net {
        &self.net
    }
}
