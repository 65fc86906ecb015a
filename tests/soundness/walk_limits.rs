//! The walk at its limits: huge numbers, empty nets, self-covering sequences, many goals, goals
//! settled by others.

use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::Task;
use parikh::engine::walk::{
    Strategy, WalkConfig, WalkStatistics, find_self_covering_sequence, run,
};
use parikh::evidence::check_pump;
use parikh::net::{
    Facts, Goal, GoalId, LinearSum, Marking, Net, NetBuilder, Predicate, TransitionId,
    marking_goals, text,
};
use parikh::solvers::Budget;

fn parse(net: &str) -> Net {
    text::parse(net).unwrap()
}

fn numbered(goals: &[Goal]) -> Vec<(GoalId, Goal)> {
    goals.iter().cloned().enumerate().map(|(at, goal)| (GoalId::new(at), goal)).collect()
}

fn walk<'n>(net: &'n Net, goals: Vec<Goal>, work: u64) -> (Board<'n>, WalkStatistics) {
    let with_ids = numbered(&goals);
    let board = Board::new(net, goals);
    let task = Task {
        net,
        goals: &marking_goals(&with_ids),
        facts: &Facts::empty(net),
        board: &board,
        budget: &Budget::unlimited(),
        seed: 3,
    };
    let statistics = run(
        &task,
        board.witness_reporter("RANDOM_WALK"),
        &WalkConfig { max_work: work, ..WalkConfig::default() },
    );
    assert_eq!(board.faults(), 0);
    (board, statistics)
}

fn is_reached(board: &Board<'_>, goal: usize) -> bool {
    let knowledge = board.knowledge(GoalId::new(goal));
    matches!(knowledge, Some(Knowledge::Reach(ReachKnowledge::Reached { .. })))
}

fn at_least(net: &Net, place: &str, tokens: u64) -> Goal {
    Goal::Reach(Predicate::at_least(net.place_named(place).unwrap(), tokens))
}

fn maximise(net: &Net, place: &str) -> Goal {
    Goal::Maximise(LinearSum::place(net.place_named(place).unwrap()))
}

#[test]
fn four_billion_tokens_do_not_need_four_billion_firings() {
    let net = parse(
        "place a 4000000000
         place b
         place c
         place d
         transition t: a -> b
         transition u: 2*b -> c
         transition v: 1000*c -> d",
    );
    let empty = Predicate::at_least(net.place_named("a").unwrap(), 1).negated();
    let goals = vec![
        at_least(&net, "b", 4_000_000_000),
        at_least(&net, "c", 1_999_999_999),
        at_least(&net, "d", 2_000_000),
        Goal::Reach(empty),
        maximise(&net, "d"),
        maximise(&net, "b"),
    ];
    let (board, _) = walk(&net, goals, 2_000_000);
    assert!((0..4).all(|goal| is_reached(&board, goal)), "{:?}", board.open_goals());
    assert_eq!(board.largest_seen(GoalId::new(4)), Some(2_000_000));
    assert_eq!(board.largest_seen(GoalId::new(5)), Some(4_000_000_000));
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    let largest = Marking::MAX_TOKENS;
    let net = parse(&format!(
        "place a {largest}
         place b {largest}
         place c
         transition t: a -> b
         transition u: b -> 2*a
         transition v: {largest}*a -> c
         transition w: c -> {largest}*a + {largest}*b",
    ));
    let [a, b] = ["a", "b"].map(|name| net.place_named(name).unwrap());
    let sum = LinearSum::new([(a, 1), (b, 1)]).unwrap();
    let goals = vec![
        at_least(&net, "c", 1),
        Goal::Maximise(sum.clone()),
        Goal::Reach(Predicate::at_most(sum, i64::MAX)),
        maximise(&net, "a"),
        maximise(&net, "c"),
        Goal::Reach(Predicate::at_most(LinearSum::new([(a, i64::MAX)]).unwrap(), i64::MIN)),
    ];
    let (board, statistics) = walk(&net, goals, 100_000);
    assert!(is_reached(&board, 0));
    assert_eq!(board.largest_seen(GoalId::new(3)), Some(i128::from(largest)));
    assert!(statistics.unwatched > 0);
}

#[test]
fn trivial_nets_end_at_once() {
    for text in ["net empty", "place p 3", "transition t: ->", "place p\ntransition t: p -> p"] {
        let net = parse(text);
        let mut goals = vec![
            Goal::Reach(Predicate::Dead),
            Goal::Reach(Predicate::NotDead),
            Goal::Reach(Predicate::True),
            Goal::Reach(Predicate::False),
            Goal::Maximise(LinearSum::default()),
        ];
        goals.extend(net.places().map(|p| Goal::Maximise(LinearSum::place(p))));
        let (board, statistics) = walk(&net, goals, u64::MAX);
        assert_eq!(is_reached(&board, 0), net.is_dead(net.initial()), "{text}");
        assert_ne!(is_reached(&board, 0), is_reached(&board, 1), "{text}");
        assert!(is_reached(&board, 2) && !is_reached(&board, 3), "{text}");
        assert_eq!(board.largest_seen(GoalId::new(4)), Some(0), "{text}");
        assert_eq!((statistics.firings, statistics.initially_true), (0, 2), "{text}");
    }
}

#[test]
fn source_transitions_make_their_outputs_unbounded() {
    let net = parse(
        "place p
         place q
         place r
         place s 1
         transition source: -> p
         transition move: 3*p -> q
         transition once: s -> r",
    );
    let goals = ["p", "q", "r"].map(|place| maximise(&net, place)).to_vec();
    let (board, statistics) = walk(&net, goals, 1_000_000);
    let unbounded = |goal: usize| match board.knowledge(GoalId::new(goal)) {
        Some(Knowledge::Maximum(maximum)) => maximum.unbounded.is_some(),
        _ => false,
    };
    assert!(unbounded(0) && unbounded(1) && !unbounded(2));
    assert_eq!((statistics.unbounded, board.largest_seen(GoalId::new(2))), (2, Some(1)));
}

#[test]
fn a_pump_with_a_return_path_is_found() {
    // Ten machines with four states each must all return.
    let mut text = String::from("place done\n");
    for i in 0..10 {
        text.push_str(&format!("place a{i} 1\nplace b{i}\nplace c{i}\nplace d{i}\n"));
        text.push_str(&format!("transition ab{i}: a{i} -> b{i}\ntransition bc{i}: b{i} -> c{i}\n"));
        text.push_str(&format!("transition cd{i}: c{i} -> d{i}\ntransition da{i}: d{i} -> a{i}\n"));
    }
    let all = |state: &str| (0..10).map(|i| format!("{state}{i}")).collect::<Vec<_>>().join(" + ");
    text.push_str(&format!("transition meet: {} -> {} + done\n", all("c"), all("d")));
    let net = parse(&text);
    let (prefix, pump) =
        find_self_covering_sequence(&net, &Budget::unlimited(), 1, 3_000_000).unwrap();
    let (before, after) = check_pump(&net, &prefix, &pump).unwrap();
    assert!(after.total() > before.total());
}

#[test]
fn a_bounded_net_has_no_pump() {
    let net = parse("place a 2\nplace b\ntransition t: a -> b\ntransition u: b -> a");
    assert!(find_self_covering_sequence(&net, &Budget::unlimited(), 1, 100_000).is_none());
}

#[test]
fn a_long_chain_of_needs_is_followed_by_plans() {
    // Uniform choice often undoes earlier moves, so reaching the end takes exponential time.
    let mut builder = NetBuilder::new("ladder");
    let rungs: Vec<_> =
        (0..200).map(|i| builder.place(&format!("r{i}"), u64::from(i == 0)).unwrap()).collect();
    for (i, pair) in rungs.windows(2).enumerate() {
        let up = builder.transition(&format!("up{i}")).unwrap();
        builder.take(up, pair[0], 1).unwrap();
        builder.put(up, pair[1], 1).unwrap();
        for fall in 0..3 {
            let down = builder.transition(&format!("down{i}_{fall}")).unwrap();
            builder.take(down, pair[1], 1).unwrap();
            builder.put(down, rungs[i.saturating_sub(fall)], 1).unwrap();
        }
    }
    let net = builder.build().unwrap();
    let (board, statistics) = walk(&net, vec![at_least(&net, "r199", 1)], 2_000_000);
    assert!(is_reached(&board, 0));
    assert_eq!(statistics.of(Strategy::Plan).reached, 1);
}

#[test]
fn tens_of_thousands_of_goals_are_watched_at_once() {
    let mut builder = NetBuilder::new("ring");
    let places: Vec<_> = (0..20_000)
        .map(|i| builder.place(&format!("p{i}"), u64::from(i % 10 == 0)).unwrap())
        .collect();
    for i in 0..places.len() {
        let t = builder.transition(&format!("t{i}")).unwrap();
        builder.take(t, places[i], 1).unwrap();
        builder.put(t, places[(i + 1) % places.len()], 1).unwrap();
    }
    let net = builder.build().unwrap();
    let enabled = net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t)));
    let left = places.iter().enumerate().map(|(i, &p)| {
        let moved = Predicate::at_least(p, 1).negated();
        Goal::Reach(Predicate::and([moved, Predicate::Disabled(TransitionId::new(i))]))
    });
    let maxima = places.iter().map(|&p| Goal::Maximise(LinearSum::place(p)));
    let goals: Vec<Goal> = enabled.chain(left).chain(maxima).collect();
    let (board, statistics) = walk(&net, goals, 3_000_000);
    let reached = |goal: &usize| is_reached(&board, *goal);
    assert!((0..40_000).filter(reached).count() > 39_990, "{statistics:?}");
    assert!((40_000..60_000).all(|goal| board.largest_seen(GoalId::new(goal)) >= Some(1)));
    assert!(statistics.compilations < 30, "{statistics:?}");
}

#[test]
fn a_spent_budget_and_settled_goals_end_the_walk() {
    let net = parse("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p");
    let goals = vec![at_least(&net, "q", 2), Goal::Reach(Predicate::Enabled(TransitionId::new(1)))];
    let with_ids = numbered(&goals);
    let board = Board::new(&net, goals);
    let budget = Budget::unlimited();
    let task = Task {
        net: &net,
        goals: &marking_goals(&with_ids),
        facts: &Facts::empty(&net),
        board: &board,
        budget: &budget,
        seed: 1,
    };
    std::thread::scope(|scope| {
        let walker = scope
            .spawn(|| run(&task, board.witness_reporter("RANDOM_WALK"), &WalkConfig::default()));
        // Another thread settles the only unreachable goal.
        while board.is_open(GoalId::new(1)) {
            std::thread::yield_now();
        }
        board.abandon(GoalId::new(0));
        assert_eq!(walker.join().unwrap().reached, 1);
    });
    budget.cancel();
    let statistics = run(&task, board.witness_reporter("RANDOM_WALK"), &WalkConfig::default());
    assert_eq!(statistics.firings, 0);
}
