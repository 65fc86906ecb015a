//! Parallel compositions of labelled transition systems as nets. Each label gives a transition for
//! each combination of edges, named after the label. The states of each component form a unit.

use super::error::InputError;
use super::format::{ModelFormat, ReadFailure, SourceModel};
use parikh_systems::System;
use parikh_systems::read::{self, ReadError};
use std::io::BufRead;
use std::path::Path;

/// The `.dot` files of the RERS challenge.
pub(super) const DOT: ModelFormat = ModelFormat {
    name: "a parallel system of RERS, a graph `digraph G {` of components",
    begins: |beginning| begins(beginning, b"digraph"),
    read: |reader, file| source(reader, file, read::dot),
};

/// The `.aut` files of Aldebaran.
pub(super) const AUT: ModelFormat = ModelFormat {
    name: "a labelled transition system in Aldebaran's format, `des (0, 3, 2)`",
    begins: |beginning| begins(beginning, b"des"),
    read: |reader, file| source(reader, file, read::aut),
};

/// The `.fsm` files of mCRL2: parameters, states and transitions, with a line `---` between them.
pub(super) const FSM: ModelFormat = ModelFormat {
    name: "a labelled transition system of mCRL2 (.fsm), parts with a line `---` between them",
    begins: |beginning| {
        let text = String::from_utf8_lossy(beginning);
        let is_xml = text.trim_start().starts_with('<');
        !is_xml && text.lines().any(|line| line.trim() == "---")
    },
    read: |reader, file| source(reader, file, read::fsm),
};

/// The greatest number of transitions of a net that represents a parallel composition.
const MAX_TRANSITIONS: usize = 2_000_000;

fn begins(beginning: &[u8], word: &[u8]) -> bool {
    let beginning = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
    let rest = beginning.trim_ascii_start().strip_prefix(word);
    rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
}

fn source(
    reader: &mut dyn BufRead,
    file: &str,
    read: fn(&str, &str) -> Result<System, ReadError>,
) -> Result<SourceModel, ReadFailure> {
    let mut text = String::new();
    let unreadable = |cause| InputError::Unreadable { file: file.into(), cause };
    reader.read_to_string(&mut text).map_err(unreadable)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let problem =
        |line, problem| ReadFailure::Broken(InputError::Text { file: file.into(), line, problem });
    let system = read(text, &name).map_err(|error| {
        let ReadError { line, column, expected, found, .. } = error;
        problem(line, format!("column {column}: expected {expected}, found {found}"))
    })?;
    let net = parikh_systems::net(&system, MAX_TRANSITIONS)
        .map_err(|error| problem(1, error.to_string()))?;
    Ok(SourceModel::from(net))
}
