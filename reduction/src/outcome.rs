//! The result of a reduction: the smaller net, the meaning of its nodes, and the back-translation.

use super::back_translation::BackTranslation;
use super::log::Log;
use super::needs::depends_on_markings_only;
use super::statistics::{NetSize, ReductionStatistics};
use parikh_evidence::reduction::{FiringMap, Needs, Preserve, ReducedNet};
use parikh_net::run_property::RunAtom;
use parikh_net::{Goal, Net, PlaceId, RunProperty, TransitionId};
use std::collections::HashMap;
use std::ops::Deref;

/// A goal as the reduced net expresses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatedGoal {
    /// The goal.
    pub goal: Goal,
    /// The constant to add to the maximum of a [`Goal::Maximise`]: the contribution of constant
    /// places. It is 0 for goals of other kinds.
    pub constant: i128,
}
/// A reduced net with its derivation. It dereferences to its [`ReducedNet`].
#[derive(Debug)]
pub struct Reduction {
    /// The reduced net with the meaning of its nodes.
    pub reduced: ReducedNet,
    /// The back-translation of firing sequences.
    pub back_translation: BackTranslation,
    /// The applied rules with their candidates, in the order of application. Empty if the log was
    /// disabled.
    pub log: Log,
    /// The sizes of the net, the counts of each rule, and the times.
    pub statistics: ReductionStatistics,
    /// Transitions of the original net found to be dead, ascending. The list may be incomplete.
    pub dead_transitions: Vec<TransitionId>,
    /// Places of the original net whose tokens were found to be constant, with these tokens,
    /// ascending. The list may be incomplete.
    pub constant_places: Vec<(PlaceId, u64)>,
}

impl Deref for Reduction {
    type Target = ReducedNet;
    fn deref(&self) -> &ReducedNet {
        &self.reduced
    }
}

impl Reduction {
    /// Returns the net as its own reduction.
    pub(super) fn identity(net: &Net, needs: Needs, statistics: ReductionStatistics) -> Reduction {
        let to_itself = |&t: &TransitionId| FiringMap::Carriers(vec![t]);
        let reduced = ReducedNet {
            places: net.places().map(Some).collect(),
            working_ids: net.transitions().collect(),
            constant_tokens: HashMap::new(),
            firings: needs.protected.iter().map(to_itself).collect(),
            net: net.clone(),
            needs,
        };
        Reduction {
            reduced,
            back_translation: BackTranslation::identity(net),
            log: Log::default(),
            statistics: ReductionStatistics {
                size_before: NetSize::of(net),
                size_after: NetSize::of(net),
                ..statistics
            },
            dead_transitions: Vec::new(),
            constant_places: Vec::new(),
        }
    }

    /// Returns the needs that the net was reduced for.
    pub fn needs(&self) -> &Needs {
        &self.reduced.needs
    }

    /// Returns the transition of the reduced net that corresponds to `original` alone; it may have
    /// lost arcs. Returns `None` if the reduction removed or merged the transition.
    pub fn map_transition(&self, original: TransitionId) -> Option<TransitionId> {
        // The list `working_ids` ascends and has the working-net id of each remaining transition.
        // An original transition has the same id in the working net.
        self.reduced.working_ids.binary_search(&original).ok().map(TransitionId::new)
    }

    /// Translates a goal to the reduced net. Returns `None` if the needs did not cover the goal, or
    /// if a number of the translated goal exceeds 64 bits. Also returns `None` if no rule preserves
    /// goals of this kind. No rule preserves runs, or home properties other than the liveness of a
    /// transition. `original` is the net before the reduction.
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
            Goal::Home(home) => {
                let goal = Goal::Home(self.translate_home(home)?);
                Some(TranslatedGoal { goal, constant: 0 })
            }
            // No rule guarantees the preservation of runs.
            _ => None,
        }
    }

    /// Translates the atoms of a property to the reduced net. A run found in the reduced net is
    /// only a hint, because no rule guarantees the preservation of runs. Returns `None` if the
    /// property depends on more than markings, or if the needs did not cover its atoms. Also
    /// returns `None` if a number of a translated atom exceeds 64 bits.
    pub fn translate_hint(&self, original: &Net, property: &RunProperty) -> Option<RunProperty> {
        if !depends_on_markings_only(property)
            || !self.needs().preserve.covers(Preserve::REACHABILITY)
        {
            return None;
        }
        let translate_atom = |atom: &RunAtom| {
            let predicate = atom.condition()?;
            Some(RunAtom::Holds(self.reduced.translate_marking(original, &predicate)?))
        };
        let atoms: Vec<RunAtom> =
            property.atoms().iter().map(translate_atom).collect::<Option<_>>()?;
        Some(RunProperty::new(property.formulas(), property.formula(), &atoms))
    }
}
