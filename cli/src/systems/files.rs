//! Files of systems: detection, reading and writing.

use anyhow::{Context, Result, bail};
use parikh::systems::{CaseError, SystemCase, SystemEvidence, SystemFormat};
use parikh_systems::read::ReadError;
use parikh_systems::{FiniteRuns, System};
use std::fs::File;
use std::io::{BufWriter, Read as _};
use std::path::{Path, PathBuf};

/// Returns the error for a file that cannot be parsed. Prints the wrong line with a caret on stderr
/// at once, because an error message has only one line.
fn in_file(path: &Path, error: &ReadError) -> anyhow::Error {
    let [line, caret] = error.excerpt();
    super::note!("{line}");
    super::note!("{caret}");
    anyhow::anyhow!("{}:{error}", path.display())
}

/// Returns the text of a file, decompressed and without a byte order mark (U+FEFF).
///
/// # Errors
/// The file cannot be read, or is not UTF-8. In the second case the error names the line.
fn text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    parikh_files::open(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .with_context(|| path.display().to_string())?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()].split(|it| *it == b'\n');
        anyhow::anyhow!("{}:{}: expected text in UTF-8", path.display(), line.count())
    })?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

/// Returns the name of a file without folder and extension: both `a/b.dot` and `a/b.dot.gz` give
/// `b`.
pub(super) fn stem(path: &Path) -> String {
    let is_compressed = path.extension().is_some_and(|it| it == "gz");
    let uncompressed = if is_compressed { path.with_extension("") } else { path.to_owned() };
    uncompressed.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Detects the format of a system by its file name and first 4 KiB. Returns `None` if no format
/// fits.
fn format(path: &Path, text: &str) -> Option<SystemFormat> {
    SystemFormat::of(path, &text.as_bytes()[..text.len().min(4096)])
}

/// Reads the system in a file. Returns `None` if the file is in no format of systems, or if its
/// beginning cannot be read. In the second case the reader of nets, which is tried next, reports
/// the error.
///
/// # Errors
/// The file is in a format of systems, and contains an error, is not UTF-8 or cannot be read to its
/// end.
pub(crate) fn read_system(path: &Path) -> Result<Option<System>> {
    // Files of nets may be large, so only the name and the first bytes are examined here.
    let mut beginning = Vec::new();
    let read =
        parikh_files::open(path).and_then(|file| file.take(4096).read_to_end(&mut beginning));
    if read.is_err() {
        return Ok(None);
    }
    let Some(format) = SystemFormat::of(path, &beginning) else { return Ok(None) };
    let text = text(path)?;
    format.read(&text, &stem(path)).map(Some).map_err(|error| in_file(path, &error))
}

/// Reads a system and its properties from two files.
pub(super) fn read_case(model: &Path, properties: &Path) -> Result<SystemCase> {
    let system = text(model)?;
    let Some(format) = format(model, &system) else {
        bail!(
            "{}: expected a parallel system (a .dot, .pml, .aut or .fsm file), because \
             --properties is given",
            model.display()
        );
    };
    let property_text = text(properties)?;
    let case = SystemCase::read(format, &system, &stem(model), &property_text).map_err(
        |error| match error {
            CaseError::System(error) => in_file(model, &error),
            CaseError::Properties(error) => in_file(properties, &error),
            other => anyhow::anyhow!("{}: {other}", model.display()),
        },
    )?;
    super::warn_of_unknown(&case);
    Ok(case)
}

/// Creates the evidence file for a case, and its directory if necessary. The file is named after
/// the property file, because a system may have several property files.
pub(super) fn evidence_file<'c>(
    directory: &Path,
    properties: &Path,
    case: &'c SystemCase,
    endings: FiniteRuns,
) -> Result<(PathBuf, SystemEvidence<'c, BufWriter<File>>)> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let path = directory.join(format!("{}.jsonl", stem(properties)));
    let path_text = || path.display().to_string();
    let out = BufWriter::new(File::create(&path).with_context(path_text)?);
    let file = SystemEvidence::new(case, endings, out).with_context(path_text)?;
    Ok((path, file))
}
