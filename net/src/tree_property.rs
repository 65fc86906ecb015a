//! Properties of the tree of runs: CTL formulas over markings.
//!
//! The runs from a marking form a tree, which branches where several transitions are enabled. A CTL
//! formula is true or false in a marking; its operators speak of some or all maximal firing
//! sequences from there. A sequence that reaches a dead marking ends, so in a dead marking EX φ is
//! false and AX φ is true.

use crate::id::PlaceId;
use crate::marking::Marking;
use crate::net::Net;
use crate::predicate::Predicate;
use crate::property::Property;
use parikh_temporal::{AtomId, Letter, Quantifier};

/// A CTL formula over predicates.
pub type TreeProperty = Property<Quantifier, Predicate>;

impl TreeProperty {
    /// Returns the set of atoms that hold in a marking.
    pub fn letter(&self, net: &Net, marking: &Marking) -> Letter {
        let numbered = (0..).zip(self.atoms());
        let true_atoms = numbered.filter(|(_, atom)| atom.holds(net, marking));
        Letter::of(true_atoms.map(|(number, _)| AtomId(number)))
    }

    /// Returns the places whose tokens the atoms read, ascending.
    pub fn support(&self, net: &Net) -> Vec<PlaceId> {
        let mut places: Vec<PlaceId> =
            self.atoms().iter().flat_map(|atom| atom.support(net)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
