//! Extracts the labelling of a value, that is, the configurations that the value needs. A
//! configuration is a marking with a part (subformula).
//!
//! A claim of the labelling says that a formula holds at a marking. If the property holds, the
//! claims are about the parts of its formula. Otherwise, they are about the negations of these
//! parts, which are the parts of the negated formula.

use super::parts::{FormulaPart, PartSet, members};
use super::search::FixpointSearch;
use parikh_evidence::tree::{LabelClaim, Labelling, TreePremises};
use parikh_net::{TransitionId, TreeProperty};
use parikh_temporal::{AtomId, Formula, Node, Paths as _, Quantifier};
use std::collections::HashMap;

/// Maximum number of claims of a labelling. A claim states that a next, until or release part of
/// the formula has a certain value at a marking.
const MAX_CLAIMS: usize = 100_000;

/// Maximum size of a labelling, in markings times places.
const MAX_TOKEN_COUNTS: usize = 4_000_000;

/// The successors of a marking from whose values the value of a part at the marking follows.
enum NeededSuccessors {
    /// No successor.
    None,
    /// The successor with the given number.
    One(u32),
    /// Every successor.
    All,
}

impl FixpointSearch<'_, '_> {
    /// Returns a labelling that explains the value of `property` at the initial marking. Returns
    /// `None` if the value is unknown, the labelling would be too large, or a firing of it cannot
    /// be recomputed. `everywhere` has the parts known to be true and the parts known to be false
    /// in all reachable markings, because of `premises`.
    pub(super) fn explain(
        &mut self,
        property: &TreeProperty,
        everywhere: (PartSet, PartSet),
        premises: TreePremises,
    ) -> Option<Labelling> {
        let value = self.value()?;
        let claimed = if value { property.clone() } else { property.negated() };
        let formulas = self.claimed_formulas(property, &claimed, value);
        let known_everywhere = if value { everywhere.0 } else { everywhere.1 };
        let mut ranks: HashMap<usize, Vec<u32>> = HashMap::new();
        let mut needed: HashMap<u32, PartSet> = HashMap::new();
        let mut claims: HashMap<u32, Vec<LabelClaim>> = HashMap::new();
        let mut unprocessed = Vec::new();
        let require = |needed: &mut HashMap<u32, PartSet>,
                       unprocessed: &mut Vec<_>,
                       marking: u32,
                       parts: PartSet| {
            let needed_parts = needed.entry(marking).or_insert(0);
            let new = parts & !*needed_parts;
            *needed_parts |= new;
            if new != 0 {
                unprocessed.push((marking, new));
            }
        };
        let initial = self.graph.initial();
        require(&mut needed, &mut unprocessed, initial, 1 << self.parts.root());
        let mut claim_count = 0;
        while let Some((marking, parts)) = unprocessed.pop() {
            for part in members(parts & !known_everywhere) {
                let (same_marking, onward, at_successors) =
                    self.support(part, marking, value, &mut ranks)?;
                require(&mut needed, &mut unprocessed, marking, same_marking);
                if let FormulaPart::Constant(_)
                | FormulaPart::Literal { .. }
                | FormulaPart::And(_)
                | FormulaPart::Or(_) = self.parts.parts[part]
                {
                    continue;
                }
                let firing = self.require_at_successors(
                    &mut needed,
                    &mut unprocessed,
                    marking,
                    (&onward, at_successors),
                    &require,
                )?;
                let rank = ranks.get(&part).map_or(0, |ranks| ranks[marking as usize]);
                claims.entry(marking).or_default().push(LabelClaim {
                    formula: formulas[part],
                    rank,
                    transition: firing,
                });
                claim_count += 1;
                if claim_count > MAX_CLAIMS || needed.len() * self.graph.places() > MAX_TOKEN_COUNTS
                {
                    return None;
                }
            }
        }
        let mut labelling = Labelling::new(claimed, premises);
        // Markings without claims are listed too, because the checker evaluates atoms there.
        let mut needed_markings: Vec<u32> = needed.into_keys().collect();
        needed_markings.sort_unstable();
        for marking in needed_markings {
            let claims = claims.remove(&marking).unwrap_or_default();
            labelling.add(&self.graph.tokens(marking), claims);
        }
        Some(labelling)
    }

    /// Returns, by index of the part, the formula that a claim about the part states: the part if
    /// `value` is true, otherwise its negation. The formulas are in the store of `claimed`.
    fn claimed_formulas(
        &self,
        property: &TreeProperty,
        claimed: &TreeProperty,
        value: bool,
    ) -> Vec<Formula<Quantifier>> {
        let mut store = claimed.formulas().clone();
        let atoms: Vec<Formula<Quantifier>> = property
            .atoms()
            .iter()
            .map(|atom| {
                let index = claimed.atoms().binary_search(atom).unwrap_or(claimed.atoms().len());
                store.atom(AtomId(index as u32))
            })
            .collect();
        let in_store = |&part: &Formula<Quantifier>| {
            let atom_in_store = |atom: AtomId| atoms[atom.0 as usize];
            let copy = property.formulas().copy_to(part, &mut store, atom_in_store);
            if value { copy } else { store.negate(copy) }
        };
        let claimed: Vec<_> = self.parts.formulas.iter().map(in_store).collect();
        // The first part has no operands, because each part comes after its operands.
        debug_assert!(!matches!(store.node(claimed[0]), Node::Next(..)));
        claimed
    }

    /// Returns the configurations from which it follows that the part has this `value` at the
    /// marking. The tuple has the parts needed at the same marking, the successors that matter, and
    /// the parts needed at these successors. Returns `None` if it does not follow from known
    /// values.
    fn support(
        &mut self,
        part_index: usize,
        marking: u32,
        value: bool,
        ranks: &mut HashMap<usize, Vec<u32>>,
    ) -> Option<(PartSet, NeededSuccessors, PartSet)> {
        let part = self.parts.parts[part_index];
        let known_parts = if value {
            self.true_parts[marking as usize]
        } else {
            self.false_parts[marking as usize]
        };
        let has = |part: usize| known_parts >> part & 1 == 1;
        let nothing = (0, NeededSuccessors::None, 0);
        Some(match part {
            FormulaPart::Constant(_) | FormulaPart::Literal { .. } => nothing,
            FormulaPart::And(parts) if value => (parts, NeededSuccessors::None, 0),
            FormulaPart::Or(parts) if !value => (parts, NeededSuccessors::None, 0),
            // One operand is sufficient. The first one is taken: parts are listed before the parts
            // that contain them, so it tends to be the simplest.
            FormulaPart::And(parts) | FormulaPart::Or(parts) => {
                (1 << members(parts & known_parts).next()?, NeededSuccessors::None, 0)
            }
            FormulaPart::Next(paths, inner) => {
                let paths = if value { paths } else { paths.dual() };
                (0, self.needed_successors(marking, paths, inner, value, None)?, 1 << inner)
            }
            // A true until and a false release are least fixpoints, so their claims have ranks.
            FormulaPart::Until(paths, left, right) | FormulaPart::Release(paths, left, right)
                if matches!(part, FormulaPart::Until(..)) == value =>
            {
                let paths = if value { paths } else { paths.dual() };
                let ranks = ranks
                    .entry(part_index)
                    .or_insert_with(|| self.ranks(part_index, paths, (left, right), value));
                if has(right) {
                    return Some((1 << right, NeededSuccessors::None, 0));
                }
                let onward =
                    self.needed_successors(marking, paths, part_index, value, Some(ranks))?;
                (1 << left, onward, 1 << part_index)
            }
            FormulaPart::Until(paths, left, right) | FormulaPart::Release(paths, left, right) => {
                let paths = if value { paths } else { paths.dual() };
                if has(left) && has(right) {
                    return Some((1 << left | 1 << right, NeededSuccessors::None, 0));
                }
                let onward = match self.is_dead(marking) {
                    true => NeededSuccessors::None,
                    false => self.needed_successors(marking, paths, part_index, value, None)?,
                };
                (1 << right, onward, 1 << part_index)
            }
        })
    }

    /// Returns the successors at which a claim needs the value of `part`. For an existential path
    /// this is the successor with the value and the smallest rank, otherwise it is every successor.
    /// Returns `None` if the path is existential and no successor has the value.
    fn needed_successors(
        &self,
        marking: u32,
        paths: Quantifier,
        part: usize,
        value: bool,
        ranks: Option<&Vec<u32>>,
    ) -> Option<NeededSuccessors> {
        if paths == Quantifier::All {
            return Some(NeededSuccessors::All);
        }
        let sets = if value { &self.true_parts } else { &self.false_parts };
        let successors = self.graph.successors(marking).iter().map(|&(to, _)| to);
        let with_value = successors.filter(|&to| sets[to as usize] >> part & 1 == 1);
        let to = with_value.min_by_key(|&to| ranks.map_or(0, |ranks| ranks[to as usize]))?;
        Some(NeededSuccessors::One(to))
    }

    /// Adds the parts that a claim needs at the successors `onward` of the marking. Returns the
    /// firing if the claim needs a single successor, and otherwise `Some(None)`. Returns `None` if
    /// this firing could not be recomputed.
    fn require_at_successors(
        &mut self,
        needed: &mut HashMap<u32, PartSet>,
        unprocessed: &mut Vec<(u32, PartSet)>,
        marking: u32,
        (onward, at_successors): (&NeededSuccessors, PartSet),
        require: &impl Fn(&mut HashMap<u32, PartSet>, &mut Vec<(u32, PartSet)>, u32, PartSet),
    ) -> Option<Option<TransitionId>> {
        match *onward {
            NeededSuccessors::None => Some(None),
            NeededSuccessors::One(to) => {
                require(needed, unprocessed, to, at_successors);
                // All edges of a graph for trees have label 0.
                Some(Some(self.graph.firing(marking, to, 0)??))
            }
            NeededSuccessors::All => {
                if !self.is_dead(marking) {
                    for &(to, _) in self.graph.successors(marking) {
                        require(needed, unprocessed, to, at_successors);
                    }
                }
                Some(None)
            }
        }
    }
}
