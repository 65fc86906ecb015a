//! What follows from clauses over linear comparisons, by intervals and unit propagation.
//!
//! A *term* is the tokens of a place, a sum of them (a row), or a truth value (0 or 1). Of each
//! term an interval is known. A literal bounds a term from one side. Where all literals of a clause
//! but one are false, the last one holds; a row's interval follows from those of its places, and
//! bounds each of them by what the others leave; the ends of a term that keeps its remainder are
//! rounded to that. Nothing else is done: no case is ever split, so an answer takes time in
//! proportion to what is propagated, and "no contradiction" says nothing.
//!
//! # Sources
//! M. Moskewicz et al., *Chaff*, DAC 2001 (watched literals); W. Harvey, P. Stuckey, *Improving
//! linear constraint propagation by changing constraint representation*, Constraints 8, 2003
//! (bounds consistency of linear constraints).

use super::flaw::Flaw;
use parikh_net::{Atom, PlaceId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A bound on a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) term: usize,
    /// At most, or else at least.
    pub(super) upper: bool,
    pub(super) bound: i128,
}

/// Numbers beyond are "no bound".
const MOST: i128 = 1 << 100;

/// How often a row is looked at between two assumptions: x ≥ y + 1 and y ≥ x + 1 would raise each
/// other for ever.
const LOOKS: u32 = 32;

impl Literal {
    /// That it is false.
    pub(super) fn negated(self) -> Literal {
        let by = if self.upper { 1 } else { -1 };
        Literal { upper: !self.upper, bound: self.bound + by, ..self }
    }

    /// That it holds once the term has grown by `change`.
    pub(super) fn before(self, change: i128) -> Result<Literal, Flaw> {
        let bound = self.bound.checked_sub(change).filter(|bound| bound.abs() < MOST);
        Ok(Literal { bound: bound.ok_or(Flaw::Overflow)?, ..self })
    }

    /// The side of the term's interval whose change may make it false.
    fn slot(self) -> usize {
        2 * self.term + usize::from(!self.upper)
    }
}

#[derive(Clone, Debug)]
struct Row {
    term: usize,
    /// Places, or other rows, as terms, with their coefficients.
    parts: Vec<(usize, i128)>,
}

/// The numbers that are `of` more than a multiple of `modulus`.
#[derive(Clone, Copy, Debug)]
struct Remainder {
    modulus: i128,
    of: i128,
}

impl Remainder {
    /// The largest of them up to there, or the least from there on.
    fn nearest(self, bound: i128, upper: bool) -> i128 {
        match upper {
            true => bound - (bound - self.of).rem_euclid(self.modulus),
            false => bound + (self.of - bound).rem_euclid(self.modulus),
        }
    }
}

/// Terms with their intervals, and clauses.
#[derive(Clone, Debug, Default)]
pub(super) struct Propagator {
    low: Vec<i128>,
    high: Vec<i128>,
    /// Of the terms that keep theirs.
    remainders: HashMap<usize, Remainder>,
    rows: Vec<Row>,
    /// Per term, the rows to look at when its interval changes: those it is part of, and its own.
    rows_of: Vec<Vec<usize>>,
    known_rows: HashMap<Vec<(PlaceId, i64)>, usize>,
    /// Without two literals of one slot; the first two are watched.
    clauses: Vec<Vec<Literal>>,
    /// Per slot the clauses that watch a literal of it.
    watching: Vec<Vec<usize>>,
    /// What the intervals were before each change: term, whether above, the bound.
    trail: Vec<(usize, bool, i128)>,
    /// The changes before this one are propagated.
    next: usize,
    /// Rows to look at.
    dirty: Vec<usize>,
    is_dirty: Vec<bool>,
    /// How often each row was looked at, and which were.
    looks: Vec<u32>,
    looked_at: Vec<usize>,
}

impl Propagator {
    /// A term with an interval; `None` is no bound.
    pub(super) fn term(&mut self, low: Option<i128>, high: Option<i128>) -> usize {
        self.low.push(low.unwrap_or(-MOST));
        self.high.push(high.unwrap_or(MOST));
        self.rows_of.push(Vec::new());
        self.watching.extend([Vec::new(), Vec::new()]);
        self.low.len() - 1
    }

    /// The literal of a comparison, where the places' terms have the places' numbers. One about a
    /// single place is about that term, others about a row, which they share if they compare the
    /// same sum.
    pub(super) fn literal(&mut self, atom: &Atom) -> Literal {
        let (terms, bound) = (atom.sum.terms(), i128::from(atom.bound));
        if let &[(place, a)] = terms {
            let (a, term) = (i128::from(a), place.index());
            return match a > 0 {
                true => Literal { term, upper: true, bound: bound.div_euclid(a) },
                // a·m ≤ b, so m ≥ −b / |a|, rounded up.
                false => Literal { term, upper: false, bound: -bound.div_euclid(-a) },
            };
        }
        let turned = terms.first().is_some_and(|&(_, a)| a < 0);
        let sign = |a: i64| if turned { -a } else { a };
        let key: Vec<(PlaceId, i64)> = terms.iter().map(|&(place, a)| (place, sign(a))).collect();
        let term = match self.known_rows.get(&key) {
            Some(&term) => term,
            None => self.row(key),
        };
        Literal { term, upper: !turned, bound: if turned { -bound } else { bound } }
    }

    fn row(&mut self, key: Vec<(PlaceId, i64)>) -> usize {
        let term = self.term(None, None);
        self.relate(term, key.iter().map(|&(p, a)| (p.index(), a.into())).collect());
        self.known_rows.insert(key, term);
        term
    }

    /// The term is the sum of these.
    fn relate(&mut self, term: usize, parts: Vec<(usize, i128)>) {
        let row = self.rows.len();
        parts.iter().for_each(|&(part, _)| self.rows_of[part].push(row));
        self.rows_of[term].push(row);
        self.rows.push(Row { term, parts });
        self.looks.push(0);
        self.is_dirty.push(true);
        self.dirty.push(row);
    }

    /// From now on the term is `of` more than a multiple of `modulus`. `false` where that was said
    /// of it before, with this modulus or another.
    pub(super) fn keep_remainder(&mut self, term: usize, modulus: i128, of: i128) -> bool {
        if self.remainders.contains_key(&term) {
            return false;
        }
        let remainder = Remainder { modulus, of };
        self.remainders.insert(term, remainder);
        for (upper, side) in [(true, &mut self.high[term]), (false, &mut self.low[term])] {
            let rounded = remainder.nearest(*side, upper);
            if side.abs() < MOST && rounded != *side {
                self.trail.push((term, upper, std::mem::replace(side, rounded)));
            }
        }
        true
    }

    /// Writes rows in terms of other rows. Where a row's sum contains the whole sum of another row,
    /// that part is replaced by the other row's value: with a + b = 3, a row a + b + c becomes 3 +
    /// c. First the rows `flows` are replaced, in rows that are no flows themselves; then the rows
    /// `kept`, in all rows. `None` when `goes_on` says no.
    pub(super) fn compose(
        &mut self,
        flows: &[usize],
        kept: &[usize],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let all: Vec<Row> = self.rows.clone();
        let others: Vec<(usize, Vec<(usize, i128)>)> =
            flows.iter().chain(kept).map(|&other| (other, self.parts(other))).collect();
        // What is in a row begins with one of its parts.
        let mut beginning: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (position, (_, own)) in others.iter().enumerate() {
            if let Some(&(first, _)) = own.first() {
                beginning.entry(first).or_default().push(position);
            }
        }
        let is_flow: BTreeSet<usize> = flows.iter().copied().collect();
        for Row { term, parts } in all {
            if !goes_on() {
                return None;
            }
            let from = if is_flow.contains(&term) { flows.len() } else { 0 };
            let within = parts.iter().filter_map(|(part, _)| beginning.get(part)).flatten();
            let mut within: Vec<usize> = within.copied().filter(|&at| at >= from).collect();
            within.sort_unstable();
            let mut rest: BTreeMap<usize, i128> = parts.into_iter().collect();
            let mut parts = Vec::new();
            for (other, own) in within.into_iter().map(|at| &others[at]) {
                let times = if *other == term { 0 } else { times(own, &rest) };
                if times > 0 {
                    own.iter().for_each(|(part, a)| *rest.entry(*part).or_default() -= times * a);
                    parts.push((*other, times));
                }
            }
            if !parts.is_empty() {
                parts.extend(rest.into_iter().filter(|&(_, a)| a != 0));
                self.relate(term, parts);
            }
        }
        // For good, so that no assumption is to blame for it. The initial marking contradicts
        // nothing.
        self.propagate();
        Some(())
    }

    /// The places of a term with their coefficients: of a row its parts, of a place itself.
    pub(super) fn parts(&self, term: usize) -> Vec<(usize, i128)> {
        let own = self.rows_of[term].iter().find(|&&row| self.rows[row].term == term);
        own.map_or(vec![(term, 1)], |&row| self.rows[row].parts.clone())
    }

    /// Adds a clause for good and propagates. Whether that is a contradiction.
    pub(super) fn add(&mut self, clause: &[Literal]) -> bool {
        let mut merged: Vec<Literal> = clause.to_vec();
        merged.sort_unstable_by_key(|literal| {
            (literal.slot(), if literal.upper { -literal.bound } else { literal.bound })
        });
        // Of two bounds of a side the weaker one says as much as both, and comes first.
        merged.dedup_by_key(|literal| literal.slot());
        merged.sort_by_key(|&literal| self.is_false(literal));
        match merged.iter().filter(|&&literal| !self.is_false(literal)).count() {
            0 => true,
            1 => self.assume(merged[0]) || self.propagate(),
            _ => {
                let index = self.clauses.len();
                self.watching[merged[0].slot()].push(index);
                self.watching[merged[1].slot()].push(index);
                self.clauses.push(merged);
                // Rows may be new.
                self.propagate()
            }
        }
    }

    /// Whether these assumptions propagate to a contradiction; they are forgotten again.
    pub(super) fn contradicts(&mut self, assumed: impl IntoIterator<Item = Literal>) -> bool {
        let mark = self.trail.len();
        let contradiction =
            assumed.into_iter().any(|literal| self.assume(literal)) || self.propagate();
        self.forget(mark);
        contradiction
    }

    /// Whether all cases contradict themselves: each of the literals of clauses, and each of
    /// `splits`, is true or false. Up to `most` cases are looked at; `None` when `goes_on` says no.
    pub(super) fn contradicts_by_cases(
        &mut self,
        splits: &[Literal],
        most: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<bool> {
        let mark = self.trail.len();
        let refuted = self.look_at_cases(splits, most, goes_on);
        self.forget(mark);
        refuted
    }

    fn look_at_cases(
        &mut self,
        splits: &[Literal],
        most: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<bool> {
        // What is assumed in each case, with how much was known before.
        let mut open: Vec<(usize, Literal)> = Vec::new();
        let mut cases = 0;
        let mut contradiction = self.propagate();
        loop {
            if contradiction {
                let Some((mark, literal)) = open.pop() else { return Some(true) };
                self.forget(mark);
                contradiction = self.assume(literal.negated()) || self.propagate();
                continue;
            }
            let Some(next) = self.undecided(splits).filter(|_| cases < most) else {
                return Some(false);
            };
            if !goes_on() {
                return None;
            }
            cases += 1;
            open.push((self.trail.len(), next));
            contradiction = self.assume(next) || self.propagate();
        }
    }

    /// A literal of a clause that is not yet true, or else one of `splits`, neither true nor false
    /// itself.
    fn undecided(&self, splits: &[Literal]) -> Option<Literal> {
        let is_open = |clause: &&Vec<Literal>| !clause.iter().any(|&it| self.is_true(it));
        let open = self.clauses.iter().find(is_open);
        let undecided = |&it: &Literal| !self.is_true(it) && !self.is_false(it);
        let of_clause = open.and_then(|clause| clause.iter().copied().find(undecided));
        of_clause.or_else(|| splits.iter().copied().find(undecided))
    }

    /// Forgets all but the first `mark` changes.
    fn forget(&mut self, mark: usize) {
        for (term, upper, bound) in self.trail.drain(mark..).rev() {
            match upper {
                true => self.high[term] = bound,
                false => self.low[term] = bound,
            }
        }
        self.next = mark;
    }

    fn is_false(&self, literal: Literal) -> bool {
        match literal.upper {
            true => self.low[literal.term] > literal.bound,
            false => self.high[literal.term] < literal.bound,
        }
    }

    fn is_true(&self, literal: Literal) -> bool {
        match literal.upper {
            true => self.high[literal.term] <= literal.bound,
            false => self.low[literal.term] >= literal.bound,
        }
    }

    /// Makes a literal true. Whether it is false already.
    fn assume(&mut self, literal: Literal) -> bool {
        if self.is_false(literal) {
            return true;
        }
        if !self.is_true(literal) {
            let Literal { term, upper, mut bound } = literal;
            // What is not false yet is not false of the nearest number either.
            if let Some(remainder) = self.remainders.get(&term) {
                bound = remainder.nearest(bound, upper);
            }
            let side = if upper { &mut self.high } else { &mut self.low };
            self.trail.push((term, upper, std::mem::replace(&mut side[term], bound)));
        }
        false
    }

    /// Makes true what follows. Whether something is true and false.
    fn propagate(&mut self) -> bool {
        let contradiction = self.settle();
        for row in self.dirty.drain(..) {
            self.is_dirty[row] = false;
        }
        for row in self.looked_at.drain(..) {
            self.looks[row] = 0;
        }
        contradiction
    }

    fn settle(&mut self) -> bool {
        loop {
            while let Some(&(term, upper, _)) = self.trail.get(self.next) {
                self.next += 1;
                for at in 0..self.rows_of[term].len() {
                    let row = self.rows_of[term][at];
                    if !std::mem::replace(&mut self.is_dirty[row], true) {
                        self.dirty.push(row);
                    }
                }
                if self.visit(2 * term + usize::from(upper)) {
                    return true;
                }
            }
            let Some(row) = self.dirty.pop() else { return false };
            self.is_dirty[row] = false;
            self.looks[row] += 1;
            self.looked_at.push(row);
            if self.looks[row] <= LOOKS && self.tighten(row) {
                return true;
            }
        }
    }

    /// Looks at the clauses that watch a literal of this slot. Whether one is false.
    fn visit(&mut self, slot: usize) -> bool {
        let mut watchers = std::mem::take(&mut self.watching[slot]);
        let mut contradiction = false;
        watchers.retain(|&index| {
            if contradiction {
                return true;
            }
            if self.clauses[index][0].slot() == slot {
                self.clauses[index].swap(0, 1);
            }
            let (other, own) = (self.clauses[index][0], self.clauses[index][1]);
            if !self.is_false(own) || self.is_true(other) {
                return true;
            }
            let clause = &self.clauses[index];
            let next = (2..clause.len()).find(|&at| !self.is_false(clause[at]));
            match next {
                Some(at) => {
                    self.clauses[index].swap(1, at);
                    let slot = self.clauses[index][1].slot();
                    self.watching[slot].push(index);
                    false
                }
                None => {
                    contradiction = self.assume(other);
                    true
                }
            }
        });
        // No clause has two literals of this slot, so nothing was put there meanwhile.
        self.watching[slot] = watchers;
        contradiction
    }

    /// The interval of a row from those of its places, and theirs from it. Whether one is empty.
    fn tighten(&mut self, row: usize) -> bool {
        let Row { term, parts } =
            std::mem::replace(&mut self.rows[row], Row { term: 0, parts: Vec::new() });
        let contradiction =
            self.tighten_side(term, &parts, 1) || self.tighten_side(term, &parts, -1);
        self.rows[row] = Row { term, parts };
        contradiction
    }

    /// For `sign` 1: the row is at least the sum of the least its parts come to; and a part is at
    /// most what the row leaves over the least of the others. For −1 the same of everything
    /// negated.
    fn tighten_side(&mut self, term: usize, parts: &[(usize, i128)], sign: i128) -> bool {
        let (mut least, mut unbounded) = (0i128, 0usize);
        for &(part, a) in parts {
            match self.least(part, a * sign) {
                Some(value) => match least.checked_add(value) {
                    Some(sum) => least = sum,
                    None => return false,
                },
                None => unbounded += 1,
            }
        }
        if unbounded == 0 && least.abs() < MOST {
            // sign · row ≥ least.
            let bound = Literal { term, upper: sign < 0, bound: least * sign };
            if self.assume(bound) {
                return true;
            }
        }
        let most = if sign > 0 { self.high[term] } else { -self.low[term] };
        if most >= MOST || unbounded > 1 {
            return false;
        }
        for &(part, a) in parts {
            let a = a * sign;
            let others = match (self.least(part, a), unbounded) {
                (Some(own), 0) => least.checked_sub(own),
                (None, 1) => Some(least),
                _ => continue,
            };
            let Some(rest) = others.and_then(|others| most.checked_sub(others)) else { continue };
            // a · part ≤ rest.
            let upper = a > 0;
            let bound = if upper { rest.div_euclid(a) } else { -rest.div_euclid(-a) };
            if bound.abs() < MOST && self.assume(Literal { term: part, upper, bound }) {
                return true;
            }
        }
        false
    }

    /// The least value of a·term; `None` when there is none.
    fn least(&self, term: usize, a: i128) -> Option<i128> {
        let side = if a > 0 { self.low[term] } else { self.high[term] };
        (side.abs() < MOST).then(|| a.checked_mul(side)).flatten()
    }
}

/// How often a sum is in what is `rest` of another one; 0 for one with a coefficient below 1.
fn times(own: &[(usize, i128)], rest: &BTreeMap<usize, i128>) -> i128 {
    let mut least = i128::MAX;
    for (part, a) in own {
        let times = rest.get(part).map_or(0, |whole| if *a > 0 { whole / a } else { 0 });
        least = least.min(times.max(0));
        if least == 0 {
            break;
        }
    }
    least
}
