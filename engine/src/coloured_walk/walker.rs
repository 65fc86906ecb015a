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
    /// No search was made since the last relevant firing.
    Unknown,
    /// A binding is enabled.
    Enabled,
    /// No binding is enabled.
    Disabled,
}

/// Result of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ColouredStepResult {
    /// A binding was fired.
    Fired,
    /// No binding of any transition is enabled.
    Dead,
    /// No binding was found, or there would be too many tokens.
    Stuck,
}

/// A walk. It is reset to the initial marking between walks.
pub(super) struct Walker<'w> {
    /// The data that does not change during walks.
    terrain: &'w WalkContext<'w>,
    /// The search for bindings.
    finder: Finder,
    rng: fastrand::Rng,
    /// The current marking.
    marking: ColouredTokens,
    /// Total token counts of the places, as a marking of the skeleton.
    pub(super) totals: Marking,
    /// For each transition, the knowledge about its bindings.
    status: Vec<Status>,
    /// The fired transitions of the current walk.
    fired: Vec<u32>,
    /// The colours of the variables of these firings, one firing after another.
    colours: Vec<u64>,
    /// The transition numbers of these firings, as far as they were computed.
    numbers: Vec<TransitionId>,
    /// Unreported sightings.
    pending: Vec<Observation>,
    /// For each goal, `Some` if it was seen. For a maximum, the largest value seen.
    seen: Vec<Option<i128>>,
    /// Places changed by the last firing.
    changed: Vec<usize>,
    /// Buffer for the tokens of an arc.
    scratch: Vec<(u64, u64)>,
    /// Number of firings, summed over walks.
    pub(super) firings: u64,
}

impl<'w> Walker<'w> {
    pub(super) fn new(context: &'w WalkContext<'w>, seed: u64) -> Self {
        Walker {
            terrain: context,
            finder: Finder::new(seed),
            rng: fastrand::Rng::with_seed(seed ^ 0x5eed),
            marking: ColouredTokens::new(),
            totals: context.skeleton.initial().clone(),
            status: vec![Status::Unknown; context.rules.len()],
            fired: Vec::new(),
            colours: Vec::new(),
            numbers: Vec::new(),
            pending: Vec::new(),
            seen: vec![None; context.goals.len()],
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
        let mut undecided = Vec::new();
        for &t in order {
            if self.status[t] == Status::Disabled {
                continue;
            }
            match self.find(t, SAMPLE, false) {
                BindingOutcome::Binding => return self.fire(t),
                BindingOutcome::None => self.status[t] = Status::Disabled,
                BindingOutcome::GaveUp => undecided.push(t),
            }
        }
        for t in undecided {
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

    /// Searches for an enabled binding of `t`.
    fn find(&mut self, t: usize, max_inspected: u64, is_exhaustive: bool) -> BindingOutcome {
        self.finder.find(&self.terrain.rules[t], &self.marking, max_inspected, is_exhaustive, &[])
    }

    /// Fires `t` with a binding that satisfies the constraints.
    pub(super) fn step_with(
        &mut self,
        t: usize,
        constraints: &[BindingConstraint],
    ) -> ColouredStepResult {
        let rule = &self.terrain.rules[t];
        match self.finder.find(rule, &self.marking, EXACT, false, constraints) {
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
        for (arcs, is_consuming) in [(&compiled.takes, true), (&compiled.puts, false)] {
            for (place, moved_tokens) in arcs {
                self.scratch.clear();
                moved_tokens.evaluate(&self.finder.binding, &mut self.scratch);
                merge(&mut self.scratch);
                let id = parikh_net::PlaceId::new(*place);
                for &(colour, count) in &self.scratch {
                    match is_consuming {
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
                let outdated_status = if is_consuming { Status::Enabled } else { Status::Disabled };
                for &consumer in &self.terrain.consumers[*place] {
                    if self.status[consumer] == outdated_status {
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
        let mut affected_goals = Vec::new();
        for place in &self.changed {
            affected_goals.extend_from_slice(&self.terrain.goals_of[*place]);
        }
        affected_goals.sort_unstable();
        affected_goals.dedup();
        affected_goals.into_iter().for_each(|goal| self.look_at(goal, false));
        ColouredStepResult::Fired
    }

    /// Tests if a goal holds in the current marking.
    fn look_at(&mut self, goal: usize, is_dead: bool) {
        let WatchedColouredGoal { id, goal: marking_goal } = &self.terrain.goals[goal];
        match marking_goal {
            MarkingGoal::Reach(_) if self.seen[goal].is_some() => {}
            MarkingGoal::Reach(predicate) => {
                if self.terrain.board.is_open(*id) && self.holds(predicate, is_dead) == Some(true) {
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
            (Some(value), Some(largest)) if value <= largest => return,
            (Some(_), _) => self.pending.retain(|it| it.goal != sighting.goal),
            (None, None) => {}
        }
        self.seen[goal] = Some(value.unwrap_or(0));
        self.pending.push(sighting);
    }

    /// Returns true if a predicate holds here. Returns `None` if deciding it takes too long.
    fn holds(&mut self, predicate: &Predicate, is_dead: bool) -> Option<bool> {
        match predicate {
            Predicate::True => Some(true),
            Predicate::False => Some(false),
            Predicate::Atom(atom) => Some(atom.holds(&self.totals)),
            Predicate::Enabled(t) => self.is_enabled(self.terrain.coloured(*t)),
            Predicate::Disabled(t) => Some(!self.is_enabled(self.terrain.coloured(*t))?),
            // If `is_dead` is false, deadness is undecided: the next firing will show that the
            // marking is not dead.
            Predicate::Dead => is_dead.then_some(true),
            Predicate::NotDead => is_dead.then_some(false),
            Predicate::And(parts) => self.all(parts, is_dead, true),
            Predicate::Or(parts) => self.all(parts, is_dead, false).map(|none_holds| !none_holds),
        }
    }

    /// Returns true if all parts hold, or, if `expected` is false, if none holds.
    fn all(&mut self, parts: &[Predicate], is_dead: bool, expected: bool) -> Option<bool> {
        let mut is_decided = true;
        for part in parts {
            match self.holds(part, is_dead) {
                Some(holds) if holds != expected => return Some(false),
                Some(_) => {}
                None => is_decided = false,
            }
        }
        is_decided.then_some(true)
    }

    /// Returns true if a binding of `t` is enabled. Returns `None` if deciding it takes too long.
    fn is_enabled(&mut self, t: usize) -> Option<bool> {
        if self.status[t] == Status::Unknown {
            let outcome = match self.find(t, SAMPLE, false) {
                BindingOutcome::GaveUp => self.find(t, 10 * SAMPLE, true),
                outcome => outcome,
            };
            self.status[t] = match outcome {
                BindingOutcome::Binding => Status::Enabled,
                BindingOutcome::None => Status::Disabled,
                BindingOutcome::GaveUp => return None,
            };
        }
        Some(self.status[t] == Status::Enabled)
    }

    /// Collects the transitions that may fire: those that decrease the distance to `goal` first, or
    /// in random order without a goal.
    pub(super) fn order(&mut self, goal: Option<usize>, transitions: &mut Vec<usize>) {
        transitions.clear();
        transitions.extend((0..self.status.len()).filter(|&t| self.status[t] != Status::Disabled));
        self.rng.shuffle(transitions);
        let Some(goal) = goal else { return };
        let mut scored: Vec<(i128, usize)> = Vec::with_capacity(transitions.len());
        for &t in &*transitions {
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
        transitions.clear();
        transitions.extend(scored.into_iter().map(|(_, t)| t));
    }

    /// Applies the effect of `t` to the totals, if they permit it.
    fn apply(&mut self, t: usize) -> bool {
        let effects = &self.terrain.effects[t];
        let is_possible =
            |&(place, change): &(_, i64)| self.totals[place].checked_add_signed(change).is_some();
        effects.iter().all(is_possible) && {
            for &(place, change) in effects {
                self.totals[place] = self.totals[place].wrapping_add_signed(change);
            }
            true
        }
    }

    /// Undoes [`apply`](Self::apply).
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

    /// Returns the distance of the totals to a predicate: missing or excess tokens, ignoring
    /// colours.
    fn lacks(&self, predicate: &Predicate) -> i128 {
        let missing_tokens = |t: TransitionId| {
            let arcs = self.terrain.skeleton.pre(t).iter();
            arcs.map(|arc| i128::from(arc.weight.saturating_sub(self.totals[arc.place]))).sum()
        };
        let excess_tokens = |t: TransitionId| {
            let arcs = self.terrain.skeleton.pre(t).iter();
            let excess_tokens =
                arcs.map(|arc| i128::from(self.totals[arc.place].saturating_sub(arc.weight - 1)));
            excess_tokens.min().unwrap_or(0)
        };
        match predicate {
            Predicate::True => 0,
            Predicate::False => i128::from(u32::MAX),
            Predicate::Atom(atom) => (atom.sum.value(&self.totals) - i128::from(atom.bound)).max(0),
            Predicate::Enabled(t) => missing_tokens(*t),
            Predicate::Disabled(t) => excess_tokens(*t),
            Predicate::Dead => self.terrain.skeleton.transitions().map(excess_tokens).sum(),
            Predicate::NotDead => 0,
            Predicate::And(parts) => parts.iter().map(|part| self.lacks(part)).sum(),
            Predicate::Or(parts) => parts.iter().map(|part| self.lacks(part)).min().unwrap_or(0),
        }
    }

    /// Returns true if there are sightings that should be reported now.
    pub(super) fn is_due(&self) -> bool {
        let first_firing = self.pending.first().map(|sighting| sighting.firings);
        first_firing
            .is_some_and(|first_firing| self.fired.len() as u64 >= 2 * first_firing.max(500))
    }

    /// Reports the sightings.
    pub(super) fn hand_over(&mut self, witness_reporter: &WitnessReporter<'_>) {
        let pending = std::mem::take(&mut self.pending);
        let Some(last_firing) = pending.iter().map(|sighting| sighting.firings).max() else {
            return;
        };
        let mut sequence = FiringSequence::new();
        let mut first_colour = 0;
        for (firing, &t) in self.fired.iter().take(last_firing as usize).enumerate() {
            let variables = &self.terrain.rules[t as usize].compiled.variables;
            let colours = &self.colours[first_colour..first_colour + variables.len()];
            first_colour += variables.len();
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
