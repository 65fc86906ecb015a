//! Steps: many transitions at once, each any number of times, in any order.
//!
//! fire(i,t) ≥ 0 is the number of firings of t in the i-th step. The tokens that a step takes must
//! be there before the step, whatever it produces. Then its firings are possible one after another,
//! in any order.
//!
//! ```text
//! left(i,p) = mᵢ(p) − Σ taken(t,p)·fire(i,t) ≥ 0          taken = max(0, pre − post)
//! fire(i,t) = 0  ∨  left(i,p) ≥ read(t,p)                  read = min(pre, post), where it is not 0
//! mᵢ₊₁(p)   = left(i,p) + Σ put(t,p)·fire(i,t)             put = max(0, post − pre)
//! ```
//!
//! The encoding is linear in the size of the net times the number of steps, and has disjunctions
//! only for reads. Moving a thousand million tokens from one place to the next is one step; so are
//! all firings of independent transitions.
//!
//! # Soundness
//! Before any firing of t in any order, p has lost at most the tokens that all other firings of the
//! step take. It therefore holds at least left + taken(t,p) ≥ read + taken = pre(t,p). Every single
//! firing is a step, so k steps reach everything that k firings reach.
//!
//! # Sources
//! E. Best, R. Devillers, *Sequential and concurrent behaviour in Petri net theory*, TCS 55, 1987
//! (steps); K. Heljanko, *Bounded reachability checking with process semantics*, CONCUR 2001 (in
//! bounded model checking).

use crate::frame::{self, FrameTerms};
use crate::variables::Variables;
use parikh_net::TransitionId;
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::{Term, Variable};

/// Returns the marking after one more step, and the firing counts of this step. Transitions without
/// effect have no firing count. Adds the constraints of the step to `constraints`. `before` and
/// `after` have upper bounds of the tokens before and after the step, by place index. `None` means
/// that no bound is known.
pub(crate) fn after_step(
    variables: &mut Variables<'_>,
    frame: &FrameTerms,
    step: u32,
    (before, after): (&[Option<u64>], &[Option<u64>]),
    constraints: &mut Vec<Term>,
) -> (FrameTerms, Vec<(TransitionId, Variable)>) {
    let net = variables.net;
    let mut firing_counts = Vec::new();
    // The tokens taken from each place, as a negative sum, and the total change of each place.
    let mut taken = vec![LinearExpression::new(); net.place_count()];
    let mut change = vec![LinearExpression::new(); net.place_count()];
    let mut is_read = vec![false; net.place_count()];
    for t in net.transitions().filter(|&t| !net.delta(t).is_empty()) {
        let max_firings = net.delta(t).iter().filter_map(|change| {
            let place_index = change.place.index();
            let max_tokens =
                if change.delta < 0 { before[place_index] } else { after[place_index] };
            Some(max_tokens? / change.delta.unsigned_abs())
        });
        let name = format!("fire({step},{})", net.transition_name(t));
        let fire = variables.number_up_to(&name, max_firings.min());
        constraints.push(variables.terms.at_least(fire, 0));
        firing_counts.push((t, fire));
        for delta in net.delta(t) {
            change[delta.place.index()].add(delta.delta, fire);
            if delta.delta < 0 {
                taken[delta.place.index()].add(delta.delta, fire);
            }
        }
        net.pre(t).iter().for_each(|arc| {
            is_read[arc.place.index()] |= net.post_weight(t, arc.place) > 0;
        });
    }
    let mut remaining = Vec::with_capacity(frame.len());
    for (place, (tokens, taken)) in net.places().zip(frame.iter().zip(taken)) {
        let is_untouched = taken == LinearExpression::new();
        let mut sum = taken.plus_constant(tokens.offset);
        if let Some(variable) = tokens.variable {
            sum.add(1, variable);
        }
        // The remaining tokens of a place get a variable if the place is both taken from and read.
        // Several constraints then refer to the remaining tokens.
        if !is_untouched && is_read[place.index()] {
            let name = format!("left{step}({})", net.place_name(place));
            let variable = variables.number_up_to(&name, before[place.index()]);
            constraints.push(variables.terms.equal(variable, sum));
            sum = variable.into();
        }
        if !is_untouched {
            constraints.push(variables.terms.at_least(sum.clone(), 0));
        }
        remaining.push(sum);
    }
    for &(t, fire) in &firing_counts {
        let mut reads = Vec::new();
        for arc in net.pre(t) {
            let read = arc.weight.min(net.post_weight(t, arc.place));
            if read > 0 {
                reads.push(variables.terms.at_least(remaining[arc.place.index()].clone(), read));
            }
        }
        let idle = variables.terms.at_most(fire, 0);
        let has_reads = variables.terms.and(reads);
        constraints.push(variables.terms.or([idle, has_reads]));
    }
    (frame::successor(variables, frame, step, after, change, constraints), firing_counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unrolling::{MarkingSequence, StepKind};
    use crate::variables::Numbers;
    use parikh_net::{Facts, Predicate, text};
    use parikh_solvers::model::SolverModel;

    /// Checks steps from the initial marking, given as firing counts of `move`, `take` and `spare`.
    /// The constraints must hold exactly for the allowed steps.
    #[test]
    fn steps_have_exactly_the_allowed_firing_counts() {
        let net = text::parse(
            "place p 5\nplace lock 1\nplace q
             transition move: 2*p + lock -> q + lock\ntransition take: lock -> q
             transition spare: 3*p -> 2*p",
        )
        .unwrap();
        for (firings, allowed) in [
            ([0, 0, 0], true),
            ([2, 0, 0], true),
            ([3, 0, 0], false),
            // The lock is read and taken: doing both in one step would depend on the order.
            ([1, 1, 0], false),
            ([0, 1, 3], true),
            // The fourth firing of `spare` finds only two tokens and needs three.
            ([0, 1, 4], false),
            ([1, 0, 1], true),
            ([1, 0, 2], false),
        ] {
            let mut variables = Variables::new(&net, Numbers::Integers, &Facts::empty(&net));
            let mut sequence = MarkingSequence::initial(&variables);
            let constraints = sequence.extend(&mut variables, StepKind::Step);
            let mut model = SolverModel::new();
            let fired = sequence.fired()[0].clone();
            fired.iter().zip(firings).for_each(|(&(_, fire), n)| model.set_integer(fire, n));
            let [moved, took, spared] = firings;
            let (p, lock) = (5 - 2 * moved - spared, 1 - took);
            for (name, value) in [
                ("m1(p)", p),
                ("left1(p)", p),
                ("left1(lock)", lock),
                ("m1(lock)", lock),
                ("m1(q)", moved + took),
            ] {
                let variable = variables.terms.integer(name);
                model.set_integer(variable, value);
            }
            assert_eq!(
                model.evaluate_all(&variables.terms, &constraints),
                Some(allowed),
                "{firings:?}"
            );
            let has_token_on_q = Predicate::at_least(net.place_named("q").unwrap(), 1);
            let some = sequence.predicate_term(&mut variables, &has_token_on_q, 1);
            assert_eq!(model.evaluate(&variables.terms, some), Some(moved + took > 0));
        }
    }
}
