//! Weakens goals about a coloured net to goals about a net that simulates it.

use super::simulating_net::SimulatingNet;
use super::skeleton::Skeleton;
use parikh_net::{Goal, LinearSum, Predicate, TransitionId};

impl SimulatingNet {
    /// Weakens a goal about the nodes of `skeleton` to a goal about this net. If a reachable
    /// marking of the coloured net satisfies `goal`, a reachable marking of this net satisfies the
    /// result. A maximum becomes the maximum of the same sum. Returns `None` for goals other than
    /// reachability and maxima, or if a sum or transition cannot be translated.
    pub fn weakened(&self, skeleton: &Skeleton, goal: &Goal) -> Option<Goal> {
        Some(match goal {
            Goal::Reach(predicate) => Goal::Reach(self.weaken(skeleton, predicate)?),
            Goal::Maximise(sum) => Goal::Maximise(self.sum(sum)?),
            // The abstraction has more behaviour. Goals of other kinds, such as home goals, are not
            // translated.
            _ => return None,
        })
    }

    /// Returns a predicate over this net that holds wherever `predicate` holds in the coloured net.
    /// Returns `None` if this net has no folding or a coefficient is too large.
    fn weaken(&self, skeleton: &Skeleton, predicate: &Predicate) -> Option<Predicate> {
        let coloured = |t: &TransitionId| skeleton.coloured_transition(*t);
        let weaken_all = |parts: &[Predicate]| -> Option<Vec<Predicate>> {
            parts.iter().map(|part| self.weaken(skeleton, part)).collect()
        };
        let transitions = 0..self.decided_transitions.len();
        Some(match predicate {
            Predicate::True | Predicate::False => predicate.clone(),
            Predicate::Atom(atom) => Predicate::at_most(self.sum(&atom.sum)?, atom.bound),
            Predicate::Enabled(t) => self.enabled(coloured(t))?,
            Predicate::Disabled(t) => self.disabled(coloured(t))?,
            Predicate::NotDead => {
                Predicate::or(transitions.map(|t| self.enabled(t)).collect::<Option<Vec<_>>>()?)
            }
            Predicate::Dead => {
                Predicate::and(transitions.map(|t| self.disabled(t)).collect::<Option<Vec<_>>>()?)
            }
            Predicate::And(parts) => Predicate::and(weaken_all(parts)?),
            Predicate::Or(parts) => Predicate::or(weaken_all(parts)?),
        })
    }

    /// Returns the sum over coloured places as a sum over the places of this net. Returns `None` if
    /// the net has no folding or a coefficient is too large.
    fn sum(&self, sum: &LinearSum) -> Option<LinearSum> {
        let folding = self.net.folding()?;
        let colours = sum.terms().iter().flat_map(|&(place, times)| {
            folding.places(place.index()).map(move |colour| (colour, times))
        });
        LinearSum::new(colours).ok()
    }

    /// Returns a predicate that holds wherever some binding of the coloured transition is enabled.
    /// Returns `None` if this net has no folding.
    fn enabled(&self, coloured: usize) -> Option<Predicate> {
        let unfolded = self.net.folding()?.transitions(coloured);
        Some(Predicate::or(unfolded.map(Predicate::Enabled)))
    }

    /// Returns a predicate that holds wherever no binding of the coloured transition is enabled. It
    /// is the constant true if the transition is not decided. Returns `None` if this net has no
    /// folding.
    fn disabled(&self, coloured: usize) -> Option<Predicate> {
        let unfolded = self.net.folding()?.transitions(coloured);
        Some(match self.decided_transitions[coloured] {
            true => Predicate::and(unfolded.map(Predicate::Disabled)),
            false => Predicate::True,
        })
    }
}
