//! `parikh certify`: reads a model and certificates again, checks them, and says what they prove.
//!
//! No engine is involved and no solver: see [`crate::evidence::certificate`]. Of reductions, the rules'
//! conditions are checked again.

use super::{Outcome, model, output};
use crate::evidence::words::{formula, linear};
use crate::evidence::{Claim, Document};
use anyhow::{Context, Result, bail};
use parikh_net::Net;
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A PNML file, or the directory of a contest instance.
    model: PathBuf,
    /// Certificates, as `parikh check --certificate DIR` writes them.
    #[arg(required = true)]
    certificates: Vec<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let net = model::read(&arguments.model)?;
    for file in &arguments.certificates {
        let path = file.display();
        let text = std::fs::read_to_string(file).with_context(|| path.to_string())?;
        let mut found = false;
        for (number, certificate) in objects(&text) {
            found = true;
            let place = || format!("{path}:{number}");
            let (document, about) = Document::parse(&net, certificate).with_context(place)?;
            document.check(&net).with_context(|| format!("{} proves nothing", place()))?;
            if document.claims().is_empty() {
                bail!("{}: nothing is claimed", place());
            }
            // Whoever wrote the file may say there what they like, but not in lines of their own.
            let about = about.replace(char::is_control, "\u{FFFD}");
            for claim in document.claims() {
                output::line(&proved(&net, claim, &document, &about));
            }
        }
        if !found {
            bail!("{path}: there is no certificate in it");
        }
    }
    Ok(Outcome::Complete)
}

/// The certificates of a file with the numbers of their lines: one a line, or one for the whole file
/// with line breaks as the reader likes them.
fn objects(text: &str) -> Vec<(usize, &str)> {
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| (at + 1, line))
        .collect();
    let whole =
        |&(_, line): &(usize, &str)| line.starts_with('{') && line.trim_end().ends_with('}');
    if lines.iter().all(whole) { lines } else { vec![(1, text)] }
}

fn proved(net: &Net, claim: &Claim, document: &Document, about: &str) -> String {
    let mut text = match claim {
        Claim::Unreachable(predicate) => {
            format!("proved: no reachable marking has {}", formula(net, predicate))
        }
        Claim::AtMost(sum, bound) => {
            format!("proved: {} ≤ {bound} in every reachable marking", linear(net, sum))
        }
    };
    let count = |number: usize, one: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    };
    let by = match document {
        Document::Linear(certificate) => format!(
            "{}, {}",
            count(certificate.lemmas.len(), "lemma"),
            count(certificate.traps.len(), "trap")
        ),
        Document::Bounds(bounds) => {
            format!("bounds on tokens, {}", count(bounds.steps.len(), "step"))
        }
        Document::Markings(markings) => format!("all {} markings", markings.count),
        Document::Reduced(reduced) => {
            format!("on the net after {}", count(reduced.log.steps.len(), "reduction"))
        }
    };
    let _ = write!(text, " ({by}");
    if document.assumes_units() {
        text.push_str("; assumes that the model's units are safe, as it claims");
    }
    text.push(')');
    if about.is_empty() { text } else { format!("{about}: {text}") }
}
