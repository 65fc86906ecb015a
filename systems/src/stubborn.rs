//! Partial-order reduction with stubborn sets.
//!
//! Two labels are *independent* in a component that owns both if, in every state where both have an
//! edge, neither disables the other and both orders lead to the same state. In a joint state, a set
//! of labels is *stubborn* if
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
//! For runs as words, the combination with an automaton may be wrong although each is correct by
//! itself, if states of the automaton are sensitive to unnamed labels (S. Siegel, CAV 2019).
//! Therefore this reduction uses the automaton that stays in its state at unnamed labels
//! ([`KindAutomaton::patient`](crate::formula::KindAutomaton::patient)).
//!
//! Sources: A. Valmari, *A stubborn attack on state explosion*, CAV 1990; D. Peled, *Combining
//! partial order reductions with on-the-fly model-checking*, CAV 1994.

use crate::factors::targets;
use crate::system::{Component, LabelId, System};

/// For each label of a system, the labels that depend on it in some component.
#[derive(Clone, Debug)]
pub(crate) struct DependenceRelation(Vec<Vec<LabelId>>);

/// Limit on the number of compared pairs of edges from one state. Beyond it, all labels of the
/// component count as dependent.
const MOST_PAIRS: usize = 1 << 24;

impl DependenceRelation {
    pub(crate) fn new(system: &System) -> Self {
        let mut found = vec![Vec::new(); system.label_count()];
        for (number, component) in (0..).zip(system.components()) {
            let own: Vec<LabelId> =
                system.labels().filter(|&it| system.owners(it).contains(&number)).collect();
            let pairs: usize = component.edges.iter().map(|row| row.len() * row.len()).sum();
            for (one, other) in match pairs > MOST_PAIRS {
                true => all_pairs(&own),
                false => dependent(component),
            } {
                found[one.index()].push(other);
                found[other.index()].push(one);
            }
        }
        for row in &mut found {
            row.sort_unstable();
            row.dedup();
        }
        Self(found)
    }

    /// Returns the labels that depend on this one.
    pub(crate) fn of(&self, label: LabelId) -> &[LabelId] {
        &self.0[label.index()]
    }
}

fn all_pairs(labels: &[LabelId]) -> Vec<(LabelId, LabelId)> {
    let pairs = labels.iter().enumerate();
    pairs.flat_map(|(at, &one)| labels[at + 1..].iter().map(move |&it| (one, it))).collect()
}

/// Returns the dependent pairs of labels of a component. A label with two edges from one state
/// depends on every label enabled there.
fn dependent(component: &Component) -> Vec<(LabelId, LabelId)> {
    let mut found = Vec::new();
    for row in &component.edges {
        for &(one, after_one) in row {
            for &(other, after_other) in row.iter().filter(|it| it.0 > one) {
                let first = targets(&component.edges[after_one as usize], other);
                let last = targets(&component.edges[after_other as usize], one);
                let is_independent = targets(row, one).len() == 1
                    && targets(row, other).len() == 1
                    && matches!((first, last), ([(_, x)], [(_, y)]) if x == y);
                if !is_independent {
                    found.push((one, other));
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The computation of stubborn sets, with reusable memory.
#[derive(Debug)]
pub(crate) struct StubbornSets {
    dependence: DependenceRelation,
    /// The last attempt that took each label.
    taken: Vec<u64>,
    attempt: u64,
    open: Vec<LabelId>,
}

/// A joint state, as needed for the computation of a stubborn set.
pub(crate) trait EnablednessOracle {
    /// Returns true if the label is enabled here.
    fn can_take(&self, label: LabelId) -> bool;
    /// Returns labels, one of which must occur before this disabled label is enabled.
    fn before(&self, label: LabelId) -> impl Iterator<Item = LabelId>;
}

impl StubbornSets {
    pub(crate) fn new(dependence: DependenceRelation) -> Self {
        let taken = vec![0; dependence.0.len()];
        Self { dependence, taken, attempt: 0, open: Vec::new() }
    }

    /// Returns the enabled labels of the smallest stubborn set found, ascending. No label of the
    /// set may satisfy `counts`. Returns `None` if no set qualifies or every set contains all
    /// enabled labels.
    pub(crate) fn least(
        &mut self,
        place: &impl EnablednessOracle,
        can_be_taken: &[LabelId],
        counts: impl Fn(LabelId) -> bool,
    ) -> Option<Vec<LabelId>> {
        let mut least: Option<Vec<LabelId>> = None;
        for &begin in can_be_taken.iter().filter(|&&label| !counts(label)) {
            let most = least.as_ref().map_or(can_be_taken.len(), Vec::len);
            if most == 1 {
                break;
            }
            least = self.closed(place, begin, most, &counts).or(least);
        }
        least.iter_mut().for_each(|labels| labels.sort_unstable());
        least
    }

    /// Returns the enabled labels of a stubborn set that contains `begin`, if there are fewer than
    /// `most` and none satisfies `counts`.
    fn closed(
        &mut self,
        place: &impl EnablednessOracle,
        begin: LabelId,
        most: usize,
        counts: &impl Fn(LabelId) -> bool,
    ) -> Option<Vec<LabelId>> {
        self.attempt += 1;
        self.open.clear();
        self.take(begin);
        let mut found = Vec::new();
        while let Some(label) = self.open.pop() {
            if !place.can_take(label) {
                place.before(label).for_each(|it| self.take(it));
                continue;
            }
            found.push(label);
            if counts(label) || found.len() >= most {
                return None;
            }
            for at in 0..self.dependence.of(label).len() {
                self.take(self.dependence.of(label)[at]);
            }
        }
        Some(found)
    }

    fn take(&mut self, label: LabelId) {
        if std::mem::replace(&mut self.taken[label.index()], self.attempt) != self.attempt {
            self.open.push(label);
        }
    }
}
