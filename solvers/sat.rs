//! What a SAT back-end can do, as a trait, and what it answers.

use crate::answer::NoAnswer;
use crate::budget::Budget;
use crate::cnf::{Cnf, Literal};

/// The answer of a back-end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SatAnswer {
    /// All clauses and assumptions are true under these values, one per variable.
    Satisfiable(Vec<bool>),
    /// No values make all of them true. This is the word of the solver.
    Unsatisfiable {
        /// Assumptions that are contradictory together with the clauses, in the order in which they
        /// were given; not necessarily as few as possible.
        core: Vec<Literal>,
    },
    /// Nothing is known.
    NoAnswer(NoAnswer),
}

/// Keeps clauses and says whether they can be true together.
pub trait SatSolver {
    /// For logs: name and version of the solver.
    fn name(&self) -> String;

    /// Adds a clause; variables are made as they occur.
    fn add_clause(&mut self, clause: &[Literal]);

    /// Whether all clauses and `assumptions` can be true together, found out within `budget`.
    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> SatAnswer;

    /// Adds all clauses of a formula.
    fn add_all(&mut self, cnf: &Cnf) {
        for clause in cnf.clauses() {
            self.add_clause(clause);
        }
    }
}
