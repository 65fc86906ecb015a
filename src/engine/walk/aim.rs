//! What a walk towards one goal wishes for: an interval for each of a few cells.
//!
//! A goal is a tree of conjunctions and disjunctions. For one walk it is made a conjunction: of
//! each disjunction one part is chosen, the nearest one or sometimes any. What is left asks each
//! cell it mentions to lie in an interval, and the *distance* is how far the cells are out of
//! theirs, summed up. Since the intervals stay fixed along the walk, what a firing gains is a look
//! at the cells it changes.
//!
//! ```text
//! goal  p ≥ 3 ∧ (q ≤ 0 ∨ enabled t)       one walk:      p ∈ [3, ∞)  q ∈ (−∞, 0]
//! t takes q + 2·r                         another one:   p ∈ [3, ∞)  q ∈ [1, ∞)  r ∈ [2, ∞)
//! ```
//!
//! A maximum asks for more than was ever seen.

use super::machine::{Machine, below};
use super::watch::{NONE, Placed, place_atom};
use fastrand::Rng;
use parikh_net::{LinearSum, MarkingGoal, Predicate};

/// The values wished for, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    /// At least this.
    pub(super) low: i64,
    /// At most this.
    pub(super) high: i64,
}

const ANY: Wish = Wish { low: i64::MIN, high: i64::MAX };

impl Wish {
    /// How far a value is outside.
    #[inline]
    pub(super) fn miss(self, value: i64) -> u64 {
        if value < self.low {
            value.abs_diff(self.low)
        } else if value > self.high {
            value.abs_diff(self.high)
        } else {
            0
        }
    }
}

/// Wishes for cells.
pub(super) struct Aim {
    wishes: Vec<Wish>,
    /// The cells with a wish.
    cells: Vec<u32>,
    /// Whether deadness is asked for.
    pub(super) dead: bool,
}

impl Aim {
    /// No wish for any of so many cells.
    pub(super) fn new(cells: usize) -> Self {
        Aim { wishes: vec![ANY; cells], cells: Vec::new(), dead: false }
    }

    /// The cells with a wish.
    pub(super) fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// What is wished for a cell.
    #[inline]
    pub(super) fn wish(&self, cell: u32) -> Wish {
        self.wishes[cell as usize]
    }

    /// Wishes for as much as can be of what a maximum asks for; as [`take`](Self::take) for other
    /// goals. The distance is of no meaning then, but to compare.
    pub(super) fn take_upwards(&mut self, machine: &Machine<'_>, goal: u32, rng: &mut Rng) {
        self.take(machine, goal, rng);
        if matches!(machine.compiled.goals[goal as usize].goal, MarkingGoal::Maximise(_)) {
            for &cell in &self.cells {
                self.wishes[cell as usize].low = i64::MAX;
            }
        }
    }

    /// Wishes for a goal from the marking the machine is at, choosing between its alternatives.
    pub(super) fn take(&mut self, machine: &Machine<'_>, goal: u32, rng: &mut Rng) {
        self.clear();
        match machine.compiled.goals[goal as usize].goal {
            MarkingGoal::Reach(predicate) => self.add(machine, predicate, rng),
            MarkingGoal::Maximise(_) => {
                let records = machine.compiled.records.iter();
                for record in records.filter(|record| record.goals.contains(&goal)) {
                    // One more, or many more: in steps of one, 50,000 tokens take too long.
                    let bits = 64 - record.best.max(4).leading_zeros() as usize;
                    let more = 1i64 << below(rng, bits);
                    self.at_least(record.cell, record.best.saturating_add(more));
                }
            }
        }
    }

    /// Wishes for all of these predicates, whose sums the machine has as cells.
    pub(super) fn take_all(&mut self, machine: &Machine<'_>, parts: &[&Predicate], rng: &mut Rng) {
        self.clear();
        parts.iter().for_each(|part| self.add(machine, part, rng));
    }

    /// Wishes for these values of places or more, and for more than this value of one cell.
    pub(super) fn take_covering(&mut self, machine: &Machine<'_>, values: &[i64], grow: u32) {
        self.clear();
        for (cell, &value) in values[..machine.compiled.places].iter().enumerate() {
            if value > 0 {
                self.at_least(cell as u32, value);
            }
        }
        self.at_least(grow, values[grow as usize].saturating_add(1));
    }

    /// Wishes for nothing.
    pub(super) fn clear(&mut self) {
        for cell in self.cells.drain(..) {
            self.wishes[cell as usize] = ANY;
        }
        self.dead = false;
    }

    /// How far the cells are out of their intervals.
    pub(super) fn distance(&self, machine: &Machine<'_>) -> u64 {
        let misses = self.cells.iter().map(|&cell| self.wish(cell).miss(machine.value(cell)));
        misses.fold(0, u64::saturating_add)
    }

    /// By how much firing the class once brings the wishes nearer.
    #[inline]
    pub(super) fn gain(&self, machine: &Machine<'_>, class: u32) -> i64 {
        let mut gain = 0i64;
        for change in machine.compiled.changes_of(class) {
            let wish = self.wishes[change.cell as usize];
            if wish != ANY {
                let value = machine.value(change.cell);
                let after = wish.miss(value.saturating_add(change.delta));
                let change = i128::from(wish.miss(value)) - i128::from(after);
                gain = gain.saturating_add(i64::try_from(change).unwrap_or(i64::MAX));
            }
        }
        gain
    }

    /// How often the class may fire before the first of the wishes it helps is fulfilled, at least
    /// once.
    pub(super) fn times(&self, machine: &Machine<'_>, class: u32) -> u64 {
        let changes = machine.compiled.changes_of(class).iter();
        let times = changes.filter_map(|change| {
            let (wish, value) = (self.wish(change.cell), machine.value(change.cell));
            let helps = if change.delta > 0 { value < wish.low } else { value > wish.high };
            helps.then(|| wish.miss(value).div_ceil(change.delta.unsigned_abs()))
        });
        times.min().unwrap_or(1)
    }

    /// Wishes for at least `low`.
    pub(super) fn at_least(&mut self, cell: u32, low: i64) {
        self.note(cell);
        let wish = &mut self.wishes[cell as usize];
        wish.low = wish.low.max(low);
    }

    fn at_most(&mut self, cell: u32, high: i64) {
        self.note(cell);
        let wish = &mut self.wishes[cell as usize];
        wish.high = wish.high.min(high);
    }

    fn note(&mut self, cell: u32) {
        if self.wishes[cell as usize] == ANY {
            self.cells.push(cell);
        }
    }

    fn add(&mut self, machine: &Machine<'_>, predicate: &Predicate, rng: &mut Rng) {
        match predicate {
            Predicate::True | Predicate::False | Predicate::NotDead => {}
            Predicate::Dead => self.dead = true,
            Predicate::Atom(atom) => {
                if let Placed::At { sum, place, value, above } = place_atom(atom) {
                    let cell = cell_of(machine, sum.as_ref(), place);
                    match above {
                        true => self.at_least(cell, value),
                        false => self.at_most(cell, value.saturating_sub(1)),
                    }
                }
            }
            Predicate::Enabled(t) => {
                for arc in machine.compiled.net.pre(*t) {
                    self.at_least(arc.place.index() as u32, arc.weight as i64);
                }
            }
            Predicate::Disabled(t) => {
                let inputs = machine.compiled.net.pre(*t);
                let near = inputs
                    .iter()
                    .min_by_key(|arc| machine.value(arc.place.index() as u32) - arc.weight as i64);
                let any = (!inputs.is_empty()).then(|| &inputs[below(rng, inputs.len().max(1))]);
                let input = if below(rng, 2) == 0 { near } else { any };
                if let Some(arc) = input {
                    self.at_most(arc.place.index() as u32, arc.weight as i64 - 1);
                }
            }
            Predicate::And(parts) => parts.iter().for_each(|part| self.add(machine, part, rng)),
            Predicate::Or(parts) => {
                let any = below(rng, parts.len());
                let nearest = parts.iter().enumerate().min_by_key(|&(at, part)| {
                    // Ties go to different parts in different walks.
                    (miss(machine, part), (at + any) % parts.len())
                });
                match nearest {
                    Some((nearest, _)) if below(rng, 3) > 0 => {
                        self.add(machine, &parts[nearest], rng);
                    }
                    _ => self.add(machine, &parts[any], rng),
                }
            }
        }
    }
}

fn cell_of(machine: &Machine<'_>, sum: Option<&LinearSum>, place: u32) -> u32 {
    match sum {
        // Every sum of a watched goal has a cell.
        Some(sum) => machine.compiled.cell_of.get(sum).copied().unwrap_or(NONE),
        None => place,
    }
}

/// How far a predicate is from being true: the amount an atom misses, the sum over a conjunction,
/// the least over a disjunction.
fn miss(machine: &Machine<'_>, predicate: &Predicate) -> u64 {
    let tokens = |place: parikh_net::PlaceId| machine.value(place.index() as u32);
    match predicate {
        Predicate::True => 0,
        Predicate::False => u64::MAX,
        Predicate::Atom(atom) => match place_atom(atom) {
            Placed::Constant(holds) => {
                if holds {
                    0
                } else {
                    u64::MAX
                }
            }
            Placed::At { sum, place, value, above } => {
                let now = machine.value(cell_of(machine, sum.as_ref(), place));
                let wish = match above {
                    true => Wish { low: value, high: i64::MAX },
                    false => Wish { low: i64::MIN, high: value.saturating_sub(1) },
                };
                wish.miss(now)
            }
        },
        Predicate::Enabled(t) => {
            let inputs = machine.compiled.net.pre(*t).iter();
            let lacks = inputs.map(|arc| arc.weight.saturating_sub(tokens(arc.place) as u64));
            lacks.fold(0, u64::saturating_add)
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
            parts.iter().map(|part| miss(machine, part)).fold(0, u64::saturating_add)
        }
        Predicate::Or(parts) => {
            parts.iter().map(|part| miss(machine, part)).min().unwrap_or(u64::MAX)
        }
    }
}
