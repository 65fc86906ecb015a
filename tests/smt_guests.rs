//! SMT solvers in worker processes give the same answers as in this process, whatever happens to
//! the workers. Programs that are no solvers give no answers.
//!
//! The test is its own program, because the choice of worker processes applies to the whole
//! process.
#![cfg(all(feature = "z3", target_os = "linux"))]

#[path = "support/children.rs"]
mod children;

use children::{begin, children, signal};
use parikh::solvers::guest::Program;
use parikh::solvers::linear_expression::LinearExpression;
use parikh::solvers::smt::{SmtAnswer, SmtError, SmtSolver};
use parikh::solvers::smt_chosen::{command, smt_solver};
use parikh::solvers::smt_command::SmtCommand;
use parikh::solvers::smt_z3::Z3;
use parikh::solvers::term::{Term, Terms};
use parikh::solvers::{Budget, NoAnswer};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

fn z3_as_guest() -> Box<dyn SmtSolver> {
    let solver = smt_solver(None).unwrap();
    assert!(!children().is_empty(), "it is in a process of its own");
    solver
}

/// Returns a random term: bounds on sums of some variables.
fn random_term(terms: &mut Terms, random: &mut fastrand::Rng) -> Term {
    let mut parts = Vec::new();
    for _ in 0..random.usize(1..4) {
        let mut sum = LinearExpression::new();
        for _ in 0..random.usize(1..4) {
            let x = terms.integer(&format!("x{}", random.u8(..6)));
            sum.add(random.i64(-3..4), x);
        }
        parts.push(match random.u8(..3) {
            0 => terms.at_most(sum, random.i64(-5..9)),
            1 => terms.at_least(sum, random.i64(-9..5)),
            _ => terms.equal(sum, random.i64(-3..3)),
        });
    }
    terms.or(parts)
}

fn side(answer: &SmtAnswer) -> bool {
    match answer {
        SmtAnswer::Satisfiable(_) => true,
        SmtAnswer::Unsatisfiable { .. } => false,
        SmtAnswer::NoAnswer(why) => panic!("{why}"),
    }
}

/// Asks a worker process and Z3 in this process the same questions, and counts them.
fn compare(seed: u64, rounds: usize, asked: &AtomicUsize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut terms = Terms::new();
    let (mut ours, mut theirs) = (Z3::new().unwrap(), z3_as_guest());
    for _ in 0..rounds {
        if random.u8(..4) == 0 {
            let term = random_term(&mut terms, &mut random);
            ours.assert(&terms, term).unwrap();
            theirs.assert(&terms, term).unwrap();
        }
        let assumed: Vec<Term> =
            (0..random.usize(..3)).map(|_| random_term(&mut terms, &mut random)).collect();
        let budget = Budget::lasting(Duration::from_secs(60));
        let expected = ours.check(&terms, &assumed, &budget).unwrap();
        let answer = theirs.check(&terms, &assumed, &budget).unwrap();
        assert_eq!(side(&answer), side(&expected), "seed {seed}");
        asked.fetch_add(1, Relaxed);
        if let SmtAnswer::Unsatisfiable { core } = answer {
            let again = ours.check(&terms, &core, &budget).unwrap();
            assert!(!side(&again), "seed {seed}: a core that is none");
        }
    }
}

#[test]
fn a_worker_process_agrees_with_the_library_and_is_reused() {
    let _alone = begin();
    for seed in 0..20 {
        compare(seed, 30, &AtomicUsize::new(0));
    }
    assert!(children().len() <= 2, "{:?}", children());
    assert!(z3_as_guest().name().contains("Z3"), "{}", z3_as_guest().name());
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
    let asked = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = fastrand::Rng::with_seed(9);
            // At most twice per question, because a slow machine may need longer to start a worker
            // than its lifetime.
            let (mut at, mut times) = (0, 0);
            while !over.load(Relaxed) {
                std::thread::sleep(Duration::from_micros(random.u64(20_000..200_000)));
                let now = asked.load(Relaxed);
                times = if now == at { times + 1 } else { 0 };
                at = now;
                if times < 2 {
                    killed.fetch_add(signal("-KILL"), Relaxed);
                }
            }
        });
        // The guard also works when an assertion fails.
        let _over = Over(&over);
        let begun = Instant::now();
        let mut seed = 100;
        while killed.load(Relaxed) < 20 && begun.elapsed() < Duration::from_secs(60) {
            compare(seed, 40, &asked);
            seed += 1;
        }
    });
    assert!(killed.load(Relaxed) >= 10, "{killed:?}");
}

/// Returns a pigeonhole problem over integers, too hard for Z3 at this size.
fn hopeless(terms: &mut Terms) -> Vec<Term> {
    let pigeons: i32 = 14;
    let place: Vec<_> = (0..pigeons).map(|pigeon| terms.integer(&format!("p{pigeon}"))).collect();
    let mut asserted = Vec::new();
    for (position, &pigeon) in place.iter().enumerate() {
        asserted.push(terms.at_least(pigeon, 1));
        asserted.push(terms.at_most(pigeon, pigeons - 1));
        for &other in &place[..position] {
            let same = terms.equal(pigeon, other);
            asserted.push(terms.not(same));
        }
    }
    asserted
}

#[test]
fn a_query_ends_with_its_budget_and_the_worker_continues() {
    let _alone = begin();
    let mut terms = Terms::new();
    let asserted = hopeless(&mut terms);
    let mut solver = z3_as_guest();
    let mut stayed = 0;
    for _ in 0..3 {
        let before = children();
        let begun = Instant::now();
        let answer =
            solver.check(&terms, &asserted, &Budget::lasting(Duration::from_millis(100))).unwrap();
        assert!(matches!(answer, SmtAnswer::NoAnswer(_)), "{answer:?}");
        assert!(begun.elapsed() < Duration::from_secs(10));
        let budget = Budget::unlimited();
        assert!(side(&solver.check(&terms, &asserted[..1], &budget).unwrap()));
        stayed += usize::from(children() == before);
    }
    assert!(stayed > 0, "everybody was replaced");
}

#[test]
fn a_hanging_worker_process_is_replaced() {
    let _alone = begin();
    let mut terms = Terms::new();
    let x = terms.integer("x");
    let (low, high) = (terms.at_most(x, 3), terms.at_least(x, 4));
    let mut solver = z3_as_guest();
    solver.assert(&terms, low).unwrap();
    assert!(side(&solver.check(&terms, &[], &Budget::unlimited()).unwrap()));
    let before = children();
    assert!(signal("-STOP") > 0);
    let begun = Instant::now();
    let answer = solver.check(&terms, &[], &Budget::lasting(Duration::from_millis(50))).unwrap();
    assert!(matches!(answer, SmtAnswer::NoAnswer(NoAnswer::Exhausted(_))), "{answer:?}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    // A new worker receives the assertions of the first one.
    assert!(!side(&solver.check(&terms, &[high], &Budget::unlimited()).unwrap()));
    assert!(children() != before, "the one that hangs is gone");
}

#[test]
fn a_cancelled_question_ends_at_once() {
    let _alone = begin();
    let mut terms = Terms::new();
    let asserted = hopeless(&mut terms);
    let mut solver = z3_as_guest();
    let budget = Budget::unlimited();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            budget.cancel();
        });
        let answer = solver.check(&terms, &asserted, &budget).unwrap();
        assert!(matches!(answer, SmtAnswer::NoAnswer(_)), "{answer:?}");
    });
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(side(&solver.check(&terms, &asserted[..1], &Budget::unlimited()).unwrap()));
}

#[test]
fn a_guest_that_takes_too_much_memory_leaves_one_question_open() {
    let _alone = begin();
    let mut terms = Terms::new();
    let asserted = hopeless(&mut terms);
    let mut solver = z3_as_guest();
    let used = parikh::solvers::budget::resident_bytes();
    // A megabyte is left, of which the worker may use half.
    let tight = Budget::lasting(Duration::from_secs(60)).with_memory_ceiling(used + (1 << 20));
    let answer = solver.check(&terms, &asserted, &tight).unwrap();
    assert!(matches!(answer, SmtAnswer::NoAnswer(_)), "{answer:?}");
    assert!(!tight.remaining().unwrap().is_zero(), "it was memory and not time");
    assert!(side(&solver.check(&terms, &asserted[..1], &Budget::unlimited()).unwrap()));
}

/// Returns a shell script that acts as a solver and answers `(check-sat)` by this text.
fn shell(answer: &str) -> Program {
    let script = format!(
        "while read -r line; do case \"$line\" in \
         '(echo '*) line=${{line#*\\\"}}; echo \"${{line%\\\"*}}\" ;; \
         '(get-info :name)') echo '(:name \"shell\")' ;; \
         '(check-sat'*) {answer} ;; esac; done"
    );
    Program { path: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] }
}

/// Returns the answer obtained from such a shell script to the question 4 ≤ x ≤ 3, and the time.
fn asked(answer: &str, time: Duration) -> (SmtAnswer, Duration) {
    let mut terms = Terms::new();
    let x = terms.integer("x");
    let mut solver = SmtCommand::start(shell(answer)).unwrap();
    assert_eq!(solver.name(), "shell");
    for term in [terms.at_most(x, 3), terms.at_least(x, 4)] {
        solver.assert(&terms, term).unwrap();
    }
    let begun = Instant::now();
    (solver.check(&terms, &[], &Budget::lasting(time)).unwrap(), begun.elapsed())
}

#[test]
fn a_core_with_an_unknown_literal_is_all_assumptions() {
    let _alone = begin();
    let mut terms = Terms::new();
    let x = terms.integer("x");
    let assumptions = [terms.at_most(x, 3), terms.at_least(x, 4)];
    for core in ["((! b :named c))", "(unknown)"] {
        let answer = format!("echo unsat ;; '(get-unsat-assumptions)') echo '{core}'");
        let mut solver = SmtCommand::start(shell(&answer)).unwrap();
        let answer = solver.check(&terms, &assumptions, &Budget::unlimited()).unwrap();
        assert_eq!(answer, SmtAnswer::Unsatisfiable { core: assumptions.to_vec() }, "{core}");
    }
}

#[test]
fn output_of_a_solver_command_is_an_answer_or_an_error() {
    let _alone = begin();
    let minute = Duration::from_secs(60);
    let said = |answer: &str| asked(answer, minute).0;
    assert_eq!(said("echo unsat"), SmtAnswer::Unsatisfiable { core: vec![] });
    let failed = |answer: &str, why: &str| match said(answer) {
        SmtAnswer::NoAnswer(NoAnswer::Failed(text)) => assert!(text.contains(why), "{text}"),
        other => panic!("{other:?}"),
    };
    // The script has no model for the answer, so no value is requested.
    failed("echo sat", "its model is wrong");
    failed("echo '(error \"no such thing\")'", "no such thing");
    failed("echo perhaps", "neither sat nor unsat");
    failed("echo '))'", "not SMT-LIB 2");
    failed("head -c 300000 /dev/zero | tr '\\0' '('", "not SMT-LIB 2");
    failed("yes | head -n 2000000", "not SMT-LIB 2");
    failed("exit", "the solver ended unexpectedly");
    let unknown = said("echo unknown");
    assert!(matches!(unknown, SmtAnswer::NoAnswer(NoAnswer::Unknown(_))), "{unknown:?}");
    for never_done in ["sleep 1000", "while :; do printf .; done", "yes ' '"] {
        let (answer, took) = asked(never_done, Duration::from_millis(200));
        assert!(matches!(answer, SmtAnswer::NoAnswer(_)), "{answer:?}");
        assert!(took < Duration::from_secs(10), "{never_done}: {took:?}");
    }
}

#[test]
fn who_knows_of_time_limits_is_given_one_and_stays() {
    let _alone = begin();
    let mut terms = Terms::new();
    let x = terms.integer("x");
    let low = terms.at_most(x, 3);
    for (name, option) in [("Z3", ":timeout"), ("cvc5", ":tlimit-per")] {
        let program = shell("if test \"$limit\"; then sleep 1; echo unknown; fi");
        let script = program.arguments[1].to_str().unwrap().replace("\"shell\"", name);
        let script = script.replace("esac", &format!("'(set-option {option} '*) limit=1 ;; esac"));
        let program = Program { arguments: vec!["-c".into(), script.into()], ..program };
        let mut solver = SmtCommand::start(program).unwrap();
        solver.assert(&terms, low).unwrap();
        let before = children();
        let mut unknown = 0;
        for time in [Duration::from_millis(200), Duration::from_secs(60)] {
            let answer = solver.check(&terms, &[], &Budget::lasting(time)).unwrap();
            unknown += usize::from(matches!(answer, SmtAnswer::NoAnswer(NoAnswer::Unknown(_))));
        }
        assert_eq!((unknown, children()), (1, before), "{name}");
    }
}

#[test]
fn processes_started_by_a_script_end_with_it() {
    let _alone = begin();
    let file = std::env::temp_dir().join(format!("parikh-script-{}", std::process::id()));
    let started = format!("sh -c \"echo \\$\\$ > {}; exec sleep 1000\"", file.display());
    let (answer, _) = asked(&started, Duration::from_secs(3));
    assert!(matches!(answer, SmtAnswer::NoAnswer(NoAnswer::Exhausted(_))), "{answer:?}");
    let id = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    // A killed worker is detected at its next turn.
    let begun = Instant::now();
    loop {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
        if stat.is_empty() || stat.contains(") Z") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it is at work: {stat}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_lie_about_a_model_is_noticed() {
    let _alone = begin();
    let mut terms = Terms::new();
    let x = terms.integer("x");
    let (low, even) = (terms.at_most(x, 3), terms.boolean("even"));
    let values = |values: &str| {
        let program = shell("echo sat");
        let script = program.arguments[1].to_str().unwrap();
        let script = script.replace("esac", &format!("'(get-value '*) echo '{values}' ;; esac"));
        SmtCommand::start(Program { arguments: vec!["-c".into(), script.into()], ..program })
    };
    for (said, is_model) in [
        ("((x 3) (even true))", true),
        ("((x (- 7)) (even true))", true),
        ("((x 4) (even true))", false),
        ("((x 3) (even false))", false),
        ("((x (/ 1 2)) (even true))", false),
        ("((x 3))", false),
        ("(x 3 even)", false),
        ("unsupported", false),
    ] {
        let mut solver = values(said).unwrap();
        solver.assert(&terms, low).unwrap();
        solver.assert(&terms, even).unwrap();
        let answer = solver.check(&terms, &[], &Budget::unlimited()).unwrap();
        assert_eq!(matches!(answer, SmtAnswer::Satisfiable(_)), is_model, "{said}: {answer:?}");
    }
}

#[test]
fn commands_that_are_no_solvers_are_refused() {
    let _alone = begin();
    for (line, why) in [
        ("/nowhere/z3 -in", "the solver does not start"),
        ("true", "the solver ended unexpectedly"),
        ("cat", "not SMT-LIB 2"),
        ("yes", "not SMT-LIB 2"),
        ("yes )", "not SMT-LIB 2"),
    ] {
        match SmtCommand::start(command(line).unwrap()) {
            Err(error @ SmtError::Command { .. }) => {
                let text = error.to_string();
                assert!(text.contains(why) && text.contains(line), "{text}");
            }
            Err(error) => panic!("{line}: {error}"),
            Ok(_) => panic!("{line}: taken for a solver"),
        }
    }
}
