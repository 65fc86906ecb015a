//! A property of a marking as a literal from which it follows.
//!
//! A comparison Σ aᵢ·m(pᵢ) ≤ b is a decision diagram, built from the first place on: with so many
//! tokens of it, the others may come to so much at most. Nodes for the same rest are shared.

use super::tokens::{MaybeLiteral, Tokens, imply};
use crate::encoding::TooManyValues;
use parikh_net::{Atom, PlaceId, Predicate};
use parikh_solvers::cnf::{Clauses, Literal};
use std::collections::HashMap;

/// Sums of many places with large weights have too many values; so many nodes are written for a
/// property.
const NODES: usize = 50_000;

/// A sum of more places is too deep for a diagram that is built place by place.
const PLACES: usize = 2_000;

pub(super) fn holds(
    places: &[Tokens],
    predicate: &Predicate,
    clauses: &mut impl Clauses,
) -> Result<MaybeLiteral, TooManyValues> {
    Goal { places, left: NODES }.holds(predicate, clauses)
}

/// A property that is written down.
struct Goal<'a> {
    places: &'a [Tokens],
    /// So many nodes may still be made.
    left: usize,
}

impl Goal<'_> {
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
            // Nothing else is left in a predicate of comparisons.
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
        Sum { places: self.places, terms, ends, nodes, left: &mut self.left }.at_most(
            0,
            atom.bound.into(),
            clauses,
        )
    }
}

/// A comparison that is written down.
struct Sum<'a> {
    places: &'a [Tokens],
    terms: &'a [(PlaceId, i64)],
    /// By first place what the terms from there on come to at least and at most.
    ends: Vec<(i128, i128)>,
    /// By first place and what is left.
    nodes: HashMap<(usize, i128), Literal>,
    left: &'a mut usize,
}

impl Sum<'_> {
    /// A literal from which it follows that the terms from `from` on come to `most` at most.
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
        // Each number of tokens, or more in the costly direction, leaves so much to the others.
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
