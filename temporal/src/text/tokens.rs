//! Splitting of a text into tokens.

use super::ParseError;

/// The operators of LTL and CTL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OperatorToken {
    Not,
    And,
    Or,
    Xor,
    Implies,
    Equivalent,
    Next,
    Eventually,
    Always,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
    Exists,
    All,
}

impl OperatorToken {
    pub(super) fn is_unary(self) -> bool {
        use OperatorToken::{All, Always, Eventually, Exists, Next, Not};
        matches!(self, Not | Next | Eventually | Always | Exists | All)
    }

    /// Returns the precedence, and true if the operator is right-associative.
    pub(super) fn precedence(self) -> (u8, bool) {
        match self {
            Self::Implies | Self::Equivalent => (1, true),
            Self::Or => (2, false),
            Self::Xor => (3, false),
            Self::And => (4, false),
            Self::Until | Self::Release | Self::WeakUntil | Self::StrongRelease => (5, true),
            Self::Eventually | Self::Always => (6, true),
            Self::Next => (7, true),
            Self::Not | Self::Exists | Self::All => (8, true),
        }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "xor",
            Self::Implies => "->",
            Self::Equivalent => "<->",
            Self::Next => "X",
            Self::Eventually => "F",
            Self::Always => "G",
            Self::Until => "U",
            Self::Release => "R",
            Self::WeakUntil => "W",
            Self::StrongRelease => "M",
            Self::Exists => "E",
            Self::All => "A",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FormulaToken {
    Operator(OperatorToken),
    Constant(bool),
    Name(String),
    Open,
    Close,
}

/// The signs; longer signs come before their prefixes.
const SIGNS: &[(&str, FormulaToken)] = &[
    ("<->", FormulaToken::Operator(OperatorToken::Equivalent)),
    ("<=>", FormulaToken::Operator(OperatorToken::Equivalent)),
    ("->", FormulaToken::Operator(OperatorToken::Implies)),
    ("=>", FormulaToken::Operator(OperatorToken::Implies)),
    ("<>", FormulaToken::Operator(OperatorToken::Eventually)),
    ("[]", FormulaToken::Operator(OperatorToken::Always)),
    ("&&", FormulaToken::Operator(OperatorToken::And)),
    ("&", FormulaToken::Operator(OperatorToken::And)),
    ("||", FormulaToken::Operator(OperatorToken::Or)),
    ("|", FormulaToken::Operator(OperatorToken::Or)),
    ("^", FormulaToken::Operator(OperatorToken::Xor)),
    ("!", FormulaToken::Operator(OperatorToken::Not)),
    ("~", FormulaToken::Operator(OperatorToken::Not)),
    ("(", FormulaToken::Open),
    (")", FormulaToken::Close),
];

/// Returns the tokens of a text, each with its column from 1. With `has_quantifiers`, `E` and `A`
/// are operators.
pub(super) fn tokens(
    text: &str,
    has_quantifiers: bool,
) -> Result<Vec<(FormulaToken, usize)>, ParseError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut column = 1;
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first.is_whitespace() {
            (None, first.len_utf8())
        } else if let Some((sign, token)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            (Some(token.clone()), sign.len())
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let Some(end) = quoted.find('"') else {
                let column = column + rest.chars().count();
                return Err(ParseError {
                    column,
                    expected: "a closing `\"`",
                    found: "the end".to_owned(),
                });
            };
            (Some(FormulaToken::Name(quoted[..end].to_owned())), end + 2)
        } else if first.is_alphanumeric() || first == '_' {
            let (token, length) = word(rest, has_quantifiers);
            (Some(token), length)
        } else {
            return Err(ParseError {
                column,
                expected: "an operator, a name or a parenthesis",
                found: format!("`{first}`"),
            });
        };
        tokens.extend(token.map(|token| (token, column)));
        column += rest[..length].chars().count();
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// Reads a name, a constant, or an operator written in letters. Returns the token and its length in
/// bytes.
fn word(rest: &str, has_quantifiers: bool) -> (FormulaToken, usize) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let word = &rest[..length];
    let mut letters = word.chars();
    let first = letters.next();
    let second = letters.next();
    let next_character = rest[length..].trim_start().chars().next();
    if has_quantifiers && let Some('E' | 'A') = first {
        let operator = if first == Some('E') { OperatorToken::Exists } else { OperatorToken::All };
        let is_before_operator = matches!(second, Some('F' | 'G' | 'X'));
        if is_before_operator || (second.is_none() && next_character == Some('(')) {
            return (FormulaToken::Operator(operator), 1);
        }
    }
    let prefix = match first {
        Some('F') => Some(OperatorToken::Eventually),
        Some('G') => Some(OperatorToken::Always),
        Some('X') => Some(OperatorToken::Next),
        _ => None,
    };
    if let Some(operator) = prefix
        && !second.is_some_and(|c| c.is_ascii_digit() || c == '_')
    {
        return (FormulaToken::Operator(operator), 1);
    }
    let token = match word {
        "true" | "1" => FormulaToken::Constant(true),
        "false" | "0" => FormulaToken::Constant(false),
        "xor" => FormulaToken::Operator(OperatorToken::Xor),
        "U" => FormulaToken::Operator(OperatorToken::Until),
        "R" | "V" => FormulaToken::Operator(OperatorToken::Release),
        "W" => FormulaToken::Operator(OperatorToken::WeakUntil),
        "M" => FormulaToken::Operator(OperatorToken::StrongRelease),
        _ => FormulaToken::Name(word.to_owned()),
    };
    (token, length)
}

/// Returns true if a word can be written as a name without quotes, next to any operator.
pub(super) fn is_plain_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_part)
        && !["true", "false", "xor"].contains(&name)
}
