//! A breadth-first search for all dead markings of a net. In contrast to the
//! [graph](super::reachability) of all markings, it stores no edges.

use super::reachability::NoGraph;
use parikh_net::{FireError, FiringSequence, Marking, Net, TransitionId};
use parikh_solvers::Budget;
use std::collections::{HashSet, VecDeque};

/// The result of a search for all dead markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadMarkingSearch {
    /// The number of reachable markings that were found, dead or not.
    pub markings: usize,
    /// The number of dead markings that were found.
    pub dead: usize,
    /// The reason why the search ended early. `None` if all reachable markings were visited.
    pub stopped: Option<NoGraph>,
}

/// Visits the reachable markings, and calls `found` for each dead marking, with a shortest firing
/// sequence to it. Dead markings with shorter sequences come first.
pub fn find_dead_markings(
    net: &Net,
    budget: &Budget,
    mut found: impl FnMut(&Marking, FiringSequence),
) -> DeadMarkingSearch {
    let mut seen = HashSet::from([net.initial().clone()]);
    let mut queue = VecDeque::from([(0, net.initial().clone())]);
    // For each marking after the initial one, by its number from 1: the number of the marking
    // before the firing that reached it, and the fired transition.
    let mut reached_by: Vec<(usize, TransitionId)> = Vec::new();
    let mut dead = 0;
    while let Some((from, marking)) = queue.pop_front() {
        let stop =
            |why: NoGraph, markings| DeadMarkingSearch { markings, dead, stopped: Some(why) };
        if let Some(exhausted) = budget.exhausted() {
            return stop(exhausted.into(), seen.len());
        }
        let mut is_dead = true;
        for transition in net.transitions() {
            if !net.is_enabled(&marking, transition) {
                continue;
            }
            is_dead = false;
            let mut next = marking.clone();
            match net.fire(&mut next, transition) {
                Ok(()) => {}
                Err(FireError::NotEnabled(_)) => continue,
                Err(FireError::Overflow(_)) => return stop(NoGraph::Overflow, seen.len()),
            }
            if !seen.contains(&next) {
                seen.insert(next.clone());
                reached_by.push((from, transition));
                queue.push_back((reached_by.len(), next));
            }
        }
        if is_dead {
            dead += 1;
            found(&marking, sequence_to(&reached_by, from));
        }
    }
    DeadMarkingSearch { markings: seen.len(), dead, stopped: None }
}

/// Returns the firing sequence to the marking with this number.
fn sequence_to(reached_by: &[(usize, TransitionId)], mut number: usize) -> FiringSequence {
    let mut transitions = Vec::new();
    while number > 0 {
        let (from, transition) = reached_by[number - 1];
        transitions.push(transition);
        number = from;
    }
    transitions.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn each_dead_marking_is_found_once_and_an_unbounded_net_is_not_finished() {
        let net =
            text::parse("place p 2\nplace q\nplace r\ntransition t: p -> q\ntransition u: p -> r");
        let net = net.unwrap();
        let mut lengths = Vec::new();
        let search = find_dead_markings(&net, &Budget::unlimited(), |marking, sequence| {
            assert!(net.is_dead(marking));
            lengths.push(sequence.firings());
        });
        assert_eq!(search, DeadMarkingSearch { markings: 6, dead: 3, stopped: None });
        assert_eq!(lengths, [2, 2, 2]);
        let net = text::parse("place p\ntransition t: -> p").unwrap();
        let budget = Budget::lasting(std::time::Duration::from_millis(20));
        let search = find_dead_markings(&net, &budget, |_, _| panic!("none is dead"));
        assert!(search.stopped.is_some() && search.dead == 0);
    }
}
