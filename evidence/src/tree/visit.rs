//! Decides a branching-time (CTL) property by visiting all reachable markings.
//!
//! First, all reachable markings and the edges between them are computed. Then the subformulas are
//! evaluated in all markings, operands first. Least fixed points are computed backwards along the
//! edges from the markings where the right operand holds. Greatest fixed points are computed by
//! their complements.

use crate::certificate::Flaw;
use crate::certificate::markings::{packed, unpacked};
use parikh_net::{Marking, Net, TreeProperty};
use parikh_temporal::{Node, PartValues, Quantifier};
use std::collections::HashMap;

/// The maximum number of edges between markings.
const MAX_EDGES: usize = 1 << 27;

/// The maximum number of bytes of all markings. Each marking counts twice, because it is stored
/// twice.
const MAX_BYTES: usize = 1 << 30;

/// The result of visiting the reachable markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeSearch {
    /// The number of visited markings.
    pub markings: u64,
    /// True if the property holds in the initial marking.
    pub holds: bool,
}

/// Decides the property by visiting the reachable markings of `net`, at most `max_markings`, and
/// never more than 2²⁸. Calls `goes_on` for each marking, and then for each subformula.
///
/// # Errors
/// [`Flaw::More`] if there are more markings than the smaller of the two limits. [`Flaw::Stopped`]
/// when `goes_on` returns false, [`Flaw::Overflow`] of a place, or [`Flaw::TooLarge`] if the edges
/// or markings need too much memory.
pub fn visit_tree(
    net: &Net,
    property: &TreeProperty,
    max_markings: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<TreeSearch, Flaw> {
    let graph = MarkingGraph::of(net, property, max_markings, goes_on)?;
    let formulas = property.formulas();
    let mut is_stopped = false;
    let values = formulas.fold(property.formula(), |_, node, value: &PartValues<_, Vec<bool>>| {
        is_stopped |= !goes_on();
        if is_stopped {
            return vec![false; graph.successors.len()];
        }
        graph.evaluate(node, value)
    });
    if is_stopped {
        return Err(Flaw::Stopped);
    }
    Ok(TreeSearch { markings: graph.successors.len() as u64, holds: values[0] })
}

/// The reachability graph. Markings are numbered in the order of discovery, and marking 0 is the
/// initial marking.
struct MarkingGraph {
    /// The successors of each marking, without duplicates, by the marking's number.
    successors: Vec<Vec<u32>>,
    /// The predecessors of each marking, by the marking's number.
    predecessors: Vec<Vec<u32>>,
    /// The values of each atom: by the atom's number, then by the marking's number.
    atom_values: Vec<Vec<bool>>,
}

impl MarkingGraph {
    /// Computes the graph breadth-first, and evaluates the atoms of `property` at each marking.
    /// Returns the errors of [`visit_tree`].
    fn of(
        net: &Net,
        property: &TreeProperty,
        max_markings: u64,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<MarkingGraph, Flaw> {
        let max_markings = max_markings.min(1 << 28);
        let initial_marking = packed(net.initial().tokens());
        let mut numbers: HashMap<Box<[u8]>, u32> = HashMap::from([(initial_marking.clone(), 0)]);
        let (mut markings, mut successors_by_marking) = (vec![initial_marking], Vec::new());
        let mut atom_values: Vec<Vec<bool>> = vec![Vec::new(); property.atoms().len()];
        let (mut edge_count, mut byte_count) = (0, 0);
        while successors_by_marking.len() < markings.len() {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            let marking = Marking::new(unpacked(&markings[successors_by_marking.len()]));
            for (atom, holds) in property.atoms().iter().zip(&mut atom_values) {
                holds.push(atom.holds(net, &marking));
            }
            let mut successors = Vec::new();
            for t in net.transitions().filter(|&t| net.is_enabled(&marking, t)) {
                let mut next = marking.clone();
                net.fire(&mut next, t).map_err(|_| Flaw::Overflow)?;
                let next = packed(next.tokens());
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    byte_count += 2 * next.len();
                    markings.push(next.clone());
                    markings.len() as u32 - 1
                });
                successors.push(number);
            }
            successors.sort_unstable();
            successors.dedup();
            edge_count += successors.len();
            successors_by_marking.push(successors);
            if markings.len() as u64 > max_markings {
                return Err(Flaw::More(max_markings));
            }
            if edge_count > MAX_EDGES {
                return Err(Flaw::TooLarge("too many firings between markings".into()));
            }
            if byte_count > MAX_BYTES {
                return Err(Flaw::TooLarge("too many tokens and places in the markings".into()));
            }
        }
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); successors_by_marking.len()];
        for (from, successors) in (0..).zip(&successors_by_marking) {
            successors.iter().for_each(|&to| predecessors[to as usize].push(from));
        }
        Ok(MarkingGraph { successors: successors_by_marking, predecessors, atom_values })
    }

    /// Returns the value of a formula with this node at each marking, given the values of its
    /// operands.
    fn evaluate(
        &self,
        node: &Node<Quantifier>,
        value: &PartValues<Quantifier, Vec<bool>>,
    ) -> Vec<bool> {
        let numbers = 0..self.successors.len();
        let negate = |values: Vec<bool>| values.into_iter().map(|it| !it).collect();
        match *node {
            Node::True => vec![true; self.successors.len()],
            Node::False => vec![false; self.successors.len()],
            Node::Literal(literal) => {
                let atom_values = &self.atom_values[literal.atom.0 as usize];
                atom_values.iter().map(|&it| it == literal.positive).collect()
            }
            Node::And(ref parts) => {
                numbers.map(|marking| parts.iter().all(|&part| value[part][marking])).collect()
            }
            Node::Or(ref parts) => {
                numbers.map(|marking| parts.iter().any(|&part| value[part][marking])).collect()
            }
            Node::Next(Quantifier::Exists, inner) => numbers
                .map(|marking| self.successors[marking].iter().any(|&to| value[inner][to as usize]))
                .collect(),
            Node::Next(Quantifier::All, inner) => numbers
                .map(|marking| self.successors[marking].iter().all(|&to| value[inner][to as usize]))
                .collect(),
            Node::Until(paths, left, right) => self.least_fixed_point(
                paths,
                |marking| value[right][marking],
                |marking| value[left][marking],
            ),
            // E(φ R ψ) is the negation of A(¬φ U ¬ψ), and A(φ R ψ) that of E(¬φ U ¬ψ).
            Node::Release(Quantifier::Exists, left, right) => negate(self.least_fixed_point(
                Quantifier::All,
                |marking| !value[right][marking],
                |marking| !value[left][marking],
            )),
            Node::Release(Quantifier::All, left, right) => negate(self.least_fixed_point(
                Quantifier::Exists,
                |marking| !value[right][marking],
                |marking| !value[left][marking],
            )),
        }
    }

    /// Computes a least fixed point. It contains the markings that satisfy `is_base`. It also
    /// contains each marking that satisfies `may_pass` and has a successor in the fixed point. For
    /// `Quantifier::All`, all successors must be in the fixed point. The result has one flag per
    /// marking.
    fn least_fixed_point(
        &self,
        paths: Quantifier,
        is_base: impl Fn(usize) -> bool,
        may_pass: impl Fn(usize) -> bool,
    ) -> Vec<bool> {
        let mut in_fixed_point: Vec<bool> = (0..self.successors.len()).map(is_base).collect();
        let mut open_successors: Vec<usize> = self.successors.iter().map(Vec::len).collect();
        let mut worklist: Vec<usize> =
            (0..in_fixed_point.len()).filter(|&marking| in_fixed_point[marking]).collect();
        while let Some(marking) = worklist.pop() {
            for &predecessor in &self.predecessors[marking] {
                let predecessor = predecessor as usize;
                open_successors[predecessor] -= 1;
                let has_successor =
                    paths == Quantifier::Exists || open_successors[predecessor] == 0;
                if has_successor && !in_fixed_point[predecessor] && may_pass(predecessor) {
                    in_fixed_point[predecessor] = true;
                    worklist.push(predecessor);
                }
            }
        }
        in_fixed_point
    }
}
