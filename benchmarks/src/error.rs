//! Errors of the harness itself, as opposed to failures of the tools it runs.

use parikh_solvers::smt::SmtError;
use std::path::{Path, PathBuf};

/// An error of the harness.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory cannot be read, written, made or removed.
    #[error("{}: {source}", path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A result file, a model or another input does not have the expected contents.
    #[error("{}: {problem}", path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// A description of the problem.
        problem: String,
    },
    /// A line of an oracle file is no answer, or a line of a list of goals is no goal.
    #[error("{}, line {line}: {problem}", path.display())]
    Oracle {
        /// The oracle file or the list of goals.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// The text found and the text expected.
        problem: String,
    },
    /// An archive has no directory named after its instance, or the directory has no file
    /// `model.pnml`.
    #[error("{}: the archive has no directory `{instance}` with a model.pnml", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The instance.
        instance: String,
    },
    /// The named SMT solver cannot be used.
    #[error("{0}")]
    Solver(SmtError),
    /// A tool's process cannot be started or waited for.
    #[error("cannot run `{command}`: {source}")]
    Process {
        /// The command as configured.
        command: String,
        /// The operating system's error.
        source: std::io::Error,
    },
}

impl Error {
    /// Returns a function for `map_err` that makes an I/O error at `path`.
    pub fn at(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::File { path: path.as_ref().to_owned(), source }
    }
}
