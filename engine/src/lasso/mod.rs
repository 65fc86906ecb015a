//! Explicit search for runs with a property.
//!
//! | file | contents |
//! |---|---|
//! | `engine` | the engine: treats open properties in turn, with more time in each round |
//! | `letters` | automata over letters as bit vectors |
//! | `search` | search for an accepting run in the product |
//! | `fair` | search for a fair accepting run |

mod engine;
mod fair;
pub(crate) mod letters;
mod search;

pub use engine::ENGINE;

pub use crate::explicit::ExplorationError;

use crate::markings::Markings;
use fair::{FairSearch, FairnessAssumption};
use letters::CompiledAutomaton;
use parikh_evidence::lasso::check_lasso;
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Facts, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use parikh_temporal::{Automaton, AutomatonLimits, AutomatonTooLarge};
use search::{EdgeRun, LassoSearch};
use std::collections::{BTreeSet, HashMap};

/// The reason why the existence of a run is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UndecidedReason {
    /// The automaton of the formula is too large.
    #[error(transparent)]
    Automaton(#[from] AutomatonTooLarge),
    /// There are fairness assumptions for too many transitions.
    #[error("there are fairness assumptions for too many transitions ({0})")]
    Fairness(usize),
    /// The search ended before all markings that it needs were visited, or the firings of the run
    /// found could not be recomputed.
    #[error(transparent)]
    Incomplete(#[from] ExplorationError),
}

/// Limit on the number of transitions with fairness assumptions. The search stores for each marking
/// which of them are enabled.
const MAX_FAIR_TRANSITIONS: usize = 2_000;

/// The reachability graph of a net, for searching runs with several properties in turn.
pub struct RunGraph<'n> {
    /// The net of the graph.
    net: &'n Net,
    /// The graph of markings.
    markings: Markings<'n>,
    /// For each atom, the index of its bit in a letter.
    bits: HashMap<RunAtom, usize>,
    /// Seed for the order of successors.
    seed: u64,
}

impl<'n> RunGraph<'n> {
    /// Creates the graph of `net` for these properties. The same seed gives the same search.
    ///
    /// # Errors
    /// Returns an error if there is no memory for the initial marking.
    pub fn new(
        net: &'n Net,
        facts: &Facts,
        properties: &[RunProperty],
        seed: u64,
        budget: &Budget,
    ) -> Result<Self, ExplorationError> {
        let (mut atoms, mut bits) = (Vec::new(), HashMap::new());
        let property_atoms = properties.iter().flat_map(RunProperty::atoms).cloned();
        let all_atoms: Vec<RunAtom> = property_atoms.chain(fairness_atoms(properties)).collect();
        for atom in &all_atoms {
            if !bits.contains_key(atom) {
                bits.insert(atom.clone(), atoms.len());
                atoms.push(atom.clone());
            }
        }
        let markings = Markings::new(net, facts, &atoms, budget)?;
        Ok(RunGraph { net, markings, bits, seed })
    }

    /// Searches for a run with the property, which must be one that the graph was created for.
    /// Returns `None` if no run has the property.
    ///
    /// # Errors
    /// Returns an error if the existence is undecided.
    pub fn find(&mut self, property: &RunProperty) -> Result<Option<LassoRun>, UndecidedReason> {
        let mut formulas = property.formulas().clone();
        let automaton =
            Automaton::of(&mut formulas, property.formula(), AutomatonLimits::default())?;
        let bits: Vec<usize> = property.atoms().iter().map(|atom| self.bits[atom]).collect();
        let compiled = CompiledAutomaton::new(&automaton, &bits);
        if !property.fairness().is_none() {
            return self.find_fair(property, &compiled);
        }
        let found = LassoSearch::new(&mut self.markings, &compiled, self.seed).run()?;
        let Some(run) = found else { return Ok(None) };
        let found = self.lasso_of(&run)?;
        // The automaton may reach a state that accepts every continuation although the checker
        // cannot conclude from the firings so far that the formula holds. Then the run is continued
        // to a cycle.
        let is_valid = |run: &LassoRun| check_lasso(self.net, property, run, &mut || true).is_ok();
        let found = match found.end != RunEnd::Anything || is_valid(&found) {
            true => found,
            false => self.close_cycle(run)?,
        };
        Ok(Some(found))
    }

    /// Like [`find`](Self::find) for fair runs, with the compiled automaton of the property.
    fn find_fair(
        &mut self,
        property: &RunProperty,
        compiled: &CompiledAutomaton,
    ) -> Result<Option<LassoRun>, UndecidedReason> {
        let fairness = property.fairness();
        let bits = |t| {
            let [enabled, fires] = enabled_and_fires(t).map(|atom| self.bits.get(&atom).copied());
            Some((enabled?, fires?))
        };
        let assumption_for = |t, strong| {
            bits(t).map(|(enabled, fires)| FairnessAssumption {
                is_strong: strong,
                enabled_bit: enabled,
                fires_bit: fires,
            })
        };
        let weak = fairness.weak().iter().map(|&t| assumption_for(t, false));
        let strong = fairness.strong().iter().map(|&t| assumption_for(t, true));
        let fair: Option<Vec<FairnessAssumption>> = weak.chain(strong).collect();
        let fair = fair.ok_or_else(|| UndecidedReason::Fairness(fairness.transitions().count()))?;
        for allows_universal in [true, false] {
            let found =
                FairSearch::new(&mut self.markings, compiled, &fair).run(allows_universal)?;
            let Some(run) = found else { return Ok(None) };
            let run = self.lasso_of(&run)?;
            if !allows_universal || check_lasso(self.net, property, &run, &mut || true).is_ok() {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// Extends a run that ends in a state which accepts every continuation, until a marking
    /// repeats.
    fn close_cycle(&mut self, run: EdgeRun) -> Result<LassoRun, ExplorationError> {
        let EdgeRun { mut prefix, .. } = run;
        let mut positions: HashMap<u32, usize> = HashMap::from([(0, 0)]);
        positions
            .extend(prefix.iter().zip(1..).map(|(&(marking, _), position)| (marking, position)));
        loop {
            let last = prefix.last().map_or(0, |&(marking, _)| marking);
            self.markings.expand(last)?;
            // Every marking has a successor. A dead marking is its own successor.
            let next = self.markings.successors(last).last().copied();
            let next = next.ok_or(ExplorationError::Full)?;
            prefix.push(next);
            if let Some(&position) = positions.get(&next.0) {
                let cycle = prefix.split_off(position);
                return self.lasso_of(&EdgeRun { prefix, cycle });
            }
            positions.insert(next.0, prefix.len());
        }
    }

    /// Returns the number of expanded markings.
    pub fn expanded(&self) -> u32 {
        self.markings.expanded()
    }

    /// Converts a run to firings of the net. An error means that the firings could not be
    /// recomputed, although the run exists.
    fn lasso_of(&mut self, run: &EdgeRun) -> Result<LassoRun, ExplorationError> {
        let firings = self.markings.firings(0, &run.prefix);
        let prefix = firings.ok_or(ExplorationError::Full)?;
        let entry = run.prefix.last().map_or(0, |&(marking, _)| marking);
        let end = match run.cycle.is_empty() {
            true => RunEnd::Anything,
            false => {
                match self.markings.firings(entry, &run.cycle).ok_or(ExplorationError::Full)? {
                    firings_of_cycle if firings_of_cycle.is_empty() => RunEnd::Dead,
                    cycle => RunEnd::Repeats(cycle),
                }
            }
        };
        Ok(LassoRun { prefix, end })
    }
}

/// Returns the atoms "t is enabled" and "t fires".
fn enabled_and_fires(t: TransitionId) -> [RunAtom; 2] {
    [RunAtom::Holds(Predicate::Enabled(t)), RunAtom::Fires(vec![t])]
}

/// Returns the atoms of the fairness assumptions. The list is empty if the assumptions are about
/// more than [`MAX_FAIR_TRANSITIONS`] transitions.
fn fairness_atoms(properties: &[RunProperty]) -> Vec<RunAtom> {
    let all_transitions = properties.iter().flat_map(|property| property.fairness().transitions());
    let all_transitions: BTreeSet<TransitionId> = all_transitions.collect();
    match all_transitions.len() > MAX_FAIR_TRANSITIONS {
        true => Vec::new(),
        false => all_transitions.into_iter().flat_map(enabled_and_fires).collect(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
