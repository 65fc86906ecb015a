//! Lemmas: comparisons that exclude each other, with the sum that shows it.
//!
//! # Conditions
//! A lemma names comparisons aᵢ·m ≤ kᵢ with multipliers λᵢ, traps Q with multipliers z, units U
//! with multipliers s, and a weight w(p) per place. The checker demands
//!
//! 1. λ, z, s ≥ 0;
//! 2. no firing raises the weighted sum: Σ_p w(p)·(post(t,p) − pre(t,p)) ≤ 0 for every transition;
//! 3. v := w + Σ λᵢ·aᵢ − Σ z·1_Q + Σ s·1_chain(U) is nowhere negative, where chain(U) are the places
//!    of U and of the units around it;
//! 4. w·m₀ + Σ λᵢ·kᵢ − Σ z + Σ s < 0;
//! 5. units are used only if the net claims them safe and the certificate says that it assumes it.
//!
//! # Soundness
//! Let m be reachable and satisfy every comparison. By (2), along the firing sequence, w·m ≤ w·m₀.
//! A marked trap stays marked: −Σ_Q m(p) ≤ −1. In a unit-safe net a chain of units holds one token
//! at most: Σ_chain m(p) ≤ 1. Adding these up with (1), v·m ≤ w·m₀ + Σ λᵢ·kᵢ − Σ z + Σ s < 0 by (4);
//! but m ≥ 0 and v ≥ 0 by (3), so 0 ≤ v·m. No such m exists.

use super::linear::{Flaw, LinearCertificate};
use parikh_net::{Net, PlaceId, TransitionId, UnitId};
use std::collections::BTreeMap;

/// Comparisons that no reachable marking satisfies together. See the file's head for the letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lemma {
    /// Positions in [`LinearCertificate::atoms`] with λ.
    pub atoms: Vec<(usize, i128)>,
    /// Positions in [`LinearCertificate::traps`] with z.
    pub traps: Vec<(usize, i128)>,
    /// Units with s.
    pub units: Vec<(UnitId, i128)>,
    /// Places with w; 0 where not listed.
    pub weights: Vec<(PlaceId, i128)>,
}

impl Lemma {
    /// "Not all of them", with atom i as variable i + 1.
    pub(super) fn clause(&self) -> Vec<i32> {
        self.atoms.iter().map(|&(atom, _)| !(atom as i32)).collect()
    }

    /// Checks the conditions for lemma `index` of `certificate`, whose places all exist.
    pub(super) fn check(
        &self,
        net: &Net,
        index: usize,
        certificate: &LinearCertificate,
    ) -> Result<(), Flaw> {
        let multipliers = self.atoms.iter().map(|&(_, factor)| factor);
        let multipliers = multipliers.chain(self.traps.iter().map(|&(_, factor)| factor));
        let mut multipliers = multipliers.chain(self.units.iter().map(|&(_, factor)| factor));
        if multipliers.any(|factor| factor < 0) {
            return Err(Flaw::NegativeMultiplier(index)); // 1
        }
        self.check_firings(net, index)?; // 2
        let mut sum = Combination::default();
        for &(place, weight) in &self.weights {
            sum.coefficient(place, weight)?;
            sum.constant(product(weight, net.initial()[place].into())?)?;
        }
        for &(at, factor) in &self.atoms {
            let atom =
                certificate.atoms.get(at).ok_or(Flaw::NoSuchPart(index, "comparison", at))?;
            for &(place, a) in atom.sum.terms() {
                sum.coefficient(place, product(factor, a.into())?)?;
            }
            sum.constant(product(factor, atom.bound.into())?)?;
        }
        for &(at, factor) in &self.traps {
            let trap = certificate.traps.get(at).ok_or(Flaw::NoSuchPart(index, "trap", at))?;
            let minus = factor.checked_neg().ok_or(Flaw::Overflow)?;
            // Each place once, however often it is listed: the trap is a set.
            let mut places = trap.clone();
            places.sort_unstable();
            places.dedup();
            places.into_iter().try_for_each(|place| sum.coefficient(place, minus))?;
            sum.constant(minus)?;
        }
        for &(unit, factor) in &self.units {
            if !certificate.assumes_units {
                return Err(Flaw::Undeclared(index)); // 5
            }
            let units = net.units().filter(|units| units.safe());
            let units = units.ok_or(Flaw::NoSafeUnits(index))?;
            if unit.index() >= units.len() {
                return Err(Flaw::NoSuchPart(index, "unit", unit.index()));
            }
            let mut around = Some(unit);
            while let Some(unit) = around {
                let unit = units.get(unit);
                unit.places.iter().try_for_each(|&place| sum.coefficient(place, factor))?;
                around = unit.parent;
            }
            sum.constant(factor)?;
        }
        if let Some((&place, _)) = sum.coefficients.iter().find(|&(_, &value)| value < 0) {
            return Err(Flaw::NegativeCoefficient(index, place)); // 3
        }
        if sum.constant < 0 { Ok(()) } else { Err(Flaw::NoContradiction(index)) } // 4
    }

    /// Condition 2. Transitions without an arc to a weighted place change nothing.
    fn check_firings(&self, net: &Net, index: usize) -> Result<(), Flaw> {
        let mut gains: BTreeMap<TransitionId, i128> = BTreeMap::new();
        for &(place, weight) in &self.weights {
            for arc in net.producers(place) {
                let gain = product(weight, arc.weight.into())?;
                add(gains.entry(arc.transition).or_default(), gain)?;
            }
            for arc in net.consumers(place) {
                let loss = product(weight, arc.weight.into())?;
                let gain = loss.checked_neg().ok_or(Flaw::Overflow)?;
                add(gains.entry(arc.transition).or_default(), gain)?;
            }
        }
        match gains.into_iter().find(|&(_, gain)| gain > 0) {
            Some((t, _)) => Err(Flaw::Increases(index, t)),
            None => Ok(()),
        }
    }
}

/// v and the constant of condition 4, as they add up.
#[derive(Default)]
struct Combination {
    coefficients: BTreeMap<PlaceId, i128>,
    constant: i128,
}

impl Combination {
    fn coefficient(&mut self, place: PlaceId, value: i128) -> Result<(), Flaw> {
        add(self.coefficients.entry(place).or_default(), value)
    }

    fn constant(&mut self, value: i128) -> Result<(), Flaw> {
        add(&mut self.constant, value)
    }
}

fn add(total: &mut i128, value: i128) -> Result<(), Flaw> {
    *total = total.checked_add(value).ok_or(Flaw::Overflow)?;
    Ok(())
}

fn product(a: i128, b: i128) -> Result<i128, Flaw> {
    a.checked_mul(b).ok_or(Flaw::Overflow)
}
