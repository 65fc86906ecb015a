//! A firing sequence to a member.
//!
//! Saturation forgets in which order things were found. So the way is looked for backwards from the
//! target, inside the reachable set, in *rounds*: each takes one transition after the other, as
//! often as it adds anything, on all that was found before, until the start is met. Then the same
//! steps are gone forwards: what was added by a transition leads by it to what was there before.
//! The way is not the shortest; but there are as many layers of equal distance as the shortest one
//! has firings, and most ways, however long, come within a few rounds.

use crate::relation::Relation;
use crate::store::{Diagrams, Set, Stop};
use crate::touch::Touch;
use std::collections::HashMap;

/// Which transitions fire, by their places in the list that [`Diagrams::firings`] was given.
pub type Firings = Vec<usize>;

impl Diagrams<'_> {
    /// Firings that lead from `start` to a member of `target` inside `reachable`; `None` if there
    /// are none. `transitions` are those that `relation` was made of.
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
        self.cached_for(&backwards);
        let target = self.intersection(target, reachable)?;
        self.keep(reachable);
        let mut steps = Vec::new();
        let met = self.rounds(&backwards, start, target, reachable, &mut steps);
        let met = self.clean(met);
        for &(_, before) in steps.iter().rev() {
            self.release(before);
        }
        self.release(reachable);
        // Nothing is collected from here on.
        Ok(met?.then(|| self.follow(&backwards, transitions, start, &steps)).flatten())
    }

    /// Whether `start` is met. Each step is a transition and the set, kept, before what leads there
    /// by it was added.
    fn rounds(
        &mut self,
        backwards: &Relation,
        start: &[u64],
        target: Set,
        reachable: Set,
        steps: &mut Vec<(u32, Set)>,
    ) -> Result<bool, Stop> {
        let mut found = target;
        while !found.is_empty() && !self.contains(found, start) {
            let before_round = found;
            for &suffix in &backwards.transitions {
                loop {
                    let image = self.fire(backwards, 0, found.0, suffix)?;
                    let image = self.intersection_of(image, reachable.0)?;
                    let more = Set(self.union_of(found.0, image)?);
                    if more == found {
                        break;
                    }
                    self.keep(found);
                    steps.push((suffix, found));
                    found = more;
                    if self.contains(found, start) {
                        return Ok(true);
                    }
                }
                self.keep(found);
                let collected = self.safe_point();
                self.release(found);
                collected?;
            }
            if found == before_round {
                return Ok(false);
            }
        }
        Ok(!found.is_empty())
    }

    /// The firings from `start` down the steps.
    fn follow(
        &self,
        backwards: &Relation,
        transitions: &[Vec<Touch>],
        start: &[u64],
        steps: &[(u32, Set)],
    ) -> Option<Firings> {
        // The relation knows what transitions do and not which they are.
        let mut numbers: HashMap<Vec<Touch>, usize> = HashMap::new();
        for (number, touches) in transitions.iter().enumerate() {
            let touches = touches.iter().filter(|touch| touch.pre > 0 || touch.change != 0);
            numbers.entry(touches.copied().collect()).or_insert(number);
        }
        let mut at = start.to_vec();
        let mut firings = Vec::new();
        for &(suffix, before) in steps.iter().rev() {
            if self.contains(before, &at) {
                continue;
            }
            let touches: Vec<Touch> = backwards.touches(suffix).map(Touch::reversed).collect();
            at = fired(&at, &touches)?;
            firings.push(*numbers.get(&touches)?);
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
