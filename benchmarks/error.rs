//! What goes wrong in the harness itself, as opposed to in the tools it runs.

use parikh_solvers::smt::SmtError;
use std::path::{Path, PathBuf};

/// Why the harness cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory cannot be read, written, made or removed.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A result file is not CSV or lacks a column.
    #[error("{}: {problem}", path.display())]
    Rows {
        /// Which.
        path: PathBuf,
        /// What was found and what was expected.
        problem: String,
    },
    /// The oracle file has a line that is no answer.
    #[error("{}, line {line}: {problem}", path.display())]
    Oracle {
        /// Which.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What was found and what was expected.
        problem: String,
    },
    /// An archive has no directory named after its instance.
    #[error("{}: the archive holds no directory `{instance}` with a model.pnml", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The instance.
        instance: String,
    },
    /// An SMT solver that was named is none.
    #[error("{0}")]
    Solver(SmtError),
    /// A tool's process cannot be started or waited for.
    #[error("cannot run `{command}`: {source}")]
    Process {
        /// The command as configured.
        command: String,
        /// Why.
        source: std::io::Error,
    },
}

impl Error {
    /// For `map_err`: an I/O error at `path`.
    pub fn at(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::File { path: path.as_ref().to_owned(), source }
    }
}
