//! The product walk engine: rounds of walks for all open properties. It gives up when no run was
//! found for some time.

use super::{Atoms, ProductWalk};
use crate::board::{Board, Knowledge, ReachKnowledge};
use crate::{Assignment, Engine, ResultKinds, Role, Session, SupportedGoals, stateless_session};
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, GoalId, RunProperty};
use parikh_solvers::Budget;
use std::time::{Duration, Instant};

/// The engine for product walks. See the [module documentation](super).
pub const ENGINE: Engine = Engine {
    name: "product walk",
    technique: "RANDOM_WALK",
    result_kinds: ResultKinds::Witnesses,
    role: Role::Runs,
    supported: SupportedGoals::RUNS,
    start,
};

/// Share of the available time, in [0, 1]. The engine does not give up before this share is over,
/// even if it finds no run. Without a time limit, it does not give up while a followed property is
/// open.
const INITIAL_WAIT_SHARE: f64 = 0.3;
/// After a run was found at time t since the start, the engine continues at least until this factor
/// times t.
const WAIT_FACTOR: u32 = 4;
/// Limit on the number of runs per property that do not translate from a reduced net to a run of
/// the original net with the property.
const MAX_UNTRANSLATED_RUNS: u32 = 20;
/// Share of the available time for walks along known firing sequences, in [0, 1].
const REPLAY_SHARE: f64 = 0.3;
/// Limit on the length of a known firing sequence. Longer sequences are not walked along.
const MAX_PREFIX_FIRINGS: u128 = 2_000_000;
/// Minimum time before the engine gives up.
const MIN_WAIT: Duration = Duration::from_millis(200);

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    let mut seed = assignment.seed;
    stateless_session(move |budget| {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        run(&assignment, seed, budget)
    })
}

/// Runs the engine and returns a one-line summary.
fn run(assignment: &Assignment<'_>, seed: u64, budget: &Budget) -> String {
    let is_open = |id: GoalId| assignment.board.is_open(id);
    let open_runs =
        assignment.working_net.run_goals().iter().filter(|(id, _)| is_open(*id)).cloned();
    let (ids, properties): (Vec<GoalId>, Vec<RunProperty>) = open_runs.unzip();
    let atoms = Atoms::new(assignment.working_net.net(), &properties);
    let mut walk =
        ProductWalk::new(assignment.working_net.net(), &atoms, &properties, seed, budget);
    let run_reporter = assignment.board.run_reporter(ENGINE.technique).on(assignment.working_net);
    let start_time = Instant::now();
    let initial_wait = budget.remaining().map(|time| time.mul_f64(INITIAL_WAIT_SHARE));
    let (mut found, mut last_found) = (0, Duration::ZERO);
    let is_derived_net = assignment.working_net.parent().is_some();
    let mut untranslated_runs = vec![0; ids.len()];
    let prefixes = if is_derived_net { Vec::new() } else { known_prefixes(assignment.board) };
    let replay_budget = budget.share(REPLAY_SHARE);
    let mut remaining_prefixes = prefixes.iter();
    loop {
        let mut accept_run = |property: usize, run| {
            run_reporter.report_run(ids[property], run);
            // The board settles the property if the run translates to the original net. So an open
            // property means that the translation failed.
            if is_derived_net && is_open(ids[property]) {
                untranslated_runs[property] += 1;
                return untranslated_runs[property] >= MAX_UNTRANSLATED_RUNS;
            }
            found += u64::from(!is_open(ids[property]));
            last_found = start_time.elapsed();
            true
        };
        if let Some(prefix) = remaining_prefixes.next().filter(|_| !replay_budget.is_exhausted()) {
            walk.follow_sequence(
                prefix,
                &replay_budget,
                &|property| is_open(ids[property]),
                &mut accept_run,
            );
            continue;
        }
        let has_open = walk.run_round(budget, &|property| is_open(ids[property]), &mut accept_run);
        let patience =
            MIN_WAIT.max(last_found * WAIT_FACTOR).max(initial_wait.unwrap_or(Duration::MAX));
        if !has_open || budget.is_exhausted() || start_time.elapsed() > patience {
            break;
        }
    }
    format!("{}, {} found", counted(walk.firings(), "firing"), counted(found, "run"))
}

/// Returns the witnesses of reachability goals and the hints for runs on the board, as firing
/// sequences, the shortest first. Leaves out sequences longer than [`MAX_PREFIX_FIRINGS`].
fn known_prefixes(board: &Board<'_>) -> Vec<FiringSequence> {
    let sequence = |id| match board.knowledge(id)? {
        Knowledge::Reach(ReachKnowledge::Reached { witness, .. }) => witness?.to_sequence(),
        _ => None,
    };
    let sequences = board.ids().filter_map(sequence).chain(board.run_hints());
    let mut sequences: Vec<_> =
        sequences.filter(|sequence| sequence.firings() <= MAX_PREFIX_FIRINGS).collect();
    sequences.sort_by_key(FiringSequence::firings);
    sequences
}
