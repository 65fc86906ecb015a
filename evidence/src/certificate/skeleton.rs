//! The propositional skeleton of a predicate, as clauses.
//!
//! Predicates are in negation normal form, so making more comparisons true never makes a predicate
//! false. Hence implications in one direction suffice: a true conjunction implies all its parts,
//! and a true disjunction implies one of its parts.
//!
//! A comparison that occurs in no lemma is replaced by the tightest weaker comparison that does
//! occur in one (more than 15 tokens are more than 13). If there is none, the comparison counts as
//! true. Both replacements make the predicate easier to satisfy, which is sound.

use parikh_net::{Atom, LinearSum, Predicate};
use std::collections::{BTreeMap, HashMap};

/// The variables of comparisons, by sum and then by bound.
pub(super) type Variables<'a> = HashMap<&'a LinearSum, BTreeMap<i64, i32>>;

/// Returns the variable of `atom`, or else of the tightest weaker comparison of the same sum that
/// has a variable. Returns `None` if there is none.
pub(super) fn variable_of(atom: &Atom, variables: &Variables<'_>) -> Option<i32> {
    let (_, &variable) = variables.get(&atom.sum)?.range(atom.bound..).next()?;
    Some(variable)
}

/// The clauses that state that the predicate holds. The first variables are those of comparisons.
/// The variables of conjunctions, disjunctions and the constant false follow, parents before
/// children, in the order of the predicate.
pub(super) struct Skeleton<'a> {
    /// The variables of comparisons.
    comparison_variables: &'a Variables<'a>,
    /// The number of variables, including those that are not comparisons.
    pub(super) variable_count: usize,
    /// The clauses that together state the predicate.
    pub(super) clauses: Vec<Vec<i32>>,
}

impl<'a> Skeleton<'a> {
    /// Builds the skeleton of a predicate whose leaves are comparisons. `atoms` has the variables
    /// of comparisons, which are 1 to `count`. Returns `None` if the predicate may be true whatever
    /// the values of these variables are.
    pub(super) fn of(
        predicate: &Predicate,
        count: usize,
        atoms: &'a Variables<'a>,
    ) -> Option<Self> {
        let mut skeleton =
            Skeleton { comparison_variables: atoms, variable_count: count, clauses: Vec::new() };
        let root = skeleton.literal_of(predicate)?;
        skeleton.clauses.push(vec![root]);
        Some(skeleton)
    }

    /// Adds the clauses of a node and returns its literal, or `None` if the node counts as true.
    fn literal_of(&mut self, predicate: &Predicate) -> Option<i32> {
        match predicate {
            Predicate::Atom(atom) => variable_of(atom, self.comparison_variables),
            Predicate::And(parts) => {
                let variable = self.new_variable();
                let mut is_constrained = false;
                for part in parts {
                    if let Some(part) = self.literal_of(part) {
                        self.clauses.push(vec![-variable, part]);
                        is_constrained = true;
                    }
                }
                is_constrained.then_some(variable)
            }
            Predicate::Or(parts) => {
                let variable = self.new_variable();
                let mut clause = vec![-variable];
                for part in parts {
                    clause.push(self.literal_of(part)?);
                }
                self.clauses.push(clause);
                Some(variable)
            }
            Predicate::False => {
                let variable = self.new_variable();
                self.clauses.push(vec![-variable]);
                Some(variable)
            }
            // The constant true. Predicates of comparisons have no other leaves.
            _ => None,
        }
    }

    /// Returns a new variable.
    fn new_variable(&mut self) -> i32 {
        self.variable_count += 1;
        self.variable_count as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{NetBuilder, Predicate};

    #[test]
    fn a_comparison_is_replaced_by_the_tightest_weaker_one() {
        let mut net = NetBuilder::new("one place");
        let p = net.place("p", 0).unwrap();
        let net = net.build().unwrap();
        let at_least = |tokens: u64| Predicate::at_least(p, tokens).to_atoms(&net);
        let atom = |tokens: u64| match at_least(tokens) {
            Predicate::Atom(atom) => atom,
            other => panic!("{other:?}"),
        };
        let (ten, fourteen) = (atom(10), atom(14));
        let mut variables = Variables::new();
        for (atom, variable) in [(&ten, 1), (&fourteen, 2)] {
            variables.entry(&atom.sum).or_default().insert(atom.bound, variable);
        }
        let clauses = |predicate: &Predicate| {
            Skeleton::of(predicate, 2, &variables).map(|skeleton| skeleton.clauses)
        };
        assert_eq!(clauses(&at_least(16)), Some(vec![vec![2]]));
        assert_eq!(clauses(&at_least(14)), Some(vec![vec![2]]));
        assert_eq!(clauses(&at_least(13)), Some(vec![vec![1]]));
        assert_eq!(clauses(&at_least(9)), None);
        let no_more = Predicate::no_more_than(p, 20).to_atoms(&net);
        assert_eq!(clauses(&no_more), None);
    }
}
