//! A marking with numbers as large as they have to be, what is enabled in it, and the way to it: a
//! trace of firings and loops that can be taken back.

use super::summary::{Effect, Element, Loops, Scratch};
use crate::evidence::loops::LargeMarking;
use num_bigint::{BigInt, BigUint, Sign};
use parikh_net::loops::LoopRun;
use parikh_net::{Net, PlaceId, TransitionId};
use std::collections::{BTreeSet, HashMap};

/// For each step, so many elements may be added up to see whether a round can be done again.
const ALLOWANCE: usize = 32;

/// Something done, and what the marking was like before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) element: Element,
    /// Of the marking before it: see [`Machine::print`].
    print: u64,
}

/// What is taken back.
enum Undo {
    /// The last of the trace.
    Push,
    /// The last of the trace is a loop in the place of these, so many rounds more.
    Fold { before: Vec<Done>, more: Element },
}

/// See the module.
pub(super) struct Machine<'n> {
    pub(super) net: &'n Net,
    pub(super) loops: Loops,
    scratch: Scratch,
    marking: LargeMarking,
    /// Inputs of each transition that lack tokens.
    missing: Vec<u32>,
    /// The rank of each transition: the lowest is what a walk likes best.
    rank: Vec<u32>,
    /// What is enabled, by rank.
    enabled: BTreeSet<(u32, u32)>,
    /// Places that have held more than one token, ever: what they hold is no part of the control.
    counts: Vec<bool>,
    /// Whether that was seen of a place since somebody asked.
    has_learnt: bool,
    /// A number for each place.
    mark: Vec<u64>,
    /// Of the places that hold a token and do not count: the control.
    print: u64,
    trace: Vec<Done>,
    /// Where in the trace something fired last with the control like this.
    last: HashMap<(u32, u64), usize>,
    undo: Vec<Undo>,
    /// Elements that may be added up without need.
    allowance: usize,
    /// Whether what is done is written down to be taken back.
    keeps: bool,
    /// Places that changed, for whoever looks.
    changed: Vec<PlaceId>,
}

impl<'n> Machine<'n> {
    pub(super) fn new(net: &'n Net, rank: Vec<u32>, rng: &mut fastrand::Rng) -> Self {
        let counts = net.initial().tokens().iter().map(|&tokens| tokens > 1).collect();
        let mut machine = Machine {
            net,
            loops: Loops::new(net),
            scratch: Scratch::new(net.place_count()),
            marking: LargeMarking::of(net.initial()),
            missing: Vec::new(),
            rank: Vec::new(),
            enabled: BTreeSet::new(),
            counts,
            has_learnt: false,
            mark: net.places().map(|_| rng.u64(..)).collect(),
            print: 0,
            trace: Vec::new(),
            last: HashMap::new(),
            undo: Vec::new(),
            allowance: 0,
            keeps: false,
            changed: Vec::new(),
        };
        machine.restart(rank);
        machine
    }

    /// Back to the initial marking, with these ranks.
    pub(super) fn restart(&mut self, rank: Vec<u32>) {
        let initial = self.net.initial();
        self.marking = LargeMarking::of(initial);
        self.missing = vec![0; self.net.transition_count()];
        self.rank = rank;
        self.enabled.clear();
        for t in self.net.transitions() {
            let lacks = self.net.pre(t).iter().filter(|arc| initial[arc.place] < arc.weight);
            self.missing[t.index()] = lacks.count() as u32;
            if self.missing[t.index()] == 0 {
                self.enabled.insert((self.rank[t.index()], t.index() as u32));
            }
        }
        self.trace.clear();
        self.last.clear();
        self.undo.clear();
        self.keeps = false;
        self.reprint();
    }

    fn reprint(&mut self) {
        let control = self.marking.marked().filter(|(place, _)| !self.counts[place.index()]);
        self.print = control.fold(0, |print, (place, _)| print ^ self.mark[place.index()]);
    }

    pub(super) fn marking(&self) -> &LargeMarking {
        &self.marking
    }

    pub(super) fn trace_length(&self) -> usize {
        self.trace.len()
    }

    /// What is enabled, best first.
    pub(super) fn enabled(&self) -> impl Iterator<Item = TransitionId> {
        self.enabled.iter().map(|&(_, t)| TransitionId::new(t as usize))
    }

    /// Whether places were found to count since this was asked last: what was a round before may
    /// not have been seen.
    pub(super) fn take_has_learnt(&mut self) -> bool {
        std::mem::take(&mut self.has_learnt)
    }

    /// The places that changed since this was asked last.
    pub(super) fn take_changed(&mut self) -> std::vec::Drain<'_, PlaceId> {
        self.changed.drain(..)
    }

    /// Whether an element can be done now.
    pub(super) fn can(&self, element: Element) -> bool {
        let effect = self.loops.effect(element);
        effect.need.iter().all(|(place, need)| self.tokens(*place) >= need)
    }

    /// Does an element that can be done.
    pub(super) fn push(&mut self, element: Element) {
        self.allowance = self.allowance.saturating_add(ALLOWANCE);
        if let Element::Fire(t) = element {
            self.last.insert((t, self.print), self.trace.len());
        }
        self.trace.push(Done { element, print: self.print });
        self.apply(element, false);
        if self.keeps {
            self.undo.push(Undo::Push);
        }
    }

    fn apply(&mut self, element: Element, backwards: bool) {
        let effect = self.loops.effect(element).clone();
        for (place, change) in &effect.change {
            match backwards {
                true => self.add(*place as usize, &-change),
                false => self.add(*place as usize, change),
            }
        }
    }

    fn tokens(&self, place: u32) -> &BigInt {
        &self.marking[PlaceId::new(place as usize)]
    }

    fn add(&mut self, place: usize, change: &BigInt) {
        let id = PlaceId::new(place);
        // As far as arcs tell them apart: weights have 64 bits.
        let few = |tokens: &BigInt| u64::try_from(tokens).unwrap_or(u64::MAX);
        let before = few(&self.marking[id]);
        self.marking.add(id, change);
        let now = few(&self.marking[id]);
        self.changed.push(id);
        for arc in self.net.consumers(id) {
            let t = arc.transition.index();
            match (before >= arc.weight, now >= arc.weight) {
                (false, true) => {
                    self.missing[t] -= 1;
                    if self.missing[t] == 0 {
                        self.enabled.insert((self.rank[t], t as u32));
                    }
                }
                (true, false) => {
                    if self.missing[t] == 0 {
                        self.enabled.remove(&(self.rank[t], t as u32));
                    }
                    self.missing[t] += 1;
                }
                _ => {}
            }
        }
        if self.counts[place] {
            return;
        }
        if now > 1 {
            (self.counts[place], self.has_learnt) = (true, true);
            self.reprint();
        } else if (before > 0) != (now > 0) {
            self.print ^= self.mark[place];
        }
    }

    /// Where in the trace this transition fired last with the control as it is now, if it did, and
    /// the effect of what was done since: a round that may be possible again.
    pub(super) fn round(&mut self, t: TransitionId) -> Option<(usize, Effect)> {
        let t = t.index() as u32;
        let at = *self.last.get(&(t, self.print))?;
        let done = self.trace.get(at)?;
        if done.print != self.print || done.element != Element::Fire(t) {
            return None;
        }
        // Most rounds cannot be done again; adding them up may take so much of the time.
        let length = self.trace.len() - at;
        self.allowance = self.allowance.checked_sub(length)?;
        let since = self.trace[at..].iter().map(|done| done.element);
        Some((at, self.loops.sum(since, &mut self.scratch)))
    }

    /// How often something with this effect can be done in a row from here; nothing where that has
    /// no end.
    pub(super) fn most(&self, effect: &Effect) -> Option<BigUint> {
        let mut most: Option<BigInt> = None;
        for (place, need) in &effect.need {
            let left = self.tokens(*place) - need;
            if left.sign() == Sign::Minus {
                return Some(BigUint::ZERO);
            }
            if let Some(change) = effect.loss(*place) {
                let times: BigInt = left / -change + 1;
                most = Some(most.map_or(times.clone(), |most| most.min(times)));
            }
        }
        most.map(|most| most.magnitude().clone())
    }

    /// Does the round that begins `at` so often more, which can be done, and writes all of its
    /// rounds down as a loop.
    pub(super) fn fold(&mut self, at: usize, effect: &Effect, times: &BigUint) -> Element {
        let body = self.trace[at..].iter().map(|done| done.element).collect();
        let block = self.loops.block(body);
        let more = self.loops.repeated(block, effect, times.clone());
        let all = self.loops.repeated(block, effect, times + 1u8);
        let print = self.trace[at].print;
        let before = self.trace.split_off(at);
        self.trace.push(Done { element: all, print });
        self.apply(more, false);
        if self.keeps {
            self.undo.push(Undo::Fold { before, more });
        }
        all
    }

    /// From now on, what is done can be taken back to here: to this number.
    pub(super) fn remember(&mut self) -> usize {
        self.keeps = true;
        self.undo.len()
    }

    /// What was done before this number need not be taken back any more.
    pub(super) fn forget_before(&mut self, number: usize) {
        self.undo.drain(..number);
    }

    /// Nothing need be taken back any more.
    pub(super) fn forget(&mut self) {
        self.keeps = false;
        self.undo.clear();
    }

    /// Back to when it was remembered.
    pub(super) fn back_to(&mut self, number: usize) {
        while self.undo.len() > number {
            let Some(done) = self.trace.pop() else { return };
            match self.undo.pop() {
                Some(Undo::Fold { before, more }) => {
                    self.apply(more, true);
                    self.trace.extend(before);
                }
                Some(Undo::Push) | None => self.apply(done.element, true),
            }
        }
    }

    /// What stands in the trace there.
    pub(super) fn begins(&self, at: usize) -> Element {
        self.trace[at].element
    }

    /// All that was done, as a run.
    pub(super) fn run(&self) -> LoopRun {
        let way: Vec<Element> = self.trace.iter().map(|done| done.element).collect();
        self.loops.run(&way)
    }
}
