//! Reads labelled transition systems in Aldebaran's format (`.aut`) and in mCRL2's `.fsm`, and
//! builds their nets.
//!
//! In `.aut` states count from 0, and the first line says how many there are. In `.fsm` they count
//! from 1, have a line each or occur in transitions only, and the first one is initial unless a
//! fourth part names another. Probability distributions in place of states are refused.
//!
//! The net has a place `p0_S` for each state S, counted from 0. It has a transition for each edge,
//! sorted by label, source and target, with equal edges only once. The N-th transition is named
//! `tN_LABEL`. Primes are added to a name that is taken.

use super::Unreadable;
use super::tool_words::error_in_line;
use parikh_net::printable::Quoted;
use parikh_net::{BuildError, Net, NetBuilder};

/// A labelled transition system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionSystem {
    /// The number of states.
    pub states: usize,
    /// The initial state, counted from 0.
    pub initial: usize,
    /// The edges: source, label and target. States are counted from 0.
    pub edges: Vec<(usize, String, usize)>,
}

/// The largest number of states that a file in `.aut` may declare. State numbers in `.fsm` are
/// below this limit.
const MAX_STATES: usize = 50_000_000;

/// Returns true if a text is in Aldebaran's format `.aut` or in mCRL2's format `.fsm`.
pub fn is_transition_system(text: &str) -> bool {
    is_aut(text) || is_fsm(text)
}

fn is_aut(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix("des");
    rest.is_some_and(|rest| rest.trim_start().starts_with('('))
}

/// Returns true if a text is in mCRL2's format `.fsm`. All lines before the first `---` declare
/// parameters, with a number in parentheses. The next line holds the numbers of a state, or is
/// `---` and followed by a transition, which begins with a number.
fn is_fsm(text: &str) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|it| it.is_ascii_digit());
    let mut content = lines(text).map(|(_, line)| line);
    for line in content.by_ref().take_while(|line| *line != "---") {
        let has_number = line
            .match_indices('(')
            .filter_map(|(at, _)| line[at + 1..].split_once(')'))
            .any(|(inside, _)| is_number(inside.trim()));
        if !has_number {
            return false;
        }
    }
    match content.next() {
        Some("---") => {
            content.next().is_some_and(|edge| edge.starts_with(|c: char| c.is_ascii_digit()))
        }
        Some(state) => state.split_whitespace().all(is_number),
        None => false,
    }
}

/// Reads a transition system.
///
/// # Errors
/// A syntax error, with its line and the expected text.
pub fn read(text: &str) -> Result<TransitionSystem, Unreadable> {
    match is_aut(text) {
        true => read_aut(text),
        false => read_fsm(text),
    }
}

/// Returns the lines that are not blank, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty())
}

/// Reads a file in the format of Aldebaran.
fn read_aut(text: &str) -> Result<TransitionSystem, Unreadable> {
    let mut lines = lines(text);
    let (line_number, head) = lines.next().unwrap_or((1, ""));
    let numbers = head.trim_start_matches("des").trim_start();
    let numbers: Vec<&str> = in_parentheses(line_number, numbers)?.split(',').collect();
    let [initial, edge_count, states] = numbers[..] else {
        return Err(error_in_line(line_number, "expected `des (FIRST, TRANSITIONS, STATES)`"));
    };
    let states = parse_number(line_number, states, 0..MAX_STATES + 1)?;
    let initial = parse_number(line_number, initial, 0..states)?;
    let edge_count = parse_number(line_number, edge_count, 0..usize::MAX)?;
    let mut edges = Vec::new();
    for (line_number, line) in lines {
        let invalid_edge = || error_in_line(line_number, "expected `(FROM, \"LABEL\", TO)`");
        let (from, rest) =
            in_parentheses(line_number, line)?.split_once(',').ok_or_else(invalid_edge)?;
        let (label, to) = match rest.trim_start().strip_prefix('"') {
            Some(quoted) => {
                let (label, rest) = up_to_quote(quoted).ok_or_else(invalid_edge)?;
                (label, rest.trim_start().strip_prefix(',').ok_or_else(invalid_edge)?)
            }
            None => {
                let (label, to) = rest.rsplit_once(',').ok_or_else(invalid_edge)?;
                (label.trim().to_owned(), to)
            }
        };
        if label.is_empty() {
            return Err(invalid_edge());
        }
        edges.push((
            parse_number(line_number, from, 0..states)?,
            label,
            parse_number(line_number, to, 0..states)?,
        ));
    }
    match edges.len() == edge_count {
        true => Ok(TransitionSystem { states, initial, edges }),
        false => Err(error_in_line(
            line_number,
            format!("found {} transitions, not {edge_count}", edges.len()),
        )),
    }
}

/// Reads a file in mCRL2's format `.fsm`.
fn read_fsm(text: &str) -> Result<TransitionSystem, Unreadable> {
    // The sections are the parameters (0), the states (1), the transitions (2) and the initial
    // state (3).
    let (mut section, mut states, mut initial, mut last_line) = (0, 0, None, 1);
    let mut edges = Vec::new();
    for (line_number, line) in lines(text) {
        last_line = line_number;
        match section {
            0..=2 if line == "---" => section += 1,
            0 => {}
            1 => states += 1,
            2 => {
                let invalid_edge = || error_in_line(line_number, "expected `FROM TO \"LABEL\"`");
                let (from, rest) = line.split_once(char::is_whitespace).ok_or_else(invalid_edge)?;
                let (to, rest) =
                    rest.trim_start().split_once(char::is_whitespace).ok_or_else(invalid_edge)?;
                let label = match rest.trim_start().strip_prefix('"') {
                    Some(quoted) => {
                        let (label, after_label) = up_to_quote(quoted).ok_or_else(invalid_edge)?;
                        after_label.is_empty().then_some(label).ok_or_else(invalid_edge)?
                    }
                    None => rest.trim().to_owned(),
                };
                if label.is_empty() {
                    return Err(invalid_edge());
                }
                let [from, to] = [
                    parse_number(line_number, from, 1..MAX_STATES)?,
                    parse_number(line_number, to, 1..MAX_STATES)?,
                ];
                states = states.max(from).max(to);
                edges.push((from - 1, label, to - 1));
            }
            _ if initial.is_none() => {
                let first = parse_number(line_number, line, 1..MAX_STATES)?;
                states = states.max(first);
                initial = Some(first - 1);
            }
            _ => return Err(error_in_line(line_number, "expected the end of the file")),
        }
    }
    if section < 2 || states == 0 {
        return Err(error_in_line(
            last_line,
            "expected two lines `---`, and states or transitions",
        ));
    }
    Ok(TransitionSystem { states, initial: initial.unwrap_or(0), edges })
}

/// Returns the text between parentheses that enclose the whole text.
fn in_parentheses(line: u64, text: &str) -> Result<&str, Unreadable> {
    let inside = text.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    inside.ok_or_else(|| {
        error_in_line(line, format!("expected a text in parentheses, found {}", Quoted(text)))
    })
}

/// Returns the text before the first quote without a backslash, and the text behind this quote. In
/// the text before, `\"` becomes `"`. Returns `None` if there is no such quote.
fn up_to_quote(text: &str) -> Option<(String, &str)> {
    let mut label = String::new();
    let mut letters = text.char_indices();
    while let Some((offset, letter)) = letters.next() {
        match letter {
            '"' => return Some((label, &text[offset + 1..])),
            '\\' => match letters.next()?.1 {
                '"' => label.push('"'),
                unescaped => label.extend(['\\', unescaped]),
            },
            unescaped => label.push(unescaped),
        }
    }
    None
}

/// Parses a number in the range. The number is usually a state.
fn parse_number(line: u64, text: &str, range: std::ops::Range<usize>) -> Result<usize, Unreadable> {
    let number = text.trim().parse().ok().filter(|it| range.contains(it));
    number.ok_or_else(|| {
        let (lower_end, upper_end) = (range.start, range.end);
        let found = Quoted(text.trim());
        error_in_line(
            line,
            format!("expected one number from {lower_end} below {upper_end}, found {found}"),
        )
    })
}

/// Returns the net of a transition system. The files hold no name, so the caller gives one.
///
/// # Errors
/// When the builder refuses a place, a transition or an arc of the net.
pub fn net(system: &TransitionSystem, name: &str) -> Result<Net, Unreadable> {
    let refused = |error: BuildError| error_in_line(1, error.to_string());
    let mut builder = NetBuilder::new(name);
    let mut places = Vec::new();
    for state in 0..system.states {
        let tokens = u64::from(state == system.initial);
        let name = format!("p0_{state}");
        places.push(builder.place(&name, tokens).map_err(refused)?);
    }
    let mut edges: Vec<(&str, usize, usize)> =
        system.edges.iter().map(|(from, label, to)| (label.as_str(), *from, *to)).collect();
    edges.sort_unstable();
    edges.dedup();
    for (number, (label, from, to)) in (1..).zip(edges) {
        let mut name = format!("t{number}_{label}");
        while builder.node(&name).is_some() {
            name.push('\'');
        }
        let t = builder.transition(&name).map_err(refused)?;
        builder.label_transition(t, label);
        builder.take(t, places[from], 1).map_err(refused)?;
        builder.put(t, places[to], 1).map_err(refused)?;
    }
    builder.build().map_err(refused)
}
