//! A system of place invariants: the equations that every reachable marking satisfies.

use super::FamilyError;
use parikh_net::{Marking, Net, PlaceId};

/// Weighted sums of tokens that no firing changes, with their values in the initial marking.
/// Vectors of tokens are indexed by [`PlaceId`]. All weights are positive, and every place has a
/// weight in some equation. So only finitely many markings satisfy the equations.
#[derive(Clone, Debug)]
pub struct InvariantSystem {
    /// The number of places.
    places: usize,
    /// For each equation, its places with their weights.
    equations: Vec<Vec<(PlaceId, i128)>>,
    /// The value of each equation in the initial marking.
    values: Vec<i128>,
}

impl InvariantSystem {
    /// Checks that no firing of `net` changes the sums, that all weights are positive, and that
    /// every place occurs.
    ///
    /// # Errors
    /// The first condition that fails, or a number that is too large.
    pub fn new(
        net: &Net,
        equations: &[Vec<(PlaceId, i64)>],
    ) -> Result<InvariantSystem, FamilyError> {
        let mut system = InvariantSystem {
            places: net.place_count(),
            equations: Vec::with_capacity(equations.len()),
            values: Vec::with_capacity(equations.len()),
        };
        let mut is_covered = vec![false; net.place_count()];
        for (index, terms) in equations.iter().enumerate() {
            let mut weights = vec![0i128; net.place_count()];
            for &(place, weight) in terms {
                let entry = weights.get_mut(place.index()).ok_or(FamilyError::NoSuchPlace)?;
                if weight <= 0 || *entry != 0 {
                    return Err(FamilyError::NotPositive(index));
                }
                *entry = weight.into();
                is_covered[place.index()] = true;
            }
            for t in net.transitions() {
                let mut change = 0i128;
                for it in net.delta(t) {
                    let term = weights[it.place.index()].checked_mul(it.delta.into());
                    let sum = term.and_then(|term| change.checked_add(term));
                    change = sum.ok_or(FamilyError::TooLarge)?;
                }
                if change != 0 {
                    return Err(FamilyError::NotInvariant(index));
                }
            }
            system.equations.push(terms.iter().map(|&(p, weight)| (p, weight.into())).collect());
        }
        if let Some(place) = is_covered.iter().position(|covered| !covered) {
            return Err(FamilyError::Uncovered(PlaceId::new(place)));
        }
        let initial = tokens(net.initial());
        system.values = system.products(&initial)?;
        Ok(system)
    }

    /// Returns the number of places.
    pub(super) fn places(&self) -> usize {
        self.places
    }

    /// Returns the terms of each equation.
    pub(super) fn equations(&self) -> &[Vec<(PlaceId, i128)>] {
        &self.equations
    }

    /// Returns the value of each equation in the initial marking.
    pub(super) fn values(&self) -> &[i128] {
        &self.values
    }

    /// Returns the weighted sum of `vector` for each equation.
    ///
    /// # Errors
    /// [`FamilyError::TooLarge`] if a sum does not fit.
    pub(super) fn products(&self, vector: &[i128]) -> Result<Vec<i128>, FamilyError> {
        let product = |terms: &Vec<(PlaceId, i128)>| {
            terms.iter().try_fold(0i128, |sum, &(p, weight)| {
                let term = weight.checked_mul(vector[p.index()])?;
                sum.checked_add(term)
            })
        };
        self.equations.iter().map(|terms| product(terms).ok_or(FamilyError::TooLarge)).collect()
    }
}

/// Returns the tokens of each place.
pub(super) fn tokens(marking: &Marking) -> Vec<i128> {
    marking.tokens().iter().map(|&tokens| tokens.into()).collect()
}
