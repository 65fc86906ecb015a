//! Causal order: the first firings of the classes can be ordered so that each one finds its tokens.
//!
//! Let first(e) be the time of the first firing of effect class e. If e fires first by its
//! transition t, consider every place of t with too few tokens initially. Some other class that
//! increases this place has fired before.
//!
//! ```text
//! x(e) = 0  ∨  ∨ t of class e  ∧ p: pre(p,t) > m₀(p)  ∨ j ≠ e, C(p,j) > 0:
//!                 x(j) ≥ 1  ∧  first(j) + 1 ≤ first(e)
//! ```
//!
//! The constraint excludes cycles of firings that provide tokens for each other, whatever the
//! amounts; read ⇒ feed excludes amounts that are too small, whatever the order. It has many
//! disjunctions, so it serves for few goals that resist all other parts.
//!
//! # Sources
//! Y. Thierry-Mieg, *Structural reductions revisited*, Petri Nets 2020; cf. the potential
//! reachability graphs of K. L. McMillan and the event orders of V. Khomenko, M. Koutny, *LP
//! deadlock checking using partial order dependencies*, CONCUR 2000.

use crate::read_feed::feeders;
use crate::variables::Variables;
use parikh_net::{EffectId, PlaceId};
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::{Term, Variable};

/// Returns one constraint per effect class (transitions with equal effect) in which every
/// transition needs tokens that are missing initially. The class without effect has no constraint.
pub fn constraints(variables: &mut Variables<'_>) -> Vec<Term> {
    let net = variables.net;
    let mut constraints = Vec::new();
    'classes: for effect in net.effect_classes() {
        let Some(x) = variables.firings(effect) else { continue };
        let mut alternatives = vec![variables.terms.at_most(x, 0)];
        for &t in net.class(effect) {
            let mut conditions = Vec::new();
            for arc in net.pre(t).iter().filter(|arc| arc.weight > net.initial()[arc.place]) {
                conditions.push(is_fed_before(variables, arc.place, effect));
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

/// Returns the term that another effect class increases `place`, and first fires before the first
/// firing of class `consumer`.
fn is_fed_before(variables: &mut Variables<'_>, place: PlaceId, consumer: EffectId) -> Term {
    let consumer_time = first_firing_time(variables, consumer);
    let mut alternatives = Vec::new();
    for (effect, _) in feeders(variables.net, place) {
        if let (true, Some(x)) = (effect != consumer, variables.firings(effect)) {
            let feeder_time = first_firing_time(variables, effect);
            let fires = variables.terms.at_least(x, 1);
            let time_after_feeder = LinearExpression::variable(feeder_time).plus_constant(1);
            let is_earlier = variables.terms.at_most(time_after_feeder, consumer_time);
            alternatives.push(variables.terms.and([fires, is_earlier]));
        }
    }
    variables.terms.or(alternatives)
}

/// Returns the variable for the time of the first firing of an effect class.
fn first_firing_time(variables: &mut Variables<'_>, effect: EffectId) -> Variable {
    variables.class_number("first", effect)
}
