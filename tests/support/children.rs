//! The child processes of the test: solvers in worker processes.

use parikh::solvers::guest::{self, Program};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Serialises the tests, because some of them signal all worker processes.
static ALONE: Mutex<()> = Mutex::new(());

/// Enables worker processes for solvers, and blocks other tests until the guard is dropped.
pub(crate) fn begin() -> MutexGuard<'static, ()> {
    guest::set_worker_program(Program {
        path: env!("CARGO_BIN_EXE_parikh").into(),
        arguments: vec!["solver-guest".into()],
    });
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the process ids of the child processes.
pub(crate) fn children() -> Vec<u32> {
    let ours = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_ours = |process: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The fields after the name in brackets are the state and the parent's process id.
        let rest = stat.rsplit(')').next().unwrap_or_default();
        rest.split_ascii_whitespace().nth(1) == Some(ours.as_str())
    };
    numbers.filter(is_ours).collect()
}

/// Sends a signal to all child processes. Returns the number of processes that received it.
pub(crate) fn signal(name: &str) -> usize {
    let guests = children();
    // The shell's built-in `kill` is used, because the program may be missing. A process that has
    // ended is not counted.
    let reached = |guest: &&u32| {
        let order = format!("kill {name} {guest}");
        Command::new("sh").args(["-c", &order]).output().is_ok_and(|output| output.status.success())
    };
    guests.iter().filter(reached).count()
}
