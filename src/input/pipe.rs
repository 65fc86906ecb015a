//! What PIPE writes in nets besides the standard's labels.
//!
//! Its tokens have classes: `Default,3` is three of the class that is there from the beginning, and
//! nets with others are coloured. Times and priorities are read by `timing`.

use super::xml::trimmed;

/// The number of tokens, where they are of the class that is there from the beginning; the text as
/// it is, where no class is named; nothing where there are others.
pub(super) fn plain_tokens(text: &str) -> Option<&str> {
    let number = trimmed(text.strip_prefix("Default,").unwrap_or(text));
    (!number.contains(',')).then_some(number)
}
