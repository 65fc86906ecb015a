//! Home properties from the explicit reachability graph: a predicate always remains reachable
//! exactly if every terminal component satisfies it somewhere.
//!
//! First the original net is tried for a short time. A refutation consists of a firing sequence
//! into a component without the predicate, and the number of markings reachable from its end. Then
//! a net reduced for the liveness of the goals is tried. If it has few markings, the checker
//! repeats the reduction and the exploration. Otherwise the result rests on the search. A net may
//! be a disjoint union of parts, as many nets are after reduction. Then each part has its own
//! graph. For example, ten parts with a hundred markings each have 10²⁰ markings together, but only
//! a thousand markings are visited. If a self-covering sequence shows that a net has infinitely
//! many markings, there is no graph.

use super::{enabled_transitions, open_goals, reduced_net_for_liveness};
use crate::board::{HomeFinding, Proof, SearchExtent};
use crate::explicit::graph::{ExplicitGraph, GraphSearch};
use crate::walk;
use crate::working_net::WorkingNet;
use crate::{Assignment, Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use parikh_evidence::{Document, pump_grows};
use parikh_net::printable::counted;
use parikh_net::subnet::Subnet;
use parikh_net::{Facts, GoalId, Marking, Predicate, TransitionId};
use parikh_solvers::Budget;
use std::sync::Arc;
use std::time::Duration;

/// The registry entry of the engine on the original net, limited to half a second.
pub const ENGINE: Engine = Engine {
    name: "graph",
    technique: "EXPLICIT",
    result_kinds: ResultKinds::Both,
    role: Role::Homes,
    supported: SupportedGoals::HOMES,
    start: |work| {
        stateless_session(move |budget| {
            let made = on_net(&work, work.working_net, &budget.slice(FIRST_ATTEMPT));
            made.unwrap_or_else(|why| why)
        })
    },
};

/// The registry entry of the engine that works on the reduced net first. For the goals that are
/// still open, it continues on the original net.
pub const REDUCED: Engine = Engine {
    name: "graph of a reduced net",
    start: |work| stateless_session(move |budget| run_reduced(&work, budget)),
    ..ENGINE
};

/// Time limit of the first attempt to build and search the graph. Most graphs that can be completed
/// at all are completed within this time.
const FIRST_ATTEMPT: Duration = Duration::from_millis(500);

/// Approximate number of firings spent on searching for a self-covering sequence.
const SELF_COVERING_WORK: u64 = 20_000_000;

/// Limits on refutations that the checker confirms by counting the markings reachable from the end
/// of the sequence. The first number limits these markings, the second one the refutations per net.
const MAX_RECOUNTED: (u64, usize) = (100_000, 8);

/// Decides goals on the independent parts of the reduced net, on the whole reduced net, and on the
/// original net, in this order. The parts are subnets without common places or transitions. If the
/// net cannot be reduced, the parts are those of the original net. Gives up if a self-covering
/// sequence shows that there are infinitely many markings.
fn run_reduced(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let (original, board) = (assignment.working_net, assignment.board);
    let is_done = || open_goals(original, board).next().is_none();
    let reduced = reduced_net_for_liveness(assignment, (&budget.share(0.3), budget));
    let smallest = reduced.as_ref().unwrap_or(original);
    // The names of a net are valid, so splitting the net into its independent parts gives no error.
    let parts = smallest.net().subnets().unwrap_or_default();
    // The cheapest net comes first. Goals that the parts or the reduced net cannot express or do
    // not settle are decided on the next larger net.
    let search = |budget: &Budget| {
        let mut summary = Ok(String::new());
        if parts.len() > 1 {
            summary = on_parts(assignment, smallest, &parts, &budget.share(0.6));
        }
        if let Some(reduced) = reduced.as_ref().filter(|_| !is_done()) {
            summary = on_net(assignment, reduced, &budget.share(0.6));
        }
        if !is_done() {
            summary = on_net(assignment, original, budget);
        }
        summary.unwrap_or_else(|error| error)
    };
    let first_summary = search(&budget.slice(FIRST_ATTEMPT));
    if is_done() {
        return first_summary;
    }
    let net = original.net();
    let self_covering = walk::find_self_covering_sequence(
        net,
        &budget.share(0.05),
        assignment.seed,
        SELF_COVERING_WORK,
    );
    if self_covering.is_some_and(|(prefix, pump)| pump_grows(net, &prefix, &pump)) {
        return "infinitely many markings".to_owned();
    }
    search(budget)
}

/// Builds the graph of each independent part that has transitions of the goals. Reports the goals
/// of the form "one of these transitions is enabled". Such a goal always remains reachable if it
/// does so for the transitions in one part. The goal is refuted if every part that contains one of
/// its transitions can disable them permanently, because the parts are independent. A goal that a
/// reduction simplified to the constant true is reported, too. Returns the reason as an error if a
/// graph cannot be built or searched.
fn on_parts(
    assignment: &Assignment<'_>,
    working_net: &WorkingNet<'_>,
    parts: &[Subnet],
    budget: &Budget,
) -> Result<String, String> {
    let mut goals: Vec<(GoalId, Vec<TransitionId>)> = Vec::new();
    let mut stays_reachable: Vec<bool> = Vec::new();
    for (id, predicate) in open_goals(working_net, assignment.board) {
        // A reduction may simplify the goal's predicate to the constant true, which holds in every
        // marking.
        let is_always_true = *predicate == Predicate::True;
        if let Some(transitions) = enabled_transitions(predicate).or(is_always_true.then(Vec::new))
        {
            goals.push((id, transitions));
            stays_reachable.push(is_always_true);
        }
    }
    // For each goal, the number of parts that can permanently disable all of the goal's transitions
    // in the part.
    let mut lost_parts = vec![0; goals.len()];
    let (mut searched_parts, mut visited) = (vec![0; goals.len()], SearchExtent::default());
    for part in parts {
        let index_in_part = |t: &TransitionId| part.transitions.binary_search(t).ok();
        let part_goals: Vec<(usize, Predicate)> = (0..)
            .zip(&goals)
            .filter_map(|(goal_index, (_, transitions))| {
                let part_transitions: Vec<_> =
                    transitions.iter().filter_map(index_in_part).collect();
                let enabled =
                    part_transitions.into_iter().map(TransitionId::new).map(Predicate::Enabled);
                let predicate = Predicate::or(enabled);
                (predicate != Predicate::False).then_some((goal_index, predicate))
            })
            .collect();
        if part_goals.is_empty() {
            continue;
        }
        let graph = ExplicitGraph::explore(&part.net, &Facts::empty(&part.net), budget);
        let mut graph = graph.map_err(|error| error.to_string())?;
        visited =
            SearchExtent { markings: visited.markings + graph.states(), part_count: parts.len() };
        let predicates: Vec<&Predicate> =
            part_goals.iter().map(|(_, predicate)| predicate).collect();
        let counterexamples =
            graph.markings_without(&predicates).map_err(|error| error.to_string())?;
        for ((goal_index, _), counterexample) in part_goals.into_iter().zip(counterexamples) {
            searched_parts[goal_index] += 1;
            lost_parts[goal_index] += usize::from(counterexample.is_some());
            stays_reachable[goal_index] |= counterexample.is_none();
        }
    }
    let findings = (0..).zip(&goals).filter_map(|(goal_index, &(goal, _))| {
        let is_decided =
            stays_reachable[goal_index] || lost_parts[goal_index] == searched_parts[goal_index];
        is_decided.then_some(HomeFinding {
            goal,
            stays_reachable: stays_reachable[goal_index],
            sequence: None,
        })
    });
    assignment
        .board
        .home_reporter("EXPLICIT")
        .on(working_net)
        .report_searched(findings.collect(), visited);
    let markings = counted(visited.markings, "marking");
    Ok(format!("{markings} of {}", counted(parts.len(), "part")))
}

/// Builds the reachability graph of a net and reports the goals, all of which it decides. Returns
/// the reason as an error if the graph cannot be built or searched.
fn on_net(
    assignment: &Assignment<'_>,
    working_net: &WorkingNet<'_>,
    budget: &Budget,
) -> Result<String, String> {
    let goals: Vec<(GoalId, &Predicate)> = open_goals(working_net, assignment.board).collect();
    if goals.is_empty() {
        return Ok("nothing to do".to_owned());
    }
    let (net, is_original) = (working_net.net(), working_net.parent().is_none());
    let facts = if is_original { Facts::claimed_by_model(net) } else { Facts::empty(net) };
    let mut breaching_sequence = None;
    // On the original net, the exploration also tests the model's claim that its units are safe,
    // and reports a marking that violates the claim.
    let units = net.safe_units().filter(|_| is_original);
    let breaches_units =
        |marking: &Marking| units.is_some_and(|units| units.breach(marking).is_some());
    let search = units
        .map(|_| GraphSearch { condition: &breaches_units, sequence: &mut breaching_sequence });
    let graph = ExplicitGraph::explore_and_search(net, &facts, budget, search);
    if let Some(sequence) = breaching_sequence {
        assignment.board.check_units_claim(&sequence, u64::MAX);
    }
    let mut graph = graph.map_err(|error| error.to_string())?;
    let predicates: Vec<&Predicate> = goals.iter().map(|(_, predicate)| *predicate).collect();
    let counterexamples = graph.markings_without(&predicates).map_err(|error| error.to_string())?;
    let home_reporter = assignment.board.home_reporter("EXPLICIT").on(working_net);
    let markings = graph.states();
    let (mut certificate_count, mut findings) = (0, Vec::new());
    for ((goal, _), counterexample) in goals.into_iter().zip(counterexamples) {
        match counterexample {
            Some((member, count)) if is_original => {
                let sequence = graph.sequence_to(member);
                if count <= MAX_RECOUNTED.0 && certificate_count < MAX_RECOUNTED.1 {
                    certificate_count += 1;
                    let document = Document::Markings(count);
                    let proof = Proof {
                        document: Some(Arc::new(document)),
                        ..Proof::searched(count, false)
                    };
                    home_reporter.report_lost_after(goal, sequence, proof);
                } else {
                    findings.push(HomeFinding {
                        goal,
                        stays_reachable: false,
                        sequence: Some(sequence),
                    });
                }
            }
            counterexample => findings.push(HomeFinding {
                goal,
                stays_reachable: counterexample.is_none(),
                sequence: None,
            }),
        }
    }
    home_reporter.report_searched(findings, SearchExtent { markings, part_count: 1 });
    Ok(counted(markings, "marking"))
}
