//! The budget of time, memory and cancellation, handed down through every stage.
//!
//! A [`Budget`] is cheap to clone and to query. A [`slice`](Budget::slice) of a budget ends no
//! later than its parent and is cancelled with it, so a stage can divide its budget among its
//! parts.
//!
//! Memory is the resident set of this process and of its solver processes, compared with a limit in
//! bytes. If the process has an address-space limit (`ulimit -v`), the address space is compared
//! with that limit, too: exceeding it would abort the process. The kernel is queried at most once
//! per [`SAMPLING_INTERVAL`] interval, by the first loop that asks. Between queries the last
//! reading is used, so a check costs a few relaxed loads and a clock reading.

use crate::locked;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Interval between two queries of the memory usage.
const SAMPLING_INTERVAL: Duration = Duration::from_millis(20);

/// The reason why a budget is exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExhaustionReason {
    /// The deadline has passed.
    #[error("out of time")]
    Time,
    /// The resident set has reached the memory limit. Or the address space has almost reached the
    /// limit of the process (`ulimit -v`), see [`address_space_limit`].
    #[error("out of memory")]
    Memory,
    /// The budget was cancelled, for example by a signal or because the answer is known.
    #[error("cancelled")]
    Cancelled,
}

/// The time and memory that a computation may use. Long loops check [`exhausted`](Self::exhausted).
#[derive(Clone, Debug)]
pub struct Budget {
    /// The time at which the budget ends; `None` means no time limit.
    deadline: Option<Instant>,
    /// Limit on the resident set in bytes; `u64::MAX` means no limit.
    memory_ceiling: u64,
    /// The cancel flag of this budget, linked to the flags of the budgets it was sliced from.
    cancelled: Arc<Cancel>,
}

#[derive(Debug, Default)]
struct Cancel {
    /// True if this budget was cancelled.
    flag: AtomicBool,
    /// The flag of the budget that this budget was sliced from; `None` if it is not a slice.
    parent: Option<Arc<Cancel>>,
}

impl Cancel {
    fn is_set(&self) -> bool {
        let mut current = Some(self);
        while let Some(cancel) = current {
            if cancel.flag.load(Ordering::Relaxed) {
                return true;
            }
            current = cancel.parent.as_deref();
        }
        false
    }
}

impl Budget {
    /// Creates a budget without limits of its own. It ends when it is cancelled, or when the
    /// process has almost reached its address-space limit (`ulimit -v`).
    pub fn unlimited() -> Self {
        Budget { deadline: None, memory_ceiling: u64::MAX, cancelled: Arc::default() }
    }

    /// Creates a budget that ends `time` from now.
    pub fn lasting(time: Duration) -> Self {
        let mut budget = Budget::unlimited();
        // A time too large for the clock means no deadline.
        budget.deadline = Instant::now().checked_add(time);
        budget
    }

    /// Returns the same budget with a limit on the resident set, in bytes.
    pub fn with_memory_ceiling(mut self, bytes: u64) -> Self {
        self.memory_ceiling = bytes;
        self
    }

    /// Returns a part of this budget that ends after `time` or with its parent, whichever is first.
    /// Cancelling the part does not affect the parent. Cancelling the parent ends the part.
    pub fn slice(&self, time: Duration) -> Self {
        let own_deadline = Instant::now().checked_add(time);
        let deadline = match (self.deadline, own_deadline) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Budget { deadline, ..self.child() }
    }

    /// Returns a slice with a share in [0, 1] of the remaining time. Without a deadline, the slice
    /// ends after 10 s.
    pub fn share(&self, share: f64) -> Self {
        match self.remaining() {
            Some(remaining_time) => self.slice(remaining_time.mul_f64(share)),
            None => self.slice(Duration::from_secs(10)),
        }
    }

    /// Returns a slice with a share in [0, 1] of the remaining time. Without a deadline, the slice
    /// has none either; use it for work that no other stage waits for.
    pub fn portion(&self, share: f64) -> Self {
        match self.remaining() {
            Some(remaining_time) => self.slice(remaining_time.mul_f64(share)),
            None => self.child(),
        }
    }

    /// Returns a part of this budget with the same deadline and its own cancel flag.
    pub fn child(&self) -> Self {
        let cancel = Cancel { flag: AtomicBool::new(false), parent: Some(self.cancelled.clone()) };
        Budget {
            deadline: self.deadline,
            memory_ceiling: self.memory_ceiling,
            cancelled: Arc::new(cancel),
        }
    }

    /// Ends this budget, its clones and all its slices now.
    pub fn cancel(&self) {
        self.cancelled.flag.store(true, Ordering::Relaxed);
    }

    /// Returns true if this budget or a parent was cancelled. Cheaper than
    /// [`exhausted`](Self::exhausted).
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_set()
    }

    /// Returns the reason why this budget is exhausted, or `None`. Usually costs no more than clock
    /// readings (about 25 ns each).
    pub fn exhausted(&self) -> Option<ExhaustionReason> {
        if self.is_cancelled() {
            Some(ExhaustionReason::Cancelled)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(ExhaustionReason::Time)
        } else if self.memory_left() == 0 {
            Some(ExhaustionReason::Memory)
        } else {
            None
        }
    }

    /// Returns true if this budget is exhausted.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted().is_some()
    }

    /// Returns the remaining time, or `None` without a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Returns the number of bytes left below the nearer of the two memory limits: the limit on the
    /// resident set, and the address-space limit of the process. Without a limit, the result is
    /// `u64::MAX` minus the address space in use.
    pub fn memory_left(&self) -> u64 {
        let usage = Usage::sample();
        let resident = match self.memory_ceiling {
            u64::MAX => u64::MAX,
            ceiling => ceiling.saturating_sub(usage.resident),
        };
        let address_space = match address_space_limit() {
            u64::MAX => u64::MAX,
            limit => limit.saturating_sub(usage.address_space),
        };
        resident.min(address_space)
    }
}

/// The memory usage of the process and its counted children in bytes, at most [`SAMPLING_INTERVAL`]
/// old.
#[derive(Clone, Copy, Debug)]
struct Usage {
    /// The resident set of this process and its counted children.
    resident: u64,
    /// The size of the address space of this process.
    address_space: u64,
}

/// Page size in bytes. Linux counts pages, and all supported machines have pages of 4 KiB.
const PAGE_BYTES: u64 = 4096;

impl Usage {
    /// Returns the memory usage, read again if the last reading is [`SAMPLING_INTERVAL`] old.
    /// Returns zeros if `/proc` is missing.
    fn sample() -> Usage {
        static RESIDENT: AtomicU64 = AtomicU64::new(0);
        static ADDRESS_SPACE: AtomicU64 = AtomicU64::new(0);
        static SAMPLED_AT: AtomicU64 = AtomicU64::new(0);
        static START: OnceLock<Instant> = OnceLock::new();
        let sample = || {
            if let Some(usage) = Usage::read() {
                RESIDENT.store(usage.resident, Ordering::Relaxed);
                ADDRESS_SPACE.store(usage.address_space, Ordering::Relaxed);
            }
        };
        // Concurrent callers wait for the first sample, because there is no earlier value to
        // return.
        let start = START.get_or_init(|| {
            sample();
            Instant::now()
        });
        let now = start.elapsed().as_micros() as u64;
        if now.saturating_sub(SAMPLED_AT.load(Ordering::Relaxed))
            >= SAMPLING_INTERVAL.as_micros() as u64
        {
            SAMPLED_AT.store(now, Ordering::Relaxed);
            sample();
        }
        Usage {
            resident: RESIDENT.load(Ordering::Relaxed),
            address_space: ADDRESS_SPACE.load(Ordering::Relaxed),
        }
    }

    fn read() -> Option<Usage> {
        let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
        let mut pages = statm.split_ascii_whitespace().map(|field| field.parse::<u64>().ok());
        let address_space = pages.next()?? * PAGE_BYTES;
        let mut resident = pages.next()?? * PAGE_BYTES;
        let children = locked(&CHILDREN);
        resident += children.iter().map(|&child| child_bytes(child)).sum::<u64>();
        Some(Usage { address_space, resident })
    }
}

/// Returns the resident sets in bytes of another process and of its descendants. Memory shared with
/// other processes, such as our program and libraries, does not count. Returns 0 if the process has
/// ended.
pub(crate) fn child_bytes(process: u32) -> u64 {
    process_bytes(process) + descendants(process).into_iter().map(process_bytes).sum::<u64>()
}

/// Returns the descendants of a process, or none if `/proc` does not list them. Reads the children
/// of at most [`MAX_DESCENDANTS`] processes.
pub(crate) fn descendants(process: u32) -> Vec<u32> {
    let mut processes = vec![process];
    let mut next = 0;
    while let Some(&process) = processes.get(next).filter(|_| next < MAX_DESCENDANTS) {
        next += 1;
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
        for thread in threads.flatten() {
            let text = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            processes.extend(text.split_ascii_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
    }
    processes.split_off(1)
}

/// Limit on the number of processes whose children are read; solvers usually have far fewer.
const MAX_DESCENDANTS: usize = 100;

/// Returns the resident set of a process in bytes, without shared memory; 0 if the process has
/// ended.
fn process_bytes(process: u32) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let mut pages = statm.split_ascii_whitespace().skip(1).map_while(|n| n.parse().ok());
    let (resident, shared): (u64, u64) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    resident.saturating_sub(shared) * PAGE_BYTES
}

/// The ids of the child processes whose memory counts as memory of this process.
static CHILDREN: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Counts the resident sets of the process with this id and of its descendants as memory of our
/// program, until [`forget_child`] is called. Memory shared with other processes does not count.
pub fn count_child(process: u32) {
    locked(&CHILDREN).push(process);
}

/// Returns the ids of the child processes whose memory counts as memory of this process.
pub(crate) fn children() -> Vec<u32> {
    locked(&CHILDREN).clone()
}

/// Stops counting the memory of a process, which has ended or is about to be ended.
pub fn forget_child(process: u32) {
    locked(&CHILDREN).retain(|&other| other != process);
}

/// Returns the resident set in bytes of this process and of the processes counted with it. The
/// value is up to [`SAMPLING_INTERVAL`] old, and 0 if `/proc` is missing.
pub fn resident_bytes() -> u64 {
    Usage::sample().resident
}

/// Returns the part of the address space that engines may fill: `ulimit -v` minus one eighth (at
/// most 256 MiB). The remainder covers allocations between two samples. Returns `u64::MAX` without
/// a limit.
pub fn address_space_limit() -> u64 {
    static LIMIT: OnceLock<u64> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
        let line = limits.lines().find(|line| line.starts_with("Max address space"));
        let soft = line.and_then(|line| line.split_ascii_whitespace().nth(3)?.parse::<u64>().ok());
        soft.map_or(u64::MAX, |limit| limit - (limit / 8).min(256 << 20))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_ends_with_its_parent_but_not_vice_versa() {
        let parent = Budget::unlimited();
        let slice = parent.slice(Duration::from_secs(1000));
        let sibling = parent.child();
        slice.cancel();
        assert_eq!(slice.exhausted(), Some(ExhaustionReason::Cancelled));
        assert_eq!(parent.exhausted(), None);
        assert_eq!(sibling.exhausted(), None);
        parent.cancel();
        assert_eq!(sibling.exhausted(), Some(ExhaustionReason::Cancelled));
    }

    #[test]
    fn the_reason_of_exhaustion_is_time_or_memory() {
        assert_eq!(Budget::lasting(Duration::ZERO).exhausted(), Some(ExhaustionReason::Time));
        let tight = Budget::unlimited().with_memory_ceiling(1);
        assert_eq!(tight.exhausted(), Some(ExhaustionReason::Memory));
        assert_eq!(tight.memory_left(), 0);
        let sliced = Budget::lasting(Duration::ZERO).slice(Duration::from_secs(1000));
        assert_eq!(sliced.exhausted(), Some(ExhaustionReason::Time));
    }

    #[test]
    fn the_resident_set_is_read() {
        assert!(resident_bytes() > 100_000, "{}", resident_bytes());
    }
}
