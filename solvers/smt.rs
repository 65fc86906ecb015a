//! What an SMT back-end can do, as a trait, and what it answers.

use crate::answer::NoAnswer;
use crate::budget::Budget;
use crate::model::Model;
use crate::term::{Term, Terms};

/// The answer of a back-end.
#[derive(Clone, Debug, PartialEq)]
pub enum SmtAnswer {
    /// All assertions and assumptions are true under this model, which has a value for every
    /// variable in them. The back-end has evaluated them under it, exactly.
    Satisfiable(Model),
    /// No model makes all of them true. This is the word of the solver.
    Unsatisfiable {
        /// Assumptions that are contradictory together with the assertions, in the order in which
        /// they were given; not necessarily as few as possible.
        core: Vec<Term>,
    },
    /// Nothing is known.
    NoAnswer(NoAnswer),
}

/// Why a back-end refused a question or cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SmtError {
    /// The library that was found at run time is too old for the crate that speaks to it.
    #[error(
        "the Z3 library is version {found}, but {needed} or newer is needed: run scripts/setup.sh, \
         and look for an older libz3 on LD_LIBRARY_PATH"
    )]
    TooOld {
        /// The version of the library.
        found: String,
        /// The oldest version that works.
        needed: String,
    },
    /// The library could not make a solver.
    #[error("Z3 could not make a solver")]
    NoSolver,
    /// A command does not start, or what it says is not SMT-LIB 2.
    #[error(
        "`{command}` cannot be asked: {why}; expected is a command that reads SMT-LIB 2 from its standard \
         input and answers at once, such as `z3 -in` or `cvc5 --incremental --lang smt2`"
    )]
    Command {
        /// The command line.
        command: String,
        /// What is wrong with it.
        why: String,
    },
    /// There is no SMT solver here.
    #[error(
        "this program has no SMT solver in it: name one by --smt-solver \"COMMAND\", or build it with Z3 \
         (--features z3)"
    )]
    NoneHere,
    /// The solver was given terms of one arena before, and now of another.
    #[error("terms of two arenas were mixed in one solver")]
    OtherArena,
    /// More scopes were to be left than entered.
    #[error("pop without push")]
    NoScope,
}

/// Keeps a stack of assertions and says whether they can be true together.
///
/// All terms of one solver are of one arena.
pub trait SmtSolver {
    /// For logs: name and version of the solver.
    fn name(&self) -> String;

    /// Asserts `term` in the innermost scope.
    ///
    /// # Errors
    /// [`SmtError::OtherArena`].
    fn assert(&mut self, terms: &Terms, term: Term) -> Result<(), SmtError>;

    /// Enters a scope.
    fn push(&mut self);

    /// Leaves the innermost scope and forgets what was asserted in it.
    ///
    /// # Errors
    /// [`SmtError::NoScope`].
    fn pop(&mut self) -> Result<(), SmtError>;

    /// Whether all assertions and `assumptions` can be true together, found out within `budget`.
    ///
    /// # Errors
    /// [`SmtError::OtherArena`].
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

    fn push(&mut self) {
        (**self).push();
    }

    fn pop(&mut self) -> Result<(), SmtError> {
        (**self).pop()
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
