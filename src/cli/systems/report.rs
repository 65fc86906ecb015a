//! `parikh report SYSTEM`: writes a page about a system, with or without properties.

use super::files;
use crate::cli::Outcome;
use crate::cli::terminal::{note, whole};
use crate::report::{SystemReport, system_alone, system_page, system_report};
use crate::run;
use crate::systems::Config;
use crate::verdicts;
use anyhow::{Context, Result};
use parikh_solvers::Budget;
use parikh_systems::System;
use std::path::Path;

/// Settles the properties, and writes the page to a file, or to stdout if `output` is `-`.
pub(in crate::cli) fn report(
    model: &Path,
    properties: &Path,
    output: &Path,
    config: &Config,
    budget: &Budget,
) -> Result<Outcome> {
    let case = files::read_case(model, properties)?;
    write_report(&system_report(&case, made(), config, budget), output)
}

/// Writes a page about a system without properties.
pub(in crate::cli) fn report_alone(
    system: &System,
    config: &run::Config,
    budget: &Budget,
    tell: &mut dyn FnMut(&str),
) -> SystemReport {
    system_alone(system, made(), config, budget, tell)
}

fn made() -> String {
    format!("Parikh {}, {}", env!("CARGO_PKG_VERSION"), verdicts::now())
}

/// Writes a page to a file, or to stdout if `output` is `-`. Notes open questions on stderr.
pub(in crate::cli) fn write_report(made: &SystemReport, output: &Path) -> Result<Outcome> {
    let page = system_page(made);
    match output.as_os_str() == "-" {
        true => whole(&page)?,
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
        (1.., _) => Outcome::InternalError,
        (0, 1..) => Outcome::Incomplete,
        (0, 0) => Outcome::Complete,
    })
}
