//! Routers of fused places: determine, firing by firing, which of the fused places must hold the
//! tokens.
//!
//! The reduced net knows only the sum of the tokens of a fused group. A router follows a sequence
//! from the start, so it knows the tokens of each place. Before a firing that takes from the group,
//! it provides the tokens in one of two ways. *Moves* are transitions that only take one token from
//! one place of the group and put it into another; the router fires them along a shortest path, for
//! as many firings at once as the tokens allow. A *twin* is a transition with the same effect that
//! takes its token from another place of the group; the router chooses a twin that is enabled.

use super::back_error::BackError;
use parikh_evidence::reduction::WorkNet;
use parikh_evidence::reduction::rules::equal_futures::are_twins;
use parikh_evidence::reduction::rules::fused_cycles::move_of;
use parikh_net::{FiringStep, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::collections::{HashMap, VecDeque};

/// The arcs between a transition and the places of a group: (position, taken, put).
type GroupArcs = Box<[(usize, u64, u64)]>;

/// The method that provides tokens to a firing.
#[derive(Debug)]
enum ReductionRoute {
    /// Moves (from, to, by): positions in the group, and the transition that moves a token. The
    /// moves connect the group strongly.
    Moves(Vec<(usize, usize, TransitionId)>),
    /// Classes of twins: transitions that each take one token from one place of the group and are
    /// otherwise equal up to places of the group. Each class has one transition for every place.
    Twins(Vec<Vec<TransitionId>>),
}

impl ReductionRoute {
    /// Determines the routing for the places of `group` before they are fused in `net`: by the
    /// given moves, or by twins if there are none.
    fn of(net: &WorkNet, group: &[PlaceId], moves: &[TransitionId]) -> ReductionRoute {
        if moves.is_empty()
            && let &[p, q] = group
        {
            let class = |t: TransitionId| {
                let twins = net.consumers(q).filter(|&u| are_twins(net, t, u, p, q));
                std::iter::once(t).chain(twins).collect()
            };
            return ReductionRoute::Twins(net.consumers(p).map(class).collect());
        }
        let at: HashMap<PlaceId, usize> = group.iter().copied().zip(0..).collect();
        let ends = |&t: &TransitionId| {
            let (from, to) = move_of(net, t)?;
            Some((*at.get(&from)?, *at.get(&to)?, t))
        };
        let mut moves: Vec<_> = moves.iter().filter_map(ends).collect();
        // Sorted by target, because `path_to` looks up the moves to a place.
        moves.sort_by_key(|&(_, to, _)| to);
        ReductionRoute::Moves(moves)
    }
}

/// The router of one fusion; see the module documentation.
#[derive(Debug)]
pub(super) struct Router {
    /// Transitions with this id or a higher one were created after the fusion.
    watermark: usize,
    initial: Vec<u64>,
    routing: ReductionRoute,
    arcs: HashMap<TransitionId, GroupArcs>,
    /// The class of a transition with twins.
    class_of: HashMap<TransitionId, usize>,
}

impl Router {
    /// Creates the router for the places of `group` before they are fused in `net`; see
    /// [`BackTranslation::fuse`](super::BackTranslation::fuse).
    pub(super) fn new(net: &WorkNet, group: &[PlaceId], moves: &[TransitionId]) -> Router {
        let routing = ReductionRoute::of(net, group, moves);
        let mut arcs: HashMap<TransitionId, Vec<(usize, u64, u64)>> = HashMap::new();
        for (at, &p) in group.iter().enumerate() {
            for t in net.neighbours(p) {
                let arc = (at, net.pre_weight(t, p), net.post_weight(t, p));
                arcs.entry(t).or_default().push(arc);
            }
        }
        let mut class_of = HashMap::new();
        if let ReductionRoute::Twins(classes) = &routing {
            for (class, twins) in classes.iter().enumerate() {
                class_of.extend(twins.iter().map(|&t| (t, class)));
            }
        }
        Router {
            watermark: net.transition_ids(),
            initial: group.iter().map(|&p| net.tokens(p)).collect(),
            routing,
            arcs: arcs.into_iter().map(|(t, arcs)| (t, arcs.into_boxed_slice())).collect(),
            class_of,
        }
    }

    pub(super) fn watermark(&self) -> usize {
        self.watermark
    }

    pub(super) fn initial(&self) -> Vec<u64> {
        self.initial.clone()
    }

    /// Appends the firings for the first part of `step` in the net before the fusion to `out`, and
    /// updates `tokens`. Returns the rest of the step.
    pub(super) fn route(
        &self,
        tokens: &mut [u64],
        step: FiringStep,
        out: &mut Vec<FiringStep>,
        budget: &Budget,
    ) -> Result<Option<FiringStep>, BackError> {
        if !self.arcs.contains_key(&step.transition) {
            out.push(step);
            return Ok(None);
        }
        let mut fires = step.transition;
        match &self.routing {
            ReductionRoute::Moves(moves) => {
                if let Some(arcs) = self.arcs.get(&fires) {
                    gather(tokens, arcs, step.count, moves, out, budget)?;
                }
            }
            ReductionRoute::Twins(classes) => {
                if let Some(&class) = self.class_of.get(&fires) {
                    let twins = classes[class].iter().copied();
                    let fit = |t: &TransitionId| self.arcs.get(t).is_some_and(|a| fits(tokens, a));
                    fires = twins.clone().find(fit).ok_or(BackError::NotEnabled)?;
                }
            }
        }
        // Fires as often as the tokens allow, at least once.
        let arcs = self.arcs.get(&fires).ok_or(BackError::NotEnabled)?;
        let mut count = step.count;
        for &(at, taken, put) in arcs {
            if tokens[at] < taken {
                return Err(BackError::NotEnabled);
            }
            if taken > put {
                count = count.min((tokens[at] - taken) / (taken - put) + 1);
            }
        }
        for &(at, taken, put) in arcs {
            let after =
                i128::from(tokens[at]) + i128::from(count) * (i128::from(put) - i128::from(taken));
            tokens[at] = u64::try_from(after).map_err(|_| BackError::NotEnabled)?;
        }
        out.push(FiringStep { transition: fires, count });
        let rest = FiringStep { count: step.count - count, ..step };
        Ok((rest.count > 0).then_some(rest))
    }
}

/// Moves tokens until a firing with these arcs is enabled, for as many of `count` firings as the
/// tokens of the group suffice. `moves` are sorted by target.
fn gather(
    tokens: &mut [u64],
    arcs: &GroupArcs,
    count: u64,
    moves: &[(usize, usize, TransitionId)],
    out: &mut Vec<FiringStep>,
    budget: &Budget,
) -> Result<(), BackError> {
    if fits(tokens, arcs) {
        return Ok(());
    }
    let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.map(u128::from).sum::<u128>();
    let lost = |taken: u64, put: u64| taken.saturating_sub(put);
    let there = sum(&mut tokens.iter().copied());
    let first = sum(&mut arcs.iter().map(|&(_, taken, _)| taken));
    let each = sum(&mut arcs.iter().map(|&(_, taken, put)| lost(taken, put)));
    let spare = there.checked_sub(first).ok_or(BackError::NotEnabled)?;
    let more =
        spare.checked_div(each).unwrap_or(u128::MAX).min(u128::from(count.saturating_sub(1)));
    let mut wanted = vec![0; tokens.len()];
    for &(at, taken, put) in arcs {
        let all = u128::from(taken) + more * u128::from(lost(taken, put));
        wanted[at] = u64::try_from(all).map_err(|_| BackError::NotEnabled)?;
    }
    for place in 0..tokens.len() {
        while tokens[place] < wanted[place] {
            if let Some(why) = budget.exhausted() {
                return Err(BackError::OutOfBudget(why));
            }
            let path = path_to(place, tokens.len(), moves, |at| tokens[at] > wanted[at])
                .ok_or(BackError::NotEnabled)?;
            // Move all tokens that this place can spare at once.
            let Some(&(from, ..)) = path.first() else { return Err(BackError::NotEnabled) };
            let count = (tokens[from] - wanted[from]).min(wanted[place] - tokens[place]);
            out.extend(path.iter().map(|&(.., transition)| FiringStep { transition, count }));
            tokens[from] -= count;
            tokens[place] += count;
        }
    }
    Ok(())
}

fn fits(tokens: &[u64], arcs: &GroupArcs) -> bool {
    arcs.iter().all(|&(at, taken, _)| tokens[at] >= taken)
}

/// Returns a shortest chain of moves, first move first, from a place that can spare a token to
/// `goal`. `places` is the size of the group, and `moves` are sorted by target.
fn path_to(
    goal: usize,
    places: usize,
    moves: &[(usize, usize, TransitionId)],
    spares: impl Fn(usize) -> bool,
) -> Option<Vec<(usize, usize, TransitionId)>> {
    // Groups of thousands of places are common, and this function runs for each moved token.
    let mut next: Vec<Option<(usize, usize, TransitionId)>> = vec![None; places];
    let mut queue = VecDeque::from([goal]);
    while let Some(at) = queue.pop_front() {
        if at != goal && spares(at) {
            let mut path = Vec::new();
            let mut here = at;
            while here != goal {
                let step = next[here]?;
                path.push(step);
                here = step.1;
            }
            return Some(path);
        }
        let there = moves.partition_point(|&(_, to, _)| to < at);
        for &step in moves[there..].iter().take_while(|&&(_, to, _)| to == at) {
            if step.0 != goal && next[step.0].is_none() {
                next[step.0] = Some(step);
                queue.push_back(step.0);
            }
        }
    }
    None
}
