//! Watches all open goals at once, as thresholds on cells.
//!
//! A *cell* is a number that firing changes: the tokens of a place, or the value of a sum of
//! several places in some goal. Each sum has its own cell, shared by all goals, and every
//! transition class knows its change of each cell. So watching an atom costs nothing until its cell
//! crosses the value at which the atom changes. Atoms over one place are thresholds of the place
//! itself, next to those of its consuming transitions.
//!
//! The conjunctions and disjunctions above the leaves are counters. A conjunction of n parts counts
//! the false parts, and a disjunction starts at one. A part that becomes true decrements the
//! counter, and a part that becomes false increments it. Only a counter that reaches or leaves zero
//! is propagated upwards. A root that reaches zero is reported.
//!
//! ```text
//! goal  p + q ≤ 3 ∧ (r ≥ 2 ∨ enabled t)      cells  p q r … and p+q
//!
//!         ∧ counter 1 ─── p+q crosses 4: true below, false above
//!         └─ ∨ counter 1 ─┬─ r crosses 2
//!                         └─ t becomes enabled
//! ```
//!
//! The counters in the figure belong to a marking with p + q ≤ 3 and r < 2 that disables t.
//!
//! A maximum is a moving threshold: one above the largest value seen so far.

use parikh_net::{Atom, GoalId, LinearSum, MarkingGoal, Net, Predicate};
use std::collections::HashMap;

/// Index that stands for "none": no node, no record or no list.
pub(super) const NO_INDEX: u32 = u32::MAX;
/// Flag of a goal leaf that is true below its threshold, while its transition is disabled, or while
/// the marking is not dead. Without the flag, the leaf is true in the opposite case.
pub(super) const HOLDS_BELOW: u32 = 1 << 30;
/// Flag in [`WatchNode::parent`] for the root of a goal. The remaining bits are the position of the
/// goal among the watched goals.
pub(super) const ROOT_FLAG: u32 = 1 << 31;
/// Flag of an entry in the machine's news that is the index of a record: a maximised cell has a new
/// largest value. Entries without the flag are positions of goals that became true, and that may be
/// false again.
pub(super) const RECORD_FLAG: u32 = 1 << 31;

/// A conjunction or disjunction of a goal, with the counter that decides it. A goal that is a
/// single leaf also has a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct WatchNode {
    /// Index of the conjunction or disjunction that contains this node, or [`ROOT_FLAG`] with the
    /// goal's position.
    pub(super) parent: u32,
    /// The number of false operands of a conjunction, or 1 minus the number of true operands of a
    /// disjunction. The node is true if this number is 0 or less.
    pub(super) missing_parts: i32,
}

/// A goal leaf whose truth value changes when a cell, that is, a token count or a sum, crosses a
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TokenThreshold {
    /// Index of the cell with the threshold.
    pub(super) cell: u32,
    /// The threshold: the leaf changes its truth value when the cell rises from `value - 1` to
    /// `value`, or falls back.
    pub(super) value: i64,
    /// Index of the node above the leaf, flagged with [`HOLDS_BELOW`] if the leaf is true below
    /// `value`.
    pub(super) node: u32,
}

/// A record: the largest value seen so far of a cell that some goal maximises.
#[derive(Clone, Debug)]
pub(super) struct MaximumRecord {
    /// Index of the maximised cell.
    pub(super) cell: u32,
    /// The largest value seen.
    pub(super) best: i64,
    /// The positions of the goals that maximise the cell.
    pub(super) goals: Vec<u32>,
}

/// A watched goal.
#[derive(Clone, Debug)]
pub(super) struct WatchedGoal<'a> {
    /// The goal's id on the board.
    pub(super) id: GoalId,
    /// The goal.
    pub(super) goal: &'a MarkingGoal,
    /// The root node of the goal. [`NO_INDEX`] for a maximum.
    pub(super) root: u32,
}

/// The watched goals, broken down into thresholds of cells, before the thresholds are merged with
/// those of the net.
#[derive(Default)]
pub(super) struct GoalWatch<'a> {
    /// The watched goals. Goals with too large numbers, the constant predicate false, and maxima of
    /// sums without terms are left out.
    pub(super) goals: Vec<WatchedGoal<'a>>,
    /// The sums with a cell of their own: sums of several places, and maximised multiples of one
    /// place. Their cells follow the cells of the places.
    pub(super) sums: Vec<LinearSum>,
    /// For each sum in `sums`, the index of its cell.
    pub(super) cell_of: HashMap<LinearSum, u32>,
    /// The thresholds by ascending cell and value.
    pub(super) thresholds: Vec<TokenThreshold>,
    /// Leaves that depend on the enabledness of a transition, sorted by transition. Each is a pair
    /// of the transition and the node above the leaf, flagged with [`HOLDS_BELOW`] if the leaf
    /// requires a disabled transition.
    pub(super) enabledness: Vec<(u32, u32)>,
    /// The nodes above leaves about deadness, flagged with [`HOLDS_BELOW`] if the leaf requires a
    /// marking that is not dead.
    pub(super) deadness: Vec<u32>,
    /// The nodes of the goals, that is, conjunctions, disjunctions, and goals that are a single
    /// leaf. Their counters are valid when all cells are below all thresholds and no transition is
    /// enabled.
    pub(super) nodes: Vec<WatchNode>,
    /// The cells to maximise, with the largest values seen.
    pub(super) records: Vec<MaximumRecord>,
}

/// An atom in the form in which it is watched: a threshold of a cell, or a constant.
pub(super) enum WatchedAtom {
    /// The atom holds exactly for values from the threshold on, or exactly for values below it.
    Threshold {
        /// The sum that the atom compares, with a positive first coefficient. `None` if the atom
        /// compares the tokens of a single place.
        sum: Option<LinearSum>,
        /// The cell of the place. [`NO_INDEX`] if the atom is over a sum.
        place: u32,
        /// The threshold value.
        value: i64,
        /// True if the atom holds from the threshold on, false if below it.
        holds_above: bool,
    },
    /// The same truth value in every marking.
    Constant(bool),
}

/// Normalises an atom for watching. Σ ≤ b becomes Σ < b + 1, or −Σ ≥ −b if the first coefficient of
/// Σ is negative. An atom over a single place is divided by its coefficient. An atom without places
/// becomes a constant, and so does an atom whose threshold does not fit in 64 bits.
pub(super) fn watched_form(atom: &Atom) -> WatchedAtom {
    let terms = atom.sum.terms();
    let Some(&(place, first_coefficient)) = terms.first() else {
        return WatchedAtom::Constant(0 <= atom.bound);
    };
    let bound = i128::from(atom.bound);
    let is_lower_bound = first_coefficient < 0;
    let is_single_place = terms.len() == 1;
    let divisor = if is_single_place { i128::from(first_coefficient.unsigned_abs()) } else { 1 };
    // a·m ≤ b ⇔ m < ⌊b/a⌋ + 1, and −a·m ≤ b ⇔ m ≥ ⌈−b/a⌉ = −⌊b/a⌋.
    let quotient = bound.div_euclid(divisor);
    let value = if is_lower_bound { -quotient } else { quotient + 1 };
    match i64::try_from(value) {
        Ok(value) if is_single_place => WatchedAtom::Threshold {
            sum: None,
            place: place.index() as u32,
            value,
            holds_above: is_lower_bound,
        },
        Ok(value) => {
            let sum = if is_lower_bound { atom.sum.negated() } else { atom.sum.clone() };
            WatchedAtom::Threshold {
                sum: Some(sum),
                place: NO_INDEX,
                value,
                holds_above: is_lower_bound,
            }
        }
        // Cells hold 64-bit values. If the threshold is too large for this, all values are below
        // it, and if it is too small, all values are above it.
        Err(_) => WatchedAtom::Constant(is_lower_bound == (value < 0)),
    }
}

impl<'a> GoalWatch<'a> {
    /// Breaks down the goals of `net` into thresholds and nodes. Leaves out goals that cannot be
    /// watched, see `goals`.
    pub(super) fn new(
        net: &Net,
        goals: impl IntoIterator<Item = (GoalId, &'a MarkingGoal)>,
    ) -> Self {
        let mut watch = GoalWatch::default();
        let changes = net.effect_classes().flat_map(|e| net.effect(e));
        let max_change = changes.map(|change| change.delta.unsigned_abs()).max().unwrap_or(0);
        let mut record_of: HashMap<u32, usize> = HashMap::new();
        for (id, goal) in goals {
            let position = watch.goals.len() as u32;
            match goal {
                MarkingGoal::Reach(predicate) => {
                    if !predicate_fits(net, max_change, predicate)
                        || matches!(predicate, Predicate::False)
                    {
                        continue;
                    }
                    let root = watch.add_goal(net, predicate, ROOT_FLAG | position);
                    watch.goals.push(WatchedGoal { id, goal, root });
                }
                MarkingGoal::Maximise(sum) => {
                    if !sum_fits(net, max_change, sum) || sum.is_zero() {
                        continue;
                    }
                    let cell = match sum.terms() {
                        [(place, 1)] => place.index() as u32,
                        _ => watch.cell_of_sum(net, sum.clone()),
                    };
                    watch.goals.push(WatchedGoal { id, goal, root: NO_INDEX });
                    let records = &mut watch.records;
                    let record = *record_of.entry(cell).or_insert_with(|| {
                        records.push(MaximumRecord { cell, best: i64::MIN, goals: Vec::new() });
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

    /// Returns the index of the cell of a sum, and adds the cell if the sum has none.
    fn cell_of_sum(&mut self, net: &Net, sum: LinearSum) -> u32 {
        let next = (net.place_count() + self.sums.len()) as u32;
        *self.cell_of.entry(sum).or_insert_with_key(|sum| {
            self.sums.push(sum.clone());
            next
        })
    }

    /// Adds a node, and returns its index.
    fn add_node(&mut self, parent: u32, missing_parts: i32) -> u32 {
        self.nodes.push(WatchNode { parent, missing_parts });
        (self.nodes.len() - 1) as u32
    }

    /// Adds a goal and returns its root. `parent` is [`ROOT_FLAG`] with the position of the goal.
    /// The root is a node even if the goal is a single leaf.
    fn add_goal(&mut self, net: &Net, predicate: &Predicate, parent: u32) -> u32 {
        let root = self.nodes.len() as u32;
        if matches!(predicate, Predicate::And(_) | Predicate::Or(_)) {
            self.add_part(net, predicate, parent);
        } else {
            let node = self.add_node(parent, 1);
            let holds = self.add_part(net, predicate, node);
            self.nodes[node as usize].missing_parts -= i32::from(holds);
        }
        root
    }

    /// Adds an operand of the node `parent`, with everything below it. Returns true if the operand
    /// holds when all cells are below all thresholds and no transition is enabled.
    fn add_part(&mut self, net: &Net, predicate: &Predicate, parent: u32) -> bool {
        match predicate {
            Predicate::True => true,
            Predicate::False => false,
            Predicate::Atom(atom) => match watched_form(atom) {
                WatchedAtom::Constant(holds) => holds,
                WatchedAtom::Threshold { sum, place, value, holds_above: is_lower_bound } => {
                    let cell = sum.map_or(place, |sum| self.cell_of_sum(net, sum));
                    let flagged_node = parent | if is_lower_bound { 0 } else { HOLDS_BELOW };
                    self.thresholds.push(TokenThreshold { cell, value, node: flagged_node });
                    !is_lower_bound
                }
            },
            Predicate::Enabled(t) => {
                self.enabledness.push((t.index() as u32, parent));
                false
            }
            Predicate::Disabled(t) => {
                self.enabledness.push((t.index() as u32, parent | HOLDS_BELOW));
                true
            }
            Predicate::Dead => {
                self.deadness.push(parent);
                true
            }
            Predicate::NotDead => {
                self.deadness.push(parent | HOLDS_BELOW);
                false
            }
            Predicate::And(parts) | Predicate::Or(parts) => {
                let is_conjunction = matches!(predicate, Predicate::And(_));
                let node =
                    self.add_node(parent, if is_conjunction { parts.len() as i32 } else { 1 });
                let initially_true =
                    parts.iter().filter(|part| self.add_part(net, part, node)).count();
                self.nodes[node as usize].missing_parts -= initially_true as i32;
                self.nodes[node as usize].missing_parts <= 0
            }
        }
    }
}

/// Returns true if [`sum_fits`] accepts all sums of several places in a predicate. An atom over a
/// single place always fits.
fn predicate_fits(net: &Net, max_change: u64, predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Atom(atom) => {
            atom.sum.terms().len() == 1 || sum_fits(net, max_change, &atom.sum)
        }
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().all(|part| predicate_fits(net, max_change, part))
        }
        _ => true,
    }
}

/// Returns true if the initial value of a sum fits in 64 bits, and so does an upper bound of its
/// change by one firing. Always true for a single place with the coefficient 1. The machine refuses
/// firings that would overflow later.
fn sum_fits(net: &Net, max_change: u64, sum: &LinearSum) -> bool {
    let magnitude: u128 = sum.terms().iter().map(|&(_, a)| u128::from(a.unsigned_abs())).sum();
    // The tokens of a single place with the coefficient 1 have the cell of the place, and always
    // fit.
    matches!(sum.terms(), [(_, 1)])
        || i64::try_from(sum.value(net.initial())).is_ok()
            && magnitude.saturating_mul(u128::from(max_change)) <= i64::MAX as u128
}
