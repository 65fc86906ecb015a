//! A breadth-first search for all dead markings of a net. In contrast to the
//! [graph](super::reachability) of all markings, it stores no edges, and of each marking only the
//! marked places.

use super::reachability::NoGraph;
use parikh_net::{FireError, FiringSequence, Marking, Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The numbers of a search for all dead markings. Another thread may read them during the search.
#[derive(Debug, Default)]
pub struct DeadMarkingProgress {
    found: AtomicUsize,
    visited: AtomicUsize,
}

impl DeadMarkingProgress {
    /// Returns the number of reachable markings that were found, dead or not.
    pub fn found(&self) -> usize {
        self.found.load(Ordering::Relaxed)
    }

    /// Returns the number of markings that were found, but whose successors were not computed. Some
    /// of them may be dead.
    pub fn unvisited(&self) -> usize {
        self.found().saturating_sub(self.visited.load(Ordering::Relaxed))
    }
}

/// Visits the reachable markings, and calls `on_dead` for each dead marking, with a shortest firing
/// sequence to it. Dead markings with shorter sequences come first. The numbers of markings are
/// written to `progress`. Returns the number of dead markings.
///
/// The memory for a marking is about 50 bytes and 2 to 4 bytes for each marked place.
///
/// # Errors
/// Returns the reason why the search ended before all reachable markings were visited.
pub fn find_dead_markings(
    net: &Net,
    budget: &Budget,
    progress: &DeadMarkingProgress,
    mut on_dead: impl FnMut(&Marking, FiringSequence),
) -> Result<usize, NoGraph> {
    let initial: Rc<[u8]> = packed(net.initial()).into();
    let mut seen = HashSet::from([Rc::clone(&initial)]);
    let mut queue = VecDeque::from([(0, initial)]);
    // For each marking after the initial one, by its number from 1: the number of the marking
    // before the firing that reached it, and the fired transition.
    let mut reached_by: Vec<(usize, TransitionId)> = Vec::new();
    let mut dead = 0;
    progress.found.store(1, Ordering::Relaxed);
    while let Some((from, marking)) = queue.pop_front() {
        let marking = unpacked(&marking, net.place_count());
        let mut is_dead = true;
        for transition in net.transitions() {
            if !net.is_enabled(&marking, transition) {
                continue;
            }
            // A marking may have many successors, so each of them asks the budget.
            if let Some(exhausted) = budget.exhausted() {
                return Err(exhausted.into());
            }
            is_dead = false;
            let mut next = marking.clone();
            match net.fire(&mut next, transition) {
                Ok(()) => {}
                Err(FireError::NotEnabled(_)) => continue,
                Err(FireError::Overflow(_)) => return Err(NoGraph::Overflow),
            }
            let next = packed(&next);
            if !seen.contains(&*next) {
                let next: Rc<[u8]> = next.into();
                seen.insert(Rc::clone(&next));
                reached_by.push((from, transition));
                queue.push_back((reached_by.len(), next));
                progress.found.fetch_add(1, Ordering::Relaxed);
            }
        }
        if is_dead {
            if let Some(exhausted) = budget.exhausted() {
                return Err(exhausted.into());
            }
            dead += 1;
            on_dead(&marking, sequence_to(&reached_by, from));
        }
        progress.visited.fetch_add(1, Ordering::Relaxed);
    }
    Ok(dead)
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

/// Returns a marking as bytes: for each marked place, its distance from the marked place before it,
/// and its tokens. Different markings of a net have different bytes.
fn packed(marking: &Marking) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut next = 0;
    for (place, tokens) in marking.marked() {
        pack_number((place.index() - next) as u64, &mut bytes);
        pack_number(tokens, &mut bytes);
        next = place.index() + 1;
    }
    bytes
}

/// Returns the marking of a net with this number of places that [`packed`] turned into bytes.
fn unpacked(bytes: &[u8], places: usize) -> Marking {
    let mut tokens = vec![0; places];
    let (mut rest, mut next) = (bytes, 0);
    while !rest.is_empty() {
        let place = next + unpack_number(&mut rest) as usize;
        tokens[place] = unpack_number(&mut rest);
        next = place + 1;
    }
    Marking::new(tokens)
}

/// Appends a number, seven bits per byte. The last byte has its highest bit unset.
fn pack_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Removes the first number, written by [`pack_number`], from the bytes.
fn unpack_number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// A transition that is disabled in a marking, and the input places for which it waits: those with
/// fewer tokens than the arc takes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WaitingTransition {
    /// The transition.
    pub transition: TransitionId,
    /// The places, in ascending order; at least one.
    pub waits_for: Vec<PlaceId>,
}

/// Returns the transitions that are closest to being enabled in a dead marking, in ascending order.
/// Only transitions count that have an input place with enough tokens. Of these, the result has the
/// transitions that wait for the fewest places. Transitions for which `group` returns the same
/// number are copies of one transition of the model. Only one of the copies counts: the first of
/// those that wait for the fewest places.
///
/// The result is empty if each transition waits for all its input places.
pub fn closest_transitions(
    net: &Net,
    marking: &Marking,
    group: impl Fn(TransitionId) -> usize,
) -> Vec<WaitingTransition> {
    let mut closest: Vec<WaitingTransition> = Vec::new();
    let mut fewest = usize::MAX;
    for transition in net.transitions() {
        let inputs = net.pre(transition);
        let waits_for: Vec<PlaceId> = inputs
            .iter()
            .filter(|arc| marking[arc.place] < arc.weight)
            .map(|arc| arc.place)
            .collect();
        if waits_for.is_empty() || waits_for.len() == inputs.len() || waits_for.len() > fewest {
            continue;
        }
        if waits_for.len() < fewest {
            fewest = waits_for.len();
            closest.clear();
        }
        // The copies of a transition have consecutive numbers.
        if closest.last().is_none_or(|last| group(last.transition) != group(transition)) {
            closest.push(WaitingTransition { transition, waits_for });
        }
    }
    closest
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
        let progress = DeadMarkingProgress::default();
        let budget = Budget::unlimited();
        let search = find_dead_markings(&net, &budget, &progress, |marking, sequence| {
            assert!(net.is_dead(marking));
            lengths.push(sequence.firings());
        });
        assert_eq!((search, progress.found(), progress.unvisited()), (Ok(3), 6, 0));
        assert_eq!(lengths, [2, 2, 2]);
        let net = text::parse("place p\ntransition t: -> p").unwrap();
        let budget = Budget::lasting(std::time::Duration::from_millis(20));
        let progress = DeadMarkingProgress::default();
        let search =
            find_dead_markings(&net, &budget, &progress, |_, _| panic!("no marking is dead"));
        assert!(search.is_err() && progress.unvisited() == 1, "{progress:?}");
    }

    #[test]
    fn markings_are_packed_without_loss() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), (1 << 63) - 1];
        let mut tokens = vec![0; 1000];
        for (index, number) in numbers.into_iter().enumerate() {
            tokens[index * index * 20] = number;
        }
        let marking = Marking::new(tokens);
        let bytes = packed(&marking);
        assert!(bytes.len() < 40, "{}", bytes.len());
        assert_eq!(unpacked(&bytes, 1000), marking);
        assert_eq!(unpacked(&packed(&Marking::empty(3)), 3), Marking::empty(3));
    }

    #[test]
    fn transitions_that_wait_for_the_fewest_places_are_closest() {
        let net = text::parse(
            "place a 1\nplace b\nplace c\nplace d\ntransition one: a + b -> c\n\
             transition other: a + c -> b\ntransition two: a + b + c -> d\ntransition none: d -> a",
        );
        let net = net.unwrap();
        let closest = closest_transitions(&net, net.initial(), TransitionId::index);
        let names: Vec<(&str, &str)> = closest
            .iter()
            .map(|it| (net.transition_name(it.transition), net.place_name(it.waits_for[0])))
            .collect();
        assert_eq!(names, [("one", "b"), ("other", "c")]);
        // All are copies of one transition.
        assert_eq!(closest_transitions(&net, net.initial(), |_| 0).len(), 1);
        let nothing = Marking::empty(4);
        assert_eq!(closest_transitions(&net, &nothing, TransitionId::index), []);
    }
}
