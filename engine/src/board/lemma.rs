//! Explains to users why a predicate is unreachable: some places are never marked together.
//!
//! A lemma of a linear certificate states that some comparisons never hold together. A lemma is
//! used here if each comparison says that one place holds at least a number of tokens. If the lemma
//! rests on neither traps nor safe units, it has weights w with w·m ≤ w·m₀ in every reachable
//! marking m. A marking that satisfies all its comparisons would exceed w·m₀. The explanation
//! states this weighted sum, or only its number of places if the sum is too long to print.

use super::Proof;
use parikh_evidence::certificate::{Document, Lemma};
use parikh_net::{Atom, LinearSum, Net, PlaceId, Predicate};
use parikh_structure::excluded::{MAX_TERMS, required_tokens};

/// The explanation of an unreachable predicate by a lemma: numbers of tokens that the predicate
/// requires never occur together in a reachable marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LemmaExplanation {
    /// Places with numbers of tokens. In no reachable marking does every listed place hold at least
    /// its number of tokens.
    pub together: Vec<(PlaceId, u64)>,
    /// The weighted sum of tokens that excludes the markings described by `together`.
    pub sum: LemmaSum,
}

/// The weighted sum of tokens of a lemma.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LemmaSum {
    /// A readable sum that never exceeds its initial value.
    Short {
        /// The sum.
        sum: LinearSum,
        /// The value of the sum in the initial marking, which is also its maximum.
        most: i128,
    },
    /// A sum that never exceeds its initial value, with too many terms or too large weights to
    /// print.
    Long {
        /// The number of terms of the sum.
        places: usize,
    },
    /// The lemma needs more than a weighted sum of tokens: traps, lower bounds, safe units or
    /// counts of firings.
    Mixed,
}

/// Explains why no reachable marking satisfies `predicate`: some places never hold enough tokens at
/// the same time. The explanation comes from a linear certificate about the net itself. Returns
/// `None` for another proof, and for a translated, reduced or abstracted net. Also returns `None`
/// if no lemma of the certificate excludes numbers of tokens that every marking with the predicate
/// needs.
pub fn why_never(net: &Net, predicate: &Predicate, proof: &Proof) -> Option<LemmaExplanation> {
    // Users do not know all places of a translated net.
    let is_untranslated = net.translation().is_none();
    if !is_untranslated || proof.abstracted || proof.reduced.is_some() {
        return None;
    }
    let Document::Linear(certificate) = proof.document.as_deref()? else { return None };
    let required = required_tokens(net, predicate)?;
    let found = certificate.lemmas.iter().find_map(|lemma| {
        let atoms = lemma.atoms.iter().map(|&(at, _)| as_lower_bound(certificate.atoms.get(at)?));
        let atoms: Vec<(PlaceId, u64)> = atoms.collect::<Option<_>>()?;
        let is_wanted = |&(place, tokens): &(PlaceId, u64)| {
            required.iter().any(|&(other, most)| other == place && most >= tokens)
        };
        (!atoms.is_empty() && atoms.iter().all(is_wanted)).then_some((lemma, atoms))
    });
    let (lemma, mut together) = found?;
    together.sort_unstable();
    // If firings are counted as well, the weights are more than a sum of tokens.
    let counts_firings = lemma.weights.iter().any(|&(place, _)| place.index() >= net.place_count());
    let rests_on_more = !lemma.traps.is_empty() || !lemma.lower_bounds.is_empty();
    let sum = match rests_on_more || !lemma.units.is_empty() || counts_firings {
        true => LemmaSum::Mixed,
        false => readable(net, lemma).unwrap_or(LemmaSum::Long { places: lemma.weights.len() }),
    };
    Some(LemmaExplanation { together, sum })
}

/// Returns p and k if the atom is equivalent to `p >= k` for a single place p and k ≥ 1. Returns
/// `None` for another atom.
fn as_lower_bound(atom: &Atom) -> Option<(PlaceId, u64)> {
    match *atom.sum.terms() {
        [(place, factor)] if factor < 0 && atom.bound < 0 => {
            Some((place, atom.bound.unsigned_abs().div_ceil(factor.unsigned_abs())))
        }
        _ => None,
    }
}

/// Returns the weights of a lemma as a sum that is short enough to be read. Returns `None` if there
/// are no weights, too many weights, or weights beyond 64 bits.
fn readable(net: &Net, lemma: &Lemma) -> Option<LemmaSum> {
    if lemma.weights.len() > MAX_TERMS || lemma.weights.is_empty() {
        return None;
    }
    let place_term = |&(place, weight): &(PlaceId, i128)| {
        (place.index() < net.place_count()).then_some((place, i64::try_from(weight).ok()?))
    };
    let weights: Vec<(PlaceId, i64)> =
        lemma.weights.iter().map(place_term).collect::<Option<_>>()?;
    let sum = LinearSum::new(weights).ok()?;
    Some(LemmaSum::Short { most: sum.value(net.initial()), sum })
}
