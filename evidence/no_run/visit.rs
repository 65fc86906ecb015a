//! Whether a run has a property, by visiting all markings that matter: the plainest way to find out.
//!
//! A *node* is a marking and a state of the property's automaton. An edge of the automaton leads on
//! along each firing whose letter it reads; in a dead marking, nothing fires and it stays. A run has the
//! property if and only if some component of the nodes that are reached has edges with all marks
//! between them.
//!
//! The automaton is held against the formula both ways before
//! ([`Tableau::check_complete`], [`Tableau::check_sound`]). Markings at which no state is left, since
//! the property cannot come true any more, are not gone on from.

use super::CASES;
use crate::certificate::Flaw;
use crate::certificate::markings::{packed, unpacked};
use parikh_net::components::components;
use parikh_net::run_property::RunProperty;
use parikh_net::{FireError, Marking, Net};
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

impl From<FireError> for VisitFlaw {
    fn from(_: FireError) -> Self {
        VisitFlaw::Markings(Flaw::Overflow)
    }
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visited {
    /// How many markings were visited.
    pub markings: u64,
    /// Whether some run has the property.
    pub has_run: bool,
}

/// Visits the markings of `net`, at most so many, along which a run may have the property. `goes_on`
/// is asked at each.
///
/// # Errors
/// Why it is not known whether one has; [`Flaw::More`] where there are more markings.
pub fn visit_runs(
    net: &Net,
    property: &RunProperty,
    most: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Visited, VisitFlaw> {
    let (formulas, formula) = (property.formulas(), property.formula());
    let tableau = Tableau::new(formulas, formula, Limits::default())?;
    tableau.check_complete(formulas, formula, CASES)?;
    tableau.check_sound(formulas, formula)?;
    let automaton = &tableau.automaton;
    let mut nodes = Nodes::default();
    let initial = nodes.marking(net.initial());
    nodes.number((initial, automaton.initial));
    let mut edges = 0;
    while nodes.after.len() < nodes.all.len() {
        if !goes_on() {
            return Err(Flaw::Stopped.into());
        }
        let (marking, state) = nodes.all[nodes.after.len()];
        let marking = Marking::new(unpacked(&nodes.markings[marking as usize]));
        let mut after = Vec::new();
        for (letter, next) in steps(net, property, &marking)? {
            for edge in automaton.states[state].iter().filter(|it| it.cube.holds(&letter)) {
                let next = (nodes.marking(&next), edge.target);
                after.push((nodes.number(next), edge.marks));
            }
        }
        if nodes.markings.len() as u64 > most.min(1 << 28) {
            return Err(Flaw::More(most).into());
        }
        edges += after.len();
        if edges > MOST_EDGES {
            return Err(Flaw::TooLarge("markings with states of the automaton".into()).into());
        }
        nodes.after.push(after);
    }
    let has_run = nodes.has_round(Marks::all(automaton.marks));
    Ok(Visited { markings: nodes.markings.len() as u64, has_run })
}

/// Where one step leads from a marking, and the letters along it.
fn steps(
    net: &Net,
    property: &RunProperty,
    marking: &Marking,
) -> Result<Vec<(Letter, Marking)>, FireError> {
    if net.is_dead(marking) {
        return Ok(vec![(property.letter(net, marking, None), marking.clone())]);
    }
    let enabled = net.transitions().filter(|&t| net.is_enabled(marking, t));
    let step = |t| {
        let mut next = marking.clone();
        net.fire(&mut next, t)?;
        Ok((property.letter(net, marking, Some(t)), next))
    };
    enabled.map(step).collect()
}

/// A marking and a state of the automaton.
type Node = (u32, usize);

/// The nodes that were met.
#[derive(Default)]
struct Nodes {
    /// Markings by number, packed, and their numbers.
    markings: Vec<Box<[u8]>>,
    of_markings: HashMap<Box<[u8]>, u32>,
    all: Vec<Node>,
    numbers: HashMap<Node, u32>,
    /// By node where edges lead, and the marks that they carry.
    after: Vec<Vec<(u32, Marks)>>,
}

impl Nodes {
    fn marking(&mut self, marking: &Marking) -> u32 {
        let packed = packed(marking.tokens());
        if let Some(&number) = self.of_markings.get(&packed) {
            return number;
        }
        let number = self.markings.len() as u32;
        self.markings.push(packed.clone());
        self.of_markings.insert(packed, number);
        number
    }

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
