//! Whether a run has a property, by visiting all markings that matter: the plainest way to find
//! out.
//!
//! A *node* is a marking and a state of the property's automaton. An edge of the automaton leads on
//! along each firing whose letter it reads; in a dead marking, nothing fires and it stays. A run
//! has the property if and only if some component of the nodes that are reached has edges with all
//! marks between them. Where only fair runs are meant, components are taken apart further
//! (`rounds`).
//!
//! The automaton is held against the formula both ways before ([`Tableau::check_complete`],
//! [`Tableau::check_sound`]). Markings at which no state is left, since the property cannot come
//! true any more, are not gone on from.

mod rounds;

use super::CASES;
use crate::certificate::Flaw;
use crate::certificate::markings::{packed, unpacked};
use parikh_net::run_property::RunProperty;
use parikh_net::{FireError, Marking, Net, TransitionId};
use parikh_temporal::{
    AutomatonLimits, AutomatonTooLarge, Letter, LinearTableau, Marks, TableauRefusal,
};
use rounds::{Graph, Way};
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
    TooLarge(#[from] AutomatonTooLarge),
    /// The automaton is not that of the formula.
    #[error("the automaton: {0}")]
    Automaton(#[from] TableauRefusal),
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

/// Visits the markings of `net`, at most so many, along which a run may have the property.
/// `goes_on` is asked at each.
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
    let tableau = LinearTableau::new(formulas, formula, AutomatonLimits::default())?;
    tableau.check_complete(formulas, formula, CASES)?;
    tableau.check_sound(formulas, formula)?;
    let automaton = &tableau.automaton;
    let mut nodes = Nodes::default();
    let mut graph = Graph::new(net, property.fairness(), Marks::all(automaton.marks));
    let initial = nodes.marking(net.initial());
    nodes.number((initial, automaton.initial));
    let mut edges = 0;
    while graph.after.len() < nodes.all.len() {
        if !goes_on() {
            return Err(Flaw::Stopped.into());
        }
        let (marking, state) = nodes.all[graph.after.len()];
        let marking = Marking::new(unpacked(&nodes.markings[marking as usize]));
        let mut after = Vec::new();
        for (letter, fires, next) in steps(net, property, &marking)? {
            for edge in automaton.states[state].iter().filter(|it| it.cube.holds(&letter)) {
                let node = (nodes.marking(&next), edge.target);
                let to = nodes.number(node);
                after.push(Way { to, marks: edge.marks, fires });
            }
        }
        if nodes.markings.len() as u64 > most.min(1 << 28) {
            return Err(Flaw::More(most).into());
        }
        edges += after.len();
        if edges > MOST_EDGES {
            return Err(Flaw::TooLarge("markings with states of the automaton".into()).into());
        }
        graph.push(&marking, after);
    }
    let has_run = graph.has_round(goes_on)?;
    Ok(Visited { markings: nodes.markings.len() as u64, has_run })
}

/// A step from a marking: its letter, what fires, and where it leads.
type MarkingStep = (Letter, Option<TransitionId>, Marking);

/// The steps from a marking.
fn steps(
    net: &Net,
    property: &RunProperty,
    marking: &Marking,
) -> Result<Vec<MarkingStep>, FireError> {
    if net.is_dead(marking) {
        return Ok(vec![(property.letter(net, marking, None), None, marking.clone())]);
    }
    let enabled = net.transitions().filter(|&t| net.is_enabled(marking, t));
    let step = |t| {
        let mut next = marking.clone();
        net.fire(&mut next, t)?;
        Ok((property.letter(net, marking, Some(t)), Some(t), next))
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
}
