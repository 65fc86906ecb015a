//! Nets that go along with every firing of a coloured net, and what of a goal they show.

use super::{Quotient, Skeleton};
use parikh_net::{Goal, LinearSum, Net, Predicate, TransitionId};

/// A net whose folding is that of a coloured net, and which fires whatever that fires, seen through the
/// totals of places: its skeleton, or the unfolding with some colours made one.
///
/// # Soundness
/// See [`Skeleton`] and [`Quotient`] for why it goes along. A goal is weakened to what holds in this net
/// wherever it holds in the coloured one:
/// 1. Comparisons of totals stay as they are.
/// 2. A transition that some binding enables has one here that is enabled.
/// 3. That no binding enables a transition says something only if the transition is decided; then none
///    here is enabled. For any other transition it is replaced by true, and so a deadlock becomes "none of
///    the decided transitions is enabled".
#[derive(Clone, Debug)]
pub struct Abstraction {
    net: Net,
    /// By coloured transition.
    decided: Vec<bool>,
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

    /// What the totals of every marking that satisfies `goal`, which is about the nodes of `skeleton`,
    /// satisfy here; `None` when that cannot be written.
    pub fn weakened(&self, skeleton: &Skeleton, goal: &Goal) -> Option<Goal> {
        Some(match goal {
            Goal::Reach(predicate) => Goal::Reach(self.weaken(skeleton, predicate)?),
            Goal::Maximise(sum) => Goal::Maximise(self.sum(sum)?),
            // More is possible here: what is lost may stay, and the other way round.
            _ => return None,
        })
    }

    fn weaken(&self, skeleton: &Skeleton, predicate: &Predicate) -> Option<Predicate> {
        let of = |t: &TransitionId| skeleton.coloured_transition(*t);
        let all = |parts: &[Predicate]| -> Option<Vec<Predicate>> {
            parts.iter().map(|part| self.weaken(skeleton, part)).collect()
        };
        let transitions = 0..self.decided.len();
        Some(match predicate {
            Predicate::True | Predicate::False => predicate.clone(),
            Predicate::Atom(atom) => Predicate::at_most(self.sum(&atom.sum)?, atom.bound),
            Predicate::Enabled(t) => self.enabled(of(t))?,
            Predicate::Disabled(t) => self.disabled(of(t))?,
            Predicate::NotDead => {
                Predicate::or(transitions.map(|t| self.enabled(t)).collect::<Option<Vec<_>>>()?)
            }
            Predicate::Dead => {
                Predicate::and(transitions.map(|t| self.disabled(t)).collect::<Option<Vec<_>>>()?)
            }
            Predicate::And(parts) => Predicate::and(all(parts)?),
            Predicate::Or(parts) => Predicate::or(all(parts)?),
        })
    }

    /// The totals of coloured places.
    fn sum(&self, sum: &LinearSum) -> Option<LinearSum> {
        let folding = self.net.folding()?;
        let colours = sum.terms().iter().flat_map(|&(place, times)| {
            folding.places(place.index()).map(move |colour| (colour, times))
        });
        LinearSum::new(colours).ok()
    }

    fn enabled(&self, coloured: usize) -> Option<Predicate> {
        let here = self.net.folding()?.transitions(coloured);
        Some(Predicate::or(here.map(Predicate::Enabled)))
    }

    fn disabled(&self, coloured: usize) -> Option<Predicate> {
        let here = self.net.folding()?.transitions(coloured);
        Some(match self.decided[coloured] {
            true => Predicate::and(here.map(Predicate::Disabled)),
            false => Predicate::True,
        })
    }
}
