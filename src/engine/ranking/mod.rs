//! That no run has a property, by rankings: linear programs say that no fair cycle exists.
//!
//! A run with the property goes along an accepting run of its automaton, and what it meets again
//! and again, pairs of a transition and an edge, is a component with all marks
//! ([`NoRun`](crate::evidence::no_run)). Counted along such a cycle, the firings x ≥ 0 of pairs
//! leave no place with fewer tokens, and every state is left as often as it is entered. Where no
//! such x has a pair, weights y ≥ 0 of places and values z of states exist by duality along which
//! the pair falls and no other grows. One program for a component finds the weights for all such
//! pairs at once: maximise Σ s subject to C·(s + r) ≥ 0, flow kept in each state by s + r, 0 ≤ s ≤
//! 1, 0 ≤ r. The dual values of its rows are the weights. They are made whole numbers, and checked
//! as such. What falls is taken away, and the components that are left have their turn.
//!
//! # Conditions
//! Those of the checker, which has the last word.
//!
//! # Sources
//! See the checker; J. Farkas, *Theorie der einfachen Ungleichungen*, 1902.
//!
//! | file | what |
//! |---|---|
//! | `engine` | an argument for each open property |
//! | `argue` | one argument |
//! | `program` | the linear program of a component |

mod argue;
mod engine;
pub(super) mod program;

pub use argue::{Failure, argue};
pub(super) use argue::{excluded, take};
pub use engine::ENGINE;

#[cfg(test)]
mod tests;
