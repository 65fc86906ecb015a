//! A test for cycles in a set of markings, by T-semiflows.
//!
//! An infinite run in a finite set of markings visits some marking twice. The firings in between
//! have zero total effect: they form a T-semiflow. Each T-semiflow is a sum of semiflows with
//! minimal support, whose transitions all fire in between. Suppose that each minimal semiflow
//! contains a transition that no marking of the set enables. Then every run leaves the set or ends.
//! Conversely, if the firings of a semiflow are possible one after another within the set, they
//! return to their start.

use parikh_net::{EffectId, Net};
use parikh_solvers::Budget;
use parikh_structure::flows::TransitionFlow;
use parikh_structure::semiflows::transition_semiflows;
use parikh_symbolic::Stop;

/// Limit on the number of semiflows. Beyond it, the list counts as incomplete.
const MAX_SEMIFLOWS: usize = 2_000;

/// Share of the remaining time for computing semiflows, in [0, 1].
const TIME_SHARE: f64 = 0.05;

/// Limit on the number of firings of a semiflow that is tried as a cycle.
const MAX_FIRINGS: u64 = 64;

/// Effect classes with their numbers of firings. An effect class has all transitions with the same
/// effect.
type EffectCounts = Vec<(EffectId, u64)>;

/// The T-semiflows of minimal support of a net, that is, the minimal firing counts with zero total
/// effect.
pub(super) struct Cycles {
    /// The semiflows, those with few effects first. `None` if the list is incomplete.
    semiflows: Option<Vec<EffectCounts>>,
}

impl Cycles {
    /// Computes the semiflows of `net`.
    pub(super) fn new(net: &Net, budget: &Budget) -> Cycles {
        let semiflows = transition_semiflows(net, MAX_SEMIFLOWS, &budget.share(TIME_SHARE));
        let sorted = semiflows.is_complete().then(|| {
            let to_counts = |flow: &TransitionFlow| {
                let terms = flow.terms().iter();
                terms.map(|(effect, count)| (*effect, count.to_u64().unwrap_or(u64::MAX))).collect()
            };
            let mut sorted: Vec<EffectCounts> = semiflows.flows.iter().map(to_counts).collect();
            sorted.sort_by_key(Vec::len);
            sorted
        });
        Cycles { semiflows: sorted }
    }

    /// Returns the semiflows with at most [`MAX_FIRINGS`] firings, those with few effects first.
    /// Returns no semiflow if the list of semiflows is incomplete.
    pub(super) fn short_semiflows(&self) -> impl Iterator<Item = &[(EffectId, u64)]> {
        let semiflows = self.semiflows.iter().flatten().map(Vec::as_slice);
        semiflows.filter(|semiflow| {
            semiflow.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count)) <= MAX_FIRINGS
        })
    }

    /// Returns false if no cycle is possible when only the effect classes can fire for which
    /// `is_enabled` returns true. Returns true if a cycle may be possible, also if the list of
    /// semiflows is incomplete.
    ///
    /// # Errors
    /// Returns an error of `is_enabled`.
    pub(super) fn is_cycle_possible(
        &self,
        mut is_enabled: impl FnMut(EffectId) -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        let Some(semiflows) = &self.semiflows else { return Ok(true) };
        for semiflow in semiflows {
            let mut are_all_enabled = true;
            for &(effect, _) in semiflow {
                if !is_enabled(effect)? {
                    are_all_enabled = false;
                    break;
                }
            }
            if are_all_enabled {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn a_run_goes_round_with_all_transitions_of_a_semiflow_or_not_at_all() {
        let net = text::parse(
            "place a 1\nplace b\nplace c\n\
             transition t: a -> b\ntransition u: b -> a\ntransition v: b -> c",
        )
        .expect("a net");
        let cycles = Cycles::new(&net, &Budget::unlimited());
        let without = |name: &str| {
            let effect = net.effect_of(net.transition_named(name).expect("a transition"));
            cycles.is_cycle_possible(|other| Ok(other != effect)).expect("no limits")
        };
        assert_eq!([without("t"), without("u"), without("v")], [false, false, true]);
    }
}
