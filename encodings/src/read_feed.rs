//! Read ⇒ feed: tokens that are needed but missing initially were produced by other classes.
//!
//! The state equation ignores tokens that a transition consumes and produces again: the transition
//! could fire although the place is empty. But when class e fires for the *first* time, by its
//! transition t, every place p of t holds pre(p,t) tokens, and no firing of e has contributed. So
//!
//! ```text
//! x(e) = 0  ∨  ∨ t of class e  ∧ p: pre(p,t) > m₀(p), post(p,t) > 0
//!                 Σ j ≠ e, C(p,j) > 0:  C(p,j)·x(j)  ≥  pre(p,t) − m₀(p)
//! ```
//!
//! Places from which t only consumes are left out, because the state equation covers them. A class
//! with a transition that needs no such tokens has no constraint.
//!
//! # Sources
//! Y. Thierry-Mieg, *Structural reductions revisited*, Petri Nets 2020 (self-loops in ITS-Tools).

use crate::variables::Variables;
use parikh_net::{EffectId, Net, PlaceId};
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::Term;

/// Returns one constraint per effect class. There is no constraint for the class without effect,
/// and for a class with a transition that does not read missing tokens. A transition reads missing
/// tokens if it returns tokens to a place with fewer initial tokens than it takes.
pub fn constraints(variables: &mut Variables<'_>) -> Vec<Term> {
    let net = variables.net;
    let mut constraints = Vec::new();
    'classes: for effect in net.effect_classes() {
        let Some(x) = variables.firings(effect) else { continue };
        let mut alternatives = vec![variables.terms.at_most(x, 0)];
        for &t in net.class(effect) {
            let mut conditions = Vec::new();
            for arc in net.pre(t) {
                let initial_tokens = net.initial()[arc.place];
                if arc.weight > initial_tokens && net.post_weight(t, arc.place) > 0 {
                    let produced = produced_by_others(variables, arc.place, effect);
                    conditions
                        .push(variables.terms.at_least(produced, arc.weight - initial_tokens));
                }
            }
            if conditions.is_empty() {
                continue 'classes;
            }
            alternatives.push(variables.terms.and(conditions));
        }
        constraints.push(variables.terms.or(alternatives));
    }
    constraints
}

/// Returns the tokens that classes other than `consumer` produce on `place`, as a sum over firings.
fn produced_by_others(
    variables: &Variables<'_>,
    place: PlaceId,
    consumer: EffectId,
) -> LinearExpression {
    let mut sum = LinearExpression::new();
    for (effect, delta) in feeders(variables.net, place) {
        if let (true, Some(x)) = (effect != consumer, variables.firings(effect)) {
            sum.add(delta, x);
        }
    }
    sum
}

/// Returns the classes that increase `place`, ascending, each with its increase.
pub(crate) fn feeders(net: &Net, place: PlaceId) -> Vec<(EffectId, i64)> {
    let mut classes: Vec<EffectId> =
        net.producers(place).iter().map(|arc| net.effect_of(arc.transition)).collect();
    classes.sort_unstable();
    classes.dedup();
    let increase = |effect: EffectId| {
        let changes = net.effect(effect);
        let index = changes.binary_search_by_key(&place, |change| change.place).ok()?;
        (changes[index].delta > 0).then_some((effect, changes[index].delta))
    };
    classes.into_iter().filter_map(increase).collect()
}
