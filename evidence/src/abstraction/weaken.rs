//! Weakens goals about a coloured net to goals about a net that simulates it.

use super::along::SimulatingNet;
use super::skeleton::Skeleton;
use parikh_net::{Goal, LinearSum, Predicate, TransitionId};

impl SimulatingNet {
    /// Returns a goal that the totals of every marking with `goal` satisfy here. `goal` is about
    /// the nodes of `skeleton`. Returns `None` if there is no such goal.
    pub fn weakened(&self, skeleton: &Skeleton, goal: &Goal) -> Option<Goal> {
        Some(match goal {
            Goal::Reach(predicate) => Goal::Reach(self.weaken(skeleton, predicate)?),
            Goal::Maximise(sum) => Goal::Maximise(self.sum(sum)?),
            // The abstraction has more behaviour, so goals about predicates that stay reachable do
            // not carry over in either direction.
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

    /// Returns the sum over coloured places as a sum over the places of this net.
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
