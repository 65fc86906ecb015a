//! Output of formulas as texts that [`parse_ltl`](super::parse_ltl) and
//! [`parse_ctl`](super::parse_ctl) read.

use super::AtomNames;
use super::tokens::is_plain_name;
use crate::atom::{AtomId, Literal};
use crate::formula::{Formula, Formulas, Node};
use crate::paths::Paths;

/// A piece of the text that is still to be written.
enum PrintPiece<P> {
    Text(&'static str),
    /// A formula, in parentheses if it binds less tightly than the given precedence.
    Formula(Formula<P>, u8),
}

/// Precedence of operators with two or more operands. Such a formula gets parentheses inside any
/// other operator.
const BINARY: u8 = 1;
/// Precedence of constants, literals, and operators that need no parentheses.
const UNARY: u8 = 2;

impl<P: Paths> Formulas<P> {
    /// Returns the formula as text. An atom without a name is written as `p` followed by its
    /// number.
    pub fn text(&self, formula: Formula<P>, names: &AtomNames) -> String {
        let mut text = String::new();
        let mut open = vec![PrintPiece::Formula(formula, 0)];
        while let Some(piece) = open.pop() {
            let (formula, outer_precedence) = match piece {
                PrintPiece::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                PrintPiece::Formula(formula, outer_precedence) => (formula, outer_precedence),
            };
            if self.precedence(formula) < outer_precedence {
                open.push(PrintPiece::Text(")"));
                text.push('(');
            }
            match self.node(formula) {
                Node::True => text.push('1'),
                Node::False => text.push('0'),
                Node::Literal(literal) => write_literal(&mut text, *literal, names),
                Node::And(operands) => push_operands(&mut open, operands, " & "),
                Node::Or(operands) => push_operands(&mut open, operands, " | "),
                Node::Next(paths, part) => {
                    text.push_str(paths.prefix());
                    self.write_operator(&mut text, 'X', *part, names);
                    open.push(PrintPiece::Formula(*part, UNARY));
                }
                Node::Until(paths, left, right) if self.is(*left, true) => {
                    text.push_str(paths.prefix());
                    self.write_operator(&mut text, 'F', *right, names);
                    open.push(PrintPiece::Formula(*right, UNARY));
                }
                Node::Release(paths, left, right) if self.is(*left, false) => {
                    text.push_str(paths.prefix());
                    self.write_operator(&mut text, 'G', *right, names);
                    open.push(PrintPiece::Formula(*right, UNARY));
                }
                Node::Until(paths, left, right) | Node::Release(paths, left, right) => {
                    let sign = match self.node(formula) {
                        Node::Until(..) => " U ",
                        _ => " R ",
                    };
                    if !paths.prefix().is_empty() {
                        text.push_str(paths.prefix());
                        text.push('(');
                        open.push(PrintPiece::Text(")"));
                    }
                    open.push(PrintPiece::Formula(*right, UNARY));
                    open.push(PrintPiece::Text(sign));
                    open.push(PrintPiece::Formula(*left, UNARY));
                }
            }
        }
        text
    }

    /// Writes an operator. A space follows before an atom whose plain name has several characters,
    /// as in `F answer`.
    fn write_operator(
        &self,
        text: &mut String,
        sign: char,
        operand: Formula<P>,
        names: &AtomNames,
    ) {
        text.push(sign);
        if let Node::Literal(Literal { atom, positive: true }) = self.node(operand)
            && names.name(*atom).is_some_and(|name| name.len() > 1 && is_plain_name(name))
        {
            text.push(' ');
        }
    }

    fn precedence(&self, formula: Formula<P>) -> u8 {
        match self.node(formula) {
            Node::Or(_) | Node::And(_) => BINARY,
            // With a quantifier, the operator adds its own parentheses.
            Node::Until(paths, left, _) | Node::Release(paths, left, _)
                if !paths.prefix().is_empty() || *left <= self.constant(true) =>
            {
                UNARY
            }
            Node::Until(..) | Node::Release(..) => BINARY,
            _ => UNARY,
        }
    }
}

/// Pushes operands and the signs between them, the last one first.
fn push_operands<P: Paths>(
    open: &mut Vec<PrintPiece<P>>,
    operands: &[Formula<P>],
    sign: &'static str,
) {
    for (index, &part) in operands.iter().enumerate().rev() {
        open.push(PrintPiece::Formula(part, UNARY));
        if index > 0 {
            open.push(PrintPiece::Text(sign));
        }
    }
}

fn write_literal(text: &mut String, literal: Literal, names: &AtomNames) {
    if !literal.positive {
        text.push('!');
    }
    let AtomId(number) = literal.atom;
    match names.name(literal.atom) {
        Some(name) if is_plain_name(name) => text.push_str(name),
        Some(name) => {
            text.push('"');
            text.push_str(name);
            text.push('"');
        }
        None => text.push_str(&format!("p{number}")),
    }
}
