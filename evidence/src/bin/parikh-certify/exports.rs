//! The exports of confirmed answers: files of claims, and proof obligations in SMT-LIB.

use super::arguments::CertifyArguments;
use super::print_message;
use parikh_evidence::audit::{ExportFolder, Exports};
use parikh_evidence::coloured;
use parikh_net::printable::Quoted;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The exports of the only audit of this process, for the report about an audit that does not end.
static OPENED: OnceLock<Exports> = OnceLock::new();

/// Creates the folders of the exports. `path` and `bytes` are the name and the content of the
/// model.
///
/// # Errors
/// A message if a folder cannot be created.
pub(crate) fn open(
    arguments: &CertifyArguments,
    path: &Path,
    bytes: &[u8],
) -> Result<Exports, String> {
    let open = |folder: &Option<PathBuf>| {
        let Some(folder) = folder else { return Ok(None) };
        let opened = ExportFolder::to(folder.clone());
        opened.map(Some).map_err(|error| format!("{}: {error}", folder.display()))
    };
    let (claims, smtlib) = (open(&arguments.export)?, open(&arguments.smtlib)?);
    let refused_claims = arguments.export_refused;
    let mut model = String::new();
    if smtlib.is_some() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hash = parikh_files::sha256(bytes);
        let unfolded = if coloured::is_coloured(bytes) { ", unfolded" } else { "" };
        model = format!("{name} (SHA-256 {hash}){unfolded}");
    }
    Ok(OPENED.get_or_init(|| Exports { claims, refused_claims, smtlib, model }).clone())
}

/// Prints how many answers were exported, and why the others were not. Returns false if a file
/// could not be written.
pub(crate) fn print(arguments: &CertifyArguments) -> bool {
    let mut is_written = true;
    let exports = OPENED.get().cloned().unwrap_or_default();
    let all = [
        (&arguments.export, &exports.claims, ""),
        (&arguments.smtlib, &exports.smtlib, " as proof obligations"),
    ];
    for (folder, export, how) in all {
        let Some(folder) = folder else { continue };
        let results = export.as_ref().map(ExportFolder::results).unwrap_or_default();
        for (id, reason) in &results.left_out {
            print_message("note", &format!("{} was not exported{how}: {reason}", Quoted(id)));
        }
        let (written, left_out) = (results.stems.len(), results.left_out.len());
        let all = written + left_out;
        let which =
            if exports.refused_claims && how.is_empty() { "answers" } else { "confirmed answers" };
        let summary = match all {
            0 => format!("there are no {which} about nets to export"),
            _ => format!("{written} of {all} {which} were exported{how}"),
        };
        print_message("note", &format!("{}: {summary}", folder.display()));
        if let Some(failure) = &results.failure {
            print_message("error", failure);
            is_written = false;
        }
    }
    is_written
}
