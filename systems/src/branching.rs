//! CTL over labels, with the syntax of the RERS rules, and its evaluation on all joint states.
//!
//! ```text
//! φ ::= true | false | !φ | φ & φ | φ | φ | φ => φ | φ <=> φ
//!     | []φ | <>φ | [a]φ | <a>φ | A(φ U φ) | E(φ U φ) | A(φ W φ) | E(φ W φ)
//!     | AG φ | EG φ | AF φ | EF φ | AX φ | EX φ
//! ```
//!
//! `[a]φ` holds in a state if all steps with label `a` lead to φ; `<a>φ` holds if some such step
//! does. `[]` and `<>` refer to steps with any label. Paths are maximal: they may end where no step
//! is possible. Prefix operators bind most tightly, then `&`, `|`, `=>`, `<=>` (the last two are
//! right-associative).
//!
//! Two operators are computed by backward search: E(φ U ψ), and A(φ U ψ) with a counter of the
//! remaining steps. The weak operators are their duals, also where paths end: A(φ W ψ) = ¬E(¬ψ U
//! ¬φ∧¬ψ), E(φ W ψ) = ¬A(¬ψ U ¬φ∧¬ψ).
//!
//! Source: A. Arnold, P. Crubillé, *A linear algorithm to solve fixed-point equations on transition
//! systems*, 1988; the rules of the RERS challenge 2020.

use crate::product::{Field, Product};
use crate::store::JointStateStore;
use crate::system::{LabelId, System};

/// One node of a formula, with indices of its parts. Parts come before the nodes that use them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum BranchingNode {
    Constant(bool),
    Not(usize),
    And(usize, usize),
    /// After all steps (or some step) with this label.
    Next {
        all: bool,
        label: StepFilter,
        part: usize,
    },
    Until {
        all: bool,
        left: usize,
        right: usize,
    },
}

/// The steps that a next operator refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepFilter {
    Any,
    Labelled(LabelId),
    /// Steps with a name that no label has: there are none.
    None,
}

/// A formula of CTL over the labels of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BranchingFormula {
    pub(crate) parts: Vec<BranchingNode>,
    /// Names in the formula that no label of the system has, so no step has them.
    pub(crate) unknown: Vec<String>,
}

impl BranchingFormula {
    /// Returns the names in the formula that no label of the system has.
    pub fn unknown_names(&self) -> &[String] {
        &self.unknown
    }
}

/// All joint states of a system with their steps.
#[derive(Debug)]
pub struct JointStateSpace {
    /// The start of each state's steps in `steps`, plus the end.
    first: Vec<usize>,
    steps: Vec<(LabelId, u32)>,
    starts: Vec<u32>,
    owned: Vec<bool>,
}

impl JointStateSpace {
    /// Visits all joint states. Returns `None` if there are more than `most` or `goes_on` returns
    /// false.
    pub fn visit(system: &System, most: usize, goes_on: &mut dyn FnMut() -> bool) -> Option<Self> {
        let members: Vec<u32> = (0..system.components().len() as u32).collect();
        let mut product = Product::new(system, members);
        let (fields, width) = Field::layout(product.sizes().collect::<Vec<_>>().into_iter());
        let mut store = JointStateStore::new(width);
        let packed = |row: &[u32], store: &mut JointStateStore| {
            let mut words = vec![0; width];
            fields.iter().zip(row).for_each(|(field, &value)| field.set(&mut words, value));
            store.insert(&words).0
        };
        let mut starts: Vec<u32> =
            product.starts().iter().map(|row| packed(row, &mut store)).collect();
        starts.sort_unstable();
        starts.dedup();
        let (mut first, mut steps) = (vec![0], Vec::new());
        let mut owned = vec![false; system.label_count()];
        while first.len() <= store.len() {
            let number = first.len() - 1;
            if store.len() > most || (number % 256 == 0 && !goes_on()) {
                return None;
            }
            let words = store.row(number as u32);
            let row: Vec<u32> = fields.iter().map(|field| field.get(words)).collect();
            product.steps(
                &row,
                |_| true,
                |step| {
                    let mut next = row.clone();
                    step.moves.iter().for_each(|&(at, to)| next[at as usize] = to);
                    owned[step.label.index()] = true;
                    steps.push((step.label, packed(&next, &mut store)));
                },
            );
            first.push(steps.len());
        }
        Some(Self { first, steps, starts, owned })
    }

    /// Returns the number of joint states.
    pub fn states(&self) -> usize {
        self.first.len() - 1
    }

    /// Returns the number of joint states without step.
    pub fn deadlocks(&self) -> usize {
        (0..self.states()).filter(|&state| self.after(state).is_empty()).count()
    }

    /// Returns the labels that no step has.
    pub fn dead_labels(&self) -> Vec<LabelId> {
        let all = (0..).zip(&self.owned);
        all.filter(|(_, happens)| !**happens).map(|(at, _)| LabelId(at)).collect()
    }

    fn after(&self, state: usize) -> &[(LabelId, u32)] {
        &self.steps[self.first[state]..self.first[state + 1]]
    }

    /// Returns true if the formula holds in each initial joint state.
    pub fn satisfies(&self, formula: &BranchingFormula) -> bool {
        let mut values: Vec<Vec<bool>> = Vec::with_capacity(formula.parts.len());
        let before = self.before();
        for part in &formula.parts {
            let value = match *part {
                BranchingNode::Constant(value) => vec![value; self.states()],
                BranchingNode::Not(part) => values[part].iter().map(|it| !it).collect(),
                BranchingNode::And(left, right) => {
                    values[left].iter().zip(&values[right]).map(|(a, b)| *a && *b).collect()
                }
                BranchingNode::Next { all, label, part } => self.next(all, label, &values[part]),
                BranchingNode::Until { all, left, right } => {
                    self.until(&before, all, &values[left], &values[right])
                }
            };
            values.push(value);
        }
        let last = values.pop().unwrap_or_default();
        self.starts.iter().all(|&start| last[start as usize])
    }

    fn next(&self, all: bool, label: StepFilter, part: &[bool]) -> Vec<bool> {
        let is_meant = |&&(its, _): &&(LabelId, u32)| match label {
            StepFilter::Any => true,
            StepFilter::Labelled(label) => its == label,
            StepFilter::None => false,
        };
        let value = |state| {
            let mut steps = self.after(state).iter().filter(is_meant);
            match all {
                true => steps.all(|step| part[step.1 as usize]),
                false => steps.any(|step| part[step.1 as usize]),
            }
        };
        (0..self.states()).map(value).collect()
    }

    /// Returns the predecessors of each state, as start indices and a flat list.
    fn before(&self) -> (Vec<usize>, Vec<u32>) {
        let mut first = vec![0; self.states() + 1];
        for &(_, to) in &self.steps {
            first[to as usize + 1] += 1;
        }
        for at in 0..self.states() {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut from = vec![0; self.steps.len()];
        for state in 0..self.states() {
            for &(_, to) in self.after(state) {
                from[next[to as usize]] = state as u32;
                next[to as usize] += 1;
            }
        }
        (first, from)
    }

    fn until(
        &self,
        (first, from): &(Vec<usize>, Vec<u32>),
        all: bool,
        left: &[bool],
        right: &[bool],
    ) -> Vec<bool> {
        let mut set = right.to_vec();
        // Number of steps of each state that do not lead to the set yet.
        let mut missing: Vec<u32> =
            (0..self.states()).map(|state| self.after(state).len() as u32).collect();
        let mut open: Vec<u32> =
            (0..).zip(right).filter(|(_, holds)| **holds).map(|(state, _)| state).collect();
        while let Some(state) = open.pop() {
            for &earlier in &from[first[state as usize]..first[state as usize + 1]] {
                let at = earlier as usize;
                missing[at] -= 1;
                if !set[at] && left[at] && (!all || missing[at] == 0) {
                    set[at] = true;
                    open.push(earlier);
                }
            }
        }
        set
    }
}
