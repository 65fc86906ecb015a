//! Checks the model's claim that its units are safe (NUPN) along firing sequences.
//!
//! Evidence that assumes the claim says so. If a replayed sequence violates the claim, the claim is
//! false and such evidence proves nothing.
//!
//! A consequence of the claim also holds along a single sequence, as long as the claim holds for
//! the markings of the sequence. So if a replayed sequence contradicts a proof from the claim,
//! either the sequence violates the claim or the proof is wrong.

use super::Replayer;
use parikh_net::printable::{Quoted, counted};
use parikh_net::units::Breach;
use parikh_net::{FiringSequence, FiringStep, Net, PlaceId, UnitId, Units};

/// Describes how the first `firings` firings of `sequence` violate the model's claim that its units
/// are safe, for example: "unit `u` holds 2 tokens after 3 firings". The markings after firings are
/// checked, but not the initial marking. Returns `None` if they satisfy the claim, if the sequence
/// does not replay, or if the model makes no claim.
pub fn first_breach(net: &Net, sequence: &FiringSequence, firings: u64) -> Option<String> {
    let units = net.safe_units()?;
    let mut counts = UnitTokens::new(net, units);
    let mut replayer = Replayer::new(net);
    let mut remaining = firings;
    for step in sequence.steps() {
        let count = step.count.min(remaining);
        remaining -= count;
        // Consecutive firings of one transition change each place by the same amount. A place that
        // gains tokens has at least two tokens after the second firing, and keeps them. So a
        // violation after any firing in between persists until the last one. The markings after the
        // first and the last firing suffice.
        for count in [count.min(1), count.saturating_sub(1)] {
            replayer.fire(FiringStep { transition: step.transition, count }).ok()?;
            counts.add_firings(net, *step, count);
            for change in net.delta(step.transition).iter().filter(|change| change.delta > 0) {
                if counts.is_violated_at(change.place)
                    && let Some(breach) = units.breach(replayer.marking())
                {
                    return Some(in_words(units, &breach, replayer.fired()));
                }
            }
        }
        if remaining == 0 {
            break;
        }
    }
    None
}

/// Describes a violation of the claim after this number of firings.
fn in_words(units: &Units, breach: &Breach, firings: u64) -> String {
    let unit = Quoted(&units.get(breach.unit).name);
    let (tokens, firings) = (breach.tokens, counted(firings, "firing"));
    match breach.counts_enclosing_units {
        false => format!("unit {unit} holds {tokens} tokens after {firings}"),
        true => format!("unit {unit} and the units around it hold {tokens} tokens after {firings}"),
    }
}

/// The tokens of each unit, updated after each firing.
struct UnitTokens<'n> {
    /// The units of the model.
    units: &'n Units,
    /// The number of tokens on the unit's own places, by unit index.
    own_tokens: Vec<i128>,
    /// The number of tokens on the places of the unit and of all units inside it, by unit index.
    tokens_inside: Vec<i128>,
}

impl<'n> UnitTokens<'n> {
    fn new(net: &Net, units: &'n Units) -> Self {
        let zeros = vec![0; units.len()];
        let mut counts = UnitTokens { units, own_tokens: zeros.clone(), tokens_inside: zeros };
        for (place, tokens) in net.initial().marked() {
            counts.add_tokens(place, i128::from(tokens));
        }
        counts
    }

    /// Iterates over a unit and the units around it, from the inside out.
    fn enclosing_units(&self, unit: UnitId) -> impl Iterator<Item = UnitId> + use<'n> {
        let units = self.units;
        std::iter::successors(Some(unit), |&unit| units.get(unit).parent)
    }

    /// Adds tokens to a place. A negative number removes tokens.
    fn add_tokens(&mut self, place: PlaceId, tokens: i128) {
        let unit = self.units.unit_of(place);
        self.own_tokens[unit.index()] += tokens;
        for unit in self.enclosing_units(unit) {
            self.tokens_inside[unit.index()] += tokens;
        }
    }

    /// Adds the effect of `count` firings of the step's transition.
    fn add_firings(&mut self, net: &Net, step: FiringStep, count: u64) {
        for change in net.delta(step.transition) {
            self.add_tokens(change.place, i128::from(change.delta) * i128::from(count));
        }
    }

    /// Returns true if the unit of `place` violates the claim, alone or together with units inside
    /// or around it.
    fn is_violated_at(&self, place: PlaceId) -> bool {
        let unit = self.units.unit_of(place);
        let own = self.own_tokens[unit.index()];
        own > 1
            || own > 0
                && (self.tokens_inside[unit.index()] > own
                    || self
                        .enclosing_units(unit)
                        .skip(1)
                        .any(|around| self.own_tokens[around.index()] > 0))
    }
}
