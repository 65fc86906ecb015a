//! The propositional skeleton of a predicate, as clauses.
//!
//! Predicates are in negation normal form, so making more comparisons true never makes them false.
//! Hence one direction per junction is enough: a conjunction that holds has all its parts hold, a
//! disjunction some part. Comparisons that no lemma speaks of are taken for true, which only makes
//! the predicate easier to satisfy.

use parikh_net::{Atom, Predicate};
use std::collections::HashMap;

/// The clauses of "the predicate holds". Variable i + 1 is atom i; the junctions follow, parents before
/// children and first parts first.
pub(super) struct Skeleton<'a> {
    variable_of: &'a HashMap<&'a Atom, i32>,
    pub(super) variables: usize,
    pub(super) clauses: Vec<Vec<i32>>,
}

impl<'a> Skeleton<'a> {
    /// Of a predicate of comparisons, where there are so many atoms; `None` when it may be true whatever
    /// they are.
    pub(super) fn of(
        predicate: &Predicate,
        atoms: usize,
        variable_of: &'a HashMap<&'a Atom, i32>,
    ) -> Option<Self> {
        let mut skeleton = Skeleton { variable_of, variables: atoms, clauses: Vec::new() };
        let root = skeleton.node(predicate)?;
        skeleton.clauses.push(vec![root]);
        Some(skeleton)
    }

    /// The literal of a node, whose clauses are added; `None` where it is taken for true.
    fn node(&mut self, predicate: &Predicate) -> Option<i32> {
        match predicate {
            Predicate::Atom(atom) => self.variable_of.get(atom).copied(),
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
