//! Evaluates predicates at nodes with ω.
//!
//! A predicate *eventually holds* at a node if it holds in all markings that the node represents
//! with enough tokens on its ω places. A sum is decided if its ω places all have coefficients of
//! the same sign. For example, p + q ≥ 7 holds if p is ω, and p ≤ 3 does not. A sum with ω places
//! of both signs is undecided, and its comparison counts as false. Predicates are in negation
//! normal form, so counting a part as false never makes a predicate true.

use super::firing_sequences::TokenDemand;
use parikh_net::{Atom, Net, PlaceId, Predicate, TransitionId};
use parikh_structure::graph::omega::OMEGA;

/// The value of a sum in the markings that a node represents.
enum CoverabilityValue {
    /// The value of a sum without ω places.
    Finite(i128),
    /// The sum grows without bound: its ω places have positive coefficients.
    Grows,
    /// The sum falls without bound: its ω places have negative coefficients.
    Falls,
    /// The sum has ω places with both signs.
    Unknown,
}

/// Returns the value of the atom's sum at a node with these tokens.
fn value(atom: &Atom, tokens: &[u64]) -> CoverabilityValue {
    let (mut finite_part, mut grows, mut falls) = (0i128, false, false);
    for &(place, a) in atom.sum.terms() {
        match tokens[place.index()] {
            OMEGA if a > 0 => grows = true,
            OMEGA => falls = true,
            // Coefficients are limited so that values fit.
            count => finite_part += i128::from(a) * i128::from(count),
        }
    }
    match (grows, falls) {
        (false, false) => CoverabilityValue::Finite(finite_part),
        (true, false) => CoverabilityValue::Grows,
        (false, true) => CoverabilityValue::Falls,
        (true, true) => CoverabilityValue::Unknown,
    }
}

fn is_enabled(net: &Net, tokens: &[u64], t: TransitionId) -> bool {
    net.pre(t).iter().all(|arc| tokens[arc.place.index()] >= arc.weight)
}

/// Returns true if the predicate holds in the markings that the node represents, as soon as the ω
/// places have enough tokens. Returns false if it does not hold, and if it depends on a sum with ω
/// places of both signs, which is undecided. Adds the approximate work to `work`.
pub(super) fn holds(net: &Net, tokens: &[u64], predicate: &Predicate, work: &mut u64) -> bool {
    *work += 1;
    let enabled = |t: TransitionId| is_enabled(net, tokens, t);
    match predicate {
        Predicate::True => true,
        Predicate::False => false,
        Predicate::Atom(atom) => {
            *work += atom.sum.terms().len() as u64;
            match value(atom, tokens) {
                CoverabilityValue::Finite(value) => value <= atom.bound.into(),
                CoverabilityValue::Falls => true,
                CoverabilityValue::Grows | CoverabilityValue::Unknown => false,
            }
        }
        Predicate::Enabled(t) => enabled(*t),
        Predicate::Disabled(t) => !enabled(*t),
        Predicate::Dead | Predicate::NotDead => {
            *work += net.transition_count() as u64;
            net.transitions().any(enabled) == (*predicate == Predicate::NotDead)
        }
        Predicate::And(operands) => {
            operands.iter().all(|operand| holds(net, tokens, operand, work))
        }
        Predicate::Or(operands) => operands.iter().any(|operand| holds(net, tokens, operand, work)),
    }
}

/// Adds to `demand` the tokens on ω places with which the predicate holds. May also add entries for
/// places without ω, which the caller must ignore. The predicate must [hold](holds) at the node.
pub(super) fn add_demands(
    net: &Net,
    tokens: &[u64],
    predicate: &Predicate,
    demand: &mut TokenDemand,
) {
    match predicate {
        Predicate::Atom(atom) => {
            let (falling, finite_terms): (Vec<(PlaceId, i64)>, Vec<_>) =
                atom.sum.terms().iter().partition(|(place, _)| tokens[place.index()] == OMEGA);
            let term_value =
                |&(place, a): &(PlaceId, i64)| i128::from(a) * i128::from(tokens[place.index()]);
            let finite_value: i128 = finite_terms.iter().map(term_value).sum();
            // All ω places of a true atom decrease the sum. Each gets the same demand, so that
            // together they suffice.
            let weight: i128 = falling.iter().map(|&(_, a)| -i128::from(a)).sum();
            let missing = finite_value - i128::from(atom.bound);
            if missing > 0 && weight > 0 {
                let demand_each = (missing + weight - 1) / weight;
                falling.iter().for_each(|&(place, _)| raise_demand(demand, place, demand_each));
            }
        }
        Predicate::Enabled(t) => {
            net.pre(*t).iter().for_each(|arc| raise_demand(demand, arc.place, arc.weight.into()));
        }
        Predicate::NotDead => {
            if let Some(t) = net.transitions().find(|&t| is_enabled(net, tokens, t)) {
                add_demands(net, tokens, &Predicate::Enabled(t), demand);
            }
        }
        Predicate::And(operands) => {
            operands.iter().for_each(|operand| add_demands(net, tokens, operand, demand))
        }
        Predicate::Or(operands) => {
            if let Some(operand) =
                operands.iter().find(|operand| holds(net, tokens, operand, &mut 0))
            {
                add_demands(net, tokens, operand, demand);
            }
        }
        // Other predicates hold because of places with finite counts.
        Predicate::True | Predicate::False | Predicate::Disabled(_) | Predicate::Dead => {}
    }
}

/// Raises the demand on a place to at least `tokens`.
fn raise_demand(demand: &mut TokenDemand, place: PlaceId, tokens: i128) {
    let current = demand.entry(place).or_insert(tokens);
    *current = tokens.max(*current);
}
