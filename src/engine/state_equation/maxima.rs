//! Maxima: the largest value of a sum under the state equation, rounded down.
//!
//! The optimum of the program bounds the goal from above. If the solution leaves a marked trap
//! empty, the trap becomes a row and the optimum is looked for again; it can only be lower. Every
//! improvement goes to the board at once, because the walk may have seen as much already.

use super::Engine;
use super::relaxation::Least;
use crate::board::Over;
use crate::engine::Task;
use parikh_net::{Atom, LinearSum, Predicate};
use parikh_solvers::Budget;
use std::rc::Rc;

impl Engine<'_> {
    /// Works on one goal. Whether it is settled or nothing is left to try.
    pub(super) fn maximise(
        &mut self,
        index: usize,
        negated: &LinearSum,
        unbounded: &mut bool,
        budget: &Budget,
        task: &Task<'_>,
        over: Over<'_>,
    ) -> bool {
        let id = self.targets[index].id;
        loop {
            let (bound, lemma, point) = match self.relaxation.least(negated, budget) {
                Least::Bound { bound, lemma, point } => (-bound, lemma, point),
                Least::Unbounded => {
                    *unbounded = true;
                    return true;
                }
                Least::Unknown => return false,
            };
            if over.proved(id).is_none_or(|proved| bound < proved) {
                // Bounds beyond 63 bits are of no use to anybody.
                let Ok(small) = i64::try_from(bound) else { return true };
                let more = Atom { sum: negated.negated(), bound: small }.negated();
                let lemma = lemma.refuting(self.atoms.intern(more.clone()));
                match self.prove(id, &Predicate::Atom(more), &[&lemma], budget, over) {
                    Some(proof) => {
                        self.statistics.bounds += 1;
                        over.at_most(id, bound, proof);
                    }
                    None => return false,
                }
            }
            if !task.board.is_open(id) {
                return true;
            }
            let point = Rc::new(point);
            if !self.exclude_by_traps(&point) {
                self.rest(index, point);
                return true;
            }
            if budget.is_exhausted() {
                return false;
            }
        }
    }
}
