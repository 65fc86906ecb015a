//! Maxima: the largest value of a sum under the state equation, rounded down.
//!
//! The optimum of the program bounds the goal from above. If the solution leaves a marked trap
//! empty, the trap becomes a row and the optimum is looked for again; it can only be lower. Every
//! improvement goes to the board at once, because the walk may have seen as much already.
//!
//! # In whole numbers
//! Tokens and firings come in ones, and the optimum of the program need not: a bound of a few
//! tokens more than was ever seen is often nothing but that. So when all goals rest, `narrow` asks
//! whether the sum can be one more than was seen, as of any predicate, split by split
//! ([`ladder`](super::ladder)). If it cannot, the maximum is settled. If there is a solution in
//! whole numbers, the question moves up, half of the way from the solution's value to the bound at
//! a time; what it excludes lowers the bound.

use super::Engine;
use super::atoms::Node;
use super::ladder::Pursuit;
use super::relaxation::Least;
use crate::board::Over;
use crate::engine::Task;
use parikh_net::{Atom, LinearSum, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use std::rc::Rc;

/// A maximum as far as whole numbers are concerned.
#[derive(Default)]
pub(super) struct IntegerMaximum {
    /// What was asked last: whether the sum can be so much.
    asked: Option<(i64, Node, Literal)>,
    /// The largest value of a solution in whole numbers.
    found: Option<i128>,
}

impl IntegerMaximum {
    /// Whether a solution in whole numbers attains the bound: nothing here can lower it.
    pub(super) fn attains(&self, bound: i128) -> bool {
        self.found.is_some_and(|found| found >= bound)
    }

    /// The value to ask for next, between what was seen and the bound.
    fn next(&self, seen: i128, bound: i128) -> i128 {
        match self.found {
            Some(found) if found > seen => found + (bound - found + 1) / 2,
            _ => seen + 1,
        }
    }
}

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
            if !self.exclude_by_lower_bounds(&point) {
                self.rest(index, point);
                return true;
            }
            if budget.is_exhausted() {
                return false;
            }
        }
    }

    /// Lowers the bound of a goal that rests to what whole numbers allow. Whether it is settled or
    /// nothing is left to try.
    pub(super) fn narrow(
        &mut self,
        index: usize,
        negated: &LinearSum,
        whole: &mut IntegerMaximum,
        budget: &Budget,
        over: Over<'_>,
    ) -> bool {
        let id = self.targets[index].id;
        let sum = negated.negated();
        loop {
            let Some(bound) = over.proved(id) else { return true };
            let seen = over.seen(id).unwrap_or_else(|| sum.value(self.net.initial()));
            if seen >= bound || whole.attains(bound) {
                return true;
            }
            // Beyond 63 bits: of no use to anybody.
            let Ok(value) = i64::try_from(whole.next(seen, bound)) else { return true };
            let Some(least) = value.checked_neg() else { return true };
            let (tree, root) = match whole.asked.take() {
                Some((asked, tree, root)) if asked == value => (tree, root),
                _ => {
                    let atom = Atom { sum: negated.clone(), bound: least };
                    let tree = Node::Atom(self.atoms.intern(atom));
                    self.learn_clashes(&tree.atoms());
                    let root = self.proposer.add(&tree);
                    (tree, root)
                }
            };
            match self.propose(index, &tree, root, budget) {
                Pursuit::Excluded => {
                    let more = Predicate::Atom(Atom { sum: negated.clone(), bound: least });
                    let Some(proof) = self.refute(index, &tree, &more, budget, over) else {
                        return false;
                    };
                    self.statistics.bounds += 1;
                    over.at_most(id, i128::from(value) - 1, proof);
                    // What the board does not take it would not take the next time either.
                    if over.proved(id).is_none_or(|now| now >= bound) {
                        return true;
                    }
                }
                Pursuit::Rests => {
                    let candidate = self.targets[index].candidate.clone();
                    let whole_point = candidate.filter(|(point, _)| self.is_whole(point));
                    let Some((point, _)) = whole_point else { return true };
                    let found = point.value(&sum);
                    // Rounded too far.
                    if found < i128::from(value) {
                        return true;
                    }
                    whole.found = Some(found);
                }
                Pursuit::Unfinished => {
                    whole.asked = Some((value, tree, root));
                    return false;
                }
            }
        }
    }
}
