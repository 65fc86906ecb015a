//! Places whose token counts follow from other places.
//!
//! In every reachable marking, a place invariant determines one of its places: with `idle + 2·busy
//! = 3` it is enough to store `busy`. Nets have many invariants, about one for each component with
//! a single local state. Omitting one place for each often halves the size of a marking. The
//! omitted token counts are computed again when the marking is expanded. Two markings are equal if
//! their stored parts are equal.
//!
//! The invariants are processed by ascending number of terms. Each determines one place with
//! coefficient 1 or −1 that occurs in no invariant used before, if it has such a place. The tokens
//! of this place are then a sum over places that are stored or derived earlier. Sums are computed
//! modulo 2⁶⁴. This is exact, since token counts are smaller.
//!
//! # Source
//! K. Schmidt, *Using Petri net invariants in state space construction*, TACAS 2003.

use super::layout::Field;
use parikh_net::{Net, PlaceId};
use parikh_structure::flows::PlaceFlow;

/// Maximum number of terms of an invariant that is used. Reading a marking takes one step per term.
const MAX_TERMS: usize = 64;

/// A place whose token count is a constant plus a weighted sum of other token counts, modulo 2⁶⁴.
#[derive(Clone, Debug)]
pub(crate) struct DerivedPlace {
    /// The place whose token count is derived.
    pub(crate) place: PlaceId,
    /// The constant, modulo 2⁶⁴.
    constant: u64,
    /// The other places with their coefficients, modulo 2⁶⁴.
    terms: Vec<(PlaceId, u64)>,
}

/// Selects places whose token counts follow from other places by the place invariants `flows`. Only
/// places for which `changes` is true are selected. A derived place depends only on places that are
/// not derived, and on derived places before it in the result.
pub(crate) fn select_derived_places(
    net: &Net,
    flows: &[PlaceFlow],
    changes: impl Fn(PlaceId) -> bool,
) -> Vec<DerivedPlace> {
    // Every invariant is checked again, since a false invariant would merge different markings.
    let is_usable = |flow: &&PlaceFlow| flow.terms().len() <= MAX_TERMS && flow.holds(net);
    let mut flows: Vec<&PlaceFlow> = flows.iter().filter(is_usable).collect();
    flows.sort_by_key(|flow| flow.terms().len());
    let mut is_used = vec![false; net.place_count()];
    let mut derived_places = Vec::new();
    for flow in flows {
        let Some(terms) = small_coefficients(flow) else { continue };
        let can_be_derived =
            |&&(p, sign): &&(PlaceId, i64)| sign.abs() == 1 && changes(p) && !is_used[p.index()];
        let Some(&(place, sign)) = terms.iter().rev().find(can_be_derived) else { continue };
        // sign · m(place) + Σ aᵢ·m(pᵢ) = c, and 1/sign = sign.
        let sum = terms.iter().fold(0, |sum: u64, &(p, coefficient)| {
            sum.wrapping_add((coefficient as u64).wrapping_mul(net.initial()[p]))
        });
        let other_terms = terms.iter().filter(|&&(p, _)| p != place);
        let other_terms = other_terms
            .map(|&(p, coefficient)| (p, (sign.wrapping_mul(coefficient) as u64).wrapping_neg()));
        let constant = (sign as u64).wrapping_mul(sum);
        derived_places.push(DerivedPlace { place, constant, terms: other_terms.collect() });
        terms.iter().for_each(|&(p, _)| is_used[p.index()] = true);
    }
    derived_places
}

/// Returns the terms with coefficients as `i64`, or `None` if a coefficient does not fit.
fn small_coefficients(flow: &PlaceFlow) -> Option<Vec<(PlaceId, i64)>> {
    flow.terms().iter().map(|(p, a)| Some((*p, a.to_i64()?))).collect()
}

/// Derived places, compiled for one layout of fields.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derivations {
    /// For each derived place, in order: its field, its constant, and the end of its range in
    /// `terms`.
    steps: Vec<(Field, u64, u32)>,
    /// Fields with their coefficients, one derived place after another.
    terms: Vec<(Field, u64)>,
}

impl Derivations {
    /// Compiles the derived places. `fields` and `constants` are indexed by place. A place without
    /// a field has its token count in `constants`.
    pub(crate) fn compile(derived: &[DerivedPlace], fields: &[Field], constants: &[u64]) -> Self {
        let mut derivations = Derivations::default();
        for DerivedPlace { place, constant, terms } in derived {
            let mut constant = *constant;
            for &(p, coefficient) in terms {
                match fields[p.index()] {
                    Field { width: 0, .. } => {
                        let tokens = constants[p.index()];
                        constant = constant.wrapping_add(coefficient.wrapping_mul(tokens));
                    }
                    field => derivations.terms.push((field, coefficient)),
                }
            }
            derivations.steps.push((
                fields[place.index()],
                constant,
                derivations.terms.len() as u32,
            ));
        }
        derivations
    }

    /// Computes the tokens of the derived places and writes them to their fields in the packed
    /// marking `key`. These fields must be 0 before.
    pub(crate) fn apply(&self, key: &mut [u64]) {
        let mut start = 0;
        for &(field, constant, end) in &self.steps {
            let terms = &self.terms[start..end as usize];
            let tokens = terms.iter().fold(constant, |sum, (field, coefficient)| {
                let tokens = key[field.word as usize] >> field.shift & field.low_mask();
                sum.wrapping_add(tokens.wrapping_mul(*coefficient))
            });
            debug_assert!(tokens <= field.low_mask(), "an invariant does not hold");
            key[field.word as usize] |= tokens << field.shift;
            start = end as usize;
        }
    }
}
