//! The textual net format of tests, doc examples and bug reports.
//!
//! ```text
//! net mutex                       # a name, then nodes in any order; `#` starts a comment
//! place idle 2                    # 2 tokens; none when left out
//! place lock 1
//! place busy
//! transition enter: idle + lock -> busy
//! transition leave: busy -> idle + lock
//! transition drain: 2*idle ->     # arcs weigh 1 unless said
//! ```
//!
//! Names are quoted like `"a b"` when they are empty, or have a blank or one of `#:+*"->`. Inside
//! quotes, `\"` stands for `"`, `\\` for `\`, and `\n` and `\r` for line ends. [`parse`] reads back
//! what [`print()`] writes: the name, the nodes, the arcs and the initial marking.

use crate::builder::{BuildError, NetBuilder, NetNode};
use crate::id::{PlaceId, TransitionId};
use crate::net::{Arc, Net};
use std::fmt::Write as _;

/// An error in the text of a net, and its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct TextError {
    /// The line number, from 1. For an error of the net as a whole, the number of the last line.
    pub line: usize,
    /// The message about the error.
    pub problem: String,
}

/// Reads a net.
///
/// # Errors
/// The first error, with its line. Arcs are checked after all lines were split, so their errors
/// come after other errors in lines. Errors of the net as a whole come last.
pub fn parse(text: &str) -> Result<Net, TextError> {
    let mut builder = NetBuilder::new("");
    let mut arcs: Vec<(usize, TransitionId, Vec<TextToken>)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let fail = |problem: String| TextError { line: index + 1, problem };
        let tokens = tokens(line).map_err(fail)?;
        let Some((TextToken::Name(keyword), rest)) = tokens.split_first() else {
            if tokens.is_empty() {
                continue;
            }
            return Err(fail("expected `net`, `place` or `transition`".into()));
        };
        match (keyword.as_str(), rest) {
            ("net", [TextToken::Name(name)]) => builder.set_name(name.clone()),
            ("place", [TextToken::Name(name)]) => {
                builder.place(name, 0).map_err(|e| fail(e.to_string()))?;
            }
            ("place", [TextToken::Name(name), TextToken::Name(count)]) => {
                let count = parse_number(count).map_err(fail)?;
                builder.place(name, count).map_err(|e| fail(e.to_string()))?;
            }
            ("transition", [TextToken::Name(name), TextToken::Mark(':'), rest @ ..]) => {
                let t = builder.transition(name).map_err(|e| fail(e.to_string()))?;
                arcs.push((index + 1, t, rest.to_vec()));
            }
            ("transition", [TextToken::Name(name)]) => {
                builder.transition(name).map_err(|e| fail(e.to_string()))?;
            }
            ("net", _) => return Err(fail("expected `net NAME`".into())),
            ("place", _) => return Err(fail("expected `place NAME [TOKENS]`".into())),
            ("transition", _) => {
                return Err(fail("expected `transition NAME: p + 2*q -> r`".into()));
            }
            (other, _) => {
                let problem = format!("found `{other}`, expected `net`, `place` or `transition`");
                return Err(fail(problem));
            }
        }
    }
    for (line, t, tokens) in arcs {
        add_arcs(&mut builder, t, &tokens).map_err(|problem| TextError { line, problem })?;
    }
    builder.build().map_err(|e| TextError { line: text.lines().count(), problem: e.to_string() })
}

#[derive(Clone, Debug, PartialEq)]
enum TextToken {
    Name(String),
    /// `:`, `+`, `*`, or `>` for the arrow.
    Mark(char),
}

/// Splits a line into tokens.
fn tokens(line: &str) -> Result<Vec<TextToken>, String> {
    let mut tokens = Vec::new();
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '#' => break,
            c if c.is_whitespace() => {}
            ':' | '+' | '*' => tokens.push(TextToken::Mark(c)),
            '-' if rest.next_if_eq(&'>').is_some() => tokens.push(TextToken::Mark('>')),
            '"' => tokens.push(TextToken::Name(read_quoted(&mut rest)?)),
            '-' | '>' => return Err(format!("found `{c}`, expected `->`")),
            c => {
                let mut name = String::from(c);
                while let Some(c) = rest.next_if(|&c| !c.is_whitespace() && !is_special(c)) {
                    name.push(c);
                }
                tokens.push(TextToken::Name(name));
            }
        }
    }
    Ok(tokens)
}

fn read_quoted(rest: &mut impl Iterator<Item = char>) -> Result<String, String> {
    let mut name = String::new();
    loop {
        match rest.next() {
            Some('"') => return Ok(name),
            Some('\\') => name.extend(rest.next().map(|c| match c {
                'n' => '\n',
                'r' => '\r',
                c => c,
            })),
            Some(c) => name.push(c),
            None => return Err("a quoted name is not closed".into()),
        }
    }
}

fn is_special(c: char) -> bool {
    "#:+*\"->".contains(c)
}

fn parse_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("found `{text}`, expected a number from 0 to 2^63 - 1"))
}

fn add_arcs(builder: &mut NetBuilder, t: TransitionId, tokens: &[TextToken]) -> Result<(), String> {
    let arrow =
        tokens.iter().position(|token| *token == TextToken::Mark('>')).ok_or("expected `->`")?;
    for (p, weight) in weighted_places(builder, &tokens[..arrow])? {
        builder.take(t, p, weight).map_err(|e: BuildError| e.to_string())?;
    }
    for (p, weight) in weighted_places(builder, &tokens[arrow + 1..])? {
        builder.put(t, p, weight).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Parses the places on one side of an arrow, with their weights.
fn weighted_places(
    builder: &NetBuilder,
    tokens: &[TextToken],
) -> Result<Vec<(PlaceId, u64)>, String> {
    if tokens.is_empty() {
        return Ok(Vec::new());
    }
    let place = |name: &str| match builder.node(name) {
        Some(NetNode::Place(p)) => Ok(p),
        _ => Err(format!("this net has no place `{name}`")),
    };
    let term = |term: &[TextToken]| match term {
        [TextToken::Name(name)] => Ok((place(name)?, 1)),
        [TextToken::Name(weight), TextToken::Mark('*'), TextToken::Name(name)] => {
            Ok((place(name)?, parse_number(weight)?))
        }
        _ => Err("expected places like `p + 2*q` on both sides of `->`".to_owned()),
    };
    tokens.split(|token| *token == TextToken::Mark('+')).map(term).collect()
}

/// Writes the name, the nodes, the arcs and the initial marking of a net so that [`parse`] reads
/// them back. Leaves out everything else, such as labels, units, final markings and assumptions.
pub fn print(net: &Net) -> String {
    let mut text = String::new();
    if !net.name().is_empty() {
        let _ = writeln!(text, "net {}", written_name(net.name()));
    }
    for p in net.places() {
        let _ = match net.initial()[p] {
            0 => writeln!(text, "place {}", written_name(net.place_name(p))),
            tokens => writeln!(text, "place {} {tokens}", written_name(net.place_name(p))),
        };
    }
    for t in net.transitions() {
        let side = |arcs: &[Arc]| {
            let term = |arc: &Arc| match arc.weight {
                1 => written_name(net.place_name(arc.place)),
                weight => format!("{weight}*{}", written_name(net.place_name(arc.place))),
            };
            arcs.iter().map(term).collect::<Vec<_>>().join(" + ")
        };
        let line = format!(
            "transition {}: {} -> {}",
            written_name(net.transition_name(t)),
            side(net.pre(t)),
            side(net.post(t))
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn written_name(name: &str) -> String {
    if name.is_empty() || name.chars().any(|c| c.is_whitespace() || is_special(c)) {
        let name = name.replace('\\', "\\\\").replace('"', "\\\"");
        return format!("\"{}\"", name.replace('\n', "\\n").replace('\r', "\\r"));
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_and_parsing_are_inverse() {
        let text = "net \"a net\"\nplace \"p 1\" 3\nplace q\n\
                    transition t: \"p 1\" + 2*q -> q\ntransition source:  -> q\n\
                    transition idle:  ->\n";
        let net = parse(text).unwrap();
        let printed = print(&net);
        assert_eq!(print(&parse(&printed).unwrap()), printed);
        assert_eq!(net.initial().tokens(), [3, 0]);
        assert_eq!(net.pre(net.transition_named("t").unwrap())[1].weight, 2);
        assert!(net.pre(net.transition_named("idle").unwrap()).is_empty());
    }

    #[test]
    fn every_error_has_its_line() {
        let problem = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            problem("net n\nplace p\ntransition t: p - q"),
            "line 3: found `-`, expected `->`"
        );
        assert_eq!(problem("transition t: p ->"), "line 1: this net has no place `p`");
        assert_eq!(
            problem("\nplace p x"),
            "line 2: found `x`, expected a number from 0 to 2^63 - 1"
        );
        assert_eq!(
            problem("plaze p"),
            "line 1: found `plaze`, expected `net`, `place` or `transition`"
        );
        assert!(problem("place p\nplace p").starts_with("line 2: the id `p`"));
        assert!(problem("place p\ntransition t: 0*p ->").contains("weight 0"));
        assert!(problem("place \"p").contains("is not closed"));
    }
}
