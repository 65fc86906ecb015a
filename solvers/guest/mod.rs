//! Solvers that are not ours, as guests: each in a process of its own, fed with questions.
//!
//! Two kinds of conversation are had with them. HiGHS is told linear programs in bytes (`wire`), by
//! [`GuestLp`]. SMT solvers are told SMT-LIB 2, by [`SmtCommand`](crate::smt_command::SmtCommand):
//! Z3 in a process of our own program (`serve_smt`), and any command of the user. What follows
//! holds for both, but for the pulse, which SMT-LIB has no words for.
//!
//! A native library may abort, never come back, or take all memory there is, and with it the
//! answers to all other questions. As a guest it takes at most itself along: whoever asked starts
//! another one, tells it all that the first one knew, and asks again.
//!
//! ```text
//!   GuestLp ──── changes, then "solve, you have 100 ms" ───▶ serve
//!   (keeps the program)                                      (the same program in the library)
//!           ◀── "still at it" … a point, a ray, no answer ──
//! ```
//!
//! # What may happen, and what it costs
//! - *The guest dies* (an abort, `kill -9`, the kernel short of memory): the question is asked
//!   again, of a new guest. After [`ATTEMPTS`] deaths in a row over one question that one stays
//!   without answer.
//! - *It is silent*: it says at least every [`PULSE`] that it is still at work. After a [patience]
//!   that grows with the program it counts as dead.
//! - *It takes too much memory*: its resident set counts as ours, see [`Budget`](crate::Budget),
//!   and it may have half of what is left when it is asked. Beyond that it ends by itself, and the
//!   question stays without answer.
//! - *We have to stop*: it is told so, and keeps the basis it has reached for the next question.
//!   Nobody waits longer than [`GRACE`] for it.
//! - *We die*: the guest finds nobody to read from, and ends; a command of the user when it next
//!   has something to say. Where we leave by ourselves, in whatever haste, [`end_all`] ends all of
//!   them.
//! - *It is a script around a solver*: what it has started counts with it, and ends with it (on
//!   Linux, which tells).
//! - *It babbles*: an answer has no more bytes than the question can want, and time ends also while
//!   there is more to read.
//! - *It cannot be started* (no more processes, or files): the library runs inside, from then on.
//!
//! Nothing that it says is trusted any more than what the library says in our own process: answers
//! are floating point, and hints.
//!
//! # What it costs when nothing happens
//! A few milliseconds to start one, beside whatever else is done first (they are handed on from
//! program to program), and two switches between processes a question; ARCHITECTURE.md has figures.

#[cfg(feature = "highs")]
mod host;
pub(crate) mod process;
#[cfg(feature = "highs")]
mod serve;
#[cfg(feature = "z3")]
mod serve_smt;
#[cfg(any(feature = "highs", feature = "z3"))]
mod watch;
#[cfg(feature = "highs")]
mod wire;

#[cfg(feature = "highs")]
pub use host::GuestLp;
pub use process::{Program, end_all, invite, prepare, program};
#[cfg(feature = "highs")]
pub use serve::serve;
#[cfg(feature = "z3")]
pub use serve_smt::serve_smt;

#[cfg(any(feature = "highs", feature = "z3"))]
use rustix::process::Signal;
use std::time::Duration;

/// The last argument of a guest that speaks SMT-LIB 2.
pub const SMT2: &str = "smt2";

/// What starts Z3 as a guest, where one was invited.
#[cfg(feature = "z3")]
pub fn z3_program() -> Option<Program> {
    let mut program = program()?.clone();
    program.arguments.push(SMT2.into());
    Some(program)
}

/// So many guests die over one question before it is left alone.
pub const ATTEMPTS: usize = 5;

/// The pause before a third attempt; four times as long before each one after that. Whatever killed
/// two in a row from outside may be over by then.
pub const PAUSE: Duration = Duration::from_millis(5);

/// A guest at work says so this often, if its library lets it.
pub const PULSE: Duration = Duration::from_millis(100);

/// How a guest ends that took too much memory.
#[cfg(any(feature = "highs", feature = "z3"))]
const TOO_MUCH_MEMORY: Signal = Signal::USR2;

/// How long a guest that was told to stop is waited for, before its answer is left for later.
pub const GRACE: Duration = Duration::from_millis(20);

/// How long a guest may be silent over a program with so many coefficients: 5 s, and a second more
/// for each 20,000. (Between two iterations a simplex method may have to factorise its basis.)
pub fn patience(coefficients: usize) -> Duration {
    Duration::from_secs(5) + Duration::from_secs(1) * (coefficients / 20_000).min(600) as u32
}

/// How long its answer may take once it was told to stop: a fifth of that.
pub fn patience_after_stop(coefficients: usize) -> Duration {
    patience(coefficients) / 5
}
