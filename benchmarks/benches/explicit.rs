//! How fast the explicit engine finds new markings, and how many bytes each takes.
//!
//! `cargo bench --no-default-features -p parikh-benchmarks --bench explicit [-- SECONDS [FILTER]]`

use parikh::board::Board;
use parikh::engine::Task;
use parikh::engine::explicit::{self, Config};
use parikh::net::{
    Facts, Goal, GoalId, Net, NetBuilder, PlaceId, Predicate, Provenance, TransitionId,
};
use parikh::solvers::Budget;
use std::time::Duration;

/// `machines` cyclic state machines of `states` places each. Every `coupling`-th step is taken
/// together with the next machine.
fn machines(machines: usize, states: usize, coupling: usize) -> Net {
    let mut builder = NetBuilder::new(format!("machines-{machines}x{states}-{coupling}"));
    let mut places: Vec<Vec<PlaceId>> = Vec::new();
    for m in 0..machines {
        let row = (0..states)
            .map(|s| builder.place(&format!("m{m}_s{s}"), u64::from(s == 0)).unwrap())
            .collect();
        places.push(row);
    }
    let step = |builder: &mut NetBuilder, t: TransitionId, m: usize, s: usize| {
        builder.take(t, places[m][s], 1).unwrap();
        builder.put(t, places[m][(s + 1) % states], 1).unwrap();
    };
    for m in 0..machines {
        for s in 0..states {
            let t = builder.transition(&format!("t{m}_{s}")).unwrap();
            step(&mut builder, t, m, s);
            if (m + s) % coupling == 0 {
                step(&mut builder, t, (m + 1) % machines, (s + 2) % states);
            }
        }
    }
    builder.build().unwrap()
}

/// Philosophers who take the left fork first: 5 places each.
fn philosophers(count: usize) -> Net {
    let mut builder = NetBuilder::new(format!("philosophers-{count}"));
    let rows: Vec<Vec<PlaceId>> = (0..count)
        .map(|i| {
            let names = [("think", 1), ("left", 0), ("eat", 0), ("put", 0), ("fork", 1)];
            names.map(|(n, k)| builder.place(&format!("{n}{i}"), k).unwrap()).to_vec()
        })
        .collect();
    for i in 0..count {
        let [think, left, eat, put, fork] = rows[i][..] else { unreachable!() };
        let other = rows[(i + 1) % count][4];
        let steps = [
            ("takeleft", vec![think, fork], vec![left]),
            ("takeright", vec![left, other], vec![eat]),
            ("putleft", vec![eat], vec![put, fork]),
            ("putright", vec![put], vec![think, other]),
        ];
        for (name, takes, puts) in steps {
            let t = builder.transition(&format!("{name}{i}")).unwrap();
            takes.iter().for_each(|&p| builder.take(t, p, 1).unwrap());
            puts.iter().for_each(|&p| builder.put(t, p, 1).unwrap());
        }
    }
    builder.build().unwrap()
}

/// Counters passed along a line, without any bound known: fields are widened as they grow.
fn counters(length: usize, tokens: u64) -> Net {
    let mut builder = NetBuilder::new(format!("counters-{length}-{tokens}"));
    let places: Vec<PlaceId> = (0..length)
        .map(|i| builder.place(&format!("p{i}"), if i == 0 { tokens } else { 0 }).unwrap())
        .collect();
    for i in 0..length - 1 {
        let t = builder.transition(&format!("t{i}")).unwrap();
        builder.take(t, places[i], 1).unwrap();
        builder.put(t, places[i + 1], 1).unwrap();
    }
    builder.build().unwrap()
}

/// Processor time of this thread: the machine may be busy with others.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_ascii_whitespace().next().and_then(|n| n.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

fn measure(net: &Net, safe: bool, seconds: u64, stubborn: bool) {
    let nowhere = net.places().map(|p| Predicate::at_least(p, 1));
    let one = Goal::Reach(Predicate::and(nowhere));
    let goals = if stubborn {
        // Out of reach, and more than one machine takes part.
        let both = [1, 11].map(|i| Predicate::at_least(PlaceId::new(i), 1));
        let second = Predicate::at_least(PlaceId::new(12), 2);
        vec![(GoalId::new(0), Goal::Reach(Predicate::and(both.into_iter().chain([second]))))]
    } else {
        let other = Goal::Reach(Predicate::at_least(PlaceId::new(0), 1 << 40));
        vec![(GoalId::new(0), one), (GoalId::new(1), other)]
    };
    let mut facts = Facts::none(net);
    if safe {
        net.places().for_each(|p| facts.bound_above(p, 1, Provenance::UnitsClaimed));
    }
    let board = Board::new(net, goals.iter().map(|(_, goal)| goal.clone()).collect());
    let budget = Budget::lasting(Duration::from_secs(seconds)).with_memory_ceiling(8 << 30);
    let task = Task { net, goals: &goals, facts: &facts, board: &board, budget: &budget, seed: 0 };
    let config = Config { full_share: 1.0, ..Config::default() };
    let start = cpu_time();
    let statistics = explicit::run(&task, board.under("X"), board.over("X"), &config);
    let elapsed = (cpu_time() - start).as_secs_f64();
    println!(
        "{:22} {:8} {:>11} states {:6.2} s cpu {:6.2} M states/s {:7.2} M firings/s {:6.1} bytes/state, {} repackings, {}/{} ended",
        net.name(),
        if stubborn { "stubborn" } else { "full" },
        statistics.states,
        elapsed,
        statistics.states as f64 / elapsed / 1e6,
        statistics.firings as f64 / elapsed / 1e6,
        statistics.bytes_per_state(),
        statistics.repackings,
        statistics.exhausted,
        statistics.searches,
    );
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let seconds = words.first().and_then(|word| word.parse().ok()).unwrap_or(5);
    let filter = words.get(1).map_or("", String::as_str);
    let nets = [
        (machines(20, 5, 3), true),
        (machines(25, 4, 5), true),
        (machines(10, 10, 3), true),
        (philosophers(20), true),
        (philosophers(10), true),
        (machines(200, 5, 3), true),
        (machines(2000, 5, 3), true),
        (counters(14, 20), false),
    ];
    for (net, safe) in nets.iter().filter(|(net, _)| net.name().contains(filter)) {
        measure(net, *safe, seconds, false);
        measure(net, *safe, seconds, true);
    }
}
