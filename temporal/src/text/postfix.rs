//! Conversion to postfix notation with an operator stack (Dijkstra's shunting yard). Nothing
//! recurses, however deep a formula is nested.

use super::ParseError;
use super::tokens::{FormulaToken, OperatorToken, tokens};

/// An item of the postfix notation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PostfixItem {
    Constant(bool),
    Name(String),
    /// An operator on the one or two operands before it, with its column.
    Operator(OperatorToken, usize),
}

/// An operator or opening parenthesis on the operator stack, with its column.
enum StackEntry {
    Operator(OperatorToken, usize),
    Open(usize),
}

/// Returns the items of a formula, operands before their operators.
pub(super) fn postfix(text: &str, has_quantifiers: bool) -> Result<Vec<PostfixItem>, ParseError> {
    let mut items = Vec::new();
    let mut operator_stack: Vec<StackEntry> = Vec::new();
    let mut needs_operand = true;
    for (token, column) in tokens(text, has_quantifiers)? {
        let error_expecting = |expected| ParseError { column, expected, found: describe(&token) };
        match &token {
            FormulaToken::Constant(_) | FormulaToken::Name(_) | FormulaToken::Open
                if !needs_operand =>
            {
                return Err(error_expecting("an operator or the end"));
            }
            FormulaToken::Constant(value) => items.push(PostfixItem::Constant(*value)),
            FormulaToken::Name(name) => items.push(PostfixItem::Name(name.clone())),
            FormulaToken::Open => operator_stack.push(StackEntry::Open(column)),
            FormulaToken::Operator(operator) if operator.is_unary() => {
                if !needs_operand {
                    return Err(error_expecting("a binary operator or the end"));
                }
                operator_stack.push(StackEntry::Operator(*operator, column));
            }
            _ if needs_operand => return Err(error_expecting("a formula")),
            FormulaToken::Operator(operator) => {
                let (precedence, is_right_associative) = operator.precedence();
                pop_operators(&mut items, &mut operator_stack, |earlier_operator| {
                    let (earlier_precedence, _) = earlier_operator.precedence();
                    earlier_precedence > precedence
                        || (earlier_precedence == precedence && !is_right_associative)
                });
                operator_stack.push(StackEntry::Operator(*operator, column));
            }
            FormulaToken::Close => {
                pop_operators(&mut items, &mut operator_stack, |_| true);
                if operator_stack.pop().is_none() {
                    return Err(error_expecting("an operator or the end"));
                }
            }
        }
        needs_operand = match &token {
            FormulaToken::Constant(_) | FormulaToken::Name(_) | FormulaToken::Close => false,
            FormulaToken::Operator(_) | FormulaToken::Open => true,
        };
    }
    let end = text.chars().count() + 1;
    if needs_operand {
        let found = "the end".to_owned();
        return Err(ParseError { column: end, expected: "a formula", found });
    }
    pop_operators(&mut items, &mut operator_stack, |_| true);
    if let Some(StackEntry::Open(column)) = operator_stack.pop() {
        let found = format!("the end; `(` of column {column} is open");
        return Err(ParseError { column: end, expected: "`)`", found });
    }
    Ok(items)
}

/// Moves operators from the stack to the items, down to the next parenthesis, as long as `is_moved`
/// accepts them.
fn pop_operators(
    items: &mut Vec<PostfixItem>,
    operator_stack: &mut Vec<StackEntry>,
    is_moved: impl Fn(OperatorToken) -> bool,
) {
    while let Some(&StackEntry::Operator(operator, column)) = operator_stack.last()
        && is_moved(operator)
    {
        items.push(PostfixItem::Operator(operator, column));
        operator_stack.pop();
    }
}

fn describe(token: &FormulaToken) -> String {
    match token {
        FormulaToken::Operator(operator) => format!("`{}`", operator.text()),
        FormulaToken::Constant(value) => format!("`{value}`"),
        FormulaToken::Name(name) => format!("`{name}`"),
        FormulaToken::Open => "`(`".to_owned(),
        FormulaToken::Close => "`)`".to_owned(),
    }
}
