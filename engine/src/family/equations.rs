//! The choice of place invariants: a basis of semiflows with few places each.

use super::FamilyFailure;
use parikh_evidence::counting::family::FamilyError;
use parikh_net::{Net, PlaceId};
use parikh_solvers::Budget;
use parikh_structure::semiflows::place_semiflows;

/// The largest number of semiflows at a time during their computation.
const MAX_SEMIFLOWS: usize = 2_000;

/// A prime for linear independence: vectors that are independent modulo this number are
/// independent.
const PRIME: i128 = 2_147_483_647;

/// Returns place invariants with positive weights. They are independent, and cover all places of
/// `net`.
///
/// # Errors
/// The reason why there are none.
pub(super) fn independent(
    net: &Net,
    budget: &Budget,
) -> Result<Vec<Vec<(PlaceId, i64)>>, FamilyFailure> {
    let semiflows = place_semiflows(net, MAX_SEMIFLOWS, &budget.share(0.2));
    let weights = |flow: &parikh_structure::flows::PlaceFlow| {
        flow.terms().iter().map(|(p, weight)| Some((*p, weight.to_i64()?))).collect()
    };
    let mut flows: Vec<Vec<(PlaceId, i64)>> = semiflows.flows.iter().filter_map(weights).collect();
    flows.sort_by_key(|terms| (terms.len(), terms.iter().map(|it| it.1).max()));
    let mut basis = Basis::default();
    flows.retain(|terms| {
        let mut vector = vec![0; net.place_count()];
        terms.iter().for_each(|&(p, weight)| vector[p.index()] = i128::from(weight) % PRIME);
        basis.add(vector)
    });
    let is_covered = |p: &PlaceId| flows.iter().any(|terms| terms.iter().any(|it| it.0 == *p));
    match net.places().find(|p| !is_covered(p)) {
        Some(p) => Err(FamilyError::Uncovered(p).into()),
        None => Ok(flows),
    }
}

/// Vectors that are independent modulo [`PRIME`], each with the position of its pivot.
#[derive(Default)]
struct Basis {
    vectors: Vec<(usize, Vec<i128>)>,
}

impl Basis {
    /// Adds a vector, unless it depends on the others. Returns true if it was added.
    fn add(&mut self, mut vector: Vec<i128>) -> bool {
        for (pivot, known) in &self.vectors {
            let (a, b) = (known[*pivot], vector[*pivot]);
            if b != 0 {
                for (entry, known) in vector.iter_mut().zip(known) {
                    // This step makes the vector's entry at the pivot 0.
                    *entry = (*entry * a - known * b).rem_euclid(PRIME);
                }
            }
        }
        let pivot = vector.iter().position(|&entry| entry != 0);
        self.vectors.extend(pivot.map(|pivot| (pivot, vector)));
        pivot.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn dependent_semiflows_are_left_out() {
        // a + c, a + d, b + c and b + d are semiflows of minimal support, and three are
        // independent.
        let net = text::parse(
            "place a 1\nplace b 1\nplace c\nplace d\ntransition t: a + b -> c + d\n\
             transition u: c + d -> a + b",
        )
        .unwrap();
        let found = independent(&net, &Budget::unlimited()).unwrap();
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn an_unbounded_place_is_not_covered() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> p + q").unwrap();
        assert!(independent(&net, &Budget::unlimited()).is_err());
    }
}
