//! The propositional part: selects the comparisons to try next for a goal.
//!
//! One SAT solver contains the trees of all goals, each implied by its own literal, and every lemma
//! as a clause. For a goal it either proposes comparisons that would make the goal true, or finds
//! that the lemmas exclude all of them. Then the goal is unreachable.

use super::atoms::{AtomId, AtomNode};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::dump::{Dump, recorded_sat};
use parikh_solvers::sat::{SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::BatSat;

/// Result of asking for a proposal.
pub(super) enum Proposal {
    /// Comparisons that together make the goal true, with one side of each of the goal's splits.
    Candidate(Vec<AtomId>),
    /// The lemmas exclude every proposal for the goal, so the goal is unreachable.
    Refuted,
    /// The solver gave no answer, or its model does not make the goal and one side of each split
    /// true.
    Unknown,
}

/// The two sides of a split, at least one of which every firing sequence satisfies. They are a
/// comparison and its negation, or the two comparisons of a precedence.
pub(super) type Split = (AtomId, AtomId);

/// The proposing SAT solver. See the module documentation.
pub(super) struct Proposer {
    solver: Box<dyn SatSolver + Send>,
    /// The literal of each comparison, by `AtomId`. `None` until a tree, a split or a lemma
    /// mentions the comparison.
    literals: Vec<Option<Literal>>,
}

impl Proposer {
    /// Creates a solver without trees and lemmas.
    pub(super) fn new(dump: Option<&Dump>) -> Self {
        let solver = recorded_sat(BatSat::new(), dump);
        Proposer { solver, literals: Vec::new() }
    }

    /// Returns the literal of a comparison, which is created at the first call.
    fn literal_of(&mut self, atom: AtomId) -> Literal {
        if self.literals.len() <= atom.index() {
            self.literals.resize(atom.index() + 1, None);
        }
        *self.literals[atom.index()].get_or_insert_with(|| self.solver.new_variable())
    }

    /// Adds an atom tree. Returns a literal that implies the tree.
    pub(super) fn add_tree(&mut self, node: &AtomNode) -> Literal {
        match node {
            AtomNode::Atom(atom) => self.literal_of(*atom),
            AtomNode::Constant(value) => {
                let node_literal = self.solver.new_variable();
                self.solver.add_clause(&[if *value { node_literal } else { !node_literal }]);
                node_literal
            }
            // The literal of a node must imply the node, but not conversely, since comparisons and
            // nodes occur only positively.
            AtomNode::And(operands) => {
                let node_literal = self.solver.new_variable();
                for operand in operands {
                    let operand = self.add_tree(operand);
                    self.solver.add_clause(&[!node_literal, operand]);
                }
                node_literal
            }
            AtomNode::Or(operands) => {
                let node_literal = self.solver.new_variable();
                let mut clause = vec![!node_literal];
                clause.extend(operands.iter().map(|operand| self.add_tree(operand)));
                self.solver.add_clause(&clause);
                node_literal
            }
        }
    }

    /// Adds a split as a clause: at least one side is true. In a proposal for a goal with this
    /// split, one of the sides is included.
    pub(super) fn add_split(&mut self, (low, high): Split) {
        let clause = [low, high].map(|atom| self.literal_of(atom));
        self.solver.add_clause(&clause);
    }

    /// Excludes proposals that contain all of these comparisons.
    pub(super) fn forbid(&mut self, atoms: impl Iterator<Item = AtomId>) {
        let clause: Vec<Literal> = atoms.map(|atom| !self.literal_of(atom)).collect();
        self.solver.add_clause(&clause);
    }

    /// Proposes comparisons that make the goal with this tree and literal true, and one side of
    /// each split in `splits`. Comparisons accepted by `likely` are preferred.
    pub(super) fn propose(
        &mut self,
        tree: &AtomNode,
        root: Literal,
        splits: &[Split],
        likely: &dyn Fn(AtomId) -> bool,
        budget: &Budget,
    ) -> Proposal {
        match self.solver.solve(&[root], budget) {
            SatAnswer::Unsatisfiable { .. } => Proposal::Refuted,
            SatAnswer::NoAnswer(_) => Proposal::Unknown,
            SatAnswer::Satisfiable(values) => {
                let atoms = &self.literals;
                let holds = |atom: AtomId| {
                    let literal = atoms.get(atom.index()).copied().flatten();
                    literal.and_then(|literal| literal.evaluate(&values)) == Some(true)
                };
                let mut chosen = Vec::new();
                if !choose(tree, &holds, likely, &mut chosen) {
                    return Proposal::Unknown;
                }
                for &(low, high) in splits {
                    let side = if holds(low) && (likely(low) || !holds(high)) { low } else { high };
                    if !holds(side) {
                        return Proposal::Unknown;
                    }
                    chosen.push(side);
                }
                chosen.sort_unstable();
                chosen.dedup();
                Proposal::Candidate(chosen)
            }
        }
    }
}

/// Adds comparisons to `chosen` that hold in the solver's model and make the tree true. Returns
/// false if the model does not make the tree true.
fn choose(
    node: &AtomNode,
    holds: &dyn Fn(AtomId) -> bool,
    likely: &dyn Fn(AtomId) -> bool,
    chosen: &mut Vec<AtomId>,
) -> bool {
    match node {
        AtomNode::Constant(value) => *value,
        AtomNode::Atom(atom) => {
            chosen.push(*atom);
            holds(*atom)
        }
        AtomNode::And(operands) => {
            operands.iter().all(|operand| choose(operand, holds, likely, chosen))
        }
        AtomNode::Or(operands) => {
            let is_preferred =
                |operand: &&AtomNode| operand.holds(&mut |atom| holds(atom) && likely(atom));
            let is_true = |operand: &&AtomNode| operand.holds(&mut |atom| holds(atom));
            let operand =
                operands.iter().find(is_preferred).or_else(|| operands.iter().find(is_true));
            operand.is_some_and(|operand| choose(operand, holds, likely, chosen))
        }
    }
}
