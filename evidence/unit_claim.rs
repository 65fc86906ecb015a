//! The model's claim that its units are safe (NUPN), looked at along firing sequences.
//!
//! What rests on the claim says so, but a claim that a replayed sequence breaks is false, and then
//! nothing may rest on it any more. Whatever follows from the claim follows along each sequence by
//! itself: it bounds the markings on the way and nothing else. So a replayed sequence that
//! contradicts a proof from the claim either breaks the claim on its way, or the proof is wrong.

use super::Replayer;
use parikh_net::printable::Quoted;
use parikh_net::units::Breach;
use parikh_net::{FiringSequence, Net, PlaceId, Step, UnitId, Units};

/// How the first `firings` firings of `sequence` break the model's claim, in words: "unit `u` holds
/// 2 tokens after 3 firings". `None` when they do not, do not replay, or nothing is claimed.
pub fn first_breach(net: &Net, sequence: &FiringSequence, firings: u64) -> Option<String> {
    let units = net.safe_units()?;
    let mut counts = Counts::new(net, units);
    let mut replayer = Replayer::new(net);
    let mut left = firings;
    for step in sequence.steps() {
        let count = step.count.min(left);
        left -= count;
        // Firings in a row change each place by the same amount. A place that gains has two tokens
        // after the second firing, and keeps them: a breach in between is one after the last
        // firing, too. So it is enough to look after the first firing and after the last one.
        for count in [count.min(1), count.saturating_sub(1)] {
            replayer.fire(Step { transition: step.transition, count }).ok()?;
            counts.add(net, *step, count);
            for change in net.delta(step.transition).iter().filter(|change| change.delta > 0) {
                if counts.broken_at(change.place)
                    && let Some(breach) = units.breach(replayer.marking())
                {
                    return Some(in_words(units, &breach, replayer.fired()));
                }
            }
        }
        if left == 0 {
            break;
        }
    }
    None
}

fn in_words(units: &Units, breach: &Breach, firings: u64) -> String {
    let unit = Quoted(&units.get(breach.unit).name);
    let tokens = breach.tokens;
    match breach.with_units_around {
        false => format!("unit {unit} holds {tokens} tokens after {firings} firings"),
        true => format!(
            "unit {unit} and the units around it hold {tokens} tokens after {firings} firings"
        ),
    }
}

/// The tokens of each unit, kept up to date firing by firing.
struct Counts<'n> {
    units: &'n Units,
    /// On its own places.
    own: Vec<i128>,
    /// On its own places and those of all units inside.
    inside: Vec<i128>,
}

impl<'n> Counts<'n> {
    fn new(net: &Net, units: &'n Units) -> Self {
        let zeros = vec![0; units.len()];
        let mut counts = Counts { units, own: zeros.clone(), inside: zeros };
        for (place, tokens) in net.initial().marked() {
            counts.put(place, i128::from(tokens));
        }
        counts
    }

    /// A unit and those around it, outwards.
    fn chain(&self, unit: UnitId) -> impl Iterator<Item = UnitId> + use<'n> {
        let units = self.units;
        std::iter::successors(Some(unit), |&unit| units.get(unit).parent)
    }

    fn put(&mut self, place: PlaceId, tokens: i128) {
        let unit = self.units.unit_of(place);
        self.own[unit.index()] += tokens;
        for unit in self.chain(unit) {
            self.inside[unit.index()] += tokens;
        }
    }

    fn add(&mut self, net: &Net, step: Step, count: u64) {
        for change in net.delta(step.transition) {
            self.put(change.place, i128::from(change.delta) * i128::from(count));
        }
    }

    /// Whether the claim is broken by the tokens of the unit that holds `place`.
    fn broken_at(&self, place: PlaceId) -> bool {
        let unit = self.units.unit_of(place);
        let own = self.own[unit.index()];
        own > 1
            || own > 0
                && (self.inside[unit.index()] > own
                    || self.chain(unit).skip(1).any(|around| self.own[around.index()] > 0))
    }
}
