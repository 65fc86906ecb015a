//! One walk: choose, read, fire, and test for infinite continuations.

use super::subsets::{FIRST, NOTHING};
use super::tours::Start;
use super::walker::{Letters, ProductWalk, WalkKind};
use crate::walk::machine::below;
use crate::walk::walker::FiringStrategy;
use parikh_evidence::lasso::check_lasso;
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::{FiringSequence, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// Number of firings between two checks of the budget.
const POLLING: u64 = 512;
/// Number of candidates drawn per firing of a walk with one-step lookahead.
const AHEAD: usize = 6;
/// Maximum number of firings towards one target letter.
const PATIENCE: usize = 64;

/// Maximum number of firings tried per cycle search in the first round. It doubles in each of the
/// next six rounds.
const TOURS: usize = 256;

/// The state of a walk.
struct WalkState {
    /// The fired transitions.
    history: Vec<u32>,
    /// The letters read so far, one per firing.
    letters: Vec<u32>,
    /// For each property, the current set of automaton states.
    sets: Vec<u32>,
    /// For each property, the numbers of firings after which its set changed, with the new set.
    log: Vec<Vec<(u32, u32)>>,
    /// For each marking hash, the number of firings before the first marking with this hash.
    met: HashMap<u64, u32>,
    /// The hash of the current marking.
    name: u64,
    /// Number of returns to a marking that the walk visited before.
    again: u64,
    /// The letter of the current marking, without atoms on firings.
    here: u32,
    /// True if no search is useful until the letter or a set changes.
    is_quiet: bool,
    /// True if reading the last letter again changes no set.
    is_stable: bool,
    /// The place with the most recently added tokens.
    given: Option<u32>,
    /// The set for which the current target was chosen, and the number of firings since.
    aimed: (u32, usize),
}

/// A callback that receives a run with the index of its property. It returns true if the property
/// needs no other run.
pub(super) type Sink<'s> = dyn FnMut(usize, LassoRun) -> bool + 's;

impl ProductWalk<'_> {
    /// Walks from the initial marking, with at most `limit` firings.
    pub(super) fn walk_once(
        &mut self,
        kind: WalkKind,
        limit: usize,
        budget: &Budget,
        sink: &mut Sink<'_>,
    ) {
        let mut state = self.begin(kind);
        self.walk_on(kind, limit, &mut state, budget, sink);
        // Restarting touches a few cells per firing, or every cell.
        if state.history.len() * 8 < self.machine.compiled.cells() {
            self.machine.restart_after(state.history.iter().copied());
        } else {
            self.machine.restart();
        }
    }

    /// Continues a walk with at most `limit` firings.
    fn walk_on(
        &mut self,
        kind: WalkKind,
        limit: usize,
        state: &mut WalkState,
        budget: &Budget,
        sink: &mut Sink<'_>,
    ) {
        for _ in 0..limit {
            if self.is_over(self.firings.is_multiple_of(POLLING), budget) {
                break;
            }
            if !self.look_around(state, budget, sink) {
                break;
            }
            let Some(transition) = self.choose(kind, state) else { break };
            if !self.go(state, transition) {
                break;
            }
        }
    }

    /// Walks along a given firing sequence, and then at most `limit` firings towards the goal of
    /// one property.
    pub(super) fn walk_along(
        &mut self,
        prefix: &FiringSequence,
        limit: usize,
        budget: &Budget,
        sink: &mut Sink<'_>,
    ) {
        let mut state = self.begin(WalkKind::Blind);
        let steps = prefix.steps().iter();
        let mut firings = steps.flat_map(|step| {
            std::iter::repeat_n(step.transition.index() as u32, step.count as usize)
        });
        let has_arrived = loop {
            if self.is_over(self.firings.is_multiple_of(POLLING), budget)
                || !self.look_around(&mut state, budget, sink)
            {
                break false;
            }
            match firings.next() {
                Some(transition) if self.go(&mut state, transition) => {}
                Some(_) => break false,
                None => break true,
            }
        };
        let open_properties: Vec<usize> =
            (0..state.sets.len()).filter(|&property| state.sets[property] != NOTHING).collect();
        if has_arrived && !open_properties.is_empty() {
            let position = open_properties[below(&mut self.resources.rng, open_properties.len())];
            self.walk_on(WalkKind::Solo(position), limit, &mut state, budget, sink);
        }
        self.machine.restart();
    }

    /// Reads the letter and searches for infinite continuations. Returns false if no property is
    /// left.
    fn look_around(&mut self, state: &mut WalkState, budget: &Budget, sink: &mut Sink<'_>) -> bool {
        state.here = self.letter_here();
        if self.machine.is_dead() {
            self.end_dead(state, sink);
            return false;
        }
        if !state.is_quiet {
            self.look_for_ends(state, budget, sink);
        }
        self.look_back(state, sink);
        state.sets.iter().any(|&set| set != NOTHING)
    }

    fn begin(&mut self, kind: WalkKind) -> WalkState {
        let set = |property: usize| match kind {
            _ if !self.is_followed(property) => NOTHING,
            WalkKind::Solo(only) if only != property => NOTHING,
            _ => FIRST,
        };
        let sets: Vec<u32> = (0..self.followed.len()).map(set).collect();
        WalkState {
            history: Vec::new(),
            letters: Vec::new(),
            log: sets.iter().map(|&set| vec![(0, set)]).collect(),
            sets,
            met: HashMap::new(),
            name: 0,
            again: 0,
            here: 0,
            is_quiet: false,
            is_stable: false,
            given: None,
            aimed: (NOTHING, 0),
        }
    }

    /// Fires a transition and reads its letter into all sets. Returns false if a number would
    /// overflow.
    fn go(&mut self, state: &mut WalkState, transition: u32) -> bool {
        let letter = self.letter_with(state.here, transition);
        let class = self.machine.class_of(transition);
        let flipped = self.machine.flipped;
        if !self.machine.fire(class) {
            return false;
        }
        self.firings += 1;
        self.patience += 1 + self.counted_since(flipped);
        let is_same_letter = state.letters.last() == Some(&letter);
        state.history.push(transition);
        state.letters.push(letter);
        let mut has_changed = false;
        if !is_same_letter || !state.is_stable {
            state.is_stable = true;
            let step = state.history.len() as u32;
            for (property, set) in state.sets.iter_mut().enumerate() {
                let Some(followed) = &mut self.followed[property] else { continue };
                if *set == NOTHING {
                    continue;
                }
                let next = match followed.is_gone {
                    true => NOTHING,
                    false => followed.subsets.after(*set, letter, &self.alphabet),
                };
                if next != *set {
                    *set = next;
                    state.log[property].push((step, next));
                    state.is_stable = false;
                    has_changed = true;
                }
            }
        }
        self.machine.news.clear();
        has_changed |=
            self.alphabet.bits(state.here)[..self.machine.truths.len()] != self.machine.truths[..];
        state.is_quiet &= !has_changed;
        state.name = state.name.wrapping_add(self.names[class as usize]);
        let cell_changes = self.machine.compiled.changes_of(class);
        let places = self.net.place_count() as u32;
        let marked_place =
            cell_changes.iter().rev().find(|change| change.delta > 0 && change.cell < places);
        state.given = marked_place.map(|change| change.cell);
        true
    }

    /// Returns the next transition to fire, or `None` to end the walk.
    fn choose(&mut self, kind: WalkKind, state: &mut WalkState) -> Option<u32> {
        if let Some(neutral) = self.neutral() {
            return Some(neutral);
        }
        let class = match kind {
            WalkKind::Solo(position) => return self.choose_ahead(position, state),
            WalkKind::Chase => self.chased(state.given),
            WalkKind::Blind => None,
        };
        let class = match class {
            Some(class) => class,
            None => self.any()?,
        };
        Some(self.machine.representative(class, &mut self.resources.rng))
    }

    /// Returns a transition without effect from time to time, and whenever nothing else is enabled.
    /// Firing it repeats the letter.
    fn neutral(&mut self) -> Option<u32> {
        let neutral = self.machine.neutral();
        if neutral.is_empty() {
            return None;
        }
        let rng = &mut self.resources.rng;
        let fires_neutral = self.machine.enabled().is_empty() || below(rng, 8) == 0;
        fires_neutral.then(|| neutral[below(rng, neutral.len())])
    }

    /// Returns a random enabled class with an effect.
    fn any(&mut self) -> Option<u32> {
        let enabled = self.machine.enabled();
        (!enabled.is_empty()).then(|| enabled.nth(below(&mut self.resources.rng, enabled.len())))
    }

    /// Returns, most of the time, a class that consumes from the place that received tokens last.
    fn chased(&mut self, marked_place: Option<u32>) -> Option<u32> {
        let rng = &mut self.resources.rng;
        let arcs = self.net.consumers(PlaceId::new(marked_place? as usize));
        if arcs.is_empty() || below(rng, 8) == 0 {
            return None;
        }
        let first = below(rng, arcs.len());
        (0..arcs.len().min(16)).find_map(|offset| {
            let transition = arcs[(first + offset) % arcs.len()].transition;
            let class = self.net.effect_of(transition).index() as u32;
            (self.machine.is_live(class) && !self.machine.is_neutral(class)).then_some(class)
        })
    }

    /// Returns a transition that keeps the property, preferably one that leads towards an accepting
    /// component.
    fn choose_ahead(&mut self, property: usize, state: &mut WalkState) -> Option<u32> {
        let set = state.sets[property];
        if set == NOTHING {
            // While following a given sequence, other properties may still be possible, but this
            // one is lost.
            return None;
        }
        state.aimed.1 += 1;
        if state.aimed.0 != set || state.aimed.1 > PATIENCE {
            state.aimed = (set, 0);
            let followed = self.followed[property].as_ref()?;
            let conditions = followed.subsets.wanted(set, &mut self.resources.rng);
            self.directed.begin_all(&self.machine, &conditions, &mut self.resources);
        }
        let mut fallback = None;
        for _ in 0..AHEAD {
            if self.machine.enabled().is_empty() {
                return None;
            }
            let class = self.directed.choose(&mut self.machine, &mut self.resources)?;
            let transition = self.machine.representative(class, &mut self.resources.rng);
            let letter = self.letter_with(state.here, transition);
            let followed = self.followed[property].as_mut()?;
            let next = followed.subsets.after(set, letter, &self.alphabet);
            if next == NOTHING {
                continue;
            }
            if followed.speaks_of_firings || self.machine.enabled().len() == 1 {
                return Some(transition);
            }
            let distance = followed.subsets.distance(next);
            if !self.machine.fire(class) {
                continue;
            }
            self.firings += 1;
            let next_letter = self.letter_here();
            self.machine.fire_many(class, -1);
            let followed = self.followed[property].as_mut()?;
            let set_after_next = followed.subsets.after(next, next_letter, &self.alphabet);
            if set_after_next == NOTHING {
                continue;
            }
            if followed.subsets.distance(set_after_next) <= distance {
                return Some(transition);
            }
            fallback = fallback.or(Some(transition));
        }
        fallback
    }

    /// Handles a dead marking, whose letter repeats forever.
    fn end_dead(&mut self, state: &WalkState, sink: &mut Sink<'_>) {
        for property in 0..state.sets.len() {
            if state.sets[property] == NOTHING || !self.is_followed(property) {
                continue;
            }
            let Some(followed) = &mut self.followed[property] else { continue };
            let set = state.sets[property];
            if followed.subsets.accepts_for_ever(set, state.here, &self.alphabet) {
                self.report(property, state, state.history.len(), RunEnd::Dead, sink);
            }
        }
    }

    /// Searches for cycles from here, for each property for which this was not tried often enough.
    fn look_for_ends(&mut self, state: &mut WalkState, budget: &Budget, sink: &mut Sink<'_>) {
        let max_searches = 1 + self.rounds / 2;
        for property in 0..state.sets.len() {
            let set = state.sets[property];
            if set == NOTHING || !self.is_followed(property) || budget.is_exhausted() {
                continue;
            }
            let searches = self.tried.entry((property as u32, set, state.here)).or_insert(0);
            if *searches >= max_searches {
                continue;
            }
            *searches += 1;
            if self.look_for_end(property, state, budget, sink) {
                state.sets[property] = NOTHING;
            }
        }
        // Once per combination of letter and sets. Repeated combinations are tried again in other
        // walks.
        state.is_quiet = true;
    }

    /// Like [`look_for_ends`](Self::look_for_ends) for one property. Returns true if a run was
    /// found.
    fn look_for_end(
        &mut self,
        property: usize,
        state: &WalkState,
        budget: &Budget,
        sink: &mut Sink<'_>,
    ) -> bool {
        let (set, letter, firings) = (state.sets[property], state.here, state.history.len());
        let Some(followed) = &mut self.followed[property] else { return false };
        let is_universal = followed.subsets.is_universal(set);
        let speaks_of_firings = followed.speaks_of_firings;
        let accepts_repetition =
            !speaks_of_firings && followed.subsets.accepts_for_ever(set, letter, &self.alphabet);
        let is_in_accepting_component = followed.subsets.distance(set) == 0;
        if is_universal && self.report(property, state, firings, RunEnd::Anything, sink) {
            return true;
        }
        if let (true, Some(&neutral)) =
            (is_universal || accepts_repetition, self.machine.neutral().first())
        {
            let end = RunEnd::Repeats(sequence(&[neutral]));
            return self.report(property, state, firings, end, sink);
        }
        let letters = match () {
            () if is_universal => Letters::Any,
            () if accepts_repetition => Letters::Same,
            () if is_in_accepting_component => Letters::Accepted,
            () => return false,
        };
        let limit = 24usize << self.rounds.min(6);
        let cycle = self.find_loop(property, set, letter, letters, limit).or_else(|| {
            let start = Start { position: property, set, here: letter, allowed: letters };
            self.find_tour(start, TOURS << self.rounds.min(6), budget)
        });
        cycle.is_some_and(|cycle| {
            self.report(property, state, firings, RunEnd::Repeats(sequence(&cycle)), sink)
        })
    }

    /// Searches by random return for a cycle from here whose infinite repetition is accepted. The
    /// machine is unchanged afterwards.
    fn find_loop(
        &mut self,
        property: usize,
        set: u32,
        base_letter: u32,
        allowed: Letters,
        limit: usize,
    ) -> Option<Vec<u32>> {
        self.homing.begin();
        let (mut fired, mut read_letters) = (Vec::new(), Vec::new());
        let (mut current_set, mut current_letter, mut refused, mut tests) =
            (set, base_letter, 0, 0);
        let mut is_found = false;
        while fired.len() < limit && refused < 16 && !is_found {
            let transition = match self.neutral() {
                Some(neutral) => neutral,
                None => {
                    let rng = &mut self.resources.rng;
                    let Some(class) = self.homing.choose(&self.machine, rng) else { break };
                    self.machine.representative(class, rng)
                }
            };
            let class = self.machine.class_of(transition);
            let letter = self.letter_with(current_letter, transition);
            let followed = self.followed[property].as_mut()?;
            let next = match allowed {
                Letters::Accepted => followed.subsets.after(current_set, letter, &self.alphabet),
                _ => current_set,
            };
            if next == NOTHING || !self.machine.fire(class) {
                refused += 1;
                continue;
            }
            self.firings += 1;
            let next_letter = self.letter_here();
            let followed = self.followed[property].as_mut()?;
            let differs = followed.tells_apart(base_letter, next_letter, &self.alphabet);
            if allowed == Letters::Same && differs {
                self.machine.fire_many(class, -1);
                refused += 1;
                continue;
            }
            refused = 0;
            self.homing.fired(&self.machine, class, 1);
            fired.push(transition);
            read_letters.push(letter);
            (current_set, current_letter) = (next, next_letter);
            if self.homing.is_back(&followed.looked_at) {
                tests += 1;
                is_found = allowed != Letters::Accepted
                    || tests < 16
                        && followed.subsets.accepts_again_and_again(
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

    /// Tests if the marking was visited before and the letters since then are accepted as a cycle.
    fn look_back(&mut self, state: &mut WalkState, sink: &mut Sink<'_>) {
        let step = state.history.len() as u32;
        let first_visit = *state.met.entry(state.name).or_insert(step);
        if first_visit == step {
            return;
        }
        state.again += 1;
        // Later cycles from the same marking are longer and have read more letters.
        if state.again > 4 && !state.again.is_power_of_two() {
            return;
        }
        for property in 0..state.sets.len() {
            if state.sets[property] == NOTHING || !self.is_followed(property) {
                continue;
            }
            let log = &state.log[property];
            let set_changes = log.partition_point(|&(change_step, _)| change_step <= first_visit);
            let Some(&(_, set)) = log.get(set_changes.wrapping_sub(1)) else { continue };
            let Some(followed) = &self.followed[property] else { continue };
            let letters = &state.letters[first_visit as usize..];
            if followed.subsets.distance(set) > 0
                || !followed.subsets.accepts_again_and_again(set, letters, &self.alphabet)
            {
                continue;
            }
            let end = RunEnd::Repeats(sequence(&state.history[first_visit as usize..]));
            if self.report(property, state, first_visit as usize, end, sink) {
                state.sets[property] = NOTHING;
            }
        }
    }

    /// Reports a run after checking it. Returns true if no other run is needed.
    fn report(
        &mut self,
        index: usize,
        state: &WalkState,
        firings: usize,
        end: RunEnd,
        sink: &mut Sink<'_>,
    ) -> bool {
        let Some(followed) = &mut self.followed[index] else { return false };
        let run = LassoRun { prefix: sequence(&state.history[..firings]), end };
        // The letters may decide more than the simple evaluation of prefixes, and marking hashes
        // may be equal by chance.
        if check_lasso(self.net, followed.property, &run, &mut || true).is_err() {
            return false;
        }
        followed.is_gone = sink(index, run);
        followed.is_gone
    }
}

/// Converts transition indices to a firing sequence.
fn sequence(transitions: &[u32]) -> FiringSequence {
    transitions.iter().map(|&t| TransitionId::new(t as usize)).collect()
}
