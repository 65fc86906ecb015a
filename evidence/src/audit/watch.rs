//! Limits on the time and memory of an audit.
//!
//! The author of the evidence determines the work of checking it: a line of twenty bytes may
//! require 10¹⁸ markings. So all long computations of the audit regularly ask a [`AuditWatch`]
//! whether to go on. Another thread measures time and memory, and stops the watch.

use super::AuditedAnswer;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The exhausted resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExhaustedLimit {
    /// The time limit of the audit.
    Time,
    /// The memory limit of the audit.
    Memory,
}

/// A shared flag that stops an audit, with the progress of the audit. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct AuditWatch(Arc<WatchState>);

/// The state that all clones of a watch share.
#[derive(Debug, Default)]
struct WatchState {
    /// 0 while the audit may go on, 1 if it is out of time, 2 if it is out of memory.
    exhausted_limit: AtomicU8,
    /// The verdicts and the position so far.
    progress: Mutex<AuditProgress>,
}

/// The progress of an audit.
#[derive(Clone, Debug, Default)]
pub struct AuditProgress {
    /// The verdicts recorded so far; `None` for a withdrawn answer. Only `Audit` records verdicts.
    pub judged: Vec<Option<AuditedAnswer>>,
    /// The current file and line; `None` before the first file. Line 0 stands for the whole file.
    pub position: Option<(String, u64)>,
}

impl AuditWatch {
    /// Returns true unless the audit was stopped.
    pub fn goes_on(&self) -> bool {
        self.0.exhausted_limit.load(Ordering::Relaxed) == 0
    }

    /// Stops the audit.
    pub fn stop(&self, out_of: ExhaustedLimit) {
        self.0.exhausted_limit.store(1 + out_of as u8, Ordering::Relaxed);
    }

    /// Returns the exhausted resource if the audit was stopped.
    pub fn out_of(&self) -> Option<ExhaustedLimit> {
        match self.0.exhausted_limit.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(ExhaustedLimit::Time),
            _ => Some(ExhaustedLimit::Memory),
        }
    }

    /// Returns the progress of the audit.
    pub fn progress(&self) -> AuditProgress {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records the current file and line; line 0 stands for the whole file.
    pub fn set_position(&self, file: &str, line: u64) {
        let position = Some((file.to_owned(), line));
        self.update_progress(|progress| progress.position = position);
    }

    /// Updates the progress.
    pub(super) fn update_progress<T>(&self, update: impl FnOnce(&mut AuditProgress) -> T) -> T {
        update(&mut self.0.progress.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Display for ExhaustedLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ExhaustedLimit::Time => "out of time",
            ExhaustedLimit::Memory => "out of memory",
        })
    }
}
