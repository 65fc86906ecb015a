//! Random nets of parts with known place invariants: state machines with one token, pairs of places
//! with a constant weighted sum, and single places.
//!
//! Transitions move, read and mix the parts. So they have conditions on several parts, and some
//! contradict an invariant.

use fastrand::Rng;
use parikh_net::{Net, NetBuilder, PlaceId, TransitionId};

/// Returns a random net of two to five parts. It may be unbounded.
pub fn random_parts(rng: &mut Rng) -> Net {
    let mut net = NetBuilder::new("parts");
    let parts: Vec<Part> = (0..rng.usize(2..=5)).map(|i| Part::new(rng, &mut net, i)).collect();
    for number in 0..rng.usize(8..=24) {
        let t = net.transition(&format!("t{number}")).unwrap();
        // Mostly one or two parts.
        let share = parts.len().min([1, 1, 1, 2, 2, 3][rng.usize(0..6)]);
        for part in rng.choose_multiple(&parts, share) {
            part.connect(rng, &mut net, t);
        }
    }
    // The steps of a counter: they do the same to another part, so they become one transition.
    if let (Some(Part::Machine(places)), other) = (parts.first(), &parts[1]) {
        let seed = rng.u64(..);
        for (number, step) in places.windows(2).enumerate() {
            let t = net.transition(&format!("step{number}")).unwrap();
            net.take(t, step[0], 1).unwrap();
            net.put(t, step[1], 1).unwrap();
            other.connect(&mut Rng::with_seed(seed), &mut net, t);
        }
    }
    net.build().unwrap()
}

/// A part of a net, with the invariant that makes its places a group.
enum Part {
    /// Places with one token in total.
    Machine(Vec<PlaceId>),
    /// Places p and q with the invariant a·p + b·q = constant, and the weights b and a: a move
    /// takes b tokens from p and puts a tokens to q, or back.
    Pair([PlaceId; 2], [u64; 2]),
    /// A place without an invariant.
    Free(PlaceId),
}

impl Part {
    fn new(rng: &mut Rng, net: &mut NetBuilder, number: usize) -> Part {
        let mut place = |name: String, tokens| net.place(&name, tokens).unwrap();
        match rng.u32(0..8) {
            0..=4 => {
                let size = rng.usize(2..=5);
                let marked = rng.usize(0..size);
                let place = |i| place(format!("m{number}_{i}"), u64::from(i == marked));
                Part::Machine((0..size).map(place).collect())
            }
            5 | 6 => {
                let tokens = [rng.u64(0..=4), rng.u64(0..=4)];
                let p = place(format!("p{number}"), tokens[0]);
                let q = place(format!("q{number}"), tokens[1]);
                Part::Pair([p, q], [rng.u64(1..=2), rng.u64(1..=2)])
            }
            _ => Part::Free(place(format!("f{number}"), rng.u64(0..=2))),
        }
    }

    /// Adds arcs between `t` and the places of the part.
    fn connect(&self, rng: &mut Rng, net: &mut NetBuilder, t: TransitionId) {
        match self {
            Part::Machine(places) => {
                let mut some = || places[rng.usize(0..places.len())];
                let (from, to, read) = (some(), some(), some());
                net.take(t, from, 1).unwrap();
                net.put(t, to, 1).unwrap();
                if rng.u32(0..8) == 0 {
                    // Usually a second place of the machine, so the transition is never enabled.
                    net.take(t, read, 1).unwrap();
                    net.put(t, read, 1).unwrap();
                }
            }
            Part::Pair(places, weights) => {
                let from = rng.usize(0..2);
                if rng.u32(0..3) > 0 {
                    net.take(t, places[from], weights[from]).unwrap();
                    net.put(t, places[1 - from], weights[1 - from]).unwrap();
                }
                if rng.u32(0..3) == 0 {
                    let (read, tokens) = (places[rng.usize(0..2)], rng.u64(1..=3));
                    net.take(t, read, tokens).unwrap();
                    net.put(t, read, tokens).unwrap();
                }
            }
            Part::Free(place) => match rng.bool() {
                true => net.take(t, *place, rng.u64(1..=2)).unwrap(),
                false => net.put(t, *place, 1).unwrap(),
            },
        }
    }
}
