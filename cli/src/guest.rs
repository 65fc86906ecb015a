//! Worker processes for native solvers. A worker process is this program with a hidden command.

use super::{ProgramCommand, ProgramOutcome};

/// The command that starts a worker process.
pub(super) const COMMAND: &str = "solver-guest";

/// The environment variable that keeps native solvers in the main process if its value is `off`,
/// for profiles and comparisons.
#[cfg(any(feature = "highs", feature = "z3"))]
const VARIABLE: &str = "PARIKH_GUESTS";

/// The arguments of a worker process.
#[derive(clap::Args)]
pub(super) struct WorkerArguments {
    /// The query language.
    #[arg(value_enum, default_value = "programs")]
    language: QueryLanguage,
}

/// The query language of a worker process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum QueryLanguage {
    /// Linear programs in bytes, for HiGHS.
    Programs,
    /// SMT-LIB 2, for Z3.
    Smt2,
}

/// Makes native solvers run in worker processes from now on. They stay in the main process if
/// [`VARIABLE`] is `off`, or if the path of the running program is unknown.
#[cfg(any(feature = "highs", feature = "z3"))]
pub(super) fn use_worker_processes(command: &ProgramCommand) {
    use parikh_solvers::guest::{self, Program};
    if std::env::var_os(VARIABLE).is_some_and(|value| value == "off") {
        return;
    }
    // `/proc/self/exe` is the running program, even if its file was replaced in the meantime.
    let path = match std::path::Path::new("/proc/self/exe") {
        path if path.exists() => path.to_owned(),
        _ => match std::env::current_exe() {
            Ok(path) => path,
            Err(error) => {
                tracing::warn!(%error, "native solvers run inside the main process");
                return;
            }
        },
    };
    guest::set_worker_program(Program { path, arguments: vec![COMMAND.into()] });
    // These commands have time limits and most likely need a solver, so a worker process starts at
    // once.
    if cfg!(feature = "highs") && matches!(command, ProgramCommand::Check(_) | ProgramCommand::Mcc)
    {
        guest::prepare();
    }
}

#[cfg(not(any(feature = "highs", feature = "z3")))]
pub(super) fn use_worker_processes(_: &ProgramCommand) {}

/// Serves queries as a worker process.
pub(super) fn run(arguments: &WorkerArguments) -> anyhow::Result<ProgramOutcome> {
    match arguments.language {
        #[cfg(feature = "highs")]
        QueryLanguage::Programs => {
            let [from, to] = stdin_and_stdout()?;
            parikh_solvers::guest::serve(from, to)
        }
        #[cfg(feature = "z3")]
        QueryLanguage::Smt2 => {
            let [from, to] = stdin_and_stdout()?;
            parikh_solvers::guest::serve_smt(from, to)
        }
        #[cfg(not(all(feature = "highs", feature = "z3")))]
        _ => anyhow::bail!("this program was built without that solver"),
    }
}

/// Returns duplicates of the file descriptors of stdin, for requests, and of stdout, for answers.
#[cfg(any(feature = "highs", feature = "z3"))]
fn stdin_and_stdout() -> std::io::Result<[std::os::fd::OwnedFd; 2]> {
    use std::os::fd::AsFd as _;
    let from = std::io::stdin().as_fd().try_clone_to_owned()?;
    let to = std::io::stdout().as_fd().try_clone_to_owned()?;
    Ok([from, to])
}
