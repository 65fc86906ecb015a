//! Property-directed reachability for one goal: is a marking reachable that satisfies the goal
//! predicate?
//!
//! Frames F₀ ⊆ F₁ ⊆ … over-approximate the markings reachable in at most i firings. F₀ is the
//! initial marking, and Fᵢ are the markings outside all cubes blocked at level i or higher. A goal
//! cube that the last frame allows becomes a proof obligation: show that it is unreachable in that
//! many firings. For each transition that may lead into the cube, its predecessors form a cube
//! again (see [`BoundTerms::preconditions`]). A predecessor cube that the previous frame allows
//! becomes a proof obligation in turn. If it contains the initial marking, the obligations spell
//! out a firing sequence to the goal, because predecessors are exact. If no predecessor is left,
//! the cube is generalised: as many bounds as possible are dropped, and the rest is blocked. When
//! all cubes blocked at level i can be moved to level i + 1, they form an inductive invariant.
//!
//! # Why no transition relation
//! Firing t adds constants, so a bound after the firing is a bound before it. For a fixed t, one
//! step is a query about a single marking: a few assumptions, most of which are decided by
//! propagation. Only transitions that make some bound of a cube true can enter it from outside. So
//! a cube over a few places concerns a few transitions, however large the net is.
//!
//! # Sources
//! A. Bradley, *SAT-based model checking without unrolling*, VMCAI 2011; N. Eén, A. Mishchenko, R.
//! Brayton, *Efficient implementation of property directed reachability*, FMCAD 2011; Z. Hassan, A.
//! Bradley, F. Somenzi, *Better generalization in IC3*, FMCAD 2013 (counter-examples to
//! generalisation); N. Amat, S. Dal Zilio, T. Hujsa, *Property directed reachability for
//! generalized Petri nets*, TACAS 2022 (predecessors of cubes along a transition, computed without
//! solver queries).

use super::decide::{Decide, DecisionOutcome, Obligation, firing_sequence};
use super::goal;
use super::lasting::{ImportedCubes, SharedCubes};
use super::solver::{MaybeLiteral, Solver, SolverAnswer, TheoryLemma};
use super::terms::{BoundTerms, Cube, PreconditionOrigin, SumBound, cube, includes, negated};
use parikh_net::{FiringSequence, Predicate, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::SatSolver;
use parikh_solvers::sat_batsat::BatSat;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// The error for a solver query without a usable answer, usually because the budget is exhausted.
struct BudgetExhausted;

/// Result of [`check_entry`](Prover::check_entry): does a firing from the frame before a given
/// level enter the checked cube from outside?
enum StepResult {
    /// No firing enters the given cube, which contains the checked cube: it has only those bounds
    /// of the checked cube that the proof needs. The reasons justify this for each transition.
    Blocked(Cube, Reasons),
    /// Firing the transition leads into the checked cube from this predecessor cube.
    Predecessor(TransitionId, Cube),
}

/// For each transition that may enter a cube, a set of bounds of the cube. Whenever the transition
/// fires outside the cube, in the frame before the checked level, at least one of these bounds is
/// false afterwards. The set remains a valid reason for every larger cube that still has these
/// bounds.
type Reasons = HashMap<TransitionId, Vec<SumBound>>;

/// Limit on the number of temporary clauses before the solver is rebuilt.
const MAX_TEMPORARY_CLAUSES: usize = 3000;

/// Limit on the number of failed attempts to drop a bound of one cube. At the limit, no further
/// bound of the cube is tried for removal.
const MAX_FAILURES: usize = 12;

/// Limit on the number of times that a check is repeated in an attempt to drop or loosen one bound.
/// A check is repeated after the predecessor cube that it found was blocked. The predecessor found
/// by the last check is blocked too, but no check follows.
const MAX_BLOCKED_PREDECESSORS: usize = 3;

/// The state of property-directed reachability for one goal.
pub(super) struct Prover<'n> {
    terms: BoundTerms<'n>,
    predicate: Predicate,
    solver: Solver<BatSat>,
    /// A literal that implies the goal predicate. A constant instead if the encoding finds that the
    /// predicate is always true or always false.
    goal: MaybeLiteral,
    /// The blocked cubes, by level: the cubes at index i are known to be unreachable in at most i
    /// firings. Each cube is listed only at its highest known level. The list at index 0 is empty.
    blocked: Vec<Vec<Cube>>,
    /// Cubes proved for other goals. They are blocked at every level.
    imported_cubes: ImportedCubes,
    /// For each level, the literal that activates the clauses that exclude the cubes blocked at
    /// this level.
    level_literals: Vec<Literal>,
    /// Number of temporary clauses in the solver, see [`outside_literal`](Self::outside_literal).
    temporary_count: usize,
    /// Number of cubes blocked so far. A blocked cube counts again when it moves to a higher level.
    blocked_count: u64,
    /// Number of solver queries.
    query_count: u64,
}

impl<'n> Decide<'n> for Prover<'n> {
    const COUNTED_OBJECTS: &'static str = "clauses";

    fn new(terms: BoundTerms<'n>, predicate: Predicate) -> Self {
        let mut prover = Prover {
            terms,
            predicate,
            solver: Solver::new(BatSat::new()),
            goal: MaybeLiteral::Is(false),
            blocked: vec![Vec::new()],
            imported_cubes: ImportedCubes::default(),
            level_literals: Vec::new(),
            temporary_count: 0,
            blocked_count: 0,
            query_count: 0,
        };
        prover.rebuild();
        prover.open_level();
        prover
    }

    fn import_cubes(&mut self, proved: &SharedCubes) {
        for cube in self.imported_cubes.import(proved, &mut self.terms) {
            self.solver.add_clause(&self.terms, &negated(&cube), None);
        }
    }

    fn switch_goal(&mut self, predicate: &Predicate) -> bool {
        self.predicate = predicate.clone();
        self.rebuild();
        true
    }

    fn run(&mut self, budget: &Budget) -> DecisionOutcome {
        loop {
            match self.run_iteration(budget) {
                Ok(Some(outcome)) => return outcome,
                Ok(None) => {}
                Err(BudgetExhausted) => return DecisionOutcome::Unfinished,
            }
        }
    }

    fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    fn into_parts(self) -> (BoundTerms<'n>, Vec<TheoryLemma>) {
        (self.terms, self.solver.lemmas)
    }

    fn counters(&self) -> (u64, u64) {
        (self.blocked_count, self.query_count)
    }
}

impl Prover<'_> {
    /// Returns the last level, that is, the index of the last frame.
    fn last_level(&self) -> usize {
        self.blocked.len() - 1
    }

    /// Runs one major iteration: blocks all goal cubes in the last frame, opens a new level, and
    /// propagates cubes to higher levels. Returns `None` if the goal is still undecided.
    fn run_iteration(
        &mut self,
        budget: &Budget,
    ) -> Result<Option<DecisionOutcome>, BudgetExhausted> {
        let last = self.last_level();
        while let Some(cube) = self.goal_cube_in(last, budget)? {
            if let Some(sequence) = self.block(cube, last, budget)? {
                return Ok(Some(DecisionOutcome::Reached(sequence)));
            }
        }
        self.open_level();
        for level in 1..=last {
            for cube in self.blocked[level].clone() {
                // A cube moved earlier in this loop may have subsumed and removed this cube.
                if !self.blocked[level].contains(&cube) {
                    continue;
                }
                if let StepResult::Blocked(blocked_cube, _) =
                    self.check_entry(&cube, level + 1, &no_reasons(), budget)?
                {
                    self.add_blocked(blocked_cube, level + 1);
                }
            }
            if self.blocked[level].is_empty() {
                let blocked = self.blocked[level + 1..].iter().flatten();
                let cubes = blocked.chain(self.imported_cubes.cubes()).cloned().collect();
                return Ok(Some(DecisionOutcome::Unreachable(cubes)));
            }
        }
        Ok(None)
    }

    /// Replaces the solver by a new one with the current goal, lemmas, imported cubes and blocked
    /// cubes, without temporary clauses.
    fn rebuild(&mut self) {
        let mut solver = Solver::new(BatSat::new());
        std::mem::swap(&mut solver, &mut self.solver);
        self.temporary_count = 0;
        self.goal = goal::encode(&mut self.solver, &mut self.terms, &self.predicate);
        self.solver.add_small_flows(&self.terms);
        for lemma in solver.lemmas {
            self.solver.add_clause(&self.terms, &lemma, None);
            self.solver.lemmas.push(lemma);
        }
        for cube in self.imported_cubes.cubes() {
            self.solver.add_clause(&self.terms, &negated(cube), None);
        }
        for level in 0..self.blocked.len() {
            let active = self.solver.sat.new_variable();
            match self.level_literals.get_mut(level) {
                Some(level_literal) => *level_literal = active,
                None => self.level_literals.push(active),
            }
            for cube in &self.blocked[level] {
                self.solver.add_clause(&self.terms, &negated(cube), Some(!active));
            }
        }
    }

    /// Adds a new last level without blocked cubes.
    fn open_level(&mut self) {
        self.blocked.push(Vec::new());
        self.level_literals.push(self.solver.sat.new_variable());
    }

    /// Returns a cube of goal markings that the cubes blocked at `level` or higher do not cover.
    /// Returns `None` if these cubes and the known facts exclude every goal marking.
    fn goal_cube_in(
        &mut self,
        level: usize,
        budget: &Budget,
    ) -> Result<Option<Cube>, BudgetExhausted> {
        let mut assumptions = self.level_literals[level..].to_vec();
        match self.goal {
            MaybeLiteral::Is(false) => return Ok(None),
            MaybeLiteral::Is(true) => {}
            MaybeLiteral::Open(goal) => assumptions.push(goal),
        }
        self.query_count += 1;
        match self.solver.solve(&self.terms, &assumptions, budget) {
            SolverAnswer::Unknown => Err(BudgetExhausted),
            SolverAnswer::Unsatisfiable(_) => Ok(None),
            SolverAnswer::Satisfiable(values) => {
                let goal_cube =
                    goal::goal_cube(&self.solver, &mut self.terms, &self.predicate, &values);
                // The goal literal implies the predicate, so a cube exists.
                goal_cube.map(Some).ok_or(BudgetExhausted)
            }
        }
    }

    /// Blocks a goal cube at a level, together with all its predecessor cubes at earlier levels.
    /// Returns a firing sequence from the initial marking to the goal if blocking fails, and `None`
    /// if it succeeds.
    fn block(
        &mut self,
        cube: Cube,
        level: usize,
        budget: &Budget,
    ) -> Result<Option<FiringSequence>, BudgetExhausted> {
        let mut obligations = vec![Obligation { cube, next: None }];
        let mut queue = BinaryHeap::from([Reverse((level, 0usize))]);
        while let Some(Reverse((level, index))) = queue.pop() {
            let cube = obligations[index].cube.clone();
            if self.is_blocked(&cube, level) {
                continue;
            }
            match self.check_entry(&cube, level, &no_reasons(), budget)? {
                StepResult::Predecessor(t, predecessor) => {
                    let is_initial = self.terms.is_initial(&predecessor);
                    obligations.push(Obligation { cube: predecessor, next: Some((index, t)) });
                    if is_initial {
                        return Ok(Some(firing_sequence(&obligations)));
                    }
                    queue.push(Reverse((level, index)));
                    queue.push(Reverse((level - 1, obligations.len() - 1)));
                }
                StepResult::Blocked(blocked_cube, reasons) => {
                    let blocked_cube = self.generalise(blocked_cube, reasons, level, budget)?;
                    let last = self.last_level();
                    let (mut blocked_cube, mut level) = (blocked_cube, level);
                    while level < last
                        && let StepResult::Blocked(larger_cube, _) =
                            self.check_entry(&blocked_cube, level + 1, &no_reasons(), budget)?
                    {
                        (blocked_cube, level) = (larger_cube, level + 1);
                    }
                    self.add_blocked(blocked_cube, level);
                    if level < last {
                        queue.push(Reverse((level + 1, index)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns true if an imported cube, or a cube blocked at `level` or higher, contains `cube`.
    fn is_blocked(&self, cube: &[SumBound], level: usize) -> bool {
        let mut known = self.blocked[level..].iter().flatten().chain(self.imported_cubes.cubes());
        known.any(|known| includes(known, cube))
    }

    /// Blocks a cube at a level, and removes the cubes blocked at this level or lower that it
    /// includes.
    fn add_blocked(&mut self, cube: Cube, level: usize) {
        for known in &mut self.blocked[..=level] {
            known.retain(|known| !includes(&cube, known));
        }
        self.solver.add_clause(&self.terms, &negated(&cube), Some(!self.level_literals[level]));
        self.blocked[level].push(cube);
        self.blocked_count += 1;
    }

    /// Checks if a firing from the frame before `level` enters the cube from outside. The cube must
    /// not contain the initial marking. A transition needs no solver query if the cube contains all
    /// bounds of its reason in `known_reasons`. No query is needed at level 1 either, since the
    /// frame before it has only the initial marking.
    fn check_entry(
        &mut self,
        cube: &[SumBound],
        level: usize,
        known_reasons: &Reasons,
        budget: &Budget,
    ) -> Result<StepResult, BudgetExhausted> {
        let mut needed_bounds: BTreeSet<SumBound> = BTreeSet::new();
        let mut reasons = Reasons::new();
        let mut entrants = self.terms.entering_transitions(cube);
        entrants.retain(|t| match known_reasons.get(t) {
            Some(reason) if reason.iter().all(|bound| cube.contains(bound)) => {
                needed_bounds.extend(reason);
                reasons.insert(*t, reason.clone());
                false
            }
            _ => true,
        });
        let needs_solver = !entrants.is_empty() && level > 1;
        let outside_literal = if needs_solver { Some(self.outside_literal(cube)) } else { None };
        for t in entrants {
            let preconditions = self.terms.preconditions(t, cube);
            let responsible = match outside_literal {
                None => self.initially_violated(&preconditions),
                Some(outside_literal) => {
                    self.core_positions(&preconditions, level - 1, outside_literal, budget)?
                }
            };
            match responsible {
                Some(responsible) => {
                    let responsible: Vec<SumBound> =
                        responsible.into_iter().map(|position| cube[position]).collect();
                    needed_bounds.extend(&responsible);
                    reasons.insert(t, responsible);
                }
                None => {
                    let cube_bounds = preconditions
                        .into_iter()
                        .filter(|(_, origin)| *origin != PreconditionOrigin::PlaceBound);
                    let cube_bounds = cube_bounds.map(|(bound, _)| bound);
                    let undecided =
                        cube_bounds.filter(|&bound| self.terms.decide(bound) != Some(true));
                    return Ok(StepResult::Predecessor(t, self::cube(undecided.collect())));
                }
            }
        }
        if let Some(outside_literal) = outside_literal {
            self.solver.sat.add_clause(&[!outside_literal]);
        }
        // The generalised cube must exclude the initial marking.
        if needed_bounds.iter().all(|&bound| self.terms.holds_initially(bound)) {
            needed_bounds.extend(cube.iter().find(|&&bound| !self.terms.holds_initially(bound)));
        }
        Ok(StepResult::Blocked(needed_bounds.into_iter().collect(), reasons))
    }

    /// Returns a new literal that implies that the marking is outside the cube. The clause for the
    /// literal is temporary: it stays until the solver is rebuilt. Rebuilds the solver first if it
    /// has too many temporary clauses.
    fn outside_literal(&mut self, cube: &[SumBound]) -> Literal {
        if self.temporary_count >= MAX_TEMPORARY_CLAUSES {
            self.rebuild();
        }
        self.temporary_count += 1;
        let outside = self.solver.sat.new_variable();
        self.solver.add_clause(&self.terms, &negated(cube), Some(!outside));
        outside
    }

    /// Looks for a precondition of a firing that the initial marking violates. Preconditions that
    /// do not stem from a bound of the cube are preferred. Returns the position of the cube bound
    /// that the violated precondition stems from, as a set. The set is empty if the precondition
    /// stems from no bound of the cube. Returns `None` if the initial marking satisfies all
    /// preconditions.
    fn initially_violated(
        &self,
        preconditions: &[(SumBound, PreconditionOrigin)],
    ) -> Option<BTreeSet<usize>> {
        let violated =
            preconditions.iter().filter(|&&(bound, _)| !self.terms.holds_initially(bound));
        // `None` is the minimum: a precondition that needs no bound of the cube is preferred.
        let preferred = violated.map(|(_, origin)| origin.position()).min()?;
        Some(preferred.into_iter().collect())
    }

    /// Asks the solver if some marking of the frame at `level`, outside the cube, satisfies all
    /// preconditions of a firing. Returns `None` if there is such a marking. Otherwise returns the
    /// positions of cube bounds whose preconditions suffice for the contradiction. Makes no query
    /// if the intervals already refute a precondition.
    fn core_positions(
        &mut self,
        preconditions: &[(SumBound, PreconditionOrigin)],
        level: usize,
        outside_literal: Literal,
        budget: &Budget,
    ) -> Result<Option<BTreeSet<usize>>, BudgetExhausted> {
        let refuting_position = |(bound, origin): &(SumBound, PreconditionOrigin)| {
            (self.terms.decide(*bound) == Some(false)).then(|| origin.position())
        };
        if let Some(position) = preconditions.iter().filter_map(refuting_position).min() {
            return Ok(Some(position.into_iter().collect()));
        }
        let mut assumptions = self.level_literals[level..].to_vec();
        assumptions.push(outside_literal);
        let mut origins: HashMap<Literal, PreconditionOrigin> = HashMap::new();
        let mut assumed_bounds: HashMap<(usize, bool), SumBound> = HashMap::new();
        for &(bound, origin) in preconditions {
            // An assumed bound that an earlier precondition implies is skipped. Otherwise the core
            // would attribute it to the cube.
            let assumed_bound = assumed_bounds.get(&(bound.term, bound.is_upper));
            if assumed_bound.is_some_and(|assumed_bound| assumed_bound.implies(bound)) {
                continue;
            }
            assumed_bounds.insert((bound.term, bound.is_upper), bound);
            if let MaybeLiteral::Open(literal) = self.solver.literal(&self.terms, bound) {
                assumptions.push(literal);
                origins.insert(literal, origin);
            }
        }
        self.query_count += 1;
        match self.solver.solve(&self.terms, &assumptions, budget) {
            SolverAnswer::Unknown => Err(BudgetExhausted),
            SolverAnswer::Satisfiable(_) => Ok(None),
            SolverAnswer::Unsatisfiable(core) => {
                let origins = core.iter().filter_map(|literal| origins.get(literal));
                Ok(Some(origins.filter_map(|origin| origin.position()).collect()))
            }
        }
    }

    /// Generalises a cube that no firing from the frame before `level` enters. Drops bounds and
    /// loosens others, as long as no such firing enters the larger cube either. Returns the larger
    /// cube.
    fn generalise(
        &mut self,
        mut cube: Cube,
        mut reasons: Reasons,
        level: usize,
        budget: &Budget,
    ) -> Result<Cube, BudgetExhausted> {
        let mut failures = 0;
        for bound in cube.clone() {
            if failures >= MAX_FAILURES {
                break;
            }
            let Some(index) = cube.iter().position(|&current| current == bound) else { continue };
            let mut without_bound = cube.clone();
            without_bound.remove(index);
            match self.enlarge(without_bound, &reasons, level, budget)? {
                Some(larger) => (cube, reasons) = larger,
                None => failures += 1,
            }
        }
        for bound in cube.clone() {
            for value in self.terms.weaker_values(bound) {
                let Some(index) = cube.iter().position(|&current| current == bound) else { break };
                let mut looser = cube.clone();
                looser[index].value = value;
                if let Some(larger) = self.enlarge(looser, &reasons, level, budget)? {
                    (cube, reasons) = larger;
                    break;
                }
            }
        }
        Ok(cube)
    }

    /// Returns a cube that contains `cube` and that no firing from the frame before `level` enters,
    /// with the reasons. If a predecessor cube prevents this, tries to block the predecessor at the
    /// level before with one check. Then checks `cube` again, at most [`MAX_BLOCKED_PREDECESSORS`]
    /// times. Returns `None` if a firing still enters `cube`, or if `cube` contains the initial
    /// marking.
    fn enlarge(
        &mut self,
        cube: Cube,
        reasons: &Reasons,
        level: usize,
        budget: &Budget,
    ) -> Result<Option<(Cube, Reasons)>, BudgetExhausted> {
        if self.terms.is_initial(&cube) {
            return Ok(None);
        }
        for _ in 0..=MAX_BLOCKED_PREDECESSORS {
            match self.check_entry(&cube, level, reasons, budget)? {
                StepResult::Blocked(blocked_cube, reasons) => {
                    return Ok(Some((blocked_cube, reasons)));
                }
                StepResult::Predecessor(_, predecessor) => {
                    if level == 1 || self.terms.is_initial(&predecessor) {
                        return Ok(None);
                    }
                    match self.check_entry(&predecessor, level - 1, &no_reasons(), budget)? {
                        StepResult::Blocked(blocked_cube, _) => {
                            self.add_blocked(blocked_cube, level - 1)
                        }
                        StepResult::Predecessor(..) => return Ok(None),
                    }
                }
            }
        }
        Ok(None)
    }
}

fn no_reasons() -> Reasons {
    Reasons::new()
}
