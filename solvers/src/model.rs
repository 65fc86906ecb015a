//! Values of variables, and the exact evaluation of terms: the independent check of an SMT solver's
//! model.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use crate::term::{Node, Term, Terms, Variable};

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelValue {
    /// The value of a Boolean variable.
    Truth(bool),
    /// The value of a numeric variable: an integer, a real number, or the unsigned value of a
    /// bit-vector.
    Number(BigRational),
}

/// Values for the variables of an arena.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SolverModel {
    /// The values, indexed by variable; `None` for unknown values. Variables beyond the end have no
    /// known value.
    values: Vec<Option<ModelValue>>,
}

impl SolverModel {
    /// Creates a model without values.
    pub fn new() -> Self {
        SolverModel::default()
    }

    /// Sets the value of a variable.
    pub fn set(&mut self, variable: Variable, value: ModelValue) {
        if self.values.len() <= variable.index() {
            self.values.resize(variable.index() + 1, None);
        }
        self.values[variable.index()] = Some(value);
    }

    /// Sets a numeric variable to an integer.
    pub fn set_integer(&mut self, variable: Variable, value: impl Into<BigInt>) {
        self.set(variable, ModelValue::Number(BigRational::from_integer(value.into())));
    }

    /// Returns the value of a variable, if known.
    pub fn value(&self, variable: Variable) -> Option<&ModelValue> {
        self.values.get(variable.index())?.as_ref()
    }

    /// Returns the value of a numeric variable, if known.
    pub fn number(&self, variable: Variable) -> Option<&BigRational> {
        match self.value(variable)? {
            ModelValue::Number(number) => Some(number),
            ModelValue::Truth(_) => None,
        }
    }

    /// Returns the value of a numeric variable, if known and an integer.
    pub fn integer(&self, variable: Variable) -> Option<BigInt> {
        self.number(variable).filter(|number| number.is_integer()).map(BigRational::to_integer)
    }

    /// Evaluates `term` under this model. Returns `None` if a Boolean variable in it has no truth
    /// value, or a numeric variable has no number.
    pub fn evaluate(&self, terms: &Terms, term: Term) -> Option<bool> {
        self.evaluate_all(terms, &[term])
    }

    /// Returns true if all of `roots` are true under this model, and otherwise false. Returns
    /// `None` if a Boolean variable in them has no truth value, or a numeric variable has no
    /// number. Takes time linear in the size of the terms.
    pub fn evaluate_all(&self, terms: &Terms, roots: &[Term]) -> Option<bool> {
        let order = terms.reachable(roots.iter().copied());
        let size = order.last().map_or(0, |term| term.index() + 1);
        let mut truth = vec![false; size];
        for term in order {
            let value = match terms.node(term) {
                Node::Truth(value) => *value,
                Node::Boolean(variable) => match self.value(*variable)? {
                    ModelValue::Truth(value) => *value,
                    ModelValue::Number(_) => return None,
                },
                Node::Not(part) => !truth[part.index()],
                Node::And(parts) => parts.iter().all(|part| truth[part.index()]),
                Node::Or(parts) => parts.iter().any(|part| truth[part.index()]),
                Node::AtMost(entries, bound) => {
                    self.sum(entries)? <= BigRational::from_integer(bound.clone())
                }
                Node::Equal(entries, bound) => {
                    self.sum(entries)? == BigRational::from_integer(bound.clone())
                }
            };
            truth[term.index()] = value;
        }
        Some(roots.iter().all(|root| truth[root.index()]))
    }

    fn sum(&self, entries: &[(Variable, i128)]) -> Option<BigRational> {
        let mut sum = BigRational::zero();
        for &(variable, coefficient) in entries {
            sum += self.number(variable)? * BigInt::from(coefficient);
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear_expression::LinearExpression;

    #[test]
    fn terms_are_evaluated_exactly_and_only_when_all_values_are_known() {
        let mut terms = Terms::new();
        let (x, y) = (terms.integer("x"), terms.real("y"));
        let sum = LinearExpression::new().plus(3, y).plus(1, x);
        let (exact, below) = (terms.equal(sum.clone(), 3), terms.less(sum, 3));
        let mut model = SolverModel::new();
        model.set_integer(x, 2);
        assert_eq!(model.evaluate(&terms, exact), None);
        model.set(y, ModelValue::Number(BigRational::new(1.into(), 3.into())));
        assert_eq!(model.evaluate(&terms, exact), Some(true));
        assert_eq!(model.evaluate(&terms, below), Some(false));
        assert_eq!(model.evaluate_all(&terms, &[exact, below]), Some(false));
        assert_eq!(model.evaluate_all(&terms, &[]), Some(true));
        assert_eq!((model.integer(x), model.integer(y)), (Some(2.into()), None));
    }
}
