//! Tokens of texts in other tools' languages. Errors show line, column and a caret.

use super::error::{InputError, Location};
use parikh_net::printable::is_harmful;
use parikh_net::{BuildError, Marking};
use std::borrow::Cow;
use std::io::BufRead;
use std::ops::Range;

/// A text with the name of its file.
#[derive(Clone, Copy)]
pub(super) struct Script<'t> {
    pub(super) file: &'t str,
    pub(super) text: &'t str,
}

/// A token of a text.
#[derive(Clone, Debug)]
pub(super) struct ScriptToken<'t> {
    /// The text of the token. For a name in quotes or braces, only the text inside.
    pub(super) text: Cow<'t, str>,
    /// The range of the token in bytes.
    pub(super) span: Range<usize>,
    /// True for names, keywords and numbers; false for signs.
    pub(super) is_word: bool,
    /// True if the token stood in quotes or braces, and so cannot be a keyword.
    pub(super) is_quoted: bool,
    /// True if only blanks and comments precede the token in its line.
    pub(super) begins_line: bool,
}

impl ScriptToken<'_> {
    /// Returns true if the token is this keyword or sign.
    pub(super) fn is(&self, text: &str) -> bool {
        !self.is_quoted && self.text == text
    }
}

/// The tokens of a text, in order.
pub(super) struct ScriptTokens<'t> {
    pub(super) script: Script<'t>,
    tokens: Vec<ScriptToken<'t>>,
    next_index: usize,
}

/// The largest number of characters of a line shown before an error. An excerpt of a line has at
/// most twice this number of characters.
const EXCERPT_RADIUS: usize = 60;

impl<'t> Script<'t> {
    /// Returns an error at the given bytes.
    pub(super) fn error(&self, span: &Range<usize>, problem: impl Into<String>) -> InputError {
        let start = span.start.min(self.text.len());
        let begin = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[begin..].lines().next().unwrap_or_default();
        let at = (start - begin).min(line.len());
        let end = (span.end.max(start) - begin).min(line.len());
        let before = line[..at].chars().count();
        let length = line.get(at..end).map_or(1, |piece| piece.chars().count().max(1));
        let cut = before.saturating_sub(EXCERPT_RADIUS);
        let visible = |c: char| match c {
            '\t' => ' ',
            c if is_harmful(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        };
        let shown: String = line.chars().skip(cut).take(2 * EXCERPT_RADIUS).map(visible).collect();
        let carets = "^".repeat(length.min(2 * EXCERPT_RADIUS - (before - cut)));
        let location = Location {
            file: self.file.into(),
            line: 1 + self.text[..begin].bytes().filter(|&byte| byte == b'\n').count() as u64,
            column: at as u64 + 1,
        };
        let excerpt = [format!("  {shown}"), format!("  {}{carets}", " ".repeat(before - cut))];
        InputError::Script { at: location, problem: problem.into(), excerpt: Box::new(excerpt) }
    }

    /// Converts an error of the net builder to an error at these bytes.
    pub(super) fn build_error(&self, span: &Range<usize>, problem: &BuildError) -> InputError {
        self.error(span, problem.to_string())
    }
}

impl<'t> ScriptTokens<'t> {
    pub(super) fn new(script: Script<'t>, tokens: Vec<ScriptToken<'t>>) -> Self {
        ScriptTokens { script, tokens, next_index: 0 }
    }

    /// Returns the next token without taking it.
    pub(super) fn peek(&self) -> Option<&ScriptToken<'t>> {
        self.tokens.get(self.next_index)
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> Option<ScriptToken<'t>> {
        let token = self.tokens.get(self.next_index).cloned();
        self.next_index += usize::from(token.is_some());
        token
    }

    /// Takes the next token if it is this keyword or sign.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is = self.peek().is_some_and(|token| token.is(text));
        self.next_index += usize::from(is);
        is
    }

    /// Takes the next token, which must be this keyword or sign. Otherwise, returns an error.
    pub(super) fn expect(&mut self, text: &str) -> Result<ScriptToken<'t>, InputError> {
        match self.peek().is_some_and(|token| token.is(text)) {
            true => self.next().ok_or_else(|| self.instead_of(text)),
            false => Err(self.instead_of(&format!("`{text}`"))),
        }
    }

    /// Takes any word, which may be a number, or returns an error. `expected` describes the word
    /// for the message.
    pub(super) fn word(&mut self, expected: &str) -> Result<ScriptToken<'t>, InputError> {
        match self.peek().is_some_and(|token| token.is_word) {
            true => self.next().ok_or_else(|| self.instead_of(expected)),
            false => Err(self.instead_of(expected)),
        }
    }

    /// Takes a whole number from `least` to 2⁶³ − 1, or returns an error.
    pub(super) fn number(&mut self, least: u64) -> Result<(u64, Range<usize>), InputError> {
        let expected = format!("a whole number from {least} to 2^63 - 1");
        let token = self.word(&expected)?;
        let digits = token.text.bytes().all(|byte| byte.is_ascii_digit());
        let number = token.text.parse().ok().filter(|_| digits);
        match number.filter(|number| (least..=Marking::MAX_TOKENS).contains(number)) {
            Some(number) => Ok((number, token.span)),
            None => Err(self.unexpected_token(&token, &expected)),
        }
    }

    /// Returns the error that the next token is not the expected one.
    pub(super) fn instead_of(&self, expected: &str) -> InputError {
        match self.peek() {
            Some(token) => self.unexpected_token(token, expected),
            None => {
                let end = self.script.text.trim_end().len();
                self.script.error(&(end..end), format!("the file ends here, expected {expected}"))
            }
        }
    }

    /// Returns the error that `token` was found, and `expected` was expected.
    pub(super) fn unexpected_token(&self, token: &ScriptToken<'_>, expected: &str) -> InputError {
        let found: String = token.text.chars().take(40).collect();
        self.script.error(&token.span, format!("found `{found}`, expected {expected}"))
    }
}

/// Decodes the beginning of a text as UTF-8, without the byte order mark. Invalid bytes become
/// U+FFFD.
pub(super) fn beginning(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// Reads a whole text in another tool's language. A text that is not UTF-8 is read as ISO 8859-1,
/// since comments of old files may be in that encoding.
pub(super) fn read_text(reader: &mut dyn BufRead, name: &str) -> Result<String, InputError> {
    let mut bytes = Vec::new();
    let unreadable = |cause| InputError::Unreadable { file: name.into(), cause };
    reader.read_to_end(&mut bytes).map_err(unreadable)?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => error.into_bytes().into_iter().map(char::from).collect(),
    };
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

/// Returns the name in the net for the transition `name` of the file. The languages of LoLA and
/// TINA allow a place and a transition of the same name. If a place has the name `name`, primes are
/// added until no place and no transition has the result. Otherwise, `name` is returned.
pub(super) fn transition_name(
    name: &str,
    is_place: impl Fn(&str) -> bool,
    is_transition: impl Fn(&str) -> bool,
) -> String {
    let mut own = name.to_owned();
    if !is_place(name) {
        return own;
    }
    while is_place(&own) || is_transition(&own) {
        own.push('\'');
    }
    own
}
