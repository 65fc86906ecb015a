//! CTL over labels, evaluated on all joint states of a system by fixed-point iteration.
//!
//! Paths are maximal: they end where no step is possible. The rows define the set Z of joint states
//! that satisfy a formula:
//!
//! ```text
//! [a] φ       all a-successors are in φ            [] φ, <> φ: by any label
//! <a> φ       some a-successor is in φ
//! E(φ U ψ)    least Z = ψ ∪ (φ ∩ some successor in Z)
//! A(φ U ψ)    least Z = ψ ∪ (φ ∩ all successors in Z, and there are some)
//! E(φ W ψ)    greatest Z = ψ ∪ (φ ∩ some successor in Z, or there is none)
//! A(φ W ψ)    greatest Z = ψ ∪ (φ ∩ all successors in Z)
//! ```

use super::system::{Joint, System};
use std::collections::HashMap;

/// A CTL formula over labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelCtl {
    /// The constant true or false.
    Constant(bool),
    /// A negation.
    Not(Box<LabelCtl>),
    /// A conjunction.
    And(Box<(LabelCtl, LabelCtl)>),
    /// An equivalence.
    Equivalent(Box<(LabelCtl, LabelCtl)>),
    /// A condition after all steps, or some step, with a label or with any label.
    Next {
        /// True for all steps, false for some step.
        all: bool,
        /// The label; `None` means any label.
        label: Option<String>,
        /// The condition after the step.
        term: Box<LabelCtl>,
    },
    /// The first operand holds until the second does. If weak, the first operand may also hold
    /// along the whole path, which is infinite or ends where no step is possible.
    Until {
        /// True for all paths, false for some path.
        all: bool,
        /// True if the second operand need not become true.
        weak: bool,
        /// The two operands.
        parts: Box<(LabelCtl, LabelCtl)>,
    },
}

/// The reachable joint states of a system, with their steps.
pub struct JointSpace {
    /// The number that stands for each label in `steps`.
    labels: HashMap<String, u32>,
    /// The steps of each joint state: the number of the label, and the index of the target.
    steps: Vec<Vec<(u32, u32)>>,
    /// The number of initial joint states, which have the first indices.
    starts: usize,
}

impl JointSpace {
    /// Visits the reachable joint states. Returns `None` if there are more than `max_states`, or
    /// when `goes_on` returns false.
    pub fn visit(
        system: &System,
        max_states: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        let labels: HashMap<String, u32> = system.labels().map(str::to_owned).zip(0..).collect();
        let mut indices: HashMap<Joint, u32> = HashMap::new();
        let mut states: Vec<Joint> = Vec::new();
        for start in system.starts() {
            indices.insert(start.clone(), states.len() as u32);
            states.push(start);
        }
        let starts = states.len();
        let mut successors = Vec::new();
        while successors.len() < states.len() {
            if states.len() > max_states || !goes_on() {
                return None;
            }
            let mut edges = Vec::new();
            for (label, next) in system.steps(&states[successors.len()]) {
                let number = *indices.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() as u32 - 1
                });
                edges.push((labels[label], number));
            }
            successors.push(edges);
        }
        Some(Self { labels, steps: successors, starts })
    }

    /// Returns the number of joint states.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns true if there are no joint states.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns true if the formula holds in every initial joint state. Returns `None` when
    /// `goes_on` returns false.
    pub fn satisfies(&self, formula: &LabelCtl, goes_on: &mut dyn FnMut() -> bool) -> Option<bool> {
        let values = self.values(formula, goes_on)?;
        Some(values[..self.starts].iter().all(|&it| it))
    }

    /// Returns the value of the formula in each joint state, or `None` when `goes_on` returns
    /// false.
    fn values(&self, formula: &LabelCtl, goes_on: &mut dyn FnMut() -> bool) -> Option<Vec<bool>> {
        let states = 0..self.steps.len();
        Some(match formula {
            LabelCtl::Constant(value) => vec![*value; self.steps.len()],
            LabelCtl::Not(term) => self.values(term, goes_on)?.iter().map(|it| !it).collect(),
            LabelCtl::And(parts) => {
                let (left, right) =
                    (self.values(&parts.0, goes_on)?, self.values(&parts.1, goes_on)?);
                states.map(|state| left[state] && right[state]).collect()
            }
            LabelCtl::Equivalent(parts) => {
                let (left, right) =
                    (self.values(&parts.0, goes_on)?, self.values(&parts.1, goes_on)?);
                states.map(|state| left[state] == right[state]).collect()
            }
            LabelCtl::Next { all, label, term } => {
                let holds_after = self.values(term, goes_on)?;
                let wanted = label.as_ref().map(|label| self.labels.get(label).copied());
                let has_label = |&&(edge_label, _): &&(u32, u32)| match wanted {
                    None => true,
                    Some(label) => label == Some(edge_label),
                };
                let value = |state: usize| {
                    let mut edges = self.steps[state].iter().filter(has_label);
                    match all {
                        true => edges.all(|&(_, target)| holds_after[target as usize]),
                        false => edges.any(|&(_, target)| holds_after[target as usize]),
                    }
                };
                states.map(value).collect()
            }
            LabelCtl::Until { all, weak, parts } => {
                let (left, right) =
                    (self.values(&parts.0, goes_on)?, self.values(&parts.1, goes_on)?);
                self.until(*all, *weak, &left, &right, goes_on)?
            }
        })
    }

    /// Returns the value of an until in each joint state, from the values of its operands: `left`
    /// holds until `right` does. `all` and `weak` are as in [`LabelCtl::Until`]. Returns `None`
    /// when `goes_on` returns false.
    fn until(
        &self,
        all: bool,
        weak: bool,
        left: &[bool],
        right: &[bool],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<bool>> {
        let mut satisfied = vec![weak; self.steps.len()];
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            // Most steps lead to a joint state with a larger number, so iterating backwards
            // converges faster.
            for state in (0..satisfied.len()).rev() {
                if state % 4096 == 0 && !goes_on() {
                    return None;
                }
                let mut edges = self.steps[state].iter();
                let is_dead = self.steps[state].is_empty();
                let may_continue = match all {
                    true => {
                        edges.all(|&(_, target)| satisfied[target as usize]) && (weak || !is_dead)
                    }
                    false => {
                        edges.any(|&(_, target)| satisfied[target as usize]) || (weak && is_dead)
                    }
                };
                let value = right[state] || (left[state] && may_continue);
                has_changed |= value != satisfied[state];
                satisfied[state] = value;
            }
        }
        Some(satisfied)
    }
}
