//! `parikh reduce --check`: checks a log by applying its steps again.

use super::super::ProgramOutcome;
use super::super::terminal::{line, object};
use super::{ReduceArguments, ReduceFormat, files};
use anyhow::{Context, Result, bail};
use parikh_net::Net;
use parikh_net::printable::counted;
use parikh_reduction::{Fingerprint, LogError, LogFile, redo};
use serde_json::json;
use std::path::Path;

pub(super) fn run(net: &Net, path: &Path, arguments: &ReduceArguments) -> Result<ProgramOutcome> {
    let shown = || path.display().to_string();
    let file = files::read_log(path)?;
    let (needs, log) = file.resolve(net).with_context(shown)?;
    refuse_vacuous(&file).with_context(shown)?;
    let reduction = redo(net, &needs, &log).with_context(shown)?;
    let reduced = Fingerprint::of(&reduction.net);
    if reduced != file.reduced {
        let what = || {
            format!("the steps of the log lead to {reduced}, but the log names {}", file.reduced)
        };
        return Err(LogError::OtherNet).with_context(what).with_context(shown);
    }
    if let Some(given) = &arguments.reduced {
        let given_net = arguments.timing.net(given)?;
        let found = Fingerprint::of(&given_net);
        if found != reduced {
            let what = || {
                format!(
                    "{} has {found}, but the steps of the log lead to {reduced}",
                    given.display()
                )
            };
            return Err(LogError::OtherNet).with_context(what);
        }
        // Units are a claim that answers may depend on. So the units of the file have to be those
        // that the reduction derives from the model's units.
        if given_net.units().is_some() && given_net.units() != reduction.net.units() {
            bail!(
                "{} claims units (NUPN) that do not follow from those of the model",
                given.display()
            );
        }
    }
    if let Some(output) = &arguments.output {
        files::write_net(&reduction.net, output)?;
    }
    let steps = log.len();
    super::print_constants(net, &reduction, arguments.format);
    match arguments.format {
        ReduceFormat::Text => line(&format!(
            "{} {}: from {} and {} to {} and {}; preserved: {}",
            counted(steps, "step"),
            if steps == 1 { "holds" } else { "hold" },
            counted(net.place_count(), "place"),
            counted(net.transition_count(), "transition"),
            reduced.places,
            reduced.transitions,
            preserved_text(&file),
        )),
        ReduceFormat::Json => object(json!({
            "type": "summary",
            "net": net.name(),
            "steps": steps,
            "holds": true,
            "preserves": file.log.preserves,
            "support": file.log.support,
            "protected": file.log.protected,
            "reduced": file.reduced,
        })),
    }
    Ok(ProgramOutcome::Complete)
}

/// Refuses a log that preserves properties of no node, because every net would satisfy it.
fn refuse_vacuous(file: &LogFile) -> Result<()> {
    let has = |class: &str| file.log.preserves.iter().any(|name| name == class);
    if has("reachability") && file.log.support.is_empty() && file.log.protected.is_empty() {
        bail!(
            "the log preserves reachability for no place or transition, so every net would satisfy \
             it"
        );
    }
    if has("liveness") && file.log.protected.is_empty() {
        bail!("the log preserves the liveness of no transition, so every net would satisfy it");
    }
    Ok(())
}

/// Describes the preserved properties with their nodes: `deadlock over p, q; liveness of t`.
fn preserved_text(file: &LogFile) -> String {
    let of = |what: &str, names: &[String]| {
        let some = super::some_of(names.iter().cloned());
        some.map_or(String::new(), |(_, names)| format!(" {what} {names}"))
    };
    let phrase = |class: &String| {
        let firing = match class.as_str() {
            "deadlock" | "markings" => String::new(),
            "liveness" => of("of", &file.log.protected),
            _ if file.log.support.is_empty() => of("on the firing of", &file.log.protected),
            _ => of("and the firing of", &file.log.protected),
        };
        let over = if class == "liveness" { String::new() } else { of("over", &file.log.support) };
        format!("{class}{over}{firing}")
    };
    file.log.preserves.iter().map(phrase).collect::<Vec<_>>().join("; ")
}
