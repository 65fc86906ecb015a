//! Refutes home properties by a walk and an unreachability proof from its end: after the walk, the
//! predicate can never be reached again.
//!
//! A long random walk usually ends in a part of the state space that the net cannot leave. A second
//! walk from its last marking shows which transitions still fire. For the other transitions,
//! engines try to prove that they cannot fire from that marking. These engines are token intervals
//! (which detect empty siphons), the state equation with traps, and a search if few markings are
//! left. An unreachable predicate is *lost*: the walk and the proof show that it does not always
//! remain reachable. If all three engines fail, diagrams are tried from time to time. A net with
//! independent cyclic parts has too many markings to visit, but a small diagram. If witnesses
//! should be shortened, the engines also try earlier markings of the walk.
//!
//! ```text
//! m₀ ──random walk──▶ m ──second walk──▶ fires a, b, c
//!                     m ──▶ d? e?       intervals, state equation, search, diagrams from m
//! ```

use super::recording_walk::RecordingWalk;
use super::{enabled_transitions, open_goals};
use crate::board::{Argument, Board, Knowledge, Proof, ReachKnowledge};
use crate::diagrams::confirm::closed_set;
use crate::{Assignment, Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use crate::{Task, diagrams, explicit, intervals, state_equation};
use parikh_evidence::Document;
use parikh_net::printable::counted;
use parikh_net::{Facts, FiringSequence, Goal, GoalId, MarkingGoal, Net, Predicate};
use parikh_solvers::Budget;
use std::sync::Arc;
use std::time::Duration;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "regions",
    technique: "RANDOM_WALK",
    result_kinds: ResultKinds::Both,
    role: Role::Homes,
    supported: SupportedGoals::HOMES,
    start: |work| stateless_session(move |budget| run(&work, budget)),
};

/// Exponents of two for the length of the walk from the initial marking, in the order of use. For
/// exponent e, a random length from 2^(e − 1) to 2^e is drawn. The walk grows by up to
/// [`FIRINGS_AT_A_TIME`] firings at a time until it has at least this length.
const WALK_LENGTHS_LOG2: std::ops::RangeInclusive<u32> = 4..=19;

/// Maximum number of firings of the walk from the initial marking between two checks of the budget.
const FIRINGS_AT_A_TIME: u64 = 1 << 14;

/// Maximum number of goals tried from one marking.
const MAX_GOALS: usize = 64;

/// Number of the first walk after which decision diagrams are tried, if no other engine refutes a
/// goal. Afterwards, diagrams are tried after walks whose number is a power of two.
const FIRST_WALK_WITH_DIAGRAMS: u64 = 4;

/// Share of the remaining time for diagrams after one walk, in [0, 1].
const DIAGRAM_SHARE: f64 = 0.25;

/// The first number limits the nodes of a diagram used as a certificate. The second one limits the
/// goals refuted by one diagram, because the board checks the whole certificate for each goal.
const MAX_NODES_AND_GOALS: (usize, usize) = (500_000, 4);

/// Walks from the initial marking again and again, and tries to refute the open goals after each
/// walk. Ends when the budget is exhausted or no goal is open. Returns a one-line summary.
fn run(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let net = assignment.working_net.net();
    let home_reporter = assignment.board.home_reporter("RANDOM_WALK");
    let mut rng = fastrand::Rng::with_seed(assignment.seed);
    let mut examined_count = 0u64;
    // The lengths run from the shortest to the longest, again and again. The unreachability proofs
    // after a walk cost about as much as the walk.
    for length_log2 in WALK_LENGTHS_LOG2.cycle() {
        let mut first_walk = RecordingWalk::new(net, net.initial(), rng.u64(..));
        let mut sequence = FiringSequence::new();
        let min_length = rng.u64(1u64 << (length_log2 - 1)..1u64 << length_log2);
        while sequence.firings() < u128::from(min_length) && !first_walk.is_dead() {
            if budget.is_exhausted() {
                return format!("{} examined", counted(examined_count, "marking"));
            }
            let new_firings = first_walk.walk(FIRINGS_AT_A_TIME);
            if new_firings.is_empty() {
                break;
            }
            new_firings.steps().iter().for_each(|step| sequence.push(step.transition, step.count));
        }
        let open_goals: Vec<(GoalId, &Predicate)> =
            open_goals(assignment.working_net, assignment.board).collect();
        if open_goals.is_empty() || budget.is_exhausted() {
            return format!("{} examined", counted(examined_count, "marking"));
        }
        examined_count += 1;
        if first_walk.is_dead() {
            let not_holding = open_goals
                .iter()
                .filter(|(_, predicate)| !predicate.holds(net, first_walk.marking()));
            for (id, _) in not_holding.take(MAX_GOALS) {
                let proof = Proof::new(Argument::DeadMarking, None);
                home_reporter.report_lost_after(*id, sequence.clone(), proof);
            }
            continue;
        }
        let mut second_walk = RecordingWalk::new(net, first_walk.marking(), rng.u64(..));
        second_walk.walk((4 * min_length).clamp(1 << 10, 1 << 17));
        let was_seen = |predicate: &Predicate| match enabled_transitions(predicate) {
            Some(transitions) => transitions.iter().any(|t| second_walk.was_enabled()[t.index()]),
            None => {
                predicate.holds(net, first_walk.marking())
                    || predicate.holds(net, second_walk.marking())
            }
        };
        let mut unseen: Vec<(GoalId, &Predicate)> =
            open_goals.into_iter().filter(|(_, predicate)| !was_seen(predicate)).collect();
        rng.shuffle(&mut unseen);
        unseen.truncate(MAX_GOALS);
        let goals: Vec<&Predicate> = unseen.iter().map(|(_, predicate)| *predicate).collect();
        // The end of the walk is reachable, so claims of the model about all reachable markings,
        // such as safe units, hold from there too. A claim of safe units that the end of the walk
        // violates is dropped.
        let Ok(net_after_walk) = net.from_marking_after(&sequence) else { continue };
        let mut refuted = unreachable(&net_after_walk, &goals, budget);
        if refuted.is_empty()
            && examined_count >= FIRST_WALK_WITH_DIAGRAMS
            && examined_count.is_power_of_two()
        {
            refuted = refute_by_diagrams(&net_after_walk, &goals, &budget.share(DIAGRAM_SHARE));
        }
        for (goal_index, proof) in refuted {
            let (goal, predicate) = unseen[goal_index];
            let (sequence, proof) = assignment
                .board
                .shorter_within(|time| {
                    shorter_prefix(net, &sequence, predicate, &budget.slice(time))
                })
                .unwrap_or_else(|| (sequence.clone(), proof));
            home_reporter.report_lost_after(goal, sequence, proof);
        }
    }
    format!("{} examined", counted(examined_count, "marking"))
}

/// Looks for a proper prefix of the sequence after which the predicate is proved unreachable. Token
/// intervals, which are fast, try the prefixes of 1, 2, 4, 8, … firings. All engines then search
/// for an even shorter prefix by bisection, since an unreachable predicate stays unreachable.
/// Returns the shortest prefix found with its proof. Returns `None` if there is no such prefix, or
/// if the budget ends first.
fn shorter_prefix(
    net: &Net,
    sequence: &FiringSequence,
    predicate: &Predicate,
    budget: &Budget,
) -> Option<(FiringSequence, Proof)> {
    let after = |firings: u64| {
        let mut prefix = sequence.clone();
        prefix.truncate(firings);
        let net_after_prefix = net.from_marking_after(&prefix).ok()?;
        Some((prefix, net_after_prefix))
    };
    let mut shortest = None;
    let mut lost = u64::try_from(sequence.firings()).ok()?;
    let mut firings = 1;
    while firings < lost && !budget.is_exhausted() {
        let (prefix, net_after_prefix) = after(firings)?;
        if let Some(proof) = refute_by_intervals(&net_after_prefix, predicate, budget) {
            (lost, shortest) = (firings, Some((prefix, proof)));
            break;
        }
        firings = firings.saturating_mul(2);
    }
    // After `lost` firings the predicate is proved unreachable, and after `open` firings it is not.
    let mut open = 0;
    while lost - open > 1 && !budget.is_exhausted() {
        let middle = open + (lost - open) / 2;
        let (prefix, net_after_prefix) = after(middle)?;
        match unreachable(&net_after_prefix, &[predicate], budget).pop() {
            Some((_, proof)) => (lost, shortest) = (middle, Some((prefix, proof))),
            None => open = middle,
        }
    }
    shortest
}

/// Returns a proof by token intervals that the predicate is unreachable in `net`, or `None` if
/// there is none.
fn refute_by_intervals(net: &Net, predicate: &Predicate, budget: &Budget) -> Option<Proof> {
    let goal = GoalId::new(0);
    let goals = [(goal, MarkingGoal::Reach(predicate.clone()))];
    let board = Board::new(net, vec![Goal::Reach(predicate.clone())]);
    let board = board.with_budget(budget).certified_only();
    let facts = Facts::empty(net);
    let task = Task { net, goals: &goals, facts: &facts, board: &board, budget, seed: 1 };
    intervals::run(
        &task,
        board.witness_reporter("INITIAL_STATE"),
        board.proof_reporter("TOPOLOGICAL"),
    );
    match board.knowledge(goal) {
        Some(Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })) => Some(proof),
        _ => None,
    }
}

/// Returns the positions in `goals` of the predicates that are proved unreachable in `net`, each
/// with a proof about `net`. Token intervals, the state equation and an explicit search are tried
/// in turn, until one of them proves something.
fn unreachable(net: &Net, goals: &[&Predicate], budget: &Budget) -> Vec<(usize, Proof)> {
    if goals.is_empty() {
        return Vec::new();
    }
    let board_goals = goals.iter().map(|&predicate| Goal::Reach(predicate.clone())).collect();
    let marking_goals = goals.iter().map(|&predicate| MarkingGoal::Reach(predicate.clone()));
    let goals: Vec<(GoalId, MarkingGoal)> = marking_goals
        .enumerate()
        .map(|(goal_index, goal)| (GoalId::new(goal_index), goal))
        .collect();
    let board = Board::new(net, board_goals).with_budget(budget).certified_only();
    let facts = Facts::empty(net);
    let slice = budget.share(0.1).slice(Duration::from_secs(2));
    let search_budget = budget.slice(Duration::from_millis(300));
    let task = |budget| Task { net, goals: &goals, facts: &facts, board: &board, budget, seed: 1 };
    intervals::run(
        &task(budget),
        board.witness_reporter("INITIAL_STATE"),
        board.proof_reporter("TOPOLOGICAL"),
    );
    let refuted = || -> Vec<(usize, Proof)> {
        let proof_of = |id: GoalId| match board.knowledge(id) {
            Some(Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })) => {
                Some((id.index(), proof))
            }
            _ => None,
        };
        board.ids().filter_map(proof_of).collect()
    };
    if refuted().is_empty() && board.open_count() > 0 {
        let config = state_equation::StateEquationConfig::default();
        if let Ok(mut engine) = state_equation::Engine::for_goals(net, &goals, &config) {
            engine.slice(&slice, &task(&slice), board.proof_reporter("STATE_EQUATION"));
        }
    }
    if refuted().is_empty() && board.open_count() > 0 {
        let (witness_reporter, proof_reporter) =
            (board.witness_reporter("EXPLICIT"), board.proof_reporter("EXPLICIT"));
        explicit::run(
            &task(&search_budget),
            witness_reporter,
            proof_reporter,
            &explicit::ExplicitConfig::default(),
        );
    }
    refuted()
}

/// Like `unreachable`, by a decision diagram of the reachable markings of `net`, and for a few
/// goals only. The set of reachable markings is the certificate of every proof. Returns an empty
/// list if no goal is unreachable, if the diagram is too large, or if the budget ends first.
fn refute_by_diagrams(net: &Net, goals: &[&Predicate], budget: &Budget) -> Vec<(usize, Proof)> {
    if goals.is_empty() {
        return Vec::new();
    }
    let (max_nodes, max_goals) = MAX_NODES_AND_GOALS;
    let result = diagrams::explore(net, 1, budget, |mut reached| {
        let mut unreachable_goals = Vec::new();
        for (index, predicate) in goals.iter().enumerate() {
            if unreachable_goals.len() < max_goals
                && reached.some_satisfying(reached.set, predicate)?.is_empty()
            {
                unreachable_goals.push(index);
            }
        }
        let is_small =
            reached.diagrams.nodes_of(reached.set) <= max_nodes && !unreachable_goals.is_empty();
        Ok((unreachable_goals, is_small.then(|| closed_set(&reached))))
    });
    let Ok((unreachable_goals, Some(set))) = result else { return Vec::new() };
    let argument = Argument::ClosedSet { nodes: set.nodes.len() };
    let document = Arc::new(Document::ClosedSet(set));
    let proof = || Proof::new(argument.clone(), Some(document.clone()));
    unreachable_goals.into_iter().map(|index| (index, proof())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn a_walk_is_cut_after_the_predicate_becomes_unreachable() {
        let net = text::parse(
            "place a 1\nplace b\nplace c\nplace d\nplace e\ntransition ab: a -> b\n\
             transition bc: b -> c\ntransition cd: c -> d\ntransition de: d -> e\n\
             transition ed: e -> d",
        )
        .unwrap();
        let names = ["ab", "bc", "cd", "de", "ed", "de", "ed", "de", "ed", "de"];
        let walk: FiringSequence =
            names.iter().map(|name| net.transition_named(name).unwrap()).collect();
        let early = ["a", "b", "c"].map(|name| net.place_named(name).unwrap());
        let predicate = Predicate::or(early.map(|place| Predicate::at_least(place, 1)));
        let found = shorter_prefix(&net, &walk, &predicate, &Budget::unlimited());
        assert_eq!(found.expect("a prefix").0.firings(), 3);
    }
}
