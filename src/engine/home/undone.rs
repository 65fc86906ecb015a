//! Reversibility, found locally: each firing of t can be undone wherever it happens, by a sequence that
//! needs no more than what t has produced and puts back exactly what it took.
//!
//! ```text
//! left ──t──▶ right      t is undone by u, u by t; whatever else goes on
//! left ◀──u── right
//! ```
//!
//! Then the last firing of any sequence can be undone, and the one before, back to the initial marking;
//! from there all can be reached that can be reached at all. For each t a short search from its products
//! alone to what it took.
//!
//! # Conditions
//! 1. Of each transition, a sequence σ that fires from post(t) and leads to pre(t), exactly.

use crate::engine::registry::{Assignment, Engine, Role, Sides, each_slice_anew};
use crate::evidence::home::Structure;
use parikh_net::{Arc, FiringSequence, Net, TransitionId};
use parikh_solvers::Budget;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// In the registry.
pub const ENGINE: Engine = Engine {
    name: "undone",
    technique: "TOPOLOGICAL",
    sides: Sides::Over,
    role: Role::Homes,
    start: |work| each_slice_anew(move |budget| run(&work, budget)),
};

/// Markings looked at for one transition.
const MOST: usize = 2000;

fn run(work: &Assignment<'_>, budget: &Budget) -> String {
    let net = work.ground.net();
    let mut sequences = Vec::with_capacity(net.transition_count());
    for t in net.transitions() {
        if budget.is_exhausted() {
            return "out of time".to_owned();
        }
        match undo(net, t, budget) {
            Some(sequence) => {
                let steps = sequence.steps().iter().map(|step| (step.transition, step.count));
                sequences.push(steps.collect());
            }
            None => return format!("nothing found that undoes `{}`", net.transition_name(t)),
        }
    }
    work.board.homes("TOPOLOGICAL").all_undone(&std::sync::Arc::new(Structure::Undone(sequences)));
    "every firing can be undone".to_owned()
}

/// A marking with few tokens: marked places by index, ascending.
type Few = BTreeMap<usize, u64>;

/// Condition 1: breadth first.
fn undo(net: &Net, t: TransitionId, budget: &Budget) -> Option<FiringSequence> {
    let few =
        |arcs: &[Arc]| -> Few { arcs.iter().map(|arc| (arc.place.index(), arc.weight)).collect() };
    let (start, end) = (few(net.post(t)), few(net.pre(t)));
    let mut came: HashMap<Few, Option<(Few, TransitionId)>> =
        HashMap::from([(start.clone(), None)]);
    let mut waiting = std::collections::VecDeque::from([start]);
    while let Some(here) = waiting.pop_front() {
        if here == end {
            return Some(way(&came, here));
        }
        if came.len() > MOST || budget.is_exhausted() {
            return None;
        }
        let consumers = here.keys().flat_map(|&p| net.consumers(parikh_net::PlaceId::new(p)));
        let candidates: BTreeSet<TransitionId> = consumers.map(|arc| arc.transition).collect();
        for u in candidates {
            if let Some(next) = fire(net, &here, u)
                && !came.contains_key(&next)
            {
                came.insert(next.clone(), Some((here.clone(), u)));
                waiting.push_back(next);
            }
        }
    }
    None
}

fn fire(net: &Net, from: &Few, t: TransitionId) -> Option<Few> {
    let mut tokens = from.clone();
    for arc in net.pre(t) {
        let held = tokens.get_mut(&arc.place.index())?;
        *held = held.checked_sub(arc.weight)?;
    }
    for arc in net.post(t) {
        let held = tokens.entry(arc.place.index()).or_insert(0);
        *held = held.checked_add(arc.weight)?;
    }
    tokens.retain(|_, held| *held > 0);
    Some(tokens)
}

fn way(came: &HashMap<Few, Option<(Few, TransitionId)>>, mut at: Few) -> FiringSequence {
    let mut back = Vec::new();
    while let Some(Some((from, t))) = came.get(&at) {
        back.push(*t);
        at = from.clone();
    }
    back.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn a_firing_is_undone_with_what_it_produces_alone() {
        let net = text::parse(
            "place a 2\nplace b\nplace c\nplace d 1\ntransition t: 2*a -> b + c
             transition u: b -> a\ntransition v: c -> a\ntransition w: c + d -> a + d",
        )
        .unwrap();
        let undone =
            |name: &str| undo(&net, net.transition_named(name).unwrap(), &Budget::unlimited());
        assert_eq!(undone("t").map(|sequence| sequence.firings()), Some(2));
        // Needs another token of a.
        assert_eq!(undone("u"), None);
    }
}
