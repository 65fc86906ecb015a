//! Routers of fused places: determine, firing by firing, which of the fused places must hold the
//! tokens.
//!
//! The reduced net knows only the sum of the tokens of a fused group. A router follows a sequence
//! from the start, so it knows the tokens of each place. Before a firing that takes from the group,
//! it provides the tokens in one of two ways. *Moves* are transitions that only move one token from
//! one place of the group to another; the router fires them along a shortest path, for as many
//! firings at once as the tokens allow. A *twin* takes its token from the other place of a group of
//! two, and has equal arcs outside of the group. The router chooses a twin that is enabled.

use super::back_error::BackError;
use parikh_evidence::reduction::WorkNet;
use parikh_evidence::reduction::rules::equal_futures::are_twins;
use parikh_evidence::reduction::rules::fused_cycles::move_of;
use parikh_net::{FiringStep, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::collections::{HashMap, VecDeque};

/// The arcs between a transition and the places of a group, as triples: position in the group,
/// tokens consumed, tokens produced.
type GroupArcs = Box<[(usize, u64, u64)]>;

/// The method by which tokens get to the place from which a firing takes them.
#[derive(Debug)]
enum ReductionRoute {
    /// Moves as triples: position of the source in the group, position of the target, and the
    /// transition that moves one token. For fused cycles, the moves connect the group strongly. For
    /// chained places, there is only one move.
    Moves(Vec<(usize, usize, TransitionId)>),
    /// Classes of twins for a group of two places p and q. A class consists of a transition that
    /// consumes one token from p, and of its twins, which consume one token from q. Twins have
    /// equal arcs at all other places, and produce equally many tokens on p and q together.
    Twins(Vec<Vec<TransitionId>>),
}

impl ReductionRoute {
    /// Determines the route for the places of `group`, before they are fused in `net`. Tokens are
    /// moved by the transitions `moves`. Transitions in `moves` that do not move a token within the
    /// group are left out. If `moves` is empty and the group has two places, twins replace moves.
    fn choose(net: &WorkNet, group: &[PlaceId], moves: &[TransitionId]) -> ReductionRoute {
        if moves.is_empty()
            && let &[p, q] = group
        {
            let class = |t: TransitionId| {
                let twins = net.consumers(q).filter(|&u| are_twins(net, t, u, p, q));
                std::iter::once(t).chain(twins).collect()
            };
            return ReductionRoute::Twins(net.consumers(p).map(class).collect());
        }
        let position_of: HashMap<PlaceId, usize> = group.iter().copied().zip(0..).collect();
        let to_move = |&t: &TransitionId| {
            let (from, to) = move_of(net, t)?;
            Some((*position_of.get(&from)?, *position_of.get(&to)?, t))
        };
        let mut moves: Vec<_> = moves.iter().filter_map(to_move).collect();
        // Sorted by target, because `path_to` looks up the moves to a place.
        moves.sort_by_key(|&(_, to, _)| to);
        ReductionRoute::Moves(moves)
    }
}

/// The router of one fusion; see the module documentation.
#[derive(Debug)]
pub(super) struct Router {
    /// The number of transition ids before the fusion. A transition was created after the fusion if
    /// its index is at least this number.
    watermark: usize,
    /// Initial tokens, by position in the group.
    initial: Vec<u64>,
    /// The method by which tokens get to the place of the group from which a firing takes them.
    route_kind: ReductionRoute,
    /// The arcs of each transition next to the group.
    group_arcs: HashMap<TransitionId, GroupArcs>,
    /// For each transition in a class of twins, the index of the last such class in the list of
    /// classes.
    class_of: HashMap<TransitionId, usize>,
}

impl Router {
    /// Creates the router for the places of `group` before they are fused in `net`; see
    /// [`BackTranslation::fuse`](super::BackTranslation::fuse).
    pub(super) fn new(net: &WorkNet, group: &[PlaceId], moves: &[TransitionId]) -> Router {
        let route_kind = ReductionRoute::choose(net, group, moves);
        let mut arcs: HashMap<TransitionId, Vec<(usize, u64, u64)>> = HashMap::new();
        for (position, &p) in group.iter().enumerate() {
            for t in net.neighbours(p) {
                let arc = (position, net.pre_weight(t, p), net.post_weight(t, p));
                arcs.entry(t).or_default().push(arc);
            }
        }
        let mut class_of = HashMap::new();
        if let ReductionRoute::Twins(classes) = &route_kind {
            for (class, twins) in classes.iter().enumerate() {
                class_of.extend(twins.iter().map(|&t| (t, class)));
            }
        }
        Router {
            watermark: net.transition_ids(),
            initial: group.iter().map(|&p| net.tokens(p)).collect(),
            route_kind,
            group_arcs: arcs.into_iter().map(|(t, arcs)| (t, arcs.into_boxed_slice())).collect(),
            class_of,
        }
    }

    /// Returns the number of transition ids before the fusion. A transition was created after the
    /// fusion if its index is at least this number.
    pub(super) fn watermark(&self) -> usize {
        self.watermark
    }

    /// Returns the initial tokens, by position in the group.
    pub(super) fn initial(&self) -> Vec<u64> {
        self.initial.clone()
    }

    /// Appends the firings for the first part of `step` in the net before the fusion to `firings`,
    /// and updates `tokens`. Returns the remaining part of the step, or `None` if the whole step is
    /// translated. Returns an error if the fused places lack the tokens for one firing, or if the
    /// budget is exhausted.
    pub(super) fn route(
        &self,
        tokens: &mut [u64],
        step: FiringStep,
        firings: &mut Vec<FiringStep>,
        budget: &Budget,
    ) -> Result<Option<FiringStep>, BackError> {
        if !self.group_arcs.contains_key(&step.transition) {
            firings.push(step);
            return Ok(None);
        }
        let mut fired_transition = step.transition;
        match &self.route_kind {
            ReductionRoute::Moves(moves) => {
                if let Some(arcs) = self.group_arcs.get(&fired_transition) {
                    gather_tokens(tokens, arcs, step.count, moves, firings, budget)?;
                }
            }
            ReductionRoute::Twins(classes) => {
                if let Some(&class) = self.class_of.get(&fired_transition) {
                    let twins = classes[class].iter().copied();
                    let is_enabled = |t: &TransitionId| {
                        self.group_arcs.get(t).is_some_and(|a| has_tokens(tokens, a))
                    };
                    fired_transition =
                        twins.clone().find(is_enabled).ok_or(BackError::NotEnabled)?;
                }
            }
        }
        // Fires as often as the tokens allow, at least once.
        let arcs = self.group_arcs.get(&fired_transition).ok_or(BackError::NotEnabled)?;
        let mut count = step.count;
        for &(position, removed, added) in arcs {
            if tokens[position] < removed {
                return Err(BackError::NotEnabled);
            }
            if removed > added {
                count = count.min((tokens[position] - removed) / (removed - added) + 1);
            }
        }
        for &(position, removed, added) in arcs {
            let tokens_after = i128::from(tokens[position])
                + i128::from(count) * (i128::from(added) - i128::from(removed));
            tokens[position] = u64::try_from(tokens_after).map_err(|_| BackError::NotEnabled)?;
        }
        firings.push(FiringStep { transition: fired_transition, count });
        let remaining_step = FiringStep { count: step.count - count, ..step };
        Ok((remaining_step.count > 0).then_some(remaining_step))
    }
}

/// Moves tokens within the group until each place has the tokens for a firing with these arcs. Does
/// nothing if the places have these tokens already. If tokens are moved, then enough for `count`
/// firings, or for as many firings as the tokens of the whole group allow. `moves` are sorted by
/// target. Returns an error if the group has too few tokens, no moves lead to a place that needs
/// tokens, or the budget is exhausted.
fn gather_tokens(
    tokens: &mut [u64],
    arcs: &GroupArcs,
    count: u64,
    moves: &[(usize, usize, TransitionId)],
    firings: &mut Vec<FiringStep>,
    budget: &Budget,
) -> Result<(), BackError> {
    if has_tokens(tokens, arcs) {
        return Ok(());
    }
    // Each firing after the first needs only the tokens that the firing before has lost.
    let total = |numbers: &mut dyn Iterator<Item = u64>| numbers.map(u128::from).sum::<u128>();
    let net_loss = |taken: u64, put: u64| taken.saturating_sub(put);
    let available = total(&mut tokens.iter().copied());
    let needed_once = total(&mut arcs.iter().map(|&(_, taken, _)| taken));
    let lost_per_firing = total(&mut arcs.iter().map(|&(_, taken, put)| net_loss(taken, put)));
    let surplus = available.checked_sub(needed_once).ok_or(BackError::NotEnabled)?;
    let extra_firings = surplus
        .checked_div(lost_per_firing)
        .unwrap_or(u128::MAX)
        .min(u128::from(count.saturating_sub(1)));
    let mut required = vec![0; tokens.len()];
    for &(position, taken, put) in arcs {
        let required_tokens = u128::from(taken) + extra_firings * u128::from(net_loss(taken, put));
        required[position] = u64::try_from(required_tokens).map_err(|_| BackError::NotEnabled)?;
    }
    for target in 0..tokens.len() {
        while tokens[target] < required[target] {
            if let Some(reason) = budget.exhausted() {
                return Err(BackError::OutOfBudget(reason));
            }
            let path = path_to(target, tokens.len(), moves, |position| {
                tokens[position] > required[position]
            })
            .ok_or(BackError::NotEnabled)?;
            // Moves as many tokens at once as the place `from` can spare and `target` needs.
            let Some(&(from, ..)) = path.first() else { return Err(BackError::NotEnabled) };
            let count = (tokens[from] - required[from]).min(required[target] - tokens[target]);
            firings.extend(path.iter().map(|&(.., transition)| FiringStep { transition, count }));
            tokens[from] -= count;
            tokens[target] += count;
        }
    }
    Ok(())
}

/// Returns true if the group has the tokens that a firing with these arcs takes.
fn has_tokens(tokens: &[u64], arcs: &GroupArcs) -> bool {
    arcs.iter().all(|&(position, taken, _)| tokens[position] >= taken)
}

/// Returns a shortest path of moves, first move first, from a place that can spare a token to
/// `goal`. Returns `None` if no such place leads to `goal`. `group_size` is the number of places of
/// the group, and `moves` are sorted by target.
fn path_to(
    goal: usize,
    group_size: usize,
    moves: &[(usize, usize, TransitionId)],
    can_spare: impl Fn(usize) -> bool,
) -> Option<Vec<(usize, usize, TransitionId)>> {
    // For each position, the first move from there towards `goal`. A vector is faster than a map:
    // groups of thousands of places are common, and this function runs for each place that gives
    // tokens.
    let mut next: Vec<Option<(usize, usize, TransitionId)>> = vec![None; group_size];
    let mut queue = VecDeque::from([goal]);
    while let Some(position) = queue.pop_front() {
        if position != goal && can_spare(position) {
            let mut path = Vec::new();
            let mut current = position;
            while current != goal {
                let step = next[current]?;
                path.push(step);
                current = step.1;
            }
            return Some(path);
        }
        let first_move = moves.partition_point(|&(_, to, _)| to < position);
        for &step in moves[first_move..].iter().take_while(|&&(_, to, _)| to == position) {
            if step.0 != goal && next[step.0].is_none() {
                next[step.0] = Some(step);
                queue.push_back(step.0);
            }
        }
    }
    None
}
