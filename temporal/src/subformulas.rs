//! Traversal of the parts of formulas, bottom-up and without recursion.

use crate::atom::AtomId;
use crate::formula::{Formula, Formulas, Node, for_each_part};
use crate::paths::Paths;
use std::collections::{HashMap, HashSet};
use std::ops::Index;

impl<P: Paths> Formulas<P> {
    /// Returns the formula and all its parts, each once, parts first.
    pub fn subformulas(&self, formula: Formula<P>) -> Vec<Formula<P>> {
        let mut parts = vec![formula];
        let mut seen = HashSet::from([formula]);
        let mut next = 0;
        while next < parts.len() {
            for_each_part(self.node(parts[next]), |part| {
                if seen.insert(part) {
                    parts.push(part);
                }
            });
            next += 1;
        }
        parts.sort_unstable();
        parts
    }

    /// Computes a value of the formula from the values of its parts, once per part and without
    /// recursion. Calls `value` with each part, its structure, and the values computed so far.
    pub fn fold<T>(
        &self,
        formula: Formula<P>,
        mut value: impl FnMut(Formula<P>, &Node<P>, &PartValues<P, T>) -> T,
    ) -> T {
        let order = self.subformulas(formula);
        let mut values = PartValues { values: Vec::with_capacity(order.len()), formulas: order };
        for index in 0..values.formulas.len() {
            let part = values.formulas[index];
            let next = value(part, self.node(part), &values);
            values.values.push(next);
        }
        values.values.pop().expect("the formula itself is the last")
    }

    /// Returns the atoms of the formula in ascending order.
    pub fn atoms(&self, formula: Formula<P>) -> Vec<AtomId> {
        let mut atoms: Vec<AtomId> = self
            .subformulas(formula)
            .into_iter()
            .filter_map(|part| match self.node(part) {
                Node::Literal(literal) => Some(literal.atom),
                _ => None,
            })
            .collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// Returns the formula with each direct part replaced by `map`.
    pub fn replace_parts(
        &mut self,
        formula: Formula<P>,
        map: impl Fn(Formula<P>) -> Formula<P>,
    ) -> Formula<P> {
        match self.node(formula).clone() {
            Node::True | Node::False | Node::Literal(_) => formula,
            Node::And(operands) => self.and(operands.iter().map(|&part| map(part))),
            Node::Or(operands) => self.or(operands.iter().map(|&part| map(part))),
            Node::Next(paths, part) => self.next(paths, map(part)),
            Node::Until(paths, left, right) => self.until(paths, map(left), map(right)),
            Node::Release(paths, left, right) => self.release(paths, map(left), map(right)),
        }
    }

    /// Copies the formula to another store, with atoms replaced by formulas of that store.
    pub fn copy_to(
        &self,
        formula: Formula<P>,
        target: &mut Self,
        meaning: impl Fn(AtomId) -> Formula<P>,
    ) -> Formula<P> {
        let mut copies: HashMap<Formula<P>, Formula<P>> = HashMap::new();
        for part in self.subformulas(formula) {
            let copy = match self.node(part) {
                Node::True => target.constant(true),
                Node::False => target.constant(false),
                Node::Literal(literal) if literal.positive => meaning(literal.atom),
                Node::Literal(literal) => target.negate(meaning(literal.atom)),
                Node::And(operands) => target.and(operands.iter().map(|part| copies[part])),
                Node::Or(operands) => target.or(operands.iter().map(|part| copies[part])),
                Node::Next(paths, part) => target.next(*paths, copies[part]),
                Node::Until(paths, left, right) => {
                    target.until(*paths, copies[left], copies[right])
                }
                Node::Release(paths, left, right) => {
                    target.release(*paths, copies[left], copies[right])
                }
            };
            copies.insert(part, copy);
        }
        copies[&formula]
    }

    /// Returns the formula with atoms replaced by formulas. An atom for which `meaning` returns
    /// `None` stays.
    pub fn substitute(
        &mut self,
        formula: Formula<P>,
        mut meaning: impl FnMut(&mut Self, AtomId) -> Option<Formula<P>>,
    ) -> Formula<P> {
        let mut results: HashMap<Formula<P>, Formula<P>> = HashMap::new();
        for part in self.subformulas(formula) {
            let result = match *self.node(part) {
                Node::Literal(literal) => match meaning(self, literal.atom) {
                    None => part,
                    Some(replacement) if literal.positive => replacement,
                    Some(replacement) => self.negate(replacement),
                },
                _ => self.replace_parts(part, |inner| results[&inner]),
            };
            results.insert(part, result);
        }
        results[&formula]
    }
}

/// The values that [`Formulas::fold`] has computed, indexed by formula.
#[derive(Debug)]
pub struct PartValues<P, T> {
    /// The formulas, ascending: parts before formulas that contain them.
    formulas: Vec<Formula<P>>,
    /// The values computed so far, at the positions of their formulas.
    values: Vec<T>,
}

impl<P: Paths, T> Index<Formula<P>> for PartValues<P, T> {
    type Output = T;

    fn index(&self, formula: Formula<P>) -> &T {
        let at = self.formulas.binary_search(&formula).expect("a part of the formula");
        &self.values[at]
    }
}
