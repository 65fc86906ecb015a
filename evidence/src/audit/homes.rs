//! The proof obligations about predicates that stay reachable.

use super::sightings::ReachedGoals;
use crate::question::obligation::HomeQuestion;
use parikh_net::Predicate;

/// The obligations about predicates that stay reachable. The lists have one entry per predicate.
pub(super) struct HomeObligations {
    /// The predicates that the obligations are about.
    pub(super) predicates: Vec<Predicate>,
    /// The index of the goal that the predicate is reachable, or `None` if the obligations have no
    /// such goal.
    pub(super) reach_goals: Vec<Option<usize>>,
    /// True if the predicate is shown not to stay reachable.
    pub(super) can_become_unreachable: Vec<bool>,
    /// True if the predicate is shown to stay reachable.
    pub(super) stays_reachable: Vec<bool>,
    /// True if every firing is shown to be undoable.
    pub(super) is_reversible: bool,
    /// Descriptions of the checks that were made.
    pub(super) checked: Vec<&'static str>,
}

impl HomeObligations {
    pub(super) fn of(homes: Vec<HomeQuestion>) -> Self {
        let all_false = vec![false; homes.len()];
        let (predicates, reach_goals) =
            homes.into_iter().map(|home| (home.predicate, home.reach_index)).unzip();
        let (can_become_unreachable, stays_reachable) = (all_false.clone(), all_false);
        HomeObligations {
            predicates,
            reach_goals,
            can_become_unreachable,
            stays_reachable,
            is_reversible: false,
            checked: Vec::new(),
        }
    }

    /// Returns the index of a predicate that another argument assumes to stay reachable. Adds the
    /// predicate, with a goal to reach it, unless the list has this predicate with such a goal.
    /// Added predicates can then be shown like the predicates of the answer.
    pub(super) fn add_premise(
        &mut self,
        wanted: &Predicate,
        sightings: &mut ReachedGoals<'_>,
    ) -> usize {
        let is_same =
            |&index: &usize| self.predicates[index] == *wanted && self.reach_goals[index].is_some();
        (0..self.predicates.len()).find(is_same).unwrap_or_else(|| {
            self.predicates.push(wanted.clone());
            self.reach_goals.push(Some(sightings.add(wanted.clone())));
            self.can_become_unreachable.push(false);
            self.stays_reachable.push(false);
            self.predicates.len() - 1
        })
    }

    /// Records predicates, given by index, that do not stay reachable. Returns true if `lost` has
    /// at least one index.
    pub(super) fn mark_lost(&mut self, lost: impl IntoIterator<Item = usize>) -> bool {
        let mut has_lost = false;
        for index in lost {
            self.can_become_unreachable[index] = true;
            has_lost = true;
        }
        has_lost
    }
}
