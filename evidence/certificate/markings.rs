//! All markings: nothing but the number of them, and a checker that goes through them again.
//!
//! Where the reachable markings are few, the plainest argument is to look at each. The certificate
//! says how many there are; [`Markings::check`] visits them by itself (a set, a list, one rule for
//! firing) and looks at every claim in each. It shares no code with the search that found out, and
//! leaves nothing out: no stubborn sets, no reductions.
//!
//! The number is part of what is proved, and is what keeps the checker's work in bounds: as soon as
//! there is one marking more, the certificate is refused.

use super::claim::{Claim, NoSuchNode};
use parikh_net::{Marking, Net, Predicate};
use std::collections::HashSet;

/// A claim about few markings. Plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markings {
    /// What is proved.
    pub claims: Vec<Claim>,
    /// How many markings are reachable.
    pub count: u64,
}

/// Why it is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarkingsFlaw {
    /// The claim names nodes that do not exist.
    #[error("{0}")]
    Name(#[from] NoSuchNode),
    /// There are more reachable markings than is said.
    #[error("more than {0} markings are reachable")]
    More(u64),
    /// There are fewer.
    #[error("{0} markings are reachable, not {1}")]
    Fewer(u64, u64),
    /// A reachable marking contradicts the claim.
    #[error("claim {0} is false")]
    Reached(usize),
    /// A firing would put more than 2⁶⁴ − 1 tokens on a place.
    #[error("token counts beyond 64 bits")]
    Overflow,
    /// Told to stop.
    #[error("not checked to the end")]
    Stopped,
}

impl Markings {
    /// Accepts it if exactly so many markings are reachable and none contradicts a claim.
    ///
    /// # Errors
    /// The first flaw found.
    pub fn check(&self, net: &Net) -> Result<(), MarkingsFlaw> {
        self.check_while(net, || true)
    }

    /// The same, asking `goes_on` every thousand markings.
    ///
    /// # Errors
    /// The first flaw found, or [`MarkingsFlaw::Stopped`].
    pub fn check_while(
        &self,
        net: &Net,
        goes_on: impl FnMut() -> bool,
    ) -> Result<(), MarkingsFlaw> {
        for claim in &self.claims {
            claim.check_names(net)?;
        }
        let found = explore(net, &self.claims, self.count, goes_on)?;
        if found < self.count { Err(MarkingsFlaw::Fewer(found, self.count)) } else { Ok(()) }
    }
}

/// Visits all reachable markings, at most so many, and looks at the claims in each. How many there
/// are.
///
/// # Errors
/// As [`Markings::check_while`].
pub fn explore(
    net: &Net,
    claims: &[Claim],
    most: u64,
    mut goes_on: impl FnMut() -> bool,
) -> Result<u64, MarkingsFlaw> {
    let refuted: Vec<Predicate> = claims.iter().map(Claim::refuted).collect();
    let (mut visited, mut reached) = (0u64, None);
    let found = visit(net, most, |marking| {
        reached = refuted.iter().position(|bad| bad.holds(net, marking));
        visited += 1;
        reached.is_none() && (!(visited - 1).is_multiple_of(1000) || goes_on())
    });
    reached.map_or(found, |index| Err(MarkingsFlaw::Reached(index)))
}

/// Shows all reachable markings, at most so many, to `sees`, which says whether it wants to go on. How
/// many there are.
///
/// # Errors
/// [`MarkingsFlaw::More`], [`MarkingsFlaw::Overflow`], or [`MarkingsFlaw::Stopped`] when it does not.
pub fn visit(
    net: &Net,
    most: u64,
    mut sees: impl FnMut(&Marking) -> bool,
) -> Result<u64, MarkingsFlaw> {
    let mut seen: HashSet<Box<[u8]>> = HashSet::new();
    let mut waiting = vec![packed(net.initial().tokens())];
    seen.extend(waiting.iter().cloned());
    let mut visited = 0u64;
    while let Some(next) = waiting.pop() {
        visited += 1;
        let marking = Marking::new(unpacked(&next));
        if !sees(&marking) {
            return Err(MarkingsFlaw::Stopped);
        }
        let tokens = marking.tokens();
        for t in net.transitions() {
            if net.pre(t).iter().any(|arc| tokens[arc.place.index()] < arc.weight) {
                continue;
            }
            let mut after = tokens.to_vec();
            net.pre(t).iter().for_each(|arc| after[arc.place.index()] -= arc.weight);
            for arc in net.post(t) {
                let tokens = &mut after[arc.place.index()];
                *tokens = tokens.checked_add(arc.weight).ok_or(MarkingsFlaw::Overflow)?;
            }
            let after = packed(&after);
            if !seen.contains(&after) {
                seen.insert(after.clone());
                waiting.push(after);
            }
        }
        if seen.len() as u64 > most {
            return Err(MarkingsFlaw::More(most));
        }
    }
    Ok(visited)
}

/// Markings that were visited.
#[derive(Debug)]
pub(super) struct Visited(Vec<Box<[u8]>>);

impl Markings {
    /// Visits all markings and keeps them.
    pub(super) fn check_steps(
        &self,
        net: &Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Visited, MarkingsFlaw> {
        let mut visited = Vec::new();
        let found = visit(net, self.count, |marking| {
            visited.push(packed(marking.tokens()));
            visited.len() % PATIENCE != 1 || goes_on()
        })?;
        if found < self.count {
            return Err(MarkingsFlaw::Fewer(found, self.count));
        }
        Ok(Visited(visited))
    }
}

impl Visited {
    /// Whether the claim is true in all of them.
    pub(super) fn proves(
        &self,
        net: &Net,
        claim: &Claim,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, MarkingsFlaw> {
        claim.check_names(net)?;
        let refuted = claim.refuted();
        for (at, marking) in self.0.iter().enumerate() {
            if at % PATIENCE == 0 && !goes_on() {
                return Err(MarkingsFlaw::Stopped);
            }
            if refuted.holds(net, &Marking::new(unpacked(marking))) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// How many markings are looked at between two questions whether to go on.
const PATIENCE: usize = 1000;

/// A marking in few bytes: seven bits of a number a byte, the eighth says that more follow.
fn packed(tokens: &[u64]) -> Box<[u8]> {
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

fn unpacked(bytes: &[u8]) -> Vec<u64> {
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
    use parikh_net::{PlaceId, text};

    #[test]
    fn the_number_must_be_right_and_the_claims_true() {
        let net = text::parse("place p 300\nplace q\ntransition t: 2*p -> q").unwrap();
        let [p, q] = [0, 1].map(PlaceId::new);
        let odd = Predicate::and([Predicate::no_more_than(p, 1), Predicate::at_least(p, 1)]);
        let claims = vec![Claim::Unreachable(odd)];
        let check = |count| Markings { claims: claims.clone(), count }.check(&net);
        assert_eq!(check(151), Ok(()));
        assert_eq!(check(150), Err(MarkingsFlaw::More(150)));
        assert_eq!(check(152), Err(MarkingsFlaw::Fewer(151, 152)));
        let most = Claim::AtMost(parikh_net::LinearSum::place(q), 149);
        let both = Markings { claims: vec![claims[0].clone(), most], count: 151 };
        assert_eq!(both.check(&net), Err(MarkingsFlaw::Reached(1)));
        assert_eq!(both.check_while(&net, || false), Err(MarkingsFlaw::Stopped));
    }

    #[test]
    fn unbounded_nets_end_at_the_number() {
        let net = text::parse("place p\ntransition t: -> p").unwrap();
        assert_eq!(Markings { claims: vec![], count: 9 }.check(&net), Err(MarkingsFlaw::More(9)));
    }

    #[test]
    fn packing_keeps_all_numbers() {
        let tokens = [0, 1, 127, 128, 300, u64::MAX, 1 << 63];
        assert_eq!(unpacked(&packed(&tokens)), tokens);
    }
}
