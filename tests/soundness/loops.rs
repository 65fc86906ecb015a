//! The engine for runs with nested loops finds required runs and makes no errors.

use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::board::{Board, Knowledge, ReachKnowledge, Witness};
use parikh::engine::loops;
use parikh::engine::{Assignment, SliceProgress};
use parikh::evidence::loops::{holds, replay_loops};
use parikh::net::{Facts, Goal, GoalId, LoopRun, Net, NetBuilder, Predicate};
use parikh::solvers::Budget;
use parikh::working_net::WorkingNet;
use parikh_generate as generate;
use std::time::Duration;

/// Runs the engine on the goals of a board. Returns its progress: if it is finished, there is
/// nothing left to try.
fn work(board: &Board<'_>, budget: &Budget, seed: u64) -> SliceProgress {
    let net = board.net();
    let goals: Vec<(GoalId, Goal)> = board.ids().map(|id| (id, board.goal(id).clone())).collect();
    let facts = Facts::empty(net);
    let known = parikh::structure::intervals::Intervals::new(net, &facts);
    let working_net = WorkingNet::original(net, goals, facts, &known);
    let assignment = Assignment::new(&working_net, board, seed);
    let mut session = (loops::ENGINE.start)(assignment).expect("starts");
    session.slice(budget)
}

/// Returns the run that reaches a goal, after replaying it.
fn run_to(board: &Board<'_>, id: GoalId) -> LoopRun {
    let Some(Knowledge::Reach(ReachKnowledge::Reached { witness: Some(witness), .. })) =
        board.knowledge(id)
    else {
        panic!("{id:?} is not reached")
    };
    let Witness::Loops(run, spot) = witness else { panic!("no loops") };
    let run = run.prefix(&spot);
    let net = board.net();
    let end = replay_loops(net, &run, &mut |_, _, _| {}, &mut || true).unwrap();
    let Goal::Reach(predicate) = board.goal(id) else { panic!("no goal of this kind") };
    assert!(holds(net, predicate, &end));
    run
}

#[test]
fn an_odometer_of_a_hundred_digits_is_run_to_its_end() {
    let net = generate::odometer_net(100, 1000);
    let board = Board::new(&net, vec![Goal::Reach(Predicate::Dead)]);
    work(&board, &Budget::lasting(Duration::from_secs(60)), 0);
    assert_eq!(board.faults(), 0);
    let run = run_to(&board, GoalId::new(0));
    // 1000^100 − 1 firings, and no other number.
    assert_eq!(run.firings().to_string(), "9".repeat(300));
    assert!(run.element_count() < 20_000, "{} turns", run.element_count());
}

/// Decisions whose errors become visible late: a clock with hands. Each hand must be left after a
/// full turn, and leaving it too early leads to a dead end.
fn clock(hands: usize, ticks: u64) -> Net {
    let mut builder = NetBuilder::new("clock");
    let mut place = |id: String, tokens| builder.place(&id, tokens).unwrap();
    let at: Vec<_> =
        (0..hands).map(|hand| place(format!("at_{hand}"), u64::from(hand == 0))).collect();
    let leaving: Vec<_> = (0..hands).map(|hand| place(format!("leaving_{hand}"), 0)).collect();
    let left: Vec<_> = (0..hands).map(|hand| place(format!("left_{hand}"), ticks)).collect();
    let gone: Vec<_> = (0..hands).map(|hand| place(format!("gone_{hand}"), 0)).collect();
    let end = place("end".to_owned(), 0);
    for hand in 0..hands {
        // A tick of the first hand continues there. A tick of another hand restarts the first hand.
        let tick = builder.transition(&format!("tick_{hand}")).unwrap();
        builder.take(tick, at[hand], 1).unwrap();
        builder.take(tick, left[hand], 1).unwrap();
        builder.put(tick, gone[hand], 1).unwrap();
        builder.put(tick, at[0], 1).unwrap();
        let leave = builder.transition(&format!("leave_{hand}")).unwrap();
        builder.take(leave, at[hand], 1).unwrap();
        builder.put(leave, leaving[hand], 1).unwrap();
        let back = builder.transition(&format!("back_{hand}")).unwrap();
        builder.take(back, leaving[hand], 1).unwrap();
        builder.take(back, gone[hand], ticks).unwrap();
        builder.put(back, left[hand], ticks).unwrap();
        builder.put(back, at.get(hand + 1).copied().unwrap_or(end), 1).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn wrong_choices_are_undone_and_ranks_learnt() {
    for seed in 0..10 {
        let net = clock(6, 100_000);
        let end = Predicate::at_least(net.place_named("end").unwrap(), 1);
        let board = Board::new(&net, vec![Goal::Reach(end)]);
        work(&board, &Budget::lasting(Duration::from_secs(60)), seed);
        assert_eq!(board.faults(), 0, "seed {seed}");
        let run = run_to(&board, GoalId::new(0));
        assert!(run.firings().to_string().len() > 30, "seed {seed}");
    }
}

/// Returns a random net with many tokens.
fn with_many_tokens(seed: u64) -> Net {
    let net = generate::random(seed, &generate::Shape::small(seed));
    let mut rng = Rng::with_seed(seed);
    let mut builder = NetBuilder::of(&net).unwrap();
    for p in net.places().filter(|&p| net.initial()[p] > 0) {
        builder.set_tokens(p, rng.u64(1..1 << 50)).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn many_tokens_are_no_fault() {
    let (mut settled, mut finished) = (0, 0);
    for seed in 0..scaled(1_500) {
        let net = with_many_tokens(seed);
        let mut goals = generate::random_goals(seed, &net, 3);
        goals.push(Goal::Reach(Predicate::Dead));
        goals.extend(net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t))));
        let board = Board::new(&net, goals);
        let progress = work(&board, &Budget::lasting(Duration::from_millis(4)), seed);
        assert_eq!(board.faults(), 0, "seed {seed}:\n{}", parikh::net::text::print(&net));
        settled += board.goals().len() - board.open_count();
        finished += u32::from(progress == SliceProgress::Finished);
    }
    assert!(settled > 1_000 && finished > 100, "{settled} settled, {finished} finished");
}
