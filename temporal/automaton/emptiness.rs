//! Whether an automaton accepts any word, and a word that it accepts.
//!
//! A run stays in one strongly connected component in the end. So a word is accepted exactly if a
//! component is reachable whose inner edges carry all marks between them; a cycle through one edge
//! for each mark then is the loop of a lasso.

use super::components::components;
use super::{Automaton, Edge, Marks};
use crate::atom::Letter;
use crate::lasso::Lasso;
use std::collections::VecDeque;

/// The strongly connected components of an automaton, and what their inner edges carry.
pub(super) struct Components {
    /// The component of each state; edges never lead to a larger number.
    pub(super) of: Vec<usize>,
    /// All marks on inner edges of each component; `None` without inner edges.
    pub(super) marks: Vec<Option<Marks>>,
}

impl Components {
    /// Those of the part of the automaton that has the edges that `takes` allows.
    pub(super) fn new(automaton: &Automaton, takes: impl Fn(&Edge) -> bool) -> Self {
        let allowed: Vec<Vec<&Edge>> = automaton
            .states
            .iter()
            .map(|edges| edges.iter().filter(|edge| takes(edge)).collect())
            .collect();
        let kth = |state: usize, k: usize| allowed[state].get(k).map(|edge| edge.target);
        let (of, count) = components(allowed.len(), kth);
        let mut marks = vec![None; count];
        for (state, edges) in allowed.iter().enumerate() {
            for edge in edges.iter().filter(|edge| of[edge.target] == of[state]) {
                let all: &mut Option<Marks> = &mut marks[of[state]];
                *all = Some(all.unwrap_or_default().or(edge.marks));
            }
        }
        Self { of, marks }
    }

    /// Whether the component of this number has a cycle with all marks.
    pub(super) fn is_accepting(&self, component: usize, automaton: &Automaton) -> bool {
        self.marks[component].is_some_and(|marks| Marks::all(automaton.marks).within(marks))
    }
}

impl Automaton {
    /// A word that is accepted, if there is one. What need not be true in a letter is false.
    pub fn find_word(&self) -> Option<Lasso> {
        let (run, back) = self.find_run()?;
        Lasso::new(run.iter().map(|edge| edge.cube.letter()).collect(), back)
    }

    /// The edges of an accepting run, if there is one, and where it goes on after the last of them.
    pub(super) fn find_run(&self) -> Option<(Vec<Edge>, usize)> {
        let components = Components::new(self, |_| true);
        let accepts = |state: usize| components.is_accepting(components.of[state], self);
        let prefix = self.shortest(self.initial, |_| true, |_, edge| accepts(edge.target));
        let (mut path, entry) = if accepts(self.initial) {
            (Vec::new(), self.initial)
        } else {
            let path = prefix?;
            let entry = path.last()?.target;
            (path, entry)
        };
        let back = path.len();
        let inside = |edge: &Edge| components.of[edge.target] == components.of[entry];
        let mut at = entry;
        let mut carried = Marks::NONE;
        // One edge for each mark that is still missing, at least one edge, and back to the entry.
        loop {
            let missing = Marks(Marks::all(self.marks).0 & !carried.0);
            let is_new = |_: usize, edge: &Edge| missing.and(edge.marks) != Marks::NONE;
            let done = missing == Marks::NONE;
            if done && at == entry && path.len() > back {
                break;
            }
            let piece = if done {
                self.shortest(at, inside, |_, edge| edge.target == entry)?
            } else {
                self.shortest(at, inside, is_new)?
            };
            for edge in piece {
                carried = carried.or(edge.marks);
                at = edge.target;
                path.push(edge);
            }
        }
        Some((path.into_iter().cloned().collect(), back))
    }

    /// Whether no word is accepted.
    pub fn is_empty(&self) -> bool {
        !self.live(|_| true)[self.initial]
    }

    /// A shortest path along edges that `takes` allows, whose last edge is the first that `ends`.
    fn shortest(
        &self,
        from: usize,
        takes: impl Fn(&Edge) -> bool,
        ends: impl Fn(usize, &Edge) -> bool,
    ) -> Option<Vec<&Edge>> {
        let mut reached: Vec<Option<(usize, &Edge)>> = vec![None; self.states.len()];
        let mut open = VecDeque::from([from]);
        while let Some(state) = open.pop_front() {
            for edge in self.states[state].iter().filter(|edge| takes(edge)) {
                if ends(state, edge) {
                    let mut path = vec![edge];
                    let mut at = state;
                    while at != from {
                        let (before, edge) = reached[at].expect("all but the first are reached");
                        path.push(edge);
                        at = before;
                    }
                    path.reverse();
                    return Some(path);
                }
                if edge.target != from && reached[edge.target].is_none() {
                    reached[edge.target] = Some((state, edge));
                    open.push_back(edge.target);
                }
            }
        }
        None
    }

    /// Whether the automaton accepts some word from each state, along edges that `takes` allows.
    pub(super) fn live(&self, takes: impl Fn(&Edge) -> bool) -> Vec<bool> {
        let components = Components::new(self, &takes);
        let mut by_component: Vec<Vec<usize>> = vec![Vec::new(); components.marks.len()];
        for (state, &component) in components.of.iter().enumerate() {
            by_component[component].push(state);
        }
        // Edges lead to components that have had their turn.
        let mut live = vec![false; components.marks.len()];
        for (component, states) in by_component.iter().enumerate() {
            let mut edges = states.iter().flat_map(|&state| &self.states[state]);
            live[component] = components.is_accepting(component, self)
                || edges.any(|edge| takes(edge) && live[components.of[edge.target]]);
        }
        components.of.iter().map(|&component| live[component]).collect()
    }

    /// Whether each state accepts this letter for ever: the rest of a run to a dead marking.
    pub fn accept_for_ever(&self, letter: &Letter) -> Vec<bool> {
        self.live(|edge| edge.cube.holds(letter))
    }

    /// Whether the word is accepted.
    pub fn accepts(&self, word: &Lasso) -> bool {
        self.accepts_from(self.initial, word)
    }

    /// Whether the word is accepted by the runs that begin in this state.
    pub fn accepts_from(&self, state: usize, word: &Lasso) -> bool {
        // An automaton whose states are pairs of a state and a position.
        let positions = word.letters().len();
        let mut states = Vec::with_capacity(self.states.len() * positions);
        for edges in &self.states {
            for (position, letter) in word.letters().iter().enumerate() {
                let read = edges.iter().filter(|edge| edge.cube.holds(letter));
                let to = |edge: &Edge| Edge {
                    target: edge.target * positions + word.after(position),
                    ..edge.clone()
                };
                states.push(read.map(to).collect());
            }
        }
        !Self { states, initial: state * positions, marks: self.marks }.is_empty()
    }
}
