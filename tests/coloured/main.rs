//! Tests of coloured nets: their reader, their unfolding, and the meaning of examinations.

#[path = "../support/mod.rs"]
mod support;

mod audit;
mod cli;
mod examinations;
mod keys;
mod malformed;
mod nonsense;
mod quotients;
mod reader;
mod spellings;
mod styles;
mod twins;
mod unfolding;
mod without_unfolding;
