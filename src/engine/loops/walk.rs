//! One walk by fixed preferences: fires what it likes best, folds rounds into loops, and takes a
//! wrong turn back.

use super::machine::Machine;
use super::summary::{Effect, Element};
use super::watch::Watch;
use num_bigint::BigUint;
use parikh_net::TransitionId;
use parikh_solvers::Budget;
use std::collections::{HashMap, HashSet, VecDeque};

/// So many choices back a walk goes from a dead end. Where the way to go is a matter of what comes
/// next, that is seen a choice or two later; where it is not, other preferences are tried.
const TURNS: usize = 4;

/// So many loops are remembered for each transition that begins one.
const KNOWN: usize = 4;

/// A round that loses nothing could go on for ever; it is done 2 to the power of this often, and of
/// so much more the next time in a walk.
const ENDLESS: (u64, u64) = (20, 10);

/// So many steps after a place was found to count a walk begins anew.
const LESSON: u64 = 1_000;

/// Numbers of more bits are not worth their while.
const LONGEST_NUMBER: u64 = 1 << 14;

/// Of other choices, so many are looked at.
const OTHERS: usize = 64;

/// What may be done at a turn.
enum Way {
    Fire(TransitionId),
    /// The round from here in the trace, so often more.
    Round(usize, Effect, BigUint),
}

/// A turn where something else may be done yet.
struct Choice {
    /// To take back to.
    number: usize,
    /// In which step it was met.
    step: u64,
    ways: VecDeque<Way>,
}

/// Loops that were made in a walk, by the transition that each begins with, the latest first.
#[derive(Default)]
struct LoopIndex {
    by_first: HashMap<u32, Vec<Element>>,
}

impl LoopIndex {
    fn add(&mut self, first: u32, element: Element) {
        let loops = self.by_first.entry(first).or_default();
        loops.retain(|&known| known != element);
        loops.insert(0, element);
        loops.truncate(KNOWN);
    }
}

/// What a walk came to.
pub(super) struct Walked {
    /// How many transitions fired.
    pub(super) fired: usize,
    /// Where two transitions were in conflict, the preferred one first; in the order in which they
    /// were met.
    pub(super) choices: Vec<(u32, u32)>,
    pub(super) steps: u64,
    /// Rounds that were done again.
    pub(super) folds: u64,
    /// It ended early, since places were found to count: with that known, rounds are seen sooner.
    pub(super) has_learnt: bool,
}

/// A walk from the initial marking, where the machine is.
pub(super) struct Walk<'a, 'n> {
    machine: &'a mut Machine<'n>,
    watch: &'a mut Watch<'n>,
    known: LoopIndex,
    stack: Vec<Choice>,
    fired: Vec<bool>,
    fired_blocks: Vec<bool>,
    choices: Vec<(u32, u32)>,
    met: HashSet<(u32, u32)>,
    folds: u64,
    steps: u64,
    /// How often a round without end is done next, as a power of 2.
    endless: u64,
}

impl<'a, 'n> Walk<'a, 'n> {
    pub(super) fn new(machine: &'a mut Machine<'n>, watch: &'a mut Watch<'n>) -> Self {
        let fired = vec![false; machine.net.transition_count()];
        Walk {
            machine,
            watch,
            known: LoopIndex::default(),
            stack: Vec::new(),
            fired,
            fired_blocks: Vec::new(),
            choices: Vec::new(),
            met: HashSet::new(),
            folds: 0,
            steps: 0,
            endless: ENDLESS.0,
        }
    }

    /// Walks so many steps, or until it is stuck or the budget is spent. Reports what it sees, in
    /// any case where more transitions fire than so many.
    pub(super) fn go(mut self, most: u64, fired_before: usize, budget: &Budget) -> Walked {
        let mut learnt = None;
        while self.steps < most && !(self.steps.is_multiple_of(64) && budget.is_exhausted()) {
            self.steps += 1;
            if self.machine.take_has_learnt() && learnt.is_none() {
                learnt = Some(self.steps);
            }
            if learnt.is_some_and(|learnt| self.steps - learnt > LESSON) {
                break;
            }
            if !(self.step() || self.turn_back(budget)) {
                break;
            }
            self.watch.look(self.machine, self.steps);
        }
        let fired = self.fired.iter().filter(|&&fired| fired).count();
        self.watch.at_the_end(self.machine, fired > fired_before, budget);
        let has_learnt = learnt.is_some();
        Walked { fired, choices: self.choices, steps: self.steps, folds: self.folds, has_learnt }
    }

    /// Does what is liked best; whether there is anything.
    fn step(&mut self) -> bool {
        let Some(best) = self.machine.enabled().next() else { return false };
        let others = self.others(best);
        if let Some(&second) = others.first() {
            let pair = (best.index() as u32, second.index() as u32);
            if self.met.insert(pair) {
                self.choices.push(pair);
            }
        }
        self.remember(others.into_iter().map(Way::Fire).collect());
        self.fire_or_go_round(best)
    }

    /// What is enabled and takes from a place that this one takes from.
    fn others(&self, best: TransitionId) -> Vec<TransitionId> {
        let net = self.machine.net;
        let shares =
            |&t: &TransitionId| net.pre(t).iter().any(|arc| net.pre_weight(best, arc.place) > 0);
        self.machine.enabled().skip(1).take(OTHERS).filter(shares).take(TURNS).collect()
    }

    /// Fires it; where it begins a round that can be done again, or a loop that is known, does
    /// that.
    fn fire_or_go_round(&mut self, t: TransitionId) -> bool {
        if let Some((at, effect)) = self.machine.round(t) {
            if effect.change.is_empty() {
                return false;
            }
            let most = self.machine.most(&effect).unwrap_or_else(|| {
                let bits = self.endless;
                self.endless = (bits + ENDLESS.1).min(LONGEST_NUMBER / 2);
                BigUint::from(1u8) << bits
            });
            if most.bits() > LONGEST_NUMBER {
                return false;
            }
            if most > BigUint::ZERO {
                // Once less, where the last round is to end in another way.
                let less = Way::Round(at, effect.clone(), &most - 1u8);
                self.remember([less].into());
                return self.go_round(at, &effect, &most);
            }
        }
        let loops = self.known.by_first.get(&(t.index() as u32));
        let can = |element: &&Element| self.machine.can(**element);
        if let Some(&element) = loops.and_then(|loops| loops.iter().find(can)) {
            self.remember([Way::Fire(t)].into());
            self.push(element);
        } else {
            self.push(Element::Fire(t.index() as u32));
        }
        true
    }

    fn go_round(&mut self, at: usize, effect: &Effect, times: &BigUint) -> bool {
        let element = self.machine.fold(at, effect, times);
        self.known.add(self.machine.loops.first(element), element);
        self.folds += 1;
        true
    }

    fn push(&mut self, element: Element) {
        match element {
            Element::Fire(t) => self.fired[t as usize] = true,
            Element::Loop(_) => {
                self.machine.loops.mark_fired(element, &mut self.fired, &mut self.fired_blocks);
            }
        }
        self.machine.push(element);
    }

    /// Other ways from here, to be tried when this one ends.
    fn remember(&mut self, ways: VecDeque<Way>) {
        if ways.is_empty() {
            return;
        }
        let number = self.machine.remember();
        self.stack.push(Choice { number, step: self.steps - 1, ways });
        if self.stack.len() > TURNS {
            self.stack.remove(0);
            let first = self.stack[0].number;
            self.machine.forget_before(first);
            self.stack.iter_mut().for_each(|choice| choice.number -= first);
        }
    }

    /// Goes back to the last choice and tries what was not tried there; whether there is anything.
    fn turn_back(&mut self, budget: &Budget) -> bool {
        while let Some(mut choice) = self.stack.pop() {
            self.watch.before_turn(self.machine, choice.step, budget);
            self.machine.back_to(choice.number);
            let Some(way) = choice.ways.pop_front() else { continue };
            if choice.ways.is_empty() {
                if self.stack.is_empty() {
                    self.machine.forget();
                }
            } else {
                self.stack.push(choice);
            }
            let done = match way {
                Way::Round(at, effect, times) if times > BigUint::ZERO => {
                    self.go_round(at, &effect, &times)
                }
                Way::Round(at, ..) => {
                    let first = self.machine.begins(at);
                    self.push(first);
                    true
                }
                Way::Fire(t) => {
                    self.push(Element::Fire(t.index() as u32));
                    true
                }
            };
            if done {
                return true;
            }
        }
        false
    }
}
