//! P-flows: weighted sums of tokens that no firing changes, Σ y(p)·m(p) = Σ y(p)·m₀(p).
//!
//! They follow from the state equation over the reals. Without the state equation, a basis of flows
//! excludes the same markings as the state equation with possibly negative firings, with far fewer
//! variables.
//!
//! # Sources
//! K. Lautenbach, *Liveness in Petri nets*, GMD-ISF 75-02.1, 1975.

use crate::encoding::EncodeError;
use crate::variables::Variables;
use parikh_net::{LinearSum, Net};
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::Term;

/// Returns one equation per flow.
///
/// # Errors
/// Returns [`EncodeError::NotAFlow`] if a firing changes a sum; every sum is checked against the
/// net.
pub fn constraints(
    variables: &mut Variables<'_>,
    flows: &[LinearSum],
) -> Result<Vec<Term>, EncodeError> {
    let net = variables.net;
    let mut equations = Vec::with_capacity(flows.len());
    for flow in flows {
        check_flow(net, flow)?;
        let sum = variables.sum(flow);
        let mut constant = LinearExpression::new();
        for &(place, y) in flow.terms() {
            constant.add_product(y, net.initial()[place]);
        }
        equations.push(variables.terms.equal(sum, constant));
    }
    Ok(equations)
}

/// Returns an error if some firing changes the sum.
pub(crate) fn check_flow(net: &Net, flow: &LinearSum) -> Result<(), EncodeError> {
    for &(place, _) in flow.terms() {
        let arcs = net.consumers(place).iter().chain(net.producers(place));
        for t in arcs.map(|arc| arc.transition) {
            // The sum is below 2¹²⁷: the coefficients add up to less than 2⁶³.
            let sum_change: i128 = net
                .delta(t)
                .iter()
                .map(|change| i128::from(flow.coefficient(change.place)) * i128::from(change.delta))
                .sum();
            if sum_change != 0 {
                return Err(EncodeError::NotAFlow(net.transition_name(t).to_owned()));
            }
        }
    }
    Ok(())
}
