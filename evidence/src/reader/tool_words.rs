//! Words and signs with their lines, into which the readers of other tools' languages split a text.

use super::{Unreadable, decode_utf16};
use parikh_net::Marking;
use parikh_net::printable::Quoted;

/// A token of a text in another tool's language: a word or a sign, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolWord {
    pub(super) line: u64,
    pub(super) text: String,
    /// True for a name in braces, which only TINA's language has.
    pub(super) is_braced: bool,
    /// True if the word is the first of its line. Only the reader of TINA's language sets it.
    pub(super) is_first_of_line: bool,
}

/// The remaining words of a text.
pub(super) struct ToolWords {
    /// The words that are not taken yet.
    words: std::iter::Peekable<std::vec::IntoIter<ToolWord>>,
    /// The line of the last word, for errors at the end of the text.
    line: u64,
}

impl ToolWords {
    pub(super) fn new(words: Vec<ToolWord>) -> Self {
        let line = words.last().map_or(1, |word| word.line);
        ToolWords { words: words.into_iter().peekable(), line }
    }

    /// Returns true if the next word is this keyword or sign, without taking it.
    pub(super) fn next_is(&mut self, text: &str) -> bool {
        self.words.peek().is_some_and(|word| !word.is_braced && word.text == text)
    }

    /// Returns the next word without taking it.
    pub(super) fn peek(&mut self) -> Option<&ToolWord> {
        self.words.peek()
    }

    /// Takes the next word if it is this keyword or sign. Returns true if the word was taken.
    pub(super) fn skip(&mut self, text: &str) -> bool {
        self.next_is(text) && self.words.next().is_some()
    }

    /// Takes the next word. At the end of the file, returns an error with the description
    /// `expected`.
    pub(super) fn take(&mut self, expected: &str) -> Result<ToolWord, Unreadable> {
        let what = || format!("the file ends where {expected} is expected");
        self.words.next().ok_or_else(|| Unreadable { line: self.line, what: what() })
    }

    /// Takes this keyword or sign, or returns an error.
    pub(super) fn expect(&mut self, text: &str) -> Result<(), Unreadable> {
        let word = self.take(text)?;
        match !word.is_braced && word.text == text {
            true => Ok(()),
            false => Err(word.unexpected(text)),
        }
    }

    /// Takes a number from `least` to [`Marking::MAX_TOKENS`], or returns an error.
    pub(super) fn number(&mut self, least: u64) -> Result<u64, Unreadable> {
        let word = self.take("a number")?;
        word.number().filter(|number| *number >= least).ok_or_else(|| word.unexpected("a number"))
    }
}

impl ToolWord {
    /// Returns the error that this word is not the expected one.
    pub(super) fn unexpected(&self, expected: &str) -> Unreadable {
        let what = format!("expected {expected}, found {}", Quoted(&self.text));
        Unreadable { line: self.line, what }
    }

    /// Returns the number that the word denotes in decimal digits. Returns `None` for other words,
    /// and for numbers above [`Marking::MAX_TOKENS`].
    pub(super) fn number(&self) -> Option<u64> {
        let is_decimal = !self.is_braced && self.text.bytes().all(|byte| byte.is_ascii_digit());
        self.text.parse().ok().filter(|&number| is_decimal && number <= Marking::MAX_TOKENS)
    }
}

/// Returns an error in the given line.
pub(super) fn error_in_line(line: u64, what: impl Into<String>) -> Unreadable {
    Unreadable { line, what: what.into() }
}

/// Decodes a file: as UTF-16 if it begins like UTF-16, else as UTF-8 if it is valid. Otherwise each
/// byte is a character, as in ISO 8859-1.
pub(super) fn decode_text(bytes: &[u8]) -> String {
    if let Some(Ok(text)) = decode_utf16(bytes) {
        return text;
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}
