//! The walk on random small nets with random goals, against plain enumeration. The board accepts
//! all its witnesses, everything it reaches is reachable, and it reaches nearly all reachable
//! goals.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::Task;
use parikh::engine::walk::{Strategy, WalkConfig, find_self_covering_sequence, run};
use parikh::net::{Facts, Goal, GoalId, LinearSum, Net, Predicate, marking_goals};
use parikh::solvers::Budget;
use parikh_generate::{Shape, random, random_predicate, random_sum};

/// The limits of plain enumeration.
const SMALL: OracleLimits = OracleLimits { states: 3000, tokens: u64::MAX };

fn goals_of(net: &Net, rng: &mut Rng) -> Vec<Goal> {
    let mut goals: Vec<Goal> = (0..8).map(|_| Goal::Reach(random_predicate(rng, net, 2))).collect();
    goals.extend(net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t))));
    goals.extend(net.places().map(|p| Goal::Maximise(LinearSum::place(p))));
    goals.extend((0..3).map(|_| Goal::Maximise(random_sum(rng, net, false))));
    goals
}

fn walk<'n>(net: &'n Net, goals: Vec<Goal>, config: &WalkConfig, seed: u64) -> Board<'n> {
    let with_ids: Vec<(GoalId, Goal)> =
        goals.iter().cloned().enumerate().map(|(at, goal)| (GoalId::new(at), goal)).collect();
    let board = Board::new(net, goals);
    let task = Task {
        net,
        goals: &marking_goals(&with_ids),
        facts: &Facts::empty(net),
        board: &board,
        budget: &Budget::unlimited(),
        seed,
    };
    run(&task, board.witness_reporter("RANDOM_WALK"), config);
    board
}

/// Returns the number of goals with a witness, and the number of those that the walk missed.
fn compare(config: &WalkConfig, nets: u64) -> (usize, usize) {
    let (mut answerable, mut missed) = (0, 0);
    for seed in 0..nets {
        let mut rng = Rng::with_seed(seed);
        let net = random(seed, &Shape::small(seed));
        let goals = goals_of(&net, &mut rng);
        let reachable = explore(&net, SMALL);
        let board = walk(&net, goals.clone(), config, seed);
        assert_eq!(board.faults(), 0, "net {seed}:\n{}", parikh::net::text::print(&net));
        for (at, goal) in goals.iter().enumerate() {
            let knowledge = board.knowledge(GoalId::new(at)).unwrap();
            match (goal, knowledge) {
                (Goal::Reach(predicate), Knowledge::Reach(reach)) => {
                    let reached = matches!(reach, ReachKnowledge::Reached { .. });
                    let Some(all) = &reachable else { continue };
                    let expected = all.reaches(predicate);
                    assert!(expected || !reached, "net {seed} goal {at}");
                    answerable += usize::from(expected);
                    missed += usize::from(expected && !reached);
                }
                (Goal::Maximise(sum), Knowledge::Maximum(maximum)) => {
                    let Some(all) = &reachable else { continue };
                    let expected = Some(all.maximum(sum));
                    let seen = maximum.largest_seen.map(|seen| seen.value);
                    assert!(seen <= expected && maximum.unbounded.is_none(), "net {seed} {at}");
                    answerable += 1;
                    missed += usize::from(seen != expected);
                }
                _ => unreachable!(),
            }
        }
    }
    (answerable, missed)
}

#[test]
fn walks_reach_almost_all_reachable_goals_and_no_others() {
    let config = WalkConfig { max_work: 30_000, ..WalkConfig::default() };
    let (answerable, missed) = compare(&config, scaled(800));
    eprintln!("{missed} of {answerable} missed");
    assert!(answerable > 3000, "{answerable}");
    assert!(missed * 500 < answerable, "{missed} of {answerable} missed");
}

#[test]
fn each_strategy_alone_makes_no_false_claim() {
    // Without hints, the guided walk does nothing. It is tested with hints in the table of engines.
    for strategy in Strategy::ALL.into_iter().filter(|&strategy| strategy != Strategy::Guided) {
        let config = WalkConfig {
            max_work: 20_000,
            strategies: Some(vec![strategy]),
            ..WalkConfig::default()
        };
        let (answerable, missed) = compare(&config, scaled(100));
        eprintln!("{strategy:?}: {missed} of {answerable} missed");
        // The strategy for self-covering sequences often returns to its start; the other strategies
        // must reach goals.
        assert!(strategy == Strategy::Pump || missed * 6 < answerable, "{strategy:?} {missed}");
    }
}

#[test]
fn self_covering_sequences_are_found_in_unbounded_nets() {
    let (mut unbounded, mut found) = (0, 0);
    for seed in 0..scaled(400) {
        let net = random(seed, &Shape::small(seed));
        let pump = find_self_covering_sequence(&net, &Budget::unlimited(), seed, 60_000);
        let bounded = explore(&net, SMALL).is_some();
        assert!(!bounded || pump.is_none(), "net {seed}");
        // A small net with more markings than the limit is nearly always unbounded.
        unbounded += usize::from(!bounded);
        found += usize::from(pump.is_some());
    }
    eprintln!("{found} pumps in {unbounded} nets");
    assert!(found * 100 >= unbounded * 95, "{found} of {unbounded}");
}

#[test]
fn the_same_seed_walks_the_same_way() {
    let config = WalkConfig { max_work: 50_000, ..WalkConfig::default() };
    let sequences = |seed| {
        let mut rng = Rng::with_seed(99);
        let net = random(99, &Shape::small(99));
        let goals = goals_of(&net, &mut rng);
        let board = walk(&net, goals, &config, seed);
        format!("{:?}", board.ids().map(|id| board.knowledge(id)).collect::<Vec<_>>())
    };
    assert_eq!(sequences(5), sequences(5));
}
