//! The marking of a walk, together with its enabled effect classes and the truth values of the
//! goals.
//!
//! All derived data is updated incrementally. Each cell stores the interval of values in which
//! nothing depends on it. A firing within the interval touches only the cell. A firing that leaves
//! the interval visits the thresholds that it crosses. There a goal leaf changes its value and
//! updates the counters above it, and transitions that wait for this input look for another input
//! without enough tokens.
//!
//! A disabled transition waits for *one* input without enough tokens, and ignores its other inputs.
//! A place that a thousand transitions read, and that is marked and unmarked all the time, costs
//! only the transitions that wait for it. These are few if most transitions lack another token.
//! Counters of missing inputs instead took nine thousand updates per firing in nets with twenty
//! inputs per transition. (SAT solvers watch clauses in the same way: M. Moskewicz et al., *Chaff*,
//! DAC 2001.) An enabled transition is *held* by all of its inputs: it is in the list of each, and
//! the first input that loses its tokens disables it. It is removed from the lists of the other
//! inputs lazily, when these lose their tokens.
//!
//! The machine fires *classes* of transitions with the same effect, not single transitions. Of a
//! thousand variants that differ only in the places they read, one is enough. The enabled members
//! of a class are at the front of its row, so that a representative is found without a search.
//! Firing the class without any effect changes no cell. This class is not in the set of enabled
//! classes, and the machine uses it for deadness.
//!
//! Numbers are signed and 64 bits wide. A firing that would overflow is refused and leaves the
//! marking unchanged. This is sound, since a walk is an under-approximation.

use super::compiled::{CompiledChange, CompiledNet};
use super::enabled::EnabledClasses;
use super::gates::InputArc;
use super::watch::{HOLDS_BELOW, NO_INDEX, RECORD_FLAG, ROOT_FLAG, WatchNode};
use fastrand::Rng;

/// A cell: a token count or the value of a sum, with its current interval between two thresholds.
/// It takes 32 bytes, so that two cells fit in a cache line.
#[derive(Clone, Copy)]
struct Cell {
    /// The current value: the tokens of a place, or the value of a sum.
    value: i64,
    /// The cell crosses a threshold when the value falls below `low`.
    low: i64,
    /// The cell crosses a threshold when the value reaches `high`. A cell that is maximised may
    /// instead exceed the largest value seen so far.
    high: i64,
    /// Index of the largest threshold that is at most the value, in the list of all cells'
    /// thresholds.
    threshold: u32,
    /// Index of the last threshold of the cell that is not a sentinel. Index of the first sentinel
    /// if the cell has no threshold besides its sentinels.
    last_threshold: u32,
}

/// Value of [`TransitionState::next_waiting`] for a transition or gate whose own inputs all have
/// enough tokens. The own inputs of a transition are those that are not part of its gate.
const ENABLED: u32 = u32::MAX - 1;
/// Value of [`WatchedMarking::next_held`] for an input that is in no list.
const UNLISTED: u32 = u32::MAX - 1;

/// The state of a transition or gate.
#[derive(Clone, Copy)]
struct TransitionState {
    /// The next transition or gate in the list of transitions and gates that wait for the same
    /// threshold. [`NO_INDEX`] for the last one in the list. [`ENABLED`] for a transition or gate
    /// whose own inputs all have enough tokens.
    next_waiting: u32,
    /// The effect class of the transition. [`NO_INDEX`] for a gate.
    class: u32,
    /// Index of the transition in `members`. [`NO_INDEX`] for a gate.
    position: u32,
    /// Index of the list of goal leaves that depend on the transition's enabledness, or
    /// [`NO_INDEX`] if no goal depends on it.
    leaf_list: u32,
}

/// The state of an effect class, that is, of all transitions with the same change of the marking.
#[derive(Clone, Copy)]
struct ClassState {
    /// Position of the class in its list of [`EnabledClasses`]. Meaningless while the class is in
    /// no list.
    enabled_position: u32,
    /// Number of transitions of the class that have enough tokens on their own inputs, that is, on
    /// all inputs outside of their gate. These transitions come first among the members of the
    /// class.
    enabled_count: u32,
    /// Index of the class's first transition in `members`.
    first_member: u32,
    /// Number of transitions of the class.
    size: u32,
}

/// The marking of a walk, with derived data. See the module documentation.
pub(super) struct WatchedMarking<'a> {
    /// The tables of the net and of the watched goals.
    pub(super) compiled: CompiledNet<'a>,
    /// The cells: first the places, then the sums.
    cells: Vec<Cell>,
    /// The transitions, followed by the gates.
    transitions: Vec<TransitionState>,
    /// The effect classes, by class index.
    classes: Vec<ClassState>,
    /// The transitions of each class, one class after another.
    members: Vec<u32>,
    /// For each threshold, the first disabled transition or closed gate that waits until the cell
    /// reaches the threshold, or [`NO_INDEX`].
    first_waiting: Vec<u32>,
    /// For each threshold, the first input in its list, or [`NO_INDEX`]. The list has the inputs
    /// with this threshold whose transitions become disabled when the cell falls below it. It may
    /// also have inputs of disabled transitions, which are removed later.
    first_held: Vec<u32>,
    /// For each input, the next input in the list of its threshold, [`NO_INDEX`] for the last one,
    /// or [`UNLISTED`] if it is in no list.
    next_held: Vec<u32>,
    /// The enabled effect classes, without the class of transitions that change no place.
    enabled: EnabledClasses,
    /// For each gate, the number of transitions behind it that goals depend on.
    watched_behind_gate: Vec<u32>,
    /// Number of enabled transitions without effect.
    enabled_without_effect: u32,
    /// The class without effect, or [`NO_INDEX`].
    class_without_effect: u32,
    is_dead_now: bool,
    /// The nodes of the watched goals with their counters.
    nodes: Vec<WatchNode>,
    /// For each goal position, true if the goal is settled and no longer watched.
    is_settled: Vec<bool>,
    /// Positions of goals whose root became true since the list was last emptied, without goals
    /// that are no longer watched. Entries with [`RECORD_FLAG`] are indices of records, that is, of
    /// maximised cells with a new largest value. A goal may have become false again in the same
    /// firing: check [`holds`](Self::holds).
    pub(super) news: Vec<u32>,
    /// Truth value of each goal's root, one bit per goal.
    pub(super) truths: Vec<u64>,
    /// Approximate number of inputs examined and goal leaves updated so far, as a measure of the
    /// cost of firings beyond the changes of cells.
    pub(super) update_count: u64,
    /// The value of each cell in the initial marking.
    initial: Vec<i64>,
}

impl<'a> WatchedMarking<'a> {
    /// Creates the machine at the initial marking.
    pub(super) fn new(compiled: CompiledNet<'a>) -> Self {
        let net = compiled.net;
        let cells = (0..compiled.cell_count()).map(|cell| {
            let [start, end] = [cell, cell + 1].map(|i| compiled.threshold_starts[i]);
            // The cell starts with a value below all thresholds. It gets its initial value later.
            let high = compiled.thresholds[start as usize + 1];
            Cell { value: i64::MIN, low: i64::MIN, high, threshold: start, last_threshold: end - 2 }
        });
        let mut classes = Vec::with_capacity(net.effect_count());
        let mut members = Vec::with_capacity(net.transition_count());
        let unset = TransitionState {
            next_waiting: ENABLED,
            class: NO_INDEX,
            position: NO_INDEX,
            leaf_list: NO_INDEX,
        };
        let mut watched_counts = vec![0; compiled.gates.count];
        let mut transitions = vec![unset; net.transition_count() + watched_counts.len()];
        let mut neutral_class = NO_INDEX;
        for e in net.effect_classes() {
            if net.effect(e).is_empty() {
                neutral_class = e.index() as u32;
            }
            let class_members = net.class(e);
            let first = members.len() as u32;
            classes.push(ClassState {
                enabled_position: NO_INDEX,
                enabled_count: 0,
                first_member: first,
                size: class_members.len() as u32,
            });
            for &t in class_members {
                if let Some(watched) =
                    watched_counts.get_mut(compiled.gates.of(t.index() as u32) as usize)
                {
                    *watched += u32::from(compiled.leaf_list_of[t.index()] != NO_INDEX);
                }
                transitions[t.index()] = TransitionState {
                    next_waiting: ENABLED,
                    class: e.index() as u32,
                    position: members.len() as u32,
                    leaf_list: compiled.leaf_list_of[t.index()],
                };
                members.push(t.index() as u32);
            }
        }
        let mut machine = WatchedMarking {
            cells: cells.collect(),
            transitions,
            enabled: EnabledClasses::new(classes.len(), watched_counts.len()),
            watched_behind_gate: watched_counts,
            classes,
            members,
            first_waiting: vec![NO_INDEX; compiled.thresholds.len()],
            first_held: vec![NO_INDEX; compiled.thresholds.len()],
            next_held: vec![UNLISTED; compiled.inputs.len()],
            enabled_without_effect: 0,
            class_without_effect: neutral_class,
            is_dead_now: true,
            nodes: compiled.nodes.clone(),
            is_settled: vec![false; compiled.goals.len()],
            news: Vec::new(),
            truths: vec![0; compiled.goals.len().div_ceil(64)],
            update_count: 0,
            initial: Vec::new(),
            compiled,
        };
        for goal in 0..machine.compiled.goals.len() {
            machine.truths[goal / 64] |= u64::from(machine.holds(goal as u32)) << (goal % 64);
        }
        let tokens = net.initial().tokens().iter().map(|&tokens| tokens as i64);
        // The values fit: `GoalWatch` accepts no other sums.
        let sums = machine.compiled.sums.iter().map(|sum| sum.value(net.initial()) as i64);
        machine.initial = tokens.chain(sums).collect();
        for t in 0..machine.transitions.len() {
            // At this point no cell has reached a threshold, so each transition with inputs waits
            // for one of them.
            machine.find_missing_input(t as u32);
        }
        machine.restart();
        for record in 0..machine.compiled.records.len() {
            // A cell that has reached no threshold so far has not updated its largest value yet.
            let cell = machine.compiled.records[record].cell as usize;
            let Cell { threshold: threshold_index, value, .. } = machine.cells[cell];
            machine.set_interval(cell, threshold_index as usize, value);
        }
        machine.news.clear();
        machine
    }

    /// Returns to the initial marking and empties `news`, the list of goals reached and maxima
    /// raised.
    pub(super) fn restart(&mut self) {
        for cell in 0..self.cells.len() {
            let initial_value = self.initial[cell];
            if self.cells[cell].value != initial_value {
                self.set_value(cell, initial_value);
            }
        }
        self.update_deadness();
        self.news.clear();
    }

    /// Returns to the initial marking if only these transitions have fired since. Empties `news`,
    /// the list of goals reached and maxima raised. For short walks in large nets this is much
    /// faster than visiting every cell.
    pub(super) fn restart_after(&mut self, fired_transitions: impl Iterator<Item = u32>) {
        for transition in fired_transitions {
            let class = self.class_of(transition) as usize;
            let first_change = self.compiled.change_starts[class] as usize;
            let end_change = self.compiled.change_starts[class + 1] as usize;
            for change_index in first_change..end_change {
                let cell = self.compiled.changes[change_index].cell as usize;
                self.set_value(cell, self.initial[cell]);
            }
        }
        self.update_deadness();
        self.news.clear();
    }

    /// Returns the set of enabled effect classes, without the class of transitions that change no
    /// place.
    #[inline]
    pub(super) fn enabled(&self) -> &EnabledClasses {
        &self.enabled
    }

    /// Returns true if a transition of the class is enabled.
    #[inline]
    pub(super) fn is_enabled(&self, class: u32) -> bool {
        let ClassState { enabled_count: enabled_members, first_member: first, .. } =
            self.classes[class as usize];
        // Only a transition that is alone in its class has a gate, so one member decides.
        enabled_members > 0 && self.is_gate_open(self.members[first as usize])
    }

    /// Returns true if the transition has no gate or its gate is open.
    #[inline]
    fn is_gate_open(&self, transition: u32) -> bool {
        self.enabled.is_open(self.compiled.gates.of(transition))
    }

    /// Returns true if the transitions of this class change no place.
    pub(super) fn is_without_effect(&self, class: u32) -> bool {
        class == self.class_without_effect
    }

    /// Returns the enabled transitions that change no place.
    pub(super) fn enabled_neutral_transitions(&self) -> &[u32] {
        let Some(class) = self.classes.get(self.class_without_effect as usize) else { return &[] };
        &self.members[class.first_member as usize..][..class.enabled_count as usize]
    }

    /// Returns the class of a transition.
    pub(super) fn class_of(&self, transition: u32) -> u32 {
        self.transitions[transition as usize].class
    }

    /// Returns the number of inputs of a transition that lack tokens.
    pub(super) fn missing_inputs(&self, transition: u32) -> u32 {
        let gate = self.compiled.gates.of(transition);
        let missing_at_gate =
            if gate == NO_INDEX { 0 } else { self.own_missing_inputs(self.gate_transition(gate)) };
        self.own_missing_inputs(transition) + missing_at_gate
    }

    /// Like [`missing_inputs`](Self::missing_inputs), without the inputs of the transition's gate.
    /// Also accepts a gate.
    fn own_missing_inputs(&self, transition: u32) -> u32 {
        if self.transitions[transition as usize].next_waiting == ENABLED {
            return 0;
        }
        let inputs = &self.compiled.inputs[self.inputs_of(transition)];
        inputs.iter().filter(|input| self.lacks(input)).count() as u32
    }

    /// Returns the index of a gate in `transitions`, where the gates follow the transitions of the
    /// net.
    fn gate_transition(&self, gate: u32) -> u32 {
        self.compiled.net.transition_count() as u32 + gate
    }

    /// Returns the range of the own inputs of a transition or gate in `compiled.inputs`.
    #[inline]
    fn inputs_of(&self, transition: u32) -> std::ops::Range<usize> {
        let starts = &self.compiled.input_starts;
        let [start, end] =
            [transition, transition + 1].map(|index| starts[index as usize] as usize);
        start..end
    }

    /// Returns true if the input place has fewer tokens than the arc weight.
    #[inline]
    fn lacks(&self, input: &InputArc) -> bool {
        self.cells[input.cell as usize].value < input.weight
    }

    /// Returns the value of a cell. For a place this is its token count.
    #[inline]
    pub(super) fn value(&self, cell: u32) -> i64 {
        self.cells[cell as usize].value
    }

    /// Returns the interval [low, high) of values in which no transition, goal or maximum depends
    /// on the cell.
    pub(super) fn interval(&self, cell: u32) -> (i64, i64) {
        let cell = self.cells[cell as usize];
        (cell.low, cell.high)
    }

    /// Returns the token counts of all places.
    pub(super) fn tokens(&self) -> impl ExactSizeIterator<Item = i64> {
        self.cells[..self.compiled.place_count].iter().map(|cell| cell.value)
    }

    /// Returns a random enabled transition of an enabled class.
    #[inline]
    pub(super) fn representative(&self, class: u32, rng: &mut Rng) -> u32 {
        let class = self.classes[class as usize];
        let offset = if class.enabled_count > 1 {
            random_below(rng, class.enabled_count as usize)
        } else {
            0
        };
        self.members[class.first_member as usize + offset]
    }

    /// Returns a transition of a class, an enabled one if the class is enabled.
    pub(super) fn first_member(&self, class: u32) -> u32 {
        self.members[self.classes[class as usize].first_member as usize]
    }

    /// Returns true if the current marking satisfies the goal with this index. Always returns false
    /// for a maximum.
    pub(super) fn holds(&self, goal: u32) -> bool {
        match self.compiled.goals[goal as usize].root {
            NO_INDEX => false,
            root => self.nodes[root as usize].missing_parts <= 0,
        }
    }

    /// Marks a goal as settled, so that it is no longer watched.
    pub(super) fn stop_watching(&mut self, goal: u32) {
        self.is_settled[goal as usize] = true;
    }

    /// Returns true if the goal is no longer watched.
    pub(super) fn is_unwatched(&self, goal: u32) -> bool {
        self.is_settled[goal as usize]
    }

    /// Returns true if no transition is enabled.
    pub(super) fn is_dead(&self) -> bool {
        self.is_dead_now
    }

    /// Fires an enabled effect class once. Returns false and leaves the marking unchanged if a
    /// number would overflow. In this case, `news` may still have new entries, for goals reached
    /// and maxima raised only on the way.
    #[inline]
    pub(super) fn fire(&mut self, class: u32) -> bool {
        let class = class as usize;
        let first_change = self.compiled.change_starts[class] as usize;
        let end_change = self.compiled.change_starts[class + 1] as usize;
        for change_index in first_change..end_change {
            let CompiledChange { cell, delta } = self.compiled.changes[change_index];
            let cell = cell as usize;
            let Some(value) = self.cells[cell].value.checked_add(delta) else {
                self.undo_changes(first_change, change_index, 1);
                return false;
            };
            self.set_value(cell, value);
        }
        self.update_deadness();
        true
    }

    /// Fires an effect class `count` times in one step, backwards if `count` is negative. The
    /// caller guarantees that this is possible. Returns false and leaves the marking unchanged if a
    /// number would overflow. In this case, `news` may still have new entries, for goals reached
    /// and maxima raised only on the way.
    pub(super) fn fire_many(&mut self, class: u32, count: i64) -> bool {
        let class = class as usize;
        let first_change = self.compiled.change_starts[class] as usize;
        let end_change = self.compiled.change_starts[class + 1] as usize;
        for change_index in first_change..end_change {
            let CompiledChange { cell, delta } = self.compiled.changes[change_index];
            let value = delta.checked_mul(count);
            let value =
                value.and_then(|change| self.cells[cell as usize].value.checked_add(change));
            let Some(value) = value else {
                self.undo_changes(first_change, change_index, count);
                return false;
            };
            self.set_value(cell as usize, value);
        }
        self.update_deadness();
        true
    }

    /// Subtracts the changes with indices from `first_change` to `end_change` (exclusive) after
    /// `count` firings of their class have been added.
    #[cold]
    fn undo_changes(&mut self, first_change: usize, end_change: usize, count: i64) {
        for change_index in first_change..end_change {
            let CompiledChange { cell, delta } = self.compiled.changes[change_index];
            // This undoes an addition that did not overflow.
            let value = self.cells[cell as usize].value - delta * count;
            self.set_value(cell as usize, value);
        }
    }

    /// Sets the value of a cell. If the value leaves the cell's interval, updates the transitions
    /// and goals at the crossed thresholds.
    #[inline]
    fn set_value(&mut self, cell: usize, value: i64) {
        let state = &mut self.cells[cell];
        state.value = value;
        if value >= state.high {
            self.cross_upwards(cell, value);
        } else if value < state.low {
            self.cross_downwards(cell, value);
        }
    }

    /// Updates the transitions and goal leaves at each threshold that the value of the cell has
    /// newly reached.
    fn cross_upwards(&mut self, cell: usize, value: i64) {
        let Cell { threshold: group, last_threshold: last, .. } = self.cells[cell];
        let (mut threshold_index, last) = (group as usize, last as usize);
        while threshold_index < last && self.compiled.thresholds[threshold_index + 1] <= value {
            threshold_index += 1;
            let first_leaf = self.compiled.threshold_leaf_starts[threshold_index] as usize;
            let end_event = self.compiled.threshold_leaf_starts[threshold_index + 1] as usize;
            self.update_count += (end_event - first_leaf) as u64;
            for leaf_index in first_leaf..end_event {
                self.update_node(self.compiled.threshold_leaves[leaf_index], true);
            }
            let mut next_waiting =
                std::mem::replace(&mut self.first_waiting[threshold_index], NO_INDEX);
            while next_waiting != NO_INDEX {
                let transition = next_waiting;
                next_waiting = self.transitions[transition as usize].next_waiting;
                self.find_missing_input(transition);
            }
        }
        self.set_interval(cell, threshold_index, value);
    }

    /// Updates the transitions and goal leaves at each threshold that the value of the cell has
    /// fallen below.
    fn cross_downwards(&mut self, cell: usize, value: i64) {
        let mut group = self.cells[cell].threshold as usize;
        // No value is below the first sentinel, so the loop ends there.
        while self.compiled.thresholds[group] > value {
            let first_leaf = self.compiled.threshold_leaf_starts[group] as usize;
            let end_event = self.compiled.threshold_leaf_starts[group + 1] as usize;
            self.update_count += (end_event - first_leaf) as u64;
            for leaf_index in first_leaf..end_event {
                self.update_node(self.compiled.threshold_leaves[leaf_index], false);
            }
            let mut next_input = std::mem::replace(&mut self.first_held[group], NO_INDEX);
            while next_input != NO_INDEX {
                let input = next_input as usize;
                next_input = std::mem::replace(&mut self.next_held[input], UNLISTED);
                let transition = self.compiled.owner_of_input[input];
                self.update_count += 1;
                if self.transitions[transition as usize].next_waiting == ENABLED {
                    self.wait_for(transition, group);
                    self.disable(transition);
                }
            }
            group -= 1;
        }
        self.set_interval(cell, group, value);
    }

    /// Makes a transition or gate wait for one of its inputs without enough tokens. Enables it if
    /// there is no such input.
    fn find_missing_input(&mut self, transition: u32) {
        let input_range = self.inputs_of(transition);
        let missing_index =
            self.compiled.inputs[input_range.clone()].iter().position(|input| self.lacks(input));
        self.update_count += missing_index.map_or(input_range.len(), |index| index + 1) as u64;
        if let Some(index) = missing_index {
            self.wait_for(
                transition,
                self.compiled.inputs[input_range.start + index].threshold as usize,
            );
            return;
        }
        self.transitions[transition as usize].next_waiting = ENABLED;
        for index in input_range {
            if self.next_held[index] == UNLISTED {
                let threshold_index = self.compiled.inputs[index].threshold as usize;
                self.next_held[index] =
                    std::mem::replace(&mut self.first_held[threshold_index], index as u32);
            }
        }
        self.enable(transition);
    }

    /// Adds a disabled transition or closed gate to the list of those that wait until a cell
    /// reaches the threshold with this index.
    #[inline]
    fn wait_for(&mut self, transition: u32, threshold_index: usize) {
        let first = std::mem::replace(&mut self.first_waiting[threshold_index], transition);
        self.transitions[transition as usize].next_waiting = first;
    }

    /// Sets the interval of a cell after a change to `value`. The second argument is the index of
    /// the largest threshold that the value has reached. The interval ends at the next threshold.
    /// Also raises the record of a maximised cell if the value is a new maximum.
    #[inline]
    fn set_interval(&mut self, cell: usize, threshold_index: usize, value: i64) {
        let mut high = self.compiled.thresholds[threshold_index + 1];
        if !self.compiled.record_of.is_empty() {
            let record = self.compiled.record_of[cell];
            if record != NO_INDEX {
                let best = &mut self.compiled.records[record as usize].best;
                if value > *best {
                    *best = value;
                    self.news.push(RECORD_FLAG | record);
                }
                high = high.min(best.saturating_add(1));
            }
        }
        let state = &mut self.cells[cell];
        state.threshold = threshold_index as u32;
        state.low = self.compiled.thresholds[threshold_index];
        state.high = high;
    }

    /// Handles a transition that now has enough tokens on its own inputs, or a gate that opens.
    #[inline]
    fn enable(&mut self, transition: u32) {
        let TransitionState { class, position, leaf_list: goal_leaf_list, .. } =
            self.transitions[transition as usize];
        if class == NO_INDEX {
            return self.set_gate(transition, true);
        }
        let state = &mut self.classes[class as usize];
        let enabled_members = state.enabled_count;
        state.enabled_count += 1;
        if state.size > 1 {
            let front = state.first_member + enabled_members;
            self.swap_members(position, front);
        }
        if class == self.class_without_effect {
            self.enabled_without_effect += 1;
        } else if enabled_members == 0 {
            let gate = self.compiled.gates.of(transition);
            self.classes[class as usize].enabled_position = self.enabled.insert(class, gate);
        }
        if goal_leaf_list != NO_INDEX && self.is_gate_open(transition) {
            self.update_leaves(goal_leaf_list, true);
        }
    }

    /// Handles a transition that no longer has enough tokens on its own inputs, or a gate that
    /// closes.
    #[inline]
    fn disable(&mut self, transition: u32) {
        let TransitionState { class, position, leaf_list: goal_leaf_list, .. } =
            self.transitions[transition as usize];
        if class == NO_INDEX {
            return self.set_gate(transition, false);
        }
        let state = &mut self.classes[class as usize];
        state.enabled_count -= 1;
        let ClassState { enabled_count: live, enabled_position: slot, first_member: first, size } =
            *state;
        if size > 1 {
            self.swap_members(position, first + live);
        }
        if class == self.class_without_effect {
            self.enabled_without_effect -= 1;
        } else if live == 0 {
            let gate = self.compiled.gates.of(transition);
            if let Some(moved) = self.enabled.remove(slot, gate) {
                self.classes[moved as usize].enabled_position = slot;
            }
        }
        if goal_leaf_list != NO_INDEX && self.is_gate_open(transition) {
            self.update_leaves(goal_leaf_list, false);
        }
    }

    /// Opens or closes a gate, that is, a group of inputs that many transitions have in common. The
    /// gate is given by its index in `transitions`. Updates the goals that depend on these
    /// transitions.
    fn set_gate(&mut self, gate: u32, is_open: bool) {
        let gate = gate as usize - self.compiled.net.transition_count();
        self.enabled.set_gate(gate, is_open);
        if self.watched_behind_gate[gate] > 0 {
            for index in 0..self.enabled.ready(gate).len() {
                let transition = self.first_member(self.enabled.ready(gate)[index]);
                self.update_count += 1;
                let flips = self.transitions[transition as usize].leaf_list;
                if flips != NO_INDEX {
                    self.update_leaves(flips, is_open);
                }
            }
        }
    }

    /// Swaps two entries of `members`, and updates the positions of both transitions.
    fn swap_members(&mut self, a: u32, b: u32) {
        self.members.swap(a as usize, b as usize);
        for member in [a, b] {
            self.transitions[self.members[member as usize] as usize].position = member;
        }
    }

    /// Updates the goal leaves in a list, all of which depend on the enabledness of one transition.
    /// `has_risen` is true if the transition became enabled, and false if it became disabled.
    fn update_leaves(&mut self, list: u32, has_risen: bool) {
        let start = self.compiled.leaf_list_starts[list as usize] as usize;
        let end = self.compiled.leaf_list_starts[list as usize + 1] as usize;
        for index in start..end {
            self.update_node(self.compiled.enabledness_leaves[index], has_risen);
        }
    }

    /// Updates a node after one of its leaves changed its truth value, and the nodes above the
    /// node. The first argument is the index of the node, flagged with [`HOLDS_BELOW`] if the leaf
    /// is true below its threshold. `has_risen` is true if the cell reached the threshold, the
    /// transition became enabled, or the marking became dead.
    fn update_node(&mut self, flagged_node: u32, has_risen: bool) {
        let holds = has_risen == (flagged_node & HOLDS_BELOW == 0);
        let mut node = flagged_node & !HOLDS_BELOW;
        loop {
            let WatchNode { parent: up, missing_parts: remaining } = &mut self.nodes[node as usize];
            if holds {
                *remaining -= 1;
                if *remaining != 0 {
                    return;
                }
            } else {
                *remaining += 1;
                if *remaining != 1 {
                    return;
                }
            }
            if *up & ROOT_FLAG != 0 {
                let goal = *up & !ROOT_FLAG;
                self.truths[goal as usize / 64] ^= 1 << (goal % 64);
                if holds && !self.is_settled[goal as usize] {
                    self.news.push(goal);
                }
                return;
            }
            node = *up;
        }
    }

    /// Updates the deadness of the marking and the goal leaves about deadness, at the end of a
    /// firing. In the middle of a firing the set of enabled classes may be empty.
    #[inline]
    fn update_deadness(&mut self) {
        let is_dead_now = self.enabled.is_empty() && self.enabled_without_effect == 0;
        if is_dead_now != self.is_dead_now {
            self.is_dead_now = is_dead_now;
            for index in 0..self.compiled.deadness_leaves.len() {
                self.update_node(self.compiled.deadness_leaves[index], is_dead_now);
            }
        }
    }
}

/// Returns a random number below `bound`, which is below 2³². The distribution is slightly uneven,
/// which is harmless here.
#[inline]
pub(super) fn random_below(rng: &mut Rng, bound: usize) -> usize {
    ((u64::from(rng.u32(..)) * bound as u64) >> 32) as usize
}

#[cfg(test)]
mod tests;
