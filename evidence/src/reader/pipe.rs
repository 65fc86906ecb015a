//! Reads the additions of the tool PIPE to PNML: labels about times and drawings, priorities, and
//! classes of tokens.
//!
//! - Drawings have no meaning. The module `timing` reads times, rates and priorities.
//! - `Default,3` means three tokens of the predefined class. Tokens of other classes are refused,
//!   and so are capacities. A class with 0 tokens may be listed.

use super::timing::is_timing_element;
use super::{Unreadable, name, parse_number};
use parikh_net::printable::Quoted;
use roxmltree::Node;

/// Returns true if an element inside `parent` is a known addition that this reader ignores. It has
/// no meaning, or the module `timing` reads it.
pub(super) fn is_ignored(inside: Node<'_, '_>, parent: Node<'_, '_>) -> bool {
    let known: &[&str] = match name(parent) {
        // A state group lists conditions for PIPE's analyses.
        "net" | "page" => &["token", "labels", "definition", "stategroup"],
        "transition" => &["orientation", "rate", "infiniteServer"],
        "arc" => &["arcpath"],
        _ => &[],
    };
    // The module `timing` checks times and priorities.
    let has_timing = ["place", "transition", "arc"].contains(&name(parent));
    known.contains(&name(inside)) || has_timing && is_timing_element(name(inside))
}

/// Returns an error for a capacity other than 0. The value 0 means no capacity.
pub(super) fn check_capacity(label: Node<'_, '_>) -> Result<(), Unreadable> {
    match super::number_in_text(label, 0)? {
        0 => Ok(()),
        _ => Err(Unreadable::at(label, "expected no capacity, or 0 for none")),
    }
}

/// Returns an error for a label `tagged` with a text other than `false` and `0`. Such a label
/// declares a tagged token, or an arc for this token only.
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

/// Parses a number of tokens, perhaps in PIPE's list of token classes: `3`, `Default,3` or
/// `Default,3,Red,0`. Returns an error for tokens of other classes. Errors are at `node`.
pub(super) fn tokens(node: Node<'_, '_>, content: &str) -> Result<u64, Unreadable> {
    let mut pieces = content.split(',').map(super::trimmed);
    let mut digits = pieces.next().unwrap_or_default();
    if content.contains(',') {
        let (mut class, mut default) = (digits, None);
        loop {
            let count = pieces.next();
            match (class, count) {
                ("Default", Some(count)) if default.is_none() => default = Some(count),
                (other, Some("0")) if other != "Default" => {}
                _ => return Err(other_classes_error(node, content)),
            }
            match pieces.next() {
                Some(next_class) => class = next_class,
                None => break,
            }
        }
        digits = default.ok_or_else(|| other_classes_error(node, content))?;
    }
    parse_number(node, digits)
}

fn other_classes_error(node: Node<'_, '_>, content: &str) -> Unreadable {
    let what = format!("expected tokens of the class `Default` only, found {}", Quoted(content));
    Unreadable::at(node, what)
}

/// Returns an error for a player of a transition other than 0. Players occur in games of TAPAAL.
pub(super) fn check_player(label: Node<'_, '_>) -> Result<(), Unreadable> {
    // An empty label names no player, and is refused.
    match super::number_in_text(label, u64::MAX)? {
        0 => Ok(()),
        _ => Err(Unreadable::at(label, "expected the player 0, because games are not supported")),
    }
}
