//! Shortening of pumps: cycles that add tokens, and the prefix before them.
//!
//! A breadth-first search from the initial marking looks for a marking that covers an earlier one
//! on its own path. The sum must be larger at the later marking. The search keeps one path to each
//! marking. If it finds nothing within its limits, blocks of firings are dropped from the cycle.
//! The remaining cycle must lose nothing, increase the sum, and be able to fire. The prefix is
//! shortened like any witness, with the target "the cycle can be fired". The result is checked like
//! any pump.

use super::{
    Clock, MAX_SHORTENED_STEPS, MAX_STORED_TOKEN_COUNTS, MAX_VISITED_MARKINGS, WitnessTarget,
    one_by_one,
};
use crate::board::Board;
use parikh_evidence::check_pumping;
use parikh_net::{
    FiringSequence, GoalId, LinearSum, Marking, Net, PlaceId, PumpSequence, TransitionId,
};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

impl Board<'_> {
    /// Returns a pump that increases the sum: `pumping`, or a shorter pump if one is found in time.
    /// A pump is a prefix with a cycle that can be repeated forever and adds tokens. A pump in
    /// several stages has several such cycles. It is replaced by a pump with a single cycle, if the
    /// search finds one.
    pub(in crate::board) fn shortened_pump(
        &self,
        goal: GoalId,
        sum: &LinearSum,
        pumping: PumpSequence,
    ) -> PumpSequence {
        let Some(time) = self.time_to_shorten() else { return pumping };
        if time.is_zero() || !self.is_open(goal) {
            return pumping;
        }
        let start = Instant::now();
        let growing = PumpTarget { net: self.net, sum };
        let short = match pumping.only() {
            Some(stage) => match (flat(&stage.prefix), flat(&stage.pump)) {
                (Some(prefix), Some(pump)) => growing.shorten(&prefix, &pump, time),
                _ => None,
            },
            // A single cycle is easier to follow than several stages.
            None => growing.search_breadth_first(usize::MAX, start + time),
        };
        self.shortening.spend(start);
        let Some((prefix, pump)) = short else { return pumping };
        let short = PumpSequence::single(prefix.into_iter().collect(), pump.into_iter().collect());
        match check_pumping(self.net, &short) {
            Ok(growth) if growth.grows(sum) => short,
            _ => pumping,
        }
    }
}

/// Lists the firings one by one. Returns `None` if there are more than [`MAX_SHORTENED_STEPS`].
fn flat(sequence: &FiringSequence) -> Option<Vec<TransitionId>> {
    (sequence.firings() <= u128::from(MAX_SHORTENED_STEPS)).then(|| one_by_one(sequence))
}

/// The firings before a cycle, and the firings of the cycle.
type PrefixAndPump = (Vec<TransitionId>, Vec<TransitionId>);

/// The net of a pump, and the sum that the pump must increase.
struct PumpTarget<'a> {
    net: &'a Net,
    sum: &'a LinearSum,
}

impl PumpTarget<'_> {
    /// Shortens a pump and the prefix before it within the time limit. Returns `None` if the two
    /// together do not become shorter, or the prefix cannot be fired.
    fn shorten(
        &self,
        prefix: &[TransitionId],
        pump: &[TransitionId],
        time: Duration,
    ) -> Option<PrefixAndPump> {
        let (begun, until) = (Instant::now(), Instant::now() + time);
        let long = prefix.len() + pump.len();
        if let Some(found) = self.search_breadth_first(long, begun + time / 3) {
            return Some(found);
        }
        let mut marking = self.net.initial().clone();
        prefix.iter().try_for_each(|&t| self.net.fire(&mut marking, t)).ok()?;
        let pump = self.drop_on_trial(&marking, pump.to_vec(), until);
        let fires = |marking: &Marking| self.can_fire(marking.clone(), &pump);
        let prefix = match fires(self.net.initial()) {
            true => Vec::new(),
            false => {
                let target = WitnessTarget { net: self.net, is_wanted: &fires };
                let sequence: FiringSequence = prefix.iter().copied().collect();
                let left = until.saturating_duration_since(Instant::now());
                let short = target.shorten(&sequence, prefix.len() as u64, left, false);
                short.and_then(|short| flat(&short.sequence)).unwrap_or_else(|| prefix.to_vec())
            }
        };
        (prefix.len() + pump.len() < long).then_some((prefix, pump))
    }

    /// Returns the first prefix and cycle that a breadth-first search finds, with fewer than `less`
    /// firings in total. The search keeps only one path to each marking, so a shorter prefix and
    /// cycle may exist. Returns `None` if the search finds none within its limits.
    fn search_breadth_first(&self, less: usize, until: Instant) -> Option<PrefixAndPump> {
        let net = self.net;
        let max_markings =
            MAX_VISITED_MARKINGS.min(MAX_STORED_TOKEN_COUNTS / net.place_count().max(1));
        let mut seen: HashSet<Marking> = HashSet::from([net.initial().clone()]);
        // Entries: marking, index of its predecessor, transition that leads from there to it, and
        // number of firings from the initial marking.
        let mut visited = vec![(net.initial().clone(), 0, TransitionId::new(0), 0_usize)];
        let (mut at, mut clock) = (0, Clock::until(until));
        while at < visited.len() && visited[at].3 + 1 < less {
            for t in net.transitions() {
                if !net.is_enabled(&visited[at].0, t) {
                    continue;
                }
                let mut next = visited[at].0.clone();
                if clock.is_over(net.place_count()) {
                    return None;
                }
                if net.fire(&mut next, t).is_err() || !seen.insert(next.clone()) {
                    continue;
                }
                let depth = visited[at].3 + 1;
                visited.push((next, at, t, depth));
                if let Some(begin) = self.covered_ancestor(&visited) {
                    let mut path = Vec::new();
                    let mut index = visited.len() - 1;
                    while index > 0 {
                        path.push(visited[index].2);
                        index = visited[index].1;
                    }
                    path.reverse();
                    let pump = path.split_off(visited[begin].3);
                    return Some((path, pump));
                }
                if visited.len() >= max_markings {
                    return None;
                }
            }
            at += 1;
            if clock.is_over(net.transition_count()) {
                return None;
            }
        }
        None
    }

    /// Returns the index of the nearest ancestor of the last marking that has no more tokens on any
    /// place and a smaller value of the sum. Returns `None` if there is no such ancestor.
    fn covered_ancestor(&self, visited: &[(Marking, usize, TransitionId, usize)]) -> Option<usize> {
        let &(ref last, mut at, ..) = visited.last()?;
        let value = self.sum.value(last);
        loop {
            let before = &visited[at].0;
            let pairs = || before.tokens().iter().zip(last.tokens());
            if self.sum.value(before) < value && pairs().all(|(before, after)| before <= after) {
                return Some(at);
            }
            if at == 0 {
                return None;
            }
            at = visited[at].1;
        }
    }

    /// Removes blocks of firings from the cycle by trial. The rest must lower no place, increase
    /// the sum, and be able to fire at `from`. The blocks have half of the firings, then a quarter,
    /// and so on down to single firings. Blocks of the same size overlap by half, since an inner
    /// cycle may begin anywhere. Stops at the time `until`.
    fn drop_on_trial(
        &self,
        from: &Marking,
        mut pump: Vec<TransitionId>,
        until: Instant,
    ) -> Vec<TransitionId> {
        let mut size = pump.len().div_ceil(2);
        while size > 0 {
            let mut end = pump.len();
            while end > 0 && Instant::now() < until {
                let begin = end.saturating_sub(size);
                let mut fewer = pump.clone();
                fewer.drain(begin..end);
                if self.is_growing_cycle(&fewer) && self.can_fire(from.clone(), &fewer) {
                    pump = fewer;
                }
                end = end.saturating_sub((size / 2).max(1)).min(pump.len());
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        pump
    }

    /// Returns true if these firings together lower no place and increase the sum. Returns false
    /// also if the increase exceeds 128 bits.
    fn is_growing_cycle(&self, firings: &[TransitionId]) -> bool {
        let mut effect: HashMap<PlaceId, i128> = HashMap::new();
        for &t in firings {
            for change in self.net.effect(self.net.effect_of(t)) {
                *effect.entry(change.place).or_default() += i128::from(change.delta);
            }
        }
        let change_of = |place: &PlaceId| effect.get(place).copied().unwrap_or(0);
        let grown = self.sum.terms().iter().try_fold(0_i128, |grown, (place, factor)| {
            change_of(place).checked_mul(i128::from(*factor))?.checked_add(grown)
        });
        effect.values().all(|&delta| delta >= 0) && grown.is_some_and(|grown| grown > 0)
    }

    /// Returns true if the firings are possible one after another from `marking`.
    fn can_fire(&self, mut marking: Marking, firings: &[TransitionId]) -> bool {
        firings
            .iter()
            .all(|&t| self.net.is_enabled(&marking, t) && self.net.fire(&mut marking, t).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{Goal, Stage, text};

    /// Shortens a pump given by names, and checks the result. With `breadth` it searches for a new
    /// pump, otherwise it drops firings of the cycle.
    fn shortened(text: &str, prefix: &str, pump: &str, breadth: bool) -> Option<(String, String)> {
        let net = text::parse(text).unwrap();
        let fired = |names: &str| -> Vec<TransitionId> {
            names.split_whitespace().map(|name| net.transition_named(name).unwrap()).collect()
        };
        let sum = LinearSum::place(net.place_named("made").unwrap());
        let growing = PumpTarget { net: &net, sum: &sum };
        let (prefix, pump) = (fired(prefix), fired(pump));
        let until = Instant::now() + Duration::from_secs(10);
        let (prefix, pump) = if breadth {
            growing.search_breadth_first(prefix.len() + pump.len(), until)?
        } else {
            let mut marking = net.initial().clone();
            prefix.iter().for_each(|&t| net.fire(&mut marking, t).unwrap());
            (prefix, growing.drop_on_trial(&marking, pump, until))
        };
        let named = |firings: &[TransitionId]| {
            let names: Vec<&str> = firings.iter().map(|&t| net.transition_name(t)).collect();
            names.join(" ")
        };
        let said = (named(&prefix), named(&pump));
        let pumping =
            PumpSequence::single(prefix.into_iter().collect(), pump.into_iter().collect());
        assert!(check_pumping(&net, &pumping).unwrap().grows(&sum));
        Some(said)
    }

    const NET: &str = "place idle 1\nplace busy\nplace made\nplace other 3\nplace rest\n\
                       transition begin: idle -> busy\ntransition end: busy -> idle\n\
                       transition make: busy -> busy + made\ntransition aside: other -> rest\n\
                       transition back: rest -> other";

    #[test]
    fn the_shortest_way_to_a_loop_is_found() {
        let (prefix, pump) = ("aside begin aside make end", "back begin make aside end");
        let short = shortened(NET, prefix, pump, true);
        assert_eq!(short, Some(("begin".to_owned(), "make".to_owned())));
        assert_eq!(shortened(NET, "begin", "make", true), None);
    }

    #[test]
    fn a_single_loop_is_found_for_one_in_stages() {
        let net = text::parse(NET).unwrap();
        let made = net.place_named("made").unwrap();
        let board = Board::new(&net, vec![Goal::Maximise(LinearSum::place(made))]);
        let board = board.with_short_witnesses(false, crate::board::MIN_SHORTENING_TIME);
        let named = |name: &str| FiringSequence::from_iter([net.transition_named(name).unwrap()]);
        let stage = |prefix: &str| Stage { prefix: named(prefix), pump: named("make") };
        let staged = PumpSequence {
            earlier: vec![stage("begin")],
            last: Stage { prefix: FiringSequence::new(), pump: named("make") },
        };
        let short = board.shortened_pump(GoalId::new(0), &LinearSum::place(made), staged);
        assert_eq!(short, PumpSequence::single(named("begin"), named("make")));
    }

    #[test]
    fn unneeded_firings_of_a_cycle_are_removed() {
        let short = shortened(NET, "aside begin", "end begin make back aside make", false);
        assert_eq!(short, Some(("aside begin".to_owned(), "make".to_owned())));
        // Every firing of this cycle is needed.
        let short = shortened(NET, "", "begin make end", false);
        assert_eq!(short, Some((String::new(), "begin make end".to_owned())));
    }

    #[test]
    fn prefix_and_pump_are_shortened_without_a_search_result() {
        let net = text::parse(NET).unwrap();
        let sum = LinearSum::place(net.place_named("made").unwrap());
        let growing = PumpTarget { net: &net, sum: &sum };
        let named = |name| net.transition_named(name).unwrap();
        let (begin, make, aside) = (named("begin"), named("make"), named("aside"));
        let time = Duration::from_secs(10);
        let short = growing.shorten(&[aside, begin, make], &[make, make], time);
        assert_eq!(short, Some((vec![begin], vec![make])));
        assert_eq!(growing.shorten(&[begin], &[make], time), None);
    }
}
