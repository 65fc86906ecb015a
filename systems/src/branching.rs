//! CTL over labels, with the syntax of the RERS rules, and its evaluation on all joint states.
//!
//! ```text
//! φ ::= true | false | !φ | φ & φ | φ '|' φ | φ => φ | φ <=> φ
//!     | []φ | <>φ | [a]φ | <a>φ | A(φ U φ) | E(φ U φ) | A(φ W φ) | E(φ W φ)
//!     | AG φ | EG φ | AF φ | EF φ | AX φ | EX φ
//! ```
//!
//! `[a]φ` holds in a state if all steps with label `a` lead to φ; `<a>φ` holds if some such step
//! does. `[]` and `<>` refer to steps with any label. Paths are maximal: they may end where no step
//! is possible. Prefix operators bind most tightly, then `&`, then `|`, then `=>` and `<=>`, which
//! have the same precedence and are right-associative: `a => b <=> c` is `a => (b <=> c)`.
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

/// A node of a formula. Operands are indices of earlier nodes of the formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum BranchingNode {
    Constant(bool),
    Not(usize),
    And(usize, usize),
    /// True in a state if `part` is true after all steps that `label` selects (if `all`), or after
    /// at least one such step.
    Next {
        all: bool,
        label: StepFilter,
        part: usize,
    },
    /// The formula A(left U right) if `all`, otherwise E(left U right).
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
    /// The nodes of the formula, operands before operators. The last node is the formula.
    pub(crate) nodes: Vec<BranchingNode>,
    /// Names in the formula that no label of the system has, so no step has them.
    pub(crate) unknown_names: Vec<String>,
}

impl BranchingFormula {
    /// Returns the names in the formula that no label of the system has.
    pub fn unknown_names(&self) -> &[String] {
        &self.unknown_names
    }
}

/// The reachable joint states of a system with their steps.
#[derive(Debug)]
pub struct JointStateSpace {
    /// The index in `steps` of each state's first step. The last entry is the number of steps.
    first_step: Vec<usize>,
    /// The label and the target of each step, grouped by source state.
    steps: Vec<(LabelId, u32)>,
    /// The initial joint states, ascending.
    starts: Vec<u32>,
    /// True for labels that some step has, indexed by label.
    has_step: Vec<bool>,
}

impl JointStateSpace {
    /// Visits all reachable joint states. Returns `None` if there are more than `max_states` or
    /// `goes_on` returns false.
    pub fn visit(
        system: &System,
        max_states: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        let members: Vec<u32> = (0..system.components().len() as u32).collect();
        let mut product = Product::new(system, members);
        let (fields, width) = Field::layout(product.sizes().collect::<Vec<_>>().into_iter());
        let mut store = JointStateStore::new(width);
        let packed = |joint_state: &[u32], store: &mut JointStateStore| {
            let mut words = vec![0; width];
            fields.iter().zip(joint_state).for_each(|(field, &value)| field.set(&mut words, value));
            store.insert(&words).0
        };
        let mut starts: Vec<u32> =
            product.starts().iter().map(|joint_state| packed(joint_state, &mut store)).collect();
        starts.sort_unstable();
        starts.dedup();
        let (mut first_step, mut steps) = (vec![0], Vec::new());
        let mut has_step = vec![false; system.label_count()];
        while first_step.len() <= store.len() {
            let state_number = first_step.len() - 1;
            if store.len() > max_states || (state_number % 256 == 0 && !goes_on()) {
                return None;
            }
            let words = store.row(state_number as u32);
            let joint_state: Vec<u32> = fields.iter().map(|field| field.get(words)).collect();
            product.steps(
                &joint_state,
                |_| true,
                |step| {
                    let mut next = joint_state.clone();
                    step.moves.iter().for_each(|&(at, to)| next[at as usize] = to);
                    has_step[step.label.index()] = true;
                    steps.push((step.label, packed(&next, &mut store)));
                },
            );
            first_step.push(steps.len());
        }
        Some(Self { first_step, steps, starts, has_step })
    }

    /// Returns the number of joint states.
    pub fn states(&self) -> usize {
        self.first_step.len() - 1
    }

    /// Returns the number of reachable joint states without step.
    pub fn deadlocks(&self) -> usize {
        (0..self.states()).filter(|&state| self.steps_of(state).is_empty()).count()
    }

    /// Returns the labels that are on no step of a reachable joint state, ascending.
    pub fn dead_labels(&self) -> Vec<LabelId> {
        let all = (0..).zip(&self.has_step);
        all.filter(|(_, has_step)| !**has_step)
            .map(|(label_number, _)| LabelId(label_number))
            .collect()
    }

    fn steps_of(&self, state: usize) -> &[(LabelId, u32)] {
        &self.steps[self.first_step[state]..self.first_step[state + 1]]
    }

    /// Returns true if the formula holds in each initial joint state.
    pub fn satisfies(&self, formula: &BranchingFormula) -> bool {
        let mut values: Vec<Vec<bool>> = Vec::with_capacity(formula.nodes.len());
        let predecessors = self.predecessors();
        for part in &formula.nodes {
            let value = match *part {
                BranchingNode::Constant(value) => vec![value; self.states()],
                BranchingNode::Not(part) => values[part].iter().map(|it| !it).collect(),
                BranchingNode::And(left, right) => {
                    values[left].iter().zip(&values[right]).map(|(a, b)| *a && *b).collect()
                }
                BranchingNode::Next { all, label, part } => self.next(all, label, &values[part]),
                BranchingNode::Until { all, left, right } => {
                    self.until(&predecessors, all, &values[left], &values[right])
                }
            };
            values.push(value);
        }
        let last = values.pop().unwrap_or_default();
        self.starts.iter().all(|&start| last[start as usize])
    }

    /// Returns the value of a next operator for each state. It is true if all steps that `label`
    /// selects (if `is_universal`), or at least one, lead to states with `part_values` true.
    fn next(&self, is_universal: bool, label: StepFilter, part_values: &[bool]) -> Vec<bool> {
        let is_meant = |&&(step_label, _): &&(LabelId, u32)| match label {
            StepFilter::Any => true,
            StepFilter::Labelled(label) => step_label == label,
            StepFilter::None => false,
        };
        let value = |state| {
            let mut steps = self.steps_of(state).iter().filter(is_meant);
            match is_universal {
                true => steps.all(|step| part_values[step.1 as usize]),
                false => steps.any(|step| part_values[step.1 as usize]),
            }
        };
        (0..self.states()).map(value).collect()
    }

    /// Returns two lists. The second has the predecessors of all states, grouped by state. The
    /// first has the index of each state's first predecessor in the second list, and finally the
    /// length of the second list.
    fn predecessors(&self) -> (Vec<usize>, Vec<u32>) {
        let mut first_predecessor = vec![0; self.states() + 1];
        for &(_, to) in &self.steps {
            first_predecessor[to as usize + 1] += 1;
        }
        for target in 0..self.states() {
            first_predecessor[target + 1] += first_predecessor[target];
        }
        let mut next_slot = first_predecessor.clone();
        let mut predecessors = vec![0; self.steps.len()];
        for state in 0..self.states() {
            for &(_, to) in self.steps_of(state) {
                predecessors[next_slot[to as usize]] = state as u32;
                next_slot[to as usize] += 1;
            }
        }
        (first_predecessor, predecessors)
    }

    /// Returns, for each state, the value of A(φ U ψ) (if `is_universal`) or E(φ U ψ).
    /// `left_values` and `right_values` are the values of φ and ψ. Searches backward from the
    /// states where ψ is true.
    fn until(
        &self,
        (first_predecessor, predecessors): &(Vec<usize>, Vec<u32>),
        is_universal: bool,
        left_values: &[bool],
        right_values: &[bool],
    ) -> Vec<bool> {
        let mut satisfying = right_values.to_vec();
        // Number of steps of each state to states that are not known to satisfy the until formula.
        let mut missing: Vec<u32> =
            (0..self.states()).map(|state| self.steps_of(state).len() as u32).collect();
        let mut open: Vec<u32> =
            (0..).zip(right_values).filter(|(_, holds)| **holds).map(|(state, _)| state).collect();
        while let Some(state) = open.pop() {
            for &earlier in &predecessors
                [first_predecessor[state as usize]..first_predecessor[state as usize + 1]]
            {
                let earlier_index = earlier as usize;
                missing[earlier_index] -= 1;
                if !satisfying[earlier_index]
                    && left_values[earlier_index]
                    && (!is_universal || missing[earlier_index] == 0)
                {
                    satisfying[earlier_index] = true;
                    open.push(earlier);
                }
            }
        }
        satisfying
    }
}
