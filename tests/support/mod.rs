//! What the test programs `soundness`, `evidence`, `input` and `cli` share, declared in each as
//!
//! ```text
//! #[path = "../support/mod.rs"]
//! mod support;
//! ```
//!
//! [`oracle`] is the enumerator that everything is compared with, [`binary`] the way to run
//! `parikh`, [`scale`] how many random cases are tried, [`nets`] what is done to nets,
//! [`shrinking`] how a failure on a random net becomes one on a small net, [`processes`] random
//! processes, [`coloured`] coloured nets as files, [`questions`] random formulas, [`spellings`] how
//! they are written in each language, [`runs`] whether there is a run, [`trees`] what is true of
//! their tree, [`schema`] whether JSON is as a schema has it, [`outside`] what is not everywhere:
//! the contest's archives, other programs.

#![allow(dead_code, reason = "each test program uses its own part of it")]

pub(crate) mod binary;
pub(crate) mod coloured;
pub(crate) mod documents;
pub(crate) mod extended;
pub(crate) mod extended_formulas;
pub(crate) mod nets;
pub(crate) mod oracle;
pub(crate) mod outside;
pub(crate) mod processes;
pub(crate) mod questions;
pub(crate) mod runs;
pub(crate) mod scale;
pub(crate) mod schema;
pub(crate) mod shrinking;
pub(crate) mod spellings;
pub(crate) mod trees;
