//! Certificates about a smaller net: how the net was reduced, and a certificate about the result.
//!
//! A structural reduction keeps the answer to the question that it was made for. Its log lists
//! which rule was applied where; the checker starts from the original net, checks the numbered
//! conditions of every application from scratch, applies it, translates the claims to the net that
//! comes out, and checks a certificate of exactly these claims about that net.
//!
//! # What is trusted
//! That the rules, given their conditions, preserve what they say: each has its soundness argument
//! in the head of its file, and tests against enumeration. Conditions and changes are those of
//! [`crate::reduction`], the same code that reduced: the one place where a checker shares code with
//! what it checks. The search for applications, the order and all heuristics are not involved.
//! What the certificate asks the reduction to preserve is worked out anew from the claims.
//!
//! The inner certificate must not assume safe units: a model claims them of its own net.

use super::document::{Document, DocumentFlaw};
use super::{Claim, Flaw};
use crate::reduction::{Fingerprint, LogError, LogFile, Needs, redo};
use parikh_evidence::certificate::{FileError, check_predicate};
use parikh_net::{Goal, Net};

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
    /// The claim names nodes that do not exist.
    #[error("{0}")]
    Name(#[from] Flaw),
    /// A step of the log does not hold.
    #[error("the reduction: {0}")]
    Log(#[from] LogError),
    /// The log was made for other questions.
    #[error("the reduction was not made for these claims")]
    OtherNeeds,
    /// A claim that the reduced net does not express.
    #[error("claim {0} cannot be translated to the reduced net")]
    NotTranslated(usize),
    /// The inner certificate proves something else.
    #[error("the certificate about the reduced net does not prove claim {0} as it reads there")]
    OtherClaim(usize),
    /// The inner certificate assumes safe units, or is about a net reduced once more.
    #[error("the certificate about the reduced net is of a kind that is not accepted there")]
    NotHere,
    /// The inner certificate cannot be read.
    #[error("the certificate about the reduced net: {0}")]
    File(#[from] FileError),
    /// The inner certificate is refused.
    #[error("the certificate about the reduced net: {0}")]
    Inner(#[from] Box<DocumentFlaw>),
}

impl Reduced {
    /// Accepts it if the reduction may be made and the inner certificate proves all claims.
    ///
    /// # Errors
    /// The first flaw found; it says nothing about the claims.
    pub fn check(&self, net: &Net) -> Result<(), ReducedFlaw> {
        for claim in &self.claims {
            check_predicate(net, &claim.refuted())?;
        }
        let goals: Vec<Goal> = self.claims.iter().map(Claim::goal).collect();
        let needs = Needs::of_goals(net, &goals);
        let (listed, log) = self.log.resolve(net)?;
        if !covers(&listed, &needs) {
            return Err(ReducedFlaw::OtherNeeds);
        }
        let reduction = redo(net, &listed, &log)?;
        if Fingerprint::of(&reduction.net) != self.log.reduced {
            return Err(LogError::OtherNet.into());
        }
        let (inner, _) = Document::parse(&reduction.net, &self.inner.to_string())?;
        if inner.assumes_units() || matches!(inner, Document::Reduced(_)) {
            return Err(ReducedFlaw::NotHere);
        }
        let proved = inner.claims();
        for (index, claim) in self.claims.iter().enumerate() {
            let claim = reduction.translate_claim(net, claim);
            let claim = claim.ok_or(ReducedFlaw::NotTranslated(index))?;
            if !proved.contains(&&claim) {
                return Err(ReducedFlaw::OtherClaim(index));
            }
        }
        Ok(inner.check(&reduction.net).map_err(Box::new)?)
    }
}

/// Whether what is listed, in order, is as much as is needed.
fn covers(listed: &Needs, needs: &Needs) -> bool {
    listed.preserve.covers(needs.preserve)
        && needs.support.iter().all(|place| listed.support.binary_search(place).is_ok())
        && needs.protected.iter().all(|t| listed.protected.binary_search(t).is_ok())
}
