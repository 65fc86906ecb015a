//! The extreme rays of a cone { y ≥ 0 : E·y = 0 }, by double description.
//!
//! The cone { y ≥ 0 } has the unit vectors as extreme rays. It is intersected with one equation at
//! a time. Rays that satisfy the equation stay. Each *adjacent* pair of rays of opposite sign gives
//! one more ray. Two rays are adjacent if no third ray has its support in the union of theirs.
//!
//! # Sources
//! K. Fukuda, A. Prodon, *Double description method revisited*, Combinatorics and Computer Science,
//! 1996.

use super::FamilyError;

/// The largest number of rays at a time.
const MAX_RAYS: usize = 5_000;

/// A ray with its support, one bit per entry.
struct Ray {
    entries: Vec<i128>,
    support: Vec<u64>,
}

/// Returns the extreme rays of { y ≥ 0 : E·y = 0 } as integer vectors without common divisor. Each
/// row of `equations` has `dimension` entries.
///
/// # Errors
/// [`FamilyError::TooManyRays`], [`FamilyError::TooLarge`], or [`FamilyError::Stopped`].
pub(super) fn extreme_rays(
    equations: &[Vec<i128>],
    dimension: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<Vec<i128>>, FamilyError> {
    let unit = |index: usize| {
        let mut entries = vec![0; dimension];
        entries[index] = 1;
        Ray::new(entries)
    };
    let mut rays: Vec<Ray> = (0..dimension).map(unit).collect();
    let mut open: Vec<&Vec<i128>> = equations.iter().collect();
    while !open.is_empty() {
        // The equation that adds the fewest rays if all pairs are adjacent comes first.
        let mut best: Option<(i128, usize, Vec<i128>)> = None;
        for (index, equation) in open.iter().enumerate() {
            let values: Vec<i128> =
                rays.iter().map(|ray| ray.value(equation)).collect::<Result<_, _>>()?;
            let positive = values.iter().filter(|&&value| value > 0).count() as i128;
            let negative = values.iter().filter(|&&value| value < 0).count() as i128;
            let added = positive * negative - positive - negative;
            if best.as_ref().is_none_or(|(least, ..)| added < *least) {
                best = Some((added, index, values));
            }
        }
        let Some((_, index, values)) = best else { break };
        open.swap_remove(index);
        rays = intersect(rays, &values, goes_on)?;
    }
    Ok(rays.into_iter().map(|ray| ray.entries).collect())
}

/// Returns the extreme rays of the intersection with an equation, whose left side has these values
/// on the rays.
fn intersect(
    rays: Vec<Ray>,
    values: &[i128],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<Ray>, FamilyError> {
    let zero_count = values.iter().filter(|&&value| value == 0).count();
    let mut added = Vec::new();
    for (i, positive) in rays.iter().enumerate().filter(|(i, _)| values[*i] > 0) {
        for (j, negative) in rays.iter().enumerate().filter(|(j, _)| values[*j] < 0) {
            if !goes_on() {
                return Err(FamilyError::Stopped);
            }
            if !are_adjacent(&rays, i, j) {
                continue;
            }
            if zero_count + added.len() >= MAX_RAYS {
                return Err(FamilyError::TooManyRays);
            }
            let gcd = gcd(values[i], values[j]);
            let (a, b) = (-values[j] / gcd, values[i] / gcd);
            let entries = positive
                .entries
                .iter()
                .zip(&negative.entries)
                .map(|(x, y)| a.checked_mul(*x)?.checked_add(b.checked_mul(*y)?));
            let entries: Option<Vec<i128>> = entries.collect();
            added.push(Ray::new(divided(entries.ok_or(FamilyError::TooLarge)?)));
        }
    }
    let mut is_zero = values.iter().map(|&value| value == 0);
    let mut kept = rays;
    kept.retain(|_| is_zero.next().unwrap_or_default());
    kept.extend(added);
    Ok(kept)
}

/// Returns true if no third ray has its support in the union of the supports of these two.
fn are_adjacent(rays: &[Ray], i: usize, j: usize) -> bool {
    let union: Vec<u64> =
        rays[i].support.iter().zip(&rays[j].support).map(|(a, b)| a | b).collect();
    !rays.iter().enumerate().any(|(index, ray)| {
        let mut words = ray.support.iter().zip(&union);
        index != i && index != j && words.all(|(word, union)| word & !union == 0)
    })
}

impl Ray {
    fn new(entries: Vec<i128>) -> Ray {
        let mut support = vec![0u64; entries.len().div_ceil(64)];
        for (index, _) in entries.iter().enumerate().filter(|(_, entry)| **entry != 0) {
            support[index / 64] |= 1 << (index % 64);
        }
        Ray { entries, support }
    }

    /// Returns the scalar product with the left side of an equation.
    fn value(&self, equation: &[i128]) -> Result<i128, FamilyError> {
        let mut terms = self.entries.iter().zip(equation);
        let sum = terms.try_fold(0i128, |sum, (x, y)| sum.checked_add(x.checked_mul(*y)?));
        sum.ok_or(FamilyError::TooLarge)
    }
}

/// Returns the vector, divided by the greatest common divisor of its entries.
fn divided(mut entries: Vec<i128>) -> Vec<i128> {
    let divisor = entries.iter().fold(0, |divisor, &entry| gcd(divisor, entry));
    if divisor > 1 {
        entries.iter_mut().for_each(|entry| *entry /= divisor);
    }
    entries
}

/// Returns the greatest common divisor, which is not negative.
pub(super) fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_two_segments_has_four_rays() {
        // x₀ + x₁ = n and x₂ + x₃ = n, with n as the last entry.
        let equations = [vec![1, 1, 0, 0, -1], vec![0, 0, 1, 1, -1]];
        let mut rays = extreme_rays(&equations, 5, &mut || true).unwrap();
        rays.sort_unstable();
        let expected =
            [[0, 1, 0, 1, 1], [0, 1, 1, 0, 1], [1, 0, 0, 1, 1], [1, 0, 1, 0, 1]].map(Vec::from);
        assert_eq!(rays, expected);
    }

    #[test]
    fn rays_have_no_common_divisor() {
        let rays = extreme_rays(&[vec![2, 3, -4]], 3, &mut || true).unwrap();
        assert_eq!(rays.len(), 2);
        assert!(rays.contains(&vec![2, 0, 1]) && rays.contains(&vec![0, 4, 3]));
    }
}
