//! Native solvers run in processes of their own, which are this program with a hidden command.

use super::{Command, Outcome};

/// What a process for a solver is started with.
pub(super) const COMMAND: &str = "solver-guest";

/// Keeps native solvers in our own process when it is `off`: for profiles, and comparisons.
#[cfg(feature = "highs")]
const VARIABLE: &str = "PARIKH_GUESTS";

/// Has native solvers run as guests from now on.
#[cfg(feature = "highs")]
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
    if matches!(command, Command::Check(_) | Command::Mcc) {
        guest::prepare();
    }
}

#[cfg(not(feature = "highs"))]
pub(super) fn invite(_: &Command) {}

/// Is such a process.
#[cfg(feature = "highs")]
pub(super) fn run() -> anyhow::Result<Outcome> {
    use std::os::fd::AsFd as _;
    let from = std::io::stdin().as_fd().try_clone_to_owned()?;
    let to = std::io::stdout().as_fd().try_clone_to_owned()?;
    crate::solvers::guest::serve(from, to)
}

#[cfg(not(feature = "highs"))]
pub(super) fn run() -> anyhow::Result<Outcome> {
    anyhow::bail!("this program has no native solvers in it")
}
