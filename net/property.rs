//! Properties: temporal formulas together with what their atoms stand for.

use crate::fairness::Fairness;
use crate::predicate::Predicate;
use parikh_temporal::{Atom, Formula, Formulas, Node, Paths, Values};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// A formula of the logic with these paths, over what its atoms stand for. Those that were written
/// alike, part by part, are equal; others that mean the same may not be.
#[derive(Clone, Debug)]
pub struct Property<P, A> {
    atoms: Vec<A>,
    formulas: Formulas<P>,
    formula: Formula<P>,
    /// Which runs are meant.
    fairness: Fairness,
}

impl<P: Paths, A: Clone + Ord> Property<P, A> {
    /// The formula, a copy of it, over those of the atoms that it speaks of: number `i` in it is
    /// `atoms[i]`. All runs are meant.
    ///
    /// # Panics
    /// Where the formula has an atom that `atoms` does not have.
    pub fn new(formulas: &Formulas<P>, formula: Formula<P>, atoms: &[A]) -> Self {
        let spoken_of = formulas.atoms(formula);
        let mut kept: Vec<A> =
            spoken_of.iter().map(|atom| atoms[atom.0 as usize].clone()).collect();
        kept.sort_unstable();
        kept.dedup();
        let mut copy = Formulas::default();
        let numbered: Vec<Formula<P>> =
            (0..kept.len()).map(|number| copy.atom(Atom(number as u32))).collect();
        let renumbered: HashMap<Atom, Formula<P>> = spoken_of
            .into_iter()
            .map(|atom| {
                let at = kept.partition_point(|other| *other < atoms[atom.0 as usize]);
                (atom, numbered[at])
            })
            .collect();
        let formula = formulas.copied(formula, &mut copy, |atom| renumbered[&atom]);
        Property { atoms: kept, formulas: copy, formula, fairness: Fairness::default() }
    }

    /// The property that is the negation.
    #[must_use]
    pub fn negated(&self) -> Self {
        let mut formulas = self.formulas.clone();
        let negation = formulas.negate(self.formula);
        Self::new(&formulas, negation, &self.atoms).under(self.fairness.clone())
    }

    /// The same property of those runs only that are fair in this way.
    #[must_use]
    pub fn under(self, fairness: Fairness) -> Self {
        Property { fairness, ..self }
    }
}

impl<P: Paths, A> Property<P, A> {
    /// What the atoms stand for, by number.
    pub fn atoms(&self) -> &[A] {
        &self.atoms
    }

    /// The store that the formula is in.
    pub fn formulas(&self) -> &Formulas<P> {
        &self.formulas
    }

    /// The formula.
    pub fn formula(&self) -> Formula<P> {
        self.formula
    }

    /// Which runs are meant.
    pub fn fairness(&self) -> &Fairness {
        &self.fairness
    }

    /// The formula in another store, with one of these in place of each atom, by number.
    ///
    /// # Panics
    /// Where `atoms` has too few.
    pub fn translated(&self, to: &mut Formulas<P>, atoms: &[Formula<P>]) -> Formula<P> {
        self.formulas.copied(self.formula, to, |atom| atoms[atom.0 as usize])
    }

    /// What it is made of, parts first.
    fn nodes(&self) -> impl Iterator<Item = &Node<P>> {
        self.formulas.below(self.formula).into_iter().map(|part| self.formulas.node(part))
    }
}

/// A part without operators of time as a predicate; `of_atom` has what an atom says of a marking,
/// if it says no more.
pub fn condition<P: Paths, A>(
    formulas: &Formulas<P>,
    part: Formula<P>,
    atoms: &[A],
    of_atom: impl Fn(&A) -> Option<Predicate>,
) -> Option<Predicate> {
    formulas.fold(part, |_, node, made: &Values<P, Option<Predicate>>| {
        let all = |parts: &[Formula<P>]| -> Option<Vec<Predicate>> {
            parts.iter().map(|&part| made[part].clone()).collect()
        };
        match node {
            Node::True => Some(Predicate::True),
            Node::False => Some(Predicate::False),
            Node::Literal(literal) => {
                let atom = of_atom(&atoms[literal.atom.0 as usize])?;
                Some(if literal.positive { atom } else { atom.negated() })
            }
            Node::And(parts) => all(parts).map(Predicate::and),
            Node::Or(parts) => all(parts).map(Predicate::or),
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
