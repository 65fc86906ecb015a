//! A SAT solver that obeys a budget and writes down why it says "unsatisfiable".
//!
//! batsat is MiniSat in Rust. It reports every clause it learns; each of those follows from the
//! clauses before it by unit propagation alone (reverse unit propagation, RUP), and so the list
//! is a proof that [`rup`](super::rup) checks without trusting the solver.

use batsat::interface::SolverInterface as _;
use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverOpts, Var, lbool};
use parikh_solvers::{Budget, Exhausted};
use std::fmt;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(u32);

impl Literal {
    /// `variable` is true when `value`, false otherwise.
    pub fn new(variable: usize, value: bool) -> Self {
        // Variables are places, which the builder bounds by u32; half of them must do here.
        assert!(variable < (1 << 30), "more variables than a solver takes");
        Literal(2 * variable as u32 + u32::from(!value))
    }

    /// The variable.
    pub fn variable(self) -> usize {
        (self.0 / 2) as usize
    }

    /// Whether the variable itself, not its negation.
    pub fn is_positive(self) -> bool {
        self.0.is_multiple_of(2)
    }

    /// The other literal of the variable.
    pub fn negated(self) -> Self {
        Literal(self.0 ^ 1)
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As in DIMACS files: from 1, negation as a minus sign.
        write!(f, "{}{}", if self.is_positive() { "" } else { "-" }, self.variable() + 1)
    }
}

/// Literals of which one must hold.
pub type Clause = Vec<Literal>;

/// What the solver found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// One value per variable.
    Model(Vec<bool>),
    /// No values satisfy all clauses.
    Unsatisfiable,
}

/// Watches the budget and keeps what was learnt.
struct Watcher {
    budget: Budget,
    learnt: Vec<Clause>,
    record: bool,
}

impl Callbacks for Watcher {
    fn on_new_clause(&mut self, clause: &[Lit], kind: ClauseKind) {
        if self.record && matches!(kind, ClauseKind::Learnt) {
            let literal = |lit: &Lit| Literal::new(lit.var().idx() as usize, lit.sign());
            self.learnt.push(clause.iter().map(literal).collect());
        }
    }

    fn stop(&self) -> bool {
        self.budget.is_exhausted()
    }
}

/// An incremental solver. Values are tried false first, so models tend to be small sets.
pub(crate) struct Sat {
    solver: Solver<Watcher>,
    variables: usize,
}

impl Sat {
    /// No clause over `variables` variables. With `record` the learnt clauses are kept.
    pub(crate) fn new(variables: usize, record: bool, budget: &Budget) -> Self {
        let watcher = Watcher { budget: budget.clone(), learnt: Vec::new(), record };
        let mut solver = Solver::new(SolverOpts::default(), watcher);
        for _ in 0..variables {
            solver.new_var_default();
        }
        Sat { solver, variables }
    }

    /// Adds a clause.
    pub(crate) fn add(&mut self, clause: &[Literal]) {
        let variable = |literal: &Literal| Var::unsafe_from_idx(literal.variable() as u32);
        let lits = clause.iter().map(|literal| Lit::new(variable(literal), literal.is_positive()));
        self.solver.add_clause_reuse(&mut lits.collect());
    }

    /// Looks for values that satisfy all clauses so far.
    pub(crate) fn solve(&mut self) -> Result<Answer, Exhausted> {
        let budget = self.solver.cb().budget.clone();
        if let Some(reason) = budget.exhausted() {
            return Err(reason);
        }
        let answer = self.solver.solve_limited(&[]);
        if answer == lbool::TRUE {
            let value =
                |at: usize| self.solver.value_var(Var::unsafe_from_idx(at as u32)) == lbool::TRUE;
            Ok(Answer::Model((0..self.variables).map(value).collect()))
        } else if answer == lbool::FALSE {
            Ok(Answer::Unsatisfiable)
        } else {
            // It stops for no other reason than the budget.
            Err(budget.exhausted().unwrap_or(Exhausted::Cancelled))
        }
    }

    /// What was learnt, in order: a proof by reverse unit propagation once it is unsatisfiable.
    pub(crate) fn into_proof(self) -> Vec<Clause> {
        let mut solver = self.solver;
        std::mem::take(&mut solver.cb_mut().learnt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_satisfy_and_prefer_false() {
        let mut sat = Sat::new(3, false, &Budget::unlimited());
        sat.add(&[Literal::new(0, true), Literal::new(1, true)]);
        let Ok(Answer::Model(model)) = sat.solve() else { panic!("it has models") };
        assert!(model[0] != model[1] && !model[2]);
        sat.add(&[Literal::new(0, false)]);
        assert_eq!(sat.solve(), Ok(Answer::Model(vec![false, true, false])));
        sat.add(&[Literal::new(1, false)]);
        assert_eq!(sat.solve(), Ok(Answer::Unsatisfiable));
    }

    #[test]
    fn an_ended_budget_is_no_answer() {
        let mut sat = Sat::new(1, false, &Budget::lasting(std::time::Duration::ZERO));
        assert_eq!(sat.solve(), Err(Exhausted::Time));
    }
}
