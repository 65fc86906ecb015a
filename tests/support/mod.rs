//! What the test programs `soundness`, `evidence`, `input` and `cli` share, declared in each as
//!
//! ```text
//! #[path = "../support/mod.rs"]
//! mod support;
//! ```
//!
//! [`oracle`] is the enumerator that everything is compared with, [`binary`] the way to run `parikh`.

#![allow(dead_code, reason = "each test program uses its own part of it")]

pub(crate) mod binary;
pub(crate) mod oracle;
