//! Place/transition nets: arcs in compressed rows both ways, and transitions grouped by effect.
//!
//! Engines read a net along four tables, each one flat array cut into rows: the places a
//! transition takes from ([`Net::pre`]) and puts to ([`Net::post`]), and the transitions that take
//! from a place ([`Net::consumers`]) or put to it ([`Net::producers`]). Transitions with the same
//! effect on every place share an *effect class*: whoever cares about effects only (the state
//! equation, the choice of a walk) iterates classes.

use crate::coloured::{Folding, NamedClasses};
use crate::features::Features;
use crate::id::{EffectId, PlaceId, TransitionId};
use crate::marking::Marking;
use crate::names::Names;
use crate::sequence::FiringSequence;
use crate::translation::Translation;
use crate::units::Units;

/// An end of an arc at a place, seen from its transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The place at the other end.
    pub place: PlaceId,
    /// Tokens moved, at least 1.
    pub weight: u64,
}

/// An end of an arc at a transition, seen from its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceArc {
    /// The transition at the other end.
    pub transition: TransitionId,
    /// Tokens moved, at least 1.
    pub weight: u64,
}

/// What firing does to one place: post − pre, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Change {
    /// The place that changes.
    pub place: PlaceId,
    /// Tokens won (positive) or lost (negative).
    pub delta: i64,
}

/// Why a transition did not fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FireError {
    /// A place holds too few tokens.
    #[error("a place holds too few tokens")]
    NotEnabled(PlaceId),
    /// A place would hold more than [`Marking::MAX_TOKENS`].
    #[error("a place would hold more than 2^63 - 1 tokens")]
    Overflow(PlaceId),
}

/// Rows of varying length in one array: row `i` is `entries[starts[i]..starts[i + 1]]`.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    starts: Vec<u32>,
    entries: Vec<T>,
}

impl<T> Rows<T> {
    pub(crate) fn with_capacity(rows: usize, entries: usize) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Rows { starts, entries: Vec::with_capacity(entries) }
    }

    pub(crate) fn push(&mut self, entry: T) {
        self.entries.push(entry);
    }

    pub(crate) fn end_row(&mut self) {
        self.starts.push(self.entries.len() as u32);
    }

    /// The entries of all rows, one row after the other.
    pub(crate) fn entries(&self) -> &[T] {
        &self.entries
    }

    pub(crate) fn row(&self, index: usize) -> &[T] {
        &self.entries[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

/// A place/transition net with its initial marking. Made by a [`NetBuilder`](crate::NetBuilder),
/// never changed afterwards.
#[derive(Clone, Debug)]
pub struct Net {
    pub(crate) name: String,
    pub(crate) place_names: Names,
    pub(crate) transition_names: Names,
    /// Human names, where the model has them and they differ from the ids. Sorted by index.
    pub(crate) place_labels: Vec<(PlaceId, Box<str>)>,
    pub(crate) transition_labels: Vec<(TransitionId, Box<str>)>,
    pub(crate) pre: Rows<Arc>,
    pub(crate) post: Rows<Arc>,
    pub(crate) consumers: Rows<PlaceArc>,
    pub(crate) producers: Rows<PlaceArc>,
    pub(crate) effect_of: Vec<EffectId>,
    pub(crate) effects: Rows<Change>,
    pub(crate) classes: Rows<TransitionId>,
    pub(crate) features: Features,
    pub(crate) initial: Marking,
    pub(crate) final_markings: Vec<Marking>,
    pub(crate) units: Option<Units>,
    /// Shared: a net whose units are not trusted has the same.
    pub(crate) folding: Option<std::sync::Arc<Folding>>,
    /// Shared in the same way.
    pub(crate) translation: Option<std::sync::Arc<Translation>>,
}

impl Net {
    /// The net's own name (its PNML id); empty when it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it has beyond plain arcs.
    pub fn features(&self) -> Features {
        self.features
    }

    /// The number of places.
    pub fn place_count(&self) -> usize {
        self.place_names.len()
    }

    /// The number of transitions.
    pub fn transition_count(&self) -> usize {
        self.transition_names.len()
    }

    /// The number of arcs, both directions.
    pub fn arc_count(&self) -> usize {
        self.pre.entries.len() + self.post.entries.len()
    }

    /// The number of effect classes.
    pub fn effect_count(&self) -> usize {
        self.effects.starts.len() - 1
    }

    /// All places in order.
    pub fn places(&self) -> impl ExactSizeIterator<Item = PlaceId> + DoubleEndedIterator + use<> {
        (0..self.place_count()).map(PlaceId::new)
    }

    /// All transitions in order.
    pub fn transitions(
        &self,
    ) -> impl ExactSizeIterator<Item = TransitionId> + DoubleEndedIterator + use<> {
        (0..self.transition_count()).map(TransitionId::new)
    }

    /// All effect classes in order.
    pub fn effect_classes(
        &self,
    ) -> impl ExactSizeIterator<Item = EffectId> + DoubleEndedIterator + use<> {
        (0..self.effect_count()).map(EffectId::new)
    }

    /// What `t` takes, by ascending place.
    pub fn pre(&self, t: TransitionId) -> &[Arc] {
        self.pre.row(t.index())
    }

    /// What `t` puts, by ascending place.
    pub fn post(&self, t: TransitionId) -> &[Arc] {
        self.post.row(t.index())
    }

    /// The transitions that take from `p`, ascending.
    pub fn consumers(&self, p: PlaceId) -> &[PlaceArc] {
        self.consumers.row(p.index())
    }

    /// The transitions that put to `p`, ascending.
    pub fn producers(&self, p: PlaceId) -> &[PlaceArc] {
        self.producers.row(p.index())
    }

    /// The effect class of `t`.
    pub fn effect_of(&self, t: TransitionId) -> EffectId {
        self.effect_of[t.index()]
    }

    /// What firing any transition of class `e` changes, by ascending place; empty for a class
    /// without effect.
    pub fn effect(&self, e: EffectId) -> &[Change] {
        self.effects.row(e.index())
    }

    /// The transitions of class `e`, ascending; never empty.
    pub fn class(&self, e: EffectId) -> &[TransitionId] {
        self.classes.row(e.index())
    }

    /// What firing `t` changes, by ascending place.
    pub fn delta(&self, t: TransitionId) -> &[Change] {
        self.effect(self.effect_of(t))
    }

    /// The tokens `t` takes from `p`; 0 without an arc.
    pub fn pre_weight(&self, t: TransitionId, p: PlaceId) -> u64 {
        weight_at(self.pre(t), p)
    }

    /// The tokens `t` puts to `p`; 0 without an arc.
    pub fn post_weight(&self, t: TransitionId, p: PlaceId) -> u64 {
        weight_at(self.post(t), p)
    }

    /// The model's id of `p`: what formulas and messages call it.
    pub fn place_name(&self, p: PlaceId) -> &str {
        self.place_names.get(p.index())
    }

    /// The model's id of `t`.
    pub fn transition_name(&self, t: TransitionId) -> &str {
        self.transition_names.get(t.index())
    }

    /// The name given to people for `p`, where the model has one that differs from the id.
    pub fn place_label(&self, p: PlaceId) -> Option<&str> {
        let at = self.place_labels.binary_search_by_key(&p, |&(place, _)| place).ok()?;
        Some(&self.place_labels[at].1)
    }

    /// The name given to people for `t`, where the model has one that differs from the id.
    pub fn transition_label(&self, t: TransitionId) -> Option<&str> {
        let at = self.transition_labels.binary_search_by_key(&t, |&(t, _)| t).ok()?;
        Some(&self.transition_labels[at].1)
    }

    /// The place with this id.
    pub fn place_named(&self, name: &str) -> Option<PlaceId> {
        self.place_names.find(name).map(PlaceId::new)
    }

    /// The transition with this id.
    pub fn transition_named(&self, name: &str) -> Option<TransitionId> {
        self.transition_names.find(name).map(TransitionId::new)
    }

    /// The initial marking m₀.
    pub fn initial(&self) -> &Marking {
        &self.initial
    }

    /// The markings in which the model says a run is over, where it says so: in a process, those in
    /// which a case is done. Firings do not depend on them.
    pub fn final_markings(&self) -> &[Marking] {
        &self.final_markings
    }

    /// The nested units (NUPN) of the model, where it has them.
    pub fn units(&self) -> Option<&Units> {
        self.units.as_ref()
    }

    /// The nested units, where the model claims that they are safe *in this net*: from this initial
    /// marking on. `None` of a net that begins elsewhere ([`from_marking`](Self::from_marking)).
    pub fn safe_units(&self) -> Option<&Units> {
        let units = self.units()?;
        // Places that were added to the net, such as counters, come last and are in no unit.
        let begins_there = self.initial.tokens().starts_with(units.safe_from()?.tokens());
        begins_there.then_some(units)
    }

    /// What the net was unfolded from, where it was: which of its places are the colours of one
    /// coloured place, and which of its transitions the bindings of one coloured transition.
    pub fn folding(&self) -> Option<&Folding> {
        self.folding.as_deref()
    }

    /// The net with inhibitor or reset arcs that this one stands for, where it does.
    pub fn translation(&self) -> Option<&Translation> {
        self.translation.as_deref()
    }

    /// Whether it stands for a model in two halves only, within caps and beyond them: see
    /// [`translation`](crate::translation). Then no more is asked of it than what can be reached.
    pub fn has_caps(&self) -> bool {
        self.translation().is_some_and(|it| it.within_caps().is_some())
    }

    /// The places that the model has: all, but for those that a translation added.
    pub fn model_places(&self) -> impl ExactSizeIterator<Item = PlaceId> + use<> {
        let all = self.place_count();
        let count = self.translation().map_or(all, Translation::place_count);
        (0..count).map(PlaceId::new)
    }

    /// For each transition that the model has, in order, those that stand for it: itself, but for
    /// what a translation made of it.
    pub fn model_transitions(&self) -> impl Iterator<Item = Vec<TransitionId>> + use<'_> {
        let ranges: Box<dyn Iterator<Item = std::ops::Range<usize>>> = match self.translation() {
            None => Box::new((0..self.transition_count()).map(|t| t..t + 1)),
            Some(it) => {
                Box::new((0..it.transition_count()).map(|t| it.copies(TransitionId::new(t))))
            }
        };
        ranges.map(|range| range.map(TransitionId::new).collect())
    }

    /// The places that a formula's name stands for: the place of this id, and in an unfolding all
    /// colours of the coloured place of this id, of which there may be none left. Where colours
    /// were made one, none has a name.
    pub fn places_named(&self, name: &str) -> Option<Vec<PlaceId>> {
        if let Some(folding) = self.folding()
            && let Some(at) = folding.place_named(name)
        {
            return Some(folding.places(at).collect());
        }
        if self.is_of_quotient() {
            return None;
        }
        let place = self.place_named(name)?;
        // Beyond caps, what else there is says nothing of the model.
        let is_asked = !self.has_caps() || place.index() < self.model_places().len();
        is_asked.then(|| vec![place])
    }

    /// The place that a colour of a coloured place unfolds to, if the sort has such a colour; no
    /// place where it was left out. A colour is `red`, `red,2`, or `(red,2)`.
    pub fn colour_named(&self, place: usize, colour: &str) -> Option<Option<PlaceId>> {
        let folding = self.folding().filter(|folding| folding.classes().is_none())?;
        let coloured = folding.coloured()?;
        let owner = &coloured.places()[place];
        let colour = coloured.colour_named(owner.sort, colour)?;
        let mut name = coloured.unfolded_name(owner, colour);
        loop {
            match self.place_named(&name) {
                Some(found) if folding.place_of(found) == place => return Some(Some(found)),
                None if self.transition_named(&name).is_none() => return Some(None),
                // Where a model's own ids look like these, they have a mark.
                _ => name.push('\''),
            }
        }
    }

    /// The transitions that a formula's name stands for: the transition of this id, and in an
    /// unfolding all bindings of the coloured transition of this id, of which there may be none
    /// left. Of a net that stands for one with reset arcs, all that stand for the transition.
    pub fn transitions_named(&self, name: &str) -> Option<Vec<TransitionId>> {
        if let Some(folding) = self.folding()
            && let Some(at) = folding.transition_named(name)
        {
            return Some(folding.transitions(at).collect());
        }
        if let Some(translation) = self.translation()
            && let Some(t) = translation.transition_named(name)
        {
            return Some(translation.copies(t).map(TransitionId::new).collect());
        }
        if self.has_caps() || self.is_of_quotient() {
            return None;
        }
        self.transition_named(name).map(|transition| vec![transition])
    }

    /// Whether `t` takes the token away that says that no cap was passed: what is fired after it is
    /// no run of the model.
    pub fn passes_a_cap(&self, t: TransitionId) -> bool {
        let within = self.translation().and_then(Translation::within_caps);
        within.is_some_and(|within| self.pre_weight(t, within) > self.post_weight(t, within))
    }

    /// The same net, whose model does not claim that its units are safe.
    pub fn without_unit_claim(&self) -> Net {
        Net { units: self.units.as_ref().map(Units::unclaimed), ..self.clone() }
    }

    /// Whether it is unfolded from a net in which some colours were made one.
    pub fn is_of_quotient(&self) -> bool {
        self.folding().is_some_and(|folding| folding.classes().is_some())
    }

    /// The same net, unfolded from one in which colours of these classes were made one.
    pub fn of_quotient(self, classes: Vec<NamedClasses>) -> Net {
        let folding =
            self.folding.map(|folding| Folding::clone(&folding).of_quotient(classes).into());
        Net { folding, ..self }
    }

    /// The same net, about whose nodes it is not said any more what they were unfolded from.
    pub fn without_folding(self) -> Net {
        Net { folding: None, ..self }
    }

    /// The same net, begun from `marking`. What the model claims of markings that can be reached
    /// from its own initial marking is not claimed of this net, unless that is the same marking;
    /// see [`after`](Self::after) for a marking that can be reached.
    pub fn from_marking(&self, marking: Marking) -> Net {
        Net { initial: marking, ..self.clone() }
    }

    /// The same net, begun from the marking at the end of `sequence`. What is claimed of all
    /// markings that can be reached here is claimed of those that can be reached there.
    ///
    /// # Errors
    /// When the sequence cannot be fired.
    pub fn after(&self, sequence: &FiringSequence) -> Result<Net, FireError> {
        let mut marking = self.initial.clone();
        for step in sequence.steps() {
            self.fire_in_a_row(&mut marking, step.transition, step.count)?;
        }
        let units = self.safe_units().map(|units| units.reached(&marking));
        Ok(Net { units: units.or_else(|| self.units.clone()), ..self.from_marking(marking) })
    }

    /// The same net with these final markings.
    pub fn with_final_markings(self, final_markings: Vec<Marking>) -> Net {
        Net { final_markings, ..self }
    }

    /// The marking of this net in which the model's places hold what `marking` says. The complement
    /// places of a translation hold the rest of their bounds. `None` where a place would exceed its
    /// bound: then the model does not reach the marking.
    pub fn marking_of_model(&self, marking: &Marking) -> Option<Marking> {
        let mut whole = marking.padded(self.place_count());
        let Some(translation) = self.translation() else { return Some(whole) };
        for (at, &place) in translation.complemented().iter().enumerate() {
            let complement = PlaceId::new(translation.place_count() + at);
            let bound = self.initial[place].checked_add(self.initial[complement])?;
            whole[complement] = bound.checked_sub(whole[place])?;
        }
        if let Some(within) = translation.within_caps() {
            whole[within] = 1;
        }
        Some(whole)
    }

    /// Whether `marking` is one of the final markings, as far as the model's places go.
    pub fn is_final(&self, marking: &[u64]) -> bool {
        let places = self.model_places().len();
        let is_same =
            |last: &Marking| last.tokens().iter().zip(marking).take(places).all(|(a, b)| a == b);
        self.final_markings.iter().any(is_same)
    }

    /// Whether `marking` holds what `t` takes.
    pub fn is_enabled(&self, marking: &Marking, t: TransitionId) -> bool {
        self.pre(t).iter().all(|arc| marking[arc.place] >= arc.weight)
    }

    /// Whether no transition is enabled in `marking`.
    pub fn is_dead(&self, marking: &Marking) -> bool {
        !self.transitions().any(|t| self.is_enabled(marking, t))
    }

    /// Fires `t` once in `marking`, which is left as it was on an error.
    ///
    /// # Errors
    /// When `t` is not enabled, or a place would overflow; each names the place.
    pub fn fire(&self, marking: &mut Marking, t: TransitionId) -> Result<(), FireError> {
        if let Some(arc) = self.pre(t).iter().find(|arc| marking[arc.place] < arc.weight) {
            return Err(FireError::NotEnabled(arc.place));
        }
        let overflows = |change: &&Change| {
            change.delta > 0
                && marking[change.place] > Marking::MAX_TOKENS - change.delta.unsigned_abs()
        };
        if let Some(change) = self.delta(t).iter().find(overflows) {
            return Err(FireError::Overflow(change.place));
        }
        for change in self.delta(t) {
            // Neither end is crossed: enabledness and the check above.
            marking[change.place] = marking[change.place].wrapping_add_signed(change.delta);
        }
        Ok(())
    }

    /// Fires `t` so often in a row. Each firing changes a place by the same amount, so it is
    /// enabled all the way if it is the first time and the last time.
    fn fire_in_a_row(
        &self,
        marking: &mut Marking,
        t: TransitionId,
        count: u64,
    ) -> Result<(), FireError> {
        let Some(again) = count.checked_sub(1) else { return Ok(()) };
        let (again, count) = (i128::from(again), i128::from(count));
        for arc in self.pre(t) {
            let gain = i128::from(self.post_weight(t, arc.place)) - i128::from(arc.weight);
            let (first, weight) = (i128::from(marking[arc.place]), i128::from(arc.weight));
            if first < weight || first + again * gain < weight {
                return Err(FireError::NotEnabled(arc.place));
            }
        }
        let tokens_after = |marking: &Marking, change: &Change| {
            let tokens = i128::from(marking[change.place]) + count * i128::from(change.delta);
            u64::try_from(tokens).ok().filter(|&tokens| tokens <= Marking::MAX_TOKENS)
        };
        let overflows = |change: &&Change| tokens_after(marking, change).is_none();
        if let Some(change) = self.delta(t).iter().find(overflows) {
            return Err(FireError::Overflow(change.place));
        }
        for change in self.delta(t) {
            if let Some(tokens) = tokens_after(marking, change) {
                marking[change.place] = tokens;
            }
        }
        Ok(())
    }
}

fn weight_at(row: &[Arc], p: PlaceId) -> u64 {
    row.binary_search_by_key(&p, |arc| arc.place).map_or(0, |at| row[at].weight)
}
