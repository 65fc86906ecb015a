//! Evaluation of terms under a binding, and the firing rule, directly from the definitions.
//! Witnesses are replayed with this code; the unfolding has a faster evaluation of its own.

use super::marking::{Bag, ColouredMarking};
use super::sort::{SortId, SortKind};
use super::term::{Guard, Multiset, Term, VariableId};
use super::{ColouredNet, ColouredPlaceId, ColouredTransitionId};
use crate::marking::Marking;
use std::collections::BTreeMap;

/// The tokens that a transition consumes or produces: a multiset of colours per place.
pub(super) type MovedTokens = BTreeMap<ColouredPlaceId, Bag>;

/// The colour that a binding gives to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoundColour {
    /// The variable.
    pub variable: VariableId,
    /// The colour.
    pub colour: u64,
}

/// The error for a multiset with more colours than allowed, or more than 2⁶³ − 1 tokens of one
/// colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a multiset has too many colours, or more than 2^63 - 1 tokens of one")]
pub struct TooMany;

/// The reason why a transition did not fire.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColouredFireError {
    /// The binding has no colour for a variable, or a colour outside its sort.
    #[error("variable `{0}` has no colour, or a colour outside its sort")]
    Unbound(String),
    /// The guard does not hold.
    #[error("the guard is false")]
    Guard,
    /// A place holds too few tokens of a colour.
    #[error("place `{place}` holds {there} of {colour}, but the transition takes {needed}")]
    NotEnabled {
        /// The place.
        place: String,
        /// The colour.
        colour: String,
        /// The number of tokens of the colour on the place.
        there: u64,
        /// The number of tokens of the colour that the transition takes.
        needed: u64,
    },
    /// An inscription has too many colours or tokens, or a place would overflow.
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

/// The largest number of colours in an inscription that is evaluated.
const MAX_INSCRIPTION_COLOURS: usize = 10_000_000;

impl ColouredNet {
    /// Returns the initial marking, if no place holds more than `limit` colours.
    ///
    /// # Errors
    /// If a place holds more colours, or too many tokens of one colour. Also if a part of an
    /// initial multiset has more than `limit` colours.
    pub fn initial(&self, limit: usize) -> Result<ColouredMarking, TooMany> {
        let bag = |place: &super::ColouredPlace| self.bag(&place.initial, &[], limit);
        Ok(ColouredMarking::new(self.places().iter().map(bag).collect::<Result<_, _>>()?))
    }

    /// Evaluates a multiset. Variables without a value count as colour 0.
    ///
    /// # Errors
    /// If the multiset or one of its parts has more than `limit` colours, or too many tokens of one
    /// colour.
    pub fn bag(
        &self,
        multiset: &Multiset,
        binding: &[BoundColour],
        limit: usize,
    ) -> Result<Bag, TooMany> {
        let mut bag = Bag::new();
        match multiset {
            Multiset::Tokens { count: 0, .. } => {}
            Multiset::Tokens { count, term } => {
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
                    if let Some(tokens_left) = bag.get_mut(&colour) {
                        *tokens_left = tokens_left.saturating_sub(tokens);
                    }
                }
                bag.retain(|_, tokens| *tokens > 0);
            }
        }
        if bag.len() > limit { Err(TooMany) } else { Ok(bag) }
    }

    /// Returns the colours that a term represents: one colour, or several if [`Term::All`] occurs
    /// in the term. Returns an error if [`Term::All`] gives more than `limit` colours.
    fn colours(
        &self,
        term: &Term,
        binding: &[BoundColour],
        limit: usize,
    ) -> Result<Vec<u64>, TooMany> {
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

    /// Returns the colour of a term without [`Term::All`] under a binding. A variable without a
    /// value counts as colour 0.
    pub fn colour(&self, term: &Term, binding: &[BoundColour]) -> u64 {
        match term {
            Term::Constant { colour, .. } => *colour,
            Term::Variable(variable) => {
                let value = binding.iter().find(|value| value.variable == *variable);
                value.map_or(0, |value| value.colour)
            }
            Term::Shift { of, by } => {
                let size = i128::from(self.term_size(of));
                let shifted = i128::from(self.colour(of, binding)) + i128::from(*by);
                shifted.rem_euclid(size) as u64
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

    /// Returns the number of colours of a term's sort.
    pub fn term_size(&self, term: &Term) -> u64 {
        match term {
            Term::Constant { sort, .. } | Term::All(sort) => self.sort(*sort).size(),
            Term::Variable(variable) => self.variable_size(*variable),
            Term::Shift { of, .. } => self.term_size(of),
            Term::Block { partition, .. } => self.sort(*partition).size(),
            Term::Tuple(parts) => parts.iter().map(|part| self.term_size(part)).product(),
        }
    }

    /// Returns true if a guard holds. A variable without a value counts as colour 0.
    pub fn holds(&self, guard: &Guard, binding: &[BoundColour]) -> bool {
        match guard {
            Guard::Compare(relation, left, right) => {
                relation.holds(self.colour(left, binding), self.colour(right, binding))
            }
            Guard::And(parts) => parts.iter().all(|part| self.holds(part, binding)),
            Guard::Or(parts) => parts.iter().any(|part| self.holds(part, binding)),
        }
    }

    /// Returns the multiset of tokens that `arcs` move under a binding, by place. Arcs at the same
    /// place are added up.
    fn moved_tokens(
        &self,
        arcs: &[super::ColouredArc],
        binding: &[BoundColour],
    ) -> Result<MovedTokens, TooMany> {
        let mut moved = MovedTokens::new();
        for arc in arcs {
            let bag = moved.entry(arc.place).or_default();
            for (colour, tokens) in self.bag(&arc.inscription, binding, MAX_INSCRIPTION_COLOURS)? {
                add(bag, colour, tokens)?;
            }
        }
        Ok(moved)
    }

    /// Checks that `t` is enabled under a binding. Returns the consumed and the produced tokens.
    ///
    /// # Errors
    /// If a variable has no colour of its sort, the guard does not hold, or tokens are missing.
    /// Also if an inscription has too many colours or tokens.
    pub(super) fn check_enabled(
        &self,
        marking: &ColouredMarking,
        t: ColouredTransitionId,
        binding: &[BoundColour],
    ) -> Result<(MovedTokens, MovedTokens), ColouredFireError> {
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
        let takes = self.moved_tokens(&transition.inputs, binding)?;
        let puts = self.moved_tokens(&transition.outputs, binding)?;
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

    /// Fires `t` once under a binding. The marking stays unchanged on an error.
    ///
    /// # Errors
    /// If a variable has no colour of its sort, the guard does not hold, or tokens are missing.
    /// Also if an inscription has too many colours or tokens, or a place would overflow.
    pub fn fire(
        &self,
        marking: &mut ColouredMarking,
        t: ColouredTransitionId,
        binding: &[BoundColour],
    ) -> Result<(), ColouredFireError> {
        let (takes, puts) = self.check_enabled(marking, t, binding)?;
        let mut tokens_after: BTreeMap<(ColouredPlaceId, u64), u64> = BTreeMap::new();
        for (&place, bag) in &takes {
            for (&colour, &needed) in bag {
                tokens_after.insert((place, colour), marking.tokens(place, colour) - needed);
            }
        }
        for (place, bag) in puts {
            for (colour, tokens) in bag {
                let tokens_entry = tokens_after.entry((place, colour));
                let tokens_left = tokens_entry.or_insert_with(|| marking.tokens(place, colour));
                // No overflow: the remaining and the produced tokens are at most 2⁶³ − 1 each.
                *tokens_left += tokens;
                if *tokens_left > Marking::MAX_TOKENS {
                    return Err(TooMany.into());
                }
            }
        }
        for ((place, colour), tokens) in tokens_after {
            match tokens {
                0 => marking.bag_mut(place).remove(&colour),
                tokens => marking.bag_mut(place).insert(colour, tokens),
            };
        }
        Ok(())
    }

    /// Returns the sort and the colour of each component of a colour of a product, in order. For a
    /// sort that is not a product, returns only the sort and the colour themselves.
    pub fn components(&self, sort: SortId, colour: u64) -> Vec<(SortId, u64)> {
        let SortKind::Product(parts) = self.sort(sort).kind() else {
            return vec![(sort, colour)];
        };
        let mut remaining = colour;
        let mut components: Vec<(SortId, u64)> = Vec::new();
        for &part in parts.iter().rev() {
            let size = self.sort(part).size();
            components.push((part, remaining % size));
            remaining /= size;
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
