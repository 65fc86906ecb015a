//! What can be said of a net from its structure, exactly.

pub mod elimination;
pub mod flows;
pub mod incidence;
pub mod integer;
pub mod semiflows;
