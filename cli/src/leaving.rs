//! The exit code of the process. It follows from the answers, or reports that an output file could
//! not be written.

use parikh_solvers::guest;
use std::sync::atomic::{AtomicBool, Ordering};

/// True once an output file could not be written.
static UNWRITTEN: AtomicBool = AtomicBool::new(false);

/// Records that an output file could not be written. Returns true for the first such file.
pub(super) fn note_unwritten() -> bool {
    !UNWRITTEN.swap(true, Ordering::Relaxed)
}

/// Returns the exit code of the process. This is `code`, the code of the answers. If `code` is no
/// error and some output file could not be written, it is 1.
pub(super) fn code(code: u8) -> u8 {
    match code {
        // 0: all questions are answered, 3: some question is open.
        0 | 3 if UNWRITTEN.load(Ordering::Relaxed) => 1,
        code => code,
    }
}

/// Ends the process immediately, with the exit code that [`code`] gives. Ends all worker
/// processes first, because a solver command of the user might otherwise continue.
pub(super) fn exit(code: u8) -> ! {
    guest::end_all();
    std::process::exit(self::code(code).into())
}
