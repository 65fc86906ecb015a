//! Goals that an argument about another takes for granted: none of them can be reached.

use super::{Board, Knowledge, Reach};
use parikh_net::{Goal, GoalId, Predicate};

impl Board<'_> {
    /// Whether one of these goals, none of which can be reached, rests on the model's claim that its units are
    /// safe. Each premise, in sorted form or not, is what one of them asks for.
    ///
    /// # Errors
    /// When one of them is not known to be unreachable, or a premise is none of them.
    pub(super) fn given(
        &self,
        goals: &[GoalId],
        premises: &[Predicate],
    ) -> Result<bool, &'static str> {
        let mut assumes_units = false;
        let mut shown = Vec::with_capacity(goals.len());
        for &id in goals {
            let (Goal::Reach(predicate), Some(Knowledge::Reach(Reach::Unreachable { proof, .. }))) =
                (self.goal(id), self.knowledge(id))
            else {
                return Err("it rests on what is not known");
            };
            assumes_units |= proof.assumes_units();
            shown.push(predicate.clone().sorted());
        }
        match premises.iter().all(|premise| shown.contains(&premise.clone().sorted())) {
            true => Ok(assumes_units),
            false => Err("it rests on a premise that no goal shows"),
        }
    }
}
