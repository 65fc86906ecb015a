//! What clauses speak of: tokens of places and sums of them, with bounds, and cubes of bounds.
//!
//! A firing adds the same to a term wherever it takes place, so what holds after a firing of t is a
//! bound on the same term before it: m(p) + δ ≥ k just if m(p) ≥ k − δ. The markings from which t
//! leads into a cube are a cube again, exactly, whatever the weights are and whether or not places
//! are bounded.

use crate::structure::intervals::Level;
use parikh_net::{Atom, LinearSum, Net, PlaceId, TransitionId};
use std::collections::{BTreeMap, HashMap};

/// A bound on a term: at most so much, or at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Bound {
    pub(super) term: usize,
    pub(super) upper: bool,
    pub(super) value: i128,
}

impl Bound {
    /// That it does not hold.
    pub(super) fn negated(self) -> Bound {
        let by = if self.upper { 1 } else { -1 };
        Bound { upper: !self.upper, value: self.value + by, ..self }
    }

    /// Whether a term of this value is within.
    pub(super) fn holds(self, value: i128) -> bool {
        if self.upper { value <= self.value } else { value >= self.value }
    }

    /// Whether it says at least as much as `other`, of the same side of the same term.
    pub(super) fn implies(self, other: Bound) -> bool {
        let same = self.term == other.term && self.upper == other.upper;
        same && if self.upper { self.value <= other.value } else { self.value >= other.value }
    }

    /// Where the term changes by so much: whether that may make the bound true.
    fn is_helped_by(self, change: i128) -> bool {
        if self.upper { change < 0 } else { change > 0 }
    }
}

/// Bounds that hold together; ascending, one for each side of a term.
pub(super) type Cube = Vec<Bound>;

/// The conjunction of bounds as a cube.
pub(super) fn cube(mut bounds: Vec<Bound>) -> Cube {
    let tightest_first = |bound: &Bound| if bound.upper { bound.value } else { -bound.value };
    bounds.sort_unstable_by_key(|bound| (bound.term, bound.upper, tightest_first(bound)));
    bounds.dedup_by_key(|bound| (bound.term, bound.upper));
    bounds
}

/// "Not all of these hold" as a clause.
pub(super) fn negated(cube: &[Bound]) -> Vec<Bound> {
    cube.iter().map(|bound| bound.negated()).collect()
}

/// Whether every marking of `inner` is one of `outer`, as their bounds show.
pub(super) fn includes(outer: &[Bound], inner: &[Bound]) -> bool {
    let mut at = 0;
    outer.iter().all(|&bound| {
        while inner.get(at).is_some_and(|own| (own.term, own.upper) < (bound.term, bound.upper)) {
            at += 1;
        }
        inner.get(at).is_some_and(|own| own.implies(bound))
    })
}

/// A term is the sum of these.
#[derive(Clone)]
pub(super) struct Relation {
    pub(super) term: usize,
    /// Terms with their coefficients.
    pub(super) parts: Vec<(usize, i128)>,
}

/// A term is so much more than a multiple of a number; 0 and 1 of most terms.
#[derive(Clone, Copy)]
struct Remainder {
    of: i128,
    modulus: i128,
}

/// The terms of a net: places first, by their numbers, then rows.
pub(super) struct Terms<'n> {
    pub(super) net: &'n Net,
    /// The sums of the rows, in order; the first coefficient of each is positive.
    rows: Vec<LinearSum>,
    /// What rows are sums of: of places, and some also of other rows.
    relations: Vec<Relation>,
    remainders: Vec<Remainder>,
    row_of: HashMap<LinearSum, usize>,
    low: Vec<Option<i128>>,
    high: Vec<Option<i128>>,
    /// The upper ends of places, before any remainder rounds them.
    within: Vec<Option<i128>>,
    initial: Vec<i128>,
    /// By term what each transition adds to it, if anything.
    changes: Vec<Vec<(TransitionId, i128)>>,
    /// Transitions that intervals keep from ever firing, by number.
    impossible: Vec<bool>,
}

impl<'n> Terms<'n> {
    /// The places with the ends of their intervals.
    pub(super) fn new(net: &'n Net, level: &Level) -> Self {
        let mut changes = vec![Vec::new(); net.place_count()];
        for t in net.transitions().filter(|&t| level.is_possible(t)) {
            for change in net.delta(t) {
                changes[change.place.index()].push((t, i128::from(change.delta)));
            }
        }
        Terms {
            net,
            rows: Vec::new(),
            relations: Vec::new(),
            remainders: vec![Remainder { of: 0, modulus: 1 }; net.place_count()],
            row_of: HashMap::new(),
            low: net.places().map(|p| Some(level.low(p).into())).collect(),
            high: net.places().map(|p| level.high(p).map(i128::from)).collect(),
            within: net.places().map(|p| level.high(p).map(i128::from)).collect(),
            initial: net.places().map(|p| net.initial()[p].into()).collect(),
            changes,
            impossible: net.transitions().map(|t| !level.is_possible(t)).collect(),
        }
    }

    /// The inputs of transitions around `place` that intervals keep from ever firing.
    pub(super) fn blocking(&self, place: PlaceId) -> impl Iterator<Item = PlaceId> {
        let around = self.net.producers(place).iter().chain(self.net.consumers(place));
        let blocked = around.map(|arc| arc.transition).filter(|t| self.impossible[t.index()]);
        blocked.flat_map(|t| self.net.pre(t)).map(|arc| arc.place)
    }

    /// The row of a sum of several places, and whether it is that of the negated sum.
    pub(super) fn row(&mut self, sum: &LinearSum) -> (usize, bool) {
        let turned = sum.terms()[0].1 < 0;
        let key = if turned { sum.negated() } else { sum.clone() };
        let term = match self.row_of.get(&key) {
            Some(&term) => term,
            None => self.add_row(key),
        };
        (term, turned)
    }

    fn add_row(&mut self, sum: LinearSum) -> usize {
        let term = self.low.len();
        let mut changes: HashMap<TransitionId, i128> = HashMap::new();
        for &(p, a) in sum.terms() {
            for &(t, change) in &self.changes[p.index()] {
                *changes.entry(t).or_default() += i128::from(a) * change;
            }
        }
        let mut changes: Vec<(TransitionId, i128)> =
            changes.into_iter().filter(|&(_, change)| change != 0).collect();
        changes.sort_unstable();
        let initial = sum.value(self.net.initial());
        // What no firing changes keeps its value for ever.
        let fixed = changes.is_empty().then_some(initial);
        let end = |upper: bool| {
            let parts = sum.terms().iter().map(|&(p, a)| {
                let end = if (a > 0) == upper { self.high[p.index()] } else { self.low[p.index()] };
                Some(i128::from(a) * end?)
            });
            fixed.or_else(|| parts.sum())
        };
        let (low, high) = (end(false), end(true));
        self.low.push(low);
        self.high.push(high);
        self.initial.push(initial);
        self.changes.push(changes);
        self.row_of.insert(sum.clone(), term);
        self.remainders.push(Remainder { of: 0, modulus: 1 });
        let parts = sum.terms().iter().map(|&(p, a)| (p.index(), i128::from(a)));
        self.relations.push(Relation { term, parts: parts.collect() });
        self.rows.push(sum);
        term
    }

    /// Makes use of it that firings add multiples of `modulus` to a sum, if they do.
    pub(super) fn keep_remainder(&mut self, sum: &LinearSum, modulus: u32) {
        let term = match sum.terms() {
            [] => return,
            [(place, 1 | -1)] => place.index(),
            [_] => return,
            _ => self.row(sum).0,
        };
        let modulus = i128::from(modulus);
        let is_kept = self.changes[term].iter().all(|&(_, change)| change % modulus == 0)
            && self.impossible_changes(sum).values().all(|change| change % modulus == 0);
        // One is enough for a sum, and one that never changes needs none.
        if !is_kept || self.is_flow(term) || self.remainders[term].modulus > 1 {
            return;
        }
        self.remainders[term] = Remainder { of: self.initial[term].rem_euclid(modulus), modulus };
        self.low[term] = self.low[term].map(|low| self.from(term, low));
        self.high[term] = self.high[term].map(|high| self.up_to(term, high));
    }

    /// What transitions that intervals keep from ever firing would add to a sum: the checker does
    /// not ask why they do not fire.
    fn impossible_changes(&self, sum: &LinearSum) -> BTreeMap<TransitionId, i128> {
        let mut changes: BTreeMap<TransitionId, i128> = BTreeMap::new();
        for &(p, a) in sum.terms() {
            for (arcs, sign) in [(self.net.producers(p), 1), (self.net.consumers(p), -1)] {
                for arc in arcs.iter().filter(|arc| self.impossible[arc.transition.index()]) {
                    let change = sign * i128::from(a) * i128::from(arc.weight);
                    *changes.entry(arc.transition).or_default() += change;
                }
            }
        }
        changes
    }

    /// Has rows that are sums of others know it, after all of them. What never changes is taken out
    /// of those that do change, and then what keeps its remainder: what is left of a sum that never
    /// changes keeps its own then, and what never changes as a whole bounds its parts. Flows come
    /// first, and each in the order of terms: the checker does the same.
    pub(super) fn compose(&mut self) {
        let of = |is: &dyn Fn(usize) -> bool| -> Vec<Relation> {
            self.relations.iter().filter(|relation| is(relation.term)).cloned().collect()
        };
        let (flows, kept) =
            (of(&|term| self.is_flow(term)), of(&|term| self.keeps_remainder(term)));
        let from = flows.len();
        let others = [flows, kept].concat();
        // What is in a sum begins with one of its parts; there may be thousands that do not.
        let mut beginning: HashMap<usize, Vec<usize>> = HashMap::new();
        for (position, other) in others.iter().enumerate() {
            beginning.entry(other.parts[0].0).or_default().push(position);
        }
        for Relation { term, parts } in self.relations.clone() {
            let from = if self.is_flow(term) { from } else { 0 };
            let within = parts.iter().filter_map(|(part, _)| beginning.get(part)).flatten();
            let mut within: Vec<usize> = within.copied().filter(|&at| at >= from).collect();
            within.sort_unstable();
            let mut rest: BTreeMap<usize, i128> = parts.into_iter().collect();
            let mut parts = Vec::new();
            for other in within.into_iter().map(|at| &others[at]).filter(|it| it.term != term) {
                let times = other.parts.iter().map(|(part, a)| match rest.get(part) {
                    Some(whole) if *a > 0 => (whole / a).max(0),
                    _ => 0,
                });
                let times = times.min().unwrap_or(0);
                if times > 0 {
                    for (part, a) in &other.parts {
                        *rest.entry(*part).or_default() -= times * a;
                    }
                    parts.push((other.term, times));
                }
            }
            if parts.is_empty() {
                continue;
            }
            rest.retain(|_, a| *a != 0);
            let modulus = parts.iter().map(|&(part, _)| self.remainders[part].modulus).min();
            match (self.sum_of(&rest), modulus.and_then(|modulus| u32::try_from(modulus).ok())) {
                (Some(sum), Some(modulus)) if self.is_flow(term) => {
                    self.keep_remainder(&sum, modulus);
                    let (own, turned) = self.row(&sum);
                    parts.push((own, if turned { -1 } else { 1 }));
                }
                _ => parts.extend(rest),
            }
            let relation = Relation { term, parts };
            self.tighten(&relation);
            self.relations.push(relation);
        }
    }

    /// Several places as a sum.
    fn sum_of(&self, parts: &BTreeMap<usize, i128>) -> Option<LinearSum> {
        let term = |(&part, &a): (&usize, &i128)| {
            let is_place = part < self.net.place_count();
            is_place.then(|| Some((PlaceId::new(part), i64::try_from(a).ok()?))).flatten()
        };
        let terms: Option<Vec<(PlaceId, i64)>> = parts.iter().map(term).collect();
        LinearSum::new(terms?).ok().filter(|sum| sum.terms().len() > 1)
    }

    /// What a sum that never changes leaves for each of its parts, where the others need their
    /// least. Documents name these sums, and no others, so that the checker sees it, too.
    fn tighten(&mut self, relation: &Relation) {
        let most = self.high[relation.term].filter(|_| self.is_flow(relation.term));
        let Some(most) = most else { return };
        let least = |&(part, a): &(usize, i128)| {
            Some(a * if a > 0 { self.low[part]? } else { self.high[part]? })
        };
        let least: Option<Vec<i128>> = relation.parts.iter().map(least).collect();
        let Some(least) = least else { return };
        let all: i128 = least.iter().sum();
        for (&(part, a), own) in relation.parts.iter().zip(&least) {
            // Those of places have derivations.
            if a < 0 || part < self.net.place_count() {
                continue;
            }
            let high = self.up_to(part, (most - (all - own)).div_euclid(a));
            self.high[part] = Some(self.high[part].map_or(high, |known| known.min(high)));
        }
    }

    /// The least value of a term from there on.
    pub(super) fn from(&self, term: usize, value: i128) -> i128 {
        let Remainder { of, modulus } = self.remainders[term];
        value + (of - value).rem_euclid(modulus)
    }

    /// The largest value of a term up to there.
    pub(super) fn up_to(&self, term: usize, value: i128) -> i128 {
        let Remainder { of, modulus } = self.remainders[term];
        value - (value - of).rem_euclid(modulus)
    }

    pub(super) fn keeps_remainder(&self, term: usize) -> bool {
        self.remainders[term].modulus > 1
    }

    /// The terms that keep their remainder, with the modulus.
    pub(super) fn remainders(&self) -> impl Iterator<Item = (usize, i128)> {
        let all = self.remainders.iter().enumerate();
        all.map(|(term, it)| (term, it.modulus)).filter(|&(_, modulus)| modulus > 1)
    }

    /// What rows are sums of.
    pub(super) fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// Whether it is a row whose value never changes.
    pub(super) fn is_flow(&self, term: usize) -> bool {
        term >= self.net.place_count() && self.changes[term].is_empty()
    }

    /// The bound that a comparison is; `None` for one without places, or one that rounding changes.
    pub(super) fn bound(&mut self, atom: &Atom) -> Option<Bound> {
        let value = i128::from(atom.bound);
        match atom.sum.terms() {
            [] => None,
            &[(place, a)] => {
                let (a, term) = (i128::from(a), place.index());
                Some(match a > 0 {
                    true => Bound { term, upper: true, value: value.div_euclid(a) },
                    false => Bound { term, upper: false, value: -value.div_euclid(-a) },
                })
            }
            _ => {
                let (term, turned) = self.row(&atom.sum);
                Some(Bound { term, upper: !turned, value: if turned { -value } else { value } })
            }
        }
    }

    /// "The term is at least `value`" as a comparison; `None` beyond 64 bits.
    pub(super) fn at_least(&self, term: usize, value: i128) -> Option<Atom> {
        let bound = i64::try_from(-value).ok()?;
        let sum = match term.checked_sub(self.net.place_count()) {
            None => LinearSum::place(PlaceId::new(term)),
            Some(row) => self.rows[row].clone(),
        };
        Some(Atom { sum: sum.negated(), bound })
    }

    /// A bound as a comparison; `None` beyond 64 bits.
    pub(super) fn atom(&self, bound: Bound) -> Option<Atom> {
        match bound.upper {
            false => self.at_least(bound.term, bound.value),
            true => Some(self.at_least(bound.term, bound.value.checked_add(1)?)?.negated()),
        }
    }

    /// The rows with their terms.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, &LinearSum)> {
        self.rows.iter().enumerate().map(|(at, sum)| (self.net.place_count() + at, sum))
    }

    pub(super) fn low(&self, term: usize) -> Option<i128> {
        self.low[term]
    }

    pub(super) fn high(&self, term: usize) -> Option<i128> {
        self.high[term]
    }

    /// Whether the bound holds of every reachable marking, or of none, as intervals tell.
    pub(super) fn decide(&self, bound: Bound) -> Option<bool> {
        let (low, high) = (self.low[bound.term], self.high[bound.term]);
        let (least, most) = if bound.upper { (low, high) } else { (high, low) };
        // `most` within: always; `least` without: never.
        if most.is_some_and(|value| bound.holds(value)) {
            return Some(true);
        }
        least.is_some_and(|value| !bound.holds(value)).then_some(false)
    }

    /// Whether the bound holds initially.
    pub(super) fn holds_at_first(&self, bound: Bound) -> bool {
        bound.holds(self.initial[bound.term])
    }

    /// Values that make the bound say less, the least first; none where it has but one.
    pub(super) fn looser(&self, bound: Bound) -> Vec<i128> {
        let end = if bound.upper { self.high[bound.term] } else { self.low[bound.term] };
        // Without an upper end, as far again.
        let end = end.unwrap_or(2 * bound.value.abs() + 8);
        let loosest = if bound.upper { end - 1 } else { end + 1 };
        let half = loosest + (bound.value - loosest) / 2;
        let mut values = vec![loosest, half];
        values.dedup();
        values.retain(|&value| {
            let looser = Bound { value, ..bound };
            bound.implies(looser) && looser != bound
        });
        values
    }

    /// Whether the initial marking is in the cube.
    pub(super) fn is_initial(&self, cube: &[Bound]) -> bool {
        cube.iter().all(|&bound| self.holds_at_first(bound))
    }

    /// The transitions that may lead into the cube from outside, ascending: those that help one of
    /// its bounds to become true.
    pub(super) fn entrants(&self, cube: &[Bound]) -> Vec<TransitionId> {
        let helped = cube.iter().flat_map(|bound| {
            let changes = self.changes[bound.term].iter();
            changes.filter(|&&(_, change)| bound.is_helped_by(change)).map(|&(t, _)| t)
        });
        let mut all: Vec<TransitionId> = helped.collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What `t` adds to a term.
    fn change(&self, t: TransitionId, term: usize) -> i128 {
        let changes = &self.changes[term];
        changes.binary_search_by_key(&t, |&(t, _)| t).map_or(0, |at| changes[at].1)
    }

    /// What has to hold before a firing of `t` that leads into the cube: first what `t` takes, then
    /// what the upper ends of intervals ask for after it, then each bound of the cube as it reads
    /// before.
    pub(super) fn before(&self, t: TransitionId, cube: &[Bound]) -> Vec<(Bound, Why)> {
        let inputs = self.net.pre(t).iter().map(|arc| {
            let (term, value) = (arc.place.index(), i128::from(arc.weight));
            (Bound { term, upper: false, value }, Why::Enabled)
        });
        let after = self.net.delta(t).iter().filter(|change| change.delta > 0);
        let after = after.filter_map(|change| {
            let term = change.place.index();
            let value = self.within[term]? - i128::from(change.delta);
            Some((Bound { term, upper: true, value }, Why::Within))
        });
        let bounds = cube.iter().enumerate().map(|(at, bound)| {
            let value = bound.value - self.change(t, bound.term);
            (Bound { value, ..*bound }, Why::Bound(at))
        });
        inputs.chain(after).chain(bounds).collect()
    }
}

/// Why something has to hold before a firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The transition takes so many tokens.
    Enabled,
    /// No marking beyond is reachable.
    Within,
    /// The bound of the cube at this position holds after it.
    Bound(usize),
}

impl Why {
    /// The position, if it is for a bound of the cube.
    pub(super) fn position(self) -> Option<usize> {
        match self {
            Why::Bound(at) => Some(at),
            Why::Enabled | Why::Within => None,
        }
    }
}
