//! The engine: rounds of walks for all open properties, as long as they find runs.

use super::{Atoms, ProductWalk};
use crate::board::{Board, Knowledge, Reach};
use crate::{Assignment, Engine, Role, Session, Sides, Takes, each_slice_anew};
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, GoalId, RunProperty};
use parikh_solvers::Budget;
use std::time::{Duration, Instant};

/// The engine for product walks. See the [module documentation](super).
pub const ENGINE: Engine = Engine {
    name: "product walk",
    technique: "RANDOM_WALK",
    sides: Sides::Under,
    role: Role::Runs,
    takes: Takes::RUNS,
    start,
};

/// Share of the time after which the engine gives up if nothing was found, in [0, 1].
const SHARE: f64 = 0.3;
/// Factor of waiting for the next run, relative to the time until the last run was found.
const PATIENCE: u32 = 4;
/// Limit on the number of runs of a reduced net that do not translate to a run of the original net
/// with the property.
const MISSES: u32 = 20;
/// Share of the time for walks along known firing sequences, in [0, 1].
const ALONG: f64 = 0.3;
const LONGEST: u128 = 2_000_000;
/// Minimum waiting time.
const LEAST: Duration = Duration::from_millis(200);

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    let mut seed = assignment.seed;
    each_slice_anew(move |budget| {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        run(&assignment, seed, budget)
    })
}

/// Runs the engine and returns a one-line summary.
fn run(work: &Assignment<'_>, seed: u64, budget: &Budget) -> String {
    let is_open = |id: GoalId| work.board.is_open(id);
    let open = work.working_net.runs().iter().filter(|(id, _)| is_open(*id)).cloned();
    let (ids, properties): (Vec<GoalId>, Vec<RunProperty>) = open.unzip();
    let atoms = Atoms::new(work.working_net.net(), &properties);
    let mut walk = ProductWalk::new(work.working_net.net(), &atoms, &properties, seed, budget);
    let runs = work.board.runs(ENGINE.technique).on(work.working_net);
    let begin = Instant::now();
    let share = budget.remaining().map(|time| time.mul_f64(SHARE));
    let (mut found, mut last) = (0, Duration::ZERO);
    let is_hint = work.working_net.parent().is_some();
    let mut misses = vec![0; ids.len()];
    let ways = if is_hint { Vec::new() } else { ways(work.board) };
    let along = budget.share(ALONG);
    let mut rest = ways.iter();
    loop {
        let mut take = |at: usize, run| {
            runs.exists(ids[at], run);
            if is_hint && is_open(ids[at]) {
                misses[at] += 1;
                return misses[at] >= MISSES;
            }
            found += 1;
            last = begin.elapsed();
            true
        };
        if let Some(way) = rest.next().filter(|_| !along.is_exhausted()) {
            walk.along(way, &along, &|at| is_open(ids[at]), &mut take);
            continue;
        }
        let is_left = walk.round(budget, &|at| is_open(ids[at]), &mut take);
        let patience = LEAST.max(last * PATIENCE).max(share.unwrap_or(Duration::MAX));
        if !is_left || budget.is_exhausted() || begin.elapsed() > patience {
            break;
        }
    }
    format!("{}, {} found", counted(walk.firings(), "firing"), counted(found, "run"))
}

/// Returns firing sequences to markings known to be reachable, and other possible beginnings of
/// runs, the shortest first.
fn ways(board: &Board<'_>) -> Vec<FiringSequence> {
    let way = |id| match board.knowledge(id)? {
        Knowledge::Reach(Reach::Reached { witness, .. }) => witness?.to_sequence(),
        _ => None,
    };
    let ways = board.ids().filter_map(way).chain(board.ways());
    let mut ways: Vec<_> = ways.filter(|way| way.firings() <= LONGEST).collect();
    ways.sort_by_key(FiringSequence::firings);
    ways
}
