//! Interruption: on Ctrl-C or `kill` the harness ends the tools it started, keeps the rows of
//! finished runs and exits. The tools have process groups of their own, so the terminal's interrupt
//! does not reach them.

use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the signal handler.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn record_signal(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Installs handlers that record SIGINT and SIGTERM instead of ending this process.
pub fn catch() {
    let handler = record_signal as extern "C" fn(libc::c_int) as libc::sighandler_t;
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the handler only stores to an atomic, which is allowed in a signal handler.
        unsafe { libc::signal(signal, handler) };
    }
}

/// Returns true if a signal was recorded.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
