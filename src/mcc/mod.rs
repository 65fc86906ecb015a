//! The Model Checking Contest: the names of its examinations and the BenchKit protocol.

pub mod benchkit;
mod examination;

pub use examination::{Examination, UnknownExamination};
