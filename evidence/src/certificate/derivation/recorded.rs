//! Facts that hold in every reachable marking, in the form that an SMT solver needs to find the
//! derivations itself.
//!
//! The facts are recorded in the order in which a file of claims proves them. The facts that do not
//! follow from others are an inductive invariant: the first fact that a firing makes false would
//! contradict the facts before the firing, and earlier facts after the firing.

use super::formula::Formula;
use std::collections::HashMap;
use std::rc::Rc;

/// A fact that holds in every reachable marking.
#[derive(Clone, Debug)]
pub(crate) struct RecordedFact {
    /// The number of the fact in the file of claims.
    pub(crate) number: usize,
    /// The fact.
    pub(crate) formula: Formula,
    /// The proof that firings preserve the fact.
    pub(crate) proof: FactProof,
}

/// The proof of a fact. Facts are named by their numbers.
#[derive(Clone, Debug)]
pub(crate) enum FactProof {
    /// No proof: the fact is an assumption.
    Assumed,
    /// In every marking, the fact follows from these earlier facts.
    Follows(Vec<usize>),
    /// A firing preserves the fact if all facts hold before it.
    Preserved,
    /// A firing preserves the fact if all facts hold before it, and the upper bounds of the places
    /// that gain tokens hold after it. The map has the fact for each place that has a bound.
    PreservedWithin(Rc<HashMap<usize, usize>>),
}
