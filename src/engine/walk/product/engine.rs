//! The engine: rounds of walks for all open properties, as long as they find something.

use super::{Atoms, ProductWalk};
use crate::engine::{Assignment, Engine, Role, Session, Sides, Takes, each_slice_anew};
use parikh_net::{GoalId, RunProperty};
use parikh_solvers::Budget;
use std::time::{Duration, Instant};

/// See the [module](super).
pub const ENGINE: Engine = Engine {
    name: "product walk",
    technique: "RANDOM_WALK",
    sides: Sides::Under,
    role: Role::Runs,
    takes: Takes::RUNS,
    start,
};

/// The share of its time after which nothing more is expected, where nothing was found.
const SHARE: f64 = 0.3;
/// How many times as long as until the last run was found another one is waited for.
const PATIENCE: u32 = 4;
/// The least time that is waited.
const LEAST: Duration = Duration::from_millis(200);

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    let mut seed = assignment.seed;
    each_slice_anew(move |budget| {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        run(&assignment, seed, budget)
    })
}

/// What was done, in a line.
fn run(work: &Assignment<'_>, seed: u64, budget: &Budget) -> String {
    let is_open = |id: GoalId| work.board.is_open(id);
    let open = work.ground.runs().iter().filter(|(id, _)| is_open(*id)).cloned();
    let (ids, properties): (Vec<GoalId>, Vec<RunProperty>) = open.unzip();
    let atoms = Atoms::new(work.ground.net(), &properties);
    let mut walk = ProductWalk::new(work.ground.net(), &atoms, &properties, seed, budget);
    let runs = work.board.runs(ENGINE.technique);
    let begin = Instant::now();
    let share = budget.remaining().map(|time| time.mul_f64(SHARE));
    let (mut found, mut last) = (0, Duration::ZERO);
    loop {
        let mut take = |at: usize, run| {
            found += 1;
            last = begin.elapsed();
            runs.exists(ids[at], run);
            true
        };
        let is_left = walk.round(budget, &|at| is_open(ids[at]), &mut take);
        let patience = LEAST.max(last * PATIENCE).max(share.unwrap_or(Duration::MAX));
        if !is_left || budget.is_exhausted() || begin.elapsed() > patience {
            break;
        }
    }
    format!("{} firings, {found} runs found", walk.firings())
}
