//! A firing sequence to a member.
//!
//! Saturation does not record the order in which vectors are found. The search therefore runs
//! backwards from the target, inside the reachable set, in *rounds*. A round takes one transition
//! after another and fires each as long as it adds members. The search ends when the start vector
//! is found. Then the steps are followed forwards: from a vector that a transition added, firing
//! the transition leads into the set before that step. The sequence is not the shortest.
//! Breadth-first layers would be as many as the shortest sequence has firings, while most
//! sequences, however long, are found within a few rounds.

use crate::relation::TransitionRelation;
use crate::store::{Diagrams, Set, Stop};
use crate::touch::LevelTouch;
use std::collections::HashMap;

/// The fired transitions, as indices into the list given to [`Diagrams::firings`].
pub type TransitionPath = Vec<usize>;

impl Diagrams<'_> {
    /// Returns firings that lead from `start` to a member of `target` inside `reachable`, or `None`
    /// if there are none. `relation` must have been built from `transitions`.
    ///
    /// May collect garbage: the caller must [protect](Self::protect) every set except `reachable`
    /// that it needs later.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached, or if a reversed firing would give more than 2⁶³ −
    /// 1 tokens.
    pub fn firings(
        &mut self,
        relation: &TransitionRelation,
        transitions: &[Vec<LevelTouch>],
        start: &[u64],
        target: Set,
        reachable: Set,
    ) -> Result<Option<TransitionPath>, Stop> {
        let backwards = relation.reversed()?;
        self.prepare_cache(&backwards);
        let target = self.intersection(target, reachable)?;
        self.protect(reachable);
        let mut steps = Vec::new();
        let is_found = self.search_backwards_to(&backwards, start, target, reachable, &mut steps);
        let is_found = self.clear_on_error(is_found);
        for &(_, kept_set) in steps.iter().rev() {
            self.release(kept_set);
        }
        self.release(reachable);
        // The released sets in `steps` are still valid, because no garbage collection happens from
        // here on.
        Ok(is_found?.then(|| self.follow(&backwards, transitions, start, &steps)).flatten())
    }

    /// Searches backwards from `target` for `start`, inside `reachable`. Returns true if `start`
    /// was found. A step is added to `steps` for each firing that reaches new vectors. It consists
    /// of the suffix number of the reversed transition, and the protected set of vectors that were
    /// found before.
    fn search_backwards_to(
        &mut self,
        backwards: &TransitionRelation,
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
                    let extended = Set(self.union_of(found.0, image)?);
                    if extended == found {
                        break;
                    }
                    self.protect(found);
                    steps.push((suffix, found));
                    found = extended;
                    if self.contains(found, start) {
                        return Ok(true);
                    }
                }
                self.protect(found);
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

    /// Returns the firings from `start` along the steps, last step first. Returns `None` if
    /// `transitions` does not contain a fired transition, or it is disabled.
    fn follow(
        &self,
        backwards: &TransitionRelation,
        transitions: &[Vec<LevelTouch>],
        start: &[u64],
        steps: &[(u32, Set)],
    ) -> Option<TransitionPath> {
        // The relation stores only the touches of its transitions, not their indices.
        let mut numbers: HashMap<Vec<LevelTouch>, usize> = HashMap::new();
        for (number, touches) in transitions.iter().enumerate() {
            let touches = touches.iter().filter(|touch| !touch.is_trivial());
            numbers.entry(touches.copied().collect()).or_insert(number);
        }
        let mut vector = start.to_vec();
        let mut firings = Vec::new();
        for &(suffix, found_before) in steps.iter().rev() {
            // The vector was found before this step, so an earlier step leads on from there.
            if self.contains(found_before, &vector) {
                continue;
            }
            let touches: Vec<LevelTouch> =
                backwards.touches(suffix).map(LevelTouch::reversed).collect();
            vector = fired(&vector, &touches)?;
            firings.push(*numbers.get(&touches)?);
        }
        Some(firings)
    }
}

/// Returns the vector after firing, or `None` if the transition is disabled or a number overflows.
fn fired(vector: &[u64], touches: &[LevelTouch]) -> Option<Vec<u64>> {
    let mut after = vector.to_vec();
    for touch in touches {
        let tokens = &mut after[touch.level as usize];
        if !touch.admits(*tokens) {
            return None;
        }
        *tokens = tokens.checked_add_signed(touch.change)?;
    }
    Some(after)
}
