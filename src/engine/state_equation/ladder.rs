//! Reachability goals: propose, decide, learn, until nothing is left or a candidate stands.

use super::Engine;
use super::atoms::{AtomId, Node};
use super::proposer::Proposal;
use super::relaxation::Decision;
use crate::board::Over;
use crate::evidence::certificate::{Claim, Lemma};
use parikh_net::Goal;
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use std::rc::Rc;

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
        loop {
            // A candidate of another goal may do for this one.
            let atoms = &self.atoms;
            let known = self
                .pool
                .iter()
                .rev()
                .find(|point| tree.holds(&mut |atom| point.satisfies(atoms.get(atom))));
            if let Some(point) = known.cloned() {
                self.rest(index, point);
                return true;
            }
            let near = last.as_ref().or(self.pool.last());
            let likely = |atom: AtomId| near.is_some_and(|point| point.satisfies(atoms.get(atom)));
            let chosen = match self.proposer.propose(tree, root, &likely, budget) {
                Proposal::Try(chosen) => chosen,
                Proposal::Refuted => return self.refuted(index, tree, goal, budget, over),
                Proposal::Unknown => return false,
            };
            match self.relaxation.conjunction(&chosen, &self.atoms, budget) {
                Decision::Infeasible(lemma) => self.learn(lemma),
                Decision::Feasible(point) => {
                    let point = Rc::new(point);
                    if !self.exclude_by_traps(&point) {
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
        let lemmas: Vec<Lemma> = self.lemmas_about(&tree.atoms()).into_iter().cloned().collect();
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
}
