//! One question to one back-end: whether an encoded goal has a solution.

use crate::backends::{Backend, smt_solver};
use crate::goals::ReachabilityGoal;
use crate::measurement::EncodingOutcome;
use parikh_encodings::propositional::{PropositionalGoal, TokenEncoding};
use parikh_encodings::{EncodeError, EncodedGoal, Encoding, predicate};
use parikh_net::{Facts, Goal, Net};
use parikh_solvers::Budget;
use parikh_solvers::linear_terms::{Linear, NotLinear};
use parikh_solvers::lp::{LpAnswer, LpSolver};
use parikh_solvers::sat::{SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::BatSat;
use parikh_solvers::smt::SmtAnswer;

/// The largest number of conjunctions of comparisons into which a goal is split. Each conjunction
/// is a separate linear program.
const MAX_CUBES: usize = 256;

/// Solves a linear program per conjunction of the goal. The goal is refuted if all are infeasible,
/// each with a certificate that holds.
pub(crate) fn outcome_by_linear_programs(
    net: &Net,
    target: &ReachabilityGoal,
    question: &mut EncodedGoal<'_>,
    solver: &mut dyn LpSolver,
    budget: &Budget,
) -> EncodingOutcome {
    let Some(cubes) = predicate::cubes(net, &target.goal, MAX_CUBES) else {
        return EncodingOutcome::HasDisjunctions;
    };
    let Ok(base) = question.linear_constraints() else { return EncodingOutcome::HasDisjunctions };
    // A cube is a conjunction of comparisons.
    for cube in cubes {
        let comparisons = question.comparisons(&cube);
        let linear: Result<Linear, NotLinear> =
            base.with_assertions(question.terms(), &comparisons);
        let Ok(linear) = linear else { return EncodingOutcome::HasDisjunctions };
        match solver.solve(&linear.program, budget) {
            LpAnswer::Infeasible(certificate) => {
                if certificate.certify(&linear.program).is_err() {
                    return EncodingOutcome::Uncertified;
                }
            }
            LpAnswer::Optimal(_) | LpAnswer::Unbounded => return EncodingOutcome::Candidate,
            LpAnswer::NoAnswer(_) => return EncodingOutcome::GaveUp,
        }
    }
    EncodingOutcome::Refuted
}

/// Solves the clauses with the SAT solver. Returns the outcome (reached if there is a solution) and
/// the number of clauses, which is 0 if nothing was encoded.
pub(crate) fn outcome_by_sat(
    net: &Net,
    goal: &Goal,
    encoding: &Encoding,
    values: TokenEncoding,
    facts: &Facts,
    budget: &Budget,
) -> (EncodingOutcome, usize) {
    let question = match PropositionalGoal::new(net, goal, encoding, values, facts) {
        Ok(question) => question,
        Err(EncodeError::TooManyValues(_)) => return (EncodingOutcome::GaveUp, 0),
        Err(_) => return (EncodingOutcome::NotAsked, 0),
    };
    let mut sat = BatSat::new();
    sat.add_all(question.cnf());
    let outcome = match sat.solve(&[], budget) {
        SatAnswer::Satisfiable(_) => EncodingOutcome::Reached,
        SatAnswer::Unsatisfiable { .. } => EncodingOutcome::NotWithin,
        SatAnswer::NoAnswer(_) => EncodingOutcome::GaveUp,
    };
    (outcome, question.cnf().clauses().len())
}

/// Asks an SMT solver. The goal is refuted if there is no solution.
pub(crate) fn outcome_by_smt(
    question: &EncodedGoal<'_>,
    backend: Backend,
    budget: &Budget,
) -> EncodingOutcome {
    let Some(mut solver) = smt_solver(backend) else {
        return match backend {
            // A linear program has no disjunctions, so it cannot decide the base case of an
            // induction.
            Backend::Highs | Backend::MicroLp => EncodingOutcome::HasDisjunctions,
            _ => EncodingOutcome::NotAsked,
        };
    };
    for assertion in question.assertions() {
        if solver.assert(question.terms(), assertion).is_err() {
            return EncodingOutcome::GaveUp;
        }
    }
    match solver.check(question.terms(), &[], budget) {
        Ok(SmtAnswer::Unsatisfiable { .. }) => EncodingOutcome::Refuted,
        Ok(SmtAnswer::Satisfiable(_)) => EncodingOutcome::Candidate,
        Ok(SmtAnswer::NoAnswer(_)) | Err(_) => EncodingOutcome::GaveUp,
    }
}
