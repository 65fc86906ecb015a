//! `parikh report SYSTEM --properties FILE`: a page about a system.

use super::files;
use crate::cli::Outcome;
use crate::cli::terminal::{note, whole};
use crate::report::{system_page, system_report};
use crate::systems::Config;
use crate::verdicts;
use anyhow::{Context, Result};
use parikh_solvers::Budget;
use std::path::Path;

/// Settles properties, and writes the page to a file, or to stdout where that is `-`.
pub(in crate::cli) fn report(
    model: &Path,
    properties: &Path,
    output: &Path,
    config: &Config,
    budget: &Budget,
) -> Result<Outcome> {
    let case = files::read_case(model, properties)?;
    let made = format!("Parikh {}, {}", env!("CARGO_PKG_VERSION"), verdicts::now());
    let made = system_report(&case, made, config, budget);
    let page = system_page(&made);
    match output.as_os_str() == "-" {
        true => whole(&page)?,
        false => std::fs::write(output, page)
            .with_context(|| format!("cannot write {}", output.display()))?,
    }
    let open = made.properties.iter().filter(|it| it.value.is_none()).count();
    if open > 0 {
        let all = made.properties.len();
        let are = if open == 1 { "is" } else { "are" };
        note!("parikh: {open} of {all} properties {are} open; the page says why");
    }
    Ok(match (made.faults, open) {
        (1.., _) => Outcome::InternalError,
        (0, 1..) => Outcome::Incomplete,
        (0, 0) => Outcome::Complete,
    })
}
