//! Firing sequences from the tree: runs to nodes, and self-covering sequences.
//!
//! A node with ω represents markings with as many tokens there as *demanded*. A run to such a
//! marking follows the branch. At each acceleration it repeats the firings since the earlier node,
//! as often as the rest of the run needs. The numbers are computed from the end to the beginning:
//!
//! ```text
//! place open 1 · place ready · place store · place made             wanted: made ≥ 7
//! transition fill: open -> open + store     made is ω by `make`, 1 each time after 1:  6 times
//! transition close: open -> ready           `make` takes 1 of store, 7 in all:         store ≥ 7
//! transition make: ready + store -> ready + made    store is ω by `fill`, after 1:     6 times
//!                                           run: fill 7, close, make 7
//! ```
//!
//! # Soundness
//! All results are replayed by the recipient.

use super::tree::{Acceleration, Tree};
use parikh_evidence::check_pumping;
use parikh_net::{
    FiringSequence, LinearSum, Marking, Net, PlaceId, PumpSequence, Stage, TransitionId,
};
use parikh_structure::graph::omega::OMEGA;
use std::collections::BTreeMap;

/// Demanded tokens on places with ω.
pub(crate) type TokenDemand = BTreeMap<PlaceId, i128>;

/// Limit on the number of steps of a sequence.
const LONGEST: i128 = 200_000;

/// Limit on the approximate work for removing unnecessary stages.
const PATIENCE: usize = 100_000;

/// Returns, for each place that a sequence touches, the minimum tokens it needs and the tokens it
/// adds.
fn summary(net: &Net, word: &[TransitionId]) -> BTreeMap<PlaceId, (i128, i128)> {
    let mut all: BTreeMap<PlaceId, (i128, i128)> = BTreeMap::new();
    for &t in word.iter().rev() {
        for change in net.delta(t) {
            let (least, added) = all.entry(change.place).or_default();
            *least = (*least - i128::from(change.delta)).max(0);
            *added += i128::from(change.delta);
        }
        for arc in net.pre(t) {
            let (least, _) = all.entry(arc.place).or_default();
            *least = (*least).max(arc.weight.into());
        }
    }
    all
}

/// Returns the places with ω at a node, before its accelerations from number `made` on.
fn omegas(tree: &Tree<'_>, node: u32, made: usize) -> Vec<bool> {
    let node = &tree.nodes[node as usize];
    let mut omega: Vec<bool> = node.tokens.iter().map(|&held| held == OMEGA).collect();
    let later = node.grown[made..].iter().flat_map(|it| &it.places);
    later.for_each(|(place, ..)| omega[place.index()] = false);
    omega
}

/// Returns a run to a node with its first `made` accelerations. The final marking has at least the
/// demanded tokens on ω places and the node's tokens elsewhere. Returns `None` if the run would be
/// too long.
pub(crate) fn run(
    tree: &Tree<'_>,
    node: u32,
    made: usize,
    mut wanted: TokenDemand,
) -> Option<FiringSequence> {
    let mut omega = omegas(tree, node, made);
    wanted.retain(|place, _| omega[place.index()]);
    let mut parts: Vec<(Vec<TransitionId>, i128)> = Vec::new();
    for &at in tree.branch(node).iter().rev() {
        let here = &tree.nodes[at as usize];
        let made = if at == node { made } else { here.grown.len() };
        for grown in here.grown[..made].iter().rev() {
            let times = times(grown, &mut wanted);
            grown.places.iter().for_each(|(place, ..)| omega[place.index()] = false);
            let word = tree.way(grown.since, at);
            if times > i128::from(Marking::MAX_TOKENS) || (word.len() > 1 && times > LONGEST) {
                return None;
            }
            if times > 0 {
                want(&mut wanted, &omega, tree.net, &word, times)?;
                parts.push((word, times));
            }
        }
        if let Some((_, t)) = here.came {
            want(&mut wanted, &omega, tree.net, &[t], 1)?;
            parts.push((vec![t], 1));
        }
    }
    let steps = |(word, times): &(Vec<TransitionId>, i128)| match word.len() {
        1 => 1,
        length => times.saturating_mul(length as i128),
    };
    if parts.iter().map(steps).fold(0, i128::saturating_add) > LONGEST {
        return None;
    }
    let mut sequence = FiringSequence::new();
    for (word, times) in parts.iter().rev() {
        match word[..] {
            [t] => sequence.push(t, u64::try_from(*times).ok()?),
            _ => (0..*times).for_each(|_| word.iter().for_each(|&t| sequence.push(t, 1))),
        }
    }
    Some(sequence)
}

/// Returns how often an acceleration must be repeated to meet the demands on its places, and
/// removes these demands: the places have no ω before it.
fn times(grown: &Acceleration, wanted: &mut TokenDemand) -> i128 {
    let of_place = |&(place, held, gain): &(PlaceId, u64, u64)| {
        let missing = wanted.remove(&place)? - i128::from(held);
        // Rounded up. A gain is at least 1.
        (missing > 0).then(|| (missing + i128::from(gain) - 1) / i128::from(gain))
    };
    grown.places.iter().filter_map(of_place).max().unwrap_or(0)
}

/// Converts the demands after firing `word` `times` times into the demands before it.
fn want(
    wanted: &mut TokenDemand,
    omega: &[bool],
    net: &Net,
    word: &[TransitionId],
    times: i128,
) -> Option<()> {
    for (place, (least, added)) in summary(net, word) {
        if !omega[place.index()] {
            continue;
        }
        let after = wanted.remove(&place).unwrap_or(0);
        let all = after.checked_sub(times.checked_mul(added)?)?;
        let last = least.checked_sub((times - 1).checked_mul(added)?)?;
        let before = all.max(last).max(least);
        if before > 0 {
            wanted.insert(place, before);
        }
    }
    Some(())
}

/// Returns a self-covering sequence that increases the sum, with a prefix: one acceleration of a
/// node, provided that it consumes nothing from places with ω.
pub(super) fn single(
    tree: &Tree<'_>,
    node: u32,
    acceleration: usize,
    sum: &LinearSum,
) -> Option<(FiringSequence, FiringSequence)> {
    let since = tree.nodes[node as usize].grown[acceleration].since;
    let word = tree.way(since, node);
    let summary = summary(tree.net, &word);
    if summary.values().any(|&(_, added)| added < 0) {
        return None;
    }
    let mut grows = 0i128;
    for &(place, a) in sum.terms() {
        let (_, added) = summary.get(&place).copied().unwrap_or_default();
        grows = grows.checked_add(added.checked_mul(a.into())?)?;
    }
    if grows <= 0 {
        return None;
    }
    let wanted = summary.into_iter().map(|(place, (least, _))| (place, least)).collect();
    let prefix = run(tree, node, acceleration, wanted)?;
    Some((prefix, word.into_iter().collect()))
}

/// Returns a staged self-covering sequence that increases the sum: the accelerations of a branch up
/// to this one of its last node. Unnecessary stages are removed if this is fast. Adds the work to
/// `work`.
pub(super) fn stages(
    tree: &Tree<'_>,
    node: u32,
    acceleration: usize,
    sum: &LinearSum,
    work: &mut u64,
) -> Option<PumpSequence> {
    let mut stages: Vec<Stage> = Vec::new();
    let mut prefix = FiringSequence::new();
    for at in tree.branch(node) {
        let here = &tree.nodes[at as usize];
        here.came.iter().for_each(|&(_, t)| prefix.push(t, 1));
        let made = if at == node { acceleration + 1 } else { here.grown.len() };
        for grown in &here.grown[..made] {
            let pump = tree.way(grown.since, at).into_iter().collect();
            stages.push(Stage { prefix: std::mem::take(&mut prefix), pump });
        }
    }
    let last = stages.pop()?;
    let mut all = PumpSequence { earlier: stages, last };
    let shows = |pumping: &PumpSequence| {
        check_pumping(tree.net, pumping).is_ok_and(|growth| growth.grows(sum))
    };
    let length: usize =
        all.stages().map(|it| it.prefix.steps().len() + it.pump.steps().len()).sum();
    let places = tree.net.place_count();
    let rounds = all.earlier.len();
    let cost = |rounds: usize| rounds * (length + rounds * places);
    *work += cost(1) as u64;
    if cost(rounds) <= PATIENCE {
        *work += cost(rounds) as u64;
        for at in (0..rounds).rev() {
            let fewer = without(&all, at);
            if shows(&fewer) {
                all = fewer;
            }
        }
    }
    shows(&all).then_some(all)
}

/// Removes one earlier stage: its prefix is moved before the next stage.
fn without(pumping: &PumpSequence, at: usize) -> PumpSequence {
    let mut fewer = pumping.clone();
    let mut prefix = fewer.earlier.remove(at).prefix;
    let next = fewer.earlier.get_mut(at).unwrap_or(&mut fewer.last);
    prefix.extend(&next.prefix);
    next.prefix = prefix;
    fewer
}
