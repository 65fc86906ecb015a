//! A marking with large numbers, its enabled transitions, and the path to it: a trace of firings
//! and loops that can be undone.

use super::summary::{Effect, Element, Loops, SummaryScratch};
use num_bigint::{BigInt, BigUint, Sign};
use parikh_evidence::loops::LargeMarking;
use parikh_net::loops::LoopRun;
use parikh_net::{Net, PlaceId, TransitionId};
use std::collections::{BTreeSet, HashMap};

/// Number of trace elements, per executed step, whose effects may be added up to test if a round
/// can be repeated. A round is the part of the trace between two firings of a transition with the
/// same control.
const ALLOWANCE_PER_STEP: usize = 32;

/// An executed element of the trace, that is, of the sequence of firings and loops since the
/// initial marking.
#[derive(Clone, Copy, Debug)]
pub(super) struct TraceStep {
    /// The firing or loop executed in this step.
    pub(super) element: Element,
    /// Fingerprint of the control before the element, that is, of the set of marked places that
    /// have never had two tokens. See [`LoopMarking::fingerprint`].
    fingerprint: u64,
}

/// A recorded change of the trace, which backtracking undoes.
enum UndoRecord {
    /// An element was appended to the trace.
    Appended,
    /// The trace elements `before`, which form one round, were replaced by a loop of this round and
    /// further repetitions. The element `more` is a loop of only the further repetitions.
    Folded { before: Vec<TraceStep>, more: Element },
}

/// The marking of a walk with its trace. See the module documentation.
pub(super) struct LoopMarking<'n> {
    /// The net of the walk.
    pub(super) net: &'n Net,
    /// The blocks and loops created so far. A block is a sequence of elements, and a loop repeats a
    /// block.
    pub(super) loops: Loops,
    /// Buffers for summing up effects.
    scratch: SummaryScratch,
    /// The current marking.
    marking: LargeMarking,
    /// For each transition, the number of input places without enough tokens.
    missing_inputs: Vec<u32>,
    /// Rank of each transition. A walk prefers low ranks.
    rank: Vec<u32>,
    /// The enabled transitions, as pairs of rank and transition index.
    enabled: BTreeSet<(u32, u32)>,
    /// For each place, true if it has had more than one token in some marking of the walks. Such a
    /// place is a counter and not part of the control.
    is_counter: Vec<bool>,
    /// True if a place was added to `is_counter` since the last call of `take_has_new_counter`.
    has_new_counter: bool,
    /// A random number per place, for fingerprints.
    place_hash: Vec<u64>,
    /// Fingerprint of the control: the marked places that are not in `is_counter`.
    fingerprint: u64,
    /// The trace: the firings and loops executed since the initial marking, without undone ones. A
    /// repeated round is a single loop.
    trace: Vec<TraceStep>,
    /// For a transition and a fingerprint of the control, the position in the trace where this
    /// transition last fired with this control. The control is the set of marked places that never
    /// had two tokens. An entry may be outdated after operations were undone or a round was
    /// replaced by a loop.
    last_position: HashMap<(u32, u64), usize>,
    /// The recorded operations, the oldest first, so that the latest ones can be undone.
    undo: Vec<UndoRecord>,
    /// Number of trace elements whose effects may still be added up in tests for repeatable rounds.
    allowance: usize,
    /// True if operations are recorded for undoing.
    records_undo: bool,
    /// Places that changed since the last call of `take_changed`. A place may occur several times.
    changed: Vec<PlaceId>,
}

impl<'n> LoopMarking<'n> {
    pub(super) fn new(net: &'n Net, ranks: Vec<u32>, rng: &mut fastrand::Rng) -> Self {
        let counts = net.initial().tokens().iter().map(|&tokens| tokens > 1).collect();
        let mut machine = LoopMarking {
            net,
            loops: Loops::new(net),
            scratch: SummaryScratch::new(net.place_count()),
            marking: LargeMarking::of(net.initial()),
            missing_inputs: Vec::new(),
            rank: Vec::new(),
            enabled: BTreeSet::new(),
            is_counter: counts,
            has_new_counter: false,
            place_hash: net.places().map(|_| rng.u64(..)).collect(),
            fingerprint: 0,
            trace: Vec::new(),
            last_position: HashMap::new(),
            undo: Vec::new(),
            allowance: 0,
            records_undo: false,
            changed: Vec::new(),
        };
        machine.restart(ranks);
        machine
    }

    /// Returns to the initial marking with an empty trace and new ranks. Keeps the known loops and
    /// counter places.
    pub(super) fn restart(&mut self, ranks: Vec<u32>) {
        let initial = self.net.initial();
        self.marking = LargeMarking::of(initial);
        self.missing_inputs = vec![0; self.net.transition_count()];
        self.rank = ranks;
        self.enabled.clear();
        for t in self.net.transitions() {
            let lacking_inputs =
                self.net.pre(t).iter().filter(|arc| initial[arc.place] < arc.weight);
            self.missing_inputs[t.index()] = lacking_inputs.count() as u32;
            if self.missing_inputs[t.index()] == 0 {
                self.enabled.insert((self.rank[t.index()], t.index() as u32));
            }
        }
        self.trace.clear();
        self.last_position.clear();
        self.undo.clear();
        self.records_undo = false;
        self.update_fingerprint();
    }

    /// Computes the fingerprint of the control from the marking.
    fn update_fingerprint(&mut self) {
        let control = self.marking.marked().filter(|(place, _)| !self.is_counter[place.index()]);
        self.fingerprint =
            control.fold(0, |fingerprint, (place, _)| fingerprint ^ self.place_hash[place.index()]);
    }

    /// Returns the current marking.
    pub(super) fn marking(&self) -> &LargeMarking {
        &self.marking
    }

    /// Returns the number of elements of the trace.
    pub(super) fn trace_length(&self) -> usize {
        self.trace.len()
    }

    /// Returns the enabled transitions, the most preferred first.
    pub(super) fn enabled(&self) -> impl Iterator<Item = TransitionId> {
        self.enabled.iter().map(|&(_, t)| TransitionId::new(t as usize))
    }

    /// Returns true if a place became a counter since the last call. The control then depends on
    /// fewer places, so rounds may have been missed before.
    pub(super) fn take_has_new_counter(&mut self) -> bool {
        std::mem::take(&mut self.has_new_counter)
    }

    /// Returns the places that changed since the last call.
    pub(super) fn take_changed(&mut self) -> std::vec::Drain<'_, PlaceId> {
        self.changed.drain(..)
    }

    /// Returns true if an element can be executed now.
    pub(super) fn can_execute(&self, element: Element) -> bool {
        let effect = self.loops.effect(element);
        effect.demand.iter().all(|(place, demand)| self.tokens(*place) >= demand)
    }

    /// Executes an element and appends it to the trace. The marking must have the tokens that the
    /// element requires.
    pub(super) fn execute(&mut self, element: Element) {
        self.allowance = self.allowance.saturating_add(ALLOWANCE_PER_STEP);
        if let Element::Fire(t) = element {
            self.last_position.insert((t, self.fingerprint), self.trace.len());
        }
        self.trace.push(TraceStep { element, fingerprint: self.fingerprint });
        self.apply(element, false);
        if self.records_undo {
            self.undo.push(UndoRecord::Appended);
        }
    }

    /// Adds the change of an element to the marking, or subtracts it if `is_backwards`.
    fn apply(&mut self, element: Element, is_backwards: bool) {
        let effect = self.loops.effect(element).clone();
        for (place, change) in &effect.change {
            match is_backwards {
                true => self.add(*place as usize, &-change),
                false => self.add(*place as usize, change),
            }
        }
    }

    /// Returns the token count of a place.
    fn tokens(&self, place: u32) -> &BigInt {
        &self.marking[PlaceId::new(place as usize)]
    }

    /// Changes the tokens of a place, and updates the enabled transitions and the fingerprint.
    fn add(&mut self, place: usize, change: &BigInt) {
        let id = PlaceId::new(place);
        // Arc weights have 64 bits, so for enabledness a larger token count is the same as the
        // largest 64-bit number.
        let saturated = |tokens: &BigInt| u64::try_from(tokens).unwrap_or(u64::MAX);
        let old_tokens = saturated(&self.marking[id]);
        self.marking.add(id, change);
        let new_tokens = saturated(&self.marking[id]);
        self.changed.push(id);
        for arc in self.net.consumers(id) {
            let t = arc.transition.index();
            match (old_tokens >= arc.weight, new_tokens >= arc.weight) {
                (false, true) => {
                    self.missing_inputs[t] -= 1;
                    if self.missing_inputs[t] == 0 {
                        self.enabled.insert((self.rank[t], t as u32));
                    }
                }
                (true, false) => {
                    if self.missing_inputs[t] == 0 {
                        self.enabled.remove(&(self.rank[t], t as u32));
                    }
                    self.missing_inputs[t] += 1;
                }
                _ => {}
            }
        }
        if self.is_counter[place] {
            return;
        }
        if new_tokens > 1 {
            (self.is_counter[place], self.has_new_counter) = (true, true);
            self.update_fingerprint();
        } else if (old_tokens > 0) != (new_tokens > 0) {
            self.fingerprint ^= self.place_hash[place];
        }
    }

    /// Finds a round that would be completed now: the trace elements since transition `t` last
    /// fired with the current control. Returns the position of its first element in the trace, and
    /// the effect of one round. Returns `None` if no such firing is known, or if the allowance for
    /// summing up elements is used up.
    pub(super) fn find_round(&mut self, t: TransitionId) -> Option<(usize, Effect)> {
        let t = t.index() as u32;
        let round_start = *self.last_position.get(&(t, self.fingerprint))?;
        let first_step = self.trace.get(round_start)?;
        if first_step.fingerprint != self.fingerprint || first_step.element != Element::Fire(t) {
            return None;
        }
        // Most rounds cannot be repeated, so the allowance limits the time spent on summing up
        // their effects.
        let length = self.trace.len() - round_start;
        self.allowance = self.allowance.checked_sub(length)?;
        let round_elements = self.trace[round_start..].iter().map(|step| step.element);
        Some((round_start, self.loops.sum_effects(round_elements, &mut self.scratch)))
    }

    /// Returns how often an element with this effect can be executed in a row. `None` means
    /// unlimited.
    pub(super) fn max_repetitions(&self, effect: &Effect) -> Option<BigUint> {
        let mut max_count: Option<BigInt> = None;
        for (place, demand) in &effect.demand {
            let spare = self.tokens(*place) - demand;
            if spare.sign() == Sign::Minus {
                return Some(BigUint::ZERO);
            }
            if let Some(change) = effect.loss(*place) {
                let times: BigInt = spare / -change + 1;
                max_count = Some(max_count.map_or(times.clone(), |max_count| max_count.min(times)));
            }
        }
        max_count.map(|max_count| max_count.magnitude().clone())
    }

    /// Executes `times` further repetitions of the round that consists of the trace from position
    /// `round_start` on. This must be possible. Replaces the round in the trace by a loop of
    /// `times` + 1 repetitions, and returns this loop.
    pub(super) fn repeat_round(
        &mut self,
        round_start: usize,
        effect: &Effect,
        times: &BigUint,
    ) -> Element {
        let body = self.trace[round_start..].iter().map(|done| done.element).collect();
        let block = self.loops.add_block(body);
        let added_rounds = self.loops.add_loop(block, effect, times.clone());
        let all_rounds = self.loops.add_loop(block, effect, times + 1u8);
        let fingerprint = self.trace[round_start].fingerprint;
        let replaced = self.trace.split_off(round_start);
        self.trace.push(TraceStep { element: all_rounds, fingerprint });
        self.apply(added_rounds, false);
        if self.records_undo {
            self.undo.push(UndoRecord::Folded { before: replaced, more: added_rounds });
        }
        all_rounds
    }

    /// Begins recording for undo. Returns the current number of records, for
    /// [`undo_to`](Self::undo_to).
    pub(super) fn start_recording(&mut self) -> usize {
        self.records_undo = true;
        self.undo.len()
    }

    /// Drops the oldest `number` undo records. The numbers of the remaining records decrease by
    /// `number`.
    pub(super) fn drop_records_before(&mut self, number: usize) {
        self.undo.drain(..number);
    }

    /// Stops recording and drops all undo records.
    pub(super) fn stop_recording(&mut self) {
        self.records_undo = false;
        self.undo.clear();
    }

    /// Undoes all operations recorded since [`start_recording`](Self::start_recording) returned
    /// this number.
    pub(super) fn undo_to(&mut self, number: usize) {
        while self.undo.len() > number {
            let Some(last_step) = self.trace.pop() else { return };
            match self.undo.pop() {
                Some(UndoRecord::Folded { before: replaced, more: added_rounds }) => {
                    self.apply(added_rounds, true);
                    self.trace.extend(replaced);
                }
                Some(UndoRecord::Appended) | None => self.apply(last_step.element, true),
            }
        }
    }

    /// Returns the element at a position of the trace.
    pub(super) fn element_at(&self, position: usize) -> Element {
        self.trace[position].element
    }

    /// Returns the trace as a run.
    pub(super) fn trace_as_run(&self) -> LoopRun {
        let elements: Vec<Element> = self.trace.iter().map(|done| done.element).collect();
        self.loops.to_run(&elements)
    }
}
