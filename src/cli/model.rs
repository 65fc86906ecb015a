//! What a model argument names: a file of any format, or the directory of a contest instance.

use crate::input;
use crate::unfold;
use anyhow::{Context, Result};
use parikh_net::Net;
use parikh_solvers::Budget;
use std::path::{Path, PathBuf};

/// Reads the net of `model`, unfolded if it is coloured.
pub(super) fn net(model: &Path) -> Result<Net> {
    net_with(model, &unfold::Config::default(), &Budget::unlimited())
}

/// Reads the net of `model`, unfolded so if it is coloured.
pub(super) fn net_with(model: &Path, config: &unfold::Config, budget: &Budget) -> Result<Net> {
    Ok(input::read_model(model)?.into_net(config, budget)?)
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
