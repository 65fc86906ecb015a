//! Encodings: (net, goal, facts) → terms or linear programs, as plain data.
//!
//! An encoding never calls a solver and never loops over answers: it states the question, and
//! engines ask it.
//!
//! [`StateEquation`] is the linear program that the engine keeps and solves repeatedly.
//! [`EncodedGoal`] is any encoding of a goal as terms. It is a *sum of parts* ([`EncodingPart`]);
//! each part has its own file and is sound by itself, so parts can be combined and compared freely.
//! [`propositional`] encodes k firings or steps for SAT solvers.
//!
//! ```text
//! state-equation + traps + read-feed     an over-approximation: no solution, no such marking
//! state-equation + k-induction           the same for the first of k + 1 consecutive markings
//! bmc                                    exact, for at most k firings
//! bmc-steps                              exact, for at most k steps of any number of firings
//! ```

pub mod bounds;
pub mod causal_order;
pub mod encoded_goal;
pub mod encoding;
pub mod flows;
mod frame;
pub mod legend;
pub mod predecessor;
pub mod predicate;
pub mod propositional;
pub mod read_feed;
mod solution;
pub mod state_equation;
pub mod steps;
pub mod traps;
pub mod units;
pub mod unrolling;
pub mod variables;

pub use encoded_goal::EncodedGoal;
pub use encoding::{EncodeError, Encoding, EncodingPart};

pub use legend::Notation;
pub use state_equation::StateEquation;
pub use variables::Numbers;
