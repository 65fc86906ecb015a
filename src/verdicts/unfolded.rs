//! The keys of a coloured net. The model forms define them on place/transition nets, so they are
//! about the one that the coloured net stands for: all of it, with a place for each colour of each
//! coloured place and a transition for each binding whose guard holds. `OneSafe` and
//! `QuasiLiveness`, which are asked of coloured nodes, are other questions than SAFE and
//! DEAD_TRANSITIONS.

use super::Property;
use super::compute::{Computed, Findings, compute, unknown};
use crate::run::Config;
use crate::structure::keys::Key;
use parikh_net::Net;
use parikh_solvers::Budget;

/// Finds the keys of `wanted` on the unfolding `net`, as [`compute`] does. `left_out` says why
/// colours and bindings that no marking can have are not in it, where they are not: then only what
/// those do not change is known.
pub fn compute_unfolded(
    net: &Net,
    left_out: Option<&str>,
    wanted: &[Property],
    config: &Config,
    budget: &Budget,
    mut tell: impl FnMut(&Computed),
) -> Findings {
    let why_unknown = |property: Property| match (property, left_out) {
        (Property::Structural(Key::NestedUnits), _) => {
            Some("a coloured net has no units; those of another form are not known".to_owned())
        }
        (Property::Safe | Property::Deadlock | Property::Reversible, _) | (_, None) => None,
        (_, Some(why)) => Some(format!("not all of the unfolding is made: {why}")),
    };
    let known: Vec<Property> =
        wanted.iter().copied().filter(|&property| why_unknown(property).is_none()).collect();
    let mut found = compute(net, &known, config, budget, &mut tell);
    for &property in wanted {
        if let Some(why) = why_unknown(property) {
            let computed = unknown(property, why);
            tell(&computed);
            found.keys.push(computed);
        }
    }
    found
}
