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
//! should be shortened, token intervals also try earlier markings of the walk.
//!
//! ```text
//! m₀ ──random walk──▶ m ──another──▶ fires a, b, c     d? e? ──▶ intervals, state equation, search, diagrams from m
//! ```

use super::roam::RecordingWalk;
use super::{one_of, open};
use crate::board::{Argument, Board, Knowledge, Proof, Reach};
use crate::diagrams::confirm::closed_set;
use crate::{Assignment, Engine, Role, Sides, Takes, each_slice_anew};
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
    sides: Sides::Both,
    role: Role::Homes,
    takes: Takes::HOMES,
    start: |work| each_slice_anew(move |budget| run(&work, budget)),
};

/// Minimum and maximum length of the first walk, as powers of two.
const LENGTHS: std::ops::RangeInclusive<u32> = 4..=19;

/// Limit on the number of goals per marking for the engines.
const ASKED: usize = 64;

/// Number of the first walk after which diagrams are tried. Later they are tried after walks whose
/// number is a power of two.
const FIRST_DESCRIBED: u64 = 4;

/// Share of the remaining time for diagrams after one walk, in [0, 1].
const DESCRIBING: f64 = 0.25;

/// Limit on the nodes of a diagram used as a certificate, and on the number of goals refuted by it.
/// The board checks the whole certificate for each goal.
const DESCRIBED: (usize, usize) = (500_000, 4);

fn run(work: &Assignment<'_>, budget: &Budget) -> String {
    let net = work.working_net.net();
    let homes = work.board.homes("RANDOM_WALK");
    let mut rng = fastrand::Rng::with_seed(work.seed);
    let mut looked = 0u64;
    // The lengths grow from short to long, repeatedly. The proofs cost about as much as the walk.
    for length in LENGTHS.cycle() {
        let mut roam = RecordingWalk::new(net, net.initial(), rng.u64(..));
        let mut sequence = FiringSequence::new();
        let steps = rng.u64(1u64 << (length - 1)..1u64 << length);
        while sequence.firings() < u128::from(steps) && !roam.is_dead() {
            if budget.is_exhausted() {
                return format!("{} examined", counted(looked, "marking"));
            }
            let more = roam.walk(1 << 14);
            if more.is_empty() {
                break;
            }
            more.steps().iter().for_each(|step| sequence.push(step.transition, step.count));
        }
        let open: Vec<(GoalId, &Predicate)> = open(work.working_net, work.board).collect();
        if open.is_empty() || budget.is_exhausted() {
            return format!("{} examined", counted(looked, "marking"));
        }
        looked += 1;
        if roam.is_dead() {
            let lost = open.iter().filter(|(_, wanted)| !wanted.holds(net, roam.marking()));
            for (id, _) in lost.take(ASKED) {
                let proof = Proof::new(Argument::DeadEnd, None);
                homes.lost_after(*id, sequence.clone(), proof);
            }
            continue;
        }
        let mut from_there = RecordingWalk::new(net, roam.marking(), rng.u64(..));
        from_there.walk((4 * steps).clamp(1 << 10, 1 << 17));
        let seen = |wanted: &Predicate| match one_of(wanted) {
            Some(asked) => asked.iter().any(|t| from_there.seen()[t.index()]),
            None => wanted.holds(net, roam.marking()) || wanted.holds(net, from_there.marking()),
        };
        let mut unseen: Vec<(GoalId, &Predicate)> =
            open.into_iter().filter(|(_, wanted)| !seen(wanted)).collect();
        rng.shuffle(&mut unseen);
        unseen.truncate(ASKED);
        let goals: Vec<&Predicate> = unseen.iter().map(|(_, wanted)| *wanted).collect();
        // The walk consists of real firings, so the model's claims hold after it as well.
        let Ok(there) = net.after(&sequence) else { continue };
        let mut refuted = unreachable(&there, &goals, budget);
        if refuted.is_empty() && looked >= FIRST_DESCRIBED && looked.is_power_of_two() {
            refuted = by_diagrams(&there, &goals, &budget.share(DESCRIBING));
        }
        for (at, proof) in refuted {
            let (goal, wanted) = unseen[at];
            let (sequence, proof) = work
                .board
                .shorter_within(|time| sooner(net, &sequence, wanted, &budget.slice(time)))
                .unwrap_or_else(|| (sequence.clone(), proof));
            homes.lost_after(goal, sequence, proof);
        }
    }
    format!("{} examined", counted(looked, "marking"))
}

/// Returns a prefix of the sequence after which token intervals already refute the predicate.
fn sooner(
    net: &Net,
    sequence: &FiringSequence,
    wanted: &Predicate,
    budget: &Budget,
) -> Option<(FiringSequence, Proof)> {
    let mut firings = 1;
    while u128::from(firings) < sequence.firings() && !budget.is_exhausted() {
        let mut few = sequence.clone();
        few.truncate(firings);
        let there = net.after(&few).ok()?;
        if let Some(proof) = by_intervals(&there, wanted, budget) {
            return Some((few, proof));
        }
        firings *= 2;
    }
    None
}

fn by_intervals(net: &Net, wanted: &Predicate, budget: &Budget) -> Option<Proof> {
    let goal = GoalId::new(0);
    let goals = [(goal, MarkingGoal::Reach(wanted.clone()))];
    let board = Board::new(net, vec![Goal::Reach(wanted.clone())]);
    let board = board.with_budget(budget).certified_only();
    let facts = Facts::none(net);
    let task = Task { net, goals: &goals, facts: &facts, board: &board, budget, seed: 1 };
    intervals::run(
        &task,
        board.witness_reporter("INITIAL_STATE"),
        board.proof_reporter("TOPOLOGICAL"),
    );
    match board.knowledge(goal) {
        Some(Knowledge::Reach(Reach::Unreachable { proof, .. })) => Some(proof),
        _ => None,
    }
}

/// Returns the goals that are unreachable in `net`, by position, each with a proof about `net`.
/// Uses a temporary board.
fn unreachable(net: &Net, goals: &[&Predicate], budget: &Budget) -> Vec<(usize, Proof)> {
    if goals.is_empty() {
        return Vec::new();
    }
    let list = goals.iter().map(|&wanted| Goal::Reach(wanted.clone())).collect();
    let reach = goals.iter().map(|&wanted| MarkingGoal::Reach(wanted.clone()));
    let goals: Vec<(GoalId, MarkingGoal)> =
        reach.enumerate().map(|(at, goal)| (GoalId::new(at), goal)).collect();
    let board = Board::new(net, list).with_budget(budget).certified_only();
    let facts = Facts::none(net);
    let slice = budget.share(0.1).slice(Duration::from_secs(2));
    let short = budget.slice(Duration::from_millis(300));
    let task = |budget| Task { net, goals: &goals, facts: &facts, board: &board, budget, seed: 1 };
    intervals::run(
        &task(budget),
        board.witness_reporter("INITIAL_STATE"),
        board.proof_reporter("TOPOLOGICAL"),
    );
    let refuted = || -> Vec<(usize, Proof)> {
        let of = |id: GoalId| match board.knowledge(id) {
            Some(Knowledge::Reach(Reach::Unreachable { proof, .. })) => Some((id.index(), proof)),
            _ => None,
        };
        board.ids().filter_map(of).collect()
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
            &task(&short),
            witness_reporter,
            proof_reporter,
            &explicit::ExplicitConfig::default(),
        );
    }
    refuted()
}

/// Like `unreachable`, by a diagram of all markings of `net`. The set is the certificate of every
/// proof.
fn by_diagrams(net: &Net, goals: &[&Predicate], budget: &Budget) -> Vec<(usize, Proof)> {
    if goals.is_empty() {
        return Vec::new();
    }
    let (most, enough) = DESCRIBED;
    let found = diagrams::explore(net, 1, budget, |mut reached| {
        let mut none = Vec::new();
        for (at, wanted) in goals.iter().enumerate() {
            if none.len() < enough && reached.some_satisfying(reached.set, wanted)?.is_empty() {
                none.push(at);
            }
        }
        let is_small = reached.diagrams.nodes_of(reached.set) <= most && !none.is_empty();
        Ok((none, is_small.then(|| closed_set(&reached))))
    });
    let Ok((none, Some(set))) = found else { return Vec::new() };
    let argument = Argument::ClosedSet { nodes: set.nodes.len() };
    let document = Arc::new(Document::ClosedSet(set));
    let proof = || Proof::new(argument.clone(), Some(document.clone()));
    none.into_iter().map(|at| (at, proof())).collect()
}
