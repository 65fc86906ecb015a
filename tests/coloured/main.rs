//! Coloured nets: their reader, their unfolding, and what examinations mean on them.

#[path = "../support/mod.rs"]
mod support;

mod malformed;
mod reader;
mod unfolding;
