//! Properties of runs: formulas of LTL over what holds in a marking, and what fires next.
//!
//! A run is a maximal row of firings. A run that comes to a dead marking stays there: that marking
//! repeats for ever, and nothing fires. So every run is an infinite word; its letter at a position
//! says which atoms are true of the marking there and of the firing that leaves it.

use crate::id::{PlaceId, TransitionId};
use crate::marking::Marking;
use crate::net::Net;
use crate::predicate::Predicate;
use parikh_temporal::{Atom, Formula, Letter, Linear, Ltl, Node};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// What an atom of a property says of a position of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunAtom {
    /// This holds in the marking.
    Holds(Predicate),
    /// One of these fires next; ascending.
    Fires(Vec<TransitionId>),
}

impl RunAtom {
    /// Whether it is true in a marking that this firing leaves, or none where a dead marking repeats.
    pub fn is_true(&self, net: &Net, marking: &Marking, firing: Option<TransitionId>) -> bool {
        match self {
            RunAtom::Holds(predicate) => predicate.holds(net, marking),
            RunAtom::Fires(any) => firing.is_some_and(|t| any.binary_search(&t).is_ok()),
        }
    }
}

/// A formula of LTL over what its atoms stand for. Those that were written alike, part by part, are
/// equal; others that mean the same may not be.
#[derive(Clone, Debug)]
pub struct RunProperty {
    atoms: Vec<RunAtom>,
    formulas: Ltl,
    formula: Formula<Linear>,
}

impl RunProperty {
    /// The formula, a copy of it, over those of the atoms that it speaks of: number `i` in it is
    /// `atoms[i]`.
    ///
    /// # Panics
    /// Where the formula has an atom that `atoms` does not have.
    pub fn new(formulas: &Ltl, formula: Formula<Linear>, atoms: &[RunAtom]) -> Self {
        let spoken_of = formulas.atoms(formula);
        let mut kept: Vec<RunAtom> =
            spoken_of.iter().map(|atom| atoms[atom.0 as usize].clone()).collect();
        kept.sort_unstable();
        kept.dedup();
        let numbers: HashMap<Atom, Atom> = spoken_of
            .into_iter()
            .map(|atom| {
                let at = kept.partition_point(|other| *other < atoms[atom.0 as usize]);
                (atom, Atom(at as u32))
            })
            .collect();
        let mut copy = Ltl::default();
        for number in 0..kept.len() {
            copy.atom(Atom(number as u32));
        }
        let renumbered: HashMap<Atom, Formula<Linear>> =
            numbers.into_iter().map(|(old, new)| (old, copy.atom(new))).collect();
        let formula = copy_of(formulas, formula, &mut copy, |atom| renumbered[&atom]);
        RunProperty { atoms: kept, formulas: copy, formula }
    }

    /// What the atoms stand for, by number.
    pub fn atoms(&self) -> &[RunAtom] {
        &self.atoms
    }

    /// The store that the formula is in.
    pub fn formulas(&self) -> &Ltl {
        &self.formulas
    }

    /// The formula.
    pub fn formula(&self) -> Formula<Linear> {
        self.formula
    }

    /// The property of all other runs.
    #[must_use]
    pub fn negated(&self) -> Self {
        let mut formulas = self.formulas.clone();
        let negation = formulas.negate(self.formula);
        RunProperty::new(&formulas, negation, &self.atoms)
    }

    /// The formula in another store, with one of these in place of each atom, by number.
    ///
    /// # Panics
    /// Where `atoms` has too few.
    pub fn translated(&self, to: &mut Ltl, atoms: &[Formula<Linear>]) -> Formula<Linear> {
        copy_of(&self.formulas, self.formula, to, |atom| atoms[atom.0 as usize])
    }

    /// The letter of a marking that this firing leaves.
    pub fn letter(&self, net: &Net, marking: &Marking, firing: Option<TransitionId>) -> Letter {
        let numbered = (0..).zip(&self.atoms);
        let true_ones = numbered.filter(|(_, atom)| atom.is_true(net, marking, firing));
        Letter::of(true_ones.map(|(number, _)| Atom(number)))
    }

    /// The places whose tokens matter to its atoms, ascending.
    pub fn support(&self, net: &Net) -> Vec<PlaceId> {
        let mut places: Vec<PlaceId> = self
            .atoms
            .iter()
            .flat_map(|atom| match atom {
                RunAtom::Holds(predicate) => predicate.support(net),
                RunAtom::Fires(_) => Vec::new(),
            })
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The places whose tokens matter to its atoms in markings that are not dead, ascending: what a
    /// loop has to bring back for its letters to repeat.
    pub fn read_places(&self, net: &Net) -> Vec<PlaceId> {
        fn mark(predicate: &Predicate, net: &Net, places: &mut Vec<PlaceId>) {
            match predicate {
                Predicate::Dead | Predicate::NotDead => {}
                Predicate::And(parts) | Predicate::Or(parts) => {
                    parts.iter().for_each(|part| mark(part, net, places));
                }
                leaf => places.extend(leaf.support(net)),
            }
        }
        let mut places = Vec::new();
        for atom in &self.atoms {
            if let RunAtom::Holds(predicate) = atom {
                mark(predicate, net, &mut places);
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    /// What it is made of, parts first.
    fn nodes(&self) -> impl Iterator<Item = &Node<Linear>> {
        self.formulas.below(self.formula).into_iter().map(|part| self.formulas.node(part))
    }
}

impl PartialEq for RunProperty {
    fn eq(&self, other: &Self) -> bool {
        self.atoms == other.atoms && self.formula == other.formula && self.nodes().eq(other.nodes())
    }
}

impl Eq for RunProperty {}

impl Hash for RunProperty {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.atoms.hash(state);
        self.nodes().for_each(|node| node.hash(state));
    }
}

/// The same formula in another store, with formulas of that in place of its atoms.
fn copy_of(
    from: &Ltl,
    formula: Formula<Linear>,
    to: &mut Ltl,
    meant: impl Fn(Atom) -> Formula<Linear>,
) -> Formula<Linear> {
    let mut copies: HashMap<Formula<Linear>, Formula<Linear>> = HashMap::new();
    for part in from.below(formula) {
        let copy = match from.node(part) {
            Node::True => to.constant(true),
            Node::False => to.constant(false),
            Node::Literal(literal) => {
                let atom = meant(literal.atom);
                if literal.positive { atom } else { to.negate(atom) }
            }
            Node::And(all) => to.and(all.iter().map(|part| copies[part])),
            Node::Or(all) => to.or(all.iter().map(|part| copies[part])),
            Node::Next(_, part) => to.next(Linear, copies[part]),
            Node::Until(_, left, right) => to.until(Linear, copies[left], copies[right]),
            Node::Release(_, left, right) => to.release(Linear, copies[left], copies[right]),
        };
        copies.insert(part, copy);
    }
    copies[&formula]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn atoms_that_mean_the_same_are_one_and_properties_written_alike_are_equal() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let holds = |place| RunAtom::Holds(Predicate::at_least(place, 1));
        let t = net.transition_named("t").unwrap();
        let atoms = [holds(p), holds(q), holds(p), RunAtom::Fires(vec![t])];
        let mut formulas = Ltl::default();
        let [a, b, c, fires] = [0, 1, 2, 3].map(|number| formulas.atom(Atom(number)));
        let until = formulas.until(Linear, a, b);
        let other = formulas.until(Linear, c, b);
        let property = |formula| RunProperty::new(&formulas, formula, &atoms);
        assert_eq!(property(until), property(other));
        assert_ne!(property(until), property(b));
        assert_ne!(property(until).negated(), property(until));
        assert_eq!(property(until).support(&net), [p, q]);
        let letter = property(fires).letter(&net, net.initial(), Some(t));
        assert!(letter.has(Atom(0)));
        assert!(!property(fires).letter(&net, net.initial(), None).has(Atom(0)));
    }
}
