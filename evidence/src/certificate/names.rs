//! Documents in files: places, transitions and units are given by name.
//!
//! ```json
//! {"bounds": {"assumes_units": false,
//!             "steps": [{"inductive": [{"place": "dead", "upper": true, "tokens": 0}]},
//!                       {"weighted": {"weights": [["lock", 1], ["in1", 1], ["in2", 1]],
//!                                     "bounds": [{"place": "lock", "upper": true, "tokens": 1}]}},
//!                       {"safe_units": ["idle1"]}]}}
//! {"linear": {"assumes_units": false, "counters": [],
//!             "atoms": [{"sum": [["in1", -1]], "bound": -1}, {"sum": [["in2", -1]], "bound": -1}],
//!             "traps": [],
//!             "lemmas": [{"atoms": [[0, 1], [1, 1]], "traps": [], "units": [],
//!                         "weights": [["lock", 1], ["in1", 1], ["in2", 1]]}],
//!             "steps": []}}
//! {"induction": {"bounds": {"assumes_units": false, "steps": []},
//!                "atoms": [{"sum": [["in1", 1], ["in2", 1]], "bound": 1}, {"sum": [["lock", -1]], "bound": -1}],
//!                "clauses": [[1], [-1, 2]], "steps": [], "ending": []}}
//! {"markings": 3}
//! {"closed_set": {"order": ["p", "q"], "nodes": [[0, 1, 0], [1, 2, 0]], "root": 3}}
//! ```
//!
//! Lower bounds, if any, stand after the traps, with the bounds on places that they use: `"bounds":
//! {"assumes_units": false, "steps": []}, "lower_bounds": [{"weights": [["stock", 1]], "tokens":
//! 2}]`. A lemma refers to a lower bound by its index: `"lower_bounds": [[0, 1]]`.
//!
//! With `"counters": [["t", "u"]]`, sets of transitions whose firings are counted, the places
//! `firings#0`, `firings#1` … count them. Precedences, if any, stand between traps and lemmas:
//! `"precedences": [{"unfed": {"places": ["p"], "idle": 0, "fed": 1}}, {"kept": {"places": ["q"],
//! "idle": 2, "marked": 3}}]`, with comparisons by their index. Multipliers, and the weights of
//! lemmas and of weighted bounds, may have up to 127 bits. All other integers have at most 64 bits.

use super::bounds::{BoundStep, BoundsCertificate, TokenBound};
use super::closed_set::ClosedSet;
use super::counters;
use super::document::Document;
use super::flaw::Flaw;
use super::induction::Induction;
use super::lemma::Lemma;
use super::linear::LinearCertificate;
use super::lower_bound::LowerBound;
use parikh_net::{Atom, LinearSum, Net, PlaceId, UnitId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A document with names instead of ids.
pub type NamedDocument = Document<String, String, String, NamedComparison>;

/// A linear comparison with names: the sum is at most the bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedComparison {
    /// Places with their coefficients.
    pub sum: Vec<(String, i64)>,
    /// The upper bound on the sum.
    pub bound: i64,
}

impl NamedDocument {
    /// Returns the document with the ids of `net`, without checking it.
    ///
    /// # Errors
    /// When a name is not known, or a comparison or the net with counters is too large.
    pub fn resolve(&self, net: &Net) -> Result<Document, Flaw> {
        Ok(match self {
            Document::Linear(certificate) => Document::Linear(linear(certificate, net)?),
            Document::Bounds(named) => Document::Bounds(bounds(named, net)?),
            Document::Induction(named) => Document::Induction(Induction {
                bounds: bounds(&named.bounds, net)?,
                atoms: resolve_each(&named.atoms, |atom| comparison(atom, net))?,
                remainders: named.remainders.clone(),
                clauses: named.clauses.clone(),
                steps: named.steps.clone(),
                ending: named.ending.clone(),
            }),
            Document::Markings(count) => Document::Markings(*count),
            Document::ClosedSet(ClosedSet { order, nodes, root }) => {
                let order = resolve_each(order, |name| place(net, name))?;
                Document::ClosedSet(ClosedSet { order, nodes: nodes.clone(), root: *root })
            }
        })
    }
}

/// Replaces the names in a linear certificate by ids. The ids of places are those of `net` with the
/// certificate's counters.
fn linear(
    named: &LinearCertificate<String, String, String, NamedComparison>,
    net: &Net,
) -> Result<LinearCertificate, Flaw> {
    let transition = |name: &String| {
        let t = net.transition_named(name);
        t.ok_or_else(|| Flaw::NoSuchName("transition", name.clone()))
    };
    let units = net.units().into_iter().flat_map(|units| units.iter());
    let units: HashMap<&str, UnitId> = units.map(|(id, unit)| (&*unit.name, id)).collect();
    let unit = |(name, factor): &(String, i128)| {
        let known = units.get(&**name).copied();
        Ok((known.ok_or_else(|| Flaw::NoSuchName("unit", name.clone()))?, *factor))
    };
    let counters = resolve_each(&named.counters, |set| resolve_each(set, transition))?;
    let counted_net = counters::count(net, &counters)?;
    let weight = |(name, weight): &(String, i128)| Ok((place(&counted_net, name)?, *weight));
    let atom = |named: &NamedComparison| comparison(named, &counted_net);
    let lemma = |lemma: &Lemma<String, String>| {
        let (atoms, traps) = (lemma.atoms.clone(), lemma.traps.clone());
        let (lower_bounds, units) = (lemma.lower_bounds.clone(), resolve_each(&lemma.units, unit)?);
        Ok(Lemma {
            atoms,
            traps,
            lower_bounds,
            units,
            weights: resolve_each(&lemma.weights, weight)?,
        })
    };
    let lower_bound = |LowerBound { weights, tokens }: &LowerBound<String>| {
        let weights =
            resolve_each(weights, |(name, weight)| Ok((place(&counted_net, name)?, *weight)))?;
        Ok(LowerBound { weights, tokens: *tokens })
    };
    Ok(LinearCertificate {
        assumes_units: named.assumes_units,
        atoms: resolve_each(&named.atoms, atom)?,
        traps: resolve_each(&named.traps, |trap| {
            resolve_each(trap, |name| place(&counted_net, name))
        })?,
        bounds: bounds(&named.bounds, &counted_net)?,
        lower_bounds: resolve_each(&named.lower_bounds, lower_bound)?,
        precedences: resolve_each(&named.precedences, |precedence| {
            precedence.renamed(|name| place(&counted_net, name), |atom| atom)
        })?,
        lemmas: resolve_each(&named.lemmas, lemma)?,
        steps: named.steps.clone(),
        counters,
    })
}

/// Replaces the names in a comparison by the ids of `net`.
pub(crate) fn comparison(
    NamedComparison { sum, bound }: &NamedComparison,
    net: &Net,
) -> Result<Atom, Flaw> {
    let terms = resolve_each(sum, |(name, a)| Ok((place(net, name)?, *a)))?;
    let sum = LinearSum::new(terms).map_err(|error| Flaw::TooLarge(error.to_string()))?;
    Ok(Atom { sum, bound: *bound })
}

/// Replaces the names in a derivation of bounds by the ids of `net`.
fn bounds(named: &BoundsCertificate<String>, net: &Net) -> Result<BoundsCertificate, Flaw> {
    let steps = resolve_each(&named.steps, |step| bound_step(step, net))?;
    Ok(BoundsCertificate { assumes_units: named.assumes_units, steps })
}

/// Replaces the names in a step of a derivation of bounds by the ids of `net`.
fn bound_step(step: &BoundStep<String>, net: &Net) -> Result<BoundStep, Flaw> {
    let bound = |&TokenBound { place: ref name, upper, tokens }: &TokenBound<String>| {
        Ok(TokenBound { place: place(net, name)?, upper, tokens })
    };
    Ok(match step {
        BoundStep::Inductive(bounds) => BoundStep::Inductive(resolve_each(bounds, bound)?),
        BoundStep::Weighted { weights, bounds } => BoundStep::Weighted {
            weights: resolve_each(weights, |(name, weight)| Ok((place(net, name)?, *weight)))?,
            bounds: resolve_each(bounds, bound)?,
        },
        BoundStep::SafeUnits(places) => {
            BoundStep::SafeUnits(resolve_each(places, |name| place(net, name))?)
        }
    })
}

/// Returns the place with the given name, or a flaw if the net has none.
fn place(net: &Net, name: &str) -> Result<PlaceId, Flaw> {
    net.place_named(name).ok_or_else(|| Flaw::NoSuchName("place", name.to_owned()))
}

/// Applies `resolve` to each element. Returns the first flaw, if any.
fn resolve_each<A, B>(list: &[A], resolve: impl Fn(&A) -> Result<B, Flaw>) -> Result<Vec<B>, Flaw> {
    list.iter().map(resolve).collect()
}
