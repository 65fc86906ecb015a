//! The labels that can occur infinitely often, by an analysis of single components.
//!
//! Every run eventually stays in one strongly connected component of the automaton. Each component
//! of the system then stands still or stays in one strongly connected part of its states. So a
//! label that occurs infinitely often is, in each of its owners, on an edge inside a strongly
//! connected part formed by such labels. Other labels are removed until nothing changes. Automaton
//! edges that read none of the remaining labels are removed, too. If no component of the automaton
//! keeps all its marks, no run is accepted, however many joint states there are.

use crate::formula::{KindAutomaton, KindEdge, joined};
use crate::system::System;
use parikh_net::components::components_of_rows;
use parikh_temporal::Marks;

/// A possible infinite part of an accepted run: the moves (by state) of one strongly connected
/// component of the automaton with all marks, and the labels that may recur there.
#[derive(Clone, Debug)]
pub(crate) struct RecurrentPart {
    moves: Vec<Vec<KindEdge>>,
    labels: Vec<bool>,
}

/// Returns all parts in which an accepted run may end, by this analysis. A part need not contain an
/// accepted run.
pub(crate) fn parts(system: &System, automaton: &KindAutomaton) -> Vec<RecurrentPart> {
    let mut parts = Vec::new();
    let mut open: Vec<Vec<Vec<KindEdge>>> = accepting_parts(&automaton.states, automaton.all);
    while let Some(moves) = open.pop() {
        let read = moves.iter().flatten().fold(0, |all, it| all | it.kinds);
        let allowed = automaton.kinds.iter().map(|kind| read >> kind & 1 == 1).collect();
        let labels = recurring(system, allowed);
        let left = automaton.kinds.iter().zip(&labels).filter(|(_, recurs)| **recurs);
        let still = left.fold(0u64, |all, (kind, _)| all | 1 << kind);
        if still & read == read && read != 0 {
            parts.push(RecurrentPart { moves, labels });
            continue;
        }
        // With fewer kinds, the automaton has smaller components.
        let smaller = |row: &Vec<KindEdge>| {
            let moves = row.iter().map(|it| KindEdge { kinds: it.kinds & still, ..*it });
            moves.filter(|it| it.kinds != 0).collect()
        };
        let smaller: Vec<Vec<KindEdge>> = moves.iter().map(smaller).collect();
        open.extend(accepting_parts(&smaller, automaton.all));
    }
    parts
}

/// Returns an automaton that accepts the same runs of the system and guesses when a run has entered
/// its final part. From then on it reads only labels that may recur in this part; it carries marks
/// only there. Returns `None` if it had more than 64 kinds.
///
/// Each part is a copy of its states, and moves to these states may also lead to the copy. An
/// accepted run can switch after the last occurrence of a label outside its part.
pub(crate) fn phased(automaton: &KindAutomaton, parts: &[RecurrentPart]) -> Option<KindAutomaton> {
    // Labels of one kind that are in the same parts keep a common kind.
    let mut signatures: Vec<(u8, Vec<bool>)> = Vec::new();
    let mut kinds = Vec::with_capacity(automaton.kinds.len());
    for (label, &kind) in automaton.kinds.iter().enumerate() {
        let signature = (kind, parts.iter().map(|part| part.labels[label]).collect());
        let at = signatures.iter().position(|it| *it == signature).unwrap_or_else(|| {
            signatures.push(signature);
            signatures.len() - 1
        });
        kinds.push(u8::try_from(at).ok().filter(|&at| at < 63)?);
    }
    // An additional kind for labels that do not occur, for edges that read them.
    let other = signatures.len() as u32;
    signatures.push((u8::try_from(automaton.other).ok()?, vec![false; parts.len()]));
    let reads = |old: u64, part: Option<usize>| {
        let read = (0u32..).zip(&signatures).filter(|(_, (kind, inside))| {
            old >> kind & 1 == 1 && part.is_none_or(|part| inside[part])
        });
        read.fold(0u64, |all, (kind, _)| all | 1 << kind)
    };
    let count = automaton.states.len();
    let copy = |part: usize, state: u32| (count * (part + 1)) as u32 + state;
    let no_marks = automaton.all == Marks::NONE;
    let mut states: Vec<Vec<KindEdge>> = Vec::new();
    for row in &automaton.states {
        let mut moves = Vec::new();
        for it in row {
            let plain = KindEdge { kinds: reads(it.kinds, None), marks: Marks::NONE, ..*it };
            moves.push(plain);
            let into = parts.iter().enumerate();
            let into = into.filter(|(_, part)| !part.moves[it.target as usize].is_empty());
            moves.extend(into.map(|(at, _)| KindEdge { target: copy(at, it.target), ..plain }));
        }
        states.push(joined(moves));
    }
    for (at, part) in parts.iter().enumerate() {
        for row in &part.moves {
            let moves = row.iter().map(|it| KindEdge {
                target: copy(at, it.target),
                marks: if no_marks { Marks(1) } else { it.marks },
                kinds: reads(it.kinds, Some(at)),
            });
            states.push(joined(moves.filter(|it| it.kinds != 0).collect()));
        }
    }
    let all = if no_marks { Marks(1) } else { automaton.all };
    let mut phased =
        KindAutomaton { states, all, kinds, other, distance: Vec::new(), ..automaton.clone() };
    phased.prune();
    Some(phased)
}

/// Returns the strongly connected components with all marks, each as its inner moves.
fn accepting_parts(states: &[Vec<KindEdge>], all: Marks) -> Vec<Vec<Vec<KindEdge>>> {
    let found = components_of_rows(states, |it| it.target);
    let inside = |component: u32| -> Vec<Vec<KindEdge>> {
        let rows = states.iter().zip(&found.of);
        rows.map(|(row, &of)| {
            let moves =
                row.iter().filter(|it| of == component && found.of[it.target as usize] == of);
            moves.copied().collect()
        })
        .collect()
    };
    let is_accepting = |part: &Vec<Vec<KindEdge>>| {
        let mut moves = part.iter().flatten().peekable();
        moves.peek().is_some()
            && all.within(moves.fold(Marks::NONE, |marks, it| marks.or(it.marks)))
    };
    (0..found.count).map(inside).filter(is_accepting).collect()
}

/// Returns the allowed labels that may occur infinitely often.
fn recurring(system: &System, mut allowed: Vec<bool>) -> Vec<bool> {
    loop {
        let before = allowed.iter().filter(|it| **it).count();
        for (number, component) in (0..).zip(system.components()) {
            let states = component.states().len() as u32;
            let row = |state: u32| component.edges(state).iter().filter(|it| allowed[it.0.index()]);
            let rows: Vec<Vec<u32>> =
                (0..states).map(|it| row(it).map(|edge| edge.1).collect()).collect();
            let found = components_of_rows(&rows, |&to| to);
            let mut inside = vec![false; allowed.len()];
            for state in 0..states {
                for (label, to) in row(state) {
                    inside[label.index()] |= found.of[state as usize] == found.of[*to as usize];
                }
            }
            for label in system.labels().filter(|&it| system.owners(it).contains(&number)) {
                allowed[label.index()] &= inside[label.index()];
            }
        }
        if allowed.iter().filter(|it| **it).count() == before {
            return allowed;
        }
    }
}
