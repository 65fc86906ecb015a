//! The explicit engine at its limits: known sizes, empty nets, unbounded nets, numbers at the end
//! of their range, little memory, no time.

use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::Task;
use parikh::engine::explicit::{
    self, ExplicitConfig, ExplicitStatistics, ExplorationError, SearchOrder, StateSpace,
};
use parikh::net::{Facts, Goal, GoalId, LinearSum, Net, PlaceId, Predicate, marking_goals, text};
use parikh::solvers::Budget;
use std::fmt::Write as _;
use std::time::Duration;

fn run(board: &Board<'_>, budget: &Budget, config: &ExplicitConfig) -> ExplicitStatistics {
    let goals: Vec<(GoalId, Goal)> = board.ids().zip(board.goals().iter().cloned()).collect();
    let facts = Facts::empty(board.net());
    let net = board.net();
    let task = Task { net, goals: &marking_goals(&goals), facts: &facts, board, budget, seed: 0 };
    explicit::run(
        &task,
        board.witness_reporter("EXPLICIT"),
        board.proof_reporter("EXPLICIT"),
        config,
    )
}

/// Counts with one thread, and asserts that three threads give the same result.
fn count(net: &Net, budget: &Budget) -> Result<StateSpace, ExplorationError> {
    let [one, three] = [1, 3].map(|threads| {
        let budget = budget.child();
        explicit::count(net, &Facts::empty(net), threads, &budget)
    });
    assert_eq!(one.ok(), three.ok());
    one
}

fn is_open(board: &Board<'_>, goal: usize) -> bool {
    matches!(
        board.knowledge(GoalId::new(goal)),
        Some(Knowledge::Reach(ReachKnowledge::Open) | Knowledge::Maximum(_))
    ) && board.is_open(GoalId::new(goal))
}

/// Returns the Kanban system with `cards` cards in each of its four cells.
fn kanban(cards: u64) -> Net {
    let mut text = format!("net kanban{cards}\n");
    for i in 1..=4 {
        write!(
            text,
            "place work{i}\nplace redo{i}\nplace card{i} {cards}\nplace out{i}
             transition ok{i}: work{i} -> out{i}
             transition fail{i}: work{i} -> redo{i}
             transition back{i}: redo{i} -> work{i}\n"
        )
        .unwrap();
    }
    text.push_str(
        "transition in: card1 -> work1
         transition split: out1 + card2 + card3 -> card1 + work2 + work3
         transition join: out2 + out3 + card4 -> card2 + card3 + work4
         transition out: out4 -> card4",
    );
    text::parse(&text).unwrap()
}

/// Returns a line of `length` places with `tokens` tokens on the first; transitions move single
/// tokens.
fn line(length: usize, tokens: u64) -> Net {
    let mut text = format!("net line\nplace p0 {tokens}\n");
    for i in 1..length {
        let before = i - 1;
        write!(text, "place p{i}\ntransition t{i}: p{before} -> p{i}\n").unwrap();
    }
    text::parse(&text).unwrap()
}

#[test]
fn parametric_nets_have_their_published_sizes() {
    // Numbers of markings and firings from G. Ciardo, A. Miner, "Storage alternatives for large
    // structured state spaces", 1997, and later work.
    let published = [(160, 616), (4600, 28_120), (58_400, 446_400), (454_475, 3_979_850)];
    for (cards, (states, firings)) in (1..).zip(published) {
        let figures = count(&kanban(cards), &Budget::unlimited()).unwrap();
        assert_eq!((figures.states, figures.firings), (states, firings), "{cards}");
        assert_eq!(figures.max_tokens_in_place, u128::from(cards));
    }
    // The number of ways to put 20 tokens on 8 places.
    let figures = count(&line(8, 20), &Budget::unlimited()).unwrap();
    assert_eq!(figures.states, 888_030);
    assert_eq!((figures.max_tokens_in_place, figures.max_tokens_per_marking), (20, 20));
}

#[test]
fn nets_without_places_or_transitions_are_nets() {
    for (text, firings) in
        [("net nothing", 0), ("place p 7", 0), ("transition t", 1), ("transition t\nplace p 7", 1)]
    {
        let net = text::parse(text).unwrap();
        let figures = count(&net, &Budget::unlimited()).unwrap();
        assert_eq!((figures.states, figures.firings), (1, firings), "{text}");
        let goals = vec![
            Goal::Reach(Predicate::Dead),
            Goal::Reach(Predicate::NotDead),
            Goal::Reach(Predicate::False),
            Goal::Reach(Predicate::True),
            Goal::Maximise(LinearSum::default()),
        ];
        for goals in [goals.clone(), goals[..1].to_vec(), goals[1..2].to_vec()] {
            let board = Board::new(&net, goals);
            run(&board, &Budget::unlimited(), &ExplicitConfig::default());
            assert_eq!((board.open_count(), board.faults()), (0, 0), "{text}");
        }
    }
}

#[test]
fn an_unbounded_net_exhausts_the_budget_without_results() {
    let net = text::parse(
        "place p\nplace q\ntransition a: -> p\ntransition b: -> q\ntransition c: p + q -> p",
    )
    .unwrap();
    let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
    let goals = vec![
        Goal::Reach(Predicate::at_least(p, 1 << 60)),
        Goal::Maximise(LinearSum::place(q)),
        Goal::Reach(Predicate::at_least(p, 20)),
        Goal::Reach(Predicate::Dead),
    ];
    for order in [SearchOrder::BreadthFirst, SearchOrder::BestFirst] {
        let board = Board::new(&net, goals.clone());
        let budget = Budget::lasting(Duration::from_millis(400));
        run(
            &board,
            &budget,
            &ExplicitConfig { order, order_per_goal: order, ..ExplicitConfig::default() },
        );
        assert_eq!(board.faults(), 0);
        assert!(is_open(&board, 0) && is_open(&board, 1), "{order:?}");
        assert!(board.largest_seen(GoalId::new(1)).is_some_and(|seen| seen > 0));
        assert!(!board.is_open(GoalId::new(2)), "{order:?}");
        // Source transitions are always enabled, so stubborn sets prove at once that no marking is
        // dead. No other method here can.
        if let Some(Knowledge::Reach(ReachKnowledge::Reached { .. })) =
            board.knowledge(GoalId::new(3))
        {
            panic!("a net with a source was found dead");
        }
    }
    let budget = Budget::lasting(Duration::from_millis(100));
    assert!(matches!(count(&net, &budget), Err(ExplorationError::BudgetExhausted(_))));
}

#[test]
fn tokens_at_the_end_of_the_numbers_are_never_wrapped() {
    let most = i64::MAX as u64;
    let net = text::parse(&format!(
        "place p {most}\nplace q 1\nplace r\nplace s {}
         transition swap: {most}*p + q -> r\ntransition back: r -> {most}*p + q
         transition more: s -> 2*s",
        most - 3
    ))
    .unwrap();
    // Transition `more` exceeds the token limit, so the count is incomplete …
    assert_eq!(count(&net, &Budget::unlimited()), Err(ExplorationError::TooManyTokens));
    let [p, r] = ["p", "r"].map(|name| net.place_named(name).unwrap());
    let goals = vec![
        Goal::Reach(Predicate::and([Predicate::at_least(p, 1), Predicate::at_least(r, 1)])),
        Goal::Reach(Predicate::at_least(r, 1)),
        Goal::Maximise(LinearSum::place(p)),
    ];
    let config = ExplicitConfig { uses_stubborn_sets: false, ..ExplicitConfig::default() };
    let board = Board::new(&net, goals);
    run(&board, &Budget::unlimited(), &config);
    assert_eq!(board.faults(), 0);
    // … and nothing can be refuted, but reached goals count.
    assert_eq!([0, 1].map(|goal| is_open(&board, goal)), [true, false]);
    assert_eq!(board.largest_seen(GoalId::new(2)), Some(i128::from(most)));
}

#[test]
fn a_net_with_large_weights_is_exact() {
    let net = text::parse(
        "place p 4000000000\nplace q\nplace r 3
         transition a: 1000000000*p -> 2000000000*q + r\ntransition b: 4000000000*q + 2*r -> 3*p",
    )
    .unwrap();
    let figures = count(&net, &Budget::unlimited()).unwrap();
    assert_eq!((figures.states, figures.firings), (9, 10));
    assert_eq!(figures.max_tokens_in_place, 8_000_000_000);
}

/// Returns a net with more markings than fit in memory, and two unreachable goals.
fn large() -> (Net, Vec<Goal>) {
    let net = line(200, 50);
    let places: Vec<PlaceId> = net.places().collect();
    let both = places.iter().map(|&p| Predicate::at_least(p, 2));
    let goals = vec![
        Goal::Reach(Predicate::and(both)),
        Goal::Maximise(LinearSum::new([(places[3], 2), (places[4], 1)]).unwrap()),
    ];
    (net, goals)
}

#[test]
fn a_memory_limit_ends_the_engine_without_results() {
    let (net, goals) = large();
    // Only breadth-first search uses several threads.
    for (order, threads) in [
        (SearchOrder::BreadthFirst, 1),
        (SearchOrder::BreadthFirst, 3),
        (SearchOrder::BestFirst, 1),
    ] {
        let board = Board::new(&net, goals.clone());
        let (memory, stubborn) = (8 << 20, false);
        let config = ExplicitConfig {
            max_bytes: memory,
            order,
            order_per_goal: order,
            uses_stubborn_sets: stubborn,
            threads,
            ..ExplicitConfig::default()
        };
        let statistics = run(&board, &Budget::unlimited(), &config);
        assert_eq!(board.faults(), 0);
        assert!(is_open(&board, 0) && is_open(&board, 1));
        assert!(statistics.states > 10_000, "{statistics:?}");
        assert!(statistics.peak_bytes <= memory + (1 << 20), "{statistics:?}");
    }
    let ceiling = parikh::solvers::budget::resident_bytes() + (16 << 20);
    let budget = Budget::unlimited().with_memory_ceiling(ceiling);
    let board = Board::new(&net, goals);
    run(
        &board,
        &budget,
        &ExplicitConfig { uses_stubborn_sets: false, ..ExplicitConfig::default() },
    );
    assert!(is_open(&board, 0) && is_open(&board, 1));
    assert!(count(&net, &budget).is_err());
}

#[test]
fn goals_settled_by_other_engines_are_dropped() {
    let (net, goals) = large();
    let board = Board::new(&net, goals);
    board.ids().for_each(|id| board.abandon(id));
    let config = ExplicitConfig { uses_stubborn_sets: false, ..ExplicitConfig::default() };
    assert_eq!(run(&board, &Budget::unlimited(), &config).searches, 0);
    let (net, goals) = large();
    let board = Board::new(&net, goals);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            board.ids().for_each(|id| board.abandon(id));
        });
        let statistics = run(&board, &Budget::unlimited(), &config);
        assert_eq!((statistics.searches, statistics.exhausted), (1, 0));
    });
}
