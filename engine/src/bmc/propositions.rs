//! A [propositional](parikh_encodings::propositional) unrolling for the built-in SAT solver.
//!
//! A step may consist of many firings. Place invariants and units give sets of places that together
//! hold at most one token. For each set, clauses state that at most one of its places is marked.
//! This encoding finds most witnesses (`benchmarks/results/encodings.md`). For an unbounded place,
//! only a limited number of token counts is encoded. Witnesses that need more are not found.

use super::{ExtensionResult, QueryResult, StepSequence};
use crate::Assignment;
use parikh_encodings::encoding::TooManyValues;
use parikh_encodings::propositional::components::SafeComponent;
use parikh_encodings::propositional::{
    MaybeLiteral, StepSemantics, TokenEncoding, TokenRange, Unrolling,
};
use parikh_net::{GoalId, Net, Predicate, Provenance};
use parikh_solvers::Budget;
use parikh_solvers::cnf::{Clauses, Literal};
use parikh_solvers::sat::{SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::BatSat;
use parikh_structure::intervals::Intervals;
use std::collections::BTreeMap;
use std::time::Duration;

/// Limit on the number of literals in all clauses. With the solver's data, this is about 200 MB.
const MAX_LITERALS: usize = 12_000_000;

/// Limit on the number of literals of one step. A larger step takes too long.
const MAX_STEP_LITERALS: usize = 2_000_000;

/// A propositional unrolling. See the module documentation.
pub(super) struct Propositions<'g> {
    net: &'g Net,
    solver: CountingSolver,
    unrolling: Unrolling<'g>,
    /// The last query of each goal: the number of steps, the predicate, and a literal. The literal
    /// implies that the last marking satisfies the predicate.
    last_queries: BTreeMap<GoalId, (usize, Predicate, MaybeLiteral)>,
    /// Number of queries that went to the SAT solver. Some queries are answered without it, because
    /// the token ranges exclude the predicate.
    query_count: u64,
}

/// The SAT solver, with a count of the literals in its clauses.
struct CountingSolver {
    sat: BatSat,
    /// Number of literals added in clauses, plus one for each clause.
    literals: usize,
}

impl Clauses for CountingSolver {
    fn variable(&mut self) -> Literal {
        self.sat.variable()
    }

    fn clause(&mut self, clause: &[Literal]) {
        self.literals += clause.len() + 1;
        self.sat.clause(clause);
    }
}

impl<'g> Propositions<'g> {
    /// Creates the unrolling with the initial marking only.
    pub(super) fn new(work: &Assignment<'g>) -> Self {
        let (net, facts) = (work.working_net.net(), work.working_net.facts());
        // The model claims that the units of its own net are safe, but not the units of a derived
        // net.
        let assumes_units = work.working_net.parent().is_none() && work.board.breach().is_none();
        let provenance = if assumes_units { Provenance::UnitsClaimed } else { Provenance::PROVED };
        let intervals = Intervals::new(net, facts);
        let place_bounds = intervals.up_to(provenance);
        let ranges = net
            .places()
            .map(|p| -> TokenRange { (place_bounds.low(p), place_bounds.high(p)) })
            .collect();
        let mut components = SafeComponent::of_flows(net, &facts.flows);
        if assumes_units {
            components.extend(SafeComponent::of_units(net));
        }
        let mut solver = CountingSolver { sat: BatSat::new(), literals: 0 };
        let (values, semantics) = (TokenEncoding::OneOfN, StepSemantics::Steps);
        let unrolled = Unrolling::new(net, ranges, components, values, semantics, &mut solver);
        let (unrolling, last_queries) = (unrolled.leave_out_markings(), BTreeMap::new());
        Propositions { net, solver, unrolling, last_queries, query_count: 0 }
    }
}

impl Propositions<'_> {
    /// Returns a literal that implies the predicate at the last marking. If the last query of this
    /// goal had the same predicate and number of steps, its literal is used again.
    fn goal(&mut self, id: GoalId, predicate: &Predicate) -> Result<MaybeLiteral, TooManyValues> {
        let steps = self.unrolling.steps();
        match self.last_queries.get(&id) {
            Some((queried_steps, queried, goal))
                if *queried_steps == steps && queried == predicate =>
            {
                Ok(*goal)
            }
            _ => {
                let atoms = predicate.to_atoms(self.net);
                let goal = self.unrolling.goal(&atoms, &mut self.solver)?;
                self.last_queries.insert(id, (steps, predicate.clone(), goal));
                Ok(goal)
            }
        }
    }
}

impl StepSequence for Propositions<'_> {
    const FIRST_SLICE: (Duration, Duration) =
        (Duration::from_millis(5), Duration::from_millis(100));

    /// Returns the number after `steps` in the sequence 1, 2, 3, 4, 6, 9, …. The numbers grow
    /// slowly, since an unrolling that is much longer than necessary is much slower.
    fn next_length(steps: usize) -> usize {
        steps + (steps / 2).max(1)
    }

    fn steps(&self) -> usize {
        self.unrolling.steps()
    }

    fn extend_to(&mut self, steps: usize, budget: &Budget) -> ExtensionResult {
        while self.unrolling.steps() < steps {
            if budget.is_exhausted() {
                return ExtensionResult::Partial;
            }
            let step_literals = self.unrolling.next_step_literals();
            if step_literals > MAX_STEP_LITERALS
                || self.solver.literals + step_literals > MAX_LITERALS
            {
                let steps = self.unrolling.steps();
                return ExtensionResult::TooLong(format!(
                    "more than {steps} steps need too many clauses"
                ));
            }
            if let Err(TooManyValues) = self.unrolling.unroll(&mut self.solver) {
                return ExtensionResult::TooLong(TooManyValues::MESSAGE.to_owned());
            }
        }
        ExtensionResult::Complete
    }

    fn query(&mut self, id: GoalId, predicate: &Predicate, budget: &Budget) -> QueryResult {
        // The estimate for the last step may have been too low. The clauses of goals may have as
        // many literals as one step.
        if self.solver.literals > MAX_LITERALS + MAX_STEP_LITERALS {
            return QueryResult::NeverReachable("the goal needs too many clauses".to_owned());
        }
        let assumptions = match self.goal(id, predicate) {
            // More steps do not reduce the number of values.
            Err(TooManyValues) => {
                return QueryResult::NeverReachable(TooManyValues::MESSAGE.to_owned());
            }
            Ok(MaybeLiteral::Is(false)) if self.unrolling.is_stable() => {
                let reason = match self.unrolling.is_narrowed() {
                    true => "only 65 values per place are encoded",
                    false => "such numbers of tokens are not reached with any number of steps",
                };
                return QueryResult::NeverReachable(reason.to_owned());
            }
            Ok(MaybeLiteral::Is(false)) => return QueryResult::UnreachableWithin,
            Ok(MaybeLiteral::Is(true)) => Vec::new(),
            Ok(MaybeLiteral::Open(goal)) => vec![goal],
        };
        self.query_count += 1;
        match self.solver.sat.solve(&assumptions, budget) {
            SatAnswer::NoAnswer(_) => QueryResult::Unfinished,
            SatAnswer::Unsatisfiable { .. } => QueryResult::UnreachableWithin,
            SatAnswer::Satisfiable(values) => {
                QueryResult::Reached(Some(self.unrolling.firing_sequence(&values)))
            }
        }
    }

    fn statistics(&self) -> String {
        let Propositions { unrolling: unrolled, solver, query_count: questions, .. } = self;
        format!("{} steps of {} literals, {questions} questions", unrolled.steps(), solver.literals)
    }
}
