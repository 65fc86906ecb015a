//! Native solvers in worker processes: each solver runs in its own process and receives questions.
//!
//! There are two protocols. [`GuestLp`] sends linear programs to HiGHS as bytes (`wire`).
//! [`SmtCommand`](crate::smt_command::SmtCommand) sends SMT-LIB 2 to SMT solvers: Z3 in a process
//! of this program (`serve_smt`), or any command of the user. The following holds for both, except
//! for the sign of life, which SMT-LIB does not have.
//!
//! A native library may abort, never return, or exhaust the memory, and would take all other
//! answers with it. In a worker process it loses at most its own question: the client starts
//! another process, sends the program again, and repeats the question.
//!
//! ```text
//!   GuestLp ──── changes, then "solve, you have 100 ms" ───▶ serve
//!   (keeps the program)                                      (the same program in the library)
//!           ◀── "still at it" … a point, a ray, no answer ──
//! ```
//!
//! # Failures and their cost
//! - *The process dies* (an abort, `kill -9`, the kernel short of memory): a new process gets the
//!   question. After [`ATTEMPTS`] deaths in a row over one question, this question stays
//!   unanswered.
//! - *The process is silent*: a working process sends a sign of life at least every [`PULSE`].
//!   After a [patience] that grows with the program, it counts as dead.
//! - *The process takes too much memory*: its resident set counts as ours, see
//!   [`Budget`](crate::Budget). It may use half of the memory left at the time of the question.
//!   Beyond that, HiGHS's process ends by itself and the client ends an SMT solver. The question
//!   stays unanswered.
//! - *The budget ends*: HiGHS is asked to stop, and keeps its basis for the next question. The
//!   client waits at most [`GRACE`]. Z3 and cvc5 receive the time limit with the question; other
//!   commands are ended.
//! - *The client dies*: the process notices that its input is closed and ends. A command of the
//!   user ends when it next writes. On a regular exit, however hasty, [`end_all`] ends all
//!   processes.
//! - *The command is a script around a solver*: the descendants of the process count with it and
//!   end with it (on Linux, where they can be listed).
//! - *The process writes endless output*: the size of an answer is limited by the question, and the
//!   time limit also applies while reading.
//! - *The process cannot be started* (no more processes or files): the library runs in this process
//!   from then on. Linear programs are also solved in this process if all attempts fail and no
//!   worker process has answered before.
//!
//! An answer from a worker process is trusted no more than an answer from the library in this
//! process: answers are floating point, and hints.
//!
//! # Cost without failures
//! Starting a process takes a few milliseconds, in parallel to other work; processes are reused for
//! later programs. Each question costs two process switches: 344 instead of 380 programs were
//! solved in 3 s, and one SMT query took 0.1 ms more.

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
pub use process::{Program, end_all, prepare, program, set_worker_program};
#[cfg(feature = "highs")]
pub use serve::serve;
#[cfg(feature = "z3")]
pub use serve_smt::serve_smt;

#[cfg(any(feature = "highs", feature = "z3"))]
use rustix::process::Signal;
use std::time::Duration;

/// The last argument of a worker process that speaks SMT-LIB 2.
pub const SMT2: &str = "smt2";

/// Returns the command that starts Z3 as a worker process, if [`set_worker_program`] was called.
#[cfg(feature = "z3")]
pub fn z3_program() -> Option<Program> {
    let mut program = program()?.clone();
    program.arguments.push(SMT2.into());
    Some(program)
}

/// Number of processes that may die, hang or send invalid answers over one question before the
/// question is given up.
pub const ATTEMPTS: usize = 5;

/// Pause before the third attempt; each later pause is four times as long. An external cause that
/// killed two processes may have passed by then.
pub const PAUSE: Duration = Duration::from_millis(5);

/// Interval in which a working process sends a sign of life, if its library allows it.
pub const PULSE: Duration = Duration::from_millis(100);

/// Signal with which a worker process ends itself when it takes too much memory.
#[cfg(any(feature = "highs", feature = "z3"))]
const TOO_MUCH_MEMORY: Signal = Signal::USR2;

/// Time to wait for a worker process that was asked to stop, before its reply is left for later.
pub const GRACE: Duration = Duration::from_millis(20);

/// Returns how long a worker process may be silent over a program of this size. This is 5 s, and
/// one more second for each 20,000 coefficients, up to 600 more. (A simplex method may have to
/// factorise its basis between two iterations.)
pub fn patience(coefficients: usize) -> Duration {
    Duration::from_secs(5) + Duration::from_secs(1) * (coefficients / 20_000).min(600) as u32
}

/// Returns how long the reply may take after the order to stop: a fifth of [`patience`].
pub fn patience_after_stop(coefficients: usize) -> Duration {
    patience(coefficients) / 5
}
