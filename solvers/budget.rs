//! One budget of time, memory and patience, handed down through every stage.
//!
//! A [`Budget`] is cheap to clone and to ask. A [`slice`](Budget::slice) of a budget ends no later
//! than its parent and is cancelled with it, so that a stage can ration its own parts.
//!
//! Memory is the resident set of the whole process, and of solvers in processes of their own,
//! against a ceiling in bytes, and, where the process has a limit on its address space
//! (`ulimit -v`), its address space against that limit: crossing it would not be an answer
//! "unknown" but an abort. The kernel is asked at most every [`SAMPLING`], by whichever loop asks
//! first; in between the last reading is used, so that asking costs a few relaxed loads and a clock
//! reading.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long one reading of the memory is used before the kernel is asked again.
const SAMPLING: Duration = Duration::from_millis(20);

/// Why a budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// The deadline has passed.
    #[error("out of time")]
    Time,
    /// The resident set of the process has reached the ceiling.
    #[error("out of memory")]
    Memory,
    /// Somebody asked us to stop: a signal, or the answer is known by now.
    #[error("cancelled")]
    Cancelled,
}

/// What a computation may spend. Every loop that can be long asks [`exhausted`](Self::exhausted).
#[derive(Clone, Debug)]
pub struct Budget {
    deadline: Option<Instant>,
    /// In bytes of resident set of the process; `u64::MAX` for no ceiling.
    memory_ceiling: u64,
    /// Own flag first, then those of the budgets it was sliced from.
    cancelled: Arc<Cancel>,
}

#[derive(Debug, Default)]
struct Cancel {
    flag: AtomicBool,
    parent: Option<Arc<Cancel>>,
}

impl Cancel {
    fn is_set(&self) -> bool {
        let mut this = Some(self);
        while let Some(cancel) = this {
            if cancel.flag.load(Ordering::Relaxed) {
                return true;
            }
            this = cancel.parent.as_deref();
        }
        false
    }
}

impl Budget {
    /// No deadline, no ceiling; ends only when cancelled.
    pub fn unlimited() -> Self {
        Budget { deadline: None, memory_ceiling: u64::MAX, cancelled: Arc::default() }
    }

    /// Ends `time` from now.
    pub fn lasting(time: Duration) -> Self {
        let mut budget = Budget::unlimited();
        // A time too large for the clock is no deadline.
        budget.deadline = Instant::now().checked_add(time);
        budget
    }

    /// The same budget with a ceiling on the resident set of the process, in bytes.
    pub fn with_memory_ceiling(mut self, bytes: u64) -> Self {
        self.memory_ceiling = bytes;
        self
    }

    /// A part of this budget: ends after `time` or with its parent, whichever is first. Cancelling
    /// the part leaves the parent alone; cancelling the parent ends the part.
    pub fn slice(&self, time: Duration) -> Self {
        let mine = Instant::now().checked_add(time);
        let deadline = match (self.deadline, mine) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Budget { deadline, ..self.child() }
    }

    /// A share in [0, 1] of the time that is left; 10 s where there is no deadline to share.
    pub fn share(&self, share: f64) -> Self {
        match self.remaining() {
            Some(left) => self.slice(left.mul_f64(share)),
            None => self.slice(Duration::from_secs(10)),
        }
    }

    /// A share in [0, 1] of the time that is left; all of it where there is no deadline: for what
    /// nothing else waits for.
    pub fn portion(&self, share: f64) -> Self {
        match self.remaining() {
            Some(left) => self.slice(left.mul_f64(share)),
            None => self.child(),
        }
    }

    /// A part of this budget with the same deadline and a cancel flag of its own.
    pub fn child(&self) -> Self {
        let cancel = Cancel { flag: AtomicBool::new(false), parent: Some(self.cancelled.clone()) };
        Budget {
            deadline: self.deadline,
            memory_ceiling: self.memory_ceiling,
            cancelled: Arc::new(cancel),
        }
    }

    /// Ends this budget and all its slices now.
    pub fn cancel(&self) {
        self.cancelled.flag.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled, here or further up. Cheaper than [`exhausted`](Self::exhausted).
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_set()
    }

    /// Why this budget is spent, or `None` while it is not. Costs a clock reading (about 25 ns).
    pub fn exhausted(&self) -> Option<Exhausted> {
        if self.is_cancelled() {
            Some(Exhausted::Cancelled)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Exhausted::Time)
        } else if self.memory_left() == 0 {
            Some(Exhausted::Memory)
        } else {
            None
        }
    }

    /// Whether this budget is spent.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted().is_some()
    }

    /// The time left, `None` without a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The bytes left below the ceiling, `u64::MAX` without one.
    pub fn memory_left(&self) -> u64 {
        let usage = Usage::sample();
        let resident = match self.memory_ceiling {
            u64::MAX => u64::MAX,
            ceiling => ceiling.saturating_sub(usage.resident),
        };
        resident.min(address_space_limit().saturating_sub(usage.address_space))
    }

    /// The ceiling on the resident set in bytes, `u64::MAX` for none.
    pub fn memory_ceiling(&self) -> u64 {
        self.memory_ceiling
    }
}

/// What the process holds of the machine's memory, in bytes, at most [`SAMPLING`] old.
#[derive(Clone, Copy, Debug)]
struct Usage {
    resident: u64,
    address_space: u64,
}

/// Linux counts pages; every machine we build for has pages of 4 KiB.
const PAGE: u64 = 4096;

impl Usage {
    /// Zeros where `/proc` is missing.
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
        // Whoever comes while the first sample is being taken waits for it: until then there is
        // nothing to return.
        let start = START.get_or_init(|| {
            sample();
            Instant::now()
        });
        let now = start.elapsed().as_micros() as u64;
        if now.saturating_sub(SAMPLED_AT.load(Ordering::Relaxed)) >= SAMPLING.as_micros() as u64 {
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
        let address_space = pages.next()?? * PAGE;
        let mut resident = pages.next()?? * PAGE;
        let children = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
        resident += children.iter().map(|&child| child_bytes(child)).sum::<u64>();
        Some(Usage { address_space, resident })
    }
}

/// The resident sets of another process and of those that it has started in bytes, without what
/// they share with others, such as our own program and libraries; 0 when it is gone.
pub(crate) fn child_bytes(process: u32) -> u64 {
    process_bytes(process) + descendants(process).into_iter().map(process_bytes).sum::<u64>()
}

/// The processes that another has started, and those that these have. None where `/proc` does not
/// say.
pub(crate) fn descendants(process: u32) -> Vec<u32> {
    let mut found = vec![process];
    let mut next = 0;
    while let Some(&process) = found.get(next).filter(|_| next < MOST_DESCENDANTS) {
        next += 1;
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
        for thread in threads.flatten() {
            let text = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(text.split_ascii_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
    }
    found.split_off(1)
}

/// No solver has more processes.
const MOST_DESCENDANTS: usize = 100;

fn process_bytes(process: u32) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let mut pages = statm.split_ascii_whitespace().skip(1).map_while(|n| n.parse().ok());
    let (all, shared): (u64, u64) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    all.saturating_sub(shared) * PAGE
}

/// Processes whose memory counts as ours.
static CHILDREN: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// From now on the resident set of this process counts as ours.
pub fn count_child(process: u32) {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner).push(process);
}

/// Those that count as ours now.
pub(crate) fn children() -> Vec<u32> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// It is gone.
pub fn forget_child(process: u32) {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner).retain(|&other| other != process);
}

/// The resident set of this process and those counted with it in bytes, a few milliseconds old; 0
/// where `/proc` is missing.
pub fn resident_bytes() -> u64 {
    Usage::sample().resident
}

/// What of the address space engines may fill: `ulimit -v` less an eighth (at most 256 MiB), which
/// is for allocations between two samples. `u64::MAX` without a limit.
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
    fn a_slice_ends_with_its_parent_but_not_the_other_way_round() {
        let parent = Budget::unlimited();
        let slice = parent.slice(Duration::from_secs(1000));
        let sibling = parent.child();
        slice.cancel();
        assert_eq!(slice.exhausted(), Some(Exhausted::Cancelled));
        assert_eq!(parent.exhausted(), None);
        assert_eq!(sibling.exhausted(), None);
        parent.cancel();
        assert_eq!(sibling.exhausted(), Some(Exhausted::Cancelled));
    }

    #[test]
    fn a_passed_deadline_and_a_low_ceiling_are_told_apart() {
        assert_eq!(Budget::lasting(Duration::ZERO).exhausted(), Some(Exhausted::Time));
        let tight = Budget::unlimited().with_memory_ceiling(1);
        assert_eq!(tight.exhausted(), Some(Exhausted::Memory));
        assert_eq!(tight.memory_left(), 0);
        let sliced = Budget::lasting(Duration::ZERO).slice(Duration::from_secs(1000));
        assert_eq!(sliced.exhausted(), Some(Exhausted::Time));
    }

    #[test]
    fn the_resident_set_is_read() {
        assert!(resident_bytes() > 100_000, "{}", resident_bytes());
    }
}
