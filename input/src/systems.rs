//! Parallel compositions of labelled transition systems as nets. Each label gives a transition for
//! each combination of edges, named after the label. The states of each component form a unit.

use super::error::{InputError, Location};
use super::format::{ModelFormat, ReadFailure, SourceModel};
use super::script::{self, read_text};
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

/// The `.fsm` files of mCRL2: the parameters, the states and the transitions. A line `---` stands
/// after the parameters and after the states.
pub(super) const FSM: ModelFormat = ModelFormat {
    name: "a labelled transition system of mCRL2 (.fsm), parts with a line `---` between them",
    begins: |beginning| is_fsm(&script::beginning(beginning)),
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
    let text = read_text(reader, file)?;
    let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let system = read(&text, &name).map_err(|error| {
        let excerpt = Box::new(error.excerpt());
        let ReadError { line, column, expected, found, .. } = error;
        let at = Location { file: file.into(), line: line as u64, column: column as u64 };
        let problem = format!("expected {expected}, found {found}");
        InputError::Script { at, problem, excerpt }
    })?;
    let net = parikh_systems::net(&system, MAX_TRANSITIONS).map_err(|error| {
        let problem = error.to_string();
        InputError::Text { file: file.into(), line: 1, problem }
    })?;
    Ok(SourceModel::from(net))
}

/// Returns true if a file with this beginning is in mCRL2's format: lines of parameters, such as
/// `b(2) Bool "F" "T"`, then `---`, then lines of numbers for the states, if any, then `---`. A
/// line `---` alone does not suffice, since patches and texts with a header have such lines. So the
/// parameters before the line and the numbers after the line are checked, too.
fn is_fsm(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let parameters_end = lines.by_ref().find(|line| *line == "---" || !is_parameter(line));
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    parameters_end == Some("---")
        && match lines.next() {
            Some("---") => {
                lines.next().is_some_and(|edge| edge.starts_with(|c: char| c.is_ascii_digit()))
            }
            Some(state) => state.split_whitespace().all(is_number),
            None => false,
        }
}

/// Returns true if a line has a number in parentheses, like the parameters in mCRL2's format.
fn is_parameter(line: &str) -> bool {
    line.split('(').skip(1).any(|behind| {
        let number = behind.split_once(')').map_or("", |(number, _)| number.trim());
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
