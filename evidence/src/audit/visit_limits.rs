//! The limits of visits of markings.

use crate::certificate::Flaw;

/// Returns the reason why a visit that ended with this flaw leaves an answer open. A limit that is
/// too small for the markings, or for the edges between them, does not contradict the answer.
///
/// # Errors
/// A description of any other flaw.
pub(super) fn open_because(flaw: Flaw) -> Result<String, String> {
    match flaw {
        Flaw::More(max_markings) => Ok(format!("more than {max_markings} are reachable")),
        Flaw::TooLarge(what) => Ok(format!("there are {what}")),
        flaw => Err(flaw.to_string()),
    }
}
