//! Interpolation of a polynomial from its values at 0, 1, 2, …

use num_bigint::{BigInt, BigUint};

/// Returns the value at `x` of the polynomial of least degree with these values at 0, 1, 2, …, by
/// Newton's forward formula. Also returns the degree.
///
/// The polynomial f has f(x) = Σ C(x, k)·Δᵏf(0), where Δᵏf(0) is the first entry of the k-th row of
/// differences of the values.
pub fn interpolate(values: &[BigUint], x: &BigUint) -> (BigInt, usize) {
    let mut row: Vec<BigInt> = values.iter().cloned().map(BigInt::from).collect();
    let (mut sum, mut degree) = (BigInt::ZERO, 0);
    let (mut binomial, x) = (BigInt::from(1u8), BigInt::from(x.clone()));
    for order in 0..values.len() {
        if row[0] != BigInt::ZERO {
            sum += &binomial * &row[0];
            degree = order;
        }
        // C(x, k + 1) = C(x, k)·(x − k)/(k + 1), which is an integer.
        binomial = binomial * (&x - BigInt::from(order)) / BigInt::from(order + 1);
        row = row.windows(2).map(|pair| &pair[1] - &pair[0]).collect();
    }
    (sum, degree)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(values: &[u64], x: u64) -> (String, usize) {
        let values: Vec<BigUint> = values.iter().map(|&value| value.into()).collect();
        let (value, degree) = interpolate(&values, &x.into());
        (value.to_string(), degree)
    }

    #[test]
    fn cubes_are_interpolated_from_four_values() {
        assert_eq!(at(&[0, 1, 8, 27], 1000), ("1000000000".to_owned(), 3));
        assert_eq!(at(&[0, 1, 8, 27, 64], 2), ("8".to_owned(), 3));
    }

    #[test]
    fn one_value_gives_a_constant() {
        assert_eq!(at(&[7], 1 << 40), ("7".to_owned(), 0));
        assert_eq!(at(&[5, 3], 4), ("-3".to_owned(), 1));
    }
}
