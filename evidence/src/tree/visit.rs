//! Decides a branching-time property by visiting all markings.
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
const MOST_EDGES: usize = 1 << 27;

/// The maximum number of bytes of all markings, each of which is stored twice.
const MOST_BYTES: usize = 1 << 30;

/// The result of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeSearch {
    /// The number of visited markings.
    pub markings: u64,
    /// True if the property holds in the initial marking.
    pub holds: bool,
}

/// Visits the reachable markings of `net`, at most `most`. Calls `goes_on` at each.
///
/// # Errors
/// [`Flaw::More`] if there are more markings; [`Flaw::Stopped`],
/// [`Flaw::Overflow`], [`Flaw::TooLarge`].
pub fn visit_tree(
    net: &Net,
    property: &TreeProperty,
    most: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<TreeSearch, Flaw> {
    let graph = MarkingGraph::of(net, property, most, goes_on)?;
    let formulas = property.formulas();
    let mut is_stopped = false;
    let values = formulas.fold(property.formula(), |_, node, value: &PartValues<_, Vec<bool>>| {
        is_stopped |= !goes_on();
        if is_stopped {
            return vec![false; graph.after.len()];
        }
        graph.values(node, value)
    });
    if is_stopped {
        return Err(Flaw::Stopped);
    }
    Ok(TreeSearch { markings: graph.after.len() as u64, holds: values[0] })
}

/// The reachability graph. Marking 0 is the initial marking.
struct MarkingGraph {
    /// The successors of each marking, without duplicates.
    after: Vec<Vec<u32>>,
    /// The predecessors of each marking.
    before: Vec<Vec<u32>>,
    /// The value of each atom at each marking.
    letters: Vec<Vec<bool>>,
}

impl MarkingGraph {
    fn of(
        net: &Net,
        property: &TreeProperty,
        most: u64,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<MarkingGraph, Flaw> {
        let most = most.min(1 << 28);
        let first = packed(net.initial().tokens());
        let mut numbers: HashMap<Box<[u8]>, u32> = HashMap::from([(first.clone(), 0)]);
        let (mut markings, mut after) = (vec![first], Vec::new());
        let mut letters: Vec<Vec<bool>> = vec![Vec::new(); property.atoms().len()];
        let (mut edges, mut bytes) = (0, 0);
        while after.len() < markings.len() {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            let marking = Marking::new(unpacked(&markings[after.len()]));
            for (atom, holds) in property.atoms().iter().zip(&mut letters) {
                holds.push(atom.holds(net, &marking));
            }
            let mut successors = Vec::new();
            for t in net.transitions().filter(|&t| net.is_enabled(&marking, t)) {
                let mut next = marking.clone();
                net.fire(&mut next, t).map_err(|_| Flaw::Overflow)?;
                let next = packed(next.tokens());
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    bytes += 2 * next.len();
                    markings.push(next.clone());
                    markings.len() as u32 - 1
                });
                successors.push(number);
            }
            successors.sort_unstable();
            successors.dedup();
            edges += successors.len();
            after.push(successors);
            if markings.len() as u64 > most {
                return Err(Flaw::More(most));
            }
            if edges > MOST_EDGES {
                return Err(Flaw::TooLarge("too many firings between markings".into()));
            }
            if bytes > MOST_BYTES {
                return Err(Flaw::TooLarge("too many tokens and places in the markings".into()));
            }
        }
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); after.len()];
        for (from, successors) in (0..).zip(&after) {
            successors.iter().for_each(|&to| before[to as usize].push(from));
        }
        Ok(MarkingGraph { after, before, letters })
    }

    /// Returns the value of a formula at each marking, given the values of its operands.
    fn values(
        &self,
        node: &Node<Quantifier>,
        value: &PartValues<Quantifier, Vec<bool>>,
    ) -> Vec<bool> {
        let all = 0..self.after.len();
        let not = |values: Vec<bool>| values.into_iter().map(|it| !it).collect();
        match *node {
            Node::True => vec![true; self.after.len()],
            Node::False => vec![false; self.after.len()],
            Node::Literal(literal) => {
                let letters = &self.letters[literal.atom.0 as usize];
                letters.iter().map(|&it| it == literal.positive).collect()
            }
            Node::And(ref parts) => {
                all.map(|at| parts.iter().all(|&part| value[part][at])).collect()
            }
            Node::Or(ref parts) => {
                all.map(|at| parts.iter().any(|&part| value[part][at])).collect()
            }
            Node::Next(Quantifier::Exists, inner) => {
                all.map(|at| self.after[at].iter().any(|&to| value[inner][to as usize])).collect()
            }
            Node::Next(Quantifier::All, inner) => {
                all.map(|at| self.after[at].iter().all(|&to| value[inner][to as usize])).collect()
            }
            Node::Until(paths, left, right) => {
                self.least(paths, |at| value[right][at], |at| value[left][at])
            }
            // φ R ψ is the negation of ¬φ U ¬ψ of the other paths.
            Node::Release(Quantifier::Exists, left, right) => {
                not(self.least(Quantifier::All, |at| !value[right][at], |at| !value[left][at]))
            }
            Node::Release(Quantifier::All, left, right) => {
                not(self.least(Quantifier::Exists, |at| !value[right][at], |at| !value[left][at]))
            }
        }
    }

    /// Computes a least fixed point: the markings that satisfy `at_once`, and the markings that
    /// satisfy `through` and have a successor (or only successors, by `paths`) in the fixed point.
    fn least(
        &self,
        paths: Quantifier,
        at_once: impl Fn(usize) -> bool,
        through: impl Fn(usize) -> bool,
    ) -> Vec<bool> {
        let mut has: Vec<bool> = (0..self.after.len()).map(at_once).collect();
        let mut left: Vec<usize> = self.after.iter().map(Vec::len).collect();
        let mut row: Vec<usize> = (0..has.len()).filter(|&at| has[at]).collect();
        while let Some(at) = row.pop() {
            for &from in &self.before[at] {
                let from = from as usize;
                left[from] -= 1;
                let leads = paths == Quantifier::Exists || left[from] == 0;
                if leads && !has[from] && through(from) {
                    has[from] = true;
                    row.push(from);
                }
            }
        }
        has
    }
}
