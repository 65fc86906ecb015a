//! Construction of the translated net: complement places, and copies of transitions that reset
//! places.
//!
//! # Soundness
//! Let B(p) bound p in every reachable marking of the extended net. For each reachable marking m of
//! the extended net, the translated net reaches m extended by B(p) − m(p) tokens on the complement
//! co(p), and it reaches no other markings. This follows by induction along firings. A transition
//! is enabled in m iff one of its copies is enabled, and then exactly one copy is:
//!
//! * An inhibitor arc of weight w <= B(p) requires co(p) >= B(p) − w + 1, which means m(p) < w.
//!   With w > B(p) it never inhibits, and is dropped.
//! * A transition that adds d > 0 tokens to p takes d tokens from co(p). They exist, because m(p) +
//!   d <= B(p).
//! * The copy for k of a transition that resets p takes k tokens from p and B(p) − k from co(p). So
//!   it is enabled only if m(p) = k. If B(p) = 0, the place is always empty and needs no copies.
//!
//! A copy for a token number that no reachable marking enabling the transition has is never
//! enabled, and may be omitted. If all combinations are too many and all markings were explored,
//! such copies are omitted.
//!
//! For caps instead of bounds, [`parikh_net::translation`] has the proof and the additional copies.
//! are made besides.

use super::bounds::ResetVectors;
use super::{MAX_COPIES, TranslationError};
use parikh_net::translation::{
    Because, Caps, Translation, TranslationBound, cap_name, complement_name, copy_name,
};
use parikh_net::{BuildError, ExtendedNet, Net, NetBuilder, PlaceId, TransitionId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Builds the net from these bounds, one for each place with inhibitor or reset arcs. With `seen`,
/// copies exist only for the token vectors of reset places in reachable markings.
pub(super) fn build(
    net: &ExtendedNet,
    bounds: Vec<TranslationBound>,
    seen: Option<&ResetVectors>,
) -> Result<Net, TranslationError> {
    let most: BTreeMap<PlaceId, u64> = bounds.iter().map(|it| (it.place, it.most)).collect();
    let caps: BTreeSet<PlaceId> =
        bounds.iter().filter(|it| it.reason == Because::Cap).map(|it| it.place).collect();
    let core = net.core();
    let mut builder = NetBuilder::new(core.name());
    core.assumptions().iter().for_each(|it| builder.assume(it.clone()));
    for p in core.places() {
        let place = builder.place(core.place_name(p), core.initial()[p])?;
        if let Some(label) = core.place_label(p) {
            builder.label_place(place, label);
        }
    }
    let (complements, beyond) = (BTreeMap::new(), None);
    let mut making = TranslationBuilder { net, bound: &most, caps: &caps, complements, beyond };
    for p in making.complemented_places() {
        let is_taken =
            |name: &str| core.transition_named(name).is_some() || builder.node(name).is_some();
        let name = complement_name(core.place_name(p), is_taken);
        let complement = builder.place(&name, making.most(p) - core.initial()[p])?;
        let shown = core.place_label(p).unwrap_or(core.place_name(p));
        builder.label_place(complement, &format!("room on {shown}"));
        making.complements.insert(p, complement);
    }
    if !caps.is_empty() {
        making.beyond = Some(making.beyond(&mut builder)?);
    }
    let mut copies = Vec::with_capacity(core.transition_count());
    let mut all: u128 = 0;
    for t in core.transitions() {
        let choices = making.choices(t);
        let count = match seen {
            Some(seen) => Some(seen.get(&t).map_or(1, |all| all.len().max(1) as u128)),
            None => choices
                .iter()
                .try_fold(1u128, |product, choice| product.checked_mul(choice.count().into())),
        };
        all = count.and_then(|count| all.checked_add(count)).unwrap_or(u128::MAX);
        if all > MAX_COPIES.max(core.transition_count() as u128) {
            let transition = core.transition_name(t).to_owned();
            return Err(TranslationError::TooManyCopies { transition, most: MAX_COPIES });
        }
        let made = match seen {
            Some(seen) => making.copies_of_vectors(t, seen),
            None => CopyParameters::all(&choices),
        };
        copies.push(making.add_copies(t, &made, &mut builder)?);
    }
    making.add_leave_and_drain(&mut builder)?;
    let complemented = making.complements.keys().copied().collect();
    let names = core.transitions().map(|t| core.transition_name(t)).zip(copies);
    let translation = Translation::new(core.place_count(), names, bounds, complemented);
    let mut translation = translation.map_err(|_| BuildError::TooLarge)?;
    if let Some(CapPlaces { within, over, .. }) = making.beyond {
        let over = over.into_iter().map(|(p, over)| (p, (most[&p], over))).collect();
        let enabled = core.transitions().map(|t| net.enabling(t)).collect();
        translation = translation.with_caps(Caps { within_place: within, overflow: over, enabled });
    }
    builder.set_translation(translation);
    let made = builder.build()?;
    // The builder has added places, and final markings are about the model's places only.
    let finals = core.final_markings().iter().map(|last| last.padded(made.place_count()));
    let finals = finals.collect();
    Ok(made.with_final_markings(finals))
}

/// A translated net under construction.
struct TranslationBuilder<'n> {
    net: &'n ExtendedNet,
    bound: &'n BTreeMap<PlaceId, u64>,
    /// The places whose bound is a cap.
    caps: &'n BTreeSet<PlaceId>,
    complements: BTreeMap<PlaceId, PlaceId>,
    /// The additional places, if there are caps.
    beyond: Option<CapPlaces>,
}

/// The additional places of a net with caps.
struct CapPlaces {
    within: PlaceId,
    beyond: PlaceId,
    /// The place with the tokens beyond the cap, for each capped place.
    over: BTreeMap<PlaceId, PlaceId>,
}

/// A property in which the copies of a transition differ.
enum CopyChoice {
    /// The transition resets the place, which holds a number of tokens in this range before.
    Held(PlaceId, RangeInclusive<u64>),
    /// The transition changes the tokens of a capped place by this number. A part of the change,
    /// from none to all, concerns the tokens beyond the cap.
    Over(PlaceId, i64),
}

impl CopyChoice {
    /// Returns the number of alternatives, saturating.
    fn count(&self) -> u64 {
        match self {
            CopyChoice::Held(_, tokens) => (tokens.end() - tokens.start()).saturating_add(1),
            CopyChoice::Over(_, change) => change.unsigned_abs().saturating_add(1),
        }
    }
}

/// The parameters of one copy of a transition.
#[derive(Default)]
struct CopyParameters {
    /// The tokens of the reset places before the firing.
    held: BTreeMap<PlaceId, u64>,
    /// The change of the tokens beyond the cap, if it is not 0.
    over: BTreeMap<PlaceId, i64>,
}

impl CopyParameters {
    /// Returns the parameters of all copies. Their number must be within the limit.
    fn all(choices: &[CopyChoice]) -> Vec<CopyParameters> {
        let count: u64 = choices.iter().map(CopyChoice::count).product();
        (0..count).map(|number| CopyParameters::numbered(choices, number)).collect()
    }

    /// Returns the parameters of a copy by its number. The first choice varies fastest.
    fn numbered(choices: &[CopyChoice], mut number: u64) -> CopyParameters {
        let mut copy = CopyParameters::default();
        for choice in choices {
            let count = choice.count();
            let (at, rest) = (number % count, number / count);
            number = rest;
            match choice {
                CopyChoice::Held(p, tokens) => drop(copy.held.insert(*p, tokens.start() + at)),
                CopyChoice::Over(p, change) if at > 0 => {
                    // The number is at most the change, which fits.
                    let by = i64::try_from(at).unwrap_or(i64::MAX) * change.signum();
                    copy.over.insert(*p, by);
                }
                CopyChoice::Over(..) => {}
            }
        }
        copy
    }
}

impl TranslationBuilder<'_> {
    /// Returns the bound of a place with inhibitor or reset arcs.
    fn most(&self, p: PlaceId) -> u64 {
        self.bound.get(&p).copied().unwrap_or_default()
    }

    /// Returns the places that need a complement: an inhibitor or reset arc tests them, or they
    /// have a cap.
    fn complemented_places(&self) -> BTreeSet<PlaceId> {
        let of = |t: TransitionId| {
            let inhibits = self.net.inhibitors(t).iter();
            let inhibits = inhibits.filter(|arc| arc.weight <= self.most(arc.place));
            inhibits.map(|arc| arc.place).chain(self.reset_places(t)).collect::<Vec<_>>()
        };
        self.net.core().transitions().flat_map(of).chain(self.caps.iter().copied()).collect()
    }

    /// Adds the places `within`, `beyond` and `over` for nets with caps.
    fn beyond(&self, builder: &mut NetBuilder) -> Result<CapPlaces, BuildError> {
        let core = self.net.core();
        let mut place = |what, of: Option<PlaceId>, tokens| {
            let of = of.map(|p| core.place_name(p));
            let name = cap_name(what, of, |name| {
                core.transition_named(name).is_some() || builder.node(name).is_some()
            });
            builder.place(&name, tokens)
        };
        let over = self.caps.iter().map(|&p| Ok((p, place("over", Some(p), 0)?)));
        let over = over.collect::<Result<_, BuildError>>()?;
        Ok(CapPlaces { within: place("within", None, 1)?, beyond: place("beyond", None, 0)?, over })
    }

    /// Returns the places that `t` resets and that may hold tokens.
    fn reset_places(&self, t: TransitionId) -> impl Iterator<Item = PlaceId> {
        self.net.resets(t).iter().copied().filter(|&p| self.most(p) > 0)
    }

    /// Returns the properties in which the copies of `t` differ.
    fn choices(&self, t: TransitionId) -> Vec<CopyChoice> {
        let core = self.net.core();
        // If the arcs exclude every number of tokens on a reset place, one impossible number is
        // kept.
        let held = |p| {
            let low = core.pre_weight(t, p);
            let inhibitor = self.net.inhibitor_weight(t, p);
            let high = inhibitor.map_or(self.most(p), |weight| self.most(p).min(weight - 1));
            CopyChoice::Held(p, low..=high.max(low))
        };
        let is_emptied = |p: &PlaceId| self.net.resets(t).contains(p);
        let over = self.caps.iter().copied().filter(|p| !is_emptied(p)).filter_map(|p| {
            // Weights fit 63 bits, or the place is skipped.
            let [puts, takes] = [core.post_weight(t, p), core.pre_weight(t, p)].map(i64::try_from);
            let change = puts.ok()? - takes.ok()?;
            (change != 0).then_some(CopyChoice::Over(p, change))
        });
        self.reset_places(t).map(held).chain(over).collect()
    }

    /// Adds the copies of `t`. Returns their number.
    fn add_copies(
        &self,
        t: TransitionId,
        all: &[CopyParameters],
        builder: &mut NetBuilder,
    ) -> Result<usize, BuildError> {
        let core = self.net.core();
        let own = core.transition_name(t);
        // Names contain token numbers only if the copies differ in them.
        let is_one = all.iter().all(|it| it.held == all[0].held);
        for made in all {
            let held = made.held.iter().filter(|_| !is_one);
            let held: Vec<_> = held.map(|(&p, &tokens)| (core.place_name(p), tokens)).collect();
            let over: Vec<_> = made.over.iter().map(|(&p, &by)| (core.place_name(p), by)).collect();
            let name = match held.is_empty() && over.is_empty() {
                true => own.to_owned(),
                false => copy_name(own, &held, &over, |name| {
                    core.transition_named(name).is_some() || builder.node(name).is_some()
                }),
            };
            let copy = builder.transition(&name)?;
            if let Some(label) = core.transition_label(t) {
                builder.label_transition(copy, label);
            }
            self.arcs(t, copy, made, builder)?;
        }
        Ok(all.len())
    }

    /// Returns the copies of `t` for the token vectors of its reset places in reachable markings.
    /// If no marking enables `t`, one copy is made, which is never enabled.
    fn copies_of_vectors(&self, t: TransitionId, seen: &ResetVectors) -> Vec<CopyParameters> {
        let core = self.net.core();
        let least = || self.net.resets(t).iter().map(|&p| core.pre_weight(t, p)).collect();
        let all = seen.get(&t).map_or_else(|| vec![least()], |all| all.iter().cloned().collect());
        let chosen = |tokens: Vec<u64>| {
            let held = self.net.resets(t).iter().copied().zip(tokens);
            let held = held.filter(|&(p, _)| self.most(p) > 0).collect();
            CopyParameters { held, over: BTreeMap::new() }
        };
        all.into_iter().map(chosen).collect()
    }

    /// Adds the arcs of a copy of `t`.
    fn arcs(
        &self,
        t: TransitionId,
        copy: TransitionId,
        made: &CopyParameters,
        builder: &mut NetBuilder,
    ) -> Result<(), BuildError> {
        let core = self.net.core();
        let arcs = core.pre(t).iter().chain(core.post(t)).map(|arc| arc.place);
        let inhibitors = self.net.inhibitors(t).iter().map(|arc| arc.place);
        let places: BTreeSet<PlaceId> =
            arcs.chain(inhibitors).chain(made.held.keys().copied()).collect();
        let mut arc = |p: PlaceId, takes: u64, puts: u64| {
            if takes > 0 {
                builder.take(copy, p, takes)?;
            }
            if puts > 0 {
                builder.put(copy, p, puts)?;
            }
            Ok::<(), BuildError>(())
        };
        for p in places {
            let (takes, puts) = (core.pre_weight(t, p), core.post_weight(t, p));
            let most = self.most(p);
            let inhibitor = self.net.inhibitor_weight(t, p).filter(|&weight| weight <= most);
            let room = inhibitor.map_or(0, |weight| most - weight + 1);
            let Some(&complement) = self.complements.get(&p) else {
                arc(p, made.held.get(&p).copied().unwrap_or(takes), puts)?;
                continue;
            };
            if let Some(&held) = made.held.get(&p) {
                arc(p, held, puts)?;
                arc(complement, room.max(most.saturating_sub(held)), most.saturating_sub(puts))?;
                continue;
            }
            let over = made.over.get(&p).copied().unwrap_or(0);
            let (more, fewer) = (puts.saturating_sub(takes), takes.saturating_sub(puts));
            let by = over.unsigned_abs();
            // The part of the change that concerns p itself.
            let (more, fewer) = (more.saturating_sub(by), fewer.saturating_sub(by));
            let needs = match over.signum() {
                0 => takes,
                1 => takes.max(most - more),
                _ => takes.max(most),
            };
            arc(p, needs, needs + more - fewer)?;
            let room = room.max(more);
            arc(complement, room, room - more + fewer)?;
            let Some(beyond) = self.beyond.as_ref().filter(|_| over != 0) else { continue };
            let tokens = beyond.over[&p];
            match over > 0 {
                true => arc(tokens, 0, by)?,
                false => arc(tokens, by, 0)?,
            }
        }
        if let Some(beyond) = &self.beyond
            && made.over.values().any(|&over| over > 0)
        {
            arc(beyond.beyond, 1, 1)?;
        }
        Ok(())
    }

    /// Adds a transition per capped place that passes the cap. If the place is reset, also adds a
    /// transition that removes the tokens beyond the cap.
    fn add_leave_and_drain(&self, builder: &mut NetBuilder) -> Result<(), BuildError> {
        let Some(CapPlaces { within, beyond, over }) = &self.beyond else { return Ok(()) };
        let core = self.net.core();
        let named = |builder: &mut NetBuilder, what: &str, p: PlaceId| {
            let name = cap_name(what, Some(core.place_name(p)), |name| {
                core.transition_named(name).is_some() || builder.node(name).is_some()
            });
            builder.transition(&name)
        };
        for (&p, &over) in over {
            let empties = |t| self.net.resets(t).contains(&p);
            let fill = core.transitions().filter(|&t| !empties(t));
            let more = fill.map(|t| core.post_weight(t, p).saturating_sub(core.pre_weight(t, p)));
            let more = more.max().unwrap_or(0);
            if more > 0 {
                let leave = named(builder, "leave", p)?;
                builder.take(leave, *within, 1)?;
                builder.put(leave, *beyond, 1)?;
                let reads = (self.most(p) + 1).saturating_sub(more);
                if reads > 0 {
                    builder.take(leave, p, reads)?;
                    builder.put(leave, p, reads)?;
                }
            }
            if core.transitions().any(empties) {
                let drain = named(builder, "drain", p)?;
                builder.take(drain, over, 1)?;
            }
        }
        Ok(())
    }
}
