//! Short random walks, for a quick test of the model's claim that its units are safe. If a walk
//! refutes the claim, no engine uses it.

use parikh_net::{FiringSequence, Net, TransitionId};

/// Returns random walks from the initial marking. The first walks are shorter; the longest has at
/// most [`LONGEST_WALK`] firings.
pub(super) fn short_walks(net: &Net, seed: u64) -> impl Iterator<Item = FiringSequence> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let lengths = [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, LONGEST_WALK];
    lengths.into_iter().map(move |max_firings| short_walk(net, &mut rng, max_firings))
}

/// Returns a walk of at most `max_firings` firings. The walk ends early in a marking where no
/// transition can fire. It also ends early once at least [`MAX_TESTED_TRANSITIONS`] transitions
/// were tested.
fn short_walk(net: &Net, rng: &mut fastrand::Rng, max_firings: usize) -> FiringSequence {
    let mut marking = net.initial().clone();
    let mut sequence = FiringSequence::new();
    let transitions = net.transition_count();
    let (mut tested, mut firings) = (0, 0);
    while firings < max_firings && tested < MAX_TESTED_TRANSITIONS && transitions > 0 {
        // The walk fires the first transition that can fire, from a random position on.
        let first = rng.usize(..transitions);
        let mut candidates = (first..transitions).chain(0..first).map(TransitionId::new);
        let try_to_fire = |t: &TransitionId| {
            tested += 1;
            net.fire(&mut marking, *t).is_ok()
        };
        match candidates.find(try_to_fire) {
            Some(t) => sequence.push(t, 1),
            None => break,
        }
        firings += 1;
    }
    sequence
}

/// The length of the longest short walk, in firings.
const LONGEST_WALK: usize = 1 << 10;

/// Number of tested transitions after which a walk makes no further firing. So many tests take a
/// few milliseconds.
const MAX_TESTED_TRANSITIONS: usize = 1 << 16;
