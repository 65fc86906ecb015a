//! The state equation engine: linear refutations and bounds, each with a certificate.
//!
//! After any firings, the marking is m₀ + C·x for the vector x ≥ 0 of numbers of firings. A
//! predicate excluded by this equation is unreachable. The equation is strengthened by *traps*
//! (sets of places that stay marked once they are) and by lower bounds of places and of weighted
//! sums of places (`lower_bounds`). The model's claim of safe units strengthens the equation, too.
//! The engine has two parts:
//!
//! - `maxima`: the largest value of a sum is a linear program, and its floor bounds the goal;
//! - `ladder`: for a predicate, a SAT solver proposes comparisons that would make it true, and the
//!   linear program decides their conjunction. If it is infeasible, the reason becomes a lemma that
//!   no later proposal may violate. This continues until no proposal is left (unreachable) or a
//!   solution is found. If the solution leaves a marked trap empty, the trap becomes a row for all
//!   goals, and the program is solved again.
//!
//! ```text
//!   goal ─▶ SAT: which comparisons? ──▶ LP: together? ──no──▶ lemma, checked exactly ─┐
//!             ▲  none left: refuted            │ yes                                  │
//!             └────────────────────────────────┼──────────────────────────────────────┘
//!                                              ▼
//!                                   a marked trap left empty? ─yes─▶ a row more, LP again
//!                                              │ no: a candidate; the goal rests
//! ```
//!
//! A candidate with fractional tokens or firings is refined after all goals have candidates
//! ([`Engine::deepen`]). The goal is *split* on a sum with a fractional value, Σ ≤ k or Σ ≥ k + 1,
//! preferably on a cut from the solver's basis. The SAT solver then proposes a side of each split
//! along with the comparisons. Necessary orders of firings that the candidate violates are treated
//! in the same way (`precedence`). The remaining candidates are hints for the walk.
//!
//! Lemmas and traps are shared by all goals.
//!
//! # Soundness
//! Nothing here is trusted. Every refutation and every bound becomes a [`LinearCertificate`]. It is
//! checked by code that uses neither solvers nor parts of this engine. A certificate that fails the
//! check is logged as a fault and gives no verdict.
//!
//! # Sources
//! T. Murata, *Petri nets: properties, analysis and applications*, Proc. IEEE 77, 1989; J. Esparza,
//! S. Melzer, *Verification of safety properties using integer programming: beyond the state
//! equation*, FMSD 16, 2000; J. Esparza, R. Ledesma-Garza, R. Majumdar, P. Meyer, F. Niksic, *An
//! SMT-based approach to coverability analysis*, CAV 2014; A. Bønneland, J. Dyhr, P. Jensen, M.
//! Johannsen, J. Srba, *Simplification of CTL formulae for efficient model checking of Petri nets*,
//! PETRI NETS 2018 (linear programs for the Boolean structure of queries).

mod atoms;
mod ladder;
mod lower_bounds;
mod maxima;
mod point;
mod precedence;
mod proofs;
mod proposer;
mod relaxation;
mod session;
mod statistics;

pub use session::ENGINE;
pub use statistics::StateEquationStatistics;

pub use super::SliceProgress;
use super::Task;
use crate::board::{Argument, Proof, ProofReporter};
use atoms::{AtomId, AtomNode, Atoms};
use lower_bounds::LowerBoundPremises;
use maxima::IntegerMaximum;
use parikh_evidence::certificate::{Lemma, LinearCertificate, Precedence};
use parikh_evidence::{Document, description};
use parikh_net::printable::Printable;
use parikh_net::{EffectId, Facts, GoalId, LinearSum, MarkingGoal, Net, PlaceId, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::dump::Dump;
use parikh_solvers::linear_program::ProgramError;
use point::SolutionPoint;
use proofs::{CertificateParts, NoProof};
use proposer::{Proposer, Split};
use relaxation::{LearnedRows, Relaxation};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Configuration of the engine.
#[derive(Clone, Debug)]
pub struct StateEquationConfig {
    /// Limit on the number of traps added for one candidate. More traps at once give fewer, but
    /// larger programs.
    pub traps_at_once: usize,
    /// Limit on the share of a slice for one goal in the first pass over the goals, in [0, 1]. The
    /// time per goal doubles in each further pass. In a slice without a time limit, it starts at
    /// one second.
    pub max_slice_share: f64,
    /// Directory for dumping solver queries, if any.
    pub dump: Option<Dump>,
}

impl Default for StateEquationConfig {
    fn default() -> Self {
        StateEquationConfig { traps_at_once: 8, max_slice_share: 0.125, dump: None }
    }
}

/// Returns the certificate from `lemmas` that no reachable marking satisfies `refuted`. It includes
/// the clauses that a SAT solver learns while it refutes the predicate with the lemmas. `atom`
/// returns the comparison with a number that lemmas contain, and `traps` is indexed by the numbers
/// of traps. Returns `None` if the lemmas do not imply the claim, if the budget ends, or if the
/// certificate fails the check.
pub fn certificate(
    net: &Net,
    refuted: &Predicate,
    lemmas: &[&Lemma],
    atom: &dyn Fn(usize) -> parikh_net::Atom,
    traps: &[Vec<PlaceId>],
    budget: &Budget,
) -> Option<LinearCertificate> {
    let parts = CertificateParts { lemmas, atom, traps, lower_bounds: None, precedences: &[] };
    match proofs::certificate(net, refuted, parts, budget, None) {
        Ok(certificate) => Some(certificate),
        Err(NoProof::Unfinished) => None,
        Err(NoProof::Flawed(flaw)) => {
            tracing::error!("internal error: a certificate from given lemmas: {flaw}");
            None
        }
    }
}

/// A solution of the linear program that satisfies a goal, as far as the program can express the
/// goal. For a maximum, the sum has its largest value in the solution, or a value above the largest
/// one seen. The candidate is only a hint for walks.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The goal.
    pub goal: GoalId,
    /// Rounded numbers of firings per effect class. Classes whose number rounds to 0 are left out.
    pub firings: Vec<(EffectId, u64)>,
    /// True if the solution was integral before rounding, within a tolerance.
    pub is_integral: bool,
}

/// A goal with the state of the work on it.
struct GoalState {
    id: GoalId,
    question: GoalQuestion,
    /// A candidate, that is, a solution of the linear program that satisfies the goal. The numbers
    /// count the traps and lower bounds that the solution has been tested against. `None` if there
    /// is no such solution at present.
    candidate: Option<(Rc<SolutionPoint>, LearnedRows)>,
    /// The splits of the goal, that is, pairs of comparisons of which at least one holds in every
    /// firing sequence. Each proposal for the goal contains one side of each split.
    splits: Vec<Split>,
    /// Number of splits from which on no further split is added. 0 until [`Engine::deepen`] raises
    /// it for the goal for the first time.
    max_splits: usize,
}

/// The question of the engine about a goal, with the data that it needs.
enum GoalQuestion {
    /// The goal is not treated yet, so its atom tree is not built. Also used while the question is
    /// taken out for work.
    Untreated,
    /// A `Reach` goal: the predicate as a tree of comparisons, and a literal of the proposer. If
    /// the literal is true, so is the tree.
    Reach { tree: AtomNode, root: Literal },
    /// A `Maximise` goal, as the minimisation of the negated sum.
    Maximum {
        negated: LinearSum,
        /// True once the linear program was found to be unbounded.
        is_unbounded: bool,
        /// The state of the search for the integer maximum (`maxima`).
        integer_maximum: IntegerMaximum,
    },
}

/// The engine with all that it has learnt. It works in slices.
pub struct Engine<'n> {
    net: &'n Net,
    config: StateEquationConfig,
    /// The linear program with the constraints learnt so far.
    relaxation: Relaxation<'n>,
    /// The token intervals from which proofs of weighted lower bounds start.
    premises: LowerBoundPremises,
    atoms: Atoms,
    /// The SAT solver that proposes comparisons.
    proposer: Proposer,
    /// The lemmas learnt so far, for use by every goal.
    lemmas: Vec<Lemma>,
    /// Indices of the lemmas, by the smallest comparison in each lemma. The key `None` has the
    /// lemmas without comparisons.
    lemmas_of: HashMap<Option<usize>, Vec<usize>>,
    /// Pairs of comparisons that contradict each other on the same sum. Each pair has a lemma.
    clashes: HashSet<(AtomId, AtomId)>,
    /// The splits made so far for some goal. The proposer has a clause for each of them.
    splits: HashSet<Split>,
    /// The precedences, that is, the splits whose sides are not each other's negation. Each one
    /// comes with its proof.
    precedences: Vec<Precedence>,
    /// The goals, in the order of the task, with the state of the work on them.
    targets: Vec<GoalState>,
    /// The most recent candidates, oldest first. A goal that one of these points satisfies usually
    /// needs no linear program.
    recent_points: Vec<Rc<SolutionPoint>>,
    statistics: StateEquationStatistics,
}

/// Largest limit on the number of splits for one goal, see [`GoalState::max_splits`].
const MAX_SPLITS: usize = 512;

/// Limit on the number of recent candidates kept for other goals.
const MAX_RECENT_POINTS: usize = 24;

/// Runs the engine slice by slice, each time with more splits per goal, until [`Engine::deepen`]
/// raises no limit on splits or the budget is exhausted. Returns empty statistics if the net is too
/// large for a linear program.
pub fn run(
    task: &Task<'_>,
    proof_reporter: ProofReporter<'_>,
    config: &StateEquationConfig,
) -> StateEquationStatistics {
    match Engine::new(task, config) {
        Ok(mut engine) => {
            while engine.slice(task.budget, task, proof_reporter) == SliceProgress::Finished
                && engine.deepen(task)
            {}
            engine.statistics()
        }
        Err(error) => {
            tracing::warn!("state equation: {error}");
            StateEquationStatistics::default()
        }
    }
}

impl<'n> Engine<'n> {
    /// Creates the linear program for the goals of `task`. Nothing is solved yet.
    ///
    /// # Errors
    /// Returns an error if the net is too large for a linear program.
    pub fn new(task: &Task<'n>, config: &StateEquationConfig) -> Result<Self, ProgramError> {
        Engine::with_facts(task.net, task.facts, task.goals, config)
    }

    /// Like [`new`](Self::new), without a task and without facts about the net.
    ///
    /// # Errors
    /// Returns an error if the net is too large for a linear program.
    pub fn for_goals(
        net: &'n Net,
        goals: &[(GoalId, MarkingGoal)],
        config: &StateEquationConfig,
    ) -> Result<Self, ProgramError> {
        Engine::with_facts(net, &Facts::empty(net), goals, config)
    }

    /// Creates the linear program for goals of a net, given facts about its reachable markings.
    /// Nothing is solved yet.
    ///
    /// # Errors
    /// Returns an error if the net is too large for a linear program.
    pub fn with_facts(
        net: &'n Net,
        facts: &Facts,
        goals: &[(GoalId, MarkingGoal)],
        config: &StateEquationConfig,
    ) -> Result<Self, ProgramError> {
        let start = Instant::now();
        let (premises, lower_bounds) = LowerBoundPremises::new(net, facts);
        let relaxation = Relaxation::new(net, lower_bounds, config.dump.as_ref())?;
        let target = |&(id, _): &(GoalId, MarkingGoal)| GoalState {
            id,
            question: GoalQuestion::Untreated,
            candidate: None,
            splits: Vec::new(),
            max_splits: 0,
        };
        let mut engine = Engine {
            net,
            config: config.clone(),
            relaxation,
            premises,
            atoms: Atoms::default(),
            proposer: Proposer::new(config.dump.as_ref()),
            lemmas: Vec::new(),
            lemmas_of: HashMap::new(),
            clashes: HashSet::new(),
            splits: HashSet::new(),
            precedences: Vec::new(),
            targets: goals.iter().map(target).collect(),
            recent_points: Vec::new(),
            statistics: StateEquationStatistics::default(),
        };
        engine.statistics.time = start.elapsed();
        Ok(engine)
    }

    /// Returns the statistics, summed over the slices.
    pub fn statistics(&self) -> StateEquationStatistics {
        let counters = self.relaxation.counters;
        let has_candidate = |target: &&GoalState| target.candidate.is_some();
        StateEquationStatistics {
            programs: counters.solved,
            infeasible: counters.infeasible,
            unanswered: counters.unanswered,
            certified: counters.certified,
            too_large: counters.too_large,
            lemmas: self.lemmas.len(),
            traps: self.relaxation.traps().len(),
            lower_bounds: self.relaxation.lower_bounds().len(),
            candidates: self.targets.iter().filter(has_candidate).count(),
            ..self.statistics
        }
    }

    /// Returns the candidates of all goals that have one, as numbers of firings.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> {
        self.targets.iter().filter_map(|target| {
            let (point, _) = target.candidate.as_ref()?;
            let (firings, integral) = self.relaxation.firings(point);
            Some(Candidate { goal: target.id, firings, is_integral: integral })
        })
    }

    /// Raises the limit on splits for open goals with a candidate, and drops their candidates.
    /// Skips goals whose limit is at its maximum. Also skips goals whose tested candidate is
    /// integral and violates no necessary order of firings. Returns false if no limit was raised.
    /// Otherwise call [`slice`](Self::slice) again.
    pub fn deepen(&mut self, task: &Task<'_>) -> bool {
        let mut has_deepened = false;
        for index in 0..self.targets.len() {
            let GoalState {
                candidate: Some((point, _)), max_splits: max_splits_before, id, ..
            } = &self.targets[index]
            else {
                continue;
            };
            // The candidate of a goal that was never deepened has not been tested for violated
            // orders of firings, since the test takes time.
            let is_new = *max_splits_before == 0;
            if *max_splits_before < MAX_SPLITS
                && task.board.is_open(*id)
                && (is_new || !self.is_ordered_integral(point))
            {
                let target = &mut self.targets[index];
                target.max_splits = (target.max_splits * 4).clamp(32, MAX_SPLITS);
                target.candidate = None;
                has_deepened = true;
            }
        }
        has_deepened
    }

    /// Works on the open goals until each of them is settled or has a candidate, or `budget` is
    /// exhausted. Returns [`SliceProgress::Unfinished`] in the latter case. Returns
    /// [`SliceProgress::Finished`] otherwise, also if the solver gives up on the remaining goals
    /// regardless of time. Call it again with the same task and more time to continue.
    pub fn slice(
        &mut self,
        budget: &Budget,
        task: &Task<'_>,
        proof_reporter: ProofReporter<'_>,
    ) -> SliceProgress {
        let start = Instant::now();
        let mut goal_time = match budget.remaining() {
            Some(left) => left.mul_f64(self.config.max_slice_share),
            None => Duration::from_secs(1),
        };
        let progress = loop {
            let mut unfinished_goals = 0;
            for index in 0..self.targets.len() {
                let id = self.targets[index].id;
                if !task.board.is_open(id) || self.has_valid_candidate(index) {
                    continue;
                }
                if budget.is_exhausted() {
                    unfinished_goals += 1;
                    break;
                }
                let Some(goal) = goal_of(task, id, index) else { continue };
                let is_done =
                    self.work_on_goal(index, goal, &budget.slice(goal_time), task, proof_reporter);
                unfinished_goals += usize::from(!is_done);
            }
            if unfinished_goals == 0 && self.all_open_have_candidates(task) {
                break SliceProgress::Finished;
            }
            if budget.is_exhausted() {
                break SliceProgress::Unfinished;
            }
            goal_time *= 2;
            // With more than an hour per goal, time is not the obstacle: the solver itself gives up
            // on the remaining goals.
            if goal_time > Duration::from_secs(3600) {
                break SliceProgress::Finished;
            }
        };
        self.statistics.time += start.elapsed();
        progress
    }

    /// Returns true if the goal has a candidate that satisfies all traps and lower bounds found
    /// since its last test. Drops a candidate that violates one of these.
    fn has_valid_candidate(&mut self, index: usize) -> bool {
        let target = &mut self.targets[index];
        let Some((point, learned_rows)) = &mut target.candidate else { return false };
        if self.relaxation.allows(point, *learned_rows) {
            *learned_rows = self.relaxation.learned();
            return true;
        }
        target.candidate = None;
        false
    }

    /// Returns true if every open goal has a valid candidate. Drops candidates that have become
    /// invalid.
    fn all_open_have_candidates(&mut self, task: &Task<'_>) -> bool {
        (0..self.targets.len()).all(|index| {
            !task.board.is_open(self.targets[index].id) || self.has_valid_candidate(index)
        })
    }

    /// Works on the goal at `index` within `budget`. Returns true if the goal is settled, has a
    /// candidate, or is a maximum whose bound the engine cannot lower further.
    fn work_on_goal(
        &mut self,
        index: usize,
        goal: &MarkingGoal,
        budget: &Budget,
        task: &Task<'_>,
        proof_reporter: ProofReporter<'_>,
    ) -> bool {
        self.describe(index, goal);
        if let GoalQuestion::Untreated = self.targets[index].question {
            self.targets[index].question = match goal {
                MarkingGoal::Maximise(sum) => GoalQuestion::Maximum {
                    negated: sum.negated(),
                    is_unbounded: false,
                    integer_maximum: IntegerMaximum::default(),
                },
                MarkingGoal::Reach(predicate) => {
                    let tree = self.atoms.tree(self.net, predicate);
                    self.learn_clashes(&tree.atoms());
                    let root = self.proposer.add_tree(&tree);
                    GoalQuestion::Reach { tree, root }
                }
            };
        }
        // The question is replaced for a moment, because working on it borrows the rest of the
        // engine mutably.
        let question =
            std::mem::replace(&mut self.targets[index].question, GoalQuestion::Untreated);
        let (question, is_done) = match question {
            GoalQuestion::Untreated => (GoalQuestion::Untreated, true),
            GoalQuestion::Reach { tree, root } => {
                let is_done = self.pursue(index, &tree, root, goal, budget, proof_reporter);
                (GoalQuestion::Reach { tree, root }, is_done)
            }
            GoalQuestion::Maximum {
                negated,
                is_unbounded: mut unbounded,
                integer_maximum: mut whole,
            } => {
                let mut is_done = unbounded
                    || self.maximise(index, &negated, &mut unbounded, budget, task, proof_reporter);
                if is_done && !unbounded && self.targets[index].max_splits > 0 {
                    is_done = self.narrow(index, &negated, &mut whole, budget, proof_reporter);
                }
                (
                    GoalQuestion::Maximum {
                        negated,
                        is_unbounded: unbounded,
                        integer_maximum: whole,
                    },
                    is_done,
                )
            }
        };
        self.targets[index].question = question;
        is_done
    }

    /// Sets the name and the header of the next dumped files to those of a goal. Does nothing if
    /// nothing is dumped.
    fn describe(&self, index: usize, goal: &MarkingGoal) {
        let Some(dump) = &self.config.dump else { return };
        let number = self.targets[index].id.index() + 1;
        let header = format!(
            "net: {}, {} places, {} transitions\ngoal {number}: {}\nencoding: state equation. A \
             program has a column x for each effect class with an effect,\na row r for each place \
             (tokens less those of the initial marking), then rows for safe units,\ntraps and \
             comparisons. Clauses are about comparisons that cannot be together.",
            Printable(self.net.name()),
            self.net.place_count(),
            self.net.transition_count(),
            Printable(description::goal(self.net, &goal.clone().into()))
        );
        dump.describe(&format!("state-equation-goal-{number}"), &header);
    }

    /// Stores `point` as the candidate of the goal, and among the recent points for other goals.
    fn set_candidate(&mut self, index: usize, point: Rc<SolutionPoint>) {
        self.targets[index].candidate = Some((point.clone(), self.relaxation.learned()));
        if !self.recent_points.iter().any(|known| Rc::ptr_eq(known, &point)) {
            if self.recent_points.len() == MAX_RECENT_POINTS {
                self.recent_points.remove(0);
            }
            self.recent_points.push(point);
        }
    }

    /// Adds a lemma, for use by every goal.
    fn learn(&mut self, lemma: Lemma) {
        let first = lemma.atoms.iter().map(|&(atom, _)| atom).min();
        self.lemmas_of.entry(first).or_default().push(self.lemmas.len());
        self.proposer.forbid(lemma.atoms.iter().map(|&(atom, _)| AtomId(atom as u32)));
        self.lemmas.push(lemma);
    }

    /// Adds a lemma for pairs of comparisons in `atoms` that contradict each other on one sum.
    /// Considers at most four times as many pairs as there are comparisons. Such a pair is Σ ≤ k
    /// and Σ ≥ l for k < l. Otherwise the SAT solver would propose these pairs one after another.
    fn learn_clashes(&mut self, atoms: &[AtomId]) {
        let mut atoms_by_sum: HashMap<LinearSum, Vec<AtomId>> = HashMap::new();
        for &id in atoms {
            atoms_by_sum.entry(self.atoms.get(id).sum.clone()).or_default().push(id);
        }
        // One sum with many comparisons has very many contradicting pairs. Pairs beyond the limit
        // are learnt later, as lemmas of the linear program.
        let mut pairs_left = 4 * atoms.len();
        for &id in atoms {
            let atom = self.atoms.get(id);
            // Each pair is considered once, from its side whose first coefficient is positive.
            if atom.sum.terms().first().is_none_or(|&(_, a)| a < 0) {
                continue;
            }
            let Some(opposite) = atoms_by_sum.get(&atom.sum.negated()) else { continue };
            let bound = i128::from(atom.bound);
            let contradicts =
                |opposite_id: &&AtomId| bound + i128::from(self.atoms.get(**opposite_id).bound) < 0;
            let contradicting: Vec<AtomId> = opposite.iter().filter(contradicts).copied().collect();
            for opposite_id in contradicting {
                if pairs_left == 0 {
                    return;
                }
                pairs_left -= 1;
                if self.clashes.insert((id, opposite_id)) {
                    let atoms = vec![(id.index(), 1), (opposite_id.index(), 1)];
                    self.learn(Lemma { atoms, ..Lemma::default() });
                }
            }
        }
    }

    /// Returns the lemmas that contain only these comparisons, which must be ascending.
    fn lemmas_about(&self, atoms: &[AtomId]) -> Vec<&Lemma> {
        let is_given = |index: usize| atoms.binary_search(&AtomId(index as u32)).is_ok();
        let firsts = atoms.iter().map(|atom| Some(atom.index())).chain([None]);
        let lemma_indices = firsts.filter_map(|first| self.lemmas_of.get(&first)).flatten();
        let lemmas = lemma_indices.map(|&index| &self.lemmas[index]);
        lemmas.filter(|lemma| lemma.atoms.iter().all(|&(atom, _)| is_given(atom))).collect()
    }

    /// Returns the checked proof, made from `lemmas`, that no reachable marking satisfies the
    /// predicate `refuted` of a goal. Returns `None` if no proof is found, or if the checker
    /// refuses the proof. A refused proof is reported to the board as an internal error.
    fn prove(
        &mut self,
        id: GoalId,
        refuted: &Predicate,
        lemmas: &[&Lemma],
        budget: &Budget,
        proof_reporter: ProofReporter<'_>,
    ) -> Option<Proof> {
        let atom = |index: usize| self.atoms.get(AtomId(index as u32)).clone();
        let (traps, precedences) = (self.relaxation.traps(), &self.precedences);
        let lower_bounds = Some((self.relaxation.lower_bounds(), &self.premises));
        let parts = CertificateParts { lemmas, atom: &atom, traps, lower_bounds, precedences };
        match proofs::certificate(self.net, refuted, parts, budget, self.config.dump.as_ref()) {
            Ok(certificate) => Some(to_proof(certificate)),
            Err(NoProof::Unfinished) => None,
            Err(NoProof::Flawed(flaw)) => {
                self.statistics.faults += 1;
                proof_reporter.refuse(id, &flaw);
                None
            }
        }
    }
}

/// Returns the certificate as a proof for the board, with a summary of its argument.
fn to_proof(certificate: LinearCertificate) -> Proof {
    let argument = Argument::StateEquation {
        traps: certificate.traps.len(),
        lower_bounds: certificate.lower_bounds.len(),
        precedences: certificate.precedences.len(),
        assumes_units: certificate.assumes_units,
    };
    Proof::new(argument, Some(Arc::new(Document::Linear(certificate))))
}

/// Returns the goal with this id, or `None` if the task does not list it. `expected_index` is its
/// usual position, because tasks list their goals in the order in which the engine first saw them.
fn goal_of<'t>(task: &Task<'t>, id: GoalId, expected_index: usize) -> Option<&'t MarkingGoal> {
    let expected = task.goals.get(expected_index).filter(|(goal_id, _)| *goal_id == id);
    let entry = expected.or_else(|| task.goals.iter().find(|(goal_id, _)| *goal_id == id));
    entry.map(|(_, goal)| goal)
}
