//! Random walks that search for a run accepted by an automaton.
//!
//! A walk moves in the product of all components and the automaton, with a preference for moves
//! towards accepting components. In an accepting component it tries to close a cycle: it prefers
//! labels of components that come early in a random order. Then few components move and soon repeat
//! a state, while the others stand still.

use crate::formula::KindAutomaton;
use crate::product::Product;
use crate::search::{ComponentRun, FiniteRuns};
use crate::system::{LabelId, System};
use parikh_temporal::Marks;
use std::collections::HashMap;

/// A small random number generator (xorshift, Marsaglia 2003).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound.max(1) as u64) as usize
    }
}

/// A possible next step of a walk.
struct WalkChoice {
    label: LabelId,
    /// The joint state after the step.
    joint_state: Vec<u32>,
    /// The automaton state after the step.
    state: u32,
    /// The acceptance marks of the automaton's edge.
    marks: Marks,
}

/// A searcher for accepted runs of a system by random walks.
pub(crate) struct SystemWalker<'a, 's> {
    /// The product of all components.
    product: Product<'s>,
    /// The automaton that accepts the runs to find.
    automaton: &'a KindAutomaton,
    /// The treatment of finite runs.
    finite_runs: FiniteRuns,
    /// The generator of random numbers.
    random: Random,
    /// The kind of each label, indexed by label.
    kinds: Vec<u32>,
    /// The owners of each label, indexed by label.
    owners: Vec<&'s [u32]>,
    /// True if a state accepts the word that repeats a letter of a kind forever, indexed by kind,
    /// then by state.
    accepts_forever: Vec<Vec<bool>>,
    /// The largest length of the next walk, in steps.
    walk_length: usize,
    /// True if walks delay the entry into accepting components. This is for automata from
    /// [`with_phases`](crate::recurrence::with_phases), where most walks switch too early.
    delays_acceptance: bool,
}

/// The lengths of the shortest and the longest walks, in steps.
const WALK_LENGTHS: (usize, usize) = (64, 8192);

impl<'a, 's> SystemWalker<'a, 's> {
    /// Creates a walker over all components of a system.
    pub(crate) fn new(
        system: &'s System,
        automaton: &'a KindAutomaton,
        finite_runs: FiniteRuns,
        seed: u64,
        delays_acceptance: bool,
    ) -> Self {
        let members = (0..system.components().len() as u32).collect();
        Self {
            product: Product::new(system, members),
            automaton,
            finite_runs,
            random: Random::new(seed),
            kinds: system.labels().map(|label| automaton.kind(label)).collect(),
            owners: system.labels().map(|label| system.owners(label)).collect(),
            accepts_forever: (0..automaton.kinds())
                .map(|kind| automaton.accept_for_ever(kind))
                .collect(),
            walk_length: WALK_LENGTHS.0,
            delays_acceptance,
        }
    }

    /// Walks for about `steps` steps in total. Returns an accepted run if it finds one.
    pub(crate) fn search(
        &mut self,
        steps: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<ComponentRun> {
        let mut steps_left = steps;
        while steps_left > 0 && goes_on() {
            let length = self.walk_length;
            self.walk_length = if length >= WALK_LENGTHS.1 { WALK_LENGTHS.0 } else { length * 2 };
            let (run, steps_taken) = self.walk(length.min(steps_left));
            if run.is_some() {
                return run;
            }
            steps_left = steps_left.saturating_sub(steps_taken.max(8));
        }
        None
    }

    /// Makes one walk. Returns an accepted run if found, and the number of steps.
    fn walk(&mut self, length: usize) -> (Option<ComponentRun>, usize) {
        let mut starts = self.product.starts();
        let mut joint_state = starts.swap_remove(self.random.below(starts.len()));
        let mut state = self.automaton.initial;
        let mut last_kind = self.automaton.other_kind();
        if self.finite_runs == FiniteRuns::Stutter {
            let moves = self.automaton.states[state as usize].iter();
            let reading_no_label: Vec<u32> =
                moves.filter(|it| it.kinds >> last_kind & 1 == 1).map(|it| it.target).collect();
            if reading_no_label.is_empty() {
                return (None, 1);
            }
            state = reading_no_label[self.random.below(reading_no_label.len())];
        }
        let ranks = self.ranks();
        let mut labels = Vec::new();
        let mut earliest_visit: HashMap<(Vec<u32>, u32), usize> = HashMap::new();
        let mut last_step_of_mark = [0usize; 64];
        while labels.len() < length {
            if self.automaton.distance[state as usize] == 0 {
                let step_count = labels.len();
                match earliest_visit.insert((joint_state.clone(), state), step_count) {
                    Some(back)
                        if self
                            .automaton
                            .required_marks
                            .numbers()
                            .all(|it| last_step_of_mark[it as usize] > back) =>
                    {
                        return (Some(ComponentRun { labels, cycle_start: back }), step_count);
                    }
                    // The earliest visit has the most marks after it.
                    Some(back) => drop(earliest_visit.insert((joint_state.clone(), state), back)),
                    None => {}
                }
            }
            let choices = self.choices(&joint_state, state);
            if choices.is_empty() {
                let is_maximal = self.finite_runs == FiniteRuns::Stutter
                    && self.accepts_forever[last_kind as usize][state as usize]
                    && !self.product.has_complete_step(&joint_state);
                let run = ComponentRun { cycle_start: labels.len(), labels };
                let steps_taken = run.labels.len();
                return (is_maximal.then_some(run), steps_taken);
            }
            let WalkChoice { label, joint_state: next, state: to, marks } =
                self.pick(choices, state, &ranks);
            (joint_state, state, last_kind) = (next, to, self.kinds[label.index()]);
            labels.push(label);
            marks.numbers().for_each(|it| last_step_of_mark[it as usize] = labels.len());
        }
        (None, length)
    }

    /// Returns a random order of the components, as the rank of each.
    fn ranks(&mut self) -> Vec<u32> {
        let mut ranks: Vec<u32> = (0..self.product.members.len() as u32).collect();
        for index in (1..ranks.len()).rev() {
            ranks.swap(index, self.random.below(index + 1));
        }
        ranks
    }

    /// Returns all steps that can come next from a joint state and an automaton state.
    fn choices(&mut self, joint_state: &[u32], state: u32) -> Vec<WalkChoice> {
        let moves = &self.automaton.states[state as usize];
        let readable_kinds = moves.iter().fold(0, |kinds, edge| kinds | edge.kinds);
        let mut choices = Vec::new();
        let kinds = &self.kinds;
        self.product.steps(
            joint_state,
            |label| readable_kinds >> kinds[label.index()] & 1 == 1,
            |step| {
                let kind = kinds[step.label.index()];
                for edge in moves.iter().filter(|edge| edge.kinds >> kind & 1 == 1) {
                    let mut next = joint_state.to_vec();
                    step.moves
                        .iter()
                        .for_each(|&(member_position, to)| next[member_position as usize] = to);
                    choices.push(WalkChoice {
                        label: step.label,
                        joint_state: next,
                        state: edge.target,
                        marks: edge.marks,
                    });
                }
            },
        );
        choices
    }

    /// Picks a random choice. It prefers choices towards an accepting component, and labels of
    /// components with a low rank when a cycle is to be closed.
    fn pick(&mut self, mut choices: Vec<WalkChoice>, state: u32, ranks: &[u32]) -> WalkChoice {
        let distance = |choice: &WalkChoice| self.automaton.distance[choice.state as usize];
        let is_closing_cycle = self.automaton.distance[state as usize] == 0;
        if self.delays_acceptance && !is_closing_cycle && self.random.below(8) > 0 {
            if choices.iter().any(|choice| distance(choice) > 0) {
                choices.retain(|choice| distance(choice) > 0);
            }
        } else if self.random.below(4) > 0 {
            let nearest = choices.iter().map(distance).min().unwrap_or(0);
            choices.retain(|choice| distance(choice) == nearest);
        }
        if is_closing_cycle && self.random.below(16) > 0 {
            let rank = |choice: &WalkChoice| {
                let owners = self.owners[choice.label.index()].iter();
                owners.map(|&it| ranks[it as usize]).max()
            };
            let lowest_rank = choices.iter().map(rank).min().flatten();
            choices.retain(|choice| rank(choice) == lowest_rank);
        }
        let chosen = self.random.below(choices.len());
        choices.swap_remove(chosen)
    }
}
