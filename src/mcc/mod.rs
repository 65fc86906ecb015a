//! The Model Checking Contest: its names of examinations and techniques, and the BenchKit protocol.

pub mod benchkit;
mod examination;
pub mod techniques;

pub use examination::{Examination, UnknownExamination};
