//! The side of `merc_ldd`.

use crate::memory::peak_of;
use crate::{Case, Found, Operations, REPEATED, ROUNDS, cpu};
use merc_ldd::{
    Data, Ldd, Storage, Value, compute_meta, minus, relational_product, singleton, union,
};
use num_bigint::BigUint;
use parikh_symbolic::{Touch, with_stack};
use std::collections::HashMap;
use std::time::Duration;

/// A transition as a relation: what it reads and writes, as pairs of values.
struct Transition {
    pairs: Ldd,
    meta: Ldd,
}

fn transition(storage: &mut Storage, touches: &[Touch], most: u64) -> Transition {
    let level = |touch: &Touch| touch.level as Value;
    let read: Vec<Value> = touches.iter().map(level).collect();
    let written = touches.iter().filter(|touch| touch.change != 0);
    let written: Vec<Value> = written.map(level).collect();
    let (meta, ..) = compute_meta(storage, &read, &written);
    let mut pairs = storage.empty_vector().clone();
    for touch in touches.iter().rev() {
        let mut chain = storage.empty_set().clone();
        for before in (touch.pre..=most).rev() {
            let Some(after) = before.checked_add_signed(touch.change).filter(|&v| v <= most) else {
                continue;
            };
            let below = match touch.change {
                0 => pairs.clone(),
                _ => {
                    let nothing = storage.empty_set().clone();
                    storage.insert(after as Value, &pairs, &nothing)
                }
            };
            chain = storage.insert(before as Value, &below, &chain);
        }
        pairs = chain;
    }
    Transition { pairs, meta }
}

struct Net {
    storage: Storage,
    initial: Ldd,
    transitions: Vec<Transition>,
}

impl Net {
    fn new(case: &Case) -> Net {
        let mut storage = Storage::new();
        let initial: Vec<Value> = case.model.initial.iter().map(|&v| v as Value).collect();
        let initial = singleton(&mut storage, &initial);
        let transitions = (case.model.transitions.iter())
            .map(|touches| transition(&mut storage, touches, case.most))
            .collect();
        Net { storage, initial, transitions }
    }

    fn fire(&mut self, set: &Ldd, transition: usize) -> Ldd {
        let Transition { pairs, meta } = &self.transitions[transition];
        relational_product(&mut self.storage, set, pairs, meta)
    }

    fn image(&mut self, set: &Ldd) -> Ldd {
        let mut all = self.storage.empty_set().clone();
        for transition in 0..self.transitions.len() {
            let image = self.fire(set, transition);
            all = union(&mut self.storage, &all, &image);
        }
        all
    }

    fn count(&self, set: &Ldd, known: &mut HashMap<usize, BigUint>) -> BigUint {
        if *set == *self.storage.empty_set() {
            return BigUint::ZERO;
        }
        if *set == *self.storage.empty_vector() {
            return BigUint::from(1u8);
        }
        let index = *set.index();
        if let Some(count) = known.get(&index) {
            return count.clone();
        }
        let Data(_, down, right) = self.storage.get(set);
        let count = self.count(&down, known) + self.count(&right, known);
        known.insert(index, count.clone());
        count
    }
}

/// Breadth-first, and with chaining: the rounds are those of the other side.
pub(crate) fn reach(case: &Case, limit: Duration) -> [Found; 2] {
    [false, true].map(|chaining| {
        let work = || {
            let mut net = Net::new(case);
            let busy = cpu();
            let mut found = net.initial.clone();
            let mut new = net.initial.clone();
            let mut in_time = true;
            while new != *net.storage.empty_set() && in_time {
                let mut made = if chaining { new.clone() } else { net.storage.empty_set().clone() };
                for transition in 0..net.transitions.len() {
                    let from = if chaining { made.clone() } else { new.clone() };
                    let image = net.fire(&from, transition);
                    made = union(&mut net.storage, &made, &image);
                    in_time = in_time && cpu() - busy <= limit.as_secs_f64();
                    if !in_time {
                        break;
                    }
                }
                new = minus(&mut net.storage, &made, &found);
                found = union(&mut net.storage, &found, &made);
            }
            let seconds = cpu() - busy;
            let count = in_time.then(|| net.count(&found, &mut HashMap::new()));
            (seconds, count)
        };
        let (found, bytes) = peak_of(|| with_stack(1 << 17, work).unwrap());
        let (seconds, count) = found;
        Found { seconds, count, bytes }
    })
}

/// As on the other side.
pub(crate) fn operations(case: &Case) -> Operations {
    let work = || {
        let mut result = Operations::default();
        for _ in 0..REPEATED {
            let mut net = Net::new(case);
            let mut sets = vec![net.initial.clone()];
            for round in 0..ROUNDS {
                let image = net.image(&sets[round]);
                sets.push(union(&mut net.storage, &sets[round], &image));
            }
            let mut images = Vec::new();
            for set in &sets {
                net.storage.operation_cache().clear();
                let busy = cpu();
                images.push(net.image(set));
                result.product += cpu() - busy;
            }
            net.storage.operation_cache().clear();
            let busy = cpu();
            let unions: Vec<Ldd> = (sets.iter().zip(&images))
                .map(|(set, image)| union(&mut net.storage, set, image))
                .collect();
            result.union += cpu() - busy;
            result.counts = (images.iter().chain(&unions))
                .map(|set| net.count(set, &mut HashMap::new()))
                .collect();
        }
        result
    };
    with_stack(1 << 17, work).unwrap()
}
