//! How the process ends: with the code of the answers, or with that of files that could not be
//! written.

use parikh_solvers::guest;
use std::sync::atomic::{AtomicBool, Ordering};

static UNWRITTEN: AtomicBool = AtomicBool::new(false);

/// Takes note that a file could not be written; whether it is the first.
pub(super) fn note_unwritten() -> bool {
    !UNWRITTEN.swap(true, Ordering::Relaxed)
}

/// The exit code, when `code` is that of the answers.
pub(super) fn code(code: u8) -> u8 {
    match code {
        // 0: everything was answered, 3: something was not.
        0 | 3 if UNWRITTEN.load(Ordering::Relaxed) => 1,
        code => code,
    }
}

/// Ends the process from wherever it is. Solvers that are commands of the user would go on without
/// it.
pub(super) fn exit(code: u8) -> ! {
    guest::end_all();
    std::process::exit(self::code(code).into())
}
