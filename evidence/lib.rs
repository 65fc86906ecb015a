//! Provisional.
#![forbid(unsafe_code)]
pub mod reader;
