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
//! A file is one transition system, and becomes a system of one component. In `.fsm`, states are
//! numbered from 1. The initial state is 1, unless a last section gives another. A state may have
//! no line of its own: it then occurs in transitions only. The parameters of `.fsm` are not needed.
//!
//! In both formats, mCRL2 writes probability distributions instead of states: `0 1/2 1` in `.aut`,
//! `[1 1/2 2 1/2]` in `.fsm`. Such files are refused.

use super::error::ReadError;
use super::tokens::quoted;
use crate::builder::{ComponentBuilder, system};
use crate::system::System;

/// Limit on the number of states of a file.
const MAX_STATES: usize = 50_000_000;

/// A state number in an `.fsm` file may exceed the number of declared states. This is the largest
/// state number in a short file. In a longer file, the largest number is the number of bytes, but
/// at most [`MAX_STATES`].
const MAX_STATES_OF_SHORT_FILE: usize = 100_000;

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
                let (first, transitions, states) = header(text, begin, line)?;
                add_states(&mut component, states);
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
        let expected = format!("{transitions} transitions, as stated in the first line");
        return Err(ReadError::at(text, text.len(), expected, format!("{edges}")));
    }
    system(name, vec![component])
        .map_err(|error| ReadError::at(text, 0, "a transition system", error.to_string()))
}

fn add_states(component: &mut ComponentBuilder, count: usize) {
    for state in 0..count {
        component.state(&state.to_string());
    }
}

/// Returns the error for a probability distribution in place of a state.
fn distribution_error(text: &str, at: usize, state: &str) -> ReadError {
    let expected = "one state: probabilities are not supported; replace the distribution by a \
                    transition to each of its states";
    let found = format!("the probability distribution `{}`", shortened(state.trim()));
    ReadError::at(text, at, expected, found)
}

/// Returns the beginning of a text, for messages.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Returns true if a text is a probability distribution over states: `0 1/2 1` or `0 0.5 1` in
/// `.aut`, in brackets in `.fsm`. A state is a single number.
fn is_distribution(text: &str) -> bool {
    let numbers_text = text.trim();
    let is_bracketed = numbers_text.starts_with('[');
    let numbers_text = numbers_text.trim_start_matches('[').trim_end_matches(']');
    let numbers: Vec<&str> = numbers_text.split_whitespace().collect();
    let is_number = |word: &&str| {
        let sign = |c: char| c.is_ascii_digit() || "./eE+-".contains(c);
        word.starts_with(|c: char| c.is_ascii_digit() || c == '.') && word.chars().all(sign)
    };
    (is_bracketed || numbers.len() > 1) && !numbers.is_empty() && numbers.iter().all(is_number)
}

/// Parses the line `des (FIRST, TRANSITIONS, STATES)`. Returns the three numbers in this order.
fn header(text: &str, begin: usize, line: &str) -> Result<(usize, usize, usize), ReadError> {
    let offset = begin + (line.len() - line.trim_start().len());
    let invalid_header = |found: &str| {
        let expected = "`des (FIRST, TRANSITIONS, STATES)` with three numbers, FIRST below STATES";
        ReadError::at(text, offset, expected, format!("`{}`", shortened(found)))
    };
    let line = line.trim();
    let between_parentheses = line.strip_prefix("des").map(str::trim);
    let between_parentheses =
        between_parentheses.and_then(|it| it.strip_prefix('(')).and_then(|it| it.strip_suffix(')'));
    if let Some(first) = between_parentheses.and_then(|it| it.split(',').next())
        && is_distribution(first)
    {
        return Err(distribution_error(text, offset, first));
    }
    let numbers: Option<Vec<usize>> = between_parentheses
        .map(|it| it.split(','))
        .and_then(|it| it.map(|it| it.trim().parse().ok()).collect());
    match numbers.as_deref() {
        Some(&[first, transitions, states]) if first < states && states <= MAX_STATES => {
            Ok((first, transitions, states))
        }
        _ => Err(invalid_header(line)),
    }
}

/// Parses a line `(FROM, LABEL, TO)`. Returns the source state, the label and the target state. The
/// label may be quoted. It may contain commas in both cases.
fn edge(
    text: &str,
    begin: usize,
    line: &str,
    states: usize,
) -> Result<(usize, String, usize), ReadError> {
    let offset = begin + (line.len() - line.trim_start().len());
    let line = line.trim();
    let invalid_edge = || {
        let expected = format!("`(FROM, \"LABEL\", TO)` with states below {states}");
        ReadError::at(text, offset, expected, format!("`{}`", shortened(line)))
    };
    let between_parentheses =
        line.strip_prefix('(').and_then(|it| it.strip_suffix(')')).ok_or_else(invalid_edge)?;
    let (from, rest) = between_parentheses.split_once(',').ok_or_else(invalid_edge)?;
    let (label, to) = match rest.trim_start() {
        rest if rest.starts_with('"') => {
            let (label, length) = quoted(rest).ok_or_else(invalid_edge)?;
            (label, rest[length..].trim_start().strip_prefix(',').ok_or_else(invalid_edge)?)
        }
        rest => {
            let (label, to) = rest.rsplit_once(',').ok_or_else(invalid_edge)?;
            (label.trim().to_owned(), to)
        }
    };
    if let Some(state) = [from, to].into_iter().find(|it| is_distribution(it)) {
        return Err(distribution_error(text, offset, state));
    }
    let state = |text: &str| text.trim().parse().ok().filter(|&it: &usize| it < states);
    match (state(from), state(to)) {
        (Some(from), Some(to)) if !label.is_empty() => Ok((from, label, to)),
        _ => Err(invalid_edge()),
    }
}

/// Parses an mCRL2 `.fsm` file.
///
/// # Errors
/// Returns the position of the first error.
pub fn fsm(text: &str, name: &str) -> Result<System, ReadError> {
    let mut component = ComponentBuilder::new("component0");
    let (mut section, mut states, mut offset) = (0, 0, 0);
    let max_states = MAX_STATES.min(text.len().max(MAX_STATES_OF_SHORT_FILE));
    let mut edges: Vec<(u32, String, u32)> = Vec::new();
    let mut start = None;
    for line in text.split_inclusive('\n') {
        let begin = offset;
        offset += line.len();
        let trimmed = line.trim();
        let line_start = begin + (line.len() - line.trim_start().len());
        match (trimmed, section) {
            ("---", 0..=2) => section += 1,
            ("", _) | (_, 0) => {}
            (_, 1) => states += usize::from(states < MAX_STATES),
            (_, 2) => edges.push(fsm_edge(text, line_start, trimmed, max_states)?),
            // Newer versions of the format have a further section with the initial state.
            _ if start.is_none() => start = Some(fsm_state(text, line_start, trimmed, max_states)?),
            _ => {
                let found = format!("`{}`", shortened(trimmed));
                return Err(ReadError::at(text, line_start, "the end of the file", found));
            }
        }
    }
    if section < 2 {
        let expected = "two lines `---`, before the states and before the transitions";
        return Err(ReadError::at(text, text.len(), expected, "the end of the file"));
    }
    let used = edges.iter().flat_map(|(from, _, to)| [*from, *to]).chain(start);
    let states = used.map(|state| state as usize + 1).chain([states]).max().unwrap_or(0);
    if states == 0 {
        let expected = "a line for each state, or transitions";
        return Err(ReadError::at(text, text.len(), expected, "a system without states"));
    }
    add_states(&mut component, states);
    for (from, label, to) in &edges {
        component.edge(*from, label, *to);
    }
    component.start(start.unwrap_or(0));
    system(name, vec![component])
        .map_err(|error| ReadError::at(text, text.len(), "a transition system", error.to_string()))
}

/// Parses a line `FROM TO "LABEL"`. Returns the source state, the label and the target state.
/// States count from 0 in the result.
fn fsm_edge(
    text: &str,
    at: usize,
    line: &str,
    max_states: usize,
) -> Result<(u32, String, u32), ReadError> {
    let invalid_edge = || {
        let expected = format!("`FROM TO \"LABEL\"` with states from 1 to {max_states}");
        ReadError::at(text, at, expected, format!("`{}`", shortened(line)))
    };
    let (from, rest) = line.split_once(char::is_whitespace).ok_or_else(invalid_edge)?;
    let rest = rest.trim_start();
    if let Some(end) = rest.find(']').filter(|_| rest.starts_with('[')) {
        return Err(distribution_error(text, at, &rest[..=end]));
    }
    let (to, label) = rest.split_once(char::is_whitespace).ok_or_else(invalid_edge)?;
    let label = match label.trim() {
        label if label.starts_with('"') => {
            let (unquoted, length) = quoted(label).ok_or_else(invalid_edge)?;
            label[length..].is_empty().then_some(unquoted).ok_or_else(invalid_edge)?
        }
        label => label.to_owned(),
    };
    match (fsm_number(from, max_states), fsm_number(to, max_states)) {
        (Some(from), Some(to)) if !label.is_empty() => Ok((from, label, to)),
        _ => Err(invalid_edge()),
    }
}

/// Parses the initial state on its line, counted from 0 in the result.
fn fsm_state(text: &str, at: usize, line: &str, max_states: usize) -> Result<u32, ReadError> {
    if is_distribution(line) {
        return Err(distribution_error(text, at, line));
    }
    fsm_number(line, max_states).ok_or_else(|| {
        let expected = format!("the initial state, a number from 1 to {max_states}");
        ReadError::at(text, at, expected, format!("`{}`", shortened(line)))
    })
}

/// Parses the number of a state, counted from 1 in the text and from 0 in the result.
fn fsm_number(text: &str, max_states: usize) -> Option<u32> {
    let number = text.trim().parse().ok().filter(|it| (1..=max_states).contains(it))?;
    u32::try_from(number - 1).ok()
}
