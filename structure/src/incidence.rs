//! The incidence matrix C as a sparse matrix: one row per place, one column per effect class. An
//! entry is the number of tokens that a transition of the class adds to the place.
//!
//! The matrices are of the crate `nalgebra-sparse`: by column ([`CscMatrix`], for P-flows) or,
//! transposed, by place (for T-flows). A dense matrix is infeasible: the one of DLCflexbar-PT-8b
//! would take 27 GiB.

use nalgebra_sparse::csc::CscMatrix;
use parikh_net::Net;

/// Returns C: places × effect classes, each column by ascending place.
pub fn incidence(net: &Net) -> CscMatrix<i64> {
    let mut offsets = Vec::with_capacity(net.effect_count() + 1);
    let mut places = Vec::new();
    let mut deltas = Vec::new();
    offsets.push(0);
    for class in net.effect_classes() {
        for change in net.effect(class) {
            places.push(change.place.index());
            deltas.push(change.delta);
        }
        offsets.push(places.len());
    }
    let (rows, columns) = (net.place_count(), net.effect_count());
    CscMatrix::try_from_csc_data(rows, columns, offsets, places, deltas)
        .expect("an effect lists places of the net once each, ascending")
}

/// Returns Cᵀ: effect classes × places, each column (a place) by ascending class.
pub fn transposed_incidence(net: &Net) -> CscMatrix<i64> {
    incidence(net).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn columns_are_effect_classes_and_self_loops_vanish() {
        let net = text::parse(
            "place p\nplace q\nplace r\n\
             transition a: p + r -> 2*q + r\ntransition b: p -> 2*q\ntransition c: q -> p",
        )
        .unwrap();
        let matrix = incidence(&net);
        assert_eq!((matrix.nrows(), matrix.ncols(), matrix.nnz()), (3, 2, 4));
        assert_eq!(matrix.col(0).row_indices(), [0, 1]);
        assert_eq!(matrix.col(0).values(), [-1, 2]);
        let transposed = transposed_incidence(&net);
        assert_eq!(transposed.col(1).row_indices(), [0, 1]);
        assert_eq!(transposed.col(1).values(), [2, -1]);
        assert_eq!(transposed.col(2).nnz(), 0);
    }
}
