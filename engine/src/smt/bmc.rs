//! Bounded model checking with integer variables: is the goal reachable in 1, 2, 4, 8, … steps?
//!
//! In a [step](parikh_encodings::steps) every transition fires any number of times, as far as the
//! tokens before the step suffice for all these firings. The schedule of queries is shared with the
//! [propositional engine](crate::bmc).

use super::FIRST_SLICE;
use super::unrolled::{self, SmtUnrolling};
use crate::Assignment;
use crate::bmc::{Bmc, ExtensionResult, QueryResult, StepSequence};
use parikh_encodings::unrolling::StepKind;
use parikh_net::{GoalId, Predicate};
use parikh_solvers::Budget;
use std::time::Duration;

/// An unrolling with integer steps, with its solver.
pub(super) struct SmtSteps<'g>(SmtUnrolling<'g>);

/// Creates a session of the engine with this name. Returns an error message if no solver is
/// available.
pub(super) fn session<'g>(
    name: &'static str,
    work: Assignment<'g>,
) -> Result<Bmc<'g, SmtSteps<'g>>, String> {
    let steps = SmtSteps(SmtUnrolling::initial(&work, name, StepKind::Step)?);
    Ok(Bmc::new(name, work, steps))
}

impl StepSequence for SmtSteps<'_> {
    const FIRST_SLICE: (Duration, Duration) = FIRST_SLICE;

    fn next_length(steps: usize) -> usize {
        2 * steps
    }

    fn steps(&self) -> usize {
        self.0.steps()
    }

    fn extend_to(&mut self, steps: usize, budget: &Budget) -> ExtensionResult {
        match self.0.extend_to(steps, budget) {
            unrolled::SmtExtensionResult::Complete => ExtensionResult::Complete,
            unrolled::SmtExtensionResult::Partial => ExtensionResult::Partial,
            unrolled::SmtExtensionResult::TooLong => {
                ExtensionResult::TooLong(format!("{steps} steps need too many variables"))
            }
        }
    }

    fn query(&mut self, id: GoalId, predicate: &Predicate, budget: &Budget) -> QueryResult {
        let holds = self.0.holds(predicate, self.0.steps());
        match self.0.ask(&format!("goal {}", id.index()), &[holds], budget) {
            unrolled::SmtQueryResult::Satisfiable(model) => {
                QueryResult::Reached(self.0.sequence(&model))
            }
            unrolled::SmtQueryResult::Unsatisfiable => QueryResult::UnreachableWithin,
            unrolled::SmtQueryResult::Unfinished => QueryResult::Unfinished,
            unrolled::SmtQueryResult::Unknown(why) => QueryResult::Unknown(why),
        }
    }

    fn statistics(&self) -> String {
        format!("{} steps, {}", self.0.steps(), self.0.statistics())
    }
}
