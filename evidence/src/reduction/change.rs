//! Applies the changes (*proposals*) that reduction rules derive. This is the only code that
//! changes a working net.
//!
//! A proposal is applied as a whole or not at all. The rule has derived it from the current net, so
//! only its form is checked here: its places and transitions exist, none occurs twice where that
//! makes no sense, and markings stay in their range. A proposal that fails is a bug of its rule;
//! the caller drops and counts it.

use super::work::WorkNet;
use parikh_net::{Arc, FiringStep, Marking, PlaceId, TransitionId};
use std::collections::BTreeMap;

/// A primitive change of a working net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Removes a place and its arcs.
    RemovePlace(PlaceId),
    /// Removes a place that always holds its initial tokens, with its arcs.
    RemoveConstant(PlaceId),
    /// Removes a place, with its arcs, whose tokens always follow from other places by a linear
    /// equation.
    RemoveEqual(Equality),
    /// Removes a transition.
    RemoveTransition(TransitionId),
    /// Removes a transition that can never fire.
    RemoveDead(TransitionId),
    /// Adds a transition that is equivalent to a sequence of others.
    AddTransition {
        /// The preset with weights, ascending.
        pre: Vec<Arc>,
        /// The postset with weights, ascending.
        post: Vec<Arc>,
        /// The sequence, in ids that exist before this proposal.
        stands_for: Vec<FiringStep>,
    },
    /// Sets the weights of the arcs between a place and the listed transitions, which ascend. Each
    /// entry has the transition, the tokens that it consumes from the place, and the tokens that it
    /// produces on the place.
    SetArcs(PlaceId, Vec<(TransitionId, u64, u64)>),
    /// Divides all weights at a place by a number, and its tokens with rounding down.
    Divide(PlaceId, u64),
    /// Fires a transition in the initial marking, as often as the step says. The new initial
    /// marking is the one afterwards.
    Prefire(FiringStep),
    /// Merges places into the first listed place. Arc weights and tokens are added up.
    Fuse(Vec<PlaceId>),
    /// Records transitions of the current net that may be enabled where the reduced net is dead. A
    /// firing sequence to such a dead marking fires these transitions last.
    FireInDeadMarkings(Vec<TransitionId>),
}

/// An equation that holds in every reachable marking: `times` the tokens of `place` equal the
/// weighted sum plus `constant`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equality {
    /// The place whose tokens follow from the others.
    pub place: PlaceId,
    /// The positive multiplicity of the place.
    pub times: u32,
    /// Other places, without duplicates, with positive weights.
    pub sum: Vec<(PlaceId, u32)>,
    /// The constant of the equation.
    pub constant: i128,
}

/// The error that a proposal cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidProposal;

/// Applies `proposal` to `net`, edits in order, as a whole or not at all. Calls `observe` with the
/// net and the proposal just before the change, for callers that record changes.
///
/// # Errors
/// When the form of the proposal is wrong, which is a bug of its rule. Also when a merged place
/// would exceed the maximum number of tokens or the maximum weight.
pub fn apply(
    net: &mut WorkNet,
    proposal: Vec<Edit>,
    observe: impl FnOnce(&WorkNet, &[Edit]),
) -> Result<(), InvalidProposal> {
    validate(net, &proposal)?;
    observe(net, &proposal);
    for edit in proposal {
        match edit {
            Edit::RemovePlace(p) => net.remove_place(p),
            Edit::RemoveEqual(equality) => net.remove_place(equality.place),
            Edit::RemoveConstant(p) => {
                net.mark_constant(p);
                net.remove_place(p);
            }
            Edit::RemoveTransition(t) | Edit::RemoveDead(t) => net.remove_transition(t),
            Edit::AddTransition { pre, post, .. } => net.add_transition(pre, post),
            Edit::SetArcs(p, arcs) => net.set_arcs(p, &arcs),
            Edit::Divide(p, divisor) => {
                net.mark_changed_meaning(p);
                let weights = |t| (net.pre_weight(t, p) / divisor, net.post_weight(t, p) / divisor);
                let arcs = net.neighbours(p).into_iter().map(|t| (t, weights(t).0, weights(t).1));
                let arcs: Vec<_> = arcs.collect();
                net.set_arcs(p, &arcs);
                net.set_tokens(p, net.tokens(p) / divisor);
            }
            Edit::Prefire(step) => {
                let changes: Vec<_> = net.changes(step.transition).collect();
                for (p, change) in changes {
                    // `validate` has checked that the result is in range.
                    let gain = change.wrapping_mul(step.count as i64);
                    net.set_tokens(p, net.tokens(p).wrapping_add_signed(gain));
                }
            }
            Edit::Fuse(places) => merge(net, &places),
            Edit::FireInDeadMarkings(_) => {}
        }
    }
    Ok(())
}

/// Checks the form of a proposal, without changing the net.
fn validate(net: &WorkNet, proposal: &[Edit]) -> Result<(), InvalidProposal> {
    let mut places: Vec<PlaceId> = Vec::new();
    let mut transitions: Vec<TransitionId> = Vec::new();
    for edit in proposal {
        let is_valid = match edit {
            Edit::RemovePlace(p) | Edit::RemoveConstant(p) => {
                places.push(*p);
                net.has_place(*p)
            }
            Edit::RemoveEqual(equality) => {
                places.push(equality.place);
                let others = equality.sum.iter().map(|(p, _)| *p);
                std::iter::once(equality.place).chain(others).all(|p| net.has_place(p))
            }
            Edit::RemoveTransition(t) | Edit::RemoveDead(t) => {
                transitions.push(*t);
                net.has_transition(*t)
            }
            Edit::AddTransition { pre, post, stands_for } => {
                let is_valid_row = |row: &[Arc]| {
                    row.is_sorted_by(|a, b| a.place < b.place)
                        && row.iter().all(|arc| {
                            net.has_place(arc.place)
                                && (1..=Marking::MAX_TOKENS).contains(&arc.weight)
                        })
                };
                let is_known = |step: &FiringStep| {
                    step.count > 0 && step.transition.index() < net.transition_ids()
                };
                is_valid_row(pre)
                    && is_valid_row(post)
                    && !stands_for.is_empty()
                    && stands_for.iter().all(is_known)
            }
            Edit::SetArcs(p, arcs) => {
                net.has_place(*p)
                    && arcs.is_sorted_by(|a, b| a.0 < b.0)
                    && arcs.iter().all(|&(t, taken, put)| {
                        net.has_transition(t) && taken.max(put) <= Marking::MAX_TOKENS
                    })
            }
            Edit::Divide(p, divisor) => net.has_place(*p) && *divisor > 1,
            Edit::Prefire(step) => net.can_fire(*step),
            Edit::Fuse(group) => {
                places.extend(&group[1..]);
                group.iter().all(|&p| net.has_place(p)) && fused_arcs(net, group).is_some()
            }
            Edit::FireInDeadMarkings(transitions) => {
                transitions.iter().all(|&t| net.has_transition(t))
            }
        };
        if !is_valid {
            return Err(InvalidProposal);
        }
    }
    places.sort_unstable();
    transitions.sort_unstable();
    let are_distinct = places.is_sorted_by(|a, b| a < b) && transitions.is_sorted_by(|a, b| a < b);
    if are_distinct { Ok(()) } else { Err(InvalidProposal) }
}

/// Returns the arcs of the merged place. Each entry has a transition, the tokens that it consumes,
/// and the tokens that it produces. Returns `None` if a weight or the number of tokens exceeds the
/// maximum.
fn fused_arcs(net: &WorkNet, group: &[PlaceId]) -> Option<Vec<(TransitionId, u64, u64)>> {
    let within = |sum: u64| (sum <= Marking::MAX_TOKENS).then_some(sum);
    let mut sums: BTreeMap<TransitionId, (u64, u64)> = BTreeMap::new();
    let mut tokens = 0u64;
    for &p in group {
        tokens = within(tokens.checked_add(net.tokens(p))?)?;
        for t in net.neighbours(p) {
            let (taken, put) = sums.entry(t).or_default();
            *taken = within(taken.checked_add(net.pre_weight(t, p))?)?;
            *put = within(put.checked_add(net.post_weight(t, p))?)?;
        }
    }
    Some(sums.into_iter().map(|(t, (taken, put))| (t, taken, put)).collect())
}

/// Merges the places of `group` into the first of them. Does nothing if a weight or the tokens
/// exceed the maximum.
fn merge(net: &mut WorkNet, group: &[PlaceId]) {
    let Some(arcs) = fused_arcs(net, group) else { return };
    let tokens = group.iter().map(|&p| net.tokens(p)).sum();
    group.iter().for_each(|&p| net.mark_changed_meaning(p));
    group[1..].iter().for_each(|&p| net.remove_place(p));
    net.set_arcs(group[0], &arcs);
    net.set_tokens(group[0], tokens);
}
