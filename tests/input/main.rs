//! Tests of the readers: nets, queries, formulas and verdict files, valid and invalid.

#[path = "../support/mod.rs"]
mod support;

mod contest;
mod foreign;
mod formats;
mod formula_archives;
mod formulas;
mod formulas_2011;
mod fuzz;
mod languages;
mod logics;
mod lowering;
mod outline;
mod pipe;
mod pnml;
mod queries;
mod runs;
mod verdict_files;
