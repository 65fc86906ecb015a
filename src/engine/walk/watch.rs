//! What the walk looks out for: all open goals at once, as thresholds on cells.
//!
//! A *cell* is a number that firing changes: the tokens of a place, or the value of a sum of
//! several places that some goal mentions. Sums are cells of their own, shared by all goals, and
//! every class of transitions knows by how much it changes each; so watching an atom costs nothing
//! until its cell crosses the one value at which the atom turns from false to true. Atoms over one
//! place are thresholds of the place itself, beside those of the transitions that take from it.
//!
//! The junctions above the leaves are counters: a conjunction of n parts counts how many are still
//! false, a disjunction starts at one. A part that turns true takes one off, a part that turns
//! false puts one back, and only a counter that reaches or leaves zero is passed on upwards. A root
//! that reaches zero is news.
//!
//! ```text
//! goal  p + q ≤ 3 ∧ (r ≥ 2 ∨ enabled t)      cells  p q r … and p+q
//!
//!         ∧ left 2 ─── p+q crosses 4: true below, false above
//!         └─ ∨ left 1 ─┬─ r crosses 2
//!                      └─ the count of unsatisfied inputs of t reaches 0
//! ```
//!
//! A maximum is a threshold that moves: one above the largest value seen so far.

use parikh_net::{Atom, GoalId, LinearSum, MarkingGoal, Net, Predicate};
use std::collections::HashMap;

/// No node, no record, no list.
pub(super) const NONE: u32 = u32::MAX;
/// Marks a leaf that is true below its threshold.
pub(super) const BELOW: u32 = 1 << 30;
/// Marks a node without a parent; the rest of its number is that of the goal.
pub(super) const ROOT: u32 = 1 << 31;
/// Marks the news of a record; without it, it is a goal that came true.
pub(super) const RECORD: u32 = 1 << 31;

/// A junction, or a leaf that is a goal by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The junction above, or [`ROOT`] with the goal's position.
    pub(super) up: u32,
    /// True parts that are still needed; holds while this is 0 or less.
    pub(super) left: i32,
}

/// Something that happens when a cell crosses a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Threshold {
    /// The cell.
    pub(super) cell: u32,
    /// Happens between this value − 1 and this value, both ways.
    pub(super) value: i64,
    /// The leaf's node, maybe with [`BELOW`].
    pub(super) event: u32,
}

/// The largest value seen of a cell that goals want large.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// The cell.
    pub(super) cell: u32,
    /// The largest value seen; not news any more.
    pub(super) best: i64,
    /// The positions of the goals that ask for it.
    pub(super) goals: Vec<u32>,
}

/// A goal on its watch list.
#[derive(Clone, Debug)]
pub(super) struct Watched<'a> {
    /// Its id on the board.
    pub(super) id: GoalId,
    /// The goal.
    pub(super) goal: &'a MarkingGoal,
    /// Its root, [`NONE`] for a maximum.
    pub(super) root: u32,
}

/// Everything watched, before it is merged into the tables of the net.
#[derive(Default)]
pub(super) struct Watch<'a> {
    /// The goals that are watched. Goals that cannot come true, or whose numbers are too large,
    /// are not among them.
    pub(super) goals: Vec<Watched<'a>>,
    /// Sums of several places; the first one's cell comes after those of all places.
    pub(super) sums: Vec<LinearSum>,
    /// The cell of each sum.
    pub(super) cell_of: HashMap<LinearSum, u32>,
    /// By ascending cell and value.
    pub(super) thresholds: Vec<Threshold>,
    /// (transition, node, maybe with [`BELOW`]) for leaves that ask for enabledness, by transition.
    pub(super) enabledness: Vec<(u32, u32)>,
    /// Nodes that ask for deadness, with [`BELOW`] where they ask for the contrary.
    pub(super) deadness: Vec<u32>,
    /// The junctions. Their counters are those of a marking below every threshold, in which nothing
    /// is enabled.
    pub(super) nodes: Vec<Node>,
    /// The maxima wanted.
    pub(super) records: Vec<Record>,
}

/// Where an atom is watched.
pub(super) enum Placed {
    /// True from this value of this cell on (`true`), or below it (`false`).
    At {
        /// A place, or a sum in the form it is shared in.
        sum: Option<LinearSum>,
        /// The cell when it is a place.
        place: u32,
        /// The value.
        value: i64,
        /// Which side.
        above: bool,
    },
    /// The same in every marking.
    Constant(bool),
}

/// Brings an atom into the form it is watched in: Σ ≤ b as "Σ < b + 1", and with a first
/// coefficient below zero as "−Σ ≥ −b"; over a single place divided by its coefficient.
pub(super) fn place_atom(atom: &Atom) -> Placed {
    let terms = atom.sum.terms();
    let Some(&(place, first)) = terms.first() else {
        return Placed::Constant(0 <= atom.bound);
    };
    let bound = i128::from(atom.bound);
    let above = first < 0;
    let single = terms.len() == 1;
    let scale = if single { i128::from(first.unsigned_abs()) } else { 1 };
    // a·m ≤ b ⇔ m < ⌊b/a⌋ + 1, and −a·m ≤ b ⇔ m ≥ ⌈−b/a⌉ = −⌊b/a⌋.
    let quotient = bound.div_euclid(scale);
    let value = if above { -quotient } else { quotient + 1 };
    match i64::try_from(value) {
        Ok(value) if single => Placed::At { sum: None, place: place.index() as u32, value, above },
        Ok(value) => {
            let sum = if above { atom.sum.negated() } else { atom.sum.clone() };
            Placed::At { sum: Some(sum), place: NONE, value, above }
        }
        // Cells hold 64 bits: all of them are below a value too large, and above one too small.
        Err(_) => Placed::Constant(above == (value < 0)),
    }
}

impl<'a> Watch<'a> {
    /// Watches these goals of `net`.
    pub(super) fn new(
        net: &Net,
        goals: impl IntoIterator<Item = (GoalId, &'a MarkingGoal)>,
    ) -> Self {
        let mut watch = Watch::default();
        let changes = net.effect_classes().flat_map(|e| net.effect(e));
        let largest = changes.map(|change| change.delta.unsigned_abs()).max().unwrap_or(0);
        let mut record_of: HashMap<u32, usize> = HashMap::new();
        for (id, goal) in goals {
            let position = watch.goals.len() as u32;
            match goal {
                MarkingGoal::Reach(predicate) => {
                    if !fits(net, largest, predicate) || matches!(predicate, Predicate::False) {
                        continue;
                    }
                    let root = watch.root(net, predicate, ROOT | position);
                    watch.goals.push(Watched { id, goal, root });
                }
                MarkingGoal::Maximise(sum) => {
                    if !sum_fits(net, largest, sum) || sum.is_zero() {
                        continue;
                    }
                    let cell = match sum.terms() {
                        [(place, 1)] => place.index() as u32,
                        _ => watch.cell(net, sum.clone()),
                    };
                    watch.goals.push(Watched { id, goal, root: NONE });
                    let records = &mut watch.records;
                    let record = *record_of.entry(cell).or_insert_with(|| {
                        records.push(Record { cell, best: i64::MIN, goals: Vec::new() });
                        records.len() - 1
                    });
                    records[record].goals.push(position);
                }
            }
        }
        watch.thresholds.sort_unstable();
        watch.enabledness.sort_unstable();
        watch
    }

    fn cell(&mut self, net: &Net, sum: LinearSum) -> u32 {
        let next = (net.place_count() + self.sums.len()) as u32;
        *self.cell_of.entry(sum).or_insert_with_key(|sum| {
            self.sums.push(sum.clone());
            next
        })
    }

    fn node(&mut self, up: u32, left: i32) -> u32 {
        self.nodes.push(Node { up, left });
        (self.nodes.len() - 1) as u32
    }

    /// The top of a goal is a node even when it is a leaf.
    fn root(&mut self, net: &Net, predicate: &Predicate, up: u32) -> u32 {
        let root = self.nodes.len() as u32;
        if matches!(predicate, Predicate::And(_) | Predicate::Or(_)) {
            self.add(net, predicate, up);
        } else {
            let node = self.node(up, 1);
            let holds = self.add(net, predicate, node);
            self.nodes[node as usize].left -= i32::from(holds);
        }
        root
    }

    /// Adds a part of the node `up`. Whether it holds below every threshold.
    fn add(&mut self, net: &Net, predicate: &Predicate, up: u32) -> bool {
        match predicate {
            Predicate::True => true,
            Predicate::False => false,
            Predicate::Atom(atom) => match place_atom(atom) {
                Placed::Constant(holds) => holds,
                Placed::At { sum, place, value, above } => {
                    let cell = sum.map_or(place, |sum| self.cell(net, sum));
                    let event = up | if above { 0 } else { BELOW };
                    self.thresholds.push(Threshold { cell, value, event });
                    !above
                }
            },
            Predicate::Enabled(t) => {
                self.enabledness.push((t.index() as u32, up));
                false
            }
            Predicate::Disabled(t) => {
                self.enabledness.push((t.index() as u32, up | BELOW));
                true
            }
            Predicate::Dead => {
                self.deadness.push(up);
                true
            }
            Predicate::NotDead => {
                self.deadness.push(up | BELOW);
                false
            }
            Predicate::And(parts) | Predicate::Or(parts) => {
                let all = matches!(predicate, Predicate::And(_));
                let node = self.node(up, if all { parts.len() as i32 } else { 1 });
                let held = parts.iter().filter(|part| self.add(net, part, node)).count();
                self.nodes[node as usize].left -= held as i32;
                self.nodes[node as usize].left <= 0
            }
        }
    }
}

/// Whether all sums of a predicate can be kept in 64 bits.
fn fits(net: &Net, largest: u64, predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Atom(atom) => atom.sum.terms().len() == 1 || sum_fits(net, largest, &atom.sum),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().all(|part| fits(net, largest, part))
        }
        _ => true,
    }
}

/// Whether the value of a sum fits initially and so does every change of it. A firing that would
/// leave the range later is refused by the machine.
fn sum_fits(net: &Net, largest: u64, sum: &LinearSum) -> bool {
    let magnitude: u128 = sum.terms().iter().map(|&(_, a)| u128::from(a.unsigned_abs())).sum();
    // The tokens of one place always fit, and an atom over one place is watched there.
    matches!(sum.terms(), [(_, 1)])
        || i64::try_from(sum.value(net.initial())).is_ok()
            && magnitude.saturating_mul(u128::from(largest)) <= i64::MAX as u128
}
