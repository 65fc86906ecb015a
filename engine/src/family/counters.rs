//! The choice of transitions whose firings are counted.
//!
//! Let C be the incidence matrix, with a row for each place. A marking determines the number of
//! firings of t if the unit vector of t is in the row space of C. In the reduced row echelon form
//! of C, this is the case if and only if a row has its only entry in the column of t. The row
//! operations give the weights of the places.

use parikh_evidence::counting::family::FiringCounter;
use parikh_net::{Net, PlaceId, TransitionId};
use parikh_solvers::Budget;

/// The largest number of places or transitions. The elimination takes cubic time.
const MAX_NODES: usize = 300;

/// A row of the matrix [C | I], where C is the incidence matrix and I the identity matrix.
struct Row {
    /// The entries in the columns of C, one per transition.
    left: Vec<i128>,
    /// The entries in the columns of I: weights of the places. The weighted sum of the rows of C is
    /// `left`.
    right: Vec<i128>,
}

/// Returns all transitions whose number of firings every marking determines. Returns none if the
/// net is large, the budget is used up, or a number does not fit.
pub(super) fn determined(net: &Net, budget: &Budget) -> Vec<FiringCounter> {
    if net.place_count().max(net.transition_count()) > MAX_NODES {
        return Vec::new();
    }
    reduced_rows(net, budget).unwrap_or_default().iter().filter_map(counter).collect()
}

/// Returns the firing counter that a row of the reduced row echelon form gives, if any.
fn counter(row: &Row) -> Option<FiringCounter> {
    let mut entries = row.left.iter().enumerate().filter(|it| *it.1 != 0);
    let (t, _) = entries.next()?;
    if entries.next().is_some() {
        return None;
    }
    let weight = |(p, &weight): (usize, &i128)| Some((PlaceId::new(p), weight.try_into().ok()?));
    let weights = row.right.iter().enumerate().filter(|it| *it.1 != 0).map(weight);
    Some(FiringCounter {
        transition: TransitionId::new(t),
        weights: weights.collect::<Option<_>>()?,
    })
}

/// Returns the rows of the reduced row echelon form, up to factors.
fn reduced_rows(net: &Net, budget: &Budget) -> Option<Vec<Row>> {
    let row = |p: PlaceId| {
        let mut right = vec![0; net.place_count()];
        right[p.index()] = 1;
        Row { left: vec![0; net.transition_count()], right }
    };
    let mut rows: Vec<Row> = net.places().map(row).collect();
    for t in net.transitions() {
        net.delta(t).iter().for_each(|it| rows[it.place.index()].left[t.index()] = it.delta.into());
    }
    let mut rank = 0;
    for column in 0..net.transition_count() {
        if budget.is_exhausted() {
            return None;
        }
        let nonzero = |&row: &usize| rows[row].left[column] != 0;
        let Some(pivot) = (rank..rows.len()).find(nonzero) else { continue };
        rows.swap(rank, pivot);
        let pivot = rows.swap_remove(rank);
        for row in &mut rows {
            eliminate(row, &pivot, column)?;
        }
        rows.insert(rank, pivot);
        rank += 1;
    }
    rows.truncate(rank);
    Some(rows)
}

/// Makes the entry of `row` in the column 0, by subtracting a multiple of the pivot row.
fn eliminate(row: &mut Row, pivot: &Row, column: usize) -> Option<()> {
    let (a, b) = (pivot.left[column], row.left[column]);
    if b == 0 {
        return Some(());
    }
    let mut divisor = 0;
    for (entries, others) in [(&mut row.left, &pivot.left), (&mut row.right, &pivot.right)] {
        for (entry, other) in entries.iter_mut().zip(others) {
            *entry = entry.checked_mul(a)?.checked_sub(other.checked_mul(b)?)?;
            divisor = num_integer::gcd(divisor, *entry);
        }
    }
    if divisor > 1 {
        row.left.iter_mut().chain(&mut row.right).for_each(|entry| *entry /= divisor);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_evidence::counting::family::CountedNet;
    use parikh_net::text;

    fn names(text: &str) -> Vec<String> {
        let net = text::parse(text).unwrap();
        let counters = determined(&net, &Budget::unlimited());
        // The checker accepts all of them.
        assert!(CountedNet::new(&net, &counters).is_ok());
        counters.iter().map(|it| net.transition_name(it.transition).to_owned()).collect()
    }

    #[test]
    fn all_firings_of_a_tree_are_determined() {
        let net = "place p 3\nplace q\nplace r\nplace s\ntransition t: p -> 2*q + r\n\
                   transition u: q -> s\ntransition v: r + s ->";
        assert_eq!(names(net), ["t", "u", "v"]);
    }

    #[test]
    fn firings_of_a_cycle_are_not_determined() {
        let net = "place p 3\nplace q\nplace r\ntransition t: p -> q\ntransition u: q -> p\n\
                   transition end: q ->\ntransition twin: r -> p\ntransition other: r -> p";
        assert_eq!(names(net), ["end"]);
    }
}
