//! Emptiness of an automaton, and an accepted word.
//!
//! Every run eventually stays in one strongly connected component. A word is accepted if and only
//! if a component is reachable whose inner edges together carry all marks. A cycle through one edge
//! for each mark is then the cycle of a lasso.

use super::{Automaton, AutomatonEdge, Marks};
use crate::atom::Letter;
use crate::components::components_of_rows;
use crate::lasso::Lasso;
use std::collections::VecDeque;

/// The strongly connected components of an automaton, with the marks of their inner edges.
pub(super) struct Components {
    /// The component of each state. An edge never leads to a larger component number.
    pub(super) component_of: Vec<usize>,
    /// All marks on inner edges of each component; `None` without inner edges.
    pub(super) marks: Vec<Option<Marks>>,
}

impl Components {
    /// Computes the components of the automaton restricted to the edges that `is_allowed` allows.
    pub(super) fn new(automaton: &Automaton, is_allowed: impl Fn(&AutomatonEdge) -> bool) -> Self {
        let allowed: Vec<Vec<&AutomatonEdge>> = automaton
            .states
            .iter()
            .map(|edges| edges.iter().filter(|edge| is_allowed(edge)).collect())
            .collect();
        let found = components_of_rows(&allowed, |edge| edge.target as u32);
        let component_of: Vec<usize> =
            found.component_of.iter().map(|&number| number as usize).collect();
        let mut marks = vec![None; found.count as usize];
        for (state, edges) in allowed.iter().enumerate() {
            for edge in edges.iter().filter(|edge| component_of[edge.target] == component_of[state])
            {
                let inner_marks: &mut Option<Marks> = &mut marks[component_of[state]];
                *inner_marks = Some(inner_marks.unwrap_or_default().or(edge.marks));
            }
        }
        Self { component_of, marks }
    }

    /// Returns true if the component has a cycle with all marks.
    pub(super) fn is_accepting(&self, component: usize, automaton: &Automaton) -> bool {
        self.marks[component].is_some_and(|marks| Marks::all(automaton.marks).is_subset(marks))
    }
}

impl Automaton {
    /// Returns an accepted word, if there is one. Atoms that need not be true in a letter are
    /// false.
    pub fn find_word(&self) -> Option<Lasso> {
        let (run, back) = self.find_run()?;
        Lasso::new(run.iter().map(|edge| edge.cube.letter()).collect(), back)
    }

    /// Returns the edges of an accepting run, if there is one, and the position at which the run
    /// continues after the last edge.
    pub(super) fn find_run(&self) -> Option<(Vec<AutomatonEdge>, usize)> {
        let components = Components::new(self, |_| true);
        let is_in_accepting_component =
            |state: usize| components.is_accepting(components.component_of[state], self);
        let prefix = self.shortest_path(
            self.initial,
            |_| true,
            |edge| is_in_accepting_component(edge.target),
        );
        let (mut path, entry) = if is_in_accepting_component(self.initial) {
            (Vec::new(), self.initial)
        } else {
            let path = prefix?;
            let entry = path.last()?.target;
            (path, entry)
        };
        let back = path.len();
        let is_inner = |edge: &AutomatonEdge| {
            components.component_of[edge.target] == components.component_of[entry]
        };
        let mut current = entry;
        let mut collected_marks = Marks::NONE;
        // Take one edge for each missing mark, at least one edge, and return to the entry.
        loop {
            let missing = Marks(Marks::all(self.marks).0 & !collected_marks.0);
            let is_new = |edge: &AutomatonEdge| missing.and(edge.marks) != Marks::NONE;
            let has_all_marks = missing == Marks::NONE;
            if has_all_marks && current == entry && path.len() > back {
                break;
            }
            let segment = if has_all_marks {
                self.shortest_path(current, is_inner, |edge| edge.target == entry)?
            } else {
                self.shortest_path(current, is_inner, is_new)?
            };
            for edge in segment {
                collected_marks = collected_marks.or(edge.marks);
                current = edge.target;
                path.push(edge);
            }
        }
        Some((path.into_iter().cloned().collect(), back))
    }

    /// Returns true if no word is accepted.
    pub fn is_empty(&self) -> bool {
        !self.accepting_states(|_| true)[self.initial]
    }

    /// Returns a shortest path along edges that `is_allowed` allows, ending with the first edge for
    /// which `is_last` is true. Returns `None` if there is no such path.
    fn shortest_path(
        &self,
        from: usize,
        is_allowed: impl Fn(&AutomatonEdge) -> bool,
        is_last: impl Fn(&AutomatonEdge) -> bool,
    ) -> Option<Vec<&AutomatonEdge>> {
        let mut reached_by: Vec<Option<(usize, &AutomatonEdge)>> = vec![None; self.states.len()];
        let mut open = VecDeque::from([from]);
        while let Some(state) = open.pop_front() {
            for edge in self.states[state].iter().filter(|edge| is_allowed(edge)) {
                if is_last(edge) {
                    let mut path = vec![edge];
                    let mut path_state = state;
                    while path_state != from {
                        let (predecessor, edge) =
                            reached_by[path_state].expect("all but the first are reached");
                        path.push(edge);
                        path_state = predecessor;
                    }
                    path.reverse();
                    return Some(path);
                }
                if edge.target != from && reached_by[edge.target].is_none() {
                    reached_by[edge.target] = Some((state, edge));
                    open.push_back(edge.target);
                }
            }
        }
        None
    }

    /// Returns, for each state, whether some word is accepted from it along edges that `is_allowed`
    /// allows.
    pub(super) fn accepting_states(
        &self,
        is_allowed: impl Fn(&AutomatonEdge) -> bool,
    ) -> Vec<bool> {
        let components = Components::new(self, &is_allowed);
        let mut states_of_component: Vec<Vec<usize>> = vec![Vec::new(); components.marks.len()];
        for (state, &component) in components.component_of.iter().enumerate() {
            states_of_component[component].push(state);
        }
        // Edges lead only to components that are already processed.
        let mut is_live = vec![false; components.marks.len()];
        for (component, states) in states_of_component.iter().enumerate() {
            let mut edges = states.iter().flat_map(|&state| &self.states[state]);
            is_live[component] = components.is_accepting(component, self)
                || edges
                    .any(|edge| is_allowed(edge) && is_live[components.component_of[edge.target]]);
        }
        components.component_of.iter().map(|&component| is_live[component]).collect()
    }

    /// Returns, for each state, whether it accepts the word that repeats this letter forever. This
    /// is the rest of a run to a dead marking.
    pub fn accept_for_ever(&self, letter: &Letter) -> Vec<bool> {
        self.accepting_states(|edge| edge.cube.holds(letter))
    }

    /// Returns true if the word is accepted.
    pub fn accepts(&self, word: &Lasso) -> bool {
        self.accepts_from(self.initial, word)
    }

    /// Returns true if some run from this state accepts the word.
    pub fn accepts_from(&self, state: usize, word: &Lasso) -> bool {
        // The states of the product are pairs of a state and a position.
        let positions = word.letters().len();
        let mut states = Vec::with_capacity(self.states.len() * positions);
        for edges in &self.states {
            for (position, letter) in word.letters().iter().enumerate() {
                let read = edges.iter().filter(|edge| edge.cube.holds(letter));
                let to = |edge: &AutomatonEdge| AutomatonEdge {
                    target: edge.target * positions + word.next_position(position),
                    ..edge.clone()
                };
                states.push(read.map(to).collect());
            }
        }
        !Self { states, initial: state * positions, marks: self.marks }.is_empty()
    }
}
