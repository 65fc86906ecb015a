//! Model arguments: a file in any format, or the directory of a contest instance.

use super::terminal::note;
use anyhow::{Context, Result};
use parikh_input::model::Model;
use parikh_input::{SourceModel, TimingTreatment};
use parikh_net::{Assumption, ExtendedNet, Net};
use parikh_solvers::Budget;
use std::path::{Path, PathBuf};

/// The option of all commands that read a model with times or priorities.
#[derive(clap::Args)]
pub(super) struct TimingOptions {
    /// Ignore times and priorities. They change what is reachable, so a model with them is refused
    /// without this option. The output is about the net without them, and says so.
    #[arg(long)]
    untimed: bool,
}

impl TimingOptions {
    /// Returns the treatment for commands whose answers state the assumptions.
    pub(super) fn treatment(&self) -> TimingTreatment {
        TimingTreatment::of_option(self.untimed)
    }

    /// Reads a model. If times or priorities are left out, a note says so.
    pub(super) fn read(&self, model: &Path) -> Result<Model> {
        Ok(parikh_input::translated_model(self.read_source(model)?, model)?)
    }

    /// Reads a model as [`read`](Self::read) does, without translating inhibitor and reset arcs.
    pub(super) fn read_source(&self, model: &Path) -> Result<SourceModel> {
        let read = parikh_input::read_source_as(model, self.treatment())?;
        let assumptions = match &read {
            SourceModel::Net(net) => net.core().assumptions(),
            SourceModel::Coloured(net) => net.assumptions(),
        };
        if assumptions.contains(&Assumption::Untimed) {
            note!("parikh: assumed: {}", Assumption::Untimed);
        }
        Ok(read)
    }

    /// Reads the net of `model`, unfolded if it is coloured. Notes say what is assumed about the
    /// model.
    pub(super) fn net(&self, model: &Path) -> Result<Net> {
        let net = plain(self.read(model)?)?;
        // The function `read` has already printed the note about times and priorities.
        let assumptions = net.assumptions().iter().filter(|&it| *it != Assumption::Untimed);
        assumptions.for_each(|it| note!("parikh: assumed: {it}"));
        Ok(net)
    }
}

/// Returns the net of a model, unfolded if it is coloured.
fn plain(model: Model) -> Result<Net> {
    let config = parikh_unfolding::UnfoldingConfig::default();
    Ok(model.into_net(&config, &Budget::unlimited())?)
}

/// Translates the inhibitor and reset arcs of a net that was read from `model`, for its initial
/// marking. With `allows_caps`, places without a known bound get caps, that is, assumed bounds.
pub(super) fn translated(net: ExtendedNet, model: &Path, allows_caps: bool) -> Result<Net> {
    if allows_caps {
        let file = parikh_input::model_file(model)?.display().to_string();
        return Ok(parikh_input::translated_within_caps(net, &file)?);
    }
    plain(parikh_input::translated_model(SourceModel::Net(Box::new(net)), model)?)
}

/// Returns at most two possible names of the instance, likeliest first. The first name is that of
/// the directory, or of the file without its extension (and without `.gz`). For a file `model.…`,
/// and for a file name that is not UTF-8, it is the name of the directory that contains the file.
/// The second name is that of the net. Standard input has only this name. Empty names and
/// duplicates are left out.
pub(super) fn instance_names(model: &Path, net: &Net) -> Vec<String> {
    // The canonical path ends with a name even if the argument is `.`.
    let full_path = std::fs::canonicalize(model).unwrap_or_else(|_| model.to_owned());
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: Option<&std::ffi::OsStr>| {
        let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    };
    let stem = stem(&full_path);
    match (full_path.is_dir(), stem) {
        _ if model == Path::new(parikh_files::STANDARD_INPUT) => {}
        (true, _) => add(full_path.file_name()),
        (false, Some(stem)) if stem != "model" => add(Some(stem.as_ref())),
        (false, _) => add(full_path.parent().and_then(Path::file_name)),
    }
    add(Some(net.name().as_ref()));
    names
}

/// Returns the name of a file without `.gz` at the end, and then without its last extension.
/// Returns `None` if the path has no file name, or if the name is not UTF-8.
fn stem(file: &Path) -> Option<&str> {
    let name = file.file_name()?.to_str()?;
    let name = name.strip_suffix(".gz").unwrap_or(name);
    Path::new(name).file_stem()?.to_str()
}

/// Returns the path of the query file of `examination` in the directory or archive of a model.
/// Returns an error if there is no such file.
pub(super) fn query_file(model: &Path, examination: &str) -> Result<PathBuf> {
    parikh_files::associated_file(model, &format!("{examination}.xml")).with_context(|| {
        format!(
            "there is no {examination}.xml in the directory of the model; name a query file with \
             --queries"
        )
    })
}
