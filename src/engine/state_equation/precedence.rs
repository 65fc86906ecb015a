//! Order: what a solution has fire although nothing could have come before it.
//!
//! Counts of firings know no order. Two things are looked for in a solution, each of which becomes
//! a clause of two comparisons, for all goals, and the solution has to take one of its sides:
//!
//! - *Transitions that cannot begin.* Fire what the solution has fire, as often as one likes, from
//!   the initial marking: the places that never get a token make a set that is empty at first, and
//!   the transitions that wait for them have count 0, or somebody puts into the set from outside
//!   whom the solution does not have fire.
//! - *Traps that were marked on the way* and are empty in the end.
//!
//! [`Precedence`] has the arguments, and its checker.

use super::Engine;
use super::point::{Point, TOLERANCE, counter};
use crate::evidence::certificate::{Lemma, Precedence};
use crate::structure::traps::small_traps;
use parikh_net::{Atom, EffectId, LinearSum, Net, PlaceId, TransitionId};
use std::collections::BTreeSet;

/// Sets looked for in one solution, of each kind.
const SETS: usize = 3;

/// The longest sums of firings.
const TERMS: usize = 300;

/// A precedence that a solution breaks: its places, and firings of which it says something.
struct Broken {
    places: Vec<PlaceId>,
    idle: BTreeSet<EffectId>,
    /// Those that feed the places from outside; nothing for a trap.
    fed: Option<BTreeSet<EffectId>>,
}

impl Engine<'_> {
    /// Whether the solution has whole numbers only, and nothing in it comes before what it needs.
    pub(super) fn is_whole(&self, point: &Point) -> bool {
        *point.whole.get_or_init(|| point.is_integral() && self.broken(point).is_empty())
    }

    /// Has the goal choose a side of every order that the point breaks. Whether there were any.
    pub(super) fn order(&mut self, index: usize, point: &Point) -> bool {
        let mut any = false;
        for broken in self.broken(point) {
            let Some(split) = self.demand(&broken) else { continue };
            let splits = &mut self.targets[index].splits;
            if !splits.contains(&split) {
                splits.push(split);
                any = true;
            }
        }
        any
    }

    fn broken(&self, point: &Point) -> Vec<Broken> {
        let count = |effect: EffectId| point.marking[counter(self.net, effect).index()];
        let mut fires = vec![false; self.net.effect_count()];
        for effect in self.net.effect_classes() {
            fires[effect.index()] = count(effect) > TOLERANCE;
        }
        let mut all = unfed(self.net, &fires);
        let empty = |p: &PlaceId| point.marking[p.index()] < TOLERANCE;
        let empty: Vec<PlaceId> = self.net.places().filter(empty).collect();
        all.extend(kept(self.net, &fires, &empty));
        all
    }

    /// The precedence as a clause, from now on for all goals that ask for it.
    fn demand(&mut self, broken: &Broken) -> Option<super::Split> {
        let firings = |effects: &BTreeSet<EffectId>| {
            LinearSum::new(effects.iter().map(|&effect| (counter(self.net, effect), 1))).ok()
        };
        let marked = || LinearSum::new(broken.places.iter().map(|&place| (place, 1))).ok();
        let idle = Atom { sum: firings(&broken.idle)?, bound: 0 };
        let since = match &broken.fed {
            Some(effects) => firings(effects)?,
            None => marked()?,
        };
        let since = Atom { sum: since.negated(), bound: -1 };
        let split = (self.atoms.intern(idle), self.atoms.intern(since));
        if self.splits.insert(split) {
            let (places, idle, since) = (broken.places.clone(), split.0.index(), split.1.index());
            self.precedences.push(match broken.fed {
                Some(_) => Precedence::Unfed { places, idle, fed: since },
                None => Precedence::Kept { places, idle, marked: since },
            });
            self.proposer.split(split);
            if matches!(&broken.fed, Some(effects) if effects.is_empty()) {
                // Nobody can: 0 ≤ −1.
                self.learn(Lemma { atoms: vec![(since, 1)], ..Lemma::default() });
            }
        }
        Some(split)
    }
}

/// Sets of places that are empty at first, that transitions of these effects wait for, and that
/// none of these effects feeds.
fn unfed(net: &Net, fires: &[bool]) -> Vec<Broken> {
    let fires = |t: TransitionId| fires[net.effect_of(t).index()];
    let marked = markable(net, &fires);
    let is_missing = |p: PlaceId| !marked[p.index()];
    let can_begin = |t: TransitionId| !net.pre(t).iter().any(|arc| is_missing(arc.place));
    let mut all: Vec<Broken> = Vec::new();
    let mut tried = 0;
    for effect in net.effect_classes() {
        let class = net.class(effect);
        let waits =
            class.first().is_some_and(|&t| fires(t)) && !class.iter().any(|&t| can_begin(t));
        if !waits || all.iter().any(|known| known.idle.contains(&effect)) {
            continue;
        }
        tried += 1;
        let found = around(net, class, &fires, &is_missing);
        // Of those that wait, some are enough, this one among them.
        let idle =
            std::iter::once(effect).chain(found.idle.iter().copied().filter(|e| *e != effect));
        let idle = idle.take(TERMS).collect();
        if found.fed.as_ref().is_some_and(|fed| fed.len() <= TERMS) {
            all.push(Broken { idle, ..found });
        }
        if all.len() == SETS || tried == 4 * SETS {
            break;
        }
    }
    all
}

/// Which places can be marked by firing what `fires` accepts, where no number matters.
fn markable(net: &Net, fires: &dyn Fn(TransitionId) -> bool) -> Vec<bool> {
    let mut marked: Vec<bool> = net.places().map(|p| net.initial()[p] > 0).collect();
    let mut missing: Vec<usize> = Vec::with_capacity(net.transition_count());
    let mut begins: Vec<TransitionId> = Vec::new();
    for t in net.transitions() {
        let lacking = net.pre(t).iter().filter(|arc| !marked[arc.place.index()]).count();
        missing.push(lacking);
        if lacking == 0 && fires(t) {
            begins.push(t);
        }
    }
    while let Some(t) = begins.pop() {
        for arc in net.post(t) {
            if std::mem::replace(&mut marked[arc.place.index()], true) {
                continue;
            }
            for waiting in net.consumers(arc.place) {
                let missing = &mut missing[waiting.transition.index()];
                *missing -= 1;
                if *missing == 0 && fires(waiting.transition) {
                    begins.push(waiting.transition);
                }
            }
        }
    }
    marked
}

/// A set of missing places that all of `class` wait for and that nothing of what fires feeds from
/// outside.
fn around(
    net: &Net,
    class: &[TransitionId],
    fires: &dyn Fn(TransitionId) -> bool,
    is_missing: &dyn Fn(PlaceId) -> bool,
) -> Broken {
    let mut set: BTreeSet<PlaceId> = BTreeSet::new();
    let mut waiting: Vec<TransitionId> = class.to_vec();
    while let Some(t) = waiting.pop() {
        let inputs = || net.pre(t).iter().map(|arc| arc.place);
        if inputs().any(|p| set.contains(&p)) {
            continue;
        }
        // What fires and feeds a missing place waits for another one.
        let missing = inputs().filter(|&p| is_missing(p));
        let Some(p) = missing.min_by_key(|&p| (net.producers(p).len(), p)) else { continue };
        set.insert(p);
        waiting.extend(net.producers(p).iter().map(|arc| arc.transition).filter(|&t| fires(t)));
    }
    let takes = |t: &TransitionId| net.pre(*t).iter().any(|arc| set.contains(&arc.place));
    let feeders = set.iter().flat_map(|&p| net.producers(p)).map(|arc| arc.transition);
    let fed = feeders.filter(|t| !takes(t)).map(|t| net.effect_of(t)).collect();
    let takers = set.iter().flat_map(|&p| net.consumers(p)).map(|arc| arc.transition);
    let takers: BTreeSet<EffectId> = takers.map(|t| net.effect_of(t)).collect();
    let all_take = |effect: &EffectId| net.class(*effect).iter().all(takes);
    let changes = |effect: &EffectId| !net.effect(*effect).is_empty();
    let idle = takers.into_iter().filter(|effect| changes(effect) && all_take(effect)).collect();
    Broken { places: set.into_iter().collect(), idle, fed: Some(fed) }
}

/// Traps among `empty` into which something of these effects puts.
fn kept(net: &Net, fires: &[bool], empty: &[PlaceId]) -> Vec<Broken> {
    let mut is_fed = vec![false; net.place_count()];
    let mut feeders: Vec<Vec<EffectId>> = vec![Vec::new(); net.place_count()];
    for effect in net.effect_classes() {
        for change in net.effect(effect).iter().filter(|change| change.delta > 0) {
            feeders[change.place.index()].push(effect);
            is_fed[change.place.index()] |= fires[effect.index()];
        }
    }
    let traps = small_traps(net, empty, |p| is_fed[p.index()], SETS, TERMS);
    let broken = |places: Vec<PlaceId>| {
        let all = || places.iter().flat_map(|p| &feeders[p.index()]).copied();
        // Some are enough, if one that fired is among them.
        let (fired, others): (Vec<_>, Vec<_>) = all().partition(|effect| fires[effect.index()]);
        let idle = fired.into_iter().chain(others).take(TERMS).collect();
        Broken { places, idle, fed: None }
    };
    traps.into_iter().map(broken).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn names(net: &Net, places: &[PlaceId]) -> Vec<String> {
        places.iter().map(|&p| net.place_name(p).to_owned()).collect()
    }

    #[test]
    fn what_feeds_itself_has_to_be_fed_from_outside() {
        let net = text::parse(
            "place p\nplace q\nplace s 1\nplace r\ntransition a: p -> q\ntransition b: q -> p + r
             transition c: s -> p",
        )
        .unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| net.transition_named(name).unwrap());
        let fires = |which: &[TransitionId]| {
            let mut fires = vec![false; net.effect_count()];
            which.iter().for_each(|&t| fires[net.effect_of(t).index()] = true);
            fires
        };
        let broken = unfed(&net, &fires(&[a, b]));
        assert_eq!(broken.len(), 1);
        assert_eq!(names(&net, &broken[0].places), ["p", "q"]);
        assert_eq!(broken[0].fed, Some(BTreeSet::from([net.effect_of(c)])));
        assert_eq!(broken[0].idle, BTreeSet::from([a, b].map(|t| net.effect_of(t))));
        assert!(unfed(&net, &fires(&[a, b, c])).is_empty());
    }

    #[test]
    fn a_trap_is_kept_once_something_was_put_into_it() {
        let net = text::parse(
            "place s 1\nplace p\nplace q\ntransition a: s -> p\ntransition b: p -> q
             transition c: q -> p",
        )
        .unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let fires = vec![true; net.effect_count()];
        let broken = kept(&net, &fires, &[p, q]);
        assert_eq!(broken.len(), 1);
        assert_eq!(broken[0].places, [p, q]);
        assert_eq!((broken[0].idle.len(), &broken[0].fed), (3, &None));
        assert!(kept(&net, &fires, &[p]).is_empty());
        assert!(kept(&net, &vec![false; net.effect_count()], &[p, q]).is_empty());
    }
}
