//! Structural reductions: the part that must be correct for the results to be correct.
//!
//! A reduction makes a smaller net that has the same answers to some questions, which [`Needs`]
//! describes. It is a sequence of applications of [rules]. A [`NamedLog`] records each application
//! by its rule and its places and transitions. This module contains the numbered [conditions] of
//! each rule with their soundness proofs, the only code that [changes](change) a net, and
//! [`redo()`], which checks a log step by step. The result of this check is a [`CheckedReduction`].
//! The search for candidates, the order of the rules, and the back-translation of firing sequences
//! are elsewhere.
//!
//! # Contents
//! [`work`] is the net under reduction, [`conditions`] the interface of a rule, [`rules`] has one
//! rule per file, and [`translation`] relates the reduced net to the original one.

pub mod change;
mod checked;
mod compose;
pub mod conditions;
mod finish;
pub mod log;
pub mod needs;
mod redo;
pub mod rules;
pub mod translation;
mod weighted_sum;
pub mod work;

pub use change::{Edit, Equality, InvalidProposal, apply};
pub use checked::CheckedReduction;
pub use conditions::{AssumedCondition, Candidate, Conditions, Context, propose};
pub use finish::{NetCompletion, finish};
pub use log::{LogError, LogStep, NamePrefixes, NamedLog};
pub use needs::{Needs, PredicateForm, Preserve};
pub use redo::{EditObserver, redo};
pub use translation::{FiringMap, ReducedNet};
pub use weighted_sum::WeightedSum;
pub use work::WorkNet;
