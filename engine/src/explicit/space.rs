//! The markings reached so far and the means to reach more: packing, compiled transitions and
//! store, kept consistent.
//!
//! Expanding a marking first computes all its successors in a buffer, then adds them to the store.
//! The first step may find that a field is too narrow. At that point nothing has been stored, so
//! the space is repacked and the marking is expanded again from the start. The caller sees every
//! marking expanded exactly once. When there are very many markings, they are repacked in the same
//! way to a more compact layout.

use super::derived::select_derived_places;
use super::memory::OutOfMemory;
use super::moves::{Moves, Overflow};
use super::packing::Packing;
use super::set::NO_NUMBER;
use super::store::PackedStore;
use parikh_net::{Facts, FiringSequence, Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_structure::flows::place_flows;
use std::time::Duration;

/// Numbers of expansions at which the candidate lists of transitions are rebuilt according to the
/// visited markings. The first rebuild comes early, since the initial marking is not typical. The
/// second comes when the search has moved away from the initial marking.
const REBUILD_EXPANSIONS: [u64; 2] = if cfg!(debug_assertions) { [30, 90] } else { [500, 20_000] };

/// Limit on the work of widening single fields, as a number of repacked markings per stored
/// marking. Another 10,000 repacked markings are allowed. Beyond this limit, the fields of all
/// places without a bound are widened at once. So a net with a thousand growing places is not
/// repacked a thousand times.
const REPACKED_PER_MARKING: u64 = 3;

/// Number of markings that counts as very many. From then on the compact layout is used, which
/// takes less memory and more time. In debug builds the number is small, so that tests cover the
/// compact layout.
const COMPACT_LAYOUT_MARKINGS: u32 = if cfg!(debug_assertions) { 40 } else { 1 << 17 };

/// Time limit for computing place invariants.
const INVARIANT_TIME: Duration = Duration::from_millis(500);

/// The reason why a space accepts no more markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpaceError {
    /// Memory is exhausted, or all marking numbers are used.
    Full,
    /// A place would get 2⁶³ tokens or more.
    Unpackable,
}

impl From<OutOfMemory> for SpaceError {
    fn from(_: OutOfMemory) -> Self {
        SpaceError::Full
    }
}

/// The intended use of a space.
#[derive(Clone, Copy)]
pub(crate) struct SpaceOptions<'a> {
    /// Returns true for a transition that [`Space::load`] lists when it is enabled. Other
    /// transitions are never listed.
    pub(crate) listed: &'a dyn Fn(TransitionId) -> bool,
    /// True if firing sequences will be requested.
    pub(crate) needs_sequences: bool,
    /// Limit on the memory for markings, in bytes.
    pub(crate) max_bytes: u64,
}

/// A marking that is being expanded at the moment.
#[derive(Clone, Copy)]
pub(crate) struct ExpandedMarking<'a> {
    /// The marking's number.
    pub(crate) number: u32,
    /// The marking's whole key.
    pub(crate) key: &'a [u64],
    /// The layout of the key.
    pub(crate) packing: &'a Packing,
}

impl ExpandedMarking<'_> {
    /// Returns the token count of `p`.
    pub(crate) fn tokens(&self, p: PlaceId) -> u64 {
        self.packing.tokens(self.key, p)
    }
}

/// The markings reached so far, with the compiled transitions. See the module documentation.
pub(crate) struct Space<'n> {
    /// The net whose markings are explored.
    net: &'n Net,
    /// The current layout of keys.
    packing: Packing,
    /// The transitions, compiled for the current layout.
    moves: Moves,
    /// The markings reached so far.
    store: PackedStore,
    /// For each transition, true if it is listed when it is enabled.
    is_listed: Vec<bool>,
    /// Key of the marking loaded last.
    key: Vec<u64>,
    /// Keys of the successors of a loaded marking, one after another.
    successors: Vec<u64>,
    /// The budget for computing place invariants.
    budget: Budget,
    /// True once the compact layout was chosen, if there is one. This happens at the first
    /// expansion after a fixed number of markings is stored.
    is_compact: bool,
    /// True if the compact layout leaves out derived places.
    omits_derived_places: bool,
    /// For each place, the number of sampled markings in which it was marked.
    marked_samples: Vec<u64>,
    /// Number of calls of [`load`](Self::load), plus the number of markings expanded in parallel.
    expansions: u64,
    /// Number of times that all markings were repacked because a field was too narrow.
    pub(crate) repackings: u64,
    /// Number of markings repacked since all fields were last widened at once.
    repacked_markings: u64,
    /// Number of layout changes.
    layout_changes: u64,
}

impl<'n> Space<'n> {
    /// Creates a space with the initial marking. The upper bounds in `facts` determine the widths
    /// of the fields.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it.
    pub(crate) fn new(
        net: &'n Net,
        facts: &Facts,
        options: SpaceOptions<'_>,
        budget: &Budget,
    ) -> Result<Self, SpaceError> {
        let packing = Packing::new(net, facts);
        let listed: Vec<bool> = net.transitions().map(options.listed).collect();
        let moves = Moves::new(net, &packing, |t| listed[t.index()]);
        let mut key = vec![0; packing.words_per_key()];
        packing.pack(|p| net.initial()[p], &mut key);
        let store = PackedStore::new(&key, options.needs_sequences, options.max_bytes, budget)?;
        Ok(Space {
            net,
            packing,
            moves,
            store,
            is_listed: listed,
            key,
            successors: Vec::new(),
            budget: budget.clone(),
            is_compact: false,
            omits_derived_places: true,
            marked_samples: vec![0; net.place_count()],
            expansions: 0,
            repackings: 0,
            repacked_markings: 0,
            layout_changes: 0,
        })
    }

    /// Returns the space, set to store derived places in the compact layout too. Use this if
    /// markings are read more often than expanded: computing derived places for each read may cost
    /// more than everything else.
    pub(crate) fn with_whole_keys(self) -> Self {
        Space { omits_derived_places: false, ..self }
    }

    /// Returns the layout of keys.
    pub(crate) fn packing(&self) -> &Packing {
        &self.packing
    }

    /// Returns the store of markings.
    pub(crate) fn store(&self) -> &PackedStore {
        &self.store
    }

    /// Returns the store for adding markings.
    pub(super) fn store_mut(&mut self) -> &mut PackedStore {
        &mut self.store
    }

    /// Returns the compiled transitions.
    pub(super) fn moves(&self) -> &Moves {
        &self.moves
    }

    /// Returns the number of layout changes.
    pub(crate) fn layout_version(&self) -> u64 {
        self.layout_changes
    }

    /// Returns true if the layout of keys will change only by widened fields. Then the lists of
    /// transitions to check per marked place are also final, except for rebuilding them in a new
    /// layout.
    pub(super) fn is_steady(&self) -> bool {
        self.is_compact && self.expansions >= REBUILD_EXPANSIONS[1]
    }

    /// Records that `markings` markings were expanded in parallel.
    pub(super) fn count_expanded(&mut self, markings: u32) {
        self.expansions += u64::from(markings);
    }

    /// Returns the key of the marking loaded last.
    pub(crate) fn key(&self) -> &[u64] {
        &self.key
    }

    /// Loads the marking with this number. Replaces the contents of `enabled` by the indices of its
    /// enabled transitions, as far as they are [listed](SpaceOptions::listed).
    pub(crate) fn load(&mut self, marking: u32, enabled: &mut Vec<u32>) {
        self.store.load(marking, &mut self.key);
        self.packing.derive(&mut self.key);
        self.moves.enabled(&self.key, enabled);
        self.expansions += 1;
        if self.expansions <= REBUILD_EXPANSIONS[1] {
            self.sample_marked_places();
        }
    }

    /// Loads a marking without computing its enabled transitions.
    pub(crate) fn load_marking_only(&mut self, number: u32) {
        self.store.read(number, &mut self.key);
        self.packing.derive(&mut self.key);
    }

    /// Counts the marked places in every 16th loaded marking. Rebuilds the candidate lists twice,
    /// after fixed numbers of expansions.
    fn sample_marked_places(&mut self) {
        if self.expansions.is_multiple_of(16) {
            for p in self.net.places() {
                self.marked_samples[p.index()] += u64::from(self.packing.tokens(&self.key, p) > 0);
            }
        }
        if REBUILD_EXPANSIONS.contains(&self.expansions) {
            let marked = &self.marked_samples;
            self.moves.rebuild_lists(self.net, &self.packing, |p| marked[p.index()]);
        }
    }

    /// Fires `transitions` in the marking loaded last, whose number is `parent`. Calls `report_new`
    /// with the transition, key and number of each new marking. Returns true if the layout of keys
    /// has changed: then **nothing was fired**, and the marking must be loaded again.
    ///
    /// # Errors
    /// Returns an error if the space is full or a place would get 2⁶³ tokens or more.
    pub(crate) fn expand(
        &mut self,
        parent: u32,
        transitions: &[u32],
        mut report_new: impl FnMut(u32, &[u64], u32),
    ) -> Result<bool, SpaceError> {
        if self.fire_all(transitions)? {
            return Ok(true);
        }
        let (successors, words) = (&self.successors, self.packing.words_per_key());
        self.store.add(successors, parent, |index, number, is_new| {
            if is_new {
                report_new(transitions[index], &successors[index * words..][..words], number);
            }
        })?;
        Ok(false)
    }

    /// Like [`expand`](Self::expand), but calls `report_edge` with the number of every successor,
    /// new or known, in the order of `transitions`.
    ///
    /// # Errors
    /// Returns an error if the space is full or a place would get 2⁶³ tokens or more.
    pub(crate) fn expand_edges(
        &mut self,
        parent: u32,
        transitions: &[u32],
        mut report_edge: impl FnMut(u32),
    ) -> Result<bool, SpaceError> {
        if self.fire_all(transitions)? {
            return Ok(true);
        }
        self.store.add(&self.successors, parent, |_, number, _| report_edge(number))?;
        Ok(false)
    }

    /// Fires `t`, which must be enabled, in the marking loaded last. The successor is then loaded,
    /// but not stored. Returns true if the layout of keys has changed instead. Then no marking is
    /// loaded.
    ///
    /// # Errors
    /// Returns an error if no field is wide enough or memory is short.
    pub(crate) fn fire_loaded(&mut self, t: TransitionId) -> Result<bool, SpaceError> {
        self.successors.clear();
        self.successors.extend_from_slice(&self.key);
        if let Err(Overflow(t)) = self.moves.fire(t.index() as u32, &mut self.successors) {
            self.widen(t)?;
            return Ok(true);
        }
        self.key.copy_from_slice(&self.successors);
        Ok(false)
    }

    /// Stores the loaded marking as a successor of `parent`, if it is new. Returns the number of
    /// the marking.
    ///
    /// # Errors
    /// Returns an error if the space is full.
    pub(crate) fn add_loaded(&mut self, parent: u32) -> Result<u32, SpaceError> {
        let mut marking = parent;
        self.store.add(&self.key, parent, |_, number, _| marking = number)?;
        Ok(marking)
    }

    /// Computes the successors of the loaded marking by these transitions, without storing them.
    /// Returns true if the layout of keys has changed instead. Then no marking is loaded.
    fn fire_all(&mut self, transitions: &[u32]) -> Result<bool, SpaceError> {
        let compacts_now = self.store.len() >= COMPACT_LAYOUT_MARKINGS && !self.is_compact;
        self.is_compact |= compacts_now;
        if compacts_now && let Some(compacted) = self.compacted() {
            self.repack(compacted)?;
            return Ok(true);
        }
        self.successors.clear();
        for &t in transitions {
            let start = self.successors.len();
            self.successors.extend_from_slice(&self.key);
            if let Err(Overflow(t)) = self.moves.fire(t, &mut self.successors[start..]) {
                self.widen(t)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the compact packing for very many markings, if it differs from the current one.
    fn compacted(&self) -> Option<Packing> {
        if !self.omits_derived_places {
            return self.packing.compacted(Vec::new());
        }
        let flows = place_flows(self.net, &self.budget.slice(INVARIANT_TIME));
        let changes = |p| self.packing.field(p).width > 0;
        let derived =
            flows.map(|flows| select_derived_places(self.net, &flows, changes)).unwrap_or_default();
        self.packing.compacted(derived)
    }

    /// Widens the field that overflows when `t` fires in the loaded marking, and repacks all
    /// markings.
    fn widen(&mut self, t: TransitionId) -> Result<(), SpaceError> {
        let overflowing = self.net.delta(t).iter().find_map(|change| {
            // No overflow here: both numbers are below 2⁶³, and the transition is enabled.
            let new_tokens =
                self.packing.tokens(&self.key, change.place).wrapping_add_signed(change.delta);
            (new_tokens > self.packing.field(change.place).low_mask())
                .then_some((change.place, new_tokens))
        });
        let Some((place, tokens)) = overflowing else {
            debug_assert!(false, "{t:?} was reported to overflow, but does not");
            return Err(SpaceError::Unpackable);
        };
        let markings = u64::from(self.store.len());
        let widens_all = self.repacked_markings > REPACKED_PER_MARKING * markings + 10_000;
        self.repacked_markings = if widens_all { 0 } else { self.repacked_markings + markings };
        self.repackings += 1;
        let wider =
            self.packing.widened(place, tokens, widens_all).map_err(|_| SpaceError::Unpackable)?;
        self.repack(wider)
    }

    /// Changes the layout of keys: repacks every stored marking and compiles the transitions again.
    /// No marking is loaded afterwards.
    fn repack(&mut self, packing: Packing) -> Result<(), SpaceError> {
        let conversion = self.packing.conversion_to(&packing);
        self.store.repack(packing.layout(), |old, new| {
            self.packing.derive(old);
            conversion.apply(old, new);
        })?;
        self.moves = Moves::new(self.net, &packing, |t| self.is_listed[t.index()]);
        if self.expansions >= REBUILD_EXPANSIONS[0] {
            let marked = &self.marked_samples;
            self.moves.rebuild_lists(self.net, &packing, |p| marked[p.index()]);
        }
        self.key = vec![0; packing.words_per_key()];
        self.packing = packing;
        self.layout_changes += 1;
        Ok(())
    }

    /// Writes the whole key of the marking with this number to `key`.
    fn read(&self, number: u32, key: &mut [u64]) {
        self.store.read(number, key);
        self.packing.derive(key);
    }

    /// Returns a firing sequence from the initial marking to the marking with this number, along
    /// its chain of parents. Transitions are not stored. Each step is the first enabled transition,
    /// among those that are listed, that leads to the next marking.
    pub(crate) fn sequence_to(&mut self, number: u32) -> FiringSequence {
        let mut path = vec![number];
        let mut ancestor = number;
        while self.store.parent(ancestor) != NO_NUMBER {
            ancestor = self.store.parent(ancestor);
            path.push(ancestor);
        }
        path.reverse();
        let mut enabled = Vec::new();
        let mut sequence = FiringSequence::new();
        let [mut from, mut to, mut successor] =
            [(); 3].map(|()| vec![0; self.packing.words_per_key()]);
        for step in path.windows(2) {
            self.read(step[0], &mut from);
            self.read(step[1], &mut to);
            self.moves.enabled(&from, &mut enabled);
            let fired = enabled.iter().copied().find(|&t| {
                successor.copy_from_slice(&from);
                self.moves.fire(t, &mut successor).is_ok() && successor == to
            });
            debug_assert!(fired.is_some(), "a marking has a parent that does not lead to it");
            if let Some(t) = fired {
                sequence.push(TransitionId::new(t as usize), 1);
            }
        }
        sequence
    }

    /// Returns the marking loaded last, whose number is `number`.
    pub(crate) fn loaded_marking(&self, number: u32) -> ExpandedMarking<'_> {
        ExpandedMarking { number, key: &self.key, packing: &self.packing }
    }
}

/// Returns, for each transition, true if a search must fire it. A transition is left out if another
/// one has the same effect and no larger input weights. At most 50 other transitions are compared,
/// so the result may include redundant transitions. Transitions without effect are included only if
/// `without_effect`.
pub(crate) fn representatives(net: &Net, without_effect: bool) -> Vec<bool> {
    /// Limit on the comparisons per transition within an effect class. The cost is quadratic, and
    /// firing a redundant transition only wastes a look-up.
    const COMPARED: usize = 50;
    let mut is_kept = vec![true; net.transition_count()];
    let is_weaker = |weaker: TransitionId, stronger: TransitionId| {
        net.pre(weaker).iter().all(|arc| net.pre_weight(stronger, arc.place) >= arc.weight)
    };
    for class in net.effect_classes() {
        let has_no_effect = net.effect(class).is_empty();
        let mut kept_members: Vec<TransitionId> = Vec::new();
        let mut members = net.class(class).to_vec();
        let total_weight = |t| net.pre(t).iter().map(|arc| u128::from(arc.weight)).sum::<u128>();
        members.sort_by_key(|&t| (total_weight(t), t));
        for t in members {
            let is_redundant =
                kept_members.iter().take(COMPARED).any(|&weaker| is_weaker(weaker, t));
            if is_redundant || has_no_effect && !without_effect {
                is_kept[t.index()] = false;
            } else {
                kept_members.push(t);
            }
        }
    }
    is_kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn a_sequence_is_read_back_across_repackings() {
        let net =
            text::parse("place p\nplace q\ntransition a: -> p\ntransition b: 3*p -> q").unwrap();
        let options =
            SpaceOptions { listed: &|_| true, needs_sequences: true, max_bytes: u64::MAX };
        let facts = Facts::empty(&net);
        let mut space = Space::new(&net, &facts, options, &Budget::unlimited()).unwrap();
        let mut enabled = Vec::new();
        let mut number = 0;
        while number < 400 {
            space.load(number, &mut enabled);
            number += u32::from(!space.expand(number, &enabled, |_, _, _| {}).unwrap());
        }
        assert!(space.repackings >= 4);
        let last = space.store().len() - 1;
        let sequence = space.sequence_to(last);
        let end = parikh_evidence::replay(&net, &sequence).unwrap();
        let mut key = vec![0; space.packing().words_per_key()];
        space.read(last, &mut key);
        assert_eq!(end, space.packing().unpack(&key));
    }

    #[test]
    fn keys_of_many_words_survive_folding_and_widening() {
        // Two tokens on a ring: a place gets its second token long after the markings are stored in
        // the compact layout. In addition a switch with three positions, one of which follows from
        // the others. Its bits make a fourth word.
        let ring = 190;
        let mut text =
            "place x 1\nplace y\nplace z\ntransition a: x -> y\ntransition b: y -> z\ntransition c: z -> x\n"
                .to_owned();
        for at in 0..ring {
            let tokens = u32::from(at == 0 || at == ring / 2);
            let next = (at + 1) % ring;
            text += &format!("place p{at} {tokens}\ntransition t{at}: p{at} -> p{next}\n");
        }
        let net = text::parse(&text).unwrap();
        let options =
            SpaceOptions { listed: &|_| true, needs_sequences: true, max_bytes: u64::MAX };
        let facts = Facts::empty(&net);
        let mut space = Space::new(&net, &facts, options, &Budget::unlimited()).unwrap();
        let mut enabled = Vec::new();
        let (mut number, mut widened) = (0, false);
        while number < space.store().len() {
            space.load(number, &mut enabled);
            let was_repacked = space.expand(number, &enabled, |_, _, _| {}).unwrap();
            widened |= was_repacked && space.packing().layout().is_folded;
            number += u32::from(!was_repacked);
        }
        let layout = space.packing().layout();
        assert!(layout.is_folded && layout.stored < layout.words_per_key && widened, "{layout:?}");
        assert_eq!(space.store().len(), 3 * ring * (ring + 1) / 2);
        let last = space.store().len() - 1;
        let end = parikh_evidence::replay(&net, &space.sequence_to(last)).unwrap();
        space.load(last, &mut enabled);
        assert_eq!(end, space.packing().unpack(space.key()));
    }

    #[test]
    fn only_the_least_demanding_transition_of_an_effect_is_fired() {
        let net = text::parse(
            "place p\nplace q\ntransition hard: p + 2*q -> 2*q\ntransition easy: p ->
             transition same: p ->\ntransition other: p + q -> q\ntransition idle: q -> q",
        )
        .unwrap();
        assert_eq!(representatives(&net, false), [false, true, false, false, false]);
        assert_eq!(representatives(&net, true), [false, true, false, false, true]);
    }
}
