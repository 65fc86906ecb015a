//! The reachability goals behind the questions of an instance, with their known answers. Engines,
//! encodings and solvers are measured on these goals one by one.

use crate::error::Error;
use crate::exam::Exam;
use crate::instance::Instance;
use crate::oracle;
use parikh::formula::{Query, lower};
use parikh_net::{Goal, LinearSum, Net, Predicate};
use std::path::Path;

/// A question that is encoded as the reachability of a marking with some property.
#[derive(Clone, Debug)]
pub struct ReachabilityGoal {
    /// The examination.
    pub exam: Exam,
    /// The formula's id, or the examination's name.
    pub id: String,
    /// The predicate that a reachable marking should satisfy.
    pub goal: Predicate,
    /// True if such a marking is known to be reachable, false if it is known to be unreachable.
    /// `None` if neither is known.
    pub reachable: Option<bool>,
}

/// Returns the goals of an examination. These are the deadlock predicate, the predicate of EF, the
/// negated predicate of AG, and "more than the known maximum" for a bound. A formula is left out if
/// it cannot be translated, or is no single question about reachability or a bound. A bound without
/// a known value is left out, too.
///
/// # Errors
/// If the query file or the oracle cannot be read.
pub fn goals(
    instance: &Instance,
    net: &Net,
    exam: Exam,
    oracle: Option<&Path>,
) -> Result<Vec<ReachabilityGoal>, Error> {
    let known = match oracle {
        Some(directory) => oracle::read(directory, instance.name(), exam)?,
        None => None,
    };
    if exam == Exam::ReachabilityDeadlock {
        let known = known.into_iter().flatten().next().map(|question| question.expected);
        let reachable = known.and_then(|known| boolean_value(&known));
        let id = exam.long().to_owned();
        return Ok(vec![ReachabilityGoal { exam, id, goal: Predicate::Dead, reachable }]);
    }
    let known = oracle::questions(instance.formulas(exam)?, known);
    let expected = |id: &str| known.iter().find(|question| question.id == id).map(|q| &*q.expected);
    let mut goals = Vec::new();
    for (id, query) in questions(instance, net, exam)? {
        let expected = expected(&id).unwrap_or_default();
        // With a predicate as goal, `then` is the truth value of the formula if the goal is
        // reachable: true for EF, false for AG.
        let (goal, reachable) = match query.only_atom() {
            Some((Goal::Reach(goal), then)) => {
                (goal.clone(), boolean_value(expected).map(|holds| holds == then))
            }
            Some((Goal::Maximise(sum), _)) => match exceeds_known_max(sum, expected) {
                Some(goal) => (goal, Some(false)),
                None => continue,
            },
            _ => continue,
        };
        goals.push(ReachabilityGoal { exam, id, goal, reachable });
    }
    Ok(goals)
}

/// Returns the formulas of an examination that can be translated into queries about goals, with
/// their ids. Other formulas are left out.
///
/// # Errors
/// If the query file cannot be read.
pub fn questions(
    instance: &Instance,
    net: &Net,
    exam: Exam,
) -> Result<Vec<(String, Query<Goal>)>, Error> {
    let path = instance.path().join(format!("{}.xml", exam.long()));
    let file = parikh::input::read_queries(&path, net)
        .map_err(|problem| Error::Rows { path, problem: problem.to_string() })?;
    let lowered = |formula| lower(&formula, net).ok();
    let queries = file.queries.into_iter();
    Ok(queries.filter_map(|query| Some((query.id, lowered(query.formula.ok()?)?))).collect())
}

/// Returns the Boolean value of an answer; `None` for an unknown answer.
fn boolean_value(answer: &str) -> Option<bool> {
    match answer {
        "TRUE" => Some(true),
        "FALSE" => Some(false),
        _ => None,
    }
}

/// Returns the goal that the sum exceeds the known maximum; `None` if `known_max` is no number, or
/// a number beyond 64 bits.
fn exceeds_known_max(sum: &LinearSum, known_max: &str) -> Option<Predicate> {
    let known_max: i64 = known_max.parse().ok()?;
    // The goal is sum ≥ known_max + 1, written as −sum ≤ −known_max − 1. In two's complement,
    // `!known_max` is −known_max − 1.
    Some(Predicate::at_most(sum.negated(), !known_max))
}
