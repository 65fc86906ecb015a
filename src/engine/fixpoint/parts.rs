//! A formula as an array of parts, the parts of each before it.

use parikh_net::{Predicate, TreeProperty};
use parikh_temporal::{Formula, Node, Quantifier};
use std::collections::HashMap;

/// A set of parts, one bit each.
pub(super) type Set = u64;

/// The most parts of a formula.
pub(super) const MOST: usize = Set::BITS as usize;

/// A part, in terms of the others by their places in the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Always of this value.
    Constant(bool),
    /// A condition on markings, or its opposite.
    Literal {
        /// The index of the condition among those that the graph evaluates.
        bit: usize,
        /// Whether it is wanted.
        positive: bool,
    },
    /// All of these.
    And(Set),
    /// One of these.
    Or(Set),
    /// After one firing.
    Next(Quantifier, usize),
    /// The first until the second.
    Until(Quantifier, usize, usize),
    /// The first releases the second.
    Release(Quantifier, usize, usize),
}

/// The parts of a property's formula.
#[derive(Debug)]
pub(super) struct Parts {
    /// Each after its own parts; the formula itself is the last.
    pub(super) all: Vec<Part>,
    /// The same in the property's store.
    pub(super) formulas: Vec<Formula<Quantifier>>,
    /// For each part, the set of itself and of the parts on whose values at the same marking its
    /// own may depend.
    here: Vec<Set>,
}

impl Parts {
    /// The parts of a property, whose atoms have these indices in the graph; `None` for more than
    /// [`MOST`] parts.
    pub(super) fn of(property: &TreeProperty, bits: &HashMap<Predicate, usize>) -> Option<Parts> {
        let formulas = property.formulas().below(property.formula());
        if formulas.len() > MOST {
            return None;
        }
        let place = |part: &Formula<Quantifier>| formulas.binary_search(part).unwrap_or(0);
        let set = |parts: &[Formula<Quantifier>]| {
            parts.iter().fold(0, |set: Set, part| set | 1 << place(part))
        };
        let part = |&formula: &Formula<Quantifier>| match property.formulas().node(formula) {
            Node::True => Part::Constant(true),
            Node::False => Part::Constant(false),
            Node::Literal(literal) => Part::Literal {
                bit: bits[&property.atoms()[literal.atom.0 as usize]],
                positive: literal.positive,
            },
            Node::And(all) => Part::And(set(all)),
            Node::Or(any) => Part::Or(set(any)),
            Node::Next(paths, inner) => Part::Next(*paths, place(inner)),
            Node::Until(paths, left, right) => Part::Until(*paths, place(left), place(right)),
            Node::Release(paths, left, right) => Part::Release(*paths, place(left), place(right)),
        };
        let all: Vec<Part> = formulas.iter().map(part).collect();
        let mut here: Vec<Set> = Vec::with_capacity(all.len());
        for (place, part) in all.iter().enumerate() {
            let others = match *part {
                Part::Constant(_) | Part::Literal { .. } | Part::Next(..) => 0,
                Part::And(parts) | Part::Or(parts) => parts,
                Part::Until(_, left, right) | Part::Release(_, left, right) => {
                    1 << left | 1 << right
                }
            };
            here.push(places(others).fold(1 << place, |set, other| set | here[other]));
        }
        Some(Parts { all, formulas, here })
    }

    /// These parts, and all on whose values at the same marking theirs may depend; not what is
    /// demanded after a firing.
    pub(super) fn taken_here(&self, parts: Set) -> Set {
        places(parts).fold(0, |set, part| set | self.here[part])
    }

    /// The place of the formula itself.
    pub(super) fn root(&self) -> usize {
        self.all.len() - 1
    }
}

/// The places in a set.
pub(super) fn places(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(at)
    })
}
