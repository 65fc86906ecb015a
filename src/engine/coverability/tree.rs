//! The tree: what is reached, how, and what grows on the way.
//!
//! A node is a marking with ω: of each k there is a reachable marking that equals it where it is a
//! number and has at least k tokens where it is ω. Where a node covers one before it on its way and
//! is larger on some places, what fired in between can be repeated, and these become ω: an
//! [`Acceleration`].
//!
//! What a node that is kept covers is left out, and of the kept nodes those that a new one covers,
//! are not gone on from any more. Nodes before one on its way are looked at whether they are kept
//! or not. In the end each kept node has every successor covered by a kept one: together they cover
//! all that can be reached.
//!
//! # Termination
//! In an infinite branch some node would be covered by a later one. Equal it cannot be, for what is
//! covered is left out; and if it is less somewhere, there was an acceleration, of which a branch
//! has as many as places.
//!
//! # Sources
//! R. Karp, R. Miller, *Parallel program schemata*, J. Computer and System Sciences 3, 1969 (the
//! tree). That what is covered may be left out, and accelerations by nodes that are not kept any
//! more are what keeps this complete: P.-A. Reynier, F. Servais, *Minimal coverability set for
//! Petri nets: Karp and Miller algorithm with pruning*, Petri Nets 2011; A. Valmari, H. Hansen,
//! *Old and new algorithms for minimal coverability sets*, Fundamenta Informaticae 131, 2014.

use crate::graph::omega::{OMEGA, fire, is_covered};
use crate::graph::reachability::NoGraph;
use parikh_net::{Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::collections::BinaryHeap;

/// Which nodes are gone on from first, of those with equally many ω.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The oldest: what grows soon is found with the shortest pumps.
    Breadth,
    /// The newest: what grows late is found at all.
    Depth,
}

/// How large a tree may grow, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) order: Order,
    /// Nodes, kept or not.
    pub(super) nodes: usize,
    /// Comparisons of token counts, about, until another place is found to grow.
    pub(super) work: u64,
}

/// Work between two questions whether there is time left.
const PATIENCE: u64 = 20_000;

/// What is reached.
pub(in crate::engine) struct Tree<'n> {
    pub(super) net: &'n Net,
    /// The initial marking is node 0.
    pub(in crate::engine) nodes: Vec<Node>,
    /// By node, kept or not.
    outlines: Vec<Outline>,
    /// Those that no other one covers.
    kept: Vec<u32>,
    /// Those to go on from: how many places are ω, its number, negative where the oldest comes
    /// first.
    waiting: BinaryHeap<(usize, i64)>,
    /// By place, the transitions of which it is the first input; last, those without.
    beginning: Vec<Vec<TransitionId>>,
    limits: Limits,
    /// By place, whether it is ω somewhere.
    unbounded: Vec<bool>,
    /// Where `work` has to be by the next one.
    most_work: u64,
    /// So much was looked at.
    pub(super) work: u64,
}

/// What of a marking is compared first: mostly it tells already that one does not cover another.
#[derive(Clone, Copy)]
struct Outline {
    /// A bit for each marked place, shared by some.
    marked: u64,
    /// Saturated.
    total: u64,
}

impl Outline {
    fn of(tokens: &[u64]) -> Outline {
        let marked = (0..).zip(tokens).filter(|&(_, &held)| held > 0);
        Outline {
            marked: marked.fold(0, |bits, (place, _)| bits | 1 << (place & 63u32)),
            total: tokens.iter().fold(0, |sum, &held| sum.saturating_add(held)),
        }
    }

    fn may_be_covered(self, by: Outline) -> bool {
        self.marked & !by.marked == 0 && self.total <= by.total
    }
}

/// A marking with ω, and where it came from.
pub(in crate::engine) struct Node {
    /// By place; [`OMEGA`] for ω.
    pub(in crate::engine) tokens: Vec<u64>,
    /// The node before it and what fired there; nothing for the first.
    pub(in crate::engine) came: Option<(u32, TransitionId)>,
    /// What became ω here, in the order it did.
    pub(in crate::engine) grown: Vec<Acceleration>,
    is_kept: bool,
}

impl Node {
    /// A node that is made elsewhere.
    pub(in crate::engine) fn linked(
        tokens: Vec<u64>,
        came: Option<(u32, TransitionId)>,
        grown: Vec<Acceleration>,
    ) -> Node {
        Node { tokens, came, grown, is_kept: true }
    }
}

/// Places that grow when all that fired since an earlier node is repeated.
pub(in crate::engine) struct Acceleration {
    /// The earlier node.
    pub(in crate::engine) since: u32,
    /// Each with its tokens before it became ω, and how many each repetition adds.
    pub(in crate::engine) places: Vec<(PlaceId, u64, u64)>,
}

/// Why a tree does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It is complete: what is kept covers all that can be reached.
    Complete,
    /// A limit was met, or the time is over.
    Limit,
    /// Nobody asks any more.
    Settled,
}

impl<'n> Tree<'n> {
    pub(super) fn new(net: &'n Net, limits: Limits) -> Self {
        let mut beginning = vec![Vec::new(); net.place_count() + 1];
        for t in net.transitions() {
            let first = net.pre(t).first().map_or(net.place_count(), |arc| arc.place.index());
            beginning[first].push(t);
        }
        let mut tree = Tree {
            net,
            nodes: Vec::new(),
            outlines: Vec::new(),
            kept: Vec::new(),
            waiting: BinaryHeap::new(),
            beginning,
            limits,
            unbounded: vec![false; net.place_count()],
            most_work: limits.work,
            work: net.transition_count() as u64,
        };
        tree.keep(net.initial().tokens().to_vec(), None, Vec::new());
        tree
    }

    /// A tree with these nodes, made elsewhere, which does not grow.
    pub(in crate::engine) fn linked(net: &'n Net, nodes: Vec<Node>) -> Self {
        let limits = Limits { order: Order::Breadth, nodes: 0, work: 0 };
        Tree {
            net,
            nodes,
            outlines: Vec::new(),
            kept: Vec::new(),
            waiting: BinaryHeap::new(),
            beginning: Vec::new(),
            limits,
            unbounded: Vec::new(),
            most_work: 0,
            work: 0,
        }
    }

    /// The nodes that cover all that can be reached, once it is complete.
    pub(super) fn kept(&self) -> impl Iterator<Item = &[u64]> {
        self.kept.iter().map(|&at| &*self.nodes[at as usize].tokens)
    }

    /// The transitions on the way from one node to a later one on its branch.
    pub(super) fn way(&self, since: u32, to: u32) -> Vec<TransitionId> {
        let mut way = Vec::new();
        let mut at = to;
        while at != since {
            let Some((before, t)) = self.nodes[at as usize].came else { break };
            way.push(t);
            at = before;
        }
        way.reverse();
        way
    }

    /// The nodes from the first one to this.
    pub(super) fn branch(&self, to: u32) -> Vec<u32> {
        let before = |&at: &u32| self.nodes[at as usize].came.map(|(before, _)| before);
        let mut branch: Vec<u32> = std::iter::successors(Some(to), before).collect();
        branch.reverse();
        branch
    }

    /// Grows until it is complete or a limit is met. Each new node is shown to `seen`, which says
    /// how much it looked at; nothing, and that is the end, where nobody asks any more.
    pub(super) fn grow(
        &mut self,
        budget: &Budget,
        mut seen: impl FnMut(&Self, u32) -> Option<u64>,
    ) -> End {
        let Some(looked) = seen(self, 0) else { return End::Settled };
        self.work += looked;
        let mut ask_at = self.work;
        while let Some((_, number)) = self.waiting.pop() {
            let from = number.unsigned_abs() as u32;
            for t in self.candidates(from) {
                // What covers it goes on instead.
                if !self.nodes[from as usize].is_kept {
                    break;
                }
                let is_late = self.work >= ask_at && budget.is_exhausted();
                if self.work >= ask_at {
                    ask_at = self.work + PATIENCE;
                }
                let is_full = self.nodes.len() >= self.limits.nodes;
                if is_late || is_full || self.work > self.most_work {
                    return End::Limit;
                }
                // A run beyond the tokens that are counted is no run of ours.
                let next = match fire(self.net, &self.nodes[from as usize].tokens, t) {
                    Ok(next) => next,
                    Err(NoGraph::Overflow | NoGraph::TooMany(_) | NoGraph::Exhausted(_)) => {
                        return End::Limit;
                    }
                };
                self.work += (self.net.pre(t).len() + self.net.delta(t).len()) as u64;
                let Some(mut next) = next else { continue };
                self.work += (next.len() + self.kept.len()) as u64;
                if self.is_covered(&next) {
                    continue;
                }
                let grown = self.accelerate(&mut next, from);
                let node = self.keep(next, Some((from, t)), grown);
                let Some(looked) = seen(self, node) else { return End::Settled };
                self.work += looked;
                self.go_on_if_new(node);
            }
        }
        End::Complete
    }

    /// Has more work done where a place grows that did not before.
    fn go_on_if_new(&mut self, node: u32) {
        let grown = self.nodes[node as usize].grown.iter().flat_map(|grown| &grown.places);
        let mut is_new = false;
        for (place, ..) in grown {
            is_new |= !std::mem::replace(&mut self.unbounded[place.index()], true);
        }
        if is_new {
            self.most_work = self.work + self.limits.work;
        }
    }

    /// How many places are ω somewhere.
    pub(super) fn unbounded(&self) -> usize {
        self.unbounded.iter().filter(|&&unbounded| unbounded).count()
    }

    /// Whether a kept node covers it.
    fn is_covered(&self, tokens: &[u64]) -> bool {
        let outline = Outline::of(tokens);
        self.kept.iter().any(|&at| {
            let at = at as usize;
            outline.may_be_covered(self.outlines[at]) && is_covered(tokens, &self.nodes[at].tokens)
        })
    }

    /// The transitions whose first input is marked.
    fn candidates(&mut self, from: u32) -> Vec<TransitionId> {
        let tokens = &self.nodes[from as usize].tokens;
        self.work += tokens.len() as u64;
        let marked = (0..tokens.len()).filter(|&place| tokens[place] > 0);
        let places = marked.chain([tokens.len()]);
        let mut all: Vec<TransitionId> =
            places.flat_map(|place| &self.beginning[place]).copied().collect();
        all.sort_unstable();
        all
    }

    /// Writes ω where `next`, reached from node `from`, covers a node on its way and is larger;
    /// until nothing changes.
    fn accelerate(&mut self, next: &mut [u64], from: u32) -> Vec<Acceleration> {
        let mut grown = Vec::new();
        loop {
            let before = grown.len();
            let mut outline = Outline::of(next);
            let mut at = Some(from);
            while let Some(since) = at {
                let node = &self.nodes[since as usize];
                self.work += 1;
                let may_be = self.outlines[since as usize].may_be_covered(outline);
                if may_be && is_covered(&node.tokens, next) {
                    self.work += next.len() as u64;
                    let mut places = Vec::new();
                    for (place, (&then, now)) in node.tokens.iter().zip(next.iter_mut()).enumerate()
                    {
                        if then < *now && *now != OMEGA {
                            places.push((PlaceId::new(place), *now, *now - then));
                            *now = OMEGA;
                        }
                    }
                    if !places.is_empty() {
                        grown.push(Acceleration { since, places });
                        outline = Outline::of(next);
                    }
                }
                at = node.came.map(|(before, _)| before);
            }
            if grown.len() == before {
                return grown;
            }
        }
    }

    /// Keeps a node, and no more those that it covers.
    fn keep(
        &mut self,
        tokens: Vec<u64>,
        came: Option<(u32, TransitionId)>,
        grown: Vec<Acceleration>,
    ) -> u32 {
        let number = self.nodes.len() as u32;
        let outline = Outline::of(&tokens);
        let (nodes, outlines) = (&mut self.nodes, &self.outlines);
        self.kept.retain(|&at| {
            let node = &mut nodes[at as usize];
            let may_be = outlines[at as usize].may_be_covered(outline);
            node.is_kept = !(may_be && is_covered(&node.tokens, &tokens));
            node.is_kept
        });
        self.outlines.push(outline);
        let omegas = tokens.iter().filter(|&&held| held == OMEGA).count();
        self.kept.push(number);
        self.nodes.push(Node { tokens, came, grown, is_kept: true });
        let signed = match self.limits.order {
            Order::Breadth => -i64::from(number),
            Order::Depth => i64::from(number),
        };
        self.waiting.push((omegas, signed));
        number
    }
}
