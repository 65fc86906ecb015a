//! Place/transition nets: compact tables of the arcs in both directions, and transitions grouped by
//! effect.
//!
//! Engines read a net through four tables, each a flat array cut into rows: the inputs
//! ([`Net::pre`]) and outputs ([`Net::post`]) of a transition, and the consumers
//! ([`Net::consumers`]) and producers ([`Net::producers`]) of a place. Transitions with the same
//! effect on every place share an *effect class*. Code that needs effects only (the state equation,
//! the choice of a walk) iterates over classes.

use crate::assumption::Assumption;
use crate::coloured::{Folding, NamedClasses};
use crate::features::Features;
use crate::id::{EffectId, PlaceId, TransitionId};
use crate::marking::Marking;
use crate::names::Names;
use crate::sequence::FiringSequence;
use crate::translation::Translation;
use crate::units::Units;

/// An arc in the list of the inputs or the outputs of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The place of the arc.
    pub place: PlaceId,
    /// Tokens moved, at least 1.
    pub weight: u64,
}

/// An arc in the list of the consumers or the producers of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceArc {
    /// The transition of the arc.
    pub transition: TransitionId,
    /// Tokens moved, at least 1.
    pub weight: u64,
}

/// The effect of a firing on one place: post − pre, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Change {
    /// The place whose tokens change.
    pub place: PlaceId,
    /// The number of tokens gained, or lost if negative.
    pub delta: i64,
}

/// The reason why a transition did not fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FireError {
    /// A place holds too few tokens, or an inhibitor arc from the place disables the transition.
    #[error("a place holds too few tokens, or disables the transition by an inhibitor arc")]
    NotEnabled(PlaceId),
    /// A place would hold more than [`Marking::MAX_TOKENS`].
    #[error("a place would hold more than 2^63 - 1 tokens")]
    Overflow(PlaceId),
}

/// Rows of varying length in one array: row `i` is `entries[starts[i]..starts[i + 1]]`.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    /// The index of the first entry of each row, followed by the number of entries.
    starts: Vec<u32>,
    /// The entries of the rows, concatenated.
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

    /// Returns the entries of all rows, row by row.
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
    /// The label of the net. Empty if the model gives none.
    pub(crate) label: String,
    pub(crate) place_names: Names,
    pub(crate) transition_names: Names,
    /// The labels of places, without labels that equal the place's id, sorted by place.
    pub(crate) place_labels: Vec<(PlaceId, Box<str>)>,
    /// The labels of transitions, without labels that equal the transition's id, sorted by
    /// transition.
    pub(crate) transition_labels: Vec<(TransitionId, Box<str>)>,
    /// Input arcs, as one row per transition, ascending by place.
    pub(crate) pre: Rows<Arc>,
    /// Output arcs, as one row per transition, ascending by place.
    pub(crate) post: Rows<Arc>,
    /// The arcs from each place, one row per place.
    pub(crate) consumers: Rows<PlaceArc>,
    /// The arcs to each place, one row per place.
    pub(crate) producers: Rows<PlaceArc>,
    /// The effect class of each transition, that is, the class of all transitions with the same
    /// effect on every place.
    pub(crate) effect_of: Vec<EffectId>,
    /// The change of tokens by a firing of a transition, one row per class of transitions with the
    /// same effect.
    pub(crate) effects: Rows<Change>,
    /// The transitions in each class of transitions with the same effect, one row per class.
    pub(crate) classes: Rows<TransitionId>,
    pub(crate) features: Features,
    /// The assumptions about the model, sorted, without repetition.
    pub(crate) assumptions: Vec<Assumption>,
    pub(crate) initial: Marking,
    pub(crate) final_markings: Vec<Marking>,
    pub(crate) units: Option<Units>,
    /// The coloured places and transitions to which the nodes of an unfolded net belong. `None` for
    /// other nets, or if the folding was removed. Shared by copies of the net that differ in other
    /// parts.
    pub(crate) folding: Option<std::sync::Arc<Folding>>,
    /// The relation to a model with inhibitor or reset arcs; `None` for other nets.
    pub(crate) translation: Option<std::sync::Arc<Translation>>,
}

impl Net {
    /// Returns the net's name (its PNML id); empty if it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the label (the PNML name) or, without a label, the name. Empty if the net has
    /// neither.
    pub fn title(&self) -> &str {
        if self.label.is_empty() { &self.name } else { &self.label }
    }

    /// Returns the features beyond plain arcs.
    pub fn features(&self) -> Features {
        self.features
    }

    /// Returns the number of places.
    pub fn place_count(&self) -> usize {
        self.place_names.len()
    }

    /// Returns the number of transitions.
    pub fn transition_count(&self) -> usize {
        self.transition_names.len()
    }

    /// Returns the number of arcs in both directions.
    pub fn arc_count(&self) -> usize {
        self.pre.entries.len() + self.post.entries.len()
    }

    /// Returns the number of effect classes, that is, classes of transitions with the same effect
    /// on every place.
    pub fn effect_count(&self) -> usize {
        self.effects.starts.len() - 1
    }

    /// Returns the places in order.
    pub fn places(&self) -> impl ExactSizeIterator<Item = PlaceId> + DoubleEndedIterator + use<> {
        (0..self.place_count()).map(PlaceId::new)
    }

    /// Returns the transitions in order.
    pub fn transitions(
        &self,
    ) -> impl ExactSizeIterator<Item = TransitionId> + DoubleEndedIterator + use<> {
        (0..self.transition_count()).map(TransitionId::new)
    }

    /// Returns the effect classes in order.
    pub fn effect_classes(
        &self,
    ) -> impl ExactSizeIterator<Item = EffectId> + DoubleEndedIterator + use<> {
        (0..self.effect_count()).map(EffectId::new)
    }

    /// Returns the inputs of `t`, by ascending place.
    pub fn pre(&self, t: TransitionId) -> &[Arc] {
        self.pre.row(t.index())
    }

    /// Returns the outputs of `t`, by ascending place.
    pub fn post(&self, t: TransitionId) -> &[Arc] {
        self.post.row(t.index())
    }

    /// Returns the consumers of `p`, that is, the transitions with an arc from `p`, ascending.
    pub fn consumers(&self, p: PlaceId) -> &[PlaceArc] {
        self.consumers.row(p.index())
    }

    /// Returns the producers of `p`, that is, the transitions with an arc to `p`, ascending.
    pub fn producers(&self, p: PlaceId) -> &[PlaceArc] {
        self.producers.row(p.index())
    }

    /// Returns the effect class of `t`, that is, the class of all transitions with the same effect
    /// as `t`.
    pub fn effect_of(&self, t: TransitionId) -> EffectId {
        self.effect_of[t.index()]
    }

    /// Returns the effect of the transitions in class `e`, by ascending place; empty for the class
    /// without effect.
    pub fn effect(&self, e: EffectId) -> &[Change] {
        self.effects.row(e.index())
    }

    /// Returns the transitions of class `e`, ascending; never empty.
    pub fn class(&self, e: EffectId) -> &[TransitionId] {
        self.classes.row(e.index())
    }

    /// Returns the effect of `t`, by ascending place.
    pub fn delta(&self, t: TransitionId) -> &[Change] {
        self.effect(self.effect_of(t))
    }

    /// Returns the number of tokens that `t` takes from `p`; 0 without an arc.
    pub fn pre_weight(&self, t: TransitionId, p: PlaceId) -> u64 {
        weight_at(self.pre(t), p)
    }

    /// Returns the number of tokens that `t` produces on `p`; 0 without an arc.
    pub fn post_weight(&self, t: TransitionId, p: PlaceId) -> u64 {
        weight_at(self.post(t), p)
    }

    /// Returns the id of `p`: its id in the model, unless a net transformation, such as an
    /// unfolding, made the place.
    pub fn place_name(&self, p: PlaceId) -> &str {
        self.place_names.get(p.index())
    }

    /// Returns the id of `t`: its id in the model, unless a net transformation, such as an
    /// unfolding, made the transition.
    pub fn transition_name(&self, t: TransitionId) -> &str {
        self.transition_names.get(t.index())
    }

    /// Returns the name of `p`, if the model has one that differs from the id.
    pub fn place_label(&self, p: PlaceId) -> Option<&str> {
        let index = self.place_labels.binary_search_by_key(&p, |&(place, _)| place).ok()?;
        Some(&self.place_labels[index].1)
    }

    /// Returns the name of `t`, if the model has one that differs from the id.
    pub fn transition_label(&self, t: TransitionId) -> Option<&str> {
        let index = self.transition_labels.binary_search_by_key(&t, |&(t, _)| t).ok()?;
        Some(&self.transition_labels[index].1)
    }

    /// Returns the place with the given id.
    pub fn place_named(&self, name: &str) -> Option<PlaceId> {
        self.place_names.find(name).map(PlaceId::new)
    }

    /// Returns the transition with the given id.
    pub fn transition_named(&self, name: &str) -> Option<TransitionId> {
        self.transition_names.find(name).map(TransitionId::new)
    }

    /// Returns the initial marking m₀.
    pub fn initial(&self) -> &Marking {
        &self.initial
    }

    /// Returns the final markings of the model: in a process, the markings in which a case is
    /// complete. They do not affect firings.
    pub fn final_markings(&self) -> &[Marking] {
        &self.final_markings
    }

    /// Returns the nested units (NUPN) of the model, if it has them.
    pub fn units(&self) -> Option<&Units> {
        self.units.as_ref()
    }

    /// Returns the nested units if the model claims that they are safe in all markings reachable
    /// from this net's initial marking. Returns `None` if the model makes no such claim. Also
    /// returns `None` if the net has another initial marking than the claim
    /// ([`from_marking`](Self::from_marking)).
    pub fn safe_units(&self) -> Option<&Units> {
        let units = self.units()?;
        // Compares only the places for which the claim was made. Places added to the net, such as
        // counters, come after them and are in no unit.
        let has_claimed_marking = self.initial.tokens().starts_with(units.safe_from()?.tokens());
        has_claimed_marking.then_some(units)
    }

    /// Returns the folding of an unfolded net. It groups the places into the colours of each
    /// coloured place, and the transitions into the bindings of each coloured transition. Returns
    /// `None` for other nets, or if the folding was removed.
    pub fn folding(&self) -> Option<&Folding> {
        self.folding.as_deref()
    }

    /// Returns the relation to the model with inhibitor or reset arcs that this net represents.
    /// Returns `None` if the net is not a translation.
    pub fn translation(&self) -> Option<&Translation> {
        self.translation.as_deref()
    }

    /// Returns true if the net is the translation of a model, and its places have caps, that is,
    /// assumed bounds that the model may exceed. See [`translation`](crate::translation). Such a
    /// net is used only for reachability and for the largest values of sums of tokens.
    pub fn has_caps(&self) -> bool {
        self.translation().is_some_and(|it| it.within_caps().is_some())
    }

    /// Returns the places of the model, without those that a translation added. In a net without a
    /// translation, returns all places.
    pub fn model_places(&self) -> impl ExactSizeIterator<Item = PlaceId> + use<> {
        let total = self.place_count();
        let count = self.translation().map_or(total, Translation::place_count);
        (0..count).map(PlaceId::new)
    }

    /// Returns, for each transition of the model in order, the transitions that represent it:
    /// itself, or its copies in a translation.
    pub fn model_transitions(&self) -> impl Iterator<Item = Vec<TransitionId>> + use<'_> {
        let ranges: Box<dyn Iterator<Item = std::ops::Range<usize>>> = match self.translation() {
            None => Box::new((0..self.transition_count()).map(|t| t..t + 1)),
            Some(it) => {
                Box::new((0..it.transition_count()).map(|t| it.copies(TransitionId::new(t))))
            }
        };
        ranges.map(|range| range.map(TransitionId::new).collect())
    }

    /// Returns the places meant by a name in a formula: the place with this id. In an unfolding, it
    /// returns all colours of the coloured place with this id, which may be none. Returns `None`
    /// for an unknown name, and for a single place of a quotient by equivalent colours. In a net
    /// with caps, that is, assumed bounds, also returns `None` for every place that the translation
    /// added.
    pub fn places_named(&self, name: &str) -> Option<Vec<PlaceId>> {
        if let Some(folding) = self.folding()
            && let Some(coloured_place) = folding.place_named(name)
        {
            return Some(folding.places(coloured_place).collect());
        }
        if self.is_of_quotient() {
            return None;
        }
        let place = self.place_named(name)?;
        // Places after the model's places were added by the translation. In a net with caps, that
        // is, assumed bounds, formulas cannot name these places.
        let is_of_model = !self.has_caps() || place.index() < self.model_places().len();
        is_of_model.then(|| vec![place])
    }

    /// Returns the place to which a colour unfolds, for the coloured place with the index `place`.
    /// The outer `None` means that the sort has no such colour, or that the net knows no single
    /// colours. A net without an attached coloured net, or unfolded from a quotient, knows none.
    /// The inner `None` means that the unfolding left the place out. A colour is written `red`,
    /// `red,2`, or `(red,2)`.
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
                // Another node of the net has this name. Then the unfolding appended an apostrophe
                // to the name of the place.
                _ => name.push('\''),
            }
        }
    }

    /// Returns the transitions meant by a name in a formula: the transition with this id. In an
    /// unfolding, it returns all bindings of the coloured transition with this id, which may be
    /// none. In a translation, it returns all copies of the transition. Returns `None` for an
    /// unknown name, and for a single transition of a quotient. In a net with caps, that is,
    /// assumed bounds, also returns `None` for every id that is no id of the model.
    pub fn transitions_named(&self, name: &str) -> Option<Vec<TransitionId>> {
        if let Some(folding) = self.folding()
            && let Some(coloured_transition) = folding.transition_named(name)
        {
            return Some(folding.transitions(coloured_transition).collect());
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

    /// Returns true if `t` takes the token that shows that no cap, that is, no assumed bound, is
    /// exceeded. A firing sequence that contains `t` need not be a firing sequence of the model.
    pub fn exceeds_cap(&self, t: TransitionId) -> bool {
        let within = self.translation().and_then(Translation::within_caps);
        within.is_some_and(|within| self.pre_weight(t, within) > self.post_weight(t, within))
    }

    /// Returns the net without the claim that its units are safe.
    pub fn without_unit_claim(&self) -> Net {
        Net { units: self.units.as_ref().map(Units::unclaimed), ..self.clone() }
    }

    /// Returns true if the net is unfolded from a quotient by equivalent colours.
    pub fn is_of_quotient(&self) -> bool {
        self.folding().is_some_and(|folding| folding.classes().is_some())
    }

    /// Returns the net, marked as unfolded from the quotient by these classes of colours. A net
    /// without a folding stays unchanged.
    pub fn of_quotient(self, classes: Vec<NamedClasses>) -> Net {
        let folding =
            self.folding.map(|folding| Folding::clone(&folding).of_quotient(classes).into());
        Net { folding, ..self }
    }

    /// Returns the net with its folding removed.
    pub fn without_folding(self) -> Net {
        Net { folding: None, ..self }
    }

    /// Returns the net with the initial marking `marking`. The model's claim that its units are
    /// safe does not apply to the new net, unless the claim was made for `marking`. For a reachable
    /// marking, see [`from_marking_after`](Self::from_marking_after).
    pub fn from_marking(&self, marking: Marking) -> Net {
        Net { initial: marking, ..self.clone() }
    }

    /// Returns the net whose initial marking is the marking after `sequence`. The claim of safe
    /// units is kept, since every marking reachable from the new initial marking is reachable in
    /// this net. The claim is dropped if the new initial marking violates it.
    ///
    /// # Errors
    /// If the sequence cannot be fired.
    pub fn from_marking_after(&self, sequence: &FiringSequence) -> Result<Net, FireError> {
        let mut marking = self.initial.clone();
        for step in sequence.steps() {
            self.fire_repeatedly(&mut marking, step.transition, step.count)?;
        }
        let units = self.safe_units().map(|units| units.claimed_from(&marking));
        Ok(Net { units: units.or_else(|| self.units.clone()), ..self.from_marking(marking) })
    }

    /// Returns the net with these final markings.
    pub fn with_final_markings(self, final_markings: Vec<Marking>) -> Net {
        Net { final_markings, ..self }
    }

    /// Returns true if `t` is enabled in `marking`.
    pub fn is_enabled(&self, marking: &Marking, t: TransitionId) -> bool {
        self.pre(t).iter().all(|arc| marking[arc.place] >= arc.weight)
    }

    /// Returns true if no transition is enabled in `marking`.
    pub fn is_dead(&self, marking: &Marking) -> bool {
        !self.transitions().any(|t| self.is_enabled(marking, t))
    }

    /// Fires `t` once in `marking`, which stays unchanged on an error.
    ///
    /// # Errors
    /// If `t` is disabled or a place would overflow, with the place.
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
            // No overflow or underflow: `t` is enabled, and overflow was checked above.
            marking[change.place] = marking[change.place].wrapping_add_signed(change.delta);
        }
        Ok(())
    }

    /// Fires `t` `count` times. Each firing changes a place by the same amount. So it is enough to
    /// check that `t` is enabled at the first and the last firing.
    fn fire_repeatedly(
        &self,
        marking: &mut Marking,
        t: TransitionId,
        count: u64,
    ) -> Result<(), FireError> {
        let Some(last_repetitions) = count.checked_sub(1) else { return Ok(()) };
        let (last_repetitions, count) = (i128::from(last_repetitions), i128::from(count));
        for arc in self.pre(t) {
            let gain = i128::from(self.post_weight(t, arc.place)) - i128::from(arc.weight);
            let (initial_tokens, weight) = (i128::from(marking[arc.place]), i128::from(arc.weight));
            if initial_tokens < weight || initial_tokens + last_repetitions * gain < weight {
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
    row.binary_search_by_key(&p, |arc| arc.place).map_or(0, |index| row[index].weight)
}
