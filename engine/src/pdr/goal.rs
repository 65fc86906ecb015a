//! Encodes the goal predicate as clauses, and extracts goal cubes from models.

use super::solver::{LiteralValues, MaybeLiteral, Solver, satisfied_bound};
use super::terms::{BoundTerms, Cube, SumBound, cube};
use parikh_net::{Atom, Predicate};
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::SatSolver;

/// Returns a literal that implies `predicate`, after adding the clauses for it. Returns a constant
/// if the predicate is found to be always true or always false. The leaves of the predicate are
/// comparisons and truth constants.
pub(super) fn encode<S: SatSolver>(
    solver: &mut Solver<S>,
    terms: &mut BoundTerms<'_>,
    predicate: &Predicate,
) -> MaybeLiteral {
    match predicate {
        Predicate::True => MaybeLiteral::Is(true),
        Predicate::Atom(atom) => match terms.bound(atom) {
            Some(bound) => solver.literal(terms, bound),
            None => MaybeLiteral::Is(0 <= atom.bound),
        },
        Predicate::And(operands) => {
            let operands: Vec<MaybeLiteral> =
                operands.iter().map(|it| encode(solver, terms, it)).collect();
            if operands.contains(&MaybeLiteral::Is(false)) {
                return MaybeLiteral::Is(false);
            }
            let node_literal = solver.sat.new_variable();
            for operand in operands {
                if let MaybeLiteral::Open(operand) = operand {
                    solver.sat.add_clause(&[!node_literal, operand]);
                }
            }
            MaybeLiteral::Open(node_literal)
        }
        Predicate::Or(operands) => {
            let mut clause: Vec<Literal> = Vec::new();
            for operand in operands {
                match encode(solver, terms, operand) {
                    MaybeLiteral::Is(true) => return MaybeLiteral::Is(true),
                    MaybeLiteral::Is(false) => {}
                    MaybeLiteral::Open(literal) => clause.push(literal),
                }
            }
            let node_literal = solver.sat.new_variable();
            clause.push(!node_literal);
            solver.sat.add_clause(&clause);
            MaybeLiteral::Open(node_literal)
        }
        // The constant `False`, and leaves that do not occur in a predicate of comparisons.
        _ => MaybeLiteral::Is(false),
    }
}

/// Returns a cube of markings that satisfy `predicate` and that contains the marking of `values`.
/// Returns `None` if the bounds that hold in `values` do not imply the predicate.
pub(super) fn goal_cube<S: SatSolver>(
    solver: &Solver<S>,
    terms: &mut BoundTerms<'_>,
    predicate: &Predicate,
    values: &LiteralValues,
) -> Option<Cube> {
    let mut bounds: Vec<SumBound> = Vec::new();
    collect_bounds(solver, terms, predicate, values, &mut bounds)?;
    bounds.retain(|&bound| terms.decide(bound) != Some(true));
    Some(cube(bounds))
}

/// Adds bounds to `bounds` that hold under `values` and together imply the predicate. Returns
/// `None` if the bounds that hold under `values` do not imply the predicate. Then `bounds` may have
/// useless new entries.
fn collect_bounds<S: SatSolver>(
    solver: &Solver<S>,
    terms: &mut BoundTerms<'_>,
    predicate: &Predicate,
    values: &LiteralValues,
    bounds: &mut Vec<SumBound>,
) -> Option<()> {
    match predicate {
        Predicate::True => Some(()),
        Predicate::Atom(atom) if atom.sum.is_zero() => (0 <= atom.bound).then_some(()),
        Predicate::Atom(atom) => {
            bounds.push(satisfied_bound(solver, terms, values, atom)?);
            Some(())
        }
        Predicate::And(operands) => operands
            .iter()
            .try_for_each(|operand| collect_bounds(solver, terms, operand, values, bounds)),
        Predicate::Or(operands) => {
            // Choose the disjunct that adds the fewest new bounds.
            let mut best: Option<Vec<SumBound>> = None;
            for operand in operands {
                let mut added_bounds = Vec::new();
                if collect_bounds(solver, terms, operand, values, &mut added_bounds).is_some() {
                    added_bounds.retain(|bound| !bounds.contains(bound));
                    if best.as_ref().is_none_or(|best| added_bounds.len() < best.len()) {
                        best = Some(added_bounds);
                    }
                }
            }
            bounds.extend(best?);
            Some(())
        }
        _ => None,
    }
}

/// Calls `visit` for every comparison of a predicate that has only comparisons as leaves.
pub(super) fn for_each_atom(predicate: &Predicate, visit: &mut dyn FnMut(&Atom)) {
    match predicate {
        Predicate::Atom(atom) => visit(atom),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().for_each(|part| for_each_atom(part, visit));
        }
        _ => {}
    }
}
