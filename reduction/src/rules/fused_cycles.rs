//! The search for candidates of [fused cycles](parikh_evidence::reduction::rules::fused_cycles).
//!
//! # Back-translation
//! A router moves tokens along the transitions of the cycle to the place from which the next firing
//! takes them.
//!
//! # Cost
//! Linear in the net if much of it has changed. Otherwise, the search follows the moves after the
//! changed moves. Its steps together are at most [`MAX_STEPS_PER_MOVE`] times the number of changed
//! moves. If one cycle enables the next, each costs this much instead of a pass over the net.
//! Longer cycles are found when the whole net is shown again.

use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::rules::fused_cycles::move_of;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::components::components_of_rows;
use parikh_net::{PlaceId, TransitionId};
use std::collections::{HashMap, HashSet, VecDeque};

/// Limit on the average number of transitions visited for a changed token move. The limit for one
/// search is this number times the number of changed token moves.
const MAX_STEPS_PER_MOVE: usize = 64;

/// A transition that moves one token from one place to another, as the triple of transition, source
/// and target.
type TokenMove = (TransitionId, PlaceId, PlaceId);

/// The search for cycles of token moves.
#[derive(Default)]
pub(super) struct FusedCycles {
    /// Cycles found but not yet returned as candidates.
    pending: Vec<Candidate>,
}

impl CandidateSearch for FusedCycles {
    fn observe(&mut self, net: &WorkNet, dirty: &ChangedNodes) {
        let changed_moves = dirty.transitions.iter().filter_map(|&t| free_move(net, t));
        let changed_moves: Vec<TokenMove> = changed_moves.collect();
        if changed_moves.is_empty() {
            return;
        }
        let moves = if changed_moves.len() * MAX_STEPS_PER_MOVE >= net.transition_count() {
            net.transitions().filter_map(|t| free_move(net, t)).collect()
        } else {
            moves_after(net, &changed_moves)
        };
        self.pending = cycle_candidates(&moves);
    }

    fn find(&mut self, _: &WorkNet, _: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        candidates.append(&mut self.pending);
    }
}

/// Returns `t` as a move, if it moves one token between two different places outside of the
/// support; otherwise `None`.
fn free_move(net: &WorkNet, t: TransitionId) -> Option<TokenMove> {
    let (from, to) = move_of(net, t)?;
    let is_free = from != to && !net.in_support(from) && !net.in_support(to);
    is_free.then_some((t, from, to))
}

/// Returns the token moves on paths that begin at the target of a move in `changed`, in
/// breadth-first order. The search stops after [`MAX_STEPS_PER_MOVE`] transitions times the number
/// of moves in `changed`.
fn moves_after(net: &WorkNet, changed: &[TokenMove]) -> Vec<TokenMove> {
    let mut steps_left = MAX_STEPS_PER_MOVE * changed.len();
    let mut seen: HashSet<PlaceId> = HashSet::new();
    let mut queue: VecDeque<PlaceId> = changed.iter().map(|&(_, _, to)| to).collect();
    let mut moves = Vec::new();
    while let Some(p) = queue.pop_front() {
        if !seen.insert(p) {
            continue;
        }
        for t in net.consumers(p) {
            if steps_left == 0 {
                return moves;
            }
            steps_left -= 1;
            if let Some(next) = free_move(net, t) {
                moves.push(next);
                queue.push_back(next.2);
            }
        }
    }
    moves
}

/// Returns the strongly connected components of the moves as candidates, without single places.
fn cycle_candidates(moves: &[TokenMove]) -> Vec<Candidate> {
    let mut places: Vec<PlaceId> = moves.iter().flat_map(|&(_, from, to)| [from, to]).collect();
    places.sort_unstable();
    places.dedup();
    let number_of = |p| places.binary_search(&p).expect("it is an end of a move");
    let mut targets = vec![Vec::new(); places.len()];
    moves.iter().for_each(|&(_, from, to)| targets[number_of(from)].push(number_of(to) as u32));
    let component = components_of_rows(&targets, |&to| to).component_of;
    let mut groups: Vec<Candidate> = Vec::new();
    let mut group_of: HashMap<u32, usize> = HashMap::new();
    for &(t, from, to) in moves {
        let [source_component, target_component] = [from, to].map(|p| component[number_of(p)]);
        if source_component != target_component {
            continue;
        }
        let index = *group_of.entry(source_component).or_insert_with(|| {
            groups.push(Candidate::default());
            groups.len() - 1
        });
        groups[index].transitions.push(t);
        groups[index].places.extend([from, to]);
    }
    for group in &mut groups {
        group.places.sort_unstable();
        group.places.dedup();
        group.transitions.sort_unstable();
    }
    groups
}

#[cfg(test)]
mod tests {
    use crate::example;

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
