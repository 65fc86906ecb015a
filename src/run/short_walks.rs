//! Short random walks: what they break is not worth believing for a moment.

use parikh_net::{FiringSequence, Net, TransitionId};

/// Random walks from the initial marking: a claim that these break is not worth believing for a
/// moment. Each is at most [`SHORT`] firings long, the first ones are shorter.
pub(super) fn short_walks(net: &Net, seed: u64) -> impl Iterator<Item = FiringSequence> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let lengths = [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, SHORT];
    lengths.into_iter().map(move |most| short_walk(net, &mut rng, most))
}

/// A walk of at most `most` firings and [`LOOKS`] looks at a transition.
fn short_walk(net: &Net, rng: &mut fastrand::Rng, most: usize) -> FiringSequence {
    let mut marking = net.initial().clone();
    let mut sequence = FiringSequence::new();
    let transitions = net.transition_count();
    let (mut looks, mut firings) = (0, 0);
    while firings < most && looks < LOOKS && transitions > 0 {
        let first = rng.usize(..transitions);
        let mut around = (first..transitions).chain(0..first).map(TransitionId::new);
        let fires = |t: &TransitionId| {
            looks += 1;
            net.fire(&mut marking, *t).is_ok()
        };
        match around.find(fires) {
            Some(t) => sequence.push(t, 1),
            None => break,
        }
        firings += 1;
    }
    sequence
}

/// The length of the longest short walk.
const SHORT: usize = 1 << 10;

/// The work of a short walk: milliseconds.
const LOOKS: usize = 1 << 16;
