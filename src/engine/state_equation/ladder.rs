//! Reachability goals: propose, decide, learn, until nothing is left or a candidate stands.

use super::Engine;
use super::atoms::{AtomId, Node};
use super::proposer::Proposal;
use super::relaxation::Decision;
use crate::board::{Over, Proof};
use crate::evidence::certificate::Lemma;
use parikh_net::{Atom, LinearSum, MarkingGoal, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use std::rc::Rc;

/// Cuts for one solution.
const CUTS: usize = 3;

/// How far it came with a predicate.
pub(super) enum Pursuit {
    /// Nothing is left to propose: lemmas exclude it.
    Excluded,
    /// The goal has a candidate.
    Rests,
    /// Out of time, or a solver gave up.
    Unfinished,
}

impl Engine<'_> {
    /// Works on one goal. Whether it is settled or has a candidate.
    pub(super) fn pursue(
        &mut self,
        index: usize,
        tree: &Node,
        root: Literal,
        goal: &MarkingGoal,
        budget: &Budget,
        over: Over<'_>,
    ) -> bool {
        match self.propose(index, tree, root, budget) {
            Pursuit::Rests => true,
            Pursuit::Unfinished => false,
            Pursuit::Excluded => {
                let MarkingGoal::Reach(predicate) = goal else { return true };
                let Some(proof) = self.refute(index, tree, predicate, budget, over) else {
                    return false;
                };
                self.statistics.refuted += 1;
                over.unreachable(self.targets[index].id, proof);
                true
            }
        }
    }

    /// Proposes comparisons for a predicate until none are left or a solution stands.
    pub(super) fn propose(
        &mut self,
        index: usize,
        tree: &Node,
        root: Literal,
        budget: &Budget,
    ) -> Pursuit {
        let mut last: Option<Rc<super::Point>> = None;
        let depth = self.targets[index].depth;
        loop {
            // A candidate of another goal may do for this one.
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
                Decision::Infeasible(lemma) => self.learn(lemma),
                Decision::Feasible(point) => {
                    let point = Rc::new(point);
                    // Whole numbers first: what orders exclude of broken ones would use up the
                    // splits.
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
                Decision::Unknown => return Pursuit::Unfinished,
            }
            if budget.is_exhausted() {
                return Pursuit::Unfinished;
            }
        }
    }

    /// The proof that a predicate is unreachable for which no proposal is left, if it stands.
    pub(super) fn refute(
        &mut self,
        index: usize,
        tree: &Node,
        predicate: &Predicate,
        budget: &Budget,
        over: Over<'_>,
    ) -> Option<Proof> {
        let mut atoms = tree.atoms();
        atoms.extend(self.splits.iter().flat_map(|&(low, high)| [low, high]));
        atoms.sort_unstable();
        atoms.dedup();
        let lemmas: Vec<Lemma> = self.lemmas_about(&atoms).into_iter().cloned().collect();
        let lemmas: Vec<&Lemma> = lemmas.iter().collect();
        self.prove(self.targets[index].id, predicate, &lemmas, budget, over)
    }

    /// Splits on sums that the point breaks: from now on the goal is looked for below the broken
    /// value and above it. Whether there were any. `point` is the solution found last.
    fn split(&mut self, index: usize, point: &super::Point) -> bool {
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
