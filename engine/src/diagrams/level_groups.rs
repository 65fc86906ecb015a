//! Levels of a diagram that represent several places each.
//!
//! A place invariant can leave a group of places only few combinations of token counts. Then one
//! level represents the whole group, and its value numbers these combinations:
//!
//! | group | value of the level |
//! |---|---|
//! | one place | its tokens |
//! | places that hold exactly one token together | the index of the marked place |
//! | places that hold at most one token together | the index of the marked place; one more than the last index if all are empty |
//! | places p and q with a·p + b·q = c | the tokens of p |
//!
//! A diagram with one level for k places of a state machine has one node per state. With a level
//! per place it can have k²/2 nodes. A firing changes one level instead of two, and passes fewer
//! levels.
//!
//! Each condition of a transition on a group is an interval of values, and each effect is a
//! constant change of the value. So transitions of groups are lists of [`LevelTouch`]es, too.
//!
//! # Soundness
//! The invariants are checked on the net ([`PlaceFlow::holds`]). They hold in every reachable
//! marking, so a reachable marking and the values of its groups determine each other. A transition
//! whose condition or effect contradicts an invariant is enabled in no reachable marking, and is
//! left out. Merging keeps the pairs of a marking and a next marking. The original transitions, not
//! the merged ones, are used to count firings and to tell whether a transition is enabled. The
//! checker detects missing markings only, so tests against enumeration support the merging.
//!
//! # Sources
//! Ciardo, Lüttgen, Siminiceanu, "Efficient symbolic state-space construction for asynchronous
//! systems", ICATPN 2000 (levels for parts of a net); Ciardo, "Reachability set generation for
//! Petri nets: can brute force be smart?", ICATPN 2004 (merging of places by invariants).

use parikh_net::{Net, PlaceId, TransitionId};
use parikh_structure::flows::PlaceFlow;
use parikh_structure::integer::Integer;
use parikh_symbolic::order::NetShape;
use parikh_symbolic::{LevelTerm, LevelTouch};
use std::collections::BTreeMap;

/// Limit on the rounds of merging. The transitions are right after each round.
const MAX_MERGE_ROUNDS: usize = 8;

/// Transitions with more touches are not merged: to compare them takes too long.
const MAX_MERGED_TOUCHES: usize = 64;

/// Places that one level represents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LevelGroup {
    /// One place.
    Single(PlaceId),
    /// Places that hold at most one token together.
    AtMostOne {
        /// The places.
        places: Vec<PlaceId>,
        /// True if all places may be empty.
        can_be_empty: bool,
    },
    /// Two places whose weighted sum is constant.
    Pair(PlacePair),
}

/// Two places p and q with the invariant a·p + b·q = c.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlacePair {
    /// The places p and q.
    places: [PlaceId; 2],
    /// The positive weights a and b.
    weights: [u64; 2],
    /// The constant c.
    total: u64,
}

/// An interval of values of a level, from the least to the largest. Empty if the least value
/// exceeds the largest.
pub(super) type ValueInterval = (u64, u64);

/// The interval without values.
const NO_VALUE: ValueInterval = (1, 0);

impl LevelGroup {
    /// Returns the places of the group. Other functions refer to a place by its index here.
    pub(crate) fn places(&self) -> &[PlaceId] {
        match self {
            LevelGroup::Single(place) => std::slice::from_ref(place),
            LevelGroup::AtMostOne { places, .. } => places,
            LevelGroup::Pair(pair) => &pair.places,
        }
    }

    /// Returns the tokens of the place at `index` if the level has this value.
    pub(crate) fn tokens(&self, index: usize, value: u64) -> u64 {
        match self {
            LevelGroup::Single(_) => value,
            LevelGroup::AtMostOne { .. } => u64::from(value == index as u64),
            LevelGroup::Pair(_) if index == 0 => value,
            LevelGroup::Pair(PlacePair { weights: [a, b], total, .. }) => {
                total.saturating_sub(a.saturating_mul(value)) / b
            }
        }
    }

    /// Returns the weighted sum of the tokens of some places as a function of the value of the
    /// level. The places are given by index, with their weights.
    pub(super) fn term(&self, weights: Vec<(usize, i64)>) -> LevelTerm<'_> {
        if let LevelGroup::AtMostOne { places, .. } = self {
            let mut weight_of = vec![0; places.len()];
            weights.iter().for_each(|&(index, weight)| weight_of[index] = i128::from(weight));
            return Box::new(move |value| weight_of.get(value as usize).copied().unwrap_or(0));
        }
        let weighted = |value, (index, weight): (usize, i64)| {
            i128::from(weight) * i128::from(self.tokens(index, value))
        };
        Box::new(move |value| weights.iter().map(|&it| weighted(value, it)).sum())
    }

    /// Returns the value of the level in a marking in which the invariant holds.
    pub(super) fn value(&self, tokens: impl Fn(PlaceId) -> u64) -> u64 {
        match self {
            LevelGroup::AtMostOne { places, .. } => {
                let marked = places.iter().position(|&place| tokens(place) > 0);
                marked.unwrap_or(places.len()) as u64
            }
            _ => tokens(self.places()[0]),
        }
    }

    /// Returns the largest value of the level that the invariant allows.
    pub(crate) fn largest_value(&self) -> u64 {
        match self {
            LevelGroup::Single(_) => u64::MAX,
            LevelGroup::AtMostOne { places, can_be_empty } => {
                places.len() as u64 - u64::from(!can_be_empty)
            }
            LevelGroup::Pair(PlacePair { weights: [a, _], total, .. }) => total / a,
        }
    }

    /// Returns the values with which the place at `index` holds at least `tokens` tokens.
    pub(super) fn values_with(&self, index: usize, tokens: u64) -> ValueInterval {
        match self {
            _ if tokens == 0 => (0, u64::MAX),
            LevelGroup::AtMostOne { .. } if tokens > 1 => NO_VALUE,
            LevelGroup::AtMostOne { .. } => (index as u64, index as u64),
            LevelGroup::Pair(PlacePair { weights: [a, b], total, .. }) if index == 1 => {
                let rest = b.checked_mul(tokens).and_then(|needed| total.checked_sub(needed));
                rest.map_or(NO_VALUE, |rest| (0, rest / a))
            }
            _ => (tokens, u64::MAX),
        }
    }

    /// Returns the change of the value by a transition, and the values with which the transition
    /// can be enabled. `changes` has the changes of tokens, by index of the place. Returns `None`
    /// if such changes contradict the invariant in every marking.
    fn change(&self, changes: &[(usize, i64)]) -> Option<(i64, ValueInterval)> {
        let LevelGroup::AtMostOne { places, can_be_empty } = self else {
            let of_first = changes.iter().find(|&&(index, _)| index == 0);
            return Some((of_first.map_or(0, |&(_, change)| change), (0, u64::MAX)));
        };
        if changes.is_empty() {
            return Some((0, (0, u64::MAX)));
        }
        let (mut before, mut after) = (None, None);
        for &(index, change) in changes {
            let value = match change {
                -1 => &mut before,
                1 => &mut after,
                _ => return None,
            };
            if value.replace(index).is_some() {
                return None;
            }
        }
        // If no token leaves, the places are empty before the firing. If none arrives, they are
        // empty afterwards.
        let empty = can_be_empty.then_some(places.len());
        let (before, after) = (before.or(empty)?, after.or(empty)?);
        Some((after as i64 - before as i64, (before as u64, before as u64)))
    }
}

/// Returns the common values of two intervals.
pub(super) fn intersect(a: ValueInterval, b: ValueInterval) -> ValueInterval {
    (a.0.max(b.0), a.1.min(b.1))
}

/// A partition of the places of a net into groups, each for one level.
#[derive(Clone, Debug)]
pub(crate) struct LevelGroups {
    /// The groups. Each place belongs to exactly one.
    pub(crate) groups: Vec<LevelGroup>,
    /// For each place, by index: the index of its group, and its index in this group.
    location_of: Vec<(u32, usize)>,
}

impl LevelGroups {
    /// Returns a group for each place, in the order of the places.
    pub(super) fn of_places(net: &Net) -> LevelGroups {
        LevelGroups::new(net.place_count(), net.places().map(LevelGroup::Single).collect())
    }

    /// Returns groups by the invariants that `flows` contain.
    pub(crate) fn by_flows(net: &Net, flows: &[PlaceFlow]) -> LevelGroups {
        let mut is_grouped = vec![false; net.place_count()];
        let mut groups = Vec::new();
        let mut machines: Vec<Vec<PlaceId>> =
            flows.iter().filter_map(|flow| state_machine(net, flow)).collect();
        // Small state machines first: a large one is often a resource that many others share.
        machines.sort_by_key(Vec::len);
        for places in machines {
            let size = places.len();
            let left: Vec<PlaceId> =
                places.into_iter().filter(|place| !is_grouped[place.index()]).collect();
            if left.len() > 1 && left.len() * 2 > size {
                left.iter().for_each(|place| is_grouped[place.index()] = true);
                let can_be_empty = left.len() < size;
                groups.push(LevelGroup::AtMostOne { places: left, can_be_empty });
            }
        }
        for pair in flows.iter().filter_map(|flow| pair(net, flow)) {
            if pair.places.iter().all(|place| !is_grouped[place.index()]) {
                pair.places.iter().for_each(|place| is_grouped[place.index()] = true);
                groups.push(LevelGroup::Pair(pair));
            }
        }
        groups.extend(
            net.places().filter(|place| !is_grouped[place.index()]).map(LevelGroup::Single),
        );
        // Orders of the net's places stay meaningful.
        groups.sort_by_key(|group| group.places().iter().min().copied());
        LevelGroups::new(net.place_count(), groups)
    }

    fn new(places: usize, groups: Vec<LevelGroup>) -> LevelGroups {
        let mut location_of = vec![(0, 0); places];
        for (number, group) in (0..).zip(&groups) {
            for (index, place) in group.places().iter().enumerate() {
                location_of[place.index()] = (number, index);
            }
        }
        LevelGroups { groups, location_of }
    }

    /// Returns the index of the group of a place, and the index of the place in the group.
    pub(super) fn location(&self, place: PlaceId) -> (u32, usize) {
        self.location_of[place.index()]
    }

    /// Returns the group of a place.
    pub(crate) fn group_of(&self, place: PlaceId) -> &LevelGroup {
        &self.groups[self.location_of[place.index()].0 as usize]
    }

    /// Returns the value of each group in the initial marking of `net`.
    pub(crate) fn initial(&self, net: &Net) -> Vec<u64> {
        self.groups.iter().map(|group| group.value(|place| net.initial()[place])).collect()
    }

    /// Returns the transitions of `net` on the groups. Each is a list of touches, by ascending
    /// group. The level of a touch is the index of a group. Transitions that the invariants exclude
    /// are left out, and some are [merged](Self::merge_transitions), unless each group is one
    /// place.
    pub(super) fn transitions(&self, net: &Net) -> Vec<Vec<LevelTouch>> {
        let transitions = net.transitions().filter_map(|t| self.touches(net, t)).collect();
        match self.groups.iter().any(|group| group.places().len() > 1) {
            true => self.merge_transitions(transitions),
            false => transitions,
        }
    }

    /// Merges transitions that differ in their condition on one group only, if the values that
    /// satisfy one of the conditions are an interval. The firings stay the same.
    ///
    /// For example, a counter is often modelled by a place for each number. Then there is a
    /// transition for each step of the counter, and all these steps add 1 to the level's value.
    fn merge_transitions(&self, transitions: Vec<Vec<LevelTouch>>) -> Vec<Vec<LevelTouch>> {
        // A merged transition touches the same groups as before, and stands for the first of its
        // parts. The others become `None`.
        let mut touching: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        for (index, touches) in transitions.iter().enumerate() {
            touches.iter().for_each(|touch| touching[touch.level as usize].push(index));
        }
        let mut transitions: Vec<Option<Vec<LevelTouch>>> =
            transitions.into_iter().map(Some).collect();
        for _ in 0..MAX_MERGE_ROUNDS {
            let mut has_merged = false;
            for (group, touching) in (0..).zip(&touching) {
                has_merged |= self.merge_on(group, touching, &mut transitions);
            }
            if !has_merged {
                break;
            }
        }
        transitions.into_iter().flatten().collect()
    }

    /// Merges transitions as [`merge_transitions`](Self::merge_transitions) does, with respect to
    /// one group. `touching` has the indices of the transitions that touch it. Returns true if some
    /// transitions were merged.
    fn merge_on(
        &self,
        group: u32,
        touching: &[usize],
        transitions: &mut [Option<Vec<LevelTouch>>],
    ) -> bool {
        let largest = self.groups[group as usize].largest_value();
        // Transitions that agree in all but their interval on the group: these intervals, with the
        // indices of the transitions.
        let mut intervals: BTreeMap<Vec<LevelTouch>, Vec<(ValueInterval, usize)>> = BTreeMap::new();
        for &index in touching {
            let Some(touches) = &transitions[index] else { continue };
            if touches.len() > MAX_MERGED_TOUCHES {
                continue;
            }
            let mut touches = touches.clone();
            if let Some(touch) = touches.iter_mut().find(|touch| touch.level == group) {
                // An interval up to the largest value needs no upper limit.
                let max = if touch.max >= largest { u64::MAX } else { touch.max };
                let interval = (touch.pre, max);
                (touch.pre, touch.max) = (0, 0);
                intervals.entry(touches).or_default().push((interval, index));
            }
        }
        let mut has_merged = false;
        for alike in intervals.values_mut() {
            alike.sort_unstable();
            let mut last: Option<(ValueInterval, usize)> = None;
            for &(interval, index) in &*alike {
                let (joined, first) = match last {
                    Some((joined, first)) if interval.0 <= joined.1.saturating_add(1) => {
                        transitions[index] = None;
                        has_merged = true;
                        ((joined.0, joined.1.max(interval.1)), first)
                    }
                    _ => (interval, index),
                };
                let touches = transitions[first].iter_mut().flatten();
                for touch in touches.filter(|touch| touch.level == group) {
                    (touch.pre, touch.max) = joined;
                }
                last = Some((joined, first));
            }
        }
        has_merged
    }

    /// Returns the conditions and effects of `t` on the groups, by ascending group. The level of a
    /// touch is the index of a group. Returns `None` if `t` is enabled in no marking in which the
    /// invariants of the groups hold.
    pub(crate) fn touches(&self, net: &Net, t: TransitionId) -> Option<Vec<LevelTouch>> {
        let mut values: BTreeMap<u32, ValueInterval> = BTreeMap::new();
        let mut changes: BTreeMap<u32, Vec<(usize, i64)>> = BTreeMap::new();
        for arc in net.pre(t) {
            let (number, index) = self.location(arc.place);
            let of_group = values.entry(number).or_insert((0, u64::MAX));
            let needed = self.groups[number as usize].values_with(index, arc.weight);
            *of_group = intersect(*of_group, needed);
        }
        for change in net.delta(t) {
            let (number, index) = self.location(change.place);
            changes.entry(number).or_default().push((index, change.delta));
            values.entry(number).or_insert((0, u64::MAX));
        }
        let touch = |(number, of_pre): (u32, ValueInterval)| {
            let changes = changes.get(&number).map_or(&[][..], |changes| changes);
            let (change, of_change) = self.groups[number as usize].change(changes)?;
            let (pre, max) = intersect(of_pre, of_change);
            (pre <= max).then_some(LevelTouch { level: number, pre, max, change })
        };
        values.into_iter().map(touch).collect()
    }

    /// Returns the structure of the net of groups, from the structure of the net.
    pub(super) fn shape(&self, shape: &NetShape) -> NetShape {
        let grouped = |places: &Vec<u32>| {
            let groups = places.iter().map(|&place| self.location_of[place as usize].0);
            let mut groups: Vec<u32> = groups.collect();
            groups.sort_unstable();
            groups.dedup();
            groups
        };
        let mut is_placed = vec![false; self.groups.len()];
        let mut unit = |places: &Vec<u32>| {
            let mut groups = grouped(places);
            groups.retain(|&group| !std::mem::replace(&mut is_placed[group as usize], true));
            groups
        };
        let mut units: Vec<Vec<u32>> = shape.units.iter().map(&mut unit).collect();
        units.retain(|unit| !unit.is_empty());
        let transitions = shape.transitions.iter();
        let mut flows: Vec<Vec<u32>> = shape.flows.iter().map(grouped).collect();
        flows.retain(|flow| flow.len() > 1);
        flows.sort_unstable();
        flows.dedup();
        NetShape {
            places: self.groups.len(),
            transitions: transitions.map(|(pre, post)| (grouped(pre), grouped(post))).collect(),
            flows,
            units,
        }
    }
}

/// Returns the places that hold exactly one token together because of the invariant `flow`, or
/// `None` if there are fewer than two. These are the places with weight 1, if the constant is 1.
fn state_machine(net: &Net, flow: &PlaceFlow) -> Option<Vec<PlaceId>> {
    if flow.constant(net.initial()).to_i64() != Some(1) || !flow.is_semiflow() {
        return None;
    }
    let has_weight_1 = |(_, weight): &&(PlaceId, Integer)| weight.to_i64() == Some(1);
    let places: Vec<PlaceId> =
        flow.terms().iter().filter(has_weight_1).map(|term| term.0).collect();
    (places.len() > 1 && flow.holds(net)).then_some(places)
}

/// Returns the two places of the invariant `flow`, or `None` if it has another number of places or
/// large numbers.
fn pair(net: &Net, flow: &PlaceFlow) -> Option<PlacePair> {
    let [(p, a), (q, b)] = flow.terms() else { return None };
    let number = |it: &Integer| it.to_i64().and_then(|it| u64::try_from(it).ok());
    let total = number(&flow.constant(net.initial()))?;
    let weights = [number(a).filter(|&it| it > 0)?, number(b).filter(|&it| it > 0)?];
    flow.holds(net).then_some(PlacePair { places: [*p, *q], weights, total })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagrams::order;
    use parikh_net::text;
    use parikh_solvers::Budget;

    fn net_and_groups(text: &str) -> (Net, LevelGroups) {
        let net = text::parse(text).unwrap();
        let (_, flows) = order::shape(&net, &Budget::unlimited());
        let groups = LevelGroups::by_flows(&net, &flows);
        (net, groups)
    }

    #[test]
    fn the_steps_of_a_counter_become_one_transition() {
        let (net, groups) = net_and_groups(
            "place c0 1\nplace c1\nplace c2\nplace c3\n\
             transition up0: c0 -> c1\ntransition up1: c1 -> c2\ntransition up2: c2 -> c3\n\
             transition back: c3 -> c0",
        );
        let places: Vec<PlaceId> = net.places().collect();
        assert_eq!(groups.groups, [LevelGroup::AtMostOne { places, can_be_empty: false }]);
        let up = LevelTouch { level: 0, pre: 0, max: 2, change: 1 };
        let back = LevelTouch { level: 0, pre: 3, max: u64::MAX, change: -3 };
        assert_eq!(groups.transitions(&net), [vec![up], vec![back]]);
    }

    #[test]
    fn a_place_of_two_state_machines_leaves_one_of_them_empty_at_times() {
        let (net, groups) = net_and_groups(
            "place a 1\nplace b\nplace c\nplace d\nplace e 1\n\
             transition t: a -> b\ntransition u: b + d -> c\ntransition v: c -> a + e\n\
             transition w: e -> d",
        );
        let mut sizes = Vec::new();
        for group in &groups.groups {
            let LevelGroup::AtMostOne { places, can_be_empty } = group else {
                panic!("{group:?} is no state machine");
            };
            sizes.push((places.len(), *can_be_empty));
        }
        sizes.sort_unstable();
        assert_eq!(sizes, [(2, true), (3, false)]);
        assert_eq!(groups.transitions(&net).len(), 4);
    }

    #[test]
    fn two_places_with_a_constant_weighted_sum_share_a_level() {
        let (net, groups) = net_and_groups(
            "place p 7\nplace q\n\
             transition t: 2*p -> q\ntransition u: q -> 2*p\ntransition v: 8*p -> 4*q",
        );
        let [LevelGroup::Pair(pair)] = &groups.groups[..] else { panic!("{groups:?}") };
        assert_eq!((pair.weights, pair.total), ([1, 2], 7));
        // t needs two tokens of p. u needs a token of q, so p holds at most five. v is never
        // enabled, but only the value of the level shows this.
        let touch = |pre, max, change| vec![LevelTouch { level: 0, pre, max, change }];
        let transitions = groups.transitions(&net);
        assert_eq!(transitions[..2], [touch(2, u64::MAX, -2), touch(0, 5, 2)]);
    }
}
