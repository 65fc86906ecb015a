//! What terms stand for, given a binding, and the firing rule: obvious code straight from the
//! definitions, one tree walked at a time. The unfolding has its own, fast evaluation; witnesses
//! are replayed with this one.

use super::marking::{Bag, ColouredMarking};
use super::sort::{SortId, SortKind};
use super::term::{Guard, Multiset, Term, VariableId};
use super::{ColouredNet, ColouredPlaceId, ColouredTransitionId};
use crate::marking::Marking;
use std::collections::BTreeMap;

/// Tokens by place.
pub(super) type Moved = BTreeMap<ColouredPlaceId, Bag>;

/// What a binding gives one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value {
    /// The variable.
    pub variable: VariableId,
    /// Its colour.
    pub colour: u64,
}

/// A multiset has more colours than was asked for, or tokens beyond 2⁶³ − 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a multiset has too many colours, or more than 2^63 - 1 tokens of one")]
pub struct TooMany;

/// Why a transition did not fire.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColouredFireError {
    /// The binding has no colour for a variable, or one that its sort has not.
    #[error("variable `{0}` has no colour, or one that its sort does not have")]
    Unbound(String),
    /// The guard does not hold.
    #[error("the guard does not hold")]
    Guard,
    /// A place holds too few tokens of a colour.
    #[error("place `{place}` holds {there} of {colour}, and {needed} are taken")]
    NotEnabled {
        /// The place.
        place: String,
        /// The colour.
        colour: String,
        /// Tokens there.
        there: u64,
        /// Tokens taken.
        needed: u64,
    },
    /// A place would hold too many.
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

/// Enough for every inscription of a model that can be fired at all.
const COLOURS: usize = 10_000_000;

impl ColouredNet {
    /// The initial marking, when no place holds more than `limit` colours.
    ///
    /// # Errors
    /// When one does.
    pub fn initial(&self, limit: usize) -> Result<ColouredMarking, TooMany> {
        let bag = |place: &super::ColouredPlace| self.bag(&place.initial, &[], limit);
        Ok(ColouredMarking::new(self.places().iter().map(bag).collect::<Result<_, _>>()?))
    }

    /// The multiset that a term stands for. Variables without a value count as colour 0.
    ///
    /// # Errors
    /// When it has more than `limit` colours, or too many tokens of one.
    pub fn bag(
        &self,
        multiset: &Multiset,
        binding: &[Value],
        limit: usize,
    ) -> Result<Bag, TooMany> {
        let mut bag = Bag::new();
        match multiset {
            Multiset::Of { count: 0, .. } => {}
            Multiset::Of { count, term } => {
                for colour in self.colours(term, binding, limit)? {
                    add(&mut bag, colour, *count)?;
                }
            }
            Multiset::Sum(parts) => {
                for part in parts {
                    for (colour, tokens) in self.bag(part, binding, limit)? {
                        add(&mut bag, colour, tokens)?;
                    }
                }
            }
            Multiset::Difference(first, second) => {
                bag = self.bag(first, binding, limit)?;
                for (colour, tokens) in self.bag(second, binding, limit)? {
                    if let Some(left) = bag.get_mut(&colour) {
                        *left = left.saturating_sub(tokens);
                    }
                }
                bag.retain(|_, tokens| *tokens > 0);
            }
        }
        if bag.len() > limit { Err(TooMany) } else { Ok(bag) }
    }

    /// The colours a term stands for: one, unless [`Term::All`] is in it.
    fn colours(&self, term: &Term, binding: &[Value], limit: usize) -> Result<Vec<u64>, TooMany> {
        match term {
            Term::All(sort) => {
                let size = self.sort(*sort).size();
                if size > limit as u64 { Err(TooMany) } else { Ok((0..size).collect()) }
            }
            Term::Tuple(parts) => {
                let mut tuples = vec![0];
                for part in parts {
                    let size = self.term_size(part);
                    let colours = self.colours(part, binding, limit)?;
                    if tuples.len().saturating_mul(colours.len()) > limit {
                        return Err(TooMany);
                    }
                    tuples = tuples
                        .iter()
                        .flat_map(|tuple| colours.iter().map(move |colour| tuple * size + colour))
                        .collect();
                }
                Ok(tuples)
            }
            term => Ok(vec![self.colour(term, binding)]),
        }
    }

    /// The colour of a term without [`Term::All`].
    pub fn colour(&self, term: &Term, binding: &[Value]) -> u64 {
        match term {
            Term::Constant { colour, .. } => *colour,
            Term::Variable(variable) => {
                let value = binding.iter().find(|value| value.variable == *variable);
                value.map_or(0, |value| value.colour)
            }
            Term::Shift { of, by } => {
                let size = i128::from(self.term_size(of));
                let moved = i128::from(self.colour(of, binding)) + i128::from(*by);
                moved.rem_euclid(size) as u64
            }
            Term::Block { partition, of } => match self.sort(*partition).kind() {
                SortKind::Partition { block_of, .. } => {
                    u64::from(block_of[self.colour(of, binding) as usize])
                }
                _ => 0,
            },
            Term::Tuple(parts) => parts
                .iter()
                .fold(0, |tuple, part| tuple * self.term_size(part) + self.colour(part, binding)),
            Term::All(_) => 0,
        }
    }

    /// How many colours a term's sort has.
    pub fn term_size(&self, term: &Term) -> u64 {
        match term {
            Term::Constant { sort, .. } | Term::All(sort) => self.sort(*sort).size(),
            Term::Variable(variable) => self.variable_size(*variable),
            Term::Shift { of, .. } => self.term_size(of),
            Term::Block { partition, .. } => self.sort(*partition).size(),
            Term::Tuple(parts) => parts.iter().map(|part| self.term_size(part)).product(),
        }
    }

    /// Whether a guard holds.
    pub fn holds(&self, guard: &Guard, binding: &[Value]) -> bool {
        match guard {
            Guard::Compare(relation, left, right) => {
                relation.holds(self.colour(left, binding), self.colour(right, binding))
            }
            Guard::And(parts) => parts.iter().all(|part| self.holds(part, binding)),
            Guard::Or(parts) => parts.iter().any(|part| self.holds(part, binding)),
        }
    }

    /// What a transition takes or puts, by place, given a binding.
    fn moved(&self, arcs: &[super::ColouredArc], binding: &[Value]) -> Result<Moved, TooMany> {
        let mut moved = Moved::new();
        for arc in arcs {
            let bag = moved.entry(arc.place).or_default();
            for (colour, tokens) in self.bag(&arc.inscription, binding, COLOURS)? {
                add(bag, colour, tokens)?;
            }
        }
        Ok(moved)
    }

    /// What `t` takes and puts under a binding that it is enabled under.
    ///
    /// # Errors
    /// When a variable has no colour, the guard does not hold, or tokens are missing.
    pub(super) fn check_enabled(
        &self,
        marking: &ColouredMarking,
        t: ColouredTransitionId,
        binding: &[Value],
    ) -> Result<(Moved, Moved), ColouredFireError> {
        let transition = self.transition(t);
        for variable in transition.variables() {
            let mut values = binding.iter().filter(|value| value.variable == variable);
            if values.next().is_none_or(|value| value.colour >= self.variable_size(variable)) {
                return Err(ColouredFireError::Unbound(self.variable(variable).name.clone()));
            }
        }
        if !self.holds(&transition.guard, binding) {
            return Err(ColouredFireError::Guard);
        }
        let takes = self.moved(&transition.takes, binding)?;
        let puts = self.moved(&transition.puts, binding)?;
        for (&place, bag) in &takes {
            for (&colour, &needed) in bag {
                let there = marking.tokens(place, colour);
                if there < needed {
                    return Err(ColouredFireError::NotEnabled {
                        place: self.place(place).name.clone(),
                        colour: self.colour_name(self.place(place).sort, colour),
                        there,
                        needed,
                    });
                }
            }
        }
        Ok((takes, puts))
    }

    /// Fires `t` under a binding, once. The marking is left as it was on an error.
    ///
    /// # Errors
    /// When a variable has no colour, the guard does not hold, or tokens are missing.
    pub fn fire(
        &self,
        marking: &mut ColouredMarking,
        t: ColouredTransitionId,
        binding: &[Value],
    ) -> Result<(), ColouredFireError> {
        let (takes, puts) = self.check_enabled(marking, t, binding)?;
        let mut after: BTreeMap<(ColouredPlaceId, u64), u64> = BTreeMap::new();
        for (&place, bag) in &takes {
            for (&colour, &needed) in bag {
                after.insert((place, colour), marking.tokens(place, colour) - needed);
            }
        }
        for (place, bag) in puts {
            for (colour, tokens) in bag {
                let left = after.entry((place, colour));
                let left = left.or_insert_with(|| marking.tokens(place, colour));
                // Both at most 2⁶³ − 1.
                *left += tokens;
                if *left > Marking::MAX_TOKENS {
                    return Err(TooMany.into());
                }
            }
        }
        for ((place, colour), tokens) in after {
            match tokens {
                0 => marking.bag_mut(place).remove(&colour),
                tokens => marking.bag_mut(place).insert(colour, tokens),
            };
        }
        Ok(())
    }

    /// The colours of a product's components.
    pub fn components(&self, sort: SortId, colour: u64) -> Vec<(SortId, u64)> {
        let SortKind::Product(parts) = self.sort(sort).kind() else {
            return vec![(sort, colour)];
        };
        let mut rest = colour;
        let mut components: Vec<(SortId, u64)> = Vec::new();
        for &part in parts.iter().rev() {
            let size = self.sort(part).size();
            components.push((part, rest % size));
            rest /= size;
        }
        components.reverse();
        components
    }
}

fn add(bag: &mut Bag, colour: u64, tokens: u64) -> Result<(), TooMany> {
    let sum = bag.entry(colour).or_insert(0);
    *sum = sum.checked_add(tokens).filter(|&sum| sum <= Marking::MAX_TOKENS).ok_or(TooMany)?;
    Ok(())
}
