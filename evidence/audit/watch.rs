//! How long an audit may take, and how much memory.
//!
//! Whoever wrote the evidence chose how much work it is to check: a line of twenty bytes may ask
//! for 10¹⁸ markings. So everything here that may take long asks a [`Watch`] now and then whether
//! to go on. Somebody else looks at the clock and at the memory, and says stop.

use super::Judged;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Of what there was not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOf {
    /// The time that an audit may take.
    Time,
    /// The memory that it may use.
    Memory,
}

/// Tells an audit to stop, and whoever tells it so how far it came. Clones are the same watch.
#[derive(Clone, Debug, Default)]
pub struct Watch(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// 0 while it goes on.
    out_of: AtomicU8,
    progress: Mutex<Progress>,
}

/// How far an audit came.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The verdicts so far; nothing of an answer that was withdrawn.
    pub judged: Vec<Option<Judged>>,
    /// What is being looked at: a file and its line.
    pub at: Option<(String, u64)>,
}

impl Watch {
    /// Whether there is still time and memory.
    pub fn goes_on(&self) -> bool {
        self.0.out_of.load(Ordering::Relaxed) == 0
    }

    /// Tells the audit to stop.
    pub fn stop(&self, out_of: OutOf) {
        self.0.out_of.store(1 + out_of as u8, Ordering::Relaxed);
    }

    /// Why it was told to stop, if it was.
    pub fn out_of(&self) -> Option<OutOf> {
        match self.0.out_of.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(OutOf::Time),
            _ => Some(OutOf::Memory),
        }
    }

    /// How far the audit came.
    pub fn progress(&self) -> Progress {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes down what is looked at next: a file and its line, 0 for the file as a whole.
    pub fn at(&self, file: &str, line: u64) {
        let at = Some((file.to_owned(), line));
        self.note(|progress| progress.at = at);
    }

    /// Takes down how far it came.
    pub(super) fn note<T>(&self, note: impl FnOnce(&mut Progress) -> T) -> T {
        note(&mut self.0.progress.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Display for OutOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OutOf::Time => "out of time",
            OutOf::Memory => "out of memory",
        })
    }
}
