//! The number of non-negative integer solutions of linear equations with non-negative coefficients,
//! by dynamic programming.
//!
//! The places are considered in a fixed order. What remains to be counted after some places depends
//! only on the remaining right-hand sides. With g(i, r) for the number of solutions of the places
//! from i on with the right-hand sides r, and a for the coefficients of place i: g(i, r) = g(i + 1,
//! r) + g(i, r − a). If some combination of the equations has place i and no later place, the value
//! of place i follows from this combination ([`elimination`](super::elimination)).

use super::FamilyError;
use super::elimination::{EquationCombination, OrderedPlace, order};
use super::system::InvariantSystem;
use num_bigint::BigUint;
use std::collections::HashMap;

/// The largest number of stored numbers g(i, r). Each takes about 100 bytes.
const MAX_STORED: usize = 3_000_000;

/// A counter of solutions, which keeps intermediate results for further right-hand sides.
pub(super) struct SolutionCounter {
    /// The places in the order in which they are considered.
    levels: Vec<Level>,
    /// The known numbers by level, for places whose value does not follow.
    known: Vec<HashMap<Box<[u64]>, BigUint>>,
    /// The number of stored results, summed over all levels of `known`.
    stored: usize,
}

/// A place in the order, with its coefficients.
struct Level {
    /// The equations in which the place occurs, with its coefficient.
    coefficients: Vec<(usize, u64)>,
    /// A combination of the equations in which this is the last place; `None` if there is none.
    solved_by: Option<EquationCombination>,
    /// The equations with places from this level on. Other equations are finished, and their
    /// remaining right-hand side is 0.
    unfinished: Vec<usize>,
}

impl SolutionCounter {
    /// Prepares the count for the left-hand sides of `system`.
    ///
    /// # Errors
    /// [`FamilyError::TooLarge`] if a coefficient does not fit, or [`FamilyError::Stopped`].
    pub(super) fn new(
        system: &InvariantSystem,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<SolutionCounter, FamilyError> {
        let mut columns: Vec<Vec<(usize, u64)>> = vec![Vec::new(); system.places()];
        let mut rows: Vec<Vec<i128>> = Vec::with_capacity(system.equations().len());
        for (equation, terms) in system.equations().iter().enumerate() {
            let mut row = vec![0; system.places()];
            for &(p, weight) in terms {
                row[p.index()] = weight;
                let weight = u64::try_from(weight).map_err(|_| FamilyError::TooLarge)?;
                columns[p.index()].push((equation, weight));
            }
            rows.push(row);
        }
        let mut is_unfinished = vec![false; rows.len()];
        let mut levels: Vec<Level> = Vec::with_capacity(system.places());
        for OrderedPlace { place, solved_by } in
            order(&rows, system.places(), goes_on)?.into_iter().rev()
        {
            let coefficients = columns[place].clone();
            coefficients.iter().for_each(|&(equation, _)| is_unfinished[equation] = true);
            let unfinished = (0..is_unfinished.len()).filter(|&it| is_unfinished[it]).collect();
            levels.push(Level { coefficients, solved_by, unfinished });
        }
        levels.reverse();
        let known = levels.iter().map(|_| HashMap::new()).collect();
        Ok(SolutionCounter { levels, known, stored: 0 })
    }

    /// Returns the number of solutions with these right-hand sides, one per equation.
    ///
    /// # Errors
    /// [`FamilyError::TooManySums`] if too many intermediate results are needed,
    /// [`FamilyError::TooLarge`], or [`FamilyError::Stopped`].
    pub(super) fn count(
        &mut self,
        right_hand_sides: &[i128],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<BigUint, FamilyError> {
        if right_hand_sides.iter().any(|&value| value < 0) {
            return Ok(BigUint::ZERO);
        }
        let values = right_hand_sides.iter().map(|&value| u64::try_from(value));
        let values: Vec<u64> =
            values.collect::<Result<_, _>>().map_err(|_| FamilyError::TooLarge)?;
        // The stored numbers do not depend on equations without places.
        let is_unfinished = |equation: usize| {
            self.levels.first().is_some_and(|it| it.unfinished.binary_search(&equation).is_ok())
        };
        if (0..values.len()).any(|equation| values[equation] != 0 && !is_unfinished(equation)) {
            return Ok(BigUint::ZERO);
        }
        self.count_from(0, values, goes_on)
    }

    /// Returns g(`level`, `rest`), the number of solutions of the places from `level` on with the
    /// right-hand sides `rest`.
    fn count_from(
        &mut self,
        level: usize,
        mut rest: Vec<u64>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<BigUint, FamilyError> {
        let Some(place) = self.levels.get(level) else {
            return Ok(BigUint::from(u8::from(rest.iter().all(|&value| value == 0))));
        };
        if let Some(combination) = &place.solved_by {
            let Some(value) = combination.solution(&rest)? else { return Ok(BigUint::ZERO) };
            let is_solved = place.subtract(&mut rest, value);
            let next = self.levels.get(level + 1);
            let finished = |it: &(usize, u64)| {
                next.is_none_or(|next| next.unfinished.binary_search(&it.0).is_err())
            };
            let mut ending = place.coefficients.iter().filter(|it| finished(it));
            if !is_solved || ending.any(|&(it, _)| rest[it] != 0) {
                return Ok(BigUint::ZERO);
            }
            return self.count_from(level + 1, rest, goes_on);
        }
        // All values of the place, until a known number takes over or an equation is exceeded.
        let mut missing = Vec::new();
        let mut sum = BigUint::ZERO;
        loop {
            let key = self.levels[level].key(&rest);
            if let Some(known) = self.known[level].get(&key) {
                sum = known.clone();
                break;
            }
            if !goes_on() {
                return Err(FamilyError::Stopped);
            }
            if self.stored + missing.len() >= MAX_STORED {
                return Err(FamilyError::TooManySums);
            }
            missing.push((key, rest.clone()));
            if !self.levels[level].subtract(&mut rest, 1) {
                break;
            }
        }
        for (key, rest) in missing.into_iter().rev() {
            if !goes_on() {
                return Err(FamilyError::Stopped);
            }
            if self.stored >= MAX_STORED {
                return Err(FamilyError::TooManySums);
            }
            sum += self.count_from(level + 1, rest, goes_on)?;
            self.known[level].insert(key, sum.clone());
            self.stored += 1;
        }
        Ok(sum)
    }
}

impl EquationCombination {
    /// Returns the tokens of the place for these right-hand sides; `None` if they would not be a
    /// natural number.
    fn solution(&self, rest: &[u64]) -> Result<Option<u64>, FamilyError> {
        let sum = self.multipliers.iter().try_fold(0i128, |sum, &(equation, multiplier)| {
            sum.checked_add(multiplier.checked_mul(rest[equation].into())?)
        });
        let sum = sum.ok_or(FamilyError::TooLarge)?;
        let remainder = sum.checked_rem(self.coefficient).ok_or(FamilyError::TooLarge)?;
        let value = sum.checked_div(self.coefficient).ok_or(FamilyError::TooLarge)?;
        let is_natural = remainder == 0 && value >= 0;
        is_natural.then(|| u64::try_from(value).map_err(|_| FamilyError::TooLarge)).transpose()
    }
}

impl Level {
    /// Subtracts the contribution of `value` tokens. Returns false if a right-hand side is
    /// exceeded; then `rest` has no meaning.
    fn subtract(&self, rest: &mut [u64], value: u64) -> bool {
        self.coefficients.iter().all(|&(equation, coefficient)| {
            let remaining = coefficient
                .checked_mul(value)
                .and_then(|contribution| rest[equation].checked_sub(contribution));
            remaining.is_some_and(|remaining| {
                rest[equation] = remaining;
                true
            })
        })
    }

    /// Returns the right-hand sides on which the count depends.
    fn key(&self, rest: &[u64]) -> Box<[u64]> {
        self.unfinished.iter().map(|&equation| rest[equation]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{PlaceId, text};

    /// A net without transitions, for which all sums are invariant.
    fn system(places: usize, equations: &[&[(usize, i64)]]) -> InvariantSystem {
        let places: String = (0..places).map(|p| format!("place p{p} 1\n")).collect();
        let equation =
            |terms: &&[(usize, i64)]| terms.iter().map(|&(p, k)| (PlaceId::new(p), k)).collect();
        let equations: Vec<Vec<_>> = equations.iter().map(equation).collect();
        InvariantSystem::new(&text::parse(&places).unwrap(), &equations).unwrap()
    }

    fn count(system: &InvariantSystem, values: &[i128]) -> u64 {
        let mut counter = SolutionCounter::new(system, &mut || true).unwrap();
        counter.count(values, &mut || true).unwrap().try_into().unwrap()
    }

    #[test]
    fn distributions_of_tokens_are_counted() {
        let simplex = system(3, &[&[(0, 1), (1, 1), (2, 1)]]);
        assert_eq!([0, 1, 2, 10].map(|n| count(&simplex, &[n])), [1, 3, 6, 66]);
        assert_eq!(count(&simplex, &[-1]), 0);
    }

    #[test]
    fn coefficients_are_respected() {
        // The ways to pay n with coins of 1, 2 and 5.
        let coins = system(3, &[&[(0, 1), (1, 2), (2, 5)]]);
        assert_eq!([1, 5, 10].map(|n| count(&coins, &[n])), [1, 4, 10]);
        let even = system(2, &[&[(0, 2), (1, 4)]]);
        assert_eq!([3, 4].map(|n| count(&even, &[n])), [0, 2]);
    }

    #[test]
    fn coupled_equations_agree_with_enumeration() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut nonzero = 0;
        for _ in 0..400 {
            let places = rng.usize(1..5);
            let mut equations = vec![vec![1; places]];
            for _ in 0..rng.usize(0..5) {
                let earlier = equations[rng.usize(..equations.len())].clone();
                equations.push(match rng.u8(..4) {
                    0 => earlier.iter().map(|k| 2 * k).collect(),
                    1 => earlier.iter().map(|k| k + i64::from(rng.bool())).collect(),
                    _ => (0..places).map(|_| rng.i64(-1..3).max(0)).collect(),
                });
            }
            equations.retain(|row| row.iter().any(|&k| k > 0));
            let terms = |row: &Vec<i64>| {
                row.iter().copied().enumerate().filter(|it| it.1 > 0).collect::<Vec<_>>()
            };
            let rows: Vec<_> = equations.iter().map(terms).collect();
            let slices: Vec<&[(usize, i64)]> = rows.iter().map(|it| &it[..]).collect();
            let system = system(places, &slices);
            // One counter for all right-hand sides, so that stored numbers are used.
            let mut counter = SolutionCounter::new(&system, &mut || true).unwrap();
            for _ in 0..6 {
                let marking: Vec<i128> = (0..places).map(|_| rng.i128(0..4)).collect();
                let value = |tokens: &[i128], row: &[i64]| {
                    row.iter().zip(tokens).map(|(&k, m)| i128::from(k) * m).sum::<i128>()
                };
                let mut values: Vec<i128> =
                    equations.iter().map(|row| value(&marking, row)).collect();
                if rng.u8(..4) == 0 {
                    values[rng.usize(..equations.len())] += 1;
                }
                // The first sum has weights 1 and bounds all tokens.
                let most = values[0] as u64 + 1;
                let mut expected = 0u64;
                for code in 0..most.pow(places as u32) {
                    let tokens: Vec<i128> =
                        (0..places as u32).map(|p| i128::from(code / most.pow(p) % most)).collect();
                    let mut pairs = equations.iter().zip(&values);
                    expected += u64::from(pairs.all(|(row, &it)| value(&tokens, row) == it));
                }
                let found = counter.count(&values, &mut || true).unwrap();
                assert_eq!(found, expected.into(), "{equations:?} {values:?}");
                nonzero += u32::from(expected > 0);
            }
        }
        assert!(nonzero > 1_000, "{nonzero}");
    }

    #[test]
    fn many_tokens_in_a_place_do_not_fill_the_memory() {
        let pair = system(3, &[&[(0, 1), (1, 1), (2, 1)]]);
        let mut counter = SolutionCounter::new(&pair, &mut || true).unwrap();
        let counted = counter.count(&[1_000_000_000_000], &mut || true);
        assert_eq!(counted, Err(FamilyError::TooManySums));
    }
}
