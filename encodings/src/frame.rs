//! One marking of a sequence of consecutive markings, and its successor.

use crate::predicate::TokenTerm;
use crate::variables::Variables;
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::Term;

/// The tokens of every place in one marking of the sequence.
pub(crate) type FrameTerms = Vec<TokenTerm>;

/// Returns the marking after `frame`, with the change `more` of each place. Each place holds at
/// most `most` tokens afterwards.
pub(crate) fn after(
    variables: &mut Variables<'_>,
    frame: &FrameTerms,
    step: u32,
    most: &[Option<u64>],
    more: Vec<LinearExpression>,
    constraints: &mut Vec<Term>,
) -> FrameTerms {
    let net = variables.net;
    let mut after = FrameTerms::with_capacity(frame.len());
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
