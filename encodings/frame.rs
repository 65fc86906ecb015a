//! One marking of a row of markings that follow each other, and the one after it.

use crate::predicate::Tokens;
use crate::variables::Variables;
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::Term;

/// Where every place stands in one marking of the row.
pub(crate) type Frame = Vec<Tokens>;

/// The marking that has so much more of each place, and at most `most` of it.
pub(crate) fn after(
    variables: &mut Variables<'_>,
    frame: &Frame,
    step: u32,
    most: &[Option<u64>],
    more: Vec<LinearExpression>,
    constraints: &mut Vec<Term>,
) -> Frame {
    let net = variables.net;
    let mut after = Frame::with_capacity(frame.len());
    for ((place, tokens), mut sum) in net.places().zip(frame).zip(more) {
        if sum == LinearExpression::new() {
            after.push(*tokens);
            continue;
        }
        if let Some(variable) = tokens.variable {
            sum.add(1, variable);
        }
        sum.add_constant(tokens.offset);
        let name = format!("m{step}({})", net.place_name(place));
        let next = variables.number_up_to(&name, most[place.index()]);
        constraints.push(variables.terms.equal(next, sum));
        after.push(next.into());
    }
    after
}
