//! `parikh replay`: fires a sequence from a file and shows where it leads.

use super::{Outcome, model};
use crate::evidence::{Trace, check_pump, replay};
use anyhow::{Context, Result};
use parikh_net::{Marking, Net};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A PNML file, or the directory of a contest instance.
    model: PathBuf,
    /// A trace: one transition a line, with a tab and a count where it fires several times in a
    /// row; `#` starts a comment; behind a line `@repeat` stands what can repeat for ever.
    trace: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let net = model::read(&arguments.model)?;
    let path = arguments.trace.display();
    let text = std::fs::read_to_string(&arguments.trace).with_context(|| path.to_string())?;
    let trace = Trace::parse(&net, &text).with_context(|| path.to_string())?;
    match &trace.repeat {
        None => {
            let end =
                replay(&net, &trace.sequence).with_context(|| format!("{path} does not replay"))?;
            println!("{} firings replayed on net {}", trace.sequence.firings(), net.name());
            show(&net, &end);
        }
        Some(pump) => {
            let (before, after) = check_pump(&net, &trace.sequence, pump)
                .with_context(|| format!("{path} does not replay"))?;
            println!(
                "{} firings replayed on net {}, then {} that can repeat for ever",
                trace.sequence.firings(),
                net.name(),
                pump.firings()
            );
            for place in net.places().filter(|&place| after[place] > before[place]) {
                println!("grows by {}: {}", after[place] - before[place], net.place_name(place));
            }
        }
    }
    Ok(Outcome::Complete)
}

fn show(net: &Net, marking: &Marking) {
    let marked: Vec<String> = marking
        .marked()
        .map(|(place, tokens)| match tokens {
            1 => net.place_name(place).to_owned(),
            tokens => format!("{tokens}*{}", net.place_name(place)),
        })
        .collect();
    println!("marking: {}", if marked.is_empty() { "empty".into() } else { marked.join(" + ") });
    let enabled = net.transitions().filter(|&t| net.is_enabled(marking, t)).count();
    match enabled {
        0 => println!("enabled: none, the marking is dead"),
        n => println!("enabled: {n} of {} transitions", net.transition_count()),
    }
}
