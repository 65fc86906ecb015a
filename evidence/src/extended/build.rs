//! Builds the place/transition net of a net with inhibitor and reset arcs, by checked bounds and
//! caps.
//!
//! [`parikh_net::translation`] describes the net and proves that it is exact. This module builds it
//! copy by copy. First it chooses, for each copy, the tokens of each reset place and the part of
//! each change that lies beyond a cap. Then it computes the arcs of the copy.

use super::bounds::CheckedBounds;
use parikh_net::translation::{Caps, Translation, cap_name, complement_name, copy_name};
use parikh_net::{BuildError, ExtendedNet, Net, NetBuilder, PlaceId, TransitionId};
use std::collections::BTreeMap;

/// The maximum number of copies of the model's transitions, in total.
const MAX_TRANSITIONS: usize = 200_000;

/// The places in addition to the model's.
#[derive(Default)]
struct AddedPlaces {
    /// The complement of each place that has one. A place and its complement together hold as many
    /// tokens as the bound.
    complements: BTreeMap<PlaceId, PlaceId>,
    /// For each capped place, the place for its tokens beyond the cap.
    overflow_places: BTreeMap<PlaceId, PlaceId>,
    /// The two places that say whether a firing may exceed a cap: the place marked while no firing
    /// may, and the place marked afterwards. A transition `leave` moves the token. `None` if no
    /// place has a cap.
    cap_state_places: Option<(PlaceId, PlaceId)>,
}

/// The assumption about one place under which a copy of a transition fires. The transition resets
/// the place, or the place has a cap. A cap is a number of tokens up to which the net is exact.
#[derive(Clone, Copy)]
enum CopyAssumption {
    /// The number of tokens that the place holds before the transition resets the place.
    ResetTokens(u64),
    /// The number of produced tokens that go beyond the cap, to the overflow place.
    ToBeyond(u64),
    /// The number of consumed tokens that come from beyond the cap, from the overflow place.
    FromBeyond(u64),
}

/// Builds the place/transition net that is equivalent to `net`. It uses the bounds and caps of
/// `checked`, whose proofs have been checked.
///
/// # Errors
/// When there are more than [`MAX_TRANSITIONS`] copies of transitions, a bound is below the initial
/// tokens of its place, or the net cannot be built.
pub(super) fn build(net: &ExtendedNet, checked: &CheckedBounds) -> Result<Net, String> {
    let core = net.core();
    let mut builder = NetBuilder::new(core.name());
    core.assumptions().iter().for_each(|it| builder.assume(it.clone()));
    for p in core.places() {
        let place = builder.place(core.place_name(p), core.initial()[p]);
        let place = place.map_err(|it| it.to_string())?;
        if let Some(label) = core.place_label(p) {
            builder.label_place(place, label);
        }
    }
    let added = add_places(net, checked, &mut builder)?;
    let (mut copies, mut copy_count) = (Vec::new(), 0);
    for t in core.transitions() {
        let assumption_sets = copy_assumptions(net, t, checked)?;
        copy_count += assumption_sets.len();
        if copy_count > MAX_TRANSITIONS {
            return Err(format!("more than {MAX_TRANSITIONS} transitions"));
        }
        copies.push(assumption_sets.len());
        let numbers = |it: &BTreeMap<PlaceId, CopyAssumption>| -> Vec<u64> {
            let held = it.values().filter_map(|it| match it {
                CopyAssumption::ResetTokens(number) => Some(*number),
                _ => None,
            });
            held.collect()
        };
        // The names of the copies of t contain the tokens of its reset places only if these tokens
        // differ between the copies.
        let names_tokens =
            assumption_sets.iter().any(|it| numbers(it) != numbers(&assumption_sets[0]));
        for assumptions in &assumption_sets {
            let name = name(net, t, assumptions, names_tokens, &builder);
            let arcs = arcs(net, t, assumptions, checked, &added);
            let copy = add(&mut builder, &name, &arcs)?;
            if let Some(label) = core.transition_label(t) {
                builder.label_transition(copy, label);
            }
        }
    }
    for (&p, &overflow_place) in &added.overflow_places {
        let Some((within, beyond)) = added.cap_state_places else { continue };
        if let Some(reads) = min_tokens_to_exceed(net, p, checked.bounds[&p]) {
            let name = added_name("leave", Some(p), net, &builder);
            add(&mut builder, &name, &[(within, 1, 0), (beyond, 0, 1), (p, reads, reads)])?;
        }
        if core.transitions().any(|t| net.resets(t).contains(&p)) {
            let name = added_name("drain", Some(p), net, &builder);
            add(&mut builder, &name, &[(overflow_place, 1, 0)])?;
        }
    }
    let caps = added.cap_state_places.map(|(within, _)| Caps {
        within_place: within,
        overflow: added
            .overflow_places
            .iter()
            .map(|(&p, &over)| (p, (checked.bounds[&p], over)))
            .collect(),
        enabled: core.transitions().map(|t| net.enabling(t)).collect(),
    });
    let complemented = added.complements.into_keys().collect();
    let names = core.transitions().map(|t| core.transition_name(t)).zip(copies);
    let translation = Translation::new(core.place_count(), names, Vec::new(), complemented);
    let known_bounds = checked.bounds.iter().filter(|(p, _)| !checked.caps.contains(*p));
    let known_bounds = known_bounds.map(|(&p, &bound)| (p, bound)).collect();
    let translation =
        translation.map_err(|error| error.to_string())?.with_known_bounds(known_bounds);
    builder.set_translation(match caps {
        Some(caps) => translation.with_caps(caps),
        None => translation,
    });
    let built = builder.build().map_err(|it| it.to_string())?;
    let finals = core.final_markings().iter().map(|last| last.padded(built.place_count()));
    let finals = finals.collect();
    Ok(built.with_final_markings(finals))
}

/// Adds the complements, the overflow places and the two places that say whether a cap has been
/// exceeded.
fn add_places(
    net: &ExtendedNet,
    CheckedBounds { bounds, caps, .. }: &CheckedBounds,
    builder: &mut NetBuilder,
) -> Result<AddedPlaces, String> {
    let core = net.core();
    let mut added = AddedPlaces::default();
    for (&p, &bound) in bounds {
        let needs_complement = |t: TransitionId| {
            let inhibits = net.inhibitors(t).iter().any(|it| it.place == p && it.weight <= bound);
            inhibits || (bound > 0 && net.resets(t).contains(&p))
        };
        // A capped place always gets a complement, for the part below the cap.
        if !caps.contains(&p) && !core.transitions().any(needs_complement) {
            continue;
        }
        let name = complement_name(core.place_name(p), |name| is_taken(net, builder, name));
        let complement_tokens =
            bound.checked_sub(core.initial()[p]).ok_or("a bound below the number of tokens")?;
        added
            .complements
            .insert(p, builder.place(&name, complement_tokens).map_err(|it| it.to_string())?);
    }
    let mut place = |what, of, tokens| {
        let name = added_name(what, of, net, builder);
        builder.place(&name, tokens).map_err(|it| it.to_string())
    };
    for &p in caps {
        added.overflow_places.insert(p, place("over", Some(p), 0)?);
    }
    if !caps.is_empty() {
        added.cap_state_places = Some((place("within", None, 1)?, place("beyond", None, 0)?));
    }
    Ok(added)
}

/// Returns true if a place or transition of the new net has this name, or a transition of the
/// model. The new net may not have that transition yet.
fn is_taken(net: &ExtendedNet, builder: &NetBuilder, name: &str) -> bool {
    builder.node(name).is_some() || net.core().transition_named(name).is_some()
}

/// Returns an unused name for an additional place or transition. The name contains `kind` and the
/// name of the place `of`, if it is given.
fn added_name(kind: &str, of: Option<PlaceId>, net: &ExtendedNet, builder: &NetBuilder) -> String {
    cap_name(kind, of.map(|p| net.core().place_name(p)), |name| is_taken(net, builder, name))
}

/// Adds a transition with `arcs`: each a place, the tokens consumed from it, and the tokens
/// produced on it.
fn add(
    builder: &mut NetBuilder,
    name: &str,
    arcs: &[(PlaceId, u64, u64)],
) -> Result<TransitionId, String> {
    let failed = |error: BuildError| error.to_string();
    let t = builder.transition(name).map_err(failed)?;
    for &(p, takes, puts) in arcs {
        if takes > 0 {
            builder.take(t, p, takes).map_err(failed)?;
        }
        if puts > 0 {
            builder.put(t, p, puts).map_err(failed)?;
        }
    }
    Ok(t)
}

/// Returns the assumptions of each copy of `t`, by place. A place without an entry is always empty,
/// or `t` does not reset it. The copy then does not change the number of its tokens beyond the cap.
/// Returns an error if there are too many copies.
fn copy_assumptions(
    net: &ExtendedNet,
    t: TransitionId,
    CheckedBounds { bounds: most, caps, combinations: seen }: &CheckedBounds,
) -> Result<Vec<BTreeMap<PlaceId, CopyAssumption>>, String> {
    let core = net.core();
    let bound = |p: &PlaceId| most.get(p).copied().unwrap_or(0);
    if let Some(seen) = seen {
        let least = || net.resets(t).iter().map(|&p| core.pre_weight(t, p)).collect();
        // If no marking enables `t`, there is one copy, which no marking enables.
        let token_lists =
            seen.get(&t).map_or_else(|| vec![least()], |all| all.iter().cloned().collect());
        let to_assumptions = |tokens: Vec<u64>| {
            let each = net.resets(t).iter().copied().zip(tokens);
            let may_hold = each.filter(|(p, _)| bound(p) > 0);
            may_hold.map(|(p, number)| (p, CopyAssumption::ResetTokens(number))).collect()
        };
        return Ok(token_lists.into_iter().map(to_assumptions).collect());
    }
    let mut alternatives: Vec<(PlaceId, Vec<Option<CopyAssumption>>)> = Vec::new();
    let is_too_many = |number: u64| number >= MAX_TRANSITIONS as u64;
    for &p in net.resets(t) {
        let most = most.get(&p).copied().unwrap_or(0);
        if most == 0 {
            continue;
        }
        let least = core.pre_weight(t, p);
        let max_tokens = net.inhibitor_weight(t, p).map_or(most, |weight| most.min(weight - 1));
        if is_too_many(max_tokens.saturating_sub(least)) {
            return Err(format!("more than {MAX_TRANSITIONS} copies of a transition"));
        }
        let numbers =
            (least..=max_tokens.max(least)).map(|number| Some(CopyAssumption::ResetTokens(number)));
        alternatives.push((p, numbers.collect()));
    }
    for &p in caps.iter().filter(|p| !net.resets(t).contains(p)) {
        let (takes, puts) = (core.pre_weight(t, p), core.post_weight(t, p));
        if is_too_many(takes.abs_diff(puts)) {
            return Err(format!("more than {MAX_TRANSITIONS} copies of a transition"));
        }
        let of = |by| {
            if puts > takes { CopyAssumption::ToBeyond(by) } else { CopyAssumption::FromBeyond(by) }
        };
        let changes = (1..=takes.abs_diff(puts)).map(|by| Some(of(by)));
        alternatives.push((p, [None].into_iter().chain(changes).collect()));
    }
    let mut all = vec![BTreeMap::new()];
    // The copies are ordered so that the assumption about the first place varies fastest.
    for (p, numbers) in alternatives.iter().rev() {
        if numbers.len().saturating_mul(all.len()) > MAX_TRANSITIONS {
            return Err(format!("more than {MAX_TRANSITIONS} copies of a transition"));
        }
        let extended = all.iter().flat_map(|rest| {
            numbers.iter().map(move |&number| {
                let mut more = rest.clone();
                more.extend(number.map(|number| (*p, number)));
                more
            })
        });
        all = extended.collect();
    }
    Ok(all)
}

/// Returns the name of a copy of `t` with these assumptions. The name contains the tokens of the
/// reset places only if `names_tokens` is true.
fn name(
    net: &ExtendedNet,
    t: TransitionId,
    assumptions: &BTreeMap<PlaceId, CopyAssumption>,
    names_tokens: bool,
    builder: &NetBuilder,
) -> String {
    let core = net.core();
    let (mut held, mut beyond_changes) = (Vec::new(), Vec::new());
    for (&p, &it) in assumptions {
        let place = core.place_name(p);
        // The weight of an arc fits into i64.
        let signed = |by: u64| i64::try_from(by).unwrap_or(i64::MAX);
        match it {
            CopyAssumption::ResetTokens(number) => {
                held.extend(names_tokens.then_some((place, number)))
            }
            CopyAssumption::ToBeyond(by) => beyond_changes.push((place, signed(by))),
            CopyAssumption::FromBeyond(by) => beyond_changes.push((place, -signed(by))),
        }
    }
    match held.is_empty() && beyond_changes.is_empty() {
        true => core.transition_name(t).to_owned(),
        false => {
            let is_taken = |name: &str| is_taken(net, builder, name);
            copy_name(core.transition_name(t), &held, &beyond_changes, is_taken)
        }
    }
}

/// Returns the least number of tokens on `p` from which one firing exceeds `cap`, or `None` if no
/// transition increases `p`. Transitions that reset `p` do not count.
fn min_tokens_to_exceed(net: &ExtendedNet, p: PlaceId, cap: u64) -> Option<u64> {
    let core = net.core();
    let raise = core.transitions().filter(|&t| !net.resets(t).contains(&p));
    let most = raise.filter_map(|t| core.post_weight(t, p).checked_sub(core.pre_weight(t, p)));
    match most.max() {
        None | Some(0) => None,
        Some(more) => Some((cap + 1).saturating_sub(more)),
    }
}

/// Returns the arcs of a copy of `t` with these assumptions: each a place, the tokens consumed from
/// it, and the tokens produced on it.
fn arcs(
    net: &ExtendedNet,
    t: TransitionId,
    assumptions: &BTreeMap<PlaceId, CopyAssumption>,
    checked: &CheckedBounds,
    added: &AddedPlaces,
) -> Vec<(PlaceId, u64, u64)> {
    let mut arcs = Vec::new();
    for p in net.core().places() {
        let (takes, puts) = (net.core().pre_weight(t, p), net.core().post_weight(t, p));
        let bound = checked.bounds.get(&p).copied().unwrap_or(0);
        // An inhibitor arc of weight w demands m(p) < w. This is equivalent to m(complement of p) >
        // most − w, where `bound` is the bound or cap of p.
        let complement_needs = match net.inhibitor_weight(t, p) {
            Some(weight) if weight <= bound => bound - weight + 1,
            _ => 0,
        };
        let complement = added.complements.get(&p).copied();
        let mut add_pair = |place_tokens: (u64, u64), complement_tokens: (u64, u64)| {
            arcs.push((p, place_tokens.0, place_tokens.1));
            arcs.extend(
                complement.map(|complement| (complement, complement_tokens.0, complement_tokens.1)),
            );
        };
        match assumptions.get(&p) {
            Some(&CopyAssumption::ResetTokens(number)) => {
                let all = bound.saturating_sub(number);
                add_pair((number, puts), (all.max(complement_needs), bound.saturating_sub(puts)));
            }
            // After the firing, the place is at its cap.
            Some(&CopyAssumption::ToBeyond(by)) => {
                let below_cap = puts - takes - by;
                let least = takes.max(bound - below_cap);
                let needs = complement_needs.max(below_cap);
                add_pair((least, least + below_cap), (needs, needs - below_cap));
                arcs.push((added.overflow_places[&p], 0, by));
            }
            // Before the firing, the place is at its cap.
            Some(&CopyAssumption::FromBeyond(by)) => {
                let below_cap = takes - puts - by;
                add_pair(
                    (bound, bound - below_cap),
                    (complement_needs, complement_needs + below_cap),
                );
                arcs.push((added.overflow_places[&p], by, 0));
            }
            None if puts >= takes => {
                let needs = complement_needs.max(puts - takes);
                add_pair((takes, puts), (needs, needs - (puts - takes)));
            }
            None => add_pair((takes, puts), (complement_needs, complement_needs + (takes - puts))),
        }
    }
    let is_over = |it: &CopyAssumption| matches!(it, CopyAssumption::ToBeyond(_));
    if let Some((_, beyond)) = added.cap_state_places.filter(|_| assumptions.values().any(is_over))
    {
        arcs.push((beyond, 1, 1));
    }
    arcs
}
