//! Markings of coloured nets.

use super::ColouredPlaceId;
use std::collections::BTreeMap;

/// A multiset of colours: the number of tokens of each colour that occurs, never 0. A colour is
/// given by its position in the sort.
pub type Bag = BTreeMap<u64, u64>;

/// A marking: one multiset of colours per place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColouredMarking {
    places: Vec<Bag>,
}

impl ColouredMarking {
    /// Makes a marking from one multiset per place.
    pub fn new(places: Vec<Bag>) -> Self {
        ColouredMarking { places }
    }

    /// Returns the multiset on a place.
    pub fn bag(&self, place: ColouredPlaceId) -> &Bag {
        &self.places[place.index()]
    }

    pub(super) fn bag_mut(&mut self, place: ColouredPlaceId) -> &mut Bag {
        &mut self.places[place.index()]
    }

    /// Returns the number of tokens of a colour on a place.
    pub fn tokens(&self, place: ColouredPlaceId, colour: u64) -> u64 {
        self.bag(place).get(&colour).copied().unwrap_or(0)
    }

    /// Returns the number of tokens on a place.
    pub fn total(&self, place: ColouredPlaceId) -> u128 {
        self.bag(place).values().map(|&tokens| u128::from(tokens)).sum()
    }
}
