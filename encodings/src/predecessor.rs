//! The predecessor constraint: the *first* goal marking of a sequence is reached from a marking
//! that is not a goal marking, by a firing that changes a place of the goal.
//!
//! ```text
//! ∨ e that changes a place of the goal:
//!     ¬R(m − C(e))  ∧  x(e) ≥ 1  ∧  ∨ t of class e: m ≥ post(t)
//! ```
//!
//! This is one step of k-induction, combined with the state equation. If the initial marking is a
//! goal marking, there is no constraint.
//!
//! # Sources
//! Y. Thierry-Mieg, *Structural reductions revisited*, Petri Nets 2020 (in ITS-Tools).

use crate::predicate::{TokenTerm, at_least, predicate_term};
use crate::variables::Variables;
use parikh_net::{EffectId, PlaceId, Predicate};
use parikh_solvers::term::Term;

/// Returns one disjunction over the effect classes that change places of the goal. An effect class
/// is a set of transitions with equal effect. Returns no constraint if m₀ is a goal marking.
pub fn constraints(variables: &mut Variables<'_>, goal: &Predicate) -> Vec<Term> {
    let net = variables.net;
    if goal.holds(net, net.initial()) {
        return Vec::new();
    }
    let mut in_support = vec![false; net.place_count()];
    goal.support(net).into_iter().for_each(|place| in_support[place.index()] = true);
    let negated_goal = goal.clone().negated();
    let mut alternatives = Vec::new();
    for effect in net.effect_classes() {
        if net.effect(effect).iter().any(|change| in_support[change.place.index()]) {
            alternatives.extend(last_step(variables, effect, &negated_goal));
        }
    }
    vec![variables.terms.or(alternatives)]
}

/// Returns the term that the last firing is of effect class `effect`, and leads to m from a marking
/// that is no goal marking. Returns `None` for the class without effect.
fn last_step(
    variables: &mut Variables<'_>,
    effect: EffectId,
    negated_goal: &Predicate,
) -> Option<Term> {
    let net = variables.net;
    let x = variables.firings(effect)?;
    let changes = net.effect(effect);
    let marking: Vec<_> = net.places().map(|place| variables.tokens(place)).collect();
    let tokens_before = |place: PlaceId| {
        let place_delta = changes.binary_search_by_key(&place, |change| change.place);
        let place_delta = place_delta.map_or(0, |position| changes[position].delta);
        // Changes are differences of numbers below 2⁶³, so the negation does not overflow.
        TokenTerm { variable: Some(marking[place.index()]), offset: -place_delta }
    };
    let terms = &mut variables.terms;
    let is_no_goal_before = predicate_term(terms, net, negated_goal, &tokens_before);
    let fires = terms.at_least(x, 1);
    let mut produced_by = Vec::new();
    for &t in net.class(effect) {
        let outputs = net.post(t).iter();
        let conditions: Vec<Term> = outputs
            .map(|arc| at_least(terms, marking[arc.place.index()].into(), arc.weight))
            .collect();
        produced_by.push(terms.and(conditions));
    }
    let produced_by = terms.or(produced_by);
    Some(terms.and([is_no_goal_before, fires, produced_by]))
}
