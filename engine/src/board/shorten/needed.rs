//! Removal of firings that nothing after them needs, in one backward pass.
//!
//! The pass goes back from the last marking with a *need*: numbers of tokens that suffice for all
//! firings kept so far. Let t fire n times at M and lead to M′, which covers the need. The smallest
//! k ≤ n is kept such that k firings at M lead to a marking that covers the need. The need before
//! these k firings is computed for each place. It is the need after them minus their effect, or the
//! tokens without which t is disabled before the last of the k firings, whichever is larger. M
//! covers it. So the initial marking covers the need at the beginning. The kept firings can be
//! fired from there, and they lead to a marking that covers the need at the end.
//!
//! The need at the end is a marking below the last one that satisfies the target, with as few
//! tokens as trials find. Some targets are violated by more tokens (a deadlock, p ≤ 3). Then the
//! kept firings may miss the target. In this case a second pass needs all tokens of the last
//! marking.

use super::{FIRINGS_PER_CLOCK_READING, WitnessTarget};
use parikh_evidence::replay;
use parikh_net::{FiringSequence, FiringStep, Marking};
use std::time::Instant;

impl WitnessTarget<'_> {
    /// Returns a shorter subsequence that leads to a wanted marking, that is, a marking at which
    /// the witness may end. Returns `None` if the sequence does not replay, or if the backward pass
    /// finds no such subsequence. Firings that were not examined before `until` are kept.
    pub(super) fn without_unneeded(
        &self,
        sequence: &FiringSequence,
        until: Instant,
    ) -> Option<FiringSequence> {
        let end = replay(self.net, sequence).ok()?;
        let few = self.few_tokens(&end, until);
        let needs = if few == end { vec![few] } else { vec![few, end.clone()] };
        needs.into_iter().find_map(|need| {
            let kept = self.needed_firings(sequence, end.clone(), need, until);
            let is_shorter = kept.firings() < sequence.firings();
            let leads_there = || replay(self.net, &kept).is_ok_and(|end| (self.is_wanted)(&end));
            (is_shorter && leads_there()).then_some(kept)
        })
    }

    /// Returns a wanted marking with at most the tokens of `marking`, which must be wanted. Tries
    /// to remove all tokens from all marked places at once. If this fails for a group of places,
    /// tries each half of the group, down to single places. From a single place, it may remove only
    /// a part of the tokens. Stops early at the time `until`.
    fn few_tokens(&self, marking: &Marking, until: Instant) -> Marking {
        let mut few = marking.clone();
        let places: Vec<_> = marking.marked().map(|(place, _)| place).collect();
        let mut groups = vec![&places[..]];
        while let Some(group) = groups.pop() {
            if group.is_empty() || Instant::now() >= until {
                continue;
            }
            group.iter().for_each(|&place| few[place] = 0);
            if (self.is_wanted)(&few) {
                continue;
            }
            group.iter().for_each(|&place| few[place] = marking[place]);
            if let &[place] = group {
                let (mut too_few, mut enough) = (0, marking[place]);
                while enough - too_few > 1 {
                    few[place] = too_few + (enough - too_few) / 2;
                    match (self.is_wanted)(&few) {
                        true => enough = few[place],
                        false => too_few = few[place],
                    }
                }
                few[place] = enough;
            } else {
                let (one, other) = group.split_at(group.len() / 2);
                groups.extend([one, other]);
            }
        }
        few
    }

    /// Returns the firings of `sequence` that suffice to reach a marking with at least the tokens
    /// of `need`. The whole sequence must lead to `marking`, which has at least these tokens.
    /// Firings that were not examined before `until` are kept.
    fn needed_firings(
        &self,
        sequence: &FiringSequence,
        mut marking: Marking,
        mut need: Marking,
        until: Instant,
    ) -> FiringSequence {
        let net = self.net;
        let mut kept = Vec::new();
        for (at, &step) in sequence.steps().iter().enumerate().rev() {
            if at % FIRINGS_PER_CLOCK_READING == 0 && Instant::now() >= until {
                kept.extend(sequence.steps()[..=at].iter().rev());
                break;
            }
            let FiringStep { transition: t, count } = step;
            let effect = net.effect(net.effect_of(t));
            let mut needed_count = 0;
            for change in effect {
                let p = change.place;
                // Computed modulo 2⁶⁴; the result is the marking before the firings.
                marking[p] = marking[p].wrapping_sub((change.delta as u64).wrapping_mul(count));
                if change.delta > 0 {
                    let lacking_tokens = need[p].saturating_sub(marking[p]);
                    needed_count =
                        needed_count.max(lacking_tokens.div_ceil(change.delta.unsigned_abs()));
                }
            }
            if needed_count == 0 {
                continue;
            }
            for change in effect {
                let moved = change.delta.unsigned_abs().saturating_mul(needed_count);
                need[change.place] = match change.delta {
                    ..0 => need[change.place].saturating_add(moved),
                    _ => need[change.place].saturating_sub(moved),
                };
            }
            for arc in net.pre(t) {
                let lost = arc.weight.saturating_sub(net.post_weight(t, arc.place));
                let enabling_tokens =
                    arc.weight.saturating_add(lost.saturating_mul(needed_count - 1));
                need[arc.place] = need[arc.place].max(enabling_tokens);
            }
            kept.push(FiringStep { transition: t, count: needed_count });
        }
        let mut sequence = FiringSequence::new();
        kept.iter().rev().for_each(|step| sequence.push(step.transition, step.count));
        sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{Net, text};
    use std::time::Duration;

    /// Removes unneeded firings from a sequence given by names. Returns the remaining firings by
    /// name, or `None` if none can be removed.
    fn remaining_firings(
        net: &Net,
        wanted: &dyn Fn(&Marking) -> bool,
        names: &str,
    ) -> Option<String> {
        let until = Instant::now() + Duration::from_secs(10);
        let kept =
            WitnessTarget { net, is_wanted: wanted }.without_unneeded(&fired(net, names), until)?;
        assert!(wanted(&replay(net, &kept).unwrap()));
        let told = |step: &FiringStep| match (net.transition_name(step.transition), step.count) {
            (name, 1) => name.to_owned(),
            (name, count) => format!("{count}*{name}"),
        };
        Some(kept.steps().iter().map(told).collect::<Vec<_>>().join(" "))
    }

    /// Parses transitions by name, optionally with a count: `3*t`.
    fn fired(net: &Net, names: &str) -> FiringSequence {
        let mut sequence = FiringSequence::new();
        for word in names.split(' ') {
            let (count, name) = word.split_once('*').unwrap_or(("1", word));
            sequence.push(net.transition_named(name).unwrap(), count.parse().unwrap());
        }
        sequence
    }

    const NET: &str = "place raw 9\nplace part\nplace whole\nplace idle 1\nplace aside\n\
                       transition make: raw -> part\ntransition join: 2*part + idle -> whole + idle\n\
                       transition move: raw -> aside\ntransition back: aside -> raw\n\
                       transition lose: part -> ";

    #[test]
    fn only_needed_firings_remain() {
        let net = text::parse(NET).unwrap();
        let whole = net.place_named("whole").unwrap();
        let wanted = |marking: &Marking| marking[whole] > 0;
        let long = "move make make move make lose join make back make";
        assert_eq!(remaining_firings(&net, &wanted, long).as_deref(), Some("2*make join"));
        assert_eq!(remaining_firings(&net, &wanted, "2*make join"), None);
    }

    #[test]
    fn shortened_sequences_respect_upper_bounds() {
        let net = text::parse(NET).unwrap();
        let [part, aside] = ["part", "aside"].map(|name| net.place_named(name).unwrap());
        let wanted = |marking: &Marking| marking[aside] == 1 && marking[part] == 0;
        let long = "move back make lose move";
        assert_eq!(remaining_firings(&net, &wanted, long).as_deref(), Some("move"));
        let raw = net.place_named("raw").unwrap();
        // The pass starts with few needed tokens, so it would remove too many firings.
        let wanted = |marking: &Marking| marking[raw] == 7 && marking[part] == 0;
        assert_eq!(remaining_firings(&net, &wanted, "make lose move back move"), None);
    }

    #[test]
    fn repeated_firings_are_reduced_to_the_needed_number() {
        let net = text::parse(
            "place a 9000000000000\nplace b\nplace c\ntransition t: 2*a -> a + 3*b\n\
             transition u: 2*b -> c\ntransition v: c -> ",
        )
        .unwrap();
        let c = net.place_named("c").unwrap();
        let wanted = |marking: &Marking| marking[c] >= 5_000;
        let long = "7000000000000*t 8000000*u 3000*v 1000000000000*t";
        assert_eq!(remaining_firings(&net, &wanted, long).as_deref(), Some("3334*t 5000*u"));
    }

    #[test]
    fn without_time_all_of_it_stays() {
        let net = text::parse(NET).unwrap();
        let whole = net.place_named("whole").unwrap();
        let wanted = |marking: &Marking| marking[whole] > 0;
        let firings = fired(&net, "move 2*make join");
        let long = WitnessTarget { net: &net, is_wanted: &wanted };
        assert_eq!(long.without_unneeded(&firings, Instant::now()), None);
    }
}
