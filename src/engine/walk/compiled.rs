//! The net as the hot loop reads it: flat arrays, 32-bit numbers, one row per question.
//!
//! Firing a class of transitions is: add its changes to its cells, and where a cell leaves the
//! interval in which nothing depends on it, tell those that do. So each cell has its thresholds in
//! one sorted row, between two sentinels; the thresholds of a place are the weights of the arcs
//! that take from it and the bounds of the atoms that mention it alone.
//!
//! ```text
//! cell p:   −∞ │ 1 │ 3 │ ∞        group of 1: inputs of t and u
//!                                 group of 3: input of v, leaf of goal 7
//! ```
//!
//! Which transitions of a group must hear of it is a matter of the marking (see `machine`); the
//! leaves of goals always must.
//!
//! Decreases come first in the row of a class, so that no transition looks enabled half-way through
//! a firing and is not at its end.

use super::gates::{Gates, Input};
use super::watch::{NONE, Node, Record, Watch, Watched};
use parikh_net::{LinearSum, Net, PlaceId};
use std::collections::HashMap;

/// What firing a class does to one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// The cell.
    pub(super) cell: u32,
    /// What is added.
    pub(super) delta: i64,
}

/// The tables. Made for a net and a set of goals; made again when many of the goals are gone.
pub(super) struct Compiled<'a> {
    /// The net.
    pub(super) net: &'a Net,
    /// The goals watched.
    pub(super) goals: Vec<Watched<'a>>,
    /// The number of places, which are the first cells.
    pub(super) places: usize,
    /// The sums of the other cells, in order.
    pub(super) sums: Vec<LinearSum>,
    /// The cell of each sum.
    pub(super) cell_of: HashMap<LinearSum, u32>,
    /// Where the changes of each class begin; one more entry at the end.
    pub(super) change_starts: Vec<u32>,
    /// The changes, by class, decreases first.
    pub(super) changes: Vec<Change>,
    /// Where the rows of thresholds of each cell begin; one more entry at the end.
    pub(super) group_starts: Vec<u32>,
    /// The thresholds of each cell ascending, between two sentinels.
    pub(super) thresholds: Vec<i64>,
    /// Where the events of each threshold begin; one more entry at the end.
    pub(super) event_starts: Vec<u32>,
    /// The leaves that turn when a threshold is crossed: nodes with their marks.
    pub(super) events: Vec<u32>,
    /// Where the inputs of each transition begin, and after them those of each gate; one more entry
    /// at the end.
    pub(super) input_starts: Vec<u32>,
    /// The inputs, by transition or gate, those of places with few consumers first. Without those
    /// that a transition shares with its gate.
    pub(super) inputs: Vec<Input>,
    /// What many transitions need in common.
    pub(super) gates: Gates,
    /// The transition of each input; gates are counted on after the last of these.
    pub(super) input_of: Vec<u32>,
    /// For every transition its list in `flips`, or [`NONE`].
    pub(super) flip_list: Vec<u32>,
    /// Where each list begins; one more entry at the end.
    pub(super) flip_starts: Vec<u32>,
    /// Nodes that ask for the enabledness of a transition.
    pub(super) flips: Vec<u32>,
    /// Nodes that ask for deadness.
    pub(super) deadness: Vec<u32>,
    /// The junctions as they are below every threshold.
    pub(super) nodes: Vec<Node>,
    /// The maxima.
    pub(super) records: Vec<Record>,
    /// For every cell its position in `records`, or [`NONE`]. Empty without records.
    pub(super) record_of: Vec<u32>,
}

impl<'a> Compiled<'a> {
    /// The tables of `net` with these goals watched.
    pub(super) fn new(net: &'a Net, watch: Watch<'a>) -> Self {
        let cells = net.place_count() + watch.sums.len();
        let inputs = net.transitions().map(|t| net.pre(t).len()).sum();
        let mut compiled = Compiled {
            net,
            places: net.place_count(),
            change_starts: Vec::with_capacity(net.effect_count() + 1),
            changes: Vec::new(),
            group_starts: Vec::with_capacity(cells + 1),
            thresholds: Vec::new(),
            event_starts: Vec::new(),
            events: Vec::new(),
            input_starts: Vec::with_capacity(net.transition_count() + 1),
            inputs: Vec::with_capacity(inputs),
            gates: Gates::default(),
            input_of: Vec::with_capacity(inputs),
            flip_list: vec![NONE; net.transition_count()],
            flip_starts: vec![0],
            flips: Vec::with_capacity(watch.enabledness.len()),
            record_of: if watch.records.is_empty() { Vec::new() } else { vec![NONE; cells] },
            goals: watch.goals,
            sums: watch.sums,
            cell_of: watch.cell_of,
            deadness: watch.deadness,
            nodes: watch.nodes,
            records: watch.records,
        };
        compiled.add_changes();
        compiled.add_thresholds(&watch.thresholds, cells);
        compiled.add_inputs();
        for of_transition in watch.enabledness.chunk_by(|a, b| a.0 == b.0) {
            let list = (compiled.flip_starts.len() - 1) as u32;
            compiled.flip_list[of_transition[0].0 as usize] = list;
            compiled.flips.extend(of_transition.iter().map(|&(_, node)| node));
            compiled.flip_starts.push(compiled.flips.len() as u32);
        }
        for (position, record) in compiled.records.iter().enumerate() {
            compiled.record_of[record.cell as usize] = position as u32;
        }
        compiled
    }

    /// The changes of a class.
    pub(super) fn changes_of(&self, class: u32) -> &[Change] {
        let class = class as usize;
        &self.changes[self.change_starts[class] as usize..self.change_starts[class + 1] as usize]
    }

    /// The number of cells.
    pub(super) fn cells(&self) -> usize {
        self.group_starts.len() - 1
    }

    fn add_changes(&mut self) {
        let mut sums_at: HashMap<PlaceId, Vec<(usize, i64)>> = HashMap::new();
        for (position, sum) in self.sums.iter().enumerate() {
            for &(place, coefficient) in sum.terms() {
                sums_at.entry(place).or_default().push((position, coefficient));
            }
        }
        let mut change_of_sum = vec![0i128; self.sums.len()];
        let mut touched: Vec<usize> = Vec::new();
        self.change_starts.push(0);
        for e in self.net.effect_classes() {
            let start = self.changes.len();
            for change in self.net.effect(e) {
                self.changes
                    .push(Change { cell: change.place.index() as u32, delta: change.delta });
                for &(sum, coefficient) in sums_at.get(&change.place).into_iter().flatten() {
                    if change_of_sum[sum] == 0 {
                        touched.push(sum);
                    }
                    change_of_sum[sum] += i128::from(coefficient) * i128::from(change.delta);
                }
            }
            touched.sort_unstable();
            for sum in touched.drain(..) {
                // A sum may come here twice, when it was at 0 in between: it is 0 the second time.
                let delta = std::mem::take(&mut change_of_sum[sum]);
                if delta != 0 {
                    let cell = (self.places + sum) as u32;
                    // Fits: `Watch` takes only sums whose magnitude times any change does.
                    self.changes.push(Change { cell, delta: delta as i64 });
                }
            }
            self.changes[start..].sort_by_key(|change| change.delta > 0);
            self.change_starts.push(self.changes.len() as u32);
        }
    }

    fn add_thresholds(&mut self, watched: &[super::watch::Threshold], cells: usize) {
        let mut watched = watched.iter().peekable();
        // A threshold, with the leaf that turns there or [`NONE`].
        let mut row: Vec<(i64, u32)> = Vec::new();
        self.group_starts.push(0);
        for cell in 0..cells {
            row.clear();
            if cell < self.places {
                let consumers = self.net.consumers(PlaceId::new(cell)).iter();
                // Weights are at most 2⁶³ − 1: the builder sees to it.
                row.extend(consumers.map(|arc| (arc.weight as i64, NONE)));
            }
            while let Some(threshold) = watched.next_if(|threshold| threshold.cell == cell as u32) {
                row.push((threshold.value, threshold.event));
            }
            row.sort_by_key(|&(value, _)| value);
            self.thresholds.push(i64::MIN);
            self.event_starts.push(self.events.len() as u32);
            for group in row.chunk_by(|a, b| a.0 == b.0) {
                self.thresholds.push(group[0].0);
                self.event_starts.push(self.events.len() as u32);
                let leaves = group.iter().map(|&(_, event)| event).filter(|&event| event != NONE);
                self.events.extend(leaves);
            }
            self.thresholds.push(i64::MAX);
            self.event_starts.push(self.events.len() as u32);
            self.group_starts.push(self.thresholds.len() as u32);
        }
        self.event_starts.push(self.events.len() as u32);
    }

    /// The inputs of every transition and gate. One that lacks tokens is sooner found, and lacks
    /// them longer, among places that few transitions look at: these stand in front.
    fn add_inputs(&mut self) {
        let net = self.net;
        let input = |place: PlaceId, weight: u64| {
            let [from, to] =
                [place.index(), place.index() + 1].map(|at| self.group_starts[at] as usize);
            let weight = weight as i64;
            let group = from + self.thresholds[from..to].partition_point(|&value| value < weight);
            Input { weight, cell: place.index() as u32, group: group as u32 }
        };
        let row = |t| net.pre(t).iter().map(|arc| input(arc.place, arc.weight)).collect();
        let mut rows: Vec<Vec<Input>> = net.transitions().map(row).collect();
        self.gates = Gates::split(net, &mut rows, self.thresholds.len());
        let consumers = |input: &Input| net.consumers(PlaceId::new(input.cell as usize)).len();
        for (owner, mut row) in rows.into_iter().enumerate() {
            self.input_starts.push(self.inputs.len() as u32);
            self.input_of.extend(row.iter().map(|_| owner as u32));
            row.sort_by_key(consumers);
            self.inputs.append(&mut row);
        }
        self.input_starts.push(self.inputs.len() as u32);
    }
}
