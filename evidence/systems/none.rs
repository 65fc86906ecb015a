//! Whether no run of some of the components is against a formula: all are visited.
//!
//! Of components some may be seen through some of their labels only ([`super::view`]).
//! Of the components that are left out nothing is known: a label that only they own may come at
//! any time, and one that they share waits for the others only. So every run of the whole system
//! is one of those components, with the same labels, and where none of theirs is against a formula
//! none of the system is.
//!
//! A *node* is a joint state and a state of the automaton of the negation, which is held against
//! the formula both ways before. A run against the formula is there if and only if some strongly
//! connected component of the nodes that are reached has edges with all marks between them. With
//! `recurrence`, only edges of one part are looked at together ([`super::recurrence`]): no run of
//! the system takes others for ever.
//!
//! Where the ends of runs count, a run may stay where no label can be taken all of whose owners are
//! among the components; the letter is then that of the label before. What is ready in a component
//! that is seen through some labels need not be so in the whole one, so there components are whole.

use super::Endings;
use super::negation::Negation;
use super::recurrence::{Part, parts};
use super::run::has_next;
use super::system::{Joint, System};
use super::terms::Linear;
use super::view::Member;
use parikh_net::components::components;
use parikh_temporal::Marks;
use std::collections::HashMap;

/// The most edges between nodes.
const MOST_EDGES: usize = 1 << 26;

/// What visiting showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visited {
    /// There is no run against the formula; so many nodes were visited.
    None(usize),
    /// There is one of these components.
    Some,
    /// There are more nodes than were allowed.
    More,
    /// It was told to stop.
    Stopped,
}

/// Of what no run against the formula is sought.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'c> {
    /// What the ends of runs count for.
    pub endings: Endings,
    /// The components, growing.
    pub members: &'c [Member],
    /// Whether what cannot come for ever is left out in the end; of infinite runs only.
    pub recurrence: bool,
}

/// Visits the joint states of some components along which a run may be against the formula.
///
/// # Errors
/// When there is no such component, or no automaton to go by.
pub fn visit(
    system: &System,
    formula: &Linear,
    claim: Claim<'_>,
    most: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Visited, String> {
    let Claim { endings, members, recurrence } = claim;
    system.can_see(members)?;
    if endings == Endings::Stutter && has_next(formula) {
        return Err("with a next operator, repetitions count".to_owned());
    }
    if endings == Endings::Stutter && members.iter().any(|it| it.labels.is_some()) {
        return Err("where finite runs count, components are whole".to_owned());
    }
    if endings == Endings::Stutter && recurrence {
        return Err("what comes for ever is about infinite runs, and finite ones count".to_owned());
    }
    let negation = Negation::new(system, formula)?;
    let parts = recurrence.then(|| parts(system, &negation));
    if parts.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Visited::None(0));
    }
    let seen = system.seen(members);
    Nodes::new(system, &seen, endings, &negation, parts).visit(most, goes_on)
}

/// A joint state, a state of the automaton, and the number of the letter before, where that
/// matters.
type Node = (Joint, usize, usize);

/// Where a step leads.
struct Edge<'s> {
    to: u32,
    /// Which edge of the automaton's state it takes.
    edge: u32,
    /// Its label; the staying at the end has none.
    label: Option<&'s str>,
}

struct Nodes<'a> {
    /// The components, as far as they are seen.
    seen: &'a System,
    endings: Endings,
    negation: &'a Negation<'a>,
    /// The parts, where they are looked at.
    parts: Option<Vec<Part<'a>>>,
    /// Labels none of whose owners are there, one of each kind.
    outside: Vec<&'a str>,
    /// The labels all of whose owners are there.
    inside: Vec<&'a str>,
    numbers: HashMap<Node, u32>,
    all: Vec<Node>,
    after: Vec<Vec<Edge<'a>>>,
}

impl<'a> Nodes<'a> {
    fn new(
        system: &'a System,
        seen: &'a System,
        endings: Endings,
        negation: &'a Negation<'a>,
        parts: Option<Vec<Part<'a>>>,
    ) -> Self {
        let (mut outside, mut inside) = (Vec::new(), Vec::new());
        let mut kinds = Vec::new();
        for label in system.labels() {
            match seen.owners(label).len() {
                0 => {
                    // One is as good as another with the same letter that is in the same parts.
                    let of: Vec<bool> =
                        parts.iter().flatten().map(|part| part.labels.contains(label)).collect();
                    let kind = (negation.letter_of(label), of);
                    if !kinds.contains(&kind) {
                        kinds.push(kind);
                        outside.push(label);
                    }
                }
                all if all == system.owners(label).len() => inside.push(label),
                _ => {}
            }
        }
        let (numbers, all, after) = Default::default();
        Self { seen, endings, negation, parts, outside, inside, numbers, all, after }
    }

    fn number(&mut self, node: Node) -> u32 {
        *self.numbers.entry(node).or_insert_with_key(|node| {
            self.all.push(node.clone());
            self.all.len() as u32 - 1
        })
    }

    fn visit(mut self, most: usize, goes_on: &mut dyn FnMut() -> bool) -> Result<Visited, String> {
        let automaton = &self.negation.automaton;
        for row in self.seen.starts() {
            match self.endings {
                Endings::Ignored => {
                    self.number((row, automaton.initial, 0));
                }
                // Before the first label, nothing holds.
                Endings::Stutter => {
                    for edge in &automaton.states[automaton.initial] {
                        if self.negation.reads(edge, 0) {
                            self.number((row.clone(), edge.target, 0));
                        }
                    }
                }
            }
        }
        let mut edges = 0;
        while self.after.len() < self.all.len() {
            if !goes_on() {
                return Ok(Visited::Stopped);
            }
            let node = self.all[self.after.len()].clone();
            let after = self.steps(&node);
            edges += after.len();
            self.after.push(after);
            if self.all.len() > most.min(1 << 28) || edges > MOST_EDGES {
                return Ok(Visited::More);
            }
        }
        let has_round = match &self.parts {
            None => self.has_round(|_, _| true),
            Some(parts) => parts.iter().any(|part| {
                self.has_round(|state, it| {
                    part.edges.contains(&(state, it.edge as usize))
                        && it.label.is_some_and(|label| part.labels.contains(label))
                })
            }),
        };
        Ok(if has_round { Visited::Some } else { Visited::None(self.all.len()) })
    }

    fn steps(&mut self, (row, state, last): &Node) -> Vec<Edge<'a>> {
        let mut steps: Vec<(Option<&'a str>, usize, Joint)> = Vec::new();
        let mut must_go_on = false;
        for (label, next) in self.seen.steps(row) {
            must_go_on |= self.inside.contains(&label);
            steps.push((Some(label), self.negation.letter_of(label), next));
        }
        let outside = self.outside.iter();
        steps.extend(
            outside.map(|&label| (Some(label), self.negation.letter_of(label), row.clone())),
        );
        if self.endings == Endings::Stutter && !must_go_on {
            steps.push((None, *last, row.clone()));
        }
        let negation = self.negation;
        let mut after = Vec::new();
        for (label, letter, next) in steps {
            for (edge, its) in (0..).zip(&negation.automaton.states[*state]) {
                if negation.reads(its, letter) {
                    let last = if self.endings == Endings::Stutter { letter } else { 0 };
                    let to = self.number((next.clone(), its.target, last));
                    after.push(Edge { to, edge, label });
                }
            }
        }
        after
    }

    /// Whether, along the steps that are allowed, some component has edges that carry all marks.
    fn has_round(&self, allowed: impl Fn(usize, &Edge<'a>) -> bool) -> bool {
        let automaton = &self.negation.automaton;
        let wanted = Marks::all(automaton.marks);
        let rows: Vec<Vec<(u32, Marks)>> = self
            .after
            .iter()
            .zip(&self.all)
            .map(|(edges, &(_, state, _))| {
                let kept = edges.iter().filter(|it| allowed(state, it));
                kept.map(|it| (it.to, automaton.states[state][it.edge as usize].marks)).collect()
            })
            .collect();
        let next = |node: u32, k: u32| rows[node as usize].get(k as usize).map(|&(next, _)| next);
        let found = components(rows.len() as u32, next);
        let mut carried: Vec<Option<Marks>> = vec![None; found.count as usize];
        for (node, edges) in rows.iter().enumerate() {
            for &(next, marks) in edges {
                if found.of[next as usize] == found.of[node] {
                    let all = &mut carried[found.of[node] as usize];
                    *all = Some(all.unwrap_or(Marks::NONE).or(marks));
                }
            }
        }
        carried.into_iter().flatten().any(|marks| wanted.within(marks))
    }
}
