//! The files of systems: found, read, and written.

use crate::systems::{Case, CaseError, Format, SystemEvidence};
use anyhow::{Context, Result, bail};
use parikh_systems::read::ReadError;
use parikh_systems::{FiniteRuns, System};
use std::fs::File;
use std::io::{BufWriter, Read as _};
use std::path::{Path, PathBuf};

/// The error of a file that cannot be read as a system or as properties. Prints the line that is
/// wrong on stderr at once, with a caret below: an error has one line, and no room for these.
fn in_file(path: &Path, error: &ReadError) -> anyhow::Error {
    let [line, caret] = error.shown();
    super::note!("{line}");
    super::note!("{caret}");
    anyhow::anyhow!("{}:{error}", path.display())
}

/// What a file holds, unpacked, without the mark (U+FEFF) that some editors begin a text with.
///
/// # Errors
/// When it cannot be read, or is no UTF-8; the latter with the line.
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

/// The name of a file without folder and extension: `a/b.dot` and `a/b.dot.gz` are both `b`.
pub(super) fn stem(path: &Path) -> String {
    let is_compressed = path.extension().is_some_and(|it| it == "gz");
    let plain = if is_compressed { path.with_extension("") } else { path.to_owned() };
    plain.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The format of a system, by the name of its file and the first 4 KiB.
fn format(path: &Path, text: &str) -> Option<Format> {
    Format::of(path, &text.as_bytes()[..text.len().min(4096)])
}

/// The system in a file; `None` when the file is of no format of systems, or cannot be opened: the
/// reader of nets, whose turn is next, says that better.
///
/// # Errors
/// When it is of such a format, and wrong.
pub(crate) fn read_system(path: &Path) -> Result<Option<System>> {
    // Nets are read elsewhere, and may be large: look at the name and the beginning only.
    let mut beginning = Vec::new();
    let read =
        parikh_files::open(path).and_then(|file| file.take(4096).read_to_end(&mut beginning));
    if read.is_err() {
        return Ok(None);
    }
    let Some(format) = Format::of(path, &beginning) else { return Ok(None) };
    let text = text(path)?;
    format.read(&text, &stem(path)).map(Some).map_err(|error| in_file(path, &error))
}

/// A system with its properties, each from its file.
pub(super) fn read_case(model: &Path, properties: &Path) -> Result<Case> {
    let system = text(model)?;
    let Some(format) = format(model, &system) else {
        bail!(
            "{}: expected a system: a .dot, .pml, .aut or .fsm file; --properties are about systems",
            model.display()
        );
    };
    let listed = text(properties)?;
    let case = Case::read(format, &system, &stem(model), &listed).map_err(|error| match error {
        CaseError::System(error) => in_file(model, &error),
        CaseError::Properties(error) => in_file(properties, &error),
        other => anyhow::anyhow!("{}: {other}", model.display()),
    })?;
    super::warn_of_unknown(&case);
    Ok(case)
}

/// Creates the file of evidence for a case, in a directory that is made if need be. It is named
/// after the file of properties, since one system may have several of these.
pub(super) fn evidence_file<'c>(
    directory: &Path,
    properties: &Path,
    case: &'c Case,
    endings: FiniteRuns,
) -> Result<(PathBuf, SystemEvidence<'c, BufWriter<File>>)> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let path = directory.join(format!("{}.jsonl", stem(properties)));
    let named = || path.display().to_string();
    let out = BufWriter::new(File::create(&path).with_context(named)?);
    let file = SystemEvidence::new(case, endings, out).with_context(named)?;
    Ok((path, file))
}
