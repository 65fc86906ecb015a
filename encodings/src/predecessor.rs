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

use crate::predicate::{TokenTerm, at_least, holds};
use crate::variables::Variables;
use parikh_net::{EffectId, PlaceId, Predicate};
use parikh_solvers::term::Term;

/// Returns one disjunction over the classes that change places of the goal. Returns none if m₀ is a
/// goal marking.
pub fn constraints(variables: &mut Variables<'_>, goal: &Predicate) -> Vec<Term> {
    let net = variables.net;
    if goal.holds(net, net.initial()) {
        return Vec::new();
    }
    let mut matters = vec![false; net.place_count()];
    goal.support(net).into_iter().for_each(|place| matters[place.index()] = true);
    let not_yet = goal.clone().negated();
    let mut ways = Vec::new();
    for effect in net.effect_classes() {
        if net.effect(effect).iter().any(|change| matters[change.place.index()]) {
            ways.extend(last_step(variables, effect, &not_yet));
        }
    }
    vec![variables.terms.or(ways)]
}

fn last_step(variables: &mut Variables<'_>, effect: EffectId, not_yet: &Predicate) -> Option<Term> {
    let net = variables.net;
    let x = variables.firings(effect)?;
    let changes = net.effect(effect);
    let marking: Vec<_> = net.places().map(|place| variables.tokens(place)).collect();
    let before = |place: PlaceId| {
        let gained = changes.binary_search_by_key(&place, |change| change.place);
        let gained = gained.map_or(0, |at| changes[at].delta);
        // Changes are differences of numbers below 2⁶³, so the negation does not overflow.
        TokenTerm { variable: Some(marking[place.index()]), offset: -gained }
    };
    let terms = &mut variables.terms;
    let was_none = holds(terms, net, not_yet, &before);
    let fires = terms.at_least(x, 1);
    let mut by = Vec::new();
    for &t in net.class(effect) {
        let puts = net.post(t).iter();
        let all: Vec<Term> = puts
            .map(|arc| at_least(terms, marking[arc.place.index()].into(), arc.weight))
            .collect();
        by.push(terms.and(all));
    }
    let by = terms.or(by);
    Some(terms.and([was_none, fires, by]))
}
