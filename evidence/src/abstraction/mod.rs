//! Evidence about coloured nets without unfolding. Witnesses are replayed by the firing rule of
//! coloured nets. Refutations are about [abstractions](SimulatingNet): the skeleton, or the
//! unfolding of a quotient.
//!
//! Sequences consist of *steps*: a transition with a binding, numbered in the order of first use.
//! Goals are written over the places and transitions of the skeleton: a place stands for the total
//! number of tokens of the coloured place, "t is enabled" for "some binding of t is enabled".

mod classes;
mod quotient;
mod simulating_net;
mod skeleton;
mod weaken;

pub use classes::{ColourClasses, base_sorts};
pub use quotient::Quotient;
pub use simulating_net::SimulatingNet;
pub use skeleton::Skeleton;

use crate::replay::ReplayError;
use parikh_net::coloured::{
    BoundColour, ColouredFireError, ColouredMarking, ColouredNet, ColouredTransitionId, GaveUp,
};
use parikh_net::{BuildError, FiringSequence, Marking, Predicate, TransitionId};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// A coloured transition with the binding under which it fires.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColouredStep {
    /// The transition.
    pub transition: ColouredTransitionId,
    /// A colour for each variable of the transition.
    pub binding: Vec<BoundColour>,
}

/// A coloured net that is analysed without its unfolding.
#[derive(Debug)]
pub struct ColouredModel {
    /// The coloured net.
    net: ColouredNet,
    /// The skeleton of the net.
    skeleton: Skeleton,
    /// The steps, that is, transitions with bindings, used in firing sequences so far.
    steps: RwLock<StepNumbering>,
}

/// The steps of firing sequences, numbered in the order of first use.
#[derive(Debug, Default)]
struct StepNumbering {
    /// The steps, by number.
    steps: Vec<ColouredStep>,
    /// The number assigned to a step.
    numbers: HashMap<ColouredStep, TransitionId>,
}

/// The maximum number of colours in one place of the initial marking.
const MAX_COLOURS: usize = 1_000_000;

/// The maximum number of steps of the search for an enabled binding of one transition in one
/// marking. A step examines a token or tries a colour.
const MAX_WORK: u64 = 20_000_000;

impl ColouredModel {
    /// Creates the model of a coloured net.
    ///
    /// # Errors
    /// When a number of tokens is too large or cannot be computed, or when the skeleton has too
    /// many nodes.
    pub fn new(net: ColouredNet) -> Result<Self, BuildError> {
        let skeleton = Skeleton::of(&net)?;
        Ok(ColouredModel { net, skeleton, steps: RwLock::default() })
    }

    /// Returns the coloured net.
    pub fn net(&self) -> &ColouredNet {
        &self.net
    }

    /// Returns the skeleton of the net.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Returns the number of a step in firing sequences. A new step gets the next number.
    pub fn number(&self, step: ColouredStep) -> TransitionId {
        let mut steps = self.steps.write().unwrap_or_else(PoisonError::into_inner);
        let next = TransitionId::new(steps.steps.len());
        let StepNumbering { steps: all, numbers } = &mut *steps;
        *numbers.entry(step).or_insert_with_key(|step| {
            all.push(step.clone());
            next
        })
    }

    /// Returns the step with the given number, or `None` if no step has this number.
    pub fn step(&self, number: TransitionId) -> Option<ColouredStep> {
        let steps = self.steps.read().unwrap_or_else(PoisonError::into_inner);
        steps.steps.get(number.index()).cloned()
    }

    /// Returns the name of a step, as `t(x=2,y=red)`, or `?` if no step has this number.
    pub fn step_name(&self, number: TransitionId) -> String {
        let Some(ColouredStep { transition, binding }) = self.step(number) else {
            return "?".to_owned();
        };
        let mut name = self.net.transition(transition).name.clone();
        for (index, value) in binding.iter().enumerate() {
            let variable = self.net.variable(value.variable);
            name.push(if index == 0 { '(' } else { ',' });
            name.push_str(&variable.name);
            name.push('=');
            self.net.write_colour(&mut name, variable.sort, value.colour, true);
        }
        if !binding.is_empty() {
            name.push(')');
        }
        name
    }

    /// Returns the initial marking, or `None` if a place has too many colours, or too many tokens
    /// of one colour.
    pub fn initial(&self) -> Option<ColouredMarking> {
        self.net.initial(MAX_COLOURS).ok()
    }

    /// Fires the steps of `sequence` from the initial marking up to the last number in `stops`.
    /// Calls `inspect` with the marking after each number of firings in `stops`, which must ascend.
    ///
    /// # Errors
    /// The first firing up to the last stop that fails or whose step does not exist.
    /// [`ReplayError::TooShort`] if a stop lies after the end of the sequence. An overflow if the
    /// initial marking has too many colours or tokens.
    pub fn visit(
        &self,
        sequence: &FiringSequence,
        stops: impl IntoIterator<Item = u64>,
        mut inspect: impl FnMut(u64, &ColouredMarking),
    ) -> Result<(), ReplayError> {
        let overflow = |firing| ReplayError::Overflow { firing, place: "?".to_owned() };
        let mut marking = self.initial().ok_or_else(|| overflow(0))?;
        let steps = sequence.steps().iter();
        let mut firings = steps.flat_map(|step| (0..step.count).map(|_| step.transition));
        let mut fired = 0;
        for stop in stops {
            while fired < stop {
                let number = firings.next().ok_or(ReplayError::TooShort { firings: fired })?;
                fired += 1;
                let Some(step) = self.step(number) else {
                    return Err(ReplayError::NoSuchTransition {
                        firing: fired,
                        transition: number,
                    });
                };
                let name = || self.step_name(number);
                match self.net.fire(&mut marking, step.transition, &step.binding) {
                    Ok(()) => {}
                    Err(ColouredFireError::TooMany(_)) => return Err(overflow(fired)),
                    Err(ColouredFireError::NotEnabled { place, .. }) => {
                        let transition = name();
                        return Err(ReplayError::NotEnabled { firing: fired, transition, place });
                    }
                    Err(error) => {
                        let (transition, why) = (name(), error.to_string());
                        return Err(ReplayError::NoBinding { firing: fired, transition, why });
                    }
                }
            }
            inspect(stop, &marking);
        }
        Ok(())
    }

    /// Returns the total number of tokens of each place, or `None` if a total exceeds
    /// [`Marking::MAX_TOKENS`].
    pub fn totals(&self, marking: &ColouredMarking) -> Option<Marking> {
        let tokens = self.net.place_ids().map(|place| {
            u64::try_from(marking.total(place)).ok().filter(|&it| it <= Marking::MAX_TOKENS)
        });
        tokens.collect::<Option<Vec<u64>>>().map(Marking::new)
    }

    /// Evaluates a predicate over the skeleton's nodes in a marking of the coloured net.
    ///
    /// # Errors
    /// When too many bindings of a transition must be tried, or when a place has too many tokens.
    pub fn holds(&self, predicate: &Predicate, marking: &ColouredMarking) -> Result<bool, GaveUp> {
        let totals = self.totals(marking).ok_or(GaveUp)?;
        self.holds_in(predicate, marking, &totals)
    }

    /// Evaluates a predicate in `marking`; `totals` has the total number of tokens of each place.
    fn holds_in(
        &self,
        predicate: &Predicate,
        marking: &ColouredMarking,
        totals: &Marking,
    ) -> Result<bool, GaveUp> {
        let has_binding = |t| Ok(self.net.some_binding(marking, t, &mut { MAX_WORK })?.is_some());
        let is_enabled = |t: &TransitionId| {
            let coloured_index = self.skeleton.coloured_transition(*t);
            has_binding(self.net.transition_ids().nth(coloured_index).ok_or(GaveUp)?)
        };
        Ok(match predicate {
            Predicate::True => true,
            Predicate::False => false,
            Predicate::Atom(atom) => atom.holds(totals),
            Predicate::Enabled(t) => is_enabled(t)?,
            Predicate::Disabled(t) => !is_enabled(t)?,
            Predicate::Dead | Predicate::NotDead => {
                let mut dead = true;
                for t in self.net.transition_ids() {
                    if has_binding(t)? {
                        dead = false;
                        break;
                    }
                }
                dead == (*predicate == Predicate::Dead)
            }
            Predicate::And(parts) => {
                for part in parts {
                    if !self.holds_in(part, marking, totals)? {
                        return Ok(false);
                    }
                }
                true
            }
            Predicate::Or(parts) => {
                for part in parts {
                    if self.holds_in(part, marking, totals)? {
                        return Ok(true);
                    }
                }
                false
            }
        })
    }
}
