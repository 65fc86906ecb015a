//! `parikh certify`: reads a model and certificates again, checks them, and says what they prove.
//!
//! Nothing of the engines is involved, and no solver: see [`crate::evidence::certificate`].

use super::{Outcome, model};
use crate::evidence::words::{formula, linear};
use crate::evidence::{Certificate, Claim};
use anyhow::{Context, Result};
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
