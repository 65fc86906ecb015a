//! The number of original markings for a marking of the reduced net, place by place.
//!
//! A node of value n that is a sum of k summands has C(n + k − 1, k − 1) distributions. With lower
//! bounds wᵢ on some summands, it has as many as n − Σ wᵢ without bounds. A summand that is a sum
//! itself is replaced by its own summands. The value of one summand may determine another node that
//! is a sum in turn; then each value of the summand is weighted by the distributions of that node.
//! The result is a sum of products over the values of the summands, computed by dynamic
//! programming.

use super::equations::{Equations, LinearEquation, NodeId, TokenEquation};
use num_bigint::BigUint;
use std::collections::HashMap;

/// The index of a function from the tokens of a place of the reduced net to a factor of the number
/// of original markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(u32);

/// Lower bounds on nodes. Each entry has the position of a node in the depth-first order of the
/// forest of equations, and the bound.
pub(super) type Demands = Vec<(usize, u64)>;

/// The reason that a factor of the number of original markings cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightError {
    /// A binomial coefficient, the table of a node that is a sum, or an intermediate number would
    /// be too large.
    #[error("too many tokens for the table of a sum")]
    TooLarge,
    /// An equation gives no valid number of tokens, for example because the reduction was wrong.
    #[error("an equation gives no number of tokens")]
    NotWhole,
}

/// The maximum number of multiplications to compute the table of a node that is a sum.
const MAX_PRODUCTS: u64 = 50_000_000;

/// The maximum number of factors of a binomial coefficient. Each factor makes the coefficient 1 to
/// 65 bits longer.
const MAX_FACTORS: u64 = 1 << 18;

/// A node of the forest of equations, with its children: its summands, and the nodes that follow
/// from it alone.
#[derive(Clone, Debug)]
struct ForestNode {
    /// Summands without children. A summand that is merely a sum is replaced by its own summands.
    plain_summands: Vec<NodeId>,
    /// Summands from which other nodes follow. Before `flatten`, all summands.
    summands: Vec<NodeId>,
    /// Nodes that follow from this node alone, each with its equation.
    determined: Vec<(NodeId, LinearEquation)>,
    /// True if the factor of the node may be more than 1 for some value. The factor is the number
    /// of solutions for the node's descendants.
    has_factor: bool,
    /// The position of the node in depth-first order, and the position after all its descendants.
    span: (usize, usize),
}

/// The definition of a function from numbers of tokens to factors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FactorFunction {
    /// The number of distributions of the tokens over `places` places, after `less` tokens are set
    /// aside for lower bounds.
    Distributions { places: u64, less: u64 },
    /// The factor of a node, that is, the number of solutions for its descendants, under lower
    /// bounds on nodes (demands).
    Node(NodeId, Demands),
}

/// The functions that give the factors of the number of original markings, with cached results.
#[derive(Clone, Debug)]
pub struct MarkingFactors {
    /// The forest of equations, by node.
    forest: Vec<ForestNode>,
    /// The known functions, by index.
    functions: Vec<FactorFunction>,
    /// The index of each known function.
    ids: HashMap<FactorFunction, FunctionId>,
    /// For each node and demands, tables of weighted numbers of distributions. Table k counts
    /// distributions over the plain summands and the first k summands with children, by the number
    /// of tokens.
    tables: HashMap<(NodeId, Demands), Vec<Vec<BigUint>>>,
    /// Numbers of distributions, by the tokens and the places.
    distributions: HashMap<(u64, u64), BigUint>,
}

impl MarkingFactors {
    /// Builds the forest of the equations, in which constants have been substituted.
    pub(super) fn new(equations: &Equations) -> Self {
        let nodes = &equations.nodes;
        let mut determined: Vec<Vec<(NodeId, LinearEquation)>> = vec![Vec::new(); nodes.len()];
        for (node, it) in nodes.iter().enumerate() {
            if let TokenEquation::Follows(linear) = &it.tokens
                && let [(by, _)] = linear.sum[..]
            {
                determined[by].push((node, linear.clone()));
            }
        }
        let mut forest: Vec<ForestNode> = nodes
            .iter()
            .zip(determined)
            .map(|(node, determined)| ForestNode {
                plain_summands: Vec::new(),
                summands: node.summands.clone(),
                determined,
                has_factor: false,
                span: (0, 0),
            })
            .collect();
        // Depth-first order with a stack: forwards for positions, backwards for values that depend
        // on descendants.
        let mut order = Vec::with_capacity(nodes.len());
        let is_root = |node: &NodeId| match &nodes[*node].tokens {
            TokenEquation::Free => true,
            TokenEquation::SummandOf(_) => false,
            TokenEquation::Follows(linear) => linear.sum.len() != 1,
        };
        let mut stack: Vec<NodeId> = (0..nodes.len()).rev().filter(is_root).collect();
        while let Some(node) = stack.pop() {
            forest[node].span.0 = order.len();
            order.push(node);
            stack.extend(forest[node].summands.iter().copied());
            stack.extend(forest[node].determined.iter().map(|(determined, _)| *determined));
        }
        for &node in order.iter().rev() {
            let children = |it: &ForestNode| -> Vec<NodeId> {
                it.summands
                    .iter()
                    .copied()
                    .chain(it.determined.iter().map(|(determined, _)| *determined))
                    .collect()
            };
            let children = children(&forest[node]);
            let end = children.iter().map(|&it| forest[it].span.1).max();
            forest[node].span.1 = end.unwrap_or(forest[node].span.0 + 1);
            forest[node].has_factor = !forest[node].summands.is_empty()
                || forest[node]
                    .determined
                    .iter()
                    .any(|(determined, _)| forest[*determined].has_factor);
        }
        let mut weights = MarkingFactors {
            forest,
            functions: Vec::new(),
            ids: HashMap::new(),
            tables: HashMap::new(),
            distributions: HashMap::new(),
        };
        for &node in order.iter().rev() {
            weights.flatten(node);
        }
        weights
    }

    /// Replaces summands that are merely sums by their own summands. Descendants must have been
    /// processed.
    fn flatten(&mut self, node: NodeId) {
        let (mut plain, mut determining) = (Vec::new(), Vec::new());
        for part in std::mem::take(&mut self.forest[node].summands) {
            let summand = &self.forest[part];
            let is_sum = !summand.plain_summands.is_empty() || !summand.summands.is_empty();
            match (summand.determined.is_empty(), is_sum) {
                (true, true) => {
                    plain.extend(&summand.plain_summands);
                    determining.extend(&summand.summands);
                }
                (true, false) => plain.push(part),
                (false, _) => determining.push(part),
            }
        }
        (self.forest[node].plain_summands, self.forest[node].summands) = (plain, determining);
    }

    /// Returns the position of a node in depth-first order, as in [`Demands`].
    pub(super) fn position(&self, node: NodeId) -> usize {
        self.forest[node].span.0
    }

    /// Returns true if the factor of a node may be more than 1 for some values.
    pub(super) fn has_factor(&self, node: NodeId) -> bool {
        self.forest[node].has_factor
    }

    /// Returns the factor of a node as a function of its value, under demands on the node and its
    /// descendants.
    pub(super) fn function(&mut self, node: NodeId, mut demands: Demands) -> FunctionId {
        demands.sort_unstable();
        let tree_node = &self.forest[node];
        let required = demands.iter().try_fold(0u64, |sum, it| sum.checked_add(it.1));
        let definition = match required {
            // The formula for sums does not apply to demands on nodes that follow from others.
            Some(required) if tree_node.determined.is_empty() && tree_node.summands.is_empty() => {
                FactorFunction::Distributions {
                    places: tree_node.plain_summands.len() as u64,
                    less: required,
                }
            }
            _ => FactorFunction::Node(node, demands),
        };
        let next_function = FunctionId(self.functions.len() as u32);
        let id = *self.ids.entry(definition.clone()).or_insert(next_function);
        if id == next_function {
            self.functions.push(definition);
        }
        id
    }

    /// Returns the value of a function for a number of tokens.
    ///
    /// # Errors
    /// When a number or table would be too large, or an equation gives no valid number of tokens.
    pub fn value(&mut self, function: FunctionId, tokens: u64) -> Result<BigUint, WeightError> {
        match self.functions[function.0 as usize].clone() {
            FactorFunction::Distributions { places, less } => tokens
                .checked_sub(less)
                .map_or(Ok(BigUint::ZERO), |remaining| self.distribution_count(remaining, places)),
            FactorFunction::Node(node, demands) => self.factor(node, &demands, tokens),
        }
    }

    /// Returns the factor of a node at the value `tokens`. `demands` are the demands on the node
    /// and its descendants, sorted.
    fn factor(
        &mut self,
        node: NodeId,
        demands: &[(usize, u64)],
        tokens: u64,
    ) -> Result<BigUint, WeightError> {
        let tree_node = &self.forest[node];
        let own_position = tree_node.span.0;
        if let Some(&(at, least)) = demands.first()
            && at == own_position
            && tokens < least
        {
            return Ok(BigUint::ZERO);
        }
        let is_sum = !tree_node.plain_summands.is_empty() || !tree_node.summands.is_empty();
        let mut weight = match is_sum {
            true => self.weighted_distributions(node, demands, tokens)?,
            false => BigUint::from(1u8),
        };
        for at in 0..self.forest[node].determined.len() {
            let (determined, linear) = &self.forest[node].determined[at];
            let (determined, demand_range) =
                (*determined, self.demands_within(*determined, demands));
            if demand_range.is_empty() && !self.forest[determined].has_factor {
                continue;
            }
            let factor = linear.sum.first().map_or(0, |(_, weight)| *weight);
            let sum = i128::from(factor).checked_mul(tokens.into()).ok_or(WeightError::TooLarge)?;
            let value = linear.value(sum).ok_or(WeightError::NotWhole)?;
            weight *= self.factor(determined, &demands[demand_range], value)?;
        }
        Ok(weight)
    }

    /// Returns the range of indices of the sorted `demands` that are on this node and its
    /// descendants.
    fn demands_within(&self, node: NodeId, demands: &[(usize, u64)]) -> std::ops::Range<usize> {
        let (start, end) = self.forest[node].span;
        demands.partition_point(|it| it.0 < start)..demands.partition_point(|it| it.0 < end)
    }

    /// Returns the number of distributions of the tokens over the summands of a node, weighted by
    /// their factors.
    fn weighted_distributions(
        &mut self,
        node: NodeId,
        demands: &[(usize, u64)],
        tokens: u64,
    ) -> Result<BigUint, WeightError> {
        let tree_node = &self.forest[node];
        let plain = tree_node.plain_summands.len() as u64;
        let required: u64 = tree_node
            .plain_summands
            .iter()
            .map(|&part| {
                demands[self.demands_within(part, demands)].iter().map(|it| it.1).sum::<u64>()
            })
            .fold(0, u64::saturating_add);
        if tree_node.summands.is_empty() {
            let remaining = tokens.checked_sub(required);
            return remaining
                .map_or(Ok(BigUint::ZERO), |remaining| self.distribution_count(remaining, plain));
        }
        let parts = tree_node.summands.clone();
        let token_count = usize::try_from(tokens).map_err(|_| WeightError::TooLarge)?;
        let products = tokens.saturating_mul(tokens).saturating_mul(parts.len() as u64);
        if products > MAX_PRODUCTS {
            return Err(WeightError::TooLarge);
        }
        let key = (node, demands.to_vec());
        let mut stages = self.tables.remove(&key).unwrap_or_default();
        stages.resize(parts.len() + 1, Vec::new());
        for value in stages[0].len() as u64..=tokens {
            let remaining = value.checked_sub(required);
            let ways = remaining
                .map_or(Ok(BigUint::ZERO), |remaining| self.distribution_count(remaining, plain))?;
            stages[0].push(ways);
        }
        for (stage, &part) in (1..).zip(&parts) {
            if stages[stage].len() > token_count {
                continue;
            }
            let part_demands = self.demands_within(part, demands);
            let mut factors = Vec::with_capacity(token_count + 1);
            for value in 0..=tokens {
                factors.push(self.factor(part, &demands[part_demands.clone()], value)?);
            }
            for value in stages[stage].len()..=token_count {
                let previous = &stages[stage - 1];
                let sum = (0..=value).map(|it| &previous[value - it] * &factors[it]).sum();
                stages[stage].push(sum);
            }
        }
        let result = stages[parts.len()][token_count].clone();
        self.tables.insert(key, stages);
        Ok(result)
    }

    /// Returns the number of distributions of `tokens` tokens over `places` places.
    fn distribution_count(&mut self, tokens: u64, places: u64) -> Result<BigUint, WeightError> {
        let Some(bars) = places.checked_sub(1) else {
            return Ok(BigUint::from(u8::from(tokens == 0)));
        };
        if let Some(known) = self.distributions.get(&(tokens, places)) {
            return Ok(known.clone());
        }
        if tokens.min(bars) > MAX_FACTORS {
            return Err(WeightError::TooLarge);
        }
        // C(tokens + bars, bars), with the smaller of the two multiplied out. Every intermediate
        // quotient is an integer.
        let (smaller, larger) = (tokens.min(bars), tokens.max(bars));
        let ways = (1..=smaller)
            .fold(BigUint::from(1u8), |ways, it| ways * (u128::from(larger) + u128::from(it)) / it);
        self.distributions.insert((tokens, places), ways.clone());
        Ok(ways)
    }
}
