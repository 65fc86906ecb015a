//! Splits textual formulas into tokens, and escapes names for XML.

use std::fmt::Write as _;

/// A token of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TypedToken {
    /// A word: a name or a keyword.
    Word(String),
    /// A quoted name, never a keyword.
    Name(String),
    /// Decimal digits.
    Number(String),
    /// An operator, a bracket, or one of `,`, `:` and `;`.
    Sign(&'static str),
    /// The end of the formula.
    End,
}

impl TypedToken {
    /// Returns true if the token is this word or sign.
    pub(super) fn is(&self, text: &str) -> bool {
        match self {
            TypedToken::Word(word) => word == text,
            TypedToken::Sign(sign) => *sign == text,
            TypedToken::Name(_) | TypedToken::Number(_) | TypedToken::End => false,
        }
    }

    /// Returns the text of a word or a quoted name, and `None` for other tokens.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            TypedToken::Word(name) | TypedToken::Name(name) => Some(name),
            TypedToken::Number(_) | TypedToken::Sign(_) | TypedToken::End => None,
        }
    }

    /// Describes the token for a message.
    pub(super) fn describe(&self) -> String {
        match self {
            TypedToken::Word(text) | TypedToken::Number(text) => format!("`{text}`"),
            TypedToken::Name(name) => format!("the name \"{name}\""),
            TypedToken::Sign(sign) => format!("`{sign}`"),
            TypedToken::End => "the end of the formula".to_owned(),
        }
    }
}

/// The signs of the language. A sign comes before its prefixes.
const SIGNS: [&str; 28] = [
    "<->", "<=>", "&&", "||", "->", "=>", "<=", ">=", "==", "!=", "=<", "<>", "<", ">", "=", "+",
    "-", "*", "&", "|", "!", "(", ")", "[", "]", ",", ":", ";",
];

/// Splits a formula into tokens. A comment begins with `#` and ends with its line.
pub(super) fn split_formula(text: &str) -> Result<Vec<TypedToken>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    let is_word_character = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    while let Some(c) = rest.chars().next() {
        let length_while = |is: &dyn Fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let length = match c {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' => {
                let (name, length) = parse_quoted(rest)?;
                tokens.push(TypedToken::Name(name));
                length
            }
            _ if c.is_alphabetic() || c == '_' => {
                let length = length_while(&is_word_character);
                tokens.push(TypedToken::Word(rest[..length].to_owned()));
                length
            }
            _ if c.is_ascii_digit() => {
                let length = length_while(&|c| c.is_ascii_digit());
                tokens.push(TypedToken::Number(rest[..length].to_owned()));
                length
            }
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign.ok_or_else(|| format!("unexpected character {c:?}"))?;
                tokens.push(TypedToken::Sign(sign));
                sign.len()
            }
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Parses a name in quotes at the beginning of `text`. Returns the name and its length in bytes,
/// including the quotes. Returns an error if the closing quote is missing in the line. A backslash
/// escapes the next character: see [`unescaped`].
pub(in crate::reader) fn parse_quoted(text: &str) -> Result<(String, usize), String> {
    let mut name = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((offset, c)) = letters.next() {
        match c {
            '"' => return Ok((name, offset + 1)),
            '\n' => break,
            '\\' => name.extend(letters.next().map(|(_, c)| unescaped(c))),
            _ => name.push(c),
        }
    }
    Err("an unclosed quote".to_owned())
}

/// Returns the character that a backslash and `letter` mean in a quoted name: a line break for `n`,
/// a carriage return for `r`, a tab for `t`, and otherwise the character itself.
pub(super) fn unescaped(letter: char) -> char {
    match letter {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    }
}

/// Escapes a text for an XML element or attribute. Also escapes line ends and tabs, which would
/// become blanks in attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' | '<' | '>' | '"' | '\n' | '\r' | '\t' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            _ => escaped.push(c),
        }
    }
    escaped
}
