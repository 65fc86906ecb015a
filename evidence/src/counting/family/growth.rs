//! The number of solutions as a function of n: its degree and period as a polynomial, and the
//! smallest n from which it is one.
//!
//! [The module](super) has the theorem. This file computes its conditions.

use super::FamilyError;
use super::rays::{extreme_rays, gcd};
use super::system::InvariantSystem;
use std::collections::HashSet;

/// The common denominator of the real lower bounds. A larger one would lower some thresholds
/// slightly.
const DENOMINATOR: i128 = 1 << 12;

/// A prime for ranks modulo this number, which are at most the ranks over the rationals.
const PRIME: i128 = 2_147_483_647;

/// Right-hand sides n·A·a + A·c for n = 0, 1, 2, …
pub(super) struct Family<'s> {
    system: &'s InvariantSystem,
    /// The vector a, with one entry per place.
    growth: Vec<i128>,
    /// The vector c, with one entry per place.
    constant: Vec<i128>,
    /// The vector A·a, with one entry per equation.
    growing_values: Vec<i128>,
    /// An upper bound on the degree of the polynomial for the number of solutions.
    pub(super) degree: usize,
    /// A period: the number of solutions is a polynomial in n for each remainder of n modulo this
    /// number.
    pub(super) period: i128,
}

impl<'s> Family<'s> {
    /// Computes degree and period.
    ///
    /// # Errors
    /// [`FamilyError::NotGrowing`] if a = 0, and the errors of the computation.
    pub(super) fn new(
        system: &'s InvariantSystem,
        growth: Vec<i128>,
        constant: Vec<i128>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Family<'s>, FamilyError> {
        if growth.iter().any(|&tokens| tokens < 0) || growth.iter().all(|&tokens| tokens == 0) {
            return Err(FamilyError::NotGrowing);
        }
        let growing_values = system.products(&growth)?;
        let mut family = Family { system, growth, constant, growing_values, degree: 0, period: 1 };
        let places = system.places();
        let rays = extreme_rays(&family.cone(None)?, places + 1, goes_on)?;
        for ray in &rays {
            let scale = ray[places];
            if scale == 0 {
                return Err(FamilyError::Unbounded);
            }
            let multiple = (family.period / gcd(family.period, scale)).checked_mul(scale);
            family.period = multiple.ok_or(FamilyError::TooLarge)?;
        }
        let used: Vec<usize> = (0..places).filter(|&p| rays.iter().any(|ray| ray[p] > 0)).collect();
        family.degree = used.len() - family.rank(&used);
        Ok(family)
    }

    /// Returns the right-hand sides for the solutions m ≥ `least` of A·m = A·(n·a + c), in terms of
    /// m − `least`.
    ///
    /// # Errors
    /// [`FamilyError::TooLarge`] if a number does not fit.
    pub(super) fn right_hand_sides(
        &self,
        n: i128,
        least: &[i128],
    ) -> Result<Vec<i128>, FamilyError> {
        let places = self.growth.iter().zip(&self.constant).zip(least);
        let marking = places.map(|((&a, &c), &least)| n.checked_mul(a)?.checked_add(c - least));
        let marking: Option<Vec<i128>> = marking.collect();
        self.system.products(&marking.ok_or(FamilyError::TooLarge)?)
    }

    /// Returns a number n₀ such that the theorem holds for n ≥ n₀ and the solutions m ≥ `least`:
    /// the polyhedron has no vertex with n > n₀.
    ///
    /// # Errors
    /// The errors of the computation of the vertices.
    pub(super) fn threshold(
        &self,
        least: &[i128],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<i128, FamilyError> {
        // The real lower bounds l, with least − 1 < l ≤ least and l as close to c as possible,
        // times the denominator. If l = c, then all vertices have n = 0.
        let (smallest, largest) = (1 - DENOMINATOR, 0);
        let offset = self.constant.iter().zip(least).map(|(&c, &least)| {
            let above_least = (c - least).checked_mul(DENOMINATOR)?;
            // c − l, times the denominator.
            Some(above_least - above_least.clamp(smallest, largest))
        });
        let offset: Option<Vec<i128>> = offset.collect();
        let offset = offset.ok_or(FamilyError::TooLarge)?;
        if offset.iter().all(|&it| it == 0) {
            return Ok(0);
        }
        let places = self.system.places();
        let rays = extreme_rays(&self.cone(Some(&offset))?, places + 2, goes_on)?;
        let mut threshold = 0;
        for ray in rays.iter().filter(|ray| ray[places + 1] > 0) {
            // The last entry stands for the denominator.
            let height = ray[places + 1].checked_mul(DENOMINATOR).ok_or(FamilyError::TooLarge)?;
            threshold = threshold.max(-(-ray[places]).div_euclid(height));
        }
        Ok(threshold)
    }

    /// Returns the rows of the equations A·x − n·A·a = 0 with the unknowns (x, n). With `offset`,
    /// returns A·x − n·A·a − h·A·offset = 0 with the unknowns (x, n, h).
    fn cone(&self, offset: Option<&[i128]>) -> Result<Vec<Vec<i128>>, FamilyError> {
        let constants = offset.map(|offset| self.system.products(offset)).transpose()?;
        let row = |(index, terms): (usize, &Vec<_>)| {
            let mut row = vec![0; self.system.places()];
            terms.iter().for_each(|&(p, weight): &(parikh_net::PlaceId, i128)| {
                row[p.index()] = weight;
            });
            row.push(-self.growing_values[index]);
            row.extend(constants.as_ref().map(|constants| -constants[index]));
            row
        };
        let mut seen = HashSet::new();
        let rows = self.system.equations().iter().enumerate().map(row);
        Ok(rows.filter(|row| seen.insert(row.clone())).collect())
    }

    /// Returns a lower bound on the rank of the columns of these places: the rank modulo a prime.
    fn rank(&self, places: &[usize]) -> usize {
        let mut rows: Vec<Vec<i128>> = self
            .system
            .equations()
            .iter()
            .map(|terms| {
                let weight = |p: &usize| terms.iter().find(|it| it.0.index() == *p);
                places.iter().map(|p| weight(p).map_or(0, |it| it.1 % PRIME)).collect()
            })
            .collect();
        let mut rank = 0;
        for column in 0..places.len() {
            let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else {
                continue;
            };
            rows.swap(rank, pivot);
            let (above, below) = rows.split_at_mut(rank + 1);
            let pivot = &above[rank];
            for row in below.iter_mut().filter(|row| row[column] != 0) {
                let (a, b) = (pivot[column], row[column]);
                for (entry, pivot) in row.iter_mut().zip(pivot) {
                    *entry = (*entry * a - pivot * b).rem_euclid(PRIME);
                }
            }
            rank += 1;
        }
        rank
    }
}
