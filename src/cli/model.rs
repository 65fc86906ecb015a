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

/// What the instance may be called, likeliest first: its directory, its file, its net.
pub(super) fn instance_names(model: &Path, net: &Net) -> Vec<String> {
    // `.` has a name, too.
    let whole = std::fs::canonicalize(model).unwrap_or_else(|_| model.to_owned());
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: Option<&std::ffi::OsStr>| {
        let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    };
    let file_is_named = whole.file_stem().is_some_and(|stem| stem != "model");
    match (whole.is_dir(), file_is_named) {
        (true, _) => add(whole.file_name()),
        (false, true) => add(whole.file_stem()),
        (false, false) => add(whole.parent().and_then(Path::file_name)),
    }
    add(Some(net.name().as_ref()));
    names
}

/// Where the queries of `examination` lie beside a model.
pub(super) fn query_file(model: &Path, examination: &str) -> Result<PathBuf> {
    let directory = if model.is_dir() { model } else { model.parent().unwrap_or(Path::new("")) };
    let file = directory.join(format!("{examination}.xml"));
    file.is_file()
        .then_some(file)
        .with_context(|| format!("no {examination}.xml beside the model; name one with --queries"))
}
