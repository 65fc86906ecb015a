//! Formulas in negation normal form, each made once.
//!
//! LTL and CTL have the same three temporal operators, *next*, *until* and *release*; they differ
//! in whether an operator says which paths it speaks of. So both are [`Formulas`] over a kind of
//! [`Paths`]: [`Linear`] says nothing (there is one path), a [`Quantifier`] says *some* or *all*.
//!
//! ```text
//! φ ::= true | false | p | ¬p | φ ∧ … ∧ φ | φ ∨ … ∨ φ | X φ | φ U φ | φ R φ            (LTL)
//! φ ::= …                               | EX φ | AX φ | E(φ U φ) | A(φ U φ) | E(φ R φ) | A(φ R φ)
//! ```
//!
//! Everything else is written with these: F φ = true U φ, G φ = false R φ, φ W ψ = ψ R (φ ∨ ψ),
//! φ M ψ = ψ U (φ ∧ ψ). Negation is a function: X is its own dual, U and R are each other's, and so
//! are E and A.
//!
//! **Paths that end.** Linear formulas are about infinite words (who has a finite run repeats its
//! last letter). Branching formulas are about *maximal* paths, which end where a state has no
//! successor: there EX φ is false and AX φ true, and what has not happened by then does not happen.
//! Hence EX true and AX false are formulas of their own, while X true is true.
//!
//! **Equal formulas are equal numbers.** A formula is an index into the store, its parts have
//! smaller indices, and operands of ∧ and ∨ are sorted sets. So going through a formula from the
//! bottom up is going through numbers in their order, and nothing here recurses, however deep
//! formulas are. Constructors simplify only what nobody would argue about: units, constants, equal
//! operands, an operand and its complement.

use crate::atom::{Atom, Literal};
use crate::paths::{Linear, Paths, Quantifier};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

/// A formula of one store. Formulas of one store are equal exactly if they are written alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Formula<P>(u32, PhantomData<P>);

impl<P> Formula<P> {
    fn at(index: usize) -> Self {
        // Each node takes more than four bytes: memory ends before numbers do.
        Self(u32::try_from(index).expect("2^32 formulas in one store"), PhantomData)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a formula is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node<P> {
    /// Always true.
    True,
    /// Never true.
    False,
    /// An atom or its negation.
    Literal(Literal),
    /// All of them: two or more, growing.
    And(Arc<[Formula<P>]>),
    /// At least one of them: two or more, growing.
    Or(Arc<[Formula<P>]>),
    /// After one step.
    Next(P, Formula<P>),
    /// The right one happens, and the left one holds until then.
    Until(P, Formula<P>, Formula<P>),
    /// The right one holds up to where the left one does, including that, or for ever.
    Release(P, Formula<P>, Formula<P>),
}

/// LTL formulas.
pub type Ltl = Formulas<Linear>;
/// CTL formulas.
pub type Ctl = Formulas<Quantifier>;

/// Operands of an inner ∧ become those of the outer one up to this many: a chain of 10⁵, made two
/// by two, then takes 10⁵ short lists and not 10⁵ long ones.
const FLAT: usize = 32;

/// A store of formulas; see the head of the module.
#[derive(Clone, Debug)]
pub struct Formulas<P> {
    nodes: Vec<Node<P>>,
    numbers: HashMap<Node<P>, Formula<P>>,
    /// The negation of each formula, as far as anybody has asked for it.
    negations: Vec<Option<Formula<P>>>,
}

impl<P: Paths> Default for Formulas<P> {
    fn default() -> Self {
        let mut formulas =
            Self { nodes: Vec::new(), numbers: HashMap::new(), negations: Vec::new() };
        let no = formulas.intern(Node::False);
        let yes = formulas.intern(Node::True);
        formulas.are_opposites(no, yes);
        formulas
    }
}

impl<P: Paths> Formulas<P> {
    fn intern(&mut self, node: Node<P>) -> Formula<P> {
        if let Some(&formula) = self.numbers.get(&node) {
            return formula;
        }
        let formula = Formula::at(self.nodes.len());
        self.nodes.push(node.clone());
        self.negations.push(None);
        self.numbers.insert(node, formula);
        formula
    }

    fn are_opposites(&mut self, one: Formula<P>, other: Formula<P>) {
        self.negations[one.index()] = Some(other);
        self.negations[other.index()] = Some(one);
    }

    /// What the formula is made of.
    ///
    /// # Panics
    ///
    /// May panic, or answer for another formula, if the formula is of another store.
    pub fn node(&self, formula: Formula<P>) -> &Node<P> {
        &self.nodes[formula.index()]
    }

    /// true or false.
    pub fn constant(&self, value: bool) -> Formula<P> {
        Formula::at(usize::from(value))
    }

    /// Whether the formula is written as this constant.
    pub fn is(&self, formula: Formula<P>, value: bool) -> bool {
        formula == self.constant(value)
    }

    /// An atom.
    pub fn atom(&mut self, atom: Atom) -> Formula<P> {
        self.literal(Literal::positive(atom))
    }

    /// An atom or its negation.
    pub fn literal(&mut self, literal: Literal) -> Formula<P> {
        let formula = self.intern(Node::Literal(literal));
        if self.negations[formula.index()].is_none() {
            let other = self.intern(Node::Literal(literal.negated()));
            self.are_opposites(formula, other);
        }
        formula
    }

    /// All of the operands; true if there are none.
    pub fn and(&mut self, operands: impl IntoIterator<Item = Formula<P>>) -> Formula<P> {
        self.gather(operands, true)
    }

    /// At least one of the operands; false if there are none.
    pub fn or(&mut self, operands: impl IntoIterator<Item = Formula<P>>) -> Formula<P> {
        self.gather(operands, false)
    }

    /// ∧ with `unit` true, ∨ with `unit` false.
    fn gather(&mut self, operands: impl IntoIterator<Item = Formula<P>>, unit: bool) -> Formula<P> {
        let mut all = Vec::new();
        for operand in operands {
            match self.node(operand) {
                Node::And(inner) if unit && inner.len() <= FLAT => all.extend_from_slice(inner),
                Node::Or(inner) if !unit && inner.len() <= FLAT => all.extend_from_slice(inner),
                _ => all.push(operand),
            }
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|&operand| !self.is(operand, unit));
        let has_opposite = |operand: &Formula<P>| {
            self.negations[operand.index()].is_some_and(|other| all.binary_search(&other).is_ok())
        };
        if all.iter().any(|&operand| self.is(operand, !unit)) || all.iter().any(has_opposite) {
            return self.constant(!unit);
        }
        match all[..] {
            [] => self.constant(unit),
            [only] => only,
            _ if unit => self.intern(Node::And(all.into())),
            _ => self.intern(Node::Or(all.into())),
        }
    }

    /// The formula after one step.
    pub fn next(&mut self, paths: P, formula: Formula<P>) -> Formula<P> {
        for constant in [false, true] {
            if self.is(formula, constant) && paths.keeps(constant) {
                return formula;
            }
        }
        self.intern(Node::Next(paths, formula))
    }

    /// left U right.
    pub fn until(&mut self, paths: P, left: Formula<P>, right: Formula<P>) -> Formula<P> {
        // false U φ = φ, φ U φ = φ; φ U true = true and φ U false = false at once.
        if left == right || left <= self.constant(false) || right <= self.constant(true) {
            return right;
        }
        self.intern(Node::Until(paths, left, right))
    }

    /// left R right.
    pub fn release(&mut self, paths: P, left: Formula<P>, right: Formula<P>) -> Formula<P> {
        // The duals: true R φ = φ, φ R φ = φ, φ R true = true, φ R false = false.
        if left == right || self.is(left, true) || right <= self.constant(true) {
            return right;
        }
        self.intern(Node::Release(paths, left, right))
    }

    /// F: true U formula.
    pub fn eventually(&mut self, paths: P, formula: Formula<P>) -> Formula<P> {
        self.until(paths, self.constant(true), formula)
    }

    /// G: false R formula.
    pub fn always(&mut self, paths: P, formula: Formula<P>) -> Formula<P> {
        self.release(paths, self.constant(false), formula)
    }

    /// left W right = right R (left ∨ right): an until that need not come.
    pub fn weak_until(&mut self, paths: P, left: Formula<P>, right: Formula<P>) -> Formula<P> {
        let either = self.or([left, right]);
        self.release(paths, right, either)
    }

    /// left M right = right U (left ∧ right): a release that must come.
    pub fn strong_release(&mut self, paths: P, left: Formula<P>, right: Formula<P>) -> Formula<P> {
        let both = self.and([left, right]);
        self.until(paths, right, both)
    }

    /// The negation, in negation normal form.
    pub fn negate(&mut self, formula: Formula<P>) -> Formula<P> {
        let mut open = vec![formula];
        while let Some(&top) = open.last() {
            if self.negations[top.index()].is_some() {
                open.pop();
                continue;
            }
            let node = self.node(top).clone();
            let before = open.len();
            for_each_part(&node, |part| {
                if self.negations[part.index()].is_none() {
                    open.push(part);
                }
            });
            if open.len() > before {
                continue;
            }
            let not = |part: Formula<P>, of: &Self| {
                of.negations[part.index()].expect("parts are negated first")
            };
            let negation = match node {
                Node::True | Node::False | Node::Literal(_) => {
                    unreachable!("these are made with their negations")
                }
                Node::And(all) => {
                    let parts: Vec<_> = all.iter().map(|&part| not(part, self)).collect();
                    self.or(parts)
                }
                Node::Or(all) => {
                    let parts: Vec<_> = all.iter().map(|&part| not(part, self)).collect();
                    self.and(parts)
                }
                Node::Next(paths, part) => self.next(paths.dual(), not(part, self)),
                Node::Until(paths, left, right) => {
                    self.release(paths.dual(), not(left, self), not(right, self))
                }
                Node::Release(paths, left, right) => {
                    self.until(paths.dual(), not(left, self), not(right, self))
                }
            };
            self.negations[top.index()] = Some(negation);
            // Two formulas may have one negation only where constructors simplified one of them.
            self.negations[negation.index()].get_or_insert(top);
            open.pop();
        }
        self.negations[formula.index()].expect("negated just now")
    }
}

impl Ctl {
    /// The φ of EF φ.
    pub fn possible(&self, formula: Formula<Quantifier>) -> Option<Formula<Quantifier>> {
        match *self.node(formula) {
            Node::Until(Quantifier::Exists, left, met) if self.is(left, true) => Some(met),
            _ => None,
        }
    }

    /// The φ of AG φ.
    pub fn invariant(&self, formula: Formula<Quantifier>) -> Option<Formula<Quantifier>> {
        match *self.node(formula) {
            Node::Release(Quantifier::All, left, kept) if self.is(left, false) => Some(kept),
            _ => None,
        }
    }
}

/// The direct parts of a node.
pub(crate) fn for_each_part<P: Copy>(node: &Node<P>, mut visit: impl FnMut(Formula<P>)) {
    match node {
        Node::True | Node::False | Node::Literal(_) => {}
        Node::And(all) | Node::Or(all) => all.iter().for_each(|&part| visit(part)),
        Node::Next(_, part) => visit(*part),
        Node::Until(_, left, right) | Node::Release(_, left, right) => {
            visit(*left);
            visit(*right);
        }
    }
}
