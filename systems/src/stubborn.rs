//! Partial-order reduction with stubborn sets.
//!
//! Two labels of one component are *independent* if this holds in every state where both have an
//! edge: neither disables the other, and both orders lead to the same state. In a joint state, a
//! set of labels is *stubborn* if
//!
//! 1. for each enabled label in the set, all labels dependent on it are in the set;
//! 2. for each disabled label in the set, some owner is not ready for it, and all labels of this
//!    owner's current moves are in the set.
//!
//! Hence labels outside the set, in any order, neither enable a label of the set (2) nor interfere
//! with an enabled one (1): a step of the set can be taken first instead of later. Only steps with
//! unnamed labels are postponed. So if a run violates the formula, a remaining run has the same
//! named labels, provided that the formula is *insensitive* to the others ([`crate::insensitive`]).
//! The search ensures that each cycle of visited nodes has a node with all its steps, so no step is
//! postponed forever.
//!
//! The reduction combined with an automaton may lose runs if states of the automaton are sensitive
//! to unnamed labels (S. Siegel, CAV 2019). Therefore this reduction uses the automaton that stays
//! in its state at unnamed labels
//! ([`staying_at_unnamed_labels`](crate::formula::KindAutomaton::staying_at_unnamed_labels)).
//!
//! Sources: A. Valmari, *A stubborn attack on state explosion*, CAV 1990; D. Peled, *Combining
//! partial order reductions with on-the-fly model-checking*, CAV 1994.

use crate::factors::edges_with_label;
use crate::system::{Component, LabelId, System};

/// For each label of a system, the labels that depend on it in some component.
#[derive(Clone, Debug)]
pub(crate) struct DependenceRelation(Vec<Vec<LabelId>>);

/// Limit on the number of pairs of edges from the same state, summed over the states of a
/// component. Beyond it, all labels of the component count as dependent.
const MAX_COMPARED_PAIRS: usize = 1 << 24;

impl DependenceRelation {
    /// Computes the dependent labels of all components of a system.
    pub(crate) fn new(system: &System) -> Self {
        let mut dependent_labels = vec![Vec::new(); system.label_count()];
        for (number, component) in (0..).zip(system.components()) {
            let owned_labels: Vec<LabelId> =
                system.labels().filter(|&it| system.owners(it).contains(&number)).collect();
            let pair_count: usize = component.edges.iter().map(|row| row.len() * row.len()).sum();
            for (one, other) in match pair_count > MAX_COMPARED_PAIRS {
                true => all_pairs(&owned_labels),
                false => dependent(component),
            } {
                dependent_labels[one.index()].push(other);
                dependent_labels[other.index()].push(one);
            }
        }
        for row in &mut dependent_labels {
            row.sort_unstable();
            row.dedup();
        }
        Self(dependent_labels)
    }

    /// Returns the labels that depend on this one.
    pub(crate) fn dependent_on(&self, label: LabelId) -> &[LabelId] {
        &self.0[label.index()]
    }
}

fn all_pairs(labels: &[LabelId]) -> Vec<(LabelId, LabelId)> {
    let pairs = labels.iter().enumerate();
    pairs.flat_map(|(index, &one)| labels[index + 1..].iter().map(move |&it| (one, it))).collect()
}

/// Returns the dependent pairs of labels of a component. A label with two edges from one state
/// depends on every other label enabled there.
fn dependent(component: &Component) -> Vec<(LabelId, LabelId)> {
    let mut dependent_pairs = Vec::new();
    for row in &component.edges {
        for &(one, after_one) in row {
            for &(other, after_other) in row.iter().filter(|it| it.0 > one) {
                let other_after_one = edges_with_label(&component.edges[after_one as usize], other);
                let one_after_other = edges_with_label(&component.edges[after_other as usize], one);
                let is_independent = edges_with_label(row, one).len() == 1
                    && edges_with_label(row, other).len() == 1
                    && matches!((other_after_one, one_after_other), ([(_, x)], [(_, y)]) if x == y);
                if !is_independent {
                    dependent_pairs.push((one, other));
                }
            }
        }
    }
    dependent_pairs.sort_unstable();
    dependent_pairs.dedup();
    dependent_pairs
}

/// The computation of stubborn sets, with reusable memory.
#[derive(Debug)]
pub(crate) struct StubbornSets {
    /// The labels that depend on each label.
    dependence: DependenceRelation,
    /// The number of the last attempt that added the label, indexed by label. An attempt builds one
    /// stubborn set.
    last_attempt: Vec<u64>,
    /// The number of the current attempt to build a stubborn set.
    attempt: u64,
    /// Labels of the set that are not processed yet.
    open: Vec<LabelId>,
}

/// A joint state, described by its enabled labels and the causes of disabled labels.
pub(crate) trait EnablednessOracle {
    /// Returns true if the label is enabled in the joint state.
    fn is_enabled(&self, label: LabelId) -> bool;
    /// Returns labels, one of which must occur before this disabled label is enabled.
    fn labels_that_may_enable(&self, label: LabelId) -> impl Iterator<Item = LabelId>;
}

impl StubbornSets {
    pub(crate) fn new(dependence: DependenceRelation) -> Self {
        let last_attempt = vec![0; dependence.0.len()];
        Self { dependence, last_attempt, attempt: 0, open: Vec::new() }
    }

    /// Returns the enabled labels of the smallest stubborn set found, ascending. No enabled label
    /// of the set may satisfy `is_named_label`. Returns `None` if no set qualifies or every set
    /// contains all enabled labels.
    pub(crate) fn smallest_set(
        &mut self,
        joint_state: &impl EnablednessOracle,
        enabled_labels: &[LabelId],
        is_named_label: impl Fn(LabelId) -> bool,
    ) -> Option<Vec<LabelId>> {
        let mut smallest: Option<Vec<LabelId>> = None;
        for &seed_label in enabled_labels.iter().filter(|&&label| !is_named_label(label)) {
            let max_labels = smallest.as_ref().map_or(enabled_labels.len(), Vec::len);
            if max_labels == 1 {
                break;
            }
            smallest = self
                .set_containing(joint_state, seed_label, max_labels, &is_named_label)
                .or(smallest);
        }
        smallest.iter_mut().for_each(|labels| labels.sort_unstable());
        smallest
    }

    /// Returns the enabled labels of a stubborn set that contains `seed_label`, if there are fewer
    /// than `max_labels` and none satisfies `is_named_label`.
    fn set_containing(
        &mut self,
        joint_state: &impl EnablednessOracle,
        seed_label: LabelId,
        max_labels: usize,
        is_named_label: &impl Fn(LabelId) -> bool,
    ) -> Option<Vec<LabelId>> {
        self.attempt += 1;
        self.open.clear();
        self.add_label(seed_label);
        let mut enabled_labels = Vec::new();
        while let Some(label) = self.open.pop() {
            if !joint_state.is_enabled(label) {
                joint_state.labels_that_may_enable(label).for_each(|it| self.add_label(it));
                continue;
            }
            enabled_labels.push(label);
            if is_named_label(label) || enabled_labels.len() >= max_labels {
                return None;
            }
            for index in 0..self.dependence.dependent_on(label).len() {
                self.add_label(self.dependence.dependent_on(label)[index]);
            }
        }
        Some(enabled_labels)
    }

    fn add_label(&mut self, label: LabelId) {
        if std::mem::replace(&mut self.last_attempt[label.index()], self.attempt) != self.attempt {
            self.open.push(label);
        }
    }
}
