//! Dining philosophers who take their forks one after the other, as in the Model Checking Contest.

use super::answers::{Answers, KnownCount, KnownNet};
use super::sketch::Sketch;

/// Makes `tables` philosophers around a table, each with a fork to the left, shared with the
/// neighbour. A philosopher takes either fork first, then the other, eats, and returns both.
///
/// ```text
/// place think 1    place fork 1    place left    place right    place eat
/// transition take_left:   think + fork      -> left
/// transition take_right:  think + next_fork -> right
/// transition then_right:  left + next_fork  -> eat
/// transition then_left:   right + fork      -> eat
/// transition leave:       eat -> think + fork + next_fork
/// ```
///
/// # Known answers
/// One-safe. A marking is given by where each fork is (table, its left or its right user), and
/// all 3ⁿ such choices are reachable: from all forks on the table each holder takes his own.
/// Firings 7n·3ⁿ⁻²: of the nine ways of a philosopher's two forks, taking a first fork is
/// possible in 2 + 2, a second in 1 + 1, leaving in 1. Two deadlocks: all hold their left forks,
/// or all their right ones. Hence quasi-live, not live. The most tokens: everybody thinks, 2n.
///
/// # Panics
/// With fewer than two philosophers, who would have one fork for both hands.
pub fn philosophers(tables: u32) -> KnownNet {
    assert!(tables >= 2, "a philosopher needs two forks");
    let mut sketch = Sketch::new(format!("philosophers-{tables}"));
    let places: Vec<_> = (0..tables)
        .map(|i| {
            let names = ["think", "fork", "left", "right", "eat"];
            let tokens = [1, 1, 0, 0, 0];
            [0, 1, 2, 3, 4].map(|k| sketch.place(&format!("{}_{i}", names[k]), tokens[k]))
        })
        .collect();
    for (i, &[think, fork, left, right, eat]) in places.iter().enumerate() {
        let next = places[(i + 1) % places.len()][1];
        let mut add_transition = |name, inputs: &[_], outputs: &[_]| {
            let with_weight_one = |places: &[_]| places.iter().map(|&p| (p, 1)).collect::<Vec<_>>();
            sketch.transition(
                &format!("{name}_{i}"),
                &with_weight_one(inputs),
                &with_weight_one(outputs),
            );
        };
        add_transition("take_left", &[think, fork], &[left]);
        add_transition("take_right", &[think, next], &[right]);
        add_transition("then_right", &[left, next], &[eat]);
        add_transition("then_left", &[right, fork], &[eat]);
        add_transition("leave", &[eat], &[think, fork, next]);
    }
    let known = Answers {
        states: KnownCount::power(3, tables),
        firings: KnownCount::power(3, tables - 2).times(7 * u128::from(tables)),
        max_in_place: Some(1),
        max_in_marking: Some(2 * u64::from(tables)),
        has_deadlock: true,
        is_quasi_live: true,
        is_live: false,
        has_stable_place: false,
    };
    KnownNet { net: sketch.build(), known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_five_places_and_transitions_each() {
        let KnownNet { net, known } = philosophers(10);
        assert_eq!((net.place_count(), net.transition_count()), (50, 50));
        assert_eq!(known.states, KnownCount::Exactly(59_049));
        assert!(known.one_safe());
    }

    #[test]
    fn all_left_forks_taken_is_a_deadlock() {
        let net = philosophers(7).net;
        let mut marking = net.initial().clone();
        for i in 0..7 {
            let take = net.transition_named(&format!("take_left_{i}")).unwrap();
            net.fire(&mut marking, take).unwrap();
        }
        assert!(net.is_dead(&marking));
    }
}
