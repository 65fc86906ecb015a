//! The three speeds that everything else rests on, on generated nets: reading PNML (bytes a
//! second), walking (firings a second, goals watched), visiting states (new markings a second).
//!
//! `cargo bench -p parikh-benchmarks --features criterion --bench micro`. Bytes a state are printed
//! once: they do not vary. `--bench walk` and `--bench explicit` print more rows.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use parikh::board::Board;
use parikh::engine::explicit;
use parikh::engine::{Task, walk};
use parikh::input::read_net_from;
use parikh::net::{Facts, Goal, GoalId, Net, Predicate, generate, marking_goals};
use parikh::solvers::Budget;
use std::hint::black_box;

/// Goals that cannot be reached on one-safe nets, so that nothing is settled while time is taken.
fn out_of_reach(net: &Net) -> Vec<(GoalId, Goal)> {
    let two = |place| Goal::Reach(Predicate::at_least(place, 2));
    net.places().take(16).map(two).enumerate().map(|(i, goal)| (GoalId::new(i), goal)).collect()
}

fn with_task(net: &Net, run: impl FnOnce(&Task<'_>)) {
    let goals = out_of_reach(net);
    let board = Board::new(net, goals.iter().map(|(_, goal)| goal.clone()).collect());
    let (facts, budget) = (Facts::none(net), Budget::unlimited());
    run(&Task {
        net,
        goals: &marking_goals(&goals),
        facts: &facts,
        board: &board,
        budget: &budget,
        seed: 1,
    });
}

fn parse(criterion: &mut Criterion) {
    let text = generate::pnml(&generate::philosophers(2000).net);
    let mut group = criterion.benchmark_group("parse");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("philosophers of 2000 tables", |bencher| {
        bencher.iter(|| black_box(read_net_from(text.as_bytes(), "bench").expect("it is PNML")));
    });
    group.finish();
}

fn walk(criterion: &mut Criterion) {
    const FIRINGS: u64 = 2_000_000;
    let net = generate::philosophers(1000).net;
    let mut group = criterion.benchmark_group("walk");
    group.sample_size(10).throughput(Throughput::Elements(FIRINGS));
    group.bench_function("philosophers of 1000 tables, 16 goals watched", |bencher| {
        let strategies = Some(vec![walk::Strategy::Uniform]);
        let config = walk::Config { only: strategies, work: FIRINGS, ..Default::default() };
        bencher.iter(|| {
            with_task(&net, |task| {
                black_box(walk::run(task, task.board.under("BENCH"), &config));
            });
        });
    });
    group.finish();
}

fn states(criterion: &mut Criterion) {
    let specimen = generate::hundred_places();
    let states = specimen.known.states.exact().expect("it is counted") as u64;
    let mut group = criterion.benchmark_group("explicit");
    group.sample_size(10).throughput(Throughput::Elements(states));
    let search = |task: &Task<'_>| {
        let (under, over) = (task.board.under("BENCH"), task.board.over("BENCH"));
        explicit::run(task, under, over, &explicit::Config::default())
    };
    with_task(&specimen.net, |task| {
        println!("explicit: {:.1} bytes a state", search(task).bytes_per_state());
    });
    group.bench_function("one-safe net of 100 places", |bencher| {
        bencher.iter(|| {
            with_task(&specimen.net, |task| {
                black_box(search(task));
            });
        });
    });
    group.finish();
}

criterion_group!(micro, parse, walk, states);
criterion_main!(micro);
