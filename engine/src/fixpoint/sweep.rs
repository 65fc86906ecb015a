//! The fixpoints: computes the values that follow from the known ones.
//!
//! A touched marking is *open* for a part if the part's value is demanded there and unknown. Other
//! markings keep their values. A least fixpoint begins with the open markings where the until holds
//! at once. It adds open markings backwards along firings, as long as the left side of the until
//! holds there (or may hold). Two fixpoints are computed for each until and release: one counts
//! only values known to be true, the other all values not known to be false.

use super::parts::{FormulaPart, PartSet};
use super::search::FixpointSearch;
use crate::explicit::ExplorationError;
use parikh_temporal::{Paths as _, Quantifier};
use std::collections::VecDeque;

/// Marks a marking that is not touched.
const NONE: u32 = u32::MAX;

/// The touched markings with the reversed firings between them.
struct Back {
    /// For each marking, its index in `touched`, or [`NONE`].
    place: Vec<u32>,
    /// For each index in `touched`, the start of its predecessors in `before`.
    starts: Vec<u32>,
    /// Predecessors as indices in `touched`, one per firing.
    before: Vec<u32>,
}

/// Parameters of a least fixpoint.
pub(super) struct LeastFixpoint<'f> {
    /// Existential: one firing into the fixpoint makes a marking a member. Universal: all of its
    /// firings must lead there.
    pub(super) paths: Quantifier,
    /// Returns true if a touched marking is open, so that its membership is computed. For other
    /// markings `has` decides.
    pub(super) is_open: &'f dyn Fn(u32) -> bool,
    /// Returns true if a marking that is not open counts as a member.
    pub(super) has: &'f dyn Fn(u32) -> bool,
    /// Returns true if an open marking is a member independent of its firings.
    pub(super) at_once: &'f dyn Fn(u32) -> bool,
    /// Returns true if an open marking can become a member by its firings. False if the left side
    /// of the until fails.
    pub(super) through: &'f dyn Fn(u32) -> bool,
}

impl FixpointSearch<'_, '_> {
    /// Computes all values that follow from the known ones.
    ///
    /// # Errors
    /// Returns an error if time runs out.
    pub(super) fn sweep(&mut self) -> Result<(), ExplorationError> {
        let back = self.back();
        for (place, part) in self.parts.all.iter().enumerate() {
            self.graph.check_budget()?;
            let (yes, no) = match *part {
                FormulaPart::Constant(_)
                | FormulaPart::Literal { .. }
                | FormulaPart::And(_)
                | FormulaPart::Or(_) => {
                    self.note_junctions(place);
                    continue;
                }
                FormulaPart::Next(paths, inner) => {
                    self.note_next(place, paths, inner);
                    continue;
                }
                FormulaPart::Until(paths, left, right) => {
                    let (left, right) = (bit(left), bit(right));
                    let yes = self.known(&back, place, paths, (left, right), true);
                    (yes, self.excluded(&back, place, paths, (left, right), true))
                }
                // ¬(φ R ψ) is ¬φ U ¬ψ with the dual path quantifier.
                FormulaPart::Release(paths, left, right) => {
                    let (left, right, dual) = (bit(left), bit(right), paths.dual());
                    let no = self.known(&back, place, dual, (left, right), false);
                    (self.excluded(&back, place, dual, (left, right), false), no)
                }
            };
            yes.into_iter().for_each(|at| self.yes[at as usize] |= bit(place));
            no.into_iter().for_each(|at| self.no[at as usize] |= bit(place));
        }
        Ok(())
    }

    /// Returns the open markings in which the until certainly holds, by known values only. If
    /// `value` is false, the until is over the negations of `left` and `right`.
    fn known(
        &self,
        back: &Back,
        place: usize,
        paths: Quantifier,
        (left, right): (PartSet, PartSet),
        value: bool,
    ) -> Vec<u32> {
        let is = if value { &self.yes } else { &self.no };
        let is = |at: u32, part: PartSet| is[at as usize] & part != 0;
        self.least(
            back,
            &LeastFixpoint {
                paths,
                is_open: &|at| self.is_open(at, place),
                has: &|at| is(at, bit(place)),
                at_once: &|at| is(at, right),
                through: &|at| is(at, left),
            },
        )
        .into_iter()
        .map(|at| self.touched[at as usize])
        .collect()
    }

    /// Returns the open markings in which the until certainly fails: it fails even if every unknown
    /// value is assumed to be true.
    fn excluded(
        &self,
        back: &Back,
        place: usize,
        paths: Quantifier,
        (left, right): (PartSet, PartSet),
        value: bool,
    ) -> Vec<u32> {
        let is_not = if value { &self.no } else { &self.yes };
        let may = |at: u32, part: PartSet| is_not[at as usize] & part == 0;
        let maybe = self.least(
            back,
            &LeastFixpoint {
                paths,
                is_open: &|at| self.is_open(at, place),
                has: &|at| may(at, bit(place)),
                at_once: &|at| !self.is_opened(at) || may(at, right),
                through: &|at| may(at, left),
            },
        );
        let mut is_maybe = vec![false; self.touched.len()];
        maybe.into_iter().for_each(|at| is_maybe[at as usize] = true);
        let all = self.touched.iter().zip(is_maybe);
        let left_out = all.filter(|&(&at, maybe)| !maybe && self.is_open(at, place));
        left_out.map(|(&at, _)| at).collect()
    }

    fn is_open(&self, at: u32, place: usize) -> bool {
        let at = at as usize;
        self.needs[at] & !self.yes[at] & !self.no[at] & bit(place) != 0
    }

    /// Returns the reversed firings between the touched markings.
    fn back(&self) -> Back {
        let mut place = vec![NONE; self.needs.len()];
        for (at, &marking) in (0..).zip(&self.touched) {
            place[marking as usize] = at;
        }
        let mut starts = vec![0; self.touched.len() + 1];
        self.each_firing(&place, |_, to| starts[to as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut before = vec![0; starts.last().map_or(0, |&all| all as usize)];
        self.each_firing(&place, |from, to| {
            before[next[to as usize] as usize] = from;
            next[to as usize] += 1;
        });
        Back { place, starts, before }
    }

    /// Calls `sees` with every firing between touched markings, as two indices in `touched`.
    fn each_firing(&self, place: &[u32], mut sees: impl FnMut(u32, u32)) {
        for (from, &marking) in (0..).zip(&self.touched) {
            if self.is_opened(marking) && !self.is_dead(marking) {
                for &(to, _) in self.graph.successors(marking) {
                    if place[to as usize] != NONE {
                        sees(from, place[to as usize]);
                    }
                }
            }
        }
    }

    /// Returns the open markings of a least fixpoint, as indices in `touched`, in the order of
    /// becoming members: each after the markings that make it a member.
    fn least(&self, back: &Back, asked: &LeastFixpoint<'_>) -> Vec<u32> {
        let mut is_in = vec![false; self.touched.len()];
        let mut left = vec![0u32; self.touched.len()];
        let mut row = VecDeque::new();
        for (at, &marking) in self.touched.iter().enumerate() {
            if !(asked.is_open)(marking) {
                continue;
            }
            let comes_in = (asked.at_once)(marking) || {
                let goes =
                    self.is_opened(marking) && !self.is_dead(marking) && (asked.through)(marking);
                goes && {
                    let has = |to: u32| !self.is_open_at(back, asked, to) && (asked.has)(to);
                    let successors = self.graph.successors(marking);
                    left[at] = successors.iter().filter(|&&(to, _)| !has(to)).count() as u32;
                    match asked.paths {
                        Quantifier::Exists => (left[at] as usize) < successors.len(),
                        Quantifier::All => left[at] == 0,
                    }
                }
            };
            if comes_in {
                is_in[at] = true;
                row.push_back(at as u32);
            }
        }
        let mut order = Vec::new();
        while let Some(at) = row.pop_front() {
            order.push(at);
            let predecessors = back.starts[at as usize]..back.starts[at as usize + 1];
            for k in predecessors {
                let from = back.before[k as usize] as usize;
                let marking = self.touched[from];
                if is_in[from] || !(asked.is_open)(marking) || !(asked.through)(marking) {
                    continue;
                }
                left[from] = left[from].saturating_sub(1);
                if asked.paths == Quantifier::Exists || left[from] == 0 {
                    is_in[from] = true;
                    row.push_back(from as u32);
                }
            }
        }
        order
    }

    fn is_open_at(&self, back: &Back, asked: &LeastFixpoint<'_>, to: u32) -> bool {
        back.place[to as usize] != NONE && (asked.is_open)(to)
    }

    /// Computes the values of a part that depends only on other parts at the same marking.
    fn note_junctions(&mut self, place: usize) {
        for at in 0..self.touched.len() {
            let marking = self.touched[at];
            if self.is_open(marking, place) {
                self.note_here(marking);
            }
        }
    }

    fn note_next(&mut self, place: usize, paths: Quantifier, inner: usize) {
        for at in 0..self.touched.len() {
            let marking = self.touched[at];
            if !self.is_open(marking, place) || !self.is_opened(marking) {
                continue;
            }
            let (mut yes, mut no, mut all) = (0, 0, 0);
            for &(to, _) in self.graph.successors(marking) {
                yes += usize::from(self.yes[to as usize] & bit(inner) != 0);
                no += usize::from(self.no[to as usize] & bit(inner) != 0);
                all += 1;
            }
            let value = match paths {
                Quantifier::Exists if yes > 0 => Some(true),
                Quantifier::Exists => (no == all).then_some(false),
                Quantifier::All if no > 0 => Some(false),
                Quantifier::All => (yes == all).then_some(true),
            };
            match value {
                Some(true) => self.yes[marking as usize] |= bit(place),
                Some(false) => self.no[marking as usize] |= bit(place),
                None => {}
            }
        }
    }

    /// Returns, for each marking in which the until is known to hold, its position in the order of
    /// the least fixpoint. If `value` is false, the until is over the negations of `left` and
    /// `right`.
    pub(super) fn ranks(
        &mut self,
        place: usize,
        paths: Quantifier,
        (left, right): (usize, usize),
        value: bool,
    ) -> Vec<u32> {
        // This fixpoint is over all known markings, touched or not.
        let touched: Vec<u32> = (0..self.needs.len() as u32).collect();
        let before = std::mem::replace(&mut self.touched, touched);
        let back = self.back();
        let sets = if value { &self.yes } else { &self.no };
        let is = |at: u32, part: usize| sets[at as usize] & bit(part) != 0;
        let order = self.least(
            &back,
            &LeastFixpoint {
                paths,
                is_open: &|at| is(at, place),
                has: &|_| false,
                at_once: &|at| is(at, right),
                through: &|at| is(at, left),
            },
        );
        let mut ranks = vec![NONE; self.needs.len()];
        for (rank, at) in (0..).zip(order) {
            ranks[at as usize] = rank;
        }
        self.touched = before;
        ranks
    }
}

fn bit(place: usize) -> PartSet {
    1 << place
}
