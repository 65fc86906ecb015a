//! The capabilities of SAT back-ends, as traits, and their answers.
//!
//! Back-ends are incremental: variables, clauses and learnt clauses persist between questions. A
//! question can assume literals, which serves to switch clauses on and off. A clause c with a fresh
//! literal s, as ¬s ∨ c, is active when s is assumed. The clause ¬s removes it permanently.

use crate::budget::{Budget, ExhaustionReason};
use crate::cnf::{Clauses, Cnf, Literal};

/// The answer of a back-end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SatAnswer {
    /// All clauses and assumptions are true under these values, one per variable.
    Satisfiable(Vec<bool>),
    /// No assignment satisfies all clauses and assumptions. This answer is trusted unless the
    /// back-end is a [`ProvingSat`].
    Unsatisfiable {
        /// Assumptions that contradict the clauses, in their given order. The core need not be
        /// minimal. It is empty if the clauses alone are contradictory.
        core: Vec<Literal>,
    },
    /// The budget ran out. A SAT back-end gives up for no other reason.
    NoAnswer(ExhaustionReason),
}

/// A solver that keeps clauses and decides whether they are satisfiable together.
pub trait SatSolver {
    /// Returns the positive literal of a fresh variable.
    fn new_variable(&mut self) -> Literal;

    /// Adds a clause. Variables up to the largest one in the clause exist from then on.
    fn add_clause(&mut self, clause: &[Literal]);

    /// Decides whether all clauses and `assumptions` are satisfiable together, within `budget`.
    /// Another thread may cancel the budget. The solver remains usable after any answer.
    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> SatAnswer;

    /// Adds every clause of a formula.
    fn add_all(&mut self, cnf: &Cnf) {
        for clause in cnf.clauses() {
            self.add_clause(clause);
        }
    }
}

impl<S: SatSolver> Clauses for S {
    fn variable(&mut self) -> Literal {
        self.new_variable()
    }

    fn clause(&mut self, clause: &[Literal]) {
        self.add_clause(clause);
    }
}

/// A back-end that records a proof for the answer "unsatisfiable".
pub trait ProvingSat: SatSolver {
    /// Returns the learnt clauses in order. Each one follows from the added clauses and the earlier
    /// learnt clauses by reverse unit propagation (RUP): if all its literals are false, unit
    /// propagation ends in a contradiction. After [`SatAnswer::Unsatisfiable`], unit propagation on
    /// all these clauses together with the core ends in a contradiction. An external checker can
    /// verify this refutation without trusting the solver.
    ///
    /// E. Goldberg, Y. Novikov, *Verification of proofs of unsatisfiability for CNF formulas*, DATE
    /// 2003.
    fn learnt(&self) -> &Cnf;
}
