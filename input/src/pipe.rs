//! PIPE's additions to the labels of the standard.
//!
//! Tokens of PIPE have classes: `Default,3` means three tokens of the predefined class. PIPE lists
//! every class of the net, so `Default,3,Red,0` means the same. Nets with tokens of other classes
//! are coloured. The module `timing` reads times and priorities.

use super::error::InputError;
use super::source::TextPosition;
use super::xml::{XmlReader, trimmed};
use std::io::BufRead;

/// Returns the number in a marking or inscription of PIPE, as text. The text is a number, or a list
/// of classes, each with a number. Returns `None` if a list has no class `Default`, has it twice,
/// or has a number other than 0 for another class. The number itself is not checked.
pub(super) fn plain_tokens(text: &str) -> Option<&str> {
    let pieces: Vec<&str> = text.split(',').map(trimmed).collect();
    if let [number] = pieces[..] {
        return Some(number);
    }
    let mut number = None;
    for entry in pieces.chunks(2) {
        match *entry {
            ["Default", tokens] if number.is_none() => number = Some(tokens),
            [class, "0"] if class != "Default" => {}
            _ => return None,
        }
    }
    number
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
