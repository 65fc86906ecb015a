//! Random nets by seed, in sizes that enumeration can handle.

use super::sketch::Sketch;
use fastrand::Rng;
use parikh_net::Net;
use parikh_net::PlaceId;

/// The guarantee about the markings of a random net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomKind {
    /// No guarantee; source transitions and unbounded places are common.
    Free,
    /// Bounded: some weighted sum of tokens, with weights of at least 1, never increases.
    Bounded,
    /// One-safe: the places are partitioned into components that always hold exactly one token.
    OneSafe,
}

/// The parameters of a random net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of places, at least 1; some may have no arcs.
    pub places: u32,
    /// Number of transitions.
    pub transitions: u32,
    /// The largest arc weight, at least 1; ignored by [`RandomKind::OneSafe`].
    pub weight: u32,
    /// The most initial tokens of a place; ignored by [`RandomKind::OneSafe`].
    pub tokens: u32,
    /// The guarantee.
    pub kind: RandomKind,
}

impl Shape {
    /// Returns a small shape by seed: 1–8 places, 1–10 transitions, weights up to 3, up to 3
    /// tokens, any kind. Bounded nets of this shape rarely have more than 10⁴ markings.
    pub fn small(seed: u64) -> Shape {
        let mut rng = Rng::with_seed(seed);
        Shape {
            places: rng.u32(1..=8).max(rng.u32(1..=8)),
            transitions: rng.u32(1..=10).max(rng.u32(1..=10)),
            weight: rng.u32(1..=3),
            tokens: rng.u32(1..=3),
            kind: [RandomKind::Free, RandomKind::Bounded, RandomKind::Bounded, RandomKind::OneSafe]
                [rng.usize(0..4)],
        }
    }
}

/// Returns the net of this seed and shape, which is the same on every machine for the same version
/// of fastrand and this file. A regression test stores the net as text, not its seed.
///
/// There are weights above 1, transitions without inputs (sources) or outputs (sinks) or without
/// any arc, self-loops with equal and with different weights, transitions that equal an earlier
/// one, and isolated places.
///
/// # Known answers
/// None but what [`RandomKind`] guarantees: bounded, or one-safe.
pub fn random(seed: u64, shape: &Shape) -> Net {
    let name = format!("random-{seed}");
    random_with(&mut Rng::with_seed(seed), shape, name)
}

/// Works as [`random`] with a given generator of random numbers, for tests that shrink or chain
/// generators.
pub fn random_with(rng: &mut Rng, shape: &Shape, name: String) -> Net {
    match shape.kind {
        RandomKind::Free => weighted(rng, shape, name, false),
        RandomKind::Bounded => weighted(rng, shape, name, true),
        RandomKind::OneSafe => one_safe(rng, shape, name),
    }
}

type WeightedPlaces = Vec<(PlaceId, u32)>;

/// Makes a net with weights; if `is_bounded`, a weighted sum of tokens never increases.
fn weighted(rng: &mut Rng, shape: &Shape, name: String, is_bounded: bool) -> Net {
    let mut sketch = Sketch::new(name);
    let tokens: Vec<u32> = (0..shape.places.max(1))
        .map(|_| if rng.u32(0..3) > 0 { rng.u32(0..=shape.tokens) } else { 0 })
        .collect();
    let places: Vec<PlaceId> =
        (0..).zip(&tokens).map(|(i, &tokens)| sketch.place(&format!("p{i}"), tokens)).collect();
    let marked = places.iter().copied().filter(|place| tokens[place.index()] > 0);
    // The weight of each place in the sum that never increases.
    let values: Vec<u64> = places.iter().map(|_| rng.u64(1..=3)).collect();
    let weighted_tokens = |side: &WeightedPlaces| -> u64 {
        side.iter().map(|&(place, weight)| values[place.index()] * u64::from(weight)).sum()
    };
    let mut markable: Vec<PlaceId> = marked.collect();
    let mut earlier: Vec<(WeightedPlaces, WeightedPlaces)> = Vec::new();
    for t in 0..shape.transitions {
        let (inputs, outputs) = if !earlier.is_empty() && rng.u32(0..8) == 0 {
            earlier[rng.usize(0..earlier.len())].clone()
        } else {
            // Inputs prefer places that may be marked; otherwise most nets would be dead initially.
            let from = if !markable.is_empty() && rng.u32(0..4) > 0 { &markable } else { &places };
            let inputs = side(rng, from, shape.weight);
            let mut outputs = side(rng, &places, shape.weight);
            if rng.u32(0..5) == 0 && !inputs.is_empty() {
                // A self-loop, perhaps of the same weight.
                let (place, weight) = inputs[rng.usize(0..inputs.len())];
                outputs.retain(|&(other, _)| other != place);
                outputs.push((place, if rng.bool() { weight } else { rng.u32(1..=shape.weight) }));
            }
            while is_bounded && weighted_tokens(&outputs) > weighted_tokens(&inputs) {
                let output_index = rng.usize(0..outputs.len());
                outputs[output_index].1 -= 1;
                outputs.retain(|&(_, weight)| weight > 0);
            }
            // Without this step, most bounded nets would lose their tokens in a few firings.
            if is_bounded && rng.u32(0..4) > 0 {
                for _ in 0..3 {
                    let place = places[rng.usize(0..places.len())];
                    let is_new = outputs.iter().all(|&(other, _)| other != place);
                    if is_new
                        && weighted_tokens(&outputs) + values[place.index()]
                            <= weighted_tokens(&inputs)
                    {
                        outputs.push((place, 1));
                    }
                }
            }
            (inputs, outputs)
        };
        sketch.transition(&format!("t{t}"), &inputs, &outputs);
        markable.extend(outputs.iter().map(|&(place, _)| place));
        earlier.push((inputs, outputs));
    }
    sketch.build()
}

/// Chooses up to three different places with weights; mostly weight 1, and mostly one or two
/// places.
fn side(rng: &mut Rng, places: &[PlaceId], weight: u32) -> WeightedPlaces {
    let size = [0, 1, 1, 1, 1, 2, 2, 2, 3][rng.usize(0..9)];
    let mut side = WeightedPlaces::new();
    for _ in 0..size {
        let place = places[rng.usize(0..places.len())];
        if side.iter().all(|&(other, _)| other != place) {
            let weight = if rng.u32(0..3) > 0 { 1 } else { rng.u32(1..=weight.max(1)) };
            side.push((place, weight));
        }
    }
    side
}

/// Makes components of up to five places with one token each. A transition moves the tokens of one
/// to three components, often to the next place, or only reads (moves from a place to itself).
fn one_safe(rng: &mut Rng, shape: &Shape, name: String) -> Net {
    let mut sketch = Sketch::new(name);
    let mut components: Vec<Vec<PlaceId>> = Vec::new();
    // For each component, the positions that its token may reach according to single transitions.
    let mut markable: Vec<Vec<usize>> = Vec::new();
    let mut place_count = 0;
    while place_count < shape.places.max(1) {
        let size = rng.u32(2..=5).min(shape.places.max(1) - place_count);
        let marked = rng.u32(0..size);
        let component = (0..size)
            .map(|k| sketch.place(&format!("p{}", place_count + k), u32::from(k == marked)))
            .collect();
        components.push(component);
        markable.push(vec![marked as usize]);
        place_count += size;
    }
    for t in 0..shape.transitions {
        let (mut inputs, mut outputs) = (WeightedPlaces::new(), WeightedPlaces::new());
        for _ in 0..[1, 1, 1, 1, 2, 3][rng.usize(0..6)] {
            let chosen = rng.usize(0..components.len());
            let component = &components[chosen];
            if inputs.iter().any(|(place, _)| component.contains(place)) {
                continue;
            }
            let from = match rng.u32(0..4) {
                0 => rng.usize(0..component.len()),
                _ => markable[chosen][rng.usize(0..markable[chosen].len())],
            };
            let to = if rng.bool() { from + 1 } else { rng.usize(0..component.len()) };
            let to = to % component.len();
            inputs.push((component[from], 1));
            outputs.push((component[to], 1));
            markable[chosen].push(to);
        }
        sketch.transition(&format!("t{t}"), &inputs, &outputs);
    }
    sketch.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fires at random and passes every visited marking to `check`.
    fn walk(net: &Net, seed: u64, mut check: impl FnMut(&parikh_net::Marking)) {
        let mut rng = Rng::with_seed(seed);
        let mut marking = net.initial().clone();
        for _ in 0..50 {
            check(&marking);
            let enabled: Vec<_> =
                net.transitions().filter(|&t| net.is_enabled(&marking, t)).collect();
            if enabled.is_empty() {
                break;
            }
            net.fire(&mut marking, enabled[rng.usize(0..enabled.len())]).unwrap();
        }
    }

    #[test]
    fn one_seed_is_one_net() {
        for seed in 0..20 {
            let shape = Shape::small(seed);
            let print = || parikh_net::text::print(&random(seed, &shape));
            assert_eq!(print(), print());
        }
    }

    #[test]
    fn one_safe_nets_are_one_safe() {
        for seed in 0..200 {
            let shape = Shape { kind: RandomKind::OneSafe, ..Shape::small(seed) };
            walk(&random(seed, &shape), seed, |marking| assert!(marking.largest() <= 1));
        }
    }

    #[test]
    fn bounded_nets_stay_below_their_initial_worth() {
        for seed in 0..200 {
            let shape = Shape { kind: RandomKind::Bounded, ..Shape::small(seed) };
            let net = random(seed, &shape);
            let most = 3 * net.initial().total();
            walk(&net, seed, |marking| assert!(marking.total() <= most));
        }
    }

    #[test]
    fn all_the_oddities_occur() {
        let mut odd = [false; 7];
        for seed in 0..300 {
            let net = random(seed, &Shape::small(seed));
            let texts: Vec<_> = net.transitions().map(|t| (net.pre(t), net.post(t))).collect();
            for (at, &(pre, post)) in texts.iter().enumerate() {
                odd[0] |= pre.is_empty() && !post.is_empty();
                odd[1] |= post.is_empty() && !pre.is_empty();
                odd[2] |= pre.iter().any(|arc| post.contains(arc));
                odd[3] |= texts[..at].contains(&(pre, post));
                odd[4] |= pre.iter().any(|arc| arc.weight == 3);
                odd[5] |= net.delta(parikh_net::TransitionId::new(at)).is_empty();
            }
            odd[6] |=
                net.places().any(|p| net.consumers(p).is_empty() && net.producers(p).is_empty());
        }
        assert_eq!(odd, [true; 7]);
    }
}
