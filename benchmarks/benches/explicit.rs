//! Speed of the explicit engine (new markings per second) and bytes per marking.
//!
//! `cargo bench --no-default-features -p parikh-benchmarks --bench explicit [-- SECONDS [THREADS
//! [NETS]]]`
//!
//! `NETS` are directories of contest instances, or a word that occurs in the names of the nets made
//! here. `THREADS` are numbers separated by commas: each net is searched once with each number of
//! threads.

use parikh::board::Board;
use parikh::engine::Task;
use parikh::engine::explicit::{self, ExplicitConfig};
use parikh::net::{
    Facts, Goal, GoalId, Net, NetBuilder, PlaceId, Predicate, Provenance, TransitionId,
    marking_goals,
};
use parikh::solvers::Budget;
use std::path::Path;
use std::time::{Duration, Instant};

/// Returns a net of `machines` cyclic state machines with `states` places each. Every `coupling`-th
/// step is synchronised with the next machine.
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

/// Returns philosophers who take the left fork first: 5 places each.
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

/// Returns counters passed along a line, without a known bound: the store widens its fields as they
/// grow.
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

/// Returns the processor time of all threads in seconds, including threads that have ended. Other
/// work on the machine does not change it.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses, utime and stime are the 12th and 13th fields, in hundredths of
    // a second.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The configuration of a search.
#[derive(Clone, Copy)]
struct SearchConfiguration {
    seconds: u64,
    threads: usize,
    stubborn: bool,
}

fn measure(net: &Net, facts: &Facts, way: SearchConfiguration) {
    let SearchConfiguration { seconds, threads, stubborn } = way;
    let goals = if stubborn {
        // The goal is unreachable, and more than one machine takes part in it.
        let both = [1, 11].map(|i| Predicate::at_least(PlaceId::new(i), 1));
        let second = Predicate::at_least(PlaceId::new(12), 2);
        vec![(GoalId::new(0), Goal::Reach(Predicate::and(both.into_iter().chain([second]))))]
    } else {
        // The goal is unreachable and excluded early, so that only the search is measured.
        let other = Goal::Reach(Predicate::at_least(PlaceId::new(0), 1 << 40));
        vec![(GoalId::new(0), other.clone()), (GoalId::new(1), other)]
    };
    let board = Board::new(net, goals.iter().map(|(_, goal)| goal.clone()).collect());
    let budget = Budget::lasting(Duration::from_secs(seconds)).with_memory_ceiling(8 << 30);
    let task =
        Task { net, goals: &marking_goals(&goals), facts, board: &board, budget: &budget, seed: 0 };
    let config = ExplicitConfig { all_goals_share: 1.0, threads, ..ExplicitConfig::default() };
    let (start, cpu) = (Instant::now(), cpu_time());
    let statistics =
        explicit::run(&task, board.witness_reporter("X"), board.proof_reporter("X"), &config);
    let (elapsed, cpu) = (start.elapsed().as_secs_f64(), cpu_time() - cpu);
    println!(
        "{:30} {:8} {threads} threads {:>11} states {:6.2} s {:6.2} s cpu {:6.2} M states/s {:7.2} M firings/s {:6.1} bytes/state, {} repackings, {}/{} ended",
        net.name(),
        if stubborn { "stubborn" } else { "full" },
        statistics.states,
        elapsed,
        cpu,
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
    let threads = words.get(1).map_or("1", String::as_str).split(',').map(|number| number.parse());
    let threads: Vec<usize> = threads.collect::<Result<_, _>>().expect("numbers of threads");
    let ways = |stubborn| {
        threads.iter().map(move |&threads| SearchConfiguration { seconds, threads, stubborn })
    };
    let (instances, filters): (Vec<&String>, Vec<&String>) =
        words.iter().skip(2).partition(|word| Path::new(word).is_dir());
    for instance in &instances {
        let model = Path::new(instance).join("model.pnml");
        let net = parikh::input::read_net(&model).unwrap_or_else(|error| panic!("{error}"));
        ways(false).for_each(|way| measure(&net, &Facts::claimed_by_model(&net), way));
    }
    if !instances.is_empty() {
        return;
    }
    let filter = filters.first().map_or("", |filter| filter.as_str());
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
        let mut facts = Facts::empty(net);
        if *safe {
            net.places().for_each(|p| facts.bound_above(p, 1, Provenance::UnitsClaimed));
        }
        ways(false).chain(ways(true)).for_each(|way| measure(net, &facts, way));
    }
}
