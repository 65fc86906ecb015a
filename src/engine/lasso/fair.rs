//! A search for an accepting run that is fair, in the product of the markings and an automaton.
//!
//! Nodes and edges are those of the plain search. What a fair run meets again and again is strongly
//! connected, carries all marks, and for each transition t that it has to be fair to, fires t, or
//! has a marking that disables t (weak fairness), or none that enables t (strong fairness). Weak
//! fairness is like a mark: if a component lacks it, so do all its parts. Where strong fairness to
//! t is lacking, the markings that enable t are left out, and the components of the rest looked at
//! in turn.
//!
//! All nodes that were met are looked at when there are four times as many as the last time, and
//! when there are no others: a run is found long before the graph ends where there is a short one.
//!
//! # Sources
//! E. A. Emerson, C.-L. Lei, *Modalities for model checking: branching time logic strikes back*,
//! Science of Computer Programming 8, 1987; M. R. Henzinger, J. A. Telle, *Faster algorithms for
//! the nonemptiness of Streett automata and for communication protocol pruning*, SWAT 1996.

use super::letters::Compiled;
use super::search::Run;
use crate::engine::explicit::state_space::Incomplete;
use crate::engine::markings::{Markings, Successor};
use parikh_net::components::components;
use parikh_temporal::Marks;
use std::collections::{HashMap, VecDeque};

/// What a run has to be to a transition, and the bits of letters that say how that is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fair {
    /// Whether strong fairness is asked for.
    pub(crate) strong: bool,
    /// Whether it is enabled.
    pub(crate) enabled: usize,
    /// Whether it fires.
    pub(crate) fires: usize,
}

/// Nodes at the first look.
const FIRST_LOOK: usize = 1 << 10;

/// An edge between nodes.
#[derive(Clone, Copy)]
struct Way {
    target: u32,
    marks: Marks,
    successor: Successor,
}

/// See the module.
pub(crate) struct FairSearch<'m, 'n, 'a> {
    markings: &'m mut Markings<'n>,
    automaton: &'a Compiled,
    fair: &'a [Fair],
    /// By marking and state the node.
    numbers: HashMap<(u32, u32), u32>,
    /// By node its marking and state.
    nodes: Vec<(u32, u32)>,
    /// By node that was expanded, where its edges begin.
    begins: Vec<usize>,
    ways: Vec<Way>,
}

/// What is met on a round, as the bits of letters.
struct Met {
    fired: Vec<u64>,
    ever: Vec<u64>,
    always: Vec<u64>,
    marks: Option<Marks>,
}

impl<'m, 'n, 'a> FairSearch<'m, 'n, 'a> {
    pub(crate) fn new(
        markings: &'m mut Markings<'n>,
        automaton: &'a Compiled,
        fair: &'a [Fair],
    ) -> Self {
        let (numbers, nodes) = (HashMap::new(), Vec::new());
        let (begins, ways) = (Vec::new(), Vec::new());
        FairSearch { markings, automaton, fair, numbers, nodes, begins, ways }
    }

    /// An accepted run that is fair, if there is one; `None` when all nodes were met and none is.
    /// Where `open` says so, a run may end where whatever follows is accepted: it can go on fairly.
    ///
    /// # Errors
    /// When the budget is spent first.
    pub(crate) fn run(&mut self, open: bool) -> Result<Option<Run>, Incomplete> {
        if self.automaton.states.is_empty() {
            return Ok(None);
        }
        self.number(0, self.automaton.initial)?;
        let mut next_look = FIRST_LOOK;
        while self.begins.len() < self.nodes.len() {
            let (marking, state) = self.nodes[self.begins.len()];
            if open && self.automaton.universal[state as usize] {
                let node = self.begins.len() as u32;
                let prefix = if node == 0 { Some(Vec::new()) } else { self.way_to(&[node]) };
                let prefix = edges(&prefix.ok_or(Incomplete::Full)?);
                return Ok(Some(Run { prefix, cycle: Vec::new() }));
            }
            self.expand(marking, state)?;
            if self.begins.len() == next_look {
                next_look *= 4;
                if let Some(run) = self.look()? {
                    return Ok(Some(run));
                }
            }
        }
        self.look()
    }

    fn expand(&mut self, marking: u32, state: u32) -> Result<(), Incomplete> {
        self.markings.expand(marking)?;
        self.begins.push(self.ways.len());
        let automaton = self.automaton;
        for edge in &automaton.states[state as usize] {
            for at in 0..self.markings.successors(marking).len() {
                let successor = self.markings.successors(marking)[at];
                let letter = self.markings.letter(marking);
                if edge.mask.reads(letter, self.markings.fired(successor.1)) {
                    let target = self.number(successor.0, edge.target)?;
                    self.ways.push(Way { target, marks: edge.marks, successor });
                }
            }
        }
        Ok(())
    }

    fn number(&mut self, marking: u32, state: u32) -> Result<u32, Incomplete> {
        if let Some(&node) = self.numbers.get(&(marking, state)) {
            return Ok(node);
        }
        let node = u32::try_from(self.nodes.len()).map_err(|_| Incomplete::Full)?;
        self.numbers.insert((marking, state), node);
        self.nodes.push((marking, state));
        Ok(node)
    }

    /// The edges of a node; of one that was not expanded none.
    fn after(&self, node: u32) -> &[Way] {
        let at = node as usize;
        let Some(&begin) = self.begins.get(at) else { return &[] };
        &self.ways[begin..self.begins.get(at + 1).copied().unwrap_or(self.ways.len())]
    }

    /// A fair run among the nodes that were met.
    fn look(&mut self) -> Result<Option<Run>, Incomplete> {
        const OUTSIDE: u32 = u32::MAX;
        let mut left: Vec<Vec<u32>> = vec![(0..self.begins.len() as u32).collect()];
        let mut local = vec![OUTSIDE; self.nodes.len()];
        while let Some(part) = left.pop() {
            self.markings.look_at_budget()?;
            (0..).zip(&part).for_each(|(at, &node)| local[node as usize] = at);
            let found = components(part.len() as u32, |at, k| {
                let way = self.after(part[at as usize]).get(k as usize)?;
                let target = local[way.target as usize];
                // An edge that leaves is as good as one that stays.
                Some(if target == OUTSIDE { at } else { target })
            });
            part.iter().for_each(|&node| local[node as usize] = OUTSIDE);
            let mut sorted: Vec<(u32, u32)> = found.of.into_iter().zip(part).collect();
            sorted.sort_unstable();
            for group in sorted.chunk_by(|one, other| one.0 == other.0) {
                let component: Vec<u32> = group.iter().map(|&(_, node)| node).collect();
                component.iter().for_each(|&node| local[node as usize] = 0);
                let inside = |node: u32| local[node as usize] == 0;
                let met = self.met(&component, &inside);
                let found = match self.lacks(&met) {
                    None => None,
                    Some(lacking) if lacking.is_empty() => {
                        let run = self.round(&component, &inside);
                        Some(run.ok_or(Incomplete::Full)?)
                    }
                    Some(lacking) => {
                        let rest = component.iter().copied().filter(|&node| {
                            let letter = self.letter(node);
                            !lacking.iter().any(|fair| has(letter, fair.enabled))
                        });
                        left.push(rest.collect());
                        None
                    }
                };
                if found.is_some() {
                    return Ok(found);
                }
                component.iter().for_each(|&node| local[node as usize] = OUTSIDE);
            }
        }
        Ok(None)
    }

    fn letter(&self, node: u32) -> &[u64] {
        self.markings.letter(self.nodes[node as usize].0)
    }

    /// All that is met in a component.
    fn met(&self, component: &[u32], inside: &dyn Fn(u32) -> bool) -> Met {
        let mut met = self.met_at(component.first().copied().unwrap_or(0));
        for &node in component {
            self.meet(&mut met, node);
            for way in self.after(node).iter().filter(|way| inside(way.target)) {
                self.go_along(&mut met, way);
            }
        }
        met
    }

    /// What is met at a node.
    fn met_at(&self, node: u32) -> Met {
        let letter = self.letter(node).to_vec();
        Met { fired: vec![0; letter.len()], ever: letter.clone(), always: letter, marks: None }
    }

    fn meet(&self, met: &mut Met, node: u32) {
        for (at, &word) in self.letter(node).iter().enumerate() {
            met.ever[at] |= word;
            met.always[at] &= word;
        }
    }

    fn go_along(&self, met: &mut Met, way: &Way) {
        met.marks = Some(met.marks.unwrap_or(Marks::NONE).or(way.marks));
        let fired = self.markings.fired(way.successor.1);
        met.fired.iter_mut().zip(fired).for_each(|(all, word)| *all |= word);
    }

    /// The strong fairness that a run lacks which meets all this again and again; nothing where one
    /// is not accepted, or not weakly fair.
    fn lacks(&self, met: &Met) -> Option<Vec<Fair>> {
        let has_all = |marks: Marks| self.automaton.all.within(marks);
        let waits = |fair: &&Fair| !has(&met.fired, fair.fires);
        let waiting = || self.fair.iter().filter(waits);
        let is_weak = !waiting().any(|fair| !fair.strong && has(&met.always, fair.enabled));
        let lacking = waiting().filter(|fair| fair.strong && has(&met.ever, fair.enabled));
        (met.marks.is_some_and(has_all) && is_weak).then(|| lacking.copied().collect())
    }

    /// A way into a component, and a round in it with all marks that is fair.
    fn round(&self, component: &[u32], inside: &dyn Fn(u32) -> bool) -> Option<Run> {
        let prefix = match inside(0) {
            true => Vec::new(),
            false => self.way_to(component)?,
        };
        let entry = prefix.last().map_or(0, |way| way.target);
        let (mut at, mut met, mut cycle) = (entry, self.met_at(entry), Vec::<Way>::new());
        loop {
            let carried = met.marks.unwrap_or(Marks::NONE);
            let missing = Marks(self.automaton.all.0 & !carried.0);
            let unfair = self.fair.iter().find(|fair| {
                let enabled = if fair.strong { &met.ever } else { &met.always };
                !has(&met.fired, fair.fires) && has(enabled, fair.enabled)
            });
            let piece = if missing != Marks::NONE {
                self.shortest(at, inside, &|way| way.marks.and(missing) != Marks::NONE)?
            } else if let Some(fair) = unfair {
                self.shortest(at, inside, &|way| {
                    let fires = has(self.markings.fired(way.successor.1), fair.fires);
                    fires || !fair.strong && !has(self.letter(way.target), fair.enabled)
                })?
            } else if cycle.is_empty() || at != entry {
                self.shortest(at, inside, &|way| way.target == entry)?
            } else {
                return Some(Run { prefix: edges(&prefix), cycle: edges(&cycle) });
            };
            for way in piece {
                self.go_along(&mut met, &way);
                self.meet(&mut met, way.target);
                at = way.target;
                cycle.push(way);
            }
        }
    }

    /// The shortest way from the first node to one of these, of which it is none.
    fn way_to(&self, nodes: &[u32]) -> Option<Vec<Way>> {
        self.shortest(0, &|_| true, &|way| nodes.binary_search(&way.target).is_ok())
    }

    /// The shortest row of edges to nodes that are allowed, at least one, whose last `ends` it.
    fn shortest(
        &self,
        from: u32,
        allowed: &dyn Fn(u32) -> bool,
        ends: &dyn Fn(&Way) -> bool,
    ) -> Option<Vec<Way>> {
        // By node how it was reached, and from where.
        let mut reached: HashMap<u32, (u32, Way)> = HashMap::new();
        let mut row = VecDeque::from([from]);
        while let Some(node) = row.pop_front() {
            for way in self.after(node).iter().filter(|way| allowed(way.target)) {
                if ends(way) {
                    let (mut all, mut at) = (vec![*way], node);
                    while at != from {
                        let &(before, way) = reached.get(&at)?;
                        all.push(way);
                        at = before;
                    }
                    all.reverse();
                    return Some(all);
                }
                if way.target != from && !reached.contains_key(&way.target) {
                    reached.insert(way.target, (node, *way));
                    row.push_back(way.target);
                }
            }
        }
        None
    }
}

fn edges(ways: &[Way]) -> Vec<Successor> {
    ways.iter().map(|way| way.successor).collect()
}

fn has(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 == 1
}
