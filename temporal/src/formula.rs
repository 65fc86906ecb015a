//! Hash-consed formulas in negation normal form.
//!
//! LTL and CTL have the same three temporal operators, *next*, *until* and *release*; they differ
//! in whether an operator quantifies over paths. Both are [`Formulas`] over a kind of [`Paths`]:
//! [`Linear`] has no quantifier (there is one path), a [`Quantifier`] is *exists* or *all*.
//!
//! ```text
//! φ ::= true | false | p | ¬p | φ ∧ … ∧ φ | φ ∨ … ∨ φ | X φ | φ U φ | φ R φ            (LTL)
//! φ ::= …                               | EX φ | AX φ | E(φ U φ) | A(φ U φ) | E(φ R φ) | A(φ R φ)
//! ```
//!
//! All other operators are derived: F φ = true U φ, G φ = false R φ, φ W ψ = ψ R (φ ∨ ψ), φ M ψ = ψ
//! U (φ ∧ ψ). Negation is a function: X is its own dual, U and R are dual to each other, and so are
//! E and A.
//!
//! **Finite paths.** Linear formulas are about infinite words (the caller repeats the last letter
//! of a finite run). Branching formulas are about *maximal* paths, which end at a state without
//! successor. There EX φ is false and AX φ true, and an eventuality that is not met by then fails.
//! Hence EX true and AX false are formulas of their own, while X true is true.
//!
//! **Equal formulas have equal numbers.** A formula is an index into the store, and its parts have
//! smaller indices. Operands of ∧ and ∨ are sorted sets. A bottom-up traversal is therefore a pass
//! over ascending numbers, and nothing recurses, however deep formulas are. Constructors perform
//! only elementary simplifications: units, constants, equal operands, an operand with its
//! complement if the store knows it already.

use crate::atom::{AtomId, Literal};
use crate::paths::{Linear, Paths, Quantifier};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

/// A formula of one store. Two formulas of a store are equal if and only if they have the same
/// structure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Formula<P>(u32, PhantomData<P>);

impl<P> Formula<P> {
    fn from_index(index: usize) -> Self {
        // Each node takes more than four bytes, so memory runs out before the numbers do.
        Self(u32::try_from(index).expect("2^32 formulas in one store"), PhantomData)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The outermost operator of a formula with its operands, or a constant or a literal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node<P> {
    /// The constant true.
    True,
    /// The constant false.
    False,
    /// An atom or a negated atom.
    Literal(Literal),
    /// A conjunction of at least two formulas, ascending.
    And(Arc<[Formula<P>]>),
    /// A disjunction of at least two formulas, ascending.
    Or(Arc<[Formula<P>]>),
    /// Next: the formula holds after one step.
    Next(P, Formula<P>),
    /// Until: the right formula eventually holds, and the left one holds before.
    Until(P, Formula<P>, Formula<P>),
    /// Release: the right formula holds up to and including the first position where the left one
    /// holds, or forever.
    Release(P, Formula<P>, Formula<P>),
}

/// LTL formulas.
pub type Ltl = Formulas<Linear>;
/// CTL formulas.
pub type Ctl = Formulas<Quantifier>;

/// Largest operand list that is merged into an outer ∧ or ∨. A chain of 10⁵ operands, built
/// pairwise, then takes 10⁵ short lists instead of 10⁵ long ones.
const MAX_MERGED_OPERANDS: usize = 32;

/// A store of formulas; see the module documentation.
#[derive(Clone, Debug)]
pub struct Formulas<P> {
    nodes: Vec<Node<P>>,
    /// The formula of each structure.
    numbers: HashMap<Node<P>, Formula<P>>,
    /// The negation of each formula; `None` if it was not computed yet.
    negations: Vec<Option<Formula<P>>>,
}

impl<P: Paths> Default for Formulas<P> {
    fn default() -> Self {
        let mut formulas =
            Self { nodes: Vec::new(), numbers: HashMap::new(), negations: Vec::new() };
        let no = formulas.intern(Node::False);
        let yes = formulas.intern(Node::True);
        formulas.link_negations(no, yes);
        formulas
    }
}

impl<P: Paths> Formulas<P> {
    /// Returns the formula with this structure, and creates it at the first call.
    fn intern(&mut self, node: Node<P>) -> Formula<P> {
        if let Some(&formula) = self.numbers.get(&node) {
            return formula;
        }
        let formula = Formula::from_index(self.nodes.len());
        self.nodes.push(node.clone());
        self.negations.push(None);
        self.numbers.insert(node, formula);
        formula
    }

    /// Records that two formulas are negations of each other.
    fn link_negations(&mut self, one: Formula<P>, other: Formula<P>) {
        self.negations[one.index()] = Some(other);
        self.negations[other.index()] = Some(one);
    }

    /// Returns the structure of the formula.
    ///
    /// # Panics
    ///
    /// May panic, or return the structure of another formula, if the formula belongs to another
    /// store.
    pub fn node(&self, formula: Formula<P>) -> &Node<P> {
        &self.nodes[formula.index()]
    }

    /// Returns the constant true or false.
    pub fn constant(&self, value: bool) -> Formula<P> {
        Formula::from_index(usize::from(value))
    }

    /// Returns true if the formula is this constant.
    pub fn is(&self, formula: Formula<P>, value: bool) -> bool {
        formula == self.constant(value)
    }

    /// Returns the formula that consists of an atom.
    pub fn atom(&mut self, atom: AtomId) -> Formula<P> {
        self.literal(Literal::positive(atom))
    }

    /// Returns the formula that consists of a literal.
    pub fn literal(&mut self, literal: Literal) -> Formula<P> {
        let formula = self.intern(Node::Literal(literal));
        if self.negations[formula.index()].is_none() {
            let other = self.intern(Node::Literal(literal.negated()));
            self.link_negations(formula, other);
        }
        formula
    }

    /// Returns the conjunction of the operands, or true without operands.
    pub fn and(&mut self, operands: impl IntoIterator<Item = Formula<P>>) -> Formula<P> {
        self.join_operands(operands, true)
    }

    /// Returns the disjunction of the operands, or false without operands.
    pub fn or(&mut self, operands: impl IntoIterator<Item = Formula<P>>) -> Formula<P> {
        self.join_operands(operands, false)
    }

    /// Builds ∧ if `is_conjunction` is true, otherwise ∨.
    fn join_operands(
        &mut self,
        operands: impl IntoIterator<Item = Formula<P>>,
        is_conjunction: bool,
    ) -> Formula<P> {
        let mut gathered = Vec::new();
        for operand in operands {
            match self.node(operand) {
                Node::And(inner) if is_conjunction && inner.len() <= MAX_MERGED_OPERANDS => {
                    gathered.extend_from_slice(inner)
                }
                Node::Or(inner) if !is_conjunction && inner.len() <= MAX_MERGED_OPERANDS => {
                    gathered.extend_from_slice(inner)
                }
                _ => gathered.push(operand),
            }
        }
        gathered.sort_unstable();
        gathered.dedup();
        gathered.retain(|&operand| !self.is(operand, is_conjunction));
        let has_opposite = |operand: &Formula<P>| {
            self.negations[operand.index()]
                .is_some_and(|other| gathered.binary_search(&other).is_ok())
        };
        if gathered.iter().any(|&operand| self.is(operand, !is_conjunction))
            || gathered.iter().any(has_opposite)
        {
            return self.constant(!is_conjunction);
        }
        match gathered[..] {
            [] => self.constant(is_conjunction),
            [only] => only,
            _ if is_conjunction => self.intern(Node::And(gathered.into())),
            _ => self.intern(Node::Or(gathered.into())),
        }
    }

    /// Returns X `formula`, which is EX or AX in CTL, as `paths` says.
    pub fn next(&mut self, paths: P, formula: Formula<P>) -> Formula<P> {
        for constant in [false, true] {
            if self.is(formula, constant) && paths.next_keeps(constant) {
                return formula;
            }
        }
        self.intern(Node::Next(paths, formula))
    }

    /// Returns left U right.
    pub fn until(&mut self, paths: P, left: Formula<P>, right: Formula<P>) -> Formula<P> {
        // Simplifications: false U φ = φ, φ U φ = φ, φ U true = true, φ U false = false. The
        // constants are the two smallest formulas: false, then true.
        if left == right || left <= self.constant(false) || right <= self.constant(true) {
            return right;
        }
        self.intern(Node::Until(paths, left, right))
    }

    /// Returns left R right.
    pub fn release(&mut self, paths: P, left: Formula<P>, right: Formula<P>) -> Formula<P> {
        // The dual simplifications: true R φ = φ, φ R φ = φ, φ R true = true, φ R false = false.
        if left == right || self.is(left, true) || right <= self.constant(true) {
            return right;
        }
        self.intern(Node::Release(paths, left, right))
    }

    /// Returns F formula = true U formula.
    pub fn eventually(&mut self, paths: P, formula: Formula<P>) -> Formula<P> {
        self.until(paths, self.constant(true), formula)
    }

    /// Returns G formula = false R formula.
    pub fn always(&mut self, paths: P, formula: Formula<P>) -> Formula<P> {
        self.release(paths, self.constant(false), formula)
    }

    /// Returns left W right = right R (left ∨ right): an until whose right side need not occur.
    pub fn weak_until(&mut self, paths: P, left: Formula<P>, right: Formula<P>) -> Formula<P> {
        let either = self.or([left, right]);
        self.release(paths, right, either)
    }

    /// Returns left M right = right U (left ∧ right): a release whose left side must occur.
    pub fn strong_release(&mut self, paths: P, left: Formula<P>, right: Formula<P>) -> Formula<P> {
        let both = self.and([left, right]);
        self.until(paths, right, both)
    }

    /// Returns the negation in negation normal form.
    pub fn negate(&mut self, formula: Formula<P>) -> Formula<P> {
        let mut open = vec![formula];
        while let Some(&top) = open.last() {
            if self.negations[top.index()].is_some() {
                open.pop();
                continue;
            }
            let node = self.node(top).clone();
            let open_before = open.len();
            for_each_part(&node, |part| {
                if self.negations[part.index()].is_none() {
                    open.push(part);
                }
            });
            if open.len() > open_before {
                continue;
            }
            let negation_of = |part: Formula<P>, store: &Self| {
                store.negations[part.index()].expect("parts are negated first")
            };
            let negation = match node {
                Node::True | Node::False | Node::Literal(_) => {
                    unreachable!("these are made with their negations")
                }
                Node::And(operands) => {
                    let parts: Vec<_> =
                        operands.iter().map(|&part| negation_of(part, self)).collect();
                    self.or(parts)
                }
                Node::Or(operands) => {
                    let parts: Vec<_> =
                        operands.iter().map(|&part| negation_of(part, self)).collect();
                    self.and(parts)
                }
                Node::Next(paths, part) => self.next(paths.dual(), negation_of(part, self)),
                Node::Until(paths, left, right) => {
                    self.release(paths.dual(), negation_of(left, self), negation_of(right, self))
                }
                Node::Release(paths, left, right) => {
                    self.until(paths.dual(), negation_of(left, self), negation_of(right, self))
                }
            };
            self.negations[top.index()] = Some(negation);
            // Two formulas share a negation only if constructors simplified one of them.
            self.negations[negation.index()].get_or_insert(top);
            open.pop();
        }
        self.negations[formula.index()].expect("negated just now")
    }
}

impl Ctl {
    /// Returns φ if the formula is EF φ.
    pub fn possible(&self, formula: Formula<Quantifier>) -> Option<Formula<Quantifier>> {
        match *self.node(formula) {
            Node::Until(Quantifier::Exists, left, target) if self.is(left, true) => Some(target),
            _ => None,
        }
    }

    /// Returns φ if the formula is AG φ.
    pub fn invariant(&self, formula: Formula<Quantifier>) -> Option<Formula<Quantifier>> {
        match *self.node(formula) {
            Node::Release(Quantifier::All, left, body) if self.is(left, false) => Some(body),
            _ => None,
        }
    }
}

/// Calls `visit` for the direct parts of a node.
pub(crate) fn for_each_part<P: Copy>(node: &Node<P>, mut visit: impl FnMut(Formula<P>)) {
    match node {
        Node::True | Node::False | Node::Literal(_) => {}
        Node::And(operands) | Node::Or(operands) => operands.iter().for_each(|&part| visit(part)),
        Node::Next(_, part) => visit(*part),
        Node::Until(_, left, right) | Node::Release(_, left, right) => {
            visit(*left);
            visit(*right);
        }
    }
}
