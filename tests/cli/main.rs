//! Command-line tests of `parikh` with the built binary: files, pipes, signals.

#[path = "../support/mod.rs"]
mod support;

mod assumptions;
mod check;
mod claims;
mod contest_kit;
mod dead_markings;
mod draw;
mod each_node;
mod encode;
mod encode_heads;
mod extended_processes;
mod formulas;
mod graph;
mod guide;
mod harmful;
mod json;
mod play;
mod printed;
mod processes;
mod progress;
mod readme;
mod reduce;
mod report;
#[cfg(all(feature = "serve", target_os = "linux"))]
mod serve;
mod smtlib;
mod states;
mod structure;
mod systems;
mod unbounded;
mod verdicts;
