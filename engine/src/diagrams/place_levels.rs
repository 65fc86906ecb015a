//! Translation of a diagram whose levels represent groups of places into one with a level per
//! place.
//!
//! The checker knows no groups, so this translation is not trusted: it only has to give the checker
//! a set that is closed under firing, and has as many members.
//!
//! A *chain* is the list of nodes linked by `right`: the alternatives of one level. Its first node
//! is the *head*. Only heads are the root or a child (`down`) of another node.

use super::level_groups::LevelGroup;
use parikh_evidence::certificate::closed_set::ClosedSet;
use parikh_solvers::Budget;
use parikh_symbolic::Diagram;
use std::collections::HashMap;

/// The number of the empty set of vectors.
const EMPTY: u32 = 0;

/// Returns the set of `diagram` with a level per place. `levels` has the group of each level. The
/// places of a group follow each other in the order of the group. Returns `None` if the set needs
/// more than `max_nodes` nodes, or if the budget ends.
pub(super) fn by_places(
    diagram: Diagram,
    levels: &[&LevelGroup],
    max_nodes: usize,
    budget: &Budget,
) -> Option<ClosedSet> {
    let order = levels.iter().flat_map(|group| group.places()).copied().collect();
    if levels.iter().all(|group| matches!(group, LevelGroup::Single(_))) {
        return Some(ClosedSet { order, nodes: diagram.nodes, root: diagram.root });
    }
    let mut set = PlaceLevels { max_nodes, ..PlaceLevels::default() };
    let level_of = levels_of_heads(&diagram);
    // The number in the new set of each head. A node stands after the nodes that it refers to.
    let mut number_of: HashMap<u32, u32> = HashMap::from([(EMPTY, EMPTY), (1, 1)]);
    let mut chain: Vec<(u64, u32)> = Vec::new();
    for (number, level) in (2..).zip(&level_of) {
        let Some(level) = level else { continue };
        if budget.is_exhausted() {
            return None;
        }
        chain.clear();
        let mut node = number;
        while node > 1 {
            let (value, down, right) = diagram.nodes[node as usize - 2];
            chain.push((value, number_of[&down]));
            node = right;
        }
        number_of.insert(number, set.group(levels[*level as usize], &chain)?);
    }
    Some(ClosedSet { order, nodes: set.nodes, root: number_of[&diagram.root] })
}

/// Returns the level of each head, by index of the node. `None` for other nodes.
fn levels_of_heads(diagram: &Diagram) -> Vec<Option<u32>> {
    let mut level_of: Vec<Option<u32>> = vec![None; diagram.nodes.len()];
    let mut head_level_of = level_of.clone();
    if diagram.root > 1 {
        level_of[diagram.root as usize - 2] = Some(0);
        head_level_of[diagram.root as usize - 2] = Some(0);
    }
    for index in (0..diagram.nodes.len()).rev() {
        let (_, down, right) = diagram.nodes[index];
        let Some(level) = level_of[index] else { continue };
        if right > 1 {
            level_of[right as usize - 2] = Some(level);
        }
        if down > 1 {
            level_of[down as usize - 2] = Some(level + 1);
            head_level_of[down as usize - 2] = Some(level + 1);
        }
    }
    head_level_of
}

/// The nodes of a diagram with a level per place, from the bottom up.
#[derive(Default)]
struct PlaceLevels {
    /// The nodes, numbered from 2.
    nodes: Vec<(u64, u32, u32)>,
    /// The number of each node.
    numbers: HashMap<(u64, u32, u32), u32>,
    /// The numbers of a set behind one zero, two zeros and so on, by number of the set. A set
    /// determines the level where it begins, so the entry is the same for all groups.
    behind_zeros: HashMap<u32, Vec<u32>>,
    /// Limit on the number of nodes.
    max_nodes: usize,
}

impl PlaceLevels {
    /// Returns the number of the node (value, down, right), or `right` if `down` is empty. Returns
    /// `None` if there are too many nodes.
    fn node(&mut self, value: u64, down: u32, right: u32) -> Option<u32> {
        if down == EMPTY {
            return Some(right);
        }
        if let Some(&number) = self.numbers.get(&(value, down, right)) {
            return Some(number);
        }
        if self.nodes.len() >= self.max_nodes {
            return None;
        }
        self.nodes.push((value, down, right));
        let number = self.nodes.len() as u32 + 1;
        self.numbers.insert((value, down, right), number);
        Some(number)
    }

    /// Returns the set of the vectors that have `zeros` places without tokens, followed by a vector
    /// of `set`. Returns `None` if there are too many nodes.
    fn behind_zeros(&mut self, set: u32, zeros: usize) -> Option<u32> {
        if set == EMPTY || zeros == 0 {
            return Some(set);
        }
        let mut known = self.behind_zeros.remove(&set).unwrap_or_default();
        while known.len() < zeros {
            let last = known.last().copied().unwrap_or(set);
            known.push(self.node(0, last, EMPTY)?);
        }
        let number = known[zeros - 1];
        self.behind_zeros.insert(set, known);
        Some(number)
    }

    /// Returns the set of the vectors of a group's tokens, each followed by the vectors of the set
    /// below. `chain` has the values of the level in ascending order, each with the number of the
    /// set below. Returns `None` if there are too many nodes.
    fn group(&mut self, group: &LevelGroup, chain: &[(u64, u32)]) -> Option<u32> {
        match group {
            LevelGroup::Single(_) => self.in_order(chain),
            LevelGroup::Pair(_) => {
                let mut pairs = Vec::with_capacity(chain.len());
                for &(value, down) in chain {
                    pairs.push((value, self.node(group.tokens(1, value), down, EMPTY)?));
                }
                self.in_order(&pairs)
            }
            LevelGroup::AtMostOne { places, .. } => {
                let below = |value: usize| {
                    let found = chain.binary_search_by_key(&(value as u64), |it| it.0);
                    found.map_or(EMPTY, |index| chain[index].1)
                };
                // The set for the places from `index` on: one of them is marked, or none.
                let mut set = below(places.len());
                for index in (0..places.len()).rev() {
                    let marked = self.behind_zeros(below(index), places.len() - index - 1)?;
                    let right = self.node(1, marked, EMPTY)?;
                    set = self.node(0, set, right)?;
                }
                Some(set)
            }
        }
    }

    /// Returns the set of the values, each followed by its set below. Returns `None` if there are
    /// too many nodes.
    fn in_order(&mut self, chain: &[(u64, u32)]) -> Option<u32> {
        let pairs = chain.iter().rev();
        pairs.copied().try_fold(EMPTY, |right, (value, down)| self.node(value, down, right))
    }
}
