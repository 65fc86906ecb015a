//! Which steps are enough, where others may wait.
//!
//! Two labels are *independent* in a component that owns both if, wherever both have an edge,
//! neither takes away the other's and both orders end in the same state. In a joint state, a set of
//! labels is *stubborn* if
//!
//! 1. with a label that can be taken, all labels are in it that are not independent of it;
//! 2. for a label that cannot be taken, some owner is not ready for it, and all labels are in it
//!    that this owner can move with from where it is.
//!
//! Hence what is left out, in whatever order it is taken, neither makes a label of the set possible
//! (2) nor disturbs one that is possible (1): a step of the set may be taken first instead of
//! later. Only steps are put off that the formula does not speak of, so where a run is against the
//! formula, one with the same labels among those that it speaks of is left over, if only the
//! formula is *insensitive* to the others ([`crate::insensitive`]). The search sees to it that on
//! each cycle of what it visits some node has all of its steps, so nothing is put off for ever.
//!
//! For runs as words, a search together with an automaton may be wrong though each of the two is
//! right, where states of the automaton are not insensitive (S. Siegel, CAV 2019): this one takes
//! the automaton that stays where it is at labels that do not count
//! ([`KindAutomaton::patient`](crate::formula::KindAutomaton::patient)).
//!
//! Sources: A. Valmari, *A stubborn attack on state explosion*, CAV 1990; D. Peled, *Combining
//! partial order reductions with on-the-fly model-checking*, CAV 1994.

use crate::factors::targets;
use crate::system::{Component, LabelId, System};

/// For each label of a system those that are not independent of it in some component.
#[derive(Clone, Debug)]
pub(crate) struct Dependence(Vec<Vec<LabelId>>);

/// More than this many pairs of edges from one state are not looked at: all are dependent.
const MOST_PAIRS: usize = 1 << 24;

impl Dependence {
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

    /// The labels that are not independent of this one.
    pub(crate) fn of(&self, label: LabelId) -> &[LabelId] {
        &self.0[label.index()]
    }
}

fn all_pairs(labels: &[LabelId]) -> Vec<(LabelId, LabelId)> {
    let pairs = labels.iter().enumerate();
    pairs.flat_map(|(at, &one)| labels[at + 1..].iter().map(move |&it| (one, it))).collect()
}

/// Pairs of labels that are not independent in a component. A label with two edges from one state
/// is independent of none that can be taken there.
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

/// A stubborn set in the making. Kept for its memory.
#[derive(Debug)]
pub(crate) struct Stubborn {
    dependence: Dependence,
    /// For each label, the last attempt that took it.
    taken: Vec<u64>,
    attempt: u64,
    open: Vec<LabelId>,
}

/// Where a joint state is asked for a stubborn set.
pub(crate) trait Place {
    /// Whether the label can be taken here.
    fn can_take(&self, label: LabelId) -> bool;
    /// Labels of which one has to be taken before this one, which cannot be taken here, can.
    fn before(&self, label: LabelId) -> impl Iterator<Item = LabelId>;
}

impl Stubborn {
    pub(crate) fn new(dependence: Dependence) -> Self {
        let taken = vec![0; dependence.0.len()];
        Self { dependence, taken, attempt: 0, open: Vec::new() }
    }

    /// The fewest labels that a stubborn set has of those that can be taken, growing, none of which
    /// `counts`; `None` where each set that was tried has one that does, or all there are.
    pub(crate) fn least(
        &mut self,
        place: &impl Place,
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

    /// The labels that can be taken of a stubborn set with this one, if they are fewer than `most`.
    fn closed(
        &mut self,
        place: &impl Place,
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
