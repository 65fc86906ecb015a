//! SIGTERM and SIGINT: end the budget, so that everything known is printed; and if some loop does
//! not look at its budget within a second, leave anyway: answers are printed as they come.

use super::leaving::exit;
use parikh_solvers::Budget;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a cancelled run may take to end by itself.
const GRACE: Duration = Duration::from_millis(800);

/// Cancels `budget` at the first signal; `last_words` if the process has to be left.
pub(super) fn cancel_on_signal(budget: &Budget, last_words: fn()) {
    let budget = budget.clone();
    let Ok(mut signals) = Signals::new([SIGTERM, SIGINT]) else {
        tracing::warn!("signals cannot be caught: a kill loses what is not printed yet");
        return;
    };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            tracing::warn!("signal {signal}: ending with the answers known so far");
            budget.cancel();
            std::thread::sleep(GRACE);
            leave(last_words);
        }
    });
}

/// Cancels `budget` at the first signal, and lets the command finish what it has; leaves at the
/// second.
pub(super) fn finish_on_signal(budget: &Budget) {
    let budget = budget.clone();
    let Ok(mut signals) = Signals::new([SIGTERM, SIGINT]) else {
        tracing::warn!("signals cannot be caught: a kill loses what is not written yet");
        return;
    };
    std::thread::spawn(move || {
        let mut signals = signals.forever();
        if let Some(signal) = signals.next() {
            tracing::warn!("signal {signal}: writing what there is; once more to leave at once");
            budget.cancel();
            if signals.next().is_some() {
                leave(|| ());
            }
        }
    });
}

/// Whether what was worked on is there by now, and being written.
static WRITING: AtomicBool = AtomicBool::new(false);

/// From here on nobody leaves for the time: what is written is written to its end.
pub(super) fn stay() {
    WRITING.store(true, Ordering::Relaxed);
}

/// Ends the process a little after the deadline of `budget`, whatever is still going on.
pub(super) fn leave_after(budget: &Budget, last_words: fn()) {
    if let Some(remaining) = budget.remaining() {
        std::thread::spawn(move || {
            std::thread::sleep(remaining + GRACE);
            if !WRITING.load(Ordering::Relaxed) {
                tracing::info!("something did not stop at the deadline; leaving without it");
                leave(last_words);
            }
        });
    }
}

/// Leaves with the code for "some question is left unanswered". Whatever was answered is printed:
/// every answer is flushed on its own.
fn leave(last_words: fn()) -> ! {
    last_words();
    exit(3)
}
