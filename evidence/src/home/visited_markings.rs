//! Decides by visiting all markings whether predicates stay reachable, that is, are reachable from
//! every reachable marking.
//!
//! A backward search starts from the markings that satisfy a predicate φ. φ stays reachable if and
//! only if the search reaches all markings. The search handles 64 predicates at once, each as one
//! bit of a word per marking.
//!
//! If the predicates are about the enabledness of transitions, a net that consists of disconnected
//! components is visited component by component. A predicate "one of these transitions is enabled"
//! stays reachable if its part in some component does so in that component. Conversely, suppose
//! that each component can reach a marking after which none of its transitions in the predicate is
//! ever enabled. Then these markings together are reachable in the whole net. So ten components
//! with a hundred markings each, which have 10²⁰ markings together, require visiting only a
//! thousand markings.
//!
//! Reductions that keep which transitions are live ([`Preserve::LIVENESS`]) often leave small
//! components. Then the search runs on the reduced net, after every condition of every step was
//! checked, and the result holds for the original net ([`CheckedReduction::translate_home`]).
//!
//! [`Preserve::LIVENESS`]: crate::reduction::Preserve::LIVENESS
//! [`CheckedReduction::translate_home`]: crate::reduction::CheckedReduction::translate_home

use super::liveness::enabled_transitions;
use crate::certificate::Flaw;
use crate::certificate::markings::ReachabilityGraph;
use parikh_net::subnet::Subnet;
use parikh_net::{Net, Predicate, TransitionId};
use std::collections::HashMap;

/// Returns, for each predicate of `wanted`, true if it is reachable from every reachable marking,
/// and false if it is not. The entry is `None` if this depends on a component with more than
/// `max_markings` markings, or with too many markings or edges for the memory limit. Calls
/// `goes_on` at every marking.
///
/// # Errors
/// [`Flaw::More`] or [`Flaw::TooLarge`] if every entry would be `None`, and the errors of
/// [`ReachabilityGraph::of`].
pub fn find_staying(
    net: &Net,
    max_markings: u64,
    wanted: &[Predicate],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<Option<bool>>, Flaw> {
    let questions: Option<Vec<EnabledQuestion>> = wanted.iter().map(EnabledQuestion::of).collect();
    // Decomposition fails only when there are too many ids, and the net has fewer.
    match (questions, net.subnets()) {
        (Some(questions), Ok(parts)) => decide_by_parts(&parts, max_markings, &questions, goes_on),
        _ => Ok(decide_on_net(net, max_markings, wanted, goes_on)?.into_iter().map(Some).collect()),
    }
}

/// A constant, or the predicate that one of several transitions is enabled.
enum EnabledQuestion {
    /// A truth value: the predicate is constant.
    Constant(bool),
    /// The predicate says that at least one of these transitions is enabled.
    AnyEnabled(Vec<TransitionId>),
}

impl EnabledQuestion {
    /// Returns `wanted` as a predicate about enabledness, or `None` if it is neither constant nor
    /// says that one of several transitions is enabled.
    fn of(wanted: &Predicate) -> Option<EnabledQuestion> {
        match wanted {
            Predicate::True => Some(EnabledQuestion::Constant(true)),
            Predicate::False => Some(EnabledQuestion::Constant(false)),
            wanted => enabled_transitions(wanted).map(EnabledQuestion::AnyEnabled),
        }
    }
}

/// Returns, for each component, the predicates that concern it: the index of the predicate, and its
/// disjuncts in ids of the component.
fn questions_of_parts(
    parts: &[Subnet],
    questions: &[EnabledQuestion],
) -> Vec<Vec<(usize, Vec<Predicate>)>> {
    let mut location_of = HashMap::new();
    for (part_index, part) in parts.iter().enumerate() {
        for (local_index, &t) in part.transitions.iter().enumerate() {
            location_of.insert(t, (part_index, TransitionId::new(local_index)));
        }
    }
    let mut questions_by_part: Vec<Vec<(usize, Vec<Predicate>)>> = vec![Vec::new(); parts.len()];
    for (index, question) in questions.iter().enumerate() {
        let EnabledQuestion::AnyEnabled(transitions) = question else { continue };
        for &(part, local_id) in transitions.iter().filter_map(|t| location_of.get(t)) {
            let enabled = Predicate::Enabled(local_id);
            match questions_by_part[part].last_mut() {
                Some((last, disjuncts)) if *last == index => disjuncts.push(enabled),
                _ => questions_by_part[part].push((index, vec![enabled])),
            }
        }
    }
    questions_by_part
}

/// Decides component by component whether each predicate is reachable from every reachable marking.
/// An entry is `None` if it depends on a component with more than `max_markings` markings, or with
/// too many markings or edges for the memory limit.
fn decide_by_parts(
    parts: &[Subnet],
    max_markings: u64,
    questions: &[EnabledQuestion],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<Option<bool>>, Flaw> {
    let mut stay: Vec<Option<bool>> =
        questions.iter().map(|it| Some(matches!(it, EnabledQuestion::Constant(true)))).collect();
    let mut too_large = None;
    for (part, part_questions) in parts.iter().zip(questions_of_parts(parts, questions)) {
        if part_questions.is_empty() {
            continue;
        }
        let (indices, wanted): (Vec<usize>, Vec<Predicate>) = part_questions
            .into_iter()
            .map(|(index, enabled)| (index, Predicate::or(enabled)))
            .unzip();
        let part_results = match decide_on_net(&part.net, max_markings, &wanted, goes_on) {
            Ok(part_results) => part_results.into_iter().map(Some).collect(),
            Err(flaw @ (Flaw::More(_) | Flaw::TooLarge(_))) => {
                too_large = Some(flaw);
                vec![None; wanted.len()]
            }
            Err(flaw) => return Err(flaw),
        };
        // A predicate that stays reachable in one component stays reachable. It is lost if it is
        // lost in each component that has one of its transitions.
        for (index, part_result) in indices.into_iter().zip(part_results) {
            stay[index] = match (stay[index], part_result) {
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

/// Decides whether each predicate is reachable from every reachable marking of `net`.
fn decide_on_net(
    net: &Net,
    max_markings: u64,
    wanted: &[Predicate],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<bool>, Flaw> {
    let graph = ReachabilityGraph::of(net, max_markings, goes_on)?;
    let mut stay = Vec::with_capacity(wanted.len());
    for chunk in wanted.chunks(64) {
        // By marking, a bit mask of the predicates of the chunk that are reachable from it.
        let mut reachable_from: Vec<u64> = Vec::with_capacity(graph.count());
        for marking in graph.markings() {
            let holds = chunk.iter().map(|wanted| u64::from(wanted.holds(net, &marking)));
            reachable_from
                .push((0..).zip(holds).fold(0, |mask, (bit, holds)| mask | (holds << bit)));
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
        }
        let mut worklist: Vec<u32> = (0..)
            .zip(&reachable_from)
            .filter(|(_, mask)| **mask != 0)
            .map(|(marking, _)| marking)
            .collect();
        while let Some(marking) = worklist.pop() {
            let mask = reachable_from[marking as usize];
            for &predecessor in graph.predecessors_of(marking) {
                let predecessor_mask = &mut reachable_from[predecessor as usize];
                if *predecessor_mask | mask != *predecessor_mask {
                    *predecessor_mask |= mask;
                    worklist.push(predecessor);
                }
            }
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
        }
        let common_mask = reachable_from.iter().fold(u64::MAX, |all, mask| all & mask);
        stay.extend((0..chunk.len()).map(|bit| common_mask >> bit & 1 == 1));
    }
    Ok(stay)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{PlaceId, text};

    fn staying(net: &Net, most: u64, wanted: &[Predicate]) -> Result<Vec<Option<bool>>, Flaw> {
        find_staying(net, most, wanted, &mut || true)
    }

    fn enabled(net: &Net, names: &[&str]) -> Predicate {
        let enabled = |name: &&str| Predicate::Enabled(net.transition_named(name).unwrap());
        Predicate::or(names.iter().map(enabled))
    }

    #[test]
    fn visiting_all_markings_decides_home_properties() {
        let net = text::parse(
            "place p 1\nplace q\nplace r\ntransition t: p -> q\ntransition u: q -> p
             transition v: q -> r\ntransition w: r -> r",
        )
        .unwrap();
        let marked = Predicate::at_least(PlaceId::new(2), 1);
        let all = [enabled(&net, &["w"]), enabled(&net, &["t"]), marked, Predicate::True];
        assert_eq!(staying(&net, 9, &all), Ok([true, false, true, true].map(Some).to_vec()));
        assert_eq!(staying(&net, 2, &all), Err(Flaw::More(2)));
        assert_eq!(staying(&net, 2, &all[..2]), Err(Flaw::More(2)));
        assert_eq!(find_staying(&net, 9, &all, &mut || false), Err(Flaw::Stopped));
        // More predicates than a word has bits.
        let many = vec![all[1].clone(); 64].into_iter().chain([all[0].clone()]);
        let stay = staying(&net, 9, &many.collect::<Vec<_>>()).unwrap();
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
        let expected = [Some(true), Some(false), Some(true), Some(true), Some(false)];
        assert_eq!(staying(&net, 10, &wanted), Ok(expected.to_vec()));
        // The ten markings of a and b exceed the limit, so predicates that concern only this
        // component are open.
        let expected = [Some(true), None, Some(true), Some(true), Some(false)];
        assert_eq!(staying(&net, 9, &wanted), Ok(expected.to_vec()));
        assert_eq!(staying(&net, 9, &wanted[1..2]), Err(Flaw::More(9)));
        let always = [Predicate::True, wanted[0].clone()];
        assert_eq!(staying(&net, 0, &always), Ok(vec![Some(true), None]));
        // A predicate about a place is decided on the whole net.
        let both = [wanted[0].clone(), Predicate::at_least(PlaceId::new(0), 1)];
        assert_eq!(staying(&net, 1000, &both), Err(Flaw::More(1000)));
    }
}
