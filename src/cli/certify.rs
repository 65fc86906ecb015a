//! `parikh certify`: reads a model and certificates again, checks them, and says what they prove.
//!
//! Nothing of the engines is involved, and no solver: see [`crate::evidence::certificate`].

use super::{Outcome, model};
use crate::evidence::{Certificate, Claim};
use anyhow::{Context, Result};
use parikh_net::{Atom, LinearSum, Net, Predicate};
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
        let (certificate, about) =
            Certificate::parse(&net, &text).with_context(|| path.to_string())?;
        certificate.check(&net).with_context(|| format!("{path} proves nothing"))?;
        println!("{}", proved(&net, &certificate, &about));
    }
    Ok(Outcome::Complete)
}

fn proved(net: &Net, certificate: &Certificate, about: &str) -> String {
    let mut text = match &certificate.claim {
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
    let lemmas = count(certificate.lemmas.len(), "lemma");
    let _ = write!(text, " ({lemmas}, {}", count(certificate.traps.len(), "trap"));
    if certificate.assumes_units {
        text.push_str("; assumes that the model's units are safe, as it claims");
    }
    text.push(')');
    if about.is_empty() { text } else { format!("{about}: {text}") }
}

/// A predicate for people.
pub(super) fn formula(net: &Net, predicate: &Predicate) -> String {
    let joined = |parts: &[Predicate], by: &str| {
        let parts: Vec<String> = parts.iter().map(|part| formula(net, part)).collect();
        format!("({})", parts.join(by))
    };
    match predicate {
        Predicate::True => "true".to_owned(),
        Predicate::False => "false".to_owned(),
        Predicate::Atom(Atom { sum, bound }) => format!("{} ≤ {bound}", linear(net, sum)),
        Predicate::Enabled(t) => format!("{} enabled", net.transition_name(*t)),
        Predicate::Disabled(t) => format!("{} disabled", net.transition_name(*t)),
        Predicate::Dead => "nothing enabled".to_owned(),
        Predicate::NotDead => "something enabled".to_owned(),
        Predicate::And(parts) => joined(parts, " ∧ "),
        Predicate::Or(parts) => joined(parts, " ∨ "),
    }
}

/// A sum for people.
pub(super) fn linear(net: &Net, sum: &LinearSum) -> String {
    let mut text = String::new();
    for (position, &(place, a)) in sum.terms().iter().enumerate() {
        let sign = match (position, a < 0) {
            (0, false) => "",
            (0, true) => "−",
            (_, false) => " + ",
            (_, true) => " − ",
        };
        text.push_str(sign);
        if a.unsigned_abs() != 1 {
            let _ = write!(text, "{}·", a.unsigned_abs());
        }
        text.push_str(net.place_name(place));
    }
    if text.is_empty() { "0".to_owned() } else { text }
}
