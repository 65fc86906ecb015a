//! The labels that can occur infinitely often, by an analysis of single components.
//!
//! Every run eventually stays in one strongly connected component of the automaton. Each component
//! of the system then stands still or stays in one strongly connected part of its states. So a
//! label that occurs infinitely often is, in each of its owners, on an edge inside a strongly
//! connected part formed by such labels. Other labels are removed until nothing changes. Automaton
//! edges that read none of the remaining labels are removed, too. If no component of the automaton
//! keeps all its marks, no run is accepted, however many joint states there are.

use crate::formula::{KindAutomaton, KindEdge, merge_moves};
use crate::system::System;
use parikh_net::components::components_of_rows;
use parikh_temporal::Marks;

/// A possible infinite part of an accepted run. It consists of a strongly connected component of
/// the automaton with all acceptance marks, and the labels that may occur infinitely often in this
/// component.
#[derive(Clone, Debug)]
pub(crate) struct RecurrentPart {
    /// The edges inside the automaton's component, indexed by state.
    moves: Vec<Vec<KindEdge>>,
    /// True for labels that may occur infinitely often in this part, indexed by label.
    labels: Vec<bool>,
}

/// Returns all parts in which an accepted run may end, by this analysis. A part need not contain an
/// accepted run.
pub(crate) fn recurrent_parts(system: &System, automaton: &KindAutomaton) -> Vec<RecurrentPart> {
    let mut parts = Vec::new();
    let mut open_parts: Vec<Vec<Vec<KindEdge>>> =
        accepting_components(&automaton.states, automaton.required_marks);
    while let Some(moves) = open_parts.pop() {
        let read_bits = moves.iter().flatten().fold(0, |bits, it| bits | it.kinds);
        let is_read_label = automaton.kinds.iter().map(|kind| read_bits >> kind & 1 == 1).collect();
        let labels = recurring_labels(system, is_read_label);
        let recurring_kinds = automaton.kinds.iter().zip(&labels).filter(|(_, recurs)| **recurs);
        let recurring_bits = recurring_kinds.fold(0u64, |bits, (kind, _)| bits | 1 << kind);
        if recurring_bits & read_bits == read_bits && read_bits != 0 {
            parts.push(RecurrentPart { moves, labels });
            continue;
        }
        // Labels that cannot recur are removed from the edges. The rest of the component may split
        // into smaller components, which are examined next.
        let smaller = |row: &Vec<KindEdge>| {
            let moves = row.iter().map(|it| KindEdge { kinds: it.kinds & recurring_bits, ..*it });
            moves.filter(|it| it.kinds != 0).collect()
        };
        let smaller: Vec<Vec<KindEdge>> = moves.iter().map(smaller).collect();
        open_parts.extend(accepting_components(&smaller, automaton.required_marks));
    }
    parts
}

/// Returns an automaton that accepts the same runs of the system and guesses when a run has entered
/// its final part. From then on it reads only labels that may recur in this part; it carries marks
/// only there. Returns `None` if it would need more than 64 kinds of labels.
///
/// Each part is a copy of its states, and moves to these states may also lead to the copy. An
/// accepted run can switch after the last occurrence of a label outside its part.
pub(crate) fn with_phases(
    automaton: &KindAutomaton,
    parts: &[RecurrentPart],
) -> Option<KindAutomaton> {
    // The new kinds: the old kind, and for each part whether it contains the labels of the kind.
    // Labels of one old kind that are in the same parts keep a common kind.
    let mut kind_signatures: Vec<(u8, Vec<bool>)> = Vec::new();
    let mut kinds = Vec::with_capacity(automaton.kinds.len());
    for (label, &kind) in automaton.kinds.iter().enumerate() {
        let signature = (kind, parts.iter().map(|part| part.labels[label]).collect());
        let index = kind_signatures
            .iter()
            .position(|known_signature| *known_signature == signature)
            .unwrap_or_else(|| {
                kind_signatures.push(signature);
                kind_signatures.len() - 1
            });
        kinds.push(u8::try_from(index).ok().filter(|&index| index < 63)?);
    }
    // An additional kind that no label has. Edges that read the other kind of the automaton read
    // this kind, too, except in the copies for parts.
    let other = kind_signatures.len() as u32;
    kind_signatures.push((u8::try_from(automaton.other_kind).ok()?, vec![false; parts.len()]));
    let new_kinds = |old_kinds: u64, part: Option<usize>| {
        let read = (0u32..).zip(&kind_signatures).filter(|(_, (kind, is_in_part))| {
            old_kinds >> kind & 1 == 1 && part.is_none_or(|part| is_in_part[part])
        });
        read.fold(0u64, |kinds_so_far, (kind, _)| kinds_so_far | 1 << kind)
    };
    let count = automaton.states.len();
    let copy_of_state = |part: usize, state: u32| (count * (part + 1)) as u32 + state;
    let no_marks = automaton.required_marks == Marks::NONE;
    let mut states: Vec<Vec<KindEdge>> = Vec::new();
    for row in &automaton.states {
        let mut moves = Vec::new();
        for edge in row {
            let edge_without_marks =
                KindEdge { kinds: new_kinds(edge.kinds, None), marks: Marks::NONE, ..*edge };
            moves.push(edge_without_marks);
            let entered_parts = parts.iter().enumerate();
            let entered_parts =
                entered_parts.filter(|(_, part)| !part.moves[edge.target as usize].is_empty());
            moves.extend(entered_parts.map(|(index, _)| KindEdge {
                target: copy_of_state(index, edge.target),
                ..edge_without_marks
            }));
        }
        states.push(merge_moves(moves));
    }
    for (index, part) in parts.iter().enumerate() {
        for row in &part.moves {
            let moves = row.iter().map(|edge| KindEdge {
                target: copy_of_state(index, edge.target),
                marks: if no_marks { Marks(1) } else { edge.marks },
                kinds: new_kinds(edge.kinds, Some(index)),
            });
            states.push(merge_moves(moves.filter(|edge| edge.kinds != 0).collect()));
        }
    }
    let required_marks = if no_marks { Marks(1) } else { automaton.required_marks };
    let mut phased = KindAutomaton {
        states,
        required_marks,
        kinds,
        other_kind: other,
        distance: Vec::new(),
        ..automaton.clone()
    };
    phased.prune();
    Some(phased)
}

/// Returns the strongly connected components with all marks, each as its inner moves.
fn accepting_components(
    states: &[Vec<KindEdge>],
    required_marks: Marks,
) -> Vec<Vec<Vec<KindEdge>>> {
    let sccs = components_of_rows(states, |it| it.target);
    let inner_moves = |component: u32| -> Vec<Vec<KindEdge>> {
        let rows = states.iter().zip(&sccs.component_of);
        rows.map(|(row, &component_of_state)| {
            let moves = row.iter().filter(|it| {
                component_of_state == component
                    && sccs.component_of[it.target as usize] == component_of_state
            });
            moves.copied().collect()
        })
        .collect()
    };
    let is_accepting = |part: &Vec<Vec<KindEdge>>| {
        let mut moves = part.iter().flatten().peekable();
        moves.peek().is_some()
            && required_marks.is_subset(moves.fold(Marks::NONE, |marks, it| marks.or(it.marks)))
    };
    (0..sccs.count).map(inner_moves).filter(is_accepting).collect()
}

/// Returns, indexed by label, true for the labels that may occur infinitely often if only the
/// labels with `allowed` true occur.
fn recurring_labels(system: &System, mut allowed: Vec<bool>) -> Vec<bool> {
    loop {
        let previous_count = allowed.iter().filter(|it| **it).count();
        for (number, component) in (0..).zip(system.components()) {
            let states = component.states().len() as u32;
            let allowed_edges =
                |state: u32| component.edges(state).iter().filter(|it| allowed[it.0.index()]);
            let rows: Vec<Vec<u32>> =
                (0..states).map(|it| allowed_edges(it).map(|edge| edge.1).collect()).collect();
            let sccs = components_of_rows(&rows, |&to| to);
            let mut is_on_cycle = vec![false; allowed.len()];
            for state in 0..states {
                for (label, to) in allowed_edges(state) {
                    is_on_cycle[label.index()] |=
                        sccs.component_of[state as usize] == sccs.component_of[*to as usize];
                }
            }
            for label in system.labels().filter(|&it| system.owners(it).contains(&number)) {
                allowed[label.index()] &= is_on_cycle[label.index()];
            }
        }
        if allowed.iter().filter(|it| **it).count() == previous_count {
            return allowed;
        }
    }
}
