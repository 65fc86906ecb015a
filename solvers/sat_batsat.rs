//! batsat: MiniSat in Rust. Incremental, with assumptions and cores.
//!
//! # Quirks (batsat 0.6.0)
//! It asks whether to stop only between decisions, so a long propagation overruns the budget by a
//! little. A clause that was added after a contradiction is dropped, which changes nothing.

use batsat::{Callbacks, Lit, SolverInterface, SolverOpts, lbool};

use crate::answer::NoAnswer;
use crate::budget::Budget;
use crate::cnf::Literal;
use crate::sat::{SatAnswer, SatSolver};

/// The pure-Rust SAT back-end.
pub struct BatSat {
    solver: batsat::Solver<Watch>,
    /// One more than the greatest variable seen.
    variables: u32,
    /// Reused for every clause.
    buffer: Vec<Lit>,
}

/// What batsat asks while it works.
#[derive(Default)]
struct Watch {
    budget: Option<Budget>,
}

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        self.budget.as_ref().is_some_and(Budget::is_exhausted)
    }
}

impl Default for BatSat {
    fn default() -> Self {
        let solver = batsat::Solver::new(SolverOpts::default(), Watch::default());
        BatSat { solver, variables: 0, buffer: Vec::new() }
    }
}

impl BatSat {
    /// No clauses.
    pub fn new() -> Self {
        BatSat::default()
    }

    fn literal(&mut self, literal: Literal) -> Lit {
        self.variables = self.variables.max(literal.variable() + 1);
        Lit::new(self.solver.var_of_int(literal.variable()), literal.is_positive())
    }
}

impl SatSolver for BatSat {
    fn name(&self) -> String {
        "batsat".to_owned()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend(clause.iter().map(|&literal| self.literal(literal)));
        self.solver.add_clause_reuse(&mut buffer);
        self.buffer = buffer;
    }

    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> SatAnswer {
        if let Some(exhausted) = budget.exhausted() {
            return SatAnswer::NoAnswer(exhausted.into());
        }
        let assumed: Vec<Lit> = assumptions.iter().map(|&literal| self.literal(literal)).collect();
        self.solver.cb_mut().budget = Some(budget.clone());
        let answer = self.solver.solve_limited(&assumed);
        self.solver.cb_mut().budget = None;
        if answer == lbool::TRUE {
            let value = |variable: u32| {
                // Variables without a value are in no clause: any value will do.
                let literal = Lit::new(self.solver.var_of_int(variable), true);
                self.solver.value_lit(literal) == lbool::TRUE
            };
            let variables = self.variables;
            let mut value = value;
            SatAnswer::Satisfiable((0..variables).map(&mut value).collect())
        } else if answer == lbool::FALSE {
            // The core is said to be of the assumptions or of their negations, depending on the
            // place in the documentation; by variable it is neither.
            let core = assumptions.iter().zip(&assumed);
            let core = core.filter(|(_, lit)| self.solver.unsat_core_contains_var(lit.var()));
            SatAnswer::Unsatisfiable { core: core.map(|(&literal, _)| literal).collect() }
        } else {
            let why = NoAnswer::Unknown("batsat stopped".to_owned());
            SatAnswer::NoAnswer(budget.exhausted().map_or(why, NoAnswer::from))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(clause: &[i32]) -> Vec<Literal> {
        let literal = |&n: &i32| Literal::new(n.unsigned_abs() - 1, n > 0).unwrap();
        clause.iter().map(literal).collect()
    }

    #[test]
    fn a_core_is_of_the_assumptions() {
        let mut solver = BatSat::new();
        solver.add_clause(&literals(&[-1, -2]));
        solver.add_clause(&literals(&[3, 4]));
        let answer = solver.solve(&literals(&[3, 1, 2]), &Budget::unlimited());
        assert_eq!(answer, SatAnswer::Unsatisfiable { core: literals(&[1, 2]) });
        let SatAnswer::Satisfiable(values) = solver.solve(&literals(&[1]), &Budget::unlimited())
        else {
            panic!()
        };
        assert!(values[0] && !values[1] && (values[2] || values[3]));
    }

    #[test]
    fn a_hard_question_ends_with_its_budget() {
        // Ten pigeons into nine holes.
        let mut solver = BatSat::new();
        let inside = |pigeon: i32, hole: i32| pigeon * 9 + hole + 1;
        for pigeon in 0..10 {
            let clause: Vec<i32> = (0..9).map(|hole| inside(pigeon, hole)).collect();
            solver.add_clause(&literals(&clause));
            for other in 0..pigeon {
                for hole in 0..9 {
                    solver.add_clause(&literals(&[-inside(pigeon, hole), -inside(other, hole)]));
                }
            }
        }
        let budget = Budget::lasting(std::time::Duration::from_millis(20));
        let answer = solver.solve(&[], &budget);
        assert!(matches!(answer, SatAnswer::NoAnswer(NoAnswer::Exhausted(_))), "{answer:?}");
    }
}
