//! An order of the places for counting solutions, and the places whose tokens follow from the
//! equations once the places before have tokens.
//!
//! Let S be the places so far. What remains to be counted depends on the remaining right-hand sides
//! only. These lie in a space of dimension r(S) + r(others) − r(all), where r is the rank of the
//! columns of the places. So the next place is always one that makes this dimension smallest. Both
//! ranks are kept by Gaussian elimination.
//!
//! An order only decides the cost of the count. An [`EquationCombination`] decides values. It holds
//! for all solutions, since it is a sum of multiples of the equations.
//!
//! # Sources
//! G. B. Horn, F. R. Kschischang, *On the intractability of permuting a block code to minimize
//! trellis complexity*, IEEE Trans. Inf. Theory 42, 1996 (the dimension, and that a best order is
//! hard to find).

use super::FamilyError;
use super::rays::gcd;
use std::cmp::Reverse;

/// A place in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OrderedPlace {
    /// The index of the place.
    pub(super) place: usize,
    /// A combination of the equations without a later place; `None` if there is none.
    pub(super) solved_by: Option<EquationCombination>,
}

/// A sum of multiples of the equations in which one place remains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EquationCombination {
    /// The equations with their multipliers.
    pub(super) multipliers: Vec<(usize, i128)>,
    /// The coefficient of the place in the sum. It is not 0.
    pub(super) coefficient: i128,
}

/// A linear combination of the equations.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EquationRow {
    /// The multiplier of each equation in the combination.
    multipliers: Vec<i128>,
    /// The coefficient of each place in the combined equation.
    coefficients: Vec<i128>,
    /// The place whose coefficient is 0 in all other rows.
    pivot: usize,
}

/// Returns an order of the places in which few right-hand sides are undetermined at a time. Each
/// equation is given by the coefficients of all places.
///
/// If a number becomes too large for the elimination of the open places, then only the last place
/// of an equation is solved, by this equation.
///
/// # Errors
/// [`FamilyError::Stopped`].
pub(super) fn order(
    equations: &[Vec<i128>],
    places: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<OrderedPlace>, FamilyError> {
    let mut is_open = vec![true; places];
    // Of the open places, a basis of the combinations of the equations, each with a pivot. `None`
    // after an overflow.
    let mut open_rows = reduced(equations, places, goes_on)?;
    // The columns of the placed places are eliminated from these rows. A place depends on the
    // placed ones if all its coefficients are 0 here.
    let mut free_rows: Vec<Vec<i128>> = equations.to_vec();
    let mut open_in: Vec<usize> =
        equations.iter().map(|row| row.iter().filter(|&&it| it != 0).count()).collect();
    let mut is_begun = vec![false; equations.len()];
    let equations_of = |place: usize| {
        (0..equations.len()).filter(move |&equation| equations[equation][place] != 0)
    };
    let mut order = Vec::with_capacity(places);
    for _ in 0..places {
        if !goes_on() {
            return Err(FamilyError::Stopped);
        }
        let mut is_solved = vec![false; places];
        for row in open_rows.iter().flatten() {
            is_solved[row.pivot] =
                (0..places).all(|p| !is_open[p] || p == row.pivot || row.coefficients[p] == 0);
        }
        let cost = |&place: &usize| {
            let is_free = free_rows.iter().any(|row| row[place] != 0);
            let dimensions = i32::from(is_free) - i32::from(is_solved[place]);
            // Among places with the same dimension, one that leaves the fewest equations in
            // progress. Then one that ends most equations, or belongs to the shortest.
            let of_place = || equations_of(place);
            let begun = of_place().filter(|&it| !is_begun[it] && open_in[it] > 1).count();
            let ended = of_place().filter(|&it| is_begun[it] && open_in[it] == 1).count();
            let shortest = of_place().map(|it| open_in[it]).min().unwrap_or(0);
            (dimensions, begun as isize - ended as isize, Reverse(ended), shortest)
        };
        let Some(place) = (0..places).filter(|&place| is_open[place]).min_by_key(cost) else {
            break;
        };
        is_open[place] = false;
        for equation in equations_of(place) {
            is_begun[equation] = true;
            open_in[equation] -= 1;
        }
        let solved = open_rows.as_mut().map(|rows| remove_place(rows, place, &is_open));
        let solved_by = match solved {
            Some(Ok(solved_by)) => solved_by,
            Some(Err(Overflow)) | None => {
                open_rows = None;
                let ended = equations_of(place).find(|&equation| open_in[equation] == 0);
                ended.map(|equation| EquationCombination {
                    multipliers: vec![(equation, 1)],
                    coefficient: equations[equation][place],
                })
            }
        };
        if eliminate_column(&mut free_rows, place).is_err() {
            // Without these rows the order may be worse, but it is still a valid order.
            free_rows.clear();
        }
        order.push(OrderedPlace { place, solved_by });
    }
    Ok(order)
}

/// A number does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Overflow;

/// Returns a basis of the combinations of the equations, each with a pivot; `None` after an
/// overflow.
fn reduced(
    equations: &[Vec<i128>],
    places: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Vec<EquationRow>>, FamilyError> {
    let unit = |index: usize| {
        let mut multipliers = vec![0; equations.len()];
        multipliers[index] = 1;
        multipliers
    };
    let row = |(index, coefficients): (usize, &Vec<i128>)| EquationRow {
        multipliers: unit(index),
        coefficients: coefficients.clone(),
        pivot: usize::MAX,
    };
    let mut open: Vec<EquationRow> = equations.iter().enumerate().map(row).collect();
    let mut rows: Vec<EquationRow> = Vec::new();
    for place in 0..places {
        if !goes_on() {
            return Err(FamilyError::Stopped);
        }
        let Some(index) = open.iter().position(|row| row.coefficients[place] != 0) else {
            continue;
        };
        let mut pivot_row = open.swap_remove(index);
        pivot_row.pivot = place;
        for row in open.iter_mut().chain(&mut rows) {
            if row.eliminate(&pivot_row).is_err() {
                return Ok(None);
            }
        }
        rows.push(pivot_row);
    }
    Ok(Some(rows))
}

/// Removes a place from the open places. If it is a pivot, then another open place of its row
/// becomes the pivot. If there is none, returns the row, which determines the tokens of the place.
fn remove_place(
    rows: &mut Vec<EquationRow>,
    place: usize,
    is_open: &[bool],
) -> Result<Option<EquationCombination>, Overflow> {
    let Some(index) = rows.iter().position(|row| row.pivot == place) else { return Ok(None) };
    let mut row = rows.swap_remove(index);
    let other = (0..is_open.len()).find(|&p| is_open[p] && row.coefficients[p] != 0);
    let Some(other) = other else {
        let multipliers = row.multipliers.into_iter().enumerate().filter(|it| it.1 != 0);
        let coefficient = row.coefficients[place];
        return Ok(Some(EquationCombination { multipliers: multipliers.collect(), coefficient }));
    };
    row.pivot = other;
    rows.iter_mut().try_for_each(|it| it.eliminate(&row))?;
    rows.push(row);
    Ok(None)
}

/// Eliminates the column of a place. One row is used up if the column is not 0.
fn eliminate_column(rows: &mut Vec<Vec<i128>>, place: usize) -> Result<(), Overflow> {
    let Some(index) = rows.iter().position(|row| row[place] != 0) else { return Ok(()) };
    let pivot_row = rows.swap_remove(index);
    for row in rows.iter_mut().filter(|row| row[place] != 0) {
        let (a, b) = (pivot_row[place], row[place]);
        combine(row, a, &pivot_row, -b)?;
        let divisor = row.iter().fold(0, |divisor, &entry| gcd(divisor, entry));
        divide(row, divisor);
    }
    Ok(())
}

impl EquationRow {
    /// Makes the coefficient of the other row's pivot 0, by adding a multiple of the other row.
    fn eliminate(&mut self, other: &EquationRow) -> Result<(), Overflow> {
        let (a, b) = (other.coefficients[other.pivot], self.coefficients[other.pivot]);
        if b == 0 {
            return Ok(());
        }
        combine(&mut self.coefficients, a, &other.coefficients, -b)?;
        combine(&mut self.multipliers, a, &other.multipliers, -b)?;
        let entries = self.coefficients.iter().chain(&self.multipliers);
        let divisor = entries.fold(0, |divisor, &entry| gcd(divisor, entry));
        divide(&mut self.coefficients, divisor);
        divide(&mut self.multipliers, divisor);
        Ok(())
    }
}

/// Replaces `row` by a·row + b·other. No entry becomes the smallest number, so that each has a
/// negative.
fn combine(row: &mut [i128], a: i128, other: &[i128], b: i128) -> Result<(), Overflow> {
    for (entry, &other) in row.iter_mut().zip(other) {
        let sum = a.checked_mul(*entry).and_then(|it| it.checked_add(b.checked_mul(other)?));
        *entry = sum.filter(|&sum| sum != i128::MIN).ok_or(Overflow)?;
    }
    Ok(())
}

/// Divides all entries by a common divisor. A divisor of 0 or 1 changes nothing.
fn divide(row: &mut [i128], divisor: i128) {
    if divisor > 1 {
        row.iter_mut().for_each(|entry| *entry /= divisor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_combination_leaves_one_place_of_those_that_follow() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut solved_by_several = 0;
        for _ in 0..500 {
            let places = rng.usize(1..8);
            let row = |rng: &mut fastrand::Rng| {
                (0..places).map(|_| rng.i128(-1..4).max(0)).collect::<Vec<_>>()
            };
            let count = rng.usize(1..6);
            let equations: Vec<_> = (0..count).map(|_| row(&mut rng)).collect();
            let order = order(&equations, places, &mut || true).unwrap();
            assert_eq!(order.len(), places);
            for (index, placed) in order.iter().enumerate() {
                let Some(combination) = &placed.solved_by else { continue };
                solved_by_several += u32::from(combination.multipliers.len() > 1);
                assert_ne!(combination.coefficient, 0);
                for later in &order[index..] {
                    let terms = combination.multipliers.iter();
                    let sum: i128 =
                        terms.map(|&(equation, k)| k * equations[equation][later.place]).sum();
                    let expected = if later == placed { combination.coefficient } else { 0 };
                    assert_eq!(sum, expected, "{equations:?} {order:?}");
                }
            }
            // As many places are solved as there are independent equations.
            let solved = order.iter().filter(|placed| placed.solved_by.is_some()).count();
            assert_eq!(
                solved,
                reduced(&equations, places, &mut || true).unwrap().unwrap().len(),
                "{equations:?}"
            );
        }
        assert!(solved_by_several > 100, "{solved_by_several}");
    }

    #[test]
    fn after_an_overflow_the_last_place_of_an_equation_is_solved() {
        let large = i128::from(u64::MAX);
        let row = |k: i128| vec![large - k, large - 2 * k - 1, large - k * k - 3];
        let equations: Vec<_> = (0..3).map(row).collect();
        assert_eq!(reduced(&equations, 3, &mut || true), Ok(None));
        let order = order(&equations, 3, &mut || true).unwrap();
        let solved: Vec<bool> = order.iter().map(|placed| placed.solved_by.is_some()).collect();
        assert_eq!(solved, [false, false, true]);
    }

    #[test]
    fn an_order_follows_a_chain() {
        // p₀ + … + pₖ + cₖ = n for each k: the equations of a chain with counters cₖ. In a good
        // order each pₖ is beside cₖ, and only one sum is open at a time.
        let length = 8;
        let equation = |k: usize| {
            let mut row = vec![0; 2 * length];
            row[..=k].fill(1);
            row[length + k] = 1;
            row
        };
        let equations: Vec<_> = (0..length).map(equation).collect();
        let order = order(&equations, 2 * length, &mut || true).unwrap();
        let position = |place: usize| order.iter().position(|it| it.place == place).unwrap();
        for k in 0..length {
            assert!(position(k).abs_diff(position(length + k)) <= 2, "{order:?}");
        }
    }
}
