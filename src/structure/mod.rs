//! What can be said of a net from its structure, exactly.

pub mod bounds;
pub mod closed;
pub mod commoner;
mod connectivity;
pub mod elimination;
pub mod flows;
pub mod incidence;
pub mod integer;
pub mod keys;
pub mod minimal;
pub mod rup;
pub mod sat;
pub mod semiflows;
pub mod siphons;
pub mod traps;
pub mod units;
