//! What walks for several properties share: the machine, the letters, the automata as far as they
//! were made.

use super::alphabet::{Alphabet, Atoms};
use super::homing::Homing;
use super::subsets::Subsets;
use crate::engine::walk::compiled::Compiled;
use crate::engine::walk::machine::Machine;
use crate::engine::walk::strategy::directed::Directed;
use crate::engine::walk::walker::Resources;
use crate::engine::walk::watch::Watch;
use parikh_net::Net;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// Firings that are tried on tours at first. After that a tour has to be paid for: each firing of a
/// walk is worth one of a tour, and each tour that ends is worth more. A firing that many
/// transitions take notice of counts for several.
const PATIENCE: u64 = 300_000;
/// What flips in the machine by a firing that counts for one more.
const FLIPS: u64 = 64;
/// What flips in the machine between two looks at the budget, at most.
const FLIPS_UNSEEN: u64 = 1 << 20;

/// How a walk chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Anything.
    Blind,
    /// Mostly what takes what was put just now.
    Chase,
    /// For the property at this position alone.
    Solo(usize),
}

/// Which letters a loop may read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    /// Only the one of the base.
    Same,
    /// Those that do not lose the property; what the loop reads has to be accepted.
    Accepted,
    /// Any: whatever follows is accepted.
    Any,
}

/// A property that is followed.
pub(super) struct Followed<'p> {
    pub(super) property: &'p RunProperty,
    pub(super) subsets: Subsets,
    /// By place whether atoms depend on it.
    pub(super) looked_at: Vec<bool>,
    pub(super) speaks_of_firings: bool,
    /// Whether nobody looks for it any more.
    pub(super) is_gone: bool,
}

/// Walks on one net for several properties; see the module.
pub struct ProductWalk<'a> {
    pub(super) net: &'a Net,
    pub(super) atoms: &'a Atoms,
    pub(super) machine: Machine<'a>,
    pub(super) alphabet: Alphabet,
    pub(super) followed: Vec<Option<Followed<'a>>>,
    pub(super) homing: Homing,
    pub(super) directed: Directed,
    pub(super) resources: Resources,
    /// How often a loop was sought, by property, set and letter.
    pub(super) tried: HashMap<(u32, u32, u32), u32>,
    /// How many walks of each kind were made.
    pub(super) rounds: u32,
    /// By class a number; those of what was fired add up to the name of a marking.
    pub(super) names: Vec<u64>,
    /// Firings so far.
    pub(super) firings: u64,
    /// How many more firings may be tried on tours.
    pub(super) patience: u64,
    /// What had flipped in the machine at the last look at the budget.
    seen: u64,
}

impl<'a> ProductWalk<'a> {
    /// Walks on `net` for these properties, whose atoms are `atoms`. Same seed, same walks.
    pub fn new(
        net: &'a Net,
        atoms: &'a Atoms,
        properties: &'a [RunProperty],
        seed: u64,
        budget: &Budget,
    ) -> ProductWalk<'a> {
        let watch = Watch::new(net, atoms.goals.iter().map(|(id, goal)| (*id, goal)));
        let machine = Machine::new(Compiled::new(net, watch));
        let followed = properties.iter().zip(&atoms.takes).map(|(property, &takes)| {
            (takes && !budget.is_exhausted()).then(|| Followed::new(net, atoms, property)).flatten()
        });
        let followed = followed.collect();
        let mut resources = Resources::new(seed, u64::MAX);
        let cells: Vec<u64> = net.places().map(|_| resources.rng.u64(..)).collect();
        let name = |class: u32| {
            let changes = machine.compiled.changes_of(class).iter();
            changes.fold(0u64, |sum, change| match cells.get(change.cell as usize) {
                Some(&name) => sum.wrapping_add(name.wrapping_mul(change.delta as u64)),
                None => sum,
            })
        };
        let names = (0..net.effect_count() as u32).map(name).collect();
        ProductWalk {
            net,
            atoms,
            followed,
            homing: Homing::new(net.place_count()),
            directed: Directed::new(&machine),
            machine,
            alphabet: Alphabet::default(),
            resources,
            tried: HashMap::new(),
            rounds: 0,
            names,
            firings: 0,
            patience: PATIENCE,
            seen: 0,
        }
    }

    /// How many firings were made, in walks and in search of loops.
    pub fn firings(&self) -> u64 {
        self.firings
    }

    /// For how many firings those count since so much had flipped in the machine, beside
    /// themselves.
    pub(super) fn counted_since(&self, flipped: u64) -> u64 {
        (self.machine.flipped - flipped) / FLIPS
    }

    /// Whether the budget is spent: asked where it is `due`, or where firing takes long.
    pub(super) fn is_over(&mut self, due: bool, budget: &Budget) -> bool {
        if !due && self.machine.flipped - self.seen < FLIPS_UNSEEN {
            return false;
        }
        self.seen = self.machine.flipped;
        budget.is_exhausted()
    }

    /// The letter of the marking, where nothing fires.
    pub(super) fn letter_here(&mut self) -> u32 {
        self.machine.news.clear();
        let truths = &self.machine.truths;
        if truths.len() == self.atoms.words {
            return self.alphabet.number(truths);
        }
        let mut bits = truths.clone();
        bits.resize(self.atoms.words, 0);
        self.alphabet.number(&bits)
    }

    /// The letter of a marking with this letter that a firing leaves.
    pub(super) fn letter_with(&mut self, here: u32, transition: u32) -> u32 {
        let Some(fired) = self.atoms.fired(transition) else { return here };
        let bits = self.alphabet.bits(here).iter().zip(fired);
        let bits: Vec<u64> = bits.map(|(one, other)| one | other).collect();
        self.alphabet.number(&bits)
    }

    pub(super) fn is_followed(&self, at: usize) -> bool {
        self.followed[at].as_ref().is_some_and(|followed| !followed.is_gone)
    }
}

impl<'p> Followed<'p> {
    /// `None` where the automaton would be too large.
    fn new(net: &Net, atoms: &Atoms, property: &'p RunProperty) -> Option<Followed<'p>> {
        let subsets = Subsets::new(property, atoms.bits_of(property), atoms.words).ok()?;
        let mut looked_at = vec![false; net.place_count()];
        property.read_places(net).into_iter().for_each(|place| looked_at[place.index()] = true);
        let fires = |atom: &RunAtom| matches!(atom, RunAtom::Fires(_));
        let speaks_of_firings = property.atoms().iter().any(fires);
        Some(Followed { property, subsets, looked_at, speaks_of_firings, is_gone: false })
    }

    /// Whether the property sees that the letters differ.
    pub(super) fn tells_apart(&self, one: u32, other: u32, alphabet: &Alphabet) -> bool {
        let pairs = alphabet.bits(one).iter().zip(alphabet.bits(other));
        pairs.zip(&self.subsets.mask).any(|((one, other), mask)| (one ^ other) & mask != 0)
    }
}
