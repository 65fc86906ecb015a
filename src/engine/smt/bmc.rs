//! Bounded model checking in integers: is the goal reachable in 1, 2, 4, 8, … steps?
//!
//! In a [step](parikh_encodings::steps) every transition fires as often as the available tokens
//! permit. The schedule of queries is that of [all unrollings](crate::engine::bmc).

use super::FIRST_SLICE;
use super::unrolled::{self, Unrolled};
use crate::engine::Assignment;
use crate::engine::bmc::{Bmc, Extended, Row, Said};
use parikh_encodings::unrolling::StepKind;
use parikh_net::{GoalId, Predicate};
use parikh_solvers::Budget;
use std::time::Duration;

/// An unrolling with integer steps, with its solver.
pub(super) struct Steps<'g>(Unrolled<'g>);

/// Creates a session of the engine.
pub(super) fn session<'g>(work: Assignment<'g>) -> Result<Bmc<'g, Steps<'g>>, String> {
    let row = Steps(Unrolled::initial(&work, Steps::NAME, StepKind::Step)?);
    Ok(Bmc::new(work, row))
}

impl Row for Steps<'_> {
    const NAME: &'static str = "bmc-smt";
    const FIRST_SLICE: (Duration, Duration) = FIRST_SLICE;

    fn longer(steps: usize) -> usize {
        2 * steps
    }

    fn steps(&self) -> usize {
        self.0.steps()
    }

    fn extend_to(&mut self, steps: usize, budget: &Budget) -> Extended {
        match self.0.extend_to(steps, budget) {
            unrolled::Extended::ToTheEnd => Extended::ToTheEnd,
            unrolled::Extended::InPart => Extended::InPart,
            unrolled::Extended::TooLong => {
                Extended::TooLong(format!("{steps} steps need too many variables"))
            }
        }
    }

    fn ask(&mut self, id: GoalId, predicate: &Predicate, budget: &Budget) -> Said {
        let holds = self.0.holds(predicate, self.0.steps());
        match self.0.ask(&format!("goal {}", id.index()), &[holds], budget) {
            unrolled::Said::Possible(model) => Said::Reached(self.0.sequence(&model)),
            unrolled::Said::Impossible => Said::NotWithin,
            unrolled::Said::Unfinished => Said::Unfinished,
            unrolled::Said::Unknown(why) => Said::Unknown(why),
        }
    }

    fn statistics(&self) -> String {
        format!("{} steps, {}", self.0.steps(), self.0.statistics())
    }
}
