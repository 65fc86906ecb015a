//! Self-covering sequences in stages: a proof that sums of tokens grow without bound.
//!
//! # Conditions
//! Some places are *plentiful*; initially there are none. For the other places the marking is
//! known; initially it is m₀. For each stage:
//!
//! 1. its prefix is enabled, if plentiful places are assumed to hold enough tokens;
//! 2. after the prefix, its pump is enabled under the same assumption, and no place that is not
//!    plentiful has fewer tokens after the pump than before.
//!
//! A place that has more tokens after the pump than before is plentiful from then on. A sum grows
//! without bound in two cases: there is a single stage, and its pump makes the sum larger; or no
//! plentiful place has a negative coefficient in the sum, and at least one has a positive
//! coefficient.
//!
//! # Soundness
//! Claim: after each stage, for each k there is a reachable marking that equals the known marking
//! on the places that are not plentiful, and has at least k tokens on each plentiful place.
//! Initially there are no plentiful places. A sequence consumes at most c tokens, for some c, from
//! the places that were plentiful before it. From a marking with k + c tokens on these places it is
//! enabled, and leaves at least k. Likewise the pump is enabled k times in a row from a marking
//! with k·(c + 1) tokens on these places: by (2) all other places hold no fewer tokens before the
//! next repetition. The places that gain tokens by the pump hold at least k more at the end.
//!
//! In a sum without negative coefficients of plentiful places, the other places contribute the
//! value at the known marking, and a plentiful place with a positive coefficient contributes at
//! least k. A single pump can repeat forever, and a sum that grows along it once grows each time.
//!
//! # Source
//! R. Karp, R. Miller, *Parallel program schemata*, J. Computer and System Sciences 3, 1969.

use super::replay::{PumpError, Replayer};
use parikh_net::{LinearSum, Marking, Net, PlaceId, PumpSequence};

/// The places that grow without bound along a checked pumping sequence. They decide which sums are
/// known to grow.
#[derive(Debug)]
pub struct PumpGrowth {
    /// One entry per place: true if the place is plentiful, that is, can hold any number of tokens
    /// after the sequence.
    plentiful: Vec<bool>,
    /// The markings before and after the pump of the only stage. `None` unless there is exactly one
    /// stage.
    only_stage: Option<(Marking, Marking)>,
}

impl PumpGrowth {
    /// Iterates over the places that grow without bound, ascending.
    pub fn places(&self) -> impl Iterator<Item = PlaceId> {
        let grown = self.plentiful.iter().enumerate().filter(|&(_, &grown)| grown);
        grown.map(|(place, _)| PlaceId::new(place))
    }

    /// Returns true if the sequence proves, by the conditions of the module documentation, that the
    /// sum grows without bound.
    pub fn grows(&self, sum: &LinearSum) -> bool {
        if let Some((before, after)) = &self.only_stage {
            return sum.value(after) > sum.value(before);
        }
        let grown = || sum.terms().iter().filter(|(place, _)| self.plentiful[place.index()]);
        grown().all(|&(_, a)| a > 0) && grown().next().is_some()
    }
}

/// Checks the conditions of the module, and returns the places that grow.
///
/// # Errors
/// When a prefix or a pump does not replay, for example because a firing is not enabled. Also when
/// a place that is not plentiful loses tokens by a pump.
pub fn check_pumping(net: &Net, pumping: &PumpSequence) -> Result<PumpGrowth, PumpError> {
    let mut replayer = Replayer::new(net);
    let mut markings = None;
    for stage in pumping.stages() {
        for &step in stage.prefix.steps() {
            replayer.fire(step)?; // 1
        }
        let before = replayer.marking().clone();
        for &step in stage.pump.steps() {
            replayer.fire(step)?; // 2
        }
        let after = replayer.marking().clone();
        if let Some(place) = net.places().find(|&place| after[place] < before[place]) {
            return Err(PumpError::Loses(net.place_name(place).to_owned()));
        }
        let grown = net.places().filter(|&place| after[place] > before[place]);
        grown.for_each(|place| replayer.assume_plentiful(place));
        markings = Some((before, after));
    }
    let plentiful = net.places().map(|place| replayer.is_plentiful(place)).collect();
    Ok(PumpGrowth { plentiful, only_stage: markings.filter(|_| pumping.only().is_some()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{FiringSequence, Stage, text};

    fn net() -> Net {
        text::parse(
            "place open 1\nplace ready\nplace store\nplace made\nplace kept 1
             transition fill: open -> open + store\ntransition close: open -> ready
             transition make: ready + store -> ready + made\ntransition lose: ready + kept -> ready + made",
        )
        .unwrap()
    }

    fn stage(net: &Net, prefix: &[&str], pump: &[&str]) -> Stage {
        let sequence = |names: &[&str]| -> FiringSequence {
            names.iter().map(|name| net.transition_named(name).unwrap()).collect()
        };
        Stage { prefix: sequence(prefix), pump: sequence(pump) }
    }

    #[test]
    fn a_pump_may_consume_only_tokens_of_earlier_pumps() {
        let net = net();
        let filled = stage(&net, &[], &["fill"]);
        let made = PumpSequence {
            earlier: vec![filled.clone()],
            last: stage(&net, &["close", "make", "make"], &["make"]),
        };
        let growth = check_pumping(&net, &made).unwrap();
        let named: Vec<&str> = growth.places().map(|place| net.place_name(place)).collect();
        assert_eq!(named, ["store", "made"]);
        let place = |name| net.place_named(name).unwrap();
        assert!(growth.grows(&LinearSum::place(place("made"))));
        let minus = |a, b| LinearSum::new([(place(a), 1), (place(b), -1)]).unwrap();
        // Both places grow, but the conditions do not compare their growth.
        assert!(!growth.grows(&minus("made", "store")));
        assert!(growth.grows(&minus("made", "open")));
        assert!(!growth.grows(&LinearSum::place(place("ready"))));
        // Without the first stage, `store` has no tokens to consume.
        let last = stage(&net, &["fill", "close"], &["make"]);
        assert_eq!(
            check_pumping(&net, &PumpSequence { earlier: vec![], last }).unwrap_err(),
            PumpError::Loses("store".into())
        );
        let kept = PumpSequence { earlier: vec![filled], last: stage(&net, &["close"], &["lose"]) };
        assert_eq!(check_pumping(&net, &kept).unwrap_err(), PumpError::Loses("kept".into()));
        let opened = PumpSequence { last: stage(&net, &["close"], &["fill"]), ..kept };
        assert!(matches!(check_pumping(&net, &opened), Err(PumpError::Replay(_))));
    }

    #[test]
    fn a_single_pump_makes_a_difference_grow() {
        let net = text::parse("place p\nplace q\ntransition t: -> 2*p + q").unwrap();
        let growth =
            check_pumping(&net, &PumpSequence { earlier: vec![], last: stage(&net, &[], &["t"]) })
                .unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        assert!(growth.grows(&LinearSum::new([(p, 1), (q, -1)]).unwrap()));
        assert!(!growth.grows(&LinearSum::new([(p, 1), (q, -2)]).unwrap()));
    }
}
