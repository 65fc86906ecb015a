//! Certificates about a smaller net: how the net was reduced, and a certificate about the result.
//!
//! A structural reduction keeps the answer to the question that it was made for. Its log lists
//! which rule was applied where; the checker starts from the original net, checks the numbered
//! conditions of every application from scratch, applies it ([`CheckedReduction`]), translates the
//! claim to the net that comes out, and has a certificate about that net prove it.
//!
//! # What is trusted
//! That the rules, given their conditions, preserve what they say: each has its soundness argument
//! in the head of its file, and tests against enumeration. Conditions and changes are those of
//! [`crate::reduction`], the same code that reduced: the one place where a checker shares code with
//! what it checks. The search for applications, the order and all heuristics are not involved.
//! Whether the reduction preserves what the claim asks for is worked out anew from the claim.
//!
//! The inner certificate must not assume safe units: a model claims them of its own net.
//!
//! [`CheckedReduction`]: crate::reduction::CheckedReduction

use super::claim::Claim;
use super::text::FileError;
use crate::reduction::{LogError, LogFile};

/// A reduction and a certificate about the reduced net. Plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// What is proved of the original net.
    pub claims: Vec<Claim>,
    /// What was applied, in order.
    pub log: LogFile,
    /// The certificate about the reduced net, in whose names it is written.
    pub inner: serde_json::Value,
}

/// Why it is refused.
#[derive(Debug, thiserror::Error)]
pub enum ReducedFlaw {
    /// A step of the log does not hold.
    #[error("the reduction: {0}")]
    Log(#[from] LogError),
    /// A claim that the reduction was not made for, or that the reduced net does not express.
    #[error("the claim cannot be said of the reduced net")]
    NotTranslated,
    /// The inner certificate assumes safe units, or is about a net reduced once more.
    #[error("the certificate about the reduced net is of a kind that is not accepted there")]
    NotHere,
    /// The inner certificate cannot be read.
    #[error("the certificate about the reduced net: {0}")]
    File(#[from] FileError),
}
