//! The status of a written query: the answer that a solver should find, as far as it is certain.
//!
//! The status is about the query, which may differ from the answer about the goal. It is
//!
//! - *sat* if Parikh finds a firing sequence to the goal, and the solution that it describes
//!   satisfies all assertions in exact arithmetic. For clauses, the built-in SAT solver proposes
//!   the solution;
//! - *unsat* if the query is exact and Parikh proves that the goal is unreachable, with a
//!   certificate and without assumptions. Also if the constraints without disjunctions exclude
//!   each conjunction of the goal, with certificates in exact arithmetic;
//! - *unknown* otherwise.

use super::EncodeGoal;
use super::question::EncodedQuery;
use parikh::answer::{AnswerWitness, GoalAnswer, Grade, Plan, QuestionValue};
use parikh::run::{self, Event, RunConfig};
use parikh_encodings::predicate::cubes;
use parikh_encodings::{EncodedGoal, propositional::PropositionalGoal};
use parikh_net::{FiringSequence, Goal, Net, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::lp::LpAnswer;
use parikh_solvers::sat::{SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::BatSat;
use parikh_solvers::smt_lib::ExpectedAnswer;

/// The answer that a solver should find, with the reason.
pub(super) struct QueryStatus {
    pub(super) answer: ExpectedAnswer,
    /// The reason, for the head of the file.
    pub(super) reason: &'static str,
}

/// Limit on the number of conjunctions of a goal. Each is a linear program.
const MAX_CUBES: usize = 256;

/// The share of the time for linear programs and for the SAT solver, which come first.
const FIRST_SHARE: f64 = 0.3;

impl QueryStatus {
    /// The status of a query that was not analysed.
    pub(super) const NOT_ASKED: QueryStatus =
        QueryStatus { answer: ExpectedAnswer::Unknown, reason: "not asked for: see --status" };

    const OPEN: QueryStatus =
        QueryStatus { answer: ExpectedAnswer::Unknown, reason: "not determined within --status" };

    fn sat(reason: &'static str) -> QueryStatus {
        QueryStatus { answer: ExpectedAnswer::Satisfiable, reason }
    }

    fn unsat(reason: &'static str) -> QueryStatus {
        QueryStatus { answer: ExpectedAnswer::Unsatisfiable, reason }
    }

    /// Determines the status of a query about the goal `subject` within the budget. Clauses that
    /// use the claim of safe units are not exact: their status is never *unsat*.
    pub(super) fn determine(
        net: &Net,
        subject: &EncodeGoal,
        query: &mut EncodedQuery<'_>,
        budget: &Budget,
    ) -> QueryStatus {
        let Goal::Reach(predicate) = &subject.goal else {
            return of_maximum(query);
        };
        let first = match query {
            EncodedQuery::Terms(goal) => of_constraints(net, goal, predicate, budget),
            EncodedQuery::Clauses(goal) => of_clauses(goal, budget),
        };
        if let Some(status) = first {
            return status;
        }
        let Some(answer) = ask(net, predicate, budget) else { return QueryStatus::OPEN };
        let is_exact = match query {
            EncodedQuery::Terms(goal) => goal.is_exact(),
            EncodedQuery::Clauses(goal) => !goal.assumes_units(),
        };
        match (answer.value, query) {
            (QuestionValue::Bool(false), _)
                if is_exact
                    && !answer.assumes_units
                    && !matches!(answer.grade, Grade::Searched { .. }) =>
            {
                QueryStatus::unsat("parikh proved that the goal is unreachable")
            }
            (QuestionValue::Bool(true), EncodedQuery::Terms(goal))
                if answer
                    .exhibit
                    .as_ref()
                    .and_then(AnswerWitness::sequence)
                    .is_some_and(|sequence| goal.is_solved_by(sequence, predicate)) =>
            {
                QueryStatus::sat("a firing sequence to the goal, found by parikh, is a solution")
            }
            _ => QueryStatus::OPEN,
        }
    }
}

/// Returns the status of a query for a maximum: the initial marking is a solution, unless the model
/// claims something wrong.
fn of_maximum(query: &EncodedQuery<'_>) -> QueryStatus {
    match query {
        EncodedQuery::Terms(goal)
            if goal.is_solved_by(&FiringSequence::new(), &Predicate::True) =>
        {
            QueryStatus::sat("the initial marking is a solution")
        }
        _ => QueryStatus::OPEN,
    }
}

/// Solves a linear program for each conjunction of the goal, with all constraints that have no
/// disjunctions.
fn of_constraints(
    net: &Net,
    query: &mut EncodedGoal<'_>,
    goal: &Predicate,
    budget: &Budget,
) -> Option<QueryStatus> {
    // With several markings, the goal is about the last of them.
    if query.has_several_markings() {
        return None;
    }
    let budget = budget.share(FIRST_SHARE);
    let base = query.linear_part().ok()?;
    for cube in cubes(net, goal, MAX_CUBES)? {
        let comparisons = query.comparisons(&cube);
        let linear = base.with_assertions(query.terms(), &comparisons).ok()?;
        let mut solver = parikh_solvers::lp_chosen::incremental_lp(linear.program);
        match solver.solve_again(&budget) {
            LpAnswer::Infeasible(proof) if proof.certify(solver.program()).is_ok() => {}
            _ => return None,
        }
    }
    Some(QueryStatus::unsat("certificates in exact arithmetic show that it has no solution"))
}

/// Searches a solution of clauses with the built-in SAT solver, and checks it.
fn of_clauses(query: &PropositionalGoal<'_>, budget: &Budget) -> Option<QueryStatus> {
    let mut solver = BatSat::new();
    solver.add_all(query.cnf());
    match solver.solve(&[], &budget.share(FIRST_SHARE)) {
        SatAnswer::Satisfiable(values) if query.cnf().is_satisfied_by(&values) => {
            Some(QueryStatus::sat("a solution satisfies all clauses"))
        }
        _ => None,
    }
}

/// Asks the engines for the reachability of a goal. Returns `None` if the question stays open.
fn ask(net: &Net, goal: &Predicate, budget: &Budget) -> Option<GoalAnswer> {
    let mut plan = Plan::default();
    plan.ask_exists("goal", goal.clone());
    let config = RunConfig { short_witnesses: true, certified_only: true, ..RunConfig::default() };
    let mut answer = None;
    // A proof that assumes safe units is no certain answer, so the claim of the model is not used.
    run::run_net(&net.without_unit_claim(), plan, &config, budget, |event| match event {
        Event::Answered(given) => answer = Some(given.clone()),
        Event::Withdrawn { .. } => answer = None,
        _ => {}
    });
    answer
}
