//! Gates: what many transitions need in common.
//!
//! A thousand writers share ten permits, and each also needs something of its own. A firing that
//! takes the permits disables all of them, the next one enables them again: a list of what is
//! enabled would change in a thousand places each time, however cleverly the changes are found. So
//! the common inputs are taken out of these transitions and become a *gate*, a transition without
//! effect that is never fired. A transition is *ready* when what is left of its inputs has its
//! tokens; it is enabled when it is ready and its gate is open. What is ready behind each gate is a
//! list; opening and shutting a gate costs its own inputs and nothing more.
//!
//! ```text
//!   w₁ ──▶ t₁ ─┐                      inputs of t₁: w₁        ready: t₁, t₃
//!   w₂ ──▶ t₂ ─┼─ gate: p₁ … p₁₀     inputs of the gate: p₁ … p₁₀
//!   w₃ ──▶ t₃ ─┘
//! ```
//!
//! Only inputs that many transitions share count as common, so that most nets have no gate and pay
//! nothing; and only transitions that are alone in their class have one, since a class is offered
//! as a whole.

use super::watch::NONE;
use parikh_net::Net;
use std::collections::BTreeMap;

/// What a transition takes from a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    /// The tokens needed.
    pub(super) weight: i64,
    /// The place.
    pub(super) cell: u32,
    /// The position of the weight among all thresholds.
    pub(super) group: u32,
}

/// A gate has so many transitions behind it at least: less is as soon done one by one.
const FEWEST: usize = 64;

/// So many gates at most, those with most transitions: to draw among what is enabled, open gates
/// are gone through.
const MOST: usize = 32;

/// Which transition is behind which gate.
#[derive(Default)]
pub(super) struct Gates {
    /// How many there are.
    pub(super) count: usize,
    /// By transition its gate, or [`NONE`]. Empty without gates.
    of: Vec<u32>,
}

impl Gates {
    /// The gate of a transition, or [`NONE`].
    #[inline]
    pub(super) fn of(&self, transition: u32) -> u32 {
        self.of.get(transition as usize).copied().unwrap_or(NONE)
    }

    /// Takes common inputs out of the `rows` of transitions and appends a row for each gate. There
    /// are so many `thresholds`.
    pub(super) fn split(net: &Net, rows: &mut Vec<Vec<Input>>, thresholds: usize) -> Gates {
        let mut sharing = vec![0usize; thresholds];
        rows.iter().flatten().for_each(|input| sharing[input.group as usize] += 1);
        if sharing.iter().all(|&sharing| sharing < FEWEST) {
            return Gates::default();
        }
        let is_common = |input: &Input| sharing[input.group as usize] >= FEWEST;
        let mut behind: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for t in net.transitions() {
            let alone = net.class(net.effect_of(t)).len() == 1 && !net.delta(t).is_empty();
            let common = rows[t.index()].iter().filter(|input| is_common(input));
            let mut common: Vec<u32> = common.map(|input| input.group).collect();
            common.sort_unstable();
            if alone && !common.is_empty() {
                behind.entry(common).or_default().push(t.index());
            }
        }
        let mut behind: Vec<Vec<usize>> = behind.into_values().collect();
        behind.retain(|transitions| transitions.len() >= FEWEST);
        behind.sort_by_key(|transitions| std::cmp::Reverse(transitions.len()));
        behind.truncate(MOST);
        if behind.is_empty() {
            return Gates::default();
        }
        let mut gates = Gates { count: behind.len(), of: vec![NONE; rows.len()] };
        for (gate, transitions) in behind.iter().enumerate() {
            let common = rows[transitions[0]].iter().copied().filter(is_common).collect();
            for &t in transitions {
                gates.of[t] = gate as u32;
                rows[t].retain(|input| !is_common(input));
            }
            rows.push(common);
        }
        gates
    }
}
