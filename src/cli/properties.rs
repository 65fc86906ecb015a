//! `parikh properties`: the 21 keys of a model form, found by our own computation.

use super::json::number;
use super::model;
use super::terminal::{line, object, whole};
use super::{Outcome, limits, signals};
use crate::input;
use crate::mcc::techniques::{Circumstances, techniques};
use crate::run;
use crate::unfold::{self, Declined};
use crate::verdicts::{
    Category, Computed, Findings, Property, StatedBy, TECHNIQUES, Truth, Value, Verdict,
    VerdictFile, Version, compute, compute_unfolded, firing_sequence, now,
};
use anyhow::Result;
use clap::ValueEnum;
use parikh_net::Net;
use parikh_net::printable::Printable;
use parikh_solvers::Budget;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A net in any format that is read, or the directory of a contest instance.
    model: PathBuf,
    #[command(flatten)]
    limits: Limits,
    /// How to print them; xml is a verdict file, printed at the end as a whole.
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,
}

/// What the computation of keys may take.
#[derive(clap::Args)]
pub(super) struct Limits {
    /// How long it may take, reading included: 90s, 5m, 1h.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
    /// How much memory the process may use: 4G, 500M. By default 85 % of the machine's.
    #[arg(short, long, value_parser = limits::memory)]
    memory: Option<u64>,
    /// How many engines work at the same time; by default one per processor.
    #[arg(short = 'j', long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// The seed of the random walks. Same seed and one thread, same run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line per key: its name, its value, why.
    Text,
    /// A JSON object per line, one per key, and one if the model's claim of safe units is false.
    Json,
    /// A verdict file in the contest's format, version 2.0.
    Xml,
}

const EXAMPLES: &str = "\
Examples:
  parikh properties philosophers.pnml
  parikh properties INPUTS/Peterson-PT-2 --timeout 5m --format xml > verdicts.xml";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let budget = arguments.limits.budget();
    let subject = Subject::read(&arguments.model, &budget)?;
    let wanted: Vec<Property> = Property::all().collect();
    let format = arguments.format;
    if let (Format::Text, true) = (format, subject.coloured) {
        line(ABOUT_THE_UNFOLDING);
    }
    let found = subject.compute(&wanted, &arguments.limits, &budget, |computed| match format {
        Format::Text => {
            line(&format!("{}: {} — {}", computed.property, computed.value, computed.explanation));
        }
        Format::Json => object(json(computed, arguments.limits.threads, subject.coloured)),
        Format::Xml => {}
    });
    if let Some(breach) = &found.breach {
        let text = format!("the model's NUPN claim is false: {breach}");
        match format {
            Format::Text => line(&format!("# {text}")),
            Format::Json => object(json!({"type": "false_unit_claim", "explanation": text})),
            Format::Xml => {}
        }
    }
    if format == Format::Xml {
        let file = verdict_file(&arguments.model, &subject, &found.keys, arguments.limits.threads);
        whole(&file.print())?;
    }
    Ok(outcome(&found))
}

/// Said before the keys of a coloured net.
pub(super) const ABOUT_THE_UNFOLDING: &str =
    "# keys are about the place/transition net that the coloured net stands for";

/// What keys are about.
pub(super) struct Subject {
    /// The model's net, or what it stands for without colours.
    pub(super) net: Net,
    pub(super) coloured: bool,
    /// Why the unfolding is without what no marking can have, where it is.
    left_out: Option<String>,
}

impl Subject {
    /// Reads a model.
    pub(super) fn read(model: &Path, budget: &Budget) -> Result<Subject> {
        let model = input::read_model(model)?;
        let Some(coloured) = model.colours() else {
            let net = model.into_net(&unfold::Config::default(), budget)?;
            return Ok(Subject { net, coloured: false, left_out: None });
        };
        // All of it, as long as that is worth while for properties of the structure.
        let mut whole =
            unfold::Config { symmetry: false, fixpoint: false, ..unfold::Config::default() };
        whole.limits.bindings = 1_000_000;
        whole.limits.tries = 20_000_000;
        let (net, left_out) = match unfold::unfold(coloured, &whole, budget) {
            Ok((net, _)) => (net, None),
            Err(declined @ Declined::TooLarge { .. }) => {
                let net = model.into_net(&unfold::Config::default(), budget)?;
                (net, Some(declined.to_string()))
            }
            Err(declined) => return Err(declined.into()),
        };
        Ok(Subject { net: net.without_folding(), coloured: true, left_out })
    }

    /// The keys, as they are found.
    pub(super) fn compute(
        &self,
        wanted: &[Property],
        limits: &Limits,
        budget: &Budget,
        tell: impl FnMut(&Computed),
    ) -> Findings {
        let config = limits.config();
        match self.coloured {
            false => compute(&self.net, wanted, &config, budget, tell),
            true => {
                let left_out = self.left_out.as_deref();
                compute_unfolded(&self.net, left_out, wanted, &config, budget, tell)
            }
        }
    }
}

/// Whether everything was found out, and nothing was refused.
fn outcome(found: &Findings) -> Outcome {
    if found.faults > 0 {
        Outcome::InternalError
    } else if found.keys.iter().any(|computed| computed.value == Truth::Unknown) {
        Outcome::Incomplete
    } else {
        Outcome::Complete
    }
}

impl Limits {
    /// The budget, which signals and its own end enforce.
    pub(super) fn budget(&self) -> Budget {
        let budget = limits::budget(Some(self.timeout), self.memory);
        signals::cancel_on_signal(&budget, || ());
        budget
    }

    pub(super) fn config(&self) -> run::Config {
        let defaults = run::Config::default();
        let threads = self.threads.map_or(defaults.threads, usize::from);
        run::Config { threads, seed: self.seed, keep_all_witnesses: false, ..defaults }
    }
}

fn json(computed: &Computed, threads: Option<u16>, unfolded: bool) -> serde_json::Value {
    json!({
        "type": "property",
        "key": computed.property.name(),
        "value": computed.value.to_string(),
        "explanation": computed.explanation,
        "techniques": techniques_of(computed, threads, unfolded),
        "assumes_units": computed.assumes_units,
        "trace_firings": computed.trace.as_ref().map(|sequence| number(sequence.firings())),
    })
}

fn verdict_file(
    model: &Path,
    subject: &Subject,
    found: &[Computed],
    threads: Option<u16>,
) -> VerdictFile {
    let net = &subject.net;
    let instance = model::instance_names(model, net).into_iter().next().unwrap_or_default();
    let date = now();
    let verdict = |computed: &Computed| Verdict {
        category: Category::Generic,
        reference: computed.property.name().to_owned(),
        value: Value::Truth(computed.value),
        instances: vec![instance.clone()],
        explanation: Some(Printable(&computed.explanation).to_string()),
        stated_by: Some(StatedBy {
            tool: "Parikh".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            date: Some(date.clone()),
            reference: None,
        }),
        // The format knows the contest's names only.
        techniques: techniques_of(computed, threads, subject.coloured)
            .into_iter()
            .filter(|name| TECHNIQUES.contains(name))
            .map(str::to_owned)
            .collect(),
        trace: computed.trace.as_ref().map(|sequence| firing_sequence(net, sequence)),
    };
    // In the order of the contest's files, whatever order they were found in.
    let verdicts = Property::all()
        .filter_map(|property| found.iter().find(|computed| computed.property == property));
    VerdictFile {
        version: Version::V2,
        model: model_of(&instance).to_owned(),
        verdicts: verdicts.map(verdict).collect(),
    }
}

/// Returns the techniques of a key, the contest's words among them. `unfolded`: the keys are about
/// the unfolding of a coloured net.
fn techniques_of(computed: &Computed, threads: Option<u16>, unfolded: bool) -> Vec<&'static str> {
    if computed.value == Truth::Unknown {
        return Vec::new();
    }
    let parallel = !matches!(computed.property, Property::Structural(_)) && threads != Some(1);
    let circumstances = Circumstances { parallel, unfolded, ..Circumstances::default() };
    techniques(&computed.techniques, circumstances)
}

/// `AirplaneLD` of `AirplaneLD-PT-0010`.
fn model_of(instance: &str) -> &str {
    let kind = instance.find("-PT-").or_else(|| instance.find("-COL-"));
    &instance[..kind.unwrap_or(instance.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_claim_is_an_internal_error_whatever_was_found() {
        let refused = Findings { faults: 1, ..Findings::default() };
        assert_eq!(outcome(&refused), Outcome::InternalError);
        assert_eq!(outcome(&Findings::default()), Outcome::Complete);
    }

    #[test]
    fn the_model_is_what_stands_before_the_kind_of_net() {
        assert_eq!(model_of("AirplaneLD-PT-0010"), "AirplaneLD");
        assert_eq!(model_of("BART-COL-002"), "BART");
        assert_eq!(model_of("mutex"), "mutex");
    }
}
