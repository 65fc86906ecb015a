//! Coloured nets: their reader, their unfolding, and what examinations mean on them.

#[path = "../support/mod.rs"]
mod support;

mod cli;
mod examinations;
mod malformed;
mod reader;
mod unfolding;
mod without_unfolding;
