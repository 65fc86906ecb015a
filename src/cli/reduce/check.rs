//! `parikh reduce --check`: a log gone through again.

use super::super::output::line;
use super::super::{Outcome, model};
use super::{Arguments, Format, files};
use crate::reduction::{Fingerprint, LogError, redo};
use anyhow::{Context, Result};
use parikh_net::Net;
use serde_json::json;
use std::path::Path;

pub(super) fn run(net: &Net, path: &Path, arguments: &Arguments) -> Result<Outcome> {
    let shown = || path.display().to_string();
    let file = files::read_log(path)?;
    let (needs, log) = file.resolve(net).with_context(shown)?;
    let reduction = redo(net, &needs, &log).with_context(shown)?;
    let reduced = Fingerprint::of(&reduction.net);
    if reduced != file.reduced {
        let what = || format!("the log leads to {reduced}, and says {}", file.reduced);
        return Err(LogError::OtherNet).with_context(what).with_context(shown);
    }
    if let Some(given) = &arguments.reduced {
        let found = Fingerprint::of(&model::read(given)?);
        if found != reduced {
            let what = || format!("{} has {found}, the log leads to {reduced}", given.display());
            return Err(LogError::OtherNet).with_context(what);
        }
    }
    if let Some(output) = &arguments.output {
        files::write_net(&reduction.net, output)?;
    }
    let steps = log.len();
    match arguments.format {
        Format::Text => line(&format!(
            "{steps} steps hold: from {} places and {} transitions to {} and {}; preserved: {}",
            net.place_count(),
            net.transition_count(),
            reduced.places,
            reduced.transitions,
            file.preserves.join(", "),
        )),
        Format::Json => line(
            &json!({
                "type": "summary",
                "net": net.name(),
                "steps": steps,
                "holds": true,
                "preserves": file.preserves,
                "support": file.support,
                "protected": file.protected,
                "reduced": file.reduced,
            })
            .to_string(),
        ),
    }
    Ok(Outcome::Complete)
}
