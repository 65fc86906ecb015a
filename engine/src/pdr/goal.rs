//! Encodes the goal predicate as clauses, and extracts goal cubes from models.

use super::solver::{LiteralValues, MaybeLiteral, Solver, holds};
use super::terms::{BoundTerms, Cube, SumBound, cube};
use parikh_net::{Atom, Predicate};
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::SatSolver;

/// Returns a literal that implies `predicate`. The predicate has only comparisons as leaves.
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
        Predicate::And(parts) => {
            let parts: Vec<MaybeLiteral> =
                parts.iter().map(|it| encode(solver, terms, it)).collect();
            if parts.contains(&MaybeLiteral::Is(false)) {
                return MaybeLiteral::Is(false);
            }
            let own = solver.sat.new_variable();
            for part in parts {
                if let MaybeLiteral::Open(part) = part {
                    solver.sat.add_clause(&[!own, part]);
                }
            }
            MaybeLiteral::Open(own)
        }
        Predicate::Or(parts) => {
            let mut clause: Vec<Literal> = Vec::new();
            for part in parts {
                match encode(solver, terms, part) {
                    MaybeLiteral::Is(true) => return MaybeLiteral::Is(true),
                    MaybeLiteral::Is(false) => {}
                    MaybeLiteral::Open(literal) => clause.push(literal),
                }
            }
            let own = solver.sat.new_variable();
            clause.push(!own);
            solver.sat.add_clause(&clause);
            MaybeLiteral::Open(own)
        }
        // A predicate of comparisons has no other node types.
        _ => MaybeLiteral::Is(false),
    }
}

/// Returns a cube of markings that satisfy `predicate` and that contains the marking of `values`.
/// Returns `None` if `values` violate the predicate.
pub(super) fn part_of<S: SatSolver>(
    solver: &Solver<S>,
    terms: &mut BoundTerms<'_>,
    predicate: &Predicate,
    values: &LiteralValues,
) -> Option<Cube> {
    let mut bounds: Vec<SumBound> = Vec::new();
    collect(solver, terms, predicate, values, &mut bounds)?;
    bounds.retain(|&bound| terms.decide(bound) != Some(true));
    Some(cube(bounds))
}

fn collect<S: SatSolver>(
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
            bounds.push(holds(solver, terms, values, atom)?);
            Some(())
        }
        Predicate::And(parts) => {
            parts.iter().try_for_each(|part| collect(solver, terms, part, values, bounds))
        }
        Predicate::Or(parts) => {
            // Choose the disjunct that adds the fewest new bounds.
            let mut best: Option<Vec<SumBound>> = None;
            for part in parts {
                let mut own = Vec::new();
                if collect(solver, terms, part, values, &mut own).is_some() {
                    own.retain(|bound| !bounds.contains(bound));
                    if best.as_ref().is_none_or(|best| own.len() < best.len()) {
                        best = Some(own);
                    }
                }
            }
            bounds.extend(best?);
            Some(())
        }
        _ => None,
    }
}

/// Calls `each` for every comparison of a predicate that has no other leaves.
pub(super) fn for_each_atom(predicate: &Predicate, each: &mut dyn FnMut(&Atom)) {
    match predicate {
        Predicate::Atom(atom) => each(atom),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().for_each(|part| for_each_atom(part, each));
        }
        _ => {}
    }
}
