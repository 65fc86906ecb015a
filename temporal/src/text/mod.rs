//! Formulas as text, in the syntax of the tool Spot.
//!
//! | | LTL | CTL |
//! |---|---|---|
//! | atoms | `a`, `p_1`, `"any text"` | the same |
//! | constants | `true` `1` `false` `0` | the same |
//! | Boolean | `!` `~`, `&` `&&`, `|` `||`, `xor` `^`, `->` `=>`, `<->` `<=>` | the same |
//! | unary | `X`, `F` `<>`, `G` `[]` | `EX` `AX` `EF` `AF` `EG` `AG` |
//! | binary | `U`, `R` `V`, `W`, `M` | `E(φ U ψ)` `A(φ U ψ)`, also with `R`, `W`, `M` |
//!
//! Precedence from low to high: `->` and `<->` (right-associative), `|`, `xor`, `&`
//! (left-associative), `U R W M` (right-associative), `F G`, `X`, `!`. So `Fa U b` is `(Fa) U b`,
//! and `a U b & c` is `(a U b) & c`. `F`, `G` and `X` need no space before their operand: `GFa` is
//! three tokens, while `F1` and `X_a` are names. In CTL the same holds for `E` and `A` before `F`,
//! `G`, `X` and `(`.

mod postfix;
mod print;
mod tokens;

use crate::atom::AtomId;
use crate::formula::{Ctl, Formula, Formulas, Ltl};
use crate::paths::{Linear, Paths, Quantifier};
use postfix::postfix;
use std::collections::HashMap;
use thiserror::Error;
use tokens::OperatorToken;

/// The names of atoms. Atoms are numbered in the order in which names appear.
#[derive(Clone, Debug, Default)]
pub struct AtomNames {
    names: Vec<String>,
    atoms: HashMap<String, AtomId>,
}

impl AtomNames {
    /// Returns the atom with this name, and creates it if necessary.
    pub fn atom(&mut self, name: &str) -> AtomId {
        if let Some(&atom) = self.atoms.get(name) {
            return atom;
        }
        let atom = AtomId(u32::try_from(self.names.len()).expect("fewer than 2^32 names"));
        self.names.push(name.to_owned());
        self.atoms.insert(name.to_owned(), atom);
        atom
    }

    /// Returns the name of an atom, if it has one.
    pub fn name(&self, atom: AtomId) -> Option<&str> {
        self.names.get(atom.0 as usize).map(String::as_str)
    }

    /// Returns the number of named atoms.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns true if no atom has a name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// The error for a text that is not a formula.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("column {column}: expected {expected}, found {found}")]
pub struct ParseError {
    /// Position of the error in characters, from 1.
    pub column: usize,
    /// The expected content.
    pub expected: &'static str,
    /// The content found.
    pub found: String,
}

/// Parses an LTL formula.
///
/// # Errors
///
/// Returns the column of the first invalid token, or else the column of the first syntax error.
pub fn parse_ltl(
    text: &str,
    formulas: &mut Ltl,
    names: &mut AtomNames,
) -> Result<Formula<Linear>, ParseError> {
    parse_with_paths(text, false, formulas, names, Some(Linear), |_| None)
}

/// Parses a CTL formula.
///
/// # Errors
///
/// Returns a column at which the text is invalid. A temporal operator without `E` or `A`
/// directly before it is invalid, and so is `E` or `A` without a temporal operator.
pub fn parse_ctl(
    text: &str,
    formulas: &mut Ctl,
    names: &mut AtomNames,
) -> Result<Formula<Quantifier>, ParseError> {
    parse_with_paths(text, true, formulas, names, None, |operator| match operator {
        OperatorToken::Exists => Some(Quantifier::Exists),
        OperatorToken::All => Some(Quantifier::All),
        _ => None,
    })
}

/// An operand on the stack: a formula, or a temporal operator that still needs its quantifier.
enum Operand<P> {
    Formula(Formula<P>),
    /// A temporal operator with its operands and its column in the text. For a unary operator,
    /// `left` equals `right`.
    Temporal {
        operator: OperatorToken,
        left: Formula<P>,
        right: Formula<P>,
        column: usize,
    },
}

/// Parses a formula. Its temporal operators have the path kind `implied` if given, otherwise the
/// path kind of the quantifier before them.
fn parse_with_paths<P: Paths>(
    text: &str,
    has_quantifiers: bool,
    formulas: &mut Formulas<P>,
    names: &mut AtomNames,
    implied: Option<P>,
    quantifier: impl Fn(OperatorToken) -> Option<P>,
) -> Result<Formula<P>, ParseError> {
    let mut stack: Vec<Operand<P>> = Vec::new();
    for item in postfix(text, has_quantifiers)? {
        let (operator, column) = match item {
            postfix::PostfixItem::Constant(value) => {
                stack.push(Operand::Formula(formulas.constant(value)));
                continue;
            }
            postfix::PostfixItem::Name(name) => {
                let atom = names.atom(&name);
                stack.push(Operand::Formula(formulas.atom(atom)));
                continue;
            }
            postfix::PostfixItem::Operator(operator, column) => (operator, column),
        };
        let mut pop = || stack.pop().expect("`postfix` puts operands before their operators");
        if let Some(paths) = quantifier(operator) {
            let Operand::Temporal { operator, left, right, .. } = pop() else {
                return Err(needs_temporal(column, operator));
            };
            stack
                .push(Operand::Formula(temporal_operation(formulas, paths, operator, left, right)));
            continue;
        }
        let right = plain_formula(pop())?;
        let left = if operator.is_unary() { right } else { plain_formula(pop())? };
        let result = match (boolean_operation(formulas, operator, left, right), implied) {
            (Some(formula), _) => Operand::Formula(formula),
            (None, Some(paths)) => {
                Operand::Formula(temporal_operation(formulas, paths, operator, left, right))
            }
            (None, None) => Operand::Temporal { operator, left, right, column },
        };
        stack.push(result);
    }
    plain_formula(stack.pop().expect("`postfix` yields one formula"))
}

/// Returns the formula of an operand, or an error for a temporal operator without quantifier.
fn plain_formula<P: Paths>(operand: Operand<P>) -> Result<Formula<P>, ParseError> {
    match operand {
        Operand::Formula(formula) => Ok(formula),
        Operand::Temporal { operator, column, .. } => Err(ParseError {
            column,
            expected: "`E` or `A` directly before a temporal operator, as in `E(a U b)`",
            found: format!("`{}` alone", operator.text()),
        }),
    }
}

fn needs_temporal(column: usize, operator: OperatorToken) -> ParseError {
    ParseError {
        column,
        expected: "a temporal operator below `E` and `A`, as in `E(a U b)`",
        found: format!("`{}` before a formula without one", operator.text()),
    }
}

/// Applies a Boolean operator. Returns `None` for other operators.
fn boolean_operation<P: Paths>(
    formulas: &mut Formulas<P>,
    operator: OperatorToken,
    left: Formula<P>,
    right: Formula<P>,
) -> Option<Formula<P>> {
    Some(match operator {
        OperatorToken::Not => formulas.negate(right),
        OperatorToken::And => formulas.and([left, right]),
        OperatorToken::Or => formulas.or([left, right]),
        OperatorToken::Implies => {
            let not_left = formulas.negate(left);
            formulas.or([not_left, right])
        }
        OperatorToken::Xor | OperatorToken::Equivalent => {
            let not_left = formulas.negate(left);
            let not_right = formulas.negate(right);
            let (right_if_left, right_if_not_left) = match operator {
                OperatorToken::Xor => (not_right, right),
                _ => (right, not_right),
            };
            let case_left = formulas.and([left, right_if_left]);
            let case_not_left = formulas.and([not_left, right_if_not_left]);
            formulas.or([case_left, case_not_left])
        }
        _ => return None,
    })
}

/// Applies a temporal operator on the given paths.
fn temporal_operation<P: Paths>(
    formulas: &mut Formulas<P>,
    paths: P,
    operator: OperatorToken,
    left: Formula<P>,
    right: Formula<P>,
) -> Formula<P> {
    match operator {
        OperatorToken::Next => formulas.next(paths, right),
        OperatorToken::Eventually => formulas.eventually(paths, right),
        OperatorToken::Always => formulas.always(paths, right),
        OperatorToken::Until => formulas.until(paths, left, right),
        OperatorToken::Release => formulas.release(paths, left, right),
        OperatorToken::WeakUntil => formulas.weak_until(paths, left, right),
        OperatorToken::StrongRelease => formulas.strong_release(paths, left, right),
        _ => unreachable!("the others are Boolean or quantifiers"),
    }
}

#[cfg(test)]
mod tests;
