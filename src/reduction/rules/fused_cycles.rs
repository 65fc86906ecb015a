//! Places between which a token can go round freely are one place.
//!
//! ```text
//! # deadlock
//! place p 1
//! place q 2
//! place r
//! transition a: p -> q
//! transition b: q -> p
//! transition c: p + 2*q -> r
//! # becomes
//! place p 3
//! place r
//! transition a: p -> p
//! transition b: p -> p
//! transition c: 3*p -> r
//! ```
//!
//! # Conditions
//! Focus: two or more places P, and transitions T.
//! 1. No place of P is in S.
//! 2. Each t in T takes one token from a place of P and puts one to another one, and does nothing
//!    else.
//! 3. T connects P strongly.
//!
//! # Preserves
//! R, D, L.
//!
//! # Soundness
//! By (2) and (3) the tokens on P can be distributed at will, at any time, without changing anything
//! else, and by (1) without anybody asking. So a transition can fire from a marking of the net before,
//! after some moves, if and only if P together holds what it takes from P. A marking with a
//! token on P is not dead; in the reduced net T is left as self-loops, so that it is not
//! either. (Where D is not needed, they go as neutral transitions.)
//!
//! # Back-translation
//! A router moves tokens along T to where the next firing takes them.
//!
//! # Cost
//! Linear in the net when much of it has changed. Otherwise the moves behind a changed one are
//! followed, for at most [`NEAR`] steps each: where one cycle makes the next one free, each costs that
//! much and not a look at the whole net. Longer cycles are found when the whole net is shown again.
//!
//! # Sources
//! *Free SCC* in Thierry-Mieg, *Structural reductions revisited*, 2020; rule H of verifypn, which
//! cannot give traces.

use crate::net::{Arc, PlaceId, TransitionId};
use crate::reduction::back::Routing;
use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;
use std::collections::{HashMap, HashSet, VecDeque};

pub(super) const NAME: &str = "fused-cycles";

/// How many transitions are looked at for a changed one.
const NEAR: usize = 64;

/// A transition that moves one token, from one place to another.
type Move = (TransitionId, PlaceId, PlaceId);

#[derive(Default)]
pub(super) struct FusedCycles {
    /// Noticed and not handed out yet.
    found: Vec<Focus>,
}

impl Rule for FusedCycles {
    fn name(&self) -> &'static str {
        NAME
    }

    fn preserves(&self) -> Preserve {
        Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS)
    }

    fn stage(&self) -> Stage {
        Stage::Cheap
    }

    fn conditions(&self) -> u8 {
        3
    }

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

    fn find(&mut self, _: &WorkNet, _: &Dirty, foci: &mut Vec<Focus>) {
        foci.append(&mut self.found);
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let places = &focus.places;
        if places.len() < 2 {
            return None;
        }
        net.require(1, places.iter().all(|&p| !net.in_support(p)))?;
        let at: HashMap<PlaceId, usize> = places.iter().copied().zip(0..).collect();
        let mut moves = Vec::with_capacity(focus.transitions.len());
        for &t in &focus.transitions {
            let end = |row: &[Arc]| row.iter().find_map(|arc| at.get(&arc.place).copied());
            let (from, to) = (end(net.pre(t))?, end(net.post(t))?);
            let is_move = move_of(net, t).is_some_and(|(p, q)| p != q);
            net.require(2, is_move)?;
            moves.push((from, to, t));
        }
        let forth = reaches_all(places.len(), moves.iter().map(|&(from, to, _)| (from, to)));
        let back = reaches_all(places.len(), moves.iter().map(|&(from, to, _)| (to, from)));
        net.require(3, forth && back)?;
        Some(Proposal::of(Edit::Fuse(places.clone(), Routing::Moves(moves))))
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
fn cycles(moves: &[Move]) -> Vec<Focus> {
    let component = components(moves);
    let mut groups: Vec<Focus> = Vec::new();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for &(t, from, to) in moves {
        if component[&from] != component[&to] {
            continue;
        }
        let at = *group_of.entry(component[&from]).or_insert_with(|| {
            groups.push(Focus::default());
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

/// The places of a transition that moves one token and does nothing else.
fn move_of(net: &WorkNet, t: TransitionId) -> Option<(PlaceId, PlaceId)> {
    match (net.pre(t), net.post(t)) {
        (&[Arc { place: from, weight: 1 }], &[Arc { place: to, weight: 1 }]) => Some((from, to)),
        _ => None,
    }
}

/// Whether all of 0..n can be reached from 0.
fn reaches_all(n: usize, edges: impl Iterator<Item = (usize, usize)>) -> bool {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); n];
    edges.for_each(|(from, to)| next[from].push(to));
    let mut seen = vec![false; n];
    let mut open = vec![0];
    seen[0] = true;
    while let Some(at) = open.pop() {
        for &to in &next[at] {
            if !std::mem::replace(&mut seen[to], true) {
                open.push(to);
            }
        }
    }
    seen.into_iter().all(|seen| seen)
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
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("fused_cycles.rs"));
    }

    #[test]
    fn two_cycles_that_touch_are_one() {
        example::reduces(
            super::NAME,
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
