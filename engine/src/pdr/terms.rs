//! Terms (places and weighted sums of places), bounds on terms, and cubes of bounds.
//!
//! A transition changes a term by the same amount wherever it fires. So a bound after firing t is a
//! bound on the same term before it: m(p) + δ ≥ k exactly if m(p) ≥ k − δ. The predecessors of a
//! cube under t are exactly a cube again, for arbitrary weights and for unbounded places.

use parikh_net::{Atom, LinearSum, Net, PlaceId, TransitionId};
use parikh_structure::intervals::ProvenanceIntervals;
use std::collections::{BTreeMap, HashMap};

/// A bound on a term: an upper bound ("at most `value`") or a lower bound ("at least `value`").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SumBound {
    /// Index of the term: a place index, or the number of places plus the index of a row, that is,
    /// of a weighted sum of several places.
    pub(super) term: usize,
    /// True for an upper bound.
    pub(super) is_upper: bool,
    /// The value that the term is compared with.
    pub(super) value: i128,
}

impl SumBound {
    /// Returns the negation of the bound.
    pub(super) fn negated(self) -> SumBound {
        let offset = if self.is_upper { 1 } else { -1 };
        SumBound { is_upper: !self.is_upper, value: self.value + offset, ..self }
    }

    /// Returns true if a term with this value satisfies the bound.
    pub(super) fn holds(self, value: i128) -> bool {
        if self.is_upper { value <= self.value } else { value >= self.value }
    }

    /// Returns true if `other` bounds the same term on the same side and the bound implies it.
    /// Returns false for a bound on another term or on the other side.
    pub(super) fn implies(self, other: SumBound) -> bool {
        let same = self.term == other.term && self.is_upper == other.is_upper;
        same && if self.is_upper { self.value <= other.value } else { self.value >= other.value }
    }

    /// Returns true if adding `change` to the term may make the bound true.
    fn is_helped_by(self, change: i128) -> bool {
        if self.is_upper { change < 0 } else { change > 0 }
    }
}

/// A conjunction of bounds, in ascending order, at most one per term and side.
pub(super) type Cube = Vec<SumBound>;

/// Returns the conjunction of the bounds as a cube: sorted, with the tightest bound per term and
/// side.
pub(super) fn cube(mut bounds: Vec<SumBound>) -> Cube {
    let tightest_first = |bound: &SumBound| if bound.is_upper { bound.value } else { -bound.value };
    bounds.sort_unstable_by_key(|bound| (bound.term, bound.is_upper, tightest_first(bound)));
    bounds.dedup_by_key(|bound| (bound.term, bound.is_upper));
    bounds
}

/// Returns the clause "not all of these bounds hold".
pub(super) fn negated(cube: &[SumBound]) -> Vec<SumBound> {
    cube.iter().map(|bound| bound.negated()).collect()
}

/// Returns true if each bound of `outer` follows from a bound of `inner` on the same side of the
/// same term. Then every marking of `inner` is in `outer`. Both lists must be sorted as cubes are,
/// with at most one bound per term and side.
pub(super) fn includes(outer: &[SumBound], inner: &[SumBound]) -> bool {
    let mut index = 0;
    outer.iter().all(|&bound| {
        while inner.get(index).is_some_and(|inner_bound| {
            (inner_bound.term, inner_bound.is_upper) < (bound.term, bound.is_upper)
        }) {
            index += 1;
        }
        inner.get(index).is_some_and(|inner_bound| inner_bound.implies(bound))
    })
}

/// An equation: a term equals a weighted sum of other terms.
#[derive(Clone)]
pub(super) struct SumEquation {
    /// The term of the row.
    pub(super) term: usize,
    /// The terms whose weighted sum the row equals, with their coefficients.
    pub(super) summands: Vec<(usize, i128)>,
}

/// The remainder of a term's values modulo `modulus`. Most terms have remainder 0 modulo 1, which
/// all numbers have.
#[derive(Clone, Copy)]
struct Remainder {
    residue: i128,
    modulus: i128,
}

/// The terms of a net: first the places by their indices, then the rows, that is, weighted sums of
/// several places.
pub(super) struct BoundTerms<'n> {
    pub(super) net: &'n Net,
    /// The sums of the rows, in order. The first coefficient of each sum is positive.
    rows: Vec<LinearSum>,
    /// Equations of the rows: each row as a sum of places, and some rows also as sums with other
    /// rows.
    equations: Vec<SumEquation>,
    /// The remainder of each term's values, by term. The modulus is 1 if no fixed remainder is
    /// known.
    remainders: Vec<Remainder>,
    /// The term of a row, by its sum of places.
    row_of: HashMap<LinearSum, usize>,
    /// The lower bound of each term in all reachable markings, by term. `None` if no bound is
    /// known.
    low: Vec<Option<i128>>,
    /// The upper bound of each term in all reachable markings, by term. `None` if no bound is
    /// known.
    high: Vec<Option<i128>>,
    /// Upper bounds of the places as the intervals give them, before they are rounded down to a
    /// fixed remainder. Indexed by place; `None` if no bound is known.
    place_upper_bounds: Vec<Option<i128>>,
    /// The initial value of each term, by term.
    initial: Vec<i128>,
    /// For each term, the transitions that change it, in ascending order, with the change.
    /// Transitions that can never fire according to the intervals are left out.
    changes: Vec<Vec<(TransitionId, i128)>>,
    /// For each transition, true if it can never fire according to the intervals.
    is_impossible: Vec<bool>,
}

impl<'n> BoundTerms<'n> {
    /// Creates the terms of the places, with their intervals.
    pub(super) fn new(net: &'n Net, intervals: &ProvenanceIntervals) -> Self {
        let mut changes = vec![Vec::new(); net.place_count()];
        for t in net.transitions().filter(|&t| intervals.is_possible(t)) {
            for change in net.delta(t) {
                changes[change.place.index()].push((t, i128::from(change.delta)));
            }
        }
        BoundTerms {
            net,
            rows: Vec::new(),
            equations: Vec::new(),
            remainders: vec![Remainder { residue: 0, modulus: 1 }; net.place_count()],
            row_of: HashMap::new(),
            low: net.places().map(|p| Some(intervals.low(p).into())).collect(),
            high: net.places().map(|p| intervals.high(p).map(i128::from)).collect(),
            place_upper_bounds: net.places().map(|p| intervals.high(p).map(i128::from)).collect(),
            initial: net.places().map(|p| net.initial()[p].into()).collect(),
            changes,
            is_impossible: net.transitions().map(|t| !intervals.is_possible(t)).collect(),
        }
    }

    /// Returns the input places of dead producers and dead consumers of `place`. A transition
    /// counts as dead if it can never fire according to the intervals. Bounds of its input places
    /// show this.
    pub(super) fn inputs_of_dead_neighbours(
        &self,
        place: PlaceId,
    ) -> impl Iterator<Item = PlaceId> {
        let neighbours = self.net.producers(place).iter().chain(self.net.consumers(place));
        let blocked =
            neighbours.map(|arc| arc.transition).filter(|t| self.is_impossible[t.index()]);
        blocked.flat_map(|t| self.net.pre(t)).map(|arc| arc.place)
    }

    /// Returns the term of the row for a sum of several places, and adds the row if it is new. The
    /// sum must not be empty. The flag is true if the row represents the negated sum.
    pub(super) fn row(&mut self, sum: &LinearSum) -> (usize, bool) {
        let is_negated = sum.terms()[0].1 < 0;
        let key = if is_negated { sum.negated() } else { sum.clone() };
        let term = match self.row_of.get(&key) {
            Some(&term) => term,
            None => self.add_row(key),
        };
        (term, is_negated)
    }

    /// Adds a row for a sum whose first coefficient is positive, and returns the term of the row.
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
        // A sum that no firing changes keeps its initial value.
        let fixed = changes.is_empty().then_some(initial);
        let bound_of_sum = |upper: bool| {
            let parts = sum.terms().iter().map(|&(p, a)| {
                let bound =
                    if (a > 0) == upper { self.high[p.index()] } else { self.low[p.index()] };
                Some(i128::from(a) * bound?)
            });
            fixed.or_else(|| parts.sum())
        };
        let (low, high) = (bound_of_sum(false), bound_of_sum(true));
        self.low.push(low);
        self.high.push(high);
        self.initial.push(initial);
        self.changes.push(changes);
        self.row_of.insert(sum.clone(), term);
        self.remainders.push(Remainder { residue: 0, modulus: 1 });
        let parts = sum.terms().iter().map(|&(p, a)| (p.index(), i128::from(a)));
        self.equations.push(SumEquation { term, summands: parts.collect() });
        self.rows.push(sum);
        term
    }

    /// Records a fixed remainder of a sum modulo `modulus`, and rounds the bounds of the sum to
    /// this remainder. Records nothing unless every transition changes the sum by a multiple of
    /// `modulus`, including the transitions that can never fire. Also records nothing for an empty
    /// sum, a constant row, or a term with a recorded remainder. The same holds for a single place
    /// with a coefficient other than ±1. A sum of several places becomes a row in any case.
    pub(super) fn record_remainder(&mut self, sum: &LinearSum, modulus: u32) {
        let term = match sum.terms() {
            [] => return,
            [(place, 1 | -1)] => place.index(),
            [_] => return,
            _ => self.row(sum).0,
        };
        let modulus = i128::from(modulus);
        let is_kept = self.changes[term].iter().all(|&(_, change)| change % modulus == 0)
            && self.impossible_changes(sum).values().all(|change| change % modulus == 0);
        // One modulus per sum is sufficient, and a constant sum needs none.
        if !is_kept || self.is_constant_row(term) || self.remainders[term].modulus > 1 {
            return;
        }
        self.remainders[term] =
            Remainder { residue: self.initial[term].rem_euclid(modulus), modulus };
        self.low[term] = self.low[term].map(|low| self.round_up(term, low));
        self.high[term] = self.high[term].map(|high| self.round_down(term, high));
    }

    /// Returns the change of a sum by each transition that can never fire according to the
    /// intervals. The checker requires a fixed remainder for these transitions as well.
    fn impossible_changes(&self, sum: &LinearSum) -> BTreeMap<TransitionId, i128> {
        let mut changes: BTreeMap<TransitionId, i128> = BTreeMap::new();
        for &(p, a) in sum.terms() {
            for (arcs, sign) in [(self.net.producers(p), 1), (self.net.consumers(p), -1)] {
                for arc in arcs.iter().filter(|arc| self.is_impossible[arc.transition.index()]) {
                    let change = sign * i128::from(a) * i128::from(arc.weight);
                    *changes.entry(arc.transition).or_default() += change;
                }
            }
        }
        changes
    }

    /// Adds equations that express rows by other rows. Call it after all rows have been added. A
    /// row can contain a second row with only positive coefficients. It does so if a multiple of
    /// the second row can be subtracted without making a coefficient negative. Each row is
    /// decomposed into the constant rows that it contains, then rows with a fixed remainder, and a
    /// rest of places. A constant row is decomposed only into rows with a fixed remainder. A rest
    /// of a constant row with at least two places becomes a row of its own. The remainder of this
    /// row is recorded if it is fixed. The constant value bounds the rows of the decomposition from
    /// above, if the other summands have the necessary bounds. Contained rows are tried in the
    /// order of terms, constant rows first, because the checker uses this order.
    pub(super) fn compose(&mut self) {
        let equations_where = |selects: &dyn Fn(usize) -> bool| -> Vec<SumEquation> {
            self.equations.iter().filter(|relation| selects(relation.term)).cloned().collect()
        };
        let (flows, remainder_equations) = (
            equations_where(&|term| self.is_constant_row(term)),
            equations_where(&|term| self.has_fixed_remainder(term)),
        );
        let flow_count = flows.len();
        let known_equations = [flows, remainder_equations].concat();
        // Index of the known equations by first summand. A row can contain only equations whose
        // first summand it has, so most of the thousands of equations are never tried.
        let mut by_first_summand: HashMap<usize, Vec<usize>> = HashMap::new();
        for (position, equation) in known_equations.iter().enumerate() {
            by_first_summand.entry(equation.summands[0].0).or_default().push(position);
        }
        for SumEquation { term, summands } in self.equations.clone() {
            let first_usable = if self.is_constant_row(term) { flow_count } else { 0 };
            let contained =
                summands.iter().filter_map(|(summand, _)| by_first_summand.get(summand)).flatten();
            let mut contained: Vec<usize> =
                contained.copied().filter(|&index| index >= first_usable).collect();
            contained.sort_unstable();
            let mut remaining: BTreeMap<usize, i128> = summands.into_iter().collect();
            let mut summands = Vec::new();
            for equation in contained
                .into_iter()
                .map(|index| &known_equations[index])
                .filter(|it| it.term != term)
            {
                let multiplicity =
                    equation.summands.iter().map(|(summand, a)| match remaining.get(summand) {
                        Some(available) if *a > 0 => (available / a).max(0),
                        _ => 0,
                    });
                let multiplicity = multiplicity.min().unwrap_or(0);
                if multiplicity > 0 {
                    for (summand, a) in &equation.summands {
                        *remaining.entry(*summand).or_default() -= multiplicity * a;
                    }
                    summands.push((equation.term, multiplicity));
                }
            }
            if summands.is_empty() {
                continue;
            }
            remaining.retain(|_, a| *a != 0);
            let modulus =
                summands.iter().map(|&(summand, _)| self.remainders[summand].modulus).min();
            match (self.sum_of(&remaining), modulus.and_then(|modulus| u32::try_from(modulus).ok()))
            {
                (Some(sum), Some(modulus)) if self.is_constant_row(term) => {
                    self.record_remainder(&sum, modulus);
                    let (remaining_row, is_negated) = self.row(&sum);
                    summands.push((remaining_row, if is_negated { -1 } else { 1 }));
                }
                _ => summands.extend(remaining),
            }
            let relation = SumEquation { term, summands };
            self.tighten(&relation);
            self.equations.push(relation);
        }
    }

    /// Returns the linear sum of the summands. Returns `None` if a summand is a row, if there are
    /// fewer than two places, or if numbers exceed 64 bits.
    fn sum_of(&self, summands: &BTreeMap<usize, i128>) -> Option<LinearSum> {
        let term = |(&summand, &a): (&usize, &i128)| {
            let is_place = summand < self.net.place_count();
            is_place.then(|| Some((PlaceId::new(summand), i64::try_from(a).ok()?))).flatten()
        };
        let terms: Option<Vec<(PlaceId, i64)>> = summands.iter().map(term).collect();
        LinearSum::new(terms?).ok().filter(|sum| sum.terms().len() > 1)
    }

    /// Tightens upper bounds of summands in an equation of a constant row. A row with a positive
    /// coefficient is at most what remains of the constant when all other summands are minimal,
    /// divided by the coefficient. Does nothing for an equation of another row, or if the minimum
    /// of some summand is unknown. The certificate names the constant row, so the checker derives
    /// the same bounds.
    fn tighten(&mut self, relation: &SumEquation) {
        let total = self.high[relation.term].filter(|_| self.is_constant_row(relation.term));
        let Some(total) = total else { return };
        let min_term = |&(summand, a): &(usize, i128)| {
            Some(a * if a > 0 { self.low[summand]? } else { self.high[summand]? })
        };
        let min_terms: Option<Vec<i128>> = relation.summands.iter().map(min_term).collect();
        let Some(min_terms) = min_terms else { return };
        let min_sum: i128 = min_terms.iter().sum();
        for (&(summand, a), own_min) in relation.summands.iter().zip(&min_terms) {
            // Bounds of places need separate derivations in the certificate, so they stay
            // unchanged.
            if a < 0 || summand < self.net.place_count() {
                continue;
            }
            let high = self.round_down(summand, (total - (min_sum - own_min)).div_euclid(a));
            self.high[summand] =
                Some(self.high[summand].map_or(high, |known_bound| known_bound.min(high)));
        }
    }

    /// Returns the smallest value that is at least `value` and has the fixed remainder of the term.
    pub(super) fn round_up(&self, term: usize, value: i128) -> i128 {
        let Remainder { residue, modulus } = self.remainders[term];
        value + (residue - value).rem_euclid(modulus)
    }

    /// Returns the largest value that is at most `value` and has the fixed remainder of the term.
    pub(super) fn round_down(&self, term: usize, value: i128) -> i128 {
        let Remainder { residue, modulus } = self.remainders[term];
        value - (value - residue).rem_euclid(modulus)
    }

    /// Returns true if the term has a fixed remainder modulo a number larger than 1.
    pub(super) fn has_fixed_remainder(&self, term: usize) -> bool {
        self.remainders[term].modulus > 1
    }

    /// Returns the terms with a fixed remainder modulo a number larger than 1, each with this
    /// modulus.
    pub(super) fn remainders(&self) -> impl Iterator<Item = (usize, i128)> {
        let all = self.remainders.iter().enumerate();
        all.map(|(term, it)| (term, it.modulus)).filter(|&(_, modulus)| modulus > 1)
    }

    /// Returns the equations of the rows. A row may have two equations: one over places, and one
    /// that contains other rows.
    pub(super) fn equations(&self) -> &[SumEquation] {
        &self.equations
    }

    /// Returns true if the term is a row with a constant value.
    pub(super) fn is_constant_row(&self, term: usize) -> bool {
        term >= self.net.place_count() && self.changes[term].is_empty()
    }

    /// Returns a comparison as a bound, rounded for a single place with a coefficient other than
    /// ±1. Adds the row of a sum of several places if it is new. Returns `None` for a comparison
    /// without places.
    pub(super) fn bound(&mut self, atom: &Atom) -> Option<SumBound> {
        let value = i128::from(atom.bound);
        match atom.sum.terms() {
            [] => None,
            &[(place, a)] => {
                let (a, term) = (i128::from(a), place.index());
                Some(match a > 0 {
                    true => SumBound { term, is_upper: true, value: value.div_euclid(a) },
                    false => SumBound { term, is_upper: false, value: -value.div_euclid(-a) },
                })
            }
            _ => {
                let (term, is_negated) = self.row(&atom.sum);
                Some(SumBound {
                    term,
                    is_upper: !is_negated,
                    value: if is_negated { -value } else { value },
                })
            }
        }
    }

    /// Returns "the term is at least `value`" as a comparison. The number of the comparison is
    /// −`value`. Returns `None` if −`value` does not fit into a signed 64-bit integer.
    pub(super) fn at_least(&self, term: usize, value: i128) -> Option<Atom> {
        let bound = i64::try_from(-value).ok()?;
        let sum = match term.checked_sub(self.net.place_count()) {
            None => LinearSum::place(PlaceId::new(term)),
            Some(row) => self.rows[row].clone(),
        };
        Some(Atom { sum: sum.negated(), bound })
    }

    /// Returns a bound as a comparison. Returns `None` if the number of the comparison does not fit
    /// into a signed 64-bit integer.
    pub(super) fn atom(&self, bound: SumBound) -> Option<Atom> {
        match bound.is_upper {
            false => self.at_least(bound.term, bound.value),
            true => Some(self.at_least(bound.term, bound.value.checked_add(1)?)?.negated()),
        }
    }

    /// Iterates over the rows. Each item is the row's term number, as in [`SumBound::term`], and
    /// its sum of places.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, &LinearSum)> {
        self.rows.iter().enumerate().map(|(index, sum)| (self.net.place_count() + index, sum))
    }

    /// Returns the lower bound of a term in all reachable markings, or `None` if no bound is known.
    pub(super) fn low(&self, term: usize) -> Option<i128> {
        self.low[term]
    }

    /// Returns the upper bound of a term in all reachable markings, or `None` if no bound is known.
    pub(super) fn high(&self, term: usize) -> Option<i128> {
        self.high[term]
    }

    /// Returns true if the bound holds in every reachable marking according to the intervals, false
    /// if in none, and `None` if the intervals do not decide.
    pub(super) fn decide(&self, bound: SumBound) -> Option<bool> {
        let (low, high) = (self.low[bound.term], self.high[bound.term]);
        let (easiest_value, hardest_value) = if bound.is_upper { (low, high) } else { (high, low) };
        // `hardest_value` is the end of the interval that satisfies the bound least easily. If it
        // satisfies the bound, all values do. If `easiest_value` at the other end violates the
        // bound, all values do.
        if hardest_value.is_some_and(|value| bound.holds(value)) {
            return Some(true);
        }
        easiest_value.is_some_and(|value| !bound.holds(value)).then_some(false)
    }

    /// Returns true if the initial marking satisfies the bound.
    pub(super) fn holds_initially(&self, bound: SumBound) -> bool {
        bound.holds(self.initial[bound.term])
    }

    /// Returns at most two values with which the bound would be weaker, the weakest first.
    pub(super) fn weaker_values(&self, bound: SumBound) -> Vec<i128> {
        let limit = if bound.is_upper { self.high[bound.term] } else { self.low[bound.term] };
        // If the intervals do not limit the term on this side, an upper bound may rise to about
        // twice its absolute value. A lower bound then gets no weaker value.
        let limit = limit.unwrap_or(2 * bound.value.abs() + 8);
        // If `limit` is the end of the term's interval, a bound with this value always holds. So
        // the weakest useful value is one step tighter.
        let weakest = if bound.is_upper { limit - 1 } else { limit + 1 };
        let half = weakest + (bound.value - weakest) / 2;
        let mut values = vec![weakest, half];
        values.dedup();
        values.retain(|&value| {
            let weaker = SumBound { value, ..bound };
            bound.implies(weaker) && weaker != bound
        });
        values
    }

    /// Returns true if the cube contains the initial marking.
    pub(super) fn is_initial(&self, cube: &[SumBound]) -> bool {
        cube.iter().all(|&bound| self.holds_initially(bound))
    }

    /// Returns the transitions that may lead into the cube from outside, in ascending order: those
    /// that can make one of its bounds true.
    pub(super) fn entering_transitions(&self, cube: &[SumBound]) -> Vec<TransitionId> {
        let helping = cube.iter().flat_map(|bound| {
            let changes = self.changes[bound.term].iter();
            changes.filter(|&&(_, change)| bound.is_helped_by(change)).map(|&(t, _)| t)
        });
        let mut entering: Vec<TransitionId> = helping.collect();
        entering.sort_unstable();
        entering.dedup();
        entering
    }

    /// Returns the change of a term by firing `t`. Returns 0 if `t` can never fire according to the
    /// intervals.
    fn change(&self, t: TransitionId, term: usize) -> i128 {
        let changes = &self.changes[term];
        changes.binary_search_by_key(&t, |&(t, _)| t).map_or(0, |index| changes[index].1)
    }

    /// Returns the conditions on a marking such that firing `t` leads into the cube. First come the
    /// input tokens of `t`. Then come upper bounds, after the firing, of the places that gain
    /// tokens and have a known upper bound. Last come the bounds of the cube. The last two kinds
    /// are shifted to the marking before the firing.
    pub(super) fn preconditions(
        &self,
        t: TransitionId,
        cube: &[SumBound],
    ) -> Vec<(SumBound, PreconditionOrigin)> {
        let inputs = self.net.pre(t).iter().map(|arc| {
            let (term, value) = (arc.place.index(), i128::from(arc.weight));
            (SumBound { term, is_upper: false, value }, PreconditionOrigin::Enabled)
        });
        let place_bounds = self.net.delta(t).iter().filter(|change| change.delta > 0);
        let place_bounds = place_bounds.filter_map(|change| {
            let term = change.place.index();
            let value = self.place_upper_bounds[term]? - i128::from(change.delta);
            Some((SumBound { term, is_upper: true, value }, PreconditionOrigin::PlaceBound))
        });
        let bounds = cube.iter().enumerate().map(|(position, bound)| {
            let value = bound.value - self.change(t, bound.term);
            (SumBound { value, ..*bound }, PreconditionOrigin::CubeBound(position))
        });
        inputs.chain(place_bounds).chain(bounds).collect()
    }
}

/// The origin of a precondition of a firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreconditionOrigin {
    /// An input place of the transition has enough tokens.
    Enabled,
    /// The upper bound of a place after the firing.
    PlaceBound,
    /// The bound of the cube at this position.
    CubeBound(usize),
}

impl PreconditionOrigin {
    /// Returns the position of the bound in the cube, if the precondition comes from the cube.
    pub(super) fn position(self) -> Option<usize> {
        match self {
            PreconditionOrigin::CubeBound(at) => Some(at),
            PreconditionOrigin::Enabled | PreconditionOrigin::PlaceBound => None,
        }
    }
}
