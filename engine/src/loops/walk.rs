//! One walk by fixed preferences: fires the most preferred transition, folds rounds into loops, and
//! backtracks from dead ends.

use super::machine::LoopMarking;
use super::summary::{Effect, Element};
use super::watch::LoopWatch;
use num_bigint::BigUint;
use parikh_net::TransitionId;
use parikh_solvers::Budget;
use std::collections::{HashMap, HashSet, VecDeque};

/// Maximum number of choices kept for backtracking. A wrong choice is usually noticed one or two
/// choices later. Otherwise other preferences are tried.
const TURNS: usize = 4;

/// Limit on the number of remembered loops per first transition.
const KNOWN: usize = 4;

/// Exponents for a round that could repeat forever. It is repeated 2^first times at first, and the
/// exponent grows by the second number each time.
const ENDLESS: (u64, u64) = (20, 10);

/// Number of steps after the first change of the control places, after which a walk ends.
const LESSON: u64 = 1_000;

/// Limit on the number of bits of a repetition count.
const LONGEST_NUMBER: u64 = 1 << 14;

/// Limit on the number of alternative transitions considered.
const OTHERS: usize = 64;

/// An alternative at a choice.
enum Alternative {
    /// Fire this transition.
    Fire(TransitionId),
    /// Repeat the round that begins at this position of the trace, this many more times.
    Round(usize, Effect, BigUint),
}

/// A choice with untried alternatives.
struct Choice {
    /// Undo number for returning to the choice.
    number: usize,
    /// Step in which the choice was made.
    step: u64,
    /// The untried alternatives.
    ways: VecDeque<Alternative>,
}

/// The latest loops of a walk, found by their first transition.
#[derive(Default)]
struct LoopIndex {
    /// Loops by their first transition, the latest first.
    by_first: HashMap<u32, Vec<Element>>,
}

impl LoopIndex {
    /// Adds a loop that begins with the transition `first`.
    fn add(&mut self, first: u32, element: Element) {
        let loops = self.by_first.entry(first).or_default();
        loops.retain(|&known| known != element);
        loops.insert(0, element);
        loops.truncate(KNOWN);
    }
}

/// Result of a walk.
pub(super) struct LoopWalkResult {
    /// Number of transitions that have fired at least once.
    pub(super) fired: usize,
    /// Pairs of conflicting transitions, the preferred one first, in the order of occurrence.
    pub(super) choices: Vec<(u32, u32)>,
    /// Number of steps of the walk.
    pub(super) steps: u64,
    /// Number of repeated rounds.
    pub(super) folds: u64,
    /// True if the walk ended early because the control places changed. A repetition will find
    /// rounds sooner.
    pub(super) has_learnt: bool,
}

/// A walk from the initial marking. The machine must be at the initial marking.
pub(super) struct Walk<'a, 'n> {
    /// The marking and the trace.
    machine: &'a mut LoopMarking<'n>,
    /// The goals to test after each step.
    watch: &'a mut LoopWatch<'n>,
    /// The loops made in this walk.
    known: LoopIndex,
    /// The last choices with untried alternatives.
    stack: Vec<Choice>,
    /// For each transition, true if it has fired in this walk.
    fired: Vec<bool>,
    /// For each block, true if its transitions are already marked in `fired`.
    fired_blocks: Vec<bool>,
    /// Pairs of conflicting transitions, the preferred one first, in the order of occurrence.
    choices: Vec<(u32, u32)>,
    /// The same pairs as a set.
    met: HashSet<(u32, u32)>,
    /// Number of repeated rounds.
    folds: u64,
    /// Number of steps so far.
    steps: u64,
    /// Exponent of 2 for the repetitions of the next unlimited round.
    endless: u64,
}

impl<'a, 'n> Walk<'a, 'n> {
    pub(super) fn new(machine: &'a mut LoopMarking<'n>, watch: &'a mut LoopWatch<'n>) -> Self {
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

    /// Walks at most `max_steps` steps, or until it is stuck or the budget is exhausted. Reports
    /// what it sees, and always does so if more than `fired_before` transitions fire.
    pub(super) fn go(
        mut self,
        max_steps: u64,
        fired_before: usize,
        budget: &Budget,
    ) -> LoopWalkResult {
        let mut change_step = None;
        while self.steps < max_steps && !(self.steps.is_multiple_of(64) && budget.is_exhausted()) {
            self.steps += 1;
            if self.machine.take_has_learnt() && change_step.is_none() {
                change_step = Some(self.steps);
            }
            if change_step.is_some_and(|change_step| self.steps - change_step > LESSON) {
                break;
            }
            if !(self.step() || self.turn_back(budget)) {
                break;
            }
            self.watch.look(self.machine, self.steps);
        }
        let fired = self.fired.iter().filter(|&&fired| fired).count();
        self.watch.at_the_end(self.machine, fired > fired_before, budget);
        let has_learnt = change_step.is_some();
        LoopWalkResult {
            fired,
            choices: self.choices,
            steps: self.steps,
            folds: self.folds,
            has_learnt,
        }
    }

    /// Executes the most preferred element. Returns false if there is none.
    fn step(&mut self) -> bool {
        let Some(best) = self.machine.enabled().next() else { return false };
        let competitors = self.others(best);
        if let Some(&second) = competitors.first() {
            let pair = (best.index() as u32, second.index() as u32);
            if self.met.insert(pair) {
                self.choices.push(pair);
            }
        }
        self.remember(competitors.into_iter().map(Alternative::Fire).collect());
        self.fire_or_go_round(best)
    }

    /// Returns enabled transitions that share an input place with `best`.
    fn others(&self, best: TransitionId) -> Vec<TransitionId> {
        let net = self.machine.net;
        let has_common_input =
            |&t: &TransitionId| net.pre(t).iter().any(|arc| net.pre_weight(best, arc.place) > 0);
        self.machine.enabled().skip(1).take(OTHERS).filter(has_common_input).take(TURNS).collect()
    }

    /// Fires a transition. If it begins a round that can be repeated, or a known loop, executes
    /// that instead.
    fn fire_or_go_round(&mut self, t: TransitionId) -> bool {
        if let Some((round_start, effect)) = self.machine.round(t) {
            if effect.change.is_empty() {
                return false;
            }
            let max_count = self.machine.most(&effect).unwrap_or_else(|| {
                let bits = self.endless;
                self.endless = (bits + ENDLESS.1).min(LONGEST_NUMBER / 2);
                BigUint::from(1u8) << bits
            });
            if max_count.bits() > LONGEST_NUMBER {
                return false;
            }
            if max_count > BigUint::ZERO {
                // Alternative: one repetition less, so that the last round can end differently.
                let fewer_rounds =
                    Alternative::Round(round_start, effect.clone(), &max_count - 1u8);
                self.remember([fewer_rounds].into());
                return self.go_round(round_start, &effect, &max_count);
            }
        }
        let loops = self.known.by_first.get(&(t.index() as u32));
        let is_executable = |element: &&Element| self.machine.can(**element);
        if let Some(&element) = loops.and_then(|loops| loops.iter().find(is_executable)) {
            self.remember([Alternative::Fire(t)].into());
            self.push(element);
        } else {
            self.push(Element::Fire(t.index() as u32));
        }
        true
    }

    /// Repeats a round `times` times and remembers it as a loop.
    fn go_round(&mut self, round_start: usize, effect: &Effect, times: &BigUint) -> bool {
        let element = self.machine.fold(round_start, effect, times);
        self.known.add(self.machine.loops.first(element), element);
        self.folds += 1;
        true
    }

    /// Executes an element and marks its transitions as fired.
    fn push(&mut self, element: Element) {
        match element {
            Element::Fire(t) => self.fired[t as usize] = true,
            Element::Loop(_) => {
                self.machine.loops.mark_fired(element, &mut self.fired, &mut self.fired_blocks);
            }
        }
        self.machine.push(element);
    }

    /// Adds a choice with alternatives for backtracking.
    fn remember(&mut self, alternatives: VecDeque<Alternative>) {
        if alternatives.is_empty() {
            return;
        }
        let number = self.machine.remember();
        self.stack.push(Choice { number, step: self.steps - 1, ways: alternatives });
        if self.stack.len() > TURNS {
            self.stack.remove(0);
            let dropped = self.stack[0].number;
            self.machine.forget_before(dropped);
            self.stack.iter_mut().for_each(|choice| choice.number -= dropped);
        }
    }

    /// Goes back to the last choice with an alternative and takes it. Returns false if there is
    /// none.
    fn turn_back(&mut self, budget: &Budget) -> bool {
        while let Some(mut choice) = self.stack.pop() {
            self.watch.before_turn(self.machine, choice.step, budget);
            self.machine.back_to(choice.number);
            let Some(alternative) = choice.ways.pop_front() else { continue };
            if choice.ways.is_empty() {
                if self.stack.is_empty() {
                    self.machine.forget();
                }
            } else {
                self.stack.push(choice);
            }
            let has_executed = match alternative {
                Alternative::Round(round_start, effect, times) if times > BigUint::ZERO => {
                    self.go_round(round_start, &effect, &times)
                }
                Alternative::Round(round_start, ..) => {
                    let first = self.machine.begins(round_start);
                    self.push(first);
                    true
                }
                Alternative::Fire(t) => {
                    self.push(Element::Fire(t.index() as u32));
                    true
                }
            };
            if has_executed {
                return true;
            }
        }
        false
    }
}
