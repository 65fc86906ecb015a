//! The conformance suite of SAT back-ends, on random and on hard formulas. Answers must agree with
//! enumeration, cores must be contradictory, and the evidence checker must accept the proofs.

use super::scale::scaled;
use parikh_evidence::refutation;
use parikh_solvers::cnf::{Cnf, Literal, to_dimacs};
use parikh_solvers::sat::{ProvingSat, SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::{BatSat, ProvingBatSat};
use parikh_solvers::{Budget, ExhaustionReason};
use std::time::Duration;

#[test]
fn batsat_conforms() {
    answers_are_those_of_trying_all_values::<BatSat>(&|_, _, _| {});
    new_variables_are_new::<BatSat>();
    clauses_with_a_switch_come_and_go::<BatSat>();
    spent_and_cancelled_budgets_end_a_question::<BatSat>();
}

#[test]
fn batsat_with_proofs_conforms() {
    answers_are_those_of_trying_all_values::<ProvingBatSat>(&|solver, cnf, core| {
        check_proof(solver, cnf, core);
    });
    hard_formulas_have_proofs::<ProvingBatSat>();
    what_is_satisfiable_has_no_proof::<ProvingBatSat>();
}

fn literals(clause: &[i32]) -> Vec<Literal> {
    clause.iter().map(|&number| Literal::from_dimacs(number).unwrap()).collect()
}

/// Returns random clauses of one to three literals, mostly three, over `variables` variables.
fn random_clauses(rng: &mut fastrand::Rng, variables: u32, count: usize) -> Vec<Vec<Literal>> {
    let clause = |rng: &mut fastrand::Rng| {
        let length = if rng.u32(0..6) > 0 { 3 } else { rng.usize(1..3) };
        (0..length).map(|_| Literal::new(rng.u32(0..variables), rng.bool())).collect()
    };
    (0..count).map(|_| clause(rng)).collect()
}

/// Returns the pigeonhole formula with one pigeon more than holes.
fn pigeons(holes: i32) -> Cnf {
    let inside = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
    let mut cnf = Cnf::new();
    for pigeon in 0..=holes {
        cnf.add_clause(literals(&(0..holes).map(|hole| inside(pigeon, hole)).collect::<Vec<_>>()));
        for other in 0..pigeon {
            for hole in 0..holes {
                cnf.add_clause(literals(&[-inside(pigeon, hole), -inside(other, hole)]));
            }
        }
    }
    cnf
}

/// Returns true if the checker accepts the learnt clauses as a refutation of the clauses and the
/// core.
fn is_proof(learnt: &Cnf, cnf: &Cnf, core: &[Literal]) -> bool {
    let mut clauses: Vec<Vec<i32>> = cnf.clauses().map(to_dimacs).collect();
    clauses.extend(core.iter().map(|literal| vec![literal.to_dimacs()]));
    let steps: Vec<Vec<i32>> = learnt.clauses().map(to_dimacs).collect();
    let variables = cnf.variables() as usize;
    refutation::check(&clauses, &steps, variables, &mut || true).is_ok()
}

fn check_proof(solver: &impl ProvingSat, cnf: &Cnf, core: &[Literal]) {
    assert!(is_proof(solver.learnt(), cnf, core), "{cnf:?}, assuming {core:?}");
}

/// Asks each solver several questions, with assumptions and with clauses added in between.
fn answers_are_those_of_trying_all_values<S: SatSolver + Default>(
    check_unsatisfiable: &dyn Fn(&S, &Cnf, &[Literal]),
) {
    const VARIABLES: u32 = 9;
    let mut rng = fastrand::Rng::with_seed(11);
    let (mut with_core, mut without, mut satisfied) = (0, 0, 0);
    for _ in 0..scaled(300) {
        let mut solver = S::default();
        let mut cnf = Cnf::new();
        (0..VARIABLES).for_each(|_| assert_eq!(cnf.new_variable(), solver.new_variable()));
        let mut models: Vec<Vec<bool>> = (0..1u32 << VARIABLES)
            .map(|bits| (0..VARIABLES).map(|bit| bits >> bit & 1 == 1).collect())
            .collect();
        for _ in 0..8 {
            for clause in random_clauses(&mut rng, VARIABLES, 9) {
                solver.add_clause(&clause);
                models.retain(|values| clause.iter().any(|l| l.evaluate(values) == Some(true)));
                cnf.add_clause(clause);
            }
            let count = rng.usize(0..5);
            let assumptions: Vec<Literal> =
                (0..count).map(|_| Literal::new(rng.u32(0..VARIABLES), rng.bool())).collect();
            let all_hold = |values: &Vec<bool>, assumed: &[Literal]| {
                assumed.iter().all(|literal| literal.evaluate(values) == Some(true))
            };
            let possible =
                |assumed: &[Literal]| models.iter().any(|values| all_hold(values, assumed));
            match solver.solve(&assumptions, &Budget::unlimited()) {
                SatAnswer::Satisfiable(values) => {
                    satisfied += 1;
                    assert!(models.contains(&values) && all_hold(&values, &assumptions));
                }
                SatAnswer::Unsatisfiable { core } => {
                    assert!(core.iter().all(|literal| assumptions.contains(literal)));
                    assert!(!possible(&core), "{core:?} of {assumptions:?}: {cnf:?}");
                    check_unsatisfiable(&solver, &cnf, &core);
                    with_core += u64::from(!core.is_empty());
                    without += u64::from(core.is_empty());
                }
                SatAnswer::NoAnswer(why) => panic!("{why}"),
            }
        }
    }
    assert!(
        with_core.min(without).min(satisfied) > scaled(100),
        "{with_core} {without} {satisfied}"
    );
}

fn new_variables_are_new<S: SatSolver + Default>() {
    let mut solver = S::default();
    let a = solver.new_variable();
    solver.add_clause(&[a, Literal::new(6, true)]);
    let b = solver.new_variable();
    assert_eq!((a.variable(), b.variable()), (0, 7));
    solver.add_clause(&[!a]);
    let SatAnswer::Satisfiable(values) = solver.solve(&[b], &Budget::unlimited()) else { panic!() };
    assert_eq!((values.len(), values[0], values[6], values[7]), (8, false, true, true));
}

fn clauses_with_a_switch_come_and_go<S: SatSolver + Default>() {
    let mut solver = S::default();
    let [a, on, other] = [(); 3].map(|()| solver.new_variable());
    solver.add_clause(&[!on, a]);
    solver.add_clause(&[!other, !a]);
    let budget = Budget::unlimited();
    for _ in 0..2 {
        assert!(matches!(solver.solve(&[on], &budget), SatAnswer::Satisfiable(v) if v[0]));
        assert!(matches!(solver.solve(&[other], &budget), SatAnswer::Satisfiable(v) if !v[0]));
        let both = solver.solve(&[on, other], &budget);
        assert_eq!(both, SatAnswer::Unsatisfiable { core: vec![on, other] });
    }
    solver.add_clause(&[!on]);
    assert_eq!(solver.solve(&[other, on], &budget), SatAnswer::Unsatisfiable { core: vec![on] });
    assert!(matches!(solver.solve(&[other], &budget), SatAnswer::Satisfiable(_)));
    solver.add_clause(&[]);
    assert_eq!(solver.solve(&[other], &budget), SatAnswer::Unsatisfiable { core: vec![] });
}

fn spent_and_cancelled_budgets_end_a_question<S: SatSolver + Default>() {
    let mut solver = S::default();
    solver.add_all(&pigeons(10));
    let budget = Budget::lasting(Duration::ZERO);
    assert_eq!(solver.solve(&[], &budget), SatAnswer::NoAnswer(ExhaustionReason::Time));
    let budget = Budget::lasting(Duration::from_millis(20));
    assert_eq!(solver.solve(&[], &budget), SatAnswer::NoAnswer(ExhaustionReason::Time));
    // The budget is cancelled by another thread during the solve.
    let budget = Budget::unlimited();
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            budget.cancel();
        });
        solver.solve(&[], &budget)
    });
    assert_eq!(answer, SatAnswer::NoAnswer(ExhaustionReason::Cancelled));
    // The solver remains usable afterwards. The assumptions put pigeon i into hole i, and the last
    // pigeon into no hole.
    let one_pigeon_outside: Vec<Literal> =
        (0..110).map(|at| Literal::new(at, at % 11 == 0)).collect();
    let SatAnswer::Unsatisfiable { core } = solver.solve(&one_pigeon_outside, &Budget::unlimited())
    else {
        panic!()
    };
    assert!(!core.is_empty());
}

fn hard_formulas_have_proofs<S: ProvingSat + Default>() {
    let mut rng = fastrand::Rng::with_seed(12);
    let mut formulas = vec![pigeons(4), pigeons(6)];
    for _ in 0..scaled(5) {
        let mut cnf = Cnf::new();
        random_clauses(&mut rng, 60, 330).into_iter().for_each(|clause| cnf.add_clause(clause));
        formulas.push(cnf);
    }
    let mut refuted = 0;
    for cnf in &formulas {
        let mut solver = S::default();
        solver.add_all(cnf);
        if let SatAnswer::Unsatisfiable { core } = solver.solve(&[], &Budget::unlimited()) {
            refuted += 1;
            assert_eq!(core, []);
            check_proof(&solver, cnf, &core);
        }
    }
    assert!(refuted > 3, "{refuted}");
}

fn what_is_satisfiable_has_no_proof<S: ProvingSat + Default>() {
    let cnf = pigeons(4);
    let mut solver = S::default();
    solver.add_all(&cnf);
    solver.solve(&[], &Budget::unlimited());
    let less = |left_out: usize| {
        let mut less = Cnf::new();
        let kept = cnf.clauses().enumerate().filter(|&(at, _)| at != left_out);
        kept.for_each(|(_, clause)| less.add_clause(clause.iter().copied()));
        less
    };
    // Without any single clause the formula is satisfiable, so the checker must refuse the proof.
    for left_out in 0..cnf.clauses().len() {
        assert!(!is_proof(solver.learnt(), &less(left_out), &[]), "{left_out}");
    }
}
