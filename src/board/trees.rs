//! Reports on the tree of runs: whether it has a property of CTL.
//!
//! A labelling lists markings with what is true of them, and the checker sees each claim follow
//! from others. It may rest on other goals that cannot be reached. Where it is too large to be
//! kept, there is the word of a search.

use super::{Argument, Board, Evidence, Knowledge, Proof, Technique, Tree};
use crate::evidence::Flaw;
use crate::evidence::tree::visit::{Visited, visit_tree};
use crate::evidence::tree::{Given, Labelling, LabellingFlaw};
use parikh_net::{Goal, GoalId, TreeProperty};
use std::sync::Arc;

/// The most markings that are visited again before an answer.
const AGAIN: u64 = 20_000;

/// Says what the tree of runs is like. See [`crate::board`].
#[derive(Clone, Copy)]
pub struct Trees<'b> {
    board: &'b Board<'b>,
    by: Technique,
}

impl Board<'_> {
    /// Takes reports on the tree of runs.
    pub fn trees(&self, by: Technique) -> Trees<'_> {
        Trees { board: self, by }
    }
}

impl Trees<'_> {
    /// The goal's property holds, or its negation, by this labelling; each of its premises is what
    /// one of the goals that are given shows.
    pub fn labelled(&self, goal: GoalId, labelling: Labelling, given: Vec<GoalId>) {
        let Some(property) = self.property(goal) else { return };
        let Given { never, stays } = &labelling.given;
        let assumes_units = match self.board.given(&given, (never, stays)) {
            Ok(assumes_units) => assumes_units,
            Err(why) => return self.refuse(goal, &why),
        };
        let checks = &self.board.checks;
        let budget = checks.budget(true);
        let goes_on = &mut || !budget.is_exhausted();
        match checks.count(|| labelling.check(self.board.net, goes_on)) {
            Ok(()) => {}
            Err(LabellingFlaw::Flaw(Flaw::Stopped)) => return,
            Err(flaw) => return self.refuse(goal, &flaw),
        }
        let Some(holds) = labelling.decides(self.board.net, property) else {
            return self.refuse(goal, &"it is about another formula");
        };
        let (markings, facts) = (labelling.markings(), given.len());
        let why = Argument::Labelling { markings, given: facts, assumes_units };
        let proof = Proof::new(why, None);
        let evidence = Evidence::Labelling(checks.keep.then(|| Arc::new(labelling)));
        let (given, by) = (given.into(), self.by);
        self.enter(goal, Tree::Decided { holds, proof, evidence, given, by });
    }

    /// The goal's property holds, or does not: all of so many markings that matter were visited,
    /// given that some goals cannot be reached. Where they are few, the checker visits all there
    /// are again before.
    pub fn searched(&self, goal: GoalId, holds: bool, markings: u64, given: Vec<GoalId>) {
        let Some(property) = self.property(goal) else { return };
        let assumes_units = match self.board.given(&given, (&[], &[])) {
            Ok(assumes_units) => assumes_units,
            Err(why) => return self.refuse(goal, &why),
        };
        let checks = &self.board.checks;
        let again = (markings <= AGAIN).then(|| {
            let budget = checks.budget(false);
            let most = markings.max(1).saturating_mul(4);
            let goes_on = &mut || !budget.is_exhausted();
            checks.count(|| visit_tree(self.board.net, property, most, goes_on))
        });
        match again {
            Some(Ok(Visited { holds: seen, .. })) if seen != holds => {
                return self.refuse(goal, &"visited again: it is not so");
            }
            Some(Ok(_)) => {}
            _ if !checks.take_searches => return,
            _ => {}
        }
        let evidence = Evidence::Searched { markings, stubborn: false, argued: None };
        let proof = Proof::new(Argument::TreeSearched { markings, assumes_units }, None);
        let (given, by) = (given.into(), self.by);
        self.enter(goal, Tree::Decided { holds, proof, evidence, given, by });
    }

    /// The property that an open goal asks for.
    fn property(&self, goal: GoalId) -> Option<&TreeProperty> {
        match self.board.goal(goal) {
            Goal::Tree(property) if self.board.is_open(goal) => Some(property),
            Goal::Tree(_) => None,
            _ => {
                self.refuse(goal, &"it does not ask for the tree of runs");
                None
            }
        }
    }

    fn refuse(&self, goal: GoalId, flaw: &dyn std::fmt::Display) {
        let net = self.board.net.name();
        self.board.fault(self.by, format_args!("the tree of {goal:?} of net `{net}`: {flaw}"));
    }

    fn enter(&self, goal: GoalId, found: Tree) {
        let Tree::Decided { holds: new, proof, .. } = &found else { return };
        let new = *new;
        let mut entry = self.board.entry(goal);
        if self.board.is_void(proof) {
            return;
        }
        match &entry.knowledge {
            Knowledge::Tree(Tree::Open) => {
                entry.knowledge = Knowledge::Tree(found);
                drop(entry);
                self.board.close(goal, true);
            }
            Knowledge::Tree(Tree::Decided { holds, .. }) if *holds != new => {
                self.board.freeze(goal, self.by, entry);
            }
            _ => {}
        }
    }
}
