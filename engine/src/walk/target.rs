//! The target of a directed walk: an interval of wanted values for each of a few cells. A cell is a
//! token count or the value of a watched sum.
//!
//! A goal is a tree of conjunctions and disjunctions. For one walk it is reduced to a conjunction:
//! of each disjunction one part is chosen, usually the nearest and sometimes a random one. The
//! result requires each mentioned cell to lie in an interval. The *distance* is the sum over the
//! cells of the difference to their interval. The intervals are fixed during the walk, so the gain
//! of a firing depends only on the cells that it changes.
//!
//! ```text
//! goal  p ≥ 3 ∧ (q ≤ 0 ∨ enabled t)       one walk:      p ∈ [3, ∞)  q ∈ (−∞, 0]
//! t takes q + 2·r                         another one:   p ∈ [3, ∞)  q ∈ [1, ∞)  r ∈ [2, ∞)
//! ```
//!
//! For a maximum, the target is a value larger than the largest one seen.

use super::machine::{WatchedMarking, random_below};
use super::watch::{NO_INDEX, WatchedAtom, watched_form};
use fastrand::Rng;
use parikh_net::{LinearSum, MarkingGoal, Predicate};

/// The target interval of a cell, with both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TargetInterval {
    /// Smallest target value.
    pub(super) low: i64,
    /// Largest target value.
    pub(super) high: i64,
}

/// The target interval of a cell without restriction.
const UNRESTRICTED: TargetInterval = TargetInterval { low: i64::MIN, high: i64::MAX };

impl TargetInterval {
    /// Returns the distance of a value to the interval, which is 0 inside.
    #[inline]
    pub(super) fn distance_to(self, value: i64) -> u64 {
        if value < self.low {
            value.abs_diff(self.low)
        } else if value > self.high {
            value.abs_diff(self.high)
        } else {
            0
        }
    }
}

/// The target of a walk: an interval of wanted values for each cell, that is, for each token count
/// and each watched sum. Most cells have an unrestricted interval.
pub(super) struct WalkTarget {
    /// The target intervals, by cell index.
    intervals: Vec<TargetInterval>,
    /// The cells with a restricted target interval.
    cells: Vec<u32>,
}

impl WalkTarget {
    /// Creates a target without any interval, for the given number of cells.
    pub(super) fn new(cells: usize) -> Self {
        WalkTarget { intervals: vec![UNRESTRICTED; cells], cells: Vec::new() }
    }

    /// Returns the cells with a restricted target interval, in no particular order.
    pub(super) fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// Returns the target interval of a cell.
    #[inline]
    pub(super) fn interval(&self, cell: u32) -> TargetInterval {
        self.intervals[cell as usize]
    }

    /// Like [`take`](Self::take), but for a maximum sets a target beyond all values. The distance
    /// is then only useful for comparison with other distances to the same target.
    pub(super) fn take_upwards(&mut self, machine: &WatchedMarking<'_>, goal: u32, rng: &mut Rng) {
        self.take(machine, goal, rng);
        if matches!(machine.compiled.goals[goal as usize].goal, MarkingGoal::Maximise(_)) {
            for &cell in &self.cells {
                self.intervals[cell as usize].low = i64::MAX;
            }
        }
    }

    /// Sets the target intervals for a goal. If the goal has alternatives, such as a disjunction,
    /// one is chosen at random, often the one nearest to the current marking. For a maximum, the
    /// target is a value above the largest one seen.
    pub(super) fn take(&mut self, machine: &WatchedMarking<'_>, goal: u32, rng: &mut Rng) {
        self.clear();
        match machine.compiled.goals[goal as usize].goal {
            MarkingGoal::Reach(predicate) => self.add(machine, predicate, rng),
            MarkingGoal::Maximise(_) => {
                let records = machine.compiled.records.iter();
                for record in records.filter(|record| record.goals.contains(&goal)) {
                    // The target exceeds the largest value by a random power of two. With
                    // increments of one, a sum that can reach 50,000 tokens would take too long.
                    let bits = 64 - record.best.max(4).leading_zeros() as usize;
                    let increment = 1i64 << random_below(rng, bits);
                    self.require_at_least(record.cell, record.best.saturating_add(increment));
                }
            }
        }
    }

    /// Sets the target to satisfy all predicates in `predicates`. The machine must have a cell for
    /// each of their sums.
    pub(super) fn take_all(
        &mut self,
        machine: &WatchedMarking<'_>,
        predicates: &[&Predicate],
        rng: &mut Rng,
    ) {
        self.clear();
        predicates.iter().for_each(|part| self.add(machine, part, rng));
    }

    /// Sets the target to cover the marking with the cell values `values`, with a larger value in
    /// the cell `growing_cell`.
    pub(super) fn take_covering(
        &mut self,
        machine: &WatchedMarking<'_>,
        values: &[i64],
        growing_cell: u32,
    ) {
        self.clear();
        for (cell, &value) in values[..machine.compiled.place_count].iter().enumerate() {
            if value > 0 {
                self.require_at_least(cell as u32, value);
            }
        }
        self.require_at_least(growing_cell, values[growing_cell as usize].saturating_add(1));
    }

    /// Removes every target interval.
    pub(super) fn clear(&mut self) {
        for cell in self.cells.drain(..) {
            self.intervals[cell as usize] = UNRESTRICTED;
        }
    }

    /// Returns the distance of the current marking to the target.
    pub(super) fn distance(&self, machine: &WatchedMarking<'_>) -> u64 {
        let distances =
            self.cells.iter().map(|&cell| self.interval(cell).distance_to(machine.value(cell)));
        distances.fold(0, u64::saturating_add)
    }

    /// Returns the decrease in distance to the target when the effect class fires once. It is
    /// negative if the distance grows.
    #[inline]
    pub(super) fn gain(&self, machine: &WatchedMarking<'_>, class: u32) -> i64 {
        let mut gain = 0i64;
        for change in machine.compiled.changes_of(class) {
            let interval = self.intervals[change.cell as usize];
            if interval != UNRESTRICTED {
                let value = machine.value(change.cell);
                let new_distance = interval.distance_to(value.saturating_add(change.delta));
                let change = i128::from(interval.distance_to(value)) - i128::from(new_distance);
                gain = gain.saturating_add(i64::try_from(change).unwrap_or(i64::MAX));
            }
        }
        gain
    }

    /// Returns the smallest number of firings of the effect class after which some cell reaches its
    /// target interval. Only cells outside their intervals that the class moves closer count.
    /// Returns 1 if there are none. The result does not depend on how often the class can fire.
    pub(super) fn firings_to_interval(&self, machine: &WatchedMarking<'_>, class: u32) -> u64 {
        let changes = machine.compiled.changes_of(class).iter();
        let times = changes.filter_map(|change| {
            let (interval, value) = (self.interval(change.cell), machine.value(change.cell));
            let moves_closer =
                if change.delta > 0 { value < interval.low } else { value > interval.high };
            moves_closer.then(|| interval.distance_to(value).div_ceil(change.delta.unsigned_abs()))
        });
        times.min().unwrap_or(1)
    }

    /// Restricts the target interval of a cell to values of at least `low`.
    pub(super) fn require_at_least(&mut self, cell: u32, low: i64) {
        self.list_cell(cell);
        let interval = &mut self.intervals[cell as usize];
        interval.low = interval.low.max(low);
    }

    /// Restricts the target interval of a cell to values of at most `high`.
    fn require_at_most(&mut self, cell: u32, high: i64) {
        self.list_cell(cell);
        let interval = &mut self.intervals[cell as usize];
        interval.high = interval.high.min(high);
    }

    /// Adds a cell to the list of cells with a target interval, if it is not in the list. Must be
    /// called before its interval is restricted.
    fn list_cell(&mut self, cell: u32) {
        if self.intervals[cell as usize] == UNRESTRICTED {
            self.cells.push(cell);
        }
    }

    /// Restricts the target intervals so that a marking within them satisfies the predicate. Of a
    /// disjunction, one operand is chosen, and for a disabled transition, one input place.
    /// Predicates that are constant, "dead" and "not dead" restrict nothing.
    fn add(&mut self, machine: &WatchedMarking<'_>, predicate: &Predicate, rng: &mut Rng) {
        match predicate {
            Predicate::True | Predicate::False | Predicate::Dead | Predicate::NotDead => {}
            Predicate::Atom(atom) => {
                if let WatchedAtom::Threshold { sum, place, value, holds_above: is_lower_bound } =
                    watched_form(atom)
                {
                    let cell = cell_of(machine, sum.as_ref(), place);
                    match is_lower_bound {
                        true => self.require_at_least(cell, value),
                        false => self.require_at_most(cell, value.saturating_sub(1)),
                    }
                }
            }
            Predicate::Enabled(t) => {
                for arc in machine.compiled.net.pre(*t) {
                    self.require_at_least(arc.place.index() as u32, arc.weight as i64);
                }
            }
            Predicate::Disabled(t) => {
                let inputs = machine.compiled.net.pre(*t);
                let nearest_input = inputs
                    .iter()
                    .min_by_key(|arc| machine.value(arc.place.index() as u32) - arc.weight as i64);
                let random_input =
                    (!inputs.is_empty()).then(|| &inputs[random_below(rng, inputs.len().max(1))]);
                let input = if random_below(rng, 2) == 0 { nearest_input } else { random_input };
                if let Some(arc) = input {
                    self.require_at_most(arc.place.index() as u32, arc.weight as i64 - 1);
                }
            }
            Predicate::And(parts) => parts.iter().for_each(|part| self.add(machine, part, rng)),
            Predicate::Or(parts) => {
                let first_tie = random_below(rng, parts.len());
                let nearest = parts.iter().enumerate().min_by_key(|&(at, part)| {
                    // Ties are broken at random, so that walks differ.
                    (predicate_distance(machine, part), (at + first_tie) % parts.len())
                });
                match nearest {
                    Some((nearest, _)) if random_below(rng, 3) > 0 => {
                        self.add(machine, &parts[nearest], rng);
                    }
                    _ => self.add(machine, &parts[first_tie], rng),
                }
            }
        }
    }
}

/// Returns the cell of a sum, or of the place if there is no sum. Returns [`NO_INDEX`] for a sum
/// without a cell.
fn cell_of(machine: &WatchedMarking<'_>, sum: Option<&LinearSum>, place: u32) -> u32 {
    match sum {
        // Every sum of a watched goal has a cell.
        Some(sum) => machine.compiled.cell_of.get(sum).copied().unwrap_or(NO_INDEX),
        None => place,
    }
}

/// Returns the distance of the current marking from satisfying a predicate, roughly in tokens. It
/// is the missing amount for an atom, the sum over a conjunction, and the minimum over a
/// disjunction. For deadness it is the number of enabled effect classes with an effect.
fn predicate_distance(machine: &WatchedMarking<'_>, predicate: &Predicate) -> u64 {
    let tokens = |place: parikh_net::PlaceId| machine.value(place.index() as u32);
    match predicate {
        Predicate::True => 0,
        Predicate::False => u64::MAX,
        Predicate::Atom(atom) => match watched_form(atom) {
            WatchedAtom::Constant(holds) => {
                if holds {
                    0
                } else {
                    u64::MAX
                }
            }
            WatchedAtom::Threshold { sum, place, value, holds_above: is_lower_bound } => {
                let current = machine.value(cell_of(machine, sum.as_ref(), place));
                let interval = match is_lower_bound {
                    true => TargetInterval { low: value, high: i64::MAX },
                    false => TargetInterval { low: i64::MIN, high: value.saturating_sub(1) },
                };
                interval.distance_to(current)
            }
        },
        Predicate::Enabled(t) => {
            let inputs = machine.compiled.net.pre(*t).iter();
            let missing_tokens =
                inputs.map(|arc| arc.weight.saturating_sub(tokens(arc.place) as u64));
            missing_tokens.fold(0, u64::saturating_add)
        }
        Predicate::Disabled(t) => {
            let inputs = machine.compiled.net.pre(*t).iter();
            let excess =
                inputs.map(|arc| (tokens(arc.place) as u64 + 1).saturating_sub(arc.weight));
            excess.min().unwrap_or(u64::MAX)
        }
        Predicate::Dead => machine.enabled().len() as u64,
        Predicate::NotDead => u64::from(machine.is_dead()),
        Predicate::And(parts) => {
            parts.iter().map(|part| predicate_distance(machine, part)).fold(0, u64::saturating_add)
        }
        Predicate::Or(parts) => {
            parts.iter().map(|part| predicate_distance(machine, part)).min().unwrap_or(u64::MAX)
        }
    }
}
