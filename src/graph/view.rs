//! A graph of markings as it is shown: what each node says, and what it is.

use super::components;
use super::coverability::Coverability;
use super::omega::OMEGA;
use super::reachability::{Edge, Reachability};
use crate::names::Names;
use parikh_net::{FiringSequence, Net, PlaceId, TransitionId};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A graph to be written.
#[derive(Clone, Debug)]
pub struct View<'n> {
    /// The net.
    pub net: &'n Net,
    /// Whether it is a coverability graph.
    pub covers: bool,
    /// The markings by number; 0 is the initial one.
    pub nodes: Vec<Node>,
    /// The firings.
    pub edges: Vec<Edge>,
    /// The edges that are highlighted, by position.
    pub bright: HashSet<usize>,
}

/// A marking.
#[derive(Clone, Debug)]
pub struct Node {
    /// By ascending place; [`OMEGA`] for what is unbounded.
    pub tokens: Vec<(PlaceId, u64)>,
    /// Whether nothing is enabled in it.
    pub dead: bool,
    /// The number of its terminal component, if it is in one.
    pub terminal: Option<u32>,
    /// Whether it is a final marking of the model.
    pub last: bool,
    /// Whether it is highlighted.
    pub bright: bool,
}

impl<'n> View<'n> {
    /// A reachability graph.
    pub fn of_reachability(net: &'n Net, graph: &Reachability) -> Self {
        let tokens = graph.markings.iter().map(|marking| marking.tokens().to_vec());
        View::of(net, false, tokens.collect(), graph.edges.clone())
    }

    /// A coverability graph.
    pub fn of_coverability(net: &'n Net, graph: &Coverability) -> Self {
        View::of(net, true, graph.nodes.clone(), graph.edges.clone())
    }

    fn of(net: &'n Net, covers: bool, markings: Vec<Vec<u64>>, edges: Vec<Edge>) -> Self {
        let pairs = edges.iter().map(|edge| (edge.from, edge.to));
        let terminal = components::terminal(markings.len(), pairs);
        let mut leads = vec![false; markings.len()];
        edges.iter().for_each(|edge| leads[edge.from as usize] = true);
        let node = |(at, tokens): (usize, Vec<u64>)| Node {
            last: net.is_final(&tokens),
            tokens: (0..).map(PlaceId::new).zip(tokens).filter(|&(_, held)| held > 0).collect(),
            dead: !leads[at],
            terminal: terminal[at],
            bright: false,
        };
        let nodes = markings.into_iter().enumerate().map(node).collect();
        View { net, covers, nodes, edges, bright: HashSet::new() }
    }

    /// Highlights the way of a firing sequence from the initial marking; how many of its firings
    /// the graph has, which are all of them if the sequence fires.
    pub fn highlight(&mut self, sequence: &FiringSequence) -> u128 {
        let edges: HashMap<(u32, TransitionId), usize> = (self.edges.iter().enumerate())
            .map(|(at, edge)| ((edge.from, edge.transition), at))
            .collect();
        let (mut here, mut fired) = (0u32, 0u128);
        self.nodes[0].bright = true;
        for step in sequence.steps() {
            // A long row of the same transition soon goes in circles.
            let mut seen = HashSet::new();
            for count in 0..step.count {
                let Some(&at) = edges.get(&(here, step.transition)) else { return fired };
                if !seen.insert(here) {
                    let left = u128::from(step.count - count);
                    let cycle = self.circle(&edges, here, step.transition);
                    let rest = usize::try_from(left % cycle.len() as u128).unwrap_or(0);
                    here = cycle[rest];
                    fired += left;
                    break;
                }
                self.bright.insert(at);
                here = self.edges[at].to;
                self.nodes[here as usize].bright = true;
                fired += 1;
            }
        }
        fired
    }

    /// The nodes of a circle of one transition, from `start` on.
    fn circle(
        &self,
        edges: &HashMap<(u32, TransitionId), usize>,
        start: u32,
        transition: TransitionId,
    ) -> Vec<u32> {
        let mut circle = vec![start];
        let mut here = start;
        while let Some(&at) = edges.get(&(here, transition)) {
            here = self.edges[at].to;
            if here == start {
                break;
            }
            circle.push(here);
        }
        circle
    }

    /// How many nodes are dead, and how many terminal components there are.
    pub fn ends(&self) -> (usize, usize) {
        let dead = self.nodes.iter().filter(|node| node.dead).count();
        let terminal: HashSet<u32> = self.nodes.iter().filter_map(|node| node.terminal).collect();
        (dead, terminal.len())
    }

    /// In a line, what it is.
    pub fn caption(&self) -> String {
        let (dead, terminal) = self.ends();
        let count = |n: usize, one: &str, many: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {many}"),
        };
        let (firings, dead) =
            (count(self.edges.len(), "firing", "firings"), format!("{dead} dead"));
        if self.covers {
            return format!(
                "coverability graph (not the reachable markings): {}, {firings}; ω is without bound",
                count(self.nodes.len(), "node", "nodes"),
            );
        }
        format!(
            "reachability graph: {}, {firings}, {dead}, {}",
            count(self.nodes.len(), "marking", "markings"),
            count(terminal, "terminal component", "terminal components"),
        )
    }

    /// What is in a node, `2·p + q`, part by part.
    pub fn parts(&self, node: &Node, names: &Names) -> Vec<String> {
        let part = |&(place, held): &(PlaceId, u64)| match held {
            1 => names.places[place.index()].clone(),
            OMEGA => format!("ω·{}", names.places[place.index()]),
            n => format!("{n}·{}", names.places[place.index()]),
        };
        match node.tokens.is_empty() {
            true => vec!["∅".to_owned()],
            false => node.tokens.iter().map(part).collect(),
        }
    }

    /// Edges between the same two nodes together: from, to, what fires, whether one is highlighted.
    pub fn bundles(&self, names: &Names) -> Vec<(u32, u32, String, bool)> {
        let mut bundles: BTreeMap<(u32, u32), (Vec<&str>, bool)> = BTreeMap::new();
        for (at, edge) in self.edges.iter().enumerate() {
            let bundle = bundles.entry((edge.from, edge.to)).or_default();
            bundle.0.push(&names.transitions[edge.transition.index()]);
            bundle.1 |= self.bright.contains(&at);
        }
        let said = |fired: Vec<&str>| match fired.len() {
            0..=3 => fired.join(", "),
            n => format!("{}, … ({n})", fired[..2].join(", ")),
        };
        let bundle = |((from, to), (fired, bright))| (from, to, said(fired), bright);
        bundles.into_iter().map(bundle).collect()
    }
}

/// A graph as a picture has it: long names clipped, and all of what was clipped for whoever points
/// at it.
pub(super) struct Shown {
    /// What each node says, part by part.
    pub(super) parts: Vec<Vec<String>>,
    /// All of it, by node, where something of it was clipped.
    pub(super) wholes: Vec<Option<String>>,
    /// Edges between the same two nodes together: from, to, what fires, whether one is highlighted.
    pub(super) bundles: Vec<(u32, u32, String, bool)>,
    /// What fires in full, by bundle, where something of it was clipped.
    pub(super) all_fired: Vec<Option<String>>,
}

impl Shown {
    pub(super) fn of(view: &View<'_>) -> Shown {
        let names = Names::for_people(view.net).with_shared();
        let short = names.clipped();
        let parts: Vec<Vec<String>> =
            view.nodes.iter().map(|node| view.parts(node, &short)).collect();
        let whole = |(node, parts): (&Node, &Vec<String>)| {
            let all = view.parts(node, &names);
            (all != *parts).then(|| all.join(" + "))
        };
        let wholes = view.nodes.iter().zip(&parts).map(whole).collect();
        let bundles = view.bundles(&short);
        let fired = view.bundles(&names).into_iter().zip(&bundles);
        let all_fired = fired.map(|(all, short)| (all.2 != short.2).then_some(all.2)).collect();
        Shown { parts, wholes, bundles, all_fired }
    }
}
