//! Firing sequences in files, with one transition per line.
//!
//! ```text
//! # net: mutex
//! # formula: mutex-ReachabilityFireability-03
//! # shows: TRUE
//! enter
//! leave<TAB>3        fired three times in a row
//! @repeat            what follows can repeat forever (a cycle, or an unbounded sum)
//! enter
//! ```
//!
//! A self-covering sequence may have several stages ([`parikh_net::PumpSequence`]). `@then` begins
//! the next stage: first the firings of its prefix, and after the next `@repeat` the firings that
//! repeat.
//!
//! A run with loops has numbered blocks of lines, from 0, and lines that repeat an earlier block:
//!
//! ```text
//! @block 0
//! fill
//! empty<TAB>2
//! @end
//! @loop 0<TAB>36893488147419103232
//! leave
//! ```
//!
//! A name stands in quotation marks if it contains white space or begins with `#`, `@` or `"`.
//! Inside the quotation marks, a backslash escapes a quotation mark and a backslash, and `\n`, `\r`
//! and `\t` stand for a line feed, a carriage return and a tab.

use num_bigint::BigUint;
use parikh_evidence::file::parse_repetitions;
use parikh_evidence::{Replayer, description};
use parikh_net::loops::{LoopElement, LoopRun, RepeatedElement};
use parikh_net::{FiringSequence, FiringStep, Marking, Net, PumpSequence, Stage, TransitionId};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::str::FromStr;

/// The contents of a trace file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct TraceFile {
    /// Notes from comment lines `# key: text`, as key and text. They are written at the head of the
    /// file.
    pub(super) notes: Vec<(String, String)>,
    /// The stages of a self-covering sequence before the last stage. Empty for other traces.
    pub(super) earlier_stages: Vec<Stage>,
    /// The firing sequence from the initial marking. In a trace with several stages, the prefix of
    /// the last stage.
    pub(super) sequence: FiringSequence,
    /// The sequence that can repeat forever after `sequence`. `None` without `@repeat`.
    pub(super) repeat: Option<FiringSequence>,
    /// A run with nested loops. If present, `sequence`, `repeat` and `earlier_stages` are empty.
    /// `None` for a trace without loops.
    pub(super) loops: Option<LoopRun>,
}

/// An error in a trace file, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(super) struct TraceError {
    /// The line number, counted from 1.
    pub(super) line: usize,
    /// The actual and the expected text.
    pub(super) problem: String,
}

impl TraceFile {
    /// Returns the transitions in the trace, with repetitions.
    pub(super) fn transitions(&self) -> impl Iterator<Item = TransitionId> {
        let stages = self.earlier_stages.iter().flat_map(|stage| [&stage.prefix, &stage.pump]);
        let sequences = stages.chain([&self.sequence]).chain(&self.repeat);
        let repeated_elements = self.loops.iter().flat_map(|run| run.blocks().iter().flatten());
        let in_loops = repeated_elements.filter_map(|repeated| match repeated.element {
            LoopElement::Fire(t) => Some(t),
            LoopElement::Block(_) => None,
        });
        sequences.flat_map(|it| it.steps()).map(|step| step.transition).chain(in_loops)
    }

    /// Parses a trace of `net`.
    ///
    /// # Errors
    /// Returns the first error, with its line.
    pub(super) fn parse(net: &Net, text: &str) -> Result<TraceFile, TraceError> {
        // One line that begins or ends a block, or repeats a block, makes the trace a run with
        // loops.
        let is_of_loops = |line: &str| {
            ["@block", "@end", "@loop"]
                .contains(&line.split_whitespace().next().unwrap_or_default())
        };
        if text.lines().any(is_of_loops) {
            return TraceFile::parse_loops(net, text);
        }
        let mut trace = TraceFile::default();
        for (index, line) in text.lines().enumerate() {
            let fail = |problem: String| TraceError { line: index + 1, problem };
            if let Some(note) = line.strip_prefix('#') {
                if let Some((key, text)) = note.split_once(':') {
                    trace.notes.push((key.trim().to_owned(), text.trim().to_owned()));
                }
            } else if line.trim() == "@repeat" {
                if trace.repeat.replace(FiringSequence::new()).is_some() {
                    return Err(fail("a second `@repeat`: expected at most one".into()));
                }
            } else if line.trim() == "@then" {
                let Some(pump) = trace.repeat.take() else {
                    return Err(fail("`@then` without `@repeat` before it".into()));
                };
                trace
                    .earlier_stages
                    .push(Stage { prefix: std::mem::take(&mut trace.sequence), pump });
            } else if !line.trim().is_empty() {
                let (transition, count) = parse_step(net, line).map_err(fail)?;
                trace.repeat.as_mut().unwrap_or(&mut trace.sequence).push(transition, count);
            }
        }
        let last_line = text.lines().count();
        if trace.repeat.is_none() && !trace.earlier_stages.is_empty() {
            let problem = "expected `@repeat` after the last `@then`".to_owned();
            return Err(TraceError { line: last_line, problem });
        }
        Ok(trace)
    }

    /// Returns the trace as a self-covering sequence in stages. The last stage consists of
    /// `sequence` and the repeated suffix. Returns `None` without a repeated suffix.
    pub(super) fn pump_sequence(&self) -> Option<PumpSequence> {
        let pump = self.repeat.clone()?;
        let last = Stage { prefix: self.sequence.clone(), pump };
        Some(PumpSequence { earlier: self.earlier_stages.clone(), last })
    }

    /// Checks that the trace can be replayed firing by firing.
    ///
    /// # Errors
    /// The trace is a run with loops, or a self-covering sequence in several stages.
    pub(super) fn check_no_stages_or_loops(&self) -> anyhow::Result<()> {
        if !self.earlier_stages.is_empty() {
            anyhow::bail!(
                "a trace with @then cannot be followed firing by firing; `parikh replay` shows \
                 which places grow"
            );
        }
        match &self.loops {
            None => Ok(()),
            Some(run) => anyhow::bail!(
                "a run of {} in nested loops cannot be followed firing by firing; `parikh replay` \
                 shows its final marking",
                description::firings(&run.firings())
            ),
        }
    }

    /// Parses a run with loops.
    fn parse_loops(net: &Net, text: &str) -> Result<TraceFile, TraceError> {
        let mut trace = TraceFile::default();
        let (mut blocks, mut main_elements): (Vec<Vec<RepeatedElement>>, Vec<RepeatedElement>) =
            Default::default();
        let mut open_block: Option<Vec<RepeatedElement>> = None;
        for (index, line) in text.lines().enumerate() {
            let fail = |problem: String| TraceError { line: index + 1, problem };
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [] => {}
                ["@block", number]
                    if open_block.is_none() && number == blocks.len().to_string() =>
                {
                    open_block = Some(Vec::new());
                }
                ["@block", ..] => {
                    let expected = blocks.len();
                    return Err(fail(format!(
                        "expected `@block {expected}`, outside of other blocks"
                    )));
                }
                ["@end"] => {
                    let block = open_block.take();
                    blocks.push(
                        block.ok_or_else(|| fail("`@end` without `@block` before it".into()))?,
                    );
                }
                ["@loop", number, times] => {
                    let earlier_block =
                        number.parse().ok().filter(|&number: &usize| number < blocks.len());
                    let block = earlier_block.ok_or_else(|| {
                        fail(format!("expected the number of an earlier block, found `{number}`"))
                    })?;
                    let times = parse_repetitions(times).map_err(fail)?;
                    if times == BigUint::ZERO {
                        return Err(fail("expected a number of repetitions, at least 1".into()));
                    }
                    let repeated = RepeatedElement { element: LoopElement::Block(block), times };
                    open_block.as_mut().unwrap_or(&mut main_elements).push(repeated);
                }
                [word, ..] if word.starts_with('#') => {
                    if let Some((key, text)) = line.trim_start_matches('#').split_once(':') {
                        trace.notes.push((key.trim().to_owned(), text.trim().to_owned()));
                    }
                }
                [word, ..] if word.starts_with('@') => {
                    let problem = format!(
                        "`{}`: expected `@block NUMBER`, `@end` or `@loop NUMBER TIMES`",
                        line.trim()
                    );
                    return Err(fail(problem));
                }
                _ => {
                    let (transition, times) = parse_step::<BigUint>(net, line).map_err(fail)?;
                    let repeated =
                        RepeatedElement { element: LoopElement::Fire(transition), times };
                    open_block.as_mut().unwrap_or(&mut main_elements).push(repeated);
                }
            }
        }
        let fail_at_end = |problem| TraceError { line: text.lines().count(), problem };
        if open_block.is_some() {
            return Err(fail_at_end("expected `@end` of the last block".to_owned()));
        }
        blocks.push(main_elements);
        let run = LoopRun::new(blocks).map_err(|error| fail_at_end(error.to_string()))?;
        trace.loops = Some(run);
        Ok(trace)
    }

    /// Returns the marking after the steps of `text`, starting from the initial marking. A repeated
    /// suffix fires once. The text has no `@then` and no loops.
    ///
    /// # Errors
    /// Returns the first line that is no step or whose step cannot fire, and the reason.
    pub(super) fn replay(net: &Net, text: &str) -> Result<Marking, TraceError> {
        let mut replayer = Replayer::new(net);
        let is_step = |line: &str| {
            !line.starts_with('#') && line.trim() != "@repeat" && !line.trim().is_empty()
        };
        for (index, line) in text.lines().enumerate().filter(|(_, line)| is_step(line)) {
            let fail = |problem: String| TraceError { line: index + 1, problem };
            let (transition, count) = parse_step(net, line).map_err(fail)?;
            let fired = replayer.fire(FiringStep { transition, count });
            fired.map_err(|error| fail(error.to_string()))?;
        }
        Ok(replayer.marking().clone())
    }

    /// Writes the trace in the format that [`parse`](Self::parse) reads.
    pub(super) fn print(&self, net: &Net) -> String {
        self.print_named(&|t| net.transition_name(t).into())
    }

    /// Writes the trace with the transition names given by `name`.
    pub(super) fn print_named<'n>(&self, name: &dyn Fn(TransitionId) -> Cow<'n, str>) -> String {
        let mut text = String::new();
        for (key, note) in &self.notes {
            let _ = writeln!(text, "# {key}: {}", note.replace(['\n', '\r'], " "));
        }
        if let Some(run) = &self.loops {
            print_loops(name, run, &mut text);
        }
        for Stage { prefix, pump } in &self.earlier_stages {
            print_steps(name, prefix, &mut text);
            text.push_str("@repeat\n");
            print_steps(name, pump, &mut text);
            text.push_str("@then\n");
        }
        print_steps(name, &self.sequence, &mut text);
        if let Some(repeat) = &self.repeat {
            text.push_str("@repeat\n");
            print_steps(name, repeat, &mut text);
        }
        text
    }
}

/// Parses a step: a transition and its number of consecutive firings.
fn parse_step<N: FromStr + PartialOrd + From<u8>>(
    net: &Net,
    line: &str,
) -> Result<(TransitionId, N), String> {
    let (name, count) = match line.trim().rsplit_once('\t') {
        Some((name, count)) => {
            let count = count.trim().parse().ok().filter(|count| *count >= N::from(1));
            let expected = "expected a count of at least 1 after the tab, within 64 bits outside \
                            of loops";
            (name.trim(), count.ok_or(expected)?)
        }
        None => (line.trim(), N::from(1)),
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
        .ok_or_else(|| format!("`{name}` is not a transition of net `{}`", net.name()))?;
    Ok((transition, count))
}

/// Writes the blocks of a run with loops, and the lines outside of blocks last.
fn print_loops<'n>(name: &dyn Fn(TransitionId) -> Cow<'n, str>, run: &LoopRun, text: &mut String) {
    let Some((last, blocks)) = run.blocks().split_last() else { return };
    let print = |elements: &[RepeatedElement], text: &mut String| {
        for RepeatedElement { element: part, times } in elements {
            let _ = match part {
                LoopElement::Block(block) => writeln!(text, "@loop {block}\t{times}"),
                LoopElement::Fire(t) if *times == BigUint::from(1u8) => {
                    writeln!(text, "{}", quote(&name(*t)))
                }
                LoopElement::Fire(t) => writeln!(text, "{}\t{times}", quote(&name(*t))),
            };
        }
    };
    for (number, block) in blocks.iter().enumerate() {
        let _ = writeln!(text, "@block {number}");
        print(block, text);
        text.push_str("@end\n");
    }
    print(last, text);
}

/// Writes a sequence, one line per step.
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

/// Returns a name as it stands in a trace: quoted if it contains white space or begins with `#`,
/// `@` or `"`, and unchanged otherwise.
pub(super) fn quote(name: &str) -> String {
    let is_plain = !name.starts_with(['#', '@', '"']) && !name.contains(char::is_whitespace);
    if is_plain {
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

/// Returns a quoted name without the quotation marks, and with escapes replaced. Returns `None` if
/// the text does not begin and end with a quotation mark, or ends in the middle of an escape.
pub(super) fn unquote(name: &str) -> Option<String> {
    // Handwritten traces may have other escapes of JSON. `quote` writes control characters as they
    // are, which JSON does not allow.
    if let Ok(plain) = serde_json::from_str(name) {
        return Some(plain);
    }
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
    fn written_traces_are_read_back_unchanged() {
        let net = net();
        let mut sequence = FiringSequence::new();
        for (index, count) in [(0, 3), (1, 1), (2, 2), (3, 1)] {
            sequence.push(TransitionId::new(index), count);
        }
        let notes = vec![("net".to_owned(), "n: m".to_owned())];
        let repeat = Some(sequence.clone());
        let mut trace =
            TraceFile { notes, sequence: sequence.clone(), repeat, ..TraceFile::default() };
        assert_eq!(TraceFile::parse(&net, &trace.print(&net)).as_ref(), Ok(&trace));
        let stage = Stage { prefix: FiringSequence::new(), pump: sequence };
        trace.earlier_stages = vec![stage.clone(), stage];
        assert_eq!(TraceFile::parse(&net, &trace.print(&net)), Ok(trace));
        let fire = |t, times: u8| RepeatedElement {
            element: LoopElement::Fire(TransitionId::new(t)),
            times: times.into(),
        };
        let many =
            RepeatedElement { element: LoopElement::Block(0), times: BigUint::from(10u8).pow(100) };
        let run = LoopRun::new(vec![vec![fire(2, 1), fire(1, 7)], vec![many, fire(3, 1)]]).unwrap();
        let notes = vec![("net".to_owned(), "n".to_owned())];
        let trace = TraceFile { notes, loops: Some(run), ..TraceFile::default() };
        assert_eq!(TraceFile::parse(&net, &trace.print(&net)), Ok(trace));
    }

    #[test]
    fn quoted_names_may_have_control_characters_and_escapes_of_json() {
        for name in ["a\u{b}b", "\u{85}", " q\"\\\n\u{1}"] {
            assert_eq!(unquote(&quote(name)).as_deref(), Some(name));
        }
        assert_eq!(unquote(r#""\u0041 \/""#).as_deref(), Some("A /"));
        assert_eq!(unquote(r#""a\""#), None);
    }

    #[test]
    fn disabled_firings_are_reported_with_their_line() {
        let net = text::parse("place p 2\nplace q\ntransition t: p -> q\ntransition u: 2*q ->");
        let net = net.unwrap();
        let replayed =
            |text: &str| TraceFile::replay(&net, text).map_err(|error| error.to_string());
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
        let problem = |text: &str| TraceFile::parse(&net, text).unwrap_err().to_string();
        assert_eq!(problem("t\n\nu"), "line 3: `u` is not a transition of net `n`");
        assert_eq!(
            problem("t\t0"),
            "line 1: expected a count of at least 1 after the tab, within 64 bits outside of loops"
        );
        assert_eq!(
            problem("@block 0\nt\n@end\n@loop 1\t2"),
            "line 4: expected the number of an earlier block, found `1`"
        );
        assert_eq!(problem("@block 1"), "line 1: expected `@block 0`, outside of other blocks");
        assert_eq!(problem("@block 0\nt"), "line 2: expected `@end` of the last block");
        assert_eq!(
            problem("@loop 0\t1\n"),
            "line 1: expected the number of an earlier block, found `0`"
        );
        assert_eq!(problem("t\n@then"), "line 2: `@then` without `@repeat` before it");
        assert_eq!(
            problem("@repeat\nt\n@then\nt"),
            "line 4: expected `@repeat` after the last `@then`"
        );
        assert_eq!(problem("@repeat\n@repeat"), "line 2: a second `@repeat`: expected at most one");
    }
}
