//! Proves by place weights that a marking that covers the initial marking always remains reachable,
//! and with it upward-closed goals. Firing transitions that decrease the weighted sum of tokens, as
//! long as possible, ends with all initial tokens in place. For other goals, the firings must end
//! in the initial marking itself.
//!
//! ```text
//! idle ──request──▶ waiting ──enter──▶ inside ──leave──▶ idle
//!
//! weights: waiting 2, inside 1. enter and leave decrease the sum, and end with all tokens on idle.
//! ```
//!
//! The weights are guessed, and corrected whenever a decreasing walk ends elsewhere
//! (`weight_search`). When no walk does, other engines try to prove that no bad marking is
//! reachable. A *bad marking* is not a target and enables no decreasing transition. This
//! usually takes only linear arithmetic and no visit of markings, however many there are. The proof
//! is in the checker, [`parikh_evidence::home::ways_back`].
//!
//! # Conditions
//! 1. w ≥ 0; every reachable marking is a target or enables a transition that decreases w·m. The
//!    targets are the markings that cover the initial one, or the initial one alone.
//! 2. The wanted predicate holds somewhere along firings from the initial marking. It is upward
//!    closed, or the initial marking is the only target.

use super::recording_walk::RecordingWalk;
use super::weight_search::{DecreasingWeights, covers, find_decreasing_weights};
use super::{goal_walks, open_goals};
use crate::board::{Board, Knowledge, ReachKnowledge};
use crate::working_net::WorkingNet;
use crate::{Assignment, Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use crate::{Task, intervals, pdr, state_equation};
use parikh_evidence::Document;
use parikh_evidence::home::ways_back::{
    ReturnProof, ReturnWay, covering, exactly, is_upward_closed,
};
use parikh_net::printable::counted;
use parikh_net::{Facts, Goal, GoalId, Marking, MarkingGoal, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use std::sync::Arc;
use std::time::Duration;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "downhill",
    technique: "STATE_EQUATION",
    result_kinds: ResultKinds::Proofs,
    role: Role::Homes,
    supported: SupportedGoals::HOMES,
    start: |work| stateless_session(move |budget| run(&work, budget)),
};

/// Number of decreasing walks, that is, walks that fire only decreasing transitions as long as
/// possible. Each begins after a random walk from the initial marking. A proof is tried only if no
/// decreasing walk ends in a marking that lacks initial tokens.
const DECREASING_WALKS: u64 = 60;

/// Maximum length of a walk away from the initial marking, as a power of two.
const MAX_WALK_LENGTH_LOG2: u32 = 13;

/// Maximum length of a walk that searches for goals, as a power of two.
const MAX_GOAL_WALK_LENGTH_LOG2: u32 = 16;

/// Number of attempts with different random choices.
const ATTEMPTS: u64 = 4;

/// The reason why a search for weights is given up.
enum SearchAbort {
    /// The budget is exhausted.
    BudgetExhausted,
    /// Other engines neither prove that the bad markings of [`ProofResult`] are unreachable, nor
    /// reach a bad marking.
    Unproved,
}

/// The markings in which decreasing firings must end.
struct ReturnTarget {
    /// The predicate that holds in these markings only.
    predicate: Predicate,
    /// True if the initial marking is the only target. Otherwise each marking that covers the
    /// initial marking is a target.
    is_initial_only: bool,
}

impl ReturnTarget {
    fn contains(&self, marking: &Marking, net: &Net) -> bool {
        match self.is_initial_only {
            true => marking == net.initial(),
            false => covers(marking, net.initial()),
        }
    }
}

/// Share of the time for upward-closed goals if there are other goals, in [0, 1].
const UPWARD_CLOSED_SHARE: f64 = 0.75;

/// Runs the engine and returns a one-line summary.
fn run(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let net = assignment.working_net.net();
    let goals = open_goals(assignment.working_net, assignment.board);
    let (upward, others): (Vec<_>, Vec<_>) =
        goals.partition(|(_, predicate)| is_upward_closed(predicate));
    let mut summaries = Vec::new();
    if !upward.is_empty() {
        let predicate = covering(net, net.initial());
        let target = ReturnTarget { predicate, is_initial_only: false };
        let share = if others.is_empty() { 1.0 } else { UPWARD_CLOSED_SHARE };
        summaries.push(prove_returning(assignment, &upward, &target, &budget.share(share)));
    }
    if !others.is_empty()
        && let Some(predicate) = exactly(net, net.initial())
    {
        let target = ReturnTarget { predicate, is_initial_only: true };
        summaries.push(prove_returning(assignment, &others, &target, budget));
    }
    match summaries.is_empty() {
        true => "nothing to do".to_owned(),
        false => summaries.join("; "),
    }
}

/// Searches for weights and a proof for these goals. Returns a one-line summary.
fn prove_returning(
    assignment: &Assignment<'_>,
    goals: &[(GoalId, &Predicate)],
    target: &ReturnTarget,
    budget: &Budget,
) -> String {
    let net = assignment.working_net.net();
    let home = net.initial();
    for attempt in 0..ATTEMPTS {
        let mut rng = fastrand::Rng::with_seed(assignment.seed.wrapping_add(attempt));
        let mut document = None;
        let seed = rng.u64(..);
        let find_counterexample = |_: &DecreasingWeights, decreasing: &[TransitionId]| {
            if let Some(end) = counterexample_by_walks((net, target), decreasing, seed, budget) {
                return Ok(Some(end));
            }
            match prove_unreachable((net, target), decreasing, budget) {
                ProofResult::Proved(certificate) => {
                    document = Some(certificate);
                    Ok(None)
                }
                ProofResult::Refuted(end) => Ok(Some(end)),
                ProofResult::Unknown if budget.is_exhausted() => Err(SearchAbort::BudgetExhausted),
                ProofResult::Unknown => Err(SearchAbort::Unproved),
            }
        };
        match find_decreasing_weights(net, home, (budget, &mut rng), find_counterexample) {
            Ok(Some(weights)) => {
                let Some(document) = document.and_then(Arc::into_inner) else { break };
                let places = weights.len();
                let return_way = ReturnWay::Downhill { weights, document };
                let proved_count = report(assignment, goals, return_way, budget);
                let (places, goals) = (counted(places, "place"), counted(proved_count, "goal"));
                return format!("decreasing weights of {places}: {goals} proved");
            }
            Ok(None) => {}
            Err(SearchAbort::BudgetExhausted) => return "out of time".to_owned(),
            Err(SearchAbort::Unproved) => return "weights found, but no proof".to_owned(),
        }
        if budget.is_exhausted() {
            return "out of time".to_owned();
        }
    }
    "no weights".to_owned()
}

/// Reports the goals for which a walk or a known witness shows a reachable marking that satisfies
/// the goal. They always remain reachable: as the `ReturnWay` shows, every reachable marking leads
/// back to a target. All goals are upward closed, or the initial marking is the only target.
/// Returns the number of goals proved.
fn report(
    assignment: &Assignment<'_>,
    goals: &[(GoalId, &Predicate)],
    return_way: ReturnWay,
    budget: &Budget,
) -> usize {
    let (net, board) = (assignment.working_net.net(), assignment.board);
    let findings = goal_walks::search_goals(
        net,
        net.initial(),
        goals,
        MAX_GOAL_WALK_LENGTH_LOG2,
        (assignment.seed, &budget.share(0.5)),
    );
    let (mut sequences, mut proved_goals) = (findings.sequences, findings.seen_goals);
    // Witnesses that other engines have found on the original net also show that a goal is
    // reachable.
    for &(id, predicate) in goals.iter().filter(|(id, _)| findings.unseen_goals.contains(id)) {
        let reached =
            board.ids().find_map(|goal| match (board.goal(goal), board.knowledge(goal)) {
                (
                    Goal::Reach(reached_predicate),
                    Some(Knowledge::Reach(ReachKnowledge::Reached { witness, .. })),
                ) if reached_predicate == predicate => {
                    witness.and_then(|witness| witness.to_sequence())
                }
                _ => None,
            });
        if let Some(sequence) = reached.filter(|_| assignment.working_net.parent().is_none()) {
            sequences
                .push(sequence.steps().iter().map(|step| (step.transition, step.count)).collect());
            proved_goals.push(id);
        }
    }
    board.home_reporter(ENGINE.technique).on(assignment.working_net).report_returning(
        &proved_goals,
        // The marking to return to is the initial one, so the sequence that leads there is empty.
        ReturnProof { to: Some(Vec::new()), way: return_way, along: sequences },
    )
}

/// Returns a reachable marking that is no target and enables none of the `decreasing` transitions.
/// It is the end of a walk that fires only `decreasing` transitions after some random firings.
/// Returns `None` if no walk ends in such a marking, or if the budget ends first.
fn counterexample_by_walks(
    (net, target): (&Net, &ReturnTarget),
    decreasing: &[TransitionId],
    seed: u64,
    budget: &Budget,
) -> Option<Marking> {
    let mut is_decreasing = vec![false; net.transition_count()];
    decreasing.iter().for_each(|t| is_decreasing[t.index()] = true);
    let mut rng = fastrand::Rng::with_seed(seed);
    for walk in 0..DECREASING_WALKS {
        let mut recording_walk = RecordingWalk::new(net, net.initial(), rng.u64(..));
        recording_walk.walk(rng.u64(0..1 << (walk as u32 % MAX_WALK_LENGTH_LOG2 + 1)));
        if budget.is_exhausted() {
            return None;
        }
        if recording_walk.fire_while_enabled(&is_decreasing, || !budget.is_exhausted())
            && !target.contains(recording_walk.marking(), net)
        {
            return Some(recording_walk.marking().clone());
        }
    }
    None
}

/// Result of the attempt to prove that no bad marking is reachable. A bad marking is no target and
/// enables no decreasing transition.
enum ProofResult {
    /// No bad marking is reachable, as this certificate shows.
    Proved(Arc<Document>),
    /// This marking is reachable and bad.
    Refuted(Marking),
    /// Neither a certificate nor a reachable bad marking was found.
    Unknown,
}

/// Tries to prove that every reachable marking is a target or enables a transition of `decreasing`.
fn prove_unreachable(
    (net, target): (&Net, &ReturnTarget),
    decreasing: &[TransitionId],
    budget: &Budget,
) -> ProofResult {
    // A proof about the whole net must not depend on unproved claims of the model.
    let net = &net.without_unit_claim();
    let missing = target.predicate.clone().negated();
    let all_disabled = decreasing.iter().copied().map(Predicate::Disabled);
    let bad_markings = Predicate::and([missing].into_iter().chain(all_disabled));
    let id = GoalId::new(0);
    let goals = [(id, MarkingGoal::Reach(bad_markings.clone()))];
    let board = Board::new(net, vec![Goal::Reach(bad_markings.clone())])
        .with_budget(budget)
        .certified_only();
    let facts = Facts::empty(net);
    let slice = budget.share(0.5);
    let task = Task { net, goals: &goals, facts: &facts, board: &board, budget: &slice, seed: 1 };
    let token_intervals = intervals::run(
        &task,
        board.witness_reporter("INITIAL_STATE"),
        board.proof_reporter("TOPOLOGICAL"),
    );
    if board.is_open(id) {
        // There is only one goal, so the state equation may spend the whole slice on it.
        let config = state_equation::StateEquationConfig {
            max_slice_share: 1.0,
            ..state_equation::StateEquationConfig::default()
        };
        if let Ok(mut engine) = state_equation::Engine::for_goals(net, &goals, &config) {
            let proof_reporter = board.proof_reporter(ENGINE.technique);
            engine.slice(&slice.slice(MAX_SLICE), &task, proof_reporter);
            while board.is_open(id) && !slice.is_exhausted() && engine.deepen(&task) {
                engine.slice(&slice.slice(MAX_SLICE), &task, proof_reporter);
            }
        }
    }
    if board.is_open(id) && !budget.is_exhausted() {
        let goals = vec![(id, Goal::Reach(bad_markings.clone()))];
        let working_net = WorkingNet::original(net, goals, Facts::empty(net), &token_intervals);
        let (working_net, board) = (&working_net, &board);
        let assignment = Assignment::new(working_net, board, 1);
        if let Ok(mut session) = (pdr::ENGINE.start)(assignment) {
            session.slice(&budget.share(0.7));
        }
    }
    match board.knowledge(id) {
        Some(Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })) => match proof.document {
            Some(document) => ProofResult::Proved(document),
            None => ProofResult::Unknown,
        },
        Some(Knowledge::Reach(ReachKnowledge::Reached { witness: Some(witness), .. })) => {
            let sequence = witness.to_sequence();
            match sequence.and_then(|sequence| parikh_evidence::replay(net, &sequence).ok()) {
                Some(end) if bad_markings.holds(net, &end) => ProofResult::Refuted(end),
                _ => ProofResult::Unknown,
            }
        }
        _ => ProofResult::Unknown,
    }
}

/// Time limit of one slice of the state equation.
const MAX_SLICE: Duration = Duration::from_secs(20);
