//! Temporal properties: formulas together with the meaning of their atoms.

use crate::fairness::Fairness;
use crate::predicate::Predicate;
use parikh_temporal::{AtomId, Formula, Formulas, Literal, Node, PartValues, Paths};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// A formula of CTL or LTL, as the path type `P` says, with the meaning `A` of its atoms and a
/// fairness requirement. Two properties are equal if their formulas have the same structure, their
/// atoms the same meanings, and their fairness requirements are equal. Equivalent formulas of
/// different structure are unequal.
#[derive(Clone, Debug)]
pub struct Property<P, A> {
    atoms: Vec<A>,
    formulas: Formulas<P>,
    formula: Formula<P>,
    /// The fairness of the runs that the property quantifies over.
    fairness: Fairness,
}

impl<P: Paths, A: Clone + Ord> Property<P, A> {
    /// Copies a formula with the atoms that occur in it. Atom number `i` of the given formula means
    /// `atoms[i]`; the copy numbers its atoms anew. The property has no fairness requirement.
    ///
    /// # Panics
    /// If an atom's number is not an index of `atoms`.
    pub fn new(formulas: &Formulas<P>, formula: Formula<P>, atoms: &[A]) -> Self {
        let occurring = formulas.atoms(formula);
        let mut sorted_atoms: Vec<A> =
            occurring.iter().map(|atom| atoms[atom.0 as usize].clone()).collect();
        sorted_atoms.sort_unstable();
        sorted_atoms.dedup();
        let mut copy = Formulas::default();
        let numbered: Vec<Formula<P>> =
            (0..sorted_atoms.len()).map(|number| copy.atom(AtomId(number as u32))).collect();
        let renumbered: HashMap<AtomId, Formula<P>> = occurring
            .into_iter()
            .map(|atom| {
                let index = sorted_atoms.partition_point(|other| *other < atoms[atom.0 as usize]);
                (atom, numbered[index])
            })
            .collect();
        let formula = formulas.copy_to(formula, &mut copy, |atom| renumbered[&atom]);
        Property { atoms: sorted_atoms, formulas: copy, formula, fairness: Fairness::default() }
    }

    /// Returns the property with the negated formula and the same fairness requirement.
    #[must_use]
    pub fn negated(&self) -> Self {
        let mut formulas = self.formulas.clone();
        let negation = formulas.negate(self.formula);
        Self::new(&formulas, negation, &self.atoms).with_fairness(self.fairness.clone())
    }

    /// Returns the property with this fairness requirement: it quantifies only over runs that are
    /// fair in this sense.
    #[must_use]
    pub fn with_fairness(self, fairness: Fairness) -> Self {
        Property { fairness, ..self }
    }
}

impl<P: Paths, A> Property<P, A> {
    /// Returns the meaning of the atoms, by number.
    pub fn atoms(&self) -> &[A] {
        &self.atoms
    }

    /// Returns the store that holds the formula.
    pub fn formulas(&self) -> &Formulas<P> {
        &self.formulas
    }

    /// Returns the formula.
    pub fn formula(&self) -> Formula<P> {
        self.formula
    }

    /// Returns the fairness requirement on the runs that the property quantifies over.
    pub fn fairness(&self) -> &Fairness {
        &self.fairness
    }

    /// Copies the formula to the store `to`, and replaces atom number `i` by the formula `atoms[i]`
    /// of that store.
    ///
    /// # Panics
    /// If an atom's number is not an index of `atoms`.
    pub fn translated(&self, to: &mut Formulas<P>, atoms: &[Formula<P>]) -> Formula<P> {
        self.formulas.copy_to(self.formula, to, |atom| atoms[atom.0 as usize])
    }

    /// Returns the nodes of the formula, operands before operators.
    fn nodes(&self) -> impl Iterator<Item = &Node<P>> {
        self.formulas.subformulas(self.formula).into_iter().map(|part| self.formulas.node(part))
    }
}

/// Returns the literal that means the predicate: an atom whose meaning in `atoms` is the predicate,
/// or the negation of an atom whose meaning is the negated predicate. Returns `None` if there is no
/// such atom. Predicates are compared after [`sorted`](Predicate::sorted).
pub fn known_literal(atoms: &[Predicate], predicate: &Predicate) -> Option<Literal> {
    let sorted_atoms: Vec<Predicate> = atoms.iter().map(|atom| atom.clone().sorted()).collect();
    let atom_of = |wanted: &Predicate| {
        let index = sorted_atoms.iter().position(|atom| atom == wanted);
        index.map(|index| AtomId(index as u32))
    };
    let predicate = predicate.clone().sorted();
    let positive = atom_of(&predicate).map(Literal::positive);
    positive.or_else(|| atom_of(&predicate.negated().sorted()).map(Literal::negative))
}

/// Returns the literal that means the predicate, as [`known_literal`] does. Adds the predicate to
/// the list if there is no such literal.
///
/// Rules that simplify formulas treat atoms as independent. So a predicate and its negation should
/// not be two atoms.
pub fn literal_of(atoms: &mut Vec<Predicate>, predicate: Predicate) -> Literal {
    known_literal(atoms, &predicate).unwrap_or_else(|| {
        atoms.push(predicate);
        Literal::positive(AtomId(atoms.len() as u32 - 1))
    })
}

/// Converts a subformula without temporal operators to a predicate. Returns `None` if it has a
/// temporal operator, or an atom that is not about a marking only. `of_atom` returns the predicate
/// of an atom, if the atom is about a marking only.
pub fn condition<P: Paths, A>(
    formulas: &Formulas<P>,
    part: Formula<P>,
    atoms: &[A],
    of_atom: impl Fn(&A) -> Option<Predicate>,
) -> Option<Predicate> {
    formulas.fold(part, |_, node, predicate_of: &PartValues<P, Option<Predicate>>| {
        let predicates_of = |parts: &[Formula<P>]| -> Option<Vec<Predicate>> {
            parts.iter().map(|&part| predicate_of[part].clone()).collect()
        };
        match node {
            Node::True => Some(Predicate::True),
            Node::False => Some(Predicate::False),
            Node::Literal(literal) => {
                let atom = of_atom(&atoms[literal.atom.0 as usize])?;
                Some(if literal.positive { atom } else { atom.negated() })
            }
            Node::And(parts) => predicates_of(parts).map(Predicate::and),
            Node::Or(parts) => predicates_of(parts).map(Predicate::or),
            Node::Next(..) | Node::Until(..) | Node::Release(..) => None,
        }
    })
}

impl<P: Paths, A: PartialEq> PartialEq for Property<P, A> {
    fn eq(&self, other: &Self) -> bool {
        self.atoms == other.atoms
            && self.formula == other.formula
            && self.fairness == other.fairness
            && self.nodes().eq(other.nodes())
    }
}

impl<P: Paths, A: Eq> Eq for Property<P, A> {}

impl<P: Paths, A: Hash> Hash for Property<P, A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.atoms.hash(state);
        self.fairness.hash(state);
        self.nodes().for_each(|node| node.hash(state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{PlaceId, TransitionId};

    #[test]
    fn a_predicate_and_its_negation_share_an_atom() {
        let p = Predicate::at_least(PlaceId::new(0), 1);
        let (enabled, disabled) =
            (Predicate::Enabled(TransitionId::new(0)), Predicate::Disabled(TransitionId::new(0)));
        let first = Literal::positive(AtomId(0));
        let second = Literal::positive(AtomId(1));
        let mut atoms = vec![Predicate::NotDead];
        assert_eq!(known_literal(&atoms, &Predicate::NotDead), Some(first));
        assert_eq!(literal_of(&mut atoms, Predicate::Dead), first.negated());
        assert_eq!(known_literal(&atoms, &p), None);
        let both = Predicate::Or(vec![p.clone(), enabled.clone()]);
        assert_eq!(literal_of(&mut atoms, both), second);
        // The parts of a conjunction or disjunction may have any order.
        let neither = Predicate::And(vec![disabled, p.clone().negated()]);
        assert_eq!(literal_of(&mut atoms, neither), second.negated());
        assert_eq!(literal_of(&mut atoms, Predicate::Or(vec![enabled, p])), second);
        assert_eq!(atoms.len(), 2);
    }
}
