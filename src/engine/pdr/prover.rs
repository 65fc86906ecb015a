//! One question, "can a marking with this property be reached?", by property-directed reachability.
//!
//! Frames F₀ ⊆ F₁ ⊆ … over-approximate what is reached in so many firings: F₀ is the initial
//! marking, Fᵢ the markings outside all cubes blocked at i or beyond. A cube of goal markings that
//! the last frame still allows becomes an obligation: show that it is not reached in so many
//! firings. For each transition that may lead into it, the markings from which it does are a cube
//! again (see [`Terms::before`]). Those that the frame before allows become obligations in their
//! turn; one with the initial marking in it spells out a firing sequence to the goal, since no
//! predecessor is approximated. If none is left, as many bounds of the cube are given up as the
//! same argument allows, and what remains is blocked. When all cubes blocked at i hold at i + 1
//! too, they make an inductive invariant.
//!
//! # Why no transition relation
//! A firing of t adds constants, so a bound after it is a bound before it. With t fixed, one step
//! is a question about a single marking: a few assumptions, most of which propagate to an answer at
//! once. The transitions that help no bound of a cube to become true cannot enter it from outside,
//! so that a cube of a few places asks about a few transitions, however large the net is.
//!
//! # Sources
//! A. Bradley, *SAT-based model checking without unrolling*, VMCAI 2011; N. Eén, A. Mishchenko, R.
//! Brayton, *Efficient implementation of property directed reachability*, FMCAD 2011; Z. Hassan, A.
//! Bradley, F. Somenzi, *Better generalization in IC3*, FMCAD 2013 (counter-examples to
//! generalisation); N. Amat, S. Dal Zilio, T. Hujsa, *Property directed reachability for
//! generalized Petri nets*, TACAS 2022 (predecessors of cubes along a transition, computed and not
//! asked for).

use super::decide::{Decide, End, Obligation, sequence};
use super::goal;
use super::lasting::{Lasting, Proved};
use super::solver::{Answer, Lesson, MaybeLiteral, Solver};
use super::terms::{Bound, Cube, Terms, Why, cube, includes, negated};
use parikh_net::{FiringSequence, Predicate, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::SatSolver;
use parikh_solvers::sat_batsat::BatSat;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// The budget ended.
struct Stopped;

/// What is known of a cube at a level.
enum Step {
    /// It is not entered: nor is this part of its bounds, for these reasons.
    Blocked(Cube, Reasons),
    /// It may be, by this transition from here.
    From(TransitionId, Cube),
}

/// By transition, which of the bounds after it cannot come true, given the frame before: what holds
/// for a cube holds for any other with the same bounds in it.
type Reasons = HashMap<TransitionId, Vec<Bound>>;

/// Clauses that come and go before all is built anew.
const TEMPORARIES: usize = 3000;

/// Bounds that are tried and kept in a row, before the rest is kept.
const FAILURES: usize = 12;

/// Predecessors that are blocked so that a bound can be given up.
const COUNTEREXAMPLES: usize = 3;

/// At work on one question.
pub(super) struct Prover<'n> {
    terms: Terms<'n>,
    predicate: Predicate,
    solver: Solver<BatSat>,
    goal: MaybeLiteral,
    /// By level; nothing at 0.
    blocked: Vec<Vec<Cube>>,
    /// Blocked at every level: what was proved for other questions.
    lasting: Lasting,
    /// By level the literal with which what is blocked there counts.
    active: Vec<Literal>,
    temporaries: usize,
    /// Cubes blocked so far.
    learnt: u64,
    questions: u64,
}

impl<'n> Decide<'n> for Prover<'n> {
    const FINDS: &'static str = "clauses";

    fn new(terms: Terms<'n>, predicate: Predicate) -> Self {
        let mut prover = Prover {
            terms,
            predicate,
            solver: Solver::new(BatSat::new()),
            goal: MaybeLiteral::Is(false),
            blocked: vec![Vec::new()],
            lasting: Lasting::default(),
            active: Vec::new(),
            temporaries: 0,
            learnt: 0,
            questions: 0,
        };
        prover.rebuild();
        prover.open_level();
        prover
    }

    fn learn(&mut self, proved: &Proved) {
        for cube in self.lasting.learn(proved, &mut self.terms) {
            self.solver.add(&self.terms, &negated(&cube), None);
        }
    }

    fn turn_to(&mut self, predicate: &Predicate) -> bool {
        self.predicate = predicate.clone();
        self.rebuild();
        true
    }

    fn run(&mut self, budget: &Budget) -> End {
        loop {
            match self.round(budget) {
                Ok(Some(end)) => return end,
                Ok(None) => {}
                Err(Stopped) => return End::Unfinished,
            }
        }
    }

    fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    fn into_parts(self) -> (Terms<'n>, Vec<Lesson>) {
        (self.terms, self.solver.lessons)
    }

    fn so_far(&self) -> (u64, u64) {
        (self.learnt, self.questions)
    }
}

impl Prover<'_> {
    /// The last level.
    fn level(&self) -> usize {
        self.blocked.len() - 1
    }

    /// Blocks what the last frame allows of the goal, opens the next, and moves up what holds
    /// there.
    fn round(&mut self, budget: &Budget) -> Result<Option<End>, Stopped> {
        let last = self.level();
        while let Some(cube) = self.bad(last, budget)? {
            if let Some(sequence) = self.block(cube, last, budget)? {
                return Ok(Some(End::Reached(sequence)));
            }
        }
        self.open_level();
        for level in 1..=last {
            for cube in self.blocked[level].clone() {
                // Something that was moved may have taken its place.
                if !self.blocked[level].contains(&cube) {
                    continue;
                }
                if let Step::Blocked(part, _) =
                    self.step(&cube, level + 1, &no_reasons(), budget)?
                {
                    self.add(part, level + 1);
                }
            }
            if self.blocked[level].is_empty() {
                let blocked = self.blocked[level + 1..].iter().flatten();
                let cubes = blocked.chain(self.lasting.cubes()).cloned().collect();
                return Ok(Some(End::Never(cubes)));
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

    /// A cube of the goal that the frame allows.
    fn bad(&mut self, level: usize, budget: &Budget) -> Result<Option<Cube>, Stopped> {
        let mut assumed = self.active[level..].to_vec();
        match self.goal {
            MaybeLiteral::Is(false) => return Ok(None),
            MaybeLiteral::Is(true) => {}
            MaybeLiteral::Open(goal) => assumed.push(goal),
        }
        self.questions += 1;
        match self.solver.solve(&self.terms, &assumed, budget) {
            Answer::Unknown => Err(Stopped),
            Answer::Impossible(_) => Ok(None),
            Answer::Possible(values) => {
                let part = goal::part_of(&self.solver, &mut self.terms, &self.predicate, &values);
                // The literal of the goal makes it hold.
                part.map(Some).ok_or(Stopped)
            }
        }
    }

    /// Blocks a cube of the goal at a level, or finds the way there.
    fn block(
        &mut self,
        cube: Cube,
        level: usize,
        budget: &Budget,
    ) -> Result<Option<FiringSequence>, Stopped> {
        let mut all = vec![Obligation { cube, next: None }];
        let mut waiting = BinaryHeap::from([Reverse((level, 0usize))]);
        while let Some(Reverse((level, at))) = waiting.pop() {
            let cube = all[at].cube.clone();
            if self.is_blocked(&cube, level) {
                continue;
            }
            match self.step(&cube, level, &no_reasons(), budget)? {
                Step::From(t, before) => {
                    let is_initial = self.terms.is_initial(&before);
                    all.push(Obligation { cube: before, next: Some((at, t)) });
                    if is_initial {
                        return Ok(Some(sequence(&all)));
                    }
                    waiting.push(Reverse((level, at)));
                    waiting.push(Reverse((level - 1, all.len() - 1)));
                }
                Step::Blocked(part, reasons) => {
                    let part = self.generalise(part, reasons, level, budget)?;
                    let last = self.level();
                    let (mut part, mut level) = (part, level);
                    while level < last
                        && let Step::Blocked(more, _) =
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

    fn is_blocked(&self, cube: &[Bound], level: usize) -> bool {
        let mut known = self.blocked[level..].iter().flatten().chain(self.lasting.cubes());
        known.any(|known| includes(known, cube))
    }

    /// Blocks a cube at a level.
    fn add(&mut self, cube: Cube, level: usize) {
        for known in &mut self.blocked[..=level] {
            known.retain(|known| !includes(&cube, known));
        }
        self.solver.add(&self.terms, &negated(&cube), Some(!self.active[level]));
        self.blocked[level].push(cube);
        self.learnt += 1;
    }

    /// Whether the cube, which does not contain the initial marking, is entered from outside from
    /// the frame before `level`.
    fn step(
        &mut self,
        cube: &[Bound],
        level: usize,
        known: &Reasons,
        budget: &Budget,
    ) -> Result<Step, Stopped> {
        let mut needed: BTreeSet<Bound> = BTreeSet::new();
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
                None => self.blame_first(&before),
                Some(outside) => self.blame(&before, level - 1, outside, budget)?,
            };
            match blamed {
                Some(blamed) => {
                    let blamed: Vec<Bound> = blamed.into_iter().map(|at| cube[at]).collect();
                    needed.extend(&blamed);
                    reasons.insert(t, blamed);
                }
                None => {
                    let bounds = before.into_iter().filter(|(_, why)| *why != Why::Within);
                    let bounds = bounds.map(|(bound, _)| bound);
                    let open = bounds.filter(|&bound| self.terms.decide(bound) != Some(true));
                    return Ok(Step::From(t, self::cube(open.collect())));
                }
            }
        }
        if let Some(outside) = outside {
            self.solver.sat.add_clause(&[!outside]);
        }
        // Without the initial marking.
        if needed.iter().all(|&bound| self.terms.holds_at_first(bound)) {
            needed.extend(cube.iter().find(|&&bound| !self.terms.holds_at_first(bound)));
        }
        Ok(Step::Blocked(needed.into_iter().collect(), reasons))
    }

    /// A literal with which the marking before is outside the cube.
    fn outside(&mut self, cube: &[Bound]) -> Literal {
        if self.temporaries >= TEMPORARIES {
            self.rebuild();
        }
        self.temporaries += 1;
        let outside = self.solver.sat.new_variable();
        self.solver.add(&self.terms, &negated(cube), Some(!outside));
        outside
    }

    /// Of what has to hold before a firing, something that the initial marking breaks, as a
    /// position in the cube if it is for a bound of it; `None` if it breaks nothing.
    fn blame_first(&self, before: &[(Bound, Why)]) -> Option<BTreeSet<usize>> {
        let broken = before.iter().filter(|&&(bound, _)| !self.terms.holds_at_first(bound));
        // None comes first: what asks for no bound is preferred.
        let least = broken.map(|(_, why)| why.position()).min()?;
        Some(least.into_iter().collect())
    }

    /// Why no marking of a frame outside the cube has what has to hold before a firing: the
    /// positions of bounds that are to blame. `None` if some marking has.
    fn blame(
        &mut self,
        before: &[(Bound, Why)],
        level: usize,
        outside: Literal,
        budget: &Budget,
    ) -> Result<Option<BTreeSet<usize>>, Stopped> {
        let never = |(bound, why): &(Bound, Why)| {
            (self.terms.decide(*bound) == Some(false)).then(|| why.position())
        };
        if let Some(position) = before.iter().filter_map(never).min() {
            return Ok(Some(position.into_iter().collect()));
        }
        let mut assumed = self.active[level..].to_vec();
        assumed.push(outside);
        let mut reasons: HashMap<Literal, Why> = HashMap::new();
        let mut asked: HashMap<(usize, bool), Bound> = HashMap::new();
        for &(bound, why) in before {
            // What the firing asks for anyway is not the cube's fault.
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
            Answer::Unknown => Err(Stopped),
            Answer::Possible(_) => Ok(None),
            Answer::Impossible(core) => {
                let reasons = core.iter().filter_map(|literal| reasons.get(literal));
                Ok(Some(reasons.filter_map(|why| why.position()).collect()))
            }
        }
    }

    /// A larger cube that is not entered either, by giving up bounds and loosening others.
    fn generalise(
        &mut self,
        mut cube: Cube,
        mut reasons: Reasons,
        level: usize,
        budget: &Budget,
    ) -> Result<Cube, Stopped> {
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

    /// The cube, or one that is larger still, if it is not entered; predecessors that are in the
    /// way are blocked if that is simple.
    fn enlarge(
        &mut self,
        cube: Cube,
        reasons: &Reasons,
        level: usize,
        budget: &Budget,
    ) -> Result<Option<(Cube, Reasons)>, Stopped> {
        if self.terms.is_initial(&cube) {
            return Ok(None);
        }
        for _ in 0..=COUNTEREXAMPLES {
            match self.step(&cube, level, reasons, budget)? {
                Step::Blocked(part, reasons) => return Ok(Some((part, reasons))),
                Step::From(_, before) => {
                    if level == 1 || self.terms.is_initial(&before) {
                        return Ok(None);
                    }
                    match self.step(&before, level - 1, &no_reasons(), budget)? {
                        Step::Blocked(part, _) => self.add(part, level - 1),
                        Step::From(..) => return Ok(None),
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
