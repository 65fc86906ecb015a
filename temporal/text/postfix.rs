//! Conversion to postfix notation with an operator stack (Dijkstra's shunting yard). Nothing
//! recurses, however deep a formula is nested.

use super::ParseError;
use super::tokens::{Operator, Token, tokens};

/// An item of the postfix notation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Item {
    Constant(bool),
    Name(String),
    /// An operator on the one or two operands before it, with its column.
    Operator(Operator, usize),
}

enum Waiting {
    Operator(Operator, usize),
    Open(usize),
}

/// Returns the items of a formula, operands before their operators.
pub(super) fn postfix(text: &str, quantified: bool) -> Result<Vec<Item>, ParseError> {
    let mut items = Vec::new();
    let mut waiting: Vec<Waiting> = Vec::new();
    let mut needs_operand = true;
    for (token, column) in tokens(text, quantified)? {
        let wrong = |expected| ParseError { column, expected, found: described(&token) };
        match &token {
            Token::Constant(_) | Token::Name(_) | Token::Open if !needs_operand => {
                return Err(wrong("an operator or the end"));
            }
            Token::Constant(value) => items.push(Item::Constant(*value)),
            Token::Name(name) => items.push(Item::Name(name.clone())),
            Token::Open => waiting.push(Waiting::Open(column)),
            Token::Operator(operator) if operator.is_unary() => {
                if !needs_operand {
                    return Err(wrong("a binary operator or the end"));
                }
                waiting.push(Waiting::Operator(*operator, column));
            }
            _ if needs_operand => return Err(wrong("a formula")),
            Token::Operator(operator) => {
                let (tightness, to_the_right) = operator.precedence();
                unload(&mut items, &mut waiting, |before| {
                    let (other, _) = before.precedence();
                    other > tightness || (other == tightness && !to_the_right)
                });
                waiting.push(Waiting::Operator(*operator, column));
            }
            Token::Close => {
                unload(&mut items, &mut waiting, |_| true);
                if waiting.pop().is_none() {
                    return Err(wrong("an operator or the end"));
                }
            }
        }
        needs_operand = match &token {
            Token::Constant(_) | Token::Name(_) | Token::Close => false,
            Token::Operator(_) | Token::Open => true,
        };
    }
    let end = text.chars().count() + 1;
    if needs_operand {
        let found = "the end".to_owned();
        return Err(ParseError { column: end, expected: "a formula", found });
    }
    unload(&mut items, &mut waiting, |_| true);
    if let Some(Waiting::Open(column)) = waiting.pop() {
        let found = format!("the end; `(` of column {column} is open");
        return Err(ParseError { column: end, expected: "`)`", found });
    }
    Ok(items)
}

/// Moves operators from the stack to the items, down to the next parenthesis, as long as `goes`
/// accepts them.
fn unload(items: &mut Vec<Item>, waiting: &mut Vec<Waiting>, goes: impl Fn(Operator) -> bool) {
    while let Some(&Waiting::Operator(operator, column)) = waiting.last()
        && goes(operator)
    {
        items.push(Item::Operator(operator, column));
        waiting.pop();
    }
}

fn described(token: &Token) -> String {
    match token {
        Token::Operator(operator) => format!("`{}`", operator.text()),
        Token::Constant(value) => format!("`{value}`"),
        Token::Name(name) => format!("`{name}`"),
        Token::Open => "`(`".to_owned(),
        Token::Close => "`)`".to_owned(),
    }
}
