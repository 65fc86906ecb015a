//! The processes begun by this one: solvers in processes of their own.

use parikh::solvers::guest::{self, Program};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: some of them signal every guest there is.
static ALONE: Mutex<()> = Mutex::new(());

/// Solvers are guests from now on; other tests wait until this one ends.
pub(crate) fn begin() -> MutexGuard<'static, ()> {
    guest::invite(Program {
        path: env!("CARGO_BIN_EXE_parikh").into(),
        arguments: vec!["solver-guest".into()],
    });
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Their numbers.
pub(crate) fn children() -> Vec<u32> {
    let ours = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_ours = |process: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // After the name in brackets: the state, and who began it.
        let rest = stat.rsplit(')').next().unwrap_or_default();
        rest.split_ascii_whitespace().nth(1) == Some(ours.as_str())
    };
    numbers.filter(is_ours).collect()
}

/// Sends all of them a signal; how many it reached.
pub(crate) fn signal(name: &str) -> usize {
    let guests = children();
    // The shell's own: a program of that name is not everywhere. One that is gone by now is none
    // that was reached.
    let reached = |guest: &&u32| {
        let order = format!("kill {name} {guest}");
        Command::new("sh").args(["-c", &order]).output().is_ok_and(|output| output.status.success())
    };
    guests.iter().filter(reached).count()
}
