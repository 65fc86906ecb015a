//! Encodings: (net, goal, facts) → terms or linear programs, as plain data.
//!
//! An encoding never calls a solver and never loops over answers: it says what is to be asked, and
//! engines ask it.
//!
//! [`StateEquation`] is the linear program that the engine keeps and solves again and again.
//! [`EncodedGoal`] is any encoding of any goal as terms, a *sum of parts* ([`Part`]), each in its
//! own file and each sound by itself: they can be put together and compared at will.
//! [`propositional`] says the same of k firings, or steps, to SAT solvers.
//!
//! ```text
//! state-equation + traps + read-feed     an over-approximation: no solution, no such marking
//! state-equation + k-induction           the same for the first of k + 1 markings in a row
//! bmc                                    exact, for at most k firings
//! bmc-steps                              exact, for at most k steps of any number of firings
//! ```

pub mod bounds;
pub mod causal_order;
pub mod encoded_goal;
pub mod encoding;
pub mod flows;
mod frame;
pub mod predecessor;
pub mod predicate;
pub mod propositional;
pub mod read_feed;
pub mod state_equation;
pub mod steps;
pub mod traps;
pub mod units;
pub mod unrolling;
pub mod variables;

pub use encoded_goal::EncodedGoal;
pub use encoding::{EncodeError, Encoding, Part};

pub use state_equation::StateEquation;
pub use variables::Numbers;
