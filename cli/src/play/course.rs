//! The trace that `next` follows: firings one by one, and then the repeated suffix.

use parikh_net::TransitionId;
use parikh_net::printable::counted;

/// The firings of a trace, and the number of firings already followed.
pub(super) struct FollowedTrace {
    /// The firings of the prefix.
    prefix: Vec<TransitionId>,
    /// The firings of the repeated suffix. Empty if nothing repeats.
    cycle: Vec<TransitionId>,
    /// The number of firings followed, over all repetitions.
    followed: usize,
}

impl FollowedTrace {
    pub(super) fn new(prefix: Vec<TransitionId>, cycle: Vec<TransitionId>) -> Self {
        FollowedTrace { prefix, cycle, followed: 0 }
    }

    pub(super) fn followed(&self) -> usize {
        self.followed
    }

    /// Sets the number of firings followed.
    pub(super) fn set_followed(&mut self, firings: usize) {
        self.followed = firings;
    }

    /// Returns the firing at a position. Positions after the prefix run through the repeated suffix
    /// again and again. Returns `None` after the prefix if nothing repeats.
    fn firing_at(&self, position: usize) -> Option<TransitionId> {
        match position.checked_sub(self.prefix.len()) {
            None => Some(self.prefix[position]),
            Some(_) if self.cycle.is_empty() => None,
            Some(in_cycle) => Some(self.cycle[in_cycle % self.cycle.len()]),
        }
    }

    /// Returns the next firings, at most `times`, or fewer if the trace ends before.
    pub(super) fn next(&self, times: usize) -> Vec<TransitionId> {
        (self.followed..self.followed + times)
            .map_while(|position| self.firing_at(position))
            .collect()
    }

    /// Returns the number of firings that `next all` follows: to the end of the prefix, or to the
    /// end of the current repetition.
    pub(super) fn remaining_firings(&self) -> usize {
        match self.followed.checked_sub(self.prefix.len()) {
            None => self.prefix.len() - self.followed,
            Some(_) if self.cycle.is_empty() => 0,
            Some(in_cycle) => self.cycle.len() - in_cycle % self.cycle.len(),
        }
    }

    /// Describes how far the trace was followed, and the next firing.
    pub(super) fn progress_text(&self, name: impl Fn(TransitionId) -> String) -> String {
        let Some(t) = self.firing_at(self.followed) else {
            return format!("end of the trace, after {}", counted(self.prefix.len(), "firing"));
        };
        let (next, cycle_length) = (name(t), self.cycle.len());
        let Some(in_cycle) = self.followed.checked_sub(self.prefix.len()) else {
            return format!("trace {} of {}, next: {next}", self.followed, self.prefix.len());
        };
        match (in_cycle / cycle_length, in_cycle % cycle_length) {
            (0, 0) => format!(
                "start of the cycle of {}, which can repeat forever, next: {next}",
                counted(cycle_length, "firing")
            ),
            (rounds, 0) => format!(
                "{} through the cycle of {}, next: {next}",
                counted(rounds, "time"),
                counted(cycle_length, "firing")
            ),
            (rounds, position) => {
                format!("cycle {position} of {cycle_length}, round {}, next: {next}", rounds + 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_is_followed_once_and_the_cycle_forever() {
        let [s, x, y] = [0, 1, 2].map(TransitionId::new);
        let name = |t: TransitionId| ["s", "x", "y"][t.index()].to_owned();
        let mut course = FollowedTrace::new(vec![s], vec![x, y]);
        assert_eq!(
            (course.remaining_firings(), course.progress_text(name)),
            (1, "trace 0 of 1, next: s".into())
        );
        assert_eq!(course.next(6), [s, x, y, x, y, x]);
        course.set_followed(1);
        let begins = "start of the cycle of 2 firings, which can repeat forever, next: x";
        assert_eq!((course.remaining_firings(), course.progress_text(name)), (2, begins.into()));
        course.set_followed(2);
        assert_eq!(
            (course.remaining_firings(), course.progress_text(name)),
            (1, "cycle 1 of 2, round 1, next: y".into())
        );
        course.set_followed(3);
        assert_eq!(course.progress_text(name), "1 time through the cycle of 2 firings, next: x");
        course.set_followed(6);
        assert_eq!(course.progress_text(name), "cycle 1 of 2, round 3, next: y");
    }

    #[test]
    fn a_trace_without_a_loop_has_an_end() {
        let mut course = FollowedTrace::new(vec![TransitionId::new(0)], Vec::new());
        assert_eq!(course.next(5).len(), 1);
        course.set_followed(1);
        assert_eq!((course.remaining_firings(), course.next(5).len()), (0, 0));
        assert_eq!(course.progress_text(|_| String::new()), "end of the trace, after 1 firing");
    }
}
