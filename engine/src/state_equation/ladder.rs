//! Reachability goals: proposes comparisons, decides them, and learns lemmas, until no proposal is
//! left or a candidate is found.

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

/// Limit on the number of cuts per solution.
const CUTS: usize = 3;

/// Result of working on a predicate.
pub(super) enum Pursuit {
    /// No proposal is left: the lemmas exclude the predicate.
    Excluded,
    /// The goal has a candidate solution.
    Rests,
    /// Time ran out, or a solver gave up.
    Unfinished,
}

impl Engine<'_> {
    /// Works on one goal. Returns true if it is settled or has a candidate.
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
            Pursuit::Rests => true,
            Pursuit::Unfinished => false,
            Pursuit::Excluded => {
                let MarkingGoal::Reach(predicate) = goal else { return true };
                let Some(proof) = self.refute(index, tree, predicate, budget, proof_reporter)
                else {
                    return false;
                };
                self.statistics.refuted += 1;
                proof_reporter.unreachable(self.targets[index].id, proof);
                true
            }
        }
    }

    /// Proposes comparisons for a predicate until no proposal is left or a solution is found.
    pub(super) fn propose(
        &mut self,
        index: usize,
        tree: &AtomNode,
        root: Literal,
        budget: &Budget,
    ) -> Pursuit {
        let mut last: Option<Rc<super::SolutionPoint>> = None;
        let depth = self.targets[index].depth;
        loop {
            // A candidate of another goal may satisfy this goal too.
            let atoms = &self.atoms;
            let known = self
                .pool
                .iter()
                .rev()
                .filter(|point| tree.holds(&mut |atom| point.satisfies(atoms.get(atom))))
                .find(|point| depth == 0 || self.is_whole(point));
            if let Some(point) = known.cloned() {
                self.rest(index, point);
                return Pursuit::Rests;
            }
            let near = last.as_ref().or(self.pool.last());
            let likely = |atom: AtomId| near.is_some_and(|point| point.satisfies(atoms.get(atom)));
            let splits = &self.targets[index].splits;
            let proposal = self.proposer.propose(tree, root, splits, &likely, budget);
            let chosen = match proposal {
                Proposal::Try(chosen) => chosen,
                Proposal::Refuted => return Pursuit::Excluded,
                Proposal::Unknown => return Pursuit::Unfinished,
            };
            match self.relaxation.conjunction(&chosen, &self.atoms, budget) {
                ConjunctionResult::Infeasible(lemma) => self.learn(lemma),
                ConjunctionResult::Feasible(point) => {
                    let point = Rc::new(point);
                    // Splits on fractional values come first. Precedences excluded by fractional
                    // solutions would use up the limit of splits.
                    let refined = self.exclude_by_lower_bounds(&point)
                        || self.targets[index].splits.len() < depth
                            && (self.split(index, &point) || self.order(index, &point));
                    if !refined {
                        if depth > 0 {
                            self.is_whole(&point);
                        }
                        self.rest(index, point);
                        return Pursuit::Rests;
                    }
                    last = Some(point);
                }
                ConjunctionResult::Unknown => return Pursuit::Unfinished,
            }
            if budget.is_exhausted() {
                return Pursuit::Unfinished;
            }
        }
    }

    /// Returns a checked proof that a predicate without further proposals is unreachable.
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

    /// Splits on sums with a fractional value in the point: from now on the goal is searched below
    /// or above this value. Returns false if there was no new split. `point` must be the solution
    /// found last.
    fn split(&mut self, index: usize, point: &super::SolutionPoint) -> bool {
        let mut broken = self.relaxation.cuts(point, CUTS);
        if broken.is_empty() {
            let most = point.most_broken();
            broken.extend(most.map(|(place, low)| (LinearSum::place(place), low)));
        }
        let mut any = false;
        for (sum, bound) in broken {
            let below = Atom { sum, bound };
            let split = (self.atoms.intern(below.clone()), self.atoms.intern(below.negated()));
            if self.splits.insert(split) {
                self.proposer.split(split);
            }
            let splits = &mut self.targets[index].splits;
            if !splits.contains(&split) {
                splits.push(split);
                any = true;
            }
        }
        any
    }
}
