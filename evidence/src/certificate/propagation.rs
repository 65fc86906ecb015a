//! Consequences of clauses over linear comparisons, by intervals and unit propagation.
//!
//! A *term* is the number of tokens of a place, a weighted sum of terms (a row), or a truth value
//! (0 or 1). Each term has an interval of possible values. A literal bounds a term from one side.
//!
//! Propagation applies three rules. If all literals of a clause but one are false, the last one is
//! true. The interval of a row follows from those of its parts, and bounds each part by what the
//! others leave. If a term has a known remainder modulo a number, the ends of its interval are
//! rounded to that remainder. The absence of a contradiction proves nothing.
//!
//! # Sources
//! M. Moskewicz et al., *Chaff*, DAC 2001 (watched literals); W. Harvey, P. Stuckey, Constraints 8,
//! 2003 (bounds consistency of linear constraints).

use super::flaw::Flaw;
use parikh_net::{Atom, PlaceId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A literal, that is, a bound on one side of a term. The module documentation defines terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoundLiteral {
    /// The index of the term in [`BoundPropagator`].
    pub(super) term: usize,
    /// True for an upper bound, false for a lower bound.
    pub(super) upper: bool,
    pub(super) bound: i128,
}

/// A bound of this absolute value or more means "no bound".
const UNBOUNDED: i128 = 1 << 100;

/// The maximum number of examinations of a row during one propagation. Without a limit,
/// contradictory rows such as x > y and y > x could tighten each other forever.
const MAX_ROW_VISITS: u32 = 32;

impl BoundLiteral {
    pub(super) fn negated(self) -> BoundLiteral {
        let step = if self.upper { 1 } else { -1 };
        BoundLiteral { upper: !self.upper, bound: self.bound + step, ..self }
    }

    /// Returns the literal that must hold before the term changes by `change`, so that this literal
    /// holds after the change. Returns an error if its bound is too large.
    pub(super) fn precondition(self, change: i128) -> Result<BoundLiteral, Flaw> {
        let bound = self.bound.checked_sub(change).filter(|bound| bound.abs() < UNBOUNDED);
        Ok(BoundLiteral { bound: bound.ok_or(Flaw::Overflow)?, ..self })
    }

    /// Returns the slot of the literal, that is, the number of its term and direction. Slot 2·term
    /// is for upper bounds of the term, and slot 2·term + 1 for lower bounds.
    fn slot(self) -> usize {
        2 * self.term + usize::from(!self.upper)
    }
}

/// A row: the definition of `term` as a weighted sum of other terms.
#[derive(Clone, Debug)]
pub(super) struct SumRow {
    pub(super) term: usize,
    /// The terms of the sum, with their coefficients.
    pub(super) terms: Vec<(usize, i128)>,
}

/// The reason for a change of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeReason {
    /// The literal was assumed.
    Assumed,
    /// All other literals of a clause are false. The number counts the calls of
    /// [`BoundPropagator::add`] before that of the clause.
    Clause(u32),
    /// The bounds of the other terms of the row with this index. If `true`, the least values of the
    /// parts raised the lower bound of the row's term, or the upper bound of the row's term limited
    /// a part. If `false`, the same with upper and lower exchanged.
    Row(u32, bool),
    /// The term has a known remainder.
    Remainder,
}

/// A change of a bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundChange {
    pub(super) term: usize,
    /// True for a change of the upper bound.
    pub(super) upper: bool,
    /// The bound before the change.
    before: i128,
    /// The bound after the change.
    pub(super) bound: i128,
    pub(super) reason: ChangeReason,
    /// The index in the trail of the previous change of the same bound; `None` for the first
    /// change.
    pub(super) earlier: Option<u32>,
}

/// The set of numbers that are congruent to `remainder` modulo `modulus`.
#[derive(Clone, Copy, Debug)]
struct Remainder {
    modulus: i128,
    remainder: i128,
}

impl Remainder {
    /// Returns the largest number of the set that is at most `bound` if `upper` is true, or else
    /// the smallest that is at least `bound`.
    fn nearest(self, bound: i128, upper: bool) -> i128 {
        match upper {
            true => bound - (bound - self.remainder).rem_euclid(self.modulus),
            false => bound + (self.remainder - bound).rem_euclid(self.modulus),
        }
    }
}

/// Terms with their intervals, and clauses over their bounds.
#[derive(Clone, Debug, Default)]
pub(super) struct BoundPropagator {
    /// The lower bound of each term; `-UNBOUNDED` or less means unbounded.
    low: Vec<i128>,
    /// The upper bound of each term; `UNBOUNDED` or more means unbounded.
    high: Vec<i128>,
    /// The remainder of each term that has a known remainder.
    remainders: HashMap<usize, Remainder>,
    /// The definitions of terms as weighted sums. A term may have two of them.
    rows: Vec<SumRow>,
    /// The rows that contain or define each term, to examine when its interval changes.
    rows_of: Vec<Vec<usize>>,
    /// The term of the row of each sum that occurs in a comparison, except sums of one place. The
    /// keys are places with coefficients, with signs such that the first coefficient is positive.
    row_of_sum: HashMap<Vec<(PlaceId, i64)>, usize>,
    /// The clauses of two or more literals. No two literals of a clause have the same slot, that
    /// is, bound the same end of the same term. The first two literals are watched.
    clauses: Vec<Vec<BoundLiteral>>,
    /// For each clause, the number of calls of `add` before that of the clause.
    clause_numbers: Vec<u32>,
    /// The number of calls of `add`.
    added_count: u32,
    /// For each slot (a term and a direction, see [`BoundLiteral::slot`]), the clauses that watch a
    /// literal of this slot, as indices in `clauses`.
    watchers: Vec<Vec<usize>>,
    /// The undo log.
    trail: Vec<BoundChange>,
    /// For each slot (a term and a direction), the index in the trail of the last change of this
    /// bound. `None` if the bound is still the initial one.
    last_changes: Vec<Option<u32>>,
    /// The literal that was found false last, with the reason why it must be true.
    conflict: Option<(BoundLiteral, ChangeReason)>,
    /// The number of changes in the trail that have been propagated.
    propagated_count: usize,
    /// The rows to examine, as indices in `rows`.
    pending_rows: Vec<usize>,
    /// One flag per row: true if it is in `pending_rows`.
    is_pending: Vec<bool>,
    /// The number of examinations of each row during the current propagation.
    row_visits: Vec<u32>,
    /// The rows examined during the current propagation, with duplicates.
    visited_rows: Vec<usize>,
}

impl BoundPropagator {
    /// Adds a term with an interval, and returns its index. A bound `None` means unbounded.
    pub(super) fn add_term(&mut self, low: Option<i128>, high: Option<i128>) -> usize {
        self.low.push(low.unwrap_or(-UNBOUNDED));
        self.high.push(high.unwrap_or(UNBOUNDED));
        self.rows_of.push(Vec::new());
        self.watchers.extend([Vec::new(), Vec::new()]);
        self.last_changes.extend([None, None]);
        self.low.len() - 1
    }

    /// Returns the literal of a comparison. The term of a place has the index of the place. Other
    /// sums are rows, each shared by the comparisons of the same sum.
    pub(super) fn literal(&mut self, atom: &Atom) -> BoundLiteral {
        let (terms, bound) = (atom.sum.terms(), i128::from(atom.bound));
        if let &[(place, a)] = terms {
            let (a, term) = (i128::from(a), place.index());
            return match a > 0 {
                true => BoundLiteral { term, upper: true, bound: bound.div_euclid(a) },
                // a·m ≤ b, so m ≥ −b / |a|, rounded up.
                false => BoundLiteral { term, upper: false, bound: -bound.div_euclid(-a) },
            };
        }
        let is_negated = terms.first().is_some_and(|&(_, a)| a < 0);
        let sign = |a: i64| if is_negated { -a } else { a };
        let key: Vec<(PlaceId, i64)> = terms.iter().map(|&(place, a)| (place, sign(a))).collect();
        let term = match self.row_of_sum.get(&key) {
            Some(&term) => term,
            None => self.add_row(key),
        };
        BoundLiteral { term, upper: !is_negated, bound: if is_negated { -bound } else { bound } }
    }

    /// Returns the term of a new row with this sum.
    fn add_row(&mut self, key: Vec<(PlaceId, i64)>) -> usize {
        let term = self.add_term(None, None);
        self.define_row(term, key.iter().map(|&(p, a)| (p.index(), a.into())).collect());
        self.row_of_sum.insert(key, term);
        term
    }

    /// Adds the row `term` = Σ `parts`.
    fn define_row(&mut self, term: usize, parts: Vec<(usize, i128)>) {
        let row = self.rows.len();
        parts.iter().for_each(|&(part, _)| self.rows_of[part].push(row));
        self.rows_of[term].push(row);
        self.rows.push(SumRow { term, terms: parts });
        self.row_visits.push(0);
        self.is_pending.push(true);
        self.pending_rows.push(row);
    }

    /// Records that the term is congruent to `of` modulo `modulus`, and rounds its interval.
    /// Returns false without a change if the term already has a remainder.
    pub(super) fn keep_remainder(&mut self, term: usize, modulus: i128, of: i128) -> bool {
        if self.remainders.contains_key(&term) {
            return false;
        }
        let remainder = Remainder { modulus, remainder: of };
        self.remainders.insert(term, remainder);
        for (upper, side) in [(true, self.high[term]), (false, self.low[term])] {
            let rounded = remainder.nearest(side, upper);
            if side.abs() < UNBOUNDED && rounded != side {
                let literal = BoundLiteral { term, upper, bound: rounded };
                self.change(literal, ChangeReason::Remainder);
            }
        }
        true
    }

    /// Adds second definitions of rows in terms of other rows whose whole sum they contain. For
    /// example, with a + b = 3 a row a + b + c becomes 3 + c. `fixed_sums` and `remainder_sums` are
    /// the terms of rows that replace parts of other rows. A row of `fixed_sums` replaces parts
    /// only of rows that are not in `fixed_sums`. A row of `remainder_sums` replaces parts of any
    /// row. Returns `None` when `goes_on` returns false.
    pub(super) fn compose(
        &mut self,
        fixed_sums: &[usize],
        remainder_sums: &[usize],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let all_rows: Vec<SumRow> = self.rows.clone();
        let other_rows: Vec<(usize, Vec<(usize, i128)>)> = fixed_sums
            .iter()
            .chain(remainder_sums)
            .map(|&other| (other, self.summands(other)))
            .collect();
        // A row that contains another sum also contains the first term of that sum. So candidates
        // are found by their first term.
        let mut by_first_part: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (position, (_, own)) in other_rows.iter().enumerate() {
            if let Some(&(first, _)) = own.first() {
                by_first_part.entry(first).or_default().push(position);
            }
        }
        let is_flow: BTreeSet<usize> = fixed_sums.iter().copied().collect();
        for SumRow { term, terms: parts } in all_rows {
            if !goes_on() {
                return None;
            }
            let start = if is_flow.contains(&term) { fixed_sums.len() } else { 0 };
            let candidates = parts.iter().filter_map(|(part, _)| by_first_part.get(part)).flatten();
            let mut candidates: Vec<usize> = candidates.copied().filter(|&i| i >= start).collect();
            candidates.sort_unstable();
            let mut remaining: BTreeMap<usize, i128> = parts.into_iter().collect();
            let mut parts = Vec::new();
            for (other, own) in candidates.into_iter().map(|candidate| &other_rows[candidate]) {
                let times = if *other == term { 0 } else { contained_times(own, &remaining) };
                if times > 0 {
                    own.iter().for_each(|(t, a)| *remaining.entry(*t).or_default() -= times * a);
                    parts.push((*other, times));
                }
            }
            if !parts.is_empty() {
                parts.extend(remaining.into_iter().filter(|&(_, a)| a != 0));
                self.define_row(term, parts);
            }
        }
        // Nothing is assumed here, so the derived bounds are permanent. The result is ignored: the
        // initial marking satisfies all bounds, so they are not contradictory.
        self.propagate();
        Some(())
    }

    /// Returns the terms of the first sum that defines `term`, with their coefficients. For a term
    /// without a definition, returns the term itself with coefficient 1.
    pub(super) fn summands(&self, term: usize) -> Vec<(usize, i128)> {
        let own = self.rows_of[term].iter().find(|&&row| self.rows[row].term == term);
        own.map_or(vec![(term, 1)], |&row| self.rows[row].terms.clone())
    }

    /// Adds a clause permanently and propagates. Returns true on a contradiction.
    pub(super) fn add(&mut self, clause: &[BoundLiteral]) -> bool {
        let number = self.added_count;
        self.added_count += 1;
        let mut merged: Vec<BoundLiteral> = clause.to_vec();
        merged.sort_unstable_by_key(|literal| {
            (literal.slot(), if literal.upper { -literal.bound } else { literal.bound })
        });
        // Of two literals on one slot, the first is weaker and equals their disjunction.
        merged.dedup_by_key(|literal| literal.slot());
        merged.sort_by_key(|&literal| self.is_false(literal));
        match merged.iter().filter(|&&literal| !self.is_false(literal)).count() {
            // All literals are false. To assume one of them records the conflict. An empty clause
            // is a contradiction without a recorded conflict.
            0 => match merged.first() {
                Some(&literal) => self.assume(literal, ChangeReason::Clause(number)),
                None => true,
            },
            1 => self.assume(merged[0], ChangeReason::Clause(number)) || self.propagate(),
            _ => {
                let index = self.clauses.len();
                self.clause_numbers.push(number);
                self.watchers[merged[0].slot()].push(index);
                self.watchers[merged[1].slot()].push(index);
                self.clauses.push(merged);
                // Rows may be new, and not yet propagated.
                self.propagate()
            }
        }
    }

    /// Returns true if the assumptions propagate to a contradiction. The assumptions are undone.
    pub(super) fn contradicts(&mut self, assumed: impl IntoIterator<Item = BoundLiteral>) -> bool {
        let trail_length = self.trail.len();
        let contradiction = self.assume_all(assumed);
        self.backtrack(trail_length);
        contradiction
    }

    /// Assumes literals and propagates. Returns true on a contradiction.
    pub(super) fn assume_all(&mut self, assumed: impl IntoIterator<Item = BoundLiteral>) -> bool {
        assumed.into_iter().any(|it| self.assume(it, ChangeReason::Assumed)) || self.propagate()
    }

    /// Distinguishes cases by the truth values of clause literals and of `splits`. Returns true if
    /// every case is contradictory. Returns false if a case without a contradiction is found, or if
    /// more than `max_cases` literals must be chosen to distinguish cases. Returns `None` when
    /// `goes_on` returns false.
    pub(super) fn contradicts_by_cases(
        &mut self,
        splits: &[BoundLiteral],
        max_cases: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<bool> {
        let trail_length = self.trail.len();
        let refuted = self.decide_cases(splits, max_cases, goes_on);
        self.backtrack(trail_length);
        refuted
    }

    /// Decides `contradicts_by_cases`, and leaves its assumptions in the trail.
    fn decide_cases(
        &mut self,
        splits: &[BoundLiteral],
        max_cases: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<bool> {
        // The literal assumed in each open case, with the length of the trail before it.
        let mut open_cases: Vec<(usize, BoundLiteral)> = Vec::new();
        let mut cases = 0;
        let mut contradiction = self.propagate();
        loop {
            if contradiction {
                let Some((trail_length, literal)) = open_cases.pop() else { return Some(true) };
                self.backtrack(trail_length);
                contradiction = self.assume_all([literal.negated()]);
                continue;
            }
            let Some(decision) = self.undecided(splits).filter(|_| cases < max_cases) else {
                return Some(false);
            };
            if !goes_on() {
                return None;
            }
            cases += 1;
            open_cases.push((self.trail.len(), decision));
            contradiction = self.assume_all([decision]);
        }
    }

    /// Returns an undecided literal of the first clause that is not yet true, or else of `splits`.
    /// A literal is undecided if the interval of its term neither implies nor excludes it. Returns
    /// `None` if there is none.
    pub(super) fn undecided(&self, splits: &[BoundLiteral]) -> Option<BoundLiteral> {
        let is_open = |clause: &&Vec<BoundLiteral>| !clause.iter().any(|&it| self.is_true(it));
        let open_clause = self.clauses.iter().find(is_open);
        let undecided = |&it: &BoundLiteral| !self.is_true(it) && !self.is_false(it);
        let of_clause = open_clause.and_then(|clause| clause.iter().copied().find(undecided));
        of_clause.or_else(|| splits.iter().copied().find(undecided))
    }

    /// Undoes all changes in the trail but the first `trail_length`.
    pub(super) fn backtrack(&mut self, trail_length: usize) {
        for BoundChange { term, upper, before, earlier, .. } in
            self.trail.drain(trail_length..).rev()
        {
            match upper {
                true => self.high[term] = before,
                false => self.low[term] = before,
            }
            self.last_changes[2 * term + usize::from(!upper)] = earlier;
        }
        self.propagated_count = trail_length;
    }

    /// Returns the changes of bounds so far, in order.
    pub(super) fn trail(&self) -> &[BoundChange] {
        &self.trail
    }

    /// Returns the index in the trail of the last change of a bound before the change `end`.
    pub(super) fn last_change(&self, term: usize, upper: bool, end: usize) -> Option<usize> {
        let mut change = self.last_changes[2 * term + usize::from(!upper)];
        while let Some(index) = change.filter(|&index| index as usize >= end) {
            change = self.trail[index as usize].earlier;
        }
        change.map(|index| index as usize)
    }

    /// Returns the literal that was found false last, with the reason why it must be true.
    pub(super) fn conflict(&self) -> Option<(BoundLiteral, ChangeReason)> {
        self.conflict
    }

    /// Returns the row (weighted sum) with this index.
    pub(super) fn row(&self, index: u32) -> &SumRow {
        &self.rows[index as usize]
    }

    /// Returns the number of terms.
    pub(super) fn term_count(&self) -> usize {
        self.low.len()
    }

    /// Returns true if the interval of the term excludes the literal.
    fn is_false(&self, literal: BoundLiteral) -> bool {
        match literal.upper {
            true => self.low[literal.term] > literal.bound,
            false => self.high[literal.term] < literal.bound,
        }
    }

    /// Returns true if the interval of the term implies the literal.
    fn is_true(&self, literal: BoundLiteral) -> bool {
        match literal.upper {
            true => self.high[literal.term] <= literal.bound,
            false => self.low[literal.term] >= literal.bound,
        }
    }

    /// Makes a literal true by tightening the interval of its term. Returns true if the literal is
    /// already false, which is a contradiction.
    fn assume(&mut self, literal: BoundLiteral, reason: ChangeReason) -> bool {
        if self.is_false(literal) {
            self.conflict = Some((literal, reason));
            return true;
        }
        if !self.is_true(literal) {
            let BoundLiteral { term, upper, mut bound } = literal;
            // Rounding does not make the literal false, because the other end of the interval is
            // rounded, too.
            if let Some(remainder) = self.remainders.get(&term) {
                bound = remainder.nearest(bound, upper);
            }
            self.change(BoundLiteral { term, upper, bound }, reason);
        }
        false
    }

    /// Changes a bound.
    fn change(&mut self, literal: BoundLiteral, reason: ChangeReason) {
        let BoundLiteral { term, upper, bound } = literal;
        let side = if upper { &mut self.high } else { &mut self.low };
        let before = std::mem::replace(&mut side[term], bound);
        let index = self.trail.len() as u32;
        let earlier = self.last_changes[literal.slot()].replace(index);
        self.trail.push(BoundChange { term, upper, before, bound, reason, earlier });
    }

    /// Propagates all changes. Returns true on a contradiction.
    fn propagate(&mut self) -> bool {
        let contradiction = self.propagate_changes();
        for row in self.pending_rows.drain(..) {
            self.is_pending[row] = false;
        }
        for row in self.visited_rows.drain(..) {
            self.row_visits[row] = 0;
        }
        contradiction
    }

    /// Propagates, rows last, until no bound changes, or each row left to examine has been examined
    /// [`MAX_ROW_VISITS`] times. Returns true on a contradiction.
    fn propagate_changes(&mut self) -> bool {
        loop {
            while let Some(&BoundChange { term, upper, .. }) = self.trail.get(self.propagated_count)
            {
                self.propagated_count += 1;
                for position in 0..self.rows_of[term].len() {
                    let row = self.rows_of[term][position];
                    if !std::mem::replace(&mut self.is_pending[row], true) {
                        self.pending_rows.push(row);
                    }
                }
                // A new upper bound can make lower-bound literals false, and the reverse.
                if self.visit_watchers(2 * term + usize::from(upper)) {
                    return true;
                }
            }
            let Some(row) = self.pending_rows.pop() else { return false };
            self.is_pending[row] = false;
            self.row_visits[row] += 1;
            self.visited_rows.push(row);
            if self.row_visits[row] <= MAX_ROW_VISITS && self.tighten(row) {
                return true;
            }
        }
    }

    /// Visits the clauses that watch a literal of this slot. Returns true if a clause is false.
    fn visit_watchers(&mut self, slot: usize) -> bool {
        let mut watchers = std::mem::take(&mut self.watchers[slot]);
        let mut contradiction = false;
        watchers.retain(|&index| {
            if contradiction {
                return true;
            }
            // The first two literals are watched. The one with this slot moves to position 1.
            if self.clauses[index][0].slot() == slot {
                self.clauses[index].swap(0, 1);
            }
            let (other, falsified) = (self.clauses[index][0], self.clauses[index][1]);
            if !self.is_false(falsified) || self.is_true(other) {
                return true;
            }
            let clause = &self.clauses[index];
            let replacement = (2..clause.len()).find(|&position| !self.is_false(clause[position]));
            match replacement {
                Some(position) => {
                    self.clauses[index].swap(1, position);
                    let slot = self.clauses[index][1].slot();
                    self.watchers[slot].push(index);
                    false
                }
                None => {
                    contradiction =
                        self.assume(other, ChangeReason::Clause(self.clause_numbers[index]));
                    true
                }
            }
        });
        // No clause has two literals of this slot, so no watcher was added to it meanwhile.
        self.watchers[slot] = watchers;
        contradiction
    }

    /// Tightens the intervals of a row and its parts by each other. Returns true if an interval
    /// becomes empty, which is a contradiction.
    fn tighten(&mut self, row: usize) -> bool {
        let SumRow { term, terms: parts } =
            std::mem::replace(&mut self.rows[row], SumRow { term: 0, terms: Vec::new() });
        let contradiction =
            self.tighten_side(row, term, &parts, 1) || self.tighten_side(row, term, &parts, -1);
        self.rows[row] = SumRow { term, terms: parts };
        contradiction
    }

    /// With `sign` 1, the row is at least the sum of the least values of its parts. It bounds each
    /// part by the least values of the other parts. With `sign` −1, the same for the negated row
    /// and parts. Returns true on a contradiction.
    fn tighten_side(
        &mut self,
        row: usize,
        term: usize,
        parts: &[(usize, i128)],
        sign: i128,
    ) -> bool {
        let reason = ChangeReason::Row(row as u32, sign > 0);
        let (mut min_sum, mut unbounded) = (0i128, 0usize);
        for &(part, a) in parts {
            match self.min_product(part, a * sign) {
                Some(value) => match min_sum.checked_add(value) {
                    Some(sum) => min_sum = sum,
                    None => return false,
                },
                None => unbounded += 1,
            }
        }
        if unbounded == 0 && min_sum.abs() < UNBOUNDED {
            // The inequality sign · row ≥ min_sum.
            let bound = BoundLiteral { term, upper: sign < 0, bound: min_sum * sign };
            if self.assume(bound, reason) {
                return true;
            }
        }
        let max_row = if sign > 0 { self.high[term] } else { -self.low[term] };
        if max_row >= UNBOUNDED || unbounded > 1 {
            return false;
        }
        for &(part, a) in parts {
            let a = a * sign;
            let others_min = match (self.min_product(part, a), unbounded) {
                (Some(own), 0) => min_sum.checked_sub(own),
                (None, 1) => Some(min_sum),
                _ => continue,
            };
            let Some(max_part) = others_min.and_then(|min| max_row.checked_sub(min)) else {
                continue;
            };
            // The inequality a · part ≤ max_part.
            let upper = a > 0;
            let bound = if upper { max_part.div_euclid(a) } else { -max_part.div_euclid(-a) };
            let literal = BoundLiteral { term: part, upper, bound };
            if bound.abs() < UNBOUNDED && self.assume(literal, reason) {
                return true;
            }
        }
        false
    }

    /// Returns the least value of a·term, or `None` if it is unbounded or overflows.
    fn min_product(&self, term: usize, a: i128) -> Option<i128> {
        let side = if a > 0 { self.low[term] } else { self.high[term] };
        (side.abs() < UNBOUNDED).then(|| a.checked_mul(side)).flatten()
    }
}

/// Returns how many times `sum`, which is not empty, can be subtracted from `row` without a
/// negative coefficient. Returns 0 if `sum` has a coefficient below 1.
fn contained_times(sum: &[(usize, i128)], row: &BTreeMap<usize, i128>) -> i128 {
    let mut max_times = i128::MAX;
    for (part, a) in sum {
        let times = row.get(part).map_or(0, |whole| if *a > 0 { whole / a } else { 0 });
        max_times = max_times.min(times.max(0));
        if max_times == 0 {
            break;
        }
    }
    max_times
}
