//! Whether a run has a property, by visiting all markings: the plainest way to find out.
//!
//! The markings are numbered as they are met, each with its firings; a dead one stays where it is. A
//! *node* is a marking and a state of the property's automaton, and an edge of the automaton leads
//! on along each firing whose letter it reads. A run has the property if and only if some component
//! of nodes that is reached has edges with all marks between them.
//!
//! The automaton is held against the formula both ways before
//! ([`Tableau::check_complete`], [`Tableau::check_sound`]).

use super::CASES;
use crate::certificate::Flaw;
use crate::certificate::markings::{packed, unpacked, visit};
use parikh_net::components::components;
use parikh_net::run_property::RunProperty;
use parikh_net::{Marking, Net};
use parikh_temporal::{Letter, Limits, Marks, Refusal, Tableau, TooLarge};
use std::collections::HashMap;

/// The most edges between nodes.
const MOST_EDGES: usize = 1 << 26;

/// Why it is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VisitFlaw {
    /// The markings are too many, or it was told to stop.
    #[error(transparent)]
    Markings(#[from] Flaw),
    /// There is no automaton of a size that is worth it.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The automaton is not that of the formula.
    #[error("the automaton: {0}")]
    Automaton(#[from] Refusal),
}

/// The markings of a net, and what leads from one to another.
pub struct Graph<'n> {
    net: &'n Net,
    /// Packed.
    markings: Vec<Box<[u8]>>,
    numbers: HashMap<Box<[u8]>, u32>,
}

impl<'n> Graph<'n> {
    /// The reachable markings, at most so many. `goes_on` is asked at every one.
    ///
    /// # Errors
    /// As [`visit`].
    pub fn of(net: &'n Net, most: u64, goes_on: &mut dyn FnMut() -> bool) -> Result<Self, Flaw> {
        let mut markings = Vec::new();
        visit(net, most.min(1 << 28), |marking| {
            markings.push(packed(marking.tokens()));
            goes_on()
        })?;
        let numbers = markings.iter().cloned().zip(0..).collect();
        Ok(Graph { net, markings, numbers })
    }

    /// How many markings there are.
    pub fn count(&self) -> usize {
        self.markings.len()
    }

    /// Whether some run has the property.
    ///
    /// # Errors
    /// Why it is not known.
    pub fn has_run(
        &self,
        property: &RunProperty,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, VisitFlaw> {
        let (formulas, formula) = (property.formulas(), property.formula());
        let tableau = Tableau::new(formulas, formula, Limits::default())?;
        tableau.check_complete(formulas, formula, CASES)?;
        tableau.check_sound(formulas, formula)?;
        let automaton = &tableau.automaton;
        let mut nodes = Nodes::default();
        nodes.number((0, automaton.initial));
        let mut edges = 0;
        while nodes.after.len() < nodes.all.len() {
            if !goes_on() {
                return Err(Flaw::Stopped.into());
            }
            let (marking, state) = nodes.all[nodes.after.len()];
            let mut after = Vec::new();
            for (letter, next) in self.steps(marking, property)? {
                for edge in automaton.states[state].iter().filter(|it| it.cube.holds(&letter)) {
                    after.push((nodes.number((next, edge.target)), edge.marks));
                }
            }
            edges += after.len();
            if edges > MOST_EDGES {
                return Err(Flaw::TooLarge("markings with states of the automaton".into()).into());
            }
            nodes.after.push(after);
        }
        Ok(nodes.has_round(Marks::all(automaton.marks)))
    }

    /// Where one step leads from a marking, and the letters along it.
    fn steps(&self, from: u32, property: &RunProperty) -> Result<Vec<(Letter, u32)>, Flaw> {
        let marking = &Marking::new(unpacked(&self.markings[from as usize]));
        if self.net.is_dead(marking) {
            return Ok(vec![(property.letter(self.net, marking, None), from)]);
        }
        let enabled = self.net.transitions().filter(|&t| self.net.is_enabled(marking, t));
        let step = |t| {
            let mut next = marking.clone();
            self.net.fire(&mut next, t).map_err(|_| Flaw::Overflow)?;
            // It was visited.
            let next =
                self.numbers.get(&packed(next.tokens())).copied().ok_or(Flaw::DoesNotFollow)?;
            Ok((property.letter(self.net, marking, Some(t)), next))
        };
        enabled.map(step).collect()
    }
}

/// A marking and a state of the automaton.
type Node = (u32, usize);

/// The nodes that were met.
#[derive(Default)]
struct Nodes {
    all: Vec<Node>,
    numbers: HashMap<Node, u32>,
    /// By node where edges lead, and the marks that they carry.
    after: Vec<Vec<(u32, Marks)>>,
}

impl Nodes {
    fn number(&mut self, node: Node) -> u32 {
        *self.numbers.entry(node).or_insert_with(|| {
            self.all.push(node);
            self.all.len() as u32 - 1
        })
    }

    /// Whether some component has edges that carry all of these marks.
    fn has_round(&self, wanted: Marks) -> bool {
        let next =
            |node: u32, k: u32| self.after[node as usize].get(k as usize).map(|&(next, _)| next);
        let found = components(self.after.len() as u32, next);
        let mut carried: Vec<Option<Marks>> = vec![None; found.count as usize];
        for (node, edges) in self.after.iter().enumerate() {
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
