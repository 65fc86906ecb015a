//! The capabilities of SMT back-ends, as a trait, and their answers.

use crate::answer::NoAnswer;
use crate::budget::Budget;
use crate::model::SolverModel;
use crate::term::{Term, Terms};

/// The answer of a back-end.
#[derive(Clone, Debug, PartialEq)]
pub enum SmtAnswer {
    /// All assertions and assumptions are true in this model, which has a value for each of their
    /// variables. The back-end has evaluated the assertions and assumptions exactly.
    Satisfiable(SolverModel),
    /// No model satisfies all assertions and assumptions. This answer is trusted, not certified.
    Unsatisfiable {
        /// Assumptions that contradict the assertions, in their given order. The core need not be
        /// minimal.
        core: Vec<Term>,
    },
    /// The back-end has no answer.
    NoAnswer(NoAnswer),
}

/// An error of a back-end: a refused question, or a solver that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SmtError {
    /// The library found at run time is older than its Rust bindings require.
    #[error(
        "the Z3 library has version {found}, expected {needed} or newer: run scripts/setup.sh, and \
         check LD_LIBRARY_PATH for an older libz3"
    )]
    TooOld {
        /// The version found.
        found: String,
        /// The oldest supported version.
        needed: String,
    },
    /// The library could not make a solver.
    #[error("Z3 could not create a solver")]
    NoSolver,
    /// A command does not start, or its output is not SMT-LIB 2.
    #[error(
        "`{command}` does not work as an SMT solver: {why}; expected a command that reads SMT-LIB \
         2 from its standard input and answers immediately, such as `z3 -in` or `cvc5 \
         --incremental --lang smt2`"
    )]
    Command {
        /// The command line.
        command: String,
        /// A description of the problem.
        why: String,
    },
    /// This program contains no SMT solver, and no command is configured.
    #[error(
        "this program was built without an SMT solver: name one with --smt-solver \"COMMAND\", or \
         build the program with Z3 (--features z3)"
    )]
    NoneHere,
    /// The solver was first given terms of one arena and then terms of another.
    #[error("terms of two arenas were mixed in one solver")]
    OtherArena,
}

/// A solver that keeps assertions and decides whether they are satisfiable together.
///
/// All terms of one solver belong to one arena.
pub trait SmtSolver {
    /// Returns the solver's name and version, for logs.
    fn name(&self) -> String;

    /// Asserts `term`.
    ///
    /// # Errors
    /// Returns [`SmtError::OtherArena`] for a term of another arena.
    fn assert(&mut self, terms: &Terms, term: Term) -> Result<(), SmtError>;

    /// Decides whether all assertions and `assumptions` are satisfiable together, within `budget`.
    ///
    /// # Errors
    /// Returns [`SmtError::OtherArena`] for a term of another arena.
    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<SmtAnswer, SmtError>;
}

impl<S: SmtSolver + ?Sized> SmtSolver for Box<S> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn assert(&mut self, terms: &Terms, term: Term) -> Result<(), SmtError> {
        (**self).assert(terms, term)
    }

    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<SmtAnswer, SmtError> {
        (**self).check(terms, assumptions, budget)
    }
}
