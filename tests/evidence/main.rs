//! Tests of evidence: refuted goals have certificates, the checkers accept nothing false, and
//! assumptions are named.

#[path = "../support/mod.rs"]
mod support;

mod certificate_mutations;
mod closed_sets;
mod each_node;
mod extended;
mod figures;
mod files;
mod grammars;
mod homes;
mod linear_mutations;
mod loops;
mod moved;
mod names;
mod precedences;
mod pumps;
mod readings;
mod returning;
mod run_questions;
mod runs;
mod said;
mod systems;
mod tree_questions;
mod trial;
mod typed;
mod unit_claims;
mod wrong_question;
