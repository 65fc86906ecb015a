//! A formula as an array of parts, that is, of its subformulas, each after the parts that it
//! contains.
//!
//! A part is an index, and a set of parts is a bit mask. A search keeps several such sets per
//! marking, so a formula may have at most 64 parts.

use parikh_net::{Predicate, TreeProperty};
use parikh_temporal::{Formula, Node, Quantifier};
use std::collections::HashMap;

/// A set of parts, one bit per part.
pub(super) type PartSet = u64;

/// Limit on the number of parts of a formula.
pub(super) const MAX_PARTS: usize = PartSet::BITS as usize;

/// A part of a formula. It refers to its operands by their indices in the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormulaPart {
    /// True everywhere, or false everywhere.
    Constant(bool),
    /// A condition on markings (an atom of the property), or its negation.
    Literal {
        /// Index of the condition among those that the graph evaluates.
        bit: usize,
        /// True for the condition itself, false for its negation.
        positive: bool,
    },
    /// Conjunction of the parts.
    And(PartSet),
    /// Disjunction of the parts.
    Or(PartSet),
    /// X: the part holds after every firing, or after some firing. In a dead marking, AX holds and
    /// EX fails.
    Next(Quantifier, usize),
    /// U: the first part holds until the second holds, on all paths or on some path.
    Until(Quantifier, usize, usize),
    /// R, the dual of U: the second part holds forever, or up to and including a marking where the
    /// first holds.
    Release(Quantifier, usize, usize),
}

/// The parts (subformulas) of a property's formula.
#[derive(Debug)]
pub(super) struct FormulaParts {
    /// The parts, each after its operands. The last one is the whole formula.
    pub(super) parts: Vec<FormulaPart>,
    /// The parts as formulas of the property's store, by index.
    pub(super) formulas: Vec<Formula<Quantifier>>,
    /// For each part, the set of the part itself and of the parts on whose values at the same
    /// marking its value may depend.
    needed_at_same_marking: Vec<PartSet>,
}

impl FormulaParts {
    /// Returns the parts of the property's formula. The map has, for each atom of the property, its
    /// index among the conditions that the graph evaluates. Returns `None` for more than
    /// [`MAX_PARTS`] parts.
    pub(super) fn of(
        property: &TreeProperty,
        atom_index: &HashMap<Predicate, usize>,
    ) -> Option<FormulaParts> {
        let formulas = property.formulas().subformulas(property.formula());
        if formulas.len() > MAX_PARTS {
            return None;
        }
        let index = |part: &Formula<Quantifier>| formulas.binary_search(part).unwrap_or(0);
        let set = |parts: &[Formula<Quantifier>]| {
            parts.iter().fold(0, |set: PartSet, part| set | 1 << index(part))
        };
        let part = |&formula: &Formula<Quantifier>| match property.formulas().node(formula) {
            Node::True => FormulaPart::Constant(true),
            Node::False => FormulaPart::Constant(false),
            Node::Literal(literal) => FormulaPart::Literal {
                bit: atom_index[&property.atoms()[literal.atom.0 as usize]],
                positive: literal.positive,
            },
            Node::And(conjuncts) => FormulaPart::And(set(conjuncts)),
            Node::Or(disjuncts) => FormulaPart::Or(set(disjuncts)),
            Node::Next(paths, inner) => FormulaPart::Next(*paths, index(inner)),
            Node::Until(paths, left, right) => {
                FormulaPart::Until(*paths, index(left), index(right))
            }
            Node::Release(paths, left, right) => {
                FormulaPart::Release(*paths, index(left), index(right))
            }
        };
        let part_list: Vec<FormulaPart> = formulas.iter().map(part).collect();
        let mut needed_at_same_marking: Vec<PartSet> = Vec::with_capacity(part_list.len());
        for (index, part) in part_list.iter().enumerate() {
            let operands = match *part {
                FormulaPart::Constant(_) | FormulaPart::Literal { .. } | FormulaPart::Next(..) => 0,
                FormulaPart::And(parts) | FormulaPart::Or(parts) => parts,
                FormulaPart::Until(_, left, right) | FormulaPart::Release(_, left, right) => {
                    1 << left | 1 << right
                }
            };
            needed_at_same_marking.push(
                members(operands)
                    .fold(1 << index, |set, operand| set | needed_at_same_marking[operand]),
            );
        }
        Some(FormulaParts { parts: part_list, formulas, needed_at_same_marking })
    }

    /// Returns the given parts and all parts whose values at the same marking may determine theirs.
    /// Operands of a "next" are not included, because their values are demanded at the successors.
    pub(super) fn relevant_at_same_marking(&self, parts: PartSet) -> PartSet {
        members(parts).fold(0, |set, part| set | self.needed_at_same_marking[part])
    }

    /// Returns the index of the whole formula.
    pub(super) fn root(&self) -> usize {
        self.parts.len() - 1
    }
}

/// Returns the indices of the parts in a set, ascending.
pub(super) fn members(mut set: PartSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(index)
    })
}
