//! `parikh replay` on a coloured net: each step is a transition with a binding, `t(x=2,y=red)`, and
//! fires by the firing rule of coloured nets. The net is not unfolded.

use super::terminal::line;
use super::trace_file::unquote;
use anyhow::{Result, anyhow, bail};
use parikh_net::coloured::{BoundColour, ColouredMarking, ColouredNet, ColouredTransitionId};
use parikh_net::printable::counted;

/// The largest number of colours that one place may hold in the initial marking. Models in practice
/// have fewer.
const MAX_COLOURS: usize = 100_000_000;

/// A step of a trace.
struct ColouredStep {
    /// The line of the step in the file, counted from 1.
    line: usize,
    transition: ColouredTransitionId,
    binding: Vec<BoundColour>,
    /// The number of consecutive firings.
    count: u64,
}

/// Replays the trace in `text` and prints the marking that it leads to. For a trace with `@repeat`,
/// prints instead the tokens that the repeated part adds, or that it is a cycle. Messages use
/// `path` as the name of the trace.
pub(super) fn run(net: &ColouredNet, text: &str, path: &str) -> Result<()> {
    let (sequence, pump) = parse(net, text, path)?;
    let mut marking = net.initial(MAX_COLOURS)?;
    let firings = fire(net, &sequence, &mut marking, path)?;
    let Some(pump) = pump else {
        line(&format!("{} replayed on coloured net {}", counted(firings, "firing"), net.name()));
        print_marking(net, &marking);
        return Ok(());
    };
    let marking_before = marking.clone();
    let repeated = fire(net, &pump, &mut marking, path)?;
    if pump.is_empty() {
        bail!("{path}: no transitions follow @repeat; expected the transitions that repeat");
    }
    let mut growths = Vec::new();
    for place in net.place_ids() {
        let sort = net.place(place).sort;
        let colours = marking_before.bag(place).keys().chain(marking.bag(place).keys());
        for &colour in colours.collect::<std::collections::BTreeSet<_>>() {
            let (tokens_before, tokens_after) =
                (marking_before.tokens(place, colour), marking.tokens(place, colour));
            let name = || format!("{} of {}", net.colour_name(sort, colour), net.place(place).name);
            if tokens_after < tokens_before {
                bail!(
                    "{path}: the transitions after @repeat take {}, so they cannot repeat",
                    name()
                );
            } else if tokens_after > tokens_before {
                growths.push(format!("grows by {}: {}", tokens_after - tokens_before, name()));
            }
        }
    }
    let cycle = match (growths.is_empty(), repeated) {
        (false, _) => "",
        (true, 1) => "leads back to the same marking and ",
        (true, _) => "lead back to the same marking and ",
    };
    line(&format!(
        "{} replayed on coloured net {}, then {repeated} that {cycle}can repeat forever",
        counted(firings, "firing"),
        net.name()
    ));
    if growths.is_empty() {
        print_marking(net, &marking);
    }
    growths.iter().for_each(|growth| line(growth));
    Ok(())
}

/// The steps of a firing sequence.
type ColouredSequence = Vec<ColouredStep>;

/// Parses a trace: the prefix, and the part after `@repeat` if there is one.
fn parse(
    net: &ColouredNet,
    text: &str,
    path: &str,
) -> Result<(ColouredSequence, Option<ColouredSequence>)> {
    let mut sequence = Vec::new();
    let mut pump: Option<ColouredSequence> = None;
    for (index, line) in text.lines().map(str::trim).enumerate() {
        let fail = |problem: String| anyhow!("{path}: line {}: {problem}", index + 1);
        let note = line.strip_prefix('#').and_then(|note| note.split_once(':'));
        let has_start = note.is_some_and(|(key, _)| key.trim() == "from");
        if line == "@then" || has_start {
            let subject = if has_start { "`# from:`" } else { "@then" };
            return Err(fail(format!(
                "a trace with {subject} can be replayed on the unfolding only: run `parikh unfold \
                 -o FILE`, then `parikh replay FILE`"
            )));
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "@repeat" {
            if pump.replace(Vec::new()).is_some() {
                return Err(fail("a second `@repeat`, expected at most one".into()));
            }
            continue;
        }
        let (name, count) = match line.rsplit_once('\t') {
            Some((name, count)) => (name.trim(), count.trim()),
            None => (line, "1"),
        };
        let count: u64 = count
            .parse()
            .ok()
            .filter(|&count| count > 0)
            .ok_or_else(|| fail("expected a count of at least 1 after the tab".into()))?;
        let unquoted: String = match name.starts_with('"') {
            true => unquote(name).ok_or_else(|| fail("a quoted name is malformed".into()))?,
            false => name.to_owned(),
        };
        let (transition, binding) = net.binding_named(&unquoted).map_err(fail)?;
        let step = ColouredStep { line: index + 1, transition, binding, count };
        pump.as_mut().unwrap_or(&mut sequence).push(step);
    }
    Ok((sequence, pump))
}

/// Fires the steps, beginning in `marking`, which becomes the marking after the steps. Returns the
/// number of firings. Returns an error for the first step that cannot fire.
fn fire(
    net: &ColouredNet,
    steps: &[ColouredStep],
    marking: &mut ColouredMarking,
    path: &str,
) -> Result<u64> {
    let mut firings = 0;
    for step in steps {
        for _ in 0..step.count {
            net.fire(marking, step.transition, &step.binding).map_err(|problem| {
                let name = &net.transition(step.transition).name;
                anyhow!(
                    "{path} does not replay: line {}: after {}, `{name}`: {problem}",
                    step.line,
                    counted(firings, "firing")
                )
            })?;
            firings += 1;
        }
    }
    Ok(firings)
}

/// Prints the marking, with the colours of each place.
fn print_marking(net: &ColouredNet, marking: &ColouredMarking) {
    let mut marked = Vec::new();
    for place in net.place_ids() {
        let node = net.place(place);
        let tokens = marking.bag(place).iter().map(|(&colour, &count)| {
            let colour = net.colour_name(node.sort, colour);
            if count == 1 { colour } else { format!("{count}'{colour}") }
        });
        let tokens: Vec<String> = tokens.collect();
        if !tokens.is_empty() {
            marked.push(format!("{}{{{}}}", node.name, tokens.join(" + ")));
        }
    }
    let marked = if marked.is_empty() { "empty".into() } else { marked.join(", ") };
    line(&format!("marking: {marked}"));
}
