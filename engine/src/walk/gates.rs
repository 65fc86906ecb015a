//! Gates: inputs that many transitions have in common.
//!
//! Suppose a thousand writers share ten permits, and each writer also needs a token of its own. A
//! firing that takes the permits disables all writers, and the next one enables them again. A list
//! of enabled transitions would change in a thousand places each time. So the common inputs are
//! removed from these transitions and become a *gate*, a transition without effect that never
//! fires. A transition is *ready* if its remaining inputs have their tokens. It is enabled if it is
//! ready and its gate is open. Each gate has a list of its ready transitions. Opening and closing a
//! gate only costs time for its own inputs.
//!
//! ```text
//!   w₁ ──▶ t₁ ─┐                      inputs of t₁: w₁        ready: t₁, t₃
//!   w₂ ──▶ t₂ ─┼─ gate: p₁ … p₁₀     inputs of the gate: p₁ … p₁₀
//!   w₃ ──▶ t₃ ─┘
//! ```
//!
//! Only inputs shared by many transitions count as common, so most nets have no gates and no
//! overhead. Only transitions that are alone in their class have a gate, since a class is enabled
//! or disabled as a whole.

use super::watch::NO_INDEX;
use parikh_net::Net;
use std::collections::BTreeMap;

/// An input arc of a transition or gate.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputArc {
    /// The arc weight.
    pub(super) weight: i64,
    /// Index of the cell with the token count of the arc's place.
    pub(super) cell: u32,
    /// Index of the arc weight among the thresholds of all cells.
    pub(super) threshold: u32,
}

/// Minimum number of transitions behind a gate. Smaller groups are as fast without a gate.
const MIN_TRANSITIONS: usize = 64;

/// Limit on the number of gates. If there are more groups of transitions with common inputs, the
/// groups with the most transitions get a gate. Drawing an enabled class iterates over the open
/// gates.
const MAX_GATES: usize = 32;

/// The gates of a net: their number, and the gate of each transition.
#[derive(Default)]
pub(super) struct Gates {
    /// Number of gates.
    pub(super) count: usize,
    /// The gate of each transition, or [`NO_INDEX`]. Empty if there are no gates.
    gate_of_transition: Vec<u32>,
}

impl Gates {
    /// Returns the gate of a transition, or [`NO_INDEX`].
    #[inline]
    pub(super) fn of(&self, transition: u32) -> u32 {
        self.gate_of_transition.get(transition as usize).copied().unwrap_or(NO_INDEX)
    }

    /// Forms the gates of a net. `rows` has the inputs of each transition as one row. Moves the
    /// inputs of a gate from the rows of its transitions to a new row, which is appended.
    /// `thresholds` is the number of thresholds in the tables.
    pub(super) fn split(net: &Net, rows: &mut Vec<Vec<InputArc>>, thresholds: usize) -> Gates {
        let mut input_counts = vec![0usize; thresholds];
        rows.iter().flatten().for_each(|input| input_counts[input.threshold as usize] += 1);
        if input_counts.iter().all(|&count| count < MIN_TRANSITIONS) {
            return Gates::default();
        }
        let is_common =
            |input: &InputArc| input_counts[input.threshold as usize] >= MIN_TRANSITIONS;
        let mut transitions_by_inputs: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for t in net.transitions() {
            let is_alone = net.class(net.effect_of(t)).len() == 1 && !net.delta(t).is_empty();
            let common = rows[t.index()].iter().filter(|input| is_common(input));
            let mut common: Vec<u32> = common.map(|input| input.threshold).collect();
            common.sort_unstable();
            if is_alone && !common.is_empty() {
                transitions_by_inputs.entry(common).or_default().push(t.index());
            }
        }
        let mut transitions_by_inputs: Vec<Vec<usize>> =
            transitions_by_inputs.into_values().collect();
        transitions_by_inputs.retain(|transitions| transitions.len() >= MIN_TRANSITIONS);
        transitions_by_inputs.sort_by_key(|transitions| std::cmp::Reverse(transitions.len()));
        transitions_by_inputs.truncate(MAX_GATES);
        if transitions_by_inputs.is_empty() {
            return Gates::default();
        }
        let mut gates = Gates {
            count: transitions_by_inputs.len(),
            gate_of_transition: vec![NO_INDEX; rows.len()],
        };
        for (gate, transitions) in transitions_by_inputs.iter().enumerate() {
            let common = rows[transitions[0]].iter().copied().filter(is_common).collect();
            for &t in transitions {
                gates.gate_of_transition[t] = gate as u32;
                rows[t].retain(|input| !is_common(input));
            }
            rows.push(common);
        }
        gates
    }
}
