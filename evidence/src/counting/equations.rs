//! The equations of a reduction that keeps every marking, recorded step by step.
//!
//! The places of the original net and of the intermediate nets are *nodes*. A node without an
//! equation is free: a place of the reduced net. Every other node has one equation, from the step
//! that removed it. Either it is a summand of another node, where the summands take every
//! combination of values with this sum. Or its value follows from other nodes by a linear equation.

use crate::reduction::{Edit, WorkNet};
use parikh_net::{Net, PlaceId, TransitionId};

/// The index of a node, that is, of a variable for the tokens of an original or intermediate place.
pub(super) type NodeId = usize;

/// A node, that is, a variable for the number of tokens of a place. A reduction step that changes
/// the meaning of this number creates a new node for the place.
#[derive(Debug)]
pub(super) struct TokenVariable {
    /// The id of the place in the working net.
    pub(super) place: PlaceId,
    /// The equation from the reduction step that removed the node's place or replaced the node, or
    /// `Free`.
    pub(super) tokens: TokenEquation,
    /// The summands of the node, if a step merged several places into it. Empty for every other
    /// node.
    pub(super) summands: Vec<NodeId>,
}

/// The way in which the tokens of a node, that is, of an original or intermediate place, follow
/// from the tokens of other nodes.
#[derive(Debug)]
pub(super) enum TokenEquation {
    /// No equation: the node is a place of the reduced net.
    Free,
    /// The tokens are a summand of the tokens of another node.
    SummandOf(NodeId),
    /// The tokens follow from other nodes by an equation.
    Follows(LinearEquation),
}

/// The equation `factor` · tokens = weighted sum of other nodes + `constant`.
#[derive(Clone, Debug)]
pub(super) struct LinearEquation {
    /// The factor of the node's own tokens, at least 1.
    pub(super) factor: u64,
    /// The other nodes on the right side, each with its coefficient.
    pub(super) sum: Vec<(NodeId, u64)>,
    /// The constant of the equation.
    pub(super) constant: i128,
}

/// All equations of a reduction. The first nodes are the places of the original net, by their ids.
#[derive(Debug)]
pub(super) struct Equations {
    /// The nodes, by id.
    pub(super) nodes: Vec<TokenVariable>,
    /// The nodes that are not free, in the order in which their equations were recorded.
    pub(super) ordered: Vec<NodeId>,
    /// The current node of each place of the working net.
    current: Vec<NodeId>,
    /// The transitions that steps of the reduction removed because they never fire.
    pub(super) dead: Vec<TransitionId>,
}

impl Equations {
    /// Creates the equations of an empty reduction of `net`.
    pub(super) fn new(net: &Net) -> Self {
        let free =
            |place| TokenVariable { place, tokens: TokenEquation::Free, summands: Vec::new() };
        Equations {
            nodes: net.places().map(free).collect(),
            ordered: Vec::new(),
            current: (0..net.place_count()).collect(),
            dead: Vec::new(),
        }
    }

    /// Returns the current node of a place of the working net.
    pub(super) fn node(&self, p: PlaceId) -> NodeId {
        self.current[p.index()]
    }

    /// Records the equations of a step that is about to be applied to `net`. Returns `None` if an
    /// edit of the step does not keep every marking.
    pub(super) fn record(&mut self, net: &WorkNet, edits: &[Edit]) -> Option<()> {
        for edit in edits {
            match edit {
                Edit::RemoveConstant(p) => {
                    let constant = i128::from(net.tokens(*p));
                    self.set_equation(
                        self.node(*p),
                        LinearEquation { factor: 1, sum: Vec::new(), constant },
                    );
                }
                Edit::RemoveEqual(equality) => {
                    let term = |&(p, weight): &(PlaceId, u32)| (self.node(p), u64::from(weight));
                    let sum = equality.sum.iter().map(term).collect();
                    let (factor, constant) = (u64::from(equality.times), equality.constant);
                    self.set_equation(
                        self.node(equality.place),
                        LinearEquation { factor, sum, constant },
                    );
                }
                Edit::Fuse(places) => {
                    let parts: Vec<NodeId> = places.iter().map(|&p| self.node(p)).collect();
                    let merged = self.new_node(*places.first()?);
                    for &part in &parts {
                        self.nodes[part].tokens = TokenEquation::SummandOf(merged);
                        self.ordered.push(part);
                    }
                    self.nodes[merged].summands = parts;
                }
                Edit::Divide(p, divisor) => {
                    let undivided = self.node(*p);
                    let remainder = i128::from(net.tokens(*p) % divisor);
                    let sum = vec![(self.new_node(*p), *divisor)];
                    self.set_equation(
                        undivided,
                        LinearEquation { factor: 1, sum, constant: remainder },
                    );
                }
                Edit::RemoveDead(t) => self.dead.push(*t),
                Edit::RemoveTransition(_) | Edit::SetArcs(..) => {}
                Edit::RemovePlace(_)
                | Edit::AddTransition { .. }
                | Edit::Prefire(_)
                | Edit::FireInDeadMarkings(_) => return None,
            }
        }
        Some(())
    }

    /// Creates a free node for a place whose number of tokens changes its meaning. The new node
    /// becomes the current node of the place.
    fn new_node(&mut self, place: PlaceId) -> NodeId {
        self.nodes.push(TokenVariable { place, tokens: TokenEquation::Free, summands: Vec::new() });
        self.current[place.index()] = self.nodes.len() - 1;
        self.nodes.len() - 1
    }

    /// Records the equation from which the tokens of a node follow.
    fn set_equation(&mut self, node: NodeId, equation: LinearEquation) {
        self.nodes[node].tokens = TokenEquation::Follows(equation);
        self.ordered.push(node);
    }

    /// Substitutes nodes that are constant or follow from one other node in the equations of other
    /// nodes. An equation refers only to nodes that get their own equations later. So substituting
    /// in reverse order needs one pass.
    pub(super) fn substitute(&mut self) {
        for position in (0..self.ordered.len()).rev() {
            let node = self.ordered[position];
            let TokenEquation::Follows(equation) = &self.nodes[node].tokens else { continue };
            // An equation whose numbers would overflow stays as it is, which is also correct.
            let equation = self.substituted(equation).unwrap_or_else(|| equation.clone());
            self.nodes[node].tokens = TokenEquation::Follows(equation);
        }
    }

    /// Returns the equation after the nodes that are constant or follow from one other node are
    /// substituted. Returns `None` on overflow.
    fn substituted(&self, equation: &LinearEquation) -> Option<LinearEquation> {
        let LinearEquation { factor: mut scaled_factor, mut constant, .. } = *equation;
        let mut sum: Vec<(NodeId, u64)> = Vec::new();
        for &(other, weight) in &equation.sum {
            // `scaled_factor` may already be a multiple of the original factor.
            let weight = (scaled_factor / equation.factor).checked_mul(weight)?;
            let other_equation = match &self.nodes[other].tokens {
                TokenEquation::Follows(other_equation) if other_equation.sum.len() < 2 => {
                    other_equation
                }
                _ => {
                    sum.push((other, weight));
                    continue;
                }
            };
            // Multiply the equation by f = other_equation.factor, and replace f·other by the right
            // side of the other equation.
            if other_equation.factor > 1 {
                scaled_factor = scaled_factor.checked_mul(other_equation.factor)?;
                constant = constant.checked_mul(other_equation.factor.into())?;
                for (_, coefficient) in &mut sum {
                    *coefficient = coefficient.checked_mul(other_equation.factor)?;
                }
            }
            constant =
                constant.checked_add(i128::from(weight).checked_mul(other_equation.constant)?)?;
            if let [(source, times)] = other_equation.sum[..] {
                sum.push((source, weight.checked_mul(times)?));
            }
        }
        sum.sort_unstable();
        let mut merged: Vec<(NodeId, u64)> = Vec::with_capacity(sum.len());
        for (node, weight) in sum {
            match merged.last_mut() {
                Some(last) if last.0 == node => last.1 = last.1.checked_add(weight)?,
                _ => merged.push((node, weight)),
            }
        }
        Some(LinearEquation { factor: scaled_factor, sum: merged, constant })
    }

    /// Returns the value of a node if its equation refers to no other node. Returns `None`
    /// otherwise, or if the value is no valid number of tokens.
    pub(super) fn constant(&self, node: NodeId) -> Option<u64> {
        match &self.nodes[node].tokens {
            TokenEquation::Follows(equation) if equation.sum.is_empty() => equation.value(0),
            _ => None,
        }
    }
}

impl LinearEquation {
    /// Returns the value of the node for a value of the weighted sum, or `None` if it is no valid
    /// number of tokens.
    pub(super) fn value(&self, sum: i128) -> Option<u64> {
        let numerator = sum.checked_add(self.constant)?;
        let times = i128::from(self.factor);
        (numerator % times == 0).then(|| u64::try_from(numerator / times).ok()).flatten()
    }

    /// Returns the least value of the node for all values of the weighted sum that are at least
    /// `sum`.
    pub(super) fn min_value(&self, sum: i128) -> u64 {
        rounded_up(sum.saturating_add(self.constant), self.factor)
    }

    /// Returns the least value of the single other node in the equation for which this node holds
    /// at least `tokens`. Returns 0 if the equation does not have exactly one other node.
    pub(super) fn min_other(&self, tokens: u64) -> u64 {
        let product = i128::from(self.factor).saturating_mul(tokens.into());
        match self.sum[..] {
            [(_, weight)] => rounded_up(product.saturating_sub(self.constant), weight),
            _ => 0,
        }
    }
}

/// Returns the least natural number that is at least the fraction `numerator`/`denominator`, or
/// `u64::MAX` if this number is larger.
fn rounded_up(numerator: i128, denominator: u64) -> u64 {
    let denominator = i128::from(denominator);
    u64::try_from(numerator.max(0).saturating_add(denominator - 1) / denominator)
        .unwrap_or(u64::MAX)
}
