//! The explicit engine on random small nets with weights, against plain enumeration.

use crate::support::oracle::{OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use crate::support::shrinking::shrinking;
use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::Task;
use parikh::engine::explicit::{self, ExplicitConfig, SearchOrder};
use parikh::net::{
    Facts, Goal, GoalId, LinearSum, Marking, Net, Predicate, Provenance, TransitionId,
    marking_goals,
};
use parikh::solvers::Budget;
use parikh_generate::{Shape, random, random_predicate, random_sum};
use std::collections::HashMap;
use std::time::Duration;

/// The limits of plain enumeration; larger nets are skipped.
const SMALL: OracleLimits = OracleLimits { states: 3000, tokens: u64::MAX };

fn random_goals(net: &Net, rng: &mut fastrand::Rng) -> Vec<Goal> {
    let mut goals = vec![Goal::Reach(Predicate::Dead)];
    for _ in 0..6 {
        goals.push(Goal::Reach(random_predicate(rng, net, 2)));
        goals.push(Goal::Maximise(random_sum(rng, net, false)));
    }
    goals
}

/// Returns facts that are true for some places and wrong for others. Wrong facts must not affect
/// the result.
fn random_facts(net: &Net, rng: &mut fastrand::Rng) -> Facts {
    let mut facts = Facts::empty(net);
    for p in net.places() {
        if rng.u8(0..3) == 0 {
            facts.bound_above(p, rng.u64(0..9), Provenance::UnitsClaimed);
        }
    }
    facts
}

/// Runs the engine on `goals` and compares every result with the enumeration.
fn check(net: &Net, all: &StateSpace<'_>, goals: &[Goal], facts: &Facts, config: &ExplicitConfig) {
    let board = Board::new(net, goals.to_vec());
    let listed: Vec<(GoalId, Goal)> = board.ids().zip(goals.iter().cloned()).collect();
    let budget = Budget::unlimited();
    let task = Task {
        net,
        goals: &marking_goals(&listed),
        facts,
        board: &board,
        budget: &budget,
        seed: 0,
    };
    let (under, over) = (board.witness_reporter("EXPLICIT"), board.proof_reporter("EXPLICIT"));
    let statistics = explicit::run(&task, under, over, config);
    let context = || format!("{}\n{config:?}\n{statistics:?}", parikh::net::text::print(net));
    verify(all, &board, &context);
}

/// Compares every result on the board with the enumeration.
fn verify(all: &StateSpace<'_>, board: &Board<'_>, context: &dyn Fn() -> String) {
    assert_eq!(board.faults(), 0, "{}", context());
    for (id, goal) in board.ids().zip(board.goals()) {
        match (goal, board.knowledge(id).unwrap()) {
            (Goal::Reach(predicate), Knowledge::Reach(known)) => {
                let truth = all.reaches(predicate);
                let verdict = match known {
                    ReachKnowledge::Open => panic!("{predicate:?} open in\n{}", context()),
                    ReachKnowledge::Reached { .. } => true,
                    ReachKnowledge::Unreachable { .. } => false,
                };
                assert_eq!(verdict, truth, "{predicate:?} in\n{}", context());
            }
            (Goal::Maximise(sum), Knowledge::Maximum(maximum)) => {
                assert_eq!(maximum.value(), Some(all.maximum(sum)), "{sum:?} in\n{}", context());
            }
            _ => unreachable!(),
        }
    }
}

/// Calls `work` on `count` random nets with few markings.
fn on_small_nets(
    seed: u64,
    count: u64,
    mut work: impl FnMut(&Net, &StateSpace<'_>, &mut fastrand::Rng),
) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut done = 0;
    while done < count {
        let number = rng.u64(..);
        let net = random(number, &Shape::small(number));
        let begun = rng.clone();
        let drawn = shrinking(&net, |net| {
            let (mut rng, all) = (begun.clone(), explore(net, SMALL)?);
            let is_tried = all.states() > 2 || rng.u8(0..20) == 0;
            if is_tried {
                work(net, &all, &mut rng);
            }
            Some((rng, is_tried))
        });
        if let Some((more, is_tried)) = drawn {
            rng = more;
            done += u64::from(is_tried);
        }
    }
}

#[test]
fn all_goals_at_once_in_every_order() {
    on_small_nets(1, scaled(1000), |net, all, rng| {
        let goals = random_goals(net, rng);
        let facts = random_facts(net, rng);
        for order in [SearchOrder::BreadthFirst, SearchOrder::BestFirst] {
            let threads = rng.choice([1, 2, 3, 8]).unwrap();
            check(
                net,
                all,
                &goals,
                &facts,
                &ExplicitConfig { order, threads, ..ExplicitConfig::default() },
            );
        }
    });
}

#[test]
fn one_goal_at_a_time_with_and_without_stubborn_sets() {
    on_small_nets(2, scaled(1500), |net, all, rng| {
        let facts = random_facts(net, rng);
        for goal in random_goals(net, rng) {
            for (order_per_goal, stubborn) in [
                (SearchOrder::BreadthFirst, true),
                (SearchOrder::BestFirst, true),
                (SearchOrder::BestFirst, false),
            ] {
                let config = ExplicitConfig {
                    order_per_goal,
                    uses_stubborn_sets: stubborn,
                    ..ExplicitConfig::default()
                };
                check(net, all, std::slice::from_ref(&goal), &facts, &config);
            }
        }
    });
}

#[test]
fn per_node_goals_of_the_global_examinations() {
    on_small_nets(3, scaled(500), |net, all, rng| {
        let facts = random_facts(net, rng);
        let mut goals: Vec<Goal> =
            net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t))).collect();
        // Many goals of one kind are indexed differently from few goals.
        if rng.bool() {
            goals = (0..16).flat_map(|_| goals.clone()).collect();
        }
        for p in net.places() {
            goals.push(Goal::Reach(Predicate::at_least(p, 2)));
            let start = net.initial()[p];
            goals.push(Goal::Reach(Predicate::or([
                Predicate::at_least(p, start + 1),
                Predicate::at_least(p, start).negated(),
            ])));
            goals.push(Goal::Maximise(LinearSum::place(p)));
        }
        for threads in [1, 3] {
            check(
                net,
                all,
                &goals,
                &facts,
                &ExplicitConfig { threads, ..ExplicitConfig::default() },
            );
        }
    });
}

#[test]
fn shortest_sequences_survive_stubborn_sets() {
    on_small_nets(4, scaled(300), |net, _, rng| {
        for _ in 0..4 {
            let goal = Goal::Reach(random_predicate(rng, net, 2));
            let length = |stubborn: bool| {
                let board = Board::new(net, vec![goal.clone()]);
                let listed = [(GoalId::new(0), goal.clone())];
                let facts = Facts::empty(net);
                let budget = Budget::unlimited();
                let task = Task {
                    net,
                    goals: &marking_goals(&listed),
                    facts: &facts,
                    board: &board,
                    budget: &budget,
                    seed: 0,
                };
                let order_per_goal = SearchOrder::BreadthFirst;
                let config = ExplicitConfig {
                    uses_stubborn_sets: stubborn,
                    order_per_goal,
                    ..ExplicitConfig::default()
                };
                explicit::run(
                    &task,
                    board.witness_reporter("X"),
                    board.proof_reporter("X"),
                    &config,
                );
                match board.knowledge(GoalId::new(0)) {
                    Some(Knowledge::Reach(ReachKnowledge::Reached { witness, .. })) => {
                        witness?.to_sequence().map(|sequence| sequence.firings())
                    }
                    _ => None,
                }
            };
            assert_eq!(
                length(true),
                length(false),
                "{goal:?} in {}",
                parikh::net::text::print(net)
            );
        }
    });
}

#[test]
fn state_spaces_are_counted() {
    on_small_nets(5, scaled(2000), |net, all, rng| {
        let facts = random_facts(net, rng);
        let count = |threads| explicit::count(net, &facts, threads, &Budget::unlimited()).unwrap();
        let (figures, context) = (count(1), parikh::net::text::print(net));
        for threads in [2, 3, 8] {
            assert_eq!(count(threads), figures, "{threads} threads, {context}");
        }
        assert_eq!(figures.states, all.states() as u128, "{context}");
        assert_eq!(figures.firings, all.firings() as u128, "{context}");
        let largest = u128::from(all.most_in_place());
        assert_eq!(figures.max_tokens_in_place, largest, "{context}");
        assert_eq!(figures.max_tokens_per_marking, all.most_in_marking(), "{context}");
    });
}

#[test]
fn later_slices_settle_goals_left_by_the_first_search() {
    on_small_nets(6, scaled(500), |net, all, rng| {
        let goals = random_goals(net, rng);
        let nodes = net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t)));
        let goals: Vec<Goal> = if rng.bool() {
            let nodes: Vec<Goal> = nodes.collect();
            (0..32).flat_map(|_| nodes.clone()).chain(goals).collect()
        } else {
            goals
        };
        let board = Board::new(net, goals.clone());
        let listed: Vec<(GoalId, Goal)> = board.ids().zip(goals.iter().cloned()).collect();
        let facts = Facts::empty(net);
        let budget = Budget::lasting(Duration::from_secs(100));
        let task = Task {
            net,
            goals: &marking_goals(&listed),
            facts: &facts,
            board: &board,
            budget: &budget,
            seed: 0,
        };
        let config = ExplicitConfig { all_goals_share: 0.0, ..ExplicitConfig::default() };
        let statistics =
            explicit::run(&task, board.witness_reporter("X"), board.proof_reporter("X"), &config);
        assert!(statistics.searches > 1);
        assert_eq!((board.open_count(), board.faults()), (0, 0));
        verify(all, &board, &|| format!("{}\n{statistics:?}", parikh::net::text::print(net)));
    });
}

#[test]
fn liveness_and_reversibility_by_closure() {
    on_small_nets(7, scaled(500), |net, all, _| {
        if all.states() > 300 {
            return;
        }
        let reachable_from = |start: &Marking| {
            let mut seen = HashMap::from([(start.clone(), ())]);
            let mut stack = vec![start.clone()];
            while let Some(marking) = stack.pop() {
                for t in net.transitions().filter(|&t| net.is_enabled(&marking, t)) {
                    let mut next = marking.clone();
                    net.fire(&mut next, t).unwrap();
                    if seen.insert(next.clone(), ()).is_none() {
                        stack.push(next);
                    }
                }
            }
            seen
        };
        let closures: Vec<_> = all.markings().iter().map(reachable_from).collect();
        let comes_back = |t: TransitionId, from: &HashMap<Marking, ()>| {
            from.keys().any(|marking| net.is_enabled(marking, t))
        };
        let facts = Facts::empty(net);
        let budget = Budget::unlimited();
        let context = parikh::net::text::print(net);
        let mut graph = explicit::graph::ExplicitGraph::explore(net, &facts, &budget).unwrap();
        let enabled: Vec<Predicate> = net.transitions().map(Predicate::Enabled).collect();
        let lost = graph.markings_without(&enabled.iter().collect::<Vec<_>>()).unwrap();
        for (t, lost) in net.transitions().zip(lost) {
            let live = closures.iter().all(|from| comes_back(t, from));
            assert_eq!(lost.is_none(), live, "{context}");
            if let Some((marking, count)) = lost {
                let end = parikh::evidence::replay(net, &graph.sequence_to(marking)).unwrap();
                let region = reachable_from(&end);
                assert_eq!(region.len() as u64, count, "{context}");
                assert!(!comes_back(t, &region), "{context}");
            }
        }
        let reversible = closures.iter().all(|from| from.contains_key(net.initial()));
        let lost = graph.markings_without(&[&Predicate::exactly(net.initial())]).unwrap();
        assert_eq!(lost[0].is_none(), reversible, "{context}");
    });
}
