//! What a net has beyond plain arcs, so that whoever works on nets can say what it understands.
//!
//! An engine, a reduction rule and a document each declare the features that their arguments hold
//! for. A net with any other is refused, so that a new kind of arc is not misread by those who have
//! never heard of it: to them a net *is* its weighted arcs.

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features(u8);

impl Features {
    /// Arcs of weight 1, from which a place has to hold a token to be taken.
    pub const PLAIN: Features = Features(0);
    /// Arcs of larger weights.
    pub const WEIGHTS: Features = Features(1);
    /// Something that nobody here understands. No reader makes it; tests do, in place of whatever
    /// is next.
    pub const UNKNOWN: Features = Features(1 << 7);

    /// These and those.
    #[must_use]
    pub const fn and(self, others: Features) -> Features {
        Features(self.0 | others.0)
    }

    /// Whether all of `others` are among these.
    pub const fn cover(self, others: Features) -> bool {
        others.0 & !self.0 == 0
    }
}
