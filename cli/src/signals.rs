//! SIGTERM and SIGINT cancel the budget, so that all known results are printed or written. A
//! command that prints answers ends within a second after the signal. No answer is lost, because
//! answers are printed as they come. A command that writes a result finishes its output, or ends at
//! the second signal.

use super::joint_output;
use super::leaving::exit;
use parikh_solvers::Budget;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time that a cancelled run has to end by itself.
const GRACE: Duration = Duration::from_millis(800);

/// Starts a thread that cancels `budget` at the first signal. If the process still runs after
/// [`GRACE`], the thread calls `last_words` and ends the process.
pub(super) fn cancel_on_signal(budget: &Budget, last_words: fn()) {
    let budget = budget.clone();
    let Ok(mut signals) = Signals::new([SIGTERM, SIGINT]) else {
        tracing::warn!(
            "cannot install a signal handler: a signal ends the program without printing the \
             answers so far"
        );
        return;
    };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            tracing::warn!("received signal {signal}: stopping with the answers so far");
            budget.cancel();
            std::thread::sleep(GRACE);
            exit_incomplete(last_words);
        }
    });
}

/// Starts a thread that cancels `budget` at the first signal, and lets the command finish its
/// output. At the second signal, the thread ends the process.
pub(super) fn finish_on_signal(budget: &Budget) {
    let budget = budget.clone();
    let Ok(mut signals) = Signals::new([SIGTERM, SIGINT]) else {
        tracing::warn!(
            "cannot install a signal handler: a signal ends the program without writing the \
             results so far"
        );
        return;
    };
    std::thread::spawn(move || {
        let mut signals = signals.forever();
        if let Some(signal) = signals.next() {
            tracing::warn!(
                "received signal {signal}: writing the results so far; a second signal exits \
                 immediately"
            );
            budget.cancel();
            if signals.next().is_some() {
                exit_incomplete(|| ());
            }
        }
    });
}

/// True once the result exists and is being written.
static WRITING: AtomicBool = AtomicBool::new(false);

/// Disables [`leave_after`], so that a process that writes its output is not ended at the deadline.
pub(super) fn stay() {
    WRITING.store(true, Ordering::Relaxed);
}

/// Starts a thread that ends the process [`GRACE`] after the deadline of `budget`, whatever still
/// runs, unless [`stay`] was called. Before that, the thread calls `last_words`. Does nothing if
/// the budget has no deadline.
pub(super) fn leave_after(budget: &Budget, last_words: fn()) {
    if let Some(remaining) = budget.remaining() {
        std::thread::spawn(move || {
            std::thread::sleep(remaining + GRACE);
            if !WRITING.load(Ordering::Relaxed) {
                tracing::info!(
                    "an engine did not stop at the time limit; exiting without waiting for it"
                );
                exit_incomplete(last_words);
            }
        });
    }
}

/// The longest time for `last_words`. A write to a pipe that nobody reads never ends.
const LAST_WORDS_TIME: Duration = Duration::from_secs(2);

/// Waits for outputs in progress, calls `last_words`, and ends the process with the exit code for
/// open questions. All known answers are already printed, because each answer is flushed. If nobody
/// reads the output, the process ends after a few seconds.
fn exit_incomplete(last_words: fn()) -> ! {
    joint_output::close();
    let (done, wait) = std::sync::mpsc::channel();
    let speaker = std::thread::Builder::new().spawn(move || {
        last_words();
        let _ = done.send(());
    });
    if speaker.is_ok() {
        let _ = wait.recv_timeout(LAST_WORDS_TIME);
    }
    exit(3)
}
