//! The propositional skeleton of a predicate, as clauses.
//!
//! Predicates are in negation normal form, so making more comparisons true never makes them false.
//! Hence one direction per junction is enough: a conjunction that holds has all its parts hold, a
//! disjunction some part. Comparisons that no lemma speaks of are taken for true, which only makes
//! the predicate easier to satisfy.

use parikh_net::{Atom, Net, Predicate};
use std::collections::HashMap;

/// The clauses of "`predicate` holds", and how many variables they have. Variable i + 1 is
/// `atoms[i]`; the junctions follow, parents before children and first parts first.
pub(super) fn clauses(net: &Net, predicate: &Predicate, atoms: &[Atom]) -> (Vec<Vec<i32>>, usize) {
    let variables = atoms.iter().enumerate();
    // The first of two equal atoms; the other is never mentioned.
    let mut variable_of: HashMap<&Atom, i32> = HashMap::new();
    for (index, atom) in variables {
        variable_of.entry(atom).or_insert(index as i32 + 1);
    }
    let folded = without_unlisted(&predicate.to_atoms(net), &variable_of);
    let mut builder = Builder { variable_of, variables: atoms.len(), clauses: Vec::new() };
    match &folded {
        Predicate::True => {}
        Predicate::False => builder.clauses.push(Vec::new()),
        _ => {
            let root = builder.node(&folded);
            builder.clauses.push(vec![root]);
        }
    }
    (builder.clauses, builder.variables)
}

/// The predicate with every comparison outside the list replaced by true.
fn without_unlisted(predicate: &Predicate, listed: &HashMap<&Atom, i32>) -> Predicate {
    match predicate {
        Predicate::Atom(atom) if !listed.contains_key(atom) => Predicate::True,
        Predicate::And(parts) => {
            Predicate::and(parts.iter().map(|part| without_unlisted(part, listed)))
        }
        Predicate::Or(parts) => {
            Predicate::or(parts.iter().map(|part| without_unlisted(part, listed)))
        }
        other => other.clone(),
    }
}

struct Builder<'a> {
    variable_of: HashMap<&'a Atom, i32>,
    variables: usize,
    clauses: Vec<Vec<i32>>,
}

impl Builder<'_> {
    /// The variable of a node, whose clauses are added.
    fn node(&mut self, predicate: &Predicate) -> i32 {
        match predicate {
            Predicate::And(parts) => {
                let own = self.fresh();
                for part in parts {
                    let part = self.node(part);
                    self.clauses.push(vec![-own, part]);
                }
                own
            }
            Predicate::Or(parts) => {
                let own = self.fresh();
                let mut clause = vec![-own];
                clause.extend(parts.iter().map(|part| self.node(part)));
                self.clauses.push(clause);
                own
            }
            Predicate::Atom(atom) => match self.variable_of.get(atom) {
                Some(&variable) => variable,
                None => self.fresh(),
            },
            // Folded away, or lowered to atoms. A variable that nothing constrains is sound.
            _ => self.fresh(),
        }
    }

    fn fresh(&mut self) -> i32 {
        self.variables += 1;
        self.variables as i32
    }
}
