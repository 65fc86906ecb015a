//! Code shared by the test programs `soundness`, `evidence`, `input`, `coloured` and `cli`. Each
//! of these programs contains
//!
//! ```text
//! #[path = "../support/mod.rs"]
//! mod support;
//! ```
//!
//! - [`oracle`]: the enumerator that results are compared with
//! - [`binary`]: runs of `parikh`
//! - [`scale`]: the number of random cases
//! - [`nets`]: modified nets
//! - [`shrinking`]: minimisation of a random net on which a test fails
//! - [`processes`]: random processes
//! - [`coloured`]: coloured nets as files
//! - [`documents`]: proofs of every kind, and the checker's verdicts on them
//! - [`extended`]: random nets with inhibitor, read and reset arcs, and an enumerator for them
//! - [`extended_formulas`]: random formulas about these nets, and their evaluation
//! - [`questions`]: random formulas
//! - [`spellings`]: the syntax of formulas in each language
//! - [`runs`]: existence of runs with a property
//! - [`trees`]: evaluation of properties of the computation tree
//! - [`schema`]: checks of JSON against a schema
//! - [`outside`]: resources that not every machine has, such as the contest's archives

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
