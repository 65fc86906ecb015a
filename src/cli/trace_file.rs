//! Firing sequences in files: one transition a line.
//!
//! ```text
//! # net: mutex
//! # formula: mutex-ReachabilityFireability-03
//! # shows: TRUE
//! enter
//! leave<TAB>3        fired three times in a row
//! @repeat            what follows can repeat for ever (only for unbounded sums)
//! enter
//! ```
//!
//! A name with white space, or that begins with `#`, `@` or `"`, is quoted as in JSON.

use crate::evidence::Replayer;
use parikh_net::{FiringSequence, Marking, Net, Step, TransitionId, marking_text};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A sequence as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Trace {
    /// What the file says about itself: key and text.
    pub(super) notes: Vec<(String, String)>,
    /// From the initial marking.
    pub(super) sequence: FiringSequence,
    /// What can repeat for ever after it.
    pub(super) repeat: Option<FiringSequence>,
}

/// What is wrong with a trace file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(super) struct TraceError {
    /// Counted from 1.
    pub(super) line: usize,
    /// What was found and what was expected.
    pub(super) problem: String,
}

impl Trace {
    /// The marking that the trace begins in, where it says so: runs of processes do, of which the model may not
    /// know where they begin, or have one case where the trace has several.
    ///
    /// # Errors
    /// What stands there is no marking of `net`.
    pub(super) fn begins(&self, net: &Net) -> anyhow::Result<Option<Marking>> {
        let Some((_, from)) = self.notes.iter().find(|(key, _)| key == "from") else {
            return Ok(None);
        };
        let marking = marking_text::parse(from, net);
        marking.map(Some).map_err(|why| anyhow::anyhow!("`# from: {from}`: {why}"))
    }

    /// Reads a trace of `net`.
    ///
    /// # Errors
    /// With the line of the first problem.
    pub(super) fn parse(net: &Net, text: &str) -> Result<Trace, TraceError> {
        let mut trace = Trace::default();
        for (index, line) in text.lines().enumerate() {
            let fail = |problem: String| TraceError { line: index + 1, problem };
            if let Some(note) = line.strip_prefix('#') {
                if let Some((key, text)) = note.split_once(':') {
                    trace.notes.push((key.trim().to_owned(), text.trim().to_owned()));
                }
            } else if line.trim() == "@repeat" {
                if trace.repeat.replace(FiringSequence::new()).is_some() {
                    return Err(fail("a second `@repeat`, expected at most one".into()));
                }
            } else if !line.trim().is_empty() {
                let (transition, count) = parse_step(net, line).map_err(fail)?;
                trace.repeat.as_mut().unwrap_or(&mut trace.sequence).push(transition, count);
            }
        }
        Ok(trace)
    }

    /// The marking that the steps of `text` lead to from the initial one, what repeats fired once.
    ///
    /// # Errors
    /// With the line of the first step that does not fire, and why.
    pub(super) fn replayed(net: &Net, text: &str) -> Result<Marking, TraceError> {
        let mut replayer = Replayer::new(net);
        let is_step = |line: &str| {
            !line.starts_with('#') && line.trim() != "@repeat" && !line.trim().is_empty()
        };
        for (index, line) in text.lines().enumerate().filter(|(_, line)| is_step(line)) {
            let fail = |problem: String| TraceError { line: index + 1, problem };
            let (transition, count) = parse_step(net, line).map_err(fail)?;
            let fired = replayer.fire(Step { transition, count });
            fired.map_err(|error| fail(error.to_string()))?;
        }
        Ok(replayer.marking().clone())
    }

    /// Writes it so that [`parse`](Self::parse) reads it back.
    pub(super) fn print(&self, net: &Net) -> String {
        self.print_named(&|t| net.transition_name(t).into())
    }

    /// Writes it with these names of transitions.
    pub(super) fn print_named<'n>(&self, name: &dyn Fn(TransitionId) -> Cow<'n, str>) -> String {
        let mut text = String::new();
        for (key, note) in &self.notes {
            let _ = writeln!(text, "# {key}: {}", note.replace(['\n', '\r'], " "));
        }
        print_steps(name, &self.sequence, &mut text);
        if let Some(repeat) = &self.repeat {
            text.push_str("@repeat\n");
            print_steps(name, repeat, &mut text);
        }
        text
    }
}

fn parse_step(net: &Net, line: &str) -> Result<(TransitionId, u64), String> {
    let (name, count) = match line.trim().rsplit_once('\t') {
        Some((name, count)) => {
            let count = count.trim().parse().ok().filter(|&count| count > 0);
            (name.trim(), count.ok_or("expected a count of at least 1 behind the tab")?)
        }
        None => (line.trim(), 1),
    };
    let unquoted;
    let name = if name.starts_with('"') {
        unquoted = unquote(name).ok_or_else(|| format!("{name} is not a quoted name"))?;
        unquoted.as_str()
    } else {
        name
    };
    let transition = net
        .transition_named(name)
        .ok_or_else(|| format!("`{name}` is no transition of net `{}`", net.name()))?;
    Ok((transition, count))
}

fn print_steps<'n>(
    name: &dyn Fn(TransitionId) -> Cow<'n, str>,
    sequence: &FiringSequence,
    text: &mut String,
) {
    for step in sequence.steps() {
        let name = quote(&name(step.transition));
        let _ = match step.count {
            1 => writeln!(text, "{name}"),
            count => writeln!(text, "{name}\t{count}"),
        };
    }
}

fn quote(name: &str) -> String {
    let plain = !name.starts_with(['#', '@', '"']) && !name.contains(char::is_whitespace);
    if plain {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn unquote(name: &str) -> Option<String> {
    let inner = name.strip_prefix('"')?.strip_suffix('"')?;
    let mut plain = String::new();
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        plain.push(match c {
            '\\' => match rest.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                c => c,
            },
            c => c,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{NetBuilder, text};

    fn net() -> Net {
        let mut builder = NetBuilder::new("n");
        for name in ["t", "#a", "two words", "q\"\\\n"] {
            builder.transition(name).unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let net = net();
        let mut sequence = FiringSequence::new();
        for (index, count) in [(0, 3), (1, 1), (2, 2), (3, 1)] {
            sequence.push(TransitionId::new(index), count);
        }
        let notes = vec![("net".to_owned(), "n: m".to_owned())];
        let trace = Trace { notes, sequence: sequence.clone(), repeat: Some(sequence) };
        assert_eq!(Trace::parse(&net, &trace.print(&net)), Ok(trace));
    }

    #[test]
    fn what_does_not_fire_is_told_with_its_line() {
        let net = text::parse("place p 2\nplace q\ntransition t: p -> q\ntransition u: 2*q ->");
        let net = net.unwrap();
        let replayed = |text: &str| Trace::replayed(&net, text).map_err(|error| error.to_string());
        let end = replayed("# net: n\nt\n\nt\n@repeat\nu").unwrap();
        assert_eq!(end.total(), 0);
        assert_eq!(
            replayed("# net: n\nt\nu").unwrap_err(),
            "line 3: firing 2: transition `u` is not enabled, place `q` lacks tokens"
        );
        assert!(replayed("t\t3").unwrap_err().starts_with("line 1: "));
    }

    #[test]
    fn every_error_has_its_line() {
        let net = net();
        let problem = |text: &str| Trace::parse(&net, text).unwrap_err().to_string();
        assert_eq!(problem("t\n\nu"), "line 3: `u` is no transition of net `n`");
        assert_eq!(problem("t\t0"), "line 1: expected a count of at least 1 behind the tab");
        assert_eq!(problem("@repeat\n@repeat"), "line 2: a second `@repeat`, expected at most one");
    }
}
