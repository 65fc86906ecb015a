//! The exact check of LP answers. Verdicts depend on this file; solvers only propose.
//!
//! Let y be any rational numbers, one per row, and d = c − Aᵀ·y. For every point x of the program
//!
//! > c·x = y·(A·x) + d·x ≤ Σᵣ max { yᵣ·a : a in the bounds of row r } + Σⱼ max { dⱼ·x : x in the
//! > bounds of column j }
//!
//! holds for any y (weak duality). So y needs no trust: the right-hand side is computed in
//! integers, and if every maximum in it is finite, it is an upper bound on c·x. With minima it is a
//! lower bound. With c = 0, a negative right-hand side means 0 < 0 for every point, so the program
//! has no points (Farkas). For an empty interval, one of its ends is used as the maximum; a program
//! with such an interval has no points, so every statement about its points holds.
//!
//! Numbers are i128 at first, and big integers after the first overflow.
//!
//! # Sources
//! A. Neumaier, O. Shcherbina: Safe bounds in linear and mixed-integer linear programming,
//! Mathematical Programming 99, 2004. J. Farkas: Theorie der einfachen Ungleichungen, 1902.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{CheckedAdd, CheckedMul, CheckedSub, Signed, ToPrimitive, Zero};

use crate::linear_program::{Column, Interval, LinearProgram, Row, Sense};
pub use crate::multipliers::{Effort, Multipliers};
use crate::{exact, rational};

/// The reason why a certificate was refused. It says nothing about the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusalReason {
    /// The back-end provided no multipliers, or no rational numbers were found near its ray.
    #[error("the solver returned no multipliers")]
    NoMultipliers,
    /// No rational numbers were found near the floating-point numbers.
    #[error("the multipliers are not numbers of reasonable size")]
    NotRational,
    /// The common denominator is zero or negative.
    #[error("the denominator is not positive")]
    Denominator,
    /// A multiplier refers to a row that does not exist.
    #[error("row {} does not exist", .0.0)]
    NoSuchRow(Row),
    /// The interval of the column is not empty, or the column does not exist.
    #[error("the interval of column {} is not empty", .0.0)]
    ColumnNotEmpty(Column),
    /// The interval of the row is not empty, or the row does not exist.
    #[error("the interval of row {} is not empty", .0.0)]
    RowNotEmpty(Row),
    /// The multiplier of this row requires a bound that the row does not have.
    #[error("row {} has no bound on the side that its multiplier needs", .0.0)]
    RowUnbounded(Row),
    /// The reduced cost of this column requires a bound that the column does not have.
    #[error("column {} has no bound on the side that its reduced cost needs", .0.0)]
    ColumnUnbounded(Column),
    /// The combination of the rows is not contradictory.
    #[error("the combination of the rows is not contradictory")]
    NotContradictory,
}

/// A bound on the objective, proved in exact arithmetic. Only [`check`](Self::check) creates it. It
/// holds for the program at the time of the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertifiedBound {
    sense: Sense,
    /// The proved bound on the objective.
    bound: BigRational,
    /// The multipliers that prove the bound.
    multipliers: Multipliers,
}

impl CertifiedBound {
    /// Computes the bound that `multipliers` prove for the objective of `program`.
    ///
    /// # Errors
    /// Returns [`RefusalReason`] if the multipliers prove no bound.
    pub fn check(program: &LinearProgram, multipliers: Multipliers) -> Result<Self, RefusalReason> {
        let sense = program.sense();
        let scaled = proved_value(program, Objective::Program, sense, &multipliers)?;
        let bound = BigRational::new(scaled, multipliers.denominator.clone());
        Ok(CertifiedBound { sense, bound, multipliers })
    }

    /// Returns the direction: an upper bound for [`Sense::Maximise`], a lower bound for
    /// [`Sense::Minimise`].
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// Returns the bound: no point of the program has a better objective value. The bound need not
    /// be the optimum.
    pub fn bound(&self) -> &BigRational {
        &self.bound
    }

    /// Returns the bound for points with integer coordinates: rounded down when maximising, up when
    /// minimising. This is sound because the costs are integers.
    pub fn integer_bound(&self) -> BigInt {
        match self.sense {
            Sense::Maximise => self.bound.floor().to_integer(),
            Sense::Minimise => self.bound.ceil().to_integer(),
        }
    }

    /// Returns the proof, for storage and later checks.
    pub fn multipliers(&self) -> &Multipliers {
        &self.multipliers
    }
}

/// A proof that a program has no points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// The lower bound of this column is above its upper bound.
    EmptyColumn(Column),
    /// The lower bound of this row is above its upper bound.
    EmptyRow(Row),
    /// A combination of the rows whose value exceeds the largest value that the row bounds allow,
    /// for all values that the column bounds allow.
    Combination(Multipliers),
}

/// Infeasibility, proved in exact arithmetic. Only [`check`](Self::check) creates it. It holds for
/// the program at the time of the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertifiedInfeasible {
    /// The proof.
    contradiction: Contradiction,
}

impl CertifiedInfeasible {
    /// Checks that `contradiction` proves the infeasibility of `program`.
    ///
    /// # Errors
    /// Returns [`RefusalReason`] if it does not.
    pub fn check(
        program: &LinearProgram,
        contradiction: Contradiction,
    ) -> Result<Self, RefusalReason> {
        match &contradiction {
            &Contradiction::EmptyColumn(column) => {
                let bounds = program.columns().get(column.index());
                bounds.filter(|b| b.is_empty()).ok_or(RefusalReason::ColumnNotEmpty(column))?;
            }
            &Contradiction::EmptyRow(row) => {
                let bounds = program.rows().get(row.index());
                bounds.filter(|b| b.is_empty()).ok_or(RefusalReason::RowNotEmpty(row))?;
            }
            Contradiction::Combination(multipliers) => {
                // With objective 0, every point satisfies 0 ≤ the right-hand side.
                let scaled = proved_value(program, Objective::Zero, Sense::Maximise, multipliers)?;
                if !scaled.is_negative() {
                    return Err(RefusalReason::NotContradictory);
                }
            }
        }
        Ok(CertifiedInfeasible { contradiction })
    }

    /// Returns the proof, for storage and later checks.
    pub fn contradiction(&self) -> &Contradiction {
        &self.contradiction
    }
}

/// Statistics: the number of searches for an exact proof, by the effort that the proof needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of proofs with [`Effort::Rounded`].
    pub at_once: u64,
    /// Number of proofs with [`Effort::RoundedDifferently`].
    pub repaired: u64,
    /// Number of proofs with [`Effort::SolvedExactly`].
    pub solved: u64,
    /// Number of proofs with [`Effort::WithoutNumbers`].
    pub without_numbers: u64,
    /// Number of searches without a proof; nothing is known in these cases.
    pub given_up: u64,
}

impl Tally {
    /// Counts the outcome of one search and returns its proof.
    pub fn count<T>(
        &mut self,
        outcome: Result<(T, Effort), RefusalReason>,
    ) -> Result<T, RefusalReason> {
        let counter = match &outcome {
            Ok((_, Effort::Rounded)) => &mut self.at_once,
            Ok((_, Effort::RoundedDifferently)) => &mut self.repaired,
            Ok((_, Effort::SolvedExactly)) => &mut self.solved,
            Ok((_, Effort::WithoutNumbers)) => &mut self.without_numbers,
            Err(_) => &mut self.given_up,
        };
        *counter += 1;
        outcome.map(|(proof, _)| proof)
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { at_once, repaired, solved, without_numbers: looked, given_up } = self;
        write!(
            f,
            "{at_once} at once, {repaired} repaired, {solved} solved exactly, {looked} by one row, \
             {given_up} given up"
        )
    }
}

/// Returns the tightest bound that the tried rational numbers near `multipliers` (one per row)
/// prove, and the effort. `expected` is the optimum according to the solver: the search ends when a
/// bound reaches it.
///
/// # Errors
/// Returns the last [`RefusalReason`] if no candidate proves a bound.
pub fn bound_near(
    program: &LinearProgram,
    multipliers: &[f64],
    expected: f64,
) -> Result<(CertifiedBound, Effort), RefusalReason> {
    let mut best: Result<(CertifiedBound, Effort), RefusalReason> = Err(RefusalReason::NotRational);
    let solve_exactly = || exact::multipliers(program, multipliers, Some(program.objective()));
    let solved =
        std::iter::once_with(solve_exactly).flatten().map(|guess| (Effort::SolvedExactly, guess));
    for (effort, guess) in rational::guesses(multipliers).chain(solved) {
        let candidate =
            CertifiedBound::check(program, without_wrong_signs(program, program.sense(), guess));
        best = match (best, candidate) {
            (Ok(best), Ok(candidate)) => {
                let is_tighter = match candidate.sense {
                    Sense::Maximise => candidate.bound < best.0.bound,
                    Sense::Minimise => candidate.bound > best.0.bound,
                };
                Ok(if is_tighter { (candidate, effort) } else { best })
            }
            (Ok(best), Err(_)) => Ok(best),
            (Err(_), candidate) => candidate.map(|candidate| (candidate, effort)),
        };
        let is_optimum_reached = best.as_ref().is_ok_and(|(best, _)| {
            let bound = best.bound.to_f64().unwrap_or(f64::NAN);
            (bound - expected).abs() <= 1e-7 * expected.abs().max(1.0)
        });
        if is_optimum_reached {
            break;
        }
    }
    best
}

/// Returns a proof of infeasibility, and the effort. The candidates are an empty interval, rational
/// numbers in the direction of `ray` (one value per row, of either sign), and a single
/// contradictory row. Solvers give no ray when presolve refutes the program.
///
/// # Errors
/// Returns the last [`RefusalReason`] if no candidate is a proof.
pub fn infeasible_near(
    program: &LinearProgram,
    ray: &[f64],
) -> Result<(CertifiedInfeasible, Effort), RefusalReason> {
    let check_directly = |contradiction| {
        Ok((CertifiedInfeasible::check(program, contradiction)?, Effort::WithoutNumbers))
    };
    if let Some(contradiction) = empty_interval(program) {
        return check_directly(contradiction);
    }
    let mut last_refusal = RefusalReason::NoMultipliers;
    let solve_exactly = || {
        let guess = exact::multipliers(program, ray, None)?;
        Some([guess.clone(), negate_multipliers(guess)])
    };
    let solved = std::iter::once_with(solve_exactly).flatten().flatten();
    let solved = solved.map(|guess| (Effort::SolvedExactly, guess));
    for (effort, guess) in rational::ray_guesses(ray).chain(solved) {
        let guess = without_wrong_signs(program, Sense::Maximise, guess);
        let guess = Contradiction::Combination(guess);
        match CertifiedInfeasible::check(program, guess) {
            Ok(found) => return Ok((found, effort)),
            Err(refusal) => last_refusal = refusal,
        }
    }
    check_directly(Contradiction::Combination(contradictory_row(program).ok_or(last_refusal)?))
}

fn negate_multipliers(mut multipliers: Multipliers) -> Multipliers {
    multipliers.numerators.iter_mut().for_each(|(_, numerator)| *numerator = -&*numerator);
    multipliers
}

/// Returns a multiplier for a row whose bounds exclude all values that its columns allow. Returns
/// `None` if no such row is found with numbers of 128 bits.
fn contradictory_row(program: &LinearProgram) -> Option<Multipliers> {
    program.iter_rows().find_map(|(row, entries, bounds)| {
        // The largest or smallest value of the row; `None` means unlimited or beyond 128 bits.
        let extreme_value = |sense| {
            entries.iter().try_fold(0i128, |sum, &(column, a)| {
                let bound = best_bound(program.columns()[column.index()], sense, a > 0)?;
                sum.checked_add(i128::from(a).checked_mul(i128::from(bound))?)
            })
        };
        let is_below = |value: Option<i128>, bound: Option<i64>| {
            value.zip(bound).is_some_and(|(value, bound)| value < i128::from(bound))
        };
        let is_above = |value: Option<i128>, bound: Option<i64>| {
            value.zip(bound).is_some_and(|(value, bound)| value > i128::from(bound))
        };
        // A negative multiplier proves with the row's lower bound, and a positive one with its
        // upper bound.
        let numerator = if is_below(extreme_value(Sense::Maximise), bounds.lower) {
            -1
        } else if is_above(extreme_value(Sense::Minimise), bounds.upper) {
            1
        } else {
            return None;
        };
        let numerators = vec![(row, BigInt::from(numerator))];
        Some(Multipliers { denominator: BigInt::from(1), numerators })
    })
}

/// Returns the first empty interval of the program, columns before rows.
pub(crate) fn empty_interval(program: &LinearProgram) -> Option<Contradiction> {
    let first_empty = |intervals: &[Interval]| {
        let position = intervals.iter().position(|interval| interval.is_empty())?;
        u32::try_from(position).ok()
    };
    first_empty(program.columns())
        .map(|column| Contradiction::EmptyColumn(Column(column)))
        .or_else(|| first_empty(program.rows()).map(|row| Contradiction::EmptyRow(Row(row))))
}

/// Drops multipliers of rows that do not exist. Also drops multipliers whose sign no bound of their
/// row supports, as numerical noise.
fn without_wrong_signs(
    program: &LinearProgram,
    sense: Sense,
    mut multipliers: Multipliers,
) -> Multipliers {
    multipliers.numerators.retain(|(row, numerator)| {
        program.rows().get(row.index()).is_some_and(|bounds| match (bounds.lower, bounds.upper) {
            (Some(_), Some(_)) => true,
            (None, None) => false,
            (lower, _) => {
                let needs_upper_bound = numerator.is_positive() == (sense == Sense::Maximise);
                needs_upper_bound != lower.is_some()
            }
        })
    });
    multipliers
}

/// The objective of a proved bound: the objective of the program, or 0.
#[derive(Clone, Copy)]
enum Objective {
    Program,
    Zero,
}

/// Returns the right-hand side of the inequality in the module documentation, times the common
/// denominator of the multipliers. Returns an error if this denominator is not positive, a
/// multiplier refers to a row that does not exist, or a needed bound does not exist.
fn proved_value(
    program: &LinearProgram,
    objective: Objective,
    sense: Sense,
    multipliers: &Multipliers,
) -> Result<BigInt, RefusalReason> {
    if !multipliers.denominator.is_positive() {
        return Err(RefusalReason::Denominator);
    }
    let fitting_128_bits = multipliers.denominator.to_i128().zip(
        multipliers
            .numerators
            .iter()
            .map(|(row, numerator)| Some((*row, numerator.to_i128()?)))
            .collect::<Option<Vec<_>>>(),
    );
    if let Some((denominator, numerators)) = fitting_128_bits {
        match proved_value_in(program, objective, sense, &denominator, &numerators) {
            Err(Trouble::Overflow) => {}
            Err(Trouble::Refusal(refused)) => return Err(refused),
            Ok(value) => return Ok(value.into()),
        }
    }
    proved_value_in(program, objective, sense, &multipliers.denominator, &multipliers.numerators)
        .map_err(|trouble| match trouble {
            Trouble::Refusal(refused) => refused,
            Trouble::Overflow => unreachable!("big integers do not overflow"),
        })
}

/// The reason why a value was not computed in one number type.
enum Trouble {
    Overflow,
    Refusal(RefusalReason),
}

/// Computes [`proved_value`] in one number type, with checked operations.
fn proved_value_in<T>(
    program: &LinearProgram,
    objective: Objective,
    sense: Sense,
    denominator: &T,
    numerators: &[(Row, T)],
) -> Result<T, Trouble>
where
    T: Clone + Zero + Signed + From<i64> + CheckedAdd + CheckedSub + CheckedMul,
{
    let product = |a: &T, b: i64| a.checked_mul(&T::from(b)).ok_or(Trouble::Overflow);
    // The reduced costs d = c − Aᵀ·y, times the denominator.
    let mut reduced: Vec<T> = match objective {
        Objective::Zero => vec![T::zero(); program.columns().len()],
        Objective::Program => program
            .objective()
            .iter()
            .map(|&c| product(denominator, c))
            .collect::<Result<_, _>>()?,
    };
    let mut total = T::zero();
    for (row, multiplier) in numerators {
        let bounds = *program
            .rows()
            .get(row.index())
            .ok_or(Trouble::Refusal(RefusalReason::NoSuchRow(*row)))?;
        if multiplier.is_zero() {
            continue;
        }
        for &(column, a) in program.row(*row) {
            let reduced_cost = &mut reduced[column.index()];
            *reduced_cost =
                reduced_cost.checked_sub(&product(multiplier, a)?).ok_or(Trouble::Overflow)?;
        }
        let bound = best_bound(bounds, sense, multiplier.is_positive())
            .ok_or(Trouble::Refusal(RefusalReason::RowUnbounded(*row)))?;
        total = total.checked_add(&product(multiplier, bound)?).ok_or(Trouble::Overflow)?;
    }
    for (index, (reduced, &bounds)) in reduced.iter().zip(program.columns()).enumerate() {
        if reduced.is_zero() {
            continue;
        }
        // The cast is lossless: programs have at most 2³² columns.
        let column = Column(index as u32);
        let bound = best_bound(bounds, sense, reduced.is_positive())
            .ok_or(Trouble::Refusal(RefusalReason::ColumnUnbounded(column)))?;
        total = total.checked_add(&product(reduced, bound)?).ok_or(Trouble::Overflow)?;
    }
    Ok(total)
}

/// Returns the end of the interval at which the product with a factor of the given sign is greatest
/// ([`Sense::Maximise`]) or least. Returns `None` if this end is unbounded.
fn best_bound(bounds: Interval, sense: Sense, is_positive: bool) -> Option<i64> {
    if is_positive == (sense == Sense::Maximise) { bounds.upper } else { bounds.lower }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximise x + y with 2x + y ≤ 4, x + 2y ≤ 4, x, y ≥ 0: 8/3 at (4/3, 4/3), y = (1/3, 1/3).
    fn wedge() -> LinearProgram {
        let mut program = LinearProgram::new(Sense::Maximise);
        let x = program.add_column(Interval::NON_NEGATIVE).unwrap();
        let y = program.add_column(Interval::NON_NEGATIVE).unwrap();
        program.add_row(Interval::at_most(4), [(x, 2), (y, 1)]).unwrap();
        program.add_row(Interval::at_most(4), [(x, 1), (y, 2)]).unwrap();
        program.set_objective(Sense::Maximise, [(x, 1), (y, 1)]).unwrap();
        program
    }

    fn multipliers(denominator: i64, numerators: &[i64]) -> Multipliers {
        let numbered = numerators.iter().enumerate();
        Multipliers {
            denominator: denominator.into(),
            numerators: numbered.map(|(r, &n)| (Row(r as u32), n.into())).collect(),
        }
    }

    #[test]
    fn the_dual_solution_proves_the_optimum_and_its_floor() {
        let proof = CertifiedBound::check(&wedge(), multipliers(3, &[1, 1])).unwrap();
        assert_eq!(*proof.bound(), BigRational::new(8.into(), 3.into()));
        assert_eq!(proof.integer_bound(), BigInt::from(2));
        let near = bound_near(&wedge(), &[0.333_333_333, 0.333_333_334], 8.0 / 3.0).unwrap();
        assert_eq!(near, (proof, Effort::Rounded));
    }

    #[test]
    fn multipliers_that_prove_nothing_are_refused() {
        let refused = |m| CertifiedBound::check(&wedge(), m).unwrap_err();
        assert_eq!(refused(multipliers(3, &[1, 0])), RefusalReason::ColumnUnbounded(Column(0)));
        assert_eq!(refused(multipliers(3, &[4, -1])), RefusalReason::RowUnbounded(Row(1)));
        assert_eq!(refused(multipliers(0, &[1, 1])), RefusalReason::Denominator);
        assert_eq!(refused(multipliers(-3, &[-1, -1])), RefusalReason::Denominator);
        assert_eq!(refused(multipliers(1, &[1, 1, 1])), RefusalReason::NoSuchRow(Row(2)));
    }

    #[test]
    fn numbers_beyond_128_bits_are_weighed_in_big_integers() {
        let mut program = LinearProgram::new(Sense::Minimise);
        let x = program.add_column(Interval::between(0, i64::MAX)).unwrap();
        program.add_row(Interval::at_least(i64::MAX), [(x, 1)]).unwrap();
        program.set_objective(Sense::Minimise, [(x, i64::MAX)]).unwrap();
        let huge = BigInt::from(i64::MAX) << 64;
        let proof =
            Multipliers { denominator: BigInt::from(1) << 64, numerators: vec![(Row(0), huge)] };
        let bound = CertifiedBound::check(&program, proof).unwrap();
        assert_eq!(bound.integer_bound(), BigInt::from(i64::MAX) * BigInt::from(i64::MAX));
    }

    #[test]
    fn a_contradiction_must_be_one() {
        let mut program = wedge();
        let sum = [(Column(0), 1), (Column(1), 1)];
        program.add_row(Interval::at_least(3), sum).unwrap();
        let check = |m| CertifiedInfeasible::check(&program, Contradiction::Combination(m));
        assert!(check(multipliers(1, &[1, 1, -3])).is_ok());
        assert_eq!(check(multipliers(1, &[1, 1, -2])), Err(RefusalReason::NotContradictory));
        assert_eq!(
            check(multipliers(1, &[1, 1, -4])),
            Err(RefusalReason::ColumnUnbounded(Column(0)))
        );
        assert!(infeasible_near(&program, &[-0.2, -0.2, 0.6]).is_ok());
        program.set_row_bounds(Row(2), Interval::between(2, 1)).unwrap();
        let (found, effort) = infeasible_near(&program, &[]).unwrap();
        assert_eq!(effort, Effort::WithoutNumbers);
        assert_eq!(*found.contradiction(), Contradiction::EmptyRow(Row(2)));
        let wrong = Contradiction::EmptyColumn(Column(0));
        let refused = Err(RefusalReason::ColumnNotEmpty(Column(0)));
        assert_eq!(CertifiedInfeasible::check(&program, wrong), refused);
    }
}
