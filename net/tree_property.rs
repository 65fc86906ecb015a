//! Properties of the tree of runs: formulas of CTL over what holds in a marking.
//!
//! The runs from a marking make a tree, which parts where several firings are possible. A formula
//! of CTL is true or false at a marking: its operators speak of some or of all maximal rows of
//! firings from there. One that comes to a dead marking ends in it, so in a dead marking EX φ is
//! false and AX φ true.

use crate::id::PlaceId;
use crate::marking::Marking;
use crate::net::Net;
use crate::predicate::Predicate;
use crate::property::Property;
use parikh_temporal::{Atom, Letter, Quantifier};

/// A formula of CTL over predicates.
pub type TreeProperty = Property<Quantifier, Predicate>;

impl TreeProperty {
    /// The letter of a marking: the atoms that hold in it.
    pub fn letter(&self, net: &Net, marking: &Marking) -> Letter {
        let numbered = (0..).zip(self.atoms());
        let true_ones = numbered.filter(|(_, atom)| atom.holds(net, marking));
        Letter::of(true_ones.map(|(number, _)| Atom(number)))
    }

    /// The places whose tokens matter to its atoms, ascending.
    pub fn support(&self, net: &Net) -> Vec<PlaceId> {
        let mut places: Vec<PlaceId> =
            self.atoms().iter().flat_map(|atom| atom.support(net)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
