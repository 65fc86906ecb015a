//! Conjunctions of linear constraints as linear programs.
//!
//! This module lets one encoding serve as terms and as a linear program, if it has no disjunctions.
//! A constraint on one variable with coefficient ±1 becomes a bound of its column; any other
//! constraint becomes a row. Over integers the program is the relaxation; callers decide whether
//! its columns are integers.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

use crate::linear_expression::LinearExpression;
use crate::linear_program::{Column, Interval, LinearProgram, ProgramError, Sense};
use crate::symbols;
use crate::term::{Node, Term, Terms, Variable};

/// A linear program with the variables of its columns.
#[derive(Clone, Debug)]
pub struct Linear {
    /// The program.
    pub program: LinearProgram,
    /// The variables, indexed by column.
    pub variables: Vec<Variable>,
    /// Constant part of the objective, which the program itself cannot contain.
    pub constant: BigInt,
}

/// The reason why terms cannot be expressed as a linear program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotLinear {
    /// There is a disjunction, a Boolean variable, or a negation of something other than an
    /// inequality.
    #[error("it has disjunctions, which a linear program cannot express")]
    Disjunction,
    /// A strict inequality over reals.
    #[error("it has a strict inequality over the reals")]
    Strict,
    /// A number exceeds 64 bits.
    #[error("its numbers do not fit 64 bits")]
    TooLarge,
    /// There are more than 2³² columns or rows.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

impl Linear {
    /// Builds the program whose solutions satisfy all of `assertions`. Its objective is to maximise
    /// `maximise`, or 0 if this is `None`.
    ///
    /// # Errors
    /// Returns [`NotLinear`] if the terms cannot be expressed as a linear program.
    pub fn new(
        terms: &Terms,
        assertions: &[Term],
        maximise: Option<&LinearExpression>,
    ) -> Result<Self, NotLinear> {
        let program = LinearProgram::new(Sense::Maximise);
        let mut linear = Linear { program, variables: Vec::new(), constant: BigInt::ZERO };
        let mut columns = HashMap::new();
        linear.add(terms, assertions, &mut columns)?;
        if let Some(sum) = maximise {
            let (entries, constant) = sum.clone().into_parts();
            let costs = linear.entries(&entries, &mut columns)?;
            linear.program.set_objective(Sense::Maximise, costs)?;
            linear.constant = constant;
        }
        Ok(linear)
    }

    /// Returns the same program with further assertions.
    ///
    /// # Errors
    /// Returns [`NotLinear`] if the terms cannot be expressed as a linear program.
    pub fn with_assertions(&self, terms: &Terms, assertions: &[Term]) -> Result<Self, NotLinear> {
        let mut linear = self.clone();
        let columns = self.variables.iter().zip(0..);
        let mut columns = columns.map(|(&variable, index)| (variable, Column(index))).collect();
        linear.add(terms, assertions, &mut columns)?;
        Ok(linear)
    }

    /// Adds assertions. `columns` has the column of each variable that occurred before.
    fn add(
        &mut self,
        terms: &Terms,
        assertions: &[Term],
        columns: &mut HashMap<Variable, Column>,
    ) -> Result<(), NotLinear> {
        let mut open_terms: Vec<Term> = assertions.iter().rev().copied().collect();
        while let Some(term) = open_terms.pop() {
            match terms.node(term) {
                Node::Truth(true) => {}
                // The empty row 0 ≥ 1 makes the program infeasible.
                Node::Truth(false) => {
                    self.program.add_row(Interval::at_least(1), [])?;
                }
                Node::And(parts) => open_terms.extend(parts.iter().rev()),
                Node::AtMost(entries, bound) => {
                    let upper = bound.to_i64().ok_or(NotLinear::TooLarge)?;
                    self.constrain(entries, Interval::at_most(upper), columns)?;
                }
                Node::Equal(entries, bound) => {
                    let value = bound.to_i64().ok_or(NotLinear::TooLarge)?;
                    self.constrain(entries, Interval::exactly(value), columns)?;
                }
                Node::Not(part) => match terms.node(*part) {
                    // Over integers, ¬(s ≤ b) is s ≥ b + 1.
                    Node::AtMost(entries, bound) if terms.is_integral(entries) => {
                        let lower: BigInt = bound + 1;
                        let lower = lower.to_i64().ok_or(NotLinear::TooLarge)?;
                        self.constrain(entries, Interval::at_least(lower), columns)?;
                    }
                    Node::AtMost(..) => return Err(NotLinear::Strict),
                    _ => return Err(NotLinear::Disjunction),
                },
                Node::Or(_) | Node::Boolean(_) => return Err(NotLinear::Disjunction),
            }
        }
        Ok(())
    }

    /// Adds a constraint on a sum. If the sum is one variable with coefficient 1 or −1, the
    /// constraint becomes bounds of a column, otherwise a row. With coefficient −1, a constraint
    /// with the bound `i64::MIN` also becomes a row, because the negated bound does not fit 64
    /// bits.
    fn constrain(
        &mut self,
        entries: &[(Variable, i128)],
        interval: Interval,
        columns: &mut HashMap<Variable, Column>,
    ) -> Result<(), NotLinear> {
        let entries = self.entries(entries, columns)?;
        let negated = |interval: Interval| Interval {
            // −i64::MIN does not fit, so such a bound stays in a row.
            lower: interval.upper.and_then(i64::checked_neg),
            upper: interval.lower.and_then(i64::checked_neg),
        };
        match entries[..] {
            [(column, 1)] => self.narrow(column, interval),
            [(column, -1)] if ![interval.lower, interval.upper].contains(&Some(i64::MIN)) => {
                self.narrow(column, negated(interval))
            }
            _ => self.program.add_row(interval, entries).map(|_| ())?,
        }
        Ok(())
    }

    /// Intersects the bounds of a column with an interval.
    fn narrow(&mut self, column: Column, interval: Interval) {
        let old_bounds = self.program.columns()[column.index()];
        let tighter = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        let new_bounds = Interval {
            lower: tighter(old_bounds.lower, interval.lower, i64::max),
            upper: tighter(old_bounds.upper, interval.upper, i64::min),
        };
        // The column exists: its bounds were read above.
        let _ = self.program.set_column_bounds(column, new_bounds);
    }

    /// Converts coefficients of variables to coefficients of columns, and adds missing columns.
    fn entries(
        &mut self,
        entries: &[(Variable, i128)],
        columns: &mut HashMap<Variable, Column>,
    ) -> Result<Vec<(Column, i64)>, NotLinear> {
        let mut converted = Vec::with_capacity(entries.len());
        for &(variable, coefficient) in entries {
            let coefficient = i64::try_from(coefficient).map_err(|_| NotLinear::TooLarge)?;
            let column = match columns.get(&variable) {
                Some(&column) => column,
                None => {
                    let column = self.program.add_column(Interval::FREE)?;
                    columns.insert(variable, column);
                    self.variables.push(variable);
                    column
                }
            };
            converted.push((column, coefficient));
        }
        Ok(converted)
    }

    /// Returns the name of each column in LP format: the escaped name of its variable.
    pub fn names(&self, terms: &Terms) -> Vec<String> {
        symbols::lp_names(self.variables.iter().map(|&variable| terms.name(variable)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunctions_become_bounds_and_rows() {
        let mut terms = Terms::new();
        let (x, y) = (terms.integer("m(p-1)"), terms.integer("m(p_1)"));
        let sum = LinearExpression::new().plus(2, x).plus(-1, y);
        let parts = [terms.at_least(x, 1), terms.less(sum.clone(), 7), terms.equal(y, 3)];
        let all = terms.and(parts);
        let linear = Linear::new(&terms, &[all], Some(&sum.plus_constant(5))).unwrap();
        let column = |v: Variable| linear.variables.iter().position(|&w| w == v).unwrap();
        let program = &linear.program;
        assert_eq!(program.columns()[column(x)], Interval::at_least(1));
        assert_eq!(program.columns()[column(y)], Interval::exactly(3));
        assert_eq!(program.rows(), [Interval::at_most(6)]);
        assert_eq!(linear.constant, 5.into());
        let names = linear.names(&terms);
        assert_eq!([&names[column(x)], &names[column(y)]], ["m.p%2D1", "m.p_1"]);
        let more = terms.at_most(x, 0);
        let more = linear.with_assertions(&terms, &[more]).unwrap();
        assert!(more.program.columns()[column(x)].is_empty());
    }

    #[test]
    fn choices_and_strict_inequalities_are_refused() {
        let mut terms = Terms::new();
        let (x, y) = (terms.real("x"), terms.real("y"));
        let parts = [terms.at_most(x, 1), terms.at_most(y, 1)];
        let either = terms.or(parts);
        assert!(matches!(Linear::new(&terms, &[either], None), Err(NotLinear::Disjunction)));
        let strict = terms.less(x, 1);
        assert!(matches!(Linear::new(&terms, &[strict], None), Err(NotLinear::Strict)));
        let never = terms.truth(false);
        let program = Linear::new(&terms, &[never], None).unwrap().program;
        assert!(!program.admits(&[]));
    }
}
