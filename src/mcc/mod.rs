//! The Model Checking Contest: the names of its examinations and the BenchKit protocol.

mod examination;

pub use examination::{Examination, UnknownExamination};
