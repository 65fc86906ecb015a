//! Evidence: what makes a claim checkable, and the checks.
//!
//! This crate knows nets and file formats only: no solver, no engine, no floating point. A *witness*
//! is a firing sequence, replayed on the original net; a *document* ([`certificate`]) refutes claims,
//! and is re-checked down to the last integer.

#![forbid(unsafe_code)]

pub mod audit;
pub mod certificate;
pub mod file;
pub mod home;
pub mod reader;
pub mod reduction;
pub mod refutation;
mod replay;
mod unit_claim;
pub mod words;

pub use certificate::{Checked, Claim, Document, DocumentFlaw, Flaw, LinearCertificate};
pub use replay::{PumpError, ReplayError, Replayer, check_pump, pump_grows, replay};
pub use unit_claim::first_breach;

use parikh_net::FiringSequence;
use std::sync::Arc;

/// A firing sequence from the initial marking to what it witnesses: the first `firings` firings of
/// a sequence that many witnesses of one walk share.
#[derive(Clone, Debug)]
pub struct Witness {
    sequence: Arc<FiringSequence>,
    firings: u64,
}

impl Witness {
    /// The first `firings` firings of `sequence`.
    pub fn new(sequence: Arc<FiringSequence>, firings: u64) -> Self {
        Witness { sequence, firings }
    }

    /// The sequence that it is the beginning of.
    pub fn sequence(&self) -> &Arc<FiringSequence> {
        &self.sequence
    }

    /// The number of firings.
    pub fn firings(&self) -> u64 {
        self.firings
    }

    /// The sequence by itself.
    pub fn to_sequence(&self) -> FiringSequence {
        let mut prefix = FiringSequence::new();
        let mut left = self.firings;
        for step in self.sequence.steps() {
            let count = step.count.min(left);
            prefix.push(step.transition, count);
            left -= count;
            if left == 0 {
                break;
            }
        }
        prefix
    }
}
