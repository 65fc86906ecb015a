//! Lemmas: comparisons that no reachable marking satisfies together, with a weighted sum that
//! proves it.
//!
//! # Conditions
//! A lemma has comparisons aᵢ·m ≤ kᵢ with multipliers λᵢ, traps Q with multipliers z, lower bounds
//! b·m ≥ l with multipliers y, units U with multipliers s, and a weight w(p) per place. The checker
//! requires
//!
//! 1. λ, z, y, s ≥ 0;
//! 2. no firing increases the weighted sum: Σ_p w(p)·(post(t,p) − pre(t,p)) ≤ 0 for every
//!    transition;
//! 3. v := w + Σ λᵢ·aᵢ − Σ z·1_Q − Σ y·b + Σ s·1_chain(U) is nowhere negative, where chain(U) are
//!    the places of U and of the units around it;
//! 4. w·m₀ + Σ λᵢ·kᵢ − Σ z − Σ y·l + Σ s < 0;
//! 5. if units occur, the net claims that they are safe, and the certificate states this
//!    assumption.
//!
//! # Soundness
//! Let m be reachable and satisfy every comparison. By (2), along the firing sequence, w·m ≤ w·m₀.
//! A marked trap stays marked: −Σ_Q m(p) ≤ −1. A lower bound has its own proof: −b·m ≤ −l. In a
//! unit-safe net a chain of units holds at most one token: Σ_chain m(p) ≤ 1. Adding these
//! inequalities up with (1), v·m ≤ w·m₀ + Σ λᵢ·kᵢ − Σ z − Σ y·l + Σ s < 0 by (4). But m ≥ 0, and v
//! ≥ 0 by (3), so 0 ≤ v·m. No such m exists.

use super::flaw::Flaw;
use super::lower_bound::LowerBound;
use super::sum::{WeightedTokens, product};
use parikh_net::{Atom, Net, PlaceId, UnitId, Units};
use serde::{Deserialize, Serialize};

/// Comparisons that no reachable marking satisfies together. The module documentation defines the
/// letters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lemma<P = PlaceId, U = UnitId> {
    /// Indices of comparisons in the certificate, with the multipliers λ.
    pub atoms: Vec<(usize, i128)>,
    /// Indices of traps in the certificate, with the multipliers z.
    pub traps: Vec<(usize, i128)>,
    /// Indices of lower bounds in the certificate, with the multipliers y.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lower_bounds: Vec<(usize, i128)>,
    /// Units with the multipliers s.
    pub units: Vec<(U, i128)>,
    /// Places with the weights w; the weight of other places is 0.
    pub weights: Vec<(P, i128)>,
}

impl Default for Lemma {
    fn default() -> Lemma {
        Lemma {
            atoms: Vec::new(),
            traps: Vec::new(),
            lower_bounds: Vec::new(),
            units: Vec::new(),
            weights: Vec::new(),
        }
    }
}

impl Lemma {
    /// Returns the clause "some comparison of the lemma is false", with comparison i of the
    /// certificate as variable i + 1.
    pub(super) fn clause(&self) -> Vec<i32> {
        // `!i` is −(i + 1), the negation of variable i + 1.
        self.atoms.iter().map(|&(atom, _)| !(atom as i32)).collect()
    }

    /// Checks the five conditions of the module documentation. `index` is the number of the lemma,
    /// for messages. `atoms`, `traps` and `lower_bounds` belong to the certificate, and their
    /// places exist. `units` are the units that may be assumed safe, or `None` if no units may.
    pub(super) fn check(
        &self,
        net: &Net,
        index: usize,
        atoms: &[Atom],
        (traps, lower_bounds): (&[Vec<PlaceId>], &[LowerBound]),
        units: Option<&Units>,
    ) -> Result<(), Flaw> {
        let factors = self
            .atoms
            .iter()
            .chain(&self.traps)
            .chain(&self.lower_bounds)
            .map(|&(_, factor)| factor);
        let mut factors = factors.chain(self.units.iter().map(|&(_, factor)| factor));
        if factors.any(|factor| factor < 0) {
            return Err(Flaw::NegativeMultiplier(index)); // 1
        }
        let mut sum = WeightedTokens::never_raised(net, index, &self.weights)?; // 2
        for &(part_index, factor) in &self.atoms {
            let atom =
                atoms.get(part_index).ok_or(Flaw::NoSuchPart(index, "comparison", part_index))?;
            for &(place, a) in atom.sum.terms() {
                sum.add(place, product(factor, a.into())?)?;
            }
            sum.add_constant(product(factor, atom.bound.into())?)?;
        }
        for &(part_index, factor) in &self.traps {
            let trap = traps.get(part_index).ok_or(Flaw::NoSuchPart(index, "trap", part_index))?;
            // A trap is a set, so a place that is listed twice counts once.
            let mut places = trap.clone();
            places.sort_unstable();
            places.dedup();
            places.into_iter().try_for_each(|place| sum.add(place, -factor))?;
            sum.add_constant(-factor)?;
        }
        for &(part_index, factor) in &self.lower_bounds {
            let bound = lower_bounds.get(part_index).ok_or(Flaw::NoSuchPart(
                index,
                "lower bound",
                part_index,
            ))?;
            for &(place, weight) in &bound.weights {
                sum.add(place, product(-factor, weight.into())?)?;
            }
            sum.add_constant(product(-factor, bound.tokens.into())?)?;
        }
        for &(unit, factor) in &self.units {
            let units = units.ok_or(Flaw::UnitsNotAssumed(index))?; // 5
            if unit.index() >= units.len() {
                return Err(Flaw::NoSuchPart(index, "unit", unit.index()));
            }
            let mut enclosing = Some(unit);
            while let Some(unit) = enclosing {
                let unit = units.get(unit);
                unit.places.iter().try_for_each(|&place| sum.add(place, factor))?;
                enclosing = unit.parent;
            }
            sum.add_constant(factor)?;
        }
        if let Some((&place, _)) = sum.coefficients.iter().find(|&(_, &value)| value < 0) {
            return Err(Flaw::NegativeCoefficient(index, place)); // 3
        }
        if sum.constant < 0 { Ok(()) } else { Err(Flaw::NoContradiction(index)) } // 4
    }
}
