//! Native solvers run in processes of their own, which are this program with a hidden command.

use super::{Command, Outcome};

/// What a process for a solver is started with.
pub(super) const COMMAND: &str = "solver-guest";

/// Keeps native solvers in our own process when it is `off`: for profiles, and comparisons.
#[cfg(any(feature = "highs", feature = "z3"))]
const VARIABLE: &str = "PARIKH_GUESTS";

/// What a process for a solver is told first.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// What it is asked in.
    #[arg(value_enum, default_value = "programs")]
    language: Language,
}

/// What a guest is asked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Language {
    /// Linear programs in bytes: HiGHS.
    Programs,
    /// SMT-LIB 2: Z3.
    Smt2,
}

/// Has native solvers run as guests from now on.
#[cfg(any(feature = "highs", feature = "z3"))]
pub(super) fn invite(command: &Command) {
    use crate::solvers::guest::{self, Program};
    if std::env::var_os(VARIABLE).is_some_and(|value| value == "off") {
        return;
    }
    // The very program that runs, also when its file was replaced meanwhile.
    let path = match std::path::Path::new("/proc/self/exe") {
        path if path.exists() => path.to_owned(),
        _ => match std::env::current_exe() {
            Ok(path) => path,
            Err(error) => {
                tracing::warn!(%error, "native solvers stay in this process");
                return;
            }
        },
    };
    guest::invite(Program { path, arguments: vec![COMMAND.into()] });
    // These are in a hurry, and will most likely need one.
    if cfg!(feature = "highs") && matches!(command, Command::Check(_) | Command::Mcc) {
        guest::prepare();
    }
}

#[cfg(not(any(feature = "highs", feature = "z3")))]
pub(super) fn invite(_: &Command) {}

/// Is such a process.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    match arguments.language {
        #[cfg(feature = "highs")]
        Language::Programs => {
            let [from, to] = ends()?;
            crate::solvers::guest::serve(from, to)
        }
        #[cfg(feature = "z3")]
        Language::Smt2 => {
            let [from, to] = ends()?;
            crate::solvers::guest::serve_smt(from, to)
        }
        #[cfg(not(all(feature = "highs", feature = "z3")))]
        _ => anyhow::bail!("this program does not have that solver in it"),
    }
}

/// Where orders come from, and where answers go.
#[cfg(any(feature = "highs", feature = "z3"))]
fn ends() -> std::io::Result<[std::os::fd::OwnedFd; 2]> {
    use std::os::fd::AsFd as _;
    let from = std::io::stdin().as_fd().try_clone_to_owned()?;
    let to = std::io::stdout().as_fd().try_clone_to_owned()?;
    Ok([from, to])
}
