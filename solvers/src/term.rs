//! Terms as plain data: Boolean combinations of linear constraints over integers and reals.
//!
//! All terms of a question live in one [`Terms`] arena and are hash-consed: equal terms are the
//! same [`Term`]. Children are created before their parents, so a pass over the arena in order
//! visits children first. Nothing here recurses.
//!
//! Linear constraints have the form Σ c·x ≤ b or Σ c·x = b. Constraints over integers are divided
//! by the greatest common divisor, with b rounded down. Their first coefficient is made positive: x
//! ≥ 4 becomes ¬(x ≤ 3), which shares its atom with x ≤ 3. All other constraints are built from
//! these two forms.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::linear_expression::LinearExpression;
pub use crate::linear_expression::Variable;

/// The sort of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// True or false.
    Bool,
    /// An integer of any size.
    Int,
    /// A real number.
    Real,
    /// An integer from 0 to 2ʷ − 1, for a width of w ≥ 1 bits. Solvers receive a bit-vector.
    Bits(u32),
}

/// A Boolean term in an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

impl Term {
    /// Returns the position of this term in the arena. It is greater than the positions of its
    /// children.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The structure of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A truth value.
    Truth(bool),
    /// A variable of sort [`Sort::Bool`].
    Boolean(Variable),
    /// Negation.
    Not(Term),
    /// A conjunction of at least two terms, sorted.
    And(Box<[Term]>),
    /// A disjunction of at least two terms, sorted.
    Or(Box<[Term]>),
    /// Σ c·x ≤ b with at least one entry, sorted by variable.
    AtMost(Box<[(Variable, i128)]>, BigInt),
    /// Σ c·x = b with at least one entry, sorted by variable.
    Equal(Box<[(Variable, i128)]>, BigInt),
}

impl Node {
    /// Returns the children of the node.
    pub fn children(&self) -> &[Term] {
        match self {
            Node::Not(part) => std::slice::from_ref(part),
            Node::And(parts) | Node::Or(parts) => parts,
            _ => &[],
        }
    }
}

#[derive(Debug)]
struct Declaration {
    name: String,
    /// The sort of the variable.
    sort: Sort,
}

/// An arena of terms and the variables in them.
#[derive(Debug)]
pub struct Terms {
    /// Distinguishes arenas, so that a solver detects terms of another arena.
    identity: u64,
    nodes: Vec<Node>,
    /// The term of each structure.
    term_of_node: HashMap<Node, Term>,
    /// The name and the sort of each variable.
    variables: Vec<Declaration>,
    /// The variable of each sort and name.
    variable_of_name: HashMap<(Sort, String), Variable>,
}

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl Terms {
    /// Creates an arena that contains only true and false.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut terms = Terms {
            identity: NEXT.fetch_add(1, Ordering::Relaxed),
            nodes: Vec::new(),
            term_of_node: HashMap::new(),
            variables: Vec::new(),
            variable_of_name: HashMap::new(),
        };
        terms.intern(Node::Truth(false));
        terms.intern(Node::Truth(true));
        terms
    }

    /// Returns a number that is unique among the arenas of this process.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// Returns the structure of a term. A term of another arena gives a meaningless result or a
    /// panic.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns false: every arena contains true and false.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns all variables in the order of their creation.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = Variable> + use<> {
        (0..self.variables.len() as u32).map(Variable)
    }

    /// Returns the name of a variable.
    pub fn name(&self, variable: Variable) -> &str {
        &self.variables[variable.index()].name
    }

    /// Returns the sort of a variable.
    pub fn sort(&self, variable: Variable) -> Sort {
        self.variables[variable.index()].sort
    }

    /// Returns the term true or false.
    pub fn truth(&self, value: bool) -> Term {
        Term(value.into())
    }

    /// Returns the Boolean variable with this name as a term, and creates it at the first call.
    pub fn boolean(&mut self, name: &str) -> Term {
        let variable = self.declare(name, Sort::Bool);
        self.intern(Node::Boolean(variable))
    }

    /// Returns the integer variable with this name, and creates it at the first call.
    pub fn integer(&mut self, name: &str) -> Variable {
        self.declare(name, Sort::Int)
    }

    /// Returns the variable with this name of `width` bits, and creates it at the first call. A
    /// width of 0 counts as 1.
    pub fn bits(&mut self, name: &str, width: u32) -> Variable {
        self.declare(name, Sort::Bits(width.max(1)))
    }

    /// Returns the real variable with this name, and creates it at the first call.
    pub fn real(&mut self, name: &str) -> Variable {
        self.declare(name, Sort::Real)
    }

    /// Returns ¬a.
    pub fn not(&mut self, term: Term) -> Term {
        match *self.node(term) {
            Node::Truth(value) => self.truth(!value),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(term)),
        }
    }

    /// Returns a ∧ b ∧ …, or true without operands.
    pub fn and(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        match self.operands(terms, false) {
            Operands::Decided(term) => term,
            Operands::Open(parts) => self.intern(Node::And(parts)),
        }
    }

    /// Returns a ∨ b ∨ …, or false without operands.
    pub fn or(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        match self.operands(terms, true) {
            Operands::Decided(term) => term,
            Operands::Open(parts) => self.intern(Node::Or(parts)),
        }
    }

    /// Returns a ⇒ b.
    pub fn implies(&mut self, premise: Term, conclusion: Term) -> Term {
        let not_premise = self.not(premise);
        self.or([not_premise, conclusion])
    }

    /// Returns a ⇔ b.
    pub fn iff(&mut self, a: Term, b: Term) -> Term {
        let forward = self.implies(a, b);
        let backward = self.implies(b, a);
        self.and([forward, backward])
    }

    /// Returns a ≤ b.
    pub fn at_most(
        &mut self,
        a: impl Into<LinearExpression>,
        b: impl Into<LinearExpression>,
    ) -> Term {
        let (mut entries, constant) = a.into().minus_sum(&b.into()).into_parts();
        let mut bound = -constant;
        if entries.is_empty() {
            return self.truth(!bound.is_negative());
        }
        if !self.is_integral(&entries) {
            return self.intern(Node::AtMost(entries.into(), bound));
        }
        let divisor = divisor(&entries);
        entries.iter_mut().for_each(|(_, c)| *c /= divisor);
        bound = bound.div_floor(&divisor.into());
        if entries[0].1 > 0 {
            return self.intern(Node::AtMost(entries.into(), bound));
        }
        // Over integers, s ≤ b is equivalent to ¬(−s ≤ −b − 1).
        entries.iter_mut().for_each(|(_, c)| *c = -*c);
        let opposite = self.intern(Node::AtMost(entries.into(), -bound - 1));
        self.not(opposite)
    }

    /// Returns a ≥ b.
    pub fn at_least(
        &mut self,
        a: impl Into<LinearExpression>,
        b: impl Into<LinearExpression>,
    ) -> Term {
        self.at_most(b, a)
    }

    /// Returns a < b.
    pub fn less(&mut self, a: impl Into<LinearExpression>, b: impl Into<LinearExpression>) -> Term {
        let not_less = self.at_most(b, a);
        self.not(not_less)
    }

    /// Returns a = b.
    pub fn equal(
        &mut self,
        a: impl Into<LinearExpression>,
        b: impl Into<LinearExpression>,
    ) -> Term {
        let (mut entries, constant) = a.into().minus_sum(&b.into()).into_parts();
        let mut bound = -constant;
        if entries.is_empty() {
            return self.truth(bound.is_zero());
        }
        if self.is_integral(&entries) {
            let divisor = divisor(&entries);
            if !bound.is_multiple_of(&divisor.into()) {
                return self.truth(false);
            }
            entries.iter_mut().for_each(|(_, c)| *c /= divisor);
            bound /= divisor;
        }
        if entries[0].1 < 0 {
            entries.iter_mut().for_each(|(_, c)| *c = -*c);
            bound = -bound;
        }
        self.intern(Node::Equal(entries.into(), bound))
    }

    /// Returns `roots` and all their descendants, children before parents.
    pub fn reachable(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let mut is_seen = vec![false; self.nodes.len()];
        let mut found: Vec<Term> = Vec::new();
        let mut open: Vec<Term> = roots.into_iter().collect();
        while let Some(term) = open.pop() {
            if !std::mem::replace(&mut is_seen[term.index()], true) {
                found.push(term);
                open.extend_from_slice(self.node(term).children());
            }
        }
        found.sort_unstable();
        found
    }

    /// Returns true if all variables of the entries have integer values.
    pub(crate) fn is_integral(&self, entries: &[(Variable, i128)]) -> bool {
        let is_whole = |variable| matches!(self.sort(variable), Sort::Int | Sort::Bits(_));
        entries.iter().all(|&(variable, _)| is_whole(variable))
    }

    /// Sorts the operands of a conjunction or disjunction, and drops duplicates and the neutral
    /// constant. The result is `Decided` if the constant `absorbing_value` occurs, a term occurs
    /// together with its negation, or at most one operand remains. Nested operands are not
    /// flattened.
    fn operands(&self, terms: impl IntoIterator<Item = Term>, absorbing_value: bool) -> Operands {
        let mut parts: Vec<Term> = terms.into_iter().collect();
        parts.retain(|&part| part != self.truth(!absorbing_value));
        parts.sort_unstable();
        parts.dedup();
        let decides = |&part: &Term| {
            part == self.truth(absorbing_value)
                || matches!(self.node(part), Node::Not(inner) if parts.binary_search(inner).is_ok())
        };
        if parts.iter().any(decides) {
            return Operands::Decided(self.truth(absorbing_value));
        }
        match parts[..] {
            [] => Operands::Decided(self.truth(!absorbing_value)),
            [only] => Operands::Decided(only),
            _ => Operands::Open(parts.into()),
        }
    }

    /// Returns the variable with this name and sort, and creates it at the first call.
    fn declare(&mut self, name: &str, sort: Sort) -> Variable {
        if let Some(&known) = self.variable_of_name.get(&(sort, name.to_owned())) {
            return known;
        }
        // 2³² variables with their names would take hundreds of gigabytes.
        let variable = Variable(self.variables.len() as u32);
        self.variables.push(Declaration { name: name.to_owned(), sort });
        self.variable_of_name.insert((sort, name.to_owned()), variable);
        variable
    }

    /// Returns the term with this structure, and creates it at the first call.
    fn intern(&mut self, node: Node) -> Term {
        if let Some(&known) = self.term_of_node.get(&node) {
            return known;
        }
        // The cast is lossless: 2³² terms would take hundreds of gigabytes.
        let term = Term(self.nodes.len() as u32);
        self.term_of_node.insert(node.clone(), term);
        self.nodes.push(node);
        term
    }
}

/// The operands of a conjunction or disjunction after simplification.
enum Operands {
    /// The conjunction or disjunction is equivalent to this term.
    Decided(Term),
    /// The remaining operands: at least two, sorted.
    Open(Box<[Term]>),
}

/// Returns the positive greatest common divisor of the coefficients.
fn divisor(entries: &[(Variable, i128)]) -> i128 {
    // No coefficient is i128::MIN, since coefficients stay below 2¹²⁶: see `Coefficient`.
    let divisor = entries.iter().fold(0, |divisor: i128, &(_, c)| divisor.gcd(&c));
    if divisor.is_zero() { i128::one() } else { divisor }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_the_same_term() {
        let mut terms = Terms::new();
        let (a, b) = (terms.boolean("a"), terms.boolean("b"));
        assert_eq!(terms.and([a, b]), terms.and([b, a, b]));
        let negated = terms.not(a);
        assert_eq!(terms.not(negated), a);
        assert_eq!(terms.and([a, negated]), terms.truth(false));
        assert_eq!(terms.or([b, negated, a]), terms.truth(true));
        assert_eq!(terms.or([]), terms.truth(false));
        assert_eq!(terms.and([a]), a);
    }

    #[test]
    fn constraints_over_integers_have_one_form() {
        let mut terms = Terms::new();
        let x = terms.integer("x");
        let low = terms.at_most(x, 3);
        assert_eq!(terms.less(x, 4), low);
        let twice = LinearExpression::new().plus(2, x);
        assert_eq!(terms.at_most(twice.clone(), 7), low);
        let high = terms.at_least(x, 4);
        assert_eq!(terms.not(low), high);
        assert_eq!(terms.equal(twice.clone(), 7), terms.truth(false));
        assert_eq!(terms.equal(twice, 6), terms.equal(3, x));
        assert_eq!(terms.at_most(x, x), terms.truth(true));
    }

    #[test]
    fn constraints_over_reals_are_not_rounded() {
        let mut terms = Terms::new();
        let x = terms.real("x");
        let twice = LinearExpression::new().plus(2, x);
        assert_ne!(terms.at_most(twice.clone(), 7), terms.at_most(x, 3));
        assert_ne!(terms.equal(twice, 7), terms.truth(false));
        assert_ne!(terms.less(x, 4), terms.at_most(x, 3));
    }

    #[test]
    fn extreme_coefficients_do_not_overflow() {
        let mut terms = Terms::new();
        let x = terms.integer("x");
        let sum =
            LinearExpression::new().plus(u64::MAX, x).plus(u64::MAX, x).plus_constant(i64::MIN);
        let term = terms.at_most(sum, u64::MAX);
        assert!(matches!(terms.node(term), Node::AtMost(entries, _) if entries[0].1 == 1));
    }
}
