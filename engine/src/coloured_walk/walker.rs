//! Walks on a coloured net, one after another: the current marking, and the goals seen along it.

use super::bindings::{BindingFinder, BindingOutcome};
use super::tokens::ColouredTokens;
use super::{BindingConstraint, WalkContext, WatchedColouredGoal};
use crate::board::{Observation, WitnessReporter};
use parikh_evidence::abstraction::ColouredStep;
use parikh_net::coloured::BoundColour;
use parikh_net::{FiringSequence, Marking, MarkingGoal, Predicate, TransitionId};
use parikh_unfolding::merge;

/// Limit on the tokens and colours inspected in the first search for a binding of a transition. If
/// no transition has a binding within this limit, the step searches again with [`MAX_INSPECTIONS`].
const MAX_QUICK_INSPECTIONS: u64 = 2_000;

/// Limit on the tokens and colours inspected for a binding in the second search of a step. It also
/// limits the search in a step that follows a hint.
const MAX_INSPECTIONS: u64 = 1_000_000;

/// Limit on the tokens of a place, so that sums fit in 64 bits. A walk ends when a place would
/// exceed it.
const MAX_TOKENS: u64 = 1 << 60;

/// The result of the last search for an enabled binding of a transition, as far as it still applies
/// in the current marking.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BindingStatus {
    /// It is unknown if a binding is enabled: no search was completed, or a later firing may have
    /// changed its result.
    Unknown,
    /// A binding is enabled.
    Enabled,
    /// No binding is enabled.
    Disabled,
}

/// Result of one step of a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ColouredStepResult {
    /// A binding was fired.
    Fired,
    /// No binding of any transition is enabled.
    Dead,
    /// No binding was found within the limits.
    Stuck,
    /// A place would get too many tokens. The current marking is unusable until the next restart.
    TooManyTokens,
}

/// A walk, with data that later walks reuse. It returns to the initial marking between walks.
pub(super) struct ColouredWalker<'w> {
    /// The data that does not change during walks.
    context: &'w WalkContext<'w>,
    /// The search for bindings.
    finder: BindingFinder,
    rng: fastrand::Rng,
    /// The current marking.
    marking: ColouredTokens,
    /// Total token counts of the places, as a marking of the skeleton.
    pub(super) totals: Marking,
    /// For each transition, the result of the last search for a binding.
    status: Vec<BindingStatus>,
    /// The fired transitions of the current walk.
    fired_transitions: Vec<u32>,
    /// The colours of the variables of the firings in `fired_transitions`, one firing after
    /// another.
    fired_colours: Vec<u64>,
    /// The numbers by which firing sequences refer to the coloured steps of the current walk, in
    /// firing order. The model assigns them. The list covers only the firings that were reported so
    /// far.
    transition_numbers: Vec<TransitionId>,
    /// Observations of goals in the current walk that are not reported to the board yet.
    pending: Vec<Observation>,
    /// For each goal, the largest value that any walk has seen of a maximum, or 0 for a predicate
    /// that was seen to hold. `None` if the goal was not seen yet.
    best_values: Vec<Option<i128>>,
    /// Places changed by the last firing.
    changed_places: Vec<usize>,
    /// Buffer for the tokens of an arc.
    scratch: Vec<(u64, u64)>,
    /// Number of firings, summed over walks.
    pub(super) firings: u64,
}

impl<'w> ColouredWalker<'w> {
    pub(super) fn new(context: &'w WalkContext<'w>, seed: u64) -> Self {
        ColouredWalker {
            context,
            finder: BindingFinder::new(seed),
            rng: fastrand::Rng::with_seed(seed ^ 0x5eed),
            marking: ColouredTokens::new(),
            totals: context.skeleton.initial().clone(),
            status: vec![BindingStatus::Unknown; context.rules.len()],
            fired_transitions: Vec::new(),
            fired_colours: Vec::new(),
            transition_numbers: Vec::new(),
            pending: Vec::new(),
            best_values: vec![None; context.goals.len()],
            changed_places: Vec::new(),
            scratch: Vec::new(),
            firings: 0,
        }
    }

    /// Returns to the initial marking and tests all goals.
    pub(super) fn restart(&mut self) {
        self.marking.clone_from(&self.context.initial);
        self.totals = self.context.skeleton.initial().clone();
        self.status.fill(BindingStatus::Unknown);
        self.fired_transitions.clear();
        self.fired_colours.clear();
        self.transition_numbers.clear();
        (0..self.context.goals.len()).for_each(|goal| self.test_goal(goal, false));
    }

    /// Fires the first transition in `order` for which a short search finds an enabled binding. If
    /// there is none, the transitions whose search reached its limit are searched again with a
    /// larger limit.
    pub(super) fn step(&mut self, order: &[usize]) -> ColouredStepResult {
        let mut undecided = Vec::new();
        for &t in order {
            if self.status[t] == BindingStatus::Disabled {
                continue;
            }
            match self.find(t, MAX_QUICK_INSPECTIONS, false) {
                BindingOutcome::Found => return self.fire(t),
                BindingOutcome::None => self.status[t] = BindingStatus::Disabled,
                BindingOutcome::LimitReached => undecided.push(t),
            }
        }
        for t in undecided {
            match self.find(t, MAX_INSPECTIONS, true) {
                BindingOutcome::Found => return self.fire(t),
                BindingOutcome::None => self.status[t] = BindingStatus::Disabled,
                BindingOutcome::LimitReached => {}
            }
        }
        if !self.status.iter().all(|&status| status == BindingStatus::Disabled) {
            return ColouredStepResult::Stuck;
        }
        (0..self.context.goals.len()).for_each(|goal| self.test_goal(goal, true));
        ColouredStepResult::Dead
    }

    /// Searches for an enabled binding of `t`.
    fn find(&mut self, t: usize, max_inspected: u64, is_exhaustive: bool) -> BindingOutcome {
        self.finder.find(&self.context.rules[t], &self.marking, max_inspected, is_exhaustive, &[])
    }

    /// Fires `t` with an enabled binding that satisfies the constraints, if one is found.
    pub(super) fn step_with(
        &mut self,
        t: usize,
        constraints: &[BindingConstraint],
    ) -> ColouredStepResult {
        let rule = &self.context.rules[t];
        match self.finder.find(rule, &self.marking, MAX_INSPECTIONS, false, constraints) {
            BindingOutcome::Found => self.fire(t),
            BindingOutcome::None | BindingOutcome::LimitReached => ColouredStepResult::Stuck,
        }
    }

    /// Fires `t` with the binding in `finder`, which was just found. Records and tests the goals
    /// that the firing affects.
    fn fire(&mut self, t: usize) -> ColouredStepResult {
        let compiled = &self.context.rules[t].compiled;
        for &goal in &self.context.goals_of_firing[t] {
            self.record_goal(goal, None);
        }
        self.changed_places.clear();
        for (arcs, is_consuming) in [(&compiled.inputs, true), (&compiled.outputs, false)] {
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
                            if self.totals[id].saturating_add(count) > MAX_TOKENS {
                                return ColouredStepResult::TooManyTokens;
                            }
                            self.marking[*place].put(colour, count);
                            self.totals[id] += count;
                        }
                    }
                }
                let outdated_status =
                    if is_consuming { BindingStatus::Enabled } else { BindingStatus::Disabled };
                for &consumer in &self.context.consumers[*place] {
                    if self.status[consumer] == outdated_status {
                        self.status[consumer] = BindingStatus::Unknown;
                    }
                }
                if !self.changed_places.contains(place) {
                    self.changed_places.push(*place);
                }
            }
        }
        self.fired_transitions.push(t as u32);
        self.fired_colours.extend_from_slice(&self.finder.binding);
        self.firings += 1;
        let mut affected_goals = Vec::new();
        for place in &self.changed_places {
            affected_goals.extend_from_slice(&self.context.goals_of_place[*place]);
        }
        affected_goals.sort_unstable();
        affected_goals.dedup();
        affected_goals.into_iter().for_each(|goal| self.test_goal(goal, false));
        ColouredStepResult::Fired
    }

    /// Tests a goal in the current marking. Records a predicate that holds, and the value of a
    /// maximum. `is_dead` is true if the marking is known to be dead.
    fn test_goal(&mut self, goal: usize, is_dead: bool) {
        let WatchedColouredGoal { id, goal: marking_goal } = &self.context.goals[goal];
        match marking_goal {
            MarkingGoal::Reach(_) if self.best_values[goal].is_some() => {}
            MarkingGoal::Reach(predicate) => {
                if self.context.board.is_open(*id) && self.holds(predicate, is_dead) == Some(true) {
                    self.record_goal(goal, None);
                }
            }
            MarkingGoal::Maximise(sum) => self.record_goal(goal, Some(sum.value(&self.totals))),
        }
    }

    /// Records that a goal was seen in the current marking. `value` is the value of a maximum, and
    /// `None` for a predicate that holds. Ignores a predicate that was seen before, and a value
    /// that is not larger than the largest value seen.
    fn record_goal(&mut self, goal: usize, value: Option<i128>) {
        let observation = Observation {
            goal: self.context.goals[goal].id,
            firings: self.fired_transitions.len() as u64,
        };
        match (value, self.best_values[goal]) {
            (None, Some(_)) => return,
            (Some(value), Some(largest)) if value <= largest => return,
            (Some(_), _) => self.pending.retain(|it| it.goal != observation.goal),
            (None, None) => {}
        }
        self.best_values[goal] = Some(value.unwrap_or(0));
        self.pending.push(observation);
    }

    /// Returns true if a predicate holds in the current marking. Returns `None` if deciding it
    /// takes too long, or if it depends on deadness and `is_dead` is false.
    fn holds(&mut self, predicate: &Predicate, is_dead: bool) -> Option<bool> {
        match predicate {
            Predicate::True => Some(true),
            Predicate::False => Some(false),
            Predicate::Atom(atom) => Some(atom.holds(&self.totals)),
            Predicate::Enabled(t) => self.is_enabled(self.context.coloured_transition(*t)),
            Predicate::Disabled(t) => Some(!self.is_enabled(self.context.coloured_transition(*t))?),
            // If `is_dead` is false, deadness is undecided: no search has yet shown that all
            // transitions are disabled.
            Predicate::Dead => is_dead.then_some(true),
            Predicate::NotDead => is_dead.then_some(false),
            Predicate::And(parts) => self.all_are(parts, is_dead, true),
            Predicate::Or(parts) => {
                self.all_are(parts, is_dead, false).map(|none_holds| !none_holds)
            }
        }
    }

    /// Returns true if all parts hold, or, if `expected` is false, if none holds. Returns `None` if
    /// the undecided parts leave both possible.
    fn all_are(&mut self, parts: &[Predicate], is_dead: bool, expected: bool) -> Option<bool> {
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
        if self.status[t] == BindingStatus::Unknown {
            let outcome = match self.find(t, MAX_QUICK_INSPECTIONS, false) {
                BindingOutcome::LimitReached => self.find(t, 10 * MAX_QUICK_INSPECTIONS, true),
                outcome => outcome,
            };
            self.status[t] = match outcome {
                BindingOutcome::Found => BindingStatus::Enabled,
                BindingOutcome::None => BindingStatus::Disabled,
                BindingOutcome::LimitReached => return None,
            };
        }
        Some(self.status[t] == BindingStatus::Enabled)
    }

    /// Replaces the content of `transitions` by the transitions that may have an enabled binding.
    /// Transitions after which the distance to `goal` is smallest come first. Without a goal the
    /// order is random.
    pub(super) fn order_transitions(&mut self, goal: Option<usize>, transitions: &mut Vec<usize>) {
        transitions.clear();
        transitions
            .extend((0..self.status.len()).filter(|&t| self.status[t] != BindingStatus::Disabled));
        self.rng.shuffle(transitions);
        let Some(goal) = goal else { return };
        let mut scored: Vec<(i128, usize)> = Vec::with_capacity(transitions.len());
        for &t in &*transitions {
            // If the totals forbid the firing, the transition is disabled or its effect varies.
            let mut distance = i128::MAX;
            if self.apply_effect(t) {
                distance = self.distance(goal);
                self.undo_effect(t);
            }
            scored.push((distance, t));
        }
        // The sort is stable, so equal distances stay in random order.
        scored.sort_by_key(|&(distance, _)| distance);
        transitions.clear();
        transitions.extend(scored.into_iter().map(|(_, t)| t));
    }

    /// Applies the effect of `t` to the totals and returns true. If a total would leave the range
    /// of its type, changes nothing and returns false.
    fn apply_effect(&mut self, t: usize) -> bool {
        let effects = &self.context.effects[t];
        let is_possible =
            |&(place, change): &(_, i64)| self.totals[place].checked_add_signed(change).is_some();
        effects.iter().all(is_possible) && {
            for &(place, change) in effects {
                self.totals[place] = self.totals[place].wrapping_add_signed(change);
            }
            true
        }
    }

    /// Undoes the effect of `t` on the totals, after it was applied.
    fn undo_effect(&mut self, t: usize) {
        for &(place, change) in &self.context.effects[t] {
            self.totals[place] = self.totals[place].wrapping_add_signed(-change);
        }
    }

    /// Returns the distance of the totals to a goal. For a maximum, returns the negated value of
    /// the sum.
    pub(super) fn distance(&self, goal: usize) -> i128 {
        match &self.context.goals[goal].goal {
            MarkingGoal::Reach(predicate) => self.distance_to_predicate(predicate),
            MarkingGoal::Maximise(sum) => -sum.value(&self.totals),
        }
    }

    /// Returns the distance of the totals to a predicate: missing or excess tokens, ignoring
    /// colours.
    fn distance_to_predicate(&self, predicate: &Predicate) -> i128 {
        let missing_tokens = |t: TransitionId| {
            let arcs = self.context.skeleton.pre(t).iter();
            arcs.map(|arc| i128::from(arc.weight.saturating_sub(self.totals[arc.place]))).sum()
        };
        let smallest_excess = |t: TransitionId| {
            let arcs = self.context.skeleton.pre(t).iter();
            let excess_tokens =
                arcs.map(|arc| i128::from(self.totals[arc.place].saturating_sub(arc.weight - 1)));
            excess_tokens.min().unwrap_or(0)
        };
        match predicate {
            Predicate::True => 0,
            Predicate::False => i128::from(u32::MAX),
            Predicate::Atom(atom) => (atom.sum.value(&self.totals) - i128::from(atom.bound)).max(0),
            Predicate::Enabled(t) => missing_tokens(*t),
            Predicate::Disabled(t) => smallest_excess(*t),
            Predicate::Dead => self.context.skeleton.transitions().map(smallest_excess).sum(),
            Predicate::NotDead => 0,
            Predicate::And(parts) => {
                parts.iter().map(|part| self.distance_to_predicate(part)).sum()
            }
            Predicate::Or(parts) => {
                parts.iter().map(|part| self.distance_to_predicate(part)).min().unwrap_or(0)
            }
        }
    }

    /// Returns true if there are unreported observations that should be reported now. This requires
    /// at least 1000 firings in the walk, and twice as many as at the first unreported observation.
    pub(super) fn should_report(&self) -> bool {
        let first_firing = self.pending.first().map(|sighting| sighting.firings);
        first_firing.is_some_and(|first_firing| {
            self.fired_transitions.len() as u64 >= 2 * first_firing.max(500)
        })
    }

    /// Reports the unreported observations to the board. Does nothing if there are none.
    pub(super) fn report_pending(&mut self, witness_reporter: &WitnessReporter<'_>) {
        let pending = std::mem::take(&mut self.pending);
        let Some(last_firing) = pending.iter().map(|sighting| sighting.firings).max() else {
            return;
        };
        let mut sequence = FiringSequence::new();
        let mut first_colour = 0;
        for (firing, &t) in self.fired_transitions.iter().take(last_firing as usize).enumerate() {
            let variables = &self.context.rules[t as usize].compiled.variables;
            let colours = &self.fired_colours[first_colour..first_colour + variables.len()];
            first_colour += variables.len();
            if firing == self.transition_numbers.len() {
                let values = variables.iter().zip(colours);
                let binding =
                    values.map(|(&variable, &colour)| BoundColour { variable, colour }).collect();
                let transition = self.context.transitions[t as usize];
                let step = ColouredStep { transition, binding };
                self.transition_numbers.push(self.context.model.number(step));
            }
            sequence.push(self.transition_numbers[firing], 1);
        }
        witness_reporter.report_reached_along(sequence, pending);
    }
}
