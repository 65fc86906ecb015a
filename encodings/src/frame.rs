//! One marking of a sequence of consecutive markings, and its successor.

use crate::predicate::TokenTerm;
use crate::variables::Variables;
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::Term;

/// The tokens of every place in one marking of a sequence of markings, by place index.
pub(crate) type FrameTerms = Vec<TokenTerm>;

/// Returns the marking after `frame`, in which the tokens of each place differ by `changes`. A
/// changed place gets a new variable with `step` in its name; other places keep their terms.
/// `upper_bounds` bounds the tokens of each place in the new marking, with `None` for an unknown
/// bound. `frame`, `upper_bounds` and `changes` are indexed by place. Adds the equations of the new
/// tokens to `constraints`.
pub(crate) fn successor(
    variables: &mut Variables<'_>,
    frame: &FrameTerms,
    step: u32,
    upper_bounds: &[Option<u64>],
    changes: Vec<LinearExpression>,
    constraints: &mut Vec<Term>,
) -> FrameTerms {
    let net = variables.net;
    let mut successor = FrameTerms::with_capacity(frame.len());
    for ((place, tokens), mut sum) in net.places().zip(frame).zip(changes) {
        if sum == LinearExpression::new() {
            successor.push(*tokens);
            continue;
        }
        if let Some(variable) = tokens.variable {
            sum.add(1, variable);
        }
        sum.add_constant(tokens.offset);
        let name = format!("m{step}({})", net.place_name(place));
        let next = variables.number_up_to(&name, upper_bounds[place.index()]);
        constraints.push(variables.terms.equal(next, sum));
        successor.push(next.into());
    }
    successor
}
