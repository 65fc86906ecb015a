//! What a guest does beside its work: it ends with its host, and before it takes too much memory.

use super::TOO_MUCH_MEMORY;
use crate::budget::resident_bytes;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpid, kill_process};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that this process may have resident while it is at work.
static MOST_MEMORY: AtomicU64 = AtomicU64::new(u64::MAX);

/// Beyond so many bytes the process ends; `u64::MAX` for no limit.
#[cfg(feature = "highs")]
pub(super) fn allow(bytes: u64) {
    MOST_MEMORY.store(bytes, Ordering::Relaxed);
}

/// From now on the process ends with whoever gives orders at `from`, and what its library prints
/// goes nowhere.
pub(super) fn begin(from: &OwnedFd) {
    // What a library has to say is no message.
    if let Ok(nowhere) = File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(nowhere);
    }
    if let Ok(from) = from.try_clone() {
        // Without it, a guest in the library outlives its host by one question.
        let _ = std::thread::Builder::new().spawn(move || watch(&from));
    }
}

/// Ends the process when nobody can give orders any more, or when it takes too much memory,
/// whatever it is doing: without the library's last words, for it may be in the middle of anything.
fn watch(from: &OwnedFd) {
    let a_while = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    loop {
        // No wish but to hear that the other end is closed, which is always told.
        let mut other_end = [PollFd::new(from, PollFlags::empty())];
        let _ = poll(&mut other_end, Some(&a_while));
        if other_end[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) {
            let _ = kill_process(getpid(), Signal::KILL);
        }
        if resident_bytes() > MOST_MEMORY.load(Ordering::Relaxed) {
            let _ = kill_process(getpid(), TOO_MUCH_MEMORY);
        }
    }
}
