//! Bounded model checking in integers: is the goal reachable in 1, 2, 4, 8, … steps?
//!
//! In a [step](parikh_encodings::steps) every transition fires as often as the available tokens
//! permit. The schedule of queries is that of [all unrollings](crate::bmc).

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

/// Creates a session of the engine.
pub(super) fn session<'g>(work: Assignment<'g>) -> Result<Bmc<'g, SmtSteps<'g>>, String> {
    let steps = SmtSteps(SmtUnrolling::initial(&work, SmtSteps::NAME, StepKind::Step)?);
    Ok(Bmc::new(work, steps))
}

impl StepSequence for SmtSteps<'_> {
    const NAME: &'static str = "bmc-smt";
    const FIRST_SLICE: (Duration, Duration) = FIRST_SLICE;

    fn longer(steps: usize) -> usize {
        2 * steps
    }

    fn steps(&self) -> usize {
        self.0.steps()
    }

    fn extend_to(&mut self, steps: usize, budget: &Budget) -> ExtensionResult {
        match self.0.extend_to(steps, budget) {
            unrolled::SmtExtensionResult::ToTheEnd => ExtensionResult::ToTheEnd,
            unrolled::SmtExtensionResult::InPart => ExtensionResult::InPart,
            unrolled::SmtExtensionResult::TooLong => {
                ExtensionResult::TooLong(format!("{steps} steps need too many variables"))
            }
        }
    }

    fn ask(&mut self, id: GoalId, predicate: &Predicate, budget: &Budget) -> QueryResult {
        let holds = self.0.holds(predicate, self.0.steps());
        match self.0.ask(&format!("goal {}", id.index()), &[holds], budget) {
            unrolled::SmtQueryResult::Possible(model) => {
                QueryResult::Reached(self.0.sequence(&model))
            }
            unrolled::SmtQueryResult::Impossible => QueryResult::NotWithin,
            unrolled::SmtQueryResult::Unfinished => QueryResult::Unfinished,
            unrolled::SmtQueryResult::Unknown(why) => QueryResult::Unknown(why),
        }
    }

    fn statistics(&self) -> String {
        format!("{} steps, {}", self.0.steps(), self.0.statistics())
    }
}
