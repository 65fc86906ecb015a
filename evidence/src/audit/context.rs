//! The context for judging answers: the net, the evidence of the file, and the limits.

use super::AuditWatch;
use super::shelf::EvidenceLines;
use crate::Document;
use parikh_net::Net;

/// The number of markings that may always be visited for a document, even if searches are not
/// repeated.
const MAX_DOCUMENT_MARKINGS: u64 = 1_000_000;

/// The context for judging the answers of one file.
pub(super) struct AuditContext<'n> {
    /// The net that the file is about. For soundness questions, it is the net with the initial and
    /// final markings of the cases, that is, process instances.
    pub(super) net: &'n Net,
    /// The evidence of the file.
    pub(super) lines: EvidenceLines<'n>,
    /// The largest number of markings of a search that is repeated.
    pub(super) max_markings: u64,
    /// A description of how some evidence violates the model's claim of safe units; `None` if no
    /// violation is known.
    pub(super) breach: Option<String>,
    /// The watch that limits time and memory.
    pub(super) watch: AuditWatch,
}

impl AuditContext<'_> {
    /// Records the first violation of the claim of safe units.
    pub(super) fn note_breach(&mut self, breach: impl FnOnce(&Net) -> Option<String>) {
        if self.breach.is_none() {
            self.breach = breach(self.net);
        }
    }

    /// Checks that the markings that a document requires to be visited one by one are not too many.
    ///
    /// # Errors
    /// A message with the number and the limit, as in `refuse_many_markings`.
    pub(super) fn refuse_large_document(&self, document: &Document) -> Result<(), String> {
        match document {
            &Document::Markings(markings) => self.refuse_many_markings(markings),
            _ => Ok(()),
        }
    }

    /// Checks that `markings`, a number of markings to visit, exceeds neither `max_markings` nor,
    /// if larger, `MAX_DOCUMENT_MARKINGS`.
    ///
    /// # Errors
    /// A message with the number and the limit.
    pub(super) fn refuse_many_markings(&self, markings: u64) -> Result<(), String> {
        let max_markings = self.max_markings.max(MAX_DOCUMENT_MARKINGS);
        match markings > max_markings {
            true => Err(format!(
                "{markings} markings must be visited, more than the limit of {max_markings} (--visit)"
            )),
            false => Ok(()),
        }
    }
}
