//! Simplifies predicates by token intervals. The result has the same value in every reachable
//! marking and is cheaper to evaluate.
//!
//! Interval evaluation may decide a whole goal. Otherwise, it may still decide parts of it. The
//! remaining comparisons are simplified, because each one has a cost for engines. A comparison of a
//! single place is a threshold. A comparison of several places is a sum that is updated with every
//! firing. Stubborn sets must include every transition that changes one of its places.
//!
//! # Rules, on Σ a·m(p) ≤ k with low(p) ≤ m(p) ≤ high(p)
//! 1. A comparison or enabledness that the intervals decide becomes a constant.
//! 2. A place with low = high moves to the right side.
//! 3. Coefficients are divided by their greatest common divisor, and k is rounded down.
//! 4. *Forced places.* Let s = k − min Σ be the slack. A place with |a| > s must stay at the bound
//!    where its term is least, or the sum exceeds k. So the comparison is the conjunction of "p ≤
//!    low(p)" (or "p ≥ high(p)") for these places, and the comparison of the other places.
//! 5. *Dually*, let s′ = max Σ − (k + 1) be the slack of the negation. The comparison is false only
//!    if every place with |a| > s′ has its largest term. So the comparison is the disjunction of "p
//!    < high(p)" (or "p > low(p)") for these places, and the comparison of the other places.
//! 6. Equal operands of a conjunction or disjunction are listed once.
//!
//! On one-safe places, rules 4 and 5 make most comparisons Boolean: p + q ≤ 1 is p = 0 ∨ q = 0, p ≤
//! q is p = 0 ∨ q = 1. An equality consists of two comparisons, which are simplified separately: p
//! = q becomes (p = 0 ∨ q = 1) ∧ (q = 0 ∨ p = 1). So the case with both places empty is kept.
//!
//! # Soundness
//! Each rule preserves the truth value in all markings inside the intervals, hence in all reachable
//! markings. Only proved intervals are used: a goal simplified by the model's claim would depend on
//! the claim, and its proof would not mention it.
//!
//! # Sources
//! Constraint propagation on bounds; A. Bønneland, J. Dyhr, P. Jensen, M. Johannsen, J. Srba,
//! *Simplification of CTL formulae for efficient model checking of Petri nets*, PETRI NETS 2018,
//! for the idea of deciding parts of a query before any search.

use parikh_net::{Atom, LinearSum, MarkingGoal, Net, PlaceId, Predicate};
use parikh_structure::intervals::{Intervals, ProvenanceIntervals};

/// Returns `goal` with its predicate simplified. Maxima are unchanged.
pub fn goal(net: &Net, intervals: &Intervals, goal: &MarkingGoal) -> MarkingGoal {
    match goal {
        MarkingGoal::Reach(original) => MarkingGoal::Reach(predicate(net, intervals, original)),
        MarkingGoal::Maximise(_) => goal.clone(),
    }
}

/// Returns a predicate with the same value as `original` in every marking of `net` inside the
/// proved intervals.
pub fn predicate(net: &Net, intervals: &Intervals, original: &Predicate) -> Predicate {
    simplify(net, intervals.proved(), original).sorted()
}

/// Simplifies a predicate by the given intervals, operand by operand. The result is not sorted.
fn simplify(net: &Net, intervals: &ProvenanceIntervals, original: &Predicate) -> Predicate {
    match original {
        Predicate::And(operands) => {
            Predicate::and(operands.iter().map(|operand| simplify(net, intervals, operand)))
        }
        Predicate::Or(disjuncts) => {
            Predicate::or(disjuncts.iter().map(|operand| simplify(net, intervals, operand)))
        }
        Predicate::Atom(atom) => comparison(intervals, atom),
        leaf => intervals.decide(net, leaf).map_or_else(|| leaf.clone(), Predicate::constant),
    }
}

/// A term a·m(p), with bounds of m(p).
#[derive(Clone, Copy)]
struct BoundedTerm {
    place: PlaceId,
    /// The factor a.
    coefficient: i64,
    /// The lower bound of m(p), in tokens.
    low: u64,
    /// The upper bound of m(p), in tokens. `None` is infinity.
    high: Option<u64>,
}

impl BoundedTerm {
    /// Returns the minimum of the term. `None` is −∞.
    fn min_value(&self) -> Option<i128> {
        let tokens = if self.coefficient > 0 { Some(self.low) } else { self.high };
        tokens.map(|tokens| i128::from(self.coefficient) * i128::from(tokens))
    }

    /// Returns the maximum of the term. `None` is +∞.
    fn max_value(&self) -> Option<i128> {
        let tokens = if self.coefficient > 0 { self.high } else { Some(self.low) };
        tokens.map(|tokens| i128::from(self.coefficient) * i128::from(tokens))
    }

    /// Returns true if one token changes the term by more than `slack`.
    fn exceeds(&self, slack: i128) -> bool {
        i128::from(self.coefficient.unsigned_abs()) > slack
    }

    /// Returns the predicate "the term has its minimum". The minimum must be finite.
    fn at_minimum(&self) -> Predicate {
        match (self.coefficient > 0, self.high) {
            (false, Some(high)) => Predicate::at_least(self.place, high),
            _ => Predicate::no_more_than(self.place, self.low),
        }
    }

    /// Returns the predicate "the term is below its maximum". The maximum must be finite.
    fn below_maximum(&self) -> Predicate {
        match (self.coefficient > 0, self.high) {
            (true, Some(high)) => Predicate::no_more_than(self.place, high.saturating_sub(1)),
            _ => Predicate::at_least(self.place, self.low + 1),
        }
    }
}

/// Simplifies a comparison by the given intervals. Returns the comparison unchanged if a number of
/// the result exceeds 64 bits.
fn comparison(intervals: &ProvenanceIntervals, atom: &Atom) -> Predicate {
    let term = |&(place, coefficient): &(PlaceId, i64)| BoundedTerm {
        place,
        coefficient,
        low: intervals.low(place),
        // No place holds more than 2⁶³ − 1 tokens, so a larger bound has no effect.
        high: intervals.high(place).filter(|&high| i64::try_from(high).is_ok()),
    };
    let terms = atom.sum.terms().iter().map(term).collect();
    simplify_terms(terms, i128::from(atom.bound)).unwrap_or_else(|| Predicate::Atom(atom.clone()))
}

/// Simplifies Σ terms ≤ bound by the rules 1 to 5 of the module documentation. Returns `None` if a
/// number of the result exceeds 64 bits.
fn simplify_terms(mut terms: Vec<BoundedTerm>, mut bound: i128) -> Option<Predicate> {
    // Rule 2: a place with low = high moves to the right side.
    terms.retain(|term| {
        let is_fixed = term.high == Some(term.low);
        if is_fixed {
            bound -= i128::from(term.coefficient) * i128::from(term.low);
        }
        !is_fixed
    });
    // Rule 3: division by the greatest common divisor.
    let divisor = terms.iter().fold(0, |divisor, term| gcd(divisor, term.coefficient));
    if let Ok(divisor @ 2..) = i64::try_from(divisor) {
        terms.iter_mut().for_each(|term| term.coefficient /= divisor);
        bound = bound.div_euclid(i128::from(divisor));
    }
    // Rule 1: a comparison that the intervals decide is constant.
    let min_sum: Option<i128> = terms.iter().map(BoundedTerm::min_value).sum();
    let max_sum: Option<i128> = terms.iter().map(BoundedTerm::max_value).sum();
    if max_sum.is_some_and(|max_sum| max_sum <= bound) {
        return Some(Predicate::True);
    }
    if min_sum.is_some_and(|min_sum| min_sum > bound) {
        return Some(Predicate::False);
    }
    if terms.len() > 1 {
        if let Some(slack) = min_sum.map(|min_sum| bound - min_sum) {
            let (forced, others) = split(&terms, slack);
            if !forced.is_empty() {
                let bound = bound - forced.iter().filter_map(BoundedTerm::min_value).sum::<i128>();
                let others = simplify_terms(others, bound)?;
                let forced = forced.iter().map(BoundedTerm::at_minimum);
                return Some(Predicate::and(forced.chain([others])));
            }
        }
        if let Some(slack) = max_sum.map(|max_sum| max_sum - (bound + 1)) {
            let (forced, others) = split(&terms, slack);
            if !forced.is_empty() {
                let bound = bound - forced.iter().filter_map(BoundedTerm::max_value).sum::<i128>();
                let others = simplify_terms(others, bound)?;
                let forced = forced.iter().map(BoundedTerm::below_maximum);
                return Some(Predicate::or(forced.chain([others])));
            }
        }
    }
    let sum = LinearSum::new(terms.iter().map(|term| (term.place, term.coefficient))).ok()?;
    Some(Predicate::at_most(sum, i64::try_from(bound).ok()?))
}

/// Returns two lists: the terms whose coefficient has a larger absolute value than `slack`, and the
/// remaining terms.
fn split(terms: &[BoundedTerm], slack: i128) -> (Vec<BoundedTerm>, Vec<BoundedTerm>) {
    terms.iter().partition(|term| term.exceeds(slack))
}

/// Returns the greatest common divisor of two numbers, the second one without its sign.
fn gcd(divisor: u64, coefficient: i64) -> u64 {
    let (mut a, mut b) = (divisor, coefficient.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_generate as generate;
    use parikh_net::facts::Provenance;
    use parikh_net::{Facts, Marking, text};

    /// Two places with at most one token, a place that always holds three, and an unbounded place.
    fn net() -> Net {
        text::parse(
            "place p
             place q
             place fixed 3
             place many
             place off 1
             place away 1
             transition a: off -> p
             transition b: away -> q
             transition c: fixed -> fixed + many
             transition d: p -> off
             transition e: q -> away",
        )
        .unwrap()
    }

    fn intervals(net: &Net) -> Intervals {
        let mut facts = Facts::empty(net);
        for name in ["p", "q", "off", "away"] {
            facts.bound_above(net.place_named(name).unwrap(), 1, Provenance::Flows);
        }
        Intervals::new(net, &facts)
    }

    fn shrunk(terms: &[(&str, i64)], bound: i64) -> Predicate {
        let net = net();
        let terms = terms.iter().map(|&(name, a)| (net.place_named(name).unwrap(), a));
        let asked = Predicate::at_most(LinearSum::new(terms).unwrap(), bound);
        predicate(&net, &intervals(&net), &asked)
    }

    fn place(name: &str) -> PlaceId {
        net().place_named(name).unwrap()
    }

    #[test]
    fn comparisons_of_one_safe_places_become_boolean() {
        let empty = |name| Predicate::no_more_than(place(name), 0);
        let marked = |name| Predicate::at_least(place(name), 1);
        let sum = [("p", 1), ("q", 1)];
        assert_eq!(shrunk(&sum, 0), Predicate::and([empty("p"), empty("q")]));
        assert_eq!(shrunk(&sum, 1), Predicate::or([empty("p"), empty("q")]));
        assert_eq!(shrunk(&sum, 2), Predicate::True);
        let order = [("p", 1), ("q", -1)];
        assert_eq!(shrunk(&order, 0), Predicate::or([empty("p"), marked("q")]));
        assert_eq!(shrunk(&order, -1), Predicate::and([empty("p"), marked("q")]));
        assert_eq!(shrunk(&[("p", 5), ("q", 1), ("many", 1)], 4), {
            let rest = LinearSum::new([(place("q"), 1), (place("many"), 1)]).unwrap();
            Predicate::and([empty("p"), Predicate::at_most(rest, 4)])
        });
    }

    #[test]
    fn equality_of_one_safe_places_keeps_both_inequalities() {
        let net = net();
        let [p, q] = ["p", "q"].map(place);
        let less = |a, b| Predicate::at_most(LinearSum::new([(a, 1), (b, -1)]).unwrap(), 0);
        let equal = Predicate::and([less(p, q), less(q, p)]);
        let shrunk = predicate(&net, &intervals(&net), &equal);
        assert_ne!(shrunk, equal);
        for (in_p, in_q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let marking = Marking::new(vec![in_p, in_q, 3, 0, 1 - in_p, 1 - in_q]);
            assert_eq!(shrunk.holds(&net, &marking), in_p == in_q, "{in_p} {in_q}");
            let unequal = predicate(&net, &intervals(&net), &equal.clone().negated());
            assert_eq!(unequal.holds(&net, &marking), in_p != in_q, "{in_p} {in_q}");
        }
    }

    #[test]
    fn constants_are_subtracted_and_common_divisors_removed() {
        let many = |bound| Predicate::at_most(LinearSum::place(place("many")), bound);
        assert_eq!(shrunk(&[("many", 2), ("fixed", 1)], 8), many(2));
        assert_eq!(shrunk(&[("fixed", -2)], -7), Predicate::False);
        assert_eq!(shrunk(&[("many", -4)], -5), Predicate::at_least(place("many"), 2));
    }

    /// Random predicates keep their values in random markings inside the intervals.
    #[test]
    fn shrinking_keeps_the_value_inside_the_intervals() {
        let mut rng = fastrand::Rng::with_seed(11);
        let mut changed = 0;
        for seed in 0..3000 {
            let net = generate::random(seed, &generate::Shape::small(seed));
            let mut facts = Facts::empty(&net);
            for place in net.places() {
                if rng.u8(0..4) > 0 {
                    let tokens = net.initial()[place] + rng.u64(0..3);
                    facts.bound_above(place, tokens, Provenance::Flows);
                    // A claimed bound must not change the result.
                    facts.bound_above(place, net.initial()[place], Provenance::UnitsClaimed);
                }
            }
            let intervals = Intervals::new(&net, &facts);
            let proved = intervals.proved();
            let asked = generate::random_predicate(&mut fastrand::Rng::with_seed(seed), &net, 2);
            let shrunk = predicate(&net, &intervals, &asked);
            changed += u32::from(shrunk != asked);
            for _ in 0..20 {
                let tokens = net.places().map(|p| {
                    let low = proved.low(p);
                    rng.u64(low..=proved.high(p).unwrap_or(low + 4))
                });
                let marking = Marking::new(tokens.collect());
                // The intervals exclude transitions from firing in reachable markings only, so
                // other markings are skipped.
                let real = net
                    .transitions()
                    .all(|t| proved.is_possible(t) || !net.is_enabled(&marking, t));
                if real {
                    let (was, is) = (asked.holds(&net, &marking), shrunk.holds(&net, &marking));
                    assert_eq!(was, is, "seed {seed}: {asked:?} became {shrunk:?}");
                }
            }
        }
        assert!(changed > 1000, "only {changed} predicates changed");
    }
}
