//! An operator-precedence parser for all languages. Its stack is on the heap, so deeply nested
//! texts do not overflow the call stack.
//!
//! ```text
//! ! p1 >= 2 && (a || b)
//! ```
//!
//! The loop alternates between two states. Before an operand, prefix operators and opening
//! parentheses are pushed. After an operand, an infix operator or a closing parenthesis first
//! applies the operators on the stack that bind tighter. A [`Grammar`] defines the operands, the
//! operators with their precedences, and the results of operators. Numbers and formulas are values
//! of one type, so an opening parenthesis can begin either.

use super::TextFailure;
use super::lexer::{Lexeme, LexemeKind, TokenCursor};
use crate::{FormulaProblem, MAX_DEPTH, NumberRelation};
use std::ops::Range;

/// The operators of the languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormulaOperator {
    Not,
    AllPaths,
    ExistsPath,
    Globally,
    Finally,
    Next,
    Until,
    And,
    Or,
    Xor,
    Implies,
    Equivalent,
    Compare(NumberRelation),
    Plus,
    Minus,
    Times,
}

impl FormulaOperator {
    /// Returns true if a ∘ b ∘ c becomes one operator with three operands.
    pub(super) fn is_chain(self) -> bool {
        matches!(
            self,
            FormulaOperator::And
                | FormulaOperator::Or
                | FormulaOperator::Plus
                | FormulaOperator::Times
        )
    }

    /// Returns true if a ∘ b ∘ c means a ∘ (b ∘ c).
    fn is_right_associative(self) -> bool {
        matches!(self, FormulaOperator::Implies | FormulaOperator::Until)
    }
}

/// A value with its position and origin.
#[derive(Clone, Debug)]
pub(super) struct SpannedValue<V> {
    pub(super) value: V,
    /// The byte range, including parentheses around the value.
    pub(super) span: Range<usize>,
    /// The operator that made the value; `None` for leaves and in parentheses.
    pub(super) operator: Option<FormulaOperator>,
    /// True if parentheses surround the value.
    pub(super) parenthesised: bool,
    /// The nesting depth of operators and leaves.
    depth: usize,
}

/// The definition of a language.
pub(super) trait Grammar<'t> {
    /// The type of operands.
    type Value;

    /// Returns the prefix operators of a token, outermost first. Most tokens have none.
    fn prefixes(&self, token: &Lexeme<'t>) -> &'static [FormulaOperator];

    /// Returns the infix operator of a token, with its precedence. Returns `None` if the token is
    /// no infix operator.
    fn infix(&self, token: &Lexeme<'t>) -> Option<(FormulaOperator, u8)>;

    /// Returns the precedence of prefix operators.
    fn prefix_level(&self) -> u8;

    /// Returns the closing symbol if the next token opens a group.
    fn closing_symbol(&self, cursor: &mut TokenCursor<'t>) -> Option<&'static str> {
        cursor.peek().is("(").then_some(")")
    }

    /// Checks the token behind an operand. `compared` is true if the operand is on the right of a
    /// comparison. `closing` is the closing symbol of the innermost open group; `None` outside of
    /// groups. By default, only an infix operator or `closing` may follow in a group, and any token
    /// may follow outside.
    fn check_next(
        &self,
        _operand: &SpannedValue<Self::Value>,
        _compared: bool,
        token: &Lexeme<'t>,
        closing: Option<&'static str>,
    ) -> Result<(), TextFailure> {
        match closing {
            Some(closing) if self.infix(token).is_none() && !token.is(closing) => Err(token
                .instead_of(match token.kind {
                    LexemeKind::End => format!("`{closing}`"),
                    _ => format!("an operator or `{closing}`"),
                })),
            _ => Ok(()),
        }
    }

    /// Takes an operand.
    fn operand(&mut self, cursor: &mut TokenCursor<'t>) -> Result<Self::Value, TextFailure>;

    /// Applies a prefix operator at the position `at`.
    fn apply_prefix(
        &mut self,
        operator: FormulaOperator,
        at: Range<usize>,
        operand: SpannedValue<Self::Value>,
    ) -> Result<Self::Value, TextFailure>;

    /// Applies an infix operator at the position `at`. For a chain operator
    /// ([`FormulaOperator::is_chain`]), the right operand is added to a left operand that the same
    /// operator made.
    fn apply_infix(
        &mut self,
        operator: FormulaOperator,
        at: Range<usize>,
        left: SpannedValue<Self::Value>,
        right: SpannedValue<Self::Value>,
    ) -> Result<Self::Value, TextFailure>;
}

/// An entry of the parser's stack: an opening parenthesis, or an operator whose right operand is
/// not complete.
enum PendingOperator<V> {
    /// An opening parenthesis.
    Group { at: Range<usize> },
    /// A prefix operator.
    Prefix { operator: FormulaOperator, at: Range<usize> },
    /// An infix operator with its left operand and its precedence.
    Infix { left: SpannedValue<V>, operator: FormulaOperator, at: Range<usize>, level: u8 },
}

/// The largest number of operators and parentheses that are open at the same time. [`MAX_DEPTH`]
/// alone does not limit this number, because parentheses add no depth to the tree.
const MAX_OPEN: usize = 10 * MAX_DEPTH;

/// Takes the longest expression that begins at the next token.
pub(super) fn expression<'t, G: Grammar<'t>>(
    cursor: &mut TokenCursor<'t>,
    grammar: &mut G,
) -> Result<SpannedValue<G::Value>, TextFailure> {
    let mut stack: Vec<PendingOperator<G::Value>> = Vec::new();
    // The closing symbols of the groups on the stack.
    let mut closings: Vec<&'static str> = Vec::new();
    loop {
        if stack.len() > MAX_OPEN {
            return Err(TextFailure {
                span: cursor.peek().span.clone(),
                problem: FormulaProblem::TooManyOpen(MAX_OPEN),
            });
        }
        let prefixes = grammar.prefixes(cursor.peek());
        if !prefixes.is_empty() {
            let at = cursor.take().span;
            let prefix = |&operator: &_| PendingOperator::Prefix { operator, at: at.clone() };
            stack.extend(prefixes.iter().map(prefix));
            continue;
        }
        if let Some(closing) = grammar.closing_symbol(cursor) {
            let at = cursor.take().span;
            stack.push(PendingOperator::Group { at });
            closings.push(closing);
            continue;
        }
        let start = cursor.position();
        let value = grammar.operand(cursor)?;
        let span = start..cursor.last_end();
        let mut part = SpannedValue { value, span, operator: None, parenthesised: false, depth: 1 };
        // The parser stands behind an operand.
        loop {
            let token = cursor.peek();
            // The check comes before operators are applied, so that the error is about an unknown
            // operator and not about its operands.
            let closing = closings.last().copied();
            grammar.check_next(&part, is_compared(&stack), token, closing)?;
            if let Some((operator, level)) = grammar.infix(token) {
                let at = cursor.take().span;
                part = reduce(grammar, &mut stack, part, level, operator.is_right_associative())?;
                stack.push(PendingOperator::Infix { left: part, operator, at, level });
                break;
            }
            part = reduce(grammar, &mut stack, part, 0, false)?;
            match stack.pop() {
                None => return Ok(part),
                // The check above ensures that the next token closes the group.
                Some(PendingOperator::Group { at }) => {
                    closings.pop();
                    part.span = at.start..cursor.take().span.end;
                    part.operator = None;
                    part.parenthesised = true;
                }
                // `reduce` removes all operators above a group.
                Some(PendingOperator::Prefix { .. } | PendingOperator::Infix { .. }) => {}
            }
        }
    }
}

/// Returns true if the operand behind these pending operators is on the right of a comparison,
/// possibly as a part of a sum or product.
fn is_compared<V>(stack: &[PendingOperator<V>]) -> bool {
    use FormulaOperator as O;
    let mut operators = stack.iter().rev().map(|open| match open {
        PendingOperator::Infix { operator, .. } => Some(*operator),
        _ => None,
    });
    let enclosing = operators.find(|open| !matches!(open, Some(O::Plus | O::Minus | O::Times)));
    matches!(enclosing, Some(Some(O::Compare(_))))
}

/// Applies the operators on top of the stack that bind tighter than `level`. Operators of equal
/// level are applied, too, unless `is_right_associative` is set.
fn reduce<'t, G: Grammar<'t>>(
    grammar: &mut G,
    stack: &mut Vec<PendingOperator<G::Value>>,
    mut part: SpannedValue<G::Value>,
    level: u8,
    is_right_associative: bool,
) -> Result<SpannedValue<G::Value>, TextFailure> {
    let binds =
        |other_level: u8| other_level > level || other_level == level && !is_right_associative;
    loop {
        part = match stack.pop() {
            Some(PendingOperator::Prefix { operator, at }) if binds(grammar.prefix_level()) => {
                let span = at.start..part.span.end;
                let depth = part.depth + 1;
                let value = grammar.apply_prefix(operator, at, part)?;
                check_depth(operator, value, span, depth)?
            }
            Some(PendingOperator::Infix { left, operator, at, level }) if binds(level) => {
                let span = left.span.start..part.span.end;
                let extends_chain = operator.is_chain() && left.operator == Some(operator);
                let depth = match extends_chain {
                    true => left.depth.max(part.depth + 1),
                    false => left.depth.max(part.depth) + 1,
                };
                let value = grammar.apply_infix(operator, at, left, part)?;
                check_depth(operator, value, span, depth)?
            }
            other => {
                stack.extend(other);
                return Ok(part);
            }
        }
    }
}

/// Returns the result of an operator. Fails if the result is nested too deeply.
fn check_depth<V>(
    by: FormulaOperator,
    value: V,
    span: Range<usize>,
    depth: usize,
) -> Result<SpannedValue<V>, TextFailure> {
    if depth > MAX_DEPTH {
        return Err(TextFailure { span, problem: FormulaProblem::TooDeep });
    }
    Ok(SpannedValue { value, span, operator: Some(by), parenthesised: false, depth })
}
