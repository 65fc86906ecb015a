//! The propositional skeleton of a predicate, as clauses.
//!
//! Predicates are in negation normal form, so making more comparisons true never makes them false.
//! Hence one direction per junction is enough: a conjunction that holds has all its parts hold, a
//! disjunction some part. A comparison that no lemma speaks of stands for the tightest weaker one
//! that some lemma does (more than 15 tokens are more than 13), or is taken for true: both only
//! make the predicate easier to satisfy.

use parikh_net::{Atom, LinearSum, Predicate};
use std::collections::{BTreeMap, HashMap};

/// The variables of comparisons, by their sums and then by their bounds.
pub(super) type Variables<'a> = HashMap<&'a LinearSum, BTreeMap<i64, i32>>;

/// The variable of `atom`, or of the tightest comparison that it implies.
fn variable_of(atom: &Atom, variables: &Variables<'_>) -> Option<i32> {
    let (_, &variable) = variables.get(&atom.sum)?.range(atom.bound..).next()?;
    Some(variable)
}

/// The clauses of "the predicate holds". Variable i + 1 is atom i; the junctions follow, parents
/// before children and first parts first.
pub(super) struct Skeleton<'a> {
    atoms: &'a Variables<'a>,
    /// How many variables there are, the junctions' among them.
    pub(super) variables: usize,
    pub(super) clauses: Vec<Vec<i32>>,
}

impl<'a> Skeleton<'a> {
    /// Of a predicate of comparisons, where so many have variables; `None` when it may be true
    /// whatever they are.
    pub(super) fn of(
        predicate: &Predicate,
        count: usize,
        atoms: &'a Variables<'a>,
    ) -> Option<Self> {
        let mut skeleton = Skeleton { atoms, variables: count, clauses: Vec::new() };
        let root = skeleton.node(predicate)?;
        skeleton.clauses.push(vec![root]);
        Some(skeleton)
    }

    /// The literal of a node, whose clauses are added; `None` where it is taken for true.
    fn node(&mut self, predicate: &Predicate) -> Option<i32> {
        match predicate {
            Predicate::Atom(atom) => variable_of(atom, self.atoms),
            Predicate::And(parts) => {
                let own = self.fresh();
                let mut binds = false;
                for part in parts {
                    if let Some(part) = self.node(part) {
                        self.clauses.push(vec![-own, part]);
                        binds = true;
                    }
                }
                binds.then_some(own)
            }
            Predicate::Or(parts) => {
                let own = self.fresh();
                let mut clause = vec![-own];
                for part in parts {
                    clause.push(self.node(part)?);
                }
                self.clauses.push(clause);
                Some(own)
            }
            Predicate::False => {
                let own = self.fresh();
                self.clauses.push(vec![-own]);
                Some(own)
            }
            // Nothing else is left in a predicate of comparisons.
            _ => None,
        }
    }

    fn fresh(&mut self) -> i32 {
        self.variables += 1;
        self.variables as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{NetBuilder, Predicate};

    #[test]
    fn a_comparison_stands_for_the_tightest_weaker_one() {
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
