//! Errors with their position in a text: file, line, column, and the line with carets under the
//! error.

use super::TextFailure;
use crate::FormulaProblem;
use parikh_net::printable::{Printable, is_harmful};
use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

/// An error in a formula of a text, with its position.
///
/// `{}` prints one line, and `{:#}` adds the excerpt. Both are free of control and other misleading
/// characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The file, or the caller's name for the text.
    pub file: Box<str>,
    /// The line, counted from 1.
    pub line: u64,
    /// The column, counted in characters from 1.
    pub column: u64,
    /// The problem.
    pub problem: FormulaProblem,
    /// The line, or the part of it around the problem.
    excerpt: Box<str>,
    /// The range of the error in the excerpt, in characters.
    caret: Range<usize>,
}

impl std::error::Error for TextError {}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TextError { file, line, column, problem, .. } = self;
        write!(f, "{}:{line}:{column}: {problem}", Printable(file))?;
        if f.alternate() {
            self.excerpt().iter().try_for_each(|line| write!(f, "\n{line}"))?;
        }
        Ok(())
    }
}

impl TextError {
    /// Returns the line of the text, or the part around the error, and a line with carets under the
    /// error.
    pub fn excerpt(&self) -> [String; 2] {
        let carets = "^".repeat(self.caret.len());
        [format!("  {}", self.excerpt), format!("  {}{carets}", " ".repeat(self.caret.start))]
    }
}

/// A text with its name, for converting byte positions to lines and columns.
pub(super) struct NamedText<'t> {
    /// The name of the text, for messages.
    file: &'t str,
    pub(super) text: &'t str,
    /// The first byte of each line, computed at the first error.
    lines: OnceCell<Vec<usize>>,
}

/// The largest number of characters shown before an error in a very long line. An excerpt has at
/// most twice as many characters, besides the marks `…` for omitted text.
const EXCERPT_MARGIN: usize = 60;

impl<'t> NamedText<'t> {
    pub(super) fn new(file: &'t str, text: &'t str) -> Self {
        NamedText { file, text, lines: OnceCell::new() }
    }

    /// Converts a failure in this text to an error.
    pub(super) fn error(&self, TextFailure { span, problem }: TextFailure) -> TextError {
        let lines = self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            std::iter::once(0).chain(ends.map(|(offset, _)| offset + 1)).collect()
        });
        let row = lines.partition_point(|&line_start| line_start <= span.start) - 1;
        let line_start = lines[row];
        let line = self.text[line_start..].lines().next().unwrap_or_default();
        // An error at the end of the text is just behind the line.
        let start_in_line = (span.start - line_start).min(line.len());
        let end_in_line = (span.end.max(span.start) - line_start).min(line.len());
        let before = line[..start_in_line].chars().count();
        let length = line[start_in_line..end_in_line].chars().count().max(1);
        let skipped = before.saturating_sub(EXCERPT_MARGIN);
        // Control characters are replaced one by one, so that the carets stay aligned.
        let visible = |c: char| match c {
            '\t' => ' ',
            c if is_harmful(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        };
        let shown = line.chars().skip(skipped).take(2 * EXCERPT_MARGIN).map(visible);
        let mut excerpt: String = shown.collect();
        let mut caret = before - skipped
            ..before - skipped + length.min(2 * EXCERPT_MARGIN - (before - skipped));
        if skipped > 0 {
            excerpt.insert(0, '…');
            caret = caret.start + 1..caret.end + 1;
        }
        if line.chars().nth(skipped + 2 * EXCERPT_MARGIN).is_some() {
            excerpt.push('…');
        }
        TextError {
            file: self.file.into(),
            line: row as u64 + 1,
            column: before as u64 + 1,
            problem,
            excerpt: excerpt.into(),
            caret,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, span: Range<usize>) -> String {
        let failure = TextFailure { span, problem: FormulaProblem::NoFormula };
        format!("{:#}", NamedText::new("f", text).error(failure))
    }

    #[test]
    fn the_carets_are_under_the_error() {
        assert_eq!(
            shown("a\n\téa bad c\n", 7..10),
            "f:2:5: the property has no formula\n   éa bad c\n      ^^^"
        );
        assert_eq!(shown("ab", 2..2), "f:1:3: the property has no formula\n  ab\n    ^");
        assert_eq!(shown("", 0..0), "f:1:1: the property has no formula\n  \n  ^");
        assert_eq!(
            shown("a \u{1b}[31m", 0..1),
            "f:1:1: the property has no formula\n  a \u{fffd}[31m\n  ^"
        );
        assert_eq!(shown("a\nb", 0..3), "f:1:1: the property has no formula\n  a\n  ^");
    }

    #[test]
    fn a_very_long_line_is_shown_in_part() {
        let text = "x".repeat(1000);
        let shown = shown(&text, 500..502);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "f:1:501: the property has no formula");
        assert_eq!(lines[1], format!("  …{}…", "x".repeat(120)));
        assert_eq!(lines[2], format!("  {}^^", " ".repeat(61)));
    }
}
