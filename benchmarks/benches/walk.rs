//! Firings per second of the random walk: dining philosophers with a thousand tables, by strategy
//! and by goal. Prints a table. Run it with `cargo bench -p parikh-benchmarks --bench walk`, or
//! with other models: `cargo bench -p parikh-benchmarks --bench walk -- MODEL.pnml …`.
//!
//! Rates are per second of processor time, so that other work on the machine does not change them.
//! The goals are unreachable, so that nothing is settled and all time is spent walking.

use parikh::board::Board;
use parikh::engine::Task;
use parikh::engine::walk::{Strategy, WalkConfig, run};
use parikh::input::read_net;
use parikh::net::{
    Facts, Goal, GoalId, LinearSum, Net, NetBuilder, PlaceId, Predicate, TransitionId,
    marking_goals,
};
use parikh::solvers::Budget;

/// Number of firings per row.
const WORK: u64 = 20_000_000;

/// Returns philosophers who take the left fork, then the right fork, eat, and put both back.
fn philosophers(tables: usize) -> Net {
    let mut builder = NetBuilder::new("philosophers");
    let mut column = |name: &str, tokens: u64| -> Vec<PlaceId> {
        let place = |i| builder.place(&format!("{name}{i}"), tokens);
        (0..tables).map(place).collect::<Result<_, _>>().expect("fresh names")
    };
    let fork = column("fork", 1);
    let think = column("think", 1);
    let (left, right, eat) = (column("left", 0), column("right", 0), column("eat", 0));
    for i in 0..tables {
        let other = fork[(i + 1) % tables];
        let rows = [
            ("take_left", vec![think[i], fork[i]], vec![left[i]]),
            ("take_right", vec![think[i], other], vec![right[i]]),
            ("left_then_eat", vec![left[i], other], vec![eat[i]]),
            ("right_then_eat", vec![right[i], fork[i]], vec![eat[i]]),
            ("stop", vec![eat[i]], vec![think[i], fork[i], other]),
        ];
        for (name, pre, post) in rows {
            let t = builder.transition(&format!("{name}{i}")).expect("fresh names");
            for p in pre {
                builder.take(t, p, 1).expect("weights of 1");
            }
            for p in post {
                builder.put(t, p, 1).expect("weights of 1");
            }
        }
    }
    builder.build().expect("a small net")
}

/// Measures one row: all goals with one strategy.
fn measure(name: &str, net: &Net, goals: Vec<Goal>, strategy: Strategy) {
    let with_ids: Vec<(GoalId, Goal)> =
        goals.iter().cloned().enumerate().map(|(at, goal)| (GoalId::new(at), goal)).collect();
    let board = Board::new(net, goals).without_witnesses();
    let task = Task {
        net,
        goals: &marking_goals(&with_ids),
        facts: &Facts::empty(net),
        board: &board,
        budget: &Budget::unlimited(),
        seed: 1,
    };
    let config =
        WalkConfig { strategies: Some(vec![strategy]), max_work: WORK, ..WalkConfig::default() };
    let begin = processor_seconds();
    let statistics = run(&task, board.witness_reporter("RANDOM_WALK"), &config);
    let seconds = processor_seconds() - begin;
    println!(
        "{name:<28} {strategy:<10?} {:>7.2} M firings/s   {} walks, {} of {} goals open",
        statistics.firings as f64 / seconds / 1e6,
        statistics.of(strategy).walks,
        board.open_count(),
        with_ids.len(),
    );
}

/// Returns the processor time of this thread in seconds.
fn processor_seconds() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = times.split_whitespace().next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) / 1e9
}

/// Measures a model from a file. The goals are pairs of transitions enabled at once, with more
/// tokens than any marking has.
fn measure_model(path: &str) {
    let net = read_net(path.as_ref()).unwrap_or_else(|error| panic!("{path}: {error}"));
    let transition = |at: usize| TransitionId::new(at % net.transition_count());
    let goal = |at: usize| {
        let both = [transition(at * 7919), transition(at * 104_729 + 1)].map(Predicate::Enabled);
        let many = Predicate::at_least(PlaceId::new(at % net.place_count()), 1 << 60);
        Goal::Reach(Predicate::and(both.into_iter().chain([many])))
    };
    let goals: Vec<Goal> = (0..64).map(goal).collect();
    for strategy in [Strategy::Uniform, Strategy::Novelty, Strategy::Directed, Strategy::Plan] {
        measure(path.rsplit('/').next().unwrap_or(path), &net, goals.clone(), strategy);
    }
}

fn main() {
    // `cargo bench` adds `--bench`.
    let models: Vec<String> = std::env::args().skip(1).filter(|at| at != "--bench").collect();
    if !models.is_empty() {
        return models.iter().for_each(|model| measure_model(model));
    }
    let net = philosophers(1000);
    let two = |p: PlaceId| Goal::Reach(Predicate::at_least(p, 2));
    let all = |name: &str| {
        let places = net.places().filter(|&p| net.place_name(p).starts_with(name));
        LinearSum::new(places.map(|p| (p, 1))).expect("coefficients of 1")
    };
    let too_many = |sum: LinearSum, bound| Goal::Reach(Predicate::at_most(sum, bound).negated());
    let sums = vec![too_many(all("eat"), 500), too_many(all("left"), 1000)];
    let maxima: Vec<Goal> = net.places().map(|p| Goal::Maximise(LinearSum::place(p))).collect();
    let unsafe_places: Vec<Goal> = net.places().map(two).collect();
    let both_eat: Vec<Goal> = (0..1000)
        .map(|i| {
            let eat = |i: usize| net.place_named(&format!("eat{}", i % 1000)).expect("made above");
            let both = [eat(i), eat(i + 1)].map(|p| Predicate::at_least(p, 1));
            Goal::Reach(Predicate::and(both))
        })
        .collect();
    for strategy in [Strategy::Uniform, Strategy::Novelty, Strategy::Sprint] {
        measure("one goal", &net, vec![two(PlaceId::new(0))], strategy);
        measure("one goal per place", &net, unsafe_places.clone(), strategy);
        measure("two sums of 1000 places", &net, sums.clone(), strategy);
        measure("1000 conjunctions", &net, both_eat.clone(), strategy);
        measure("a maximum per place", &net, maxima.clone(), strategy);
    }
    for strategy in [Strategy::Directed, Strategy::Plan, Strategy::Potency, Strategy::Pump] {
        measure("1000 conjunctions", &net, both_eat.clone(), strategy);
    }
    measure("a maximum per place", &net, maxima, Strategy::Pump);
}
