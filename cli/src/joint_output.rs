//! Output in several parts, such as an answer in the evidence file, in a trace, and on stdout.
//!
//! At the deadline or after a signal, another thread may end the process. Between two parts of an
//! output, this would leave an answer in the evidence file that was never printed. So a thread that
//! prints holds a [`JointOutput`], and the thread that ends the process waits for it.

use parikh_solvers::locked;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The longest wait for outputs in progress when the process has to end. A write to a pipe that
/// nobody reads never ends.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The outputs in progress.
struct OutputGate {
    state: Mutex<GateState>,
    /// Notified when an output is complete.
    completed: Condvar,
}

/// The state of an [`OutputGate`].
struct GateState {
    /// The number of outputs in progress.
    ongoing: usize,
    /// True once the process is about to end. No output begins any more.
    is_closed: bool,
}

/// The outputs in progress in this process.
static GATE: OutputGate = OutputGate::new();

/// An output in progress. It is complete when this value is dropped.
#[must_use]
pub(super) struct JointOutput<'g>(&'g OutputGate);

/// Begins an output. If the process is about to end, blocks until it has ended.
pub(super) fn begin() -> JointOutput<'static> {
    match GATE.begin() {
        Some(output) => output,
        None => loop {
            std::thread::park();
        },
    }
}

/// Waits for all outputs in progress, but not longer than [`MAX_WAIT`]. From now on, no output
/// begins. The caller has to end the process.
pub(super) fn close() {
    GATE.close(MAX_WAIT);
}

impl OutputGate {
    const fn new() -> Self {
        let state = GateState { ongoing: 0, is_closed: false };
        OutputGate { state: Mutex::new(state), completed: Condvar::new() }
    }

    /// Begins an output. Returns `None` if the gate is closed.
    fn begin(&self) -> Option<JointOutput<'_>> {
        let mut state = locked(&self.state);
        if state.is_closed {
            return None;
        }
        state.ongoing += 1;
        Some(JointOutput(self))
    }

    /// Closes the gate, and waits for the outputs in progress, but not longer than `max_wait`.
    fn close(&self, max_wait: Duration) {
        let mut state = locked(&self.state);
        state.is_closed = true;
        let is_ongoing = |state: &mut GateState| state.ongoing > 0;
        let waited = self.completed.wait_timeout_while(state, max_wait, is_ongoing);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for JointOutput<'_> {
    fn drop(&mut self) {
        locked(&self.0.state).ongoing -= 1;
        self.0.completed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn the_end_of_the_process_waits_for_an_output_in_progress() {
        let (gate, is_complete) = (OutputGate::new(), AtomicBool::new(false));
        let output = gate.begin().expect("the gate is open");
        std::thread::scope(|scope| {
            let close = scope.spawn(|| {
                gate.close(Duration::from_secs(600));
                is_complete.load(Ordering::SeqCst)
            });
            while gate.begin().is_some() {
                std::thread::yield_now();
            }
            // The gate is closed now, and the output that began before is still in progress.
            is_complete.store(true, Ordering::SeqCst);
            drop(output);
            assert!(close.join().expect("no panic"));
        });
    }

    #[test]
    fn the_end_of_the_process_does_not_wait_forever() {
        let gate = OutputGate::new();
        let _output = gate.begin();
        gate.close(Duration::from_millis(1));
        assert!(gate.begin().is_none());
    }
}
