//! The search for candidates of [fused cycles](parikh_evidence::reduction::rules::fused_cycles).
//!
//! # Back-translation
//! A router moves tokens along T to where the next firing takes them.
//!
//! # Cost
//! Linear in the net when much of it has changed. Otherwise the moves behind a changed one are
//! followed, for at most [`NEAR`] steps each: where one cycle makes the next one free, each costs that
//! much and not a look at the whole net. Longer cycles are found when the whole net is shown again.

use crate::reduction::journal::Dirty;
use crate::reduction::search::Search;
use parikh_evidence::reduction::rules::fused_cycles::move_of;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::{PlaceId, TransitionId};
use std::collections::{HashMap, HashSet, VecDeque};

/// How many transitions are looked at for a changed one.
const NEAR: usize = 64;

/// A transition that moves one token, from one place to another.
type Move = (TransitionId, PlaceId, PlaceId);

#[derive(Default)]
pub(super) struct FusedCycles {
    /// Noticed and not handed out yet.
    found: Vec<Candidate>,
}

impl Search for FusedCycles {
    fn learn(&mut self, net: &WorkNet, dirty: &Dirty) {
        let changed = dirty.transitions.iter().filter_map(|&t| free_move(net, t));
        let changed: Vec<Move> = changed.collect();
        if changed.is_empty() {
            return;
        }
        let moves = if changed.len() * NEAR >= net.transition_count() {
            net.transitions().filter_map(|t| free_move(net, t)).collect()
        } else {
            behind(net, &changed)
        };
        self.found = cycles(&moves);
    }

    fn find(&mut self, _: &WorkNet, _: &Dirty, candidates: &mut Vec<Candidate>) {
        candidates.append(&mut self.found);
    }
}

/// `t` as a move between places that nobody asks for.
fn free_move(net: &WorkNet, t: TransitionId) -> Option<Move> {
    let (from, to) = move_of(net, t)?;
    let free = from != to && !net.in_support(from) && !net.in_support(to);
    free.then_some((t, from, to))
}

/// The moves that can be made after these, nearest first, as far as [`NEAR`] goes.
fn behind(net: &WorkNet, changed: &[Move]) -> Vec<Move> {
    let mut steps = NEAR * changed.len();
    let mut seen: HashSet<PlaceId> = HashSet::new();
    let mut open: VecDeque<PlaceId> = changed.iter().map(|&(_, _, to)| to).collect();
    let mut moves = Vec::new();
    while let Some(p) = open.pop_front() {
        if !seen.insert(p) {
            continue;
        }
        for t in net.consumers(p) {
            if steps == 0 {
                return moves;
            }
            steps -= 1;
            if let Some(next) = free_move(net, t) {
                moves.push(next);
                open.push_back(next.2);
            }
        }
    }
    moves
}

/// The strongly connected components of these moves, but for single places.
fn cycles(moves: &[Move]) -> Vec<Candidate> {
    let component = components(moves);
    let mut groups: Vec<Candidate> = Vec::new();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for &(t, from, to) in moves {
        if component[&from] != component[&to] {
            continue;
        }
        let at = *group_of.entry(component[&from]).or_insert_with(|| {
            groups.push(Candidate::default());
            groups.len() - 1
        });
        groups[at].transitions.push(t);
        groups[at].places.extend([from, to]);
    }
    for group in &mut groups {
        group.places.sort_unstable();
        group.places.dedup();
        group.transitions.sort_unstable();
    }
    groups
}

/// The strongly connected component of each place, by Tarjan's algorithm without recursion.
fn components(moves: &[Move]) -> HashMap<PlaceId, usize> {
    let mut next: HashMap<PlaceId, Vec<PlaceId>> = HashMap::new();
    for &(_, from, to) in moves {
        next.entry(from).or_default().push(to);
        next.entry(to).or_default();
    }
    let mut order: Vec<PlaceId> = next.keys().copied().collect();
    order.sort_unstable();
    let mut number: HashMap<PlaceId, usize> = HashMap::new();
    let mut low: HashMap<PlaceId, usize> = HashMap::new();
    let mut component: HashMap<PlaceId, usize> = HashMap::new();
    let mut on_path: Vec<PlaceId> = Vec::new();
    let mut found = 0;
    for &root in &order {
        if number.contains_key(&root) {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((p, at)) = calls.pop() {
            if at == 0 {
                number.insert(p, number.len());
                low.insert(p, number[&p]);
                on_path.push(p);
            } else {
                // Back from a child.
                let child = next[&p][at - 1];
                if !component.contains_key(&child) {
                    low.insert(p, low[&p].min(low[&child]));
                }
            }
            if let Some(&child) = next[&p].get(at) {
                calls.push((p, at + 1));
                match (number.get(&child), component.get(&child)) {
                    (None, _) => calls.push((child, 0)),
                    (Some(&seen), None) => {
                        low.insert(p, low[&p].min(seen));
                    }
                    _ => {}
                }
            } else if low[&p] == number[&p] {
                while let Some(member) = on_path.pop() {
                    component.insert(member, found);
                    if member == p {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn two_cycles_that_touch_are_one() {
        example::reduces(
            "fused-cycles",
            "# reachability over x
             place a
             place b 1
             place c
             place d
             place x
             transition ab: a -> b
             transition ba: b -> a
             transition bc: b -> c
             transition cb: c -> b
             transition cd: c -> d
             transition dx: d -> x",
            "place a 1
             place d
             place x
             transition ab: a -> a
             transition ba: a -> a
             transition bc: a -> a
             transition cb: a -> a
             transition cd: a -> d
             transition dx: d -> x",
        );
    }
}
