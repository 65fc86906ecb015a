//! Reachability goals: the SAT solver proposes comparisons, and the linear program decides their
//! conjunction. Infeasible proposals give lemmas. This ends when no proposal is left or a candidate
//! is found.

use super::Engine;
use super::atoms::{AtomId, AtomNode};
use super::proposer::Proposal;
use super::relaxation::ConjunctionResult;
use crate::board::{Proof, ProofReporter};
use parikh_evidence::certificate::Lemma;
use parikh_net::{Atom, LinearSum, MarkingGoal, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use std::rc::Rc;

/// Limit on the number of cuts used for splits after one solution. A cut is a sum of firing counts
/// that is fractional in the solution.
const MAX_CUTS: usize = 3;

/// Result of the search for a solution that satisfies a goal's predicate.
pub(super) enum Pursuit {
    /// No proposal is left: the lemmas exclude the predicate.
    Excluded,
    /// The goal has a candidate, that is, a solution of the linear program that satisfies the
    /// predicate as far as the program can express it. The present limit on splits allows no
    /// further refinement.
    HasCandidate,
    /// Time ran out, or a solver gave no usable answer.
    Unfinished,
}

impl Engine<'_> {
    /// Works on the `Reach` goal at `index`. Returns true if the goal has a candidate, or if its
    /// proof of unreachability was reported.
    pub(super) fn pursue(
        &mut self,
        index: usize,
        tree: &AtomNode,
        root: Literal,
        goal: &MarkingGoal,
        budget: &Budget,
        proof_reporter: ProofReporter<'_>,
    ) -> bool {
        match self.propose(index, tree, root, budget) {
            Pursuit::HasCandidate => true,
            Pursuit::Unfinished => false,
            Pursuit::Excluded => {
                let MarkingGoal::Reach(predicate) = goal else { return true };
                let Some(proof) = self.refute(index, tree, predicate, budget, proof_reporter)
                else {
                    return false;
                };
                self.statistics.refuted += 1;
                proof_reporter.report_unreachable(self.targets[index].id, proof);
                true
            }
        }
    }

    /// Proposes comparisons until the lemmas exclude the goal, or a solution becomes its candidate.
    /// Each refuted proposal gives a lemma. Ends earlier if time runs out, or if a solver gives no
    /// usable answer.
    pub(super) fn propose(
        &mut self,
        index: usize,
        tree: &AtomNode,
        root: Literal,
        budget: &Budget,
    ) -> Pursuit {
        let mut previous_point: Option<Rc<super::SolutionPoint>> = None;
        let max_splits = self.targets[index].max_splits;
        loop {
            // A candidate of another goal may satisfy this goal too.
            let atoms = &self.atoms;
            let reusable = self
                .recent_points
                .iter()
                .rev()
                .filter(|point| tree.holds(&mut |atom| point.satisfies(atoms.get(atom))))
                .find(|point| max_splits == 0 || self.is_ordered_integral(point));
            if let Some(point) = reusable.cloned() {
                self.set_candidate(index, point);
                return Pursuit::HasCandidate;
            }
            let reference_point = previous_point.as_ref().or(self.recent_points.last());
            let likely = |atom: AtomId| {
                reference_point.is_some_and(|point| point.satisfies(atoms.get(atom)))
            };
            let splits = &self.targets[index].splits;
            let proposal = self.proposer.propose(tree, root, splits, &likely, budget);
            let chosen = match proposal {
                Proposal::Candidate(chosen) => chosen,
                Proposal::Refuted => return Pursuit::Excluded,
                Proposal::Unknown => return Pursuit::Unfinished,
            };
            match self.relaxation.conjunction(&chosen, &self.atoms, budget) {
                ConjunctionResult::Infeasible(lemma) => self.learn(lemma),
                ConjunctionResult::Feasible(point) => {
                    let point = Rc::new(point);
                    // Splits on fractional values come before splits on orders of firings.
                    // Fractional solutions violate many such orders, whose splits would use up the
                    // limit.
                    let refined = self.exclude_by_lower_bounds(&point)
                        || self.targets[index].splits.len() < max_splits
                            && (self.split_on_fractions(index, &point)
                                || self.split_on_precedences(index, &point));
                    if !refined {
                        if max_splits > 0 {
                            // The result is cached in the point, for `deepen`.
                            self.is_ordered_integral(&point);
                        }
                        self.set_candidate(index, point);
                        return Pursuit::HasCandidate;
                    }
                    previous_point = Some(point);
                }
                ConjunctionResult::Unknown => return Pursuit::Unfinished,
            }
            if budget.is_exhausted() {
                return Pursuit::Unfinished;
            }
        }
    }

    /// Returns a checked proof that `predicate` is unreachable, after the lemmas have excluded all
    /// proposals for its tree. Returns `None` if no proof is found, or if the proof fails its
    /// check.
    pub(super) fn refute(
        &mut self,
        index: usize,
        tree: &AtomNode,
        predicate: &Predicate,
        budget: &Budget,
        proof_reporter: ProofReporter<'_>,
    ) -> Option<Proof> {
        let mut atoms = tree.atoms();
        atoms.extend(self.splits.iter().flat_map(|&(low, high)| [low, high]));
        atoms.sort_unstable();
        atoms.dedup();
        let lemmas: Vec<Lemma> = self.lemmas_about(&atoms).into_iter().cloned().collect();
        let lemmas: Vec<&Lemma> = lemmas.iter().collect();
        self.prove(self.targets[index].id, predicate, &lemmas, budget, proof_reporter)
    }

    /// Splits the goal on sums with a fractional value in `point`. In later proposals, each sum is
    /// at most the value rounded down, or at least the value rounded up. Returns false if the goal
    /// gets no new split. `point` must be the solution found last.
    fn split_on_fractions(&mut self, index: usize, point: &super::SolutionPoint) -> bool {
        let mut fractional_sums = self.relaxation.cuts(point, MAX_CUTS);
        if fractional_sums.is_empty() {
            let most_fractional = point.most_fractional();
            fractional_sums
                .extend(most_fractional.map(|(place, low)| (LinearSum::place(place), low)));
        }
        let mut is_added = false;
        for (sum, bound) in fractional_sums {
            let lower_side = Atom { sum, bound };
            let split =
                (self.atoms.intern(lower_side.clone()), self.atoms.intern(lower_side.negated()));
            if self.splits.insert(split) {
                self.proposer.add_split(split);
            }
            let splits = &mut self.targets[index].splits;
            if !splits.contains(&split) {
                splits.push(split);
                is_added = true;
            }
        }
        is_added
    }
}
