//! The Boolean side: which comparisons to try next for a goal.
//!
//! One SAT solver knows the trees of all goals, each behind a literal of its own, and every lemma
//! as a clause. Asked for a goal, it either proposes comparisons that would make the goal true, or
//! finds that the lemmas forbid all of them: then the goal is unreachable.

use super::atoms::{AtomId, Node};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::dump::{Dump, recorded_sat};
use parikh_solvers::sat::{SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::BatSat;

/// What to do about a goal.
pub(super) enum Proposal {
    /// These comparisons together make it true.
    Try(Vec<AtomId>),
    /// Nothing is left that could.
    Refuted,
    /// Nothing is known.
    Unknown,
}

/// A comparison and its negation.
pub(super) type Split = (AtomId, AtomId);

/// See the module.
pub(super) struct Proposer {
    solver: Box<dyn SatSolver + Send>,
    atoms: Vec<Option<Literal>>,
}

impl Proposer {
    /// Nothing to propose yet.
    pub(super) fn new(dump: Option<&Dump>) -> Self {
        let solver = recorded_sat(BatSat::new(), dump);
        Proposer { solver, atoms: Vec::new() }
    }

    fn atom(&mut self, atom: AtomId) -> Literal {
        if self.atoms.len() <= atom.index() {
            self.atoms.resize(atom.index() + 1, None);
        }
        *self.atoms[atom.index()].get_or_insert_with(|| self.solver.new_variable())
    }

    /// Takes in a tree; its literal.
    pub(super) fn add(&mut self, node: &Node) -> Literal {
        match node {
            Node::Atom(atom) => self.atom(*atom),
            Node::Constant(value) => {
                let own = self.solver.new_variable();
                self.solver.add_clause(&[if *value { own } else { !own }]);
                own
            }
            // One direction is enough: comparisons occur only positively.
            Node::And(parts) => {
                let own = self.solver.new_variable();
                for part in parts {
                    let part = self.add(part);
                    self.solver.add_clause(&[!own, part]);
                }
                own
            }
            Node::Or(parts) => {
                let own = self.solver.new_variable();
                let mut clause = vec![!own];
                clause.extend(parts.iter().map(|part| self.add(part)));
                self.solver.add_clause(&clause);
                own
            }
        }
    }

    /// Proposes one of the two from now on, with every goal that asks for it.
    pub(super) fn split(&mut self, (low, high): Split) {
        let clause = [low, high].map(|atom| self.atom(atom));
        self.solver.add_clause(&clause);
    }

    /// Never proposes all of these again.
    pub(super) fn forbid(&mut self, atoms: impl Iterator<Item = AtomId>) {
        let clause: Vec<Literal> = atoms.map(|atom| !self.atom(atom)).collect();
        self.solver.add_clause(&clause);
    }

    /// What to try for the goal with this tree and literal, and on which side of each split. Among
    /// equals, comparisons that `likely` accepts come first.
    pub(super) fn propose(
        &mut self,
        tree: &Node,
        root: Literal,
        splits: &[Split],
        likely: &dyn Fn(AtomId) -> bool,
        budget: &Budget,
    ) -> Proposal {
        match self.solver.solve(&[root], budget) {
            SatAnswer::Unsatisfiable { .. } => Proposal::Refuted,
            SatAnswer::NoAnswer(_) => Proposal::Unknown,
            SatAnswer::Satisfiable(values) => {
                let atoms = &self.atoms;
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
                Proposal::Try(chosen)
            }
        }
    }
}

/// Picks comparisons that hold and suffice for the tree. Whether there are any.
fn choose(
    node: &Node,
    holds: &dyn Fn(AtomId) -> bool,
    likely: &dyn Fn(AtomId) -> bool,
    chosen: &mut Vec<AtomId>,
) -> bool {
    match node {
        Node::Constant(value) => *value,
        Node::Atom(atom) => {
            chosen.push(*atom);
            holds(*atom)
        }
        Node::And(parts) => parts.iter().all(|part| choose(part, holds, likely, chosen)),
        Node::Or(parts) => {
            let good = |part: &&Node| part.holds(&mut |atom| holds(atom) && likely(atom));
            let fair = |part: &&Node| part.holds(&mut |atom| holds(atom));
            let part = parts.iter().find(good).or_else(|| parts.iter().find(fair));
            part.is_some_and(|part| choose(part, holds, likely, chosen))
        }
    }
}
