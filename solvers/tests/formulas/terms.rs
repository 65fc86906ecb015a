//! Random formulas: SMT back-ends against evaluation of every assignment.

use super::scale::cases;
use proptest::prelude::*;

/// A recipe for a term over Booleans b0, b1 and integers x0, x1, which lie in 0..=3.
mod recipes {
    use super::*;
    use parikh_solvers::linear_expression::LinearExpression;
    use parikh_solvers::model::{ModelValue, SolverModel};
    use parikh_solvers::term::{Node, Term, Terms, Variable};

    #[derive(Clone, Debug)]
    pub(super) enum Recipe {
        Truth(bool),
        Boolean(usize),
        /// The comparison of a·x0 + b·x1 with a constant: the relation (0 is ≤, 1 is ≥, 2 is <,
        /// others are =), the coefficients [a, b], and the constant.
        Compare(u8, [i64; 2], i64),
        Not(Box<Recipe>),
        /// A connective (0 is ∧, 1 is ∨, 2 is ⇒, others are ⇔) and two or three operands. The last
        /// two connectives use only the first two operands.
        Combine(u8, Vec<Recipe>),
    }

    pub(super) fn recipe() -> impl Strategy<Value = Recipe> {
        let leaf = prop_oneof![
            1 => any::<bool>().prop_map(Recipe::Truth),
            3 => (0usize..2).prop_map(Recipe::Boolean),
            6 => (0u8..4, prop::array::uniform2(-4i64..5), -9i64..10)
                .prop_map(|(relation, a, b)| Recipe::Compare(relation, a, b)),
        ];
        leaf.prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                inner.clone().prop_map(|recipe| Recipe::Not(Box::new(recipe))),
                (0u8..4, proptest::collection::vec(inner, 2..4))
                    .prop_map(|(operator, parts)| Recipe::Combine(operator, parts)),
            ]
        })
    }

    /// The variables of a test: Booleans b0 and b1, integers x0 and x1.
    pub(super) struct Names {
        pub(super) booleans: [Term; 2],
        pub(super) integers: [Variable; 2],
    }

    impl Names {
        pub(super) fn new(terms: &mut Terms) -> Self {
            Names {
                booleans: [terms.boolean("b0"), terms.boolean("b1")],
                integers: [terms.integer("x0"), terms.integer("x1")],
            }
        }
    }

    pub(super) fn build(terms: &mut Terms, names: &Names, recipe: &Recipe) -> Term {
        match recipe {
            Recipe::Truth(value) => terms.truth(*value),
            Recipe::Boolean(number) => names.booleans[*number],
            Recipe::Compare(relation, [a, b], constant) => {
                let [x, y] = names.integers;
                let sum = LinearExpression::new().plus(*a, x).plus(*b, y);
                match relation {
                    0 => terms.at_most(sum, *constant),
                    1 => terms.at_least(sum, *constant),
                    2 => terms.less(sum, *constant),
                    _ => terms.equal(sum, *constant),
                }
            }
            Recipe::Not(part) => {
                let part = build(terms, names, part);
                terms.not(part)
            }
            Recipe::Combine(operator, parts) => {
                let parts: Vec<Term> = parts.iter().map(|part| build(terms, names, part)).collect();
                match operator {
                    0 => terms.and(parts),
                    1 => terms.or(parts),
                    2 => terms.implies(parts[0], parts[1]),
                    _ => terms.iff(parts[0], parts[1]),
                }
            }
        }
    }

    /// Evaluates the recipe directly, without the simplification of terms.
    pub(super) fn meaning(recipe: &Recipe, booleans: [bool; 2], integers: [i64; 2]) -> bool {
        let of = |recipe| meaning(recipe, booleans, integers);
        match recipe {
            Recipe::Truth(value) => *value,
            Recipe::Boolean(number) => booleans[*number],
            Recipe::Compare(relation, [a, b], constant) => {
                let sum = a * integers[0] + b * integers[1];
                match relation {
                    0 => sum <= *constant,
                    1 => sum >= *constant,
                    2 => sum < *constant,
                    _ => sum == *constant,
                }
            }
            Recipe::Not(part) => !of(part),
            Recipe::Combine(operator, parts) => match operator {
                0 => parts.iter().all(of),
                1 => parts.iter().any(of),
                2 => !of(&parts[0]) || of(&parts[1]),
                _ => of(&parts[0]) == of(&parts[1]),
            },
        }
    }

    /// Iterates over all values of the variables: two Booleans, and two integers from 0 to 3.
    pub(super) fn points() -> impl Iterator<Item = ([bool; 2], [i64; 2])> {
        (0..64).map(|n| ([n & 1 == 1, n & 2 == 2], [n >> 2 & 3, n >> 4 & 3]))
    }

    proptest! {
        #![proptest_config(cases(1000))]

        #[test]
        fn terms_have_the_values_of_their_recipes(recipe in recipe()) {
            let mut terms = Terms::new();
            let names = Names::new(&mut terms);
            let term = build(&mut terms, &names, &recipe);
            for (booleans, integers) in points() {
                let mut model = SolverModel::new();
                for (boolean, value) in names.booleans.iter().zip(booleans) {
                    let Node::Boolean(variable) = terms.node(*boolean) else { panic!() };
                    model.set(*variable, ModelValue::Truth(value));
                }
                for (variable, value) in names.integers.iter().zip(integers) {
                    model.set_integer(*variable, value);
                }
                let expected = meaning(&recipe, booleans, integers);
                prop_assert_eq!(model.evaluate(&terms, term), Some(expected));
            }
        }
    }
}

#[cfg(feature = "z3")]
mod smt {
    use super::recipes::*;
    use super::*;
    use parikh_solvers::guest::{self, Program};
    use parikh_solvers::smt::{SmtAnswer, SmtSolver};
    use parikh_solvers::smt_command::SmtCommand;
    use parikh_solvers::smt_z3::Z3;
    use parikh_solvers::term::{Term, Terms};

    /// Environment variable that makes this test program a worker process.
    const GUEST: &str = "PARIKH_TEST_GUEST";

    /// Returns the command that starts this test program as a worker process with Z3.
    fn ourselves() -> Program {
        let own = std::env::current_exe().unwrap();
        let name = "terms::smt::worker_process_entry_point";
        let line = format!("{GUEST}=1 exec '{}' --exact {name} --nocapture", own.display());
        Program { path: "/bin/sh".into(), arguments: vec!["-c".into(), line.into()] }
    }

    /// Serves as the worker process if the variable [`GUEST`] is set. Otherwise does nothing.
    #[test]
    fn worker_process_entry_point() {
        use std::os::fd::AsFd as _;
        if std::env::var_os(GUEST).is_some() {
            let from = std::io::stdin().as_fd().try_clone_to_owned().unwrap();
            let to = std::io::stdout().as_fd().try_clone_to_owned().unwrap();
            guest::serve_smt(from, to);
        }
    }

    /// Recipes asserted before the first question, asserted before the second, and assumed.
    type Question = [Vec<Recipe>; 3];

    fn question() -> impl Strategy<Value = Question> {
        let some = || proptest::collection::vec(recipe(), 0..3);
        [some(), some(), some()]
    }

    /// Asks `solver`, which has no assertions, and compares its answers with enumeration of all
    /// points.
    fn conforms(solver: &mut dyn SmtSolver, question: &Question) -> Result<(), TestCaseError> {
        let [asserted, later, assumed] = question;
        let mut terms = Terms::new();
        let names = Names::new(&mut terms);
        for x in names.integers {
            for limit in [terms.at_least(x, 0), terms.at_most(x, 3)] {
                solver.assert(&terms, limit).unwrap();
            }
        }
        for recipe in asserted {
            let term = build(&mut terms, &names, recipe);
            solver.assert(&terms, term).unwrap();
        }
        let assumptions: Vec<Term> =
            assumed.iter().map(|recipe| build(&mut terms, &names, recipe)).collect();
        let mut all: Vec<&Recipe> = asserted.iter().collect();
        for more in [&[][..], later] {
            for recipe in more {
                let term = build(&mut terms, &names, recipe);
                solver.assert(&terms, term).unwrap();
            }
            all.extend(more);
            let possible = |chosen: &[&Recipe]| {
                points().any(|(b, x)| all.iter().chain(chosen).all(|recipe| meaning(recipe, b, x)))
            };
            match solver.check(&terms, &assumptions, &parikh_solvers::Budget::unlimited()).unwrap()
            {
                // The back-end has already evaluated everything under its model.
                SmtAnswer::Satisfiable(_) => {
                    prop_assert!(possible(&assumed.iter().collect::<Vec<_>>()));
                }
                SmtAnswer::Unsatisfiable { core } => {
                    let chosen = assumed.iter().zip(&assumptions);
                    let chosen = chosen.filter(|(_, term)| core.contains(term));
                    let chosen: Vec<&Recipe> = chosen.map(|(recipe, _)| recipe).collect();
                    prop_assert!(!possible(&chosen), "{chosen:?}");
                }
                SmtAnswer::NoAnswer(why) => prop_assert!(false, "{why}"),
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(cases(400))]

        #[test]
        fn z3_agrees_with_enumeration(question in question()) {
            conforms(&mut Z3::new().unwrap(), &question)?;
        }

        #[test]
        fn z3_in_a_worker_process_agrees_with_enumeration(question in question()) {
            // Only the first call counts; afterwards processes are reused.
            guest::set_worker_program(ourselves());
            conforms(&mut SmtCommand::start(ourselves()).unwrap(), &question)?;
        }
    }
}
