//! Fairness: which runs count, of those that may go on without a transition for ever.
//!
//! A run is *weakly* fair to t if t fires again and again, unless it is disabled again and again;
//! it is *strongly* fair to t if t fires again and again, unless it is enabled finitely often only.
//! Of positions of the run, with what fires next at each:
//!
//! ```text
//! weak:    (G F !fireable(t)) | G F fires(t)
//! strong:  (G F fireable(t)) -> G F fires(t)
//! ```
//!
//! Strong fairness implies weak. In a dead marking nothing is enabled, so a run that ends there is
//! fair to every transition.
//!
//! Whatever fires first, a run can go on fairly: of the transitions that are enabled, always let
//! the one fire that has not fired for longest. One that is enabled again and again and does not
//! fire any more is overtaken each time by one that has not fired for longer; that one then comes
//! behind it, so there are fewer of these each time, and it is its turn in the end. So fairness
//! matters neither to what can be reached, nor to what the first firings decide.

use crate::id::TransitionId;

/// The transitions that a run has to be fair to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fairness {
    /// Ascending, without those that are among the others.
    weak: Vec<TransitionId>,
    /// Ascending.
    strong: Vec<TransitionId>,
}

impl Fairness {
    /// Weak fairness to some transitions, and strong fairness to others.
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

    /// Whether every run is fair.
    pub fn is_none(&self) -> bool {
        self.weak.is_empty() && self.strong.is_empty()
    }

    /// The transitions to which a run has to be weakly fair, and not strongly; ascending.
    pub fn weak(&self) -> &[TransitionId] {
        &self.weak
    }

    /// The transitions to which a run has to be strongly fair; ascending.
    pub fn strong(&self) -> &[TransitionId] {
        &self.strong
    }

    /// All transitions to which a run has to be fair.
    pub fn transitions(&self) -> impl Iterator<Item = TransitionId> + '_ {
        self.weak.iter().chain(&self.strong).copied()
    }

    /// Whether each run that is fair in this way is fair in the other way, too.
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
