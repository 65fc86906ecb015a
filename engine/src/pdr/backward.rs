//! k-induction by backward search from the goal.
//!
//! A property is k-inductive if no path of k markings leads to a goal marking, where the known
//! facts allow each of the k markings and none of them is a goal marking. The search enumerates
//! these paths from their ends. B₀ contains the cubes of the goal. Bᵢ₊₁ contains the cubes from
//! which some transition leads into a cube of Bᵢ, without markings that the facts exclude or that
//! earlier cubes contain. Predecessors are exact, so the property is k-inductive exactly if B_k is
//! empty. Then no firing enters the cubes from outside, and their complement is an inductive
//! invariant. The certificate contains this invariant, because k-induction itself would leave the
//! checker a query about k firings at once. A cube that contains the initial marking means that the
//! base case fails, and it gives a witness.
//!
//! The strength of the method comes from the known facts: place invariants and bounds.
//!
//! # Cost
//! There may be many cubes, where a path of k steps is a single solver query. Cubes are not
//! generalised: markings that [`prover`](super::prover) excludes by one clause may need one cube
//! here for each way to reach the goal.
//!
//! # Sources
//! M. Sheeran, S. Singh, G. Stålmarck, *Checking safety properties using induction and a
//! SAT-solver*, FMCAD 2000; P. Abdulla, K. Čerāns, B. Jonsson, Y.-K. Tsay, *General decidability
//! theorems for infinite-state systems*, LICS 1996 (backward reachability by sets closed under
//! predecessors).

use super::decide::{Decide, DecisionOutcome, Obligation, firing_sequence};
use super::goal;
use super::solver::{MaybeLiteral, Solver, SolverAnswer, TheoryLemma};
use super::terms::{BoundTerms, Cube, PreconditionOrigin, SumBound, cube};
use parikh_net::Predicate;
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat_batsat::BatSat;

/// The state of a backward search for a goal.
pub(super) struct BackwardSearcher<'n> {
    terms: BoundTerms<'n>,
    predicate: Predicate,
    solver: Solver<BatSat>,
    /// A literal that implies the goal predicate. A constant instead if the encoding finds that the
    /// predicate is always true or always false.
    goal: MaybeLiteral,
    /// The cubes so far, each with the transition that leads to the next cube. For the cubes before
    /// index `next_to_expand`, all predecessor cubes have been added.
    cubes: Vec<Obligation>,
    /// Index of the first cube whose predecessors have not all been added.
    next_to_expand: usize,
    /// True if every goal marking that the facts allow is in one of the cubes.
    has_all_goal_cubes: bool,
    /// Number of solver queries.
    query_count: u64,
}

impl<'n> Decide<'n> for BackwardSearcher<'n> {
    const COUNTED_OBJECTS: &'static str = "cubes";

    fn new(mut terms: BoundTerms<'n>, predicate: Predicate) -> Self {
        let mut solver = Solver::new(BatSat::new());
        let goal = goal::encode(&mut solver, &mut terms, &predicate);
        solver.add_small_flows(&terms);
        let (cubes, next) = (Vec::new(), 0);
        BackwardSearcher {
            terms,
            predicate,
            solver,
            goal,
            cubes,
            next_to_expand: next,
            has_all_goal_cubes: false,
            query_count: 0,
        }
    }

    fn run(&mut self, budget: &Budget) -> DecisionOutcome {
        self.search(budget).unwrap_or(DecisionOutcome::Unfinished)
    }

    fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    fn into_parts(self) -> (BoundTerms<'n>, Vec<TheoryLemma>) {
        (self.terms, self.solver.lemmas)
    }

    fn counters(&self) -> (u64, u64) {
        (self.cubes.len() as u64, self.query_count)
    }
}

impl BackwardSearcher<'_> {
    /// Continues the search until a result is found. Returns `None` if a query has no usable
    /// answer, usually because the budget is exhausted.
    fn search(&mut self, budget: &Budget) -> Option<DecisionOutcome> {
        while !self.has_all_goal_cubes {
            match self.next_goal_cube(budget)? {
                Some(cube) => self.add_cube(cube, None),
                None => self.has_all_goal_cubes = true,
            }
        }
        while self.next_to_expand < self.cubes.len() {
            let cube = self.cubes[self.next_to_expand].cube.clone();
            for t in self.terms.entering_transitions(&cube) {
                let preconditions = self.terms.preconditions(t, &cube);
                if !self.is_new(&preconditions, budget)? {
                    continue;
                }
                let cube_bounds = preconditions
                    .into_iter()
                    .filter(|(_, origin)| *origin != PreconditionOrigin::PlaceBound);
                let cube_bounds = cube_bounds.map(|(bound, _)| bound);
                let undecided = cube_bounds.filter(|&bound| self.terms.decide(bound) != Some(true));
                let predecessor = self::cube(undecided.collect());
                let is_initial = self.terms.is_initial(&predecessor);
                self.add_cube(predecessor, Some((self.next_to_expand, t)));
                if is_initial {
                    return Some(DecisionOutcome::Reached(firing_sequence(&self.cubes)));
                }
            }
            self.next_to_expand += 1;
        }
        let cubes = self.cubes.iter().map(|obligation| obligation.cube.clone()).collect();
        Some(DecisionOutcome::Unreachable(cubes))
    }

    /// Returns a cube of goal markings, at least one of which is in no earlier cube. The inner
    /// `None` means that earlier cubes contain all goal markings that the known facts allow. The
    /// outer `None` means that the query has no usable answer, usually because the budget is
    /// exhausted.
    fn next_goal_cube(&mut self, budget: &Budget) -> Option<Option<Cube>> {
        let assumptions: Vec<Literal> = match self.goal {
            MaybeLiteral::Is(false) => return Some(None),
            MaybeLiteral::Is(true) => Vec::new(),
            MaybeLiteral::Open(goal) => vec![goal],
        };
        self.query_count += 1;
        match self.solver.solve(&self.terms, &assumptions, budget) {
            SolverAnswer::Unknown => None,
            SolverAnswer::Unsatisfiable(_) => Some(None),
            SolverAnswer::Satisfiable(values) => {
                goal::goal_cube(&self.solver, &mut self.terms, &self.predicate, &values).map(Some)
            }
        }
    }

    /// Returns true if some marking satisfies the preconditions of a firing, is consistent with the
    /// known facts, and is in no earlier cube. Returns `None` if the solver gives no answer,
    /// usually because the budget is exhausted.
    fn is_new(
        &mut self,
        preconditions: &[(SumBound, PreconditionOrigin)],
        budget: &Budget,
    ) -> Option<bool> {
        let mut assumptions = Vec::with_capacity(preconditions.len());
        for &(bound, _) in preconditions {
            match self.solver.literal(&self.terms, bound) {
                MaybeLiteral::Is(true) => {}
                MaybeLiteral::Is(false) => return Some(false),
                MaybeLiteral::Open(literal) => assumptions.push(literal),
            }
        }
        self.query_count += 1;
        match self.solver.solve(&self.terms, &assumptions, budget) {
            SolverAnswer::Unknown => None,
            SolverAnswer::Unsatisfiable(_) => Some(false),
            SolverAnswer::Satisfiable(_) => Some(true),
        }
    }

    /// Adds a cube, and excludes its markings from later queries.
    fn add_cube(&mut self, cube: Cube, next: Option<(usize, parikh_net::TransitionId)>) {
        let clause: Vec<SumBound> = cube.iter().map(|bound| bound.negated()).collect();
        self.solver.add_clause(&self.terms, &clause, None);
        self.cubes.push(Obligation { cube, next });
    }
}
