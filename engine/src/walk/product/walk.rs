//! One walk: choose, read, fire, and test for infinite continuations.

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

/// Number of firings between two checks of the budget.
const POLLING_INTERVAL: u64 = 512;
/// Number of candidates of a walk with one-step lookahead.
const LOOKAHEAD_CANDIDATES: usize = 6;
/// Limit on the number of firings towards one target letter.
const MAX_FIRINGS_PER_TARGET: usize = 64;

/// Number of firings tried per cycle search in the first round. It grows in later rounds.
const FIRST_TOUR_FIRINGS: usize = 256;

/// The state of a walk.
struct WalkState {
    /// The fired transitions.
    history: Vec<u32>,
    /// The letters read, indexed by firing.
    letters: Vec<u32>,
    /// The sets of automaton states, indexed by property.
    sets: Vec<u32>,
    /// For each property, the positions at which its set changed, with the new set.
    set_changes: Vec<Vec<(u32, u32)>>,
    /// For each marking hash, the first position with this hash.
    first_visits: HashMap<u64, u32>,
    marking_hash: u64,
    /// Number of times that a marking was visited again.
    revisits: u64,
    /// The letter of the current marking, without atoms on firings.
    marking_letter: u32,
    /// True if no search is useful until the letter or a set changes.
    is_quiet: bool,
    /// True if reading the last letter again changes no set.
    is_stable: bool,
    /// The place with the most recently added tokens.
    last_marked_place: Option<u32>,
    /// The set for which the current target was chosen, and the number of firings since.
    target_set_and_firings: (u32, usize),
}

/// A callback that receives runs, and returns true if no other run is needed.
pub(super) type RunSink<'s> = dyn FnMut(usize, LassoRun) -> bool + 's;

impl ProductWalk<'_> {
    /// Walks from the initial marking, with at most `limit` firings.
    pub(super) fn walk_once(
        &mut self,
        manner: WalkKind,
        limit: usize,
        budget: &Budget,
        found: &mut RunSink<'_>,
    ) {
        let mut course = self.start_state(manner);
        self.walk_from(manner, limit, &mut course, budget, found);
        // Restarting touches a few cells per firing, or every cell.
        if course.history.len() * 8 < self.machine.compiled.cell_count() {
            self.machine.restart_after(course.history.iter().copied());
        } else {
            self.machine.restart();
        }
    }

    fn walk_from(
        &mut self,
        manner: WalkKind,
        limit: usize,
        course: &mut WalkState,
        budget: &Budget,
        found: &mut RunSink<'_>,
    ) {
        for _ in 0..limit {
            if self.is_over(self.firings.is_multiple_of(POLLING_INTERVAL), budget) {
                break;
            }
            if !self.search_continuations(course, budget, found) {
                break;
            }
            let Some(transition) = self.choose(manner, course) else { break };
            if !self.fire_and_read(course, transition) {
                break;
            }
        }
    }

    /// Walks along a given firing sequence, and then at most `limit` firings towards the goal of
    /// one property.
    pub(super) fn walk_along(
        &mut self,
        way: &FiringSequence,
        limit: usize,
        budget: &Budget,
        found: &mut RunSink<'_>,
    ) {
        let mut course = self.start_state(WalkKind::Random);
        let steps = way.steps().iter();
        let mut firings = steps.flat_map(|step| {
            std::iter::repeat_n(step.transition.index() as u32, step.count as usize)
        });
        let came = loop {
            if self.is_over(self.firings.is_multiple_of(POLLING_INTERVAL), budget)
                || !self.search_continuations(&mut course, budget, found)
            {
                break false;
            }
            match firings.next() {
                Some(transition) if self.fire_and_read(&mut course, transition) => {}
                Some(_) => break false,
                None => break true,
            }
        };
        let left: Vec<usize> =
            (0..course.sets.len()).filter(|&at| course.sets[at] != EMPTY_SET).collect();
        if came && !left.is_empty() {
            let position = left[random_below(&mut self.resources.rng, left.len())];
            self.walk_from(WalkKind::SingleProperty(position), limit, &mut course, budget, found);
        }
        self.machine.restart();
    }

    /// Reads the letter and searches for infinite continuations. Returns false if no property is
    /// left.
    fn search_continuations(
        &mut self,
        course: &mut WalkState,
        budget: &Budget,
        found: &mut RunSink<'_>,
    ) -> bool {
        course.marking_letter = self.marking_letter();
        if self.machine.is_dead() {
            self.report_dead(course, found);
            return false;
        }
        if !course.is_quiet {
            self.search_cycles(course, budget, found);
        }
        self.test_revisit(course, found);
        course.sets.iter().any(|&set| set != EMPTY_SET)
    }

    fn start_state(&mut self, manner: WalkKind) -> WalkState {
        let set = |at: usize| match manner {
            _ if !self.is_followed(at) => EMPTY_SET,
            WalkKind::SingleProperty(only) if only != at => EMPTY_SET,
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
            is_quiet: false,
            is_stable: false,
            last_marked_place: None,
            target_set_and_firings: (EMPTY_SET, 0),
        }
    }

    /// Reads the letter and fires. Returns false if a number would overflow.
    fn fire_and_read(&mut self, course: &mut WalkState, transition: u32) -> bool {
        let letter = self.firing_letter(course.marking_letter, transition);
        let class = self.machine.class_of(transition);
        let flipped = self.machine.update_count;
        if !self.machine.fire(class) {
            return false;
        }
        self.firings += 1;
        self.search_firings_left += 1 + self.firings_for_updates_since(flipped);
        let is_same = course.letters.last() == Some(&letter);
        course.history.push(transition);
        course.letters.push(letter);
        let mut changes = false;
        if !is_same || !course.is_stable {
            course.is_stable = true;
            let at = course.history.len() as u32;
            for (position, set) in course.sets.iter_mut().enumerate() {
                let Some(followed) = &mut self.followed[position] else { continue };
                if *set == EMPTY_SET {
                    continue;
                }
                let next = match followed.is_settled {
                    true => EMPTY_SET,
                    false => followed.subsets.successor(*set, letter, &self.alphabet),
                };
                if next != *set {
                    *set = next;
                    course.set_changes[position].push((at, next));
                    course.is_stable = false;
                    changes = true;
                }
            }
        }
        self.machine.news.clear();
        changes |= self.alphabet.bits(course.marking_letter)[..self.machine.truths.len()]
            != self.machine.truths[..];
        course.is_quiet &= !changes;
        course.marking_hash = course.marking_hash.wrapping_add(self.class_hashes[class as usize]);
        let changes = self.machine.compiled.changes_of(class);
        let places = self.net.place_count() as u32;
        let given = changes.iter().rev().find(|change| change.delta > 0 && change.cell < places);
        course.last_marked_place = given.map(|change| change.cell);
        true
    }

    fn choose(&mut self, manner: WalkKind, course: &mut WalkState) -> Option<u32> {
        if let Some(neutral) = self.choose_without_effect() {
            return Some(neutral);
        }
        let class = match manner {
            WalkKind::SingleProperty(position) => return self.choose_ahead(position, course),
            WalkKind::ConsumeNewest => self.choose_consumer(course.last_marked_place),
            WalkKind::Random => None,
        };
        let class = match class {
            Some(class) => class,
            None => self.choose_random()?,
        };
        Some(self.machine.representative(class, &mut self.resources.rng))
    }

    /// Returns a transition without effect from time to time, and whenever nothing else is enabled.
    /// Firing it repeats the letter.
    fn choose_without_effect(&mut self) -> Option<u32> {
        let neutral = self.machine.neutral();
        if neutral.is_empty() {
            return None;
        }
        let rng = &mut self.resources.rng;
        let now = self.machine.enabled().is_empty() || random_below(rng, 8) == 0;
        now.then(|| neutral[random_below(rng, neutral.len())])
    }

    fn choose_random(&mut self) -> Option<u32> {
        let enabled = self.machine.enabled();
        (!enabled.is_empty())
            .then(|| enabled.nth(random_below(&mut self.resources.rng, enabled.len())))
    }

    /// Returns, most of the time, a class that consumes from the place that received tokens last.
    fn choose_consumer(&mut self, given: Option<u32>) -> Option<u32> {
        let rng = &mut self.resources.rng;
        let arcs = self.net.consumers(PlaceId::new(given? as usize));
        if arcs.is_empty() || random_below(rng, 8) == 0 {
            return None;
        }
        let turn = random_below(rng, arcs.len());
        (0..arcs.len().min(16)).find_map(|at| {
            let transition = arcs[(turn + at) % arcs.len()].transition;
            let class = self.net.effect_of(transition).index() as u32;
            (self.machine.is_enabled(class) && !self.machine.is_without_effect(class))
                .then_some(class)
        })
    }

    /// Returns a transition that keeps the property, preferably one that leads towards an accepting
    /// component.
    fn choose_ahead(&mut self, position: usize, course: &mut WalkState) -> Option<u32> {
        let set = course.sets[position];
        if set == EMPTY_SET {
            // While following a given sequence, other properties may still be possible, but this
            // one is lost.
            return None;
        }
        course.target_set_and_firings.1 += 1;
        if course.target_set_and_firings.0 != set
            || course.target_set_and_firings.1 > MAX_FIRINGS_PER_TARGET
        {
            course.target_set_and_firings = (set, 0);
            let followed = self.followed[position].as_ref()?;
            let wanted =
                followed.subsets.conditions_towards_acceptance(set, &mut self.resources.rng);
            self.directed.begin_all(&self.machine, &wanted, &mut self.resources);
        }
        let mut left = None;
        for _ in 0..LOOKAHEAD_CANDIDATES {
            if self.machine.enabled().is_empty() {
                return None;
            }
            let class = self.directed.choose(&mut self.machine, &mut self.resources)?;
            let transition = self.machine.representative(class, &mut self.resources.rng);
            let letter = self.firing_letter(course.marking_letter, transition);
            let followed = self.followed[position].as_mut()?;
            let next = followed.subsets.successor(set, letter, &self.alphabet);
            if next == EMPTY_SET {
                continue;
            }
            if followed.has_firing_atoms || self.machine.enabled().len() == 1 {
                return Some(transition);
            }
            let distance = followed.subsets.distance(next);
            if !self.machine.fire(class) {
                continue;
            }
            self.firings += 1;
            let there = self.marking_letter();
            self.machine.fire_many(class, -1);
            let followed = self.followed[position].as_mut()?;
            let later = followed.subsets.successor(next, there, &self.alphabet);
            if later == EMPTY_SET {
                continue;
            }
            if followed.subsets.distance(later) <= distance {
                return Some(transition);
            }
            left = left.or(Some(transition));
        }
        left
    }

    /// Handles a dead marking, whose letter repeats forever.
    fn report_dead(&mut self, course: &WalkState, found: &mut RunSink<'_>) {
        for position in 0..course.sets.len() {
            if course.sets[position] == EMPTY_SET || !self.is_followed(position) {
                continue;
            }
            let Some(followed) = &mut self.followed[position] else { continue };
            let set = course.sets[position];
            if followed.subsets.accepts_repeated_letter(set, course.marking_letter, &self.alphabet)
            {
                self.report_run(position, course, course.history.len(), RunEnd::Dead, found);
            }
        }
    }

    /// Searches for cycles from here, for each property for which this was not tried often enough.
    fn search_cycles(&mut self, course: &mut WalkState, budget: &Budget, found: &mut RunSink<'_>) {
        let generous = 1 + self.rounds / 2;
        for position in 0..course.sets.len() {
            let set = course.sets[position];
            if set == EMPTY_SET || !self.is_followed(position) || budget.is_exhausted() {
                continue;
            }
            let tried = self
                .search_counts
                .entry((position as u32, set, course.marking_letter))
                .or_insert(0);
            if *tried >= generous {
                continue;
            }
            *tried += 1;
            if self.search_cycle(position, course, budget, found) {
                course.sets[position] = EMPTY_SET;
            }
        }
        // Once per combination of letter and sets. Repeated combinations are tried again in other
        // walks.
        course.is_quiet = true;
    }

    /// Like [`look_for_ends`](Self::look_for_ends) for one property. Returns true if a run was
    /// found.
    fn search_cycle(
        &mut self,
        position: usize,
        course: &WalkState,
        budget: &Budget,
        found: &mut RunSink<'_>,
    ) -> bool {
        let (set, here, at) = (course.sets[position], course.marking_letter, course.history.len());
        let Some(followed) = &mut self.followed[position] else { return false };
        let is_universal = followed.subsets.is_universal(set);
        let speaks_of_firings = followed.has_firing_atoms;
        let for_ever = !speaks_of_firings
            && followed.subsets.accepts_repeated_letter(set, here, &self.alphabet);
        let is_near = followed.subsets.distance(set) == 0;
        if is_universal && self.report_run(position, course, at, RunEnd::Anything, found) {
            return true;
        }
        if let (true, Some(&neutral)) = (is_universal || for_ever, self.machine.neutral().first()) {
            let end = RunEnd::Repeats(to_sequence(&[neutral]));
            return self.report_run(position, course, at, end, found);
        }
        let letters = match () {
            () if is_universal => AllowedLetters::Any,
            () if for_ever => AllowedLetters::Same,
            () if is_near => AllowedLetters::Accepted,
            () => return false,
        };
        let limit = 24usize << self.rounds.min(6);
        let cycle = self.find_cycle_by_return(position, set, here, letters, limit).or_else(|| {
            let start = CycleStart { position, set, here, allowed: letters };
            self.find_tour(start, FIRST_TOUR_FIRINGS << self.rounds.min(6), budget)
        });
        cycle.is_some_and(|cycle| {
            self.report_run(position, course, at, RunEnd::Repeats(to_sequence(&cycle)), found)
        })
    }

    /// Searches by random return for a cycle from here whose infinite repetition is accepted. The
    /// machine is unchanged afterwards.
    fn find_cycle_by_return(
        &mut self,
        position: usize,
        set: u32,
        here: u32,
        allowed: AllowedLetters,
        limit: usize,
    ) -> Option<Vec<u32>> {
        self.homing.begin();
        let (mut fired, mut letters) = (Vec::new(), Vec::new());
        let (mut now, mut at, mut refused, mut looks) = (set, here, 0, 0);
        let mut is_found = false;
        while fired.len() < limit && refused < 16 && !is_found {
            let transition = match self.choose_without_effect() {
                Some(neutral) => neutral,
                None => {
                    let rng = &mut self.resources.rng;
                    let Some(class) = self.homing.choose(&self.machine, rng) else { break };
                    self.machine.representative(class, rng)
                }
            };
            let class = self.machine.class_of(transition);
            let letter = self.firing_letter(at, transition);
            let followed = self.followed[position].as_mut()?;
            let next = match allowed {
                AllowedLetters::Accepted => followed.subsets.successor(now, letter, &self.alphabet),
                _ => now,
            };
            if next == EMPTY_SET || !self.machine.fire(class) {
                refused += 1;
                continue;
            }
            self.firings += 1;
            let there = self.marking_letter();
            let followed = self.followed[position].as_mut()?;
            let differs = followed.distinguishes(here, there, &self.alphabet);
            if allowed == AllowedLetters::Same && differs {
                self.machine.fire_many(class, -1);
                refused += 1;
                continue;
            }
            refused = 0;
            self.homing.fired(&self.machine, class, 1);
            fired.push(transition);
            letters.push(letter);
            (now, at) = (next, there);
            if self.homing.is_back(&followed.is_read_place) {
                looks += 1;
                is_found = allowed != AllowedLetters::Accepted
                    || looks < 16
                        && followed.subsets.accepts_repeated_letters(set, &letters, &self.alphabet);
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
    fn test_revisit(&mut self, course: &mut WalkState, found: &mut RunSink<'_>) {
        let at = course.history.len() as u32;
        let first = *course.first_visits.entry(course.marking_hash).or_insert(at);
        if first == at {
            return;
        }
        course.revisits += 1;
        // Later cycles from the same marking are longer and have read more letters.
        if course.revisits > 4 && !course.revisits.is_power_of_two() {
            return;
        }
        for position in 0..course.sets.len() {
            if course.sets[position] == EMPTY_SET || !self.is_followed(position) {
                continue;
            }
            let log = &course.set_changes[position];
            let before = log.partition_point(|&(since, _)| since <= first);
            let Some(&(_, set)) = log.get(before.wrapping_sub(1)) else { continue };
            let Some(followed) = &self.followed[position] else { continue };
            let letters = &course.letters[first as usize..];
            if followed.subsets.distance(set) > 0
                || !followed.subsets.accepts_repeated_letters(set, letters, &self.alphabet)
            {
                continue;
            }
            let end = RunEnd::Repeats(to_sequence(&course.history[first as usize..]));
            if self.report_run(position, course, first as usize, end, found) {
                course.sets[position] = EMPTY_SET;
            }
        }
    }

    /// Reports a run after checking it. Returns true if no other run is needed.
    fn report_run(
        &mut self,
        position: usize,
        course: &WalkState,
        firings: usize,
        end: RunEnd,
        found: &mut RunSink<'_>,
    ) -> bool {
        let Some(followed) = &mut self.followed[position] else { return false };
        let run = LassoRun { prefix: to_sequence(&course.history[..firings]), end };
        // The letters may decide more than the simple evaluation of prefixes, and marking hashes
        // may be equal by chance.
        if check_lasso(self.net, followed.property, &run, &mut || true).is_err() {
            return false;
        }
        followed.is_settled = found(position, run);
        followed.is_settled
    }
}

fn to_sequence(transitions: &[u32]) -> FiringSequence {
    transitions.iter().map(|&t| TransitionId::new(t as usize)).collect()
}
