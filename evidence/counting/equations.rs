//! What a reduction says of the markings that it keeps: equations, written down step by step.
//!
//! Places of the net before and of those in between are *nodes*. A node of which nothing is said is
//! free: a place of the reduced net. Of every other one the step that removed it says one thing:
//! that it is a part of a sum, whose parts take every value together; or that others tell what it
//! holds.

use crate::reduction::{Edit, WorkNet};
use parikh_net::{Net, PlaceId, TransitionId};

/// The number of a node.
pub(super) type NodeId = usize;

/// Some tokens: those of a place, between two steps that change what it means.
#[derive(Debug)]
pub(super) struct Node {
    /// Its id in the working net.
    pub(super) place: PlaceId,
    pub(super) tokens: Tokens,
    /// The parts whose sum it is; none of an original place.
    pub(super) parts: Vec<NodeId>,
}

/// What is said of the tokens of a node.
#[derive(Debug)]
pub(super) enum Tokens {
    /// Nothing.
    Free,
    /// They are a part of those of another one.
    PartOf(NodeId),
    /// Others tell them.
    Told(Linear),
}

/// `times` the tokens are `constant` more than the weighted sum of others.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    pub(super) times: u64,
    pub(super) sum: Vec<(NodeId, u64)>,
    pub(super) constant: i128,
}

/// All equations of a reduction. The nodes begin with the places of the net before, by their ids.
#[derive(Debug)]
pub(super) struct Equations {
    pub(super) nodes: Vec<Node>,
    /// The nodes of which something was said, in that order.
    pub(super) said: Vec<NodeId>,
    /// By working place the node that it is now.
    current: Vec<NodeId>,
    /// Transitions that never fire.
    pub(super) dead: Vec<TransitionId>,
}

impl Equations {
    /// Nothing is done yet to `net`.
    pub(super) fn new(net: &Net) -> Self {
        let free = |place| Node { place, tokens: Tokens::Free, parts: Vec::new() };
        Equations {
            nodes: net.places().map(free).collect(),
            said: Vec::new(),
            current: (0..net.place_count()).collect(),
            dead: Vec::new(),
        }
    }

    /// The node that this place of the working net is now.
    pub(super) fn node(&self, p: PlaceId) -> NodeId {
        self.current[p.index()]
    }

    /// Takes down what a step says that is about to be applied to `net`. `None` where its rule says
    /// nothing of all markings.
    pub(super) fn take(&mut self, net: &WorkNet, edits: &[Edit]) -> Option<()> {
        for edit in edits {
            match edit {
                Edit::RemoveConstant(p) => {
                    let constant = i128::from(net.tokens(*p));
                    self.say(self.node(*p), Linear { times: 1, sum: Vec::new(), constant });
                }
                Edit::RemoveEqual(equality) => {
                    let term = |&(p, weight): &(PlaceId, u32)| (self.node(p), u64::from(weight));
                    let sum = equality.sum.iter().map(term).collect();
                    let (times, constant) = (u64::from(equality.times), equality.constant);
                    self.say(self.node(equality.place), Linear { times, sum, constant });
                }
                Edit::Fuse(places) => {
                    let parts: Vec<NodeId> = places.iter().map(|&p| self.node(p)).collect();
                    let whole = self.begin(*places.first()?);
                    for &part in &parts {
                        self.nodes[part].tokens = Tokens::PartOf(whole);
                        self.said.push(part);
                    }
                    self.nodes[whole].parts = parts;
                }
                Edit::Divide(p, divisor) => {
                    let before = self.node(*p);
                    let rest = i128::from(net.tokens(*p) % divisor);
                    let sum = vec![(self.begin(*p), *divisor)];
                    self.say(before, Linear { times: 1, sum, constant: rest });
                }
                Edit::RemoveDead(t) => self.dead.push(*t),
                Edit::RemoveTransition(_) | Edit::SetArcs(..) => {}
                Edit::RemovePlace(_)
                | Edit::AddTransition { .. }
                | Edit::Prefire(_)
                | Edit::FireLast(_) => return None,
            }
        }
        Some(())
    }

    /// From now on the place means something new.
    fn begin(&mut self, place: PlaceId) -> NodeId {
        self.nodes.push(Node { place, tokens: Tokens::Free, parts: Vec::new() });
        self.current[place.index()] = self.nodes.len() - 1;
        self.nodes.len() - 1
    }

    fn say(&mut self, node: NodeId, told: Linear) {
        self.nodes[node].tokens = Tokens::Told(told);
        self.said.push(node);
    }

    /// Puts what is known of them for nodes that hold the same in every marking, or are told by one
    /// other node. What tells a node was there after it was told, so what was said last is looked
    /// at first.
    pub(super) fn substitute(&mut self) {
        for at in (0..self.said.len()).rev() {
            let node = self.said[at];
            let Tokens::Told(told) = &self.nodes[node].tokens else { continue };
            // One that is too large stays as it is, which is right as well.
            let told = self.substituted(told).unwrap_or_else(|| told.clone());
            self.nodes[node].tokens = Tokens::Told(told);
        }
    }

    /// The same said of other nodes; `None` on overflow.
    fn substituted(&self, told: &Linear) -> Option<Linear> {
        let Linear { mut times, mut constant, .. } = *told;
        let mut sum: Vec<(NodeId, u64)> = Vec::new();
        for &(other, weight) in &told.sum {
            // `times` has grown by what was multiplied so far.
            let weight = (times / told.times).checked_mul(weight)?;
            let known = match &self.nodes[other].tokens {
                Tokens::Told(known) if known.sum.len() < 2 => known,
                _ => {
                    sum.push((other, weight));
                    continue;
                }
            };
            // All by known.times; weight·known.times·other = weight·(known.sum + known.constant).
            if known.times > 1 {
                times = times.checked_mul(known.times)?;
                constant = constant.checked_mul(known.times.into())?;
                for (_, before) in &mut sum {
                    *before = before.checked_mul(known.times)?;
                }
            }
            constant = constant.checked_add(i128::from(weight).checked_mul(known.constant)?)?;
            if let [(by, times)] = known.sum[..] {
                sum.push((by, weight.checked_mul(times)?));
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
        Some(Linear { times, sum: merged, constant })
    }

    /// What a node holds in every marking, where no other one is needed to tell.
    pub(super) fn constant(&self, node: NodeId) -> Option<u64> {
        match &self.nodes[node].tokens {
            Tokens::Told(told) if told.sum.is_empty() => told.at(0),
            _ => None,
        }
    }
}

impl Linear {
    /// What is told where the weighted sum is this; `None` when it is no number of tokens.
    pub(super) fn at(&self, sum: i128) -> Option<u64> {
        let all = sum.checked_add(self.constant)?;
        let times = i128::from(self.times);
        (all % times == 0).then(|| u64::try_from(all / times).ok()).flatten()
    }

    /// The least that can be told where the weighted sum is no less than this.
    pub(super) fn at_least(&self, sum: i128) -> u64 {
        rounded_up(sum.saturating_add(self.constant), self.times)
    }

    /// The least of the one node that tells it where it holds this.
    pub(super) fn least_teller(&self, tokens: u64) -> u64 {
        let all = i128::from(self.times).saturating_mul(tokens.into());
        match self.sum[..] {
            [(_, weight)] => rounded_up(all.saturating_sub(self.constant), weight),
            _ => 0,
        }
    }
}

/// The least natural number that is not below the fraction.
fn rounded_up(above: i128, below: u64) -> u64 {
    let below = i128::from(below);
    u64::try_from(above.max(0).saturating_add(below - 1) / below).unwrap_or(u64::MAX)
}
