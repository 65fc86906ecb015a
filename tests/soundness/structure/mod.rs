//! Structural algorithms on random small nets, against slow and literal readings of what they
//! should find.

mod flows;
mod keys;
mod plain;
mod siphons;
