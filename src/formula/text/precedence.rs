//! Operators and parentheses, for all languages: an operator-precedence parser with its stack on
//! the heap, so that the nesting of a text costs no stack of ours.
//!
//! ```text
//! ! p1 >= 2 && (a || b)
//! ```
//!
//! The loop alternates between two places. Where an operand is expected, prefix operators and
//! opening parentheses are pushed until an operand stands there. Behind an operand, an infix
//! operator or a closing parenthesis first applies the operators on the stack that bind tighter.
//! A language says how its operands look, which operators it has and how tightly they bind, and
//! what applying one gives ([`Grammar`]); numbers and formulas are values of one type, so that
//! `(` need not know which of the two it opens.

use super::Failure;
use super::lexer::{Cursor, Kind, Token};
use crate::formula::{FormulaProblem, MAX_DEPTH, Relation};
use std::ops::Range;

/// The operators of all languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
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
    Compare(Relation),
    Plus,
    Minus,
    Times,
}

impl Operator {
    /// Whether operands in a row are operands of one operator.
    pub(super) fn is_chain(self) -> bool {
        matches!(self, Operator::And | Operator::Or | Operator::Plus | Operator::Times)
    }

    /// Whether a ∘ b ∘ c is a ∘ (b ∘ c).
    fn is_right_associative(self) -> bool {
        matches!(self, Operator::Implies | Operator::Until)
    }
}

/// A value with how it came about.
#[derive(Clone, Debug)]
pub(super) struct Part<V> {
    pub(super) value: V,
    /// With the parentheses around it.
    pub(super) span: Range<usize>,
    /// The operator that made it, unless it stands in parentheses.
    pub(super) by: Option<Operator>,
    pub(super) parenthesised: bool,
    /// Levels of operators and leaves.
    depth: usize,
}

/// What a language has to say.
pub(super) trait Grammar<'t> {
    /// What its operators are applied to.
    type Value;

    /// The prefix operators that a token stands for, outermost first; none for most.
    fn prefixes(&self, token: &Token<'t>) -> &'static [Operator];

    /// The infix operator that a token stands for, with how tightly it binds.
    fn infix(&self, token: &Token<'t>) -> Option<(Operator, u8)>;

    /// How tightly prefix operators bind.
    fn prefix_level(&self) -> u8;

    /// Whether the next token opens a group, which the token returned closes.
    fn group(&self, cursor: &mut Cursor<'t>) -> Option<&'static str> {
        cursor.peek().is("(").then_some(")")
    }

    /// Looks at the token behind an operand: fails when it cannot stand there. `compared` says
    /// whether the operand is on the right of a comparison; `closing` is what closes the innermost
    /// group, if one is open. Infix operators can; what else can at the end of
    /// an expression is the language's, unless it says so here.
    fn behind(
        &self,
        _operand: &Part<Self::Value>,
        _compared: bool,
        token: &Token<'t>,
        closing: Option<&'static str>,
    ) -> Result<(), Failure> {
        match closing {
            Some(closing) if self.infix(token).is_none() && !token.is(closing) => Err(token
                .instead_of(match token.kind {
                    Kind::End => format!("`{closing}`"),
                    _ => format!("an operator or `{closing}`"),
                })),
            _ => Ok(()),
        }
    }

    /// Takes an operand.
    fn operand(&mut self, cursor: &mut Cursor<'t>) -> Result<Self::Value, Failure>;

    /// Applies a prefix operator that stands at `at`.
    fn apply_prefix(
        &mut self,
        operator: Operator,
        at: Range<usize>,
        operand: Part<Self::Value>,
    ) -> Result<Self::Value, Failure>;

    /// Applies an infix operator that stands at `at`. Where [`Operator::is_chain`] and the left
    /// operand is made by the same operator, the right one joins its operands.
    fn apply_infix(
        &mut self,
        operator: Operator,
        at: Range<usize>,
        left: Part<Self::Value>,
        right: Part<Self::Value>,
    ) -> Result<Self::Value, Failure>;
}

enum Open<V> {
    Group { at: Range<usize> },
    Prefix { operator: Operator, at: Range<usize> },
    Infix { left: Part<V>, operator: Operator, at: Range<usize>, level: u8 },
}

/// Most of what can be open: deeper trees are refused, and parentheses alone make none.
const MOST_OPEN: usize = 10 * MAX_DEPTH;

/// Takes the longest expression from here.
pub(super) fn expression<'t, G: Grammar<'t>>(
    cursor: &mut Cursor<'t>,
    grammar: &mut G,
) -> Result<Part<G::Value>, Failure> {
    let mut stack: Vec<Open<G::Value>> = Vec::new();
    // What closes each group on the stack.
    let mut closings: Vec<&'static str> = Vec::new();
    loop {
        if stack.len() > MOST_OPEN {
            return Err(Failure {
                span: cursor.peek().span.clone(),
                problem: FormulaProblem::TooManyOpen(MOST_OPEN),
            });
        }
        let prefixes = grammar.prefixes(cursor.peek());
        if !prefixes.is_empty() {
            let at = cursor.take().span;
            let prefix = |&operator: &_| Open::Prefix { operator, at: at.clone() };
            stack.extend(prefixes.iter().map(prefix));
            continue;
        }
        if let Some(closing) = grammar.group(cursor) {
            let at = cursor.take().span;
            stack.push(Open::Group { at });
            closings.push(closing);
            continue;
        }
        let start = cursor.position();
        let value = grammar.operand(cursor)?;
        let span = start..cursor.end();
        let mut part = Part { value, span, by: None, parenthesised: false, depth: 1 };
        // Behind an operand.
        loop {
            let token = cursor.peek();
            // Before anything is applied: an unknown operator, not what it leaves behind, is the
            // mistake to tell.
            let closing = closings.last().copied();
            grammar.behind(&part, is_compared(&stack), token, closing)?;
            if let Some((operator, level)) = grammar.infix(token) {
                let at = cursor.take().span;
                part = reduce(grammar, &mut stack, part, level, operator.is_right_associative())?;
                stack.push(Open::Infix { left: part, operator, at, level });
                break;
            }
            part = reduce(grammar, &mut stack, part, 0, false)?;
            match stack.pop() {
                None => return Ok(part),
                // The token behind was looked at above, so it closes the group.
                Some(Open::Group { at }) => {
                    closings.pop();
                    part.span = at.start..cursor.take().span.end;
                    part.by = None;
                    part.parenthesised = true;
                }
                // `reduce` leaves groups only.
                Some(Open::Prefix { .. } | Open::Infix { .. }) => {}
            }
        }
    }
}

/// Whether the operand behind the stack is, perhaps in a sum, on the right of a comparison.
fn is_compared<V>(stack: &[Open<V>]) -> bool {
    use Operator as O;
    let mut operators = stack.iter().rev().map(|open| match open {
        Open::Infix { operator, .. } => Some(*operator),
        _ => None,
    });
    let first = operators.find(|open| !matches!(open, Some(O::Plus | O::Minus | O::Times)));
    matches!(first, Some(Some(O::Compare(_))))
}

/// Applies the operators on top of the stack that bind tighter than `level`, or as tightly unless
/// `right` is set.
fn reduce<'t, G: Grammar<'t>>(
    grammar: &mut G,
    stack: &mut Vec<Open<G::Value>>,
    mut part: Part<G::Value>,
    level: u8,
    right: bool,
) -> Result<Part<G::Value>, Failure> {
    let binds = |own: u8| own > level || own == level && !right;
    loop {
        part = match stack.pop() {
            Some(Open::Prefix { operator, at }) if binds(grammar.prefix_level()) => {
                let span = at.start..part.span.end;
                let depth = part.depth + 1;
                let value = grammar.apply_prefix(operator, at, part)?;
                made(operator, value, span, depth)?
            }
            Some(Open::Infix { left, operator, at, level }) if binds(level) => {
                let span = left.span.start..part.span.end;
                let joins = operator.is_chain() && left.by == Some(operator);
                let depth = match joins {
                    true => left.depth.max(part.depth + 1),
                    false => left.depth.max(part.depth) + 1,
                };
                let value = grammar.apply_infix(operator, at, left, part)?;
                made(operator, value, span, depth)?
            }
            other => {
                stack.extend(other);
                return Ok(part);
            }
        }
    }
}

fn made<V>(by: Operator, value: V, span: Range<usize>, depth: usize) -> Result<Part<V>, Failure> {
    if depth > MAX_DEPTH {
        return Err(Failure { span, problem: FormulaProblem::TooDeep });
    }
    Ok(Part { value, span, by: Some(by), parenthesised: false, depth })
}
