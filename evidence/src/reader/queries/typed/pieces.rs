//! Splits texts in the contest's own languages into tokens with lines.

use super::lexer::{TypedToken, unescaped};

/// A formula translated to the `--formula` language, or an error message.
pub(super) struct TranslatedProperty {
    /// The name of the formula, or an empty text without one.
    pub(super) name: String,
    /// The line where the formula begins.
    pub(super) line: u64,
    /// The tokens in the `--formula` language, or an error message.
    pub(super) tokens: Result<Vec<TypedToken>, String>,
}

/// A token of a text in one of the contest's own languages, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContestToken {
    pub(super) kind: ContestTokenKind,
    pub(super) text: String,
    pub(super) line: u64,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContestTokenKind {
    Word,
    /// A name in quotes.
    Quoted,
    Number,
    Sign,
    /// A character with which no token of the language begins.
    Unknown,
}

/// The lexical rules of a language.
pub(super) struct ContestLexis {
    /// The characters allowed inside words, besides letters, digits and `_`.
    pub(super) inside_words: &'static str,
    /// The signs; a sign comes before its prefixes.
    pub(super) signs: &'static [&'static str],
    /// True if a backslash in quotes escapes the next character.
    pub(super) has_escapes: bool,
}

impl ContestToken {
    /// Returns true if the token is this word or sign.
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, ContestTokenKind::Word | ContestTokenKind::Sign) && self.text == text
    }

    /// Returns the text of a word or a quoted name, and `None` for other tokens.
    pub(super) fn name(&self) -> Option<&str> {
        matches!(self.kind, ContestTokenKind::Word | ContestTokenKind::Quoted).then_some(&self.text)
    }
}

/// Splits a text, which begins in `line`, into tokens.
pub(super) fn split_tokens(text: &str, mut line: u64, lexis: &ContestLexis) -> Vec<ContestToken> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word_character =
            |c: char| c.is_alphanumeric() || c == '_' || lexis.inside_words.contains(c);
        let length_while = |is: &dyn Fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let (kind, length, token_text) = match c {
            c if c.is_whitespace() => {
                line += u64::from(c == '\n');
                rest = &rest[c.len_utf8()..];
                continue;
            }
            '"' => match quoted(rest, lexis.has_escapes) {
                Some((name, length)) => (ContestTokenKind::Quoted, length, name),
                None => (ContestTokenKind::Unknown, 1, c.to_string()),
            },
            c if c.is_alphabetic() || c == '_' => {
                let length = length_while(&is_word_character);
                (ContestTokenKind::Word, length, rest[..length].to_owned())
            }
            c if c.is_ascii_digit() => {
                let length = length_while(&|c| c.is_ascii_digit());
                (ContestTokenKind::Number, length, rest[..length].to_owned())
            }
            c => match lexis.signs.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (ContestTokenKind::Sign, sign.len(), (*sign).to_owned()),
                None => (ContestTokenKind::Unknown, c.len_utf8(), c.to_string()),
            },
        };
        pieces.push(ContestToken { kind, text: token_text, line });
        rest = &rest[length..];
    }
    pieces
}

/// Parses a name in quotes at the beginning of a text. Returns the name and its length in bytes,
/// including the quotes. Returns `None` if the closing quote is missing in the line.
fn quoted(text: &str, has_escapes: bool) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((offset, c)) = letters.next() {
        match c {
            '"' => return Some((name, offset + 1)),
            '\n' => return None,
            '\\' if has_escapes => name.push(unescaped(letters.next()?.1)),
            _ => name.push(c),
        }
    }
    None
}
