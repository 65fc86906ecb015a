//! One walk: choose a transition, fire it, read its letter, and test for infinite continuations.

use super::cycle_search::CycleStart;
use super::subsets::{EMPTY_SET, INITIAL_SET};
use super::walker::{AllowedLetters, ProductWalk, WalkKind};
use crate::walk::machine::random_below;
use crate::walk::walker::FiringStrategy;
use parikh_evidence::lasso::check_lasso;
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::{FiringSequence, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// The budget is checked when the number of firings so far is a multiple of this number.
const POLLING_INTERVAL: u64 = 512;
/// Limit on the number of classes drawn for each firing of a walk for a single property. Such a
/// walk tests the automaton's next states before it fires.
const LOOKAHEAD_CANDIDATES: usize = 6;
/// Limit on the number of firings towards the markings for one automaton edge, not counting the
/// first firing. After that, an edge is drawn again.
const MAX_FIRINGS_PER_TARGET: usize = 64;

/// Maximum number of firings tried per best-first cycle search in the first round. The maximum
/// doubles in each of the next six rounds.
const FIRST_TOUR_FIRINGS: usize = 256;

/// The state of a walk.
struct WalkState {
    /// The fired transitions.
    history: Vec<u32>,
    /// The letters read so far, one per firing.
    letters: Vec<u32>,
    /// For each property, the number of the set of automaton states after the letters read.
    /// [`EMPTY_SET`] if the property can no longer hold, has too many state sets, is not followed
    /// in this walk, or needs no other run.
    sets: Vec<u32>,
    /// For each property, its changes of state sets: the number of firings after which the set
    /// changed, and the number of the new set. The first entry is the set at the start, with 0
    /// firings. A set that was emptied because a run was found is not recorded.
    set_changes: Vec<Vec<(u32, u32)>>,
    /// For each marking hash, the number of firings after which a marking with this hash was first
    /// visited.
    first_visits: HashMap<u64, u32>,
    /// Hash of the current marking: the sum of `class_hashes` over the fired classes. These numbers
    /// are linear in the changes of the places, so equal markings have equal hashes. Different
    /// markings rarely have equal hashes.
    marking_hash: u64,
    /// Number of returns to a marking that the walk visited before.
    revisits: u64,
    /// The letter of the current marking, without atoms on firings.
    marking_letter: u32,
    /// True if cycles were already searched with the current letter and the current sets of all
    /// properties, or if this search was skipped because of its limits. Another search in this walk
    /// is then useless.
    cycles_are_searched: bool,
    /// True if the last letter changed no state set, so that reading it again changes none either.
    is_stable: bool,
    /// A place that gained tokens in the last firing; `None` if none did.
    last_marked_place: Option<u32>,
    /// For a walk for a single property: the number of the state set for which the target was
    /// chosen, and the number of firings chosen since then. The target is the markings for one
    /// automaton edge.
    target_set_and_firings: (u32, usize),
}

/// A callback that receives a run with the index of its property. It returns true if the property
/// needs no other run.
pub(super) type RunSink<'s> = dyn FnMut(usize, LassoRun) -> bool + 's;

impl ProductWalk<'_> {
    /// Walks from the initial marking with at most `limit` firings, and returns the machine to the
    /// initial marking.
    pub(super) fn walk_once(
        &mut self,
        kind: WalkKind,
        limit: usize,
        budget: &Budget,
        sink: &mut RunSink<'_>,
    ) {
        let mut state = self.start_state(kind);
        self.walk_from(kind, limit, &mut state, budget, sink);
        // Restarting by the fired transitions touches a few cells per firing. After many firings it
        // is faster to reset every cell.
        if state.history.len() * 8 < self.machine.compiled.cell_count() {
            self.machine.restart_after(state.history.iter().copied());
        } else {
            self.machine.restart();
        }
    }

    /// Continues a walk with at most `limit` firings. Ends earlier if the budget is exhausted, or
    /// if no property can still hold and needs a run.
    fn walk_from(
        &mut self,
        kind: WalkKind,
        limit: usize,
        state: &mut WalkState,
        budget: &Budget,
        sink: &mut RunSink<'_>,
    ) {
        for _ in 0..limit {
            if self.is_over(self.firings.is_multiple_of(POLLING_INTERVAL), budget) {
                break;
            }
            if !self.search_continuations(state, budget, sink) {
                break;
            }
            let Some(transition) = self.choose(kind, state) else { break };
            if !self.fire_and_read(state, transition) {
                break;
            }
        }
    }

    /// Walks along a given firing sequence. If the walk arrives at the end of the sequence,
    /// continues with at most `limit` firings for one property, drawn at random among the
    /// properties that can still hold.
    pub(super) fn walk_along(
        &mut self,
        prefix: &FiringSequence,
        limit: usize,
        budget: &Budget,
        sink: &mut RunSink<'_>,
    ) {
        let mut state = self.start_state(WalkKind::Random);
        let steps = prefix.steps().iter();
        let mut firings = steps.flat_map(|step| {
            std::iter::repeat_n(step.transition.index() as u32, step.count as usize)
        });
        let has_arrived = loop {
            if self.is_over(self.firings.is_multiple_of(POLLING_INTERVAL), budget)
                || !self.search_continuations(&mut state, budget, sink)
            {
                break false;
            }
            match firings.next() {
                Some(transition) if self.fire_and_read(&mut state, transition) => {}
                Some(_) => break false,
                None => break true,
            }
        };
        let open_properties: Vec<usize> =
            (0..state.sets.len()).filter(|&property| state.sets[property] != EMPTY_SET).collect();
        if has_arrived && !open_properties.is_empty() {
            let position =
                open_properties[random_below(&mut self.resources.rng, open_properties.len())];
            self.walk_from(WalkKind::SingleProperty(position), limit, &mut state, budget, sink);
        }
        self.machine.restart();
    }

    /// Computes the letter of the current marking, and searches for infinite continuations that the
    /// properties accept. Reports the runs found to `sink`. Returns false if the walk ends, because
    /// the marking is dead or the state sets of all properties are empty. A set is empty if its
    /// property cannot hold any more, is not followed in this walk, or needs no other run.
    fn search_continuations(
        &mut self,
        state: &mut WalkState,
        budget: &Budget,
        sink: &mut RunSink<'_>,
    ) -> bool {
        state.marking_letter = self.marking_letter();
        if self.machine.is_dead() {
            self.report_dead(state, sink);
            return false;
        }
        if !state.cycles_are_searched {
            self.search_cycles(state, budget, sink);
        }
        self.test_revisit(state, sink);
        state.sets.iter().any(|&set| set != EMPTY_SET)
    }

    /// Returns the state of a walk of this kind at the initial marking.
    fn start_state(&mut self, kind: WalkKind) -> WalkState {
        let set = |property: usize| match kind {
            _ if !self.is_followed(property) => EMPTY_SET,
            WalkKind::SingleProperty(only) if only != property => EMPTY_SET,
            _ => INITIAL_SET,
        };
        let sets: Vec<u32> = (0..self.followed.len()).map(set).collect();
        WalkState {
            history: Vec::new(),
            letters: Vec::new(),
            set_changes: sets.iter().map(|&set| vec![(0, set)]).collect(),
            sets,
            first_visits: HashMap::new(),
            marking_hash: 0,
            revisits: 0,
            marking_letter: 0,
            cycles_are_searched: false,
            is_stable: false,
            last_marked_place: None,
            target_set_and_firings: (EMPTY_SET, 0),
        }
    }

    /// Fires a transition, and updates the state set of every property with the letter of this
    /// firing. Returns false and changes nothing if a number would overflow.
    fn fire_and_read(&mut self, state: &mut WalkState, transition: u32) -> bool {
        let letter = self.firing_letter(state.marking_letter, transition);
        let class = self.machine.class_of(transition);
        let earlier_count = self.machine.update_count;
        if !self.machine.fire(class) {
            return false;
        }
        self.firings += 1;
        self.search_firings_left += 1 + self.firings_for_updates_since(earlier_count);
        let is_same_letter = state.letters.last() == Some(&letter);
        state.history.push(transition);
        state.letters.push(letter);
        let mut has_changed = false;
        if !is_same_letter || !state.is_stable {
            state.is_stable = true;
            let step = state.history.len() as u32;
            for (property, set) in state.sets.iter_mut().enumerate() {
                let Some(followed) = &mut self.followed[property] else { continue };
                if *set == EMPTY_SET {
                    continue;
                }
                let next = match followed.is_settled {
                    true => EMPTY_SET,
                    false => followed.subsets.successor(*set, letter, &self.alphabet),
                };
                if next != *set {
                    *set = next;
                    state.set_changes[property].push((step, next));
                    state.is_stable = false;
                    has_changed = true;
                }
            }
        }
        self.machine.news.clear();
        has_changed |= self.alphabet.bits(state.marking_letter)[..self.machine.truths.len()]
            != self.machine.truths[..];
        state.cycles_are_searched &= !has_changed;
        state.marking_hash = state.marking_hash.wrapping_add(self.class_hashes[class as usize]);
        let cell_changes = self.machine.compiled.changes_of(class);
        let places = self.net.place_count() as u32;
        let marked_place =
            cell_changes.iter().rev().find(|change| change.delta > 0 && change.cell < places);
        state.last_marked_place = marked_place.map(|change| change.cell);
        true
    }

    /// Returns the next transition to fire, or `None` to end the walk.
    fn choose(&mut self, kind: WalkKind, state: &mut WalkState) -> Option<u32> {
        if let Some(neutral) = self.choose_without_effect() {
            return Some(neutral);
        }
        let class = match kind {
            WalkKind::SingleProperty(position) => return self.choose_ahead(position, state),
            WalkKind::ConsumeNewest => self.choose_consumer(state.last_marked_place),
            WalkKind::Random => None,
        };
        let class = match class {
            Some(class) => class,
            None => self.choose_random()?,
        };
        Some(self.machine.representative(class, &mut self.resources.rng))
    }

    /// Returns a transition that changes no place, with a chance of one eighth, and always if no
    /// other transition is enabled. Firing it reads the same marking letter again. Returns `None`
    /// otherwise.
    fn choose_without_effect(&mut self) -> Option<u32> {
        let neutral = self.machine.enabled_neutral_transitions();
        if neutral.is_empty() {
            return None;
        }
        let rng = &mut self.resources.rng;
        let fires_neutral = self.machine.enabled().is_empty() || random_below(rng, 8) == 0;
        fires_neutral.then(|| neutral[random_below(rng, neutral.len())])
    }

    /// Returns a random enabled class with an effect, or `None` if there is no such class.
    fn choose_random(&mut self) -> Option<u32> {
        let enabled = self.machine.enabled();
        (!enabled.is_empty())
            .then(|| enabled.nth(random_below(&mut self.resources.rng, enabled.len())))
    }

    /// Returns an enabled class with an effect that has a consumer of `marked_place`, the place
    /// that received tokens last. At most 16 consumers are inspected. Returns `None` in one of
    /// eight cases, if there is no such place, or if no such class was found.
    fn choose_consumer(&mut self, marked_place: Option<u32>) -> Option<u32> {
        let rng = &mut self.resources.rng;
        let arcs = self.net.consumers(PlaceId::new(marked_place? as usize));
        if arcs.is_empty() || random_below(rng, 8) == 0 {
            return None;
        }
        let first = random_below(rng, arcs.len());
        (0..arcs.len().min(16)).find_map(|offset| {
            let transition = arcs[(first + offset) % arcs.len()].transition;
            let class = self.net.effect_of(transition).index() as u32;
            (self.machine.is_enabled(class) && !self.machine.is_without_effect(class))
                .then_some(class)
        })
    }

    /// Returns a transition after which the property can still hold, preferably one that does not
    /// lead away from an accepting component. Returns `None` if the property cannot hold any more,
    /// if no class is enabled or chosen, or if no drawn transition is suitable.
    fn choose_ahead(&mut self, property: usize, state: &mut WalkState) -> Option<u32> {
        let set = state.sets[property];
        if set == EMPTY_SET {
            // This happens in a walk along a given sequence: other properties may still hold, but
            // the chosen one cannot.
            return None;
        }
        state.target_set_and_firings.1 += 1;
        if state.target_set_and_firings.0 != set
            || state.target_set_and_firings.1 > MAX_FIRINGS_PER_TARGET
        {
            state.target_set_and_firings = (set, 0);
            let followed = self.followed[property].as_ref()?;
            let conditions =
                followed.subsets.conditions_towards_acceptance(set, &mut self.resources.rng);
            self.directed.begin_all(&self.machine, &conditions, &mut self.resources);
        }
        let mut fallback = None;
        for _ in 0..LOOKAHEAD_CANDIDATES {
            if self.machine.enabled().is_empty() {
                return None;
            }
            let class = self.directed.choose(&mut self.machine, &mut self.resources)?;
            let transition = self.machine.representative(class, &mut self.resources.rng);
            let letter = self.firing_letter(state.marking_letter, transition);
            let followed = self.followed[property].as_mut()?;
            let next = followed.subsets.successor(set, letter, &self.alphabet);
            if next == EMPTY_SET {
                continue;
            }
            // With atoms on firings, the letter of the next firing also depends on the choice of
            // that firing. Without another enabled class, there is no choice. Both cases end the
            // look-ahead.
            if followed.has_firing_atoms || self.machine.enabled().len() == 1 {
                return Some(transition);
            }
            let distance = followed.subsets.distance(next);
            if !self.machine.fire(class) {
                continue;
            }
            self.firings += 1;
            let next_letter = self.marking_letter();
            self.machine.fire_many(class, -1);
            let followed = self.followed[property].as_mut()?;
            let set_after_next = followed.subsets.successor(next, next_letter, &self.alphabet);
            if set_after_next == EMPTY_SET {
                continue;
            }
            if followed.subsets.distance(set_after_next) <= distance {
                return Some(transition);
            }
            fallback = fallback.or(Some(transition));
        }
        fallback
    }

    /// Handles a dead marking, whose letter repeats forever: reports a run for each property that
    /// accepts this repetition.
    fn report_dead(&mut self, state: &WalkState, sink: &mut RunSink<'_>) {
        for property in 0..state.sets.len() {
            if state.sets[property] == EMPTY_SET || !self.is_followed(property) {
                continue;
            }
            let Some(followed) = &mut self.followed[property] else { continue };
            let set = state.sets[property];
            if followed.subsets.accepts_repeated_letter(set, state.marking_letter, &self.alphabet) {
                self.report_run(property, state, state.history.len(), RunEnd::Dead, sink);
            }
        }
    }

    /// Searches for infinite continuations from the current marking, for each property that can
    /// still hold and needs another run. A combination of property, set and letter is tried only a
    /// few times, more often in later rounds.
    fn search_cycles(&mut self, state: &mut WalkState, budget: &Budget, sink: &mut RunSink<'_>) {
        let max_searches = 1 + self.rounds / 2;
        for property in 0..state.sets.len() {
            let set = state.sets[property];
            if set == EMPTY_SET || !self.is_followed(property) || budget.is_exhausted() {
                continue;
            }
            let searches =
                self.search_counts.entry((property as u32, set, state.marking_letter)).or_insert(0);
            if *searches >= max_searches {
                continue;
            }
            *searches += 1;
            if self.search_cycle(property, state, budget, sink) {
                state.sets[property] = EMPTY_SET;
            }
        }
        // The same combination of letter and state sets is not searched again in this walk until
        // one of them changes. Later walks may search it again.
        state.cycles_are_searched = true;
    }

    /// Like [`search_cycles`](Self::search_cycles) for one property. Returns true if a run was
    /// found and no other run is needed.
    fn search_cycle(
        &mut self,
        property: usize,
        state: &WalkState,
        budget: &Budget,
        sink: &mut RunSink<'_>,
    ) -> bool {
        let (set, letter, firings) =
            (state.sets[property], state.marking_letter, state.history.len());
        let Some(followed) = &mut self.followed[property] else { return false };
        let is_universal = followed.subsets.is_universal(set);
        let speaks_of_firings = followed.has_firing_atoms;
        let accepts_repetition = !speaks_of_firings
            && followed.subsets.accepts_repeated_letter(set, letter, &self.alphabet);
        let is_in_accepting_component = followed.subsets.distance(set) == 0;
        if is_universal && self.report_run(property, state, firings, RunEnd::Anything, sink) {
            return true;
        }
        if let (true, Some(&neutral)) =
            (is_universal || accepts_repetition, self.machine.enabled_neutral_transitions().first())
        {
            let end = RunEnd::Repeats(to_sequence(&[neutral]));
            return self.report_run(property, state, firings, end, sink);
        }
        let letters = match () {
            () if is_universal => AllowedLetters::Any,
            () if accepts_repetition => AllowedLetters::BaseOnly,
            () if is_in_accepting_component => AllowedLetters::Accepted,
            () => return false,
        };
        let limit = 24usize << self.rounds.min(6);
        let cycle =
            self.find_cycle_by_return(property, set, letter, letters, limit).or_else(|| {
                let start =
                    CycleStart { position: property, set, base_letter: letter, allowed: letters };
                self.find_cycle_best_first(start, FIRST_TOUR_FIRINGS << self.rounds.min(6), budget)
            });
        cycle.is_some_and(|cycle| {
            self.report_run(property, state, firings, RunEnd::Repeats(to_sequence(&cycle)), sink)
        })
    }

    /// Searches for a cycle from the current marking by random firings that tend to return to it.
    /// The infinite repetition of the cycle must be accepted. The machine is unchanged afterwards.
    /// Returns `None` if no cycle was found.
    fn find_cycle_by_return(
        &mut self,
        property: usize,
        set: u32,
        base_letter: u32,
        allowed: AllowedLetters,
        limit: usize,
    ) -> Option<Vec<u32>> {
        self.return_distance.begin();
        let (mut fired, mut read_letters) = (Vec::new(), Vec::new());
        let (mut current_set, mut current_letter, mut refused, mut tests) =
            (set, base_letter, 0, 0);
        let mut is_found = false;
        while fired.len() < limit && refused < 16 && !is_found {
            let transition = match self.choose_without_effect() {
                Some(neutral) => neutral,
                None => {
                    let rng = &mut self.resources.rng;
                    let Some(class) = self.return_distance.choose(&self.machine, rng) else {
                        break;
                    };
                    self.machine.representative(class, rng)
                }
            };
            let class = self.machine.class_of(transition);
            let letter = self.firing_letter(current_letter, transition);
            let followed = self.followed[property].as_mut()?;
            let next = match allowed {
                AllowedLetters::Accepted => {
                    followed.subsets.successor(current_set, letter, &self.alphabet)
                }
                _ => current_set,
            };
            if next == EMPTY_SET || !self.machine.fire(class) {
                refused += 1;
                continue;
            }
            self.firings += 1;
            let next_letter = self.marking_letter();
            let followed = self.followed[property].as_mut()?;
            let differs = followed.distinguishes(base_letter, next_letter, &self.alphabet);
            if allowed == AllowedLetters::BaseOnly && differs {
                self.machine.fire_many(class, -1);
                refused += 1;
                continue;
            }
            refused = 0;
            self.return_distance.record_firings(&self.machine, class, 1);
            fired.push(transition);
            read_letters.push(letter);
            (current_set, current_letter) = (next, next_letter);
            if self.return_distance.is_back(&followed.is_read_place) {
                tests += 1;
                is_found = allowed != AllowedLetters::Accepted
                    || tests < 16
                        && followed.subsets.accepts_repeated_letters(
                            set,
                            &read_letters,
                            &self.alphabet,
                        );
            }
        }
        for &transition in fired.iter().rev() {
            let class = self.machine.class_of(transition);
            self.machine.fire_many(class, -1);
        }
        self.machine.news.clear();
        is_found.then_some(fired)
    }

    /// Tests for a return: if a marking with the same hash was visited before, the firings since
    /// the first visit are taken as a cycle. Reports a run for each property that accepts this
    /// cycle, if the checker accepts the run. After several returns, only some cycles are tested.
    fn test_revisit(&mut self, state: &mut WalkState, sink: &mut RunSink<'_>) {
        let step = state.history.len() as u32;
        let first_visit = *state.first_visits.entry(state.marking_hash).or_insert(step);
        if first_visit == step {
            return;
        }
        state.revisits += 1;
        // A cycle begins at the first visit to its marking. So cycles found at later returns to
        // this marking are longer and have read more letters. After four returns to earlier
        // markings, a cycle is tested only if the number of returns is a power of two.
        if state.revisits > 4 && !state.revisits.is_power_of_two() {
            return;
        }
        for property in 0..state.sets.len() {
            if state.sets[property] == EMPTY_SET || !self.is_followed(property) {
                continue;
            }
            let log = &state.set_changes[property];
            let change_count = log.partition_point(|&(change_step, _)| change_step <= first_visit);
            let Some(&(_, set)) = log.get(change_count.wrapping_sub(1)) else { continue };
            let Some(followed) = &self.followed[property] else { continue };
            let letters = &state.letters[first_visit as usize..];
            if followed.subsets.distance(set) > 0
                || !followed.subsets.accepts_repeated_letters(set, letters, &self.alphabet)
            {
                continue;
            }
            let end = RunEnd::Repeats(to_sequence(&state.history[first_visit as usize..]));
            if self.report_run(property, state, first_visit as usize, end, sink) {
                state.sets[property] = EMPTY_SET;
            }
        }
    }

    /// Checks a run and reports it. Returns true if the property needs no other run. Returns false
    /// if the property needs another run, is not followed, or if the check fails.
    fn report_run(
        &mut self,
        index: usize,
        state: &WalkState,
        firings: usize,
        end: RunEnd,
        sink: &mut RunSink<'_>,
    ) -> bool {
        let Some(followed) = &mut self.followed[index] else { return false };
        let run = LassoRun { prefix: to_sequence(&state.history[..firings]), end };
        // The check may fail, for example because different markings have equal hashes. Or the
        // automaton may accept earlier than the checker's evaluation of prefixes can decide the
        // formula.
        if check_lasso(self.net, followed.property, &run, &mut || true).is_err() {
            return false;
        }
        followed.is_settled = sink(index, run);
        followed.is_settled
    }
}

/// Converts transition indices to a firing sequence.
fn to_sequence(transitions: &[u32]) -> FiringSequence {
    transitions.iter().map(|&t| TransitionId::new(t as usize)).collect()
}
