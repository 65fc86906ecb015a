//! The net as flat arrays with 32-bit indices, for the inner loop.
//!
//! A *cell* is the token count of a place or the value of a sum in a goal. An effect class is the
//! set of all transitions with the same change of the marking. Firing a class adds its changes to
//! the cells. When a cell leaves the interval in which nothing depends on its value, the dependent
//! objects are updated. Each cell has a sorted row of thresholds between two sentinels. The
//! thresholds of a place are the weights of its outgoing arcs and the bounds of the atoms over this
//! place alone.
//!
//! ```text
//! cell p:   −∞ │ 1 │ 3 │ ∞        group of 1: inputs of t and u
//!                                 group of 3: input of v, leaf of goal 7
//! ```
//!
//! Which transitions of a threshold group are updated depends on the marking (see `machine`). The
//! leaves of goals are always updated.
//!
//! The decreases of a class precede its increases. So no transition looks enabled in the middle of
//! a firing and is disabled at its end.

use super::gates::{Gates, InputArc};
use super::watch::{GoalWatch, MaximumRecord, NO_INDEX, WatchNode, WatchedGoal};
use parikh_net::{LinearSum, Net, PlaceId};
use std::collections::HashMap;

/// The change of one cell by firing an effect class once.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompiledChange {
    /// Index of the changed cell, that is, of a token count or of a sum in a goal.
    pub(super) cell: u32,
    /// The number added to the cell, which is negative if the cell decreases.
    pub(super) delta: i64,
}

/// The tables for a net and a set of goals. They are compiled again when many of the goals are
/// settled.
pub(super) struct CompiledNet<'a> {
    /// The net.
    pub(super) net: &'a Net,
    /// The watched goals.
    pub(super) goals: Vec<WatchedGoal<'a>>,
    /// The number of places. The first cells are the places.
    pub(super) place_count: usize,
    /// The weighted sums whose values are the remaining cells, in the order of the cells.
    pub(super) sums: Vec<LinearSum>,
    /// For each sum in `sums`, the index of its cell.
    pub(super) cell_of: HashMap<LinearSum, u32>,
    /// For each effect class, the index of its first entry in `changes`, with one more entry at the
    /// end.
    pub(super) change_starts: Vec<u32>,
    /// The changes by class, decreases first.
    pub(super) changes: Vec<CompiledChange>,
    /// For each cell, the index of its first entry in `thresholds`, with one more entry at the end.
    pub(super) threshold_starts: Vec<u32>,
    /// The thresholds of each cell, that is, values at which a transition or goal depends on it.
    /// They are ascending, between a sentinel below and a sentinel above all values.
    pub(super) thresholds: Vec<i64>,
    /// For each threshold, the index of its first entry in `threshold_leaves`, with one more entry
    /// at the end.
    pub(super) threshold_leaf_starts: Vec<u32>,
    /// For each goal leaf, grouped by threshold, the index of the node above the leaf. It is
    /// flagged with `HOLDS_BELOW` if the leaf is true below the threshold.
    pub(super) threshold_leaves: Vec<u32>,
    /// For each transition and then for each gate, the index of its first input in `inputs`, with
    /// one more entry at the end.
    pub(super) input_starts: Vec<u32>,
    /// The inputs of each transition and gate, places with few consumers first. Inputs of a
    /// transition that belong to its gate are left out.
    pub(super) inputs: Vec<InputArc>,
    /// The gates, that is, groups of inputs that many transitions have in common.
    pub(super) gates: Gates,
    /// For each input, the transition or gate that it belongs to. Gates are numbered after the
    /// transitions.
    pub(super) owner_of_input: Vec<u32>,
    /// For each transition, the index of its list of goal leaves in `leaf_list_starts`.
    /// [`NO_INDEX`] if no goal depends on its enabledness.
    pub(super) leaf_list_of: Vec<u32>,
    /// Start of each list in `enabledness_leaves`, with one more entry at the end.
    pub(super) leaf_list_starts: Vec<u32>,
    /// For each goal leaf about a transition's enabledness, the index of the node above the leaf.
    /// It is flagged with `HOLDS_BELOW` if the leaf requires a disabled transition.
    pub(super) enabledness_leaves: Vec<u32>,
    /// For each goal leaf about deadness, the index of the node above the leaf. It is flagged with
    /// `HOLDS_BELOW` if the leaf requires a marking that is not dead.
    pub(super) deadness_leaves: Vec<u32>,
    /// The nodes of the goals, that is, conjunctions, disjunctions, and goals that are a single
    /// leaf. Their counters are valid when all cells are below all thresholds and no transition is
    /// enabled.
    pub(super) nodes: Vec<WatchNode>,
    /// The cells to maximise, with the largest values seen.
    pub(super) records: Vec<MaximumRecord>,
    /// The index in `records` of each cell, or [`NO_INDEX`]. Empty if there are no records.
    pub(super) record_of: Vec<u32>,
}

impl<'a> CompiledNet<'a> {
    /// Compiles the tables of `net` with the watched goals.
    pub(super) fn new(net: &'a Net, watch: GoalWatch<'a>) -> Self {
        let cells = net.place_count() + watch.sums.len();
        let inputs = net.transitions().map(|t| net.pre(t).len()).sum();
        let mut compiled = CompiledNet {
            net,
            place_count: net.place_count(),
            change_starts: Vec::with_capacity(net.effect_count() + 1),
            changes: Vec::new(),
            threshold_starts: Vec::with_capacity(cells + 1),
            thresholds: Vec::new(),
            threshold_leaf_starts: Vec::new(),
            threshold_leaves: Vec::new(),
            input_starts: Vec::with_capacity(net.transition_count() + 1),
            inputs: Vec::with_capacity(inputs),
            gates: Gates::default(),
            owner_of_input: Vec::with_capacity(inputs),
            leaf_list_of: vec![NO_INDEX; net.transition_count()],
            leaf_list_starts: vec![0],
            enabledness_leaves: Vec::with_capacity(watch.enabledness.len()),
            record_of: if watch.records.is_empty() { Vec::new() } else { vec![NO_INDEX; cells] },
            goals: watch.goals,
            sums: watch.sums,
            cell_of: watch.cell_of,
            deadness_leaves: watch.deadness,
            nodes: watch.nodes,
            records: watch.records,
        };
        compiled.add_changes();
        compiled.add_thresholds(&watch.thresholds, cells);
        compiled.add_inputs();
        for leaves in watch.enabledness.chunk_by(|a, b| a.0 == b.0) {
            let list = (compiled.leaf_list_starts.len() - 1) as u32;
            compiled.leaf_list_of[leaves[0].0 as usize] = list;
            compiled.enabledness_leaves.extend(leaves.iter().map(|&(_, node)| node));
            compiled.leaf_list_starts.push(compiled.enabledness_leaves.len() as u32);
        }
        for (position, record) in compiled.records.iter().enumerate() {
            compiled.record_of[record.cell as usize] = position as u32;
        }
        compiled
    }

    /// Returns the changes of the cells by firing an effect class once.
    pub(super) fn changes_of(&self, class: u32) -> &[CompiledChange] {
        let class = class as usize;
        &self.changes[self.change_starts[class] as usize..self.change_starts[class + 1] as usize]
    }

    /// Returns the number of cells.
    pub(super) fn cell_count(&self) -> usize {
        self.threshold_starts.len() - 1
    }

    /// Adds the changes of all cells, that is, of places and sums, by each effect class.
    fn add_changes(&mut self) {
        let mut sums_of_place: HashMap<PlaceId, Vec<(usize, i64)>> = HashMap::new();
        for (position, sum) in self.sums.iter().enumerate() {
            for &(place, coefficient) in sum.terms() {
                sums_of_place.entry(place).or_default().push((position, coefficient));
            }
        }
        let mut change_of_sum = vec![0i128; self.sums.len()];
        let mut changed_sums: Vec<usize> = Vec::new();
        self.change_starts.push(0);
        for e in self.net.effect_classes() {
            let start = self.changes.len();
            for change in self.net.effect(e) {
                self.changes.push(CompiledChange {
                    cell: change.place.index() as u32,
                    delta: change.delta,
                });
                for &(sum, coefficient) in sums_of_place.get(&change.place).into_iter().flatten() {
                    if change_of_sum[sum] == 0 {
                        changed_sums.push(sum);
                    }
                    change_of_sum[sum] += i128::from(coefficient) * i128::from(change.delta);
                }
            }
            changed_sums.sort_unstable();
            for sum in changed_sums.drain(..) {
                // A sum is listed twice if its change became 0 between two places of the class. The
                // second entry finds the change 0 and adds nothing.
                let delta = std::mem::take(&mut change_of_sum[sum]);
                if delta != 0 {
                    let cell = (self.place_count + sum) as u32;
                    // The number fits: `GoalWatch` accepts only sums for which every change fits.
                    self.changes.push(CompiledChange { cell, delta: delta as i64 });
                }
            }
            self.changes[start..].sort_by_key(|change| change.delta > 0);
            self.change_starts.push(self.changes.len() as u32);
        }
    }

    /// Adds the thresholds of each cell, each with the goal leaves that change their truth value at
    /// this threshold.
    fn add_thresholds(&mut self, goal_thresholds: &[super::watch::TokenThreshold], cells: usize) {
        let mut goal_thresholds = goal_thresholds.iter().peekable();
        // Each entry is a threshold with the goal leaf that changes its truth value at it. For an
        // arc weight, it has [`NO_INDEX`] instead.
        let mut entries: Vec<(i64, u32)> = Vec::new();
        self.threshold_starts.push(0);
        for cell in 0..cells {
            entries.clear();
            if cell < self.place_count {
                let consumers = self.net.consumers(PlaceId::new(cell)).iter();
                // The net builder guarantees weights of at most 2⁶³ − 1.
                entries.extend(consumers.map(|arc| (arc.weight as i64, NO_INDEX)));
            }
            while let Some(threshold) =
                goal_thresholds.next_if(|threshold| threshold.cell == cell as u32)
            {
                entries.push((threshold.value, threshold.node));
            }
            entries.sort_by_key(|&(value, _)| value);
            self.thresholds.push(i64::MIN);
            self.threshold_leaf_starts.push(self.threshold_leaves.len() as u32);
            for group in entries.chunk_by(|a, b| a.0 == b.0) {
                self.thresholds.push(group[0].0);
                self.threshold_leaf_starts.push(self.threshold_leaves.len() as u32);
                let leaves =
                    group.iter().map(|&(_, event)| event).filter(|&event| event != NO_INDEX);
                self.threshold_leaves.extend(leaves);
            }
            self.thresholds.push(i64::MAX);
            self.threshold_leaf_starts.push(self.threshold_leaves.len() as u32);
            self.threshold_starts.push(self.thresholds.len() as u32);
        }
        self.threshold_leaf_starts.push(self.threshold_leaves.len() as u32);
    }

    /// Adds the inputs of every transition and gate. Places with few consumers come first: such a
    /// place is more often the one that lacks tokens, and lacks them for longer.
    fn add_inputs(&mut self) {
        let net = self.net;
        let input = |place: PlaceId, weight: u64| {
            let [start, end] =
                [place.index(), place.index() + 1].map(|at| self.threshold_starts[at] as usize);
            let weight = weight as i64;
            let threshold_index =
                start + self.thresholds[start..end].partition_point(|&value| value < weight);
            InputArc { weight, cell: place.index() as u32, threshold: threshold_index as u32 }
        };
        let inputs_of = |t| net.pre(t).iter().map(|arc| input(arc.place, arc.weight)).collect();
        let mut rows: Vec<Vec<InputArc>> = net.transitions().map(inputs_of).collect();
        self.gates = Gates::split(net, &mut rows, self.thresholds.len());
        let consumers = |input: &InputArc| net.consumers(PlaceId::new(input.cell as usize)).len();
        for (owner, mut own_inputs) in rows.into_iter().enumerate() {
            self.input_starts.push(self.inputs.len() as u32);
            self.owner_of_input.extend(own_inputs.iter().map(|_| owner as u32));
            own_inputs.sort_by_key(consumers);
            self.inputs.append(&mut own_inputs);
        }
        self.input_starts.push(self.inputs.len() as u32);
    }
}
