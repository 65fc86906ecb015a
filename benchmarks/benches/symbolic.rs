//! How fast reachable sets are found as diagrams: saturation, and breadth-first search beside it.
//!
//! `cargo bench --no-default-features -p parikh-benchmarks --bench symbolic [-- FILTER]`

use parikh_symbolic::{Diagrams, Limits, Relation, Touch, with_stack};
use std::time::{Duration, Instant};

struct Model {
    name: String,
    initial: Vec<u64>,
    transitions: Vec<Vec<Touch>>,
}

/// What a transition takes and puts, one token each, as touches.
fn transition(take: &[usize], put: &[usize]) -> Vec<Touch> {
    let mut levels: Vec<usize> = take.iter().chain(put).copied().collect();
    levels.sort_unstable();
    levels.dedup();
    let count = |list: &[usize], level: usize| list.iter().filter(|&&at| at == level).count();
    let touch = |level: usize| {
        let (pre, post) = (count(take, level), count(put, level));
        Touch { level: level as u32, pre: pre as u64, change: post as i64 - pre as i64 }
    };
    levels.into_iter().map(touch).collect()
}

/// Philosophers who take the left fork first.
fn philosophers(seats: usize) -> Model {
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

/// The slotted ring protocol, as in Pastor, Roig, Cortadella, Badia 1994: ten places a node.
fn slotted_ring(nodes: usize) -> Model {
    let at = |node: usize, place: usize| node % nodes * 10 + place;
    let mut transitions = Vec::new();
    for i in 0..nodes {
        let p = |place: usize| at(i, place);
        let next = |place: usize| at(i + 1, place);
        // The slot: A, B, C, D of this node, and E, F shared with the next.
        transitions.push(transition(&[p(0), p(4)], &[p(1)]));
        transitions.push(transition(&[p(0), p(5)], &[p(2)]));
        transitions.push(transition(&[p(1)], &[p(6), p(3)]));
        transitions.push(transition(&[p(2)], &[p(7), p(3)]));
        transitions.push(transition(&[p(6)], &[p(8)]));
        transitions.push(transition(&[p(7)], &[p(9)]));
        transitions.push(transition(&[p(7)], &[p(8)]));
        transitions.push(transition(&[p(6)], &[p(9)]));
        transitions.push(transition(&[p(8), p(3)], &[next(4), p(0)]));
        transitions.push(transition(&[p(9), p(3)], &[next(5), p(0)]));
    }
    let initial = (0..nodes * 10).map(|level| u64::from(level % 10 == 0 || level % 20 == 4));
    Model { name: format!("slotted-ring-{nodes}"), initial: initial.collect(), transitions }
}

/// The production system of Ciardo and Tilgner 1996, with n cards in each of its four cells.
fn kanban(cards: u64) -> Model {
    // Per cell: free cards, then cards in the machine, at fault, and ready. Free cards are last in the first two
    // cells and first in the others: all that the lower cells have to know of the upper ones.
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

/// A token goes round; who has it may work beside.
fn token_ring(stations: usize) -> Model {
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

fn run(model: &Model, how: &str) {
    let levels = model.initial.len() as u32;
    let relation = Relation::with_reads(levels, &model.transitions, how != "plain").unwrap();
    let start = Instant::now();
    let stop = move |_: &_| start.elapsed() > Duration::from_secs(60);
    let report = with_stack(levels as usize, || {
        let mut diagrams = Diagrams::new(Limits { bytes: 4 << 30, stop: &stop });
        let initial = diagrams.single(&model.initial).unwrap();
        let set = match how {
            "breadth" => diagrams.reachable_in_breadth(&relation, initial, false),
            "chaining" => diagrams.reachable_in_breadth(&relation, initial, true),
            _ => diagrams.reachable(&relation, initial),
        };
        let time = start.elapsed().as_secs_f64();
        let figures = diagrams.figures();
        match set.and_then(|set| diagrams.count(set)) {
            Ok(count) => {
                let digits = count.to_string();
                let count = if digits.len() > 12 {
                    format!("{}.{}e{}", &digits[..1], &digits[1..3], digits.len() - 1)
                } else {
                    digits
                };
                let bytes = figures.bytes as f64 / figures.peak as f64;
                format!(
                    "{time:8.3} s  {count:>12} markings  {:>10} nodes at most  {bytes:5.1} bytes a node",
                    figures.peak
                )
            }
            Err(stop) => format!("{time:8.3} s  {stop}  {} nodes", figures.peak),
        }
    });
    println!("{:20} {how:9} {}", model.name, report.unwrap());
}

fn main() {
    let filter: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let models = [100, 300, 1000].map(philosophers).into_iter();
    let models = models.chain([20, 50, 100].map(slotted_ring));
    let models = models.chain([10, 20, 40, 100, 1000].map(kanban));
    let models = models.chain([50, 200, 500].map(token_ring));
    for model in models.filter(|m| filter.is_empty() || filter.iter().any(|f| m.name.contains(f))) {
        for how in ["saturate", "plain", "chaining", "breadth"] {
            if std::env::args().any(|a| a == "--saturate") && !["saturate", "plain"].contains(&how)
            {
                continue;
            }
            run(&model, how);
        }
    }
}
