//! Automata over letters as bit vectors: a cube becomes bit masks, with one comparison per word.

use parikh_temporal::{Automaton, Cube, Marks, Strength};

/// The letters on which an automaton edge can be taken, as one triple per constrained 64-bit word
/// of the letter. A triple has the index of the word, the mask of its constrained bits, and the
/// required values of these bits.
#[derive(Clone, Debug)]
pub(crate) struct LetterMask(Vec<(u32, u64, u64)>);

impl LetterMask {
    /// Compiles a cube. `bits` contains the letter bit of each atom of the automaton.
    fn new(cube: &Cube, bits: &[usize]) -> LetterMask {
        let mut words: Vec<(u32, u64, u64)> = Vec::new();
        for literal in cube.literals() {
            let number = bits[literal.atom.0 as usize];
            let (word, bit) = ((number / 64) as u32, 1 << (number % 64));
            let index = words.iter().position(|&(other, ..)| other == word).unwrap_or_else(|| {
                words.push((word, 0, 0));
                words.len() - 1
            });
            words[index].1 |= bit;
            words[index].2 |= if literal.positive { bit } else { 0 };
        }
        LetterMask(words)
    }

    /// Returns true if the edge can be taken on the union of both letters: the atoms of a marking,
    /// and the atoms of a firing.
    pub(crate) fn reads(&self, letter: &[u64], other_letter: &[u64]) -> bool {
        self.0.iter().all(|&(word, mask, value)| {
            (letter[word as usize] | other_letter[word as usize]) & mask == value
        })
    }

    /// Returns false if the bits in `known_bits`, whose values in `letter` are certain, exclude
    /// that the edge can be taken. Returns true otherwise.
    pub(crate) fn may_read(&self, letter: &[u64], known_bits: &[u64]) -> bool {
        let wrong_bits = |&(word, mask, value): &(u32, u64, u64)| {
            (letter[word as usize] ^ value) & mask & known_bits[word as usize]
        };
        self.0.iter().all(|it| wrong_bits(it) == 0)
    }
}

/// An edge of a compiled automaton.
#[derive(Clone, Debug)]
pub(crate) struct CompiledEdge {
    /// The target state.
    pub(crate) target: u32,
    /// The acceptance marks of the edge.
    pub(crate) marks: Marks,
    /// The letters on which the edge can be taken.
    pub(crate) mask: LetterMask,
}

/// An automaton whose atoms are letter bits.
pub(crate) struct CompiledAutomaton {
    /// The edges, indexed by state. Edges that lead closer to an accepting component come first.
    /// Edges to states from which no accepting component is reachable are left out.
    pub(crate) edges: Vec<Vec<CompiledEdge>>,
    /// The initial state.
    pub(crate) initial: u32,
    /// All acceptance marks. An accepting run carries each of them infinitely often.
    pub(crate) all_marks: Marks,
    /// For each state, true if a simple sufficient test shows that it accepts every continuation.
    pub(crate) is_universal: Vec<bool>,
    /// For each state, true if every edge of it constrains the letter, also if it has no edges.
    /// False for states with `is_universal`.
    pub(crate) is_selective: Vec<bool>,
}

impl CompiledAutomaton {
    /// Compiles an automaton. `bits` contains the letter bit of each atom of the automaton.
    pub(crate) fn new(automaton: &Automaton, bits: &[usize]) -> CompiledAutomaton {
        let strengths = automaton.strengths();
        let distances = distances(automaton, &strengths);
        let states = automaton.states.iter().map(|edges| {
            let mut edges: Vec<CompiledEdge> = edges
                .iter()
                // Edges to states that accept nothing are dropped.
                .filter(|edge| distances[edge.target] != usize::MAX)
                .map(|edge| CompiledEdge {
                    target: edge.target as u32,
                    marks: edge.marks,
                    mask: LetterMask::new(&edge.cube, bits),
                })
                .collect();
            edges.sort_by_key(|edge| {
                (distances[edge.target as usize], std::cmp::Reverse(edge.marks.0.count_ones()))
            });
            edges
        });
        let edges: Vec<Vec<CompiledEdge>> = states.collect();
        let is_universal: Vec<bool> =
            strengths.iter().map(|&it| it == Strength::Terminal).collect();
        let is_selective = |(edges, &universal): (&Vec<CompiledEdge>, &bool)| {
            !universal && edges.iter().all(|edge| !edge.mask.0.is_empty())
        };
        CompiledAutomaton {
            is_selective: edges.iter().zip(&is_universal).map(is_selective).collect(),
            edges,
            initial: automaton.initial as u32,
            all_marks: Marks::all(automaton.marks),
            is_universal,
        }
    }
}

/// Returns, for each state, the number of edges to the nearest accepting component, or `usize::MAX`
/// if none is reachable.
pub(crate) fn distances(automaton: &Automaton, strengths: &[Strength]) -> Vec<usize> {
    let count = automaton.states.len();
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (state, edges) in automaton.states.iter().enumerate() {
        edges.iter().for_each(|edge| predecessors[edge.target].push(state));
    }
    let accepts = |&state: &usize| strengths[state] != Strength::Rejecting;
    let mut queue: Vec<usize> = (0..count).filter(accepts).collect();
    let mut distances = vec![usize::MAX; count];
    queue.iter().for_each(|&state| distances[state] = 0);
    let mut next = 0;
    while let Some(&state) = queue.get(next) {
        next += 1;
        for &predecessor in &predecessors[state] {
            if distances[predecessor] == usize::MAX {
                distances[predecessor] = distances[state] + 1;
                queue.push(predecessor);
            }
        }
    }
    distances
}
