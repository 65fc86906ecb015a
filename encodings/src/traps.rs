//! Traps: every transition that consumes tokens from a trap also produces tokens in it, so a marked
//! trap stays marked.
//!
//! # Listed traps
//! For each initially marked trap, Σ m(p) ≥ 1. For each other trap, Σ x(e) ≥ 1 ⇒ Σ m(p) ≥ 1, where
//! e are the classes that increase some place of the trap. The caller chooses the traps; the engine
//! finds them from candidate markings.
//!
//! # All traps at once
//! The places that are empty in m contain a largest trap. The marking m respects all initially
//! marked traps if and only if this largest trap is not marked initially. It is what remains when
//! places *leave*: p may leave if a transition consumes from it and produces only on places that
//! are marked in m or have left before. With a Boolean left(p) and a number rank(p), the time of
//! leaving,
//!
//! ```text
//! m₀(p) > 0      m(p) ≥ 1 ∨ left(p)
//! left(p)  ⇒  ∨ t ∈ p•  ∧ r ∈ t•  ( m(r) ≥ 1  ∨  left(r) ∧ rank(r) + 1 ≤ rank(p) )
//! ```
//!
//! which is linear in the size of the net if transitions have few outputs. Only places that may
//! have to leave have variables.
//!
//! # Soundness
//! A reachable m marks every initially marked trap. Removing places from the empty set in this
//! order therefore removes all initially marked places; left and rank record the order.
//!
//! # Sources
//! J. Esparza, S. Melzer, *Verification of safety properties using integer programming: beyond the
//! state equation*, FMSD 16, 2000 (the constraint); the order is that of the linear-time algorithm
//! for the largest trap, P. Starke, *Analyse von Petri-Netz-Modellen*, 1990.

use crate::encoding::EncodeError;
use crate::predicate::{TokenTerm, at_least};
use crate::variables::Variables;
use parikh_net::{EffectId, LinearSum, Net, PlaceId};
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::{Term, Variable};
use std::collections::HashMap;

/// Returns one constraint per trap in `traps`. Without firing counts (`with_firings` is false),
/// initially unmarked traps have no constraint.
///
/// # Errors
/// Returns [`EncodeError::NotATrap`] if a set of places is not a trap.
pub fn listed(
    variables: &mut Variables<'_>,
    traps: &[Vec<PlaceId>],
    with_firings: bool,
) -> Result<Vec<Term>, EncodeError> {
    let net = variables.net;
    let mut constraints = Vec::with_capacity(traps.len());
    for trap in traps {
        check_trap(net, trap)?;
        // The sum of ones over places does not overflow.
        let Ok(sum) = LinearSum::new(trap.iter().map(|&place| (place, 1))) else { continue };
        let sum = variables.sum(&sum);
        let marked = variables.terms.at_least(sum, 1);
        if trap.iter().any(|&place| net.initial()[place] > 0) {
            constraints.push(marked);
        } else if with_firings {
            let mut feeding = LinearExpression::new();
            for effect in feeders(net, trap) {
                if let Some(x) = variables.firings(effect) {
                    feeding.add(1, x);
                }
            }
            let never_fed = variables.terms.at_most(feeding, 0);
            constraints.push(variables.terms.or([never_fed, marked]));
        }
    }
    Ok(constraints)
}

/// Returns the classes that increase some place of the set, ascending.
fn feeders(net: &Net, set: &[PlaceId]) -> Vec<EffectId> {
    let producers = set.iter().flat_map(|&place| {
        let raises = move |effect: &EffectId| {
            net.effect(*effect).iter().any(|change| change.place == place && change.delta > 0)
        };
        net.producers(place).iter().map(|arc| net.effect_of(arc.transition)).filter(raises)
    });
    let mut classes: Vec<EffectId> = producers.collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// Returns an error if the set is not a trap.
fn check_trap(net: &Net, set: &[PlaceId]) -> Result<(), EncodeError> {
    let mut in_set = vec![false; net.place_count()];
    set.iter().for_each(|place| in_set[place.index()] = true);
    for arc in set.iter().flat_map(|&place| net.consumers(place)) {
        if !net.post(arc.transition).iter().any(|output| in_set[output.place.index()]) {
            return Err(EncodeError::NotATrap(net.transition_name(arc.transition).to_owned()));
        }
    }
    Ok(())
}

/// Returns constraints that are satisfiable exactly if the marking m marks every initially marked
/// trap. The number of constraints is linear in the size of the net.
pub fn all_constraints(variables: &mut Variables<'_>) -> Vec<Term> {
    let net = variables.net;
    let mut leaving = LeavingPlaces { variables: HashMap::new(), pending: Vec::new() };
    let mut constraints = Vec::new();
    // left(p): p is removed in the computation of the largest trap among the empty places.
    for (place, _) in net.initial().marked() {
        let (has_left, _) = leaving.of(variables, place);
        let tokens = variables.tokens(place).into();
        let is_marked = at_least(&mut variables.terms, tokens, 1);
        constraints.push(variables.terms.or([is_marked, has_left]));
    }
    while let Some(place) = leaving.pending.pop() {
        let (has_left, rank) = leaving.of(variables, place);
        let mut alternatives = vec![variables.terms.not(has_left)];
        for arc in net.consumers(place) {
            let outputs = net.post(arc.transition);
            // A transition that also produces tokens on `place` does not let the place leave.
            if outputs.iter().any(|output| output.place == place) {
                continue;
            }
            let mut conditions = Vec::with_capacity(outputs.len());
            for output in outputs {
                let (output_left, output_rank) = leaving.of(variables, output.place);
                let tokens: TokenTerm = variables.tokens(output.place).into();
                let marked = at_least(&mut variables.terms, tokens, 1);
                let rank_after_output = LinearExpression::variable(output_rank).plus_constant(1);
                let is_earlier = variables.terms.at_most(rank_after_output, rank);
                let output_left_before = variables.terms.and([output_left, is_earlier]);
                conditions.push(variables.terms.or([marked, output_left_before]));
            }
            alternatives.push(variables.terms.and(conditions));
        }
        constraints.push(variables.terms.or(alternatives));
    }
    constraints
}

/// The places with variables left(p) and rank(p): the initially marked places, and the outputs of
/// the transitions by which a place may leave. A place *leaves* when it is removed in the
/// computation of the largest trap among the empty places.
struct LeavingPlaces {
    /// The variables left(p) and rank(p) of each place.
    variables: HashMap<PlaceId, (Term, Variable)>,
    /// Places that have variables, but no constraint for left(p) yet.
    pending: Vec<PlaceId>,
}

impl LeavingPlaces {
    /// Returns the variables left(p) and rank(p) of a place, which are created at the first call.
    fn of(&mut self, variables: &mut Variables<'_>, place: PlaceId) -> (Term, Variable) {
        *self.variables.entry(place).or_insert_with(|| {
            self.pending.push(place);
            let name = variables.net.place_name(place);
            let left = variables.terms.boolean(&format!("left({name})"));
            (left, variables.number(&format!("rank({name})")))
        })
    }
}
