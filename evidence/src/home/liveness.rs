//! Predicates about the enabledness of transitions. Such a predicate stays reachable if and only if
//! no reachable marking makes all of these transitions dead.

use parikh_net::{Predicate, TransitionId};

/// Returns true if `wanted` says that one of one or more transitions is enabled, and nothing else.
/// Then it stays reachable if all transitions are live.
pub fn asks_for_liveness(wanted: &Predicate) -> bool {
    enabled_transitions(wanted).is_some_and(|asked| !asked.is_empty())
}

/// Returns the transitions if `wanted` says that one of them is enabled, and nothing else.
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
