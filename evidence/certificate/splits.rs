//! Splits: tokens are whole, so of Σ ≤ k and Σ ≥ k + 1 one holds.
//!
//! Lemmas argue with rational numbers. What no marking satisfies because tokens cannot be halved is
//! shown case by case: a certificate that lists a comparison and its negation may use that one of
//! them is true. Cuts in the sense of Chvátal and Gomory are the same thing with one case empty.
//!
//! # Sources
//! A. H. Land, A. G. Doig, *An automatic method of solving discrete programming problems*,
//! Econometrica 28, 1960; C. Barrett, R. Nieuwenhuis, A. Oliveras, C. Tinelli, *Splitting on demand
//! in SAT modulo theories*, LPAR 2006.

use parikh_net::Atom;
use std::collections::HashMap;

/// For every comparison whose negation is listed after it: one of the two holds. Atom i is variable
/// i + 1.
pub(super) fn clauses(atoms: &[Atom]) -> Vec<Vec<i32>> {
    let mut listed: HashMap<&Atom, i32> = HashMap::new();
    let mut clauses = Vec::new();
    for (atom, variable) in atoms.iter().zip(1..) {
        if let Some(&negation) = listed.get(&atom.negated()) {
            clauses.push(vec![negation, variable]);
        }
        listed.entry(atom).or_insert(variable);
    }
    clauses
}
