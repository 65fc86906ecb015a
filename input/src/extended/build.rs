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

use super::bounds::ResetVectors;
use super::{MAX_COPIES, TranslationError};
use parikh_net::translation::{
    BoundReason, Caps, Translation, TranslationBound, cap_name, complement_name, copy_name,
};
use parikh_net::{BuildError, ExtendedNet, Net, NetBuilder, PlaceId, TransitionId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Builds the translated net of `net` from `bounds`, one for each place with inhibitor or reset
/// arcs. If `seen` is given, it restricts the copies of a transition with reset places. Each copy
/// is for one token vector of these places, from a reachable marking that enables the transition. A
/// transition that no reachable marking enables has one copy.
pub(super) fn build(
    net: &ExtendedNet,
    bounds: Vec<TranslationBound>,
    seen: Option<&ResetVectors>,
) -> Result<Net, TranslationError> {
    let bound_of: BTreeMap<PlaceId, u64> =
        bounds.iter().map(|it| (it.place, it.max_tokens)).collect();
    let caps: BTreeSet<PlaceId> =
        bounds.iter().filter(|it| it.reason == BoundReason::Cap).map(|it| it.place).collect();
    let core = net.core();
    let mut builder = NetBuilder::new(core.name());
    builder.set_label(core.title());
    core.assumptions().iter().for_each(|it| builder.assume(it.clone()));
    for p in core.places() {
        let place = builder.place(core.place_name(p), core.initial()[p])?;
        if let Some(label) = core.place_label(p) {
            builder.label_place(place, label);
        }
    }
    let (complements, beyond) = (BTreeMap::new(), None);
    let mut translation_builder =
        TranslationBuilder { net, bound: &bound_of, caps: &caps, complements, cap_places: beyond };
    for p in translation_builder.complemented_places() {
        let is_taken =
            |name: &str| core.transition_named(name).is_some() || builder.node(name).is_some();
        let name = complement_name(core.place_name(p), is_taken);
        let complement =
            builder.place(&name, translation_builder.bound_of(p) - core.initial()[p])?;
        let shown = core.place_label(p).unwrap_or(core.place_name(p));
        builder.label_place(complement, &format!("room on {shown}"));
        translation_builder.complements.insert(p, complement);
    }
    if !caps.is_empty() {
        translation_builder.cap_places = Some(translation_builder.add_cap_places(&mut builder)?);
    }
    let mut copies = Vec::with_capacity(core.transition_count());
    let mut copy_count: u128 = 0;
    for t in core.transitions() {
        let choices = translation_builder.choices(t);
        let count = match seen {
            Some(seen) => Some(seen.get(&t).map_or(1, |vectors| vectors.len().max(1) as u128)),
            None => choices
                .iter()
                .try_fold(1u128, |product, choice| product.checked_mul(choice.count().into())),
        };
        copy_count = count.and_then(|count| copy_count.checked_add(count)).unwrap_or(u128::MAX);
        if copy_count > MAX_COPIES.max(core.transition_count() as u128) {
            let transition = core.transition_name(t).to_owned();
            return Err(TranslationError::TooManyCopies { transition, most: MAX_COPIES });
        }
        let made = match seen {
            Some(seen) => translation_builder.copies_of_vectors(t, seen),
            None => CopyParameters::of_choices(&choices),
        };
        copies.push(translation_builder.add_copies(t, &made, &mut builder)?);
    }
    translation_builder.add_leave_and_drain(&mut builder)?;
    let complemented = translation_builder.complements.keys().copied().collect();
    let names = core.transitions().map(|t| core.transition_name(t)).zip(copies);
    let translation = Translation::new(core.place_count(), names, bounds, complemented);
    let mut translation = translation.map_err(|_| BuildError::TooLarge)?;
    if let Some(CapPlaces { within_place: within, overflow_places: over, .. }) =
        translation_builder.cap_places
    {
        let over = over.into_iter().map(|(p, over)| (p, (bound_of[&p], over))).collect();
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
    /// The bound of each place with inhibitor or reset arcs.
    bound: &'n BTreeMap<PlaceId, u64>,
    /// The places whose bound is a cap.
    caps: &'n BTreeSet<PlaceId>,
    /// The complement place of each place that has one.
    complements: BTreeMap<PlaceId, PlaceId>,
    /// The places that were added for caps, that is, for assumed bounds. `None` if there are no
    /// caps.
    cap_places: Option<CapPlaces>,
}

/// The additional places of a net with caps.
struct CapPlaces {
    /// The place that has a token until a transition `leave` moves it to `beyond`.
    within_place: PlaceId,
    /// The place that must have a token before tokens beyond a cap are added.
    beyond_place: PlaceId,
    /// The place with the tokens beyond the cap, for each capped place.
    overflow_places: BTreeMap<PlaceId, PlaceId>,
}

/// A property in which the copies of a transition differ.
enum CopyChoice {
    /// The transition resets the place. Each copy is for one number of tokens on the place before
    /// the firing, from this range.
    ResetTokens(PlaceId, RangeInclusive<u64>),
    /// The transition changes the tokens of a capped place by this number. Each copy moves a
    /// different part of the change, from 0 to the whole, to the tokens beyond the cap.
    CappedChange(PlaceId, i64),
}

impl CopyChoice {
    /// Returns the number of alternatives of this property, or `u64::MAX` if it is larger.
    fn count(&self) -> u64 {
        match self {
            CopyChoice::ResetTokens(_, tokens) => (tokens.end() - tokens.start()).saturating_add(1),
            CopyChoice::CappedChange(_, change) => change.unsigned_abs().saturating_add(1),
        }
    }
}

/// The parameters of one copy of a transition.
#[derive(Default)]
struct CopyParameters {
    /// The tokens, before the firing, of the reset places that may hold tokens.
    reset_tokens: BTreeMap<PlaceId, u64>,
    /// The change of the tokens beyond the cap, per capped place. Places without a change have no
    /// entry.
    overflow_changes: BTreeMap<PlaceId, i64>,
}

impl CopyParameters {
    /// Returns the parameters of all copies. The caller has checked that their number is within the
    /// limit on copies.
    fn of_choices(choices: &[CopyChoice]) -> Vec<CopyParameters> {
        let count: u64 = choices.iter().map(CopyChoice::count).product();
        (0..count).map(|number| CopyParameters::numbered(choices, number)).collect()
    }

    /// Returns the parameters of a copy by its number. The first choice varies fastest.
    fn numbered(choices: &[CopyChoice], mut number: u64) -> CopyParameters {
        let mut copy = CopyParameters::default();
        for choice in choices {
            let count = choice.count();
            let (alternative, rest) = (number % count, number / count);
            number = rest;
            match choice {
                CopyChoice::ResetTokens(p, tokens) => {
                    copy.reset_tokens.insert(*p, tokens.start() + alternative);
                }
                CopyChoice::CappedChange(p, change) if alternative > 0 => {
                    // `alternative` is at most |change|, which fits i64, so the conversion does not
                    // fail.
                    let change_over =
                        i64::try_from(alternative).unwrap_or(i64::MAX) * change.signum();
                    copy.overflow_changes.insert(*p, change_over);
                }
                CopyChoice::CappedChange(..) => {}
            }
        }
        copy
    }
}

impl TranslationBuilder<'_> {
    /// Returns the bound of a place with inhibitor or reset arcs, and 0 for any other place.
    fn bound_of(&self, p: PlaceId) -> u64 {
        self.bound.get(&p).copied().unwrap_or_default()
    }

    /// Returns the places that need a complement: places with a cap, with an inhibitor arc that can
    /// disable its transition, or with a reset arc and a positive bound.
    fn complemented_places(&self) -> BTreeSet<PlaceId> {
        let tested_places = |t: TransitionId| {
            let inhibits = self.net.inhibitors(t).iter();
            let inhibits = inhibits.filter(|arc| arc.weight <= self.bound_of(arc.place));
            inhibits.map(|arc| arc.place).chain(self.reset_places(t)).collect::<Vec<_>>()
        };
        self.net
            .core()
            .transitions()
            .flat_map(tested_places)
            .chain(self.caps.iter().copied())
            .collect()
    }

    /// Adds the places `within` and `beyond`, and a place `over` for each capped place.
    fn add_cap_places(&self, builder: &mut NetBuilder) -> Result<CapPlaces, BuildError> {
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
        Ok(CapPlaces {
            within_place: place("within", None, 1)?,
            beyond_place: place("beyond", None, 0)?,
            overflow_places: over,
        })
    }

    /// Returns the places that `t` resets and that may hold tokens.
    fn reset_places(&self, t: TransitionId) -> impl Iterator<Item = PlaceId> {
        self.net.resets(t).iter().copied().filter(|&p| self.bound_of(p) > 0)
    }

    /// Returns the properties in which the copies of `t` differ.
    fn choices(&self, t: TransitionId) -> Vec<CopyChoice> {
        let core = self.net.core();
        // If the arcs allow no number of tokens on a reset place, the range has one number that
        // never enables the copy.
        let held_choice = |p| {
            let low = core.pre_weight(t, p);
            let inhibitor = self.net.inhibitor_weight(t, p);
            let high =
                inhibitor.map_or(self.bound_of(p), |weight| self.bound_of(p).min(weight - 1));
            CopyChoice::ResetTokens(p, low..=high.max(low))
        };
        let is_emptied = |p: &PlaceId| self.net.resets(t).contains(p);
        let over = self.caps.iter().copied().filter(|p| !is_emptied(p)).filter_map(|p| {
            // If a weight exceeds 63 bits, the place has no choice, so no copy changes the tokens
            // beyond its cap.
            let [puts, takes] = [core.post_weight(t, p), core.pre_weight(t, p)].map(i64::try_from);
            let change = puts.ok()? - takes.ok()?;
            (change != 0).then_some(CopyChoice::CappedChange(p, change))
        });
        self.reset_places(t).map(held_choice).chain(over).collect()
    }

    /// Adds the copies of `t`. Returns their number.
    fn add_copies(
        &self,
        t: TransitionId,
        copy_parameters: &[CopyParameters],
        builder: &mut NetBuilder,
    ) -> Result<usize, BuildError> {
        let core = self.net.core();
        let model_name = core.transition_name(t);
        // Names contain token numbers only if the copies differ in them.
        let have_equal_held =
            copy_parameters.iter().all(|it| it.reset_tokens == copy_parameters[0].reset_tokens);
        for parameters in copy_parameters {
            let held = parameters.reset_tokens.iter().filter(|_| !have_equal_held);
            let held: Vec<_> = held.map(|(&p, &tokens)| (core.place_name(p), tokens)).collect();
            let over: Vec<_> = parameters
                .overflow_changes
                .iter()
                .map(|(&p, &by)| (core.place_name(p), by))
                .collect();
            let name = match held.is_empty() && over.is_empty() {
                true => model_name.to_owned(),
                false => copy_name(model_name, &held, &over, |name| {
                    core.transition_named(name).is_some() || builder.node(name).is_some()
                }),
            };
            let copy = builder.transition(&name)?;
            if let Some(label) = core.transition_label(t) {
                builder.label_transition(copy, label);
            }
            self.arcs(t, copy, parameters, builder)?;
        }
        Ok(copy_parameters.len())
    }

    /// Returns the copies of `t` for the token vectors of its reset places in the reachable
    /// markings that enable `t`. If no marking enables `t`, one copy is made, which is never
    /// enabled.
    fn copies_of_vectors(&self, t: TransitionId, seen: &ResetVectors) -> Vec<CopyParameters> {
        let core = self.net.core();
        let required = || self.net.resets(t).iter().map(|&p| core.pre_weight(t, p)).collect();
        let vectors = seen
            .get(&t)
            .map_or_else(|| vec![required()], |vectors| vectors.iter().cloned().collect());
        let parameters_of = |tokens: Vec<u64>| {
            let held = self.net.resets(t).iter().copied().zip(tokens);
            let held = held.filter(|&(p, _)| self.bound_of(p) > 0).collect();
            CopyParameters { reset_tokens: held, overflow_changes: BTreeMap::new() }
        };
        vectors.into_iter().map(parameters_of).collect()
    }

    /// Adds the arcs of a copy of `t`.
    fn arcs(
        &self,
        t: TransitionId,
        copy: TransitionId,
        parameters: &CopyParameters,
        builder: &mut NetBuilder,
    ) -> Result<(), BuildError> {
        let core = self.net.core();
        let arcs = core.pre(t).iter().chain(core.post(t)).map(|arc| arc.place);
        let inhibitors = self.net.inhibitors(t).iter().map(|arc| arc.place);
        let places: BTreeSet<PlaceId> =
            arcs.chain(inhibitors).chain(parameters.reset_tokens.keys().copied()).collect();
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
            let bound = self.bound_of(p);
            let inhibitor = self.net.inhibitor_weight(t, p).filter(|&weight| weight <= bound);
            let complement_tokens = inhibitor.map_or(0, |weight| bound - weight + 1);
            let Some(&complement) = self.complements.get(&p) else {
                arc(p, parameters.reset_tokens.get(&p).copied().unwrap_or(takes), puts)?;
                continue;
            };
            if let Some(&held) = parameters.reset_tokens.get(&p) {
                arc(p, held, puts)?;
                arc(
                    complement,
                    complement_tokens.max(bound.saturating_sub(held)),
                    bound.saturating_sub(puts),
                )?;
                continue;
            }
            let over = parameters.overflow_changes.get(&p).copied().unwrap_or(0);
            let (gain, loss) = (puts.saturating_sub(takes), takes.saturating_sub(puts));
            let over_amount = over.unsigned_abs();
            // The part of the change that concerns the tokens on p, not the tokens beyond its cap.
            let (gain, loss) = (gain.saturating_sub(over_amount), loss.saturating_sub(over_amount));
            // A copy that adds tokens beyond the cap fills p up to the cap. A copy that takes
            // tokens beyond the cap needs p to be full.
            let needs = match over.signum() {
                0 => takes,
                1 => takes.max(bound - gain),
                _ => takes.max(bound),
            };
            arc(p, needs, needs + gain - loss)?;
            let complement_tokens = complement_tokens.max(gain);
            arc(complement, complement_tokens, complement_tokens - gain + loss)?;
            let Some(beyond) = self.cap_places.as_ref().filter(|_| over != 0) else { continue };
            let tokens = beyond.overflow_places[&p];
            match over > 0 {
                true => arc(tokens, 0, over_amount)?,
                false => arc(tokens, over_amount, 0)?,
            }
        }
        if let Some(beyond) = &self.cap_places
            && parameters.overflow_changes.values().any(|&over| over > 0)
        {
            arc(beyond.beyond_place, 1, 1)?;
        }
        Ok(())
    }

    /// Adds a transition `leave` for each capped place that some transition can fill. It moves the
    /// token from `within` to `beyond` when the next such firing may pass the cap. If a capped
    /// place is reset, also adds a transition `drain` that removes the tokens beyond the cap.
    fn add_leave_and_drain(&self, builder: &mut NetBuilder) -> Result<(), BuildError> {
        let Some(CapPlaces { within_place: within, beyond_place: beyond, overflow_places: over }) =
            &self.cap_places
        else {
            return Ok(());
        };
        let core = self.net.core();
        let add_transition = |builder: &mut NetBuilder, role: &str, p: PlaceId| {
            let name = cap_name(role, Some(core.place_name(p)), |name| {
                core.transition_named(name).is_some() || builder.node(name).is_some()
            });
            builder.transition(&name)
        };
        for (&p, &over) in over {
            let empties = |t| self.net.resets(t).contains(&p);
            let filling = core.transitions().filter(|&t| !empties(t));
            let max_gain =
                filling.map(|t| core.post_weight(t, p).saturating_sub(core.pre_weight(t, p)));
            let max_gain = max_gain.max().unwrap_or(0);
            if max_gain > 0 {
                let leave = add_transition(builder, "leave", p)?;
                builder.take(leave, *within, 1)?;
                builder.put(leave, *beyond, 1)?;
                let reads = (self.bound_of(p) + 1).saturating_sub(max_gain);
                if reads > 0 {
                    builder.take(leave, p, reads)?;
                    builder.put(leave, p, reads)?;
                }
            }
            if core.transitions().any(empties) {
                let drain = add_transition(builder, "drain", p)?;
                builder.take(drain, over, 1)?;
            }
        }
        Ok(())
    }
}
