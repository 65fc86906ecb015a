//! A random walk from any marking that records the transitions that become enabled.

use parikh_net::{Change, FiringSequence, Marking, Net, TransitionId};

/// A random walk with its marking and enabled transitions.
pub(super) struct RecordingWalk<'n> {
    /// The net of the walk.
    net: &'n Net,
    /// The current marking.
    marking: Marking,
    /// For each transition, the number of input places without enough tokens.
    missing_inputs: Vec<u32>,
    /// The enabled transitions, in no order.
    enabled: Vec<TransitionId>,
    /// For each transition, its position in `enabled`, or [`DISABLED`].
    position: Vec<u32>,
    /// For each transition, true if it was enabled in a marking of the walk.
    was_enabled: Vec<bool>,
    /// Transitions enabled for the first time since the last call of `take_newly_enabled`.
    newly_enabled: Vec<TransitionId>,
    rng: fastrand::Rng,
}

/// Position of a disabled transition.
const DISABLED: u32 = u32::MAX;

impl<'n> RecordingWalk<'n> {
    /// Begins a walk at `marking`.
    pub(super) fn new(net: &'n Net, marking: &Marking, seed: u64) -> Self {
        let count = net.transition_count();
        let mut walk = RecordingWalk {
            net,
            marking: marking.clone(),
            missing_inputs: vec![0; count],
            enabled: Vec::new(),
            position: vec![DISABLED; count],
            was_enabled: vec![false; count],
            newly_enabled: Vec::new(),
            rng: fastrand::Rng::with_seed(seed),
        };
        for t in net.transitions() {
            let missing_count =
                net.pre(t).iter().filter(|arc| marking[arc.place] < arc.weight).count();
            walk.missing_inputs[t.index()] = missing_count as u32;
            if missing_count == 0 {
                walk.enable(t);
            }
        }
        walk
    }

    /// Returns the current marking.
    pub(super) fn marking(&self) -> &Marking {
        &self.marking
    }

    /// Returns true if no transition is enabled in the current marking.
    pub(super) fn is_dead(&self) -> bool {
        self.enabled.is_empty()
    }

    /// Returns one entry per transition: true if it was enabled in some marking of the walk.
    pub(super) fn was_enabled(&self) -> &[bool] {
        &self.was_enabled
    }

    /// Returns the transitions that were enabled for the first time since the last call, or since
    /// the walk began.
    pub(super) fn take_newly_enabled(&mut self) -> Vec<TransitionId> {
        std::mem::take(&mut self.newly_enabled)
    }

    /// Fires random enabled transitions among those for which `is_allowed`, indexed by transition,
    /// is true. Returns true if none of these transitions is enabled any more. Returns false if
    /// `may_continue` returns false, or if a token count would exceed 63 bits.
    pub(super) fn fire_while_enabled(
        &mut self,
        is_allowed: &[bool],
        mut may_continue: impl FnMut() -> bool,
    ) -> bool {
        while may_continue() {
            let allowed = self.enabled.iter().copied().filter(|t| is_allowed[t.index()]);
            let Some(t) = self.rng.choice(allowed.collect::<Vec<_>>()) else { return true };
            if !self.fire(t) {
                return false;
            }
        }
        false
    }

    /// Fires at most `max_firings` random transitions and returns them. Ends early in a dead
    /// marking, or if a token count would exceed 63 bits.
    pub(super) fn walk(&mut self, max_firings: u64) -> FiringSequence {
        let mut sequence = FiringSequence::new();
        for _ in 0..max_firings {
            if self.enabled.is_empty() {
                break;
            }
            let t = self.enabled[self.rng.usize(..self.enabled.len())];
            if !self.fire(t) {
                break;
            }
            sequence.push(t, 1);
        }
        sequence
    }

    /// Fires a transition, which must be enabled. Returns false if a token count would exceed 63
    /// bits.
    fn fire(&mut self, t: TransitionId) -> bool {
        let net = self.net;
        if net.fire(&mut self.marking, t).is_err() {
            return false;
        }
        // Losses come first. Otherwise a transition that needs a gained and a lost token would
        // count as enabled in between.
        for is_gain in [false, true] {
            let changes = net.delta(t).iter().filter(|change| (change.delta > 0) == is_gain);
            changes.for_each(|change| self.update_inputs(change));
        }
        true
    }

    /// Updates the enabled transitions after a change of the tokens of a place.
    fn update_inputs(&mut self, change: &Change) {
        let new_tokens = self.marking[change.place];
        let old_tokens = new_tokens.wrapping_add_signed(change.delta.wrapping_neg());
        for arc in self.net.consumers(change.place) {
            let missing_count = &mut self.missing_inputs[arc.transition.index()];
            match (old_tokens >= arc.weight, new_tokens >= arc.weight) {
                (true, false) => {
                    *missing_count += 1;
                    if *missing_count == 1 {
                        self.disable(arc.transition);
                    }
                }
                (false, true) => {
                    *missing_count -= 1;
                    if *missing_count == 0 {
                        self.enable(arc.transition);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds a transition to the enabled transitions, and records that it was enabled.
    fn enable(&mut self, t: TransitionId) {
        self.position[t.index()] = self.enabled.len() as u32;
        self.enabled.push(t);
        if !std::mem::replace(&mut self.was_enabled[t.index()], true) {
            self.newly_enabled.push(t);
        }
    }

    /// Removes a transition from the enabled transitions.
    fn disable(&mut self, t: TransitionId) {
        let slot = std::mem::replace(&mut self.position[t.index()], DISABLED) as usize;
        self.enabled.swap_remove(slot);
        if let Some(&moved) = self.enabled.get(slot) {
            self.position[moved.index()] = slot as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn enabled_transitions_are_updated_after_each_firing() {
        let net = text::parse(
            "place a 5\nplace b\ntransition t: 2*a -> b\ntransition u: b -> a\ntransition v: 3*b -> b",
        )
        .unwrap();
        let mut recording_walk = RecordingWalk::new(&net, net.initial(), 1);
        for _ in 0..50 {
            recording_walk.walk(1);
            let enabled = |t: &TransitionId| net.is_enabled(recording_walk.marking(), *t);
            let mut listed = recording_walk.enabled.clone();
            listed.sort();
            assert_eq!(listed, net.transitions().filter(enabled).collect::<Vec<_>>());
        }
        assert!(recording_walk.is_dead());
        assert_eq!(recording_walk.was_enabled(), [true, true, false]);
    }
    #[test]
    fn a_transition_is_not_enabled_in_the_middle_of_a_firing() {
        let net =
            text::parse("place p\nplace q 1\ntransition move: q -> p\ntransition both: p + q ->")
                .unwrap();
        let mut recording_walk = RecordingWalk::new(&net, net.initial(), 1);
        recording_walk.walk(1);
        assert!(recording_walk.is_dead());
        assert_eq!(recording_walk.was_enabled(), [true, false]);
    }
}
