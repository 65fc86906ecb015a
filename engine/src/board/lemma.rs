//! Explanation of a certificate's lemma for users: which places are never marked together.
//!
//! A lemma states that some comparisons never hold together. If each says that one place holds at
//! least a number of tokens, this is worth reporting, whatever the lemma rests on. A lemma without
//! traps and units has weights w with w·m ≤ w·m₀ in every reachable marking m, and these places
//! together would exceed w·m₀. The sum may be too long to print; then its number of places is
//! printed.

use super::Proof;
use parikh_evidence::certificate::{Document, Lemma};
use parikh_evidence::words;
use parikh_net::{Atom, LinearSum, Net, PlaceId, Predicate};
use parikh_structure::excluded::{MAX_TERMS, impossibility, required_tokens};
use std::collections::BTreeSet;

/// The explanation of a lemma.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LemmaExplanation {
    /// The sentence.
    pub text: String,
    /// Places that never hold these numbers of tokens at the same time.
    pub together: Vec<(PlaceId, u64)>,
    /// All places in the sentence.
    pub places: BTreeSet<PlaceId>,
}

/// Explains why no reachable marking satisfies `predicate`, from a certificate about the net
/// itself: "`p` and `q` are never marked together, as a weighted sum of tokens on 40 places never
/// grows".
pub fn why_never(net: &Net, predicate: &Predicate, proof: &Proof) -> Option<LemmaExplanation> {
    // Users do not know all places of a translated net.
    let is_model = net.translation().is_none();
    if !is_model || proof.abstracted || proof.reduced.is_some() {
        return None;
    }
    let Document::Linear(certificate) = proof.document.as_deref()? else { return None };
    let wanted = required_tokens(net, predicate)?;
    let found = certificate.lemmas.iter().find_map(|lemma| {
        let atoms = lemma.atoms.iter().map(|&(at, _)| marked(certificate.atoms.get(at)?));
        let atoms: Vec<(PlaceId, u64)> = atoms.collect::<Option<_>>()?;
        let is_wanted = |&(place, tokens): &(PlaceId, u64)| {
            wanted.iter().any(|&(other, most)| other == place && most >= tokens)
        };
        (!atoms.is_empty() && atoms.iter().all(is_wanted)).then_some((lemma, atoms))
    });
    let (lemma, mut together) = found?;
    together.sort_unstable();
    let never = impossibility(net, &together);
    let mut places: BTreeSet<PlaceId> = together.iter().map(|&(place, _)| place).collect();
    // If firings are counted as well, the weights are more than a sum of tokens.
    let counts = lemma.weights.iter().any(|&(place, _)| place.index() >= net.place_count());
    let rests_on_more = !lemma.traps.is_empty() || !lemma.lower_bounds.is_empty();
    if rests_on_more || !lemma.units.is_empty() || counts {
        return Some(LemmaExplanation { text: never, together, places });
    }
    let text = match readable(net, lemma) {
        Some(sum) => {
            places.extend(lemma.weights.iter().map(|&(place, _)| place));
            format!("{sum}, so {never}")
        }
        None => {
            let many = lemma.weights.len();
            format!("{never}, as a weighted sum of tokens on {many} places never grows")
        }
    };
    Some(LemmaExplanation { text, together, places })
}

/// Returns p and k if the atom is `p >= k` for a single place p.
fn marked(atom: &Atom) -> Option<(PlaceId, u64)> {
    match *atom.sum.terms() {
        [(place, factor)] if factor < 0 && atom.bound < 0 => {
            Some((place, atom.bound.unsigned_abs().div_ceil(factor.unsigned_abs())))
        }
        _ => None,
    }
}

/// Prints the weights as an inequality if it is short: `p + q` never exceeds 1.
fn readable(net: &Net, lemma: &Lemma) -> Option<String> {
    if lemma.weights.len() > MAX_TERMS || lemma.weights.is_empty() {
        return None;
    }
    let own = |&(place, weight): &(PlaceId, i128)| {
        (place.index() < net.place_count()).then_some((place, i64::try_from(weight).ok()?))
    };
    let weights: Vec<(PlaceId, i64)> = lemma.weights.iter().map(own).collect::<Option<_>>()?;
    let sum = LinearSum::new(weights).ok()?;
    let most = sum.value(net.initial());
    Some(format!("{} never exceeds {most}", words::linear_sum(net, &sum)))
}
