//! The crate [`parikh_evidence`], and documents, whose checker still needs the reductions here.

mod document;
mod reduced;

pub use document::{Document, DocumentFlaw};
pub use parikh_evidence::*;

/// Certificates of the impossible, and their checkers.
pub mod certificate {
    pub use super::document::{Document, DocumentFlaw};
    pub use super::reduced::{Reduced, ReducedFlaw};
    pub use parikh_evidence::certificate::*;
}
