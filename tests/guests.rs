//! Native solvers in worker processes give the same answers as in this process, whatever happens to
//! the workers.
//!
//! The test is its own program, because the choice of worker processes applies to the whole
//! process.
#![cfg(all(feature = "highs", target_os = "linux"))]

#[path = "support/children.rs"]
mod children;

use children::{begin, children, signal};
use parikh::solvers::Budget;
use parikh::solvers::guest::GuestLp;
use parikh::solvers::linear_program::{Column, Interval, LinearProgram, Row, Sense};
use parikh::solvers::lp::{IncrementalLp, LpAnswer};
use parikh::solvers::lp_highs::HighsModel;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Returns a random packing problem of this size.
fn packing(columns: u32, rows: u32, random: &mut fastrand::Rng) -> LinearProgram {
    let mut program = LinearProgram::new(Sense::Maximise);
    for _ in 0..columns {
        program.add_column(Interval::between(0, random.i64(1..9))).unwrap();
    }
    for _ in 0..rows {
        let entries: Vec<(Column, i64)> =
            (0..8).map(|_| (Column(random.u32(..columns)), random.i64(1..5))).collect();
        program.add_row(Interval::at_most(random.i64(3..30)), entries).unwrap();
    }
    let costs: Vec<_> = (0..columns).map(|c| (Column(c), random.i64(0..7))).collect();
    program.set_objective(Sense::Maximise, costs).unwrap();
    program
}

/// Applies a random change to both models.
fn change(both: [&mut dyn IncrementalLp; 2], random: &mut fastrand::Rng) {
    let program = both[0].program();
    let column = Column(random.u32(..program.columns().len() as u32));
    let row = Row(random.u32(..program.rows().len() as u32));
    let (kind, value) = (random.u8(..4), random.i64(-1..7));
    for lp in both {
        match kind {
            0 => lp.set_objective(Sense::Maximise, &[(column, 2)]).unwrap(),
            1 => lp.set_row_bounds(row, Interval::between(value.min(3), 9)).unwrap(),
            2 => lp.set_column_bounds(column, Interval::between(0, value)).unwrap(),
            _ => {
                lp.add_row(Interval::at_least(value.min(2)), &[(column, 1)]).unwrap();
            }
        }
    }
}

/// Returns the proved claim of an answer, exactly.
fn proved(program: &LinearProgram, answer: &LpAnswer) -> String {
    match answer {
        LpAnswer::Optimal(optimum) => optimum.certify(program).unwrap().integer_bound().to_string(),
        LpAnswer::Infeasible(no) => {
            no.certify(program).unwrap();
            "infeasible".to_owned()
        }
        other => format!("{other:?}"),
    }
}

/// Asks worker processes and a model in this process the same questions. Returns the number of
/// questions.
fn compare(seed: u64, programs: usize, size: u32) -> usize {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut questions = 0;
    for _ in 0..programs {
        let program = packing(size, size / 2 + 1, &mut random);
        let mut ours = HighsModel::new(program.clone());
        let mut theirs = GuestLp::new(program);
        for _ in 0..12 {
            let budget = Budget::lasting(Duration::from_secs(60));
            let expected = ours.solve_again(&budget);
            let answer = theirs.solve_again(&budget);
            assert_eq!(ours.program(), theirs.program());
            assert_eq!(proved(theirs.program(), &answer), proved(ours.program(), &expected));
            questions += 1;
            change([&mut ours, &mut theirs], &mut random);
        }
    }
    questions
}

#[test]
fn a_worker_process_agrees_with_the_library() {
    let _alone = begin();
    assert_eq!(compare(1, 40, 6), 480);
    assert_eq!(compare(2, 4, 200), 48);
    assert!(children().len() <= 2, "guests are handed on");
}

#[test]
fn rows_of_the_inverse_basis_are_those_of_the_library() {
    let _alone = begin();
    let mut random = fastrand::Rng::with_seed(5);
    let program = packing(20, 15, &mut random);
    let mut ours = HighsModel::new(program.clone());
    let mut theirs = GuestLp::new(program);
    assert_eq!(theirs.inverse_row(Column(0)), None, "before anything was solved");
    ours.solve_again(&Budget::unlimited());
    theirs.solve_again(&Budget::unlimited());
    let rows: Vec<_> = (0..20).map(|c| theirs.inverse_row(Column(c))).collect();
    assert_eq!(rows, (0..20).map(|c| ours.inverse_row(Column(c))).collect::<Vec<_>>());
    assert!(rows.iter().any(Option::is_some));
}

/// Sets the flag when dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

#[test]
fn killed_guests_cost_no_answer() {
    let _alone = begin();
    let (over, killed) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = fastrand::Rng::with_seed(9);
            while !over.load(Relaxed) {
                std::thread::sleep(Duration::from_micros(random.u64(50_000..400_000)));
                killed.fetch_add(signal("-KILL"), Relaxed);
            }
        });
        // The guard also works when an assertion fails.
        let _over = Over(&over);
        let begun = Instant::now();
        let mut seed = 10;
        while killed.load(Relaxed) < 15 && begun.elapsed() < Duration::from_secs(60) {
            compare(seed, 1, 150);
            seed += 1;
        }
    });
    assert!(killed.load(Relaxed) >= 10, "{killed:?}");
}

#[test]
fn a_hanging_worker_process_is_replaced() {
    let _alone = begin();
    let mut random = fastrand::Rng::with_seed(11);
    let program = packing(30, 20, &mut random);
    let mut ours = HighsModel::new(program.clone());
    let mut theirs = GuestLp::new(program);
    theirs.solve_again(&Budget::unlimited());
    assert!(signal("-STOP") > 0);
    change([&mut ours, &mut theirs], &mut random);
    let begun = Instant::now();
    let answer = theirs.solve_again(&Budget::lasting(Duration::from_millis(100)));
    assert!(matches!(answer, LpAnswer::NoAnswer(_)), "{answer:?}");
    // Rows are added while an answer is pending.
    theirs.add_row(Interval::at_most(100), &[(Column(0), 1)]).unwrap();
    ours.add_row(Interval::at_most(100), &[(Column(0), 1)]).unwrap();
    let answer = theirs.solve_again(&Budget::unlimited());
    assert!(begun.elapsed() >= Duration::from_millis(900), "the first one was given up too early");
    let expected = ours.solve_again(&Budget::unlimited());
    assert_eq!(proved(theirs.program(), &answer), proved(ours.program(), &expected));
}

#[test]
fn a_late_worker_process_continues() {
    let _alone = begin();
    let mut random = fastrand::Rng::with_seed(12);
    let program = packing(30, 20, &mut random);
    let mut ours = HighsModel::new(program.clone());
    let mut theirs = GuestLp::new(program);
    theirs.solve_again(&Budget::unlimited());
    let before = children();
    signal("-STOP");
    let answer = theirs.solve_again(&Budget::lasting(Duration::from_millis(50)));
    assert!(matches!(answer, LpAnswer::NoAnswer(_)), "{answer:?}");
    // The model has more rows than the pending answer.
    change([&mut ours, &mut theirs], &mut random);
    ours.add_row(Interval::at_most(2), &[(Column(3), 1)]).unwrap();
    theirs.add_row(Interval::at_most(2), &[(Column(3), 1)]).unwrap();
    signal("-CONT");
    let answer = theirs.solve_again(&Budget::unlimited());
    let expected = ours.solve_again(&Budget::unlimited());
    assert_eq!(proved(theirs.program(), &answer), proved(ours.program(), &expected));
    assert_eq!(children(), before, "nobody was replaced");
}

#[test]
fn a_stop_request_sent_with_the_question_is_obeyed() {
    let _alone = begin();
    let mut random = fastrand::Rng::with_seed(14);
    let program = packing(3000, 2500, &mut random);
    let mut calm = GuestLp::new(program.clone());
    let begun = Instant::now();
    calm.solve_again(&Budget::unlimited());
    let (calm, mut theirs) = (begun.elapsed(), GuestLp::new(program));
    theirs.solve_again(&Budget::lasting(Duration::from_millis(1)));
    // The question and the stop request wait together while the worker is stopped.
    signal("-STOP");
    theirs.solve_again(&Budget::lasting(Duration::from_millis(50)));
    signal("-CONT");
    let begun = Instant::now();
    theirs.set_column_bounds(Column(0), Interval::exactly(0)).unwrap();
    let answer = theirs.solve_again(&Budget::lasting(Duration::from_secs(600)));
    assert!(matches!(answer, LpAnswer::Optimal(_)), "{answer:?}");
    // The time suffices for one complete answer, but not for an abandoned answer before it.
    let took = begun.elapsed();
    assert!(took < 2 * calm + Duration::from_secs(2), "{took:?}, undisturbed {calm:?}");
}

#[test]
fn a_guest_that_takes_too_much_memory_leaves_one_question_open() {
    let _alone = begin();
    let mut random = fastrand::Rng::with_seed(15);
    let mut theirs = GuestLp::new(packing(6000, 5000, &mut random));
    // A few megabytes are left, of which the worker may use half.
    let used = parikh::solvers::budget::resident_bytes();
    let tight = Budget::unlimited().with_memory_ceiling(used + (6 << 20));
    let answer = theirs.solve_again(&tight);
    assert!(matches!(answer, LpAnswer::NoAnswer(_)), "{answer:?}");
    let mut others = GuestLp::new(packing(30, 20, &mut random));
    assert!(matches!(others.solve_again(&Budget::unlimited()), LpAnswer::Optimal(_)));
}

#[test]
fn a_cancelled_question_ends_at_once_and_guests_count_as_memory() {
    let _alone = begin();
    let mut random = fastrand::Rng::with_seed(13);
    let mut theirs = GuestLp::new(packing(3000, 2500, &mut random));
    let budget = Budget::unlimited();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            budget.cancel();
        });
        theirs.solve_again(&budget);
    });
    assert!(begun.elapsed() < Duration::from_secs(5));
    let answer = theirs.solve_again(&Budget::unlimited());
    assert!(matches!(answer, LpAnswer::Optimal(_)), "{answer:?}");
    // The ceiling is below the memory already in use.
    let full = Budget::unlimited().with_memory_ceiling(1);
    assert!(matches!(theirs.solve_again(&full), LpAnswer::NoAnswer(_)));
}
