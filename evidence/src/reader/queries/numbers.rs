//! Reads numbers in XML formulas as weighted sums of tokens, and compares two such sums.
//!
//! # Meaning
//! - `integer-constant` is a whole number, perhaps with a sign. `tokens-count` is the sum of the
//!   tokens of its places.
//! - `integer-sum` and `integer-product` have one operand or more, `integer-difference` has two.
//!   Operands may be nested.
//! - At most one factor of a product depends on tokens. A product of two such factors is not a
//!   linear sum, and is refused.
//!
//! Numbers are added in 128 bits. A coefficient or a bound that does not fit 64 bits is refused.

use super::{MAX_DEPTH, listed_nodes, sum};
use crate::reader::{Unreadable, elements, name, text};
use parikh_net::printable::Quoted;
use parikh_net::{Net, PlaceId, Predicate};
use roxmltree::Node;
use std::collections::BTreeMap;

/// A sum Σ a·m(p) + constant over places p with token counts m(p), without coefficients 0.
#[derive(Default)]
struct IntegerSum {
    /// The coefficient a of each place that occurs.
    terms: BTreeMap<PlaceId, i128>,
    /// The constant part.
    constant: i128,
}

impl IntegerSum {
    fn constant(constant: i128) -> IntegerSum {
        IntegerSum { constant, ..IntegerSum::default() }
    }

    /// Adds `factor` times another sum. Returns `None` on overflow of 128 bits.
    fn add(mut self, other: &IntegerSum, factor: i128) -> Option<IntegerSum> {
        for (&place, coefficient) in &other.terms {
            let coefficient_here = self.terms.entry(place).or_default();
            *coefficient_here = coefficient_here.checked_add(coefficient.checked_mul(factor)?)?;
        }
        self.terms.retain(|_, coefficient| *coefficient != 0);
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Some(self)
    }

    /// Returns the terms of the sum without the constant, or an error if a coefficient does not fit
    /// 64 bits.
    fn terms(&self, node: Node<'_, '_>) -> Result<Vec<(PlaceId, i64)>, Unreadable> {
        let term = |(&place, &coefficient)| Some((place, i64::try_from(coefficient).ok()?));
        self.terms.iter().map(term).collect::<Option<_>>().ok_or_else(|| too_large(node))
    }
}

fn too_large(node: Node<'_, '_>) -> Unreadable {
    Unreadable::at(node, "the numbers of this comparison are too large")
}

/// Returns the comparison left + `strictness` ≤ right of the two operands of `node`. If
/// `is_swapped` is true, the operands are exchanged. Returns a constant if the signs of the
/// coefficients decide the comparison.
pub(super) fn compare(
    net: &Net,
    node: Node<'_, '_>,
    is_swapped: bool,
    strictness: i128,
) -> Result<Predicate, Unreadable> {
    let mut sides = elements(node);
    let (Some(left), Some(right), None) = (sides.next(), sides.next(), sides.next()) else {
        return Err(Unreadable::at(node, "expected two operands"));
    };
    let (left, right) = if is_swapped { (right, left) } else { (left, right) };
    let [left, right] = [read_sum(net, left, 0)?, read_sum(net, right, 0)?];
    let difference = left.add(&right, -1).ok_or_else(|| too_large(node))?;
    let sum = sum(node, difference.terms(node)?)?;
    let bound = difference.constant.checked_neg().and_then(|bound| bound.checked_sub(strictness));
    let bound = bound.ok_or_else(|| too_large(node))?;
    // Token counts are never negative, so the signs of the coefficients decide some comparisons.
    let has_positive_coefficient = |&(_, a): &(PlaceId, i64)| a > 0;
    if bound >= 0 && !sum.terms().iter().any(has_positive_coefficient) {
        return Ok(Predicate::True);
    }
    if bound < 0 && sum.terms().iter().all(has_positive_coefficient) {
        return Ok(Predicate::False);
    }
    match i64::try_from(bound) {
        Ok(bound) => Ok(Predicate::at_most(sum, bound)),
        Err(_) => Err(too_large(node)),
    }
}

/// Reads the number at `node` as a sum. `depth` is the number of operators around it.
fn read_sum(net: &Net, node: Node<'_, '_>, depth: usize) -> Result<IntegerSum, Unreadable> {
    if depth > MAX_DEPTH {
        let what = format!("numbers nested deeper than {MAX_DEPTH} are not supported");
        return Err(Unreadable::at(node, what));
    }
    match name(node) {
        "integer-constant" => read_constant(node),
        "tokens-count" => {
            let mut token_sum = IntegerSum::default();
            for (place, coefficient) in token_terms(net, node)? {
                *token_sum.terms.entry(place).or_default() += i128::from(coefficient);
            }
            Ok(token_sum)
        }
        operator @ ("integer-sum" | "integer-product" | "integer-difference") => {
            let operand_sums = elements(node).map(|part| read_sum(net, part, depth + 1));
            let operand_sums: Vec<IntegerSum> = operand_sums.collect::<Result<_, _>>()?;
            apply_operator(node, operator, operand_sums)
        }
        other => {
            let what = format!(
                "expected a number such as `tokens-count` or `integer-constant`, found `{other}`"
            );
            Err(Unreadable::at(node, what))
        }
    }
}

/// Applies `operator`, the name of the element `node`, to sums: adds, subtracts or multiplies them.
/// Returns an error for a wrong number of operands, for an overflow, and for a product of two sums
/// that depend on tokens.
fn apply_operator(
    node: Node<'_, '_>,
    operator: &str,
    operands: Vec<IntegerSum>,
) -> Result<IntegerSum, Unreadable> {
    let count = operands.len();
    let is_difference = operator == "integer-difference";
    if count == 0 || is_difference && count != 2 {
        let expected = if is_difference { "two operands" } else { "at least one operand" };
        let what = format!("expected {expected} in `{operator}`, found {count}");
        return Err(Unreadable::at(node, what));
    }
    let mut operands = operands.into_iter();
    let first = operands.next().unwrap_or_default();
    operands.try_fold(first, |result, operand| {
        let joined = match operator {
            "integer-sum" => result.add(&operand, 1),
            "integer-difference" => result.add(&operand, -1),
            _ if operand.terms.is_empty() => IntegerSum::default().add(&result, operand.constant),
            _ if result.terms.is_empty() => IntegerSum::default().add(&operand, result.constant),
            _ => return Err(Unreadable::at(node, "products of token counts are not supported")),
        };
        joined.ok_or_else(|| too_large(node))
    })
}

fn read_constant(node: Node<'_, '_>) -> Result<IntegerSum, Unreadable> {
    let digits = text(node)?;
    let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(&digits);
    let is_number = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
    // The number may be the sum of several constants of a textual formula, so it may need more than
    // 64 bits.
    match digits.parse().ok().filter(|_| is_number) {
        Some(number) => Ok(IntegerSum::constant(number)),
        None => {
            let what = format!("expected a whole number, found {}", Quoted(&digits));
            Err(Unreadable::at(node, what))
        }
    }
}

/// Returns the terms of the sum of the tokens on the places listed in `node`, where each
/// coefficient is 1. A place listed twice has two terms.
pub(super) fn token_terms(
    net: &Net,
    node: Node<'_, '_>,
) -> Result<Vec<(PlaceId, i64)>, Unreadable> {
    let places = listed_nodes(node, "place", |id| net.places_named(id))?.into_iter().flatten();
    Ok(places.map(|place| (place, 1)).collect())
}
