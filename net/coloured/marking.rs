//! Markings of coloured nets.

use super::ColouredPlaceId;
use std::collections::BTreeMap;

/// A multiset of colours: tokens by colour, none of them 0.
pub type Bag = BTreeMap<u64, u64>;

/// The tokens of every place: a multiset of colours each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColouredMarking {
    places: Vec<Bag>,
}

impl ColouredMarking {
    /// The marking with these multisets, one per place.
    pub fn new(places: Vec<Bag>) -> Self {
        ColouredMarking { places }
    }

    /// What a place holds.
    pub fn bag(&self, place: ColouredPlaceId) -> &Bag {
        &self.places[place.index()]
    }

    pub(super) fn bag_mut(&mut self, place: ColouredPlaceId) -> &mut Bag {
        &mut self.places[place.index()]
    }

    /// The tokens of one colour.
    pub fn tokens(&self, place: ColouredPlaceId, colour: u64) -> u64 {
        self.bag(place).get(&colour).copied().unwrap_or(0)
    }

    /// The tokens of all colours of a place.
    pub fn total(&self, place: ColouredPlaceId) -> u128 {
        self.bag(place).values().map(|&tokens| u128::from(tokens)).sum()
    }
}
