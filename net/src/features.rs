//! Features of a net beyond plain arcs.
//!
//! An engine, a reduction rule and a certificate each declare the features that their arguments
//! cover. A net with any other feature is refused, so that a new kind of arc is never misread by
//! code that treats a net as its weighted arcs.

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features(u8);

impl Features {
    /// The empty set: the net has only arcs of weight 1.
    pub const PLAIN: Features = Features(0);
    /// Arcs of weights greater than 1.
    pub const WEIGHTS: Features = Features(1);
    /// A feature that no part of the program supports. Tests use it in place of a future feature.
    pub const UNKNOWN: Features = Features(1 << 7);

    /// Returns the union.
    #[must_use]
    pub const fn and(self, others: Features) -> Features {
        Features(self.0 | others.0)
    }

    /// Returns true if all of `others` are in this set.
    pub const fn cover(self, others: Features) -> bool {
        others.0 & !self.0 == 0
    }
}
