//! `parikh verdicts`: checks the contest's verdict files, by themselves or against a model.

use super::json;
use super::properties::{KeyLimits, about, assumed, key_assumptions, key_net};
use super::terminal::{line, note, object};
use super::{ProgramOutcome, model};
use anyhow::{Result, bail};
use clap::ValueEnum;
use parikh::verdicts::{
    self, Category, ComparisonResult, KeyComparison, KeyNet, KeyProperty, KeyVerdict, Truth,
    VerdictFile, VerdictValue,
};
use parikh_net::assumption;
use parikh_net::printable::counted;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(clap::Subcommand)]
pub(super) enum VerdictsCommand {
    /// Check that files follow the format, version 1.0 or 2.0, and describe their contents.
    Check {
        /// Verdict files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Compute every key that a file states, and compare the values.
    ///
    /// Ends with 1 if there is a conflict, with 3 if some key could not be computed in time, with 4
    /// after an internal error.
    Compare(CompareArguments),
}

#[derive(clap::Args)]
pub(super) struct CompareArguments {
    /// A verdict file.
    file: PathBuf,
    /// A net in any supported format, or the directory of a contest instance.
    model: PathBuf,
    /// Compare even if the file is about a model or instance with another name.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    limits: KeyLimits,
    #[command(flatten)]
    timing: model::TimingOptions,
    /// The output format.
    #[arg(short, long, value_enum, default_value = "text")]
    format: VerdictsFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VerdictsFormat {
    /// A line per verdict, then the counts.
    Text,
    /// A JSON object per line, one per verdict, then a summary.
    Json,
}

pub(super) fn run(command: &VerdictsCommand) -> Result<ProgramOutcome> {
    match command {
        VerdictsCommand::Check { files } => check(files),
        VerdictsCommand::Compare(arguments) => compare(arguments),
    }
}

fn check(files: &[PathBuf]) -> Result<ProgramOutcome> {
    let mut invalid = 0;
    for path in files {
        match verdicts::read(path) {
            Ok(file) => line(&format!("{}: {}", path.display(), describe(&file))),
            Err(error) => {
                note!("{error}");
                invalid += 1;
            }
        }
    }
    match invalid {
        0 => Ok(ProgramOutcome::Complete),
        1 if files.len() == 1 => bail!("{} is not valid", files[0].display()),
        _ => bail!("{invalid} of {} files are not valid", files.len()),
    }
}

/// Describes a valid verdict file: `valid, version 2.0, model AirplaneLD: 21 verdicts, 21 of them
/// on keys (12 true, 7 false, 2 unknown)`. A key is one of the 21 properties in a model form of the
/// contest. The keys without a verdict are listed at the end.
fn describe(file: &VerdictFile) -> String {
    let keys: Vec<_> =
        file.verdicts.iter().filter(|verdict| verdict.category == Category::Generic).collect();
    let count = |truth| keys.iter().filter(|key| key.value == VerdictValue::Truth(truth)).count();
    let is_stated =
        |property: &KeyProperty| keys.iter().any(|key| key.reference == property.name());
    let missing: Vec<&str> =
        KeyProperty::all().filter(|property| !is_stated(property)).map(KeyProperty::name).collect();
    let missing = match missing.len() {
        0 => String::new(),
        21 => "; no key at all".to_owned(),
        _ => format!("; none on {}", missing.join(", ")),
    };
    format!(
        "valid, version {}, model {}: {} verdicts, {} of them on keys ({} true, {} false, {} \
         unknown){missing}",
        file.version,
        file.model,
        file.verdicts.len(),
        keys.len(),
        count(Truth::True),
        count(Truth::False),
        count(Truth::Unknown)
    )
}

fn compare(arguments: &CompareArguments) -> Result<ProgramOutcome> {
    let budget = arguments.limits.budget();
    let file = verdicts::read(&arguments.file)?;
    let key_net_of_model = key_net(arguments.timing.read(&arguments.model)?, &budget)?;
    let names = model::instance_names(&arguments.model, key_net_of_model.net());
    let keys: Vec<&KeyVerdict> =
        file.verdicts.iter().filter(|verdict| verdict.category == Category::Generic).collect();
    let is_stated =
        |property: &KeyProperty| keys.iter().any(|key| key.reference == property.name());
    let stated_keys: Vec<KeyProperty> = KeyProperty::all().filter(is_stated).collect();
    if stated_keys.is_empty() {
        bail!("{}: no verdict is about one of the 21 keys", arguments.file.display());
    }
    let concerns = |name: &String| {
        let is_meant = |key: &&KeyVerdict| key.instances.is_empty() || key.instances.contains(name);
        verdicts::is_about(&file.model, name) && keys.iter().any(is_meant)
    };
    let instance = names.iter().find(|name| concerns(name));
    if instance.is_none() && !arguments.force {
        refuse(&arguments.file, &file.model, &keys, &names)?;
    }
    let findings =
        key_net_of_model.compute(&stated_keys, &[], &arguments.limits.config(), &budget, |_| {});
    if let (VerdictsFormat::Text, Some(about)) = (arguments.format, about(&key_net_of_model)) {
        line(about);
    }
    let comparisons = verdicts::compare(&file, instance.map(String::as_str), &findings.keys);
    for comparison in &comparisons {
        match arguments.format {
            VerdictsFormat::Text => {
                line(&(text(comparison) + &assumed(&key_net_of_model)));
            }
            VerdictsFormat::Json => object(json(comparison, &key_net_of_model)),
        }
    }
    let count = |standing| comparisons.iter().filter(|one| one.result == standing).count();
    let (agree, conflicts) = (count(ComparisonResult::Agrees), count(ComparisonResult::Conflicts));
    let (open, known_only_here) =
        (count(ComparisonResult::NotComputed), count(ComparisonResult::NotInFile));
    match arguments.format {
        VerdictsFormat::Text => line(&format!(
            "{agree} agree, {conflicts} in conflict, {open} not computed, {known_only_here} computed but \
             unknown in the file"
        )),
        VerdictsFormat::Json => object(json!({
            "type": "summary",
            "agree": agree,
            "conflicts": conflicts,
            "not_computed": open,
            "not_in_file": known_only_here,
        })),
    }
    if findings.faults > 0 {
        return Ok(ProgramOutcome::InternalError);
    }
    match (conflicts, open) {
        (0, 0) => Ok(ProgramOutcome::Complete),
        (0, _) => Ok(ProgramOutcome::Incomplete),
        _ => {
            let verdicts = counted(conflicts, "verdict");
            let contradict = if conflicts == 1 { "contradicts" } else { "contradict" };
            bail!("{verdicts} in {} {contradict} the model", arguments.file.display())
        }
    }
}

/// Returns an error for a verdict file about a model, or about instances, with other names than the
/// given net. The error names both.
fn refuse(file: &Path, model: &str, keys: &[&KeyVerdict], names: &[String]) -> Result<()> {
    let instance = keys.iter().flat_map(|key| &key.instances).next();
    let subject = match instance {
        Some(instance) if names.iter().any(|name| verdicts::is_about(model, name)) => {
            format!("the instance `{instance}`")
        }
        _ => format!("the model `{model}`"),
    };
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    bail!(
        "{}: the verdicts are about {subject}, but the given net is {}; --force compares them anyway",
        file.display(),
        if names.is_empty() { "unnamed".to_owned() } else { names.join(" or ") }
    )
}

fn text(comparison: &KeyComparison<'_>) -> String {
    let (key, file_value) = (&comparison.verdict.reference, &comparison.verdict.value);
    let not_compared = || format!("{key}: not compared (the file says {file_value})");
    let Some(own) = comparison.computed else { return not_compared() };
    let (ours, why) = (own.value, &own.explanation);
    let remark = match &comparison.verdict.explanation {
        Some(explanation) if !explanation.is_empty() => format!(" ({explanation})"),
        _ => String::new(),
    };
    match comparison.result {
        ComparisonResult::Agrees => format!("{key}: agree on {ours} — {why}"),
        ComparisonResult::Conflicts => {
            format!("{key}: CONFLICT, the file says {file_value}{remark}, but it is {ours} — {why}")
        }
        ComparisonResult::NotInFile => {
            format!("{key}: the file says unknown{remark}, it is {ours} — {why}")
        }
        ComparisonResult::NotComputed => {
            format!("{key}: not computed (the file says {file_value}) — {why}")
        }
        ComparisonResult::NotCompared => not_compared(),
    }
}

fn json(comparison: &KeyComparison<'_>, key_net: &KeyNet<'_>) -> serde_json::Value {
    let assumptions = comparison.computed.map(|own| key_assumptions(own, key_net));
    let assumptions = assumptions.unwrap_or_default();
    json!({
        "type": "comparison",
        "category": comparison.verdict.category.to_string(),
        "reference": comparison.verdict.reference,
        "standing": match comparison.result {
            ComparisonResult::Agrees => "agrees",
            ComparisonResult::Conflicts => "conflicts",
            ComparisonResult::NotComputed => "not_computed",
            ComparisonResult::NotInFile => "not_in_file",
            ComparisonResult::NotCompared => "not_compared",
        },
        "file": comparison.verdict.value.to_string(),
        "computed": comparison.computed.map(|own| own.value.to_string()),
        "net": comparison.computed.map(|own| own.net.key()),
        "explanation": comparison.computed.map(|own| own.explanation.to_string()),
        "assumes_units": comparison.computed.map(|own| own.assumes_units),
        "assumes": assumption::keys(&assumptions),
        "assumptions": json::assumptions(&assumptions),
        "file_explanation": comparison.verdict.explanation,
    })
}
