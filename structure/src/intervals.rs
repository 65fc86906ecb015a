//! Token intervals: bounds for every reachable marking, from the arcs and known bounds.
//!
//! A place that some transition can fill is assumed to fill up at once, as far as a known bound
//! allows, and never to become empty. A transition that is not enabled even then is dead. A place
//! that no possible transition fills keeps at most its initial tokens. Dually, a place keeps at
//! least the smaller of its initial tokens and the fewest tokens that a possible consumer leaves
//! behind. A worklist computes the upper bounds, then a pass over the arcs the lower ones. A place
//! rises at most once, and each of its consumers is then examined again. The intervals settle many
//! goals: dead transitions for quasi-liveness, constant places for stable marking, and one-safeness
//! implied by nested units.
//!
//! # Conditions
//! 1. `high(p)` ≥ m₀(p), and a transition counts as possible once `pre(t,p) ≤ high(p)` for all p.
//! 2. A possible transition with a positive effect on p raises `high(p)` to the known bound of p,
//!    or to infinity without one.
//! 3. `low(p)` is the least of m₀(p) and of `post(t,p)` over the possible t that decrease p; or a
//!    known bound that is larger.
//!
//! # Soundness
//! By induction along a firing sequence: m₀ lies in the intervals (1); a transition enabled inside
//! them is possible by (1), so what it raises is capped by (2), where a known bound holds of every
//! reachable marking; and after it a place it lowers holds at least `post(t,p)`, see (3).
//!
//! # Sources
//! The marking-driven fixpoint is rule E/M/N of TAPAAL's reductions (Bønneland, Dyhr, Jensen,
//! Johannsen, Srba, *Stubborn versus structural reductions for Petri nets*, JLAMP 102, 2019).

use parikh_net::facts::Provenance;
use parikh_net::{
    Atom, Facts, Features, LinearSum, Marking, Net, PlaceId, Predicate, TransitionId,
};

/// The net features that the soundness argument of this module covers.
pub const SUPPORTED_FEATURES: Features = Features::WEIGHTS;

/// Bounds on the tokens of every place in every reachable marking. The pass over the arcs is
/// repeated for each [`Provenance`], from strong to weak premises: the arcs alone, facts from place
/// invariants, and claimed facts. Each bound and each consequence is thus attributed to the
/// strongest sufficient provenance.
#[derive(Clone, Debug)]
pub struct Intervals {
    /// The intervals of each provenance for which the facts have bounds, in ascending order of
    /// provenance. The first intervals use the arcs alone.
    levels: Vec<ProvenanceIntervals>,
}

/// The bounds that follow from the arcs and from the facts of some provenance or a stronger one.
#[derive(Clone, Debug)]
pub struct ProvenanceIntervals {
    /// The weakest provenance of the facts that the bounds may depend on.
    rests_on: Provenance,
    /// Lower bounds, by place index.
    low: Vec<u64>,
    /// Upper bounds, by place index. `None` if no bound is known.
    high: Vec<Option<u64>>,
    /// For each transition, true if the intervals do not exclude that it fires.
    is_possible_by_transition: Vec<bool>,
}

/// The decision of a predicate by intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalDecision {
    /// True if the predicate holds in every reachable marking, false if in none.
    pub always_holds: bool,
    /// The strongest sufficient provenance.
    pub rests_on: Provenance,
}

impl Intervals {
    /// Computes the intervals of `net` from the bounds in `facts`.
    pub fn new(net: &Net, facts: &Facts) -> Self {
        let mut intervals =
            Intervals { levels: vec![ProvenanceIntervals::new(net, facts, Provenance::Arcs)] };
        intervals.learn(net, facts);
        intervals
    }

    /// Adds intervals for each provenance that is weaker than the weakest present one and for which
    /// `facts` has bounds.
    pub fn learn(&mut self, net: &Net, facts: &Facts) {
        for rests_on in Provenance::ALL {
            if rests_on > self.last().rests_on && facts.has_bounds_by(rests_on) {
                self.levels.push(ProvenanceIntervals::new(net, facts, rests_on));
            }
        }
    }

    /// Returns the tightest intervals, which have the weakest provenance.
    fn last(&self) -> &ProvenanceIntervals {
        // The constructor adds the intervals from the arcs alone, so the list is never empty.
        &self.levels[self.levels.len() - 1]
    }

    /// Returns the tightest intervals whose provenance is `within` or stronger.
    pub fn up_to(&self, within: Provenance) -> &ProvenanceIntervals {
        let tightest = self.levels.iter().rev().find(|level| level.rests_on <= within);
        tightest.unwrap_or(&self.levels[0])
    }

    /// Returns the tightest intervals that are proved.
    pub fn proved(&self) -> &ProvenanceIntervals {
        self.up_to(Provenance::PROVED)
    }

    /// Decides whether `predicate` holds in all reachable markings or in none. Returns `None` if
    /// neither follows.
    pub fn decide(&self, net: &Net, predicate: &Predicate) -> Option<IntervalDecision> {
        // If the tightest intervals do not decide it, the others do not, either.
        let holds = self.last().decide(net, predicate)?;
        let decides = |level: &&ProvenanceIntervals| level.decide(net, predicate) == Some(holds);
        let level = self.levels.iter().find(decides).unwrap_or(self.last());
        Some(IntervalDecision { always_holds: holds, rests_on: level.rests_on })
    }

    /// Returns the upper bound of a sum with its provenance, or `None` if the intervals give no
    /// upper bound.
    pub fn upper_bound(&self, sum: &LinearSum) -> Option<(i128, Provenance)> {
        let upper = self.last().range(sum).1?;
        let level = self.levels.iter().find(|level| level.range(sum).1 == Some(upper));
        Some((upper, level.unwrap_or(self.last()).rests_on))
    }
}

impl ProvenanceIntervals {
    /// Computes the intervals of `net` from the bounds in `facts` whose provenance is `rests_on` or
    /// stronger.
    fn new(net: &Net, facts: &Facts, rests_on: Provenance) -> Self {
        let mut high: Vec<Option<u64>> = net.initial().tokens().iter().copied().map(Some).collect();
        let mut is_possible_by_transition = vec![false; net.transition_count()];
        let mut pending: Vec<TransitionId> = net.transitions().collect();
        while let Some(t) = pending.pop() {
            let is_blocked = |high: &[Option<u64>]| {
                let mut pre = net.pre(t).iter();
                pre.any(|arc| high[arc.place.index()].is_some_and(|high| high < arc.weight))
            };
            if is_possible_by_transition[t.index()] || is_blocked(&high) {
                continue;
            }
            is_possible_by_transition[t.index()] = true;
            for change in net.delta(t).iter().filter(|change| change.delta > 0) {
                let place = change.place;
                let initial_tokens = net.initial()[place];
                let fact = facts.upper_bound_within(place, rests_on);
                let new_bound = fact.map(|bound| bound.max(initial_tokens));
                if high[place.index()] != new_bound {
                    high[place.index()] = new_bound;
                    pending.extend(net.consumers(place).iter().map(|arc| arc.transition));
                }
            }
        }
        let mut low = net.initial().tokens().to_vec();
        for t in net.transitions().filter(|t| is_possible_by_transition[t.index()]) {
            for change in net.delta(t).iter().filter(|change| change.delta < 0) {
                let low = &mut low[change.place.index()];
                *low = (*low).min(net.post_weight(t, change.place));
            }
        }
        for place in net.places() {
            let low = &mut low[place.index()];
            *low = facts.lower_bound_within(place, rests_on).max(*low);
        }
        ProvenanceIntervals { rests_on, low, high, is_possible_by_transition }
    }

    /// Returns the provenance of these intervals.
    pub fn rests_on(&self) -> Provenance {
        self.rests_on
    }

    /// Returns the lower bound of `place`.
    pub fn low(&self, place: PlaceId) -> u64 {
        self.low[place.index()]
    }

    /// Returns the upper bound of `place`, or `None` if no bound is known.
    pub fn high(&self, place: PlaceId) -> Option<u64> {
        self.high[place.index()]
    }

    /// Returns true if `t` may be enabled in a marking within the intervals.
    pub fn is_possible(&self, t: TransitionId) -> bool {
        self.is_possible_by_transition[t.index()]
    }

    /// Returns true if `marking` lies within the intervals.
    pub fn contains(&self, marking: &Marking) -> bool {
        marking.tokens().iter().enumerate().all(|(index, &tokens)| {
            let place = PlaceId::new(index);
            self.low(place) <= tokens && self.high(place).is_none_or(|high| tokens <= high)
        })
    }

    /// Returns the lower and the upper bound of a sum. `None` means that the sum is unbounded on
    /// that side.
    pub fn range(&self, sum: &LinearSum) -> (Option<i128>, Option<i128>) {
        let (mut min_sum, mut max_sum) = (Some(0i128), Some(0i128));
        for &(place, coefficient) in sum.terms() {
            let a = i128::from(coefficient);
            let low = Some(a * i128::from(self.low(place)));
            let high = self.high(place).map(|high| a * i128::from(high));
            let (min_term, max_term) = if coefficient > 0 { (low, high) } else { (high, low) };
            let add = |sum: Option<i128>, term: Option<i128>| Some(sum? + term?);
            min_sum = add(min_sum, min_term);
            max_sum = add(max_sum, max_term);
        }
        (min_sum, max_sum)
    }

    /// Decides whether `predicate` holds in all markings within the intervals or in none. Returns
    /// `None` if neither follows.
    pub fn decide(&self, net: &Net, predicate: &Predicate) -> Option<bool> {
        match predicate {
            Predicate::True => Some(true),
            Predicate::False => Some(false),
            Predicate::Atom(Atom { sum, bound }) => {
                let bound = i128::from(*bound);
                match self.range(sum) {
                    (_, Some(largest)) if largest <= bound => Some(true),
                    (Some(least), _) if least > bound => Some(false),
                    _ => None,
                }
            }
            Predicate::Enabled(t) => self.decide_enabled(net, *t),
            Predicate::Disabled(t) => self.decide_enabled(net, *t).map(|enabled| !enabled),
            Predicate::NotDead => self.decide_not_dead(net),
            Predicate::Dead => self.decide_not_dead(net).map(|never| !never),
            Predicate::And(operands) => {
                let mut all = Some(true);
                for operand in operands {
                    match self.decide(net, operand) {
                        Some(true) => {}
                        Some(false) => return Some(false),
                        None => all = None,
                    }
                }
                all
            }
            Predicate::Or(operands) => {
                let mut none = Some(false);
                for operand in operands {
                    match self.decide(net, operand) {
                        Some(false) => {}
                        Some(true) => return Some(true),
                        None => none = None,
                    }
                }
                none
            }
        }
    }

    /// Returns `Some(true)` if `t` is enabled in all markings within the intervals, `Some(false)`
    /// if in none, and `None` if neither follows.
    fn decide_enabled(&self, net: &Net, t: TransitionId) -> Option<bool> {
        if !self.is_possible(t) {
            return Some(false);
        }
        net.pre(t).iter().all(|arc| arc.weight <= self.low(arc.place)).then_some(true)
    }

    /// Returns `Some(true)` if one transition is always enabled, `Some(false)` if no transition is
    /// ever enabled, and `None` if neither follows.
    fn decide_not_dead(&self, net: &Net) -> Option<bool> {
        if net.transitions().any(|t| self.decide_enabled(net, t) == Some(true)) {
            return Some(true);
        }
        net.transitions().all(|t| !self.is_possible(t)).then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn dead_transitions_constant_places_and_lower_bounds_are_seen() {
        let net = text::parse(
            "place p 3
             place q
             place lock 2
             place never
             transition move: p + lock -> q + lock
             transition back: 2*q -> 2*p
             transition dead: never -> q
             transition swap: 2*lock -> lock",
        )
        .unwrap();
        let intervals = ProvenanceIntervals::new(&net, &Facts::empty(&net), Provenance::Arcs);
        let place = |name| net.place_named(name).unwrap();
        assert!(!intervals.is_possible(net.transition_named("dead").unwrap()));
        assert_eq!(intervals.high(place("never")), Some(0));
        assert_eq!(intervals.high(place("lock")), Some(2));
        assert_eq!(intervals.low(place("lock")), 1);
        assert_eq!(intervals.high(place("p")), None);
        let three_locks = Predicate::at_least(place("lock"), 3);
        assert_eq!(intervals.decide(&net, &three_locks), Some(false));
    }

    #[test]
    fn an_always_enabled_transition_excludes_deadlock() {
        let net = text::parse("place p 1\ntransition t: p -> p").unwrap();
        let intervals = ProvenanceIntervals::new(&net, &Facts::empty(&net), Provenance::Arcs);
        assert_eq!(intervals.decide(&net, &Predicate::Dead), Some(false));
        let stuck = text::parse("place p\ntransition t: p -> p").unwrap();
        let intervals = ProvenanceIntervals::new(&stuck, &Facts::empty(&stuck), Provenance::Arcs);
        assert_eq!(intervals.decide(&stuck, &Predicate::Dead), Some(true));
    }

    /// p is safe by an invariant, q only by a claim, and no transition fills r.
    #[test]
    fn a_decision_has_the_strongest_possible_provenance() {
        let net = text::parse(
            "place p 1\nplace q\nplace r 1\ntransition t: p -> p + q\ntransition u: q + r -> r",
        )
        .unwrap();
        let [p, q, r] = ["p", "q", "r"].map(|name| net.place_named(name).unwrap());
        let mut facts = Facts::empty(&net);
        net.places().for_each(|place| facts.bound_above(place, 1, Provenance::UnitsClaimed));
        facts.bound_above(p, 1, Provenance::Flows);
        let intervals = Intervals::new(&net, &facts);
        let two = |place| Predicate::at_least(place, 2);
        let rests_on = |predicate: &Predicate| {
            let decision = intervals.decide(&net, predicate).unwrap();
            assert!(!decision.always_holds);
            decision.rests_on
        };
        assert_eq!(rests_on(&two(r)), Provenance::Arcs);
        assert_eq!(rests_on(&two(q)), Provenance::UnitsClaimed);
        assert_eq!(rests_on(&Predicate::and([two(q), two(r)])), Provenance::Arcs);
        assert_eq!(rests_on(&Predicate::or([two(q), two(r)])), Provenance::UnitsClaimed);
        assert_eq!(intervals.proved().decide(&net, &two(q)), None);
        assert_eq!(intervals.upper_bound(&LinearSum::place(p)), Some((1, Provenance::Arcs)));
        assert_eq!(
            intervals.upper_bound(&LinearSum::place(q)),
            Some((1, Provenance::UnitsClaimed))
        );
    }
}
