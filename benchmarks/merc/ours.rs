//! The side of `parikh-symbolic`.

use crate::memory::peak_of;
use crate::{Case, Found, Operations, REPEATED, ROUNDS, cpu};
use parikh_symbolic::{Diagrams, Limits, Relation, Set, with_stack};
use std::time::Duration;

fn relation(case: &Case) -> Relation {
    Relation::new(case.model.initial.len() as u32, &case.model.transitions).unwrap()
}

/// Breadth-first, with chaining, by saturation.
pub(crate) fn reach(case: &Case, limit: Duration) -> [Found; 3] {
    ["breadth", "chaining", "saturation"].map(|how| {
        let relation = relation(case);
        // On a thread of its own, whose clock begins at 0.
        let stop = move |_: &_| cpu() > limit.as_secs_f64();
        let work = || {
            let mut diagrams = Diagrams::new(Limits { bytes: 8 << 30, stop: &stop });
            let busy = cpu();
            let initial = diagrams.single(&case.model.initial).unwrap();
            let set = match how {
                "saturation" => diagrams.reachable(&relation, initial),
                _ => diagrams.reachable_in_breadth(&relation, initial, how == "chaining"),
            };
            let seconds = cpu() - busy;
            (seconds, set.and_then(|set| diagrams.count(set)).ok())
        };
        let (found, bytes) = peak_of(|| with_stack(1 << 17, work).unwrap());
        let (seconds, count) = found;
        Found { seconds, count, bytes }
    })
}

/// Sets after each of some rounds: their images, and the unions with these.
pub(crate) fn operations(case: &Case) -> Operations {
    let work = || {
        let relation = relation(case);
        let mut result = Operations::default();
        for _ in 0..REPEATED {
            let mut diagrams = Diagrams::new(Limits::default());
            let mut sets = vec![diagrams.single(&case.model.initial).unwrap()];
            for round in 0..ROUNDS {
                let image = diagrams.image(&relation, sets[round]).unwrap();
                sets.push(diagrams.union(sets[round], image).unwrap());
            }
            let mut images: Vec<Set> = Vec::new();
            for &set in &sets {
                forget_results(&mut diagrams);
                diagrams.image(&relation, Set::EMPTY).unwrap(); // the cache is that relation's
                let busy = cpu();
                images.push(diagrams.image(&relation, set).unwrap());
                result.product += cpu() - busy;
            }
            forget_results(&mut diagrams);
            let busy = cpu();
            let pairs = sets.iter().zip(&images);
            let unions: Vec<Set> =
                pairs.map(|(&set, &image)| diagrams.union(set, image).unwrap()).collect();
            result.union += cpu() - busy;
            result.counts =
                (images.iter().chain(&unions)).map(|&set| diagrams.count(set).unwrap()).collect();
        }
        result
    };
    with_stack(1 << 17, work).unwrap()
}

/// Empties the cache, as any other relation does.
fn forget_results(diagrams: &mut Diagrams<'_>) {
    let nothing = Relation::new(1, &[]).unwrap();
    diagrams.image(&nothing, Set::EMPTY).unwrap();
}
