//! The replayer: fires a sequence on a net by subtraction and addition only.
//!
//! Every witness is accepted or rejected by the replayer. Therefore it shares no code with the
//! engines or with [`Net::fire`]: it reads the arcs of the net and keeps its own marking.
//!
//! A step of `count` firings of one transition is one operation. Each place changes by the same
//! amount each time, so the transition is enabled throughout if and only if it is enabled at its
//! first and at its last firing.

use parikh_net::printable::Quoted;
use parikh_net::{FiringSequence, FiringStep, Marking, Net, PlaceId, TransitionId};

/// The reason that a sequence does not replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// A transition of the sequence is not a transition of the net.
    #[error("firing {firing}: the net has no transition {transition:?}")]
    NoSuchTransition {
        /// Number of the firing, from 1.
        firing: u64,
        /// The id in the sequence.
        transition: TransitionId,
    },
    /// A place holds too few tokens for some firing of a step.
    #[error(
        "firing {firing}: transition {} is not enabled, place {} lacks tokens",
        Quoted(.transition), Quoted(.place)
    )]
    NotEnabled {
        /// Number of the first firing of the step that fails, from 1.
        firing: u64,
        /// The transition's name.
        transition: String,
        /// The place's name.
        place: String,
    },
    /// A transition of a coloured net cannot fire under its binding.
    #[error("firing {firing}: {}: {why}", Quoted(.transition))]
    NoBinding {
        /// Number of the firing, from 1.
        firing: u64,
        /// Name of the transition with the binding.
        transition: String,
        /// The reason.
        why: String,
    },
    /// A place would hold more than [`Marking::MAX_TOKENS`] tokens.
    #[error("firing {firing}: place {} would hold more than 2^63 - 1 tokens", Quoted(.place))]
    Overflow {
        /// Number of the first firing of the step that fails, from 1.
        firing: u64,
        /// The place's name.
        place: String,
    },
    /// The sequence ends before the firing to which other evidence refers by its number.
    #[error("the sequence ends after {firings} firings, before the stated firing")]
    TooShort {
        /// Length of the sequence.
        firings: u64,
    },
}

/// A marking and the net on which sequences are fired from it, step by step.
pub struct Replayer<'n> {
    net: &'n Net,
    /// The marking after the firings so far. The count of a plentiful place does not change.
    marking: Marking,
    /// The number of firings so far. It saturates.
    fired: u64,
    /// Places that are assumed to hold enough tokens, ascending.
    plentiful: Vec<PlaceId>,
}

impl<'n> Replayer<'n> {
    /// Creates a replayer at the initial marking.
    pub fn new(net: &'n Net) -> Self {
        Replayer { net, marking: net.initial().clone(), fired: 0, plentiful: Vec::new() }
    }

    /// Assumes from now on that the place holds enough tokens. Its count no longer changes.
    pub(super) fn assume_plentiful(&mut self, place: PlaceId) {
        if let Err(index) = self.plentiful.binary_search(&place) {
            self.plentiful.insert(index, place);
        }
    }

    /// Returns true if the place is assumed to hold enough tokens.
    pub(super) fn is_plentiful(&self, place: PlaceId) -> bool {
        self.plentiful.binary_search(&place).is_ok()
    }

    /// Creates a replayer at the given marking.
    pub fn from_marking(net: &'n Net, marking: Marking) -> Self {
        Replayer { net, marking, fired: 0, plentiful: Vec::new() }
    }

    /// Returns the current marking.
    pub fn marking(&self) -> &Marking {
        &self.marking
    }

    /// Returns the number of firings so far.
    pub fn fired(&self) -> u64 {
        self.fired
    }

    /// Fires a step: a transition `count` times in a row.
    ///
    /// # Errors
    /// When the transition does not exist or is not enabled throughout, or a place overflows. The
    /// marking is undefined after an overflow.
    pub fn fire(&mut self, step: FiringStep) -> Result<(), ReplayError> {
        let t = step.transition;
        let firing = self.fired.saturating_add(1);
        if t.index() >= self.net.transition_count() {
            return Err(ReplayError::NoSuchTransition { firing, transition: t });
        }
        if step.count == 0 {
            return Ok(());
        }
        let (pre, post) = (self.net.pre(t), self.net.post(t));
        let earlier_firings = i128::from(step.count - 1);
        for arc in pre.iter().filter(|arc| !self.is_plentiful(arc.place)) {
            // `gain` is the change per firing. Before the last firing of the step there were
            // `earlier_firings`.
            let produced = self.net.post_weight(t, arc.place);
            let gain = i128::from(produced) - i128::from(arc.weight);
            let tokens = i128::from(self.marking[arc.place]);
            let weight = i128::from(arc.weight);
            if tokens < weight || tokens + earlier_firings * gain < weight {
                return Err(ReplayError::NotEnabled {
                    firing,
                    transition: self.net.transition_name(t).to_owned(),
                    place: self.net.place_name(arc.place).to_owned(),
                });
            }
        }
        // One sum per place: all consumed tokens are subtracted before the produced ones are added.
        let mut changes: Vec<(PlaceId, i128)> = Vec::with_capacity(pre.len() + post.len());
        let count = i128::from(step.count);
        changes.extend(pre.iter().map(|arc| (arc.place, -count * i128::from(arc.weight))));
        changes.extend(post.iter().map(|arc| (arc.place, count * i128::from(arc.weight))));
        changes.retain(|&(place, _)| !self.is_plentiful(place));
        changes.sort_by_key(|&(place, _)| place);
        for place_changes in changes.chunk_by(|a, b| a.0 == b.0) {
            let place = place_changes[0].0;
            let change: i128 = place_changes.iter().map(|&(_, change)| change).sum();
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

/// Returns the marking at the end of `sequence`.
///
/// # Errors
/// The first step whose transition does not exist, or whose firings are not enabled or overflow a
/// place.
pub fn replay(net: &Net, sequence: &FiringSequence) -> Result<Marking, ReplayError> {
    let mut replayer = Replayer::new(net);
    for &step in sequence.steps() {
        replayer.fire(step)?;
    }
    Ok(replayer.marking)
}

/// Returns the net with the marking at the end of `sequence` as its initial marking. The model's
/// claim that its units (NUPN) are safe is kept only if the net's own replay of `sequence` gives
/// the same marking, and this marking satisfies the claim. This is correct because every marking
/// reachable from the new initial marking is reachable in the original net.
///
/// # Errors
/// The first step whose transition does not exist, or whose firings are not enabled or overflow a
/// place.
pub fn net_after(net: &Net, sequence: &FiringSequence) -> Result<Net, ReplayError> {
    let end = replay(net, sequence)?;
    // The net fires the sequence with its own code, which also decides if the claim still holds.
    // The result is used only if both firing rules agree on the marking.
    match net.from_marking_after(sequence) {
        Ok(net_after) if *net_after.initial() == end => Ok(net_after),
        _ => Ok(net.without_unit_claim().from_marking(end)),
    }
}

/// The reason that a pumping sequence proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PumpError {
    /// The prefix or the pump does not replay.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The pump leaves a place with fewer tokens, so it may not repeat.
    #[error("place {} loses tokens in the repeated part", Quoted(.0))]
    Loses(String),
}

/// Replays `prefix` and then `pump`, and checks that no place loses tokens by `pump`, so that it
/// can repeat forever. Returns the markings before and after the pump.
///
/// A sum that grows along the pump grows without bound (the easy direction of Karp & Miller, 1969).
///
/// # Errors
/// When the prefix or the pump does not replay, or a place loses tokens.
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

/// Returns true if the pump replays, can repeat forever, and leaves more tokens on some place each
/// time. The net is then unbounded.
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
    fn a_repeated_step_equals_single_firings() {
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
