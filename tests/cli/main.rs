//! `parikh` as a user meets it: the built binary, files, pipes, signals.

#[path = "../support/mod.rs"]
mod support;

mod check;
mod draw;
mod encode;
mod formulas;
mod processes;
mod readme;
mod reduce;
mod structure;
mod verdicts;
