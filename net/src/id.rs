//! Dense ids: positions of nodes in a net, as newtypes over `u32`, so that a place cannot be used
//! as a transition.

use std::fmt;

macro_rules! dense_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// Makes the id of the place, transition, effect class or unit at `index`.
            ///
            /// # Panics
            /// If `index` exceeds `u32::MAX`. The builder refuses nets of that size.
            pub fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("the builder bounds every node count by u32"))
            }

            /// Returns the index from which the id was made.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

dense_id!(
    /// A place of a net.
    PlaceId,
    "p"
);
dense_id!(
    /// A transition of a net.
    TransitionId,
    "t"
);
dense_id!(
    /// A class of transitions with the same effect on every place.
    EffectId,
    "e"
);
dense_id!(
    /// A unit of a nested-unit net (NUPN).
    UnitId,
    "u"
);
