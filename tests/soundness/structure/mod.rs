//! Structural algorithms on random small nets, against slow implementations of their definitions.

mod flows;
mod keys;
mod plain;
mod siphons;
