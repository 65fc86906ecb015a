//! Scalable nets for the benchmarks of decision diagrams, with their places assigned to levels.

use parikh_symbolic::LevelTouch;

/// A net over levels.
pub(crate) struct Model {
    /// Name and size of the net.
    pub(crate) name: String,
    /// Initial tokens, indexed by level.
    pub(crate) initial: Vec<u64>,
    /// The effects of each transition on the levels that it touches, by ascending level.
    pub(crate) transitions: Vec<Vec<LevelTouch>>,
}

/// Returns the touches of a transition with the given input and output places, one token per arc.
fn transition(take: &[usize], put: &[usize]) -> Vec<LevelTouch> {
    let mut levels: Vec<usize> = take.iter().chain(put).copied().collect();
    levels.sort_unstable();
    levels.dedup();
    let count = |list: &[usize], level: usize| list.iter().filter(|&&at| at == level).count();
    let touch = |level: usize| {
        let (pre, post) = (count(take, level), count(put, level));
        LevelTouch::new(level as u32, pre as u64, post as i64 - pre as i64)
    };
    levels.into_iter().map(touch).collect()
}

/// Dining philosophers who take the left fork first.
pub(crate) fn philosophers(seats: usize) -> Model {
    let at = |seat: usize, place: usize| seat % seats * 5 + place;
    let mut transitions = Vec::new();
    for i in 0..seats {
        let [think, left, eat, put, fork] = [0, 1, 2, 3, 4].map(|place| at(i, place));
        let other = at(i + 1, 4);
        transitions.push(transition(&[think, fork], &[left]));
        transitions.push(transition(&[left, other], &[eat]));
        transitions.push(transition(&[eat], &[put, fork]));
        transitions.push(transition(&[put], &[think, other]));
    }
    let initial = (0..seats * 5).map(|level| u64::from(level % 5 == 0 || level % 5 == 4)).collect();
    Model { name: format!("philosophers-{seats}"), initial, transitions }
}

/// The slotted ring protocol (Pastor, Roig, Cortadella, Badia 1994). A node has eight places: five
/// for the state of its slot, three for its own state.
pub(crate) fn slotted_ring(nodes: usize) -> Model {
    let at = |node: usize, place: usize| node % nodes * 8 + place;
    let mut transitions = Vec::new();
    for i in 0..nodes {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|place| at(i, place));
        let [f, g, h] = [5, 6, 7].map(|place| at(i, place));
        let (next_a, next_b, next_c) = (at(i + 1, 0), at(i + 1, 1), at(i + 1, 2));
        transitions.push(transition(&[a], &[d]));
        transitions.push(transition(&[a], &[b]));
        transitions.push(transition(&[b], &[d]));
        transitions.push(transition(&[b], &[e]));
        transitions.push(transition(&[e, g], &[c, f]));
        transitions.push(transition(&[d, g], &[c, h]));
        transitions.push(transition(&[next_c, h], &[next_a, g]));
        transitions.push(transition(&[next_c, f], &[next_b, g]));
    }
    let initial = (0..nodes * 8).map(|level| u64::from(level % 8 == 2 || level % 8 == 5));
    Model { name: format!("slotted-ring-{nodes}"), initial: initial.collect(), transitions }
}

/// The Kanban production system (Ciardo, Tilgner 1996) with `cards` cards in each of its four
/// cells.
pub(crate) fn kanban(cards: u64) -> Model {
    // The places of a cell: free cards, then cards in the machine, faulty, and ready. The place of
    // free cards is last in the first two cells and first in the others. All information between
    // upper and lower cells then crosses adjacent levels.
    let cell = |number: usize, place: usize| match (number < 2, place) {
        (true, 0) => number * 4 + 3,
        (true, _) => number * 4 + place - 1,
        (false, _) => number * 4 + place,
    };
    let mut transitions = Vec::new();
    for i in 0..4 {
        let [card, machine, back, out] = [0, 1, 2, 3].map(|place| cell(i, place));
        transitions.push(transition(&[machine], &[back]));
        transitions.push(transition(&[back], &[machine]));
        transitions.push(transition(&[machine], &[out]));
        if i == 0 {
            transitions.push(transition(&[card], &[machine]));
        }
        if i == 3 {
            transitions.push(transition(&[out], &[card]));
        }
    }
    transitions.push(transition(
        &[cell(0, 3), cell(1, 0), cell(2, 0)],
        &[cell(0, 0), cell(1, 1), cell(2, 1)],
    ));
    transitions.push(transition(
        &[cell(1, 3), cell(2, 3), cell(3, 0)],
        &[cell(1, 0), cell(2, 0), cell(3, 1)],
    ));
    let initial = (0..16).map(|level| if [3, 7, 8, 12].contains(&level) { cards } else { 0 });
    Model { name: format!("kanban-{cards}"), initial: initial.collect(), transitions }
}

/// A token ring: the station that holds the token can start to work and passes the token on when it
/// is done.
pub(crate) fn token_ring(stations: usize) -> Model {
    let mut transitions = Vec::new();
    for i in 0..stations {
        let [idle, wait, work, token] = [0, 1, 2, 3].map(|place| i * 4 + place);
        let next = (i + 1) % stations * 4 + 3;
        transitions.push(transition(&[idle], &[wait]));
        transitions.push(transition(&[wait, token], &[work]));
        transitions.push(transition(&[work], &[idle, next]));
        transitions.push(transition(&[token, idle], &[next, idle]));
    }
    let initial = (0..stations * 4).map(|level| u64::from(level % 4 == 0 || level == 3)).collect();
    Model { name: format!("token-ring-{stations}"), initial, transitions }
}
