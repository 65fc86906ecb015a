//! Reachability goals: propose, decide, learn, until nothing is left or a candidate stands.

use super::Engine;
use super::atoms::{AtomId, Node};
use super::proposer::Proposal;
use super::relaxation::Decision;
use crate::board::Over;
use crate::evidence::certificate::{Claim, Lemma};
use parikh_net::{Atom, Goal, LinearSum};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use std::rc::Rc;

/// Cuts for one solution.
const CUTS: usize = 3;

impl Engine<'_> {
    /// Works on one goal. Whether it is settled or has a candidate.
    pub(super) fn pursue(
        &mut self,
        index: usize,
        tree: &Node,
        root: Literal,
        goal: &Goal,
        budget: &Budget,
        over: Over<'_>,
    ) -> bool {
        let mut last: Option<Rc<super::Point>> = None;
        let depth = self.targets[index].depth;
        loop {
            // A candidate of another goal may do for this one.
            let atoms = &self.atoms;
            let known = self
                .pool
                .iter()
                .rev()
                .filter(|point| depth == 0 || point.is_integral())
                .find(|point| tree.holds(&mut |atom| point.satisfies(atoms.get(atom))));
            if let Some(point) = known.cloned() {
                self.rest(index, point);
                return true;
            }
            let near = last.as_ref().or(self.pool.last());
            let likely = |atom: AtomId| near.is_some_and(|point| point.satisfies(atoms.get(atom)));
            let splits = &self.targets[index].splits;
            let proposal = self.proposer.propose(tree, root, splits, &likely, budget);
            let chosen = match proposal {
                Proposal::Try(chosen) => chosen,
                Proposal::Refuted => return self.refuted(index, tree, goal, budget, over),
                Proposal::Unknown => return false,
            };
            match self.relaxation.conjunction(&chosen, &self.atoms, budget) {
                Decision::Infeasible(lemma) => self.learn(lemma),
                Decision::Feasible(point) => {
                    let point = Rc::new(point);
                    let refined = self.exclude_by_traps(&point)
                        || self.targets[index].splits.len() < depth && self.split(index, &point);
                    if !refined {
                        self.rest(index, point);
                        return true;
                    }
                    last = Some(point);
                }
                Decision::Unknown => return false,
            }
            if budget.is_exhausted() {
                return false;
            }
        }
    }

    /// No proposal is left: the goal is unreachable, if its certificate stands.
    fn refuted(
        &mut self,
        index: usize,
        tree: &Node,
        goal: &Goal,
        budget: &Budget,
        over: Over<'_>,
    ) -> bool {
        let Goal::Reach(predicate) = goal else { return true };
        let mut atoms = tree.atoms();
        atoms.extend(self.splits.iter().flat_map(|&(low, high)| [low, high]));
        atoms.sort_unstable();
        atoms.dedup();
        let lemmas: Vec<Lemma> = self.lemmas_about(&atoms).into_iter().cloned().collect();
        let lemmas: Vec<&Lemma> = lemmas.iter().collect();
        let claim = Claim::Unreachable(predicate.clone());
        match self.prove(self.targets[index].id, claim, &lemmas, budget, over) {
            Some(proof) => {
                self.statistics.refuted += 1;
                over.unreachable(self.targets[index].id, proof);
                true
            }
            None => false,
        }
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
