//! Relates a reduced net to the original net: maps places and transitions, and translates
//! predicates.

use super::needs::{Needs, PredicateForm, Preserve};
use parikh_net::{LinearSum, Net, PlaceId, Predicate, TransitionId};
use std::collections::HashMap;

/// The transitions of the reduced net whose firing includes the firing of a protected transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FiringMap {
    /// The protected transition fires at the start of each sequence that is translated back to the
    /// original net. Firing a transition of the list fires it again.
    Fired(Vec<TransitionId>),
    /// Firing a transition of the list fires the protected transition. If the list is empty, the
    /// protected transition is dead.
    Carriers(Vec<TransitionId>),
}

impl FiringMap {
    /// Returns the transitions of the reduced net that fire the protected transition.
    pub fn carriers(&self) -> &[TransitionId] {
        match self {
            FiringMap::Fired(carriers) | FiringMap::Carriers(carriers) => carriers,
        }
    }
}

/// A reduced net with its relation to the original net.
#[derive(Clone, Debug)]
pub struct ReducedNet {
    /// The reduced net.
    pub net: Net,
    /// The needs of the reduction, normalised.
    pub needs: Needs,
    /// One entry per original place: the place of the reduced net that holds the same tokens.
    /// `None` if the place was removed, merged or scaled.
    pub places: Vec<Option<PlaceId>>,
    /// One entry per transition of the reduced net: the id in the working net.
    pub working_ids: Vec<TransitionId>,
    /// The tokens of the places of the support that were removed because their tokens are constant.
    pub constant_tokens: HashMap<PlaceId, u64>,
    /// One entry per protected transition, in the order of the needs.
    pub firings: Vec<FiringMap>,
}

impl ReducedNet {
    /// Returns the place of the reduced net with the tokens of `original`, or `None` if it was
    /// removed, merged or scaled.
    pub fn map_place(&self, original: PlaceId) -> Option<PlaceId> {
        self.places[original.index()]
    }

    /// Returns the constant tokens of a place of the support that was removed as constant, or
    /// `None` for other places.
    pub fn constant(&self, original: PlaceId) -> Option<u64> {
        self.constant_tokens.get(&original).copied()
    }

    /// Returns the way in which a protected transition fires in the reduced net, or `None` if
    /// `original` was not protected.
    pub fn firing(&self, original: TransitionId) -> Option<&FiringMap> {
        let index = self.needs.protected.binary_search(&original).ok()?;
        Some(&self.firings[index])
    }

    /// Returns a predicate that is reachable in the reduced net if and only if `predicate` is
    /// reachable in the original net. Returns `None` if the reduction does not preserve
    /// `predicate`, or the reduced net cannot express it.
    pub fn translate_predicate(&self, original: &Net, predicate: &Predicate) -> Option<Predicate> {
        let form = PredicateForm::of(predicate);
        let needed_class = match form {
            PredicateForm::Disjunction(_) => Preserve::NOTHING,
            PredicateForm::DeadAnd(_) => Preserve::DEADLOCK,
            PredicateForm::Fires(_) | PredicateForm::Marking => Preserve::REACHABILITY,
        };
        if !self.needs.preserve.covers(needed_class) {
            return None;
        }
        match form {
            PredicateForm::Disjunction(parts) => {
                let parts: Option<Vec<_>> =
                    parts.iter().map(|part| self.translate_predicate(original, part)).collect();
                Some(Predicate::or(parts?))
            }
            PredicateForm::Fires(t) => match self.firing(t) {
                Some(FiringMap::Fired(_)) => Some(Predicate::True),
                Some(FiringMap::Carriers(carriers)) => {
                    Some(Predicate::or(carriers.iter().map(|&carrier| self.enabled(carrier))))
                }
                None => self.translate_condition(&Predicate::Enabled(t).to_atoms(original)),
            },
            PredicateForm::DeadAnd(conjuncts) => {
                let conjuncts =
                    conjuncts.iter().map(|part| self.translate_condition(&part.to_atoms(original)));
                let parts: Option<Vec<_>> =
                    std::iter::once(Some(Predicate::Dead)).chain(conjuncts).collect();
                Some(Predicate::and(parts?))
            }
            PredicateForm::Marking => self.translate_condition(&predicate.to_atoms(original)),
        }
    }

    /// Returns a predicate on markings of the reduced net. In each marking, it has the value of
    /// `predicate` in all corresponding markings of the original net. Returns `None` if the needs
    /// of the reduction do not cover `predicate`, or the reduced net cannot express it.
    pub fn translate_marking(&self, original: &Net, predicate: &Predicate) -> Option<Predicate> {
        self.translate_condition(&predicate.to_atoms(original))
    }

    /// Returns a predicate that is reachable from every reachable marking of the reduced net if and
    /// only if `wanted` has this property in the original net. Returns `None` unless `wanted` is
    /// the enabledness of a protected transition and the reduction preserves liveness.
    pub fn translate_home(&self, wanted: &Predicate) -> Option<Predicate> {
        let Predicate::Enabled(t) = wanted else { return None };
        if !self.needs.preserve.covers(Preserve::LIVENESS) {
            return None;
        }
        let carriers = self.firing(*t)?.carriers().iter();
        Some(Predicate::or(carriers.map(|&carrier| self.enabled(carrier))))
    }

    /// Returns the predicate that a transition of the reduced net is enabled, which is true for an
    /// empty preset.
    pub fn enabled(&self, t: TransitionId) -> Predicate {
        if self.net.pre(t).is_empty() { Predicate::True } else { Predicate::Enabled(t) }
    }

    /// Translates a predicate over places to the places of the reduced net. Returns `None` if the
    /// predicate has leaves other than comparisons and constants, or if a sum cannot be translated
    /// (`translate_sum`). Also returns `None` if a bound exceeds 64 bits and the sum has places.
    fn translate_condition(&self, predicate: &Predicate) -> Option<Predicate> {
        let translate_all = |parts: &[Predicate]| -> Option<Vec<Predicate>> {
            parts.iter().map(|part| self.translate_condition(part)).collect()
        };
        match predicate {
            Predicate::True | Predicate::False => Some(predicate.clone()),
            Predicate::Atom(atom) => {
                let (sum, constant) = self.translate_sum(&atom.sum)?;
                let bound = i128::from(atom.bound) - constant;
                Some(match i64::try_from(bound) {
                    Ok(bound) => Predicate::at_most(sum, bound),
                    // The bound exceeds 64 bits. The value is known only for a sum without places.
                    Err(_) if sum.is_zero() => Predicate::constant(bound >= 0),
                    Err(_) => return None,
                })
            }
            Predicate::And(parts) => Some(Predicate::and(translate_all(parts)?)),
            Predicate::Or(parts) => Some(Predicate::or(translate_all(parts)?)),
            _ => None,
        }
    }

    /// Returns the sum over the reduced net, and the constant to add to it for the value of the
    /// original sum. Returns `None` if the needs do not cover the sum, or on overflow. Also returns
    /// `None` if a place of the sum was merged, scaled, or removed without a constant number of
    /// tokens.
    pub fn translate_sum(&self, sum: &LinearSum) -> Option<(LinearSum, i128)> {
        let mut terms = Vec::with_capacity(sum.terms().len());
        let mut constant = 0i128;
        for &(place, coefficient) in sum.terms() {
            if let Some(tokens) = self.constant(place) {
                constant += i128::from(coefficient) * i128::from(tokens);
            } else if self.needs.support.binary_search(&place).is_ok() {
                terms.push((self.map_place(place)?, coefficient));
            } else {
                return None;
            }
        }
        Some((LinearSum::new(terms).ok()?, constant))
    }
}
