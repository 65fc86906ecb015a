//! Precedences: necessary conditions on the order of firings, for solutions whose firings are
//! possible in no order.
//!
//! A solution of the state equation has numbers of firings, but no order. Two kinds of violations
//! are searched in a solution. Each becomes a clause of two comparisons, for all goals, and the
//! solution must satisfy one of them:
//!
//! - *Transitions that cannot begin.* Fire the transitions of the solution arbitrarily often from
//!   the initial marking. The places that never get a token form a set that is initially empty. In
//!   every firing sequence, the transitions that need tokens from this set never fire, or some
//!   transition outside the solution produces a token in the set.
//! - *Traps that were marked on the way* but are empty at the end.
//!
//! [`Precedence`] contains the proofs and the checker.

use super::Engine;
use super::point::{SolutionPoint, TOLERANCE, firing_counter};
use parikh_evidence::certificate::{Lemma, Precedence};
use parikh_net::{Atom, EffectId, LinearSum, Net, PlaceId, TransitionId};
use parikh_structure::traps::small_traps;
use std::collections::BTreeSet;

/// Limit on the number of sets of initially empty places, and on the number of traps, for one
/// solution.
const MAX_SETS: usize = 3;

/// Limit on the number of terms in a sum of firings or in a trap.
const MAX_TERMS: usize = 300;

/// A precedence, that is, a necessary condition on the order of firings, which a solution of the
/// linear program violates.
struct ViolatedPrecedence {
    /// The set of places, all of which are empty initially or which form a trap.
    places: Vec<PlaceId>,
    /// Effect classes whose transitions all need a token from the set to fire. For a trap, effect
    /// classes that put tokens into the set. Only the first classes of a long list are included.
    idle: BTreeSet<EffectId>,
    /// Effect classes with a transition that puts a token into the set without taking one from the
    /// set. `None` for a trap.
    fed: Option<BTreeSet<EffectId>>,
}

impl Engine<'_> {
    /// Returns true if the solution has only integers, as [`SolutionPoint::is_integral`] tests, and
    /// no violated precedence is found. The limited search may miss a violated precedence.
    pub(super) fn is_ordered_integral(&self, point: &SolutionPoint) -> bool {
        *point
            .is_ordered_integral
            .get_or_init(|| point.is_integral() && self.violated_precedences(point).is_empty())
    }

    /// Adds the precedences that the point violates as splits of the goal at `index`. Returns false
    /// if the goal gets no new split.
    pub(super) fn split_on_precedences(&mut self, index: usize, point: &SolutionPoint) -> bool {
        let mut is_added = false;
        for violated in self.violated_precedences(point) {
            let Some(split) = self.add_precedence(&violated) else { continue };
            let splits = &mut self.targets[index].splits;
            if !splits.contains(&split) {
                splits.push(split);
                is_added = true;
            }
        }
        is_added
    }

    /// Returns precedences that the solution violates, at most [`MAX_SETS`] of each kind.
    fn violated_precedences(&self, point: &SolutionPoint) -> Vec<ViolatedPrecedence> {
        let count = |effect: EffectId| point.marking[firing_counter(self.net, effect).index()];
        let mut fires = vec![false; self.net.effect_count()];
        for effect in self.net.effect_classes() {
            fires[effect.index()] = count(effect) > TOLERANCE;
        }
        let mut violated = unfed_place_sets(self.net, &fires);
        let is_empty_place = |p: &PlaceId| point.marking[p.index()] < TOLERANCE;
        let empty: Vec<PlaceId> = self.net.places().filter(is_empty_place).collect();
        violated.extend(fed_empty_traps(self.net, &fires, &empty));
        violated
    }

    /// Adds a precedence as a pair of comparisons, of which every firing sequence satisfies at
    /// least one. The first one says that no effect class of `idle` fires. The second one says that
    /// some effect class of `fed` fires, or for a trap, that the trap is marked at the end. Returns
    /// `None` if a sum cannot be formed.
    fn add_precedence(&mut self, violated: &ViolatedPrecedence) -> Option<super::Split> {
        let firing_sum = |effects: &BTreeSet<EffectId>| {
            LinearSum::new(effects.iter().map(|&effect| (firing_counter(self.net, effect), 1))).ok()
        };
        let place_sum = || LinearSum::new(violated.places.iter().map(|&place| (place, 1))).ok();
        let idle = Atom { sum: firing_sum(&violated.idle)?, bound: 0 };
        let alternative = match &violated.fed {
            Some(effects) => firing_sum(effects)?,
            None => place_sum()?,
        };
        let alternative = Atom { sum: alternative.negated(), bound: -1 };
        let split = (self.atoms.intern(idle), self.atoms.intern(alternative));
        if self.splits.insert(split) {
            let (places, idle, alternative) =
                (violated.places.clone(), split.0.index(), split.1.index());
            self.precedences.push(match violated.fed {
                Some(_) => Precedence::Unfed { places, idle, fed: alternative },
                None => Precedence::Kept { places, idle, marked: alternative },
            });
            self.proposer.add_split(split);
            if matches!(&violated.fed, Some(effects) if effects.is_empty()) {
                // If no transition can put a token into the set from outside, the second comparison
                // is 0 ≤ −1, and a lemma excludes it.
                self.learn(Lemma { atoms: vec![(alternative, 1)], ..Lemma::default() });
            }
        }
        Some(split)
    }
}

/// Returns sets of initially empty places. Firings of the solution need tokens from such a set, but
/// no firing of the solution puts a token into it from outside.
fn unfed_place_sets(net: &Net, fires: &[bool]) -> Vec<ViolatedPrecedence> {
    let fires = |t: TransitionId| fires[net.effect_of(t).index()];
    let marked = markable(net, &fires);
    let is_missing = |p: PlaceId| !marked[p.index()];
    let can_begin = |t: TransitionId| !net.pre(t).iter().any(|arc| is_missing(arc.place));
    let mut violated: Vec<ViolatedPrecedence> = Vec::new();
    let mut tried = 0;
    for effect in net.effect_classes() {
        let class = net.class(effect);
        let is_blocked =
            class.first().is_some_and(|&t| fires(t)) && !class.iter().any(|&t| can_begin(t));
        if !is_blocked || violated.iter().any(|precedence| precedence.idle.contains(&effect)) {
            continue;
        }
        tried += 1;
        let violation = unfed_places(net, class, &fires, &is_missing);
        // Not all effect classes that need a token from the set must be included. `effect` must be,
        // since the solution fires it and therefore violates the precedence.
        let idle =
            std::iter::once(effect).chain(violation.idle.iter().copied().filter(|e| *e != effect));
        let idle = idle.take(MAX_TERMS).collect();
        if violation.fed.as_ref().is_some_and(|fed| fed.len() <= MAX_TERMS) {
            violated.push(ViolatedPrecedence { idle, ..violation });
        }
        if violated.len() == MAX_SETS || tried == 4 * MAX_SETS {
            break;
        }
    }
    violated
}

/// Returns, by place index, true for the places that are marked initially or can get a token if
/// transitions accepted by `fires` fire. Token counts are ignored: a place that has had a token is
/// considered marked from then on.
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

/// Returns a violated precedence whose places can never get a token by firings of the solution.
/// Every transition of `class` needs a token from this set of places. No transition of the solution
/// puts a token into the set from outside.
fn unfed_places(
    net: &Net,
    class: &[TransitionId],
    fires: &dyn Fn(TransitionId) -> bool,
    is_missing: &dyn Fn(PlaceId) -> bool,
) -> ViolatedPrecedence {
    let mut set: BTreeSet<PlaceId> = BTreeSet::new();
    let mut pending: Vec<TransitionId> = class.to_vec();
    while let Some(t) = pending.pop() {
        let inputs = || net.pre(t).iter().map(|arc| arc.place);
        if inputs().any(|p| set.contains(&p)) {
            continue;
        }
        // A firing transition that could put a token into a place of the set needs a token itself.
        // So one of its missing input places is added to the set.
        let missing = inputs().filter(|&p| is_missing(p));
        let Some(p) = missing.min_by_key(|&p| (net.producers(p).len(), p)) else { continue };
        set.insert(p);
        pending.extend(net.producers(p).iter().map(|arc| arc.transition).filter(|&t| fires(t)));
    }
    let takes_from_set = |t: &TransitionId| net.pre(*t).iter().any(|arc| set.contains(&arc.place));
    let feeders = set.iter().flat_map(|&p| net.producers(p)).map(|arc| arc.transition);
    let fed = feeders.filter(|t| !takes_from_set(t)).map(|t| net.effect_of(t)).collect();
    let takers = set.iter().flat_map(|&p| net.consumers(p)).map(|arc| arc.transition);
    let taking: BTreeSet<EffectId> = takers.map(|t| net.effect_of(t)).collect();
    let all_take_from_set = |effect: &EffectId| net.class(*effect).iter().all(takes_from_set);
    let changes = |effect: &EffectId| !net.effect(*effect).is_empty();
    let idle =
        taking.into_iter().filter(|effect| changes(effect) && all_take_from_set(effect)).collect();
    ViolatedPrecedence { places: set.into_iter().collect(), idle, fed: Some(fed) }
}

/// Returns traps among the `empty` places that the solution must have marked, because some firing
/// effect class puts tokens into them.
fn fed_empty_traps(net: &Net, fires: &[bool], empty: &[PlaceId]) -> Vec<ViolatedPrecedence> {
    let mut is_fed = vec![false; net.place_count()];
    let mut feeders: Vec<Vec<EffectId>> = vec![Vec::new(); net.place_count()];
    for effect in net.effect_classes() {
        for change in net.effect(effect).iter().filter(|change| change.delta > 0) {
            feeders[change.place.index()].push(effect);
            is_fed[change.place.index()] |= fires[effect.index()];
        }
    }
    let traps = small_traps(net, empty, |p| is_fed[p.index()], MAX_SETS, MAX_TERMS);
    let to_precedence = |places: Vec<PlaceId>| {
        let feeding_effects = || places.iter().flat_map(|p| &feeders[p.index()]).copied();
        // Not all effect classes that put tokens into the trap must be included. Those that fire
        // come first, so that the solution violates the precedence.
        let (fired, idle_feeders): (Vec<_>, Vec<_>) =
            feeding_effects().partition(|effect| fires[effect.index()]);
        let idle = fired.into_iter().chain(idle_feeders).take(MAX_TERMS).collect();
        ViolatedPrecedence { places, idle, fed: None }
    };
    traps.into_iter().map(to_precedence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn names(net: &Net, places: &[PlaceId]) -> Vec<String> {
        places.iter().map(|&p| net.place_name(p).to_owned()).collect()
    }

    #[test]
    fn an_empty_cycle_needs_a_token_from_outside() {
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
        let broken = unfed_place_sets(&net, &fires(&[a, b]));
        assert_eq!(broken.len(), 1);
        assert_eq!(names(&net, &broken[0].places), ["p", "q"]);
        assert_eq!(broken[0].fed, Some(BTreeSet::from([net.effect_of(c)])));
        assert_eq!(broken[0].idle, BTreeSet::from([a, b].map(|t| net.effect_of(t))));
        assert!(unfed_place_sets(&net, &fires(&[a, b, c])).is_empty());
    }

    #[test]
    fn a_trap_stays_marked_after_its_first_token() {
        let net = text::parse(
            "place s 1\nplace p\nplace q\ntransition a: s -> p\ntransition b: p -> q
             transition c: q -> p",
        )
        .unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let fires = vec![true; net.effect_count()];
        let broken = fed_empty_traps(&net, &fires, &[p, q]);
        assert_eq!(broken.len(), 1);
        assert_eq!(broken[0].places, [p, q]);
        assert_eq!((broken[0].idle.len(), &broken[0].fed), (3, &None));
        assert!(fed_empty_traps(&net, &fires, &[p]).is_empty());
        assert!(fed_empty_traps(&net, &vec![false; net.effect_count()], &[p, q]).is_empty());
    }
}
