//! Why a transition can never fire, from one sum of tokens that no firing changes.
//!
//! Let y ≥ 0 with y·C = 0, so that y·m = y·m₀ in every reachable marking m. A transition t with
//! y·pre(t) > y·m₀ is never enabled: m ≥ pre(t) would make y·m ≥ y·pre(t). The places of y that t takes
//! from are then never marked together as t wants them; often these are two, and the sum is short.
//!
//! What transitions do that are known never to fire changes no reachable marking: y·C = 0 is asked of the others.

use super::flows::PlaceFlow;
use super::integer::Integer;
use super::semiflows::place_semiflows;
use parikh_net::{Net, NetBuilder, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::collections::HashSet;

/// As many rays as are held on the way to the sums.
const RAYS: usize = 2_000;

/// Sums of tokens that no firing changes, each of which was held against the arcs of the net.
pub struct Sums<'n> {
    net: &'n Net,
    sums: Vec<PlaceFlow>,
    /// By place the sums that it occurs in.
    of_place: Vec<Vec<usize>>,
}

/// What keeps a transition from firing.
#[derive(Clone, Copy, Debug)]
pub struct Exclusion<'a> {
    /// The sum that never changes.
    pub sum: &'a PlaceFlow,
    net: &'a Net,
    t: TransitionId,
}

impl<'n> Sums<'n> {
    /// Those of minimal support, as many as are found within the budget, where `dead` are transitions that
    /// are known never to fire.
    pub fn of(net: &'n Net, dead: &[TransitionId], budget: &Budget) -> Sums<'n> {
        let alive = without(net, dead);
        let alive = alive.as_ref().unwrap_or(net);
        let mut sums = place_semiflows(alive, RAYS, budget).flows;
        sums.retain(|sum| sum.is_semiflow() && sum.holds(alive));
        let mut of_place = vec![Vec::new(); net.place_count()];
        for (at, sum) in sums.iter().enumerate() {
            sum.terms().iter().for_each(|(place, _)| of_place[place.index()].push(at));
        }
        Sums { net, sums, of_place }
    }

    /// What keeps `t` from ever firing, the plainest there is: about the fewest of the places that it takes
    /// from, and of the fewest terms.
    pub fn exclude(&self, t: TransitionId) -> Option<Exclusion<'_>> {
        let of = self.net.pre(t).iter().flat_map(|arc| &self.of_place[arc.place.index()]);
        let exclusions = of.map(|&at| Exclusion { sum: &self.sums[at], net: self.net, t });
        let exclusions = exclusions.filter(Exclusion::holds);
        exclusions.min_by_key(|one| (one.together().len(), one.sum.terms().len()))
    }
}

/// The same places, and the other transitions.
fn without(net: &Net, dead: &[TransitionId]) -> Option<Net> {
    let mut builder = NetBuilder::new(net.name());
    for p in net.places() {
        builder.place(net.place_name(p), net.initial()[p]).ok()?;
    }
    let dead: HashSet<TransitionId> = dead.iter().copied().collect();
    for t in net.transitions().filter(|t| !dead.contains(t)) {
        let alive = builder.transition(net.transition_name(t)).ok()?;
        for arc in net.pre(t) {
            builder.take(alive, arc.place, arc.weight).ok()?;
        }
        for arc in net.post(t) {
            builder.put(alive, arc.place, arc.weight).ok()?;
        }
    }
    builder.build().ok().filter(|alive| alive.place_count() == net.place_count())
}

impl Exclusion<'_> {
    /// Whether the transition takes more of the sum than there ever is.
    fn holds(&self) -> bool {
        let takes = self.net.pre(self.t).iter().fold(Integer::ZERO, |takes, arc| {
            let factor = self.sum.coefficient(arc.place);
            Integer::combine(&Integer::ONE, &takes, &factor, &Integer::from(arc.weight))
        });
        let there = self.sum.constant(self.net.initial());
        let less = Integer::combine(&Integer::ONE, &takes, &Integer::from(-1_i64), &there);
        less.is_positive()
    }

    /// The places of the sum that it takes from, each with how many tokens it takes.
    pub fn together(&self) -> Vec<(PlaceId, u64)> {
        let of_sum = |place| !self.sum.coefficient(place).is_zero();
        let arcs = self.net.pre(self.t).iter().filter(|arc| of_sum(arc.place));
        arcs.map(|arc| (arc.place, arc.weight)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn the_plainest_sum_keeps_a_transition_from_firing() {
        let net = text::parse(
            "place p 1\nplace q\nplace r\nplace s 1\nplace z\ntransition a: p -> q\n\
             transition b: q -> r\ntransition both: p + q + s -> 2*q + s\ntransition two: 2*s -> 2*s\n\
             transition fine: r + s -> r + s",
        );
        let net = net.unwrap();
        let dead = [net.transition_named("both").unwrap(), net.transition_named("two").unwrap()];
        let sums = Sums::of(&net, &dead, &Budget::unlimited());
        let said = |name: &str| {
            let exclusion = sums.exclude(net.transition_named(name).unwrap())?;
            let together = exclusion.together().into_iter();
            let named: Vec<_> = together.map(|(p, n)| (net.place_name(p).to_owned(), n)).collect();
            Some((exclusion.sum.describe(&net), named))
        };
        let two = |one: &str, other: &str| vec![(one.to_owned(), 1), (other.to_owned(), 1)];
        assert_eq!(said("both"), Some(("p + q + r = 1".to_owned(), two("p", "q"))));
        assert_eq!(said("two"), Some(("s = 1".to_owned(), vec![("s".to_owned(), 2)])));
        assert_eq!(said("fine"), None);
    }
}
