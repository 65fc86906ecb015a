//! Engines. Each engine searches for witnesses or proofs of goals on one net, within a budget of
//! time and memory.
//!
//! An engine works on goals, not on the contest's examinations. It gets a [`Task`] and reports
//! witnesses and proofs to the [board]. It checks its budget in every loop and drops goals that
//! other engines settle. The [`registry`] lists all engines and their roles in the schedule.

pub mod bmc;
pub mod board;
pub mod coloured_walk;
pub mod coverability;
pub mod diagrams;
pub mod explicit;
pub mod family;
pub mod fixpoint;
pub mod growing;
pub mod home;
pub mod intervals;
pub mod lasso;
pub mod loops;
pub(crate) mod markings;
pub mod pdr;
pub mod ranking;
pub mod reduced;
pub mod registry;
pub mod runs;
pub mod siphon_trap;
pub mod smt;
pub mod state_equation;
pub mod walk;
pub mod working_net;

use crate::board::{Board, Technique};
use crate::working_net::WorkingNet;
use parikh_net::{EffectId, Facts, Features, GoalId, GoalKind, MarkingGoal, Net};
use parikh_solvers::Budget;
use parikh_solvers::dump::Dump;
use parikh_solvers::guest::Program;
use std::fmt;

/// The input of an engine: the net, the goals and the limits.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The net to work on.
    pub net: &'a Net,
    /// The goals to settle, expressed on `net`, with their ids on the board.
    pub goals: &'a [(GoalId, MarkingGoal)],
    /// Known facts about the net.
    pub facts: &'a Facts,
    /// The board, for goals that other engines have settled since this task began.
    pub board: &'a Board<'a>,
    /// Limits on time and memory.
    pub budget: &'a Budget,
    /// Random seed. The same seed gives the same random choices.
    pub seed: u64,
}

impl<'a> Task<'a> {
    /// Creates a task with the goals exactly as `working_net` expresses them. Engines that prove
    /// goals use it, since a proof must be about the goal itself.
    pub fn on(
        working_net: &'a WorkingNet<'_>,
        board: &'a Board<'a>,
        budget: &'a Budget,
        seed: u64,
    ) -> Task<'a> {
        let (net, goals, facts) = (working_net.net(), working_net.goals(), working_net.facts());
        Task { net, goals, facts, board, budget, seed }
    }

    /// Creates a task with goals that the token intervals of the net have simplified. A simplified
    /// goal has the same value in every reachable marking. Engines that visit markings use it.
    pub fn shrunk(
        working_net: &'a WorkingNet<'_>,
        board: &'a Board<'a>,
        budget: &'a Budget,
        seed: u64,
    ) -> Task<'a> {
        Task { goals: working_net.shrunk(), ..Task::on(working_net, board, budget, seed) }
    }
}

/// An engine: its name, its role in the schedule, and the function that starts it.
#[derive(Clone, Copy)]
pub struct Engine {
    /// The engine's name in `--stats` and messages.
    pub name: &'static str,
    /// The name by which the Model Checking Contest lists the technique.
    pub technique: Technique,
    /// The kinds of results that the engine finds, for display only. The engine's actual results
    /// depend on the reporters that it uses: a [`WitnessReporter`](crate::board::WitnessReporter)
    /// or a [`ProofReporter`](crate::board::ProofReporter).
    pub result_kinds: ResultKinds,
    /// The engine's role in the schedule.
    pub role: Role,
    /// The kinds of goals, and the features of nets such as arc weights, that the engine can
    /// handle.
    pub supported: SupportedGoals,
    /// Creates a session. Nothing is searched or solved yet.
    ///
    /// # Errors
    /// Returns the reason if the engine cannot work on this net.
    pub start: for<'g> fn(Assignment<'g>) -> Result<Box<dyn Session + 'g>, String>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Engine {
    /// Returns a reason if the engine has nothing to do: no open goal is of a supported kind, or
    /// the net has an unsupported feature. Then the engine must not be started. Returns `None`
    /// otherwise.
    pub fn refusal(&self, working_net: &WorkingNet<'_>, board: &Board<'_>) -> Option<&'static str> {
        if !self.supported.features.cover(working_net.net().features()) {
            return Some("the net has unsupported features");
        }
        let has_open_goal = working_net
            .kinds()
            .any(|(id, kind)| self.supported.kinds.contains(&kind) && board.is_open(id));
        (!has_open_goal).then_some("no open goal is of a supported kind")
    }
}

/// The supported goals and nets of an engine. [`Engine::refusal`] excludes all others.
#[derive(Clone, Copy, Debug)]
pub struct SupportedGoals {
    /// The supported kinds of goals.
    pub kinds: &'static [GoalKind],
    /// The features that a net may have, such as arc weights. A net with another feature is
    /// refused.
    pub features: Features,
}

impl SupportedGoals {
    /// Goals about single markings.
    pub const MARKINGS: SupportedGoals = SupportedGoals {
        kinds: &[GoalKind::Reach, GoalKind::Maximise],
        features: Features::WEIGHTS,
    };
    /// Goals that ask if a marking with a predicate is reachable.
    pub const PREDICATES: SupportedGoals =
        SupportedGoals { kinds: &[GoalKind::Reach], features: Features::WEIGHTS };
    /// Home properties: a predicate is always reachable again, from every reachable marking.
    pub const HOMES: SupportedGoals =
        SupportedGoals { kinds: &[GoalKind::Home], features: Features::WEIGHTS };
    /// Goals that ask if a run with an LTL property exists.
    pub const RUNS: SupportedGoals =
        SupportedGoals { kinds: &[GoalKind::Run], features: Features::WEIGHTS };
    /// Goals that ask for the truth value of a CTL formula.
    pub const TREES: SupportedGoals =
        SupportedGoals { kinds: &[GoalKind::Tree], features: Features::WEIGHTS };
    /// Goals about temporal properties: of runs (LTL) and of the computation tree (CTL).
    pub const TEMPORAL: SupportedGoals =
        SupportedGoals { kinds: &[GoalKind::Run, GoalKind::Tree], features: Features::WEIGHTS };
}

/// The kinds of results that an engine can produce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultKinds {
    /// Finds witnesses.
    Witnesses,
    /// Finds proofs.
    Proofs,
    /// Finds witnesses and proofs.
    Both,
}

/// The role of an engine in the schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// Runs as the first phase of a worker, on the original net, for at most 5 % of each round and
    /// at most one second.
    First,
    /// Runs once, on the original net, before the other provers. An engine that the end of its time
    /// interrupts runs again in the next round of the schedule.
    Once {
        /// Largest share of the time left at the engine's start that the engine may use, in [0, 1].
        share: f64,
    },
    /// Decides home properties, on the original net.
    Homes,
    /// Proves that no run has a property, on the original net, from the facts known when it starts.
    /// Such an engine runs again later, when other engines have proved more facts.
    RunProofs,
    /// Searches for runs with a property, on the original net and on nets reduced for a single
    /// property.
    Runs,
    /// Decides properties of the computation tree, on the original net.
    Trees,
    /// Decides properties of the computation tree from a symbolic representation of all markings,
    /// in growing slices.
    TreeDiagrams,
    /// Proves goals in growing slices, on the original net and on nets reduced for some of the
    /// goals. The engine's session keeps its lemmas and other intermediate results between slices.
    Slices,
    /// Explores the reachability graph marking by marking, on reduced nets first.
    Search,
    /// Proves goals by inductive invariants, after engines with linear arithmetic alone left the
    /// goals open. Runs in growing slices on the reduced net, or on the original net if there is no
    /// reduced net.
    Induction,
    /// Bounded model checking: unrolls the net step by step and searches for witnesses, in growing
    /// slices. Works on the reduced net, or on the original net if there is no reduced net.
    Unroll,
    /// Like `Unroll`, for nets with places that have too many tokens for the propositional
    /// encoding. Only the schedule for several threads runs such engines, after the first slice of
    /// the role `Unroll`.
    UnrollWide,
    /// Searches for witnesses with nested loops, in slices, on the original net.
    Loops,
    /// Computes all markings symbolically, in growing slices. Works on the reduced net, or on the
    /// original net if there is no reduced net.
    Diagrams,
    /// Searches for witnesses by walks, on the original net and on reduced nets. Walks have phases
    /// of their own in the schedule, and continue after a worker has finished its phases.
    Walk,
    /// Searches for witnesses along candidates: firing counts that solve the state equation for a
    /// goal, which engines in slices could not exclude.
    Guided,
}

/// The input of an engine's session: the net, the board and the settings.
#[derive(Clone)]
pub struct Assignment<'g> {
    /// The net with its goals and facts.
    pub working_net: &'g WorkingNet<'g>,
    /// The board, for goals that other engines have settled.
    pub board: &'g Board<'g>,
    /// Random seed. The same seed gives the same random choices; workers have different seeds.
    pub seed: u64,
    /// Number of threads that the engine may use, including its own. The value is 1, except in one
    /// case: no engine of the run walks, and at most one worker has engines in its schedule. Then
    /// it is the number of all threads.
    pub threads: usize,
    /// Directory for dumping solver queries. `None` if queries are not dumped.
    pub dump: Option<Dump>,
    /// The SMT solver to use. If none is given, Z3 is used if this build includes it.
    pub smt_solver: Option<Program>,
    /// Hints for engines with the role [`Role::Guided`].
    pub hints: Vec<Hint>,
}

impl<'g> Assignment<'g> {
    /// Creates an assignment for one thread, without dump, SMT solver and hints.
    pub fn new(working_net: &'g WorkingNet<'g>, board: &'g Board<'g>, seed: u64) -> Self {
        let hints = Vec::new();
        Assignment { working_net, board, seed, threads: 1, dump: None, smt_solver: None, hints }
    }
}

/// Numbers of firings that may lead to a goal: a solution of the state equation, rounded to
/// integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The goal to reach.
    pub goal: GoalId,
    /// Firings per effect class. Classes without firings are left out.
    pub firings: Vec<(EffectId, u64)>,
}

/// Result of a time slice of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceProgress {
    /// The session has nothing left to do within its internal limits, so another slice would not
    /// help without [`Session::deepen`].
    Finished,
    /// The budget was exhausted first.
    Unfinished,
}

/// An engine that works on one net in time slices. It keeps its intermediate results between
/// slices.
pub trait Session {
    /// Works until the goals are settled, nothing is left to try, or `budget` is exhausted.
    fn slice(&mut self, budget: &Budget) -> SliceProgress;

    /// Raises the engine's internal limits for the following slices. Returns false if the engine
    /// has no larger limits to try.
    fn deepen(&mut self) -> bool {
        false
    }

    /// Returns solutions of the state equation, with rounded firing counts, for open goals that the
    /// engine could not exclude. Walks use them as hints.
    fn candidates(&self) -> Vec<Hint> {
        Vec::new()
    }

    /// Returns a one-line summary of all slices. A [stateless session](stateless_session)
    /// summarises only its last slice.
    fn statistics(&self) -> String;
}

/// Returns a session without memory: each slice runs `run`, which returns the summary. A slice
/// returns [`SliceProgress::Finished`] even if the budget ended.
pub fn stateless_session<'g>(
    run: impl FnMut(&Budget) -> String + 'g,
) -> Result<Box<dyn Session + 'g>, String> {
    Ok(Box::new(StatelessSession { run, summary: String::new() }))
}

/// A session that keeps nothing between slices except the last summary.
struct StatelessSession<F> {
    run: F,
    /// The summary of the last slice.
    summary: String,
}

impl<F: FnMut(&Budget) -> String> Session for StatelessSession<F> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        self.summary = (self.run)(budget);
        SliceProgress::Finished
    }

    fn statistics(&self) -> String {
        self.summary.clone()
    }
}
