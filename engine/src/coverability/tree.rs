//! The coverability tree: reached markings, their predecessors, and unbounded places.
//!
//! A node is a marking with ω. For each k there is a reachable marking that equals the node on its
//! finite places and has at least k tokens on its ω places. Suppose that a node covers an earlier
//! node on its branch and is larger on some places. Then the firings in between can be repeated,
//! and these places become ω: an [`Acceleration`].
//!
//! A new node is dropped if a kept node covers it. Kept nodes that a new node covers are no longer
//! kept, and not expanded further. A new node is compared with all earlier nodes on its branch,
//! kept or not, to find accelerations. At the end every successor of a kept node is covered by a
//! kept node. So together the kept nodes cover all reachable markings.
//!
//! In an infinite branch some node would be covered by a later one. They cannot be equal, since
//! covered nodes are dropped. If the earlier one is smaller somewhere, there was an acceleration. A
//! branch has at most as many accelerations as places.
//!
//! # Sources
//! R. Karp, R. Miller, *Parallel program schemata*, J. Computer and System Sciences 3, 1969 (the
//! tree). Dropping covered nodes stays complete because accelerations also use nodes that are no
//! longer kept: P.-A. Reynier, F. Servais, *Minimal coverability set for Petri nets: Karp and
//! Miller algorithm with pruning*, Petri Nets 2011; A. Valmari, H. Hansen, *Old and new algorithms
//! for minimal coverability sets*, Fundamenta Informaticae 131, 2014.

use parikh_net::{Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_structure::graph::omega::{OMEGA, fire, is_covered};
use parikh_structure::graph::reachability::NoGraph;
use std::collections::BinaryHeap;

/// The order of expansion among nodes with equally many ω. Nodes with more ω come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeOrder {
    /// Oldest first: finds early unbounded places with short sequences.
    Breadth,
    /// Newest first: finds unbounded places deep in the tree.
    Depth,
}

/// Limits on the size of a tree, and the order in which it is expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeLimits {
    /// The order in which nodes are expanded.
    pub(super) order: TreeOrder,
    /// Limit on the number of nodes. Nodes that are no longer kept count, too.
    pub(super) nodes: usize,
    /// Limit on the approximate number of token comparisons until the next unbounded place is
    /// found.
    pub(super) work: u64,
}

/// Approximate number of token comparisons between two checks of the budget.
const WORK_PER_CHECK: u64 = 20_000;

/// A coverability tree. A tree made by [`from_nodes`](Tree::from_nodes) has only the net and the
/// nodes; its other lists are empty.
pub(crate) struct Tree<'n> {
    pub(super) net: &'n Net,
    /// The nodes. The initial marking is node 0.
    pub(crate) nodes: Vec<Node>,
    /// The outline of each node, that is, a summary for fast comparisons, by node number. It exists
    /// for nodes that are no longer kept, too.
    outlines: Vec<Outline>,
    /// Numbers of the nodes that no later node covers.
    kept_nodes: Vec<u32>,
    /// The nodes to expand. An entry has the number of ω places and the node's number, which is
    /// negated if the oldest node comes first.
    queue: BinaryHeap<(usize, i64)>,
    /// For each place, the transitions whose first input is this place. The last entry contains the
    /// transitions without inputs.
    by_first_input: Vec<Vec<TransitionId>>,
    limits: TreeLimits,
    /// For each place, true if it is ω in some node. A node counts only after `visit` has accepted
    /// it (see [`grow`](Tree::grow)).
    is_unbounded: Vec<bool>,
    /// Limit on `work`. It rises whenever a new unbounded place is found.
    work_limit: u64,
    /// Approximate number of token comparisons so far.
    pub(super) work: u64,
}

/// A summary of a marking for fast comparisons. Two summaries usually show already that one marking
/// does not cover the other.
#[derive(Clone, Copy)]
struct Outline {
    /// One bit per marked place, where several places may share a bit.
    marked: u64,
    /// Total number of tokens, saturating.
    total: u64,
}

impl Outline {
    fn new(tokens: &[u64]) -> Outline {
        let marked = (0..).zip(tokens).filter(|&(_, &held)| held > 0);
        Outline {
            marked: marked.fold(0, |bits, (place, _)| bits | 1 << (place & 63u32)),
            total: tokens.iter().fold(0, |sum, &held| sum.saturating_add(held)),
        }
    }

    /// Returns false if the outlines show that no marking with outline `by` covers a marking with
    /// this outline.
    fn may_be_covered(self, by: Outline) -> bool {
        self.marked & !by.marked == 0 && self.total <= by.total
    }
}

/// A marking with ω, with a link to the predecessor.
pub(crate) struct Node {
    /// Token count by place. [`OMEGA`] for ω.
    pub(crate) tokens: Vec<u64>,
    /// The predecessor and the fired transition. `None` for the root.
    pub(crate) origin: Option<(u32, TransitionId)>,
    /// The accelerations at this node, in order.
    pub(crate) accelerations: Vec<Acceleration>,
    /// True if no later node covers this node.
    is_kept: bool,
}

impl Node {
    /// Returns a node of a tree that was built elsewhere.
    pub(crate) fn new(
        tokens: Vec<u64>,
        origin: Option<(u32, TransitionId)>,
        accelerations: Vec<Acceleration>,
    ) -> Node {
        Node { tokens, origin, accelerations, is_kept: true }
    }
}

/// Places that become ω, because the firings since an earlier node can be repeated.
pub(crate) struct Acceleration {
    /// Number of the earlier node on the same branch.
    pub(crate) start: u32,
    /// The places that become ω.
    pub(crate) places: Vec<GrowingPlace>,
}

/// A place whose tokens grow with each repetition of some firings.
#[derive(Clone, Copy)]
pub(crate) struct GrowingPlace {
    pub(crate) place: PlaceId,
    /// The token count at the node where the place becomes ω, just before it does. The firings were
    /// executed once so far.
    pub(crate) tokens: u64,
    /// The tokens that each repetition adds.
    pub(crate) gain: u64,
}

/// The reason why a tree stopped growing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeEnd {
    /// The tree is complete: the kept nodes cover all reachable markings.
    Complete,
    /// A limit was reached, a place would get too many tokens, or the budget is exhausted.
    Limit,
    /// The callback `visit` of [`grow`](Tree::grow) stopped the growth: no goal is open, or a
    /// self-covering sequence was found.
    Settled,
}

impl<'n> Tree<'n> {
    pub(super) fn new(net: &'n Net, limits: TreeLimits) -> Self {
        let mut by_first_input = vec![Vec::new(); net.place_count() + 1];
        for t in net.transitions() {
            let first_input = net.pre(t).first().map_or(net.place_count(), |arc| arc.place.index());
            by_first_input[first_input].push(t);
        }
        let mut tree = Tree {
            net,
            nodes: Vec::new(),
            outlines: Vec::new(),
            kept_nodes: Vec::new(),
            queue: BinaryHeap::new(),
            by_first_input,
            limits,
            is_unbounded: vec![false; net.place_count()],
            work_limit: limits.work,
            work: net.transition_count() as u64,
        };
        tree.add_node(net.initial().tokens().to_vec(), None, Vec::new());
        tree
    }

    /// Returns a tree with nodes that were built elsewhere. The tree does not grow.
    pub(crate) fn from_nodes(net: &'n Net, nodes: Vec<Node>) -> Self {
        let limits = TreeLimits { order: TreeOrder::Breadth, nodes: 0, work: 0 };
        Tree {
            net,
            nodes,
            outlines: Vec::new(),
            kept_nodes: Vec::new(),
            queue: BinaryHeap::new(),
            by_first_input: Vec::new(),
            limits,
            is_unbounded: Vec::new(),
            work_limit: 0,
            work: 0,
        }
    }

    /// Returns the kept nodes. If the tree is complete, they cover all reachable markings.
    pub(super) fn kept_nodes(&self) -> impl Iterator<Item = &[u64]> {
        self.kept_nodes.iter().map(|&node| &*self.nodes[node as usize].tokens)
    }

    /// Returns the transitions on the path from node `since` to node `to`, which is later on the
    /// same branch.
    pub(super) fn path(&self, since: u32, to: u32) -> Vec<TransitionId> {
        let mut path = Vec::new();
        let mut current = to;
        while current != since {
            let Some((predecessor, t)) = self.nodes[current as usize].origin else { break };
            path.push(t);
            current = predecessor;
        }
        path.reverse();
        path
    }

    /// Returns the numbers of the nodes from the root to node `to`.
    pub(super) fn branch(&self, to: u32) -> Vec<u32> {
        let predecessor =
            |&node: &u32| self.nodes[node as usize].origin.map(|(predecessor, _)| predecessor);
        let mut branch: Vec<u32> = std::iter::successors(Some(to), predecessor).collect();
        branch.reverse();
        branch
    }

    /// Grows the tree until it is complete, `visit` returns `None`, or the tree ends for a reason
    /// of [`TreeEnd::Limit`]. Calls `visit` with the initial node and with each new node. `visit`
    /// returns its approximate work, or `None` to stop.
    pub(super) fn grow(
        &mut self,
        budget: &Budget,
        mut visit: impl FnMut(&Self, u32) -> Option<u64>,
    ) -> TreeEnd {
        let Some(visit_work) = visit(self, 0) else { return TreeEnd::Settled };
        self.work += visit_work;
        let mut next_check = self.work;
        while let Some((_, priority)) = self.queue.pop() {
            let parent = priority.unsigned_abs() as u32;
            for t in self.candidates(parent) {
                // The node that covers this node is expanded instead.
                if !self.nodes[parent as usize].is_kept {
                    break;
                }
                let is_late = self.work >= next_check && budget.is_exhausted();
                if self.work >= next_check {
                    next_check = self.work + WORK_PER_CHECK;
                }
                let is_full = self.nodes.len() >= self.limits.nodes;
                if is_late || is_full || self.work > self.work_limit {
                    return TreeEnd::Limit;
                }
                // Markings beyond the token limit are not supported.
                let next = match fire(self.net, &self.nodes[parent as usize].tokens, t) {
                    Ok(next) => next,
                    Err(
                        NoGraph::Overflow
                        | NoGraph::TooMany(_)
                        | NoGraph::TooManyEdges
                        | NoGraph::Exhausted(_),
                    ) => return TreeEnd::Limit,
                };
                self.work += (self.net.pre(t).len() + self.net.delta(t).len()) as u64;
                let Some(mut next) = next else { continue };
                self.work += (next.len() + self.kept_nodes.len()) as u64;
                if self.is_covered(&next) {
                    continue;
                }
                let accelerations = self.accelerate(&mut next, parent);
                let node = self.add_node(next, Some((parent, t)), accelerations);
                let Some(visit_work) = visit(self, node) else { return TreeEnd::Settled };
                self.work += visit_work;
                self.raise_work_limit_if_new(node);
            }
        }
        TreeEnd::Complete
    }

    /// Raises the work limit if the node makes a place ω that was ω in no earlier node.
    fn raise_work_limit_if_new(&mut self, node: u32) {
        let growing_places = self.nodes[node as usize]
            .accelerations
            .iter()
            .flat_map(|acceleration| &acceleration.places);
        let mut is_new = false;
        for growing in growing_places {
            let place = growing.place.index();
            is_new |= !std::mem::replace(&mut self.is_unbounded[place], true);
        }
        if is_new {
            self.work_limit = self.work + self.limits.work;
        }
    }

    /// Returns the number of places with ω in some node. A node at which `visit` stopped the growth
    /// does not count.
    pub(super) fn unbounded(&self) -> usize {
        self.is_unbounded.iter().filter(|&&unbounded| unbounded).count()
    }

    /// Returns true if a kept node covers the marking.
    fn is_covered(&self, tokens: &[u64]) -> bool {
        let outline = Outline::new(tokens);
        self.kept_nodes.iter().any(|&node| {
            let node = node as usize;
            outline.may_be_covered(self.outlines[node])
                && is_covered(tokens, &self.nodes[node].tokens)
        })
    }

    /// Returns the transitions whose first input is marked at the node, and the transitions without
    /// inputs.
    fn candidates(&mut self, node: u32) -> Vec<TransitionId> {
        let tokens = &self.nodes[node as usize].tokens;
        self.work += tokens.len() as u64;
        let marked = (0..tokens.len()).filter(|&place| tokens[place] > 0);
        let places = marked.chain([tokens.len()]);
        let mut transitions: Vec<TransitionId> =
            places.flat_map(|place| &self.by_first_input[place]).copied().collect();
        transitions.sort_unstable();
        transitions
    }

    /// Accelerates `next`, a successor of node `from`: sets places to ω that are larger than in an
    /// earlier node of the branch that `next` covers. Repeats this until nothing changes. Returns
    /// the accelerations in order.
    fn accelerate(&mut self, next: &mut [u64], from: u32) -> Vec<Acceleration> {
        let mut accelerations = Vec::new();
        loop {
            let count_before = accelerations.len();
            let mut outline = Outline::new(next);
            let mut ancestor = Some(from);
            while let Some(start) = ancestor {
                let node = &self.nodes[start as usize];
                self.work += 1;
                let is_candidate = self.outlines[start as usize].may_be_covered(outline);
                if is_candidate && is_covered(&node.tokens, next) {
                    self.work += next.len() as u64;
                    let mut places = Vec::new();
                    for (place, (&earlier_tokens, new_tokens)) in
                        node.tokens.iter().zip(next.iter_mut()).enumerate()
                    {
                        if earlier_tokens < *new_tokens && *new_tokens != OMEGA {
                            places.push(GrowingPlace {
                                place: PlaceId::new(place),
                                tokens: *new_tokens,
                                gain: *new_tokens - earlier_tokens,
                            });
                            *new_tokens = OMEGA;
                        }
                    }
                    if !places.is_empty() {
                        accelerations.push(Acceleration { start, places });
                        outline = Outline::new(next);
                    }
                }
                ancestor = node.origin.map(|(predecessor, _)| predecessor);
            }
            if accelerations.len() == count_before {
                return accelerations;
            }
        }
    }

    /// Adds a new node, which is kept, and stops keeping the nodes that it covers. Returns its
    /// number.
    fn add_node(
        &mut self,
        tokens: Vec<u64>,
        origin: Option<(u32, TransitionId)>,
        accelerations: Vec<Acceleration>,
    ) -> u32 {
        let number = self.nodes.len() as u32;
        let outline = Outline::new(&tokens);
        let (nodes, outlines) = (&mut self.nodes, &self.outlines);
        self.kept_nodes.retain(|&kept_node| {
            let node = &mut nodes[kept_node as usize];
            let is_candidate = outlines[kept_node as usize].may_be_covered(outline);
            node.is_kept = !(is_candidate && is_covered(&node.tokens, &tokens));
            node.is_kept
        });
        self.outlines.push(outline);
        let omega_count = tokens.iter().filter(|&&held| held == OMEGA).count();
        self.kept_nodes.push(number);
        self.nodes.push(Node { tokens, origin, accelerations, is_kept: true });
        let priority = match self.limits.order {
            TreeOrder::Breadth => -i64::from(number),
            TreeOrder::Depth => i64::from(number),
        };
        self.queue.push((omega_count, priority));
        number
    }
}
