//! Walks that look for runs with a property.
//!
//! A walk follows the automata of all open properties at once: for each it knows the *set* of states
//! that the automaton may be in after the letters so far, and a set without states has lost the
//! property for this walk. On its way it looks for ways to go on for ever:
//!
//! * a set with a state that accepts whatever follows;
//! * a dead marking, or one in which a transition without effect is enabled, whose letter repeats
//!   for ever: whether a state accepts that is known for each state and letter;
//! * a loop back to a marking that was passed, or to one with more tokens where no atom looks. Small
//!   loops are sought on purpose (`homing`): without a change of letters where these may stay
//!   as they are for ever, else any.
//!
//! Some walks follow one property only. These look one firing ahead, so as not to lose it, and go
//! towards markings whose letters lead its automaton to where runs are accepted.
//!
//! | file | what |
//! |---|---|
//! | `alphabet` | the atoms of all properties as bits, letters as numbers |
//! | `subsets` | sets of states, made as far as walks go |
//! | `homing` | the way back to a marking |
//! | `walk` | one walk: choose, read, fire, look for ends |
//! | `engine` | rounds of walks, as long as they find something |
//!
//! # Sources
//! What accepts for ever at dead markings and neutral transitions, and the table of what was passed:
//! Y. Thierry-Mieg, *Efficient strategies to compute invariants, bounds and stable places of Petri
//! nets* and the walks of ITS-Tools described there. The rest is ours.

mod alphabet;
mod engine;
mod homing;
mod subsets;
mod walk;

pub use alphabet::Atoms;
pub use engine::ENGINE;

use crate::engine::walk::compiled::Compiled;
use crate::engine::walk::machine::{Machine, below};
use crate::engine::walk::strategy::directed::Directed;
use crate::engine::walk::walker::Resources;
use crate::engine::walk::watch::Watch;
use alphabet::Alphabet;
use homing::Homing;
use parikh_net::Net;
use parikh_net::lasso::LassoRun;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_solvers::Budget;
use std::collections::HashMap;
use subsets::Subsets;

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

/// A property that is followed.
struct Followed<'p> {
    property: &'p RunProperty,
    subsets: Subsets,
    /// By place whether atoms depend on it.
    looked_at: Vec<bool>,
    speaks_of_firings: bool,
    /// Whether nobody looks for it any more.
    is_gone: bool,
}

/// Walks on one net for several properties; see the module.
pub struct ProductWalk<'a> {
    net: &'a Net,
    atoms: &'a Atoms,
    machine: Machine<'a>,
    alphabet: Alphabet,
    followed: Vec<Option<Followed<'a>>>,
    homing: Homing,
    directed: Directed,
    resources: Resources,
    /// How often a loop was sought, by property, set and letter.
    tried: HashMap<(u32, u32, u32), u32>,
    /// How many walks of each kind were made.
    rounds: u32,
    /// By class a number; those of what was fired add up to the name of a marking.
    names: Vec<u64>,
    /// Firings so far.
    firings: u64,
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
        }
    }

    /// One walk of each kind, longer ones in later rounds; whether a property is left. `found` is told
    /// of runs with the property at a position, and says whether nobody needs another; `is_open`
    /// says whether anybody still looks for one.
    pub fn round(
        &mut self,
        budget: &Budget,
        is_open: &dyn Fn(usize) -> bool,
        found: &mut dyn FnMut(usize, LassoRun) -> bool,
    ) -> bool {
        for (position, followed) in self.followed.iter_mut().enumerate() {
            if let Some(followed) = followed {
                followed.is_gone |= !is_open(position);
            }
        }
        let open: Vec<usize> =
            (0..self.followed.len()).filter(|&at| self.is_followed(at)).collect();
        let longest = 1usize << (6 + self.rounds.min(9));
        let limit = longest >> below(&mut self.resources.rng, 4);
        for manner in [Manner::Blind, Manner::Chase] {
            if !budget.is_exhausted() {
                self.walk_once(manner, limit, budget, found);
            }
        }
        for &at in &open {
            if self.is_followed(at) && !budget.is_exhausted() {
                self.walk_once(Manner::Solo(at), limit.min(4096), budget, found);
            }
        }
        self.rounds += 1;
        open.iter().any(|&at| self.is_followed(at))
    }

    /// How many firings were made, in walks and in search of loops.
    pub fn firings(&self) -> u64 {
        self.firings
    }

    fn is_followed(&self, at: usize) -> bool {
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
}

#[cfg(test)]
mod tests;
