//! Markings that are identified, since no formula here sees the firings between them.
//!
//! What stands for a marking is where such firings lead, of those that are enabled always the
//! first, when none is enabled any more. Others stay enabled meanwhile and none takes what another
//! needs, so it does not depend on the order; the order is the checker's, who goes the same way. A
//! marking from which they do not end stands for itself.

use super::{Incomplete, Markings, NEW};
use parikh_net::{Arc, Net, TransitionId};
use std::collections::HashSet;

/// The most firings in a row that are not looked at.
const MOST_SILENT: usize = 200;

/// Firings that are not looked at.
pub(super) struct Silent {
    /// All of them, ascending.
    pub(super) all: Vec<u32>,
    /// By transition those that take tokens from where it puts some, ascending.
    fed: Vec<Box<[u32]>>,
    /// By marking what stands for it, or [`NEW`].
    known: Vec<u32>,
    /// Those that stand for themselves because such firings are too many, or were not looked at.
    far: HashSet<u32>,
}

impl Silent {
    fn of(net: &Net, silent: &[TransitionId]) -> Self {
        let mut is_silent = vec![false; net.transition_count()];
        silent.iter().for_each(|t| is_silent[t.index()] = true);
        let fed = net.transitions().map(|t| {
            // What is silent takes from where nothing else does.
            let fed = net.post(t).iter().filter_map(|arc| match net.consumers(arc.place) {
                [only] if is_silent[only.transition.index()] => {
                    Some(only.transition.index() as u32)
                }
                _ => None,
            });
            let mut fed: Vec<u32> = fed.collect();
            fed.sort_unstable();
            fed.dedup();
            fed.into_boxed_slice()
        });
        Silent {
            all: silent.iter().map(|t| t.index() as u32).collect(),
            fed: fed.collect(),
            known: Vec::new(),
            far: HashSet::new(),
        }
    }

    /// What stands for a marking, as far as that was asked.
    fn known(&self, marking: u32) -> Option<u32> {
        self.known.get(marking as usize).copied().filter(|&known| known != NEW)
    }

    fn note(&mut self, marking: u32, found: u32) {
        let at = marking as usize;
        self.known.resize(self.known.len().max(at + 1), NEW);
        self.known[at] = found;
    }
}

impl Markings<'_> {
    /// Identifies each marking with the one that these firings lead to, of those that are enabled
    /// always the first: firings that no formula here sees ([`crate::evidence::tree::silent`]).
    /// Nothing was expanded yet.
    ///
    /// Nothing where such firings are too many from the initial marking on: from most others, they
    /// will be, too.
    ///
    /// # Errors
    /// When there is no room for a marking.
    pub(crate) fn without(mut self, silent: &[TransitionId]) -> Result<Option<Self>, Incomplete> {
        self.silent = Some(Silent::of(self.labels.net, silent));
        self.representative(0, None)?;
        let is_far = self.silent.as_ref().is_some_and(|it| it.far.contains(&0));
        Ok((!is_far).then_some(self))
    }

    /// The marking that stands for the initial one.
    pub(crate) fn initial(&self) -> u32 {
        self.silent.as_ref().and_then(|silent| silent.known(0)).unwrap_or(0)
    }

    /// The marking that stands for this one, reached from one that stands for itself by firing
    /// `fired`.
    pub(super) fn representative(
        &mut self,
        marking: u32,
        fired: Option<u32>,
    ) -> Result<u32, Incomplete> {
        let Some(silent) = &self.silent else { return Ok(marking) };
        if let Some(known) = silent.known(marking) {
            return Ok(known);
        }
        let found = loop {
            // Markings may be packed anew meanwhile; then it begins again.
            if let Some(found) = self.chain(marking, fired)? {
                break found;
            }
        };
        if let Some(silent) = &mut self.silent {
            silent.note(marking, found);
            if silent.known(found).is_none() {
                silent.note(found, found);
            }
        }
        Ok(found)
    }

    /// Where silent firings end that begin in a marking; only that last marking is made known.
    /// Nothing where markings were packed anew instead.
    fn chain(&mut self, marking: u32, fired: Option<u32>) -> Result<Option<u32>, Incomplete> {
        self.look(marking);
        let Some(silent) = &mut self.silent else { return Ok(Some(marking)) };
        // Of those that were not enabled before, only what the firing gives tokens to may be now.
        let mut candidates = match fired {
            Some(t) => silent.fed[t as usize].to_vec(),
            None => silent.all.clone(),
        };
        for step in 0..=MOST_SILENT {
            let (net, packing, key) = (self.labels.net, self.space.packing(), self.space.key());
            let has = |arc: &Arc| packing.tokens(key, arc.place) >= arc.weight;
            let is_enabled = |&t: &u32| net.pre(TransitionId::new(t as usize)).iter().all(has);
            candidates.sort_unstable();
            candidates.dedup();
            candidates.retain(is_enabled);
            let Some(&t) = candidates.first() else {
                if step == 0 {
                    return Ok(Some(marking));
                }
                let found = self.space.add_loaded(marking)?;
                self.make_room();
                return Ok(Some(found));
            };
            self.loaded = None;
            if self.space.fire_loaded(TransitionId::new(t as usize))? {
                return Ok(None);
            }
            candidates.extend_from_slice(&silent.fed[t as usize]);
        }
        silent.far.insert(marking);
        Ok(Some(marking))
    }

    /// Puts what stands for them in place of the successors from this place on.
    pub(super) fn identify(&mut self, marking: u32, begin: usize) -> Result<(), Incomplete> {
        if let Some(silent) = &mut self.silent
            && silent.far.contains(&marking)
        {
            for &(to, _) in &self.successors[begin..] {
                if silent.known(to).is_none() {
                    silent.note(to, to);
                    silent.far.insert(to);
                }
            }
            return Ok(());
        }
        let fired: Vec<u32> = self.enabled.clone();
        self.make_room();
        for (at, t) in (begin..self.successors.len()).zip(fired) {
            let to = self.successors[at].0;
            let goes_on = self.look_at_budget();
            match goes_on.and_then(|()| self.representative(to, Some(t))) {
                Ok(instead) => self.successors[at].0 = instead,
                Err(error) => {
                    self.successors.truncate(begin);
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}
