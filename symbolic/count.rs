//! Exact counts: members, members that enable transitions, and weighted sums of these.
//!
//! A weighted sum is Σ over the members m of Π over the levels l of wₗ(mₗ). With w = 1 it is the number of
//! members; with wₗ(v) = 1 for v ≥ pre, else 0, at the levels of a transition, the number of members that
//! enable it; where a level stands for several places of a net that was reduced, wₗ(v) is the number of ways
//! to spread v tokens over them.
//!
//! Many sums that differ from a common weighting at a few levels each (a transition's) are computed together:
//! what paths from the top weigh (`above`) once for all; what paths to the bottom weigh once without
//! differences; and in between only from the first different level to the last. Equal lower parts are computed
//! once: the lists of differences are a tree, walked from their ends.

use crate::levelled::Levelled;
use crate::number::Number;
use crate::store::{Diagrams, ONE, Set, Stop};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// A factor wₗ, by the number of tokens.
pub enum Factor {
    /// 1 from so many tokens on, else 0.
    AtLeast(u64),
    /// What the function says.
    Weight(Box<dyn Fn(u64) -> BigUint + Send + Sync>),
}

/// The factors that sums are made of.
#[derive(Default)]
pub struct Factors {
    /// The common weighting: places in `table`, by level. A level that is not listed has factor 1.
    pub common: BTreeMap<u32, usize>,
    /// All factors.
    pub table: Vec<Factor>,
}

/// A sum that is asked for: where its factors differ from the common ones (levels ascending, places in the
/// table), and how often it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summand {
    /// (level, place in the table), by ascending level.
    pub factors: Vec<(u32, usize)>,
    /// How often the sum counts.
    pub times: BigUint,
}

impl Diagrams<'_> {
    /// The number of members.
    ///
    /// # Errors
    ///
    /// When the limits are reached.
    pub fn count(&mut self, set: Set) -> Result<BigUint, Stop> {
        let whole = Summand { factors: Vec::new(), times: BigUint::one() };
        self.weigh(set, &Factors::default(), &[whole])
    }

    /// How many pairs there are of a member and a transition that it enables. Of each transition are given the
    /// levels that it needs tokens at, with how many, ascending.
    ///
    /// # Errors
    ///
    /// When the limits are reached.
    pub fn count_enabled(
        &mut self,
        set: Set,
        transitions: &[Vec<(u32, u64)>],
    ) -> Result<BigUint, Stop> {
        let mut factors = Factors::default();
        let mut place: HashMap<u64, usize> = HashMap::new();
        let mut summands: HashMap<Vec<(u32, usize)>, u64> = HashMap::new();
        for needs in transitions {
            let list = needs.iter().filter(|need| need.1 > 0).map(|&(level, least)| {
                let at = *place.entry(least).or_insert_with(|| {
                    factors.table.push(Factor::AtLeast(least));
                    factors.table.len() - 1
                });
                (level, at)
            });
            *summands.entry(list.collect()).or_default() += 1;
        }
        let summands: Vec<Summand> = summands
            .into_iter()
            .map(|(factors, times)| Summand { factors, times: BigUint::from(times) })
            .collect();
        self.weigh(set, &factors, &summands)
    }

    /// The total of all `summands` over the members of `set`.
    ///
    /// # Errors
    ///
    /// When the limits are reached.
    pub fn weigh(
        &mut self,
        set: Set,
        factors: &Factors,
        summands: &[Summand],
    ) -> Result<BigUint, Stop> {
        if set.0 <= ONE {
            let all = summands.iter().map(|summand| &summand.times);
            return Ok(if set.0 == ONE { all.sum() } else { BigUint::zero() });
        }
        let levelled = Levelled::new(self, set);
        match Weighing::<u128>::new(self, &levelled, factors)?.total(summands)? {
            Some(total) => Ok(total),
            None => {
                let total = Weighing::<BigUint>::new(self, &levelled, factors)?.total(summands)?;
                Ok(total.unwrap_or_default()) // large numbers always fit
            }
        }
    }
}

/// A factor's value.
enum Scale<N> {
    Zero,
    One,
    Other(N),
}

/// A tree of lists of differences, from their ends: which lists go on upwards from here, and how often the
/// list that begins here counts.
#[derive(Default)]
struct Tree {
    upwards: BTreeMap<(Reverse<u32>, usize), Tree>,
    times: BigUint,
}

struct Weighing<'w, 'd, 'l, N> {
    diagrams: &'w mut Diagrams<'d>,
    levelled: &'l Levelled,
    factors: &'l Factors,
    /// By level and place: what the paths from the top to a node weigh, its chain's head or not.
    above: Vec<Vec<N>>,
}

/// `None` where a number does not fit.
type Fits<T> = Result<Option<T>, Stop>;

impl<'w, 'd, 'l, N: Number> Weighing<'w, 'd, 'l, N> {
    fn new(
        diagrams: &'w mut Diagrams<'d>,
        levelled: &'l Levelled,
        factors: &'l Factors,
    ) -> Result<Self, Stop> {
        Ok(Weighing { diagrams, levelled, factors, above: Vec::new() })
    }

    fn total(mut self, summands: &[Summand]) -> Fits<BigUint> {
        let mut tree = Tree::default();
        for summand in summands {
            let mut at = &mut tree;
            for &(level, factor) in summand.factors.iter().rev() {
                at = at.upwards.entry((Reverse(level), factor)).or_default();
            }
            at.times += &summand.times;
        }
        if self.fill_above()?.is_none() {
            return Ok(None);
        }
        let bottom = self.levelled.levels();
        let mut total = BigUint::zero();
        // The list without differences is added up at the last level.
        if !tree.times.is_zero() {
            match self.across(bottom - 1, self.common(bottom - 1), &[])? {
                Some(sum) => total += sum.into_big() * &tree.times,
                None => return Ok(None),
            }
        }
        match self.climb(&tree, bottom, Vec::new(), &mut total)? {
            Some(()) => Ok(Some(total)),
            None => Ok(None),
        }
    }

    fn common(&self, level: usize) -> Option<usize> {
        self.factors.common.get(&(level as u32)).copied()
    }

    fn scale(&self, factor: Option<usize>, value: u32) -> Option<Scale<N>> {
        let Some(factor) = factor else { return Some(Scale::One) };
        let tokens = self.diagrams.tokens(value);
        Some(match &self.factors.table[factor] {
            Factor::AtLeast(least) if tokens >= *least => Scale::One,
            Factor::AtLeast(_) => Scale::Zero,
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

    fn fill_above(&mut self) -> Fits<()> {
        let levels = self.levelled.levels();
        let size = |level: usize| self.levelled.level(level).len();
        self.above = (0..levels).map(|level| vec![N::zero(); size(level)]).collect();
        // The root is the last of its level.
        if let Some(root) = self.above[0].last_mut() {
            *root = N::one();
        }
        for level in 0..levels {
            let nodes = self.levelled.level(level);
            for at in (0..nodes.len()).rev() {
                self.diagrams.tick()?;
                let node = self.diagrams.node(nodes[at]);
                let weight = self.above[level][at].clone();
                if weight.is_zero() {
                    continue;
                }
                if node.right > ONE {
                    let right = &mut self.above[level][self.levelled.place(node.right)];
                    let Some(sum) = right.checked_add(&weight) else { return Ok(None) };
                    *right = sum;
                }
                if node.down > ONE {
                    let Some(scale) = self.scale(self.common(level), node.value) else {
                        return Ok(None);
                    };
                    let Some(product) = times(&scale, &weight) else { return Ok(None) };
                    let down = &mut self.above[level + 1][self.levelled.place(node.down)];
                    let Some(sum) = down.checked_add(&product) else { return Ok(None) };
                    *down = sum;
                }
            }
        }
        Ok(Some(()))
    }

    /// What `tree` adds to the total: `below` is what paths from each node of `level` down weigh with the
    /// differences on the way to `tree`; below the last level there is one path, without a node.
    fn climb(
        &mut self,
        tree: &Tree,
        level: usize,
        mut below: Vec<N>,
        total: &mut BigUint,
    ) -> Fits<()> {
        let mut level = level;
        for (&(Reverse(upper), factor), parent) in &tree.upwards {
            let upper = upper as usize;
            while level > upper + 1 {
                level -= 1;
                match self.lift(level, self.common(level), &below)? {
                    Some(lifted) => below = lifted,
                    None => return Ok(None),
                }
            }
            if !parent.upwards.is_empty() {
                let Some(lifted) = self.lift(upper, Some(factor), &below)? else {
                    return Ok(None);
                };
                if self.climb(parent, upper, lifted, total)?.is_none() {
                    return Ok(None);
                }
            }
            if !parent.times.is_zero() {
                match self.across(upper, Some(factor), &below)? {
                    Some(sum) => *total += sum.into_big() * &parent.times,
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(()))
    }

    /// One level up: what paths from the nodes of `level` weigh.
    fn lift(&mut self, level: usize, factor: Option<usize>, below: &[N]) -> Fits<Vec<N>> {
        let nodes = self.levelled.level(level);
        let mut lifted: Vec<N> = Vec::with_capacity(nodes.len());
        for &id in nodes {
            self.diagrams.tick()?;
            let node = self.diagrams.node(id);
            let down = if node.down > ONE {
                below[self.levelled.place(node.down)].clone()
            } else {
                N::one()
            };
            let Some(scale) = self.scale(factor, node.value) else { return Ok(None) };
            let Some(mut sum) = times(&scale, &down) else { return Ok(None) };
            if node.right > ONE {
                let Some(both) = sum.checked_add(&lifted[self.levelled.place(node.right)]) else {
                    return Ok(None);
                };
                sum = both;
            }
            lifted.push(sum);
        }
        Ok(Some(lifted))
    }

    /// The sum over all paths through `level`.
    fn across(&mut self, level: usize, factor: Option<usize>, below: &[N]) -> Fits<N> {
        let mut sum = N::zero();
        for (at, &id) in self.levelled.level(level).iter().enumerate() {
            self.diagrams.tick()?;
            let node = self.diagrams.node(id);
            let Some(scale) = self.scale(factor, node.value) else { return Ok(None) };
            let Some(product) = times(&scale, &self.above[level][at]) else { return Ok(None) };
            let more = match node.down > ONE {
                true => product.checked_mul(&below[self.levelled.place(node.down)]),
                false => Some(product),
            };
            let Some(both) = more.and_then(|more| sum.checked_add(&more)) else { return Ok(None) };
            sum = both;
        }
        Ok(Some(sum))
    }
}

fn times<N: Number>(scale: &Scale<N>, number: &N) -> Option<N> {
    match scale {
        Scale::Zero => Some(N::zero()),
        Scale::One => Some(number.clone()),
        Scale::Other(scale) => scale.checked_mul(number),
    }
}
