//! What PIPE writes in its nets: labels about times and drawings, priorities, classes of tokens.
//!
//! - Times, rates and drawings mean nothing here.
//! - Transitions that are not timed fire before those that are, and by their priority. That is
//!   taken where all have the same of both, and then means nothing.
//! - `Default,3` is three tokens of the class that is always there. Tokens of other classes are
//!   refused, and so are capacities.

use super::{Unreadable, elements, name, number, text};
use parikh_net::printable::Quoted;
use roxmltree::Node;

/// Whether an element right inside of this one is known, and means nothing by itself.
pub(super) fn means_nothing(inside: Node<'_, '_>, around: Node<'_, '_>) -> bool {
    let known: &[&str] = match name(around) {
        "net" | "page" => &["token", "labels", "definition"],
        // Priorities are looked at together.
        "transition" => &["orientation", "rate", "timed", "infiniteServer", "priority"],
        "arc" => &["arcpath"],
        _ => &[],
    };
    known.contains(&name(inside))
}

/// Refuses transitions of which some fire before others.
pub(super) fn no_priorities(transitions: &[Node<'_, '_>]) -> Result<(), Unreadable> {
    let of = |transition: Node<'_, '_>| -> Result<Vec<String>, Unreadable> {
        let mut said = Vec::new();
        for key in ["priority", "timed"] {
            for label in elements(transition).filter(|&inside| name(inside) == key) {
                said.push(key.to_owned());
                let inside = elements(label).filter(|&it| ["text", "value"].contains(&name(it)));
                for one in inside {
                    said.push(text(one)?);
                }
            }
        }
        Ok(said)
    };
    let mut first = None;
    for &transition in transitions {
        let said = of(transition)?;
        if *first.get_or_insert_with(|| said.clone()) != said {
            let what = "expected the `priority` and `timed` of the transitions before";
            return Err(Unreadable::at(transition, what));
        }
    }
    Ok(())
}

/// Refuses a capacity, unless it is 0, which says that there is none.
pub(super) fn no_capacity(label: Node<'_, '_>) -> Result<(), Unreadable> {
    match super::in_text(label, 0)? {
        0 => Ok(()),
        _ => Err(Unreadable::at(label, "expected no capacity, or 0 for none")),
    }
}

/// Refuses a tagged token, and arcs that only it takes.
pub(crate) fn no_tagged_token(label: Node<'_, '_>) -> Result<(), Unreadable> {
    let said: Vec<String> = label
        .descendants()
        .filter(|it| it.is_text() && it.parent().is_some_and(|it| name(it) != "graphics"))
        .filter_map(|piece| piece.text().map(super::trimmed))
        .filter(|text| !text.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    match said.iter().all(|text| ["false", "0"].contains(&text.as_str())) {
        true => Ok(()),
        false => Err(Unreadable::at(label, "expected `false` in `tagged`: no token is followed")),
    }
}

/// A number of tokens, perhaps with the class that is always there.
pub(super) fn tokens(node: Node<'_, '_>) -> Result<u64, Unreadable> {
    let said = text(node)?;
    let digits = said.strip_prefix("Default,").unwrap_or(&said).trim_start_matches(super::BLANKS);
    if digits.contains(',') {
        let what = format!("expected tokens of the class `Default` only, found {}", Quoted(&said));
        return Err(Unreadable::at(node, what));
    }
    number(node, digits)
}
