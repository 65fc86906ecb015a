//! Stopping politely: on Ctrl-C or `kill` the harness ends the tools it started, keeps the rows of
//! finished runs and leaves. The tools run in process groups of their own, so the terminal's
//! interrupt does not reach them.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// From now on SIGINT and SIGTERM are noted instead of ending this process.
pub fn catch() {
    let handler = note as extern "C" fn(libc::c_int) as libc::sighandler_t;
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the handler only stores to an atomic, which is allowed in a signal handler.
        unsafe { libc::signal(signal, handler) };
    }
}

/// Whether one of them came.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
