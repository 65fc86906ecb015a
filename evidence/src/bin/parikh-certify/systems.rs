//! Evidence files about parallel systems, and their audit.

use super::arguments::CertifyArguments;
use super::{AuditOutcome, Refusal, contents, in_file};
use parikh_evidence::audit::AuditWatch;
use parikh_evidence::reader::{Unreadable, transition_system};
use parikh_evidence::systems::audit::{FORMAT, SystemAudit};
use parikh_evidence::systems::{Endings, System, properties, read_dot};
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// Returns true if the content of a model begins with `digraph`, that is, if it is a parallel
/// system in the `.dot` format.
pub(crate) fn is_system(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"digraph")
}

/// Reads a system of several components, or of one component in the format of Aldebaran or mCRL2.
fn read(path: &Path, bytes: &[u8]) -> Result<System, String> {
    if is_system(bytes) {
        return read_dot(bytes).map_err(|error| in_file(path, &error));
    }
    let unreadable = |what: &str| in_file(path, &Unreadable { line: 1, what: what.to_owned() });
    let system = transition_system(bytes).map_err(|error| in_file(path, &error))?;
    let system = system.ok_or_else(|| unreadable("expected a labelled transition system"))?;
    System::of_one(&system).map_err(|what| unreadable(&what))
}

/// Splits evidence files about a transition system. The first list is about properties over labels,
/// the second about the net of the system. A file that cannot be read is in the second list.
pub(crate) fn split(files: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let is_about_labels = |path: &PathBuf| {
        let mut first = String::new();
        let file = parikh_files::open(path).ok();
        let read = file.and_then(|mut file| file.read_line(&mut first).ok());
        read.is_some() && first.contains(FORMAT)
    };
    files.into_iter().partition(is_about_labels)
}

/// Audits evidence about the system in `path`, whose content is `bytes`.
pub(crate) fn audit(
    arguments: &CertifyArguments,
    path: &Path,
    bytes: &[u8],
    files: &[PathBuf],
    watch: &AuditWatch,
) -> Result<AuditOutcome, Refusal> {
    let system = read(path, bytes)?;
    let mut outcome = AuditOutcome::default();
    for file in files {
        let property_path = property_file(arguments, path, file)?;
        let content = contents(&property_path, arguments.max_memory_bytes)?;
        let properties =
            properties::read(&content).map_err(|error| in_file(&property_path, &error))?;
        let endings = if arguments.spin { Endings::Stutter } else { Endings::Ignored };
        let mut audit =
            SystemAudit::new(&system, &properties, endings, arguments.max_markings, watch.clone());
        let name = file.display().to_string();
        let text = String::from_utf8(contents(file, arguments.max_memory_bytes)?)
            .map_err(|_| format!("{name}: expected text in UTF-8"))?;
        outcome.rejected_files.extend(audit.file(&name, &text).err());
        outcome.report.extend(audit.finish());
    }
    Ok(outcome)
}

/// Returns the file of properties for an evidence file. It is the file of `--queries`, or the file
/// with the same name and the extension `txt` beside the system.
fn property_file(
    arguments: &CertifyArguments,
    model: &Path,
    file: &Path,
) -> Result<PathBuf, String> {
    if let Some(named) = &arguments.queries {
        return Ok(named.clone());
    }
    let name = file.with_extension("txt");
    let property_path = model.with_file_name(name.file_name().unwrap_or_default());
    match property_path.is_file() {
        true => Ok(property_path),
        false => Err(format!(
            "{}: there is no such file; name the properties with --queries; for examinations, use \
             the net that `parikh convert` writes for the system",
            property_path.display()
        )),
    }
}
