//! Goals that an argument about another takes for granted: what cannot be reached, and what stays reachable.

use super::{Board, Evidence, Home, Knowledge, Reach};
use parikh_net::{Goal, GoalId, Predicate};

impl Board<'_> {
    /// Whether one of these goals rests on the model's claim that its units are safe. Each premise, in sorted
    /// form or not, is what one of them asks for, and shows: the first cannot be reached, the others stay
    /// reachable.
    ///
    /// # Errors
    /// When something else is known of one of them, or a premise is none of them.
    pub(super) fn given(
        &self,
        goals: &[GoalId],
        (never, stays): (&[Predicate], &[Predicate]),
    ) -> Result<bool, &'static str> {
        let mut assumes_units = false;
        let (mut not_reached, mut kept) = (Vec::new(), Vec::new());
        for &id in goals {
            match (self.goal(id), self.knowledge(id)) {
                (
                    Goal::Reach(predicate),
                    Some(Knowledge::Reach(Reach::Unreachable { proof, .. })),
                ) => {
                    assumes_units |= proof.assumes_units();
                    not_reached.push(predicate.clone().sorted());
                }
                (
                    Goal::Home(predicate),
                    Some(Knowledge::Home(Home::Kept { proof, evidence, .. })),
                ) if !matches!(evidence, Evidence::Searched { .. }) => {
                    assumes_units |= proof.assumes_units();
                    kept.push(predicate.clone().sorted());
                }
                // What stays reachable because firings are undone has to be reached.
                (Goal::Reach(_), Some(Knowledge::Reach(Reach::Reached { .. }))) => {}
                _ => return Err("it rests on what is not known"),
            }
        }
        let shows = |premises: &[Predicate], shown: &[Predicate]| {
            premises.iter().all(|premise| shown.contains(&premise.clone().sorted()))
        };
        match shows(never, &not_reached) && shows(stays, &kept) {
            true => Ok(assumes_units),
            false => Err("it rests on a premise that no goal shows"),
        }
    }
}
