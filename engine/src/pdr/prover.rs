//! Property-directed reachability for one question: "is a marking with this property reachable?".
//!
//! Frames F₀ ⊆ F₁ ⊆ … over-approximate the markings reachable in at most i firings. F₀ is the
//! initial marking, and Fᵢ are the markings outside all cubes blocked at level i or higher. A goal
//! cube that the last frame allows becomes a proof obligation: show that it is unreachable in that
//! many firings. For each transition that may lead into the cube, its predecessors form a cube
//! again (see [`BoundTerms::before`]). A predecessor cube that the previous frame allows becomes a
//! proof obligation in turn. If it contains the initial marking, the obligations spell out a firing
//! sequence to the goal, because predecessors are exact. If no predecessor is left, the cube is
//! generalised: as many bounds as possible are dropped, and the rest is blocked. When all cubes
//! blocked at level i can be moved to level i + 1, they form an inductive invariant.
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

use super::decide::{Decide, DecisionOutcome, Obligation, sequence};
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

/// Error: the budget ended.
struct BudgetExhausted;

/// Result of the question whether a cube can be entered at a level.
enum StepResult {
    /// No firing enters the cube, nor the larger cube given here, which has a subset of its bounds.
    /// The reasons justify this per transition.
    Blocked(Cube, Reasons),
    /// The transition leads into the cube from the given predecessor cube.
    From(TransitionId, Cube),
}

/// For each transition, the bounds of a cube that cannot become true by firing it, given the
/// previous frame. The reason is valid for every cube that contains these bounds.
type Reasons = HashMap<TransitionId, Vec<SumBound>>;

/// Limit on the number of temporary clauses before the solver is rebuilt.
const TEMPORARIES: usize = 3000;

/// Limit on consecutive failures to drop a bound. After that the remaining bounds are kept.
const FAILURES: usize = 12;

/// Limit on the predecessors blocked in order to drop one bound.
const COUNTEREXAMPLES: usize = 3;

/// The state of property-directed reachability for a question.
pub(super) struct Prover<'n> {
    terms: BoundTerms<'n>,
    predicate: Predicate,
    solver: Solver<BatSat>,
    goal: MaybeLiteral,
    /// Blocked cubes by level; level 0 is empty.
    blocked: Vec<Vec<Cube>>,
    /// Cubes blocked at every level: proved for other goals.
    lasting: ImportedCubes,
    /// For each level, the literal that activates the clauses of that level.
    active: Vec<Literal>,
    temporaries: usize,
    /// Number of cubes blocked so far.
    learnt: u64,
    questions: u64,
}

impl<'n> Decide<'n> for Prover<'n> {
    const FINDS: &'static str = "clauses";

    fn new(terms: BoundTerms<'n>, predicate: Predicate) -> Self {
        let mut prover = Prover {
            terms,
            predicate,
            solver: Solver::new(BatSat::new()),
            goal: MaybeLiteral::Is(false),
            blocked: vec![Vec::new()],
            lasting: ImportedCubes::default(),
            active: Vec::new(),
            temporaries: 0,
            learnt: 0,
            questions: 0,
        };
        prover.rebuild();
        prover.open_level();
        prover
    }

    fn learn(&mut self, proved: &SharedCubes) {
        for cube in self.lasting.learn(proved, &mut self.terms) {
            self.solver.add(&self.terms, &negated(&cube), None);
        }
    }

    fn turn_to(&mut self, predicate: &Predicate) -> bool {
        self.predicate = predicate.clone();
        self.rebuild();
        true
    }

    fn run(&mut self, budget: &Budget) -> DecisionOutcome {
        loop {
            match self.round(budget) {
                Ok(Some(end)) => return end,
                Ok(None) => {}
                Err(BudgetExhausted) => return DecisionOutcome::Unfinished,
            }
        }
    }

    fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    fn into_parts(self) -> (BoundTerms<'n>, Vec<TheoryLemma>) {
        (self.terms, self.solver.lessons)
    }

    fn so_far(&self) -> (u64, u64) {
        (self.learnt, self.questions)
    }
}

impl Prover<'_> {
    /// Returns the last level.
    fn level(&self) -> usize {
        self.blocked.len() - 1
    }

    /// One major iteration: blocks all goal cubes in the last frame, opens a new level, and
    /// propagates cubes to higher levels.
    fn round(&mut self, budget: &Budget) -> Result<Option<DecisionOutcome>, BudgetExhausted> {
        let last = self.level();
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
                if let StepResult::Blocked(part, _) =
                    self.step(&cube, level + 1, &no_reasons(), budget)?
                {
                    self.add(part, level + 1);
                }
            }
            if self.blocked[level].is_empty() {
                let blocked = self.blocked[level + 1..].iter().flatten();
                let cubes = blocked.chain(self.lasting.cubes()).cloned().collect();
                return Ok(Some(DecisionOutcome::Never(cubes)));
            }
        }
        Ok(None)
    }

    fn rebuild(&mut self) {
        let mut solver = Solver::new(BatSat::new());
        std::mem::swap(&mut solver, &mut self.solver);
        self.temporaries = 0;
        self.goal = goal::encode(&mut self.solver, &mut self.terms, &self.predicate);
        self.solver.add_small_flows(&self.terms);
        for lesson in solver.lessons {
            self.solver.add(&self.terms, &lesson, None);
            self.solver.lessons.push(lesson);
        }
        for cube in self.lasting.cubes() {
            self.solver.add(&self.terms, &negated(cube), None);
        }
        for level in 0..self.blocked.len() {
            let active = self.solver.sat.new_variable();
            match self.active.get_mut(level) {
                Some(known) => *known = active,
                None => self.active.push(active),
            }
            for cube in &self.blocked[level] {
                self.solver.add(&self.terms, &negated(cube), Some(!active));
            }
        }
    }

    fn open_level(&mut self) {
        self.blocked.push(Vec::new());
        self.active.push(self.solver.sat.new_variable());
    }

    /// Returns a goal cube that the frame allows.
    fn goal_cube_in(
        &mut self,
        level: usize,
        budget: &Budget,
    ) -> Result<Option<Cube>, BudgetExhausted> {
        let mut assumed = self.active[level..].to_vec();
        match self.goal {
            MaybeLiteral::Is(false) => return Ok(None),
            MaybeLiteral::Is(true) => {}
            MaybeLiteral::Open(goal) => assumed.push(goal),
        }
        self.questions += 1;
        match self.solver.solve(&self.terms, &assumed, budget) {
            SolverAnswer::Unknown => Err(BudgetExhausted),
            SolverAnswer::Impossible(_) => Ok(None),
            SolverAnswer::Possible(values) => {
                let part = goal::part_of(&self.solver, &mut self.terms, &self.predicate, &values);
                // The goal literal implies the predicate, so a cube exists.
                part.map(Some).ok_or(BudgetExhausted)
            }
        }
    }

    /// Blocks a goal cube at a level, or returns a firing sequence to it.
    fn block(
        &mut self,
        cube: Cube,
        level: usize,
        budget: &Budget,
    ) -> Result<Option<FiringSequence>, BudgetExhausted> {
        let mut all = vec![Obligation { cube, next: None }];
        let mut waiting = BinaryHeap::from([Reverse((level, 0usize))]);
        while let Some(Reverse((level, at))) = waiting.pop() {
            let cube = all[at].cube.clone();
            if self.is_blocked(&cube, level) {
                continue;
            }
            match self.step(&cube, level, &no_reasons(), budget)? {
                StepResult::From(t, before) => {
                    let is_initial = self.terms.is_initial(&before);
                    all.push(Obligation { cube: before, next: Some((at, t)) });
                    if is_initial {
                        return Ok(Some(sequence(&all)));
                    }
                    waiting.push(Reverse((level, at)));
                    waiting.push(Reverse((level - 1, all.len() - 1)));
                }
                StepResult::Blocked(part, reasons) => {
                    let part = self.generalise(part, reasons, level, budget)?;
                    let last = self.level();
                    let (mut part, mut level) = (part, level);
                    while level < last
                        && let StepResult::Blocked(more, _) =
                            self.step(&part, level + 1, &no_reasons(), budget)?
                    {
                        (part, level) = (more, level + 1);
                    }
                    self.add(part, level);
                    if level < last {
                        waiting.push(Reverse((level + 1, at)));
                    }
                }
            }
        }
        Ok(None)
    }

    fn is_blocked(&self, cube: &[SumBound], level: usize) -> bool {
        let mut known = self.blocked[level..].iter().flatten().chain(self.lasting.cubes());
        known.any(|known| includes(known, cube))
    }

    /// Blocks a cube at a level, and removes the cubes that it includes at lower levels.
    fn add(&mut self, cube: Cube, level: usize) {
        for known in &mut self.blocked[..=level] {
            known.retain(|known| !includes(&cube, known));
        }
        self.solver.add(&self.terms, &negated(&cube), Some(!self.active[level]));
        self.blocked[level].push(cube);
        self.learnt += 1;
    }

    /// Checks whether a firing from the frame before `level` enters the cube from outside. The cube
    /// must not contain the initial marking. Reasons in `known` are reused without a solver query.
    fn step(
        &mut self,
        cube: &[SumBound],
        level: usize,
        known: &Reasons,
        budget: &Budget,
    ) -> Result<StepResult, BudgetExhausted> {
        let mut needed: BTreeSet<SumBound> = BTreeSet::new();
        let mut reasons = Reasons::new();
        let mut entrants = self.terms.entrants(cube);
        entrants.retain(|t| match known.get(t) {
            Some(reason) if reason.iter().all(|bound| cube.contains(bound)) => {
                needed.extend(reason);
                reasons.insert(*t, reason.clone());
                false
            }
            _ => true,
        });
        let ask = !entrants.is_empty() && level > 1;
        let outside = if ask { Some(self.outside(cube)) } else { None };
        for t in entrants {
            let before = self.terms.before(t, cube);
            let blamed = match outside {
                None => self.initially_violated(&before),
                Some(outside) => self.core_positions(&before, level - 1, outside, budget)?,
            };
            match blamed {
                Some(blamed) => {
                    let blamed: Vec<SumBound> = blamed.into_iter().map(|at| cube[at]).collect();
                    needed.extend(&blamed);
                    reasons.insert(t, blamed);
                }
                None => {
                    let bounds =
                        before.into_iter().filter(|(_, why)| *why != PreconditionOrigin::Within);
                    let bounds = bounds.map(|(bound, _)| bound);
                    let open = bounds.filter(|&bound| self.terms.decide(bound) != Some(true));
                    return Ok(StepResult::From(t, self::cube(open.collect())));
                }
            }
        }
        if let Some(outside) = outside {
            self.solver.sat.add_clause(&[!outside]);
        }
        // The generalised cube must exclude the initial marking.
        if needed.iter().all(|&bound| self.terms.holds_at_first(bound)) {
            needed.extend(cube.iter().find(|&&bound| !self.terms.holds_at_first(bound)));
        }
        Ok(StepResult::Blocked(needed.into_iter().collect(), reasons))
    }

    /// Returns a literal that implies that the marking is outside the cube.
    fn outside(&mut self, cube: &[SumBound]) -> Literal {
        if self.temporaries >= TEMPORARIES {
            self.rebuild();
        }
        self.temporaries += 1;
        let outside = self.solver.sat.new_variable();
        self.solver.add(&self.terms, &negated(cube), Some(!outside));
        outside
    }

    /// Returns a precondition that the initial marking violates, as a position in the cube if it
    /// comes from a bound of the cube. Returns `None` if the initial marking satisfies all
    /// preconditions.
    fn initially_violated(
        &self,
        before: &[(SumBound, PreconditionOrigin)],
    ) -> Option<BTreeSet<usize>> {
        let broken = before.iter().filter(|&&(bound, _)| !self.terms.holds_at_first(bound));
        // `None` is the minimum: a precondition that needs no bound of the cube is preferred.
        let least = broken.map(|(_, why)| why.position()).min()?;
        Some(least.into_iter().collect())
    }

    /// Checks that no marking of the frame outside the cube satisfies all preconditions. Returns
    /// the positions of the cube bounds in the unsatisfiable core, or `None` if some marking
    /// satisfies the preconditions.
    fn core_positions(
        &mut self,
        before: &[(SumBound, PreconditionOrigin)],
        level: usize,
        outside: Literal,
        budget: &Budget,
    ) -> Result<Option<BTreeSet<usize>>, BudgetExhausted> {
        let never = |(bound, why): &(SumBound, PreconditionOrigin)| {
            (self.terms.decide(*bound) == Some(false)).then(|| why.position())
        };
        if let Some(position) = before.iter().filter_map(never).min() {
            return Ok(Some(position.into_iter().collect()));
        }
        let mut assumed = self.active[level..].to_vec();
        assumed.push(outside);
        let mut reasons: HashMap<Literal, PreconditionOrigin> = HashMap::new();
        let mut asked: HashMap<(usize, bool), SumBound> = HashMap::new();
        for &(bound, why) in before {
            // A bound implied by the enabling condition is not attributed to the cube.
            let known = asked.get(&(bound.term, bound.upper));
            if known.is_some_and(|known| known.implies(bound)) {
                continue;
            }
            asked.insert((bound.term, bound.upper), bound);
            if let MaybeLiteral::Open(literal) = self.solver.literal(&self.terms, bound) {
                assumed.push(literal);
                reasons.insert(literal, why);
            }
        }
        self.questions += 1;
        match self.solver.solve(&self.terms, &assumed, budget) {
            SolverAnswer::Unknown => Err(BudgetExhausted),
            SolverAnswer::Possible(_) => Ok(None),
            SolverAnswer::Impossible(core) => {
                let reasons = core.iter().filter_map(|literal| reasons.get(literal));
                Ok(Some(reasons.filter_map(|why| why.position()).collect()))
            }
        }
    }

    /// Generalises a blocked cube: drops bounds and loosens others while the cube stays unreachable
    /// at the level.
    fn generalise(
        &mut self,
        mut cube: Cube,
        mut reasons: Reasons,
        level: usize,
        budget: &Budget,
    ) -> Result<Cube, BudgetExhausted> {
        let mut failures = 0;
        for bound in cube.clone() {
            if failures >= FAILURES {
                break;
            }
            let Some(at) = cube.iter().position(|&own| own == bound) else { continue };
            let mut fewer = cube.clone();
            fewer.remove(at);
            match self.enlarge(fewer, &reasons, level, budget)? {
                Some(larger) => (cube, reasons) = larger,
                None => failures += 1,
            }
        }
        for bound in cube.clone() {
            for value in self.terms.looser(bound) {
                let Some(at) = cube.iter().position(|&own| own == bound) else { break };
                let mut looser = cube.clone();
                looser[at].value = value;
                if let Some(larger) = self.enlarge(looser, &reasons, level, budget)? {
                    (cube, reasons) = larger;
                    break;
                }
            }
        }
        Ok(cube)
    }

    /// Returns the cube, or a larger one, if no firing enters it. A few predecessors that prevent
    /// this are blocked if one step shows them unreachable.
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
        for _ in 0..=COUNTEREXAMPLES {
            match self.step(&cube, level, reasons, budget)? {
                StepResult::Blocked(part, reasons) => return Ok(Some((part, reasons))),
                StepResult::From(_, before) => {
                    if level == 1 || self.terms.is_initial(&before) {
                        return Ok(None);
                    }
                    match self.step(&before, level - 1, &no_reasons(), budget)? {
                        StepResult::Blocked(part, _) => self.add(part, level - 1),
                        StepResult::From(..) => return Ok(None),
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
