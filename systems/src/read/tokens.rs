//! Lexer for the Graphviz language.

use super::error::ReadError;

/// A lexical token of the Graphviz language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SystemToken {
    /// A name, a number, or a quoted text.
    Word(String),
    /// `->`.
    Arrow,
    /// A single character: braces, brackets, `=`, `;`, `,`.
    Sign(char),
}

impl SystemToken {
    /// Returns the token as shown in messages.
    pub(crate) fn description(&self) -> String {
        match self {
            SystemToken::Word(word) => format!("`{}`", word.chars().take(40).collect::<String>()),
            SystemToken::Arrow => "`->`".to_owned(),
            SystemToken::Sign(sign) => format!("`{sign}`"),
        }
    }
}

/// Returns the tokens of a text, each with its byte offset.
pub(crate) fn tokens(text: &str) -> Result<Vec<(SystemToken, usize)>, ReadError> {
    let mut tokens = Vec::new();
    let mut offset = 0;
    while let Some(c) = text[offset..].chars().next() {
        let rest = &text[offset..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let (token, length) = if c.is_whitespace() {
            (None, c.len_utf8())
        } else if rest.starts_with("//") || (c == '#' && begins_line(text, offset)) {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            // The end does not overlap the beginning: `/*/` is no whole comment.
            let end = text[offset + 2..].find("*/").ok_or_else(|| {
                ReadError::at(
                    text,
                    offset,
                    "a closing `*/` for this comment",
                    "the end of the file",
                )
            })?;
            (None, end + 4)
        } else if rest.starts_with("->") {
            (Some(SystemToken::Arrow), 2)
        } else if "{}[]=;,".contains(c) {
            (Some(SystemToken::Sign(c)), 1)
        } else if c == '"' {
            let (word, length) = quoted(rest).ok_or_else(|| {
                ReadError::at(text, offset, "a closing `\"` for this one", "the end of the file")
            })?;
            (Some(SystemToken::Word(word)), length)
        } else if is_word(c) || c == '-' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            let sign = usize::from(c == '-');
            let length =
                rest[sign..].find(|c| !is_word(c)).map_or(rest.len(), |offset| offset + sign);
            (Some(SystemToken::Word(rest[..length].to_owned())), length)
        } else {
            let expected = "a name, `->`, or one of `{ } [ ] = ; ,`";
            return Err(ReadError::at(text, offset, expected, format!("`{c}`")));
        };
        tokens.extend(token.map(|token| (token, offset)));
        offset += length;
    }
    Ok(tokens)
}

fn begins_line(text: &str, offset: usize) -> bool {
    text[..offset].rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
}

/// Reads a quoted text at the beginning of `text`. Returns its content and its length in bytes with
/// the quotes. `\"` is a quote and `\\` a backslash; other escapes are kept. Returns `None` if the
/// closing quote is missing.
pub(crate) fn quoted(text: &str) -> Option<(String, usize)> {
    let mut word = String::new();
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' | '\\' if is_escaped => {
                word.pop();
                word.push(c);
                is_escaped = false;
            }
            '"' => return Some((word, at + 1)),
            c => {
                word.push(c);
                is_escaped = c == '\\';
            }
        }
    }
    None
}
