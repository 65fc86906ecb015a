//! Reads nets as text, with one line per place or transition: `place p 1`, `transition t: p + 2*q
//! -> r`. A line `net NAME` names the net.
//!
//! Names with blanks or signs stand in quotes, and `#` begins a comment. A place may be declared
//! after the transitions that use it. Coloured nets as text are not supported.

use super::Unreadable;
use super::tool_words::error_in_line;
use parikh_net::{Net, NetBuilder, PlaceId, TransitionId};
use std::collections::HashMap;

/// The places of a net by name.
type Places = HashMap<String, PlaceId>;

/// A token of a line: a name or a sign.
#[derive(Clone, PartialEq, Eq)]
enum PlainToken {
    Name(String),
    /// One of `:`, `+` and `*`, or `>` for an arrow.
    Sign(char),
}

/// Returns the first word of each line that is neither blank nor a comment.
fn first_words(text: &str) -> impl Iterator<Item = &str> {
    let firsts = text.lines().filter_map(|line| line.split_ascii_whitespace().next());
    firsts.filter(|word| !word.starts_with('#'))
}

/// Returns true if a text is a net in Parikh's text format. The first word must be `net`, `place`
/// or `transition`. No line may begin with `sort` or `var`, which occur in coloured nets only.
pub(super) fn is_plain_text(text: &str) -> bool {
    let starts_with_keyword =
        first_words(text).next().is_some_and(|it| matches!(it, "net" | "place" | "transition"));
    starts_with_keyword && !first_words(text).any(|it| matches!(it, "sort" | "var"))
}

/// Reads a net in Parikh's text format.
///
/// # Errors
/// A syntax error, with its line and the expected text. Also an error of the net, such as a name
/// that two nodes have.
pub(super) fn read(text: &str) -> Result<Net, Unreadable> {
    let mut builder = NetBuilder::new("");
    let (mut places_by_name, mut arcs) = (Places::new(), Vec::new());
    for (line, content) in (1..).zip(text.lines()) {
        let pieces = tokens(content).map_err(|what| error_in_line(line, what))?;
        let refused = |error: parikh_net::BuildError| error_in_line(line, error.to_string());
        let Some((first, rest)) = pieces.split_first() else { continue };
        match (first, rest) {
            (PlainToken::Name(word), [PlainToken::Name(name)]) if word == "net" => {
                builder.set_name(name.clone());
            }
            (PlainToken::Name(word), [PlainToken::Name(name), tokens @ ..]) if word == "place" => {
                let tokens = match tokens {
                    [] => 0,
                    [PlainToken::Name(digits)] => number(line, digits)?,
                    _ => {
                        return Err(error_in_line(
                            line,
                            "expected the end of the line after the tokens",
                        ));
                    }
                };
                places_by_name.insert(name.clone(), builder.place(name, tokens).map_err(refused)?);
            }
            (PlainToken::Name(word), [PlainToken::Name(name), rest @ ..])
                if word == "transition" =>
            {
                let transition = builder.transition(name).map_err(refused)?;
                match rest {
                    [] => {}
                    [PlainToken::Sign(':'), rest @ ..] => {
                        arcs.push((line, transition, rest.to_vec()))
                    }
                    _ => {
                        return Err(error_in_line(
                            line,
                            "expected `:` after the transition's name",
                        ));
                    }
                }
            }
            _ => {
                let what = "expected `net NAME`, `place NAME [TOKENS]` or `transition NAME: …`";
                return Err(error_in_line(line, what));
            }
        }
    }
    for (line, transition, pieces) in arcs {
        add_arcs(&mut builder, &places_by_name, (line, transition), &pieces)?;
    }
    builder.build().map_err(|error| error_in_line(text.lines().count() as u64, error.to_string()))
}

/// Splits a line into names and signs.
fn tokens(line: &str) -> Result<Vec<PlainToken>, String> {
    let mut pieces = Vec::new();
    let mut rest = line.trim_start();
    let is_name_character = |c: char| !c.is_whitespace() && !"#:+*\"->".contains(c);
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '#' => break,
            ':' | '+' | '*' => {
                pieces.push(PlainToken::Sign(c));
                1
            }
            '-' if rest.starts_with("->") => {
                pieces.push(PlainToken::Sign('>'));
                2
            }
            '-' | '>' => return Err(format!("found `{c}`, expected `->`")),
            '"' => {
                let (mut name, mut is_escaped, mut end) = (String::new(), false, None);
                for (offset, c) in rest.char_indices().skip(1) {
                    match c {
                        '"' if !is_escaped => {
                            end = Some(offset + 1);
                            break;
                        }
                        '\\' if !is_escaped => is_escaped = true,
                        _ => {
                            name.push(match c {
                                'n' if is_escaped => '\n',
                                'r' if is_escaped => '\r',
                                c => c,
                            });
                            is_escaped = false;
                        }
                    }
                }
                pieces.push(PlainToken::Name(name));
                end.ok_or("a quoted name is not closed")?
            }
            _ => {
                let length = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
                pieces.push(PlainToken::Name(rest[..length].to_owned()));
                length
            }
        };
        rest = rest[length..].trim_start();
    }
    Ok(pieces)
}

fn number(line: u64, digits: &str) -> Result<u64, Unreadable> {
    digits.parse().map_err(|_| error_in_line(line, format!("expected a number, found {digits:?}")))
}

/// Adds the arcs of a transition. `pieces` are the names and signs behind the colon in its line.
fn add_arcs(
    builder: &mut NetBuilder,
    places_by_name: &Places,
    (line, transition): (u64, TransitionId),
    pieces: &[PlainToken],
) -> Result<(), Unreadable> {
    let mut sides = pieces.split(|piece| *piece == PlainToken::Sign('>'));
    let (Some(consumed), Some(produced), None) = (sides.next(), sides.next(), sides.next()) else {
        return Err(error_in_line(line, "expected one `->` between the inputs and the outputs"));
    };
    let refused = |error: parikh_net::BuildError| error_in_line(line, error.to_string());
    for (place, weight) in parse_side(places_by_name, line, consumed)? {
        builder.take(transition, place, weight).map_err(refused)?;
    }
    for (place, weight) in parse_side(places_by_name, line, produced)? {
        builder.put(transition, place, weight).map_err(refused)?;
    }
    Ok(())
}

/// Parses the places on one side of an arrow, with their weights.
fn parse_side(
    places_by_name: &Places,
    line: u64,
    pieces: &[PlainToken],
) -> Result<Vec<(PlaceId, u64)>, Unreadable> {
    if pieces.is_empty() {
        return Ok(Vec::new());
    }
    let term = |term: &[PlainToken]| {
        let (weight, name) = match term {
            [PlainToken::Name(name)] => (1, name),
            [PlainToken::Name(weight), PlainToken::Sign('*'), PlainToken::Name(name)] => {
                (number(line, weight)?, name)
            }
            _ => return Err(error_in_line(line, "expected places such as `p + 2*q` beside `->`")),
        };
        let place = places_by_name.get(name);
        let place =
            place.ok_or_else(|| error_in_line(line, format!("the net has no place {name:?}")))?;
        Ok((*place, weight))
    };
    pieces.split(|piece| *piece == PlainToken::Sign('+')).map(term).collect()
}
