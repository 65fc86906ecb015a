//! Whether a formula of CTL is true of the initial marking, evaluated on a closed set.
//!
//! No firing leads out of the set, so a formula is true of a member there exactly where it is in
//! the net: nothing has to be known of which members can be reached.
//!
//! The members of which a part of the formula is true are found from the inside out. E(φ U ψ):
//! what firings lead from, inside φ, to ψ. E(φ R ψ): of ψ those which need no successor, because φ
//! is true, or nothing is enabled, or a firing changes nothing; what leads to these inside ψ; and
//! of the rest what is left when members without a successor in the rest are taken away, again and
//! again. The operators over all paths are the opposites of those over some path.
//!
//! All of it goes down from level to level, on a thread with room for that; whoever asked is asked
//! meanwhile whether to go on.
//!
//! The engine (`engine/diagrams`) goes the same way by diagrams that are none of these: nothing is
//! shared, so that a mistake in one of them is seen by the other.
//!
//! Sources: McMillan, *Symbolic Model Checking*, 1993; Ciardo, Lüttgen, Siminiceanu, "Saturation:
//! an efficient iteration strategy for symbolic state-space generation", TACAS 2001.
//!
//! | file | what |
//! |---|---|
//! | `evaluation` | the parts of a formula from the inside out |
//! | `conditions` | the members that satisfy a condition on markings |
//! | `firing` | what one firing leads from, and any number of them |
//! | `sets` | subsets of the closed set |

mod conditions;
mod evaluation;
mod firing;
mod sets;

use super::ClosedSet;
use super::members::{Shape, too_large};
use crate::certificate::Flaw;
use evaluation::Evaluation;
use parikh_net::{Net, TreeProperty};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How often whoever asked is asked whether to go on.
const POLLING: Duration = Duration::from_millis(5);

/// Bytes of stack: some, and so many a level for each operation that is under way there.
const STACK: (usize, usize) = (1 << 20, 4 << 10);

/// The most levels, for which there is a stack.
const MOST_LEVELS: usize = 100_000;

/// Whether the property is true of the initial marking.
pub(super) fn holds(
    set: &ClosedSet,
    shape: &Shape,
    net: &Net,
    property: &TreeProperty,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<bool, Flaw> {
    let levels = set.order.len();
    if levels > MOST_LEVELS {
        return Err(too_large());
    }
    let stop = &AtomicBool::new(false);
    let (send, receive) = mpsc::channel();
    let evaluate = move || {
        let found = Evaluation::on(set, shape, net, stop).and_then(|mut it| it.holds(property));
        // Whoever asked waits for it.
        send.send(found).ok();
    };
    std::thread::scope(|scope| {
        let stack = STACK.0 + STACK.1 * levels;
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, evaluate);
        if thread.is_err() {
            return Err(too_large());
        }
        loop {
            match receive.recv_timeout(POLLING) {
                Ok(found) => return found,
                Err(mpsc::RecvTimeoutError::Timeout) if goes_on() => {}
                Err(mpsc::RecvTimeoutError::Timeout) => stop.store(true, Ordering::Relaxed),
                // It has failed, and so does this scope.
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Flaw::Stopped),
            }
        }
    })
}
