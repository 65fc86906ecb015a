//! Automata that are coupled by synchronised transitions: nets with an irregular set of reachable
//! markings.
//!
//! Each automaton is a state machine with one token. Each transition moves two automata. For each
//! two automata, the transitions lead to a small random set of pairs of states only. So a reachable
//! marking other than the initial one contains such a pair for some two automata. This is a
//! condition on all automata together, and many of the other markings satisfy it. Reductions find
//! little to remove, and decision diagrams share few nodes.

use crate::sketch::Sketch;
use fastrand::Rng;
use parikh_net::{Net, PlaceId};

/// The parameters of a net of synchronised automata.
#[derive(Clone, Copy, Debug)]
pub struct Automata {
    /// Number of automata, at least 2.
    pub automata: u32,
    /// Number of states of each automaton, at least 1.
    pub states: u32,
    /// Number of transitions.
    pub transitions: u32,
    /// Number of pairs of states that the transitions of two automata lead to, at least 1.
    pub targets: u32,
}

/// Returns a random net of synchronised automata. All automata are in state 0 initially.
pub fn synchronised_automata(seed: u64, size: Automata) -> Net {
    let Automata { automata, states, transitions, targets } = size;
    let mut rng = Rng::with_seed(seed);
    let mut sketch = Sketch::new(format!("synchronised-automata-{automata}-{states}-{seed}"));
    let mut places: Vec<Vec<PlaceId>> = Vec::new();
    for automaton in 0..automata {
        let place = |state| sketch.place(&format!("a{automaton}s{state}"), u32::from(state == 0));
        places.push((0..states).map(place).collect());
    }
    let mut couples: Vec<([usize; 2], Vec<[usize; 2]>)> = Vec::new();
    let pair = |rng: &mut Rng| [0; 2].map(|_| rng.usize(0..states as usize));
    for second in 0..automata as usize {
        for first in 0..second {
            couples.push(([first, second], (0..targets).map(|_| pair(&mut rng)).collect()));
        }
    }
    for number in 0..transitions {
        let (couple, targets) = &couples[number as usize % couples.len()];
        // The first transitions leave the initial marking.
        let is_first = number < 4 * couples.len() as u32;
        let from = if is_first { [0; 2] } else { pair(&mut rng) };
        let to = targets[rng.usize(0..targets.len())];
        let arcs = |states: [usize; 2]| [0, 1].map(|at| (places[couple[at]][states[at]], 1));
        sketch.transition(&format!("t{number}"), &arcs(from), &arcs(to));
    }
    sketch.build()
}
