//! Firing sequences from the tree: runs to nodes, and self-covering sequences.
//!
//! A node with ω represents markings with as many tokens there as *demanded*. A run to such a
//! marking follows the branch. An acceleration makes places ω, because the firings since an earlier
//! node can be repeated. The run repeats these firings as often as its later firings and the demand
//! require. The numbers are computed from the end to the beginning:
//!
//! ```text
//! place open 1 · place ready · place store · place made             wanted: made ≥ 7
//! transition fill: open -> open + store     made has 1, each `make` adds 1: 6 more `make`
//! transition close: open -> ready           7 firings of `make` take 7 of store: store ≥ 7
//! transition make: ready + store -> ready + made    store has 1, `fill` adds 1: 6 more `fill`
//!                                           run: fill 7, close, make 7
//! ```
//!
//! # Soundness
//! All results are replayed by the recipient.

use super::tree::{Acceleration, GrowingPlace, Tree};
use parikh_evidence::check_pumping;
use parikh_net::{
    FiringSequence, LinearSum, Marking, Net, PlaceId, PumpSequence, Stage, TransitionId,
};
use parikh_structure::graph::omega::OMEGA;
use std::collections::BTreeMap;

/// The tokens demanded on places with ω, by place.
pub(crate) type TokenDemand = BTreeMap<PlaceId, i128>;

/// Limit on the number of steps of a firing sequence.
const MAX_STEPS: i128 = 200_000;

/// Limit on the approximate work for removing unnecessary stages from a staged sequence.
const MAX_STAGE_WORK: usize = 100_000;

/// Returns a pair for each place that a sequence touches. The first number is the minimum number of
/// tokens that the sequence needs. The second is the number that it adds, which may be negative.
fn token_effects(net: &Net, word: &[TransitionId]) -> BTreeMap<PlaceId, (i128, i128)> {
    let mut effects: BTreeMap<PlaceId, (i128, i128)> = BTreeMap::new();
    for &t in word.iter().rev() {
        for change in net.delta(t) {
            let (needed, added) = effects.entry(change.place).or_default();
            *needed = (*needed - i128::from(change.delta)).max(0);
            *added += i128::from(change.delta);
        }
        for arc in net.pre(t) {
            let (needed, _) = effects.entry(arc.place).or_default();
            *needed = (*needed).max(arc.weight.into());
        }
    }
    effects
}

/// Returns, by place, true if the place has ω at a node after the node's first `acceleration_count`
/// accelerations.
fn omega_places(tree: &Tree<'_>, node: u32, acceleration_count: usize) -> Vec<bool> {
    let node = &tree.nodes[node as usize];
    let mut is_omega: Vec<bool> = node.tokens.iter().map(|&held| held == OMEGA).collect();
    let later_places = node.accelerations[acceleration_count..].iter().flat_map(|it| &it.places);
    later_places.for_each(|growing| is_omega[growing.place.index()] = false);
    is_omega
}

/// Returns a run to a node with its first `acceleration_count` accelerations. The final marking has
/// at least the demanded tokens on the places that have ω after these accelerations. Elsewhere it
/// has the node's tokens before its later accelerations. Returns `None` if the run would be too
/// long or a number overflows.
pub(crate) fn sequence_to_node(
    tree: &Tree<'_>,
    node: u32,
    acceleration_count: usize,
    mut demand: TokenDemand,
) -> Option<FiringSequence> {
    let mut is_omega = omega_places(tree, node, acceleration_count);
    demand.retain(|place, _| is_omega[place.index()]);
    let mut blocks: Vec<(Vec<TransitionId>, i128)> = Vec::new();
    for &branch_node in tree.branch(node).iter().rev() {
        let current = &tree.nodes[branch_node as usize];
        let acceleration_count =
            if branch_node == node { acceleration_count } else { current.accelerations.len() };
        for acceleration in current.accelerations[..acceleration_count].iter().rev() {
            let times = repetitions(acceleration, &mut demand);
            acceleration.places.iter().for_each(|growing| is_omega[growing.place.index()] = false);
            let word = tree.path(acceleration.start, branch_node);
            if times > i128::from(Marking::MAX_TOKENS) || (word.len() > 1 && times > MAX_STEPS) {
                return None;
            }
            if times > 0 {
                shift_demand(&mut demand, &is_omega, tree.net, &word, times)?;
                blocks.push((word, times));
            }
        }
        if let Some((_, t)) = current.origin {
            shift_demand(&mut demand, &is_omega, tree.net, &[t], 1)?;
            blocks.push((vec![t], 1));
        }
    }
    let steps = |(word, times): &(Vec<TransitionId>, i128)| match word.len() {
        1 => 1,
        length => times.saturating_mul(length as i128),
    };
    if blocks.iter().map(steps).fold(0, i128::saturating_add) > MAX_STEPS {
        return None;
    }
    let mut sequence = FiringSequence::new();
    for (word, times) in blocks.iter().rev() {
        match word[..] {
            [t] => sequence.push(t, u64::try_from(*times).ok()?),
            _ => (0..*times).for_each(|_| word.iter().for_each(|&t| sequence.push(t, 1))),
        }
    }
    Some(sequence)
}

/// Returns how often an acceleration must be repeated to meet the demands on its places. Removes
/// these demands, because the places have no ω before the acceleration.
fn repetitions(acceleration: &Acceleration, demand: &mut TokenDemand) -> i128 {
    let repetitions_for = |&GrowingPlace { place, tokens, gain }: &GrowingPlace| {
        let missing = demand.remove(&place)? - i128::from(tokens);
        // Rounded up. A gain is at least 1.
        (missing > 0).then(|| (missing + i128::from(gain) - 1) / i128::from(gain))
    };
    acceleration.places.iter().filter_map(repetitions_for).max().unwrap_or(0)
}

/// Converts the demands after firing `word` `times` times into the demands before. Only places with
/// ω, as given by `omega`, have demands. Returns `None` on overflow.
fn shift_demand(
    demand: &mut TokenDemand,
    omega: &[bool],
    net: &Net,
    word: &[TransitionId],
    times: i128,
) -> Option<()> {
    for (place, (needed, added)) in token_effects(net, word) {
        if !omega[place.index()] {
            continue;
        }
        let demanded_after = demand.remove(&place).unwrap_or(0);
        let before_all = demanded_after.checked_sub(times.checked_mul(added)?)?;
        let before_last = needed.checked_sub((times - 1).checked_mul(added)?)?;
        let before = before_all.max(before_last).max(needed);
        if before > 0 {
            demand.insert(place, before);
        }
    }
    Some(())
}

/// Returns a self-covering sequence that increases the sum: a prefix, and the firings of one
/// acceleration of a node. Returns `None` if these firings together remove tokens from some place
/// or do not increase the sum. Also returns `None` if the prefix would be too long or a number
/// overflows.
pub(super) fn single_pump(
    tree: &Tree<'_>,
    node: u32,
    acceleration: usize,
    sum: &LinearSum,
) -> Option<(FiringSequence, FiringSequence)> {
    let start = tree.nodes[node as usize].accelerations[acceleration].start;
    let word = tree.path(start, node);
    let summary = token_effects(tree.net, &word);
    if summary.values().any(|&(_, added)| added < 0) {
        return None;
    }
    let mut growth = 0i128;
    for &(place, a) in sum.terms() {
        let (_, added) = summary.get(&place).copied().unwrap_or_default();
        growth = growth.checked_add(added.checked_mul(a.into())?)?;
    }
    if growth <= 0 {
        return None;
    }
    let demand = summary.into_iter().map(|(place, (needed, _))| (place, needed)).collect();
    let prefix = sequence_to_node(tree, node, acceleration, demand)?;
    Some((prefix, word.into_iter().collect()))
}

/// Returns a staged self-covering sequence that increases the sum, that is, a sequence with several
/// cycles. A cycle may use tokens that earlier cycles added. The cycles are the accelerations of
/// the branch to `node`, up to the given acceleration of `node`. Unnecessary stages are removed if
/// the estimated work is small. Adds the work to `work`. Returns `None` if the sequence cannot be
/// replayed, or if [`check_pumping`] does not show that the sum increases.
pub(super) fn staged_pump(
    tree: &Tree<'_>,
    node: u32,
    acceleration: usize,
    sum: &LinearSum,
    work: &mut u64,
) -> Option<PumpSequence> {
    let mut stages: Vec<Stage> = Vec::new();
    let mut prefix = FiringSequence::new();
    for branch_node in tree.branch(node) {
        let current = &tree.nodes[branch_node as usize];
        current.origin.iter().for_each(|&(_, t)| prefix.push(t, 1));
        let acceleration_count =
            if branch_node == node { acceleration + 1 } else { current.accelerations.len() };
        for current_acceleration in &current.accelerations[..acceleration_count] {
            let pump = tree.path(current_acceleration.start, branch_node).into_iter().collect();
            stages.push(Stage { prefix: std::mem::take(&mut prefix), pump });
        }
    }
    let last = stages.pop()?;
    let mut sequence = PumpSequence { earlier: stages, last };
    let increases_sum = |pumping: &PumpSequence| {
        check_pumping(tree.net, pumping).is_ok_and(|growth| growth.grows(sum))
    };
    let length: usize =
        sequence.stages().map(|it| it.prefix.steps().len() + it.pump.steps().len()).sum();
    let places = tree.net.place_count();
    let stage_count = sequence.earlier.len();
    let cost = |stage_count: usize| stage_count * (length + stage_count * places);
    *work += cost(1) as u64;
    if cost(stage_count) <= MAX_STAGE_WORK {
        *work += cost(stage_count) as u64;
        for stage in (0..stage_count).rev() {
            let shorter = without_stage(&sequence, stage);
            if increases_sum(&shorter) {
                sequence = shorter;
            }
        }
    }
    increases_sum(&sequence).then_some(sequence)
}

/// Returns the sequence without the stage with index `stage` in [`PumpSequence::earlier`]. The
/// prefix of this stage moves to the beginning of the next stage.
fn without_stage(pumping: &PumpSequence, stage: usize) -> PumpSequence {
    let mut shorter = pumping.clone();
    let mut prefix = shorter.earlier.remove(stage).prefix;
    let next = shorter.earlier.get_mut(stage).unwrap_or(&mut shorter.last);
    prefix.extend(&next.prefix);
    next.prefix = prefix;
    shorter
}
