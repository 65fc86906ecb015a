//! Conformance suite of LP back-ends: random programs, with answers compared with each other and
//! with enumeration.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use parikh_solvers::Budget;
use parikh_solvers::certify::{CertifiedBound, CertifiedInfeasible, Contradiction, Multipliers};
use parikh_solvers::linear_program::{Column, Interval, LinearProgram, Row, Sense};
use parikh_solvers::lp::{LpAnswer, LpSolver};
use parikh_solvers::lp_microlp::MicroLp;
use proptest::prelude::*;
use scale::cases;

#[path = "../../tests/support/scale.rs"]
mod scale;

/// Returns every back-end of this build.
fn back_ends() -> Vec<Box<dyn LpSolver>> {
    vec![
        Box::new(MicroLp::new()),
        #[cfg(feature = "highs")]
        Box::new(parikh_solvers::lp_highs::Highs),
    ]
}

fn solve(solver: &mut dyn LpSolver, program: &LinearProgram) -> LpAnswer {
    solver.solve(program, &Budget::unlimited())
}

/// The values of each coordinate of the enumerated points.
const BOX: std::ops::RangeInclusive<i64> = -3..=4;

fn points(columns: usize) -> Vec<Vec<i64>> {
    (0..columns).fold(vec![vec![]], |points, _| {
        let longer = |point: Vec<i64>| {
            BOX.map(move |value| {
                let mut point = point.clone();
                point.push(value);
                point
            })
        };
        points.into_iter().flat_map(longer).collect()
    })
}

fn objective_at(program: &LinearProgram, point: &[i64]) -> BigInt {
    program.objective().iter().zip(point).map(|(&cost, &x)| BigInt::from(cost) * x).sum()
}

/// Returns true if the certified bound holds at every point of the box.
fn bound_holds(program: &LinearProgram, bound: &CertifiedBound) -> bool {
    points(program.columns().len()).iter().filter(|point| program.admits(point)).all(|point| {
        let value = objective_at(program, point);
        let exact = BigRational::from_integer(value.clone());
        match bound.sense() {
            Sense::Maximise => exact <= *bound.bound() && value <= bound.integer_bound(),
            Sense::Minimise => exact >= *bound.bound() && value >= bound.integer_bound(),
        }
    })
}

fn has_points(program: &LinearProgram) -> bool {
    points(program.columns().len()).iter().any(|point| program.admits(point))
}

/// Returns true if there is no answer, or no answer that could be certified.
fn has_no_proof(answer: &LpAnswer) -> bool {
    match answer {
        LpAnswer::Optimal(optimum) => optimum.multipliers.is_none(),
        LpAnswer::NoAnswer(_) => true,
        LpAnswer::Infeasible(_) | LpAnswer::Unbounded => false,
    }
}

fn interval() -> impl Strategy<Value = Interval> {
    prop_oneof![
        4 => Just(Interval::NON_NEGATIVE),
        3 => (-3i64..3, 0i64..5).prop_map(|(low, width)| Interval::between(low, low + width)),
        2 => (-3i64..4).prop_map(Interval::exactly),
        1 => (-3i64..4).prop_map(Interval::at_most),
        1 => (-3i64..4).prop_map(Interval::at_least),
        1 => Just(Interval::FREE),
        1 => Just(Interval::between(1, 0)),
    ]
}

fn row_interval() -> impl Strategy<Value = Interval> {
    prop_oneof![
        3 => (-6i64..7).prop_map(Interval::at_most),
        3 => (-6i64..7).prop_map(Interval::at_least),
        3 => (-4i64..5).prop_map(Interval::exactly),
        2 => (-4i64..5, 0i64..6).prop_map(|(low, width)| Interval::between(low, low + width)),
    ]
}

fn program() -> impl Strategy<Value = LinearProgram> {
    let sense = prop_oneof![Just(Sense::Minimise), Just(Sense::Maximise)];
    (sense, 1usize..5).prop_flat_map(|(sense, columns)| {
        let coefficients = || proptest::collection::vec(-3i64..4, columns);
        let rows = proptest::collection::vec((row_interval(), coefficients()), 0..6);
        (coefficients(), proptest::collection::vec(interval(), columns), rows).prop_map(
            move |(costs, columns, rows)| {
                let mut program = LinearProgram::new(sense);
                for bounds in columns {
                    program.add_column(bounds).unwrap();
                }
                for (bounds, coefficients) in rows {
                    program.add_row(bounds, numbered(&coefficients)).unwrap();
                }
                program.set_objective(sense, numbered(&costs)).unwrap();
                program
            },
        )
    })
}

fn numbered(coefficients: &[i64]) -> Vec<(Column, i64)> {
    coefficients.iter().enumerate().map(|(column, &a)| (Column(column as u32), a)).collect()
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn answers_agree_with_each_other_and_certificates_with_enumeration(program in program()) {
        let mut optima: Vec<BigRational> = Vec::new();
        let mut kinds: Vec<&str> = Vec::new();
        for mut solver in back_ends() {
            let answer = solve(solver.as_mut(), &program);
            match &answer {
                // This happens for about one program in 20,000: see the quirks of the back-end.
                answer if solver.name() == "microlp" && has_no_proof(answer) => {}
                LpAnswer::Optimal(optimum) => {
                    let bound = optimum.certify(&program);
                    prop_assert!(bound.is_ok(), "{}: {bound:?} of {answer:?}", solver.name());
                    let bound = bound.unwrap();
                    prop_assert!(bound_holds(&program, &bound), "{}: {bound:?}", solver.name());
                    let value = bound.bound().to_f64().unwrap();
                    prop_assert!((value - optimum.objective).abs() < 1e-6, "{value} {optimum:?}");
                    optima.push(bound.bound().clone());
                    kinds.push("optimal");
                }
                LpAnswer::Infeasible(infeasibility) => {
                    let proof = infeasibility.certify(&program);
                    prop_assert!(proof.is_ok(), "{}: {proof:?} of {answer:?}", solver.name());
                    prop_assert!(!has_points(&program), "{}", solver.name());
                    kinds.push("infeasible");
                }
                LpAnswer::Unbounded => kinds.push("unbounded"),
                LpAnswer::NoAnswer(why) => prop_assert!(false, "{}: {why}", solver.name()),
            }
        }
        kinds.dedup();
        optima.dedup();
        prop_assert!(kinds.len() <= 1, "{kinds:?}");
        prop_assert!(optima.len() <= 1, "{optima:?}");
    }

    #[test]
    fn accepted_multipliers_prove_true_bounds(
        program in program(),
        denominator in -1i64..5,
        numerators in proptest::collection::vec(-6i64..7, 0..7),
    ) {
        let numerators = numerators.iter().enumerate();
        let multipliers = Multipliers {
            denominator: denominator.into(),
            numerators: numerators.map(|(row, &n)| (Row(row as u32), n.into())).collect(),
        };
        if let Ok(bound) = CertifiedBound::check(&program, multipliers.clone()) {
            prop_assert!(bound_holds(&program, &bound), "{bound:?}");
        }
        let contradictions = [
            Contradiction::Combination(multipliers),
            Contradiction::EmptyColumn(Column(0)),
            Contradiction::EmptyRow(Row(0)),
        ];
        for contradiction in contradictions {
            if let Ok(proof) = CertifiedInfeasible::check(&program, contradiction) {
                prop_assert!(!has_points(&program), "{proof:?}");
            }
        }
    }

    #[test]
    fn a_mutilated_certificate_is_refused_or_still_true(
        program in program(),
        victim in any::<prop::sample::Index>(),
        change in prop_oneof![Just(-2i64), Just(-1), Just(1), Just(2)],
    ) {
        let mutilate = |multipliers: &Multipliers| {
            let mut multipliers = multipliers.clone();
            let count = multipliers.numerators.len();
            if count > 0 {
                multipliers.numerators[victim.index(count)].1 += change;
            }
            multipliers
        };
        match solve(&mut MicroLp::new(), &program) {
            answer if has_no_proof(&answer) => {}
            LpAnswer::Optimal(optimum) => {
                let bound = optimum.certify(&program).unwrap();
                let changed = CertifiedBound::check(&program, mutilate(bound.multipliers()));
                if let Ok(changed) = changed {
                    // The optimum is attained, so no proof can show a tighter bound.
                    let weaker = match bound.sense() {
                        Sense::Maximise => changed.bound() >= bound.bound(),
                        Sense::Minimise => changed.bound() <= bound.bound(),
                    };
                    prop_assert!(weaker, "{changed:?} against {bound:?}");
                }
            }
            LpAnswer::Infeasible(infeasibility) => {
                let proof = infeasibility.certify(&program).unwrap();
                if let Contradiction::Combination(multipliers) = proof.contradiction() {
                    // The same proof must be refused once the rows have no bounds.
                    let mut freed = program.clone();
                    for row in 0..program.rows().len() {
                        freed.set_row_bounds(Row(row as u32), Interval::FREE).unwrap();
                    }
                    let again = Contradiction::Combination(multipliers.clone());
                    prop_assert!(CertifiedInfeasible::check(&freed, again).is_err());
                    let again = Contradiction::Combination(mutilate(multipliers));
                    if CertifiedInfeasible::check(&program, again).is_ok() {
                        prop_assert!(!has_points(&program));
                    }
                }
            }
            LpAnswer::Unbounded | LpAnswer::NoAnswer(_) => {}
        }
    }
}

/// Tests that a model with repeated changes answers like a fresh one each time.
#[cfg(feature = "highs")]
mod incremental {
    use super::*;
    use parikh_solvers::lp::IncrementalLp;
    use parikh_solvers::lp_highs::{Highs, HighsModel};

    #[derive(Clone, Debug)]
    enum Change {
        Objective(Sense, Vec<i64>),
        RowBounds(prop::sample::Index, Interval),
        ColumnBounds(prop::sample::Index, Interval),
        NewRow(Interval, Vec<i64>),
    }

    fn change() -> impl Strategy<Value = Change> {
        let costs = || proptest::collection::vec(-3i64..4, 4);
        let sense = prop_oneof![Just(Sense::Minimise), Just(Sense::Maximise)];
        prop_oneof![
            4 => (sense, costs()).prop_map(|(sense, costs)| Change::Objective(sense, costs)),
            2 => (any::<prop::sample::Index>(), row_interval())
                .prop_map(|(row, bounds)| Change::RowBounds(row, bounds)),
            2 => (any::<prop::sample::Index>(), interval())
                .prop_map(|(column, bounds)| Change::ColumnBounds(column, bounds)),
            1 => (row_interval(), costs()).prop_map(|(bounds, a)| Change::NewRow(bounds, a)),
        ]
    }

    /// Returns the kind of the answer, with the certified optimum.
    fn summary(program: &LinearProgram, answer: &LpAnswer) -> String {
        match answer {
            LpAnswer::Optimal(optimum) => match optimum.certify(program) {
                Ok(bound) => format!("optimal {}", bound.bound()),
                Err(refused) => format!("refused: {refused}: {optimum:?}"),
            },
            LpAnswer::Infeasible(infeasibility) => match infeasibility.certify(program) {
                Ok(_) => "infeasible".to_owned(),
                Err(refused) => format!("refused: {refused}: {infeasibility:?}"),
            },
            other => format!("{other:?}"),
        }
    }

    proptest! {
        #![proptest_config(cases(300))]

        #[test]
        fn a_changed_model_answers_like_a_fresh_one(
            program in program(),
            changes in proptest::collection::vec(change(), 1..8),
        ) {
            let mut model = HighsModel::new(program);
            let budget = Budget::unlimited();
            let columns = model.program().columns().len();
            for change in changes {
                let rows = model.program().rows().len();
                match &change {
                    Change::Objective(sense, costs) => {
                        model.set_objective(*sense, &numbered(&costs[..columns])).unwrap();
                    }
                    Change::RowBounds(row, bounds) if rows > 0 => {
                        model.set_row_bounds(Row(row.index(rows) as u32), *bounds).unwrap();
                    }
                    Change::RowBounds(..) => {}
                    Change::ColumnBounds(column, bounds) => {
                        let column = Column(column.index(columns) as u32);
                        model.set_column_bounds(column, *bounds).unwrap();
                    }
                    Change::NewRow(bounds, coefficients) => {
                        model.add_row(*bounds, &numbered(&coefficients[..columns])).unwrap();
                    }
                }
                let fresh = solve(&mut Highs, model.program());
                let changed = model.solve_again(&budget);
                let fresh = summary(model.program(), &fresh);
                let changed = summary(model.program(), &changed);
                prop_assert!(!fresh.starts_with("refused"), "{fresh}");
                prop_assert_eq!(fresh, changed, "after {:?}", change);
            }
        }
    }
}
