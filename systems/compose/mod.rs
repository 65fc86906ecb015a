//! Components composed two by two, each time made as small as what is asked allows.
//!
//! A formula that sees only the labels that it names ([`crate::insensitive`]) does not see the
//! others either where these are no longer needed to keep components together: once all owners of a
//! label are in one graph, its steps are not seen, and states that then can do the same are one
//! ([`least`]). Ten components of ten states each may so become one of three.
//!
//! What is left at last is the whole system as far as the formula sees it, and is looked at
//! together with an automaton of the negation ([`small`]). Where some run of that is against the
//! formula, one of the system is, which [`expand`] finds by going back the way that was come; where
//! none is, none of the system is, and a checker composes again in the same order.
//!
//! Sources: S. Graf and B. Steffen, *Compositional minimization of finite state systems*, CAV 1990;
//! H. Garavel, F. Lang, *SVL: a scripting language for compositional verification*, FORTE 2001.

mod expand;
mod graph;
mod least;
mod small;

use crate::formula::KindAutomaton;
use crate::product::Product;
use crate::search::{Ending, Endings, Run, Search};
use crate::stubborn::Dependence;
use crate::system::{LabelId, System};
use graph::{Graph, together};
use least::least;
use std::collections::HashMap;

/// What components are composed to.
struct Node {
    /// The two that it is made of; none for a component.
    parts: Option<(usize, usize)>,
    /// Its states as they come about; of two parts, their states.
    whole: Graph,
    pairs: Vec<(u32, u32)>,
    /// What is left of it.
    seen: Graph,
}

/// A system put together as far as that makes it smaller.
pub(crate) struct Composition {
    nodes: Vec<Node>,
    order: Vec<(u32, u32)>,
    /// The nodes that are left.
    left: Vec<usize>,
    /// How many states there were before any were merged.
    states: usize,
    /// What is left, as a system with one label more for each component: its steps that are not
    /// seen.
    small: System,
    /// Of each of its labels the label of the system; none for those.
    labels: Vec<Option<LabelId>>,
    automaton: KindAutomaton,
    dependence: Dependence,
    is_cut: bool,
}

/// How looking for a run ended.
pub(crate) enum Composed {
    /// A run of the whole system is accepted.
    Run(Run),
    /// None is; so many joint states were visited.
    Nothing(usize),
    /// There are more than were allowed.
    TooMany,
    /// It was told to stop.
    Stopped,
}

/// No graph has more states than this, whatever is allowed.
const MOST_STATES: usize = 1 << 16;

impl Composition {
    /// Puts a system together, for an automaton that reads labels that it does not name like steps
    /// that may be put in and left out, as long as no graph has more than `most` states. `None`
    /// when it was told to stop.
    pub(crate) fn new(
        system: &System,
        automaton: &KindAutomaton,
        most: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Composition> {
        let count = system.components().len();
        let mut made = Tree { nodes: Vec::new(), states: 0 };
        // For each label how many of the graphs that are left have it; those of the formula are
        // kept.
        let mut holders: Vec<u32> =
            system.labels().map(|label| system.owners(label).len() as u32).collect();
        let named = automaton.labels();
        for component in 0..count as u32 {
            let whole = Graph::of(system, component);
            made.add(None, (whole, Vec::new()), |it| holders[it.index()] > 1, named, goes_on)?;
        }
        let mut left: Vec<usize> = (0..count).collect();
        let mut order = Vec::new();
        let mut tried = HashMap::new();
        let mut is_cut = false;
        // The last two are looked at together with the automaton, which goes to few of their
        // states.
        while left.len() > 2 {
            let (a, b) = made.best(&left, &holders, named, &mut tried, goes_on);
            let (one, other) = (&made.nodes[a].seen, &made.nodes[b].seen);
            let Some(both) = together(one, other, most.min(MOST_STATES), goes_on) else {
                if !goes_on() {
                    return None;
                }
                is_cut = most < MOST_STATES;
                break;
            };
            for label in one.labels.iter().filter(|&&it| other.owns(it)) {
                holders[label.index()] -= 1;
            }
            order.push((a as u32, b as u32));
            left.retain(|&it| it != a && it != b);
            left.push(made.nodes.len());
            made.add(Some((a, b)), both, |it| holders[it.index()] > 1, named, goes_on)?;
        }
        let Tree { nodes, states } = made;
        let graphs: Vec<&Graph> = left.iter().map(|&it| &nodes[it].seen).collect();
        let (small, labels, automaton) = small::system(system, &graphs, automaton);
        let dependence = Dependence::new(&small);
        Some(Composition {
            nodes,
            order,
            left,
            states,
            small,
            labels,
            automaton,
            dependence,
            is_cut,
        })
    }

    /// Whether more could be put together if graphs might have more states.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Which two were put together: their numbers, where each pair has the next number after those
    /// of the components and the pairs before.
    pub(crate) fn order(&self) -> &[(u32, u32)] {
        &self.order
    }

    /// How many states all graphs had that were put together, before any were merged.
    pub(crate) fn states(&self) -> usize {
        self.states
    }

    /// Looks for a run that is accepted.
    pub(crate) fn search(&self, most: usize, goes_on: &mut dyn FnMut() -> bool) -> Composed {
        let mut product = Product::new(&self.small, (0..self.left.len() as u32).collect());
        let search = Search::new(&self.small, &mut product, &self.automaton, Endings::Ignored);
        let outcome = search.with_fewer_steps(self.dependence.clone()).run(most, goes_on);
        match outcome.ending {
            Ending::Run(run) => {
                let unseen = self.small.label_count() - self.left.len();
                let moves = run.labels.iter().map(|it| match self.labels[it.index()] {
                    Some(label) => expand::Move::Label(label),
                    None => expand::Move::Unseen(it.index() - unseen),
                });
                let moves: Vec<expand::Move> = moves.collect();
                let found = expand::parts(&self.nodes, &self.left, &moves, run.back);
                found.map_or(Composed::TooMany, Composed::Run)
            }
            Ending::Nothing => Composed::Nothing(outcome.nodes),
            Ending::TooMany => Composed::TooMany,
            Ending::Stopped => Composed::Stopped,
        }
    }
}

/// The nodes so far.
struct Tree {
    nodes: Vec<Node>,
    states: usize,
}

impl Tree {
    fn add(
        &mut self,
        parts: Option<(usize, usize)>,
        (whole, pairs): (Graph, Vec<(u32, u32)>),
        is_shared: impl Fn(LabelId) -> bool,
        named: &[LabelId],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let (seen, _) = least(&whole, |label| is_shared(label) || named.contains(&label), goes_on)?;
        self.states += whole.edges.len();
        self.nodes.push(Node { parts, whole, pairs, seen });
        Some(())
    }

    /// The two to be put together next: of those that share a label, if any do, the ones that come
    /// to the fewest states. That is tried out where they are small.
    fn best(
        &self,
        open: &[usize],
        holders: &[u32],
        named: &[LabelId],
        tried: &mut HashMap<(usize, usize), usize>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> (usize, usize) {
        let mut best = (usize::MAX, usize::MAX, (open[0], open[1]));
        for (at, &a) in open.iter().enumerate() {
            for &b in &open[at + 1..] {
                let (one, other) = (&self.nodes[a].seen, &self.nodes[b].seen);
                let product = one.edges.len() * other.edges.len();
                let shares = one.labels.iter().any(|&it| other.owns(it));
                if !shares {
                    best = best.min((usize::MAX, product, (a, b)));
                    continue;
                }
                let ends = |label: LabelId| {
                    holders[label.index()] == 2 && one.owns(label) && other.owns(label)
                };
                let keeps = |label: LabelId| {
                    named.contains(&label) || (holders[label.index()] > 1 && !ends(label))
                };
                let left = *tried.entry((a, b)).or_insert_with(|| {
                    let made = together(one, other, MOST_TRIED, goes_on);
                    let left = made.and_then(|made| least(&made.0, keeps, goes_on));
                    left.map_or(product, |(left, _)| left.edges.len())
                });
                best = best.min((left, product, (a, b)));
            }
        }
        best.2
    }
}

/// Two graphs that have more states together are not put together only to see what is left.
const MOST_TRIED: usize = 1 << 12;
