//! PIPE's additions to PNML: labels about times and drawings, priorities, classes of tokens.
//!
//! - Drawings have no meaning. The module `timing` reads times, rates and priorities.
//! - `Default,3` means three tokens of the predefined class. Tokens of other classes are refused,
//!   and so are capacities.

use super::{Unreadable, name, number};
use parikh_net::printable::Quoted;
use roxmltree::Node;

/// Returns true if an element inside `parent` is known, and has no meaning by itself.
pub(super) fn is_ignored(inside: Node<'_, '_>, parent: Node<'_, '_>) -> bool {
    let known: &[&str] = match name(parent) {
        "net" | "page" => &["token", "labels", "definition"],
        // The module `timing` checks times and priorities.
        "transition" => {
            &["orientation", "rate", "timed", "infiniteServer", "priority", "delay", "interval"]
        }
        "arc" => &["arcpath"],
        _ => &[],
    };
    known.contains(&name(inside))
}

/// Refuses a capacity other than 0. The value 0 means no capacity.
pub(super) fn check_capacity(label: Node<'_, '_>) -> Result<(), Unreadable> {
    match super::number_in_text(label, 0)? {
        0 => Ok(()),
        _ => Err(Unreadable::at(label, "expected no capacity, or 0 for none")),
    }
}

/// Refuses a label `tagged` with a text other than `false` and `0`. Such a label declares a tagged
/// token, or an arc for this token only.
pub(crate) fn check_tagged(label: Node<'_, '_>) -> Result<(), Unreadable> {
    let texts: Vec<String> = label
        .descendants()
        .filter(|it| it.is_text() && it.parent().is_some_and(|it| name(it) != "graphics"))
        .filter_map(|piece| piece.text().map(super::trimmed))
        .filter(|text| !text.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    match texts.iter().all(|text| ["false", "0"].contains(&text.as_str())) {
        true => Ok(()),
        false => Err(Unreadable::at(
            label,
            "expected `false` in `tagged`, because tagged tokens are not supported",
        )),
    }
}

/// Parses a number of tokens, perhaps with the token class `Default` of PIPE before it: `3` or
/// `Default,3`. Refuses other token classes. Errors are at `node`.
pub(super) fn tokens(node: Node<'_, '_>, content: &str) -> Result<u64, Unreadable> {
    let digits =
        content.strip_prefix("Default,").unwrap_or(content).trim_start_matches(super::BLANKS);
    if digits.contains(',') {
        let what =
            format!("expected tokens of the class `Default` only, found {}", Quoted(content));
        return Err(Unreadable::at(node, what));
    }
    number(node, digits)
}
