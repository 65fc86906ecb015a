//! The state equation engine: linear refutations and bounds, each with a certificate.
//!
//! Whatever fires, the marking is m₀ + C·x for the vector x ≥ 0 of firings. What that equation
//! excludes, together with *traps* (sets of places that stay marked once they are), *lower bounds*
//! of places and weighted sums (`lower_bounds`) and the model's safe units, is unreachable. The engine asks in two ways:
//!
//! - `maxima`: the largest value of a sum is a linear program; its floor bounds the goal;
//! - `ladder`: for a predicate a SAT solver proposes comparisons that would make it true, the
//!   linear program decides them together, and a refusal comes back as a lemma that no proposal may
//!   repeat, until none is left (unreachable) or a solution is found. An empty marked trap in the
//!   solution becomes a row for all goals, and the question is asked again.
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
//! A candidate with broken tokens or firings is refined once all goals have theirs
//! ([`Engine::deepen`]): the goal is *split* on a sum that the candidate breaks, Σ ≤ k or Σ ≥ k +
//! 1, a cut from the solver's basis if there is one, and the SAT solver proposes sides along with
//! comparisons. So it is on an order of firings that the candidate does not respect (`precedence`).
//! Candidates that remain are handed to the walk.
//!
//! Lemmas and traps are shared by all goals, so what one goal needed the next one has.
//!
//! # Soundness
//! Nothing here is trusted. Every refutation and every bound is written down as a
//! [`LinearCertificate`] and checked by code that uses neither solvers nor
//! anything of this engine; a certificate that fails is logged as a fault and no verdict.
//!
//! # Sources
//! T. Murata, *Petri nets: properties, analysis and applications*, Proc. IEEE 77, 1989; J. Esparza,
//! S. Melzer, *Verification of safety properties using integer programming: beyond the state
//! equation*, FMSD 16, 2000; J. Esparza, R. Ledesma-Garza, R. Majumdar, P. Meyer, F. Niksic, *An
//! SMT-based approach to coverability analysis*, CAV 2014; A. Bønneland, J. Dyhr, P. Jensen,
//! M. Johannsen, J. Srba, *Simplification of CTL formulae for efficient model checking of Petri
//! nets*, PETRI NETS 2018 (linear programs for the Boolean structure of queries).

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
pub use statistics::Statistics;

pub use super::Progress;
use super::Task;
use crate::board::{Argument, Over, Proof};
use crate::evidence::certificate::{Lemma, LinearCertificate, Precedence};
use crate::evidence::{Document, words};
use atoms::{AtomId, Atoms, Node};
use lower_bounds::Premises;
use maxima::IntegerMaximum;
use parikh_net::printable::Printable;
use parikh_net::{EffectId, Facts, GoalId, LinearSum, MarkingGoal, Net, PlaceId, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::dump::Dump;
use parikh_solvers::linear_program::ProgramError;
use point::Point;
use proofs::{CertificateParts, NoProof};
use proposer::{Proposer, Split};
use relaxation::{Learned, Relaxation};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How the engine works.
#[derive(Clone, Debug)]
pub struct Config {
    /// Most traps added for one candidate. More at once mean fewer, larger programs.
    pub traps_at_once: usize,
    /// No goal gets more than this share of a slice before the others had their turn.
    pub share: f64,
    /// Where every question to a solver is written to, if anywhere.
    pub dump: Option<Dump>,
}

impl Default for Config {
    fn default() -> Self {
        Config { traps_at_once: 8, share: 0.125, dump: None }
    }
}

/// The certificate from `lemmas` that no reachable marking satisfies `refuted`, with the steps that
/// its propositional part needs; `atom` and `traps` are what the lemmas' positions refer to. `None`
/// when it is not found in time or does not stand the checker.
pub fn certificate(
    net: &Net,
    refuted: &Predicate,
    lemmas: &[&Lemma],
    atom: &dyn Fn(usize) -> parikh_net::Atom,
    traps: &[Vec<PlaceId>],
    budget: &Budget,
) -> Option<LinearCertificate> {
    let known = CertificateParts { lemmas, atom, traps, lower_bounds: None, precedences: &[] };
    match proofs::certificate(net, refuted, known, budget, None) {
        Ok(certificate) => Some(certificate),
        Err(NoProof::Unfinished) => None,
        Err(NoProof::Flawed(flaw)) => {
            tracing::error!("internal error: a certificate from given lemmas: {flaw}");
            None
        }
    }
}

/// A solution of everything known that satisfies a goal: a hint for walks, and nothing more.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The goal.
    pub goal: GoalId,
    /// How often transitions of each effect class fire, rounded; classes that do not are left out.
    pub firings: Vec<(EffectId, u64)>,
    /// Whether the solution was integral before rounding.
    pub integral: bool,
}

/// A goal and where it stands.
struct Target {
    id: GoalId,
    kind: Kind,
    /// A solution that shows nothing is to be had here, as far as the traps and lower bounds known
    /// then tell.
    candidate: Option<(Rc<Point>, Learned)>,
    /// The splits it is looked for on one side of each, and how many there may be.
    splits: Vec<Split>,
    depth: usize,
}

enum Kind {
    /// Not looked at yet; a `Reach` has its tree made when its turn comes.
    New,
    Reach {
        tree: Node,
        root: Literal,
    },
    /// The sum times −1, whose least value is looked for.
    Maximum {
        negated: LinearSum,
        unbounded: bool,
        whole: IntegerMaximum,
    },
}

/// The engine with all it has learned; works in slices.
pub struct Engine<'n> {
    net: &'n Net,
    config: Config,
    relaxation: Relaxation<'n>,
    premises: Premises,
    atoms: Atoms,
    proposer: Proposer,
    lemmas: Vec<Lemma>,
    /// The lemmas whose first comparison this is; those without comparisons under `None`.
    lemmas_of: HashMap<Option<usize>, Vec<usize>>,
    /// The pairs of comparisons among them that contradict each other on one sum.
    clashes: HashSet<(AtomId, AtomId)>,
    /// The splits made for some goal.
    splits: HashSet<Split>,
    /// Why there is no third side, for those of them that are no comparison and its negation.
    precedences: Vec<Precedence>,
    targets: Vec<Target>,
    /// Some recent candidates: a goal that one of them satisfies needs no program.
    pool: Vec<Rc<Point>>,
    statistics: Statistics,
}

/// The most splits for one goal.
const DEEPEST: usize = 512;

/// How many candidates are kept for other goals.
const POOL: usize = 24;

/// Runs the engine until all goals of `task` are settled or have candidates, or its budget is
/// spent.
pub fn run(task: &Task<'_>, over: Over<'_>, config: &Config) -> Statistics {
    match Engine::new(task, config) {
        Ok(mut engine) => {
            while engine.slice(task.budget, task, over) == Progress::Finished && engine.deepen(task)
            {
            }
            engine.statistics()
        }
        Err(error) => {
            tracing::warn!("state equation: {error}");
            Statistics::default()
        }
    }
}

impl<'n> Engine<'n> {
    /// Sets up the program for the goals of `task`; nothing is solved yet.
    ///
    /// # Errors
    /// When the net is too large for a linear program.
    pub fn new(task: &Task<'n>, config: &Config) -> Result<Self, ProgramError> {
        Engine::with_facts(task.net, task.facts, task.goals, config)
    }

    /// Sets up the program for goals of a net of which nothing else is known.
    ///
    /// # Errors
    /// When the net is too large for a linear program.
    pub fn for_goals(
        net: &'n Net,
        goals: &[(GoalId, MarkingGoal)],
        config: &Config,
    ) -> Result<Self, ProgramError> {
        Engine::with_facts(net, &Facts::none(net), goals, config)
    }

    /// Sets up the program for goals of a net, given facts about its reachable markings.
    ///
    /// # Errors
    /// When the net is too large for a linear program.
    pub fn with_facts(
        net: &'n Net,
        facts: &Facts,
        goals: &[(GoalId, MarkingGoal)],
        config: &Config,
    ) -> Result<Self, ProgramError> {
        let start = Instant::now();
        let (premises, lower_bounds) = Premises::new(net, facts);
        let relaxation = Relaxation::new(net, lower_bounds, config.dump.as_ref())?;
        let target = |&(id, _): &(GoalId, MarkingGoal)| Target {
            id,
            kind: Kind::New,
            candidate: None,
            splits: Vec::new(),
            depth: 0,
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
            pool: Vec::new(),
            statistics: Statistics::default(),
        };
        engine.statistics.time = start.elapsed();
        Ok(engine)
    }

    /// What was done so far, in all slices.
    pub fn statistics(&self) -> Statistics {
        let counters = self.relaxation.counters;
        let resting = |target: &&Target| target.candidate.is_some();
        Statistics {
            programs: counters.solved,
            infeasible: counters.infeasible,
            unanswered: counters.unanswered,
            certified: counters.certified,
            too_large: counters.too_large,
            lemmas: self.lemmas.len(),
            traps: self.relaxation.traps().len(),
            lower_bounds: self.relaxation.lower_bounds().len(),
            candidates: self.targets.iter().filter(resting).count(),
            ..self.statistics
        }
    }

    /// The goals that rest on a solution, each with it.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> {
        self.targets.iter().filter_map(|target| {
            let (point, _) = target.candidate.as_ref()?;
            let (firings, integral) = self.relaxation.firings(point);
            Some(Candidate { goal: target.id, firings, integral })
        })
    }

    /// Lets the goals that rest on broken numbers of tokens, or on firings in no order, be looked
    /// for with whole ones in some order, by more splits than before. Whether there are any; then
    /// call [`slice`](Self::slice) again.
    pub fn deepen(&mut self, task: &Task<'_>) -> bool {
        let mut any = false;
        for index in 0..self.targets.len() {
            let Target { candidate: Some((point, _)), depth, id, .. } = &self.targets[index] else {
                continue;
            };
            // Nobody has looked at its order yet, which takes time.
            let is_new = *depth == 0;
            if *depth < DEEPEST && task.board.is_open(*id) && (is_new || !self.is_whole(point)) {
                let target = &mut self.targets[index];
                target.depth = (target.depth * 4).clamp(32, DEEPEST);
                target.candidate = None;
                any = true;
            }
        }
        any
    }

    /// Works on the open goals until each is settled or has a candidate ([`Progress::Finished`]),
    /// or `budget` is spent. Call it again with the same task and more time to go on.
    pub fn slice(&mut self, budget: &Budget, task: &Task<'_>, over: Over<'_>) -> Progress {
        let start = Instant::now();
        let mut turn = match budget.remaining() {
            Some(left) => left.mul_f64(self.config.share),
            None => Duration::from_secs(1),
        };
        let progress = loop {
            let mut waiting = 0;
            for index in 0..self.targets.len() {
                let id = self.targets[index].id;
                if !task.board.is_open(id) || self.rests(index) {
                    continue;
                }
                if budget.is_exhausted() {
                    waiting += 1;
                    break;
                }
                let Some(goal) = goal_of(task, id, index) else { continue };
                let done = self.turn(index, goal, &budget.slice(turn), task, over);
                waiting += usize::from(!done);
            }
            if waiting == 0 && self.all_rest(task) {
                break Progress::Finished;
            }
            if budget.is_exhausted() {
                break Progress::Unfinished;
            }
            turn *= 2;
            // Nothing that is left depends on time: the solver gives up on it by itself.
            if turn > Duration::from_secs(3600) {
                break Progress::Finished;
            }
        };
        self.statistics.time += start.elapsed();
        progress
    }

    /// Returns true if the goal has a candidate that satisfies the traps and lower bounds found since.
    fn rests(&mut self, index: usize) -> bool {
        let target = &mut self.targets[index];
        let Some((point, known)) = &mut target.candidate else { return false };
        if self.relaxation.allows(point, *known) {
            *known = self.relaxation.learned();
            return true;
        }
        target.candidate = None;
        false
    }

    fn all_rest(&mut self, task: &Task<'_>) -> bool {
        (0..self.targets.len())
            .all(|index| !task.board.is_open(self.targets[index].id) || self.rests(index))
    }

    /// One goal's turn. Whether nothing is left to do about it for now.
    fn turn(
        &mut self,
        index: usize,
        goal: &MarkingGoal,
        budget: &Budget,
        task: &Task<'_>,
        over: Over<'_>,
    ) -> bool {
        self.describe(index, goal);
        if let Kind::New = self.targets[index].kind {
            self.targets[index].kind = match goal {
                MarkingGoal::Maximise(sum) => Kind::Maximum {
                    negated: sum.negated(),
                    unbounded: false,
                    whole: IntegerMaximum::default(),
                },
                MarkingGoal::Reach(predicate) => {
                    let tree = self.atoms.tree(self.net, predicate);
                    self.learn_clashes(&tree.atoms());
                    let root = self.proposer.add(&tree);
                    Kind::Reach { tree, root }
                }
            };
        }
        // Taken out for the time being, so that the rest of the engine can be changed.
        let kind = std::mem::replace(&mut self.targets[index].kind, Kind::New);
        let (kind, done) = match kind {
            Kind::New => (Kind::New, true),
            Kind::Reach { tree, root } => {
                let done = self.pursue(index, &tree, root, goal, budget, over);
                (Kind::Reach { tree, root }, done)
            }
            Kind::Maximum { negated, mut unbounded, mut whole } => {
                let mut done =
                    unbounded || self.maximise(index, &negated, &mut unbounded, budget, task, over);
                if done && !unbounded && self.targets[index].depth > 0 {
                    done = self.narrow(index, &negated, &mut whole, budget, over);
                }
                (Kind::Maximum { negated, unbounded, whole }, done)
            }
        };
        self.targets[index].kind = kind;
        done
    }

    /// Says in the files written from now on which goal they are about.
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
            Printable(words::goal(self.net, &goal.clone().into()))
        );
        dump.describe(&format!("state-equation-goal-{number}"), &header);
    }

    /// Lets the goal rest on this point until a trap or a lower bound excludes it.
    fn rest(&mut self, index: usize, point: Rc<Point>) {
        self.targets[index].candidate = Some((point.clone(), self.relaxation.learned()));
        if !self.pool.iter().any(|known| Rc::ptr_eq(known, &point)) {
            if self.pool.len() == POOL {
                self.pool.remove(0);
            }
            self.pool.push(point);
        }
    }

    /// Keeps a lemma for all goals.
    fn learn(&mut self, lemma: Lemma) {
        let first = lemma.atoms.iter().map(|&(atom, _)| atom).min();
        self.lemmas_of.entry(first).or_default().push(self.lemmas.len());
        self.proposer.forbid(lemma.atoms.iter().map(|&(atom, _)| AtomId(atom as u32)));
        self.lemmas.push(lemma);
    }

    /// Learns which of these comparisons contradict each other on one sum, before they are proposed
    /// together one pair after the other: a ≤ k and a ≥ l for k < l.
    fn learn_clashes(&mut self, atoms: &[AtomId]) {
        let mut most: HashMap<LinearSum, Vec<AtomId>> = HashMap::new();
        for &id in atoms {
            most.entry(self.atoms.get(id).sum.clone()).or_default().push(id);
        }
        // Pairs can be many where one sum is compared with many numbers; lemmas come later, too.
        let mut room = 4 * atoms.len();
        for &id in atoms {
            let atom = self.atoms.get(id);
            // Each pair once, from its positive side.
            if atom.sum.terms().first().is_none_or(|&(_, a)| a < 0) {
                continue;
            }
            let Some(opposite) = most.get(&atom.sum.negated()) else { continue };
            let bound = i128::from(atom.bound);
            let clashes = |other: &&AtomId| bound + i128::from(self.atoms.get(**other).bound) < 0;
            let clashing: Vec<AtomId> = opposite.iter().filter(clashes).copied().collect();
            for other in clashing {
                if room == 0 {
                    return;
                }
                room -= 1;
                if self.clashes.insert((id, other)) {
                    let atoms = vec![(id.index(), 1), (other.index(), 1)];
                    self.learn(Lemma { atoms, ..Lemma::default() });
                }
            }
        }
    }

    /// The lemmas that speak of these comparisons (ascending) only.
    fn lemmas_about(&self, atoms: &[AtomId]) -> Vec<&Lemma> {
        let known = |index: usize| atoms.binary_search(&AtomId(index as u32)).is_ok();
        let firsts = atoms.iter().map(|atom| Some(atom.index())).chain([None]);
        let filed = firsts.filter_map(|first| self.lemmas_of.get(&first)).flatten();
        let lemmas = filed.map(|&index| &self.lemmas[index]);
        lemmas.filter(|lemma| lemma.atoms.iter().all(|&(atom, _)| known(atom))).collect()
    }

    /// The checked proof, for a goal, that no reachable marking satisfies `refuted`; `None` when it
    /// is not finished, or flawed, which the board hears of.
    fn prove(
        &mut self,
        id: GoalId,
        refuted: &Predicate,
        lemmas: &[&Lemma],
        budget: &Budget,
        over: Over<'_>,
    ) -> Option<Proof> {
        let atom = |index: usize| self.atoms.get(AtomId(index as u32)).clone();
        let (traps, precedences) = (self.relaxation.traps(), &self.precedences);
        let lower_bounds = Some((self.relaxation.lower_bounds(), &self.premises));
        let known = CertificateParts { lemmas, atom: &atom, traps, lower_bounds, precedences };
        match proofs::certificate(self.net, refuted, known, budget, self.config.dump.as_ref()) {
            Ok(certificate) => Some(proof(certificate)),
            Err(NoProof::Unfinished) => None,
            Err(NoProof::Flawed(flaw)) => {
                self.statistics.faults += 1;
                over.refuse(id, &flaw);
                None
            }
        }
    }
}

fn proof(certificate: LinearCertificate) -> Proof {
    let argument = Argument::StateEquation {
        traps: certificate.traps.len(),
        lower_bounds: certificate.lower_bounds.len(),
        precedences: certificate.precedences.len(),
        assumes_units: certificate.assumes_units,
    };
    Proof::new(argument, Some(Arc::new(Document::Linear(certificate))))
}

/// The goal with this id. `at` is where it should be: tasks list their goals in the order that the
/// engine first saw them in.
fn goal_of<'t>(task: &Task<'t>, id: GoalId, at: usize) -> Option<&'t MarkingGoal> {
    let here = task.goals.get(at).filter(|(known, _)| *known == id);
    let found = here.or_else(|| task.goals.iter().find(|(known, _)| *known == id));
    found.map(|(_, goal)| goal)
}
