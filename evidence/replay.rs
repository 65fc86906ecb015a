//! The replayer: fires a sequence on a net with nothing but subtraction and addition.
//!
//! It is the judge of every witness, so it shares no code with the engines, nor with
//! [`Net::fire`]: it reads the arcs of the net and keeps its own marking. A run of `count` firings
//! of one transition is done at once: it is enabled all the way if and only if it is at its first
//! firing and at its last, because each place changes by the same amount every time.

use parikh_net::printable::Quoted;
use parikh_net::{FiringSequence, Marking, Net, PlaceId, Step, TransitionId};

/// Why a sequence does not replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// A transition of the sequence is not one of the net.
    #[error("firing {firing}: the net has no transition {transition:?}")]
    NoSuchTransition {
        /// Number of the firing, from 1.
        firing: u64,
        /// The transition asked for.
        transition: TransitionId,
    },
    /// A place holds too few tokens for the next firing.
    #[error(
        "firing {firing}: transition {} is not enabled, place {} lacks tokens",
        Quoted(.transition), Quoted(.place)
    )]
    NotEnabled {
        /// Number of the first firing of the run in which it happens, from 1.
        firing: u64,
        /// The transition's name.
        transition: String,
        /// The place's name.
        place: String,
    },
    /// A step of a coloured net has no binding that may fire.
    #[error("firing {firing}: {}: {why}", Quoted(.transition))]
    NoBinding {
        /// Number of the firing, from 1.
        firing: u64,
        /// The transition and its binding.
        transition: String,
        /// Why not.
        why: String,
    },
    /// A place would hold more tokens than are counted.
    #[error("firing {firing}: place {} would hold more than 2^63 - 1 tokens", Quoted(.place))]
    Overflow {
        /// Number of the first firing of the run in which it happens, from 1.
        firing: u64,
        /// The place's name.
        place: String,
    },
    /// The sequence has fewer firings than were asked for.
    #[error("the sequence ends after {firings} firings, before the one it is said to reach")]
    TooShort {
        /// How many it has.
        firings: u64,
    },
}

/// A marking on its way along a sequence.
pub struct Replayer<'n> {
    net: &'n Net,
    marking: Marking,
    fired: u64,
    /// Ascending.
    plentiful: Vec<PlaceId>,
}

impl<'n> Replayer<'n> {
    /// Starts at the initial marking.
    pub fn new(net: &'n Net) -> Self {
        Replayer { net, marking: net.initial().clone(), fired: 0, plentiful: Vec::new() }
    }

    /// Takes the place to hold whatever is asked for from now on; its tokens stay what they are.
    pub(super) fn has_plenty(&mut self, place: PlaceId) {
        if let Err(at) = self.plentiful.binary_search(&place) {
            self.plentiful.insert(at, place);
        }
    }

    /// Whether it does.
    pub(super) fn is_plentiful(&self, place: PlaceId) -> bool {
        self.plentiful.binary_search(&place).is_ok()
    }

    /// Starts at this marking instead.
    pub fn at(net: &'n Net, marking: Marking) -> Self {
        Replayer { net, marking, fired: 0, plentiful: Vec::new() }
    }

    /// The marking reached so far.
    pub fn marking(&self) -> &Marking {
        &self.marking
    }

    /// How many firings were done so far.
    pub fn fired(&self) -> u64 {
        self.fired
    }

    /// Fires one run.
    ///
    /// # Errors
    /// When it is not enabled all the way, or a place overflows; the marking is then undefined.
    pub fn fire(&mut self, step: Step) -> Result<(), ReplayError> {
        let t = step.transition;
        let firing = self.fired.saturating_add(1);
        if t.index() >= self.net.transition_count() {
            return Err(ReplayError::NoSuchTransition { firing, transition: t });
        }
        if step.count == 0 {
            return Ok(());
        }
        let (pre, post) = (self.net.pre(t), self.net.post(t));
        let again = i128::from(step.count - 1);
        for arc in pre.iter().filter(|arc| !self.is_plentiful(arc.place)) {
            // Gained between two firings; at the last one the place has had `again` of them.
            let back = self.net.post_weight(t, arc.place);
            let gain = i128::from(back) - i128::from(arc.weight);
            let tokens = i128::from(self.marking[arc.place]);
            let weight = i128::from(arc.weight);
            if tokens < weight || tokens + again * gain < weight {
                return Err(ReplayError::NotEnabled {
                    firing,
                    transition: self.net.transition_name(t).to_owned(),
                    place: self.net.place_name(arc.place).to_owned(),
                });
            }
        }
        // Take everything first and put afterwards, per place in one sum.
        let mut after: Vec<(PlaceId, i128)> = Vec::with_capacity(pre.len() + post.len());
        let count = i128::from(step.count);
        after.extend(pre.iter().map(|arc| (arc.place, -count * i128::from(arc.weight))));
        after.extend(post.iter().map(|arc| (arc.place, count * i128::from(arc.weight))));
        after.retain(|&(place, _)| !self.is_plentiful(place));
        after.sort_by_key(|&(place, _)| place);
        for of_place in after.chunk_by(|a, b| a.0 == b.0) {
            let place = of_place[0].0;
            let change: i128 = of_place.iter().map(|&(_, change)| change).sum();
            let tokens = i128::from(self.marking[place]) + change;
            match u64::try_from(tokens) {
                Ok(tokens) if tokens <= Marking::MAX_TOKENS => self.marking[place] = tokens,
                _ => {
                    let place = self.net.place_name(place).to_owned();
                    return Err(ReplayError::Overflow { firing, place });
                }
            }
        }
        self.fired = self.fired.saturating_add(step.count);
        Ok(())
    }
}

/// The marking at the end of `sequence`.
///
/// # Errors
/// With the first firing that fails.
pub fn replay(net: &Net, sequence: &FiringSequence) -> Result<Marking, ReplayError> {
    let mut replayer = Replayer::new(net);
    for &step in sequence.steps() {
        replayer.fire(step)?;
    }
    Ok(replayer.marking)
}

/// The net begun from the marking at the end of `sequence`: what the model claims of its units is
/// claimed there, too, as what can be reached from there can be reached here.
///
/// # Errors
/// With the first firing that fails.
pub fn begun_after(net: &Net, sequence: &FiringSequence) -> Result<Net, ReplayError> {
    let end = replay(net, sequence)?;
    // The net fires the sequence by itself to know how far its claim goes; two rules for firing
    // agree.
    match net.after(sequence) {
        Ok(there) if *there.initial() == end => Ok(there),
        _ => Ok(net.without_unit_claim().from_marking(end)),
    }
}

/// Why a pumping sequence proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PumpError {
    /// One of its halves does not replay.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The second half leaves a place with fewer tokens, so that it may not repeat.
    #[error("place {} loses tokens in the repeated part", Quoted(.0))]
    Loses(String),
}

/// Replays `prefix` and then `pump`, and checks that `pump` loses no token anywhere, so that it can
/// repeat for ever. The markings before and after the pump.
///
/// Whatever grows along the pump grows without bound (the easy half of Karp & Miller, 1969).
///
/// # Errors
/// When either part does not replay, or a place loses tokens.
pub fn check_pump(
    net: &Net,
    prefix: &FiringSequence,
    pump: &FiringSequence,
) -> Result<(Marking, Marking), PumpError> {
    let mut replayer = Replayer::new(net);
    for &step in prefix.steps() {
        replayer.fire(step)?;
    }
    let before = replayer.marking.clone();
    for &step in pump.steps() {
        replayer.fire(step)?;
    }
    let after = replayer.marking;
    if let Some(place) = net.places().find(|&place| after[place] < before[place]) {
        return Err(PumpError::Loses(net.place_name(place).to_owned()));
    }
    Ok((before, after))
}

/// Whether the pump replays, can repeat for ever, and leaves more tokens somewhere each time: the
/// net is then unbounded.
pub fn pump_grows(net: &Net, prefix: &FiringSequence, pump: &FiringSequence) -> bool {
    check_pump(net, prefix, pump).is_ok_and(|(before, after)| after != before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn net() -> Net {
        text::parse(
            "place p 5
             place q
             place r 1
             transition move: p -> q
             transition test: 3*q + r -> 3*q + 2*r
             transition eat: 2*q -> q",
        )
        .unwrap()
    }

    fn sequence(net: &Net, steps: &[(&str, u64)]) -> FiringSequence {
        let mut sequence = FiringSequence::new();
        for &(name, count) in steps {
            sequence.push(net.transition_named(name).unwrap(), count);
        }
        sequence
    }

    #[test]
    fn a_run_is_the_same_as_its_firings_one_by_one() {
        let net = net();
        for steps in [&[("move", 5)][..], &[("move", 3), ("test", 7)], &[("move", 5), ("eat", 4)]] {
            let fast = replay(&net, &sequence(&net, steps)).unwrap();
            let mut slow = net.initial().clone();
            for &(name, count) in steps {
                for _ in 0..count {
                    net.fire(&mut slow, net.transition_named(name).unwrap()).unwrap();
                }
            }
            assert_eq!(fast, slow, "{steps:?}");
        }
    }

    #[test]
    fn a_run_too_long_is_refused_at_its_last_firing() {
        let net = net();
        let not_enabled = |steps: &[(&str, u64)]| {
            matches!(replay(&net, &sequence(&net, steps)), Err(ReplayError::NotEnabled { .. }))
        };
        assert!(not_enabled(&[("move", 6)]));
        assert!(not_enabled(&[("move", 5), ("eat", 5)]));
        assert!(not_enabled(&[("move", 2), ("test", 1)]));
        assert!(!not_enabled(&[("move", 5), ("eat", 2), ("test", 1)]));
    }

    #[test]
    fn overflow_and_foreign_transitions_are_refused() {
        let net = net();
        let long = sequence(&net, &[("move", 3), ("test", u64::MAX >> 1)]);
        assert!(matches!(replay(&net, &long), Err(ReplayError::Overflow { .. })));
        let foreign: FiringSequence = [TransitionId::new(9)].into_iter().collect();
        assert!(matches!(replay(&net, &foreign), Err(ReplayError::NoSuchTransition { .. })));
    }

    #[test]
    fn a_pump_must_not_lose() {
        let net = net();
        let up = sequence(&net, &[("move", 3)]);
        assert!(check_pump(&net, &up, &sequence(&net, &[("test", 1)])).is_ok());
        assert_eq!(
            check_pump(&net, &up, &sequence(&net, &[("move", 1)])),
            Err(PumpError::Loses("p".into()))
        );
    }
}
