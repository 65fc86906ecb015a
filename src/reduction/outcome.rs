//! What a reduction gives: the smaller net, what its nodes mean, and the way back.

use super::back::Back;
use super::log::Log;
use super::needs::is_of_markings;
use super::statistics::{Size, Statistics};
use parikh_evidence::reduction::{Firing, Needs, Preserve, ReducedNet};
use parikh_net::run_property::RunAtom;
use parikh_net::{Goal, Net, PlaceId, RunProperty, TransitionId};
use std::collections::HashMap;
use std::ops::Deref;

/// A goal over the reduced net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatedGoal {
    /// The goal.
    pub goal: Goal,
    /// To be added to the maximum of a [`Goal::Maximise`]: the share of constant places.
    pub constant: i128,
}
/// A reduced net and everything about how it came to be. It is its [`ReducedNet`], too.
#[derive(Debug)]
pub struct Reduction {
    /// The reduced net and what its nodes mean.
    pub reduced: ReducedNet,
    /// The way back for firing sequences.
    pub back: Back,
    /// The applications in order.
    pub log: Log,
    /// Counts and times.
    pub statistics: Statistics,
    /// Transitions of the original net found to be dead, ascending. Not all that are.
    pub dead_transitions: Vec<TransitionId>,
    /// Places of the original net found to hold the same tokens for ever, with these, ascending.
    pub constant_places: Vec<(PlaceId, u64)>,
}

impl Deref for Reduction {
    type Target = ReducedNet;
    fn deref(&self) -> &ReducedNet {
        &self.reduced
    }
}

impl Reduction {
    /// The net as its own reduction.
    pub(super) fn nothing(net: &Net, needs: Needs, statistics: Statistics) -> Reduction {
        let by = |&t: &TransitionId| Firing::By(vec![t]);
        let reduced = ReducedNet {
            places: net.places().map(Some).collect(),
            final_ids: net.transitions().collect(),
            fixed: HashMap::new(),
            firings: needs.protected.iter().map(by).collect(),
            net: net.clone(),
            needs,
        };
        Reduction {
            reduced,
            back: Back::of_nothing(net),
            log: Log::default(),
            statistics: Statistics { before: Size::of(net), after: Size::of(net), ..statistics },
            dead_transitions: Vec::new(),
            constant_places: Vec::new(),
        }
    }

    /// What the net was reduced for.
    pub fn needs(&self) -> &Needs {
        &self.reduced.needs
    }

    /// The transition of the reduced net that `original` still is by itself; it may have lost arcs.
    pub fn map_transition(&self, original: TransitionId) -> Option<TransitionId> {
        // Ids of the working net begin with the original ones.
        self.reduced.final_ids.binary_search(&original).ok().map(TransitionId::new)
    }

    /// The goal over the reduced net; `None` when the needs did not cover it. `original` is the net
    /// that was reduced.
    pub fn translate(&self, original: &Net, goal: &Goal) -> Option<TranslatedGoal> {
        match goal {
            Goal::Reach(predicate) => {
                let goal = Goal::Reach(self.translate_predicate(original, predicate)?);
                Some(TranslatedGoal { goal, constant: 0 })
            }
            Goal::Maximise(sum) => {
                if !self.needs().preserve.covers(Preserve::REACHABILITY) {
                    return None;
                }
                let (sum, constant) = self.translate_sum(sum)?;
                Some(TranslatedGoal { goal: Goal::Maximise(sum), constant })
            }
            Goal::Home(wanted) => {
                let goal = Goal::Home(self.translate_home(wanted)?);
                Some(TranslatedGoal { goal, constant: 0 })
            }
            // No rule says what it keeps of runs.
            _ => None,
        }
    }

    /// The property with what its atoms are on the reduced net. Whoever finds a run with it there
    /// has a hint and no more: no rule says what it keeps of runs.
    pub fn translate_hint(&self, original: &Net, property: &RunProperty) -> Option<RunProperty> {
        if !is_of_markings(property) || !self.needs().preserve.covers(Preserve::REACHABILITY) {
            return None;
        }
        let translated = |atom: &RunAtom| {
            let predicate = atom.condition()?;
            Some(RunAtom::Holds(self.reduced.translate_marking(original, &predicate)?))
        };
        let atoms: Vec<RunAtom> = property.atoms().iter().map(translated).collect::<Option<_>>()?;
        Some(RunProperty::new(property.formulas(), property.formula(), &atoms))
    }
}
