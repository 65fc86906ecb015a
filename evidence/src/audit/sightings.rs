//! Goals that are reached along firing sequences.
//!
//! The [`Replayer`] fires a sequence, and at each stop the auditor evaluates the open goals. There
//! may be many goals, such as one per place or transition. So a goal is only evaluated again if a
//! place that it depends on has changed since the last stop.

use crate::depending::GoalIndex;
use crate::loops::{LoopReplayError, holds, replay_loops};
use crate::{Flaw, ReplayError, Replayer};
use parikh_net::{FiringSequence, FiringStep, LoopRun, Marking, Net, Predicate};

/// Goals, and for each of them whether a reachable marking that satisfies it was found.
#[derive(Debug)]
pub(super) struct ReachedGoals<'n> {
    /// The net whose markings are reached.
    net: &'n Net,
    /// The goals, by index.
    goals: Vec<Predicate>,
    /// One flag per goal: true if a reachable marking is known to satisfy it.
    reached: Vec<bool>,
    /// The open goals by the places that they depend on. Goals reached since may still be listed.
    index: GoalIndex,
}

impl<'n> ReachedGoals<'n> {
    /// Evaluates the goals in the initial marking.
    pub(super) fn new(net: &'n Net, goals: Vec<Predicate>) -> Self {
        let reached: Vec<bool> = goals.iter().map(|goal| goal.holds(net, net.initial())).collect();
        let mut index = GoalIndex::new(net.place_count());
        for (id, goal) in goals.iter().enumerate().filter(|&(id, _)| !reached[id]) {
            index.add(id, goal.support(net));
        }
        ReachedGoals { net, goals, reached, index }
    }

    /// Adds a goal and returns its index.
    pub(super) fn add(&mut self, goal: Predicate) -> usize {
        let number = self.goals.len();
        self.reached.push(goal.holds(self.net, self.net.initial()));
        if !self.reached[number] {
            self.index.add(number, goal.support(self.net));
        }
        self.goals.push(goal);
        number
    }

    /// Returns the number of goals that were reached.
    pub(super) fn reached_count(&self) -> usize {
        self.reached.iter().filter(|&&seen| seen).count()
    }

    /// Returns the number of goals that were reached, or 0 unless `matters`.
    pub(super) fn reached_count_if(&self, matters: bool) -> usize {
        if matters { self.reached_count() } else { 0 }
    }

    /// Returns the number of open goals.
    pub(super) fn open_count(&self) -> usize {
        self.reached.len() - self.reached_count()
    }

    /// Returns true if the goal with this index was reached.
    pub(super) fn is_reached(&self, number: usize) -> bool {
        self.reached[number]
    }

    /// Returns the goal with the given index.
    pub(super) fn goal(&self, number: usize) -> &Predicate {
        &self.goals[number]
    }

    /// Fires `sequence` from the initial marking and evaluates the goals at each of `stops`, which
    /// are ascending numbers of firings. The replay ends at the end of the sequence if `to_the_end`
    /// or if `stops` is empty, and otherwise at the last stop. If `to_the_end`, or if there are
    /// several goals, the goals are also evaluated after each step of the sequence, which fires one
    /// transition repeatedly.
    ///
    /// # Errors
    /// When the sequence cannot be fired, is too short, or `goes_on` returns false. Goals reached
    /// before the error stay reached.
    pub(super) fn evaluate_along(
        &mut self,
        sequence: &FiringSequence,
        stops: &[u64],
        to_the_end: bool,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), String> {
        let mut replayer = Replayer::new(self.net);
        let evaluates_each_step = to_the_end || self.goals.len() > 1;
        let last_stop = stops.last().copied().filter(|_| !to_the_end).unwrap_or(u64::MAX);
        let mut stops = stops.iter().copied().peekable();
        for step in sequence.steps() {
            let mut remaining = step.count;
            if !goes_on() {
                return Err(Flaw::Stopped.to_string());
            }
            while remaining > 0 && replayer.fired() < last_stop {
                while stops.next_if(|&stop| stop <= replayer.fired()).is_some() {}
                let stop = stops.peek().copied().unwrap_or(last_stop);
                let count = remaining.min(stop - replayer.fired());
                let part_of_step = FiringStep { transition: step.transition, count };
                replayer.fire(part_of_step).map_err(|error| error.to_string())?;
                remaining -= count;
                for change in self.net.delta(step.transition) {
                    self.index.note_change(change.place, |goal| !self.reached[goal]);
                }
                if evaluates_each_step || replayer.fired() == stop {
                    self.evaluate_changed(replayer.marking());
                }
            }
        }
        match stops.find(|&stop| stop > replayer.fired()) {
            Some(_) => Err(ReplayError::TooShort { firings: replayer.fired() }.to_string()),
            None => Ok(()),
        }
    }

    /// Fires a run with loops, that is, a firing sequence made of nested repeated blocks, from the
    /// initial marking. Evaluates the goals in the markings of the first round of each block. The
    /// later rounds of a block are applied as one sum.
    ///
    /// # Errors
    /// When the run cannot be fired, needs too much memory, or `goes_on` returns false. Goals
    /// reached before the error stay reached.
    pub(super) fn evaluate_along_loops(
        &mut self,
        run: &LoopRun,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), LoopReplayError> {
        let ReachedGoals { net, goals, reached: seen, index: depending } = self;
        let net: &Net = net;
        let mut evaluate = |marking: &_, places: &mut dyn Iterator<Item = _>, _: &_| {
            places.for_each(|place| depending.note_change(place, |goal| !seen[goal]));
            depending.evaluate_changed(|goal| seen[goal] = holds(net, &goals[goal], marking));
        };
        replay_loops(net, run, &mut evaluate, goes_on).map(|_| ())
    }

    /// Evaluates the open goals in a reachable marking.
    pub(super) fn evaluate_open(&mut self, marking: &Marking) {
        let ReachedGoals { net, goals, reached: seen, .. } = self;
        for (goal, seen) in goals.iter().zip(seen).filter(|(_, seen)| !**seen) {
            *seen = goal.holds(net, marking);
        }
    }

    /// Evaluates the open goals that read a place changed since their last evaluation.
    fn evaluate_changed(&mut self, marking: &Marking) {
        let ReachedGoals { net, goals, reached: seen, index: depending } = self;
        depending.evaluate_changed(|goal| seen[goal] = goals[goal].holds(net, marking));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn goals_are_seen_at_stops_and_at_the_ends_of_runs() {
        let net =
            text::parse("place p 9\nplace q\ntransition t: p -> q\ntransition u: q -> p").unwrap();
        let q = net.place_named("q").unwrap();
        let [t, u] = ["t", "u"].map(|name| net.transition_named(name).unwrap());
        let exactly =
            |n| Predicate::and([Predicate::at_least(q, n), Predicate::no_more_than(q, n)]);
        let mut sequence = FiringSequence::new();
        sequence.push(t, 6);
        sequence.push(u, 2);
        let seen = |sequence: &FiringSequence, stops: &[u64]| {
            let mut sightings = ReachedGoals::new(&net, (0..=9).map(exactly).collect());
            let result = sightings.evaluate_along(sequence, stops, stops.is_empty(), &mut || true);
            (result.is_ok(), sightings.reached)
        };
        let only = |these: &[usize]| (0..10).map(|n| these.contains(&n)).collect::<Vec<_>>();
        assert_eq!(seen(&sequence, &[]), (true, only(&[0, 4, 6])));
        assert_eq!(seen(&sequence, &[0]), (true, only(&[0])));
        assert_eq!(seen(&sequence, &[2, 3, 3]), (true, only(&[0, 2, 3])));
        assert_eq!(seen(&sequence, &[5, 7]), (true, only(&[0, 5, 6])));
        assert_eq!(seen(&sequence, &[8]), (true, only(&[0, 4, 6])));
        assert!(!seen(&sequence, &[9]).0);
        let mut both = ReachedGoals::new(&net, (0..=9).map(exactly).collect());
        both.evaluate_along(&sequence, &[2], true, &mut || true).unwrap();
        assert_eq!(both.reached, only(&[0, 2, 4, 6]));
        // A single goal is evaluated at the stops only.
        let one = |stops: &[u64]| {
            let mut sightings = ReachedGoals::new(&net, vec![exactly(6)]);
            sightings.evaluate_along(&sequence, stops, stops.is_empty(), &mut || true).unwrap();
            sightings.reached_count()
        };
        assert_eq!([one(&[]), one(&[8]), one(&[6]), one(&[3, 6, 7])], [1, 0, 1, 1]);
        sequence.push(u, 5);
        assert!(!seen(&sequence, &[13]).0, "the last firing of u is not enabled");
        assert_eq!(
            seen(&sequence, &[8]),
            (true, only(&[0, 4, 6])),
            "nobody asks for what comes after"
        );
    }
}
