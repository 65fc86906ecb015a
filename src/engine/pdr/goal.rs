//! What is to be reached, as clauses, and the cubes it consists of.

use super::solver::{MaybeLiteral, Solver, Values, holds};
use super::terms::{Bound, Cube, Terms, cube};
use parikh_net::{Atom, Predicate};
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::SatSolver;

/// A literal from which it follows that `predicate` holds, which has comparisons as its only
/// leaves.
pub(super) fn encode<S: SatSolver>(
    solver: &mut Solver<S>,
    terms: &mut Terms<'_>,
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
        // Nothing else is left in a predicate of comparisons.
        _ => MaybeLiteral::Is(false),
    }
}

/// A cube of markings that satisfy `predicate`, with the one that `values` stand for; `None` when
/// they do not satisfy it.
pub(super) fn part_of<S: SatSolver>(
    solver: &Solver<S>,
    terms: &mut Terms<'_>,
    predicate: &Predicate,
    values: &Values,
) -> Option<Cube> {
    let mut bounds: Vec<Bound> = Vec::new();
    collect(solver, terms, predicate, values, &mut bounds)?;
    bounds.retain(|&bound| terms.decide(bound) != Some(true));
    Some(cube(bounds))
}

fn collect<S: SatSolver>(
    solver: &Solver<S>,
    terms: &mut Terms<'_>,
    predicate: &Predicate,
    values: &Values,
    bounds: &mut Vec<Bound>,
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
            // The part that asks for least besides what is asked for already.
            let mut best: Option<Vec<Bound>> = None;
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

/// The comparisons of a predicate that has no other leaves.
pub(super) fn for_each_atom(predicate: &Predicate, each: &mut dyn FnMut(&Atom)) {
    match predicate {
        Predicate::Atom(atom) => each(atom),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().for_each(|part| for_each_atom(part, each));
        }
        _ => {}
    }
}
