//! `parikh report SYSTEM`: writes a page about a system, with or without properties.

use super::files;
use crate::ProgramOutcome;
use crate::report::{SystemReport, system_alone, system_page, system_report};
use crate::terminal::{note, print_verbatim};
use anyhow::{Context, Result};
use parikh::run;
use parikh::systems::SettleConfig;
use parikh::verdicts;
use parikh_solvers::Budget;
use parikh_systems::System;
use std::path::Path;

/// Settles the properties, and writes the page to a file, or to stdout if `output` is `-`.
pub(crate) fn report(
    model: &Path,
    properties: &Path,
    output: &Path,
    config: &SettleConfig,
    budget: &Budget,
) -> Result<ProgramOutcome> {
    let case = files::read_case(model, properties)?;
    write_report(&system_report(&case, program_and_date(), config, budget), output)
}

/// Answers two questions about a system, and returns the contents of the page: can it deadlock, and
/// does every label occur. `tell` receives the name of each step.
pub(crate) fn report_alone(
    system: &System,
    config: &run::RunConfig,
    budget: &Budget,
    tell: &mut dyn FnMut(&str),
) -> SystemReport {
    system_alone(system, program_and_date(), config, budget, tell)
}

fn program_and_date() -> String {
    format!("Parikh {}, {}", env!("CARGO_PKG_VERSION"), verdicts::now())
}

/// Writes a page to a file, or to stdout if `output` is `-`. Notes open questions on stderr.
pub(crate) fn write_report(made: &SystemReport, output: &Path) -> Result<ProgramOutcome> {
    let page = system_page(made);
    match output.as_os_str() == "-" {
        true => print_verbatim(&page)?,
        false => std::fs::write(output, page)
            .with_context(|| format!("cannot write {}", output.display()))?,
    }
    let open = made.properties.iter().filter(|it| it.value.is_none()).count();
    if open > 0 {
        let all = made.properties.len();
        let are = if open == 1 { "is" } else { "are" };
        let what = made.asked.to_lowercase();
        note!("parikh: {open} of {all} {what} {are} open; the page gives the reasons");
    }
    Ok(match (made.faults, open) {
        (1.., _) => ProgramOutcome::InternalError,
        (0, 1..) => ProgramOutcome::Incomplete,
        (0, 0) => ProgramOutcome::Complete,
    })
}
