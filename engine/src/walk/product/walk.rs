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
/// Number of candidates of a walk with one-step lookahead.
const AHEAD: usize = 6;
/// Limit on the number of firings towards one target letter.
const PATIENCE: usize = 64;

/// Number of firings tried per cycle search in the first round. It grows in later rounds.
const TOURS: usize = 256;

/// The state of a walk.
struct WalkState {
    /// The fired transitions.
    history: Vec<u32>,
    /// The letters read, indexed by firing.
    letters: Vec<u32>,
    /// The sets of automaton states, indexed by property.
    sets: Vec<u32>,
    /// For each property, the positions at which its set changed, with the new set.
    log: Vec<Vec<(u32, u32)>>,
    /// For each marking hash, the first position with this hash.
    met: HashMap<u64, u32>,
    name: u64,
    /// Number of times that a marking was visited again.
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

/// A callback that receives runs, and returns true if no other run is needed.
pub(super) type Sink<'s> = dyn FnMut(usize, LassoRun) -> bool + 's;

impl ProductWalk<'_> {
    /// Walks from the initial marking, with at most `limit` firings.
    pub(super) fn walk_once(
        &mut self,
        manner: WalkKind,
        limit: usize,
        budget: &Budget,
        found: &mut Sink<'_>,
    ) {
        let mut course = self.begin(manner);
        self.walk_on(manner, limit, &mut course, budget, found);
        // Restarting touches a few cells per firing, or every cell.
        if course.history.len() * 8 < self.machine.compiled.cells() {
            self.machine.restart_after(course.history.iter().copied());
        } else {
            self.machine.restart();
        }
    }

    fn walk_on(
        &mut self,
        manner: WalkKind,
        limit: usize,
        course: &mut WalkState,
        budget: &Budget,
        found: &mut Sink<'_>,
    ) {
        for _ in 0..limit {
            if self.is_over(self.firings.is_multiple_of(POLLING), budget) {
                break;
            }
            if !self.look_around(course, budget, found) {
                break;
            }
            let Some(transition) = self.choose(manner, course) else { break };
            if !self.go(course, transition) {
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
        found: &mut Sink<'_>,
    ) {
        let mut course = self.begin(WalkKind::Blind);
        let steps = way.steps().iter();
        let mut firings = steps.flat_map(|step| {
            std::iter::repeat_n(step.transition.index() as u32, step.count as usize)
        });
        let came = loop {
            if self.is_over(self.firings.is_multiple_of(POLLING), budget)
                || !self.look_around(&mut course, budget, found)
            {
                break false;
            }
            match firings.next() {
                Some(transition) if self.go(&mut course, transition) => {}
                Some(_) => break false,
                None => break true,
            }
        };
        let left: Vec<usize> =
            (0..course.sets.len()).filter(|&at| course.sets[at] != NOTHING).collect();
        if came && !left.is_empty() {
            let position = left[below(&mut self.resources.rng, left.len())];
            self.walk_on(WalkKind::Solo(position), limit, &mut course, budget, found);
        }
        self.machine.restart();
    }

    /// Reads the letter and searches for infinite continuations. Returns false if no property is
    /// left.
    fn look_around(
        &mut self,
        course: &mut WalkState,
        budget: &Budget,
        found: &mut Sink<'_>,
    ) -> bool {
        course.here = self.letter_here();
        if self.machine.is_dead() {
            self.end_dead(course, found);
            return false;
        }
        if !course.is_quiet {
            self.look_for_ends(course, budget, found);
        }
        self.look_back(course, found);
        course.sets.iter().any(|&set| set != NOTHING)
    }

    fn begin(&mut self, manner: WalkKind) -> WalkState {
        let set = |at: usize| match manner {
            _ if !self.is_followed(at) => NOTHING,
            WalkKind::Solo(only) if only != at => NOTHING,
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

    /// Reads the letter and fires. Returns false if a number would overflow.
    fn go(&mut self, course: &mut WalkState, transition: u32) -> bool {
        let letter = self.letter_with(course.here, transition);
        let class = self.machine.class_of(transition);
        let flipped = self.machine.flipped;
        if !self.machine.fire(class) {
            return false;
        }
        self.firings += 1;
        self.patience += 1 + self.counted_since(flipped);
        let is_same = course.letters.last() == Some(&letter);
        course.history.push(transition);
        course.letters.push(letter);
        let mut changes = false;
        if !is_same || !course.is_stable {
            course.is_stable = true;
            let at = course.history.len() as u32;
            for (position, set) in course.sets.iter_mut().enumerate() {
                let Some(followed) = &mut self.followed[position] else { continue };
                if *set == NOTHING {
                    continue;
                }
                let next = match followed.is_gone {
                    true => NOTHING,
                    false => followed.subsets.after(*set, letter, &self.alphabet),
                };
                if next != *set {
                    *set = next;
                    course.log[position].push((at, next));
                    course.is_stable = false;
                    changes = true;
                }
            }
        }
        self.machine.news.clear();
        changes |=
            self.alphabet.bits(course.here)[..self.machine.truths.len()] != self.machine.truths[..];
        course.is_quiet &= !changes;
        course.name = course.name.wrapping_add(self.names[class as usize]);
        let changes = self.machine.compiled.changes_of(class);
        let places = self.net.place_count() as u32;
        let given = changes.iter().rev().find(|change| change.delta > 0 && change.cell < places);
        course.given = given.map(|change| change.cell);
        true
    }

    fn choose(&mut self, manner: WalkKind, course: &mut WalkState) -> Option<u32> {
        if let Some(neutral) = self.neutral() {
            return Some(neutral);
        }
        let class = match manner {
            WalkKind::Solo(position) => return self.choose_ahead(position, course),
            WalkKind::Chase => self.chased(course.given),
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
        let now = self.machine.enabled().is_empty() || below(rng, 8) == 0;
        now.then(|| neutral[below(rng, neutral.len())])
    }

    fn any(&mut self) -> Option<u32> {
        let enabled = self.machine.enabled();
        (!enabled.is_empty()).then(|| enabled.nth(below(&mut self.resources.rng, enabled.len())))
    }

    /// Returns, most of the time, a class that consumes from the place that received tokens last.
    fn chased(&mut self, given: Option<u32>) -> Option<u32> {
        let rng = &mut self.resources.rng;
        let arcs = self.net.consumers(PlaceId::new(given? as usize));
        if arcs.is_empty() || below(rng, 8) == 0 {
            return None;
        }
        let turn = below(rng, arcs.len());
        (0..arcs.len().min(16)).find_map(|at| {
            let transition = arcs[(turn + at) % arcs.len()].transition;
            let class = self.net.effect_of(transition).index() as u32;
            (self.machine.is_live(class) && !self.machine.is_neutral(class)).then_some(class)
        })
    }

    /// Returns a transition that keeps the property, preferably one that leads towards an accepting
    /// component.
    fn choose_ahead(&mut self, position: usize, course: &mut WalkState) -> Option<u32> {
        let set = course.sets[position];
        if set == NOTHING {
            // While following a given sequence, other properties may still be possible, but this
            // one is lost.
            return None;
        }
        course.aimed.1 += 1;
        if course.aimed.0 != set || course.aimed.1 > PATIENCE {
            course.aimed = (set, 0);
            let followed = self.followed[position].as_ref()?;
            let wanted = followed.subsets.wanted(set, &mut self.resources.rng);
            self.directed.begin_all(&self.machine, &wanted, &mut self.resources);
        }
        let mut left = None;
        for _ in 0..AHEAD {
            if self.machine.enabled().is_empty() {
                return None;
            }
            let class = self.directed.choose(&mut self.machine, &mut self.resources)?;
            let transition = self.machine.representative(class, &mut self.resources.rng);
            let letter = self.letter_with(course.here, transition);
            let followed = self.followed[position].as_mut()?;
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
            let there = self.letter_here();
            self.machine.fire_many(class, -1);
            let followed = self.followed[position].as_mut()?;
            let later = followed.subsets.after(next, there, &self.alphabet);
            if later == NOTHING {
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
    fn end_dead(&mut self, course: &WalkState, found: &mut Sink<'_>) {
        for position in 0..course.sets.len() {
            if course.sets[position] == NOTHING || !self.is_followed(position) {
                continue;
            }
            let Some(followed) = &mut self.followed[position] else { continue };
            let set = course.sets[position];
            if followed.subsets.accepts_for_ever(set, course.here, &self.alphabet) {
                self.report(position, course, course.history.len(), RunEnd::Dead, found);
            }
        }
    }

    /// Searches for cycles from here, for each property for which this was not tried often enough.
    fn look_for_ends(&mut self, course: &mut WalkState, budget: &Budget, found: &mut Sink<'_>) {
        let generous = 1 + self.rounds / 2;
        for position in 0..course.sets.len() {
            let set = course.sets[position];
            if set == NOTHING || !self.is_followed(position) || budget.is_exhausted() {
                continue;
            }
            let tried = self.tried.entry((position as u32, set, course.here)).or_insert(0);
            if *tried >= generous {
                continue;
            }
            *tried += 1;
            if self.look_for_end(position, course, budget, found) {
                course.sets[position] = NOTHING;
            }
        }
        // Once per combination of letter and sets. Repeated combinations are tried again in other
        // walks.
        course.is_quiet = true;
    }

    /// Like [`look_for_ends`](Self::look_for_ends) for one property. Returns true if a run was
    /// found.
    fn look_for_end(
        &mut self,
        position: usize,
        course: &WalkState,
        budget: &Budget,
        found: &mut Sink<'_>,
    ) -> bool {
        let (set, here, at) = (course.sets[position], course.here, course.history.len());
        let Some(followed) = &mut self.followed[position] else { return false };
        let is_universal = followed.subsets.is_universal(set);
        let speaks_of_firings = followed.speaks_of_firings;
        let for_ever =
            !speaks_of_firings && followed.subsets.accepts_for_ever(set, here, &self.alphabet);
        let is_near = followed.subsets.distance(set) == 0;
        if is_universal && self.report(position, course, at, RunEnd::Anything, found) {
            return true;
        }
        if let (true, Some(&neutral)) = (is_universal || for_ever, self.machine.neutral().first()) {
            let end = RunEnd::Repeats(sequence(&[neutral]));
            return self.report(position, course, at, end, found);
        }
        let letters = match () {
            () if is_universal => Letters::Any,
            () if for_ever => Letters::Same,
            () if is_near => Letters::Accepted,
            () => return false,
        };
        let limit = 24usize << self.rounds.min(6);
        let cycle = self.find_loop(position, set, here, letters, limit).or_else(|| {
            let start = Start { position, set, here, allowed: letters };
            self.find_tour(start, TOURS << self.rounds.min(6), budget)
        });
        cycle.is_some_and(|cycle| {
            self.report(position, course, at, RunEnd::Repeats(sequence(&cycle)), found)
        })
    }

    /// Searches by random return for a cycle from here whose infinite repetition is accepted. The
    /// machine is unchanged afterwards.
    fn find_loop(
        &mut self,
        position: usize,
        set: u32,
        here: u32,
        allowed: Letters,
        limit: usize,
    ) -> Option<Vec<u32>> {
        self.homing.begin();
        let (mut fired, mut letters) = (Vec::new(), Vec::new());
        let (mut now, mut at, mut refused, mut looks) = (set, here, 0, 0);
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
            let letter = self.letter_with(at, transition);
            let followed = self.followed[position].as_mut()?;
            let next = match allowed {
                Letters::Accepted => followed.subsets.after(now, letter, &self.alphabet),
                _ => now,
            };
            if next == NOTHING || !self.machine.fire(class) {
                refused += 1;
                continue;
            }
            self.firings += 1;
            let there = self.letter_here();
            let followed = self.followed[position].as_mut()?;
            let differs = followed.tells_apart(here, there, &self.alphabet);
            if allowed == Letters::Same && differs {
                self.machine.fire_many(class, -1);
                refused += 1;
                continue;
            }
            refused = 0;
            self.homing.fired(&self.machine, class, 1);
            fired.push(transition);
            letters.push(letter);
            (now, at) = (next, there);
            if self.homing.is_back(&followed.looked_at) {
                looks += 1;
                is_found = allowed != Letters::Accepted
                    || looks < 16
                        && followed.subsets.accepts_again_and_again(set, &letters, &self.alphabet);
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
    fn look_back(&mut self, course: &mut WalkState, found: &mut Sink<'_>) {
        let at = course.history.len() as u32;
        let first = *course.met.entry(course.name).or_insert(at);
        if first == at {
            return;
        }
        course.again += 1;
        // Later cycles from the same marking are longer and have read more letters.
        if course.again > 4 && !course.again.is_power_of_two() {
            return;
        }
        for position in 0..course.sets.len() {
            if course.sets[position] == NOTHING || !self.is_followed(position) {
                continue;
            }
            let log = &course.log[position];
            let before = log.partition_point(|&(since, _)| since <= first);
            let Some(&(_, set)) = log.get(before.wrapping_sub(1)) else { continue };
            let Some(followed) = &self.followed[position] else { continue };
            let letters = &course.letters[first as usize..];
            if followed.subsets.distance(set) > 0
                || !followed.subsets.accepts_again_and_again(set, letters, &self.alphabet)
            {
                continue;
            }
            let end = RunEnd::Repeats(sequence(&course.history[first as usize..]));
            if self.report(position, course, first as usize, end, found) {
                course.sets[position] = NOTHING;
            }
        }
    }

    /// Reports a run after checking it. Returns true if no other run is needed.
    fn report(
        &mut self,
        position: usize,
        course: &WalkState,
        firings: usize,
        end: RunEnd,
        found: &mut Sink<'_>,
    ) -> bool {
        let Some(followed) = &mut self.followed[position] else { return false };
        let run = LassoRun { prefix: sequence(&course.history[..firings]), end };
        // The letters may decide more than the simple evaluation of prefixes, and marking hashes
        // may be equal by chance.
        if check_lasso(self.net, followed.property, &run, &mut || true).is_err() {
            return false;
        }
        followed.is_gone = found(position, run);
        followed.is_gone
    }
}

fn sequence(transitions: &[u32]) -> FiringSequence {
    transitions.iter().map(|&t| TransitionId::new(t as usize)).collect()
}
