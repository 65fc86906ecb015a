//! Facts from other goals about the parts (subformulas) of a property.
//!
//! A part may be true or false in all reachable markings. That follows from predicates that no
//! reachable marking satisfies, and from predicates that always remain reachable. In addition,
//! markings in which an atom differs from its initial value, or from which something becomes
//! unreachable, are worth visiting. The engine that found such a marking has a firing sequence to
//! it.

use super::parts::{FormulaParts, PartSet};
use crate::board::{Board, Evidence, HomeKnowledge, Knowledge, ReachKnowledge, Witness};
use parikh_evidence::tree::{TreePremises, hold_everywhere};
use parikh_net::{FiringSequence, Goal, GoalId, Net, Predicate, TreeProperty};
use parikh_temporal::{Ctl, Formula, Quantifier};
use std::collections::HashSet;
use std::sync::Arc;

/// Facts about the parts of one property. See the module documentation.
pub(super) struct PartFacts<'b> {
    /// Reachability and home goals on the board about deadlocks, about predicates that imply a part
    /// or its negation, or about negations of such predicates. Each has its predicate in sorted
    /// form.
    relevant_goals: Vec<(GoalId, Predicate)>,
    /// Version of the board at the last update. `None` before the first update.
    version: Option<u64>,
    /// The facts about the reachable markings.
    premises: TreePremises,
    /// The goals on the board that prove the facts in `premises`.
    premise_goals: Vec<GoalId>,
    /// Goals whose firing sequences were returned, or have no firing sequence that can be returned.
    returned_sequences: HashSet<GoalId>,
    /// The parts of the formula and their negations.
    parts: &'b PartsWithNegations,
    /// The parts that are true everywhere, and the parts that are false everywhere.
    pub(super) known_everywhere: (PartSet, PartSet),
}

impl<'b> PartFacts<'b> {
    /// Creates facts from the goals of `board` that are relevant for the parts of a property.
    pub(super) fn of(board: &Board<'_>, parts: &'b PartsWithNegations) -> PartFacts<'b> {
        let mut relevant: HashSet<Predicate> = HashSet::from([Predicate::Dead]);
        for implying_predicate in &parts.implying_predicates {
            relevant.insert(implying_predicate.clone().negated().sorted());
            relevant.insert(implying_predicate.clone());
        }
        let relevant_goals = board.ids().filter_map(|id| match board.goal(id) {
            Goal::Reach(predicate) | Goal::Home(predicate) => {
                let predicate = predicate.clone().sorted();
                relevant.contains(&predicate).then_some((id, predicate))
            }
            _ => None,
        });
        let mut part_facts = PartFacts {
            relevant_goals: relevant_goals.collect(),
            ..PartFacts::without_facts(parts)
        };
        part_facts.collect(board);
        part_facts
    }

    /// Creates facts from the given premises only, without goals of a board.
    pub(super) fn from_premises(
        premises: TreePremises,
        both: &'b PartsWithNegations,
    ) -> PartFacts<'b> {
        let mut part_facts = PartFacts { premises, ..PartFacts::without_facts(both) };
        part_facts.derive_parts();
        part_facts
    }

    /// Creates an instance without facts and without goals of a board.
    fn without_facts(parts: &'b PartsWithNegations) -> PartFacts<'b> {
        PartFacts {
            parts,
            relevant_goals: Vec::new(),
            version: None,
            premises: TreePremises::default(),
            premise_goals: Vec::new(),
            returned_sequences: HashSet::new(),
            known_everywhere: (0, 0),
        }
    }

    /// Updates the facts if the board has changed. Returns the firing sequences to newly found
    /// markings. Such a marking satisfies the predicate of a relevant goal, or this predicate
    /// becomes unreachable from it. Witnesses that are not kept or not plain sequences are left
    /// out.
    pub(super) fn update(&mut self, board: &Board<'_>) -> Vec<Arc<FiringSequence>> {
        self.collect(board);
        let mut sequences = Vec::new();
        for &(id, _) in &self.relevant_goals {
            if self.returned_sequences.contains(&id) {
                continue;
            }
            // A marking from which a predicate becomes unreachable decides parts at that marking,
            // too.
            if let Some(
                Knowledge::Reach(ReachKnowledge::Reached { witness, .. })
                | Knowledge::Home(HomeKnowledge::BecomesUnreachable { witness, .. }),
            ) = board.knowledge(id)
            {
                self.returned_sequences.insert(id);
                sequences.extend(witness.as_ref().and_then(Witness::to_sequence).map(Arc::new));
            }
        }
        sequences
    }

    /// Collects the facts again if the board has changed.
    fn collect(&mut self, board: &Board<'_>) {
        let version = board.version();
        if self.version.replace(version) == Some(version) {
            return;
        }
        let old_count = self.premise_goals.len();
        (self.premises, self.premise_goals) = (TreePremises::default(), Vec::new());
        for (id, predicate) in &self.relevant_goals {
            match board.knowledge(*id) {
                Some(Knowledge::Reach(ReachKnowledge::Unreachable { .. })) => {
                    self.premises.unreachable_predicates.push(predicate.clone());
                    self.premise_goals.push(*id);
                }
                // If the proof is that firings can be undone, a reached predicate remains
                // reachable. The witness of its reachability is part of the argument.
                Some(Knowledge::Home(HomeKnowledge::StaysReachable {
                    proof, evidence, ..
                })) if !matches!(evidence, Evidence::Searched { .. }) && !proof.assumes_units() => {
                    self.premises.home_predicates.push(predicate.clone());
                    self.premise_goals.push(*id);
                    let is_reached = |(id, other): &&(GoalId, Predicate)| {
                        other == predicate
                            && matches!(
                                board.knowledge(*id),
                                Some(Knowledge::Reach(ReachKnowledge::Reached { .. }))
                            )
                    };
                    self.premise_goals
                        .extend(self.relevant_goals.iter().find(is_reached).map(|(id, _)| *id));
                }
                _ => {}
            }
        }
        if self.premise_goals.len() != old_count {
            self.derive_parts();
        }
    }

    /// Computes from the facts the parts that are known to be true, and false, in all reachable
    /// markings.
    fn derive_parts(&mut self) {
        let PartsWithNegations {
            formulas,
            all_formulas: sorted_formulas,
            implying_predicates: implying,
            parts,
            negations,
        } = self.parts;
        let is_known_formula = hold_everywhere(formulas, sorted_formulas, implying, &self.premises);
        let set = |formulas_of_parts: &[Formula<Quantifier>]| {
            (0..).zip(formulas_of_parts).fold(0, |set: PartSet, (index, part)| {
                let is_known =
                    sorted_formulas.binary_search(part).is_ok_and(|it| is_known_formula[it]);
                set | PartSet::from(is_known) << index
            })
        };
        self.known_everywhere = (set(parts), set(negations));
    }

    /// Returns the facts that a labelling for a property with this value may use, and the goals
    /// that prove them. Both are empty if no part is known to have this value in all reachable
    /// markings.
    pub(super) fn premises_for(&self, value: bool) -> (TreePremises, Vec<GoalId>) {
        let set = if value { self.known_everywhere.0 } else { self.known_everywhere.1 };
        match set {
            0 => (TreePremises::default(), Vec::new()),
            _ => (self.premises.clone(), self.premise_goals.clone()),
        }
    }
}

/// The parts (subformulas) of a property and their negations, with predicates that imply them.
pub(super) struct PartsWithNegations {
    /// The store of the formulas.
    formulas: Ctl,
    /// The parts, their negations, and the subformulas of both, ascending.
    all_formulas: Vec<Formula<Quantifier>>,
    /// For each index in `all_formulas`, a predicate that implies the formula. [`Predicate::False`]
    /// if no such predicate is known.
    implying_predicates: Vec<Predicate>,
    /// The parts, in the order of their indices.
    parts: Vec<Formula<Quantifier>>,
    /// The negations of the parts, in the same order.
    negations: Vec<Formula<Quantifier>>,
}

impl PartsWithNegations {
    pub(super) fn of(
        net: &Net,
        property: &TreeProperty,
        parts: &FormulaParts,
    ) -> PartsWithNegations {
        let mut formulas = property.formulas().clone();
        let negations: Vec<_> = parts.formulas.iter().map(|&it| formulas.negate(it)).collect();
        let mut all_formulas: Vec<_> =
            negations.iter().flat_map(|&it| formulas.subformulas(it)).collect();
        all_formulas.extend(&parts.formulas);
        all_formulas.sort_unstable();
        all_formulas.dedup();
        let implying_predicates = parikh_evidence::tree::implying_predicates(
            &formulas,
            property.atoms(),
            &all_formulas,
            net,
        );
        PartsWithNegations {
            formulas,
            all_formulas,
            implying_predicates,
            parts: parts.formulas.clone(),
            negations,
        }
    }

    /// Returns a predicate that implies the part with this index, or the negation of the part if
    /// `value` is false. [`Predicate::False`] if no such predicate is known.
    pub(super) fn implying(&self, part: usize, value: bool) -> Predicate {
        let formula = if value { self.parts[part] } else { self.negations[part] };
        let index = self.all_formulas.binary_search(&formula);
        index.map_or(Predicate::False, |index| self.implying_predicates[index].clone())
    }
}
