//! What stays reachable wherever the net goes, by visiting all markings: the plainest argument
//! about home spaces.
//!
//! Backwards from the markings with φ, firing by firing: φ stays reachable if and only if that
//! leads to all of them. Of 64 predicates it is found out at once, each a bit of a word for each
//! marking.
//!
//! A net that falls into parts which share no node is visited part by part, where it is asked
//! whether one of some transitions is enabled. It stays so if those of one part do in that part;
//! and if in each part a marking can be reached after which none of its own is, all of these
//! together can be reached, too. So ten parts with a hundred markings each, and 10²⁰ together, are
//! a thousand to be visited.
//!
//! Reductions that keep which transitions are live ([`Preserve::LIVENESS`]) often leave small
//! parts: then this is done on the reduced net, after every condition of every step was checked,
//! and says the same of the net before ([`CheckedReduction::translate_home`]).
//!
//! [`Preserve::LIVENESS`]: crate::reduction::Preserve::LIVENESS
//! [`CheckedReduction::translate_home`]: crate::reduction::CheckedReduction::translate_home

use super::liveness::one_of;
use crate::certificate::Flaw;
use crate::certificate::markings::Numbered;
use parikh_net::parts::Subnet;
use parikh_net::{Net, Predicate, TransitionId};
use std::collections::HashMap;

/// Of each of `wanted` whether it stays reachable wherever the net goes; nothing where a part would
/// have to be visited that has more than `most` markings. `goes_on` is asked at every marking.
///
/// # Errors
/// [`Flaw::More`] when nothing is told because no part is small enough, and as
/// [`visit`](crate::certificate::markings::visit).
pub fn which_stay(
    net: &Net,
    most: u64,
    wanted: &[Predicate],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<Option<bool>>, Flaw> {
    let asked: Option<Vec<EnabledQuestion>> = wanted.iter().map(EnabledQuestion::of).collect();
    // Parts are refused only for want of ids, which the net has.
    match (asked, net.parts()) {
        (Some(asked), Ok(parts)) => by_parts(&parts, most, &asked, goes_on),
        _ => Ok(whole(net, most, wanted, goes_on)?.into_iter().map(Some).collect()),
    }
}

/// What is asked of transitions.
enum EnabledQuestion {
    /// Nothing is left to ask.
    Always(bool),
    /// One of these is enabled.
    One(Vec<TransitionId>),
}

impl EnabledQuestion {
    fn of(wanted: &Predicate) -> Option<EnabledQuestion> {
        match wanted {
            Predicate::True => Some(EnabledQuestion::Always(true)),
            Predicate::False => Some(EnabledQuestion::Always(false)),
            wanted => one_of(wanted).map(EnabledQuestion::One),
        }
    }
}

/// For each part the goals of which something is there, and what, as it reads there.
fn asked_of(parts: &[Subnet], asked: &[EnabledQuestion]) -> Vec<Vec<(usize, Vec<Predicate>)>> {
    let mut place_of = HashMap::new();
    for (number, part) in parts.iter().enumerate() {
        for (here, &t) in part.transitions.iter().enumerate() {
            place_of.insert(t, (number, TransitionId::new(here)));
        }
    }
    let mut asked_of: Vec<Vec<(usize, Vec<Predicate>)>> = vec![Vec::new(); parts.len()];
    for (at, asked) in asked.iter().enumerate() {
        let EnabledQuestion::One(transitions) = asked else { continue };
        for &(part, here) in transitions.iter().filter_map(|t| place_of.get(t)) {
            let enabled = Predicate::Enabled(here);
            match asked_of[part].last_mut() {
                Some((last, some)) if *last == at => some.push(enabled),
                _ => asked_of[part].push((at, vec![enabled])),
            }
        }
    }
    asked_of
}

fn by_parts(
    parts: &[Subnet],
    most: u64,
    asked: &[EnabledQuestion],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<Option<bool>>, Flaw> {
    let mut stay: Vec<Option<bool>> =
        asked.iter().map(|asked| Some(matches!(asked, EnabledQuestion::Always(true)))).collect();
    let mut too_large = None;
    for (part, asked) in parts.iter().zip(asked_of(parts, asked)) {
        if asked.is_empty() {
            continue;
        }
        let (at, wanted): (Vec<usize>, Vec<Predicate>) =
            asked.into_iter().map(|(at, enabled)| (at, Predicate::or(enabled))).unzip();
        let here = match whole(&part.net, most, &wanted, goes_on) {
            Ok(here) => here.into_iter().map(Some).collect(),
            Err(Flaw::More(most)) => {
                too_large = Some(Flaw::More(most));
                vec![None; wanted.len()]
            }
            Err(flaw) => return Err(flaw),
        };
        // What stays in one part stays; what is lost is lost in all.
        for (at, here) in at.into_iter().zip(here) {
            stay[at] = match (stay[at], here) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                (None, _) | (_, None) => None,
            };
        }
    }
    match too_large {
        Some(flaw) if stay.iter().all(Option::is_none) => Err(flaw),
        _ => Ok(stay),
    }
}

fn whole(
    net: &Net,
    most: u64,
    wanted: &[Predicate],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<bool>, Flaw> {
    let graph = Numbered::of(net, most, goes_on)?;
    let mut stay = Vec::with_capacity(wanted.len());
    for some in wanted.chunks(64) {
        // Of each marking, which of them can be reached from it.
        let mut from: Vec<u64> = Vec::with_capacity(graph.count());
        for marking in graph.markings() {
            let holds = some.iter().map(|wanted| u64::from(wanted.holds(net, &marking)));
            from.push((0..).zip(holds).fold(0, |mask, (bit, holds)| mask | (holds << bit)));
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
        }
        let mut waiting: Vec<u32> =
            (0..).zip(&from).filter(|(_, mask)| **mask != 0).map(|(marking, _)| marking).collect();
        while let Some(marking) = waiting.pop() {
            let mask = from[marking as usize];
            for &before in graph.before(marking) {
                let known = &mut from[before as usize];
                if *known | mask != *known {
                    *known |= mask;
                    waiting.push(before);
                }
            }
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
        }
        let everywhere = from.iter().fold(u64::MAX, |all, mask| all & mask);
        stay.extend((0..some.len()).map(|bit| everywhere >> bit & 1 == 1));
    }
    Ok(stay)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{PlaceId, text};

    fn of(net: &Net, most: u64, wanted: &[Predicate]) -> Result<Vec<Option<bool>>, Flaw> {
        which_stay(net, most, wanted, &mut || true)
    }

    fn enabled(net: &Net, names: &[&str]) -> Predicate {
        let enabled = |name: &&str| Predicate::Enabled(net.transition_named(name).unwrap());
        Predicate::or(names.iter().map(enabled))
    }

    #[test]
    fn all_markings_tell_what_stays() {
        let net = text::parse(
            "place p 1\nplace q\nplace r\ntransition t: p -> q\ntransition u: q -> p
             transition v: q -> r\ntransition w: r -> r",
        )
        .unwrap();
        let marked = Predicate::at_least(PlaceId::new(2), 1);
        let all = [enabled(&net, &["w"]), enabled(&net, &["t"]), marked, Predicate::True];
        assert_eq!(of(&net, 9, &all), Ok([true, false, true, true].map(Some).to_vec()));
        assert_eq!(of(&net, 2, &all), Err(Flaw::More(2)));
        assert_eq!(of(&net, 2, &all[..2]), Err(Flaw::More(2)));
        assert_eq!(which_stay(&net, 9, &all, &mut || false), Err(Flaw::Stopped));
        // More than a word has bits.
        let many = vec![all[1].clone(); 64].into_iter().chain([all[0].clone()]);
        let stay = of(&net, 9, &many.collect::<Vec<_>>()).unwrap();
        assert_eq!((stay[0], stay[64]), (Some(false), Some(true)));
    }

    #[test]
    fn parts_are_visited_one_by_one() {
        let part = |i: usize| {
            format!(
                "place p{i} 1\nplace q{i}\ntransition t{i}: p{i} -> q{i}\ntransition u{i}: q{i} -> p{i}\n"
            )
        };
        let mut text: String = (0..50).map(part).collect();
        text.push_str("place a 9\nplace b\ntransition once: a -> b\ntransition free: ->\n");
        let net = text::parse(&text).unwrap();
        let names = |names: &[&str]| enabled(&net, names);
        let wanted = [
            names(&["t7"]),
            names(&["once"]),
            names(&["once", "u40"]),
            names(&["free"]),
            Predicate::False,
        ];
        let told = [Some(true), Some(false), Some(true), Some(true), Some(false)];
        assert_eq!(of(&net, 10, &wanted), Ok(told.to_vec()));
        // The ten markings of a and b are too many: the others need not be lost there.
        let told = [Some(true), None, Some(true), Some(true), Some(false)];
        assert_eq!(of(&net, 9, &wanted), Ok(told.to_vec()));
        assert_eq!(of(&net, 9, &wanted[1..2]), Err(Flaw::More(9)));
        let always = [Predicate::True, wanted[0].clone()];
        assert_eq!(of(&net, 0, &always), Ok(vec![Some(true), None]));
        // Whether a place is marked is asked of the whole.
        let both = [wanted[0].clone(), Predicate::at_least(PlaceId::new(0), 1)];
        assert_eq!(of(&net, 1000, &both), Err(Flaw::More(1000)));
    }
}
