//! Random goals about a net, by seed.

use fastrand::Rng;
use parikh_net::Goal;
use parikh_net::LinearSum;
use parikh_net::Marking;
use parikh_net::Net;
use parikh_net::PlaceId;
use parikh_net::Predicate;

/// Returns `count` goals about `net`, the same for the same seed: about three of four ask for a
/// marking, the others for a maximum.
pub fn random_goals(seed: u64, net: &Net, count: usize) -> Vec<Goal> {
    let mut rng = Rng::with_seed(seed);
    (0..count).map(|_| random_goal(&mut rng, net)).collect()
}

/// Returns a goal about `net`.
pub fn random_goal(rng: &mut Rng, net: &Net) -> Goal {
    if rng.u32(0..4) == 0 {
        Goal::Maximise(random_sum(rng, net, true))
    } else {
        let depth = rng.u32(0..=3);
        Goal::Reach(random_predicate(rng, net, depth))
    }
}

/// Returns a predicate over `net`. Leaves are comparisons, the enabledness or disabledness of a
/// transition, and rarely deadness; inner nodes are up to `depth` levels of conjunctions and
/// disjunctions of two or three parts. The bound of a comparison differs by at most 2 from the
/// value at a marking of a short random walk. So many comparisons are neither always true nor
/// always false.
pub fn random_predicate(rng: &mut Rng, net: &Net, depth: u32) -> Predicate {
    let walked_marking = random_walk(rng, net);
    nested(rng, net, &walked_marking, depth)
}

fn nested(rng: &mut Rng, net: &Net, walked_marking: &Marking, depth: u32) -> Predicate {
    if depth == 0 || rng.u32(0..5) == 0 {
        return leaf(rng, net, walked_marking);
    }
    let parts: Vec<_> =
        (0..rng.usize(2..=3)).map(|_| nested(rng, net, walked_marking, depth - 1)).collect();
    if rng.bool() { Predicate::and(parts) } else { Predicate::or(parts) }
}

/// Returns a random leaf. The bound of a comparison differs by at most 2 from the value at
/// `walked_marking`.
fn leaf(rng: &mut Rng, net: &Net, walked_marking: &Marking) -> Predicate {
    let transition = |rng: &mut Rng| {
        let count = net.transition_count();
        (count > 0).then(|| parikh_net::TransitionId::new(rng.usize(0..count)))
    };
    match rng.u32(0..12) {
        0 => Predicate::Dead,
        1 => Predicate::NotDead,
        2 | 3 => transition(rng).map_or(Predicate::False, Predicate::Enabled),
        4 | 5 => transition(rng).map_or(Predicate::True, Predicate::Disabled),
        _ => {
            let sum = random_sum(rng, net, false);
            // The values in short walks of random nets are far inside an i64.
            let value = i64::try_from(sum.value(walked_marking)).unwrap_or(0);
            let bound = value.saturating_add(rng.i64(-2..=2));
            let atom = Predicate::at_most(sum, bound);
            if rng.bool() { atom.negated() } else { atom }
        }
    }
}

/// Returns a sum over one to three places of `net` with coefficients from −2 to 3, or from 1 to 2
/// if `is_positive`. Half of the sums have a single place.
pub fn random_sum(rng: &mut Rng, net: &Net, is_positive: bool) -> LinearSum {
    if net.place_count() == 0 {
        return LinearSum::default();
    }
    let size = [1, 1, 1, 2, 2, 3][rng.usize(0..6)];
    let terms: Vec<_> = (0..size)
        .map(|_| {
            let place = PlaceId::new(rng.usize(0..net.place_count()));
            let coefficient = match (rng.bool(), is_positive) {
                (true, _) => 1,
                (false, true) => rng.i64(1..=2),
                (false, false) => [-2, -1, 1, 2, 3][rng.usize(0..5)],
            };
            (place, coefficient)
        })
        .collect();
    LinearSum::new(terms).expect("three coefficients of magnitude 3 at most")
}

/// Returns the marking after up to twenty random firings.
fn random_walk(rng: &mut Rng, net: &Net) -> Marking {
    let mut marking = net.initial().clone();
    for _ in 0..rng.u32(0..=20) {
        let enabled: Vec<_> = net.transitions().filter(|&t| net.is_enabled(&marking, t)).collect();
        if enabled.is_empty() {
            break;
        }
        // A firing that would overflow leaves the marking unchanged.
        let _ = net.fire(&mut marking, enabled[rng.usize(0..enabled.len())]);
    }
    marking
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, random};
    use super::*;

    #[test]
    fn one_seed_asks_the_same_questions() {
        let net = random(5, &Shape::small(5));
        assert_eq!(random_goals(9, &net, 30), random_goals(9, &net, 30));
        assert_ne!(random_goals(9, &net, 30), random_goals(10, &net, 30));
    }

    #[test]
    fn every_form_occurs_and_truth_varies() {
        let (mut dead, mut nested, mut maximum, mut yes, mut no) = (0, 0, 0, 0, 0);
        for seed in 0..200 {
            let net = random(seed, &Shape::small(seed));
            for goal in random_goals(seed, &net, 5) {
                match goal {
                    Goal::Maximise(_) => maximum += 1,
                    Goal::Reach(phi) => {
                        dead += usize::from(phi.mentions_deadness());
                        nested += usize::from(matches!(phi, Predicate::And(_) | Predicate::Or(_)));
                        if phi.holds(&net, net.initial()) { yes += 1 } else { no += 1 }
                    }
                    _ => panic!("none is made"),
                }
            }
        }
        for occurrences in [dead, nested, maximum, yes, no] {
            assert!(occurrences > 50, "{dead} {nested} {maximum} {yes} {no}");
        }
    }

    #[test]
    fn the_empty_net_has_random_goals() {
        let net = parikh_net::text::parse("net empty").unwrap();
        assert_eq!(random_goals(1, &net, 10).len(), 10);
    }
}
