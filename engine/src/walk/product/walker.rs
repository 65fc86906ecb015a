//! The data shared by the walks for several properties: the machine, the letters, and the automata.

use super::alphabet::{Alphabet, Atoms};
use super::return_walk::ReturnDistance;
use super::subsets::Subsets;
use crate::walk::compiled::CompiledNet;
use crate::walk::machine::WatchedMarking;
use crate::walk::strategy::directed::DistanceStrategy;
use crate::walk::walker::Resources;
use crate::walk::watch::GoalWatch;
use parikh_net::Net;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// Number of firings for cycle searches at the start. Each firing of a walk grants one more, and
/// each cycle found grants many more. A firing that affects many transitions counts as several.
const INITIAL_SEARCH_FIRINGS: u64 = 300_000;
/// Number of updates of transitions and goals in the machine that count as one additional firing.
const UPDATES_PER_FIRING: u64 = 64;
/// Limit on the updates of transitions and goals in the machine between two checks of the budget.
const MAX_UNCHECKED_UPDATES: u64 = 1 << 20;

/// The selection strategy of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkKind {
    /// Random choice.
    Random,
    /// Mostly fires transitions that consume from the place that received tokens last.
    ConsumeNewest,
    /// Follows only the property with this index. Drawn transitions are tested for the automaton's
    /// next states before one of them fires.
    SingleProperty(usize),
}

/// The letters that a cycle may read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AllowedLetters {
    /// Only letters that agree with the letter of the start marking in all atoms of the property.
    BaseOnly,
    /// Letters after which the property can still hold. The infinite repetition of all letters of
    /// the cycle must be accepted.
    Accepted,
    /// Any letters: every continuation is accepted.
    Any,
}

/// A property followed by the walks.
pub(super) struct FollowedProperty<'p> {
    /// The property.
    pub(super) property: &'p RunProperty,
    /// The subset automaton of the property.
    pub(super) subsets: Subsets,
    /// For each place, true if an atom of the property depends on it.
    pub(super) is_read_place: Vec<bool>,
    /// True if an atom of the property is about firings.
    pub(super) has_firing_atoms: bool,
    /// True if the property is no longer open on the board, or if the receiver of its last run
    /// needs no other run. The property is then not followed any more.
    pub(super) is_settled: bool,
}

/// Walks on one net for several properties. See the module documentation.
pub struct ProductWalk<'a> {
    /// The net of the walks.
    pub(super) net: &'a Net,
    /// The atoms of the properties, with their letter bits.
    pub(super) atoms: &'a Atoms,
    /// The current marking, with the atoms on markings as watched goals.
    pub(super) machine: WatchedMarking<'a>,
    /// The letters seen so far, with their numbers.
    pub(super) alphabet: Alphabet,
    /// The followed properties, by property index. `None` for a property that cannot be followed:
    /// an atom cannot be watched, the automaton is too large, or the budget was exhausted before.
    pub(super) followed: Vec<Option<FollowedProperty<'a>>>,
    /// The differences in tokens between the current marking and the start of the current cycle
    /// search.
    pub(super) return_distance: ReturnDistance,
    /// The strategy that chooses firings towards markings that satisfy the literals of an automaton
    /// edge, for walks with a single property.
    pub(super) directed: DistanceStrategy,
    /// The random number generator, with a count of work that is not limited.
    pub(super) resources: Resources,
    /// Number of cycle searches so far, by property index, number of the set of automaton states,
    /// and number of the letter at the start.
    pub(super) search_counts: HashMap<(u32, u32, u32), u32>,
    /// Number of rounds so far.
    pub(super) rounds: u32,
    /// For each effect class, the sum of its token changes, each multiplied by the random number of
    /// its place. The sum over the fired classes identifies the marking relative to the start.
    pub(super) class_hashes: Vec<u64>,
    /// Number of firings so far.
    pub(super) firings: u64,
    /// Number of firings left for cycle searches.
    pub(super) search_firings_left: u64,
    /// Value of the machine's `update_count` at the last check of the budget.
    updates_at_last_check: u64,
}

impl<'a> ProductWalk<'a> {
    /// Creates walks on `net` for these properties, whose atoms are `atoms`. The seed determines
    /// the random choices.
    pub fn new(
        net: &'a Net,
        atoms: &'a Atoms,
        properties: &'a [RunProperty],
        seed: u64,
        budget: &Budget,
    ) -> ProductWalk<'a> {
        let watch = GoalWatch::new(net, atoms.goals.iter().map(|(id, goal)| (*id, goal)));
        let machine = WatchedMarking::new(CompiledNet::new(net, watch));
        let followed = properties.iter().zip(&atoms.is_included).map(|(property, &can_watch)| {
            (can_watch && !budget.is_exhausted())
                .then(|| FollowedProperty::new(net, atoms, property))
                .flatten()
        });
        let followed = followed.collect();
        let mut resources = Resources::new(seed, u64::MAX);
        let place_hashes: Vec<u64> = net.places().map(|_| resources.rng.u64(..)).collect();
        let hash_of_class = |class: u32| {
            let changes = machine.compiled.changes_of(class).iter();
            changes.fold(0u64, |sum, change| match place_hashes.get(change.cell as usize) {
                Some(&place_hash) => sum.wrapping_add(place_hash.wrapping_mul(change.delta as u64)),
                None => sum,
            })
        };
        let class_hashes = (0..net.effect_count() as u32).map(hash_of_class).collect();
        ProductWalk {
            net,
            atoms,
            followed,
            return_distance: ReturnDistance::new(net.place_count()),
            directed: DistanceStrategy::new(&machine),
            machine,
            alphabet: Alphabet::default(),
            resources,
            search_counts: HashMap::new(),
            rounds: 0,
            class_hashes,
            firings: 0,
            search_firings_left: INITIAL_SEARCH_FIRINGS,
            updates_at_last_check: 0,
        }
    }

    /// Returns the number of firings, in walks and cycle searches.
    pub fn firings(&self) -> u64 {
        self.firings
    }

    /// Converts the machine's updates of transitions and goals since `update_count` was
    /// `earlier_count` to a number of additional firings.
    pub(super) fn firings_for_updates_since(&self, earlier_count: u64) -> u64 {
        (self.machine.update_count - earlier_count) / UPDATES_PER_FIRING
    }

    /// Returns true if the budget is exhausted. Checks the budget only if `is_due`, or after many
    /// updates in the machine since the last check. Returns false without a check.
    pub(super) fn is_over(&mut self, is_due: bool, budget: &Budget) -> bool {
        if !is_due && self.machine.update_count - self.updates_at_last_check < MAX_UNCHECKED_UPDATES
        {
            return false;
        }
        self.updates_at_last_check = self.machine.update_count;
        budget.is_exhausted()
    }

    /// Returns the number of the letter of the current marking, in which all atoms on firings are
    /// false. Clears the news of the machine.
    pub(super) fn marking_letter(&mut self) -> u32 {
        self.machine.news.clear();
        let truths = &self.machine.truths;
        if truths.len() == self.atoms.words_per_letter {
            return self.alphabet.number(truths);
        }
        let mut bits = truths.clone();
        bits.resize(self.atoms.words_per_letter, 0);
        self.alphabet.number(&bits)
    }

    /// Returns the number of the letter of a firing from a marking with letter `marking_letter`.
    pub(super) fn firing_letter(&mut self, marking_letter: u32, transition: u32) -> u32 {
        let Some(fired) = self.atoms.firing_bits(transition) else { return marking_letter };
        let bits = self.alphabet.bits(marking_letter).iter().zip(fired);
        let bits: Vec<u64> =
            bits.map(|(marking_word, firing_word)| marking_word | firing_word).collect();
        self.alphabet.number(&bits)
    }

    /// Returns true if the property with this index is followed and not settled.
    pub(super) fn is_followed(&self, property: usize) -> bool {
        self.followed[property].as_ref().is_some_and(|followed| !followed.is_settled)
    }
}

impl<'p> FollowedProperty<'p> {
    /// Prepares a property for walks by building its automaton. Returns `None` if the automaton
    /// would be too large.
    fn new(net: &Net, atoms: &Atoms, property: &'p RunProperty) -> Option<FollowedProperty<'p>> {
        let subsets =
            Subsets::new(property, atoms.bits_of(property), atoms.words_per_letter).ok()?;
        let mut reads_place = vec![false; net.place_count()];
        property.read_places(net).into_iter().for_each(|place| reads_place[place.index()] = true);
        let is_about_firings = |atom: &RunAtom| matches!(atom, RunAtom::Fires(_));
        let mentions_firings = property.atoms().iter().any(is_about_firings);
        Some(FollowedProperty {
            property,
            subsets,
            is_read_place: reads_place,
            has_firing_atoms: mentions_firings,
            is_settled: false,
        })
    }

    /// Returns true if the letters with these numbers differ in an atom of the property.
    pub(super) fn distinguishes(&self, first: u32, second: u32, alphabet: &Alphabet) -> bool {
        let pairs = alphabet.bits(first).iter().zip(alphabet.bits(second));
        pairs.zip(&self.subsets.mask).any(|((first, second), mask)| (first ^ second) & mask != 0)
    }
}
