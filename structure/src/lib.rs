//! Structural analysis of nets: exact, fast, and with reasons.
//!
//! | module | result | method |
//! |---|---|---|
//! | [`flows`] | P-flows and T-flows | integer elimination |
//! | [`semiflows`] | all semiflows of minimal support, up to a limit | double description |
//! | [`modulo`] | sums of tokens whose remainder no firing changes | elimination modulo small prime powers |
//! | [`bounds`] | upper and lower bounds on the tokens of places | flows |
//! | [`intervals`] | the range of tokens of each place, from the arcs and known bounds | one pass over the arcs |
//! | [`units`] | the claims about nested units that are proved rather than assumed | semiflows |
//! | [`siphons`], [`traps`] | sets that stay empty, sets that stay marked | worklist |
//! | [`minimal`] | all minimal siphons or traps, up to a limit | SAT |
//! | [`commoner`] | absence of reachable dead markings, with a certificate | SAT and traps |
//! | [`excluded`] | transitions that never fire because a sum of tokens is too small | semiflows |
//! | [`facts`] | the facts that encodings use | |
//! | [`workflow`] | workflow nets, with the start and the end of a case | paths |
//! | [`keys`] | the fifteen structural keys of a contest model form | a look at each arc |
//! | [`graph`] | reachability and coverability graphs of small nets | visit of all markings, Karp–Miller |
//!
//! Supporting modules: [`incidence`] (the matrix), [`integer`] (numbers that do not overflow),
//! [`closed`] (the common notion behind siphons and traps).
//!
//! All results are exact or valid bounds: arithmetic does not round or overflow. A bound holds in
//! every reachable marking, but need not be the best one. An analysis that may take more than
//! polynomial time has a limit, and reports if the limit cut it short. The longer polynomial
//! analyses have a budget. If the budget is exhausted, the result is an error, or fewer bounds.

pub mod bounds;
pub mod closed;
pub mod commoner;
mod connectivity;
mod elimination;
pub mod excluded;
pub mod facts;
pub mod flows;
pub mod graph;
pub mod incidence;
pub mod integer;
pub mod intervals;
pub mod keys;
pub mod minimal;
pub mod modulo;
pub mod semiflows;
pub mod siphons;
pub mod traps;
pub mod units;
pub mod workflow;
