//! A property of a marking as a literal from which it follows.
//!
//! A comparison Σ aᵢ·m(pᵢ) ≤ b is a decision diagram, built from the first place on: with so many tokens
//! of it, the others may come to so much at most. Nodes for the same rest are shared.

use super::TooManyValues;
use super::tokens::{Known, Tokens, imply};
use parikh_net::{Atom, PlaceId, Predicate};
use parikh_solvers::cnf::{Clauses, Literal};
use std::collections::HashMap;

/// A sum of many places with large weights has too many values.
const NODES: usize = 20_000;

pub(super) fn holds(
    places: &[Tokens],
    predicate: &Predicate,
    clauses: &mut impl Clauses,
) -> Result<Known, TooManyValues> {
    Ok(match predicate {
        Predicate::True => Known::Is(true),
        Predicate::Atom(atom) => {
            let mut sum = Sum { places, atom, nodes: HashMap::new() };
            sum.at_most(0, atom.bound.into(), clauses)?
        }
        Predicate::And(parts) => {
            let own = clauses.variable();
            for part in parts {
                let part = holds(places, part, clauses)?;
                imply(clauses, &[own], part);
            }
            Known::Open(own)
        }
        Predicate::Or(parts) => {
            let own = clauses.variable();
            let mut clause = vec![!own];
            for part in parts {
                match holds(places, part, clauses)? {
                    Known::Is(true) => return Ok(Known::Is(true)),
                    Known::Is(false) => {}
                    Known::Open(literal) => clause.push(literal),
                }
            }
            clauses.clause(&clause);
            Known::Open(own)
        }
        // Nothing else is left in a predicate of comparisons.
        _ => Known::Is(false),
    })
}

/// A comparison that is encoded.
struct Sum<'a> {
    places: &'a [Tokens],
    atom: &'a Atom,
    /// By first place and what is left.
    nodes: HashMap<(usize, i128), Literal>,
}

impl Sum<'_> {
    /// A literal from which it follows that the terms from `from` on come to `most` at most.
    fn at_most(
        &mut self,
        from: usize,
        most: i128,
        clauses: &mut impl Clauses,
    ) -> Result<Known, TooManyValues> {
        let (places, terms) = (self.places, self.atom.sum.terms());
        let ends = |&(place, a): &(PlaceId, i64)| {
            let tokens = &places[place.index()];
            let (one, other) = (i128::from(a) * tokens.low(), i128::from(a) * tokens.high());
            (one.min(other), one.max(other))
        };
        let least: i128 = terms[from..].iter().map(|term| ends(term).0).sum();
        let greatest: i128 = terms[from..].iter().map(|term| ends(term).1).sum();
        if greatest <= most {
            return Ok(Known::Is(true));
        }
        if least > most {
            return Ok(Known::Is(false));
        }
        if let Some(&literal) = self.nodes.get(&(from, most)) {
            return Ok(Known::Open(literal));
        }
        if self.nodes.len() >= NODES {
            return Err(TooManyValues);
        }
        let own = clauses.variable();
        self.nodes.insert((from, most), own);
        let (place, a) = terms[from];
        let (tokens, a) = (&places[place.index()], i128::from(a));
        // Each number of tokens, or more in the costly direction, leaves so much to the others.
        for value in tokens.low()..=tokens.high() {
            let others = self.at_most(from + 1, most - a * value, clauses)?;
            let costly = if a > 0 { tokens.at_least(value) } else { !tokens.at_least(value + 1) };
            match costly {
                Known::Is(false) => {}
                Known::Is(true) => imply(clauses, &[own], others),
                Known::Open(literal) => imply(clauses, &[own, literal], others),
            }
        }
        Ok(Known::Open(own))
    }
}
