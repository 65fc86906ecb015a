//! A firing sequence to a member, from the distances of sets.
//!
//! Saturation forgets in which order things were found. So the way is looked for backwards from the target,
//! inside the reachable set, layer by layer until a layer holds the start; then forwards, each firing to
//! a member of the layer that is one closer.

use crate::relation::{Relation, Touch};
use crate::store::{Diagrams, Set, Stop};

/// Which transitions fire, by their places in the list that [`Diagrams::firings`] was given.
pub type Firings = Vec<usize>;

impl Diagrams<'_> {
    /// Firings that lead from `start` to a member of `target` inside `reachable`; `None` if there are none.
    /// `transitions` are those that `relation` was made of.
    ///
    /// # Errors
    ///
    /// When the limits are reached.
    pub fn firings(
        &mut self,
        relation: &Relation,
        transitions: &[Vec<Touch>],
        start: &[u64],
        target: Set,
        reachable: Set,
    ) -> Result<Option<Firings>, Stop> {
        let backwards = relation.reversed()?;
        let start_set = self.single(start)?;
        self.keep(start_set);
        let target = self.intersection(target, reachable)?;
        let layers = self.layers(&backwards, target, Some(reachable), start_set);
        self.release(start_set);
        let layers = layers?;
        let firings = self.descend(&layers.layers, transitions, start);
        layers.release(self);
        Ok(firings)
    }

    fn descend(
        &self,
        layers: &[Set],
        transitions: &[Vec<Touch>],
        start: &[u64],
    ) -> Option<Firings> {
        let (last, closer) = layers.split_last()?;
        if !self.contains(*last, start) {
            return None;
        }
        let mut at = start.to_vec();
        let mut firings = Vec::with_capacity(closer.len());
        for &layer in closer.iter().rev() {
            let found = transitions.iter().enumerate().find_map(|(number, touches)| {
                let after = fired(&at, touches)?;
                self.contains(layer, &after).then_some((number, after))
            });
            let (number, after) = found?;
            firings.push(number);
            at = after;
        }
        Some(firings)
    }
}

/// The vector after firing, if it is enabled.
fn fired(vector: &[u64], touches: &[Touch]) -> Option<Vec<u64>> {
    let mut after = vector.to_vec();
    for touch in touches {
        let tokens = &mut after[touch.level as usize];
        if *tokens < touch.pre {
            return None;
        }
        *tokens = tokens.checked_add_signed(touch.change)?;
    }
    Some(after)
}
