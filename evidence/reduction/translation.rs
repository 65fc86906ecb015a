//! What a reduced net means: maps between its nodes and the original ones, and predicates as they
//! read on it.

use super::needs::{Form, Needs, Preserve};
use parikh_net::{LinearSum, Net, PlaceId, Predicate, TransitionId};
use std::collections::HashMap;

/// What became of the firing of a protected transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Firing {
    /// It fires in the prefix that every translated sequence starts with. These are the
    /// transitions of the reduced net that fire it again.
    Fired(Vec<TransitionId>),
    /// Firing one of these transitions of the reduced net fires it; when there are none, it is
    /// dead.
    By(Vec<TransitionId>),
}

impl Firing {
    /// The transitions of the reduced net that fire it.
    pub fn carriers(&self) -> &[TransitionId] {
        match self {
            Firing::Fired(carriers) | Firing::By(carriers) => carriers,
        }
    }
}

/// A reduced net and what its nodes mean.
#[derive(Clone, Debug)]
pub struct ReducedNet {
    /// The reduced net.
    pub net: Net,
    /// What it was reduced for, in order.
    pub needs: Needs,
    /// By original place: its place in the reduced net, where it still means the same.
    pub places: Vec<Option<PlaceId>>,
    /// By transition of the reduced net: its id in the working net.
    pub final_ids: Vec<TransitionId>,
    /// The tokens of places of the support that are gone.
    pub fixed: HashMap<PlaceId, u64>,
    /// One per protected transition, in the order of the needs.
    pub firings: Vec<Firing>,
}

impl ReducedNet {
    /// The place of the reduced net that holds the tokens of `original`, unless it is gone, fused
    /// with another, or counts differently.
    pub fn map_place(&self, original: PlaceId) -> Option<PlaceId> {
        self.places[original.index()]
    }

    /// The tokens for ever on a place of the support that is gone.
    pub fn constant(&self, original: PlaceId) -> Option<u64> {
        self.fixed.get(&original).copied()
    }

    /// How a protected transition fires in the reduced net; `None` when `original` was not
    /// protected.
    pub fn firing(&self, original: TransitionId) -> Option<&Firing> {
        let at = self.needs.protected.binary_search(&original).ok()?;
        Some(&self.firings[at])
    }

    /// A predicate of the reduced net that holds in some reachable marking of it exactly if
    /// `predicate` does in one of the original net.
    pub fn translate_predicate(&self, original: &Net, predicate: &Predicate) -> Option<Predicate> {
        let form = Form::of(predicate);
        let class = match form {
            Form::Parts(_) => Preserve::NOTHING,
            Form::DeadAnd(_) => Preserve::DEADLOCK,
            Form::Fires(_) | Form::State => Preserve::REACHABILITY,
        };
        if !self.needs.preserve.covers(class) {
            return None;
        }
        match form {
            Form::Parts(parts) => {
                let parts: Option<Vec<_>> =
                    parts.iter().map(|part| self.translate_predicate(original, part)).collect();
                Some(Predicate::or(parts?))
            }
            Form::Fires(t) => match self.firing(t) {
                Some(Firing::Fired(_)) => Some(Predicate::True),
                Some(Firing::By(by)) => {
                    Some(Predicate::or(by.iter().map(|&carrier| self.enabled(carrier))))
                }
                None => self.state(&Predicate::Enabled(t).to_atoms(original)),
            },
            Form::DeadAnd(rest) => {
                let rest = rest.iter().map(|part| self.state(&part.to_atoms(original)));
                let parts: Option<Vec<_>> =
                    std::iter::once(Some(Predicate::Dead)).chain(rest).collect();
                Some(Predicate::and(parts?))
            }
            Form::State => self.state(&predicate.to_atoms(original)),
        }
    }

    /// What holds in a marking of the reduced net exactly if `predicate` holds in each marking of
    /// the original one that it stands for.
    pub fn translate_marking(&self, original: &Net, predicate: &Predicate) -> Option<Predicate> {
        self.state(&predicate.to_atoms(original))
    }

    /// What stays reachable wherever the reduced net goes exactly if `wanted` does in the original
    /// one, where that is the enabledness of a protected transition: one of those that fire it.
    pub fn translate_home(&self, wanted: &Predicate) -> Option<Predicate> {
        let Predicate::Enabled(t) = wanted else { return None };
        if !self.needs.preserve.covers(Preserve::LIVENESS) {
            return None;
        }
        let carriers = self.firing(*t)?.carriers().iter();
        Some(Predicate::or(carriers.map(|&carrier| self.enabled(carrier))))
    }

    /// That a transition of the reduced net is enabled: true outright when it takes nothing.
    pub fn enabled(&self, t: TransitionId) -> Predicate {
        if self.net.pre(t).is_empty() { Predicate::True } else { Predicate::Enabled(t) }
    }

    /// A predicate of atoms only, place by place.
    fn state(&self, predicate: &Predicate) -> Option<Predicate> {
        let all = |parts: &[Predicate]| -> Option<Vec<Predicate>> {
            parts.iter().map(|part| self.state(part)).collect()
        };
        match predicate {
            Predicate::True | Predicate::False => Some(predicate.clone()),
            Predicate::Atom(atom) => {
                let (sum, constant) = self.translate_sum(&atom.sum)?;
                let bound = i128::from(atom.bound) - constant;
                Some(match i64::try_from(bound) {
                    Ok(bound) => Predicate::at_most(sum, bound),
                    // Beyond what any sum of tokens with these coefficients can mean here; keep
                    // the question open rather than guess.
                    Err(_) if sum.is_zero() => Predicate::constant(bound >= 0),
                    Err(_) => return None,
                })
            }
            Predicate::And(parts) => Some(Predicate::and(all(parts)?)),
            Predicate::Or(parts) => Some(Predicate::or(all(parts)?)),
            _ => None,
        }
    }

    /// The sum over the reduced net, and what it is more on the original one, by constant places;
    /// `None` when the needs did not cover it.
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
