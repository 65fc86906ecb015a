//! Fairness assumptions, which restrict the maximal runs of a net to the fair ones.
//!
//! A run is *weakly* fair to t if t fires infinitely often, or is disabled infinitely often. It is
//! *strongly* fair to t if t fires infinitely often, or is enabled only finitely often. Over the
//! positions of the run, with the firing that leaves each position:
//!
//! ```text
//! weak:    (G F !fireable(t)) | G F fires(t)
//! strong:  (G F fireable(t)) -> G F fires(t)
//! ```
//!
//! Strong fairness implies weak fairness. No transition is enabled in a dead marking, so a run that
//! ends there is fair to every transition.
//!
//! Every firing sequence can be extended to a fair run: always fire the enabled transition that has
//! not fired for the longest time. Suppose that a transition t is enabled infinitely often after
//! its last firing. Each time, a transition fires that waited longer than t, and then it has waited
//! less than t. So the number of transitions that waited longer than t decreases each time, and t
//! fires after all. Hence fairness changes neither reachability nor any property decided by a
//! finite prefix.

use crate::id::TransitionId;

/// The transitions to which a run must be fair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fairness {
    /// Weakly fair, ascending, without the transitions in `strong`.
    weak: Vec<TransitionId>,
    /// Strongly fair, ascending.
    strong: Vec<TransitionId>,
}

impl Fairness {
    /// Makes the requirement of weak fairness to the transitions `weak`, and of strong fairness to
    /// the transitions `strong`. A transition in both lists counts as strong.
    pub fn new(
        weak: impl IntoIterator<Item = TransitionId>,
        strong: impl IntoIterator<Item = TransitionId>,
    ) -> Fairness {
        let sorted = |mut all: Vec<TransitionId>| {
            all.sort_unstable();
            all.dedup();
            all
        };
        let strong = sorted(strong.into_iter().collect());
        let weak = weak.into_iter().filter(|t| strong.binary_search(t).is_err());
        Fairness { weak: sorted(weak.collect()), strong }
    }

    /// Returns true if there is no fairness requirement, so that every run is fair.
    pub fn is_none(&self) -> bool {
        self.weak.is_empty() && self.strong.is_empty()
    }

    /// Returns the transitions with weak and not strong fairness, ascending.
    pub fn weak(&self) -> &[TransitionId] {
        &self.weak
    }

    /// Returns the transitions with strong fairness, ascending.
    pub fn strong(&self) -> &[TransitionId] {
        &self.strong
    }

    /// Returns all transitions with a fairness requirement.
    pub fn transitions(&self) -> impl Iterator<Item = TransitionId> + '_ {
        self.weak.iter().chain(&self.strong).copied()
    }

    /// Returns true if the requirements of `other` follow from these requirements, transition by
    /// transition. Then every run that is fair in this sense is fair in the sense of `other`.
    pub fn implies(&self, other: &Fairness) -> bool {
        let is_strong = |t: &TransitionId| self.strong.binary_search(t).is_ok();
        let is_weak = |t: &TransitionId| self.weak.binary_search(t).is_ok() || is_strong(t);
        other.weak.iter().all(is_weak) && other.strong.iter().all(is_strong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strong_fairness_implies_weak() {
        let fair = |weak: &[usize], strong: &[usize]| {
            let [weak, strong] =
                [weak, strong].map(|all| all.iter().map(|&t| TransitionId::new(t)));
            Fairness::new(weak, strong)
        };
        assert!(fair(&[], &[]).is_none());
        assert_eq!(fair(&[2, 1, 2, 0], &[0]), fair(&[1, 2], &[0]));
        assert!(fair(&[1], &[0, 2]).implies(&fair(&[2, 1], &[0])));
        assert!(fair(&[1], &[]).implies(&fair(&[], &[])));
        assert!(!fair(&[1], &[]).implies(&fair(&[], &[1])));
        assert!(!fair(&[], &[]).implies(&fair(&[1], &[])));
        assert_eq!(fair(&[3], &[1]).transitions().count(), 2);
    }
}
