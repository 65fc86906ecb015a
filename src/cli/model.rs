//! What a model argument names: a PNML file, or the directory of a contest instance.

use crate::input;
use anyhow::{Context, Result, bail};
use parikh_net::Net;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Reads the net of `model`.
pub(super) fn read(model: &Path) -> Result<Net> {
    let file = pnml_file(model)?;
    let start = Instant::now();
    let net = input::read_net(&file)?;
    tracing::info!(
        "read {}: {} places, {} transitions, {} arcs, {:.2?}",
        file.display(),
        net.place_count(),
        net.transition_count(),
        net.arc_count(),
        start.elapsed()
    );
    Ok(net)
}

/// The PNML file itself, or `model.pnml` in a directory.
pub(super) fn pnml_file(model: &Path) -> Result<PathBuf> {
    if !model.is_dir() {
        return Ok(model.to_owned());
    }
    let file = model.join("model.pnml");
    if !file.is_file() {
        bail!(
            "{}: the directory has no model.pnml; expected a PNML file or the directory of a \
             contest instance",
            model.display()
        );
    }
    Ok(file)
}

/// Where the queries of `examination` lie beside a model.
pub(super) fn query_file(model: &Path, examination: &str) -> Result<PathBuf> {
    let directory = if model.is_dir() { model } else { model.parent().unwrap_or(Path::new("")) };
    let file = directory.join(format!("{examination}.xml"));
    file.is_file()
        .then_some(file)
        .with_context(|| format!("no {examination}.xml beside the model; name one with --queries"))
}
