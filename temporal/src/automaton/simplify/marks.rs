//! Reduction of marks.
//!
//! Acceptance of a run is determined by the one component in which it stays. Therefore:
//!
//! - Edges between components may carry any marks. With no marks they are easily superfluous beside
//!   a better edge; with all marks they are easily the better edge. Both are tried.
//! - Edges of a component without accepting cycle carry no marks.
//! - In a component in which *every* cycle has all marks, all edges carry all marks.
//! - In any other component, a mark can be removed if every edge with some other mark carries it,
//!   too. The remaining marks can be renumbered per component. The number of marks is the maximum
//!   over the components, and at least one if some component has cycles that are not accepting.

use crate::automaton::cube::cover_all_letters;
use crate::automaton::emptiness::Components;
use crate::automaton::{Automaton, AutomatonEdge, Marks};
use crate::components::components_of_rows;

impl Automaton {
    /// Renumbers the marks component by component; see the module documentation. With `between`,
    /// edges between components carry all marks, otherwise none.
    pub(super) fn simplify_marks(&mut self, between: bool) {
        let found = Components::new(self, |_| true);
        let all = Marks::all(self.marks);
        let mut inner: Vec<Vec<Marks>> = vec![Vec::new(); found.marks.len()];
        for (state, edges) in self.states.iter().enumerate() {
            let component = found.of[state];
            let stays = |edge: &&AutomatonEdge| found.of[edge.target] == component;
            inner[component].extend(edges.iter().filter(stays).map(|edge| edge.marks.and(all)));
        }
        let weak = self.weak_components(&found);
        // The marks that each component needs; `None` if it is not accepting.
        let needed: Vec<Option<Vec<u32>>> = (0..found.marks.len())
            .map(|component| {
                if weak[component] {
                    return Some(Vec::new());
                }
                found
                    .is_accepting(component, self)
                    .then(|| needed_marks(&mut inner[component], self.marks))
            })
            .collect();
        let most = needed.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let rejects = (0..needed.len()).any(|at| needed[at].is_none() && found.marks[at].is_some());
        let count = most.max(usize::from(rejects)) as u32;
        let new_all = Marks::all(count);
        for (state, edges) in self.states.iter_mut().enumerate() {
            let component = found.of[state];
            for edge in edges {
                let stays = found.of[edge.target] == component;
                edge.marks = match &needed[component] {
                    _ if !stays => {
                        if between {
                            new_all
                        } else {
                            Marks::NONE
                        }
                    }
                    None => Marks::NONE,
                    Some(marks) => {
                        let free = Marks(new_all.0 & !Marks::all(marks.len() as u32).0);
                        let carried =
                            marks.iter().zip(0..).filter(|(mark, _)| edge.marks.has(**mark));
                        carried.fold(free, |all, (_, new)| all.with(new))
                    }
                };
            }
        }
        self.marks = count;
    }

    /// Returns, for each component, whether it has cycles and every cycle has all marks. The test:
    /// after removal of the edges with any one mark, no cycle is left.
    pub(in crate::automaton) fn weak_components(&self, found: &Components) -> Vec<bool> {
        let mut weak: Vec<bool> =
            (0..found.marks.len()).map(|at| found.is_accepting(at, self)).collect();
        for mark in 0..self.marks {
            let lacking: Vec<Vec<usize>> = (self.states.iter().enumerate())
                .map(|(state, edges)| {
                    let stays = |edge: &&AutomatonEdge| found.of[edge.target] == found.of[state];
                    let lacks = edges.iter().filter(stays).filter(|edge| !edge.marks.has(mark));
                    lacks.map(|edge| edge.target).collect()
                })
                .collect();
            let inner = components_of_rows(&lacking, |&to| to as u32);
            let mut size = vec![0; inner.count as usize];
            inner.of.iter().for_each(|&component| size[component as usize] += 1);
            for (state, targets) in lacking.iter().enumerate() {
                if size[inner.of[state] as usize] > 1 || targets.contains(&state) {
                    weak[found.of[state]] = false;
                }
            }
        }
        weak
    }

    /// Collapses each component that accepts every word to a single state: all its cycles have all
    /// marks, and from each of its states every letter leads to another of its states.
    pub(super) fn collapse_universal(&mut self) {
        let found = Components::new(self, |_| true);
        let universal = self.universal_components(&found);
        let all = Marks::all(self.marks);
        for (state, edges) in self.states.iter_mut().enumerate() {
            if universal[found.of[state]] {
                *edges =
                    vec![AutomatonEdge { target: state, marks: all, cube: Default::default() }];
            }
        }
    }

    /// Returns, for each component, whether each of its states accepts every word.
    pub(in crate::automaton) fn universal_components(&self, found: &Components) -> Vec<bool> {
        let mut universal = self.weak_components(found);
        for (state, edges) in self.states.iter().enumerate() {
            let component = found.of[state];
            if universal[component] {
                let stays = edges.iter().filter(|edge| found.of[edge.target] == component);
                let cubes: Vec<_> = stays.map(|edge| &edge.cube).collect();
                universal[component] = cover_all_letters(&cubes);
            }
        }
        universal
    }
}

/// Returns the marks of an accepting component, without marks implied by another mark.
fn needed_marks(edges: &mut Vec<Marks>, count: u32) -> Vec<u32> {
    edges.sort_unstable();
    edges.dedup();
    let follows =
        |mark: u32, from: u32| edges.iter().all(|marks| !marks.has(from) || marks.has(mark));
    let mut needed: Vec<u32> = (0..count).collect();
    for mark in 0..count {
        let others: Vec<u32> = needed.iter().copied().filter(|&other| other != mark).collect();
        let everywhere = edges.iter().all(|marks| marks.has(mark));
        if everywhere || others.iter().any(|&other| follows(mark, other)) {
            needed = others;
        }
    }
    needed
}
