//! batsat: MiniSat in Rust. Incremental, with assumptions, cores and proofs.
//!
//! # Quirks (batsat 0.6.0)
//! It checks for a stop only between decisions, so a long propagation slightly overruns the budget.
//! It drops a clause added after a contradiction, which changes nothing. Decisions set variables to
//! false, so models tend to have few true variables.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, Lit, SolverInterface, SolverOpts, Var, lbool};

use crate::budget::{Budget, ExhaustionReason};
use crate::cnf::{Cnf, Literal};
use crate::sat::{ProvingSat, SatAnswer, SatSolver};

/// The pure-Rust SAT back-end.
pub type BatSat = Solver<DiscardClauses>;

/// The back-end with a proof of every "unsatisfiable". It keeps all learnt clauses in memory.
pub type ProvingBatSat = Solver<Cnf>;

/// The common implementation of [`BatSat`] and [`ProvingBatSat`].
pub struct Solver<K: ClauseSink> {
    /// The solver of the library.
    solver: batsat::Solver<SolveCallbacks<K>>,
    /// A buffer for the literals of one clause, reused to avoid allocations.
    buffer: Vec<Lit>,
}

/// Number of times that batsat asks whether to stop, once per decision, between two checks of the
/// budget. A decision may take less time than a check.
const CHECKS_PER_BUDGET_CHECK: u32 = 16;

/// A receiver of learnt clauses, which keeps or discards them.
pub trait ClauseSink: Default {
    /// Receives a learnt clause.
    fn receive_clause(&mut self, clause: impl Iterator<Item = Literal>);
}

/// Discards learnt clauses.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiscardClauses;

impl ClauseSink for DiscardClauses {
    fn receive_clause(&mut self, _: impl Iterator<Item = Literal>) {}
}

impl ClauseSink for Cnf {
    fn receive_clause(&mut self, clause: impl Iterator<Item = Literal>) {
        self.add_clause(clause);
    }
}

/// The callbacks of batsat during a solve.
#[derive(Default)]
struct SolveCallbacks<K> {
    /// The budget of the last solve; `None` before the first solve.
    budget: Option<Budget>,
    /// The reason for stopping. Once it is set, batsat stops at its next check.
    exhaustion: Cell<Option<ExhaustionReason>>,
    /// Number of stop checks since the last check of the budget.
    stop_checks: Cell<u32>,
    /// The receiver of learnt clauses.
    learnt: K,
}

impl<K: ClauseSink> Callbacks for SolveCallbacks<K> {
    fn on_new_clause(&mut self, clause: &[Lit], kind: ClauseKind) {
        // The kind `Learnt` contains the clauses from conflicts. After a contradiction with
        // assumptions, it also contains the negated core.
        if matches!(kind, ClauseKind::Learnt) {
            let literal = |lit: &Lit| Literal::new(lit.var().idx(), lit.sign());
            self.learnt.receive_clause(clause.iter().map(literal));
        }
    }

    fn stop(&self) -> bool {
        self.stop_checks.set(self.stop_checks.get() + 1);
        if self.stop_checks.get() >= CHECKS_PER_BUDGET_CHECK {
            self.stop_checks.set(0);
            self.exhaustion
                .set(self.exhaustion.get().or(self.budget.as_ref().and_then(Budget::exhausted)));
        }
        self.exhaustion.get().is_some()
    }
}

impl<K: ClauseSink> Default for Solver<K> {
    fn default() -> Self {
        let solver = batsat::Solver::new(SolverOpts::default(), SolveCallbacks::default());
        Solver { solver, buffer: Vec::new() }
    }
}

impl<K: ClauseSink> Solver<K> {
    /// Creates a solver without clauses.
    pub fn new() -> Self {
        Solver::default()
    }

    fn literal(&mut self, literal: Literal) -> Lit {
        Lit::new(self.solver.var_of_int(literal.variable()), literal.is_positive())
    }
}

impl<K: ClauseSink> SatSolver for Solver<K> {
    fn new_variable(&mut self) -> Literal {
        Literal::new(self.solver.new_var_default().idx(), true)
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
            return SatAnswer::NoAnswer(exhausted);
        }
        let batsat_assumptions: Vec<Lit> =
            assumptions.iter().map(|&literal| self.literal(literal)).collect();
        let callbacks = self.solver.cb_mut();
        callbacks.budget = Some(budget.clone());
        callbacks.exhaustion.set(None);
        let answer = self.solver.solve_limited(&batsat_assumptions);
        if answer == lbool::TRUE {
            // Variables without a value occur in no clause, so any value is correct.
            let value = |variable: u32| {
                self.solver.value_var(Var::unsafe_from_idx(variable)) == lbool::TRUE
            };
            SatAnswer::Satisfiable((0..self.solver.num_vars()).map(value).collect())
        } else if answer == lbool::FALSE {
            // The documentation is inconsistent about whether the core contains the assumptions or
            // their negations. A comparison by variable is correct for both.
            let core = assumptions.iter().zip(&batsat_assumptions);
            let core = core.filter(|(_, lit)| self.solver.unsat_core_contains_var(lit.var()));
            SatAnswer::Unsatisfiable { core: core.map(|(&literal, _)| literal).collect() }
        } else {
            SatAnswer::NoAnswer(
                self.solver.cb().exhaustion.get().unwrap_or(ExhaustionReason::Cancelled),
            )
        }
    }
}

impl ProvingSat for ProvingBatSat {
    fn learnt(&self) -> &Cnf {
        &self.solver.cb().learnt
    }
}
