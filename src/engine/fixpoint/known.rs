//! What other goals tell of a property's parts.
//!
//! A part may be true, or false, of all reachable markings: that follows from predicates that none
//! satisfies, and from those that stay reachable wherever the net goes. And a marking in which an
//! atom has another value than initially, or from which something cannot be reached any more, is
//! worth a visit: whoever found it has the way there.

use super::parts::{Parts, Set};
use crate::board::{Board, Evidence, Home, Knowledge, Reach, Witness};
use crate::evidence::tree::{Given, everywhere, implied_by};
use parikh_net::{FiringSequence, Goal, GoalId, Net, Predicate, TreeProperty};
use parikh_temporal::{Ctl, Formula, Quantifier};
use std::collections::HashSet;
use std::sync::Arc;

/// See the module.
pub(super) struct Known<'b> {
    /// The goals on the board that may tell something, each with its predicate in sorted form.
    asked: Vec<(GoalId, Predicate)>,
    /// The version of the board that was looked at.
    version: Option<u64>,
    /// What is known, and the goals that say so.
    given: Given,
    goals: Vec<GoalId>,
    /// The goals whose ways were shown.
    shown: HashSet<GoalId>,
    /// The formula's parts and their negations.
    both: &'b Both,
    /// The parts that are true everywhere, and those that are false everywhere.
    pub(super) sets: (Set, Set),
}

impl<'b> Known<'b> {
    /// What the goals of `board` tell of a property.
    pub(super) fn of(board: &Board<'_>, both: &'b Both) -> Known<'b> {
        let mut wanted: HashSet<Predicate> = HashSet::from([Predicate::Dead]);
        for implied in &both.implied {
            wanted.insert(implied.clone().negated().sorted());
            wanted.insert(implied.clone());
        }
        let asked = board.ids().filter_map(|id| match board.goal(id) {
            Goal::Reach(predicate) | Goal::Home(predicate) => {
                let predicate = predicate.clone().sorted();
                wanted.contains(&predicate).then_some((id, predicate))
            }
            _ => None,
        });
        let mut known = Known { asked: asked.collect(), ..Known::nothing(both) };
        known.learn(board);
        known
    }

    /// The same of what is given.
    pub(super) fn given(given: Given, both: &'b Both) -> Known<'b> {
        let mut known = Known { given, ..Known::nothing(both) };
        known.follow();
        known
    }

    fn nothing(both: &'b Both) -> Known<'b> {
        Known {
            both,
            asked: Vec::new(),
            version: None,
            given: Given::default(),
            goals: Vec::new(),
            shown: HashSet::new(),
            sets: (0, 0),
        }
    }

    /// Looks again where anything may have changed. Ways that were not shown yet.
    pub(super) fn look(&mut self, board: &Board<'_>) -> Vec<Arc<FiringSequence>> {
        self.learn(board);
        let mut ways = Vec::new();
        for &(id, _) in &self.asked {
            if self.shown.contains(&id) {
                continue;
            }
            // What is lost somewhere decides parts there, too.
            if let Some(
                Knowledge::Reach(Reach::Reached { witness, .. })
                | Knowledge::Home(Home::Lost { witness, .. }),
            ) = board.knowledge(id)
            {
                self.shown.insert(id);
                ways.extend(witness.as_ref().and_then(Witness::to_sequence).map(Arc::new));
            }
        }
        ways
    }

    fn learn(&mut self, board: &Board<'_>) {
        let version = board.version();
        if self.version.replace(version) == Some(version) {
            return;
        }
        let before = self.goals.len();
        (self.given, self.goals) = (Given::default(), Vec::new());
        for (id, predicate) in &self.asked {
            match board.knowledge(*id) {
                Some(Knowledge::Reach(Reach::Unreachable { .. })) => {
                    self.given.never.push(predicate.clone());
                    self.goals.push(*id);
                }
                // Where firings are undone, what was reached stays reachable: the way there is a
                // part of that.
                Some(Knowledge::Home(Home::Kept { proof, evidence, .. }))
                    if !matches!(evidence, Evidence::Searched { .. }) && !proof.assumes_units() =>
                {
                    self.given.stays.push(predicate.clone());
                    self.goals.push(*id);
                    let is_reached = |(id, other): &&(GoalId, Predicate)| {
                        other == predicate
                            && matches!(
                                board.knowledge(*id),
                                Some(Knowledge::Reach(Reach::Reached { .. }))
                            )
                    };
                    self.goals.extend(self.asked.iter().find(is_reached).map(|(id, _)| *id));
                }
                _ => {}
            }
        }
        if self.goals.len() != before {
            self.follow();
        }
    }

    /// What follows of the parts.
    fn follow(&mut self) {
        let Both { formulas, all, implied, parts, negations } = self.both;
        let known = everywhere(formulas, all, implied, &self.given);
        let set = |these: &[Formula<Quantifier>]| {
            (0..).zip(these).fold(0, |set: Set, (at, part)| {
                let is_known = all.binary_search(part).is_ok_and(|it| known[it]);
                set | Set::from(is_known) << at
            })
        };
        self.sets = (set(parts), set(negations));
    }

    /// What a labelling of this value may rest on.
    pub(super) fn used(&self, value: bool) -> (Given, Vec<GoalId>) {
        let set = if value { self.sets.0 } else { self.sets.1 };
        match set {
            0 => (Given::default(), Vec::new()),
            _ => (self.given.clone(), self.goals.clone()),
        }
    }
}

/// Of goals that a value rests on, those that the word of a search names: it stands for what stays
/// reachable.
pub(super) fn refuted(board: &Board<'_>, goals: Vec<GoalId>) -> Vec<GoalId> {
    let is_refuted = |id: &GoalId| {
        matches!(board.knowledge(*id), Some(Knowledge::Reach(Reach::Unreachable { .. })))
    };
    goals.into_iter().filter(is_refuted).collect()
}

/// The parts of a property and their negations, with what implies them.
pub(super) struct Both {
    formulas: Ctl,
    /// All of them, and what they are made of, ascending.
    all: Vec<Formula<Quantifier>>,
    /// By place in that list a predicate that implies it.
    implied: Vec<Predicate>,
    /// The parts in their order, and the negation of each.
    parts: Vec<Formula<Quantifier>>,
    negations: Vec<Formula<Quantifier>>,
}

impl Both {
    pub(super) fn of(net: &Net, property: &TreeProperty, parts: &Parts) -> Both {
        let mut formulas = property.formulas().clone();
        let negations: Vec<_> = parts.formulas.iter().map(|&it| formulas.negate(it)).collect();
        let mut all: Vec<_> = negations.iter().flat_map(|&it| formulas.below(it)).collect();
        all.extend(&parts.formulas);
        all.sort_unstable();
        all.dedup();
        let implied = implied_by(&formulas, property.atoms(), &all, net);
        Both { formulas, all, implied, parts: parts.formulas.clone(), negations }
    }
}
