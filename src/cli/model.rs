//! What a model argument names: a PNML file, or the directory of a contest instance. Coloured nets are
//! unfolded as they are read; commands that want the colours ask for them.

use crate::input::{self, InputError};
use crate::unfold;
use anyhow::{Context, Result, bail};
use parikh_net::Net;
use parikh_net::coloured::ColouredNet;
use parikh_solvers::Budget;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A model as its file has it.
pub(super) enum Model {
    /// A place/transition net.
    Plain(Box<Net>),
    /// A coloured net.
    Coloured(ColouredNet),
}

/// Reads the net of `model`, unfolded if it is coloured.
pub(super) fn read(model: &Path) -> Result<Net> {
    read_with(model, &unfold::Config::default(), &Budget::unlimited())
}

/// Reads the net of `model`, unfolded so if it is coloured.
pub(super) fn read_with(model: &Path, config: &unfold::Config, budget: &Budget) -> Result<Net> {
    match read_as_it_is(model)? {
        Model::Plain(net) => Ok(*net),
        Model::Coloured(coloured) => unfolded(&coloured, config, budget),
    }
}

/// The unfolding of a coloured net.
pub(super) fn unfolded(
    coloured: &ColouredNet,
    config: &unfold::Config,
    budget: &Budget,
) -> Result<Net> {
    let (net, _) = unfold::unfold(coloured, config, budget).with_context(|| {
        format!(
            "the coloured net is not unfolded: without looking at guards it has {} places and {} \
             transitions, and {} and {} are the limits",
            approximately(coloured.colour_count()),
            approximately(coloured.binding_count()),
            approximately(config.limits.places.into()),
            approximately(config.limits.bindings.into()),
        )
    })?;
    Ok(net)
}

/// A count as people read it: 12345, 1.2·10⁷.
fn approximately(count: u128) -> String {
    match count {
        u128::MAX => "more than 10^38".to_owned(),
        0..1_000_000 => count.to_string(),
        count => format!("{:.1e}", count as f64).replace('e', "·10^"),
    }
}

/// Reads the net of `model` as it is.
pub(super) fn read_as_it_is(model: &Path) -> Result<Model> {
    let file = pnml_file(model)?;
    let start = Instant::now();
    let net = match input::read_net(&file) {
        Err(InputError::Coloured { .. }) => {
            let net = input::read_coloured(&file)?;
            tracing::info!(
                "read {}: {} coloured places, {} coloured transitions, {:.2?}",
                file.display(),
                net.places().len(),
                net.transitions().len(),
                start.elapsed()
            );
            return Ok(Model::Coloured(net));
        }
        net => net?,
    };
    tracing::info!(
        "read {}: {} places, {} transitions, {} arcs, {:.2?}",
        file.display(),
        net.place_count(),
        net.transition_count(),
        net.arc_count(),
        start.elapsed()
    );
    Ok(Model::Plain(Box::new(net)))
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
