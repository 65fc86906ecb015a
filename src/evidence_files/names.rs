//! Conversion of certificates to their form in files, which has names of nodes in place of indices.

use parikh_evidence::Document;
use parikh_evidence::certificate::bounds::{BoundStep, TokenBound};
use parikh_evidence::certificate::closed_set::ClosedSet;
use parikh_evidence::certificate::{
    BoundsCertificate, Induction, Lemma, LinearCertificate, LowerBound, NamedComparison,
    NamedDocument, Precedence, count,
};
use parikh_evidence::home::undoable_firings::UndoProof;
use parikh_evidence::home::{HomeArgument, NamedHomeArgument};
use parikh_net::{Atom, Net, PlaceId, TransitionId, UnitId};
use std::borrow::Cow;
use std::convert::Infallible;

/// Converts a certificate about `net` to its form in files, which [`NamedDocument::resolve`] reads.
pub fn document_in_names(document: &Document, net: &Net) -> NamedDocument {
    match document {
        Document::Linear(certificate) => Document::Linear(linear(certificate, net)),
        Document::Bounds(certificate) => Document::Bounds(bounds(certificate, net)),
        Document::Induction(certificate) => Document::Induction(Induction {
            bounds: bounds(&certificate.bounds, net),
            atoms: certificate.atoms.iter().map(|atom| comparison(atom, net)).collect(),
            remainders: certificate.remainders.clone(),
            clauses: certificate.clauses.clone(),
            steps: certificate.steps.clone(),
            ending: certificate.ending.clone(),
        }),
        Document::Markings(count) => Document::Markings(*count),
        Document::ClosedSet(ClosedSet { order, nodes, root }) => {
            let order = order.iter().map(|&place| net.place_name(place).to_owned()).collect();
            Document::ClosedSet(ClosedSet { order, nodes: nodes.clone(), root: *root })
        }
    }
}

/// Converts an argument about `net` to its form in files, which [`NamedHomeArgument::resolve`]
/// reads.
pub fn structure_in_names(structure: &HomeArgument, net: &Net) -> NamedHomeArgument {
    let place = |&place: &PlaceId| net.place_name(place).to_owned();
    let transition = |&t: &TransitionId| net.transition_name(t).to_owned();
    let sets = |sets: &[Vec<PlaceId>]| -> Vec<Vec<String>> {
        sets.iter().map(|set| set.iter().map(place).collect()).collect()
    };
    match structure {
        HomeArgument::Finitely(weights) => {
            HomeArgument::Finitely(weights.iter().map(|(p, weight)| (place(p), *weight)).collect())
        }
        HomeArgument::Commoner { traps, refutation } => {
            HomeArgument::Commoner { traps: sets(traps), refutation: refutation.clone() }
        }
        HomeArgument::Closed { traps, refutation } => {
            HomeArgument::Closed { traps: sets(traps), refutation: refutation.clone() }
        }
        HomeArgument::Undone(all) => {
            // Every node has a name, so this does not fail.
            let named = |undoing: &UndoProof| {
                undoing.renamed(&|p| Ok(place(p)), &|t| Ok(transition(t))).ok()
            };
            HomeArgument::Undone(all.iter().filter_map(named).collect())
        }
        HomeArgument::Returning(returning) => {
            let (place, transition) =
                (|p: &PlaceId| Ok(place(p)), |t: &TransitionId| Ok(transition(t)));
            let document = |document: &Document| Ok(document_in_names(document, net));
            match returning.renamed(&place, &transition, &document) {
                Ok(named) => HomeArgument::Returning(Box::new(named)),
                Err(_) => unreachable!("every node has a name"),
            }
        }
        HomeArgument::Lost { after, document } => HomeArgument::Lost {
            after: after.iter().map(|(t, count)| (transition(t), *count)).collect(),
            document: document_in_names(document, net),
        },
        HomeArgument::Visited(markings) => HomeArgument::Visited(*markings),
    }
}

fn linear(
    certificate: &LinearCertificate,
    net: &Net,
) -> LinearCertificate<String, String, String, NamedComparison> {
    // An error is possible only for a transition that does not exist, and such a certificate was
    // never accepted.
    let counting_net = count(net, &certificate.counters).unwrap_or(Cow::Borrowed(net));
    let place = |&place: &PlaceId| counting_net.place_name(place).to_owned();
    let transition = |&t: &TransitionId| net.transition_name(t).to_owned();
    let unit = |unit: UnitId| match net.units() {
        Some(units) => units.get(unit).name.to_string(),
        None => String::new(),
    };
    let lemma = |lemma: &Lemma| Lemma {
        atoms: lemma.atoms.clone(),
        traps: lemma.traps.clone(),
        lower_bounds: lemma.lower_bounds.clone(),
        units: lemma.units.iter().map(|&(u, factor)| (unit(u), factor)).collect(),
        weights: lemma.weights.iter().map(|(p, weight)| (place(p), *weight)).collect(),
    };
    let named = |precedence: &Precedence| {
        let named = precedence.renamed(|p| Ok::<_, Infallible>(place(p)), |atom| atom);
        named.unwrap_or_else(|never| match never {})
    };
    let lower_bound = |LowerBound { weights, tokens }: &LowerBound| {
        let weights = weights.iter().map(|(p, weight)| (place(p), *weight)).collect();
        LowerBound { weights, tokens: *tokens }
    };
    let counters = certificate.counters.iter();
    LinearCertificate {
        assumes_units: certificate.assumes_units,
        counters: counters.map(|set| set.iter().map(transition).collect()).collect(),
        atoms: certificate.atoms.iter().map(|atom| comparison(atom, &counting_net)).collect(),
        traps: certificate.traps.iter().map(|trap| trap.iter().map(place).collect()).collect(),
        bounds: bounds(&certificate.bounds, &counting_net),
        lower_bounds: certificate.lower_bounds.iter().map(lower_bound).collect(),
        precedences: certificate.precedences.iter().map(named).collect(),
        lemmas: certificate.lemmas.iter().map(lemma).collect(),
        steps: certificate.steps.clone(),
    }
}

fn comparison(Atom { sum, bound }: &Atom, net: &Net) -> NamedComparison {
    let term = |&(place, a): &(PlaceId, i64)| (net.place_name(place).to_owned(), a);
    NamedComparison { sum: sum.terms().iter().map(term).collect(), bound: *bound }
}

fn bounds(
    BoundsCertificate { assumes_units, steps }: &BoundsCertificate,
    net: &Net,
) -> BoundsCertificate<String> {
    let steps = steps.iter().map(|step| inference(step, net)).collect();
    BoundsCertificate { assumes_units: *assumes_units, steps }
}

fn inference(step: &BoundStep, net: &Net) -> BoundStep<String> {
    let place = |place: PlaceId| net.place_name(place).to_owned();
    let named_bounds = |bounds: &[TokenBound]| -> Vec<TokenBound<String>> {
        let bound = |bound: &TokenBound| TokenBound {
            place: place(bound.place),
            upper: bound.upper,
            tokens: bound.tokens,
        };
        bounds.iter().map(bound).collect()
    };
    match step {
        BoundStep::Inductive(bounds) => BoundStep::Inductive(named_bounds(bounds)),
        BoundStep::Weighted { weights, bounds } => BoundStep::Weighted {
            weights: weights.iter().map(|&(p, weight)| (place(p), weight)).collect(),
            bounds: named_bounds(bounds),
        },
        BoundStep::SafeUnits(places) => {
            BoundStep::SafeUnits(places.iter().copied().map(place).collect())
        }
    }
}
