//! What PIPE writes in nets besides the standard's labels.
//!
//! Its tokens have classes: `Default,3` is three of the class that is there from the beginning, and
//! nets with others are coloured. Times and priorities are read by `timing`.

use super::error::InputError;
use super::source::Position;
use super::xml::{XmlReader, trimmed};
use std::io::BufRead;

/// The number of tokens, where they are of the class that is there from the beginning; the text as
/// it is, where no class is named; nothing where there are others.
pub(super) fn plain_tokens(text: &str) -> Option<&str> {
    let number = trimmed(text.strip_prefix("Default,").unwrap_or(text));
    (!number.contains(',')).then_some(number)
}

impl<R: BufRead> XmlReader<R> {
    /// Reads the label `tagged` that was opened last. Without a tagged token it means nothing; with
    /// one, some arcs are for that token only.
    ///
    /// # Errors
    /// When the label is not `false`.
    pub(super) fn untagged(
        &mut self,
        at: Position,
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
            advice: "expected `false`: only nets without a tagged token are read; take the tag away in PIPE",
        })
    }
}
