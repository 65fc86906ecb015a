//! Facts from other goals about the parts of a property.
//!
//! A part may be true or false in all reachable markings. That follows from predicates that no
//! reachable marking satisfies, and from predicates that always remain reachable. In addition,
//! markings in which an atom differs from its initial value, or from which something becomes
//! unreachable, are worth visiting. The engine that found such a marking has a firing sequence to
//! it.

use super::parts::{FormulaParts, PartSet};
use crate::board::{Board, Evidence, Home, Knowledge, Reach, Witness};
use parikh_evidence::tree::{TreePremises, everywhere, implied_by};
use parikh_net::{FiringSequence, Goal, GoalId, Net, Predicate, TreeProperty};
use parikh_temporal::{Ctl, Formula, Quantifier};
use std::collections::HashSet;
use std::sync::Arc;

/// Facts about the parts of one property. See the module documentation.
pub(super) struct PartFacts<'b> {
    /// Relevant goals on the board, each with its sorted predicate.
    asked: Vec<(GoalId, Predicate)>,
    /// Version of the board at the last update.
    version: Option<u64>,
    /// The facts about the reachable markings.
    given: TreePremises,
    /// The goals on the board that prove these facts.
    goals: Vec<GoalId>,
    /// Goals whose firing sequences have been returned.
    shown: HashSet<GoalId>,
    /// The parts of the formula and their negations.
    both: &'b Both,
    /// The parts that are true everywhere, and the parts that are false everywhere.
    pub(super) sets: (PartSet, PartSet),
}

impl<'b> PartFacts<'b> {
    /// Collects facts from the goals of `board`.
    pub(super) fn of(board: &Board<'_>, both: &'b Both) -> PartFacts<'b> {
        let mut relevant: HashSet<Predicate> = HashSet::from([Predicate::Dead]);
        for implied in &both.implied {
            relevant.insert(implied.clone().negated().sorted());
            relevant.insert(implied.clone());
        }
        let relevant_goals = board.ids().filter_map(|id| match board.goal(id) {
            Goal::Reach(predicate) | Goal::Home(predicate) => {
                let predicate = predicate.clone().sorted();
                relevant.contains(&predicate).then_some((id, predicate))
            }
            _ => None,
        });
        let mut known = PartFacts { asked: relevant_goals.collect(), ..PartFacts::nothing(both) };
        known.learn(board);
        known
    }

    /// Uses the given facts only.
    pub(super) fn given(premises: TreePremises, both: &'b Both) -> PartFacts<'b> {
        let mut known = PartFacts { given: premises, ..PartFacts::nothing(both) };
        known.follow();
        known
    }

    /// Creates the value without facts.
    fn nothing(both: &'b Both) -> PartFacts<'b> {
        PartFacts {
            both,
            asked: Vec::new(),
            version: None,
            given: TreePremises::default(),
            goals: Vec::new(),
            shown: HashSet::new(),
            sets: (0, 0),
        }
    }

    /// Updates the facts if the board has changed. Returns firing sequences that were not returned
    /// before.
    pub(super) fn look(&mut self, board: &Board<'_>) -> Vec<Arc<FiringSequence>> {
        self.learn(board);
        let mut sequences = Vec::new();
        for &(id, _) in &self.asked {
            if self.shown.contains(&id) {
                continue;
            }
            // A marking from which a predicate becomes unreachable decides parts there too.
            if let Some(
                Knowledge::Reach(Reach::Reached { witness, .. })
                | Knowledge::Home(Home::Lost { witness, .. }),
            ) = board.knowledge(id)
            {
                self.shown.insert(id);
                sequences.extend(witness.as_ref().and_then(Witness::to_sequence).map(Arc::new));
            }
        }
        sequences
    }

    /// Collects the facts again if the board has changed.
    fn learn(&mut self, board: &Board<'_>) {
        let version = board.version();
        if self.version.replace(version) == Some(version) {
            return;
        }
        let old_count = self.goals.len();
        (self.given, self.goals) = (TreePremises::default(), Vec::new());
        for (id, predicate) in &self.asked {
            match board.knowledge(*id) {
                Some(Knowledge::Reach(Reach::Unreachable { .. })) => {
                    self.given.never.push(predicate.clone());
                    self.goals.push(*id);
                }
                // If the proof is that firings can be undone, a reached predicate remains
                // reachable. The witness of its reachability is part of the argument.
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
        if self.goals.len() != old_count {
            self.follow();
        }
    }

    /// Computes the parts known everywhere from the facts.
    fn follow(&mut self) {
        let Both { formulas, all, implied, parts, negations } = self.both;
        let is_known_formula = everywhere(formulas, all, implied, &self.given);
        let set = |formulas_of_parts: &[Formula<Quantifier>]| {
            (0..).zip(formulas_of_parts).fold(0, |set: PartSet, (index, part)| {
                let is_known = all.binary_search(part).is_ok_and(|it| is_known_formula[it]);
                set | PartSet::from(is_known) << index
            })
        };
        self.sets = (set(parts), set(negations));
    }

    /// Returns the facts that a labelling for this value may use, and their goals.
    pub(super) fn used(&self, value: bool) -> (TreePremises, Vec<GoalId>) {
        let set = if value { self.sets.0 } else { self.sets.1 };
        match set {
            0 => (TreePremises::default(), Vec::new()),
            _ => (self.given.clone(), self.goals.clone()),
        }
    }
}

/// Returns the goals with refuted predicates. Only these are named as premises of an unchecked
/// search, which itself covers the home properties.
pub(super) fn refuted(board: &Board<'_>, goals: Vec<GoalId>) -> Vec<GoalId> {
    let is_refuted = |id: &GoalId| {
        matches!(board.knowledge(*id), Some(Knowledge::Reach(Reach::Unreachable { .. })))
    };
    goals.into_iter().filter(is_refuted).collect()
}

/// The parts of a property and their negations, with predicates that imply them.
pub(super) struct Both {
    /// The store of the formulas.
    formulas: Ctl,
    /// The parts, their negations, and the subformulas of both, ascending.
    all: Vec<Formula<Quantifier>>,
    /// For each index in `all`, a predicate that implies the formula.
    implied: Vec<Predicate>,
    /// The parts, in the order of their indices.
    parts: Vec<Formula<Quantifier>>,
    /// The negations of the parts, in the same order.
    negations: Vec<Formula<Quantifier>>,
}

impl Both {
    pub(super) fn of(net: &Net, property: &TreeProperty, parts: &FormulaParts) -> Both {
        let mut formulas = property.formulas().clone();
        let negations: Vec<_> = parts.formulas.iter().map(|&it| formulas.negate(it)).collect();
        let mut all: Vec<_> = negations.iter().flat_map(|&it| formulas.parts(it)).collect();
        all.extend(&parts.formulas);
        all.sort_unstable();
        all.dedup();
        let implied = implied_by(&formulas, property.atoms(), &all, net);
        Both { formulas, all, implied, parts: parts.formulas.clone(), negations }
    }
}
