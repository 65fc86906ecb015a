//! Goals about whole runs: "a marking with φ is reached, and t has fired before". Here φ is a
//! predicate, and a place counts the firings of t.
//!
//! A net with firing counters (see [`parikh_net::counted`]) has infinitely many markings as soon as
//! a transition can fire again and again. The net without counters may have few markings, and it
//! suffices. Some path to φ fires t exactly if, without counters, some reachable marking enables t,
//! and φ is reachable after firing t there. One reachability graph answers all such goals.
//!
//! ```text
//! m₀ ──▶ … ──▶ m ──t──▶ m' ──▶ … ──▶ φ      counted: φ with a token on #t
//! ```
//!
//! # Conditions
//! 1. No transition consumes from the counter, it is empty initially, and only t produces on it,
//!    one token per firing. If copies of t have replaced t, each copy produces one token on it.
//! 2. The goal is a marking that satisfies φ and has a token on the counter. The predicate φ
//!    depends on no counter.
//! 3. The net without its counters has few markings. If each counter is bounded, a search with
//!    counters would terminate too, so only a small graph is tried.

use super::Task;
use super::{Assignment, Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use crate::board::{Argument, Observation, Proof, ProofReporter, WitnessReporter};
use parikh_net::printable::counted;
use parikh_net::{
    Atom, FiringSequence, GoalId, MarkingGoal, Net, PlaceId, Predicate, TransitionId,
};
use parikh_structure::graph::reachability::Reachability;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "runs",
    technique: "EXPLICIT",
    result_kinds: ResultKinds::Both,
    role: Role::Once { share: 0.2 },
    supported: SupportedGoals::PREDICATES,
    start: |work: Assignment<'_>| {
        stateless_session(move |budget| {
            let witness_reporter =
                work.board.witness_reporter(ENGINE.technique).on(work.working_net);
            let proof_reporter = work.board.proof_reporter(ENGINE.technique).on(work.working_net);
            run(
                &Task::on(work.working_net, work.board, budget, work.seed),
                witness_reporter,
                proof_reporter,
            )
        })
    },
};

/// Limit on the number of markings, which are stored unpacked.
const MAX_MARKINGS: usize = 300_000;

/// Limit on the number of markings if all counters are bounded. Then other engines can search the
/// net with its counters, so only a small graph is tried.
const MAX_MARKINGS_BOUNDED: usize = 10_000;

/// Limit on the stored token counts of all markings together.
const MAX_TOKEN_COUNTS: usize = 200_000_000;

/// Tries to settle the goals of `task` that ask for a marking with a predicate φ after a firing of
/// certain transitions. A counter place of the net shows if one of these transitions has fired.
/// Returns a summary for the log.
pub fn run(
    task: &Task<'_>,
    witness_reporter: WitnessReporter<'_>,
    proof_reporter: ProofReporter<'_>,
) -> String {
    let net = task.net;
    let open_goals = task.goals.iter().filter(|(id, _)| task.board.is_open(*id));
    let goals_by_predicate = goals_about_runs(net, open_goals);
    if goals_by_predicate.is_empty() {
        return "nothing to do".to_owned();
    }
    // The places whose tokens are ignored. A place that some φ depends on is kept, even if it
    // counts firings.
    let all_counters: Vec<PlaceId> =
        net.places().filter(|&p| counted_transitions(net, p).is_some()).collect();
    let mentioned: BTreeSet<PlaceId> = goals_by_predicate
        .keys()
        .flat_map(|final_predicate| final_predicate.support(net))
        .collect();
    let counters: Vec<PlaceId> =
        all_counters.into_iter().filter(|p| !mentioned.contains(p)).collect();
    let is_bounded = counters.iter().all(|&p| task.facts.upper_bound(p).is_some());
    let marking_limit = if is_bounded { MAX_MARKINGS_BOUNDED } else { MAX_MARKINGS };
    let max_markings = marking_limit.min(MAX_TOKEN_COUNTS / net.place_count().max(1));
    let graph = match Reachability::ignoring_tokens_on(net, &counters, max_markings, task.budget) {
        Ok(graph) => graph,
        Err(reason) => return reason.to_string(),
    };
    let marking_count = graph.markings.len();
    for (final_predicate, goals) in &goals_by_predicate {
        let is_end = |marking_index: &u32| {
            final_predicate.holds(net, &graph.markings[*marking_index as usize])
        };
        let end_markings: Vec<u32> = (0..marking_count as u32).filter(is_end).collect();
        let (next, can_reach_end) = graph.shortest_paths_to(&end_markings);
        // For each transition, the first edge of the graph that fires it and after which an end
        // marking is reachable. An end marking satisfies φ.
        let mut first_edge_of: HashMap<TransitionId, u32> = HashMap::new();
        for (edge_index, edge) in (0u32..).zip(&graph.edges) {
            if can_reach_end[edge.to as usize] {
                first_edge_of.entry(edge.transition).or_insert(edge_index);
            }
        }
        for (counted_transitions, id) in goals {
            if task.budget.is_exhausted() {
                return format!("out of time after {marking_count} markings");
            }
            if !task.board.is_open(*id) {
                continue;
            }
            let Some(&edge_index) = counted_transitions.iter().find_map(|t| first_edge_of.get(t))
            else {
                let argument = Argument::SearchedWithoutCounters { markings: marking_count as u64 };
                proof_reporter.report_unreachable(*id, Proof::new(argument, None));
                continue;
            };
            let edge = graph.edges[edge_index as usize];
            let mut sequence: FiringSequence = graph.sequence_to(edge.from).into_iter().collect();
            sequence.push(edge.transition, 1);
            let suffix = graph.follow(&next, edge.to);
            suffix.steps().iter().for_each(|step| sequence.push(step.transition, step.count));
            // This firing sequence is a witness for the goals of all transitions that it fires.
            let fired: Vec<TransitionId> =
                sequence.steps().iter().map(|step| step.transition).collect();
            let Ok(firings) = u64::try_from(sequence.firings()) else { continue };
            let has_fired = |counted_transitions: &[TransitionId]| {
                counted_transitions.iter().any(|t| fired.contains(t))
            };
            let shown_goals =
                goals.iter().filter(|(counted_transitions, _)| has_fired(counted_transitions));
            let observations =
                shown_goals.map(|&(_, goal)| Observation { goal, firings }).collect();
            witness_reporter.report_reached_along(sequence, observations);
        }
    }
    format!("{} without counters", counted(marking_count, "marking"))
}

/// The goals, grouped by the predicate φ on the final marking. Each goal has its id, and the
/// transitions of which at least one must have fired before.
type GoalsByPredicate = BTreeMap<Predicate, Vec<(Vec<TransitionId>, GoalId)>>;

/// Returns the goals of the form "φ, and a counter has a token", see conditions 1 and 2 of the
/// module. Leaves out all other goals.
fn goals_about_runs<'g>(
    net: &Net,
    goals: impl Iterator<Item = &'g (GoalId, MarkingGoal)> + Clone,
) -> GoalsByPredicate {
    let mut goals_by_predicate = GoalsByPredicate::new();
    for (id, goal) in goals {
        let MarkingGoal::Reach(Predicate::And(conjuncts)) = goal else { continue };
        let counted_by =
            |conjunct: &Predicate| marked_place(conjunct).and_then(|p| counted_transitions(net, p));
        let counters: Vec<PlaceId> = conjuncts
            .iter()
            .filter(|conjunct| counted_by(conjunct).is_some())
            .filter_map(marked_place)
            .collect();
        // φ may mention a place that looks like a counter, for example the final place of a
        // process. So exactly one conjunct may be about a counter that no other conjunct mentions.
        let is_separate = |p: &PlaceId| {
            let is_other_conjunct = |conjunct: &&Predicate| marked_place(conjunct) != Some(*p);
            !conjuncts
                .iter()
                .filter(is_other_conjunct)
                .any(|conjunct| conjunct.support(net).contains(p))
        };
        let mut candidates = counters.into_iter().filter(is_separate);
        let (Some(counter_of_goal), None) = (candidates.next(), candidates.next()) else {
            continue;
        };
        let Some(transitions) = counted_transitions(net, counter_of_goal) else { continue };
        let other_conjuncts = conjuncts
            .iter()
            .filter(|conjunct| marked_place(conjunct) != Some(counter_of_goal))
            .cloned();
        goals_by_predicate
            .entry(Predicate::and(other_conjuncts))
            .or_default()
            .push((transitions, *id));
    }
    goals_by_predicate
}

/// Returns the place if the predicate is "this place has at least one token". Returns `None` for
/// any other predicate.
fn marked_place(predicate: &Predicate) -> Option<PlaceId> {
    match predicate {
        Predicate::Atom(Atom { sum, bound: -1 }) => match *sum.terms() {
            [(place, -1)] => Some(place),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the transitions whose firings the place counts. Returns `None` if the place is no
/// counter: it is marked initially, has a consumer or no producer, or gets several tokens at once.
fn counted_transitions(net: &Net, p: PlaceId) -> Option<Vec<TransitionId>> {
    let producers = net.producers(p);
    let counts_firings = !producers.is_empty()
        && producers.iter().all(|arc| arc.weight == 1)
        && net.consumers(p).is_empty()
        && net.initial()[p] == 0;
    counts_firings.then(|| producers.iter().map(|arc| arc.transition).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Knowledge, ReachKnowledge};
    use parikh_net::{Facts, LinearSum, counted::with_counters, text};
    use parikh_solvers::Budget;

    #[test]
    fn firings_that_exclude_completion_are_on_no_complete_run() {
        let net = text::parse(
            "place i 1\nplace p\nplace q\nplace o\ntransition t: i -> p\ntransition back: p -> i\n\
             transition astray: p -> q\ntransition round: q -> q\ntransition u: p -> o",
        );
        let net = with_counters(&net.unwrap()).unwrap();
        let place = |name: &str| net.place_named(name).unwrap();
        let all = LinearSum::new(["i", "p", "q", "o"].map(|name| (place(name), 1))).unwrap();
        // Considered alone, the first conjunct looks like a condition on a counter.
        let done = [Predicate::at_least(place("o"), 1), Predicate::at_most(all, 1)];
        let goals: Vec<(GoalId, MarkingGoal)> = ["#t", "#back", "#astray", "#round", "#u"]
            .into_iter()
            .map(|name| Predicate::at_least(place(name), 1))
            .enumerate()
            .map(|(at, fired)| (at, Predicate::and(done.iter().cloned().chain([fired]))))
            .map(|(at, predicate)| (GoalId::new(at), MarkingGoal::Reach(predicate)))
            .collect();
        let board = Board::new(&net, goals.iter().map(|(_, goal)| goal.clone().into()).collect());
        let (facts, budget) = (Facts::empty(&net), Budget::unlimited());
        let task = Task {
            net: &net,
            goals: &goals,
            facts: &facts,
            board: &board,
            budget: &budget,
            seed: 1,
        };
        assert_eq!(
            run(&task, board.witness_reporter("X"), board.proof_reporter("X")),
            "4 markings without counters"
        );
        let is_reached = |(id, _): &(GoalId, MarkingGoal)| match board.knowledge(*id) {
            Some(Knowledge::Reach(ReachKnowledge::Reached { .. })) => Some(true),
            Some(Knowledge::Reach(ReachKnowledge::Unreachable { .. })) => Some(false),
            _ => None,
        };
        let reached: Vec<Option<bool>> = goals.iter().map(is_reached).collect();
        assert_eq!(reached, [true, true, false, false, true].map(Some));
        assert_eq!(board.faults(), 0);
    }
}
