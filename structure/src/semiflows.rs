//! All semiflows of minimal support, by the double description of a cone.
//!
//! The semiflows of a net are the integer points of the cone { y ≥ 0 : y·C = 0 }. Its extreme rays,
//! each divided by its gcd, are the semiflows of *minimal support*: no other semiflow has a support
//! properly contained in theirs, and every semiflow is a non-negative rational combination of them.
//! There may be exponentially many, so there is a limit and a budget.
//!
//! The cone is intersected with one column of C at a time, starting from { y ≥ 0 } with the unit
//! vectors as rays. Rays that already annul the column stay. Of the others, each pair of opposite
//! sign gives one ray, provided that the two are *adjacent*: no third ray has its support in the
//! union of their supports. With the adjacency test, the rays are exactly the extreme rays after
//! each column, so no filtering is needed.
//!
//! The next column is the one that adds fewest rays, (positive − 1)·(negative − 1) − 1 more than
//! before. A column of one sign removes all its rays and so comes first (Colom and Silva).
//!
//! If the computation is cut short, the rays that annul *all* columns are extreme in the final
//! cone, too, because that cone is a part of the present one. The returned semiflows are correct
//! but incomplete.
//!
//! # Sources
//! J. Martínez, M. Silva, *A simple and fast algorithm to obtain all invariants of a generalised
//! Petri net*, Application and Theory of Petri Nets, 1982. J. M. Colom, M. Silva, *Convex geometry
//! and semiflows in P/T nets*, Advances in Petri Nets 1990. K. Fukuda, A. Prodon, *Double
//! description method revisited*, Combinatorics and Computer Science, 1996 (adjacency).

use super::elimination::{distinct_columns, rows_of};
use super::flows::{Flow, PlaceFlow, TransitionFlow};
use super::incidence::{incidence, transposed_incidence};
use super::integer::{Integer, SparseVector, combine_vectors, divide_by_gcd, entry};
use nalgebra_sparse::csc::CscMatrix;
use parikh_net::{EffectId, Net, PlaceId};
use parikh_solvers::{Budget, ExhaustionReason};

/// The reason why a list is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IncompleteReason {
    /// The budget ended.
    #[error("{0}")]
    Budget(ExhaustionReason),
    /// The list has as many entries as the limit allows. There may be no others.
    #[error("the limit of {0} was reached")]
    Limit(usize),
    /// The computation of semiflows needs more rays at a time than this limit allows.
    #[error("the computation needs more than {0} intermediate vectors")]
    Rays(usize),
}

/// Semiflows of minimal support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semiflows<Id> {
    /// The semiflows, in a deterministic order.
    pub flows: Vec<Flow<Id>>,
    /// The reason why the list may be incomplete; `None` if it is complete.
    pub incomplete: Option<IncompleteReason>,
}

impl<Id> Semiflows<Id> {
    /// Returns true if the list is complete.
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_none()
    }
}

/// Returns all P-semiflows of minimal support. The list is incomplete if a step of the computation
/// would create a ray beyond the first `limit` rays, or if the budget ends.
pub fn place_semiflows(net: &Net, limit: usize, budget: &Budget) -> Semiflows<PlaceId> {
    let (rays, incomplete) = extreme_rays(&incidence(net), limit, budget);
    let flows: Vec<PlaceFlow> =
        rays.into_iter().map(|vector| Flow::new(vector, PlaceId::new)).collect();
    Semiflows { flows, incomplete }
}

/// Returns all T-semiflows of minimal support over effect classes. The list is incomplete if a step
/// of the computation would create a ray beyond the first `limit` rays, or if the budget ends.
pub fn transition_semiflows(net: &Net, limit: usize, budget: &Budget) -> Semiflows<EffectId> {
    let (rays, incomplete) = extreme_rays(&transposed_incidence(net), limit, budget);
    let flows: Vec<TransitionFlow> =
        rays.into_iter().map(|vector| Flow::new(vector, EffectId::new)).collect();
    Semiflows { flows, incomplete }
}

/// A ray y of the cone, with its image y·M.
struct Ray {
    /// The products of the ray with the columns; they must become zero.
    image: SparseVector,
    /// The vector y.
    ray: SparseVector,
    /// The support of the ray, one bit per entry.
    support: Box<[u64]>,
}

/// Returns the extreme rays of { y ≥ 0 : y·M = 0 }, sorted. If the list is incomplete, also returns
/// the reason.
fn extreme_rays(
    matrix: &CscMatrix<i64>,
    limit: usize,
    budget: &Budget,
) -> (Vec<SparseVector>, Option<IncompleteReason>) {
    let columns = distinct_columns(matrix);
    let words = matrix.nrows().div_ceil(64);
    let unit = |(index, image): (usize, SparseVector)| {
        let mut support = vec![0; words].into_boxed_slice();
        support[index / 64] |= 1 << (index % 64);
        Ray { image, ray: vec![(index as u32, Integer::ONE)], support }
    };
    let rows = rows_of(matrix.nrows(), &columns);
    let mut rays: Vec<Ray> = rows.into_iter().enumerate().map(unit).collect();
    let mut incomplete = None;
    while let Some(column) = cheapest_column(&rays, columns.len()) {
        match new_rays(&rays, column, limit, budget) {
            Ok(new_rays) => {
                rays.retain(|ray| entry(&ray.image, column).is_zero());
                rays.extend(new_rays);
            }
            Err(reason) => {
                incomplete = Some(reason);
                break;
            }
        }
    }
    let finished = rays.into_iter().filter(|ray| ray.image.is_empty());
    let mut rays: Vec<SparseVector> = finished.map(|ray| ray.ray).collect();
    rays.sort_unstable();
    (rays, incomplete)
}

/// Returns the column for the next cut, that is, the intersection of the cone with { y : y·column =
/// 0 }. Among the columns that some ray does not annul, this cut adds the fewest rays if all pairs
/// of opposite sign are adjacent. Returns the first such column on a tie, and `None` if the rays
/// annul every column.
fn cheapest_column(rays: &[Ray], columns: usize) -> Option<u32> {
    let mut signs = vec![(0_i64, 0_i64); columns];
    for (column, value) in rays.iter().flat_map(|ray| &ray.image) {
        let (positive, negative) = &mut signs[*column as usize];
        *(if value.is_positive() { positive } else { negative }) += 1;
    }
    let used = signs.iter().enumerate().filter(|(_, signs)| **signs != (0, 0));
    used.min_by_key(|(_, (positive, negative))| positive * negative - positive - negative)
        .map(|(column, _)| column as u32)
}

/// Returns the rays that the intersection of the cone with { y : y·column = 0 } adds. Returns an
/// error if the budget is exhausted, or if the rays that stay and the new rays are more than
/// `limit`.
fn new_rays(
    rays: &[Ray],
    column: u32,
    limit: usize,
    budget: &Budget,
) -> Result<Vec<Ray>, IncompleteReason> {
    let rays_with_sign = |positive: bool| -> Vec<usize> {
        let value = |index: &usize| entry(&rays[*index].image, column);
        let has_sign = |index: &usize| {
            if positive { value(index).is_positive() } else { value(index).is_negative() }
        };
        (0..rays.len()).filter(has_sign).collect()
    };
    let (positive_rays, negative_rays) = (rays_with_sign(true), rays_with_sign(false));
    let staying_count = rays.len() - positive_rays.len() - negative_rays.len();
    let mut added = Vec::new();
    if let Some(reason) = budget.exhausted() {
        return Err(IncompleteReason::Budget(reason));
    }
    for &i in &positive_rays {
        for &j in &negative_rays {
            if let Some(reason) = budget.exhausted() {
                return Err(IncompleteReason::Budget(reason));
            }
            if !are_adjacent(rays, i, j) {
                continue;
            }
            if staying_count + added.len() >= limit {
                return Err(IncompleteReason::Rays(limit));
            }
            added.push(combine_rays(&rays[i], &rays[j], column));
        }
    }
    Ok(added)
}

/// Returns true if no third ray has its support in the union of the supports of these two.
fn are_adjacent(rays: &[Ray], i: usize, j: usize) -> bool {
    let union: Vec<u64> =
        rays[i].support.iter().zip(&rays[j].support).map(|(a, b)| a | b).collect();
    !rays.iter().enumerate().any(|(index, ray)| {
        index != i
            && index != j
            && ray.support.iter().zip(&union).all(|(word, union_word)| word & !union_word == 0)
    })
}

/// Returns the combination of a positive and a negative ray that annuls `column`.
fn combine_rays(positive: &Ray, negative: &Ray, column: u32) -> Ray {
    let (positive_value, negative_value) =
        (entry(&positive.image, column), entry(&negative.image, column));
    let gcd = positive_value.gcd(negative_value);
    let (a, b) = (negative_value.magnitude().div_floor(&gcd), positive_value.div_floor(&gcd));
    let mut image = combine_vectors(&a, &positive.image, &b, &negative.image, |_, _, _| {});
    let mut ray = combine_vectors(&a, &positive.ray, &b, &negative.ray, |_, _, _| {});
    // The image is linear in the ray, so a divisor of the ray divides both.
    divide_by_gcd(&mut ray, &mut image);
    let support = positive.support.iter().zip(&negative.support).map(|(a, b)| a | b).collect();
    Ray { image, ray, support }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn describe(text: &str, limit: usize) -> (Vec<String>, Option<IncompleteReason>) {
        let net = text::parse(text).unwrap();
        let found = place_semiflows(&net, limit, &Budget::unlimited());
        assert!(found.flows.iter().all(|flow| flow.holds(&net) && flow.is_semiflow()));
        (found.flows.iter().map(|flow| flow.describe(&net)).collect(), found.incomplete)
    }

    /// k input places and k output places of one transition: k² minimal semiflows x + y.
    const FAN: &str = "place a 1\nplace b 1\nplace c\nplace d\nplace alone 7\n\
                       transition t: a + b -> c + d";

    #[test]
    fn a_fan_has_the_product_of_its_sides() {
        let (sums, incomplete) = describe(FAN, 100);
        assert_eq!(sums, ["a + c = 1", "a + d = 1", "b + c = 1", "b + d = 1", "alone = 7"]);
        assert_eq!(incomplete, None);
    }

    #[test]
    fn a_limit_gives_valid_but_incomplete_semiflows() {
        let (sums, incomplete) = describe(FAN, 3);
        assert_eq!(
            (sums, incomplete),
            (vec!["alone = 7".to_owned()], Some(IncompleteReason::Rays(3)))
        );
    }

    #[test]
    fn a_column_of_one_sign_leaves_no_semiflow_through_it() {
        let (sums, _) = describe("place p\nplace q\ntransition t: p ->\ntransition u: p -> q", 9);
        assert!(sums.is_empty());
        let net = text::parse("place p\ntransition t: p ->\ntransition u: -> 2*p").unwrap();
        let found = transition_semiflows(&net, 9, &Budget::unlimited());
        assert_eq!(found.flows[0].describe(&net), "2*t + u");
    }
}
