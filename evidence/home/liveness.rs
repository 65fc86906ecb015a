//! Predicates that ask for the enabledness of transitions: such a one stays reachable wherever the
//! net goes exactly if not all of these transitions die together.

use parikh_net::{Predicate, TransitionId};

/// Whether `wanted` stays reachable wherever the net goes if all transitions are live.
pub fn asks_for_liveness(wanted: &Predicate) -> bool {
    one_of(wanted).is_some_and(|asked| !asked.is_empty())
}

/// The transitions of which `wanted` says that one is enabled, where it says no more.
#[must_use]
pub fn one_of(wanted: &Predicate) -> Option<Vec<TransitionId>> {
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
