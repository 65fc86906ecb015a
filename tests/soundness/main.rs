//! Soundness tests: no engine, rule or encoding contradicts plain enumeration, or fails at its
//! limits.

#[path = "../support/mod.rs"]
mod support;

mod capabilities;
mod cases;
mod combinations;
mod counting;
mod coverability;
mod each_node;
#[cfg(feature = "z3")]
mod encodings;
mod engines;
mod examinations;
mod explicit;
mod explicit_limits;
mod extended;
mod extended_caps;
mod extended_formulas;
mod extended_processes;
mod failing_engines;
#[cfg(feature = "z3")]
mod families;
#[cfg(feature = "z3")]
mod families_made;
mod growing;
mod homes;
mod level_groups;
mod loops;
mod oracle;
mod pdr;
mod pipeline;
mod processes;
mod propositional;
mod reduction_limits;
mod reduction_regressions;
mod reductions;
mod runs;
mod shrinking;
#[cfg(feature = "z3")]
mod smt;
mod state_equation;
mod structure;
mod systems;
mod trees;
mod units;
mod walk;
mod walk_limits;
