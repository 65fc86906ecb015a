//! The linear program of the engine: the state equation with the constraints learnt so far.
//!
//! One program is kept for the whole run and solved again after small changes. Its rows state,
//! relative to the initial marking:
//!
//! 1. m(p) ≥ 0 for every place, or m(p) ≥ k where a lower bound k of the place is known;
//! 2. a chain of safe units has at most one token, if the model claims so;
//! 3. Σ m(p) ≥ 1 over the places of every trap found so far, and the same for weighted sums with a
//!    lower bound;
//! 4. the comparisons asserted at the moment: for a place by the bounds of its row, for a sum by
//!    the bounds of a row that is added when the sum first occurs and kept.
//!
//! Bounds that exceed the program's 64 bits are left out, which only weakens the program.
//!
//! Answers are in floating point. An infeasibility or a bound is only used as a [`Lemma`] whose
//! multipliers were checked in exact arithmetic.

mod chains;
mod cuts;
mod lower_bounds;
mod multipliers;

use super::atoms::{AtomId, Atoms};
use super::point::{SolutionPoint, TOLERANCE, firing_counter};
use num_bigint::BigInt;
use num_traits::ToPrimitive as _;
use parikh_encodings::StateEquation;
use parikh_evidence::certificate::{Lemma, LowerBound};
use parikh_net::{Atom, EffectId, Facts, LinearSum, Net, PlaceId, UnitId};
use parikh_solvers::Budget;
use parikh_solvers::certify::{Contradiction, Tally};
use parikh_solvers::dump::{Dump, recorded_lp};
use parikh_solvers::linear_program::{Column, Interval, ProgramError, Row, Sense};
use parikh_solvers::lp::{IncrementalLp, LpAnswer};
use parikh_solvers::lp_chosen::incremental_lp;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

/// The linear form that a row bounds. The row itself has the change of this form since the initial
/// marking. Virtual places after the net's places count the firings of effect classes.
#[derive(Clone, Debug)]
enum RowForm {
    /// The tokens of a place.
    Tokens(PlaceId),
    /// A sum of token counts that occurs in comparisons.
    Sum(LinearSum),
    /// The tokens of the trap with this index.
    Trap(usize),
    /// The weighted sum of the lower bound with this index.
    LowerBound(usize),
    /// The tokens of a unit and of all units that contain it. In a net with safe units, they are at
    /// most one in total.
    Chain(UnitId),
}

/// Numbers of traps and lower bounds that the program contained at some time. Later traps and lower
/// bounds have larger indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LearnedRows {
    pub(super) traps: usize,
    pub(super) lower_bounds: usize,
}

/// The row of the program and the bound on it that express a comparison.
#[derive(Clone, Copy, Debug)]
struct Placement {
    row: Row,
    bound: BoundValue,
}

/// A bound of a row of the program.
#[derive(Clone, Copy, Debug)]
enum BoundValue {
    Lower(i64),
    Upper(i64),
}

/// The bounds asserted for one row, each with the comparison that asserts it.
#[derive(Clone, Copy, Debug, Default)]
struct AssertedBounds {
    /// The asserted lower bound of the row's value.
    lower: Option<(i64, AtomId)>,
    /// The asserted upper bound of the row's value.
    upper: Option<(i64, AtomId)>,
}

/// The result of solving a conjunction of comparisons.
pub(super) enum ConjunctionResult {
    /// Infeasible: the comparisons named by the lemma exclude each other. The lemma's atoms are
    /// indices in the table of comparisons.
    Infeasible(Lemma),
    /// Feasible, with a solution.
    Feasible(SolutionPoint),
    /// The solver gave no answer, the program refused a bound or the objective, or no lemma could
    /// be made from the answer.
    Unknown,
}

/// Result for the minimum of a sum.
pub(super) enum MinimumResult {
    /// The minimum of the sum is at least `bound`, and `point` is the solution found. The lemma
    /// refutes every comparison with a smaller bound, see [`BoundLemma`].
    Bound { bound: i128, lemma: Box<BoundLemma>, point: SolutionPoint },
    /// The sum is unbounded below.
    Unbounded,
    /// The program could not express the sum, or refused a bound or the objective. Or the solver
    /// gave no usable answer, or no bound could be proved from it.
    Unknown,
}

/// A lemma that refutes every comparison Σ ≤ k with k below the proved bound, once the comparison
/// is filled in.
#[derive(Clone, Debug)]
pub(super) struct BoundLemma {
    /// The lemma without the refuted comparison.
    lemma: Lemma,
    /// The factor of the refuted comparison in the lemma's sum of inequalities.
    factor: i128,
}

impl BoundLemma {
    /// Returns the lemma that refutes the comparison `atom`.
    pub(super) fn refuting(&self, atom: AtomId) -> Lemma {
        let mut lemma = self.lemma.clone();
        lemma.atoms.push((atom.index(), self.factor));
        lemma
    }
}

/// Counters of the linear programs solved, for the statistics.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// Number of calls of the solver.
    pub(super) solved: u64,
    /// Number of conjunctions of comparisons that the solver found infeasible.
    pub(super) infeasible: u64,
    /// Number of calls without a usable answer: no answer, an unbounded conjunction, or an
    /// infeasible minimum.
    pub(super) unanswered: u64,
    /// Counts of exact proofs made from the solver's floating-point answers.
    pub(super) certified: Tally,
    /// Number of proofs with numbers too large for a lemma.
    pub(super) too_large: u64,
}

/// The linear program. See the module documentation.
pub(super) struct Relaxation<'n> {
    net: &'n Net,
    /// The state equation, for its rows and columns.
    equation: StateEquation,
    lp: Box<dyn IncrementalLp + Send>,
    /// The linear form of each row, by row index.
    forms: Vec<RowForm>,
    /// The bounds of each row without assertions, by row index.
    base_intervals: Vec<Interval>,
    /// The rows of the sums in comparisons, except for a single place with coefficient ±1, which
    /// has its own row. The first coefficient of each key is positive. `None` for a sum that the
    /// program cannot express.
    sums: HashMap<LinearSum, Option<Row>>,
    /// The placement of each comparison, by `AtomId`. The outer `None` means not computed yet, the
    /// inner one not expressible.
    placements: Vec<Option<Option<Placement>>>,
    /// The bounds asserted at the moment, by row index.
    asserted: BTreeMap<u32, AssertedBounds>,
    /// The places of the traps found so far, ascending within a trap.
    traps: Vec<Vec<PlaceId>>,
    /// The lower bounds known so far. Lemmas refer to the bounds by index.
    lower_bounds: Vec<LowerBound>,
    /// For places whose own row has a raised lower bound, the index of this bound in
    /// `lower_bounds`.
    lower_bound_of: HashMap<PlaceId, usize>,
    /// True if the current objective is the total number of firings.
    minimises_firings: bool,
    pub(super) counters: Counters,
}

impl<'n> Relaxation<'n> {
    /// Creates the linear program of `net` with the given lower bounds of single places.
    ///
    /// # Errors
    /// Returns an error if the net is too large for a linear program.
    pub(super) fn new(
        net: &'n Net,
        lower_bounds: Vec<LowerBound>,
        dump: Option<&Dump>,
    ) -> Result<Self, ProgramError> {
        // The equation uses no facts, because the certificate checker would have to derive each of
        // them.
        let equation = StateEquation::new(net, &Facts::empty(net))?;
        let mut program = equation.program().clone();
        let mut forms: Vec<RowForm> = net.places().map(RowForm::Tokens).collect();
        chains::add(net, &equation, &mut program, &mut forms)?;
        lower_bounds::add(&mut program, &lower_bounds, |place| net.initial()[place])?;
        let places = lower_bounds.iter().map(|bound| bound.weights[0].0);
        let lower_bound_of = places.zip(0..).collect();
        let base = program.rows().to_vec();
        Ok(Relaxation {
            net,
            equation,
            lp: recorded_lp(incremental_lp(program), dump),
            forms,
            base_intervals: base,
            sums: HashMap::new(),
            placements: Vec::new(),
            asserted: BTreeMap::new(),
            traps: Vec::new(),
            lower_bounds,
            lower_bound_of,
            minimises_firings: false,
            counters: Counters::default(),
        })
    }

    /// Decides if all comparisons in `atoms` can hold together in the linear program. Comparisons
    /// that the program cannot express are left out, so that it may only find too many solutions.
    pub(super) fn conjunction(
        &mut self,
        atoms: &[AtomId],
        table: &Atoms,
        budget: &Budget,
    ) -> ConjunctionResult {
        let mut wanted: BTreeMap<u32, AssertedBounds> = BTreeMap::new();
        for &atom in atoms {
            let Some(Placement { row, bound }) = self.placement(atom, table) else { continue };
            let base = self.base_intervals[row.index()];
            let asserted = wanted.entry(row.0).or_default();
            match bound {
                BoundValue::Lower(bound) => {
                    let tighter =
                        |current: Option<i64>| current.is_none_or(|current| bound > current);
                    if tighter(base.lower) && tighter(asserted.lower.map(|(bound, _)| bound)) {
                        asserted.lower = Some((bound, atom));
                    }
                }
                BoundValue::Upper(bound) => {
                    let tighter =
                        |current: Option<i64>| current.is_none_or(|current| bound < current);
                    if tighter(base.upper) && tighter(asserted.upper.map(|(bound, _)| bound)) {
                        asserted.upper = Some((bound, atom));
                    }
                }
            }
        }
        if let Some(lemma) = self.bound_conflict(&wanted) {
            return ConjunctionResult::Infeasible(lemma);
        }
        let Ok(()) = self.assert(wanted) else { return ConjunctionResult::Unknown };
        if !self.minimises_firings {
            let count = self.lp.program().columns().len() as u32;
            let objective_terms: Vec<(Column, i64)> = (0..count).map(|c| (Column(c), 1)).collect();
            if self.lp.set_objective(Sense::Minimise, &objective_terms).is_err() {
                return ConjunctionResult::Unknown;
            }
            self.minimises_firings = true;
        }
        match self.solve(budget) {
            LpAnswer::Optimal(optimum) => {
                ConjunctionResult::Feasible(self.solution_point(optimum.point))
            }
            LpAnswer::Infeasible(infeasibility) => {
                self.counters.infeasible += 1;
                let certification = infeasibility.certify_with_effort(self.lp.program());
                let Ok(certified) = self.counters.certified.count(certification) else {
                    return ConjunctionResult::Unknown;
                };
                let lemma = match certified.contradiction() {
                    Contradiction::Combination(multipliers) => {
                        self.lemma(&multipliers.numerators, None)
                    }
                    // Rows are never empty, see `bound_conflict`, and columns have no upper bounds.
                    Contradiction::EmptyRow(_) | Contradiction::EmptyColumn(_) => None,
                };
                match lemma {
                    Some((lemma, _)) => ConjunctionResult::Infeasible(lemma),
                    None => {
                        self.counters.too_large += 1;
                        ConjunctionResult::Unknown
                    }
                }
            }
            LpAnswer::Unbounded | LpAnswer::NoAnswer(_) => {
                self.counters.unanswered += 1;
                ConjunctionResult::Unknown
            }
        }
    }

    /// Returns a lemma if the bounds in `wanted` exclude every value of some row. Such bounds are
    /// not passed to the solver, because an empty interval would make it lose its current basis.
    fn bound_conflict(&mut self, wanted: &BTreeMap<u32, AssertedBounds>) -> Option<Lemma> {
        let empty = wanted.iter().find(|&(&row, asserted)| {
            let base = self.base_intervals[row as usize];
            let lower = asserted.lower.map(|(bound, _)| bound).or(base.lower);
            let upper = asserted.upper.map(|(bound, _)| bound).or(base.upper);
            Interval { lower, upper }.is_empty()
        });
        let row = Row(*empty?.0);
        // The multipliers are −1 for the lower bound of the row and 1 for its upper bound.
        let multipliers = [(row, BigInt::from(-1)), (row, BigInt::from(1))];
        let asserted = std::mem::replace(&mut self.asserted, wanted.clone());
        let lemma = self.lemma(&multipliers, None);
        self.asserted = asserted;
        lemma.map(|(lemma, _)| lemma)
    }

    /// Minimises `sum` over the linear program without asserted comparisons.
    pub(super) fn minimise(&mut self, sum: &LinearSum, budget: &Budget) -> MinimumResult {
        let Some(costs) = self.equation.firing_sum(self.net, sum) else {
            return MinimumResult::Unknown;
        };
        let Ok(()) = self.assert(BTreeMap::new()) else { return MinimumResult::Unknown };
        self.minimises_firings = false;
        if self.lp.set_objective(Sense::Minimise, &costs.coefficients).is_err() {
            return MinimumResult::Unknown;
        }
        match self.solve(budget) {
            LpAnswer::Optimal(optimum) => {
                let certification = optimum.certify_with_effort(self.lp.program());
                let Ok(certified) = self.counters.certified.count(certification) else {
                    return MinimumResult::Unknown;
                };
                let multipliers = certified.multipliers();
                // In a refutation of Σ ≤ k the sum's own row has the factor D, and the other
                // multipliers are negated: 0 ≤ D·(k − Σ) − D·(y·rows).
                let negated: Vec<(Row, BigInt)> =
                    multipliers.numerators.iter().map(|(row, y)| (*row, -y)).collect();
                let lemma = self.lemma(&negated, Some((sum, &multipliers.denominator)));
                let bound = certified.integer_bound().to_i128();
                let bound = bound.and_then(|bound| bound.checked_add(costs.constant));
                match lemma.zip(bound) {
                    Some(((lemma, factor), bound)) => {
                        let lemma = Box::new(BoundLemma { lemma, factor });
                        MinimumResult::Bound {
                            bound,
                            lemma,
                            point: self.solution_point(optimum.point),
                        }
                    }
                    None => {
                        self.counters.too_large += 1;
                        MinimumResult::Unknown
                    }
                }
            }
            LpAnswer::Unbounded => MinimumResult::Unbounded,
            LpAnswer::Infeasible(_) | LpAnswer::NoAnswer(_) => {
                self.counters.unanswered += 1;
                MinimumResult::Unknown
            }
        }
    }

    /// Returns the rounded firings of each class in a solution, and true if they were integers
    /// within the tolerance. Classes whose number rounds to 0 are left out.
    pub(super) fn firings(&self, point: &SolutionPoint) -> (Vec<(EffectId, u64)>, bool) {
        let mut is_integral = true;
        let mut firings = Vec::new();
        for effect in self.net.effect_classes() {
            let Some(column) = self.equation.column(effect) else { continue };
            let count = point.firings.get(column.index()).copied().unwrap_or(0.0);
            let rounded = count.round();
            is_integral &= (count - rounded).abs() <= TOLERANCE * count.abs().max(1.0);
            // The conversion saturates, and negative numbers count as zero.
            if rounded >= 1.0 {
                firings.push((effect, rounded as u64));
            }
        }
        (firings, is_integral)
    }

    /// Solves the program again after changes, and counts and logs the call.
    fn solve(&mut self, budget: &Budget) -> LpAnswer {
        self.counters.solved += 1;
        let start = std::time::Instant::now();
        let answer = self.lp.solve_again(budget);
        let word = match &answer {
            LpAnswer::Optimal(_) => "optimal",
            LpAnswer::Infeasible(_) => "infeasible",
            LpAnswer::Unbounded => "unbounded",
            LpAnswer::NoAnswer(_) => "no answer",
        };
        tracing::trace!("linear program: {word} after {:.1?}", start.elapsed());
        answer
    }

    /// Makes `wanted` the only asserted bounds of the program's rows.
    fn assert(&mut self, wanted: BTreeMap<u32, AssertedBounds>) -> Result<(), ProgramError> {
        for &row in self.asserted.keys() {
            if !wanted.contains_key(&row) {
                self.lp.set_row_bounds(Row(row), self.base_intervals[row as usize])?;
            }
        }
        for (&row, asserted) in &wanted {
            let base = self.base_intervals[row as usize];
            let interval = Interval {
                lower: asserted.lower.map_or(base.lower, |(bound, _)| Some(bound)),
                upper: asserted.upper.map_or(base.upper, |(bound, _)| Some(bound)),
            };
            if self.lp.program().rows().get(row as usize) != Some(&interval) {
                self.lp.set_row_bounds(Row(row), interval)?;
            }
        }
        self.asserted = wanted;
        Ok(())
    }

    /// Returns the row and bound of a comparison. Returns `None` if the program cannot express it.
    fn placement(&mut self, atom: AtomId, table: &Atoms) -> Option<Placement> {
        if self.placements.len() <= atom.index() {
            self.placements.resize(table.len(), None);
        }
        if let Some(known) = self.placements[atom.index()] {
            return known;
        }
        let placement = self.compute_placement(table.get(atom));
        self.placements[atom.index()] = Some(placement);
        placement
    }

    /// Computes the placement of a comparison. A sum gets a row of its own, unless it is a single
    /// place of the net with coefficient ±1. Returns `None` if the comparison has no places, if a
    /// number does not fit 64 bits, or if the program cannot express the sum.
    fn compute_placement(&mut self, atom: &Atom) -> Option<Placement> {
        let &(first, leading) = atom.sum.terms().first()?;
        let is_negative = leading < 0;
        let (row, initial_value) = match atom.sum.terms() {
            [_] if leading.abs() == 1 && first.index() < self.net.place_count() => {
                (StateEquation::row(first), i128::from(self.net.initial()[first]))
            }
            _ => {
                let form = if is_negative { atom.sum.negated() } else { atom.sum.clone() };
                let initial_term = |&(place, a): &(PlaceId, i64)| match self.is_counter(place) {
                    true => 0,
                    false => i128::from(a) * i128::from(self.net.initial()[place]),
                };
                let initial_value = form.terms().iter().map(initial_term).sum::<i128>();
                (self.row_of(form)?, initial_value)
            }
        };
        let bound = i128::from(atom.bound);
        // −Σ ≤ k is Σ ≥ −k.
        let row_bound = if is_negative { -bound - initial_value } else { bound - initial_value };
        let row_bound = i64::try_from(row_bound).ok()?;
        Some(Placement {
            row,
            bound: if is_negative {
                BoundValue::Lower(row_bound)
            } else {
                BoundValue::Upper(row_bound)
            },
        })
    }

    /// Returns the row of a sum, which is added if it is new. Returns `None` if the program cannot
    /// express the sum.
    fn row_of(&mut self, form: LinearSum) -> Option<Row> {
        if let Some(&row) = self.sums.get(&form) {
            return row;
        }
        let firings = self.firing_coefficients(&form);
        let row = firings.and_then(|firings| self.lp.add_row(Interval::FREE, &firings).ok());
        if row.is_some() {
            self.forms.push(RowForm::Sum(form.clone()));
            self.base_intervals.push(Interval::FREE);
        }
        self.sums.insert(form, row);
        row
    }

    /// Returns true for a virtual place, which counts the firings of an effect class.
    fn is_counter(&self, place: PlaceId) -> bool {
        place.index() >= self.net.place_count()
    }

    /// Returns the change of `form` by one firing of each effect class, by column. Columns without
    /// a change are left out. Returns `None` if a number does not fit 64 bits, or if `form` counts
    /// the firings of a class that has no column.
    fn firing_coefficients(&self, form: &LinearSum) -> Option<Vec<(Column, i64)>> {
        let (counter_terms, token_terms): (Vec<_>, Vec<_>) =
            form.terms().iter().partition(|&&(place, _)| self.is_counter(place));
        let token_terms = LinearSum::new(token_terms).ok()?;
        let token_changes = self.equation.firing_sum(self.net, &token_terms)?;
        let mut changes: BTreeMap<Column, i64> = token_changes.coefficients.into_iter().collect();
        for (place, a) in counter_terms {
            let effect = EffectId::new(place.index() - self.net.place_count());
            let change = changes.entry(self.equation.column(effect)?).or_default();
            *change = change.checked_add(a)?;
        }
        Some(changes.into_iter().filter(|&(_, change)| change != 0).collect())
    }

    /// Returns the solution with these numbers of firings, and the marking that they lead to. After
    /// the places, the marking lists the number of firings of each effect class.
    fn solution_point(&self, firings: Vec<f64>) -> SolutionPoint {
        let initial = self.net.initial().tokens();
        let mut marking: Vec<f64> = initial.iter().map(|&tokens| tokens as f64).collect();
        marking.resize(self.net.place_count() + self.net.effect_count(), 0.0);
        for effect in self.net.effect_classes() {
            let Some(column) = self.equation.column(effect) else { continue };
            let count = firings.get(column.index()).copied().unwrap_or(0.0);
            marking[firing_counter(self.net, effect).index()] = count;
            if count != 0.0 {
                for change in self.net.effect(effect) {
                    marking[change.place.index()] += change.delta as f64 * count;
                }
            }
        }
        SolutionPoint { firings, marking, is_ordered_integral: OnceCell::new() }
    }
}
