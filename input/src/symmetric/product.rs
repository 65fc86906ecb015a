//! Tuples whose components are multisets: products of multisets.

use super::super::colour_problem::{ColourProblem, MAX_TERMS};
use parikh_net::coloured::{Multiset, Term};

/// Returns the multiset of tuples with a component from each of `parts`. The count of a tuple is
/// the product of the counts of its components.
pub(super) fn product(parts: Vec<Multiset>) -> Result<Multiset, ColourProblem> {
    let terms = parts.iter().try_fold(1usize, |all, part| all.checked_mul(size(part).max(1)));
    if terms.is_none_or(|terms| terms > MAX_TERMS) {
        return Err(ColourProblem::TooLarge(MAX_TERMS));
    }
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or(Multiset::EMPTY);
    let mut product = lifted(first, &|term| Term::Tuple(vec![term]));
    for part in parts {
        product = multiplied(&product, &part)?;
    }
    Ok(product)
}

/// Returns the number of terms with a count in a multiset, at any depth of sums and differences.
fn size(multiset: &Multiset) -> usize {
    match multiset {
        Multiset::Tokens { .. } => 1,
        Multiset::Sum(parts) => parts.iter().map(size).sum(),
        Multiset::Difference(a, b) => size(a) + size(b),
    }
}

/// Applies `lift` to each term of a multiset.
fn lifted(multiset: Multiset, lift: &impl Fn(Term) -> Term) -> Multiset {
    match multiset {
        Multiset::Tokens { count, term } => Multiset::Tokens { count, term: lift(term) },
        Multiset::Sum(parts) => Multiset::sum(parts.into_iter().map(|part| lifted(part, lift))),
        Multiset::Difference(a, b) => Multiset::minus(lifted(*a, lift), lifted(*b, lift)),
    }
}

/// Returns the multiset of the tuples in `tuples`, each extended by a component from `more`. Counts
/// are multiplied. The product distributes over sums, and over differences too: max(0, a − b)·c =
/// max(0, a·c − b·c) for counts.
fn multiplied(tuples: &Multiset, more: &Multiset) -> Result<Multiset, ColourProblem> {
    Ok(match (tuples, more) {
        (Multiset::Sum(parts), more) => {
            let parts: Result<Vec<_>, _> = parts.iter().map(|it| multiplied(it, more)).collect();
            Multiset::sum(parts?)
        }
        (Multiset::Difference(a, b), more) => {
            Multiset::minus(multiplied(a, more)?, multiplied(b, more)?)
        }
        (tuples, Multiset::Sum(parts)) => {
            let parts: Result<Vec<_>, _> = parts.iter().map(|it| multiplied(tuples, it)).collect();
            Multiset::sum(parts?)
        }
        (tuples, Multiset::Difference(a, b)) => {
            Multiset::minus(multiplied(tuples, a)?, multiplied(tuples, b)?)
        }
        (Multiset::Tokens { count: a, term }, Multiset::Tokens { count: b, term: last }) => {
            let mut terms = match term {
                Term::Tuple(terms) => terms.clone(),
                other => vec![other.clone()],
            };
            terms.push(last.clone());
            let count = a.checked_mul(*b).ok_or(ColourProblem::TooManyTokens)?;
            Multiset::Tokens { count, term: Term::Tuple(terms) }
        }
    })
}
