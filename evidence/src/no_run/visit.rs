//! Decides whether a run has a property by visiting all relevant markings.
//!
//! A *node* is a marking with a state of the property's automaton. The letter of a firing is the
//! set of atoms that are true there. Each firing whose letter an edge of the automaton reads leads
//! to a node with the edge's target. A dead marking stutters, that is, repeats itself. A run has
//! the property if and only if some component of the reachable nodes has edges with all marks. If
//! only fair runs count, components are decomposed further (`rounds`).
//!
//! Before the visit, the automaton is checked against the formula in both directions
//! ([`LinearTableau::check_complete`], [`LinearTableau::check_sound`]). Markings without a state,
//! where the property can no longer become true, are not expanded.

mod rounds;

use super::MAX_CASES;
use crate::certificate::Flaw;
use crate::certificate::markings::{packed, unpacked};
use parikh_net::run_property::RunProperty;
use parikh_net::{FireError, Marking, Net, TransitionId};
use parikh_temporal::{
    AutomatonLimits, AutomatonTooLarge, Letter, LinearTableau, Marks, TableauRefusal,
};
use rounds::{ProductGraph, RunEdge};
use std::collections::HashMap;

/// The maximum number of edges between nodes, that is, between pairs of a marking and an automaton
/// state.
const MAX_EDGES: usize = 1 << 26;

/// The reason that the search for a run has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VisitFlaw {
    /// There are too many markings, edges or tokens, or `goes_on` returned false.
    #[error(transparent)]
    Markings(#[from] Flaw),
    /// The automaton of the property exceeds its limits.
    #[error(transparent)]
    TooLarge(#[from] AutomatonTooLarge),
    /// The check of the automaton against the formula failed.
    #[error("the automaton: {0}")]
    Automaton(#[from] TableauRefusal),
}

impl From<FireError> for VisitFlaw {
    fn from(_: FireError) -> Self {
        VisitFlaw::Markings(Flaw::Overflow)
    }
}

/// The result of the search for a run with a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSearch {
    /// The number of visited markings.
    pub markings: u64,
    /// True if some run has the property.
    pub has_run: bool,
}

/// Visits the markings of `net` along which a run may have the property, at most `max_markings`,
/// and never more than 2²⁸. Calls `goes_on` for each node, that is, for each pair of a marking and
/// an automaton state. Also calls it for each decomposition of the graph into components.
///
/// # Errors
/// [`Flaw::More`] if there are more markings than the smaller of the two limits. Another
/// [`VisitFlaw`] if the automaton or the graph is too large, the automaton fails its check, or
/// tokens overflow. [`Flaw::Stopped`] when `goes_on` returns false.
pub fn visit_runs(
    net: &Net,
    property: &RunProperty,
    max_markings: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<RunSearch, VisitFlaw> {
    let (formulas, formula) = (property.formulas(), property.formula());
    let tableau = LinearTableau::new(formulas, formula, AutomatonLimits::default())?;
    tableau.check_complete(formulas, formula, MAX_CASES)?;
    tableau.check_sound(formulas, formula)?;
    let automaton = &tableau.automaton;
    let mut nodes = ProductNodes::default();
    let mut graph = ProductGraph::new(net, property.fairness(), Marks::all(automaton.marks));
    let initial = nodes.marking_number(net.initial());
    nodes.node_number((initial, automaton.initial));
    let max_markings = max_markings.min(1 << 28);
    let mut edge_count = 0;
    while graph.outgoing.len() < nodes.nodes.len() {
        if !goes_on() {
            return Err(Flaw::Stopped.into());
        }
        let (marking, state) = nodes.nodes[graph.outgoing.len()];
        let marking = Marking::new(unpacked(&nodes.markings[marking as usize]));
        let mut outgoing = Vec::new();
        for (letter, fires, next) in steps(net, property, &marking)? {
            for edge in automaton.states[state].iter().filter(|it| it.cube.holds(&letter)) {
                let node = (nodes.marking_number(&next), edge.target);
                let to = nodes.node_number(node);
                outgoing.push(RunEdge { to, marks: edge.marks, fires });
            }
        }
        if nodes.markings.len() as u64 > max_markings {
            return Err(Flaw::More(max_markings).into());
        }
        edge_count += outgoing.len();
        if edge_count > MAX_EDGES {
            return Err(
                Flaw::TooLarge("too many markings with states of the automaton".into()).into()
            );
        }
        graph.push(&marking, outgoing);
    }
    let has_run = graph.has_fair_component(goes_on)?;
    Ok(RunSearch { markings: nodes.markings.len() as u64, has_run })
}

/// A step from a marking: the letter, the transition that fires (`None` for stuttering), and the
/// next marking.
type MarkingStep = (Letter, Option<TransitionId>, Marking);

/// Returns the steps from a marking: one per enabled transition, or the stuttering of a dead
/// marking.
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

/// A node: the number of a marking, and a state of the automaton.
type ProductNode = (u32, usize);

/// The nodes found so far, numbered in the order of discovery.
#[derive(Default)]
struct ProductNodes {
    /// Packed markings, by number.
    markings: Vec<Box<[u8]>>,
    /// The number assigned to a packed marking.
    marking_numbers: HashMap<Box<[u8]>, u32>,
    /// The nodes, by number.
    nodes: Vec<ProductNode>,
    /// The number assigned to a node.
    numbers: HashMap<ProductNode, u32>,
}

impl ProductNodes {
    /// Returns the number of a marking, after adding the marking if it is new.
    fn marking_number(&mut self, marking: &Marking) -> u32 {
        let packed = packed(marking.tokens());
        if let Some(&number) = self.marking_numbers.get(&packed) {
            return number;
        }
        let number = self.markings.len() as u32;
        self.markings.push(packed.clone());
        self.marking_numbers.insert(packed, number);
        number
    }

    /// Returns the number of a node, after adding the node if it is new.
    fn node_number(&mut self, node: ProductNode) -> u32 {
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        })
    }
}
