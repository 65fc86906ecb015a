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
    /// Renumbers the marks component by component; see the module documentation. With
    /// `marks_between`, edges between components carry all marks, otherwise none.
    pub(super) fn simplify_marks(&mut self, marks_between: bool) {
        let sccs = Components::new(self, |_| true);
        let all_marks = Marks::all(self.marks);
        let mut inner_marks: Vec<Vec<Marks>> = vec![Vec::new(); sccs.marks.len()];
        for (state, edges) in self.states.iter().enumerate() {
            let component = sccs.component_of[state];
            let is_inner = |edge: &&AutomatonEdge| sccs.component_of[edge.target] == component;
            inner_marks[component]
                .extend(edges.iter().filter(is_inner).map(|edge| edge.marks.and(all_marks)));
        }
        let is_weak = self.weak_components(&sccs);
        // The marks that each component needs; `None` if it is not accepting.
        let needed: Vec<Option<Vec<u32>>> = (0..sccs.marks.len())
            .map(|component| {
                if is_weak[component] {
                    return Some(Vec::new());
                }
                sccs.is_accepting(component, self)
                    .then(|| needed_marks(&mut inner_marks[component], self.marks))
            })
            .collect();
        let max_needed = needed.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let has_rejecting_cycle = (0..needed.len()).any(|component_number| {
            needed[component_number].is_none() && sccs.marks[component_number].is_some()
        });
        let count = max_needed.max(usize::from(has_rejecting_cycle)) as u32;
        let new_all = Marks::all(count);
        for (state, edges) in self.states.iter_mut().enumerate() {
            let component = sccs.component_of[state];
            for edge in edges {
                let is_inner = sccs.component_of[edge.target] == component;
                edge.marks = match &needed[component] {
                    _ if !is_inner => {
                        if marks_between {
                            new_all
                        } else {
                            Marks::NONE
                        }
                    }
                    None => Marks::NONE,
                    Some(marks) => {
                        // The component needs the first `marks.len()` new marks only. Its edges
                        // carry all others, so that these never prevent acceptance.
                        let unused_marks = Marks(new_all.0 & !Marks::all(marks.len() as u32).0);
                        let carried =
                            marks.iter().zip(0..).filter(|(mark, _)| edge.marks.has(**mark));
                        carried.fold(unused_marks, |marks_so_far, (_, new_mark)| {
                            marks_so_far.with(new_mark)
                        })
                    }
                };
            }
        }
        self.marks = count;
    }

    /// Returns, for each component, whether it has cycles and every cycle has all marks. The test:
    /// after removal of the edges with any one mark, no cycle is left.
    pub(in crate::automaton) fn weak_components(&self, sccs: &Components) -> Vec<bool> {
        let mut is_weak: Vec<bool> =
            (0..sccs.marks.len()).map(|at| sccs.is_accepting(at, self)).collect();
        for mark in 0..self.marks {
            let targets_without_mark: Vec<Vec<usize>> = (self.states.iter().enumerate())
                .map(|(state, edges)| {
                    let is_inner = |edge: &&AutomatonEdge| {
                        sccs.component_of[edge.target] == sccs.component_of[state]
                    };
                    let edges_without_mark =
                        edges.iter().filter(is_inner).filter(|edge| !edge.marks.has(mark));
                    edges_without_mark.map(|edge| edge.target).collect()
                })
                .collect();
            let found = components_of_rows(&targets_without_mark, |&to| to as u32);
            let component_without_mark = found.component_of;
            let mut size = vec![0; found.count as usize];
            component_without_mark.iter().for_each(|&component| size[component as usize] += 1);
            for (state, targets) in targets_without_mark.iter().enumerate() {
                if size[component_without_mark[state] as usize] > 1 || targets.contains(&state) {
                    is_weak[sccs.component_of[state]] = false;
                }
            }
        }
        is_weak
    }

    /// Replaces the edges of each state of a universal component by a self-loop with all marks that
    /// reads every letter. Such a component is shown to accept every word, see
    /// [`universal_components`](Self::universal_components). Later steps merge these states, which
    /// are now equal.
    pub(super) fn collapse_universal(&mut self) {
        let sccs = Components::new(self, |_| true);
        let universal = self.universal_components(&sccs);
        let all = Marks::all(self.marks);
        for (state, edges) in self.states.iter_mut().enumerate() {
            if universal[sccs.component_of[state]] {
                *edges =
                    vec![AutomatonEdge { target: state, marks: all, cube: Default::default() }];
            }
        }
    }

    /// Returns, for each component, whether it is shown that each of its states accepts every word.
    /// The test: all cycles of the component have all marks, and at each of its states every letter
    /// is read by an edge that stays in the component.
    pub(in crate::automaton) fn universal_components(&self, sccs: &Components) -> Vec<bool> {
        let mut is_universal = self.weak_components(sccs);
        for (state, edges) in self.states.iter().enumerate() {
            let component = sccs.component_of[state];
            if is_universal[component] {
                let inner_edges =
                    edges.iter().filter(|edge| sccs.component_of[edge.target] == component);
                let cubes: Vec<_> = inner_edges.map(|edge| &edge.cube).collect();
                is_universal[component] = cover_all_letters(&cubes);
            }
        }
        is_universal
    }
}

/// Returns the marks that an accepting component needs, without marks on every edge and marks
/// implied by another mark. `edges` are the marks of its inner edges.
fn needed_marks(edges: &mut Vec<Marks>, count: u32) -> Vec<u32> {
    edges.sort_unstable();
    edges.dedup();
    let is_implied =
        |mark: u32, by: u32| edges.iter().all(|marks| !marks.has(by) || marks.has(mark));
    let mut needed: Vec<u32> = (0..count).collect();
    for mark in 0..count {
        let others: Vec<u32> = needed.iter().copied().filter(|&other| other != mark).collect();
        let is_everywhere = edges.iter().all(|marks| marks.has(mark));
        if is_everywhere || others.iter().any(|&other| is_implied(mark, other)) {
            needed = others;
        }
    }
    needed
}
