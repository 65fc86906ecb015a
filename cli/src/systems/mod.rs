//! Parallel systems on the command line: `parikh check SYSTEM --properties FILE`, `parikh rers`,
//! and the description of a system (`parikh info`).

mod answers;
mod files;
mod report;
pub(super) mod rers;

pub(super) use answers::FiniteRunSemantics;
pub(super) use files::read_system;
pub(super) use report::{report, report_alone, write_report};

use super::limits::LimitOptions;
use super::output::AnswerFormat;
use super::terminal::{line, note};
use super::{ProgramOutcome, UsageError, signals};
use answers::PropertyPrinter;
use anyhow::{Result, bail};
use parikh::systems::SettleConfig;
use parikh_net::printable::Quoted;
use parikh_systems::System;
use std::collections::BTreeSet;
use std::path::Path;

/// The options of `parikh check` for a system.
pub(super) struct SystemArguments<'a> {
    pub(super) model: &'a Path,
    pub(super) properties: &'a Path,
    pub(super) semantics: FiniteRunSemantics,
    pub(super) limits: &'a LimitOptions,
    pub(super) seed: u64,
    pub(super) format: AnswerFormat,
    pub(super) evidence: Option<&'a Path>,
    pub(super) certified_only: bool,
}

/// Answers the properties in a file about a system.
pub(super) fn check(arguments: &SystemArguments<'_>) -> Result<ProgramOutcome> {
    if matches!(arguments.format, AnswerFormat::Mcc | AnswerFormat::Csv) {
        bail!(UsageError(
            "properties of systems are printed as text or JSON: use --format text or json".into()
        ));
    }
    let budget = arguments.limits.budget();
    let report_end = || note!("parikh: stopped before all properties were answered");
    signals::cancel_on_signal(&budget, report_end);
    signals::leave_after(&budget, report_end);
    let case = files::read_case(arguments.model, arguments.properties)?;
    let defaults = SettleConfig::default();
    let config = SettleConfig {
        threads: arguments.limits.threads(),
        seed: arguments.seed,
        endings: arguments.semantics.endings(),
        ..defaults
    };
    let file = arguments.evidence.map(|directory| {
        files::evidence_file(directory, arguments.properties, &case, config.endings)
    });
    let printer = PropertyPrinter::new(
        &case,
        arguments.format == AnswerFormat::Json,
        arguments.certified_only,
    );
    let file = file.transpose()?;
    printer.print_semantics(config.endings);
    let outcome = answers::settle(&case, &config, &budget, &printer, file);
    printer.print_summary();
    Ok(outcome)
}

/// Describes a system in lines of text.
pub(super) fn about(system: &System) -> Vec<String> {
    let shared = system.labels().filter(|&it| system.owners(it).len() > 1).count();
    let max_owners = system.labels().map(|it| system.owners(it).len()).max().unwrap_or(0);
    let components = system.components();
    let is_deterministic = components.iter().all(|component| {
        (0..component.states().len() as u32)
            .all(|state| component.edges(state).windows(2).all(|pair| pair[0].0 != pair[1].0))
            && component.starts().len() == 1
    });
    let log_joint_states =
        components.iter().map(|it| (it.states().len() as f64).log10()).sum::<f64>();
    vec![
        format!("system       {}", system.name()),
        format!("components   {}", components.len()),
        format!(
            "states       {}, and at most 10^{log_joint_states:.1} states of the product",
            system.state_count()
        ),
        format!("edges        {}", system.edge_count()),
        format!(
            "labels       {}, {shared} shared by several components (by at most {max_owners})",
            system.label_count()
        ),
        format!(
            "choices      {}",
            if is_deterministic {
                "no state has two edges with one label, and each component has one start state"
            } else {
                "some state has several edges with one label, or some component several start states"
            }
        ),
    ]
}

/// Describes a system as JSON.
pub(super) fn about_json(system: &System) -> serde_json::Value {
    let components: Vec<_> = system
        .components()
        .iter()
        .map(|component| {
            serde_json::json!({
                "name": component.name(),
                "states": component.states().len(),
                "edges": component.edge_count(),
                "starts": component.starts().len(),
            })
        })
        .collect();
    let shared = system.labels().filter(|&it| system.owners(it).len() > 1).count();
    serde_json::json!({
        "type": "system",
        "system": system.name(),
        "components": components,
        "states": system.state_count(),
        "edges": system.edge_count(),
        "labels": system.label_count(),
        "shared_labels": shared,
    })
}

/// Prints a note about names in properties that are not the label of any component. Such a label
/// never occurs, and the name may be misspelt.
fn warn_of_unknown(case: &parikh::systems::SystemCase) {
    let names = (0..case.properties.len()).flat_map(|at| case.unknown_names(at));
    let all: BTreeSet<&str> = names.collect();
    let Some(first) = all.first() else { return };
    let name = &case.system.name();
    let first = Quoted(first);
    match all.len() {
        1 => note!("parikh: {name}: no component has the label {first}, so it never occurs"),
        count => note!(
            "parikh: {name}: no component has {count} of the labels in the properties, such as \
             {first}, so they never occur"
        ),
    }
}

/// Prints a line on stdout that applies to all answers.
fn heading(text: &str) {
    line(&format!("# {text}"));
}
