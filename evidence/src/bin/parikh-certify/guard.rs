//! The guard measures time and memory during the audit, and stops the audit at a limit. If the
//! audit does not stop soon, the guard abandons it.

use parikh_evidence::audit::{AuditWatch, ExhaustedLimit};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The interval between two measurements of time and memory.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The maximum time between the signal to stop and the end of waiting for the audit.
const GRACE: Duration = Duration::from_millis(1000);

/// The end of an audit.
pub(crate) enum AuditEnd<T> {
    /// The audit returned a result, complete or stopped.
    Finished(T),
    /// The audit panicked.
    Failed,
    /// The audit was stopped, and did not return in time or used too much memory after that.
    Abandoned(ExhaustedLimit),
}

/// Waits for the result of the audit, within a time limit and a memory limit in bytes.
pub(crate) fn wait<T>(
    receiver: &Receiver<T>,
    watch: &AuditWatch,
    timeout: Duration,
    memory: u64,
) -> AuditEnd<T> {
    let start = Instant::now();
    let mut stop_request: Option<(ExhaustedLimit, Instant)> = None;
    loop {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(result) => return AuditEnd::Finished(result),
            Err(RecvTimeoutError::Disconnected) => return AuditEnd::Failed,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let resident = resident().unwrap_or(0);
        match stop_request {
            // The audit may allocate a lot before it stops, so the grace period ends at 110 % of
            // the memory limit.
            Some((limit, stop_time))
                if stop_time.elapsed() > GRACE || resident > memory.saturating_add(memory / 10) =>
            {
                return AuditEnd::Abandoned(limit);
            }
            Some(_) => {}
            None => {
                let limit = match (start.elapsed() >= timeout, resident > memory) {
                    (true, _) => Some(ExhaustedLimit::Time),
                    (false, true) => Some(ExhaustedLimit::Memory),
                    (false, false) => None,
                };
                if let Some(limit) = limit {
                    watch.stop(limit);
                    stop_request = Some((limit, Instant::now()));
                }
            }
        }
    }
}

/// Returns the resident memory of this process in bytes, if the operating system reports it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
