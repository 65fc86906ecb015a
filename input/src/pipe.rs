//! PIPE's additions to the labels of the standard.
//!
//! Tokens of PIPE have classes: `Default,3` means three tokens of the predefined class. Nets with
//! other classes are coloured. The module `timing` reads times and priorities.

use super::error::InputError;
use super::source::TextPosition;
use super::xml::{XmlReader, trimmed};
use std::io::BufRead;

/// Returns the number in a marking or inscription of PIPE, as text. The text is a number, or
/// `Default,` and a number. Returns `None` if the number contains a comma, as in a text that names
/// another class of tokens. The number is not checked otherwise.
pub(super) fn plain_tokens(text: &str) -> Option<&str> {
    let number = trimmed(text.strip_prefix("Default,").unwrap_or(text));
    (!number.contains(',')).then_some(number)
}

impl<R: BufRead> XmlReader<R> {
    /// Reads the label `tagged` that was opened last, and checks that it tags no token. In a net
    /// with a tagged token, some arcs only move that token.
    ///
    /// # Errors
    /// When the label is anything but empty, `false` or `0`, or when the file cannot be read.
    pub(super) fn untagged(
        &mut self,
        at: TextPosition,
        kind: &str,
        id: &str,
    ) -> Result<(), InputError> {
        let label = self.label(at)?;
        if !label.structured && matches!(&*label.text.to_ascii_lowercase(), "" | "false" | "0") {
            return Ok(());
        }
        Err(InputError::Unsupported {
            at: at.of(self.file()),
            found: format!("`<tagged>` of {kind} `{id}` with the value `{}`", label.text),
            advice: "expected `false`: only nets without a tagged token are supported; remove the \
                     tag in PIPE",
        })
    }
}
