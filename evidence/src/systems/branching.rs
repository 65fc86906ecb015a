//! CTL over labels, evaluated on all joint states by fixed-point iteration.
//!
//! Paths are maximal: they end where no step is possible. Z is the set of states that satisfy the
//! formula:
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
    /// forever.
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
    labels: HashMap<String, u32>,
    after: Vec<Vec<(u32, u32)>>,
    starts: usize,
}

impl JointSpace {
    /// Visits the joint states, at most `most`. Returns `None` if there are more, or `goes_on`
    /// returns false.
    pub fn visit(system: &System, most: usize, goes_on: &mut dyn FnMut() -> bool) -> Option<Self> {
        let labels: HashMap<String, u32> = system.labels().map(str::to_owned).zip(0..).collect();
        let mut numbers: HashMap<Joint, u32> = HashMap::new();
        let mut all: Vec<Joint> = Vec::new();
        for row in system.starts() {
            numbers.insert(row.clone(), all.len() as u32);
            all.push(row);
        }
        let starts = all.len();
        let mut after = Vec::new();
        while after.len() < all.len() {
            if all.len() > most || !goes_on() {
                return None;
            }
            let mut out = Vec::new();
            for (label, next) in system.steps(&all[after.len()]) {
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    all.push(next.clone());
                    all.len() as u32 - 1
                });
                out.push((labels[label], number));
            }
            after.push(out);
        }
        Some(Self { labels, after, starts })
    }

    /// Returns the number of joint states.
    pub fn len(&self) -> usize {
        self.after.len()
    }

    /// Returns true if there are no joint states.
    pub fn is_empty(&self) -> bool {
        self.after.is_empty()
    }

    /// Returns true if the formula holds in every initial joint state. Returns `None` when
    /// `goes_on` returns false.
    pub fn satisfies(&self, formula: &LabelCtl, goes_on: &mut dyn FnMut() -> bool) -> Option<bool> {
        let values = self.values(formula, goes_on)?;
        Some(values[..self.starts].iter().all(|&it| it))
    }

    fn values(&self, formula: &LabelCtl, goes_on: &mut dyn FnMut() -> bool) -> Option<Vec<bool>> {
        let states = 0..self.after.len();
        Some(match formula {
            LabelCtl::Constant(value) => vec![*value; self.after.len()],
            LabelCtl::Not(term) => self.values(term, goes_on)?.iter().map(|it| !it).collect(),
            LabelCtl::And(parts) => {
                let (left, right) =
                    (self.values(&parts.0, goes_on)?, self.values(&parts.1, goes_on)?);
                states.map(|at| left[at] && right[at]).collect()
            }
            LabelCtl::Next { all, label, term } => {
                let after = self.values(term, goes_on)?;
                let wanted = label.as_ref().map(|label| self.labels.get(label).copied());
                let is_meant = |&&(its, _): &&(u32, u32)| match wanted {
                    None => true,
                    Some(label) => label == Some(its),
                };
                let value = |at: usize| {
                    let mut edges = self.after[at].iter().filter(is_meant);
                    match all {
                        true => edges.all(|it| after[it.1 as usize]),
                        false => edges.any(|it| after[it.1 as usize]),
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

    fn until(
        &self,
        all: bool,
        weak: bool,
        left: &[bool],
        right: &[bool],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<bool>> {
        let mut set = vec![weak; self.after.len()];
        let mut changes = true;
        while changes {
            changes = false;
            // Most steps lead to a joint state with a larger number, so iterating backwards
            // converges faster.
            for at in (0..set.len()).rev() {
                if at % 4096 == 0 && !goes_on() {
                    return None;
                }
                let mut edges = self.after[at].iter();
                let dead = self.after[at].is_empty();
                let goes_on = match all {
                    true => edges.all(|it| set[it.1 as usize]) && (weak || !dead),
                    false => edges.any(|it| set[it.1 as usize]) || (weak && dead),
                };
                let new = right[at] || (left[at] && goes_on);
                changes |= new != set[at];
                set[at] = new;
            }
        }
        Some(set)
    }
}
