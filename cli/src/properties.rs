//! `parikh properties`: computes the 21 keys of a model form.

use super::json::{self, number};
use super::limits::LimitOptions;
use super::model;
use super::terminal::{line, object, print_verbatim};
use super::{ProgramOutcome, signals};
use anyhow::Result;
use clap::ValueEnum;
use parikh::mcc::techniques::{Circumstances, techniques};
use parikh::run;
use parikh::verdicts::{
    Category, ComputedKey, FormatVersion, KeyFindings, KeyNet, KeyProperty, KeyVerdict, StatedBy,
    TECHNIQUES, Truth, VerdictFile, VerdictValue, firing_sequence, now,
};
use parikh_input::about::NetMeant;
use parikh_input::model::Model;
use parikh_net::assumption::{self, Assumption};
use parikh_net::printable::Printable;
use parikh_solvers::Budget;
use serde_json::json;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PropertiesArguments {
    /// A net in any supported format, or the directory of a contest instance.
    model: PathBuf,
    #[command(flatten)]
    limits: KeyLimits,
    #[command(flatten)]
    timing: model::TimingOptions,
    /// The output format. xml is a verdict file, printed as a whole at the end.
    #[arg(short, long, value_enum, default_value = "text")]
    format: PropertiesFormat,
}

/// The time that shortening the witnesses of one run may take, even if its share of the time of the
/// run is smaller.
const SHORTENING: Duration = Duration::from_millis(300);

/// Limits for computing keys, that is, the 21 properties in a contest model form.
#[derive(clap::Args)]
pub(super) struct KeyLimits {
    #[command(flatten)]
    limits: LimitOptions,
    /// The seed of the random walks. With one thread, the same seed gives the same run.
    #[arg(long, default_value_t = 1, help_heading = super::EXPERT)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PropertiesFormat {
    /// One line per key: name, value, reason.
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

pub(super) fn run(arguments: &PropertiesArguments) -> Result<ProgramOutcome> {
    let budget = arguments.limits.budget();
    let key_net_of_model = key_net(arguments.timing.read(&arguments.model)?, &budget)?;
    let all_keys: Vec<KeyProperty> = KeyProperty::all().collect();
    let format = arguments.format;
    if let (PropertiesFormat::Text, Some(about)) = (format, about(&key_net_of_model)) {
        line(about);
    }
    let config = arguments.limits.config();
    let findings =
        key_net_of_model.compute(&all_keys, &[], &config, &budget, |computed| match format {
            PropertiesFormat::Text => {
                line(&format!(
                    "{}: {} — {}{}",
                    computed.property,
                    computed.value,
                    computed.explanation,
                    assumed(&key_net_of_model)
                ));
            }
            PropertiesFormat::Json => {
                object(json(computed, arguments.limits.limits.threads, &key_net_of_model))
            }
            PropertiesFormat::Xml => {}
        });
    if let Some(breach) = &findings.breach {
        let text = format!("the model's claim that its units are safe (NUPN) is false: {breach}");
        match format {
            PropertiesFormat::Text => line(&format!("# {text}")),
            PropertiesFormat::Json => {
                object(json!({"type": "false_unit_claim", "explanation": text}))
            }
            PropertiesFormat::Xml => {}
        }
    }
    if format == PropertiesFormat::Xml {
        let file = verdict_file(
            &arguments.model,
            &key_net_of_model,
            &findings.keys,
            arguments.limits.limits.threads,
        );
        print_verbatim(&file.print())?;
    }
    Ok(outcome(&findings))
}

/// Returns the line printed before the keys if not all keys are about the net in the model's file.
/// For a coloured model, the line names the unfolding. For a model with inhibitor or reset arcs, it
/// says that keys of the structure are about the translated net. Otherwise returns `None`.
pub(super) fn about(key_net: &KeyNet<'_>) -> Option<&'static str> {
    match (key_net.is_unfolding(), key_net.net().translation()) {
        (true, _) => Some(
            "# the keys are about the unfolding of the coloured net: a place for each colour, a \
             transition for each binding",
        ),
        (_, Some(_)) => Some(
            "# keys of the structure are about the place/transition net into which inhibitor and \
             reset arcs are translated, keys of the behaviour about the model's own places and \
             transitions",
        ),
        _ => None,
    }
}

/// Returns the net whose properties are the keys of a model. For a coloured model, this is the
/// unfolding.
pub(super) fn key_net(model: Model, budget: &Budget) -> Result<KeyNet<'static>> {
    match model.colours() {
        Some(coloured) => Ok(KeyNet::of_coloured(coloured, budget)?),
        None => Ok(KeyNet::of_net(Cow::Owned(
            model.into_net(&parikh_unfolding::UnfoldingConfig::default(), budget)?,
        ))),
    }
}

/// Returns the assumptions about the model as text, for the end of a key's explanation. The text is
/// empty without assumptions. The claim of safe units is not among these assumptions.
pub(super) fn assumed(key_net: &KeyNet<'_>) -> String {
    key_net.net().assumptions().iter().map(|it| format!("; assumed: {it}")).collect()
}

/// Returns the assumptions of a key about the model, including the claim of safe units, for JSON.
pub(super) fn key_assumptions(computed: &ComputedKey, key_net: &KeyNet<'_>) -> Vec<Assumption> {
    let units = computed.assumes_units.then_some(Assumption::SafeUnits);
    units.into_iter().chain(key_net.net().assumptions().iter().cloned()).collect()
}

/// Returns the outcome: complete if every key is known and no result failed its check.
fn outcome(findings: &KeyFindings) -> ProgramOutcome {
    if findings.faults > 0 {
        ProgramOutcome::InternalError
    } else if findings.keys.iter().any(|computed| computed.value == Truth::Unknown) {
        ProgramOutcome::Incomplete
    } else {
        ProgramOutcome::Complete
    }
}

impl KeyLimits {
    /// Returns the budget. The first signal cancels the budget. If the process still runs shortly
    /// afterwards, it is ended.
    pub(super) fn budget(&self) -> Budget {
        let budget = self.limits.budget();
        signals::cancel_on_signal(&budget, || ());
        budget
    }

    pub(super) fn config(&self) -> run::RunConfig {
        run::RunConfig {
            threads: self.limits.threads(),
            seed: self.seed,
            keep_all_witnesses: false,
            short_witnesses: true,
            short_witnesses_within: SHORTENING,
            ..run::RunConfig::default()
        }
    }
}

fn json(computed: &ComputedKey, threads: Option<u16>, key_net: &KeyNet<'_>) -> serde_json::Value {
    let place = |&p| key_net.net().place_name(p);
    let assumptions = key_assumptions(computed, key_net);
    json!({
        "type": "property",
        "key": computed.property.name(),
        "net": computed.net.key(),
        "value": computed.value.to_string(),
        "explanation": computed.explanation.to_string(),
        "techniques": techniques_of(computed, threads, key_net.is_unfolding()),
        "assumes_units": computed.assumes_units,
        "assumes": assumption::keys(&assumptions),
        "assumptions": json::assumptions(&assumptions),
        "unbounded_places": computed.unbounded.iter().map(place).collect::<Vec<_>>(),
        "trace_firings": computed.trace.as_ref().map(|sequence| number(sequence.firings())),
    })
}

fn verdict_file(
    model: &Path,
    key_net: &KeyNet<'_>,
    keys: &[ComputedKey],
    threads: Option<u16>,
) -> VerdictFile {
    let net = key_net.net();
    let instance = model::instance_names(model, net).into_iter().next().unwrap_or_default();
    let date = now();
    let verdict = |computed: &ComputedKey| KeyVerdict {
        category: Category::Generic,
        reference: computed.property.name().to_owned(),
        value: VerdictValue::Truth(computed.value),
        instances: vec![instance.clone()],
        explanation: Some(Printable(&(explained(computed) + &assumed(key_net))).to_string()),
        stated_by: Some(StatedBy {
            tool: "Parikh".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            date: Some(date.clone()),
            reference: None,
        }),
        // The format allows only the contest's names of techniques.
        techniques: techniques_of(computed, threads, key_net.is_unfolding())
            .into_iter()
            .filter(|name| TECHNIQUES.contains(name))
            .map(str::to_owned)
            .collect(),
        trace: computed.trace.as_ref().map(|sequence| firing_sequence(net, sequence)),
    };
    // The keys are written in the order of the contest's files.
    let verdicts = KeyProperty::all()
        .filter_map(|property| keys.iter().find(|computed| computed.property == property));
    VerdictFile {
        version: FormatVersion::V2,
        model: model_of(&instance).to_owned(),
        verdicts: verdicts.map(verdict).collect(),
    }
}

/// Returns the explanation of a key. If the key is not about the net in the model's file, the
/// explanation begins with words for its net, such as the unfolding.
fn explained(computed: &ComputedKey) -> String {
    match computed.net {
        NetMeant::Model => computed.explanation.to_string(),
        net => format!("of {}: {}", net.noun_phrase(), computed.explanation),
    }
}

/// Returns the techniques of a key: the names of the engines and the contest's names for their
/// techniques. The list is empty for an unknown value. `unfolded` is true if the keys are about the
/// unfolding of a coloured net.
fn techniques_of(
    computed: &ComputedKey,
    threads: Option<u16>,
    unfolded: bool,
) -> Vec<&'static str> {
    if computed.value == Truth::Unknown {
        return Vec::new();
    }
    let parallel = !matches!(computed.property, KeyProperty::Structural(_)) && threads != Some(1);
    let circumstances = Circumstances { parallel, unfolded, ..Circumstances::default() };
    techniques(&computed.techniques, circumstances)
}

/// Returns the model of an instance: `AirplaneLD` for `AirplaneLD-PT-0010`.
fn model_of(instance: &str) -> &str {
    let kind = instance.find("-PT-").or_else(|| instance.find("-COL-"));
    &instance[..kind.unwrap_or(instance.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_claim_is_always_an_internal_error() {
        let refused = KeyFindings { faults: 1, ..KeyFindings::default() };
        assert_eq!(outcome(&refused), ProgramOutcome::InternalError);
        assert_eq!(outcome(&KeyFindings::default()), ProgramOutcome::Complete);
    }

    #[test]
    fn the_model_name_precedes_the_kind_of_net() {
        assert_eq!(model_of("AirplaneLD-PT-0010"), "AirplaneLD");
        assert_eq!(model_of("BART-COL-002"), "BART");
        assert_eq!(model_of("mutex"), "mutex");
    }
}
