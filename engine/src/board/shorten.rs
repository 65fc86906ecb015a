//! Shortening of witnesses: the first witness that an engine finds is often long.
//!
//! Four methods are tried within the time limit. A backward pass removes firings that nothing after
//! them needs ([`needed`]). *Loops* are cut: firings between two visits of the same
//! marking are removed. A breadth-first *search* of few markings starts again from the initial
//! marking; its result is shortest. Then blocks of firings are *dropped* on trial, with all firings
//! that depend on them. The checker replays the result from the initial marking of the net that was
//! read. The result is used only if it reaches the goal and is shorter. Pumps are shortened in the
//! same way ([`pump`]).

mod needed;
mod pump;

use super::{Board, Witness};
use parikh_evidence::replay;
use parikh_net::{FiringSequence, Goal, GoalId, Marking, Net, TransitionId};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The largest number of steps of a sequence that is shortened. A sequence that still has more
/// firings than this after the backward pass is not shortened further.
const MAX_SHORTENED_STEPS: u64 = 1_000_000;

/// The largest number of markings in a breadth-first search, unless the search is to prove that a
/// witness is shortest.
const MAX_VISITED_MARKINGS: usize = 30_000;
/// The largest number of token counts that a breadth-first search stores: markings times places. It
/// does not limit a search that is to prove that a witness is shortest.
const MAX_STORED_TOKEN_COUNTS: usize = 6_000_000;

/// The share of the elapsed time that shortening may take.
const SHORTENING_TIME_SHARE: f64 = 0.04;

/// The default minimum of the total time for shortening witnesses. It applies while the share of
/// the elapsed time is smaller. Together with `SHORTENING_TIME_SHARE` it is less than 5 % of any
/// noticeable run.
pub const MIN_SHORTENING_TIME: Duration = Duration::from_micros(500);

/// The time limit for a proof that a witness is shortest, if the analysis has no limit.
const PROVING_TIME_LIMIT: Duration = Duration::from_secs(60);

/// The settings and statistics of shortening, and the goals whose witnesses are known to be
/// shortest.
#[derive(Debug, Default)]
pub(super) struct ShorteningState {
    /// The start of the analysis; `None` if witnesses are not shortened.
    start_time: Option<Instant>,
    /// True if the board tries to prove that no shorter witness exists.
    proves_shortest: bool,
    /// The minimum of the total time for shortening, which applies when the share of the elapsed
    /// time is smaller.
    min_total_time: Duration,
    /// Nanoseconds spent, summed over threads.
    spent: AtomicU64,
    /// The number of witnesses for which shortening was tried.
    witness_count: AtomicU64,
    firings_before: AtomicU64,
    firings_after: AtomicU64,
    /// Goals whose witnesses are known to be shortest.
    shortest: Mutex<HashSet<GoalId>>,
}

impl ShorteningState {
    pub(super) fn new(proves_shortest: bool, min_total_time: Duration) -> ShorteningState {
        ShorteningState {
            start_time: Some(Instant::now()),
            proves_shortest,
            min_total_time,
            ..ShorteningState::default()
        }
    }

    /// Returns the time that may still be spent on shortening. Returns `None` if witnesses are not
    /// shortened.
    fn time(&self) -> Option<Duration> {
        let spent = Duration::from_nanos(self.spent.load(Ordering::Relaxed));
        Some(
            self.start_time?
                .elapsed()
                .mul_f64(SHORTENING_TIME_SHARE)
                .max(self.min_total_time)
                .saturating_sub(spent),
        )
    }

    /// Adds the time since `since` to the time spent.
    pub(super) fn spend(&self, since: Instant) {
        let took = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent.fetch_add(took, Ordering::Relaxed);
    }

    /// Counts a witness for which shortening was tried, with its firings before and after.
    fn note(&self, before: u64, after: u64) {
        tracing::debug!("a witness is shortened from {before} to {after} firings");
        self.witness_count.fetch_add(1, Ordering::Relaxed);
        self.firings_before.fetch_add(before, Ordering::Relaxed);
        self.firings_after.fetch_add(after, Ordering::Relaxed);
    }

    /// Returns a text with statistics: for how many witnesses shortening was tried, their firings
    /// before and after, and the time. Returns `None` if shortening was tried for no witness.
    /// Self-covering sequences are not counted.
    pub(super) fn summary(&self) -> Option<String> {
        let [tried, before, after] =
            [&self.witness_count, &self.firings_before, &self.firings_after]
                .map(|it| it.load(Ordering::Relaxed));
        let seconds = Duration::from_nanos(self.spent.load(Ordering::Relaxed)).as_secs_f64();
        let text = || {
            format!("{tried} witnesses, {before} firings before and {after} after, {seconds:.3} s")
        };
        (tried > 0).then(text)
    }

    /// Returns true if the goal's witness is known to be shortest, and false if this is unknown.
    /// Returns `None` if no such proofs are tried.
    pub(super) fn is_shortest(&self, goal: GoalId) -> Option<bool> {
        let shortest = self.shortest.lock().unwrap_or_else(PoisonError::into_inner);
        self.proves_shortest.then(|| shortest.contains(&goal))
    }
}

impl Board<'_> {
    /// Returns the time that may still be spent on shortening. Returns `None` if witnesses are not
    /// shortened, and for a coloured net.
    pub(super) fn time_to_shorten(&self) -> Option<Duration> {
        self.shortening.time().filter(|_| self.coloured.is_none())
    }

    /// Runs `shorter`, an engine's own method of shortening, with the time that it may use. Returns
    /// `None` if there is no time, witnesses are not shortened, the net is coloured, or the method
    /// finds nothing.
    pub(crate) fn shorter_within<T>(
        &self,
        shorter: impl FnOnce(Duration) -> Option<T>,
    ) -> Option<T> {
        let time = self.time_to_shorten().filter(|time| !time.is_zero())?;
        let start = Instant::now();
        let found = shorter(time);
        self.shortening.spend(start);
        found
    }

    /// Returns the given witness of the goal, or another witness that is shorter or known to be
    /// shortest. `end` is the end marking of the given witness. The end of another witness
    /// satisfies the predicate of the goal, or has at least the same value of the sum. For other
    /// kinds of goals, it equals `end`.
    pub(super) fn shortened(&self, goal: GoalId, witness: Witness, end: &Marking) -> Witness {
        let Some(mut time) = self.time_to_shorten() else { return witness };
        let Witness::Firings(sequence, firings) = &witness else { return witness };
        let shortening = &self.shortening;
        // A shortest witness is proved only for a reachability goal. A maximum gets a new witness
        // with each larger value, and a shorter witness of a home-space goal may lead to another
        // marking.
        let proves_shortest =
            shortening.proves_shortest && matches!(self.goal(goal), Goal::Reach(_));
        if proves_shortest {
            let left = self.checks.budget(true).remaining();
            time = left.map_or(PROVING_TIME_LIMIT, |left| left / 2);
        }
        if time.is_zero() || !self.is_open(goal) {
            return witness;
        }
        let (net, start) = (self.net, Instant::now());
        let target_goal = self.goal(goal);
        // For a home-space goal, the proof is about the end marking of the witness. So a shorter
        // witness must lead to this marking.
        let wanted = |marking: &Marking| match target_goal {
            Goal::Reach(predicate) => predicate.holds(net, marking),
            Goal::Maximise(sum) => sum.value(marking) >= sum.value(end),
            _ => marking == end,
        };
        let long = WitnessTarget { net, is_wanted: &wanted };
        let short = long.shorten(sequence, *firings, time, proves_shortest);
        shortening.spend(start);
        let firings_after = short.as_ref().map(|short| short.sequence.firings());
        let shortened_firings =
            firings_after.and_then(|left| u64::try_from(left).ok()).unwrap_or(*firings);
        shortening.note(*firings, shortened_firings);
        let Some(short) = short else { return witness };
        if short.is_shortest && proves_shortest {
            let mut shortest = shortening.shortest.lock().unwrap_or_else(PoisonError::into_inner);
            shortest.insert(goal);
        }
        let firings = u64::try_from(short.sequence.firings()).unwrap_or(u64::MAX);
        Witness::new(Arc::new(short.sequence), firings)
    }
}

/// Number of transition tests between two readings of the clock.
const TESTS_PER_CLOCK_READING: usize = 20_000;

/// Number of firings or steps between two readings of the clock.
const FIRINGS_PER_CLOCK_READING: usize = 512;

/// A time limit. The clock is read only after a certain number of transition tests.
struct Clock {
    deadline: Instant,
    tests_since_reading: usize,
}

impl Clock {
    fn until(until: Instant) -> Clock {
        Clock { deadline: until, tests_since_reading: 0 }
    }

    /// Adds a number of transition tests. Returns true if the clock is read after these tests and
    /// the time is over.
    fn is_over(&mut self, test_count: usize) -> bool {
        self.tests_since_reading += test_count;
        if self.tests_since_reading < TESTS_PER_CLOCK_READING {
            return false;
        }
        self.tests_since_reading = 0;
        Instant::now() >= self.deadline
    }
}

/// The net and the target of a witness to be shortened.
pub(super) struct WitnessTarget<'a> {
    /// The original net.
    pub(super) net: &'a Net,
    /// Returns true for a wanted marking, that is, a marking at which the shortened witness may
    /// end.
    pub(super) is_wanted: &'a dyn Fn(&Marking) -> bool,
}

/// A shortened witness.
#[derive(Debug)]
pub(super) struct ShortenedWitness {
    pub(super) sequence: FiringSequence,
    /// True if it is known that no shorter witness exists.
    pub(super) is_shortest: bool,
}

/// The result of a breadth-first search.
enum BreadthFirstResult {
    /// A shortest firing sequence to a wanted marking.
    Found(Vec<TransitionId>),
    /// All sequences with one to this many firings were tried, and none leads to a wanted marking.
    /// After a complete search the number is the search's length limit `less`, although only
    /// shorter sequences were tried.
    NoneWithin(u64),
}

impl WitnessTarget<'_> {
    /// Shortens the first `firings` firings of `sequence` within the time limit. If the last
    /// argument is true, the board tries to prove that the result is shortest. Then the
    /// breadth-first search may use half of the time instead of a third, and any number of
    /// markings. Returns `None` if the result is no shorter, unless it is known to be shortest.
    /// Also returns `None` if `firings` is 0, the sequence has more than [`MAX_SHORTENED_STEPS`]
    /// steps, or the result does not lead to a wanted marking.
    pub(super) fn shorten(
        &self,
        sequence: &FiringSequence,
        firings: u64,
        time: Duration,
        proves_shortest: bool,
    ) -> Option<ShortenedWitness> {
        if firings == 0 || sequence.steps().len() as u64 > MAX_SHORTENED_STEPS {
            return None;
        }
        let until = Instant::now() + time;
        let mut whole = sequence.clone();
        whole.truncate(firings);
        let needed = self.without_unneeded(&whole, until);
        let is_shorter = needed.is_some();
        let reduced_sequence = needed.unwrap_or(whole);
        if reduced_sequence.firings() > u128::from(MAX_SHORTENED_STEPS) {
            return is_shorter
                .then_some(ShortenedWitness { sequence: reduced_sequence, is_shortest: false });
        }
        let long = one_by_one(&reduced_sequence);
        let mut short = self.without_loops(&long, until).unwrap_or_else(|| long.clone());
        if let Some(fewer) = self.without_unneeded(&short.iter().copied().collect(), until) {
            short = one_by_one(&fewer);
        }
        let (max_visited, search_time) = match proves_shortest {
            true => (usize::MAX, time / 2),
            false => (MAX_VISITED_MARKINGS, time / 3),
        };
        let is_shortest =
            match self.search_breadth_first(short.len(), max_visited, Instant::now() + search_time)
            {
                BreadthFirstResult::Found(found) => {
                    short = found;
                    true
                }
                BreadthFirstResult::NoneWithin(firings) if firings >= short.len() as u64 => true,
                BreadthFirstResult::NoneWithin(_) => {
                    short = self.drop_on_trial(short, until);
                    false
                }
            };
        if short.len() as u64 >= firings && !is_shortest {
            return None;
        }
        let sequence: FiringSequence = short.into_iter().collect();
        let end = replay(self.net, &sequence).ok()?;
        (self.is_wanted)(&end).then_some(ShortenedWitness { sequence, is_shortest })
    }

    /// Removes the firings between two visits of the same marking, and those after the first wanted
    /// marking. Markings are compared by hash only, so the caller must replay the result. At the
    /// time `until`, the firings not yet examined are kept. Returns `None` if the firings do not
    /// replay.
    fn without_loops(&self, firings: &[TransitionId], until: Instant) -> Option<Vec<TransitionId>> {
        let net = self.net;
        let mut marking = net.initial().clone();
        let mut hash = 0_u64;
        let mut seen = HashMap::from([(hash, 0_usize)]);
        let mut kept: Vec<(TransitionId, u64)> = Vec::new();
        for (at, &t) in firings.iter().enumerate() {
            if (self.is_wanted)(&marking) {
                break;
            }
            if at % FIRINGS_PER_CLOCK_READING == FIRINGS_PER_CLOCK_READING - 1
                && Instant::now() >= until
            {
                kept.extend(firings[at..].iter().map(|&t| (t, 0)));
                break;
            }
            net.fire(&mut marking, t).ok()?;
            for change in net.effect(net.effect_of(t)) {
                hash = hash.wrapping_add(
                    (change.delta as u64).wrapping_mul(place_hash(change.place.index())),
                );
            }
            kept.push((t, hash));
            if let Some(&before) = seen.get(&hash) {
                for (_, hash) in kept.drain(before..) {
                    // The marking to which the loop returns is inserted again below.
                    seen.remove(&hash);
                }
            }
            seen.insert(hash, kept.len());
        }
        Some(kept.into_iter().map(|(t, _)| t).collect())
    }

    /// Searches breadth-first for a wanted marking, by sequences with fewer than `less` firings.
    /// Sequences with one firing are tried for any `less`. The initial marking is not tested. Stops
    /// after about `visited` markings, after [`MAX_STORED_TOKEN_COUNTS`] token counts, or at the
    /// time `until`. If `visited` is `usize::MAX`, only the time limits the search.
    fn search_breadth_first(
        &self,
        less: usize,
        visited: usize,
        until: Instant,
    ) -> BreadthFirstResult {
        let net = self.net;
        let max_markings =
            visited.min(MAX_STORED_TOKEN_COUNTS.max(visited / 4) / net.place_count().max(1));
        // Entries: marking, index of its predecessor, and the transition that leads from there to
        // it.
        let mut markings: Vec<(Marking, usize, TransitionId)> = Vec::new();
        let begin = (net.initial().clone(), 0, TransitionId::new(0));
        let mut seen: HashSet<Marking> = HashSet::from([net.initial().clone()]);
        markings.push(begin);
        let (mut at, mut depth, mut layer_ends) = (0, 0_u64, 1);
        let mut clock = Clock::until(until);
        while at < markings.len() {
            if at == layer_ends {
                depth += 1;
                layer_ends = markings.len();
                if depth + 1 >= less as u64 {
                    break;
                }
            }
            for t in net.transitions() {
                if !net.is_enabled(&markings[at].0, t) {
                    continue;
                }
                let mut next = markings[at].0.clone();
                // Copying a marking costs as much as several transition tests.
                if clock.is_over(net.place_count()) {
                    return BreadthFirstResult::NoneWithin(depth);
                }
                if net.fire(&mut next, t).is_err() || !seen.insert(next.clone()) {
                    continue;
                }
                let is_wanted = (self.is_wanted)(&next);
                markings.push((next, at, t));
                if is_wanted {
                    return BreadthFirstResult::Found(firings_to_last(&markings));
                }
                if markings.len() >= max_markings {
                    return BreadthFirstResult::NoneWithin(depth);
                }
            }
            at += 1;
            if clock.is_over(net.transition_count()) {
                return BreadthFirstResult::NoneWithin(depth);
            }
        }
        // No sequence of fewer than `less` firings, but at least one, leads to a wanted marking.
        BreadthFirstResult::NoneWithin(less as u64)
    }

    /// Removes blocks of firings by trial, as long as the rest leads to a wanted marking. The
    /// blocks have half of the firings, then a quarter, and so on down to single firings. Stops at
    /// the time `until`.
    fn drop_on_trial(&self, mut firings: Vec<TransitionId>, until: Instant) -> Vec<TransitionId> {
        let mut size = firings.len().div_ceil(2);
        while size > 0 {
            let mut from = firings.len();
            while from > 0 {
                if Instant::now() >= until {
                    return firings;
                }
                let begin = from.saturating_sub(size);
                if let Some(fewer) = self.without_range(&firings, begin, from.min(firings.len())) {
                    firings = fewer;
                }
                from = begin.min(firings.len());
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        firings
    }

    /// Removes the firings with indices from `begin` to `end` − 1, and later firings that are then
    /// disabled. Also removes the firings after the first wanted marking from index `end` on.
    /// Returns `None` if no firing is removed, the result does not end in a wanted marking, or a
    /// place would get too many tokens.
    fn without_range(
        &self,
        firings: &[TransitionId],
        begin: usize,
        end: usize,
    ) -> Option<Vec<TransitionId>> {
        let mut marking = self.net.initial().clone();
        let mut kept = Vec::with_capacity(firings.len());
        for (at, &t) in firings.iter().enumerate() {
            if (begin..end).contains(&at) || !self.net.is_enabled(&marking, t) {
                continue;
            }
            self.net.fire(&mut marking, t).ok()?;
            kept.push(t);
            if at >= end && (self.is_wanted)(&marking) {
                break;
            }
        }
        (kept.len() < firings.len() && (self.is_wanted)(&marking)).then_some(kept)
    }
}

/// Lists the firings one by one. The caller must ensure that there are not too many.
fn one_by_one(sequence: &FiringSequence) -> Vec<TransitionId> {
    let firings = sequence.steps().iter().flat_map(|step| {
        std::iter::repeat_n(step.transition, usize::try_from(step.count).unwrap_or(usize::MAX))
    });
    firings.collect()
}

/// Returns the firings that lead to the last of the markings. An entry has a marking, the index of
/// its predecessor, and the transition between them.
fn firings_to_last(markings: &[(Marking, usize, TransitionId)]) -> Vec<TransitionId> {
    let mut firings = Vec::new();
    let mut index = markings.len() - 1;
    while index > 0 {
        firings.push(markings[index].2);
        index = markings[index].1;
    }
    firings.reverse();
    firings
}

/// Returns an odd pseudo-random number, which depends only on the place. Hashes of markings use it
/// as the place's factor.
fn place_hash(place: usize) -> u64 {
    let mut x = (place as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn fired(net: &Net, names: &str) -> FiringSequence {
        names.split(' ').map(|name| net.transition_named(name).unwrap()).collect()
    }

    /// Returns the length after shortening a sequence to a token on `goal`, and whether it is known
    /// to be shortest.
    fn shortened(net: &Net, names: &str, time: Duration) -> Option<(u128, bool)> {
        let goal = net.place_named("goal").unwrap();
        let wanted = |marking: &Marking| marking[goal] > 0;
        let sequence = fired(net, names);
        let firings = u64::try_from(sequence.firings()).unwrap();
        let short =
            WitnessTarget { net, is_wanted: &wanted }.shorten(&sequence, firings, time, false)?;
        assert!(wanted(&replay(net, &short.sequence).unwrap()));
        Some((short.sequence.firings(), short.is_shortest))
    }

    const NET: &str = "place p 1\nplace q\nplace goal\nplace other 9\nplace rest\n\
                       transition there: p -> q\ntransition back: q -> p\n\
                       transition end: q -> goal\ntransition aside: other -> rest";

    #[test]
    fn loops_and_unneeded_firings_are_removed() {
        let net = text::parse(NET).unwrap();
        let long = "aside there back aside there aside back there end aside aside";
        assert_eq!(shortened(&net, long, Duration::from_secs(10)), Some((2, true)));
        // Without time for a search, only the trials may find something.
        let goal = net.place_named("goal").unwrap();
        let wanted = |marking: &Marking| marking[goal] > 0;
        let target = WitnessTarget { net: &net, is_wanted: &wanted };
        let firings: Vec<TransitionId> = fired(&net, "aside there aside end")
            .steps()
            .iter()
            .map(|step| step.transition)
            .collect();
        let until = Instant::now() + Duration::from_secs(10);
        assert_eq!(target.drop_on_trial(firings, until).len(), 2);
        let looped: Vec<TransitionId> = fired(&net, "there back there end")
            .steps()
            .iter()
            .map(|step| step.transition)
            .collect();
        assert_eq!(target.without_loops(&looped, until).unwrap().len(), 2);
    }

    #[test]
    fn shortest_sequences_are_known_to_be_shortest() {
        let net = text::parse(NET).unwrap();
        assert_eq!(shortened(&net, "there end", Duration::from_secs(10)), Some((2, true)));
        assert!(shortened(&net, "there end", Duration::ZERO).is_none_or(|(len, _)| len == 2));
    }
}
