//! Members that satisfy a linear condition, and the range of a linear expression over a set.
//!
//! The recursion carries the partial sum down. Once the minimum and maximum of the levels below
//! decide the condition, the whole remaining node is kept or dropped.

use crate::levelled::LevelledNodes;
use crate::store::{Diagrams, EMPTY, ONE, Set, Stop};
use std::collections::HashMap;

/// A term of a sum: a function of the value of a level. If the level represents a place, it usually
/// is the number of tokens times a constant.
pub type LevelTerm<'t> = Box<dyn Fn(u64) -> i128 + 't>;

/// Returns the terms weight · tokens, from pairs of a level and its weight.
pub fn weighted_tokens<'t>(
    weights: impl IntoIterator<Item = (u32, i64)>,
) -> HashMap<u32, LevelTerm<'t>> {
    let term = |weight: i64| -> LevelTerm<'t> {
        Box::new(move |tokens| i128::from(weight) * i128::from(tokens))
    };
    weights.into_iter().map(|(level, weight)| (level, term(weight))).collect()
}

/// The condition lower ≤ Σ term(value of the level) ≤ upper.
pub struct SumCondition<'t> {
    /// The term of each level; 0 for a missing level.
    pub terms: HashMap<u32, LevelTerm<'t>>,
    /// Inclusive lower bound.
    pub lower: i128,
    /// Inclusive upper bound.
    pub upper: i128,
}

/// A condition on a vector: an interval of values for each of some levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LevelInterval {
    /// The level.
    pub level: u32,
    /// The least value.
    pub least: u64,
    /// The largest value.
    pub most: u64,
}

impl LevelInterval {
    /// Returns true if the interval contains all values.
    pub fn is_trivial(self) -> bool {
        self.least == 0 && self.most == u64::MAX
    }
}

struct Restriction<'r> {
    /// The condition on the sum.
    condition: &'r SumCondition<'r>,
    /// The nodes of the set, level by level.
    levelled: LevelledNodes,
    /// Minimum and maximum of the sum over the vectors of each node, from its level down; by level
    /// and position in the level.
    ranges: Vec<Vec<(i128, i128)>>,
    /// The computed parts, by node and the sum of the levels above.
    results: HashMap<(u32, i128), u32>,
}

/// Intervals of values at some levels, and the cache of node parts that satisfy them.
struct EnablingList<'l> {
    /// The intervals, by ascending level.
    intervals: &'l [LevelInterval],
    /// The computed parts, by node.
    results: HashMap<u32, u32>,
}

impl Diagrams<'_> {
    /// Returns the members of `set` that satisfy `condition`.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached, or if a sum is too large.
    pub fn restrict(&mut self, set: Set, condition: &SumCondition<'_>) -> Result<Set, Stop> {
        let levelled = LevelledNodes::new(self, set);
        let ranges = self.ranges(&levelled, &condition.terms)?;
        let results = HashMap::new();
        let mut restriction = Restriction { condition, levelled, ranges, results };
        let result = self.restricted(&mut restriction, 0, set.0, 0).map(Set);
        self.clear_on_error(result)
    }

    /// Returns the minimum and maximum of the sum of the terms over the members, or `None` if the
    /// set is empty.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached, or if a sum is too large.
    pub fn range(
        &mut self,
        set: Set,
        terms: &HashMap<u32, LevelTerm<'_>>,
    ) -> Result<Option<(i128, i128)>, Stop> {
        if set.0 <= ONE {
            return Ok((set.0 == ONE).then_some((0, 0)));
        }
        let levelled = LevelledNodes::new(self, set);
        let ranges = self.ranges(&levelled, terms)?;
        Ok(Some(ranges[0][levelled.position_of(set.0)]))
    }

    /// Returns the largest number of tokens at each level, from the top level down. The list is
    /// empty for the empty set.
    pub fn max_tokens_by_level(&self, set: Set) -> Vec<u64> {
        let levelled = LevelledNodes::new(self, set);
        let max_tokens = |level: usize| {
            let tokens = levelled.level(level).iter().map(|&id| self.tokens(self.node(id).value));
            tokens.max().unwrap_or(0)
        };
        (0..levelled.levels()).map(max_tokens).collect()
    }

    /// Returns the numbers of tokens that occur at each level, ascending, from the top level down.
    /// The outer list is empty for the empty set.
    pub fn values_by_level(&self, set: Set) -> Vec<Vec<u64>> {
        let levelled = LevelledNodes::new(self, set);
        let values = |level: usize| {
            let nodes = levelled.level(level).iter();
            let mut values: Vec<u64> = nodes.map(|&id| self.tokens(self.node(id).value)).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        (0..levelled.levels()).map(values).collect()
    }

    /// Returns the members of `set` whose value is outside of some interval of `needs`. `needs` has
    /// the intervals by ascending level.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn not_enabling(&mut self, set: Set, needs: &[LevelInterval]) -> Result<Set, Stop> {
        let enabling = self.enabling(set, needs)?;
        self.difference(set, enabling)
    }

    /// Returns the members of `set` whose values are in all intervals of `needs`. `needs` has the
    /// intervals by ascending level.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn enabling(&mut self, set: Set, needs: &[LevelInterval]) -> Result<Set, Stop> {
        let mut results = HashMap::new();
        let result = self.enabled_part(set.0, 0, needs, &mut results).map(Set);
        self.clear_on_error(result)
    }

    /// Returns the members of `set` that satisfy at least one of the lists. A list has intervals by
    /// ascending level. A member satisfies a list if its values are in all intervals of the list.
    /// The levels above the first level of a list are traversed once for all lists.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn enabling_any(&mut self, set: Set, lists: &[Vec<LevelInterval>]) -> Result<Set, Stop> {
        if lists.iter().any(Vec::is_empty) {
            return Ok(set);
        }
        let mut lists_by_level: HashMap<u32, Vec<EnablingList<'_>>> = HashMap::new();
        for needs in lists {
            let list = EnablingList { intervals: needs, results: HashMap::new() };
            lists_by_level.entry(needs[0].level).or_default().push(list);
        }
        let result =
            self.enabling_any_part(set.0, 0, &mut lists_by_level, &mut HashMap::new()).map(Set);
        self.clear_on_error(result)
    }

    /// Returns the part of a node that satisfies one of the lists that begin at `level` or below.
    fn enabling_any_part(
        &mut self,
        id: u32,
        level: u32,
        lists_by_level: &mut HashMap<u32, Vec<EnablingList<'_>>>,
        results: &mut HashMap<u32, u32>,
    ) -> Result<u32, Stop> {
        if id <= ONE {
            return Ok(EMPTY);
        }
        if let Some(&result_before) = results.get(&id) {
            return Ok(result_before);
        }
        self.tick()?;
        let base = self.chains.len();
        let mut chain_node = id;
        while chain_node != EMPTY {
            let node = self.node(chain_node);
            chain_node = node.right;
            let down = self.enabling_any_part(node.down, level + 1, lists_by_level, results)?;
            if down != EMPTY {
                self.push(node.value, down);
            }
        }
        let mut result = self.chain(base, EMPTY)?;
        for list in lists_by_level.get_mut(&level).into_iter().flatten() {
            if result == id {
                break;
            }
            let enabling_part = self.enabled_part(id, level, list.intervals, &mut list.results)?;
            result = self.union_of(result, enabling_part)?;
        }
        results.insert(id, result);
        Ok(result)
    }

    /// Returns the part of a node whose vectors have values in all intervals. `needs` begins at
    /// `level` or below.
    fn enabled_part(
        &mut self,
        id: u32,
        level: u32,
        needs: &[LevelInterval],
        results: &mut HashMap<u32, u32>,
    ) -> Result<u32, Stop> {
        let Some((need, needs_below)) = needs.split_first() else {
            return Ok(id);
        };
        if id <= ONE {
            return Ok(id);
        }
        if let Some(&result_before) = results.get(&id) {
            return Ok(result_before);
        }
        self.tick()?;
        let base = self.chains.len();
        let mut chain_node = id;
        while chain_node != EMPTY {
            let node = self.node(chain_node);
            chain_node = node.right;
            let needs_below = match need.level == level {
                true if !(need.least..=need.most).contains(&self.tokens(node.value)) => continue,
                true => needs_below,
                false => needs,
            };
            let down = self.enabled_part(node.down, level + 1, needs_below, results)?;
            if down != EMPTY {
                self.push(node.value, down);
            }
        }
        let result = self.chain(base, EMPTY)?;
        results.insert(id, result);
        Ok(result)
    }

    /// Computes the minimum and maximum of the sum from each node down, by level and position in
    /// the level.
    fn ranges(
        &mut self,
        levelled: &LevelledNodes,
        terms: &HashMap<u32, LevelTerm<'_>>,
    ) -> Result<Vec<Vec<(i128, i128)>>, Stop> {
        let levels = levelled.levels();
        let mut ranges: Vec<Vec<(i128, i128)>> = vec![Vec::new(); levels];
        for level in (0..levels).rev() {
            let term = terms.get(&(level as u32));
            let mut level_ranges: Vec<(i128, i128)> =
                Vec::with_capacity(levelled.level(level).len());
            for &id in levelled.level(level) {
                self.tick()?;
                let node = self.node(id);
                let range_below = match node.down > ONE {
                    true => ranges[level + 1][levelled.position_of(node.down)],
                    false => (0, 0),
                };
                // The sum can overflow only if some term is 2⁹⁴ or more, because there are at most
                // 2³² levels.
                let own_term = term.map_or(0, |term| term(self.tokens(node.value)));
                let mut range = (add(own_term, range_below.0)?, add(own_term, range_below.1)?);
                if node.right > ONE {
                    let right = level_ranges[levelled.position_of(node.right)];
                    range = (range.0.min(right.0), range.1.max(right.1));
                }
                level_ranges.push(range);
            }
            ranges[level] = level_ranges;
        }
        Ok(ranges)
    }

    /// Returns the part of a node that satisfies the condition, where `sum` is the sum of the terms
    /// of the levels above.
    fn restricted(
        &mut self,
        restriction: &mut Restriction<'_>,
        level: u32,
        id: u32,
        sum: i128,
    ) -> Result<u32, Stop> {
        let (min_sum, max_sum) = match id {
            EMPTY => return Ok(EMPTY),
            ONE => (0, 0),
            _ => restriction.ranges[level as usize][restriction.levelled.position_of(id)],
        };
        let (min_sum, max_sum) = (add(sum, min_sum)?, add(sum, max_sum)?);
        if min_sum >= restriction.condition.lower && max_sum <= restriction.condition.upper {
            return Ok(id);
        }
        if max_sum < restriction.condition.lower || min_sum > restriction.condition.upper {
            return Ok(EMPTY);
        }
        if let Some(&result) = restriction.results.get(&(id, sum)) {
            return Ok(result);
        }
        self.tick()?;
        let term = restriction.condition.terms.get(&level);
        let base = self.chains.len();
        let mut chain_node = id;
        while chain_node != EMPTY {
            let node = self.node(chain_node);
            let sum = add(sum, term.map_or(0, |term| term(self.tokens(node.value))))?;
            let down = self.restricted(restriction, level + 1, node.down, sum)?;
            if down != EMPTY {
                self.push(node.value, down);
            }
            chain_node = node.right;
        }
        let result = self.chain(base, EMPTY)?;
        restriction.results.insert((id, sum), result);
        Ok(result)
    }
}

fn add(a: i128, b: i128) -> Result<i128, Stop> {
    a.checked_add(b).ok_or(Stop::SumOverflow)
}
