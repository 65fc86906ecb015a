//! A property of a marking, as a literal that implies it.
//!
//! A comparison Σ aᵢ·m(pᵢ) ≤ b becomes a decision diagram over the places in order. A node is
//! labelled with the largest value that the remaining places may contribute. Nodes with the same
//! remaining value are shared.

use super::tokens::{MaybeLiteral, OrderEncodedTokens, imply};
use crate::encoding::TooManyValues;
use parikh_net::{Atom, PlaceId, Predicate};
use parikh_solvers::cnf::{Clauses, Literal};
use std::collections::HashMap;

/// Limit on the number of decision diagram nodes for one property. Sums of many places with large
/// weights can have too many values.
const MAX_NODES: usize = 50_000;

/// Limit on the number of places in one sum, because the construction recurses place by place.
const MAX_PLACES: usize = 2_000;

/// Returns a literal that implies the predicate, or a constant. The leaves of the predicate must be
/// comparisons or constants. `places` has the tokens of each place, by place index.
///
/// # Errors
/// Returns [`TooManyValues`] if a sum has more than [`MAX_PLACES`] places. The other cause is that
/// the decision diagrams of all sums of the predicate together have more than [`MAX_NODES`] nodes.
pub(super) fn encode(
    places: &[OrderEncodedTokens],
    predicate: &Predicate,
    clauses: &mut impl Clauses,
) -> Result<MaybeLiteral, TooManyValues> {
    PredicateEncoder { places, nodes_left: MAX_NODES }.encode(predicate, clauses)
}

/// The state of the encoding of a property.
struct PredicateEncoder<'a> {
    /// The tokens of the places in the marking, by place index.
    places: &'a [OrderEncodedTokens],
    /// Number of decision diagram nodes that may still be created for the whole predicate.
    nodes_left: usize,
}

impl PredicateEncoder<'_> {
    /// Returns a literal that implies the predicate, or a constant. The leaves of the predicate
    /// must be comparisons or constants.
    fn encode(
        &mut self,
        predicate: &Predicate,
        clauses: &mut impl Clauses,
    ) -> Result<MaybeLiteral, TooManyValues> {
        Ok(match predicate {
            Predicate::True => MaybeLiteral::Is(true),
            Predicate::Atom(atom) => self.comparison(atom, clauses)?,
            Predicate::And(operands) => {
                let node_literal = clauses.variable();
                for operand in operands {
                    let operand = self.encode(operand, clauses)?;
                    if operand == MaybeLiteral::Is(false) {
                        return Ok(operand);
                    }
                    imply(clauses, &[node_literal], operand);
                }
                MaybeLiteral::Open(node_literal)
            }
            Predicate::Or(operands) => {
                let mut clause = Vec::with_capacity(operands.len() + 1);
                for operand in operands {
                    match self.encode(operand, clauses)? {
                        MaybeLiteral::Is(true) => return Ok(MaybeLiteral::Is(true)),
                        MaybeLiteral::Is(false) => {}
                        MaybeLiteral::Open(literal) => clause.push(literal),
                    }
                }
                if clause.is_empty() {
                    return Ok(MaybeLiteral::Is(false));
                }
                let node_literal = clauses.variable();
                clause.push(!node_literal);
                clauses.clause(&clause);
                MaybeLiteral::Open(node_literal)
            }
            // The only other leaf is `False`: the caller replaces conditions on enabled transitions
            // by comparisons.
            _ => MaybeLiteral::Is(false),
        })
    }

    /// Returns a literal that implies the comparison, or a constant.
    fn comparison(
        &mut self,
        atom: &Atom,
        clauses: &mut impl Clauses,
    ) -> Result<MaybeLiteral, TooManyValues> {
        let terms = atom.sum.terms();
        if terms.len() > MAX_PLACES {
            return Err(TooManyValues);
        }
        // Entry i: the minimum and maximum of the sum of the terms from index i on.
        let mut ranges = vec![(0, 0); terms.len() + 1];
        for (term_index, &(place, a)) in terms.iter().enumerate().rev() {
            let (tokens, a) = (&self.places[place.index()], i128::from(a));
            let (low_value, high_value) = (a * tokens.low(), a * tokens.high());
            let (min_sum, max_sum) = ranges[term_index + 1];
            ranges[term_index] =
                (min_sum + low_value.min(high_value), max_sum + low_value.max(high_value));
        }
        let nodes = HashMap::new();
        ComparisonEncoder {
            places: self.places,
            terms,
            ranges,
            nodes,
            nodes_left: &mut self.nodes_left,
        }
        .at_most(0, atom.bound.into(), clauses)
    }
}

/// The state of the encoding of a comparison.
struct ComparisonEncoder<'a> {
    /// The tokens of the places in the marking, by place index.
    places: &'a [OrderEncodedTokens],
    /// The terms of the compared sum, each a place and its coefficient.
    terms: &'a [(PlaceId, i64)],
    /// Minimum and maximum of the sum of the terms from each index on.
    ranges: Vec<(i128, i128)>,
    /// The literal of each node created so far. A node is the pair (i, limit): the terms from index
    /// i on sum to at most the limit.
    nodes: HashMap<(usize, i128), Literal>,
    /// Number of decision diagram nodes that may still be created for the whole property.
    nodes_left: &'a mut usize,
}

impl ComparisonEncoder<'_> {
    /// Returns a literal that implies that the terms from index `from` on sum to at most `limit`.
    /// Returns a constant if the ranges of the terms decide the comparison.
    fn at_most(
        &mut self,
        from: usize,
        limit: i128,
        clauses: &mut impl Clauses,
    ) -> Result<MaybeLiteral, TooManyValues> {
        let (min_sum, max_sum) = self.ranges[from];
        if max_sum <= limit {
            return Ok(MaybeLiteral::Is(true));
        }
        if min_sum > limit {
            return Ok(MaybeLiteral::Is(false));
        }
        if let Some(&literal) = self.nodes.get(&(from, limit)) {
            return Ok(MaybeLiteral::Open(literal));
        }
        *self.nodes_left = self.nodes_left.checked_sub(1).ok_or(TooManyValues)?;
        let node_literal = clauses.variable();
        self.nodes.insert((from, limit), node_literal);
        let (place, a) = self.terms[from];
        let (tokens, a) = (&self.places[place.index()], i128::from(a));
        // If the first term is at least `a * value`, the sum of the remaining terms is at most
        // `limit - a * value`.
        for value in tokens.low()..=tokens.high() {
            let remaining = self.at_most(from + 1, limit - a * value, clauses)?;
            let contributes_as_much =
                if a > 0 { tokens.at_least(value) } else { !tokens.at_least(value + 1) };
            match contributes_as_much {
                MaybeLiteral::Is(false) => {}
                MaybeLiteral::Is(true) => imply(clauses, &[node_literal], remaining),
                MaybeLiteral::Open(literal) => imply(clauses, &[node_literal, literal], remaining),
            }
        }
        Ok(MaybeLiteral::Open(node_literal))
    }
}
