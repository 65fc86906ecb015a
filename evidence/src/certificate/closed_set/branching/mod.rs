//! Decides whether a CTL formula is true of the initial marking, evaluated on a closed set.
//!
//! No firing leads out of the set. So a formula is true of a member in the set if and only if it is
//! true in the net, and reachability of the members does not matter.
//!
//! The subformulas are evaluated from the inside out; the value of each is a set of members.
//!
//! - E(φ U ψ): the members from which firings inside φ lead to ψ.
//! - E(φ R ψ): first the members of ψ that need no successor, because φ is true, or nothing is
//!   enabled, or an enabled firing changes nothing. Second, the members of ψ from which firings
//!   inside ψ lead to the first kind. Third, from the rest of ψ, members without a successor in the
//!   rest are removed until none is left to remove.
//! - Operators over all paths are evaluated as negations of operators over some path.
//!
//! The evaluation is recursive over the levels, on a thread with a stack of sufficient size.
//! Meanwhile the calling thread calls `goes_on`.
//!
//! The engine (`engine/diagrams`) uses the same method with decision diagrams of its own. The two
//! share no code, so each finds mistakes of the other.
//!
//! Sources: McMillan, *Symbolic Model Checking*, 1993; Ciardo, Lüttgen, Siminiceanu, "Saturation:
//! an efficient iteration strategy for symbolic state-space generation", TACAS 2001.
//!
//! | file | content |
//! |---|---|
//! | `evaluation` | the subformulas from the inside out |
//! | `conditions` | the members that satisfy a condition on markings |
//! | `firing` | predecessors by one firing, and by any number of firings |
//! | `sets` | subsets of the closed set |

mod conditions;
mod evaluation;
mod firing;
mod sets;

use super::ClosedSet;
use super::members::{SetShape, too_large};
use crate::certificate::Flaw;
use evaluation::Evaluation;
use parikh_net::{Net, TreeProperty};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// The interval between two calls of `goes_on`.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The stack size in bytes is `STACK_BYTES.0`, plus `STACK_BYTES.1` for each level.
const STACK_BYTES: (usize, usize) = (1 << 20, 4 << 10);

/// The maximum number of levels. It limits the size of the stack.
const MAX_LEVELS: usize = 100_000;

/// Returns true if the property is true of the initial marking.
///
/// # Errors
/// [`Flaw::Stopped`] if `goes_on` returns false before the end. [`Flaw::TooLarge`] if there are too
/// many levels or nodes, or if the thread cannot be started. [`Flaw::Overflow`] if a number is too
/// large.
pub(super) fn holds(
    set: &ClosedSet,
    shape: &SetShape,
    net: &Net,
    property: &TreeProperty,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<bool, Flaw> {
    let levels = set.order.len();
    if levels > MAX_LEVELS {
        return Err(too_large());
    }
    let stop = &AtomicBool::new(false);
    let (send, receive) = mpsc::channel();
    let evaluate = move || {
        let found = Evaluation::new(set, shape, net, stop).and_then(|mut it| it.holds(property));
        // The receiver waits for the result.
        send.send(found).ok();
    };
    std::thread::scope(|scope| {
        let stack = STACK_BYTES.0 + STACK_BYTES.1 * levels;
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, evaluate);
        if thread.is_err() {
            return Err(too_large());
        }
        loop {
            match receive.recv_timeout(POLL_INTERVAL) {
                Ok(found) => return found,
                Err(mpsc::RecvTimeoutError::Timeout) if goes_on() => {}
                Err(mpsc::RecvTimeoutError::Timeout) => stop.store(true, Ordering::Relaxed),
                // The thread has panicked, and the scope passes the panic on.
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Flaw::Stopped),
            }
        }
    })
}
