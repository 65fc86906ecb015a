//! All markings: a plain way to visit them.
//!
//! Where the reachable markings are few, the plainest argument is to look at each: a set, a list,
//! one rule for firing. It shares no code with the searches of engines, and leaves nothing out: no
//! stubborn sets, no reductions.

use super::flaw::Flaw;
use parikh_net::{Marking, Net};
use std::collections::{HashMap, HashSet, VecDeque};

/// All reachable markings.
#[derive(Debug)]
pub struct ReachableSet(HashSet<Box<[u8]>>);

impl ReachableSet {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// Whether this is true of all of them; asked until it is not.
    pub fn all(&self, mut is_true: impl FnMut(&Marking) -> bool) -> bool {
        self.0.iter().all(|marking| is_true(&Marking::new(unpacked(marking))))
    }
}

/// The most bytes that visited markings may take, about: who wrote a document may ask for any
/// number.
const MOST_BYTES: usize = 8 << 30;

/// The most firings between markings that are kept: of each, both ends.
const MOST_EDGES: usize = 1 << 27;

/// What a marking takes besides its own bytes: twice a pointer and a length, and its place in a
/// table.
const OVERHEAD: usize = 64;

/// Shows all reachable markings, at most so many, to `sees`, which says whether it wants to go on.
/// Those of fewer firings come first, and each is shown when it is met, not when it is left: where
/// only the first markings of many are visited, none that is one firing away is missed.
///
/// # Errors
/// [`Flaw::More`], [`Flaw::Overflow`], or [`Flaw::Stopped`] when it does not.
pub fn visit(
    net: &Net,
    most: u64,
    sees: impl FnMut(&Marking) -> bool,
) -> Result<ReachableSet, Flaw> {
    visit_capped(net, &[], most, sees)
}

/// The same where places that have a number in `caps` hold no more tokens than that: what comes
/// beyond is lost. Nothing may take from them.
///
/// # Errors
/// As [`visit`].
pub fn visit_capped(
    net: &Net,
    caps: &[Option<u64>],
    most: u64,
    mut sees: impl FnMut(&Marking) -> bool,
) -> Result<ReachableSet, Flaw> {
    let mut first = net.initial().tokens().to_vec();
    let capped = first.iter_mut().zip(caps).filter_map(|(tokens, cap)| Some((tokens, (*cap)?)));
    capped.for_each(|(tokens, cap)| *tokens = cap.min(*tokens));
    let mut goes_on = sees(&Marking::new(first.clone()));
    let first = packed(&first);
    let mut seen: HashSet<Box<[u8]>> = HashSet::from([first.clone()]);
    let mut waiting = VecDeque::from([first]);
    let mut bytes = 0;
    while let Some(next) = waiting.pop_front().filter(|_| goes_on) {
        successors(net, caps, &unpacked(&next), |after| {
            if goes_on && !seen.contains(&after) {
                bytes += 2 * after.len() + OVERHEAD;
                goes_on = sees(&Marking::new(unpacked(&after)));
                seen.insert(after.clone());
                waiting.push_back(after);
            }
        })?;
        if goes_on && (seen.len() as u64 > most || bytes > MOST_BYTES) {
            return Err(Flaw::More(most.min(seen.len() as u64)));
        }
    }
    if goes_on { Ok(ReachableSet(seen)) } else { Err(Flaw::Stopped) }
}

/// All reachable markings with numbers, and the way back from each.
#[derive(Debug)]
pub struct Numbered {
    markings: Vec<Box<[u8]>>,
    /// Where `before` of each marking begins.
    starts: Vec<usize>,
    before: Vec<u32>,
}

impl Numbered {
    /// The reachable markings, at most so many. `goes_on` is asked at every one.
    ///
    /// # Errors
    /// As [`visit`].
    pub fn of(net: &Net, most: u64, goes_on: &mut dyn FnMut() -> bool) -> Result<Self, Flaw> {
        let mut markings: Vec<Box<[u8]>> = Vec::new();
        let most = most.min(u32::MAX.into());
        let visited = visit(net, most, |marking| {
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
            if edges.len() > MOST_EDGES {
                return Err(Flaw::TooLarge("too many firings between markings".to_owned()));
            }
            let tokens = unpacked(marking);
            successors(net, &[], &tokens, |after| {
                // It was visited.
                let to = numbers.get(&*after).copied().unwrap_or(from);
                edges.push((to, from));
            })?;
        }
        edges.sort_unstable();
        edges.dedup();
        let mut starts = vec![0; markings.len() + 1];
        edges.iter().for_each(|&(to, _)| starts[to as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let before = edges.into_iter().map(|(_, from)| from).collect();
        Ok(Numbered { markings, starts, before })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.markings.len()
    }

    /// Each of them.
    pub fn markings(&self) -> impl Iterator<Item = Marking> {
        self.markings.iter().map(|marking| Marking::new(unpacked(marking)))
    }

    /// The markings from which one firing leads there.
    pub fn before(&self, marking: u32) -> &[u32] {
        let at = marking as usize;
        &self.before[self.starts[at]..self.starts[at + 1]]
    }
}

/// Shows each marking after one firing, packed.
fn successors(
    net: &Net,
    caps: &[Option<u64>],
    tokens: &[u64],
    mut sees: impl FnMut(Box<[u8]>),
) -> Result<(), Flaw> {
    for t in net.transitions() {
        if net.pre(t).iter().any(|arc| tokens[arc.place.index()] < arc.weight) {
            continue;
        }
        let mut after = tokens.to_vec();
        net.pre(t).iter().for_each(|arc| after[arc.place.index()] -= arc.weight);
        for arc in net.post(t) {
            let tokens = &mut after[arc.place.index()];
            *tokens = match caps.get(arc.place.index()) {
                Some(Some(cap)) => tokens.saturating_add(arc.weight).min(*cap),
                _ => tokens.checked_add(arc.weight).ok_or(Flaw::Overflow)?,
            };
        }
        sees(packed(&after));
    }
    Ok(())
}

/// A marking in few bytes: seven bits of a number a byte, the eighth says that more follow.
pub(crate) fn packed(tokens: &[u64]) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(tokens.len());
    for &number in tokens {
        let mut rest = number;
        while rest >= 128 {
            bytes.push(rest as u8 | 128);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes.into()
}

/// The tokens of a packed marking.
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
        assert_eq!(check(152, &odd), Err(Flaw::Fewer(151, 152)));
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
    fn what_is_one_firing_away_is_seen_before_what_is_far() {
        let [count, other] = ["transition count: -> p\n", "transition other: q ->\n"];
        for order in [[count, other], [other, count]] {
            let net = text::parse(&format!("place p\nplace q 1\n{}", order.concat())).unwrap();
            let q = net.place_named("q").unwrap();
            let found = visit(&net, 9, |marking| marking[q] == 1);
            assert!(matches!(found, Err(Flaw::Stopped)), "{order:?}");
        }
        // All that is one firing away, however much it is.
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
