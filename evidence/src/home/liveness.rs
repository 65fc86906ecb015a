//! Predicates that say that one of several transitions is enabled. Such a predicate is reachable
//! from every reachable marking if and only if no reachable marking makes all these transitions
//! dead.

use parikh_net::{Predicate, TransitionId};

/// Returns true if `wanted` says that at least one transition of a non-empty set is enabled, and
/// nothing else. If all transitions are live, such a predicate is reachable from every reachable
/// marking.
pub fn asks_for_liveness(wanted: &Predicate) -> bool {
    enabled_transitions(wanted).is_some_and(|asked| !asked.is_empty())
}

/// Returns the transitions if `wanted` says that one of them is enabled, and nothing else. Returns
/// `None` for any other predicate, and no transitions for an empty disjunction.
#[must_use]
pub fn enabled_transitions(wanted: &Predicate) -> Option<Vec<TransitionId>> {
    let parts = match wanted {
        Predicate::Or(parts) => &parts[..],
        leaf => std::slice::from_ref(leaf),
    };
    let transition = |part: &Predicate| match part {
        Predicate::Enabled(t) => Some(*t),
        _ => None,
    };
    parts.iter().map(transition).collect()
}
