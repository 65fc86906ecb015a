//! What PIPE writes in nets besides the standard's labels.
//!
//! Its tokens have classes: `Default,3` is three of the class that is there from the beginning, and
//! nets with others are coloured. Each of its transitions has a priority, and is timed or not;
//! those that are not timed fire before those that are. Where these are the same for all, they
//! change nothing.

use super::error::InputError;
use super::labels::Label;
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

/// What a transition says of when it fires: its priority, and whether it is timed.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Urgency {
    priority: Option<String>,
    timed: Option<String>,
}

impl Urgency {
    /// Takes note of a label `priority`.
    pub(super) fn prioritise(&mut self, label: Label) {
        self.priority = Some(label.text);
    }

    /// Takes note of a label `timed`.
    pub(super) fn time(&mut self, label: Label) {
        self.timed = Some(label.text);
    }
}

/// The urgencies of the transitions read so far.
#[derive(Default)]
pub(super) struct Urgencies(Option<Urgency>);

impl Urgencies {
    /// One more transition.
    ///
    /// # Errors
    /// When some fire before others.
    pub(super) fn add(
        &mut self,
        urgency: Urgency,
        transition: &str,
        at: Position,
        file: &str,
    ) -> Result<(), InputError> {
        if *self.0.get_or_insert_with(|| urgency.clone()) == urgency {
            return Ok(());
        }
        Err(InputError::Unsupported {
            at: at.of(file),
            found: format!(
                "the `priority` or `timed` of transition `{transition}`, other than before,"
            ),
            advice: "which fires first changes what can be reached; give all transitions the same",
        })
    }
}
