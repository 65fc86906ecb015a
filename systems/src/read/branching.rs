//! Parser for CTL formulas over labels.

use super::error::ReadError;
use super::tokens::quoted;
use crate::branching::{BranchingFormula, BranchingNode, StepFilter};
use crate::system::System;

/// Returns true if a text contains syntax that only CTL formulas have: a label in brackets, or a
/// path quantifier. Returns false if the text cannot be split into tokens. A word that begins with
/// `A` or `E` and then `F`, `G` or `X` counts as a path quantifier.
pub fn is_branching(text: &str) -> bool {
    tokens(text).is_ok_and(|tokens| {
        tokens.iter().any(|(token, _)| {
            matches!(
                token,
                BranchingToken::Labelled { .. }
                    | BranchingToken::Path(_)
                    | BranchingToken::Quantified { .. }
            )
        })
    })
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum BranchingToken {
    Not,
    And,
    Or,
    Implies,
    Equivalent,
    Open,
    Close,
    Constant(bool),
    /// `[]` if `all`, otherwise `<>`.
    Any {
        all: bool,
    },
    /// `[a]` if `all`, otherwise `<a>`.
    Labelled {
        all: bool,
        label: String,
    },
    /// `A` (true) or `E` before a parenthesis.
    Path(bool),
    /// `AG`, `EF`, …
    Quantified {
        all: bool,
        operator: char,
    },
    Until,
    WeakUntil,
    Word(String),
}

const SIGNS: &[(&str, BranchingToken)] = &[
    ("<=>", BranchingToken::Equivalent),
    ("<->", BranchingToken::Equivalent),
    ("=>", BranchingToken::Implies),
    ("->", BranchingToken::Implies),
    ("[]", BranchingToken::Any { all: true }),
    ("<>", BranchingToken::Any { all: false }),
    ("&&", BranchingToken::And),
    ("&", BranchingToken::And),
    ("||", BranchingToken::Or),
    ("|", BranchingToken::Or),
    ("!", BranchingToken::Not),
    ("~", BranchingToken::Not),
    ("(", BranchingToken::Open),
    (")", BranchingToken::Close),
];

/// Splits a formula into tokens, each with its byte offset.
fn tokens(text: &str) -> Result<Vec<(BranchingToken, usize)>, ReadError> {
    let mut tokens = Vec::new();
    let mut offset = 0;
    while let Some(c) = text[offset..].chars().next() {
        let remaining = &text[offset..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if c.is_whitespace() {
            offset += c.len_utf8();
            continue;
        }
        let (token, length) = match SIGNS.iter().find(|(sign, _)| remaining.starts_with(sign)) {
            Some((sign, token)) => (token.clone(), sign.len()),
            None if c == '[' || c == '<' => bracketed(text, offset)?,
            None if c == '"' => {
                let (word, length) = quoted_word(text, offset)?;
                (BranchingToken::Word(word), length)
            }
            None if is_word(c) => {
                let length = remaining.find(|c| !is_word(c)).unwrap_or(remaining.len());
                word(&remaining[..length], &remaining[length..])
            }
            None => {
                let expected = "an operator, `[a]`, `<a>`, a constant or a parenthesis";
                return Err(ReadError::at(text, offset, expected, format!("`{c}`")));
            }
        };
        tokens.push((token, offset));
        offset += length;
    }
    Ok(tokens)
}

/// Reads a text in quotes at a byte offset of the formula. Returns its content and its length in
/// bytes with the quotes.
fn quoted_word(text: &str, offset: usize) -> Result<(String, usize), ReadError> {
    quoted(&text[offset..]).ok_or_else(|| {
        ReadError::at(text, offset, "a closing `\"` for this one", "the end of the formula")
    })
}

/// Reads `[a]` or `<a>` at a byte offset of the text. Returns the token and its length in bytes.
fn bracketed(text: &str, offset: usize) -> Result<(BranchingToken, usize), ReadError> {
    let rest = &text[offset..];
    let is_universal = rest.starts_with('[');
    let close = if is_universal { ']' } else { '>' };
    let label_begin = rest.len() - rest[1..].trim_start().len();
    let (label, label_end) = if rest[label_begin..].starts_with('"') {
        let (label, length) = quoted_word(text, offset + label_begin)?;
        (label, label_begin + length)
    } else {
        let end = rest.find(close).unwrap_or(rest.len());
        (rest[1..end].trim().to_owned(), end)
    };
    let end = rest.len() - rest[label_end..].trim_start().len();
    if !rest[end..].starts_with(close) {
        let found = rest[end..].chars().next();
        let found = found.map_or("the end of the formula".to_owned(), |c| format!("`{c}`"));
        return Err(ReadError::at(text, offset, format!("a `{close}` after this label"), found));
    }
    Ok((BranchingToken::Labelled { all: is_universal, label }, end + 1))
}

/// Reads a word. Returns the token and its length in bytes, which may be shorter than the word.
/// `after` is the text after the word.
fn word(word: &str, after: &str) -> (BranchingToken, usize) {
    let mut letters = word.chars();
    let is_universal = match letters.next() {
        Some('A') => Some(true),
        Some('E') => Some(false),
        _ => None,
    };
    if let Some(is_universal) = is_universal {
        match letters.next() {
            None if after.trim_start().starts_with('(') => {
                return (BranchingToken::Path(is_universal), 1);
            }
            Some(operator @ ('F' | 'G' | 'X')) => {
                return (BranchingToken::Quantified { all: is_universal, operator }, 2);
            }
            _ => {}
        }
    }
    let token = match word {
        "true" | "1" => BranchingToken::Constant(true),
        "false" | "0" => BranchingToken::Constant(false),
        "U" => BranchingToken::Until,
        "W" => BranchingToken::WeakUntil,
        _ => BranchingToken::Word(word.to_owned()),
    };
    (token, word.len())
}

/// Limit on the nesting depth of formulas.
const MAX_DEPTH: usize = 400;

/// Parses a CTL formula over the labels of a system.
///
/// # Errors
/// Returns the position of the first invalid token, or else of the first syntax error. A formula
/// that is nested too deeply is a syntax error, too.
pub fn branching(text: &str, system: &System) -> Result<BranchingFormula, ReadError> {
    let tokens = tokens(text)?;
    let formula = BranchingFormula { nodes: Vec::new(), unknown_names: Vec::new() };
    let mut parser = Parser { text, tokens, position: 0, depth: 0, system, formula };
    parser.implication()?;
    match parser.position < parser.tokens.len() {
        true => Err(parser.expected("an operator or the end of the formula")),
        false => Ok(parser.formula),
    }
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(BranchingToken, usize)>,
    /// The index of the next token.
    position: usize,
    /// The current nesting depth of the formula, at most [`MAX_DEPTH`].
    depth: usize,
    system: &'t System,
    formula: BranchingFormula,
}

impl Parser<'_> {
    fn expected(&self, expected: &str) -> ReadError {
        let rest = self.tokens.get(self.position).map(|it| &self.text[it.1..]);
        let found = rest.map_or("the end of the formula".to_owned(), |rest| {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            format!("`{}`", rest[..end].chars().take(40).collect::<String>())
        });
        let offset = self.tokens.get(self.position).map_or(self.text.trim_end().len(), |it| it.1);
        ReadError::at(self.text, offset, expected, found)
    }

    fn peek(&self) -> Option<&BranchingToken> {
        self.tokens.get(self.position).map(|it| &it.0)
    }

    fn accept(&mut self, token: &BranchingToken) -> bool {
        let is_next_token = self.peek() == Some(token);
        self.position += usize::from(is_next_token);
        is_next_token
    }

    fn push(&mut self, part: BranchingNode) -> usize {
        self.formula.nodes.push(part);
        self.formula.nodes.len() - 1
    }

    fn not(&mut self, part: usize) -> usize {
        self.push(BranchingNode::Not(part))
    }

    fn or(&mut self, left: usize, right: usize) -> usize {
        let (left, right) = (self.not(left), self.not(right));
        let neither = self.push(BranchingNode::And(left, right));
        self.not(neither)
    }

    /// Parses `=>` and `<=>` (right-associative) and operators of higher precedence.
    fn implication(&mut self) -> Result<usize, ReadError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.expected("a less deeply nested formula"));
        }
        let left = self.disjunction()?;
        let is_equivalence = self.peek() == Some(&BranchingToken::Equivalent);
        let part =
            if self.accept(&BranchingToken::Implies) || self.accept(&BranchingToken::Equivalent) {
                let right = self.implication()?;
                let not_left = self.not(left);
                let forward = self.or(not_left, right);
                if is_equivalence {
                    let not_right = self.not(right);
                    let backward = self.or(left, not_right);
                    self.push(BranchingNode::And(forward, backward))
                } else {
                    forward
                }
            } else {
                left
            };
        self.depth -= 1;
        Ok(part)
    }

    fn disjunction(&mut self) -> Result<usize, ReadError> {
        let mut left = self.conjunction()?;
        while self.accept(&BranchingToken::Or) {
            let right = self.conjunction()?;
            left = self.or(left, right);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<usize, ReadError> {
        let mut left = self.operand()?;
        while self.accept(&BranchingToken::And) {
            let right = self.operand()?;
            left = self.push(BranchingNode::And(left, right));
        }
        Ok(left)
    }

    /// Parses prefix operators and their operand.
    fn operand(&mut self) -> Result<usize, ReadError> {
        let mut prefix_operators = Vec::new();
        while let Some(
            token @ (BranchingToken::Not
            | BranchingToken::Any { .. }
            | BranchingToken::Labelled { .. }
            | BranchingToken::Quantified { .. }),
        ) = self.peek()
        {
            prefix_operators.push(token.clone());
            self.position += 1;
        }
        let mut part = match self.peek().cloned() {
            Some(BranchingToken::Constant(value)) => {
                self.position += 1;
                self.push(BranchingNode::Constant(value))
            }
            Some(BranchingToken::Open) => {
                self.position += 1;
                let part = self.implication()?;
                self.close()?;
                part
            }
            Some(BranchingToken::Path(all)) => {
                self.position += 1;
                self.quantified_until(all)?
            }
            Some(BranchingToken::Word(_)) => {
                return Err(self.expected(
                    "`true`, `false`, a parenthesis or an operator such as `[a]`, `<a>`, `AG`: \
                     labels are written in brackets",
                ));
            }
            _ => return Err(self.expected("`true`, `false`, `(`, or an operator such as `[a]`")),
        };
        while let Some(token) = prefix_operators.pop() {
            part = self.apply_prefix(token, part);
        }
        Ok(part)
    }

    fn close(&mut self) -> Result<(), ReadError> {
        match self.accept(&BranchingToken::Close) {
            true => Ok(()),
            false => Err(self.expected("an operator or `)`")),
        }
    }

    /// Parses `(φ U ψ)` or `(φ W ψ)` after `A` or `E`.
    fn quantified_until(&mut self, is_universal: bool) -> Result<usize, ReadError> {
        // The lexer yields a quantifier alone only before an opening parenthesis, skipped here.
        self.position += 1;
        let left = self.implication()?;
        let is_weak = self.peek() == Some(&BranchingToken::WeakUntil);
        if !self.accept(&BranchingToken::Until) && !self.accept(&BranchingToken::WeakUntil) {
            return Err(self.expected("`U` or `W`"));
        }
        let right = self.implication()?;
        self.close()?;
        Ok(match is_weak {
            true => self.weak_until(is_universal, left, right),
            false => self.push(BranchingNode::Until { all: is_universal, left, right }),
        })
    }

    /// Builds a weak until, as the dual of an until.
    fn weak_until(&mut self, is_universal: bool, left: usize, right: usize) -> usize {
        let (not_left, not_right) = (self.not(left), self.not(right));
        let neither = self.push(BranchingNode::And(not_left, not_right));
        let until =
            self.push(BranchingNode::Until { all: !is_universal, left: not_right, right: neither });
        self.not(until)
    }

    /// Applies a prefix operator to the node `part`. Returns the new node.
    fn apply_prefix(&mut self, token: BranchingToken, part: usize) -> usize {
        match token {
            BranchingToken::Any { all } | BranchingToken::Quantified { all, operator: 'X' } => {
                self.push(BranchingNode::Next { all, label: StepFilter::Any, part })
            }
            BranchingToken::Labelled { all, label } => {
                let label = match self.system.label_named(&label) {
                    Some(label) => StepFilter::Labelled(label),
                    None => {
                        self.formula.unknown_names.push(label);
                        StepFilter::None
                    }
                };
                self.push(BranchingNode::Next { all, label, part })
            }
            BranchingToken::Quantified { all, operator: 'F' } => {
                let left = self.push(BranchingNode::Constant(true));
                self.push(BranchingNode::Until { all, left, right: part })
            }
            BranchingToken::Quantified { all, .. } => {
                let never = self.push(BranchingNode::Constant(false));
                self.weak_until(all, part, never)
            }
            _ => self.not(part),
        }
    }
}
