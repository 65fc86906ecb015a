//! One walk: its current marking and the goals seen along it.

use super::bindings::{BindingOutcome, Finder};
use super::tokens::ColouredTokens;
use super::{BindingConstraint, WalkContext, WatchedColouredGoal};
use crate::board::{Observation, WitnessReporter};
use parikh_evidence::abstraction::ColouredStep;
use parikh_net::coloured::BoundColour;
use parikh_net::{FiringSequence, Marking, MarkingGoal, Predicate, TransitionId};
use parikh_unfolding::merge;

/// Limit on the tokens and colours inspected for a binding if another transition would do as well.
const SAMPLE: u64 = 2_000;

/// Limit on the tokens and colours inspected for deciding if a binding exists.
const EXACT: u64 = 1_000_000;

/// Limit on the tokens of a place, so that sums fit in 64 bits. The walk ends beyond it.
const MANY: u64 = 1 << 60;

/// Knowledge about the bindings of a transition in the current marking.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Unknown,
    Enabled,
    Disabled,
}

/// Result of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ColouredStepResult {
    Fired,
    /// No binding of any transition is enabled.
    Dead,
    /// No binding was found, or there would be too many tokens.
    Stuck,
}

/// A walk. It is reset to the initial marking between walks.
pub(super) struct Walker<'w> {
    terrain: &'w WalkContext<'w>,
    finder: Finder,
    rng: fastrand::Rng,
    marking: ColouredTokens,
    pub(super) totals: Marking,
    status: Vec<Status>,
    /// The fired transitions, and the colours of their variables one after another.
    fired: Vec<u32>,
    colours: Vec<u64>,
    /// The transition numbers of these steps, as far as they were computed.
    numbers: Vec<TransitionId>,
    /// Unreported sightings.
    pending: Vec<Observation>,
    /// For each goal, `Some` if it was seen. For a maximum, the largest value seen.
    seen: Vec<Option<i128>>,
    /// Places changed by the last firing.
    changed: Vec<usize>,
    scratch: Vec<(u64, u64)>,
    pub(super) firings: u64,
}

impl<'w> Walker<'w> {
    pub(super) fn new(terrain: &'w WalkContext<'w>, seed: u64) -> Self {
        Walker {
            terrain,
            finder: Finder::new(seed),
            rng: fastrand::Rng::with_seed(seed ^ 0x5eed),
            marking: ColouredTokens::new(),
            totals: terrain.skeleton.initial().clone(),
            status: vec![Status::Unknown; terrain.rules.len()],
            fired: Vec::new(),
            colours: Vec::new(),
            numbers: Vec::new(),
            pending: Vec::new(),
            seen: vec![None; terrain.goals.len()],
            changed: Vec::new(),
            scratch: Vec::new(),
            firings: 0,
        }
    }

    /// Returns to the initial marking and tests all goals.
    pub(super) fn restart(&mut self) {
        self.marking.clone_from(&self.terrain.initial);
        self.totals = self.terrain.skeleton.initial().clone();
        self.status.fill(Status::Unknown);
        self.fired.clear();
        self.colours.clear();
        self.numbers.clear();
        (0..self.terrain.goals.len()).for_each(|goal| self.look_at(goal, false));
    }

    /// Fires the first transition in `order` with an enabled binding.
    pub(super) fn step(&mut self, order: &[usize]) -> ColouredStepResult {
        let mut unsure = Vec::new();
        for &t in order {
            if self.status[t] == Status::Disabled {
                continue;
            }
            match self.find(t, SAMPLE, false) {
                BindingOutcome::Binding => return self.fire(t),
                BindingOutcome::None => self.status[t] = Status::Disabled,
                BindingOutcome::GaveUp => unsure.push(t),
            }
        }
        for t in unsure {
            match self.find(t, EXACT, true) {
                BindingOutcome::Binding => return self.fire(t),
                BindingOutcome::None => self.status[t] = Status::Disabled,
                BindingOutcome::GaveUp => {}
            }
        }
        if !self.status.iter().all(|&status| status == Status::Disabled) {
            return ColouredStepResult::Stuck;
        }
        (0..self.terrain.goals.len()).for_each(|goal| self.look_at(goal, true));
        ColouredStepResult::Dead
    }

    fn find(&mut self, t: usize, looks: u64, exhaustive: bool) -> BindingOutcome {
        self.finder.find(&self.terrain.rules[t], &self.marking, looks, exhaustive, &[])
    }

    /// Fires `t` with a binding that satisfies the constraints.
    pub(super) fn step_with(
        &mut self,
        t: usize,
        wanted: &[BindingConstraint],
    ) -> ColouredStepResult {
        let rule = &self.terrain.rules[t];
        match self.finder.find(rule, &self.marking, EXACT, false, wanted) {
            BindingOutcome::Binding => self.fire(t),
            BindingOutcome::None | BindingOutcome::GaveUp => ColouredStepResult::Stuck,
        }
    }

    /// Fires the binding that was just found.
    fn fire(&mut self, t: usize) -> ColouredStepResult {
        let compiled = &self.terrain.rules[t].compiled;
        for &goal in &self.terrain.fired_by[t] {
            self.note(goal, None);
        }
        self.changed.clear();
        for (arcs, takes) in [(&compiled.takes, true), (&compiled.puts, false)] {
            for (place, moved) in arcs {
                self.scratch.clear();
                moved.evaluate(&self.finder.binding, &mut self.scratch);
                merge(&mut self.scratch);
                let id = parikh_net::PlaceId::new(*place);
                for &(colour, count) in &self.scratch {
                    match takes {
                        true => {
                            self.marking[*place].take(colour, count);
                            self.totals[id] -= count;
                        }
                        false => {
                            if self.totals[id].saturating_add(count) > MANY {
                                // The marking is unusable from here on.
                                return ColouredStepResult::Stuck;
                            }
                            self.marking[*place].put(colour, count);
                            self.totals[id] += count;
                        }
                    }
                }
                let stale = if takes { Status::Enabled } else { Status::Disabled };
                for &consumer in &self.terrain.consumers[*place] {
                    if self.status[consumer] == stale {
                        self.status[consumer] = Status::Unknown;
                    }
                }
                if !self.changed.contains(place) {
                    self.changed.push(*place);
                }
            }
        }
        self.fired.push(t as u32);
        self.colours.extend_from_slice(&self.finder.binding);
        self.firings += 1;
        let mut touched = Vec::new();
        for place in &self.changed {
            touched.extend_from_slice(&self.terrain.goals_of[*place]);
        }
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().for_each(|goal| self.look_at(goal, false));
        ColouredStepResult::Fired
    }

    /// Tests if a goal holds in the current marking.
    fn look_at(&mut self, goal: usize, dead: bool) {
        let WatchedColouredGoal { id, goal: wanted } = &self.terrain.goals[goal];
        match wanted {
            MarkingGoal::Reach(_) if self.seen[goal].is_some() => {}
            MarkingGoal::Reach(predicate) => {
                if self.terrain.board.is_open(*id) && self.holds(predicate, dead) == Some(true) {
                    self.note(goal, None);
                }
            }
            MarkingGoal::Maximise(sum) => self.note(goal, Some(sum.value(&self.totals))),
        }
    }

    /// Records a goal that holds here, or the value of a maximum.
    fn note(&mut self, goal: usize, value: Option<i128>) {
        let sighting =
            Observation { goal: self.terrain.goals[goal].id, firings: self.fired.len() as u64 };
        match (value, self.seen[goal]) {
            (None, Some(_)) => return,
            (Some(value), Some(most)) if value <= most => return,
            (Some(_), _) => self.pending.retain(|it| it.goal != sighting.goal),
            (None, None) => {}
        }
        self.seen[goal] = Some(value.unwrap_or(0));
        self.pending.push(sighting);
    }

    /// Returns true if a predicate holds here. Returns `None` if deciding it takes too long.
    fn holds(&mut self, predicate: &Predicate, dead: bool) -> Option<bool> {
        match predicate {
            Predicate::True => Some(true),
            Predicate::False => Some(false),
            Predicate::Atom(atom) => Some(atom.holds(&self.totals)),
            Predicate::Enabled(t) => self.is_enabled(self.terrain.coloured(*t)),
            Predicate::Disabled(t) => Some(!self.is_enabled(self.terrain.coloured(*t))?),
            // If `dead` is false, deadness is undecided: the next firing will show that the marking
            // is not dead.
            Predicate::Dead => dead.then_some(true),
            Predicate::NotDead => dead.then_some(false),
            Predicate::And(parts) => self.all(parts, dead, true),
            Predicate::Or(parts) => self.all(parts, dead, false).map(|none| !none),
        }
    }

    /// Returns true if all parts hold, or, if `wanted` is false, if none holds.
    fn all(&mut self, parts: &[Predicate], dead: bool, wanted: bool) -> Option<bool> {
        let mut sure = true;
        for part in parts {
            match self.holds(part, dead) {
                Some(holds) if holds != wanted => return Some(false),
                Some(_) => {}
                None => sure = false,
            }
        }
        sure.then_some(true)
    }

    fn is_enabled(&mut self, t: usize) -> Option<bool> {
        if self.status[t] == Status::Unknown {
            let found = match self.find(t, SAMPLE, false) {
                BindingOutcome::GaveUp => self.find(t, 10 * SAMPLE, true),
                found => found,
            };
            self.status[t] = match found {
                BindingOutcome::Binding => Status::Enabled,
                BindingOutcome::None => Status::Disabled,
                BindingOutcome::GaveUp => return None,
            };
        }
        Some(self.status[t] == Status::Enabled)
    }

    /// Collects the transitions that may fire: those that decrease the distance to `goal` first, or
    /// in random order without a goal.
    pub(super) fn order(&mut self, goal: Option<usize>, into: &mut Vec<usize>) {
        into.clear();
        into.extend((0..self.status.len()).filter(|&t| self.status[t] != Status::Disabled));
        self.rng.shuffle(into);
        let Some(goal) = goal else { return };
        let mut scored: Vec<(i128, usize)> = Vec::with_capacity(into.len());
        for &t in &*into {
            // If the totals forbid the firing, the transition is disabled or its effect varies.
            let mut distance = i128::MAX;
            if self.apply(t) {
                distance = self.distance(goal);
                self.unapply(t);
            }
            scored.push((distance, t));
        }
        // The sort is stable, so equal distances stay in random order.
        scored.sort_by_key(|&(distance, _)| distance);
        into.clear();
        into.extend(scored.into_iter().map(|(_, t)| t));
    }

    /// Applies the effect of `t` to the totals, if they permit it.
    fn apply(&mut self, t: usize) -> bool {
        let effects = &self.terrain.effects[t];
        let allowed =
            |&(place, change): &(_, i64)| self.totals[place].checked_add_signed(change).is_some();
        effects.iter().all(allowed) && {
            for &(place, change) in effects {
                self.totals[place] = self.totals[place].wrapping_add_signed(change);
            }
            true
        }
    }

    fn unapply(&mut self, t: usize) {
        for &(place, change) in &self.terrain.effects[t] {
            self.totals[place] = self.totals[place].wrapping_add_signed(-change);
        }
    }

    /// Returns the distance of the totals to a goal.
    pub(super) fn distance(&self, goal: usize) -> i128 {
        match &self.terrain.goals[goal].goal {
            MarkingGoal::Reach(predicate) => self.lacks(predicate),
            MarkingGoal::Maximise(sum) => -sum.value(&self.totals),
        }
    }

    fn lacks(&self, predicate: &Predicate) -> i128 {
        let missing = |t: TransitionId| {
            let arcs = self.terrain.skeleton.pre(t).iter();
            arcs.map(|arc| i128::from(arc.weight.saturating_sub(self.totals[arc.place]))).sum()
        };
        let spare = |t: TransitionId| {
            let arcs = self.terrain.skeleton.pre(t).iter();
            let spare =
                arcs.map(|arc| i128::from(self.totals[arc.place].saturating_sub(arc.weight - 1)));
            spare.min().unwrap_or(0)
        };
        match predicate {
            Predicate::True => 0,
            Predicate::False => i128::from(u32::MAX),
            Predicate::Atom(atom) => (atom.sum.value(&self.totals) - i128::from(atom.bound)).max(0),
            Predicate::Enabled(t) => missing(*t),
            Predicate::Disabled(t) => spare(*t),
            Predicate::Dead => self.terrain.skeleton.transitions().map(spare).sum(),
            Predicate::NotDead => 0,
            Predicate::And(parts) => parts.iter().map(|part| self.lacks(part)).sum(),
            Predicate::Or(parts) => parts.iter().map(|part| self.lacks(part)).min().unwrap_or(0),
        }
    }

    /// Returns true if there are sightings that should be reported now.
    pub(super) fn is_due(&self) -> bool {
        let first = self.pending.first().map(|sighting| sighting.firings);
        first.is_some_and(|first| self.fired.len() as u64 >= 2 * first.max(500))
    }

    /// Reports the sightings.
    pub(super) fn hand_over(&mut self, witness_reporter: &WitnessReporter<'_>) {
        let pending = std::mem::take(&mut self.pending);
        let Some(last) = pending.iter().map(|sighting| sighting.firings).max() else { return };
        let mut sequence = FiringSequence::new();
        let mut at = 0;
        for (firing, &t) in self.fired.iter().take(last as usize).enumerate() {
            let variables = &self.terrain.rules[t as usize].compiled.variables;
            let colours = &self.colours[at..at + variables.len()];
            at += variables.len();
            if firing == self.numbers.len() {
                let values = variables.iter().zip(colours);
                let binding =
                    values.map(|(&variable, &colour)| BoundColour { variable, colour }).collect();
                let transition = self.terrain.transitions[t as usize];
                let step = ColouredStep { transition, binding };
                self.numbers.push(self.terrain.model.number(step));
            }
            sequence.push(self.numbers[firing], 1);
        }
        witness_reporter.along(sequence, pending);
    }
}
