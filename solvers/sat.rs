//! What a SAT back-end can do, as traits, and what it answers.
//!
//! Back-ends are incremental: variables and clauses are added between questions and stay, and so
//! does what was learnt. A question may assume literals; that is how clauses come and go. A clause
//! c with a literal of its own, ¬s ∨ c, holds where s is assumed, and is given up for good by the
//! clause ¬s.

use crate::budget::{Budget, Exhausted};
use crate::cnf::{Clauses, Cnf, Literal};

/// The answer of a back-end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SatAnswer {
    /// All clauses and assumptions are true under these values, one per variable.
    Satisfiable(Vec<bool>),
    /// No values make all of them true. This is the word of the solver, unless it is a
    /// [`ProvingSat`].
    Unsatisfiable {
        /// Assumptions that are contradictory together with the clauses, in the order in which they
        /// were given; not necessarily as few as possible. None when the clauses are contradictory
        /// by themselves.
        core: Vec<Literal>,
    },
    /// The budget ran out; a SAT back-end gives up for nothing else.
    NoAnswer(Exhausted),
}

/// Keeps clauses and says whether they can be true together.
pub trait SatSolver {
    /// For logs: name and version of the solver.
    fn name(&self) -> String;

    /// The positive literal of a variable that nothing was said of.
    fn new_variable(&mut self) -> Literal;

    /// Adds a clause; variables up to the greatest in it exist from then on.
    fn add_clause(&mut self, clause: &[Literal]);

    /// Whether all clauses and `assumptions` can be true together, found out within `budget`, which
    /// may also be cancelled from elsewhere. The solver can be asked on after any answer.
    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> SatAnswer;

    /// Adds all clauses of a formula.
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

/// A back-end that writes down why it says "unsatisfiable".
pub trait ProvingSat: SatSolver {
    /// What was learnt so far, in order. Each clause follows from the clauses that were added and
    /// those learnt before it by unit propagation: where all of its literals are false, propagating
    /// units ends in a contradiction (reverse unit propagation, RUP). After
    /// [`SatAnswer::Unsatisfiable`], all of these clauses together with the core propagate to a
    /// contradiction: a refutation that can be checked without trusting the solver.
    ///
    /// E. Goldberg, Y. Novikov, *Verification of proofs of unsatisfiability for CNF formulas*, DATE
    /// 2003.
    fn learnt(&self) -> &Cnf;
}
