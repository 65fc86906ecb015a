//! Proves that no run has a property, by rankings: linear programs show that no fair cycle exists.
//!
//! A run with the property follows an accepting run of its automaton. The pairs of a transition and
//! an automaton edge that it uses infinitely often form a component with all acceptance marks
//! ([`NoRun`](parikh_evidence::no_run)). Let x ≥ 0 be the numbers of firings of the pairs along a
//! cycle of this component. They do not decrease any place, and leave every state as often as they
//! enter it. Suppose that no such x uses a given pair. Then by duality there are place weights y ≥
//! 0 and state values z, which define a sum: the weighted tokens plus the state value. The given
//! pair decreases this sum, and no other pair increases it. One linear program per component finds
//! the weights for all such pairs at once. It maximises Σ s subject to C·(s + r) ≥ 0, flow
//! conservation in each state by s + r, 0 ≤ s ≤ 1, 0 ≤ r. The dual values of its rows are the
//! weights. They are converted to integers and checked exactly. The decreasing pairs are removed,
//! and the remaining components are treated in turn.
//!
//! # Conditions
//! The proof is valid under the conditions that its checker [`NoRun`](parikh_evidence::no_run)
//! verifies. The engine itself need not be trusted.
//!
//! # Sources
//! The sources of the checker; J. Farkas, *Theorie der einfachen Ungleichungen*, 1902.
//!
//! | file | contents |
//! |---|---|
//! | `engine` | the engine: tries each open property in turn |
//! | `argue` | the construction of one proof |
//! | `program` | the linear program of a component |

mod argue;
mod engine;
pub(super) mod program;

pub use argue::{RankingFailure, argue};
pub(super) use argue::{excluded_edges, remove_excluded};
pub use engine::ENGINE;

#[cfg(test)]
mod tests;
