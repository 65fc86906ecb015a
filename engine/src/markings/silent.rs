//! Identifies markings that differ only by firings invisible to the formula.
//!
//! The representative of a marking is reached by firing invisible transitions, always the first
//! enabled one, until none is enabled. They do not disable each other, so the result does not
//! depend on the order. The checker uses the same order. A marking is its own representative if
//! more than [`MAX_CHAIN`] invisible firings are possible from it.

use super::{ExplorationError, Markings, UNEXPANDED};
use parikh_net::{Arc, Net, TransitionId};
use std::collections::HashSet;

/// Limit on the number of consecutive invisible firings from one marking.
const MAX_CHAIN: usize = 200;

/// The invisible transitions, and the representatives computed so far.
pub(super) struct InvisibleTransitions {
    /// Indices of the invisible transitions, ascending. They change no place that an atom of the
    /// formula reads, and no other transition takes tokens from their input places.
    pub(super) transitions: Vec<u32>,
    /// For each transition, the invisible consumers of its output places, ascending.
    fed_invisible: Vec<Box<[u32]>>,
    /// The representative of each marking, that is, the marking after all possible invisible
    /// firings. Markings in `unreduced` are their own representatives. [`UNEXPANDED`] if the
    /// representative is not computed yet.
    representatives: Vec<u32>,
    /// Markings that are their own representatives because the chain of invisible firings is too
    /// long or was not followed.
    unreduced: HashSet<u32>,
}

impl InvisibleTransitions {
    fn new(net: &Net, invisible: &[TransitionId]) -> Self {
        let mut is_invisible = vec![false; net.transition_count()];
        invisible.iter().for_each(|t| is_invisible[t.index()] = true);
        let fed = net.transitions().map(|t| {
            // An invisible transition is the only consumer of its input places.
            let fed = net.post(t).iter().filter_map(|arc| match net.consumers(arc.place) {
                [consumer] if is_invisible[consumer.transition.index()] => {
                    Some(consumer.transition.index() as u32)
                }
                _ => None,
            });
            let mut fed: Vec<u32> = fed.collect();
            fed.sort_unstable();
            fed.dedup();
            fed.into_boxed_slice()
        });
        InvisibleTransitions {
            transitions: invisible.iter().map(|t| t.index() as u32).collect(),
            fed_invisible: fed.collect(),
            representatives: Vec::new(),
            unreduced: HashSet::new(),
        }
    }

    /// Returns the representative of a marking if it was computed before.
    fn cached_representative(&self, marking: u32) -> Option<u32> {
        self.representatives.get(marking as usize).copied().filter(|&known| known != UNEXPANDED)
    }

    /// Stores the representative of a marking.
    fn record(&mut self, marking: u32, representative: u32) {
        let index = marking as usize;
        self.representatives.resize(self.representatives.len().max(index + 1), UNEXPANDED);
        self.representatives[index] = representative;
    }
}

impl Markings<'_> {
    /// Merges each marking with its representative, the marking after all possible invisible
    /// firings ([`parikh_evidence::tree::silent`]). No marking may be expanded before.
    ///
    /// Returns `None` if more than [`MAX_CHAIN`] invisible firings are possible from the initial
    /// marking. Chains from most other markings will then be too long as well.
    ///
    /// # Errors
    /// Returns an error if there is no memory for a marking, or if a place would get 2⁶³ tokens or
    /// more.
    pub(crate) fn without_invisible(
        mut self,
        invisible: &[TransitionId],
    ) -> Result<Option<Self>, ExplorationError> {
        self.invisible_transitions = Some(InvisibleTransitions::new(self.labels.net, invisible));
        self.representative(0, None)?;
        let is_chain_too_long =
            self.invisible_transitions.as_ref().is_some_and(|it| it.unreduced.contains(&0));
        Ok((!is_chain_too_long).then_some(self))
    }

    /// Returns the representative of the initial marking. Returns the initial marking itself, 0, if
    /// the graph merges no markings.
    pub(crate) fn initial(&self) -> u32 {
        self.invisible_transitions
            .as_ref()
            .and_then(|invisible| invisible.cached_representative(0))
            .unwrap_or(0)
    }

    /// Returns the representative of a marking. `fired` is the transition that led to the marking
    /// from a representative, if known.
    pub(super) fn representative(
        &mut self,
        marking: u32,
        fired: Option<u32>,
    ) -> Result<u32, ExplorationError> {
        let Some(invisible) = &self.invisible_transitions else { return Ok(marking) };
        if let Some(cached) = invisible.cached_representative(marking) {
            return Ok(cached);
        }
        let found = loop {
            // Storing a marking may repack all markings. Then the chain is followed again from its
            // beginning.
            if let Some(found) = self.chain_end(marking, fired)? {
                break found;
            }
        };
        if let Some(invisible) = &mut self.invisible_transitions {
            invisible.record(marking, found);
            if invisible.cached_representative(found).is_none() {
                invisible.record(found, found);
            }
        }
        Ok(found)
    }

    /// Fires invisible transitions from a marking, always the first enabled one, until none is
    /// enabled. Returns the last marking. `fired` is the transition that led to the marking from a
    /// representative, if known. Only this last marking is stored. Returns the marking itself if
    /// more than [`MAX_CHAIN`] firings are possible. Returns `None` if the markings were repacked,
    /// so that the caller must try again.
    fn chain_end(
        &mut self,
        marking: u32,
        fired: Option<u32>,
    ) -> Result<Option<u32>, ExplorationError> {
        self.load(marking);
        let Some(invisible) = &mut self.invisible_transitions else { return Ok(Some(marking)) };
        // No invisible transition is enabled in a representative. So only invisible consumers of
        // the fired transition's output places can be enabled after its firing.
        let mut candidates = match fired {
            Some(t) => invisible.fed_invisible[t as usize].to_vec(),
            None => invisible.transitions.clone(),
        };
        for step in 0..=MAX_CHAIN {
            let (net, packing, key) = (self.labels.net, self.space.packing(), self.space.key());
            let has_tokens = |arc: &Arc| packing.tokens(key, arc.place) >= arc.weight;
            let is_enabled =
                |&t: &u32| net.pre(TransitionId::new(t as usize)).iter().all(has_tokens);
            candidates.sort_unstable();
            candidates.dedup();
            candidates.retain(is_enabled);
            let Some(&t) = candidates.first() else {
                if step == 0 {
                    return Ok(Some(marking));
                }
                let end = self.space.add_loaded(marking)?;
                self.extend_vectors();
                return Ok(Some(end));
            };
            self.loaded = None;
            if self.space.fire_loaded(TransitionId::new(t as usize))? {
                return Ok(None);
            }
            candidates.extend_from_slice(&invisible.fed_invisible[t as usize]);
        }
        invisible.unreduced.insert(marking);
        Ok(Some(marking))
    }

    /// Replaces the entries of `successors` from position `begin` on, which are the successors of
    /// `marking`, by their representatives. If the chain of invisible firings from `marking` was
    /// too long, the successors stay unchanged. In this case, successors without a known
    /// representative become their own representatives.
    ///
    /// # Errors
    /// Returns an error if the budget or the memory ends, or if a place would get 2⁶³ tokens or
    /// more.
    pub(super) fn replace_by_representatives(
        &mut self,
        marking: u32,
        begin: usize,
    ) -> Result<(), ExplorationError> {
        if let Some(invisible) = &mut self.invisible_transitions
            && invisible.unreduced.contains(&marking)
        {
            for &(to, _) in &self.successors[begin..] {
                if invisible.cached_representative(to).is_none() {
                    invisible.record(to, to);
                    invisible.unreduced.insert(to);
                }
            }
            return Ok(());
        }
        let fired: Vec<u32> = self.enabled.clone();
        self.extend_vectors();
        for (position, t) in (begin..self.successors.len()).zip(fired) {
            let to = self.successors[position].0;
            let in_budget = self.check_budget();
            match in_budget.and_then(|()| self.representative(to, Some(t))) {
                Ok(representative) => self.successors[position].0 = representative,
                Err(error) => {
                    self.successors.truncate(begin);
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}
