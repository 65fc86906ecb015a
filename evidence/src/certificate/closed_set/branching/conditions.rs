//! Computes the members of a set that satisfy a condition on markings.

use super::evaluation::Evaluation;
use super::firing::FiringTouch;
use super::sets::{EMPTY, TERMINAL};
use crate::certificate::Flaw;
use parikh_net::{Atom, Predicate, TransitionId};
use std::collections::HashMap;

impl Evaluation<'_> {
    /// Returns the members of `set` that satisfy `condition`.
    pub(super) fn satisfying(&mut self, set: u32, condition: &Predicate) -> Result<u32, Flaw> {
        match condition {
            Predicate::True => Ok(set),
            Predicate::False => Ok(EMPTY),
            Predicate::Atom(atom) => self.atom(set, atom),
            Predicate::Enabled(t) => self.enabling(set, &[*t]),
            Predicate::Disabled(t) => {
                let enabling = self.enabling(set, &[*t])?;
                self.sets.difference(set, enabling)
            }
            Predicate::Dead | Predicate::NotDead => {
                let all: Vec<TransitionId> = self.net.transitions().collect();
                let not_dead = self.enabling(set, &all)?;
                match condition {
                    Predicate::Dead => self.sets.difference(set, not_dead),
                    _ => Ok(not_dead),
                }
            }
            Predicate::And(parts) => {
                parts.iter().try_fold(set, |set, part| self.satisfying(set, part))
            }
            Predicate::Or(parts) => {
                let enabled = parts.iter().filter_map(|part| match part {
                    Predicate::Enabled(t) => Some(*t),
                    _ => None,
                });
                let mut so_far = self.enabling(set, &enabled.collect::<Vec<_>>())?;
                for part in parts.iter().filter(|part| !matches!(part, Predicate::Enabled(_))) {
                    let more = self.satisfying(set, part)?;
                    so_far = self.sets.union(so_far, more)?;
                }
                Ok(so_far)
            }
        }
    }

    /// Returns the members of `set` that enable at least one of `transitions`.
    fn enabling(&mut self, set: u32, transitions: &[TransitionId]) -> Result<u32, Flaw> {
        if transitions.is_empty() {
            return Ok(EMPTY);
        }
        let needs = |&t: &TransitionId| {
            let arcs = self.net.pre(t).iter();
            let mut needs: Vec<FiringTouch> =
                arcs.map(|arc| (self.level_of[arc.place.index()], arc.weight, 0)).collect();
            needs.sort_unstable();
            needs
        };
        let needs: Vec<Vec<FiringTouch>> = transitions.iter().map(needs).collect();
        if needs.iter().any(Vec::is_empty) {
            return Ok(set);
        }
        // A member enables a transition if it is a predecessor by a firing with the same
        // requirements and no change.
        let firings = self.lists.prepare(&needs);
        self.sets.predecessors_by_any(&self.lists, &firings, 0, (set, set))
    }

    /// Returns the members of `set` whose weighted sum is at most the bound.
    fn atom(&mut self, set: u32, atom: &Atom) -> Result<u32, Flaw> {
        let mut weights = vec![0i64; self.level_of.len()];
        for &(place, weight) in atom.sum.terms() {
            weights[self.level_of[place.index()]] = weight;
        }
        let bound = i128::from(atom.bound);
        let mut bounded =
            BoundedSum { weights, bound, ranges: HashMap::new(), results: HashMap::new() };
        self.members_within_bound(&mut bounded, 0, set, 0)
    }

    /// Returns the vectors of a node at `level` whose weighted sum plus `sum` is at most the bound.
    /// `sum` is the weighted sum of the values at the levels above `level`.
    fn members_within_bound(
        &mut self,
        bounded: &mut BoundedSum,
        level: usize,
        node: u32,
        sum: i128,
    ) -> Result<u32, Flaw> {
        if node == EMPTY {
            return Ok(EMPTY);
        }
        let (min_sum, max_sum) = self.range(bounded, level, node)?;
        if add(sum, max_sum)? <= bounded.bound {
            return Ok(node);
        }
        if add(sum, min_sum)? > bounded.bound {
            return Ok(EMPTY);
        }
        if let Some(&known) = bounded.results.get(&(node, sum)) {
            return Ok(known);
        }
        self.sets.tick()?;
        let chain_start = self.sets.begin_chain();
        let mut current = node;
        while current != EMPTY {
            let (value, down, right) = self.sets.node(current);
            let sum = add(sum, bounded.term(level, value)?)?;
            let down = self.members_within_bound(bounded, level + 1, down, sum)?;
            self.sets.push_child(value, down);
            current = right;
        }
        let result = self.sets.end_chain(chain_start)?;
        bounded.results.insert((node, sum), result);
        Ok(result)
    }

    /// Returns the smallest and the largest weighted sum of the vectors of a node at `level`.
    fn range(
        &mut self,
        bounded: &mut BoundedSum,
        level: usize,
        node: u32,
    ) -> Result<(i128, i128), Flaw> {
        if node == TERMINAL {
            return Ok((0, 0));
        }
        if let Some(&known) = bounded.ranges.get(&node) {
            return Ok(known);
        }
        self.sets.tick()?;
        let (mut current, mut range) = (node, None);
        while current != EMPTY {
            let (value, down, right) = self.sets.node(current);
            let own = bounded.term(level, value)?;
            let (min_sum, max_sum) = self.range(bounded, level + 1, down)?;
            let (min_sum, max_sum) = (add(own, min_sum)?, add(own, max_sum)?);
            range = Some(range.map_or((min_sum, max_sum), |(low, high): (i128, i128)| {
                (low.min(min_sum), high.max(max_sum))
            }));
            current = right;
        }
        let range = range.unwrap_or((0, 0));
        bounded.ranges.insert(node, range);
        Ok(range)
    }
}

/// A bound on a weighted sum, with cached results.
struct BoundedSum {
    /// The weight per level.
    weights: Vec<i64>,
    /// The upper bound on the sum.
    bound: i128,
    /// The smallest and the largest sum of the vectors of each node that was visited.
    ranges: HashMap<u32, (i128, i128)>,
    /// The nodes of computed results. The key is the original node, and the sum of the levels above
    /// it.
    results: HashMap<(u32, i128), u32>,
}

impl BoundedSum {
    /// Returns the contribution of a value at a level to the sum.
    fn term(&self, level: usize, value: u64) -> Result<i128, Flaw> {
        i128::from(self.weights[level]).checked_mul(i128::from(value)).ok_or(Flaw::Overflow)
    }
}

fn add(a: i128, b: i128) -> Result<i128, Flaw> {
    a.checked_add(b).ok_or(Flaw::Overflow)
}
