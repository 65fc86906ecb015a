//! What whoever judges has before them: the net, the lines of the file, and the limits.

use super::Watch;
use super::shelf::Shelf;
use crate::Document;
use parikh_net::Net;

/// So many markings are visited for a document, even where no search is made again.
const MARKINGS_OF_A_DOCUMENT: u64 = 1_000_000;

/// What the answers of one file are judged with.
pub(super) struct Desk<'n> {
    pub(super) net: &'n Net,
    pub(super) shelf: Shelf<'n>,
    /// The most markings that a search that is made again may have.
    pub(super) most_visited: u64,
    /// How some evidence broke the model's claim that its units are safe.
    pub(super) breach: Option<String>,
    pub(super) watch: Watch,
}

impl Desk<'_> {
    /// Takes note of how the claim that units are safe is broken, once.
    pub(super) fn note_breach(&mut self, breach: impl FnOnce(&Net) -> Option<String>) {
        if self.breach.is_none() {
            self.breach = breach(self.net);
        }
    }

    /// Refuses a document for which more markings would have to be visited than is allowed.
    pub(super) fn refuse_large(&self, document: &Document) -> Result<(), String> {
        match document {
            &Document::Markings(markings) => self.refuse_more(markings),
            _ => Ok(()),
        }
    }

    /// The same of a number of markings.
    pub(super) fn refuse_more(&self, markings: u64) -> Result<(), String> {
        let most = self.most_visited.max(MARKINGS_OF_A_DOCUMENT);
        match markings > most {
            true => {
                Err(format!("{markings} markings are to be visited; it may be {most} (--visit)"))
            }
            false => Ok(()),
        }
    }
}
