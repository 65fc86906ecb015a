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
    /// The facts, and the goals that prove them.
    given: TreePremises,
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
        let mut known = PartFacts { asked: asked.collect(), ..PartFacts::nothing(both) };
        known.learn(board);
        known
    }

    /// Uses the given facts only.
    pub(super) fn given(given: TreePremises, both: &'b Both) -> PartFacts<'b> {
        let mut known = PartFacts { given, ..PartFacts::nothing(both) };
        known.follow();
        known
    }

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
        let mut ways = Vec::new();
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
        if self.goals.len() != before {
            self.follow();
        }
    }

    /// Computes the parts known everywhere from the facts.
    fn follow(&mut self) {
        let Both { formulas, all, implied, parts, negations } = self.both;
        let known = everywhere(formulas, all, implied, &self.given);
        let set = |these: &[Formula<Quantifier>]| {
            (0..).zip(these).fold(0, |set: PartSet, (at, part)| {
                let is_known = all.binary_search(part).is_ok_and(|it| known[it]);
                set | PartSet::from(is_known) << at
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
    formulas: Ctl,
    /// All of these formulas and their subformulas, ascending.
    all: Vec<Formula<Quantifier>>,
    /// For each index in `all`, a predicate that implies the formula.
    implied: Vec<Predicate>,
    /// The parts in order, and the negation of each.
    parts: Vec<Formula<Quantifier>>,
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
