//! Unrolled firings: the markings m₀, m₁, … mₖ and which transition leads from each to the next.
//!
//! fire(i,t) is 0 or 1 and says that t fires as the i-th; at most one does, or exactly one.
//!
//! ```text
//! mᵢ₊₁(p) = mᵢ(p) + Σ C(p,t)·fire(i,t)        fire(i,t) = 0  ∨  mᵢ ≥ pre(t)
//! ```
//!
//! linear in net times k. Transitions without effect are left out.
//!
//! **Bounded model checking** starts in the initial marking and allows pauses, so that the goal is
//! asked of mₖ only: satisfiable if and only if the goal is reached by at most k firings.
//!
//! **The step case of k-induction** starts in any marking that satisfies the other parts of the
//! encoding, demands that all but the last marking are no goal markings, and allows no pauses. If it
//! has no solution, and no goal marking is reached by fewer than k firings (the base case: the above
//! with k − 1), the goal is unreachable: the shortest sequence to it would end in a solution.
//!
//! # Sources
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999;
//! M. Sheeran, S. Singh, G. Stålmarck, *Checking safety properties using induction and a SAT-solver*,
//! FMCAD 2000.

use crate::predicate::{Tokens, enabled, holds};
use crate::variables::Variables;
use parikh_net::{Marking, PlaceId, Predicate};
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::Term;

/// Where every place stands in one marking of the row.
type Frame = Vec<Tokens>;

/// At most `steps` firings from the initial marking; the constraints, and the goal of the last.
pub fn bounded(variables: &mut Variables<'_>, goal: &Predicate, steps: u32) -> (Vec<Term>, Term) {
    let net = variables.net;
    let initially =
        |place| Tokens::known(Marking::tokens(net.initial())[PlaceId::index(place)] as i64);
    let mut frame: Frame = net.places().map(initially).collect();
    let mut constraints = Vec::new();
    for step in 1..=steps {
        frame = next(variables, &frame, step, true, &mut constraints);
    }
    let goal = holds(&mut variables.terms, net, goal, &|place| frame[place.index()]);
    (constraints, goal)
}

/// `steps` firings from the marking m of the other parts to the first goal marking; the constraints,
/// and the goal of the last.
pub fn induction(variables: &mut Variables<'_>, goal: &Predicate, steps: u32) -> (Vec<Term>, Term) {
    let net = variables.net;
    let mut frame: Frame = net.places().map(|place| variables.tokens(place).into()).collect();
    let not_yet = goal.clone().negated();
    let mut constraints = Vec::new();
    for step in 1..=steps {
        let none = holds(&mut variables.terms, net, &not_yet, &|place| frame[place.index()]);
        constraints.push(none);
        frame = next(variables, &frame, step, false, &mut constraints);
    }
    let goal = holds(&mut variables.terms, net, goal, &|place| frame[place.index()]);
    (constraints, goal)
}

/// The marking after one firing more, or after a pause where `pauses` are allowed.
fn next(
    variables: &mut Variables<'_>,
    frame: &Frame,
    step: u32,
    pauses: bool,
    constraints: &mut Vec<Term>,
) -> Frame {
    let net = variables.net;
    let mut sums: Vec<LinearExpression> = vec![LinearExpression::new(); net.place_count()];
    let mut one = LinearExpression::new();
    for t in net.transitions().filter(|&t| !net.delta(t).is_empty()) {
        let fire = variables.number(&format!("fire({step},{})", net.transition_name(t)));
        let terms = &mut variables.terms;
        let idle = terms.equal(fire, 0);
        let fires = terms.equal(fire, 1);
        let can = enabled(terms, net, t, &|place| frame[place.index()]);
        let firing = terms.and([fires, can]);
        constraints.push(terms.or([idle, firing]));
        one.add(1, fire);
        for change in net.delta(t) {
            sums[change.place.index()].add(change.delta, fire);
        }
    }
    constraints.push(match pauses {
        true => variables.terms.at_most(one, 1),
        false => variables.terms.equal(one, 1),
    });
    let mut after = Frame::with_capacity(frame.len());
    for ((place, tokens), mut sum) in net.places().zip(frame).zip(sums) {
        if sum == LinearExpression::new() {
            after.push(*tokens);
            continue;
        }
        if let Some(variable) = tokens.variable {
            sum.add(1, variable);
        }
        sum.add_constant(tokens.offset);
        let next = variables.number(&format!("m{step}({})", net.place_name(place)));
        constraints.push(variables.terms.equal(next, sum));
        after.push(next.into());
    }
    after
}
