//! Automata over letters of bits: cubes as masks, one comparison for each word.

use parikh_temporal::{Automaton, Cube, Marks, Strength};

/// Which letters an edge reads: by word, the bits that matter and their values.
#[derive(Clone, Debug)]
pub(crate) struct Mask(Vec<(u32, u64, u64)>);

impl Mask {
    /// `bits` has, for each atom of the automaton, the bit that stands for it.
    fn new(cube: &Cube, bits: &[usize]) -> Mask {
        let mut words: Vec<(u32, u64, u64)> = Vec::new();
        for literal in cube.literals() {
            let number = bits[literal.atom.0 as usize];
            let (word, bit) = ((number / 64) as u32, 1 << (number % 64));
            let at = words.iter().position(|&(other, ..)| other == word).unwrap_or_else(|| {
                words.push((word, 0, 0));
                words.len() - 1
            });
            words[at].1 |= bit;
            words[at].2 |= if literal.positive { bit } else { 0 };
        }
        Mask(words)
    }

    /// Whether the letter is read that has the bits of both.
    pub(crate) fn reads(&self, letter: &[u64], more: &[u64]) -> bool {
        self.0.iter().all(|&(word, mask, value)| {
            (letter[word as usize] | more[word as usize]) & mask == value
        })
    }

    /// Whether it may be read, where of a letter only the bits in `said` are known.
    pub(crate) fn may_read(&self, letter: &[u64], said: &[u64]) -> bool {
        let wrong = |&(word, mask, value): &(u32, u64, u64)| {
            (letter[word as usize] ^ value) & mask & said[word as usize]
        };
        self.0.iter().all(|it| wrong(it) == 0)
    }
}

/// From one state to another.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// The state that it leads to.
    pub(crate) target: u32,
    /// The marks that it carries.
    pub(crate) marks: Marks,
    /// What it reads.
    pub(crate) mask: Mask,
}

/// An automaton whose atoms are the bits of letters.
pub(crate) struct Compiled {
    /// The edges of each state, those first that lead nearer to where runs are accepted.
    pub(crate) states: Vec<Vec<Edge>>,
    /// Where runs begin.
    pub(crate) initial: u32,
    /// What an accepting run carries again and again.
    pub(crate) all: Marks,
    /// By state, whether it accepts whatever follows.
    pub(crate) universal: Vec<bool>,
    /// By state, whether every edge of it asks something of the letter; not of states that accept
    /// whatever follows.
    pub(crate) selective: Vec<bool>,
}

impl Compiled {
    /// `bits` has, for each atom of the automaton, the bit of letters that stands for it.
    pub(crate) fn new(automaton: &Automaton, bits: &[usize]) -> Compiled {
        let strengths = automaton.strengths();
        let distances = distances(automaton, &strengths);
        let states = automaton.states.iter().map(|edges| {
            let mut edges: Vec<Edge> = edges
                .iter()
                // From there nothing is accepted.
                .filter(|edge| distances[edge.target] != usize::MAX)
                .map(|edge| Edge {
                    target: edge.target as u32,
                    marks: edge.marks,
                    mask: Mask::new(&edge.cube, bits),
                })
                .collect();
            edges.sort_by_key(|edge| {
                (distances[edge.target as usize], std::cmp::Reverse(edge.marks.0.count_ones()))
            });
            edges
        });
        let states: Vec<Vec<Edge>> = states.collect();
        let universal: Vec<bool> = strengths.iter().map(|&it| it == Strength::Terminal).collect();
        let is_selective = |(edges, &universal): (&Vec<Edge>, &bool)| {
            !universal && edges.iter().all(|edge| !edge.mask.0.is_empty())
        };
        Compiled {
            selective: states.iter().zip(&universal).map(is_selective).collect(),
            states,
            initial: automaton.initial as u32,
            all: Marks::all(automaton.marks),
            universal,
        }
    }
}

/// By state, how many edges it is to a component in which runs are accepted; the largest number
/// where none is reached.
pub(crate) fn distances(automaton: &Automaton, strengths: &[Strength]) -> Vec<usize> {
    let count = automaton.states.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (state, edges) in automaton.states.iter().enumerate() {
        edges.iter().for_each(|edge| before[edge.target].push(state));
    }
    let accepts = |&state: &usize| strengths[state] != Strength::Rejecting;
    let mut row: Vec<usize> = (0..count).filter(accepts).collect();
    let mut distances = vec![usize::MAX; count];
    row.iter().for_each(|&state| distances[state] = 0);
    let mut at = 0;
    while let Some(&state) = row.get(at) {
        at += 1;
        for &earlier in &before[state] {
            if distances[earlier] == usize::MAX {
                distances[earlier] = distances[state] + 1;
                row.push(earlier);
            }
        }
    }
    distances
}
