//! Saturation inside a set: the vectors reachable from some members, or the vectors that can reach
//! them, along paths inside the set.
//!
//! Backward search needs this restriction, because predecessors of a reachable marking need not be
//! reachable, and there may be infinitely many of them. The recursion carries the allowed set down
//! with each growing node, and ends where both are equal.

use crate::cache::Operation;
use crate::contexts::LocalTransition;
use crate::relation::TransitionRelation;
use crate::saturate::SaturationGuide;
use crate::store::{Diagrams, EMPTY, Set, Stop};

/// The guide of saturation inside a set: the carried number is a node of the allowed set.
struct SetGuide<'r>(&'r TransitionRelation);

impl SaturationGuide for SetGuide<'_> {
    const SATURATE: Operation = Operation::SaturateWithin;
    const SATURATE_FIRED: Operation = Operation::SaturateFiredWithin;

    #[inline]
    fn locals(&self, level: u32, _: u32) -> &[LocalTransition] {
        &self.0.by_level[level as usize]
    }

    #[inline]
    fn carried_below(&self, diagrams: &Diagrams<'_>, carried: u32, value: u32) -> Option<u32> {
        let mut chain = carried;
        while chain != EMPTY {
            let node = diagrams.node(chain);
            if node.value >= value {
                return (node.value == value).then_some(node.down);
            }
            chain = node.right;
        }
        None
    }

    #[inline]
    fn enter(diagrams: &mut Diagrams<'_>, id: u32, carried: u32) -> Result<u32, Stop> {
        diagrams.intersection_of(id, carried)
    }

    #[inline]
    fn is_full(id: u32, carried: u32) -> bool {
        id == carried
    }
}

impl Diagrams<'_> {
    /// Returns the members of `allowed` that are reachable from members of `from` along paths
    /// inside `allowed`, including the members of `from` in `allowed`. With a
    /// [reversed](TransitionRelation::reversed) relation, these are the members of `allowed` that
    /// can reach a member of `from` along such paths.
    ///
    /// May collect garbage: the caller must [protect](Self::protect) every other set that it needs
    /// later.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached, or if a firing would give more than 2⁶³ − 1
    /// tokens.
    pub fn reachable_within(
        &mut self,
        relation: &TransitionRelation,
        from: Set,
        allowed: Set,
    ) -> Result<Set, Stop> {
        self.prepare_cache(relation);
        self.protect(allowed);
        let result = self.intersection_of(from.0, allowed.0).and_then(|from| {
            self.protect(Set(from));
            let result = self.saturate(relation, &SetGuide(relation), 0, from, allowed.0);
            self.release(Set(from));
            result
        });
        self.release(allowed);
        self.clear_on_error(result.map(Set))
    }
}
