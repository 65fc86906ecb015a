//! The watchdog of a worker process: it ends the process with its client, and before it takes too
//! much memory.

use super::TOO_MUCH_MEMORY;
use crate::budget::resident_bytes;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpid, kill_process};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

/// Limit on the resident set of this process in bytes, while it works.
static MAX_RESIDENT_BYTES: AtomicU64 = AtomicU64::new(u64::MAX);

/// Sets the memory limit in bytes; `u64::MAX` means no limit.
#[cfg(feature = "highs")]
pub(super) fn set_memory_limit(bytes: u64) {
    MAX_RESIDENT_BYTES.store(bytes, Ordering::Relaxed);
}

/// Starts the watchdog: the process is killed when the client closes its end of `from`, or when the
/// memory limit is exceeded. Text that a library prints to the standard output is discarded.
pub(super) fn start_watchdog(from: &OwnedFd) {
    // Text printed by a library must not mix with messages.
    if let Ok(nowhere) = File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(nowhere);
    }
    if let Ok(from) = from.try_clone() {
        // If no thread can be started, a process busy in the library outlives its client by one
        // question.
        let _ = std::thread::Builder::new().spawn(move || watch(&from));
    }
}

/// Kills the process when the client is gone or the memory limit is exceeded. The kill skips all
/// cleanup, because the library may be in any state.
fn watch(from: &OwnedFd) {
    let interval = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    loop {
        // No events are requested: a closed connection is always reported.
        let mut client_end = [PollFd::new(from, PollFlags::empty())];
        let _ = poll(&mut client_end, Some(&interval));
        if client_end[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) {
            let _ = kill_process(getpid(), Signal::KILL);
        }
        if resident_bytes() > MAX_RESIDENT_BYTES.load(Ordering::Relaxed) {
            let _ = kill_process(getpid(), TOO_MUCH_MEMORY);
        }
    }
}
