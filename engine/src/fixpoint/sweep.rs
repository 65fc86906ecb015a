//! Computes the values of the formula's parts that follow from known values, by fixpoints over
//! markings.
//!
//! A *part* is a subformula, and its *value* at a marking says if it holds there. A marking is
//! *touched* if a value is demanded there, that is, if it is in `demanded_markings`. A touched
//! marking is *open* for a part if the part's value is demanded there and unknown. Other markings
//! keep their values. The least fixpoint of a part φ U ψ ("until") begins with the open markings
//! where ψ holds. It adds open markings backwards along firings, as long as φ holds there (or may
//! hold). Two fixpoints are computed for each until and release. One counts only values known to be
//! true, the other all values not known to be false.

use super::parts::{FormulaPart, PartSet};
use super::search::FixpointSearch;
use crate::explicit::ExplorationError;
use parikh_temporal::{Paths as _, Quantifier};
use std::collections::VecDeque;

/// Index of a marking that is not in `demanded_markings`.
const UNTOUCHED: u32 = u32::MAX;

/// The touched markings, that is, the markings in `demanded_markings`, with the reversed firings
/// between touched markings.
struct ReversedFirings {
    /// For each marking, its index in `demanded_markings`, or [`UNTOUCHED`].
    touched_index: Vec<u32>,
    /// For each index in `demanded_markings`, the start of its entries in `predecessors`.
    starts: Vec<u32>,
    /// Predecessors as indices in `demanded_markings`, one per firing.
    predecessors: Vec<u32>,
}

/// Parameters of a least fixpoint over markings, for a part φ U ψ.
pub(super) struct LeastFixpoint<'f> {
    /// Existential: a marking becomes a member if one of its firings leads to a member. Universal:
    /// all of its firings must lead to members.
    pub(super) paths: Quantifier,
    /// Returns true if a touched marking is open, that is, its membership has to be computed. For
    /// other markings, `is_known_member` gives the membership.
    pub(super) is_open: &'f dyn Fn(u32) -> bool,
    /// Returns true if a marking that is not open counts as a member.
    pub(super) is_known_member: &'f dyn Fn(u32) -> bool,
    /// Returns true if an open marking is a member independent of its firings.
    pub(super) is_immediate_member: &'f dyn Fn(u32) -> bool,
    /// Returns true if an open marking can become a member by its firings. False if φ fails there.
    pub(super) can_use_firings: &'f dyn Fn(u32) -> bool,
}

impl FixpointSearch<'_, '_> {
    /// Computes the values at all touched markings, that is, the markings in `demanded_markings`,
    /// that follow from the known values.
    ///
    /// # Errors
    /// Returns an error if the budget is exhausted.
    pub(super) fn sweep(&mut self) -> Result<(), ExplorationError> {
        let reversed = self.reversed_firings();
        for (part_index, part) in self.parts.parts.iter().enumerate() {
            self.graph.check_budget()?;
            let (yes, no) = match *part {
                FormulaPart::Constant(_)
                | FormulaPart::Literal { .. }
                | FormulaPart::And(_)
                | FormulaPart::Or(_) => {
                    self.derive_local_part(part_index);
                    continue;
                }
                FormulaPart::Next(paths, inner) => {
                    self.derive_next(part_index, paths, inner);
                    continue;
                }
                FormulaPart::Until(paths, left, right) => {
                    let (left, right) = (singleton(left), singleton(right));
                    let yes =
                        self.certainly_true(&reversed, part_index, paths, (left, right), true);
                    (yes, self.certainly_false(&reversed, part_index, paths, (left, right), true))
                }
                // ¬(φ R ψ) is ¬φ U ¬ψ with the dual path quantifier.
                FormulaPart::Release(paths, left, right) => {
                    let (left, right, dual) = (singleton(left), singleton(right), paths.dual());
                    let no = self.certainly_true(&reversed, part_index, dual, (left, right), false);
                    (self.certainly_false(&reversed, part_index, dual, (left, right), false), no)
                }
            };
            yes.into_iter()
                .for_each(|marking| self.true_parts[marking as usize] |= singleton(part_index));
            no.into_iter()
                .for_each(|marking| self.false_parts[marking as usize] |= singleton(part_index));
        }
        Ok(())
    }

    /// Returns the open markings in which `left` U `right`, quantified by `paths`, certainly holds
    /// because of known values. A marking is open if the value of the part `part_index` is demanded
    /// there and unknown. If `value` is false, U is over the negations of `left` and `right`.
    fn certainly_true(
        &self,
        reversed: &ReversedFirings,
        part_index: usize,
        paths: Quantifier,
        (left, right): (PartSet, PartSet),
        value: bool,
    ) -> Vec<u32> {
        let known_sets = if value { &self.true_parts } else { &self.false_parts };
        let is_known = |marking: u32, part: PartSet| known_sets[marking as usize] & part != 0;
        self.least_fixpoint(
            reversed,
            &LeastFixpoint {
                paths,
                is_open: &|marking| self.is_open(marking, part_index),
                is_known_member: &|marking| is_known(marking, singleton(part_index)),
                is_immediate_member: &|marking| is_known(marking, right),
                can_use_firings: &|marking| is_known(marking, left),
            },
        )
        .into_iter()
        .map(|index| self.demanded_markings[index as usize])
        .collect()
    }

    /// Returns the open markings in which `left` U `right`, quantified by `paths`, certainly fails.
    /// It fails there even if every unknown value is chosen in favour of it. A marking is open if
    /// the value of the part `part_index` is demanded there and unknown. If `value` is false, U is
    /// over the negations of `left` and `right`.
    fn certainly_false(
        &self,
        reversed: &ReversedFirings,
        part_index: usize,
        paths: Quantifier,
        (left, right): (PartSet, PartSet),
        value: bool,
    ) -> Vec<u32> {
        let excluded_sets = if value { &self.false_parts } else { &self.true_parts };
        let may_hold = |marking: u32, part: PartSet| excluded_sets[marking as usize] & part == 0;
        let possible = self.least_fixpoint(
            reversed,
            &LeastFixpoint {
                paths,
                is_open: &|marking| self.is_open(marking, part_index),
                is_known_member: &|marking| may_hold(marking, singleton(part_index)),
                is_immediate_member: &|marking| {
                    !self.has_used_firings(marking) || may_hold(marking, right)
                },
                can_use_firings: &|marking| may_hold(marking, left),
            },
        );
        let mut is_possible = vec![false; self.demanded_markings.len()];
        possible.into_iter().for_each(|index| is_possible[index as usize] = true);
        let touched_markings = self.demanded_markings.iter().zip(is_possible);
        let certainly_false = touched_markings
            .filter(|&(&marking, possible)| !possible && self.is_open(marking, part_index));
        certainly_false.map(|(&marking, _)| marking).collect()
    }

    /// Returns true if the value of the part is demanded at the marking and unknown.
    pub(super) fn is_open(&self, marking: u32, part_index: usize) -> bool {
        self.open_parts(marking) & singleton(part_index) != 0
    }

    /// Returns the reversed firings between the touched markings.
    fn reversed_firings(&self) -> ReversedFirings {
        let mut touched_index = vec![UNTOUCHED; self.demanded.len()];
        for (index, &marking) in (0..).zip(&self.demanded_markings) {
            touched_index[marking as usize] = index;
        }
        let mut starts = vec![0; self.demanded_markings.len() + 1];
        self.visit_firings(&touched_index, |_, to| starts[to as usize + 1] += 1);
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next_free = starts.clone();
        let mut predecessors =
            vec![0; starts.last().map_or(0, |&firing_count| firing_count as usize)];
        self.visit_firings(&touched_index, |from, to| {
            predecessors[next_free[to as usize] as usize] = from;
            next_free[to as usize] += 1;
        });
        ReversedFirings { touched_index, starts, predecessors }
    }

    /// Calls `visit` with every firing between touched markings whose source has [used
    /// firings](Self::has_used_firings). The arguments are the indices of its source and target in
    /// `demanded_markings`.
    fn visit_firings(&self, touched_index: &[u32], mut visit: impl FnMut(u32, u32)) {
        for (from, &marking) in (0..).zip(&self.demanded_markings) {
            if self.has_used_firings(marking) && !self.is_dead(marking) {
                for &(to, _) in self.graph.successors(marking) {
                    if touched_index[to as usize] != UNTOUCHED {
                        visit(from, touched_index[to as usize]);
                    }
                }
            }
        }
    }

    /// Returns the open markings that are members of the least fixpoint, as indices in
    /// `demanded_markings`. They are in the order of becoming members: each after the open markings
    /// that make it a member.
    fn least_fixpoint(&self, reversed: &ReversedFirings, fixpoint: &LeastFixpoint<'_>) -> Vec<u32> {
        let mut is_member = vec![false; self.demanded_markings.len()];
        let mut missing_successors = vec![0u32; self.demanded_markings.len()];
        let mut queue = VecDeque::new();
        for (index, &marking) in self.demanded_markings.iter().enumerate() {
            if !(fixpoint.is_open)(marking) {
                continue;
            }
            let is_initial_member = (fixpoint.is_immediate_member)(marking) || {
                let can_use_firings = self.has_used_firings(marking)
                    && !self.is_dead(marking)
                    && (fixpoint.can_use_firings)(marking);
                can_use_firings && {
                    let is_surely_member = |to: u32| {
                        !self.is_touched_and_open(reversed, fixpoint, to)
                            && (fixpoint.is_known_member)(to)
                    };
                    let successors = self.graph.successors(marking);
                    missing_successors[index] =
                        successors.iter().filter(|&&(to, _)| !is_surely_member(to)).count() as u32;
                    match fixpoint.paths {
                        Quantifier::Exists => {
                            (missing_successors[index] as usize) < successors.len()
                        }
                        Quantifier::All => missing_successors[index] == 0,
                    }
                }
            };
            if is_initial_member {
                is_member[index] = true;
                queue.push_back(index as u32);
            }
        }
        let mut order = Vec::new();
        while let Some(index) = queue.pop_front() {
            order.push(index);
            let predecessors = reversed.starts[index as usize]..reversed.starts[index as usize + 1];
            for position in predecessors {
                let predecessor = reversed.predecessors[position as usize] as usize;
                let marking = self.demanded_markings[predecessor];
                if is_member[predecessor]
                    || !(fixpoint.is_open)(marking)
                    || !(fixpoint.can_use_firings)(marking)
                {
                    continue;
                }
                missing_successors[predecessor] = missing_successors[predecessor].saturating_sub(1);
                if fixpoint.paths == Quantifier::Exists || missing_successors[predecessor] == 0 {
                    is_member[predecessor] = true;
                    queue.push_back(predecessor as u32);
                }
            }
        }
        order
    }

    /// Returns true if the marking `to` is touched and open for the fixpoint.
    fn is_touched_and_open(
        &self,
        reversed: &ReversedFirings,
        fixpoint: &LeastFixpoint<'_>,
        to: u32,
    ) -> bool {
        reversed.touched_index[to as usize] != UNTOUCHED && (fixpoint.is_open)(to)
    }

    /// Computes the unknown demanded values of a part that depends only on other parts at the same
    /// marking.
    fn derive_local_part(&mut self, part_index: usize) {
        for index in 0..self.demanded_markings.len() {
            let marking = self.demanded_markings[index];
            if self.is_open(marking, part_index) {
                self.derive_at(marking);
            }
        }
    }

    /// Computes the unknown demanded values of a "next" part from the known values of its operand
    /// `inner` at the successors.
    fn derive_next(&mut self, part_index: usize, paths: Quantifier, inner: usize) {
        for index in 0..self.demanded_markings.len() {
            let marking = self.demanded_markings[index];
            if !self.is_open(marking, part_index) || !self.has_used_firings(marking) {
                continue;
            }
            let (mut true_count, mut false_count, mut successor_count) = (0, 0, 0);
            for &(to, _) in self.graph.successors(marking) {
                true_count += usize::from(self.true_parts[to as usize] & singleton(inner) != 0);
                false_count += usize::from(self.false_parts[to as usize] & singleton(inner) != 0);
                successor_count += 1;
            }
            let value = match paths {
                Quantifier::Exists if true_count > 0 => Some(true),
                Quantifier::Exists => (false_count == successor_count).then_some(false),
                Quantifier::All if false_count > 0 => Some(false),
                Quantifier::All => (true_count == successor_count).then_some(true),
            };
            match value {
                Some(true) => self.true_parts[marking as usize] |= singleton(part_index),
                Some(false) => self.false_parts[marking as usize] |= singleton(part_index),
                None => {}
            }
        }
    }

    /// Returns the rank of each marking for the part `left` U `right`, quantified by `paths`. The
    /// rank is the position in the order of a least fixpoint over the markings in which the part is
    /// known to hold. The fixpoint begins where `right` is known to hold. The rank is [`UNTOUCHED`]
    /// for markings that are not in the fixpoint. If `value` is false, the part is a release, and
    /// its negation is treated: U over the negations of `left` and `right`.
    pub(super) fn ranks(
        &mut self,
        part_index: usize,
        paths: Quantifier,
        (left, right): (usize, usize),
        value: bool,
    ) -> Vec<u32> {
        // This fixpoint is over all known markings, touched or not.
        let touched: Vec<u32> = (0..self.demanded.len() as u32).collect();
        let old_touched = std::mem::replace(&mut self.demanded_markings, touched);
        let reversed = self.reversed_firings();
        let sets = if value { &self.true_parts } else { &self.false_parts };
        let contains = |marking: u32, part: usize| sets[marking as usize] & singleton(part) != 0;
        let order = self.least_fixpoint(
            &reversed,
            &LeastFixpoint {
                paths,
                is_open: &|marking| contains(marking, part_index),
                is_known_member: &|_| false,
                is_immediate_member: &|marking| contains(marking, right),
                can_use_firings: &|marking| contains(marking, left),
            },
        );
        let mut ranks = vec![UNTOUCHED; self.demanded.len()];
        for (rank, marking) in (0..).zip(order) {
            ranks[marking as usize] = rank;
        }
        self.demanded_markings = old_touched;
        ranks
    }
}

/// Returns the set with this part only.
fn singleton(part_index: usize) -> PartSet {
    1 << part_index
}
