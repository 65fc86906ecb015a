//! PIPE's additions to the labels of the standard.
//!
//! Tokens of PIPE have classes: `Default,3` means three tokens of the predefined class. Nets with
//! other classes are coloured. The module `timing` reads times and priorities.

use super::error::InputError;
use super::source::TextPosition;
use super::xml::{XmlReader, trimmed};
use std::io::BufRead;

/// Returns the number of tokens as text if the tokens are of the predefined class or of no named
/// class. Returns `None` for other classes.
pub(super) fn plain_tokens(text: &str) -> Option<&str> {
    let number = trimmed(text.strip_prefix("Default,").unwrap_or(text));
    (!number.contains(',')).then_some(number)
}

impl<R: BufRead> XmlReader<R> {
    /// Reads the label `tagged` that was opened last. Without a tagged token the label has no
    /// meaning. With a tagged token, some arcs only move that token.
    ///
    /// # Errors
    /// When the label is not `false`.
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
