//! Markings: numbers of tokens per place.

use crate::id::PlaceId;
use std::fmt;
use std::ops::{Index, IndexMut};

/// A marking: one count per place, indexed by [`PlaceId`]. Net builders and firings refuse counts
/// above [`MAX_TOKENS`](Marking::MAX_TOKENS). [`new`](Marking::new) does not check counts.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Marking(Vec<u64>);

impl Marking {
    /// The largest number of tokens a place may hold and the largest arc weight: 2⁶³ − 1, so that
    /// every difference of two counts is an `i64`.
    pub const MAX_TOKENS: u64 = i64::MAX as u64;

    /// Makes a marking from one count per place.
    pub fn new(tokens: Vec<u64>) -> Self {
        Marking(tokens)
    }

    /// Makes the empty marking of `places` places.
    pub fn empty(places: usize) -> Self {
        Marking(vec![0; places])
    }

    /// Returns the marking with empty places appended, up to `places` places in total.
    #[must_use]
    pub fn padded(&self, places: usize) -> Self {
        let mut tokens = self.0.clone();
        tokens.resize(places.max(tokens.len()), 0);
        Marking(tokens)
    }

    /// Returns the token counts, one per place.
    pub fn tokens(&self) -> &[u64] {
        &self.0
    }

    /// Returns the total number of tokens.
    pub fn total(&self) -> u128 {
        self.0.iter().map(|&tokens| u128::from(tokens)).sum()
    }

    /// Returns the largest token count of any place; 0 for a net without places.
    pub fn largest(&self) -> u64 {
        self.0.iter().copied().max().unwrap_or(0)
    }

    /// Returns the marked places with their token counts.
    pub fn marked(&self) -> impl Iterator<Item = (PlaceId, u64)> {
        let counts = self.0.iter().enumerate();
        counts.filter(|&(_, &tokens)| tokens > 0).map(|(i, &tokens)| (PlaceId::new(i), tokens))
    }
}

impl Index<PlaceId> for Marking {
    type Output = u64;
    fn index(&self, place: PlaceId) -> &u64 {
        &self.0[place.index()]
    }
}

impl IndexMut<PlaceId> for Marking {
    fn index_mut(&mut self, place: PlaceId) -> &mut u64 {
        &mut self.0[place.index()]
    }
}

impl fmt::Debug for Marking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}
