//! Errors of the parsers, with positions.

use parikh_net::printable::Printable;
use std::fmt;

/// The error for invalid input.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct ReadError {
    /// Line number from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The expected content.
    pub expected: String,
    /// The content found.
    pub found: String,
    /// The text of the line.
    pub text: String,
}

/// Limit on the characters of a line that are shown.
const MAX_SHOWN_CHARACTERS: usize = 100;

impl ReadError {
    /// Creates an error at a byte offset of a text.
    pub(crate) fn at(
        text: &str,
        offset: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let text_before = &text[..offset];
        let begin = text_before.rfind('\n').map_or(0, |at| at + 1);
        let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
        Self {
            line: text_before.matches('\n').count() + 1,
            column: text_before[begin..].chars().count() + 1,
            expected: expected.into(),
            found: found.into(),
            text: text[begin..end].trim_end().to_owned(),
        }
    }

    /// Translates an error in a part of a text into an error in the whole text. The part begins at
    /// byte `offset`.
    #[must_use]
    pub fn in_whole_text(self, whole: &str, offset: usize) -> Self {
        let rest = &whole[offset.min(whole.len())..];
        let line_begin: usize = rest.split_inclusive('\n').take(self.line - 1).map(str::len).sum();
        let line = rest[line_begin..].lines().next().unwrap_or_default();
        let column: usize = line.chars().take(self.column - 1).map(char::len_utf8).sum();
        Self::at(whole, offset + line_begin + column, self.expected, self.found)
    }

    /// Returns the line and a line with a caret below the column, both cut if the line is long.
    pub fn excerpt(&self) -> [String; 2] {
        let first = (self.column - 1).saturating_sub(MAX_SHOWN_CHARACTERS / 2);
        let cut: String = self.text.chars().skip(first).take(MAX_SHOWN_CHARACTERS).collect();
        // Characters that print wider would shift the caret, so they are replaced by spaces.
        let plain: String = cut
            .chars()
            .map(|c| if Printable(c).to_string().len() == c.len_utf8() { c } else { ' ' })
            .collect();
        [format!("  {plain}"), format!("  {}^", " ".repeat(self.column - 1 - first))]
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, expected, found, .. } = self;
        write!(f, "{line}:{column}: expected {expected}, found {found}")
    }
}
