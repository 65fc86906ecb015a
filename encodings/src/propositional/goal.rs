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

/// Limit on the number of nodes per property: sums of many places with large weights have too many
/// values.
const NODES: usize = 50_000;

/// Limit on the number of places in a sum, because the construction recurses place by place.
const PLACES: usize = 2_000;

pub(super) fn holds(
    places: &[OrderEncodedTokens],
    predicate: &Predicate,
    clauses: &mut impl Clauses,
) -> Result<MaybeLiteral, TooManyValues> {
    PredicateEncoder { places, left: NODES }.holds(predicate, clauses)
}

/// The state of the encoding of a property.
struct PredicateEncoder<'a> {
    places: &'a [OrderEncodedTokens],
    /// Number of nodes that may still be created.
    left: usize,
}

impl PredicateEncoder<'_> {
    fn holds(
        &mut self,
        predicate: &Predicate,
        clauses: &mut impl Clauses,
    ) -> Result<MaybeLiteral, TooManyValues> {
        Ok(match predicate {
            Predicate::True => MaybeLiteral::Is(true),
            Predicate::Atom(atom) => self.comparison(atom, clauses)?,
            Predicate::And(parts) => {
                let own = clauses.variable();
                for part in parts {
                    let part = self.holds(part, clauses)?;
                    if part == MaybeLiteral::Is(false) {
                        return Ok(part);
                    }
                    imply(clauses, &[own], part);
                }
                MaybeLiteral::Open(own)
            }
            Predicate::Or(parts) => {
                let mut clause = Vec::with_capacity(parts.len() + 1);
                for part in parts {
                    match self.holds(part, clauses)? {
                        MaybeLiteral::Is(true) => return Ok(MaybeLiteral::Is(true)),
                        MaybeLiteral::Is(false) => {}
                        MaybeLiteral::Open(literal) => clause.push(literal),
                    }
                }
                if clause.is_empty() {
                    return Ok(MaybeLiteral::Is(false));
                }
                let own = clauses.variable();
                clause.push(!own);
                clauses.clause(&clause);
                MaybeLiteral::Open(own)
            }
            // A predicate of comparisons has no other nodes.
            _ => MaybeLiteral::Is(false),
        })
    }

    fn comparison(
        &mut self,
        atom: &Atom,
        clauses: &mut impl Clauses,
    ) -> Result<MaybeLiteral, TooManyValues> {
        let terms = atom.sum.terms();
        if terms.len() > PLACES {
            return Err(TooManyValues);
        }
        let mut ends = vec![(0, 0); terms.len() + 1];
        for (at, &(place, a)) in terms.iter().enumerate().rev() {
            let (tokens, a) = (&self.places[place.index()], i128::from(a));
            let (one, other) = (a * tokens.low(), a * tokens.high());
            let (least, greatest) = ends[at + 1];
            ends[at] = (least + one.min(other), greatest + one.max(other));
        }
        let nodes = HashMap::new();
        ComparisonEncoder { places: self.places, terms, ends, nodes, left: &mut self.left }.at_most(
            0,
            atom.bound.into(),
            clauses,
        )
    }
}

/// The state of the encoding of a comparison.
struct ComparisonEncoder<'a> {
    places: &'a [OrderEncodedTokens],
    terms: &'a [(PlaceId, i64)],
    /// Minimum and maximum of the terms from each index on.
    ends: Vec<(i128, i128)>,
    /// Nodes by first index and remaining bound.
    nodes: HashMap<(usize, i128), Literal>,
    left: &'a mut usize,
}

impl ComparisonEncoder<'_> {
    /// Returns a literal that implies that the terms from index `from` on sum to at most `most`.
    fn at_most(
        &mut self,
        from: usize,
        most: i128,
        clauses: &mut impl Clauses,
    ) -> Result<MaybeLiteral, TooManyValues> {
        let (least, greatest) = self.ends[from];
        if greatest <= most {
            return Ok(MaybeLiteral::Is(true));
        }
        if least > most {
            return Ok(MaybeLiteral::Is(false));
        }
        if let Some(&literal) = self.nodes.get(&(from, most)) {
            return Ok(MaybeLiteral::Open(literal));
        }
        *self.left = self.left.checked_sub(1).ok_or(TooManyValues)?;
        let own = clauses.variable();
        self.nodes.insert((from, most), own);
        let (place, a) = self.terms[from];
        let (tokens, a) = (&self.places[place.index()], i128::from(a));
        // If the place has this value, or one with a larger contribution, the others must stay
        // below the remaining bound.
        for value in tokens.low()..=tokens.high() {
            let others = self.at_most(from + 1, most - a * value, clauses)?;
            let costly = if a > 0 { tokens.at_least(value) } else { !tokens.at_least(value + 1) };
            match costly {
                MaybeLiteral::Is(false) => {}
                MaybeLiteral::Is(true) => imply(clauses, &[own], others),
                MaybeLiteral::Open(literal) => imply(clauses, &[own, literal], others),
            }
        }
        Ok(MaybeLiteral::Open(own))
    }
}
