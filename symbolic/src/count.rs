//! Exact counts: number of members, of members that enable transitions, and weighted sums of these.
//!
//! A weighted sum is Σ over the members m of Π over the levels l of wₗ(mₗ). With w = 1, the sum is
//! the number of members. With wₗ(v) = 1 for v ≥ pre and 0 otherwise, at the levels of a
//! transition, it is the number of members that enable the transition. If a level stands for
//! several places of the net before a reduction, wₗ(v) is the number of ways to distribute v tokens
//! over these places.
//!
//! Many sums that differ from a common weighting at a few levels each (those of a transition) are
//! computed together. The weights of the paths from the top (`weights_above`) are computed once for
//! all sums. The weights of the paths to the bottom without changes are computed once, too. Only
//! the levels from the first change to the last are specific to a sum. The lists of changes form a
//! tree, walked from their last level, so equal lower parts are computed once.

use crate::levelled::LevelledNodes;
use crate::number::Number;
use crate::restrict::LevelInterval;
use crate::store::{Diagrams, ONE, Set, Stop};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// A factor wₗ, as a function of the number of tokens.
pub enum Factor {
    /// 1 if the number of tokens lies between the two numbers, inclusive, otherwise 0.
    Between(u64, u64),
    /// The value of the function at the number of tokens.
    Weight(Box<dyn Fn(u64) -> BigUint + Send + Sync>),
}

/// The factors that weighted sums are built from.
#[derive(Default)]
pub struct Factors {
    /// The common weighting: indices into `table`, by level. A level without an entry has factor 1.
    pub common: BTreeMap<u32, usize>,
    /// The factors, referenced by index.
    pub table: Vec<Factor>,
}

/// One requested sum: its differences from the common weighting, as (level, index in the table) by
/// ascending level.
pub type Changes = Vec<(u32, usize)>;

impl Diagrams<'_> {
    /// Returns the number of members.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn count(&mut self, set: Set) -> Result<BigUint, Stop> {
        let sums = self.weigh(set, &Factors::default(), &[Vec::new()])?;
        Ok(sums.into_iter().sum())
    }

    /// Returns the number of pairs of a member and a transition that the member enables. Each
    /// transition is given by its conditions, by ascending level.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn count_enabled(
        &mut self,
        set: Set,
        transitions: &[Vec<LevelInterval>],
    ) -> Result<BigUint, Stop> {
        let mut factors = Factors::default();
        let mut factor_of_need: HashMap<(u64, u64), usize> = HashMap::new();
        let mut multiplicity: BTreeMap<Changes, u64> = BTreeMap::new();
        for needs in transitions {
            let changes = needs.iter().filter(|need| !need.is_trivial()).map(|need| {
                let interval = (need.least, need.most);
                let factor = *factor_of_need.entry(interval).or_insert_with(|| {
                    factors.table.push(Factor::Between(need.least, need.most));
                    factors.table.len() - 1
                });
                (need.level, factor)
            });
            *multiplicity.entry(changes.collect()).or_default() += 1;
        }
        let (lists, multiplicity): (Vec<Changes>, Vec<u64>) = multiplicity.into_iter().unzip();
        let sums = self.weigh(set, &factors, &lists)?;
        Ok(sums.into_iter().zip(multiplicity).map(|(sum, multiplicity)| sum * multiplicity).sum())
    }

    /// Computes each of `sums` over the members of `set`.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn weigh(
        &mut self,
        set: Set,
        factors: &Factors,
        sums: &[Changes],
    ) -> Result<Vec<BigUint>, Stop> {
        if set.0 <= ONE {
            return Ok(vec![BigUint::from(set.0); sums.len()]); // the empty set or the empty vector: no factors
        }
        let levelled = LevelledNodes::new(self, set);
        match WeightedCount::<u128>::new(self, &levelled, factors, sums.len()).compute(sums)? {
            Some(weighted_sums) => Ok(weighted_sums),
            None => {
                let weighted_sums =
                    WeightedCount::<BigUint>::new(self, &levelled, factors, sums.len())
                        .compute(sums)?;
                Ok(weighted_sums.unwrap_or_default()) // large numbers always fit
            }
        }
    }
}

/// The value of a factor. The values 0 and 1 are separate, because they need no multiplication.
enum Scale<N> {
    Zero,
    One,
    Other(N),
}

/// A trie of lists of changes, read from the last level upwards. `sums` are the numbers of the sums
/// whose list ends (at its first level) here.
#[derive(Default)]
struct ChangeTrie {
    /// The subtries, by the next changed level above and the index of its factor.
    children: BTreeMap<(Reverse<u32>, usize), ChangeTrie>,
    /// The indices of the requested sums whose list of changes ends at this node.
    sums: Vec<usize>,
}

struct WeightedCount<'w, 'd, 'l, N> {
    /// The store of the set.
    diagrams: &'w mut Diagrams<'d>,
    /// The nodes of the set, level by level.
    levelled: &'l LevelledNodes,
    /// The factors of the sums.
    factors: &'l Factors,
    /// Weight of the paths from the top to each node, by level and position in the level. All nodes
    /// of a chain (linked by `right`) are included, not only its first node.
    weights_above: Vec<Vec<N>>,
    /// The results, in the order of the requested sums.
    sums: Vec<BigUint>,
}

/// The outer error is a limit; `None` means that a number does not fit `N`.
type CheckedResult<T> = Result<Option<T>, Stop>;

impl<'w, 'd, 'l, N: Number> WeightedCount<'w, 'd, 'l, N> {
    fn new(
        diagrams: &'w mut Diagrams<'d>,
        levelled: &'l LevelledNodes,
        factors: &'l Factors,
        sums: usize,
    ) -> Self {
        let sums = vec![BigUint::zero(); sums];
        WeightedCount { diagrams, levelled, factors, weights_above: Vec::new(), sums }
    }

    /// Computes the requested sums.
    fn compute(mut self, sums: &[Changes]) -> CheckedResult<Vec<BigUint>> {
        let mut tree = ChangeTrie::default();
        for (number, changes) in sums.iter().enumerate() {
            let mut subtree = &mut tree;
            for &(level, factor) in changes.iter().rev() {
                subtree = subtree.children.entry((Reverse(level), factor)).or_default();
            }
            subtree.sums.push(number);
        }
        if self.fill_above()?.is_none() {
            return Ok(None);
        }
        let bottom = self.levelled.levels();
        // The sums without changes are added up at the last level.
        if !tree.sums.is_empty() {
            match self.sum_through_level(bottom - 1, self.common(bottom - 1), &[])? {
                Some(sum) => self.record(&tree, sum),
                None => return Ok(None),
            }
        }
        Ok(self.sum_subtree(&tree, bottom, Vec::new())?.map(|()| self.sums))
    }

    /// Stores `sum` as the result of each requested sum whose list of changes ends at the trie node
    /// `tree`.
    fn record(&mut self, tree: &ChangeTrie, sum: N) {
        let sum = sum.into_big();
        tree.sums.iter().for_each(|&number| self.sums[number].clone_from(&sum));
    }

    /// Returns the index of the common factor of a level, or `None` for a level without an entry,
    /// which has factor 1.
    fn common(&self, level: usize) -> Option<usize> {
        self.factors.common.get(&(level as u32)).copied()
    }

    /// Returns the factor with this index for the number of tokens with the code `value`; 1 without
    /// an index. Returns `None` if the factor does not fit `N`.
    fn scale(&self, factor: Option<usize>, value: u32) -> Option<Scale<N>> {
        let Some(factor) = factor else { return Some(Scale::One) };
        let tokens = self.diagrams.tokens(value);
        Some(match &self.factors.table[factor] {
            Factor::Between(least, most) if (*least..=*most).contains(&tokens) => Scale::One,
            Factor::Between(..) => Scale::Zero,
            Factor::Weight(weight) => {
                let weight = weight(tokens);
                match () {
                    () if weight.is_zero() => Scale::Zero,
                    () if weight.is_one() => Scale::One,
                    () => Scale::Other(N::of(&weight)?),
                }
            }
        })
    }

    /// Computes the weights of the paths from the top to each node, with the common factors.
    fn fill_above(&mut self) -> CheckedResult<()> {
        let levels = self.levelled.levels();
        let node_count = |level: usize| self.levelled.level(level).len();
        self.weights_above = (0..levels).map(|level| vec![N::zero(); node_count(level)]).collect();
        // The root is the last node of its level.
        if let Some(root) = self.weights_above[0].last_mut() {
            *root = N::one();
        }
        for level in 0..levels {
            let nodes = self.levelled.level(level);
            for position in (0..nodes.len()).rev() {
                self.diagrams.tick()?;
                let node = self.diagrams.node(nodes[position]);
                let weight = self.weights_above[level][position].clone();
                if weight.is_zero() {
                    continue;
                }
                if node.right > ONE {
                    let right =
                        &mut self.weights_above[level][self.levelled.position_of(node.right)];
                    let Some(sum) = right.checked_add(&weight) else { return Ok(None) };
                    *right = sum;
                }
                if node.down > ONE {
                    let Some(scale) = self.scale(self.common(level), node.value) else {
                        return Ok(None);
                    };
                    let Some(product) = times(&scale, &weight) else { return Ok(None) };
                    let down =
                        &mut self.weights_above[level + 1][self.levelled.position_of(node.down)];
                    let Some(sum) = down.checked_add(&product) else { return Ok(None) };
                    *down = sum;
                }
            }
        }
        Ok(Some(()))
    }

    /// Computes the sums whose lists of changes end at a trie node below `tree`. `weights_below`
    /// has the weight of the paths from each node of `level` down, with the changes from the root
    /// of the trie to `tree`. It is empty if `level` is the number of levels.
    fn sum_subtree(
        &mut self,
        tree: &ChangeTrie,
        level: usize,
        mut weights_below: Vec<N>,
    ) -> CheckedResult<()> {
        let mut level = level;
        // Children come by descending level, so the weights are only ever moved up.
        for (&(Reverse(upper), factor), parent) in &tree.children {
            let upper = upper as usize;
            while level > upper + 1 {
                level -= 1;
                match self.weights_one_level_up(level, self.common(level), &weights_below)? {
                    Some(weights_at_upper) => weights_below = weights_at_upper,
                    None => return Ok(None),
                }
            }
            if !parent.children.is_empty() {
                let Some(weights_at_upper) =
                    self.weights_one_level_up(upper, Some(factor), &weights_below)?
                else {
                    return Ok(None);
                };
                if self.sum_subtree(parent, upper, weights_at_upper)?.is_none() {
                    return Ok(None);
                }
            }
            if !parent.sums.is_empty() {
                match self.sum_through_level(upper, Some(factor), &weights_below)? {
                    Some(sum) => self.record(parent, sum),
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(()))
    }

    /// Returns the weights of the paths from the nodes of `level` down, from the weights one level
    /// below.
    fn weights_one_level_up(
        &mut self,
        level: usize,
        factor: Option<usize>,
        weights_below: &[N],
    ) -> CheckedResult<Vec<N>> {
        let nodes = self.levelled.level(level);
        let mut weights: Vec<N> = Vec::with_capacity(nodes.len());
        for &id in nodes {
            self.diagrams.tick()?;
            let node = self.diagrams.node(id);
            let down = if node.down > ONE {
                weights_below[self.levelled.position_of(node.down)].clone()
            } else {
                N::one()
            };
            let Some(scale) = self.scale(factor, node.value) else { return Ok(None) };
            let Some(mut sum) = times(&scale, &down) else { return Ok(None) };
            if node.right > ONE {
                let Some(with_right) =
                    sum.checked_add(&weights[self.levelled.position_of(node.right)])
                else {
                    return Ok(None);
                };
                sum = with_right;
            }
            weights.push(sum);
        }
        Ok(Some(weights))
    }

    /// Returns the sum over all paths: with the common factors above `level`, with `factor` at
    /// `level`, and with the weights `weights_below` of the paths below.
    fn sum_through_level(
        &mut self,
        level: usize,
        factor: Option<usize>,
        weights_below: &[N],
    ) -> CheckedResult<N> {
        let mut sum = N::zero();
        for (position, &id) in self.levelled.level(level).iter().enumerate() {
            self.diagrams.tick()?;
            let node = self.diagrams.node(id);
            let Some(scale) = self.scale(factor, node.value) else { return Ok(None) };
            let Some(product) = times(&scale, &self.weights_above[level][position]) else {
                return Ok(None);
            };
            let summand = match node.down > ONE {
                true => product.checked_mul(&weights_below[self.levelled.position_of(node.down)]),
                false => Some(product),
            };
            let Some(new_sum) = summand.and_then(|summand| sum.checked_add(&summand)) else {
                return Ok(None);
            };
            sum = new_sum;
        }
        Ok(Some(sum))
    }
}

/// Returns the product, or `None` if it does not fit `N`.
fn times<N: Number>(scale: &Scale<N>, number: &N) -> Option<N> {
    match scale {
        Scale::Zero => Some(N::zero()),
        Scale::One => Some(number.clone()),
        Scale::Other(scale) => scale.checked_mul(number),
    }
}
