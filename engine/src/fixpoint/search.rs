//! The search for the value of a formula at the initial marking. It keeps the demanded and known
//! values per marking, and chooses the next marking to expand.

use super::hunt::Hunter;
use super::parts::{FormulaPart, FormulaParts, PartSet, members};
use crate::explicit::ExplorationError;
use crate::markings::Markings;
use fastrand::Rng;
use parikh_net::FiringSequence;
use parikh_temporal::Quantifier;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

/// Minimum number of additional firings between two sweeps, that is, computations of all values
/// that follow from known values. A sweep comes earlier if no marking is left to expand, or if the
/// value of the formula is known. It also comes earlier after firing sequences from other goals
/// were followed.
const MIN_FIRINGS_PER_SWEEP: usize = 2000;

/// Number of markings between two checks of the budget.
const POLLING_INTERVAL: usize = 64;

/// Stands for a distance that has not been computed, in [`FixpointSearch::distances`].
const NOT_COMPUTED: u64 = u64::MAX;

/// Number of consecutive sweeps with no marking expanded since the sweep before, after which the
/// search ends.
const MAX_IDLE_SWEEPS: usize = 3;

/// Limit on the number of firings followed along a sequence.
const MAX_FOLLOWED_FIRINGS: usize = 50_000;

/// Limit on the number of hunts between two sweeps.
const MAX_HUNTS_PER_SWEEP: usize = 16;

/// New facts from other goals on the board.
#[derive(Clone, Debug, Default)]
pub(super) struct NewFacts {
    /// Parts (subformulas) that are true, and parts that are false, in all reachable markings.
    pub(super) everywhere: (PartSet, PartSet),
    /// Firing sequences to markings that may decide parts. Such a marking satisfies the predicate
    /// of another goal, or that predicate becomes unreachable from it. Each sequence is returned
    /// once.
    pub(super) sequences: Vec<Arc<FiringSequence>>,
}

/// The order in which a search expands markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpansionOrder {
    /// Breadth-first: finds near markings first.
    Breadth,
    /// Best-first by the estimated number of missing tokens. Among equal estimates the marking
    /// demanded last comes first.
    Guided,
    /// Depth-first: finds far markings and cycles.
    Depth,
    /// Random order.
    Random,
}

/// The orders, which change from sweep to sweep.
const ORDERS: [ExpansionOrder; 5] = [
    ExpansionOrder::Breadth,
    ExpansionOrder::Guided,
    ExpansionOrder::Depth,
    ExpansionOrder::Guided,
    ExpansionOrder::Random,
];

/// Values of the configurations of one property, over the graph of markings. A configuration is a
/// marking with a part of the formula. A demanded configuration has a value that may determine the
/// value of the whole formula.
pub(super) struct FixpointSearch<'g, 'n> {
    /// The graph of markings, which searches for other properties may share.
    pub(super) graph: &'g mut Markings<'n>,
    /// The parts of the formula.
    pub(super) parts: &'g FormulaParts,
    /// For each marking, the parts whose values are demanded.
    pub(super) demanded: Vec<PartSet>,
    /// For each marking, the parts known to be true there.
    pub(super) true_parts: Vec<PartSet>,
    /// For each marking, the parts known to be false there.
    pub(super) false_parts: Vec<PartSet>,
    /// For each marking, true if this search uses its firings. The graph may contain the firings of
    /// other markings, expanded for other properties. Using all of them would cost more than it
    /// gains.
    uses_firings: Vec<bool>,
    /// The parts known to be true, and those known to be false, in all reachable markings.
    known_everywhere: (PartSet, PartSet),
    /// Numbers of the markings with a demand, in the order of their first demands.
    pub(super) demanded_markings: Vec<u32>,
    /// Markings with a demand that are not expanded, for the orders except best-first.
    unexpanded: VecDeque<u32>,
    /// Markings with a demand that are not expanded, for best-first order: the distance, the order
    /// of the demand, and the marking.
    unexpanded_by_distance: BinaryHeap<(Reverse<u64>, usize, u32)>,
    /// For each marking, the estimated number of tokens that it lacks to decide a demanded part, or
    /// [`NOT_COMPUTED`].
    distances: Vec<u64>,
    /// Expanded markings with new demands that are not propagated yet, and the newly demanded
    /// parts.
    unpropagated: Vec<(u32, PartSet)>,
    /// Number of firings along which demands were propagated since the demands were last reset.
    demanded_firings: usize,
    /// Minimum number of additional firings between two sweeps, [`MIN_FIRINGS_PER_SWEEP`] except
    /// in tests.
    pub(super) min_firings_per_sweep: usize,
    /// Index of the current order in [`ORDERS`].
    order_index: usize,
    /// The random number generator for the random order.
    rng: Rng,
}

impl<'g, 'n> FixpointSearch<'g, 'n> {
    /// Creates a search for the whole formula at the initial marking. `known_everywhere` has the
    /// parts known to be true, and the parts known to be false, in all reachable markings.
    pub(super) fn new(
        graph: &'g mut Markings<'n>,
        parts: &'g FormulaParts,
        known_everywhere: (PartSet, PartSet),
        seed: u64,
    ) -> Self {
        FixpointSearch {
            graph,
            parts,
            demanded: Vec::new(),
            true_parts: Vec::new(),
            false_parts: Vec::new(),
            uses_firings: Vec::new(),
            known_everywhere,
            demanded_markings: Vec::new(),
            unexpanded: VecDeque::new(),
            unexpanded_by_distance: BinaryHeap::new(),
            distances: Vec::new(),
            unpropagated: Vec::new(),
            demanded_firings: 0,
            min_firings_per_sweep: MIN_FIRINGS_PER_SWEEP,
            order_index: 0,
            rng: Rng::with_seed(seed),
        }
    }

    /// Returns the value of the formula at the initial marking. `next_facts` is called after the
    /// sweep that follows the expansions, and returns new facts, or `None` to end the search. The
    /// search also ends if too many sweeps in a row had nothing to expand. Returns `None` if the
    /// value is unknown when the search ends in one of these ways. Without a `hunter`, no walks
    /// begin at markings of the search.
    ///
    /// # Errors
    /// Returns an error if time or memory runs out, or if a place gets too many tokens.
    pub(super) fn run(
        &mut self,
        next_facts: &mut dyn FnMut() -> Option<NewFacts>,
        mut hunter: Option<&mut Hunter<'_>>,
    ) -> Result<Option<bool>, ExplorationError> {
        self.extend_to_known();
        self.reset_demands();
        let mut idle_sweeps = 0;
        loop {
            if let Some(value) = self.value() {
                return Ok(Some(value));
            }
            // A sweep visits all firings along which something is demanded, and allocates a list of
            // all markings. So the next sweep waits for a number of new firings in proportion to
            // these costs.
            let quota = (self.demanded_firings / 2)
                .max(self.demanded.len() / 8)
                .max(self.min_firings_per_sweep);
            let (mut expanded, max_firings) = (0usize, self.demanded_firings + quota);
            while self.demanded_firings < max_firings && self.value().is_none() {
                if expanded.is_multiple_of(POLLING_INTERVAL) {
                    self.graph.check_budget()?;
                }
                let Some(marking) = self.next_marking() else { break };
                self.expand(marking)?;
                expanded += 1;
            }
            self.sweep()?;
            idle_sweeps = if expanded == 0 { idle_sweeps + 1 } else { 0 };
            let Some(new_facts) = next_facts().filter(|_| idle_sweeps < MAX_IDLE_SWEEPS) else {
                return Ok(self.value());
            };
            self.record_everywhere(new_facts.everywhere);
            for sequence in &new_facts.sequences {
                self.expand_along(self.graph.initial(), sequence)?;
                idle_sweeps = 0;
            }
            if !new_facts.sequences.is_empty() && self.value().is_none() {
                self.sweep()?;
            }
            if let Some(hunter) = hunter.as_deref_mut()
                && self.hunt(hunter)?
                && self.value().is_none()
            {
                self.sweep()?;
            }
            if self.value().is_none() {
                self.order_index = (self.order_index + 1) % ORDERS.len();
                self.reset_demands();
            }
        }
    }

    /// Returns the number of configurations that are demanded or known, without those known only
    /// because a part has the same value in all reachable markings. Also returns the memory for the
    /// configurations and the markings, in bytes.
    pub(super) fn size(&self) -> (u64, u64) {
        let (yes, no) = self.known_everywhere;
        let sets = self.demanded.iter().zip(&self.true_parts).zip(&self.false_parts);
        let configuration_count =
            |((&demanded, &true_parts), &false_parts): ((&PartSet, &PartSet), &PartSet)| {
                u64::from((demanded | true_parts & !yes | false_parts & !no).count_ones())
            };
        let lists = [&self.demanded, &self.true_parts, &self.false_parts, &self.distances]
            .map(|it| size_of_val(&**it));
        let bytes = lists.iter().sum::<usize>() + size_of_val(&*self.uses_firings);
        (sets.map(configuration_count).sum(), bytes as u64 + self.graph.bytes())
    }

    /// Returns the value of the formula at the initial marking, if known.
    pub(super) fn value(&self) -> Option<bool> {
        let (root, initial_marking) = (self.parts.root(), self.graph.initial() as usize);
        match (
            self.true_parts[initial_marking] >> root & 1,
            self.false_parts[initial_marking] >> root & 1,
        ) {
            (1, _) => Some(true),
            (_, 1) => Some(false),
            _ => None,
        }
    }

    /// Returns the next marking to expand, in the current order. Returns `None` if every marking
    /// with a demand is expanded.
    fn next_marking(&mut self) -> Option<u32> {
        match ORDERS[self.order_index] {
            ExpansionOrder::Guided => {
                self.unexpanded_by_distance.pop().map(|(.., marking)| marking)
            }
            ExpansionOrder::Breadth => self.unexpanded.pop_front(),
            ExpansionOrder::Depth => self.unexpanded.pop_back(),
            ExpansionOrder::Random if self.unexpanded.is_empty() => None,
            ExpansionOrder::Random => {
                let index = self.rng.usize(..self.unexpanded.len());
                self.unexpanded.swap_remove_back(index)
            }
        }
    }

    /// Extends the vectors to all known markings.
    fn extend_to_known(&mut self) {
        let marking_count = self.graph.marking_count() as usize;
        if self.demanded.len() < marking_count {
            let (yes, no) = self.known_everywhere;
            self.demanded.resize(marking_count, 0);
            self.true_parts.resize(marking_count, yes);
            self.false_parts.resize(marking_count, no);
            self.uses_firings.resize(marking_count, false);
            self.distances.resize(marking_count, NOT_COMPUTED);
        }
    }

    /// Records the parts known to be true, and the parts known to be false, in all reachable
    /// markings. Then computes the values that follow at demanded markings.
    fn record_everywhere(&mut self, (yes, no): (PartSet, PartSet)) {
        if (yes, no) != self.known_everywhere {
            self.known_everywhere = (yes, no);
            self.true_parts.iter_mut().for_each(|set| *set |= yes);
            self.false_parts.iter_mut().for_each(|set| *set |= no);
            for marking in self.demanded_markings.clone() {
                self.derive_at(marking);
            }
        }
    }

    /// Hunts from demanded markings: follows walks that reach a marking which decides a part.
    /// Returns true if some walk was followed.
    fn hunt(&mut self, hunter: &mut Hunter<'_>) -> Result<bool, ExplorationError> {
        let mut has_followed = false;
        for _ in 0..MAX_HUNTS_PER_SWEEP {
            if !hunter.has_time() || self.value().is_some() {
                break;
            }
            let Some((marking, part)) = self.start_of_hunt(hunter) else { break };
            let from = self.graph.tokens(marking);
            if let Some(sequence) = hunter.hunt(from, part) {
                self.expand_along(marking, &sequence)?;
                has_followed = true;
            }
        }
        Ok(has_followed)
    }

    /// Chooses a marking and a part for the next hunt. The part is open at the marking, and had the
    /// fewest hunts: a walk that reaches its target does not decide the part if a marking on the
    /// way violates the condition on the path. The marking is a random one among those where the
    /// part is open. EF ψ or AG ψ that is open at the initial marking is left out: the goals that
    /// help this formula already ask other engines to walk to ψ. Returns `None` without such a
    /// part.
    fn start_of_hunt(&mut self, hunter: &Hunter<'_>) -> Option<(u32, usize)> {
        let random = self.rng.usize(..);
        let is_hunted_elsewhere = |part: usize| {
            let is_free = match self.parts.parts[part] {
                FormulaPart::Until(_, left, _) => {
                    matches!(self.parts.parts[left], FormulaPart::Constant(true))
                }
                FormulaPart::Release(_, left, _) => {
                    matches!(self.parts.parts[left], FormulaPart::Constant(false))
                }
                _ => false,
            };
            is_free && self.is_open(self.graph.initial(), part)
        };
        let parts: Vec<usize> = (0..self.parts.parts.len())
            .filter(|&part| hunter.has_target(part) && !is_hunted_elsewhere(part))
            .collect();
        let parts_as_set = parts.iter().fold(0, |set: PartSet, part| set | 1 << part);
        let mut open_parts: PartSet = 0;
        for &marking in &self.demanded_markings {
            open_parts |= self.open_parts(marking);
        }
        let part =
            members(open_parts & parts_as_set).min_by_key(|&part| hunter.hunt_count(part))?;
        let is_candidate = |&&marking: &&u32| self.open_parts(marking) >> part & 1 == 1;
        let candidates = self.demanded_markings.iter().filter(is_candidate);
        let count = candidates.clone().count();
        candidates.copied().nth(random % count.max(1)).map(|marking| (marking, part))
    }

    /// Returns the parts whose values are demanded at the marking and unknown.
    pub(super) fn open_parts(&self, marking: u32) -> PartSet {
        let marking = marking as usize;
        self.demanded[marking] & !self.true_parts[marking] & !self.false_parts[marking]
    }

    /// Expands the markings along a firing sequence from a marking. Stops early at a marking where
    /// nothing is demanded, after [`MAX_FOLLOWED_FIRINGS`] firings, or if a firing is impossible.
    /// Also stops early once the value of the formula is known.
    fn expand_along(
        &mut self,
        mut marking: u32,
        sequence: &FiringSequence,
    ) -> Result<(), ExplorationError> {
        let mut followed = 0;
        for step in sequence.steps() {
            for _ in 0..step.count {
                if self.demanded[marking as usize] == 0
                    || followed == MAX_FOLLOWED_FIRINGS
                    || self.value().is_some()
                {
                    return Ok(());
                }
                if !self.has_used_firings(marking) {
                    self.expand(marking)?;
                }
                if followed.is_multiple_of(POLLING_INTERVAL) {
                    self.graph.check_budget()?;
                }
                let Some(next) = self.graph.marking_after(marking, step.transition)? else {
                    return Ok(());
                };
                self.extend_to_known();
                (marking, followed) = (next, followed + 1);
            }
        }
        if self.demanded[marking as usize] != 0 && !self.has_used_firings(marking) {
            self.expand(marking)?;
        }
        Ok(())
    }

    /// Expands a marking, and propagates the demands there to other parts and to its successors.
    fn expand(&mut self, marking: u32) -> Result<(), ExplorationError> {
        self.graph.expand(marking)?;
        self.extend_to_known();
        self.uses_firings[marking as usize] = true;
        self.derive_at(marking);
        let demanded = self.demanded[marking as usize];
        self.unpropagated.push((marking, demanded));
        self.propagate_demands();
        Ok(())
    }

    /// Removes all demands, and propagates the demands for unknown values again from the initial
    /// marking.
    fn reset_demands(&mut self) {
        for marking in self.demanded_markings.drain(..) {
            self.demanded[marking as usize] = 0;
        }
        self.unexpanded.clear();
        self.unexpanded_by_distance.clear();
        self.demanded_firings = 0;
        self.demand(self.graph.initial(), 1 << self.parts.root());
        self.propagate_demands();
    }

    /// Demands the unknown values among `demanded_parts` at a marking. Values that follow from its
    /// atoms become known at once, and are not demanded.
    fn demand(&mut self, marking: u32, demanded_parts: PartSet) {
        let index = marking as usize;
        let unknown_parts = |search: &Self| {
            demanded_parts
                & !search.demanded[index]
                & !search.true_parts[index]
                & !search.false_parts[index]
        };
        if unknown_parts(self) == 0 {
            return;
        }
        self.evaluate_atoms(marking, unknown_parts(self));
        let new_demand = unknown_parts(self);
        if new_demand == 0 {
            return;
        }
        let is_expanded = self.has_used_firings(marking);
        if self.demanded[index] == 0 {
            self.demanded_markings.push(marking);
            if !is_expanded {
                match ORDERS[self.order_index] {
                    ExpansionOrder::Guided => {
                        let distance = self.distance(marking, new_demand);
                        self.unexpanded_by_distance.push((
                            Reverse(distance),
                            self.demanded_markings.len(),
                            marking,
                        ));
                    }
                    _ => self.unexpanded.push_back(marking),
                }
            }
        }
        self.demanded[index] |= new_demand;
        if is_expanded {
            self.unpropagated.push((marking, new_demand));
        }
    }

    /// Evaluates the atoms needed for these parts at a marking. Then computes the values of parts
    /// at this marking that follow.
    fn evaluate_atoms(&mut self, marking: u32, demanded_parts: PartSet) {
        let marking_index = marking as usize;
        let unknown_parts = self.parts.relevant_at_same_marking(demanded_parts)
            & !self.true_parts[marking_index]
            & !self.false_parts[marking_index];
        for index in members(unknown_parts) {
            if let FormulaPart::Literal { bit, positive } = self.parts.parts[index] {
                match self.graph.holds(marking, bit) == positive {
                    true => self.true_parts[marking_index] |= 1 << index,
                    false => self.false_parts[marking_index] |= 1 << index,
                }
            }
        }
        self.derive_at(marking);
    }

    /// Propagates the new demands at expanded markings: to the operands at the same marking, and to
    /// the successors.
    fn propagate_demands(&mut self) {
        while let Some((marking, demanded)) = self.unpropagated.pop() {
            let index = marking as usize;
            let (mut same_marking, mut at_successors): (PartSet, PartSet) = (0, 0);
            for part in members(demanded & !self.true_parts[index] & !self.false_parts[index]) {
                match self.parts.parts[part] {
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
                self.demanded_firings += self.graph.successors(marking).len();
                for index in 0..self.graph.successors(marking).len() {
                    let (to, _) = self.graph.successors(marking)[index];
                    self.demand(to, at_successors);
                }
            }
        }
    }

    /// Estimates the number of tokens that a marking lacks to decide a demanded part that a single
    /// marking can decide. E(φ U ψ) is decided by ψ, and A(φ R ψ) by ¬ψ. Returns 0 without such a
    /// part. Computed once per marking.
    fn distance(&mut self, marking: u32, demanded: PartSet) -> u64 {
        let cached = self.distances[marking as usize];
        if cached != NOT_COMPUTED {
            return cached;
        }
        let mut nearest = None;
        // By part, the distance to its truth and to its falsity.
        let relevant_atoms = self.parts.relevant_at_same_marking(demanded);
        let mut part_distances: Vec<[u64; 2]> = Vec::with_capacity(self.parts.parts.len());
        for (index, part) in self.parts.parts.iter().enumerate() {
            let sum_of_distances = |parts: PartSet, value: usize| {
                members(parts)
                    .fold(0u64, |sum, part| sum.saturating_add(part_distances[part][value]))
            };
            let minimum_distance = |parts: PartSet, value: usize| {
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
                FormulaPart::And(parts) => [sum_of_distances(parts, 0), minimum_distance(parts, 1)],
                FormulaPart::Or(parts) => [minimum_distance(parts, 0), sum_of_distances(parts, 1)],
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
        let nearest = nearest.unwrap_or(0).min(NOT_COMPUTED - 1);
        self.distances[marking as usize] = nearest;
        nearest
    }

    /// Returns true if this search has expanded the marking, and so uses its firings.
    pub(super) fn has_used_firings(&self, marking: u32) -> bool {
        self.uses_firings[marking as usize]
    }

    /// Returns true if this search has expanded the marking and it is dead.
    pub(super) fn is_dead(&self, marking: u32) -> bool {
        self.has_used_firings(marking) && self.graph.successors(marking).is_empty()
    }

    /// Computes the values of parts at a marking that follow from known values at the same marking,
    /// or from the marking being dead.
    pub(super) fn derive_at(&mut self, marking: u32) {
        let marking_index = marking as usize;
        let is_dead = self.is_dead(marking);
        let (mut yes, mut no) = (self.true_parts[marking_index], self.false_parts[marking_index]);
        for (index, part) in self.parts.parts.iter().enumerate() {
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
        (self.true_parts[marking_index], self.false_parts[marking_index]) = (yes, no);
    }
}
