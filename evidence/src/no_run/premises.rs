//! Premises of an argument: predicates that no reachable marking satisfies, and the pairs that they
//! exclude.
//!
//! An edge of the automaton reads a conjunction of literals, each of which may be a conjunction
//! itself. Its mover (a transition that fires, or stuttering in a dead marking) adds a condition:
//! the transition is enabled, or the marking is dead. If each conjunct of a premise occurs among
//! these conditions, a marking that allows the edge would satisfy the premise. The comparison is
//! syntactic.

use parikh_net::Predicate;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_temporal::{Cube, Literal};
use std::collections::HashMap;

/// Premises and the atoms of a property, decomposed into conjuncts.
pub struct Premises {
    /// The number assigned to each conjunct of a premise, or of an atom's predicate or its
    /// negation.
    numbers: HashMap<Predicate, u32>,
    /// One entry per atom: the conjuncts of its predicate, and those of its negation. Both are
    /// empty for atoms about firings.
    atoms: Vec<[Vec<u32>; 2]>,
    /// The conjuncts of each premise, as numbers.
    premises: Vec<Vec<u32>>,
}

impl Premises {
    /// Prepares the premises of an argument about `property`.
    pub fn new(property: &RunProperty, given: &[Predicate]) -> Premises {
        let mut numbers = HashMap::new();
        let mut conjuncts = |predicate: Predicate| -> Vec<u32> {
            let parts = match predicate.sorted() {
                Predicate::And(parts) => parts,
                part => vec![part],
            };
            let mut number = |part| {
                let next = numbers.len() as u32;
                *numbers.entry(part).or_insert(next)
            };
            parts.into_iter().map(&mut number).collect()
        };
        let mut of_atom = |atom: &RunAtom| match atom {
            RunAtom::Holds(it) => [it.clone(), it.clone().negated()].map(&mut conjuncts),
            RunAtom::Fires(_) => [Vec::new(), Vec::new()],
        };
        let atoms = property.atoms().iter().map(&mut of_atom).collect();
        let premises = given.iter().map(|premise| conjuncts(premise.clone())).collect();
        Premises { numbers, atoms, premises }
    }

    /// Returns true if each conjunct of the premise is `mover` or a conjunct of a literal of the
    /// cube. `mover` is the condition of the mover: a transition is enabled, or the marking is
    /// dead. Then no reachable marking satisfies both the cube and this condition, as it would
    /// satisfy the premise.
    pub fn excludes(&self, premise: usize, cube: &Cube, mover: &Predicate) -> bool {
        let of_literal = |literal: &Literal| {
            &self.atoms[literal.atom.0 as usize][usize::from(!literal.positive)]
        };
        let of_mover = self.numbers.get(mover);
        self.premises[premise].iter().all(|conjunct| {
            of_mover == Some(conjunct)
                || cube.literals().iter().any(|literal| of_literal(literal).contains(conjunct))
        })
    }

    /// Returns the index of the first premise that excludes all markings that satisfy the cube and
    /// the condition of the mover, as in [`excludes`](Self::excludes). Returns `None` if no premise
    /// does.
    pub fn find_excluding(&self, cube: &Cube, mover: &Predicate) -> Option<usize> {
        (0..self.premises.len()).find(|&premise| self.excludes(premise, cube, mover))
    }
}
