//! Check of an argument's premises: the board must already have a settled goal for each premise.

use super::{Board, Evidence, HomeKnowledge, Knowledge, ReachKnowledge};
use parikh_net::{Goal, GoalId, Predicate};

impl Board<'_> {
    /// Checks that `goals` prove every premise of an argument. Each predicate of `never` must
    /// belong to a goal settled as unreachable. Each predicate of `stays` must belong to a goal
    /// settled as staying reachable from every reachable marking, not just by an unchecked search.
    /// Predicates that differ only in the order of operands count as equal. Returns true if one of
    /// these proofs rests on the claim that the units of the model are safe.
    ///
    /// # Errors
    /// Returns an error if a goal of `goals` is neither settled in one of these ways nor a
    /// [`Goal::Reach`] that was reached. Also returns an error if no goal proves some premise.
    pub(super) fn check_premises(
        &self,
        goals: &[GoalId],
        (never, stays): (&[Predicate], &[Predicate]),
    ) -> Result<bool, &'static str> {
        let mut assumes_units = false;
        let (mut not_reached, mut staying) = (Vec::new(), Vec::new());
        for &id in goals {
            match (self.goal(id), self.knowledge(id)) {
                (
                    Goal::Reach(predicate),
                    Some(Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })),
                ) => {
                    assumes_units |= proof.assumes_units();
                    not_reached.push(predicate.clone().sorted());
                }
                (
                    Goal::Home(predicate),
                    Some(Knowledge::Home(HomeKnowledge::StaysReachable {
                        proof, evidence, ..
                    })),
                ) if !matches!(evidence, Evidence::Searched { .. }) => {
                    assumes_units |= proof.assumes_units();
                    staying.push(predicate.clone().sorted());
                }
                // A proof that firings can be undone rests on a reached goal, which may be in
                // `goals` for this reason. A reached goal itself proves no premise.
                (Goal::Reach(_), Some(Knowledge::Reach(ReachKnowledge::Reached { .. }))) => {}
                _ => return Err("a goal that the argument uses is not settled as needed"),
            }
        }
        let shows = |premises: &[Predicate], shown: &[Predicate]| {
            premises.iter().all(|premise| shown.contains(&premise.clone().sorted()))
        };
        match shows(never, &not_reached) && shows(stays, &staying) {
            true => Ok(assumes_units),
            false => Err("no goal proves one of its premises"),
        }
    }
}
