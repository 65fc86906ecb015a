//! Candidates for the growth of an initial marking: m₀ = n·a + c with small c.
//!
//! All large numbers of tokens must grow with n. If one of them were in c, the number of markings
//! would follow its polynomial only from a large n on.

use parikh_evidence::counting::family::Growth;
use parikh_net::{Marking, PlaceId};
use std::collections::BTreeSet;

/// The largest number of tokens in c, in magnitude.
const MAX_CONSTANT: u64 = 60;

/// The smallest number of tokens that counts as large.
const MIN_LARGE: u64 = 10;

/// Limit on the number of candidates.
const MAX_CANDIDATES: usize = 3;

/// Returns the most promising candidates: those with the smallest c first, and of those the ones
/// with the largest n.
pub fn candidates(initial: &Marking) -> Vec<Growth> {
    let large: BTreeSet<u64> =
        initial.tokens().iter().copied().filter(|&tokens| tokens >= MIN_LARGE).collect();
    let near = large.iter().flat_map(|&tokens| [tokens - 1, tokens, tokens.saturating_add(1)]);
    let numbers: BTreeSet<u64> = near.flat_map(|it| (1..=6).map(move |k| it / k)).collect();
    let mut found: Vec<(u64, std::cmp::Reverse<u64>, Growth)> = Vec::new();
    for n in numbers.into_iter().filter(|&n| n > 1) {
        // The number of tokens divided by n, rounded to the nearest integer.
        let rounded = |tokens: u64| tokens / n + u64::from(tokens % n > n / 2);
        let constant = |tokens: u64| rounded(tokens).saturating_mul(n).abs_diff(tokens);
        let largest = initial.tokens().iter().map(|&tokens| constant(tokens)).max().unwrap_or(0);
        if largest > MAX_CONSTANT {
            continue;
        }
        let sum: u64 = initial.tokens().iter().map(|&tokens| constant(tokens)).sum();
        let tokens = initial.tokens().iter().enumerate();
        let tokens = tokens.map(|(p, &tokens)| (PlaceId::new(p), rounded(tokens)));
        let tokens: Vec<(PlaceId, u64)> = tokens.filter(|it| it.1 > 0).collect();
        if !tokens.is_empty() {
            found.push((sum, std::cmp::Reverse(n), Growth { n, tokens }));
        }
    }
    found.sort_by_key(|(sum, n, _)| (*sum, *n));
    found.into_iter().take(MAX_CANDIDATES).map(|(_, _, growth)| growth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(tokens: &[u64]) -> Option<(u64, Vec<u64>)> {
        let found = candidates(&Marking::new(tokens.to_vec())).into_iter().next()?;
        let mut growth = vec![0; tokens.len()];
        found.tokens.iter().for_each(|&(p, it)| growth[p.index()] = it);
        Some((found.n, growth))
    }

    #[test]
    fn all_large_numbers_grow() {
        assert_eq!(best(&[10_000, 0, 5_000, 5_001]), Some((5_000, vec![2, 0, 1, 1])));
        assert_eq!(best(&[20_000, 20_000, 20_001]), Some((20_000, vec![1, 1, 1])));
        assert_eq!(best(&[50_000, 50_000, 3, 2, 1]), Some((50_000, vec![1, 1, 0, 0, 0])));
        assert_eq!(best(&[1, 100]), Some((100, vec![0, 1])));
    }

    #[test]
    fn numbers_without_a_common_measure_have_no_candidate() {
        assert_eq!(best(&[10_000, 7_919]), None);
        assert_eq!(best(&[3, 2, 1]), None);
    }
}
