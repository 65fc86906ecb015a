//! Explicit enumeration of all reachable markings.
//!
//! If there are few reachable markings, the simplest argument is to check each of them. The code is
//! a set, a queue and one firing rule. It shares no code with the searches of the engines, and uses
//! no stubborn sets and no reductions.

use super::flaw::Flaw;
use parikh_net::{Marking, Net};
use std::collections::{HashMap, HashSet, VecDeque};

/// The set of the reachable markings, each encoded by `packed`.
#[derive(Debug)]
pub struct ReachableSet(HashSet<Box<[u8]>>);

impl ReachableSet {
    /// Returns the number of markings.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// Returns true if `is_true` holds for all markings. Stops at the first marking where it does
    /// not.
    pub fn all(&self, mut is_true: impl FnMut(&Marking) -> bool) -> bool {
        self.0.iter().all(|marking| is_true(&Marking::new(unpacked(marking))))
    }
}

/// The approximate maximum memory of the visited markings, in bytes, whatever number of markings a
/// document asks for.
const MAX_BYTES: usize = 8 << 30;

/// The limit on the stored edges of the reachability graph. The edges of one marking may exceed it.
const MAX_EDGES: usize = 1 << 27;

/// Memory per marking in addition to its bytes: two pairs of pointer and length, and a table entry.
const OVERHEAD: usize = 64;

/// Visits all reachable markings in breadth-first order, and fails if there are more than
/// `max_markings`. Calls `inspect` with each marking and stops when it returns false. Each marking
/// is inspected when it is generated, not when it is expanded. So if a limit ends the search, all
/// successors of the expanded markings have been inspected.
///
/// # Errors
/// [`Flaw::More`] if there are more than `max_markings` or too many for the memory limit;
/// [`Flaw::Overflow`] if a number of tokens is too large; [`Flaw::Stopped`] when `inspect` returns
/// false.
pub fn visit(
    net: &Net,
    max_markings: u64,
    inspect: impl FnMut(&Marking) -> bool,
) -> Result<ReachableSet, Flaw> {
    visit_capped(net, &[], max_markings, inspect)
}

/// Visits the reachable markings like [`visit`], where each place with a number in `caps` holds at
/// most so many tokens: further tokens are lost. `caps` is indexed by place; `None`, or no entry,
/// means no limit. No transition may consume from a place with a limit.
///
/// # Errors
/// The errors of [`visit`].
pub fn visit_capped(
    net: &Net,
    caps: &[Option<u64>],
    max_markings: u64,
    mut inspect: impl FnMut(&Marking) -> bool,
) -> Result<ReachableSet, Flaw> {
    let mut initial_tokens = net.initial().tokens().to_vec();
    let capped =
        initial_tokens.iter_mut().zip(caps).filter_map(|(tokens, cap)| Some((tokens, (*cap)?)));
    capped.for_each(|(tokens, cap)| *tokens = cap.min(*tokens));
    let mut goes_on = inspect(&Marking::new(initial_tokens.clone()));
    let initial_tokens = packed(&initial_tokens);
    let mut visited: HashSet<Box<[u8]>> = HashSet::from([initial_tokens.clone()]);
    let mut queue = VecDeque::from([initial_tokens]);
    let mut bytes = 0;
    while let Some(next) = queue.pop_front().filter(|_| goes_on) {
        successors(net, caps, &unpacked(&next), |successor| {
            if goes_on && !visited.contains(&successor) {
                bytes += 2 * successor.len() + OVERHEAD;
                goes_on = inspect(&Marking::new(unpacked(&successor)));
                visited.insert(successor.clone());
                queue.push_back(successor);
            }
        })?;
        if goes_on && (visited.len() as u64 > max_markings || bytes > MAX_BYTES) {
            return Err(Flaw::More(max_markings.min(visited.len() as u64)));
        }
    }
    if goes_on { Ok(ReachableSet(visited)) } else { Err(Flaw::Stopped) }
}

/// All reachable markings with numbers, and the predecessors of each.
#[derive(Debug)]
pub struct ReachabilityGraph {
    /// The packed markings, by number.
    markings: Vec<Box<[u8]>>,
    /// For each marking, the index of its first predecessor in `predecessors`; then the length of
    /// `predecessors`.
    starts: Vec<usize>,
    /// The predecessors of all markings, in the order of the markings.
    predecessors: Vec<u32>,
}

impl ReachabilityGraph {
    /// Enumerates the reachable markings, at most `max_markings` and at most 2³² − 1. Calls
    /// `goes_on` twice for each marking, and stops when it returns false.
    ///
    /// # Errors
    /// The errors of [`visit`], or [`Flaw::TooLarge`] if there are too many edges.
    pub fn of(
        net: &Net,
        max_markings: u64,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Flaw> {
        let mut markings: Vec<Box<[u8]>> = Vec::new();
        let max_markings = max_markings.min(u32::MAX.into());
        let visited = visit(net, max_markings, |marking| {
            markings.push(packed(marking.tokens()));
            goes_on()
        })?;
        drop(visited);
        let numbers: HashMap<&[u8], u32> = markings.iter().map(|m| &**m).zip(0..).collect();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for (from, marking) in (0..).zip(&markings) {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            if edges.len() > MAX_EDGES {
                return Err(Flaw::TooLarge("too many firings between markings".to_owned()));
            }
            let tokens = unpacked(marking);
            successors(net, &[], &tokens, |successor| {
                // All successors were visited, so each has a number.
                let to = numbers.get(&*successor).copied().unwrap_or(from);
                edges.push((to, from));
            })?;
        }
        // An edge is (target, source), so sorting puts the predecessors of each marking side by
        // side.
        edges.sort_unstable();
        edges.dedup();
        let mut starts = vec![0; markings.len() + 1];
        edges.iter().for_each(|&(to, _)| starts[to as usize + 1] += 1);
        // Prefix sums turn numbers of predecessors into start indices.
        for number in 1..starts.len() {
            starts[number] += starts[number - 1];
        }
        let before = edges.into_iter().map(|(_, from)| from).collect();
        Ok(ReachabilityGraph { markings, starts, predecessors: before })
    }

    /// Returns the number of markings.
    pub fn count(&self) -> usize {
        self.markings.len()
    }

    /// Iterates over the markings in the order of their numbers.
    pub fn markings(&self) -> impl Iterator<Item = Marking> {
        self.markings.iter().map(|marking| Marking::new(unpacked(marking)))
    }

    /// Returns the predecessors of a marking: the markings from which one firing leads to it.
    pub fn predecessors_of(&self, marking: u32) -> &[u32] {
        let number = marking as usize;
        &self.predecessors[self.starts[number]..self.starts[number + 1]]
    }
}

/// Calls `report` with each successor of a marking, in packed form. `caps` limits places as in
/// [`visit_capped`]. Returns an error if a number of tokens overflows.
fn successors(
    net: &Net,
    caps: &[Option<u64>],
    tokens: &[u64],
    mut report: impl FnMut(Box<[u8]>),
) -> Result<(), Flaw> {
    for t in net.transitions() {
        if net.pre(t).iter().any(|arc| tokens[arc.place.index()] < arc.weight) {
            continue;
        }
        let mut successor = tokens.to_vec();
        net.pre(t).iter().for_each(|arc| successor[arc.place.index()] -= arc.weight);
        for arc in net.post(t) {
            let tokens = &mut successor[arc.place.index()];
            *tokens = match caps.get(arc.place.index()) {
                Some(Some(cap)) => tokens.saturating_add(arc.weight).min(*cap),
                _ => tokens.checked_add(arc.weight).ok_or(Flaw::Overflow)?,
            };
        }
        report(packed(&successor));
    }
    Ok(())
}

/// Encodes a marking in few bytes: each byte has seven bits of a number, and its high bit says that
/// more bytes follow.
pub(crate) fn packed(tokens: &[u64]) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(tokens.len());
    for &number in tokens {
        let mut remaining = number;
        while remaining >= 128 {
            bytes.push(remaining as u8 | 128);
            remaining >>= 7;
        }
        bytes.push(remaining as u8);
    }
    bytes.into()
}

/// Decodes a packed marking.
pub(crate) fn unpacked(bytes: &[u8]) -> Vec<u64> {
    let (mut tokens, mut number, mut shift) = (Vec::with_capacity(bytes.len()), 0u64, 0);
    for byte in bytes {
        number |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte & 128 == 0 {
            tokens.push(number);
            (number, shift) = (0, 0);
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use parikh_net::{PlaceId, Predicate, text};

    #[test]
    fn the_number_must_be_right_and_the_refutation_true() {
        let net = text::parse("place p 300\nplace q\ntransition t: 2*p -> q").unwrap();
        let [p, q] = [0, 1].map(PlaceId::new);
        let odd = Predicate::and([Predicate::no_more_than(p, 1), Predicate::at_least(p, 1)]);
        let check = |count, refuted: &Predicate| {
            let goes_on = &mut || true;
            Document::Markings(count).check(&net, goes_on)?.refutes(refuted, goes_on)
        };
        assert_eq!(check(151, &odd), Ok(()));
        assert_eq!(check(150, &odd), Err(Flaw::More(150)));
        assert_eq!(check(152, &odd), Err(Flaw::TooFewMarkings(151, 152)));
        assert_eq!(check(151, &Predicate::at_least(q, 150)), Err(Flaw::DoesNotFollow));
        let document = Document::Markings(151);
        assert!(matches!(document.check(&net, &mut || false), Err(Flaw::Stopped)));
        let checked = document.check(&net, &mut || true).unwrap();
        assert_eq!(checked.refutes(&odd, &mut || false), Err(Flaw::Stopped));
    }

    #[test]
    fn unbounded_nets_end_at_the_number() {
        let net = text::parse("place p\ntransition t: -> p").unwrap();
        assert!(matches!(visit(&net, 9, |_| true), Err(Flaw::More(9))));
    }

    #[test]
    fn direct_successors_are_visited_before_distant_markings() {
        let [count, other] = ["transition count: -> p\n", "transition other: q ->\n"];
        for order in [[count, other], [other, count]] {
            let net = text::parse(&format!("place p\nplace q 1\n{}", order.concat())).unwrap();
            let q = net.place_named("q").unwrap();
            let found = visit(&net, 9, |marking| marking[q] == 1);
            assert!(matches!(found, Err(Flaw::Stopped)), "{order:?}");
        }
        // All direct successors are visited, even if there are more than the limit.
        let source = |at: u32| format!("place p{at}\ntransition t{at}: -> p{at}\n");
        let net = text::parse(&(0..20).map(source).collect::<String>()).unwrap();
        let last = net.place_named("p19").unwrap();
        assert!(matches!(visit(&net, 9, |marking| marking[last] == 0), Err(Flaw::Stopped)));
    }

    #[test]
    fn packing_keeps_all_numbers() {
        let tokens = [0, 1, 127, 128, 300, u64::MAX, 1 << 63];
        assert_eq!(unpacked(&packed(&tokens)), tokens);
    }
}
