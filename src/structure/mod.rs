//! What can be said of a net from its structure: exactly, fast, and with the reason.
//!
//! | module | says | by |
//! |---|---|---|
//! | [`flows`] | which sums of tokens never change, which firings change nothing | integer elimination |
//! | [`semiflows`] | all such of minimal support, as far as asked | double description |
//! | [`modulo`] | which sums of tokens never change their remainder | the same, modulo small powers of primes |
//! | [`bounds`] | how many tokens a place may hold at most and must hold at least | flows |
//! | [`intervals`] | the range of tokens on each place, as far as the arcs and what else is known tell | one pass over the arcs |
//! | [`units`] | which claims of the model's nested units are proved, not assumed | semiflows |
//! | [`siphons`], [`traps`] | which sets stay empty, which stay marked | worklist |
//! | [`minimal`] | all minimal ones, as far as asked | SAT |
//! | [`commoner`] | that no dead marking is reachable, with a certificate | SAT and traps |
//! | [`excluded`] | which transitions never fire because a sum of tokens is too small | semiflows |
//! | [`facts`] | what encodings use of all this | |
//! | [`workflow`] | whether a net is a workflow net, and where a case begins and ends | paths |
//! | [`keys`] | the fifteen structural keys of a contest model form | a look at each arc |
//!
//! Below them: [`incidence`] (the matrix), [`integer`] (numbers that do not overflow), [`closed`]
//! (siphons and traps as one notion).
//!
//! Nothing here is approximate. What takes more than polynomial time has a limit and says when it
//! was cut short; what takes polynomial time has a budget, and its end is an error or, for bounds,
//! fewer of them.

pub mod bounds;
pub mod closed;
pub mod commoner;
mod connectivity;
mod elimination;
pub mod excluded;
pub mod facts;
pub mod flows;
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
