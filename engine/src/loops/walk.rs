//! One walk by fixed preferences: fires the most preferred transition, folds rounds into loops, and
//! backtracks from dead ends.

use super::machine::LoopMarking;
use super::summary::{Effect, Element};
use super::watch::LoopWatch;
use num_bigint::BigUint;
use parikh_net::TransitionId;
use parikh_solvers::Budget;
use std::collections::{HashMap, HashSet, VecDeque};

/// Maximum number of choices kept for backtracking, and of alternative transitions per choice. A
/// wrong choice usually leads to a dead end one or two choices later. If it does not, the next walk
/// tries other ranks.
const MAX_CHOICES: usize = 4;

/// Limit on the number of remembered loops that begin with the same transition.
const MAX_LOOPS_PER_TRANSITION: usize = 4;

/// Exponents for a round that could be repeated forever. The first number e means that the round is
/// repeated 2^e times. The second number is added to the exponent for each later round of this
/// kind, up to half of [`MAX_COUNT_BITS`].
const UNLIMITED_EXPONENTS: (u64, u64) = (20, 10);

/// Number of steps that a walk continues after some place had more than one token for the first
/// time. Such a place leaves the control, that is, the set of marked places that never had two
/// tokens.
const STEPS_AFTER_CHANGE: u64 = 1_000;

/// Limit on the bits of a number of repetitions. A round that could be repeated more often is not
/// repeated.
const MAX_COUNT_BITS: u64 = 1 << 14;

/// Limit on the number of enabled transitions examined for a conflict with the preferred
/// transition.
const MAX_ALTERNATIVES: usize = 64;

/// An alternative at a choice.
enum Alternative {
    /// Fire a transition.
    Fire(TransitionId),
    /// Repeat a round. The fields are the position in the trace where the round begins, the effect
    /// of one round, and the number of additional repetitions.
    RepeatRound(usize, Effect, BigUint),
}

/// A choice with untried alternatives.
struct Choice {
    /// Undo number for returning to the choice.
    undo_number: usize,
    /// Number of the last step before the choice.
    step: u64,
    /// The untried alternatives.
    alternatives: VecDeque<Alternative>,
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
        loops.truncate(MAX_LOOPS_PER_TRANSITION);
    }
}

/// Result of a walk.
pub(super) struct LoopWalkResult {
    /// Number of transitions that have fired at least once, including firings undone by
    /// backtracking.
    pub(super) fired: usize,
    /// Pairs of conflicting transitions, the preferred one first, in the order of occurrence.
    pub(super) choices: Vec<(u32, u32)>,
    /// Number of steps of the walk.
    pub(super) steps: u64,
    /// Number of rounds that were replaced by loops.
    pub(super) folds: u64,
    /// True if some place had more than one token for the first time and left the control. A
    /// repetition of the walk will recognise rounds sooner.
    pub(super) has_learnt: bool,
}

/// A walk from the initial marking. The machine must be at the initial marking.
pub(super) struct LoopWalk<'a, 'n> {
    /// The marking and the trace.
    machine: &'a mut LoopMarking<'n>,
    /// The goals to test after each step.
    watch: &'a mut LoopWatch<'n>,
    /// The loops created in this walk, which may be executed again.
    known_loops: LoopIndex,
    /// The last choices with untried alternatives.
    stack: Vec<Choice>,
    /// For each transition, true if it has fired in this walk.
    has_fired: Vec<bool>,
    /// For each block, true if its transitions are already marked as fired.
    is_block_marked: Vec<bool>,
    /// Pairs of conflicting transitions, the preferred one first, in the order of occurrence.
    choices: Vec<(u32, u32)>,
    /// The pairs of `choices`, as a set.
    known_choices: HashSet<(u32, u32)>,
    /// Number of rounds that were replaced by loops.
    folds: u64,
    /// Number of steps so far.
    steps: u64,
    /// Exponent of 2 for the number of repetitions of the next round that could be repeated
    /// forever.
    unlimited_exponent: u64,
}

impl<'a, 'n> LoopWalk<'a, 'n> {
    pub(super) fn new(machine: &'a mut LoopMarking<'n>, watch: &'a mut LoopWatch<'n>) -> Self {
        let fired = vec![false; machine.net.transition_count()];
        LoopWalk {
            machine,
            watch,
            known_loops: LoopIndex::default(),
            stack: Vec::new(),
            has_fired: fired,
            is_block_marked: Vec::new(),
            choices: Vec::new(),
            known_choices: HashSet::new(),
            folds: 0,
            steps: 0,
            unlimited_exponent: UNLIMITED_EXPONENTS.0,
        }
    }

    /// Walks at most `max_steps` steps. Ends earlier if the budget is exhausted, or if no choice is
    /// left for backtracking from a dead end. Also ends [`STEPS_AFTER_CHANGE`] steps after a new
    /// counter place. At the end, reports the goals seen if more than `fired_before` different
    /// transitions fired or the budget is exhausted. Otherwise reports them only if the time share
    /// permits, or if the watch must report every sighting.
    pub(super) fn run(
        mut self,
        max_steps: u64,
        fired_before: usize,
        budget: &Budget,
    ) -> LoopWalkResult {
        let mut change_step = None;
        while self.steps < max_steps && !(self.steps.is_multiple_of(64) && budget.is_exhausted()) {
            self.steps += 1;
            if self.machine.take_has_new_counter() && change_step.is_none() {
                change_step = Some(self.steps);
            }
            if change_step.is_some_and(|change_step| self.steps - change_step > STEPS_AFTER_CHANGE)
            {
                break;
            }
            if !(self.step() || self.backtrack(budget)) {
                break;
            }
            self.watch.test_goals(self.machine, self.steps);
        }
        let fired = self.has_fired.iter().filter(|&&fired| fired).count();
        self.watch.end_walk(self.machine, fired > fired_before, budget);
        let has_learnt = change_step.is_some();
        LoopWalkResult {
            fired,
            choices: self.choices,
            steps: self.steps,
            folds: self.folds,
            has_learnt,
        }
    }

    /// Fires the most preferred transition, or executes a round or loop that begins with this
    /// transition. Returns false if no transition is enabled or the round must not be repeated.
    fn step(&mut self) -> bool {
        let Some(best) = self.machine.enabled().next() else { return false };
        let competitors = self.competitors(best);
        if let Some(&second) = competitors.first() {
            let pair = (best.index() as u32, second.index() as u32);
            if self.known_choices.insert(pair) {
                self.choices.push(pair);
            }
        }
        self.add_choice(competitors.into_iter().map(Alternative::Fire).collect());
        self.fire_or_repeat(best)
    }

    /// Returns at most [`MAX_CHOICES`] other enabled transitions that share an input place with
    /// `best`, lowest rank first. Examines at most [`MAX_ALTERNATIVES`] enabled transitions.
    fn competitors(&self, best: TransitionId) -> Vec<TransitionId> {
        let net = self.machine.net;
        let has_common_input =
            |&t: &TransitionId| net.pre(t).iter().any(|arc| net.pre_weight(best, arc.place) > 0);
        self.machine
            .enabled()
            .skip(1)
            .take(MAX_ALTERNATIVES)
            .filter(has_common_input)
            .take(MAX_CHOICES)
            .collect()
    }

    /// Fires `t`. If `t` completes a round that can be repeated, or begins a known loop that can be
    /// executed, executes the repetitions or the loop instead. Returns false if the round changes
    /// nothing, or could be repeated so often that the number exceeds [`MAX_COUNT_BITS`] bits.
    fn fire_or_repeat(&mut self, t: TransitionId) -> bool {
        if let Some((round_start, effect)) = self.machine.find_round(t) {
            if effect.change.is_empty() {
                return false;
            }
            let max_count = self.machine.max_repetitions(&effect).unwrap_or_else(|| {
                let bits = self.unlimited_exponent;
                self.unlimited_exponent = (bits + UNLIMITED_EXPONENTS.1).min(MAX_COUNT_BITS / 2);
                BigUint::from(1u8) << bits
            });
            if max_count.bits() > MAX_COUNT_BITS {
                return false;
            }
            if max_count > BigUint::ZERO {
                // The alternative repeats the round once less, so that the last round can continue
                // differently.
                let fewer_rounds =
                    Alternative::RepeatRound(round_start, effect.clone(), &max_count - 1u8);
                self.add_choice([fewer_rounds].into());
                self.repeat_round(round_start, &effect, &max_count);
                return true;
            }
        }
        let loops = self.known_loops.by_first.get(&(t.index() as u32));
        let is_executable = |element: &&Element| self.machine.can_execute(**element);
        if let Some(&element) = loops.and_then(|loops| loops.iter().find(is_executable)) {
            self.add_choice([Alternative::Fire(t)].into());
            self.execute(element);
        } else {
            self.execute(Element::Fire(t.index() as u32));
        }
        true
    }

    /// Repeats a round `times` further times, and remembers it as a loop.
    fn repeat_round(&mut self, round_start: usize, effect: &Effect, times: &BigUint) {
        let element = self.machine.repeat_round(round_start, effect, times);
        self.known_loops.add(self.machine.loops.first_transition(element), element);
        self.folds += 1;
    }

    /// Executes an element and marks its transitions as fired.
    fn execute(&mut self, element: Element) {
        match element {
            Element::Fire(t) => self.has_fired[t as usize] = true,
            Element::Loop(_) => {
                self.machine.loops.mark_fired(
                    element,
                    &mut self.has_fired,
                    &mut self.is_block_marked,
                );
            }
        }
        self.machine.execute(element);
    }

    /// Adds a choice with alternatives for backtracking. Does nothing without alternatives. Drops
    /// the oldest choice if there are more than [`MAX_CHOICES`].
    fn add_choice(&mut self, alternatives: VecDeque<Alternative>) {
        if alternatives.is_empty() {
            return;
        }
        let number = self.machine.start_recording();
        self.stack.push(Choice { undo_number: number, step: self.steps - 1, alternatives });
        if self.stack.len() > MAX_CHOICES {
            self.stack.remove(0);
            let dropped = self.stack[0].undo_number;
            self.machine.drop_records_before(dropped);
            self.stack.iter_mut().for_each(|choice| choice.undo_number -= dropped);
        }
    }

    /// Goes back to the last choice with an untried alternative, and takes this alternative.
    /// Returns false if no choice has one.
    fn backtrack(&mut self, budget: &Budget) -> bool {
        while let Some(mut choice) = self.stack.pop() {
            self.watch.before_backtracking(self.machine, choice.step, budget);
            self.machine.undo_to(choice.undo_number);
            let Some(alternative) = choice.alternatives.pop_front() else { continue };
            if choice.alternatives.is_empty() {
                if self.stack.is_empty() {
                    self.machine.stop_recording();
                }
            } else {
                self.stack.push(choice);
            }
            match alternative {
                Alternative::RepeatRound(round_start, effect, times) if times > BigUint::ZERO => {
                    self.repeat_round(round_start, &effect, &times);
                }
                // Without further repetitions, only the first element of the round is executed, so
                // that the walk can leave the round afterwards.
                Alternative::RepeatRound(round_start, ..) => {
                    let first = self.machine.element_at(round_start);
                    self.execute(first);
                }
                Alternative::Fire(t) => self.execute(Element::Fire(t.index() as u32)),
            }
            return true;
        }
        false
    }
}
