//! Tokens moving on a grid.

use super::answers::{Answers, KnownCount, KnownNet, choose};
use super::sketch::Sketch;

/// Makes a grid of `width` × `height` places; `tokens` tokens start in a corner and move to
/// neighbours, with a transition per step.
///
/// # Known answers
/// With n places and k tokens C(n + k − 1, k) markings, all distributions. Firings: each of the
/// 2·(w·(h − 1) + h·(w − 1)) steps is enabled in the C(n + k − 2, k − 1) markings that mark its
/// start. Live and without deadlock, unless there is no token (then nothing ever fires) or one
/// place only (no transition: a deadlock, and vacuously live). One place may hold all k.
///
/// # Panics
/// Without places.
pub fn grid(width: u32, height: u32, tokens: u32) -> KnownNet {
    assert!(width >= 1 && height >= 1, "a grid needs a place");
    let mut sketch = Sketch::new(format!("grid-{width}x{height}-{tokens}"));
    let mut places = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let initial_tokens = if x == 0 && y == 0 { tokens } else { 0 };
            places.push(sketch.place(&format!("p_{x}_{y}"), initial_tokens));
        }
    }
    let place_at = |x: u32, y: u32| places[y as usize * width as usize + x as usize];
    let mut steps: u128 = 0;
    for y in 0..height {
        for x in 0..width {
            for (direction, to_x, to_y) in [("right", x + 1, y), ("down", x, y + 1)] {
                if to_x < width && to_y < height {
                    let (initial_tokens, there) = ((place_at(x, y), 1), (place_at(to_x, to_y), 1));
                    sketch.transition(&format!("{direction}_{x}_{y}"), &[initial_tokens], &[there]);
                    sketch.transition(
                        &format!("un{direction}_{x}_{y}"),
                        &[there],
                        &[initial_tokens],
                    );
                    steps += 2;
                }
            }
        }
    }
    let n = u64::from(width) * u64::from(height);
    let k = u64::from(tokens);
    let can_move = tokens > 0 && n > 1;
    let start_marked = if k == 0 { KnownCount::Exactly(0) } else { choose(n + k - 2, k - 1) };
    let known = Answers {
        states: if k == 0 { KnownCount::Exactly(1) } else { choose(n + k - 1, k) },
        firings: start_marked.times(steps),
        most_in_place: Some(k),
        most_in_marking: Some(k),
        deadlock: !can_move,
        quasi_live: can_move || n == 1,
        live: can_move || n == 1,
        stable_place: !can_move,
    };
    KnownNet { net: sketch.build(), known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined_both_ways() {
        let KnownNet { net, known } = grid(3, 2, 1);
        assert_eq!((net.place_count(), net.transition_count()), (6, 14));
        assert_eq!(known.states, KnownCount::Exactly(6));
        assert_eq!(known.firings, KnownCount::Exactly(14));
        assert!(known.one_safe());
    }
}
