//! Which transitions a run can go round with.
//!
//! A run that never ends, in a set of finitely many markings, comes to one of them twice. The
//! firings between add up to no change: they are a T-semiflow, and so a sum of such of minimal
//! support, each on some of these transitions alone. Where each of those semiflows has a transition
//! that no marking of the set enables, every run leaves the set or ends. And where the firings of
//! one can be made one after the other inside the set, they come back to where they began.

use crate::structure::flows::TransitionFlow;
use crate::structure::semiflows::transition_semiflows;
use parikh_net::{EffectId, Net};
use parikh_solvers::Budget;
use parikh_symbolic::Stop;

/// The most semiflows that are looked for.
const SEMIFLOWS: usize = 2_000;

/// The share of the time left, in [0, 1], for finding them.
const SHARE: f64 = 0.05;

/// The most firings of a semiflow that are made one after the other.
const FIRINGS: u64 = 64;

/// Effects, and how often each.
type Round = Vec<(EffectId, u64)>;

/// The T-semiflows of minimal support of a net.
pub(super) struct Cycles {
    /// Each, few effects before many; nothing where they are not all known.
    rounds: Option<Vec<Round>>,
}

impl Cycles {
    /// Those of `net`.
    pub(super) fn of(net: &Net, budget: &Budget) -> Cycles {
        let found = transition_semiflows(net, SEMIFLOWS, &budget.share(SHARE));
        let rounds = found.is_complete().then(|| {
            let round = |flow: &TransitionFlow| {
                let terms = flow.terms().iter();
                terms.map(|(effect, count)| (*effect, count.to_u64().unwrap_or(u64::MAX))).collect()
            };
            let mut rounds: Vec<Round> = found.flows.iter().map(round).collect();
            rounds.sort_by_key(Vec::len);
            rounds
        });
        Cycles { rounds }
    }

    /// The semiflows of few firings, few effects before many.
    pub(super) fn short(&self) -> impl Iterator<Item = &[(EffectId, u64)]> {
        let rounds = self.rounds.iter().flatten().map(Vec::as_slice);
        rounds.filter(|round| {
            round.iter().fold(0u64, |all, (_, count)| all.saturating_add(*count)) <= FIRINGS
        })
    }

    /// Whether a run may go round where transitions are enabled with these effects and no others.
    ///
    /// # Errors
    /// Those of `is_enabled`.
    pub(super) fn may_go_round(
        &self,
        mut is_enabled: impl FnMut(EffectId) -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        let Some(rounds) = &self.rounds else { return Ok(true) };
        for round in rounds {
            let mut all = true;
            for &(effect, _) in round {
                if !is_enabled(effect)? {
                    all = false;
                    break;
                }
            }
            if all {
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
        let cycles = Cycles::of(&net, &Budget::unlimited());
        let without = |name: &str| {
            let effect = net.effect_of(net.transition_named(name).expect("a transition"));
            cycles.may_go_round(|other| Ok(other != effect)).expect("no limits")
        };
        assert_eq!([without("t"), without("u"), without("v")], [false, false, true]);
    }
}
