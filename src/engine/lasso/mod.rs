//! Runs that have a property, searched for marking by marking.
//!
//! | file | what |
//! |---|---|
//! | `markings` | the graph of markings, made as far as anybody looks, with the letter of each |
//! | `letters` | automata over letters of bits |
//! | `search` | an accepting run in the product of the two |

mod letters;
mod markings;
mod search;

pub use crate::engine::explicit::Incomplete;

use letters::Compiled;
use markings::Markings;
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Facts, Net};
use parikh_solvers::Budget;
use parikh_temporal::{Automaton, Limits, TooLarge};
use search::{Run, Search};
use std::collections::HashMap;

/// Why it is not known whether there is a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// The formula has no automaton of a size that is worth it.
    #[error(transparent)]
    Automaton(#[from] TooLarge),
    /// Not all markings that matter were visited.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
}

/// The graph of a net's markings, for several properties, one after the other.
pub struct Lassos<'n> {
    markings: Markings<'n>,
    /// By atom its bit in letters.
    bits: HashMap<RunAtom, usize>,
    seed: u64,
}

impl<'n> Lassos<'n> {
    /// The graph of `net`, for these properties. Same seed, same search.
    ///
    /// # Errors
    /// When there is no room even for the initial marking.
    pub fn new(
        net: &'n Net,
        facts: &Facts,
        properties: &[RunProperty],
        seed: u64,
        budget: &Budget,
    ) -> Result<Self, Incomplete> {
        let (mut atoms, mut bits) = (Vec::new(), HashMap::new());
        for atom in properties.iter().flat_map(RunProperty::atoms) {
            if !bits.contains_key(atom) {
                bits.insert(atom.clone(), atoms.len());
                atoms.push(atom.clone());
            }
        }
        let markings = Markings::new(net, facts, &atoms, budget)?;
        Ok(Lassos { markings, bits, seed })
    }

    /// A run with the property, one of those that the graph was made for; `None` where no run has it.
    ///
    /// # Errors
    /// When it is not known.
    pub fn find(&mut self, property: &RunProperty) -> Result<Option<LassoRun>, Unknown> {
        let mut formulas = property.formulas().clone();
        let automaton = Automaton::of(&mut formulas, property.formula(), Limits::default())?;
        let bits: Vec<usize> = property.atoms().iter().map(|atom| self.bits[atom]).collect();
        let compiled = Compiled::new(&automaton, &bits);
        let found = Search::new(&mut self.markings, &compiled, self.seed).run()?;
        Ok(found.and_then(|run| self.in_firings(&run)))
    }

    /// How many markings were expanded so far.
    pub fn expanded(&self) -> u32 {
        self.markings.expanded()
    }

    fn in_firings(&mut self, run: &Run) -> Option<LassoRun> {
        let prefix = self.markings.firings(0, &run.prefix)?;
        let entry = run.prefix.last().map_or(0, |&(marking, _)| marking);
        let end = match run.cycle.is_empty() {
            true => RunEnd::Anything,
            false => match self.markings.firings(entry, &run.cycle)? {
                none if none.is_empty() => RunEnd::Dead,
                cycle => RunEnd::Repeats(cycle),
            },
        };
        Some(LassoRun { prefix, end })
    }
}

#[cfg(test)]
mod tests;
