//! Maxima: the largest value of a sum under the state equation, rounded down.
//!
//! The optimum of the linear program is an upper bound of the goal. If the solution leaves a marked
//! trap empty, the trap becomes a row, and the program is solved again; the optimum can only
//! decrease. Every improvement is reported to the board at once, since the walk may have reached
//! the bound already.
//!
//! # Integer refinement
//! Tokens and firings are integers, but the optimum of the linear program may be fractional. A
//! bound slightly above the largest value seen is often only due to this. So when all goals have
//! candidates, `narrow` asks if the sum can be at least one larger than the largest value seen.
//! This is decided like any predicate, split by split ([`ladder`](super::ladder)). If it cannot,
//! the maximum is settled. If an integer solution exists, the next question is half way between its
//! value and the bound. Each refuted question lowers the bound.

use super::Engine;
use super::atoms::AtomNode;
use super::ladder::Pursuit;
use super::relaxation::MinimumResult;
use crate::Task;
use crate::board::ProofReporter;
use parikh_net::{Atom, LinearSum, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use std::rc::Rc;

/// The state of the search for the largest integral value of one maximum.
#[derive(Default)]
pub(super) struct IntegerMaximum {
    /// The last question "can the sum have at least this value?", if it was left undecided. The
    /// fields are the value, the tree of its comparison, and the proposer's literal for the tree.
    last_question: Option<(i64, AtomNode, Literal)>,
    /// The largest value of an integral solution of the state equation found so far. `None` before
    /// the first such solution.
    largest_integral_value: Option<i128>,
}

impl IntegerMaximum {
    /// Returns true if an integral solution attains the bound. The state equation then cannot lower
    /// it.
    pub(super) fn attains(&self, bound: i128) -> bool {
        self.largest_integral_value.is_some_and(|integral_value| integral_value >= bound)
    }

    /// Returns the next value to ask for, which is above `seen`, the largest value in a witness,
    /// and at most the proved bound. If an integral solution exceeds `seen`, the value halves the
    /// distance from this solution to the bound.
    fn next_value(&self, seen: i128, bound: i128) -> i128 {
        match self.largest_integral_value {
            Some(integral_value) if integral_value > seen => {
                integral_value + (bound - integral_value + 1) / 2
            }
            _ => seen + 1,
        }
    }
}

impl Engine<'_> {
    /// Works on the `Maximise` goal at `index`, whose negated sum is `negated`: proves the bound
    /// that the linear program gives. Sets `unbounded` if the program has no bound. Returns true if
    /// the goal is settled, or if the linear program cannot lower the bound further or is
    /// unbounded. Also returns true if the bound exceeds 63 bits. Returns false if the program
    /// cannot express the sum, or if the solver gives no usable answer. Also returns false if no
    /// proof of the bound is found, or if the budget is exhausted.
    pub(super) fn maximise(
        &mut self,
        index: usize,
        negated: &LinearSum,
        unbounded: &mut bool,
        budget: &Budget,
        task: &Task<'_>,
        proof_reporter: ProofReporter<'_>,
    ) -> bool {
        let id = self.targets[index].id;
        loop {
            let (bound, lemma, point) = match self.relaxation.minimise(negated, budget) {
                MinimumResult::Bound { bound, lemma, point } => (-bound, lemma, point),
                MinimumResult::Unbounded => {
                    *unbounded = true;
                    return true;
                }
                MinimumResult::Unknown => return false,
            };
            if proof_reporter.proved(id).is_none_or(|proved| bound < proved) {
                // A comparison cannot express a bound beyond 63 bits.
                let Ok(bound_value) = i64::try_from(bound) else { return true };
                let above_bound = Atom { sum: negated.negated(), bound: bound_value }.negated();
                let lemma = lemma.refuting(self.atoms.intern(above_bound.clone()));
                match self.prove(
                    id,
                    &Predicate::Atom(above_bound),
                    &[&lemma],
                    budget,
                    proof_reporter,
                ) {
                    Some(proof) => {
                        self.statistics.bounds += 1;
                        proof_reporter.report_at_most(id, bound, proof);
                    }
                    None => return false,
                }
            }
            if !task.board.is_open(id) {
                return true;
            }
            let point = Rc::new(point);
            if !self.exclude_by_lower_bounds(&point) {
                self.set_candidate(index, point);
                return true;
            }
            if budget.is_exhausted() {
                return false;
            }
        }
    }

    /// Lowers the proved bound of the maximum at `index`, whose negated sum is `negated`, by
    /// questions "can the sum have at least this value?". Returns true if the goal is settled, if
    /// no bound is proved yet, or if no smaller bound can be proved or used. Returns false if a
    /// question remains undecided within the budget, or if no proof of a smaller bound is found.
    pub(super) fn narrow(
        &mut self,
        index: usize,
        negated: &LinearSum,
        integer_maximum: &mut IntegerMaximum,
        budget: &Budget,
        proof_reporter: ProofReporter<'_>,
    ) -> bool {
        let id = self.targets[index].id;
        let sum = negated.negated();
        loop {
            let Some(bound) = proof_reporter.proved(id) else { return true };
            let seen =
                proof_reporter.largest_seen(id).unwrap_or_else(|| sum.value(self.net.initial()));
            if seen >= bound || integer_maximum.attains(bound) {
                return true;
            }
            // A comparison cannot express a value beyond 63 bits.
            let Ok(value) = i64::try_from(integer_maximum.next_value(seen, bound)) else {
                return true;
            };
            let Some(negated_value) = value.checked_neg() else { return true };
            let (tree, root) = match integer_maximum.last_question.take() {
                Some((asked_value, tree, root)) if asked_value == value => (tree, root),
                _ => {
                    let atom = Atom { sum: negated.clone(), bound: negated_value };
                    let tree = AtomNode::Atom(self.atoms.intern(atom));
                    self.learn_clashes(&tree.atoms());
                    let root = self.proposer.add_tree(&tree);
                    (tree, root)
                }
            };
            match self.propose(index, &tree, root, budget) {
                Pursuit::Excluded => {
                    let at_least_value =
                        Predicate::Atom(Atom { sum: negated.clone(), bound: negated_value });
                    let Some(proof) =
                        self.refute(index, &tree, &at_least_value, budget, proof_reporter)
                    else {
                        return false;
                    };
                    self.statistics.bounds += 1;
                    proof_reporter.report_at_most(id, i128::from(value) - 1, proof);
                    // If the board refused the bound, it would refuse it the next time as well.
                    if proof_reporter.proved(id).is_none_or(|new_bound| new_bound >= bound) {
                        return true;
                    }
                }
                Pursuit::HasCandidate => {
                    let candidate = self.targets[index].candidate.clone();
                    let integral_candidate =
                        candidate.filter(|(point, _)| self.is_ordered_integral(point));
                    let Some((point, _)) = integral_candidate else { return true };
                    let point_value = point.value(&sum);
                    // The rounded value of the sum is below the value that was asked for, because
                    // of rounding errors.
                    if point_value < i128::from(value) {
                        return true;
                    }
                    integer_maximum.largest_integral_value = Some(point_value);
                }
                Pursuit::Unfinished => {
                    integer_maximum.last_question = Some((value, tree, root));
                    return false;
                }
            }
        }
    }
}
