//! Every engine on random nets with random goals, against plain enumeration.
//!
//! The engines of the registry are started as the portfolio starts them, on the original net and on
//! the reduced net. A new engine needs no change here. The table below is for engines with stronger
//! requirements, or with a special setup.

use crate::support::documents::refutes;
use crate::support::oracle::{GoalTruth, OracleLimits, explore};
use crate::support::scale::scaled;
use crate::support::shrinking::shrinking;
use parikh::board::{Board, Knowledge, Proof, ProvedBound, ReachKnowledge};
use parikh::engine::{Assignment, Engine, Hint, ResultKinds, Role, SliceProgress, registry};
use parikh::engine::{
    Task, diagrams, explicit, intervals, reduced, runs, smt, state_equation, walk,
};
use parikh::net::{Facts, Goal, GoalId, MarkingGoal, Net, Predicate, marking_goals};
use parikh::solvers::Budget;
use parikh::structure;
use parikh::working_net::WorkingNet;
use parikh_generate as generate;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The requirements on an engine for small nets.
#[derive(Clone, Copy, PartialEq)]
enum EngineRequirement {
    /// Only sound results.
    Truth,
    /// Only sound results, and only witnesses or only proofs if the engine declares this.
    Sides(ResultKinds),
    /// An answer to every goal.
    Everything,
    /// Witnesses for more than this percentage of the reachable goals, over all nets.
    Witnesses(u64),
}

type EngineRun = fn(&Task<'_>);

/// Engines with a special setup for this test, with their requirements.
const TABLE: [(&str, EngineRequirement, EngineRun); 8] = [
    ("intervals", EngineRequirement::Truth, |task| {
        intervals::run(task, task.board.witness_reporter("T"), task.board.proof_reporter("T"));
    }),
    ("intervals with flows", EngineRequirement::Truth, |task| {
        let mut facts = task.facts.clone();
        let flows = structure::flows::place_flows(task.net, task.budget).unwrap();
        structure::bounds::place_bounds(task.net, &flows, task.budget).write(&mut facts);
        let task = Task { facts: &facts, ..*task };
        intervals::run(&task, task.board.witness_reporter("T"), task.board.proof_reporter("T"));
    }),
    ("walk", EngineRequirement::Witnesses(98), |task| {
        let config = walk::WalkConfig { max_work: 4000, ..Default::default() };
        walk::run(task, task.board.witness_reporter("T"), &config);
    }),
    ("walk along candidates", EngineRequirement::Witnesses(95), |task| {
        let config = state_equation::StateEquationConfig::default();
        let mut engine = state_equation::Engine::new(task, &config).unwrap();
        engine.slice(task.budget, task, task.board.proof_reporter("T"));
        let hint = |c: state_equation::Candidate| Hint { goal: c.goal, firings: c.firings };
        let hints = engine.candidates().map(hint).collect();
        let only = Some(vec![walk::Strategy::Guided]);
        let config =
            walk::WalkConfig { max_work: 4000, hints, strategies: only, ..Default::default() };
        walk::run(task, task.board.witness_reporter("T"), &config);
    }),
    // Maxima include constant places: no goal may be lost in the translation to the reduced net.
    ("search of the reduced net", EngineRequirement::Everything, |task| {
        let config = explicit::ExplicitConfig::default();
        let search = |working_net: &WorkingNet<'_>| {
            let task = Task::shrunk(working_net, task.board, task.budget, task.seed);
            let (under, over) = (
                task.board.witness_reporter("T").on(working_net),
                task.board.proof_reporter("T").on(working_net),
            );
            explicit::run(&task, under, over, &config);
        };
        if !on_reduced(task, search) {
            explicit::run(
                task,
                task.board.witness_reporter("T"),
                task.board.proof_reporter("T"),
                &config,
            );
        }
    }),
    ("search of a reduced net, reduced again for each goal", EngineRequirement::Truth, |task| {
        on_reduced(task, |working_net| {
            for (id, _) in working_net.goals() {
                let budgets = (task.budget, task.budget);
                let again =
                    reduced::reduce(working_net, &[*id], task.board, budgets, |_, facts| facts);
                let Some(again) = again else { continue };
                let task = Task::shrunk(&again, task.board, task.budget, task.seed);
                let (under, over) = (
                    task.board.witness_reporter("T").on(&again),
                    task.board.proof_reporter("T").on(&again),
                );
                explicit::run(&task, under, over, &explicit::ExplicitConfig::default());
            }
        });
    }),
    ("explicit, goals shrunk", EngineRequirement::Everything, |task| {
        let mut facts = task.facts.clone();
        let flows = structure::flows::place_flows(task.net, task.budget).unwrap();
        structure::bounds::place_bounds(task.net, &flows, task.budget).write(&mut facts);
        let known = parikh::structure::intervals::Intervals::new(task.net, &facts);
        let shrunk = |(id, goal): &(GoalId, MarkingGoal)| {
            (*id, parikh::working_net::shrink::goal(task.net, &known, goal))
        };
        let goals: Vec<_> = task.goals.iter().map(shrunk).collect();
        let task = Task { goals: &goals, ..*task };
        let (under, over) = (task.board.witness_reporter("T"), task.board.proof_reporter("T"));
        explicit::run(&task, under, over, &explicit::ExplicitConfig::default());
    }),
    ("explicit", EngineRequirement::Everything, |task| {
        let (under, over) = (task.board.witness_reporter("T"), task.board.proof_reporter("T"));
        explicit::run(task, under, over, &explicit::ExplicitConfig::default());
    }),
];

/// A tested engine: its name, its requirement, and its function.
type TestedEngine = (String, EngineRequirement, Box<dyn Fn(&Task<'_>) + Sync>);

/// Returns the engines of the registry and of the table.
fn all() -> Vec<TestedEngine> {
    let mut all: Vec<TestedEngine> = Vec::new();
    // Engines for home properties are tested in `homes`, engines for runs in `runs`, and the engine
    // for nets with counted firings in `processes`.
    let engines = registry::ENGINES.iter().chain(registry::BY_NAME);
    // Without Z3, engines that need it are skipped.
    let asks_z3 = |engine: &Engine| [smt::BMC.name, smt::K_INDUCTION.name].contains(&engine.name);
    let elsewhere = |engine: &&Engine| {
        matches!(
            engine.role,
            Role::Homes | Role::Runs | Role::RunProofs | Role::Trees | Role::TreeDiagrams
        ) || engine.name == runs::ENGINE.name
            || asks_z3(engine) && cfg!(not(feature = "z3"))
    };
    for engine in engines.filter(|engine| !elsewhere(engine)) {
        // Starting a solver takes longer than the time limit of most nets.
        let is_tried = move |task: &Task<'_>| !asks_z3(engine) || has_long(task.seed);
        let alone = move |task: &Task<'_>| {
            if is_tried(task) {
                start(engine, task, &as_read(task));
            }
        };
        let owes = match engine.name == diagrams::ENGINE.name {
            true => EngineRequirement::Everything,
            false => EngineRequirement::Sides(engine.result_kinds),
        };
        all.push((engine.name.to_owned(), owes, Box::new(alone)));
        // The reduction itself may settle goals, by witnesses and by proofs.
        let reduced = move |task: &Task<'_>| {
            if is_tried(task) {
                on_reduced(task, |working_net| start(engine, task, working_net));
            }
        };
        all.push((
            format!("{}, reduced", engine.name),
            EngineRequirement::Truth,
            Box::new(reduced),
        ));
    }
    all.extend(TABLE.map(|(name, owes, run)| (name.to_owned(), owes, Box::new(run) as _)));
    all
}

/// Returns the time limit for a net. Most nets need less than the short limit; every tenth net has
/// time for later rounds.
fn slice(seed: u64) -> Duration {
    Duration::from_micros(if has_long(seed) { 2_000 } else { 200 })
}

fn has_long(seed: u64) -> bool {
    seed.is_multiple_of(10)
}

/// Starts an engine of the registry as the portfolio does.
fn start(engine: &Engine, task: &Task<'_>, working_net: &WorkingNet<'_>) {
    let run = |engine: &Engine, board: &Board<'_>, hints, budget: &Budget| {
        let assignment =
            Assignment { threads: 2, hints, ..Assignment::new(working_net, board, task.seed) };
        let mut session = (engine.start)(assignment).expect("starts");
        while session.slice(budget) == SliceProgress::Finished && session.deepen() {}
        session.candidates()
    };
    // The sliced engines have their own board, so that the guided engine's results stay separate.
    let apart = Board::new(task.net, task.board.goals().to_vec());
    let others = registry::ENGINES.iter().filter(|other| other.role == Role::Slices);
    let candidates = |other: &Engine| run(other, &apart, Vec::new(), task.budget);
    let hints = match engine.role {
        Role::Guided => others.flat_map(candidates).collect(),
        _ => Vec::new(),
    };
    let endless = matches!(
        engine.role,
        Role::Walk | Role::Guided | Role::Induction | Role::Unroll | Role::UnrollWide | Role::Loops
    );
    let budget = if endless { task.budget.slice(slice(task.seed)) } else { task.budget.child() };
    run(engine, task.board, hints, &budget);
}

/// Returns the net of `task` as a working net.
fn as_read<'n>(task: &Task<'n>) -> WorkingNet<'n> {
    let known = parikh::structure::intervals::Intervals::new(task.net, task.facts);
    let goals = task.goals.iter().map(|(id, goal)| (*id, goal.clone().into()));
    WorkingNet::original(task.net, goals.collect(), task.facts.clone(), &known)
}

/// Calls `run` on the net of `task` reduced for all its goals. Returns false if the reduction
/// changes nothing.
fn on_reduced(task: &Task<'_>, run: impl FnOnce(&WorkingNet<'_>)) -> bool {
    let original = as_read(task);
    let ids: Vec<GoalId> = task.goals.iter().map(|(id, _)| *id).collect();
    let budgets = (task.budget, task.budget);
    let reduced = reduced::reduce(&original, &ids, task.board, budgets, |_, facts| facts);
    reduced.as_ref().map(run).is_some()
}

/// Number of nets at scale 1. `PARIKH_SCALE=100` tests a million nets.
const NETS: u64 = 10_000;

/// Counters of an engine: reachable goals, reached goals, and more.
#[derive(Default)]
struct Tally {
    reachable: AtomicU64,
    reached: AtomicU64,
    answered: AtomicU64,
    /// Number of refutations and bounds with a certificate, and without.
    documents: AtomicU64,
    words: AtomicU64,
    /// Time in nanoseconds, summed over all threads.
    time: AtomicU64,
}

/// Parts of the names of engines that use linear programs. The script `scripts/test.sh` tests them
/// with each LP solver.
const ASK_PROGRAMS: [&str; 4] = ["state equation", "guided", "candidates", "search of"];

/// Returns true if the engine of this name uses linear programs.
fn asks_programs(name: &str) -> bool {
    ASK_PROGRAMS.iter().any(|word| name.contains(word))
}

#[test]
fn no_engine_contradicts_enumeration() {
    hold_against_enumeration(all().into_iter().filter(|tried| !asks_programs(&tried.0)).collect());
}

#[test]
fn no_engine_with_linear_programs_contradicts_enumeration() {
    hold_against_enumeration(all().into_iter().filter(|tried| asks_programs(&tried.0)).collect());
}

fn hold_against_enumeration(engines: Vec<TestedEngine>) {
    assert!(engines.len() >= 5, "{} engines", engines.len());
    let nets = scaled(NETS);
    let threads = 4;
    let tallies: Vec<Tally> = engines.iter().map(|_| Tally::default()).collect();
    let checked = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for first in 0..threads {
            let (engines, tallies, checked) = (&engines, &tallies, &checked);
            scope.spawn(move || {
                for seed in (first..).step_by(threads) {
                    if checked.load(Ordering::Relaxed) >= nets {
                        break;
                    }
                    let net = generate::random(seed as u64, &generate::Shape::small(seed as u64));
                    if shrinking(&net, |net| check(seed as u64, net, engines, tallies)) {
                        checked.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    for ((name, owes, _), tally) in engines.iter().zip(&tallies) {
        let [reachable, reached, answered] =
            [&tally.reachable, &tally.reached, &tally.answered].map(|n| n.load(Ordering::Relaxed));
        let [documents, words, time] =
            [&tally.documents, &tally.words, &tally.time].map(|n| n.load(Ordering::Relaxed));
        println!(
            "{name}: {answered} answers, {reached} of {reachable} reachable goals; {documents} \
             documents, {words} words; {:.1} s",
            time as f64 / 1e9
        );
        assert_eq!(words, 0, "{name}: refutations without a document");
        // Engines that use Z3 run on fewer nets, and on a busy machine Z3 often starts too late.
        let least = if name.contains("-smt") { nets / 1_000 } else { nets / 50 };
        assert!(answered > least, "{name} hardly ever answers, so nothing was tested");
        if let EngineRequirement::Witnesses(percent) = *owes {
            assert!(reached * 100 > reachable * percent, "{name}: {reached} of {reachable}");
        }
    }
}

/// Returns the refuted predicate of a goal, with the proof.
fn refuted(goal: &Goal, knowledge: &Knowledge) -> Option<(Predicate, Proof)> {
    match (goal, knowledge) {
        (Goal::Reach(predicate), Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })) => {
            Some((predicate.clone(), proof.clone()))
        }
        (Goal::Maximise(sum), Knowledge::Maximum(maximum)) => {
            let ProvedBound { bound, proof, .. } = maximum.proved.as_ref()?;
            let most = i64::try_from(*bound).ok()?;
            Some((Predicate::at_most(sum.clone(), most).negated(), proof.clone()))
        }
        _ => None,
    }
}

/// Checks all engines on a net. Returns false if the net has too many markings to enumerate.
fn check(seed: u64, net: &Net, engines: &[TestedEngine], tallies: &[Tally]) -> bool {
    let Some(space) = explore(net, OracleLimits { states: 500, tokens: 1000 }) else {
        return false;
    };
    let mut goals = generate::random_goals(seed, net, 3);
    goals.push(Goal::Reach(Predicate::Dead));
    let listed: Vec<(GoalId, Goal)> =
        goals.iter().cloned().enumerate().map(|(i, goal)| (GoalId::new(i), goal)).collect();
    for ((name, owes, run), tally) in engines.iter().zip(tallies) {
        let board = Board::new(net, goals.clone());
        let (facts, budget) = (Facts::empty(net), Budget::unlimited());
        let begun = Instant::now();
        run(&Task {
            net,
            goals: &marking_goals(&listed),
            facts: &facts,
            board: &board,
            budget: &budget,
            seed,
        });
        tally.time.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        let context = || format!("{name}, seed {seed}:\n{}", parikh::net::text::print(net));
        assert_eq!(board.faults(), 0, "{}", context());
        for (id, goal) in &listed {
            let knowledge = board.knowledge(*id).expect("no contradiction without a fault");
            if let Some((predicate, proof)) = refuted(goal, &knowledge)
                && proof.reduced.is_none()
            {
                tally.words.fetch_add(proof.document.is_none().into(), Ordering::Relaxed);
                if let Some(document) = &proof.document {
                    let proved = refutes(document, net, &predicate);
                    assert!(proved.is_ok(), "{goal:?}: {proved:?} {document:?}: {}", context());
                    assert_eq!(document.assumes_units(), proof.assumes_units(), "{}", context());
                    tally.documents.fetch_add(1, Ordering::Relaxed);
                }
            }
            let settled = !board.is_open(*id);
            tally.answered.fetch_add(settled.into(), Ordering::Relaxed);
            assert!(
                settled || *owes != EngineRequirement::Everything,
                "{goal:?} is open: {}",
                context()
            );
            match (space.answer(goal), knowledge) {
                (GoalTruth::Reachable(truth), Knowledge::Reach(reach)) => {
                    let reached = matches!(reach, ReachKnowledge::Reached { .. });
                    let refuted = matches!(reach, ReachKnowledge::Unreachable { .. });
                    tally.reachable.fetch_add(truth.into(), Ordering::Relaxed);
                    tally.reached.fetch_add(reached.into(), Ordering::Relaxed);
                    assert!(truth || !reached, "{goal:?}: {}", context());
                    assert!(!truth || !refuted, "{goal:?}: {}", context());
                    assert!(
                        !reached || *owes != EngineRequirement::Sides(ResultKinds::Proofs),
                        "{}",
                        context()
                    );
                    assert!(
                        !refuted || *owes != EngineRequirement::Sides(ResultKinds::Witnesses),
                        "{}",
                        context()
                    );
                }
                (GoalTruth::Maximum(truth), Knowledge::Maximum(maximum)) => {
                    let seen = maximum.largest_seen.map(|seen| seen.value);
                    let proved = maximum.proved.map(|proved| proved.bound);
                    assert!(seen.is_none_or(|seen| seen <= truth), "{goal:?}: {}", context());
                    assert!(proved.is_none_or(|proved| proved >= truth), "{goal:?}: {}", context());
                    assert!(maximum.unbounded.is_none(), "{goal:?}: {}", context());
                }
                _ => unreachable!("a goal and its knowledge are of one kind"),
            }
        }
    }
    true
}
