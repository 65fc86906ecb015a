//! The search: demanded and known values per marking, and the choice of the marking to expand.

use super::parts::{FormulaPart, FormulaParts, PartSet, members};
use crate::explicit::ExplorationError;
use crate::markings::Markings;
use fastrand::Rng;
use parikh_net::FiringSequence;
use parikh_temporal::Quantifier;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

/// Minimum number of additional firings between two sweeps.
const FEWEST: usize = 2000;

/// Number of markings between two checks of the budget.
const POLLING: usize = 64;

/// Marks a distance that has not been computed.
const UNKNOWN: u64 = u64::MAX;

/// Number of consecutive sweeps without an expanded marking after which the search ends.
const IDLE: usize = 3;

/// Limit on the number of firings followed along a sequence.
const LONGEST: usize = 50_000;

/// New facts from other goals on the board.
#[derive(Clone, Debug, Default)]
pub(super) struct NewFacts {
    /// Parts that are true, and parts that are false, in all reachable markings.
    pub(super) everywhere: (PartSet, PartSet),
    /// Firing sequences to markings in which atoms differ from their initial values. Each is
    /// returned once.
    pub(super) ways: Vec<Arc<FiringSequence>>,
}

/// The order of expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpansionOrder {
    /// Breadth-first: finds near markings first.
    Breadth,
    /// Best-first by missing tokens. Among equal distances the newest marking comes first.
    Guided,
    /// Depth-first: finds far markings and cycles.
    Depth,
    /// Random order.
    Random,
}

/// The orders, which change from sweep to sweep.
const TURNS: [ExpansionOrder; 5] = [
    ExpansionOrder::Breadth,
    ExpansionOrder::Guided,
    ExpansionOrder::Depth,
    ExpansionOrder::Guided,
    ExpansionOrder::Random,
];

/// Values of the configurations of one property, over the graph of markings.
pub(super) struct FixpointSearch<'g, 'n> {
    /// The graph of markings, shared with other properties.
    pub(super) graph: &'g mut Markings<'n>,
    /// The parts of the formula.
    pub(super) parts: &'g FormulaParts,
    /// For each marking, the parts whose values are demanded.
    pub(super) needs: Vec<PartSet>,
    /// For each marking, the parts known to be true there.
    pub(super) yes: Vec<PartSet>,
    /// For each marking, the parts known to be false there.
    pub(super) no: Vec<PartSet>,
    /// For each marking, true if this search uses its firings. The graph may contain the firings of
    /// other markings, expanded for other properties. Using all of them would cost more than it
    /// gains.
    opened: Vec<bool>,
    /// The parts known to be true, and those known to be false, in all reachable markings.
    everywhere: (PartSet, PartSet),
    /// Numbers of the markings with a demand, in the order of their first demands.
    pub(super) touched: Vec<u32>,
    /// Markings with a demand that are not expanded, for the other orders.
    waiting: VecDeque<u32>,
    /// Markings with a demand that are not expanded, for best-first order: the distance, the order
    /// of the demand, and the marking.
    heap: BinaryHeap<(Reverse<u64>, usize, u32)>,
    /// For each marking, the distance to the searched markings, or [`UNKNOWN`].
    distances: Vec<u64>,
    /// Markings with new demands that are not propagated yet.
    spreading: Vec<(u32, PartSet)>,
    /// Number of firings over which something was demanded.
    firings: usize,
    /// Index in [`TURNS`].
    turn: usize,
    /// The random number generator for the random order.
    rng: Rng,
}

impl<'g, 'n> FixpointSearch<'g, 'n> {
    /// Creates a search for the whole formula at the initial marking. `everywhere` are the parts
    /// known to be true, and to be false, in all reachable markings.
    pub(super) fn new(
        graph: &'g mut Markings<'n>,
        parts: &'g FormulaParts,
        everywhere: (PartSet, PartSet),
        seed: u64,
    ) -> Self {
        FixpointSearch {
            graph,
            parts,
            needs: Vec::new(),
            yes: Vec::new(),
            no: Vec::new(),
            opened: Vec::new(),
            everywhere,
            touched: Vec::new(),
            waiting: VecDeque::new(),
            heap: BinaryHeap::new(),
            distances: Vec::new(),
            spreading: Vec::new(),
            firings: 0,
            turn: 0,
            rng: Rng::with_seed(seed),
        }
    }

    /// Returns the value of the formula at the initial marking. `next_facts` is called after each
    /// sweep and returns new facts, or `None` to end the search.
    ///
    /// # Errors
    /// Returns an error if time or memory runs out.
    pub(super) fn run(
        &mut self,
        next_facts: &mut dyn FnMut() -> Option<NewFacts>,
    ) -> Result<Option<bool>, ExplorationError> {
        self.fit();
        self.demand_anew();
        let mut idle_sweeps = 0;
        loop {
            if let Some(value) = self.value() {
                return Ok(Some(value));
            }
            // A sweep visits all firings over which something is demanded, and allocates a list of
            // all markings.
            let quota = (self.firings / 2).max(self.needs.len() / 8).max(FEWEST);
            let (mut expanded, max_firings) = (0usize, self.firings + quota);
            while self.firings < max_firings && self.value().is_none() {
                if expanded.is_multiple_of(POLLING) {
                    self.graph.check_budget()?;
                }
                let Some(marking) = self.next() else { break };
                self.expand(marking)?;
                expanded += 1;
            }
            self.sweep()?;
            idle_sweeps = if expanded == 0 { idle_sweeps + 1 } else { 0 };
            let Some(news) = next_facts().filter(|_| idle_sweeps < IDLE) else {
                return Ok(self.value());
            };
            self.know_everywhere(news.everywhere);
            for sequence in &news.ways {
                self.follow(sequence)?;
                idle_sweeps = 0;
            }
            if !news.ways.is_empty() && self.value().is_none() {
                self.sweep()?;
            }
            if self.value().is_none() {
                self.turn = (self.turn + 1) % TURNS.len();
                self.demand_anew();
            }
        }
    }

    /// Returns the number of demanded or known configurations, and the memory for them and their
    /// markings in bytes.
    pub(super) fn size(&self) -> (u64, u64) {
        let (yes, no) = self.everywhere;
        let sets = self.needs.iter().zip(&self.yes).zip(&self.no);
        let configuration_count =
            |((&demanded, &true_parts), &false_parts): ((&PartSet, &PartSet), &PartSet)| {
                u64::from((demanded | true_parts & !yes | false_parts & !no).count_ones())
            };
        let lists =
            [&self.needs, &self.yes, &self.no, &self.distances].map(|it| size_of_val(&**it));
        let bytes = lists.iter().sum::<usize>() + size_of_val(&*self.opened);
        (sets.map(configuration_count).sum(), bytes as u64 + self.graph.bytes())
    }

    /// Returns the value of the formula at the initial marking, if known.
    pub(super) fn value(&self) -> Option<bool> {
        let (root, initial_marking) = (self.parts.root(), self.graph.initial() as usize);
        match (self.yes[initial_marking] >> root & 1, self.no[initial_marking] >> root & 1) {
            (1, _) => Some(true),
            (_, 1) => Some(false),
            _ => None,
        }
    }

    /// Returns the next marking to expand, in the current order.
    fn next(&mut self) -> Option<u32> {
        match TURNS[self.turn] {
            ExpansionOrder::Guided => self.heap.pop().map(|(.., marking)| marking),
            ExpansionOrder::Breadth => self.waiting.pop_front(),
            ExpansionOrder::Depth => self.waiting.pop_back(),
            ExpansionOrder::Random if self.waiting.is_empty() => None,
            ExpansionOrder::Random => {
                let index = self.rng.usize(..self.waiting.len());
                self.waiting.swap_remove_back(index)
            }
        }
    }

    /// Extends the vectors to all known markings.
    fn fit(&mut self) {
        let marking_count = self.graph.known() as usize;
        if self.needs.len() < marking_count {
            let (yes, no) = self.everywhere;
            self.needs.resize(marking_count, 0);
            self.yes.resize(marking_count, yes);
            self.no.resize(marking_count, no);
            self.opened.resize(marking_count, false);
            self.distances.resize(marking_count, UNKNOWN);
        }
    }

    /// Records parts known to be true, and to be false, in all reachable markings.
    fn know_everywhere(&mut self, (yes, no): (PartSet, PartSet)) {
        if (yes, no) != self.everywhere {
            self.everywhere = (yes, no);
            self.yes.iter_mut().for_each(|set| *set |= yes);
            self.no.iter_mut().for_each(|set| *set |= no);
            for marking in self.touched.clone() {
                self.note_here(marking);
            }
        }
    }

    /// Expands the markings along a firing sequence from the initial marking, as long as something
    /// is demanded there.
    fn follow(&mut self, sequence: &FiringSequence) -> Result<(), ExplorationError> {
        let (mut marking, mut followed) = (self.graph.initial(), 0);
        for step in sequence.steps() {
            for _ in 0..step.count {
                if self.needs[marking as usize] == 0
                    || followed == LONGEST
                    || self.value().is_some()
                {
                    return Ok(());
                }
                if !self.is_opened(marking) {
                    self.expand(marking)?;
                }
                if followed.is_multiple_of(POLLING) {
                    self.graph.check_budget()?;
                }
                let Some(next) = self.graph.after(marking, step.transition)? else { return Ok(()) };
                self.fit();
                (marking, followed) = (next, followed + 1);
            }
        }
        if self.needs[marking as usize] != 0 && !self.is_opened(marking) {
            self.expand(marking)?;
        }
        Ok(())
    }

    /// Expands a marking and propagates its demands.
    fn expand(&mut self, marking: u32) -> Result<(), ExplorationError> {
        self.graph.expand(marking)?;
        self.fit();
        self.opened[marking as usize] = true;
        self.note_here(marking);
        let demanded = self.needs[marking as usize];
        self.spreading.push((marking, demanded));
        self.spread();
        Ok(())
    }

    /// Resets the demands, and propagates the open ones again from the initial marking.
    fn demand_anew(&mut self) {
        for marking in self.touched.drain(..) {
            self.needs[marking as usize] = 0;
        }
        self.waiting.clear();
        self.heap.clear();
        self.firings = 0;
        self.demand(self.graph.initial(), 1 << self.parts.root());
        self.spread();
    }

    /// Demands values at a marking. Values that follow from its atoms are known at once.
    fn demand(&mut self, marking: u32, demanded_parts: PartSet) {
        let index = marking as usize;
        let unknown_parts = |search: &Self| {
            demanded_parts & !search.needs[index] & !search.yes[index] & !search.no[index]
        };
        if unknown_parts(self) == 0 {
            return;
        }
        self.look(marking, unknown_parts(self));
        let new_demand = unknown_parts(self);
        if new_demand == 0 {
            return;
        }
        let is_opened = self.is_opened(marking);
        if self.needs[index] == 0 {
            self.touched.push(marking);
            if !is_opened {
                match TURNS[self.turn] {
                    ExpansionOrder::Guided => {
                        let distance = self.distance(marking, new_demand);
                        self.heap.push((Reverse(distance), self.touched.len(), marking));
                    }
                    _ => self.waiting.push_back(marking),
                }
            }
        }
        self.needs[index] |= new_demand;
        if is_opened {
            self.spreading.push((marking, new_demand));
        }
    }

    /// Evaluates the atoms needed for these parts at a marking, and computes what follows.
    fn look(&mut self, marking: u32, demanded_parts: PartSet) {
        let marking_index = marking as usize;
        let unknown_parts = self.parts.taken_here(demanded_parts)
            & !self.yes[marking_index]
            & !self.no[marking_index];
        for index in members(unknown_parts) {
            if let FormulaPart::Literal { bit, positive } = self.parts.all[index] {
                match self.graph.holds(marking, bit) == positive {
                    true => self.yes[marking_index] |= 1 << index,
                    false => self.no[marking_index] |= 1 << index,
                }
            }
        }
        self.note_here(marking);
    }

    /// Propagates the new demands at expanded markings.
    fn spread(&mut self) {
        while let Some((marking, demanded)) = self.spreading.pop() {
            let index = marking as usize;
            let (mut same_marking, mut at_successors): (PartSet, PartSet) = (0, 0);
            for part in members(demanded & !self.yes[index] & !self.no[index]) {
                match self.parts.all[part] {
                    FormulaPart::Constant(_) | FormulaPart::Literal { .. } => {}
                    FormulaPart::And(parts) | FormulaPart::Or(parts) => same_marking |= parts,
                    FormulaPart::Next(_, inner) => at_successors |= 1 << inner,
                    FormulaPart::Until(_, left, right) | FormulaPart::Release(_, left, right) => {
                        same_marking |= 1 << left | 1 << right;
                        at_successors |= 1 << part;
                    }
                }
            }
            self.demand(marking, same_marking);
            if at_successors != 0 {
                self.firings += self.graph.successors(marking).len();
                for index in 0..self.graph.successors(marking).len() {
                    let (to, _) = self.graph.successors(marking)[index];
                    self.demand(to, at_successors);
                }
            }
        }
    }

    /// Estimates the number of tokens that a marking lacks to decide a demanded part that a single
    /// marking can decide: E(φ U ψ) by ψ, A(φ R ψ) by ¬ψ. Computed once per marking.
    fn distance(&mut self, marking: u32, demanded: PartSet) -> u64 {
        let cached = self.distances[marking as usize];
        if cached != UNKNOWN {
            return cached;
        }
        let mut nearest = None;
        // By part, the distance to its truth and to its falsity.
        let relevant_atoms = self.parts.taken_here(demanded);
        let mut part_distances: Vec<[u64; 2]> = Vec::with_capacity(self.parts.all.len());
        for (index, part) in self.parts.all.iter().enumerate() {
            let sum = |parts: PartSet, value: usize| {
                members(parts)
                    .fold(0u64, |sum, part| sum.saturating_add(part_distances[part][value]))
            };
            let minimum = |parts: PartSet, value: usize| {
                members(parts).map(|part| part_distances[part][value]).min().unwrap_or(0)
            };
            let distances_of_part = match *part {
                FormulaPart::Constant(value) => [u64::from(!value), u64::from(value)],
                FormulaPart::Literal { .. } if relevant_atoms >> index & 1 == 0 => [0, 0],
                FormulaPart::Literal { bit, positive } => {
                    match self.graph.distances(marking, bit) {
                        distances if positive => distances,
                        [holds, fails] => [fails, holds],
                    }
                }
                FormulaPart::And(parts) => [sum(parts, 0), minimum(parts, 1)],
                FormulaPart::Or(parts) => [minimum(parts, 0), sum(parts, 1)],
                FormulaPart::Next(_, inner) => part_distances[inner],
                FormulaPart::Until(_, _, right) | FormulaPart::Release(_, _, right) => {
                    part_distances[right]
                }
            };
            part_distances.push(distances_of_part);
            if demanded >> index & 1 == 1 {
                let target_distance = match *part {
                    FormulaPart::Until(Quantifier::Exists, _, right) => {
                        Some(part_distances[right][0])
                    }
                    FormulaPart::Release(Quantifier::All, _, right) => {
                        Some(part_distances[right][1])
                    }
                    _ => None,
                };
                nearest = match (nearest, target_distance) {
                    (Some(one), Some(other)) => Some(u64::min(one, other)),
                    (one, other) => one.or(other),
                };
            }
        }
        let nearest = nearest.unwrap_or(0).min(UNKNOWN - 1);
        self.distances[marking as usize] = nearest;
        nearest
    }

    /// Returns true if this search uses the firings of a marking.
    pub(super) fn is_opened(&self, marking: u32) -> bool {
        self.opened[marking as usize]
    }

    /// Returns true if a marking is expanded and dead.
    pub(super) fn is_dead(&self, marking: u32) -> bool {
        self.is_opened(marking) && self.graph.successors(marking).is_empty()
    }

    /// Computes the values of parts at a marking that follow from other values at the same marking.
    pub(super) fn note_here(&mut self, marking: u32) {
        let at = marking as usize;
        let is_dead = self.is_dead(marking);
        let (mut yes, mut no) = (self.yes[at], self.no[at]);
        for (index, part) in self.parts.all.iter().enumerate() {
            if (yes | no) >> index & 1 == 1 {
                continue;
            }
            let contains = |set: PartSet, part: usize| set >> part & 1 == 1;
            let value = match *part {
                FormulaPart::Constant(value) => Some(value),
                FormulaPart::Literal { .. } => None,
                FormulaPart::And(parts) if parts & !yes == 0 => Some(true),
                FormulaPart::And(parts) => (parts & no != 0).then_some(false),
                FormulaPart::Or(parts) if parts & !no == 0 => Some(false),
                FormulaPart::Or(parts) => (parts & yes != 0).then_some(true),
                FormulaPart::Next(paths, _) => is_dead.then_some(paths == Quantifier::All),
                FormulaPart::Until(_, _, right) if contains(yes, right) => Some(true),
                FormulaPart::Until(_, left, right) => {
                    (contains(no, right) && (is_dead || contains(no, left))).then_some(false)
                }
                FormulaPart::Release(_, _, right) if contains(no, right) => Some(false),
                FormulaPart::Release(_, left, right) => {
                    (contains(yes, right) && (is_dead || contains(yes, left))).then_some(true)
                }
            };
            match value {
                Some(true) => yes |= 1 << index,
                Some(false) => no |= 1 << index,
                None => {}
            }
        }
        (self.yes[at], self.no[at]) = (yes, no);
    }
}
