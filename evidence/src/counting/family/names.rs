//! Family proofs in evidence files, with the names of places and transitions.

use super::{FamilyProof, FiringCounter, Growth};
use crate::certificate::Flaw;
use crate::kind::{EvidenceContent, EvidenceKind};
use parikh_net::{Net, PlaceId, TransitionId};
use serde::{Deserialize, Serialize};

/// A [`FamilyProof`] with names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedFamily {
    /// The transitions whose firings are counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<NamedCounter>,
    /// For each place invariant, its places with their weights.
    pub equations: Vec<Vec<(String, i64)>>,
    /// The weights of places whose sum increases along the steps.
    pub weights: Vec<(String, i64)>,
    /// Sequences of several transitions that are steps of the backward search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequences: Vec<Vec<String>>,
    /// For each additional equation, the multipliers of the equations that it combines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub combinations: Vec<Vec<i64>>,
    /// The growth of the initial marking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<NamedGrowth>,
}

/// A [`FiringCounter`] with names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCounter {
    /// The transition.
    pub transition: String,
    /// The weights by which a marking determines the number of firings.
    pub weights: Vec<(String, i64)>,
}

/// A [`Growth`] with names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedGrowth {
    /// The number n.
    pub n: u64,
    /// The tokens of each place that grows.
    pub tokens: Vec<(String, u64)>,
}

impl EvidenceContent for NamedFamily {
    const KIND: EvidenceKind = EvidenceKind::Family;
}

impl NamedFamily {
    /// Writes a proof about `net` with names.
    pub fn of(net: &Net, proof: &FamilyProof) -> NamedFamily {
        let weights = |terms: &Vec<(PlaceId, i64)>| {
            terms.iter().map(|&(p, weight)| (net.place_name(p).to_owned(), weight)).collect()
        };
        let names = |sequence: &Vec<TransitionId>| {
            sequence.iter().map(|&t| net.transition_name(t).to_owned()).collect()
        };
        let growth = |growth: &Growth| NamedGrowth {
            n: growth.n,
            tokens: growth
                .tokens
                .iter()
                .map(|&(p, tokens)| (net.place_name(p).to_owned(), tokens))
                .collect(),
        };
        let counter = |counter: &FiringCounter| NamedCounter {
            transition: net.transition_name(counter.transition).to_owned(),
            weights: weights(&counter.weights),
        };
        NamedFamily {
            counters: proof.counters.iter().map(counter).collect(),
            equations: proof.equations.iter().map(weights).collect(),
            weights: weights(&proof.weights),
            sequences: proof.sequences.iter().map(names).collect(),
            combinations: proof.combinations.clone(),
            growth: proof.growth.as_ref().map(growth),
        }
    }

    /// Returns the proof in the places and transitions of `net`.
    ///
    /// # Errors
    /// When a name is not known.
    pub fn resolve(&self, net: &Net) -> Result<FamilyProof, Flaw> {
        let place = |name: &String| -> Result<PlaceId, Flaw> {
            net.place_named(name).ok_or_else(|| Flaw::NoSuchName("place", name.clone()))
        };
        let transition = |name: &String| -> Result<TransitionId, Flaw> {
            net.transition_named(name).ok_or_else(|| Flaw::NoSuchName("transition", name.clone()))
        };
        let weights = |terms: &Vec<(String, i64)>| -> Result<Vec<(PlaceId, i64)>, Flaw> {
            terms.iter().map(|(name, weight)| Ok((place(name)?, *weight))).collect()
        };
        let growth = |growth: &NamedGrowth| -> Result<Growth, Flaw> {
            let tokens = growth.tokens.iter().map(|(name, tokens)| Ok((place(name)?, *tokens)));
            Ok(Growth { n: growth.n, tokens: tokens.collect::<Result<_, Flaw>>()? })
        };
        let counter = |counter: &NamedCounter| -> Result<FiringCounter, Flaw> {
            let transition = transition(&counter.transition)?;
            Ok(FiringCounter { transition, weights: weights(&counter.weights)? })
        };
        Ok(FamilyProof {
            counters: self.counters.iter().map(counter).collect::<Result<_, Flaw>>()?,
            equations: self.equations.iter().map(weights).collect::<Result<_, Flaw>>()?,
            weights: weights(&self.weights)?,
            sequences: self
                .sequences
                .iter()
                .map(|names| names.iter().map(transition).collect())
                .collect::<Result<_, Flaw>>()?,
            combinations: self.combinations.clone(),
            growth: self.growth.as_ref().map(growth).transpose()?,
        })
    }
}
