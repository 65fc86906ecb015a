//! Single components in the formats of other tools: Aldebaran (`.aut`) and mCRL2's `.fsm`.
//!
//! ```text
//! des (0, 2, 2)                    state(2) Nat
//! (0, "send", 1)                   ---
//! (1, "ack", 0)                    0
//!                                  1
//!                                  ---
//!                                  1 2 "send"
//!                                  2 1 "ack"
//! ```
//!
//! A file is one transition system, and becomes a system with one component. In `.fsm`, states are
//! numbered from 1, the initial state. The parameters section is ignored.

use super::error::ReadError;
use super::tokens::quoted;
use crate::builder::{ComponentBuilder, system};
use crate::system::System;

/// Limit on the number of states of a file.
const MOST: usize = 50_000_000;

/// Parses an Aldebaran file.
///
/// # Errors
/// Returns the position of the first error.
pub fn aut(text: &str, name: &str) -> Result<System, ReadError> {
    let mut component = ComponentBuilder::new("component0");
    let mut counts: Option<(usize, usize)> = None;
    let (mut offset, mut edges) = (0, 0);
    for line in text.split_inclusive('\n') {
        let begin = offset;
        offset += line.len();
        if line.trim().is_empty() {
            continue;
        }
        match counts {
            None => {
                let (first, transitions, states) = head(text, begin, line)?;
                states_of(&mut component, states);
                component.start(first as u32);
                counts = Some((states, transitions));
            }
            Some((states, _)) => {
                edges += 1;
                let (from, label, to) = edge(text, begin, line, states)?;
                component.edge(from as u32, &label, to as u32);
            }
        }
    }
    let Some((_, transitions)) = counts else {
        let expected = "`des (FIRST, TRANSITIONS, STATES)`";
        return Err(ReadError::at(text, 0, expected, "an empty file"));
    };
    if edges != transitions {
        let expected = format!("{transitions} transitions, as the first line says");
        return Err(ReadError::at(text, text.len(), expected, format!("{edges}")));
    }
    system(name, vec![component])
        .map_err(|error| ReadError::at(text, 0, "a transition system", error.to_string()))
}

fn states_of(component: &mut ComponentBuilder, count: usize) {
    for state in 0..count {
        component.state(&state.to_string());
    }
}

/// Parses the line `des (FIRST, TRANSITIONS, STATES)`.
fn head(text: &str, begin: usize, line: &str) -> Result<(usize, usize, usize), ReadError> {
    let at = begin + (line.len() - line.trim_start().len());
    let wrong = |found: &str| {
        let expected = "`des (FIRST, TRANSITIONS, STATES)` with three numbers, FIRST below STATES";
        ReadError::at(
            text,
            at,
            expected,
            format!("`{}`", found.chars().take(40).collect::<String>()),
        )
    };
    let line = line.trim();
    let inside = line.strip_prefix("des").map(str::trim);
    let inside = inside.and_then(|it| it.strip_prefix('(')).and_then(|it| it.strip_suffix(')'));
    let numbers: Option<Vec<usize>> =
        inside.map(|it| it.split(',')).and_then(|it| it.map(|it| it.trim().parse().ok()).collect());
    match numbers.as_deref() {
        Some(&[first, transitions, states]) if first < states && states <= MOST => {
            Ok((first, transitions, states))
        }
        _ => Err(wrong(line)),
    }
}

/// Parses a line `(FROM, LABEL, TO)`. The label may be quoted, and may then contain commas.
fn edge(
    text: &str,
    begin: usize,
    line: &str,
    states: usize,
) -> Result<(usize, String, usize), ReadError> {
    let at = begin + (line.len() - line.trim_start().len());
    let line = line.trim();
    let wrong = || {
        let expected = format!("`(FROM, \"LABEL\", TO)` with states below {states}");
        let found = format!("`{}`", line.chars().take(40).collect::<String>());
        ReadError::at(text, at, expected, found)
    };
    let inside = line.strip_prefix('(').and_then(|it| it.strip_suffix(')')).ok_or_else(wrong)?;
    let (from, rest) = inside.split_once(',').ok_or_else(wrong)?;
    let (label, to) = match rest.trim_start() {
        rest if rest.starts_with('"') => {
            let (label, length) = quoted(rest).ok_or_else(wrong)?;
            (label, rest[length..].trim_start().strip_prefix(',').ok_or_else(wrong)?)
        }
        rest => {
            let (label, to) = rest.rsplit_once(',').ok_or_else(wrong)?;
            (label.trim().to_owned(), to)
        }
    };
    let state = |text: &str| text.trim().parse().ok().filter(|&it: &usize| it < states);
    match (state(from), state(to)) {
        (Some(from), Some(to)) if !label.is_empty() => Ok((from, label, to)),
        _ => Err(wrong()),
    }
}

/// Parses an mCRL2 `.fsm` file.
///
/// # Errors
/// Returns the position of the first error.
pub fn fsm(text: &str, name: &str) -> Result<System, ReadError> {
    let mut component = ComponentBuilder::new("component0");
    let (mut part, mut states, mut offset) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        let begin = offset;
        offset += line.len();
        let trimmed = line.trim();
        match (trimmed, part) {
            ("---", 0 | 1) => {
                part += 1;
                if part == 2 {
                    states_of(&mut component, states);
                }
            }
            ("", _) | (_, 0) => {}
            (_, 1) => states += usize::from(states < MOST),
            _ => {
                let wrong = || {
                    let expected = format!("`FROM TO \"LABEL\"` with states from 1 to {states}");
                    let found = format!("`{}`", trimmed.chars().take(40).collect::<String>());
                    ReadError::at(text, begin, expected, found)
                };
                let (from, rest) = trimmed.split_once(char::is_whitespace).ok_or_else(wrong)?;
                let (to, label) =
                    rest.trim_start().split_once(char::is_whitespace).ok_or_else(wrong)?;
                let label = label.trim();
                let label = match label.starts_with('"') {
                    true => quoted(label).ok_or_else(wrong)?.0,
                    false => label.to_owned(),
                };
                let state = |text: &str| {
                    text.trim().parse().ok().filter(|it| (1..=states as u32).contains(it))
                };
                match (state(from), state(to)) {
                    (Some(from), Some(to)) if !label.is_empty() => {
                        component.edge(from - 1, &label, to - 1);
                    }
                    _ => return Err(wrong()),
                }
            }
        }
    }
    if part < 2 {
        let expected = "two lines `---`, before the states and before the transitions";
        return Err(ReadError::at(text, text.len(), expected, "the end of the file"));
    }
    if states > 0 {
        component.start(0);
    }
    system(name, vec![component])
        .map_err(|error| ReadError::at(text, text.len(), "a transition system", error.to_string()))
}
