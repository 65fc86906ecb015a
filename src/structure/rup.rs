//! Checks a refutation clause by clause, by unit propagation and nothing else.
//!
//! A clause follows from others by *reverse unit propagation* when assuming all its literals false
//! and propagating units runs into a conflict. A list of clauses, each following so from the
//! formula and the ones before it, and the empty clause after them, refutes the formula. The
//! checker shares no code with the solver; a clause it cannot confirm is an error.
//!
//! # Sources
//! E. Goldberg, Y. Novikov, *Verification of proofs of unsatisfiability for CNF formulas*, DATE
//! 2003. M. Moskewicz et al., *Chaff*, DAC 2001 (watched literals).

use super::sat::{Clause, Literal};
use parikh_solvers::{Budget, Exhausted};

/// Why a refutation is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefutationError {
    /// The clause at this position does not follow by unit propagation.
    #[error("clause {0} of the refutation does not follow from the ones before it")]
    NotImplied(usize),
    /// All clauses follow, but they do not contradict each other.
    #[error("the refutation does not end in a contradiction")]
    NoContradiction,
    /// The budget ended.
    #[error("{0}")]
    Budget(Exhausted),
}

/// Whether `proof` refutes `formula` over `variables` variables.
///
/// # Errors
/// With the first clause that does not follow, or when there is no contradiction at the end.
pub fn check_refutation(
    variables: usize,
    formula: impl IntoIterator<Item = Clause>,
    proof: &[Clause],
    budget: &Budget,
) -> Result<(), RefutationError> {
    let mut checker = Checker::new(variables);
    for clause in formula {
        checker.add(clause);
    }
    for (position, clause) in proof.iter().enumerate() {
        if let Some(reason) = budget.exhausted() {
            return Err(RefutationError::Budget(reason));
        }
        if checker.contradictory {
            return Ok(());
        }
        if !checker.implies(clause) {
            return Err(RefutationError::NotImplied(position));
        }
        checker.add(clause.clone());
    }
    if checker.contradictory { Ok(()) } else { Err(RefutationError::NoContradiction) }
}

struct Checker {
    clauses: Vec<Clause>,
    /// For each literal the clauses that watch it; a clause watches its first two literals.
    watchers: Vec<Vec<usize>>,
    /// The value of each variable, where it has one.
    values: Vec<Option<bool>>,
    /// Literals made true, in order.
    trail: Vec<Literal>,
    /// How many of the trail were propagated.
    propagated: usize,
    /// Whether the clauses themselves propagate to a conflict.
    contradictory: bool,
}

impl Checker {
    fn new(variables: usize) -> Self {
        Checker {
            clauses: Vec::new(),
            watchers: vec![Vec::new(); 2 * variables],
            values: vec![None; variables],
            trail: Vec::new(),
            propagated: 0,
            contradictory: false,
        }
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        self.values[literal.variable()].map(|value| value == literal.is_positive())
    }

    fn make_true(&mut self, literal: Literal) {
        self.values[literal.variable()] = Some(literal.is_positive());
        self.trail.push(literal);
    }

    /// Takes a clause for good. Nothing is assumed at this point.
    fn add(&mut self, mut clause: Clause) {
        if self.contradictory {
            return;
        }
        clause.sort_unstable();
        clause.dedup();
        // Literals without value first, so that the watched ones have none if possible.
        clause.sort_by_key(|&literal| self.value(literal).is_some());
        let satisfied = clause.iter().any(|&literal| self.value(literal) == Some(true));
        let free = clause.iter().filter(|&&literal| self.value(literal).is_none()).count();
        match (satisfied, free) {
            // Satisfied for good: values without assumption are never taken back.
            (true, _) => {}
            (false, 0) => self.contradictory = true,
            (false, 1) => {
                self.make_true(clause[0]);
                self.contradictory = !self.propagate();
            }
            (false, _) => {
                let at = self.clauses.len();
                self.watchers[clause[0].index()].push(at);
                self.watchers[clause[1].index()].push(at);
                self.clauses.push(clause);
            }
        }
    }

    /// Whether the clause follows by reverse unit propagation.
    fn implies(&mut self, clause: &[Literal]) -> bool {
        let start = self.trail.len();
        let mut conflict = false;
        for literal in clause {
            match self.value(*literal) {
                Some(true) => conflict = true,
                Some(false) => {}
                None => self.make_true(literal.negated()),
            }
        }
        conflict = conflict || !self.propagate();
        for literal in self.trail.drain(start..) {
            self.values[literal.variable()] = None;
        }
        self.propagated = start;
        conflict
    }

    /// Propagates units; false on a conflict.
    fn propagate(&mut self) -> bool {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let falsified = literal.negated();
            let mut watching = std::mem::take(&mut self.watchers[falsified.index()]);
            let mut kept = 0;
            let mut conflict = false;
            for at in 0..watching.len() {
                let index = watching[at];
                if !conflict && self.move_watch(index, falsified) {
                    continue;
                }
                watching[kept] = index;
                kept += 1;
                if conflict {
                    continue;
                }
                let other = self.other_watch(index, falsified);
                match self.value(other) {
                    Some(true) => {}
                    Some(false) => conflict = true,
                    None => self.make_true(other),
                }
            }
            watching.truncate(kept);
            self.watchers[falsified.index()].append(&mut watching);
            if conflict {
                return false;
            }
        }
        true
    }

    fn other_watch(&self, index: usize, falsified: Literal) -> Literal {
        let clause = &self.clauses[index];
        if clause[0] == falsified { clause[1] } else { clause[0] }
    }

    /// Lets the clause watch another literal that is not false, if it has one; a clause whose
    /// other watch is true may stay.
    fn move_watch(&mut self, index: usize, falsified: Literal) -> bool {
        if self.value(self.other_watch(index, falsified)) == Some(true) {
            return false;
        }
        let clause = &self.clauses[index];
        let Some(at) =
            (2..clause.len()).find(|&at| self.value(self.clauses[index][at]) != Some(false))
        else {
            return false;
        };
        let clause = &mut self.clauses[index];
        let slot = usize::from(clause[0] != falsified);
        clause.swap(slot, at);
        let watched = clause[slot];
        self.watchers[watched.index()].push(index);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::sat::{Answer, Sat};
    use super::*;

    fn clause(literals: &[i32]) -> Clause {
        let literal = |&l: &i32| Literal::new(l.unsigned_abs() as usize - 1, l > 0);
        literals.iter().map(literal).collect()
    }

    #[test]
    fn a_refutation_needs_every_step() {
        let formula = || [[1, 2], [1, -2], [-1, 2], [-1, -2]].map(|c| clause(&c));
        let check = |proof: &[Clause]| check_refutation(2, formula(), proof, &Budget::unlimited());
        assert_eq!(check(&[clause(&[1])]), Ok(()));
        assert_eq!(check(&[]), Err(RefutationError::NoContradiction));
        assert_eq!(check(&[clause(&[])]), Err(RefutationError::NotImplied(0)));
    }

    #[test]
    fn what_the_solver_learns_is_confirmed_and_false_clauses_are_not() {
        // Pigeons 5, holes 4: variable 4·pigeon + hole.
        let at = |pigeon: i32, hole: i32| 4 * pigeon + hole + 1;
        let mut formula: Vec<Clause> =
            (0..5).map(|pigeon| clause(&[0, 1, 2, 3].map(|hole| at(pigeon, hole)))).collect();
        for hole in 0..4 {
            for (one, two) in (0..5).flat_map(|i| (0..i).map(move |j| (i, j))) {
                formula.push(clause(&[-at(one, hole), -at(two, hole)]));
            }
        }
        let budget = Budget::unlimited();
        let mut sat = Sat::new(20, true, &budget);
        formula.iter().for_each(|clause| sat.add(clause));
        assert_eq!(sat.solve(), Ok(Answer::Unsatisfiable));
        let proof = sat.into_proof();
        assert!(proof.len() > 3);
        assert_eq!(check_refutation(20, formula.clone(), &proof, &budget), Ok(()));
        // Without the first pigeon's clause it is satisfiable, and no proof gets through.
        assert!(check_refutation(20, formula.split_off(1), &proof, &budget).is_err());
    }
}
