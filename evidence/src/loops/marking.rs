//! Markings with numbers of unlimited size, and the evaluation of predicates on them.

use num_bigint::{BigInt, Sign};
use parikh_net::{Atom, LinearSum, Marking, Net, PlaceId, Predicate, TransitionId};
use std::ops::Index;

/// The number of tokens of each place, at least 0 and of unlimited size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeMarking {
    tokens: Vec<BigInt>,
}

impl LargeMarking {
    /// Converts an ordinary marking.
    pub fn of(marking: &Marking) -> Self {
        LargeMarking { tokens: marking.tokens().iter().map(|&tokens| tokens.into()).collect() }
    }

    /// Adds `change` to the tokens of a place. If `change` is negative, the caller must make sure
    /// that the place has enough tokens.
    pub fn add(&mut self, place: PlaceId, change: &BigInt) {
        let tokens = &mut self.tokens[place.index()];
        *tokens += change;
        debug_assert_ne!(tokens.sign(), Sign::Minus);
    }

    /// Iterates over the marked places with their tokens.
    pub fn marked(&self) -> impl Iterator<Item = (PlaceId, &BigInt)> {
        let all =
            self.tokens.iter().enumerate().map(|(index, tokens)| (PlaceId::new(index), tokens));
        all.filter(|(_, tokens)| tokens.sign() == Sign::Plus)
    }
}

impl Index<PlaceId> for LargeMarking {
    type Output = BigInt;

    fn index(&self, place: PlaceId) -> &BigInt {
        &self.tokens[place.index()]
    }
}

/// Returns the value of a weighted sum of tokens at a marking.
pub fn value(sum: &LinearSum, marking: &LargeMarking) -> BigInt {
    sum.terms().iter().map(|&(place, a)| &marking[place] * a).sum()
}

/// Returns true if the predicate holds at the marking.
pub fn holds(net: &Net, predicate: &Predicate, marking: &LargeMarking) -> bool {
    let enabled = |t: TransitionId| is_enabled(net, t, marking);
    match predicate {
        Predicate::True => true,
        Predicate::False => false,
        Predicate::Atom(Atom { sum, bound }) => value(sum, marking) <= BigInt::from(*bound),
        Predicate::Enabled(t) => enabled(*t),
        Predicate::Disabled(t) => !enabled(*t),
        Predicate::Dead => !net.transitions().any(enabled),
        Predicate::NotDead => net.transitions().any(enabled),
        Predicate::And(parts) => parts.iter().all(|part| holds(net, part, marking)),
        Predicate::Or(parts) => parts.iter().any(|part| holds(net, part, marking)),
    }
}

fn is_enabled(net: &Net, t: TransitionId, marking: &LargeMarking) -> bool {
    net.pre(t).iter().all(|arc| marking[arc.place] >= BigInt::from(arc.weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use parikh_generate as generate;

    #[test]
    fn predicates_agree_on_both_kinds_of_markings() {
        for seed in 0..500 {
            let mut rng = Rng::with_seed(seed);
            let net = generate::random(seed, &generate::Shape::small(seed));
            let marking = Marking::new((0..net.place_count()).map(|_| rng.u64(..4)).collect());
            let large = LargeMarking::of(&marking);
            let mut goals = vec![Predicate::Dead, Predicate::NotDead];
            goals.extend((0..4).map(|_| generate::random_predicate(&mut rng, &net, 2)));
            for goal in goals {
                assert_eq!(goal.holds(&net, &marking), holds(&net, &goal, &large), "{goal:?}");
            }
        }
    }
}
