//! Engines: each settles goals from one side, on one net, within a budget.
//!
//! An engine sees goals, never examinations. It is handed a [`Task`] and reports on its side (see
//! [`crate::board`]), looks at its budget in every loop, and drops goals that others settle. Which
//! engines there are, and when they have their turn, is in the [`registry`].

pub mod bmc;
pub mod coloured_walk;
pub mod coverability;
pub mod diagrams;
pub mod explicit;
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

use crate::board::{Board, Technique};
use crate::ground::Ground;
use parikh_net::{EffectId, Facts, Features, GoalId, Kind, MarkingGoal, Net};
use parikh_solvers::Budget;
use parikh_solvers::dump::Dump;
use parikh_solvers::guest::Program;
use std::fmt;

/// What an engine works on.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The net to work on.
    pub net: &'a Net,
    /// The goals to settle, as they read on `net`, with their ids on the board.
    pub goals: &'a [(GoalId, MarkingGoal)],
    /// What is known of the net already.
    pub facts: &'a Facts,
    /// Where others' settlements show.
    pub board: &'a Board<'a>,
    /// How long, how much.
    pub budget: &'a Budget,
    /// Same seed, same run.
    pub seed: u64,
}

impl<'a> Task<'a> {
    /// For engines whose proofs are about the goals as they read on `ground`.
    pub fn on(
        ground: &'a Ground<'_>,
        board: &'a Board<'a>,
        budget: &'a Budget,
        seed: u64,
    ) -> Task<'a> {
        let (net, goals, facts) = (ground.net(), ground.goals(), ground.facts());
        Task { net, goals, facts, board, budget, seed }
    }

    /// For engines that visit markings: the goals are shrunk.
    pub fn shrunk(
        ground: &'a Ground<'_>,
        board: &'a Board<'a>,
        budget: &'a Budget,
        seed: u64,
    ) -> Task<'a> {
        Task { goals: ground.shrunk(), ..Task::on(ground, board, budget, seed) }
    }
}

/// One engine.
#[derive(Clone, Copy)]
pub struct Engine {
    /// Its name, as `--stats` and messages have it.
    pub name: &'static str,
    /// What the contest calls it.
    pub technique: Technique,
    /// Which side it approximates from, for people: what it may say is decided by whether it takes
    /// an [`Under`](crate::board::Under) or an [`Over`](crate::board::Over).
    pub sides: Sides,
    /// When it has its turn.
    pub role: Role,
    /// The kinds of goals and the features of nets that it understands.
    pub takes: Takes,
    /// Sets it to work; nothing is searched or solved yet.
    ///
    /// # Errors
    /// Why it cannot work on this ground.
    pub start: for<'g> fn(Assignment<'g>) -> Result<Box<dyn Session + 'g>, String>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Engine {
    /// Why it has nothing to do on this ground, where it has not: no open goal is of a kind that it
    /// takes, or the net has what it does not understand. It must not be started then.
    pub fn refuses(&self, ground: &Ground<'_>, board: &Board<'_>) -> Option<&'static str> {
        if !self.takes.features.cover(ground.net().features()) {
            return Some("the net has features that it does not take");
        }
        let asked =
            ground.kinds().any(|(id, kind)| self.takes.kinds.contains(&kind) && board.is_open(id));
        (!asked).then_some("no open goal is of a kind that it takes")
    }
}

/// What an engine understands. Everything else is kept from it by [`Engine::refuses`].
#[derive(Clone, Copy, Debug)]
pub struct Takes {
    /// The kinds of goals.
    pub kinds: &'static [Kind],
    /// The features of nets.
    pub features: Features,
}

impl Takes {
    /// Goals about single markings.
    pub const MARKINGS: Takes =
        Takes { kinds: &[Kind::Reach, Kind::Maximise], features: Features::WEIGHTS };
    /// Predicates that single markings satisfy.
    pub const PREDICATES: Takes = Takes { kinds: &[Kind::Reach], features: Features::WEIGHTS };
    /// What stays reachable.
    pub const HOMES: Takes = Takes { kinds: &[Kind::Home], features: Features::WEIGHTS };
    /// Runs with a property.
    pub const RUNS: Takes = Takes { kinds: &[Kind::Run], features: Features::WEIGHTS };
    /// Properties of the tree of runs.
    pub const TREES: Takes = Takes { kinds: &[Kind::Tree], features: Features::WEIGHTS };
    /// Formulas with time: properties of runs, and of their tree.
    pub const TIME: Takes = Takes { kinds: &[Kind::Run, Kind::Tree], features: Features::WEIGHTS };
}

/// Which side an engine approximates from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Finds witnesses.
    Under,
    /// Finds proofs.
    Over,
    /// Finds both.
    Both,
}

/// When an engine has its turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// Before everything else, on the net that was read, for some milliseconds.
    First,
    /// Once, on the net that was read, before the others prove anything.
    Once {
        /// The most of the time left that it may take, in [0, 1].
        share: f64,
    },
    /// Asks what stays reachable wherever the net goes, on the net that was read.
    Homes,
    /// Argues that there are no runs with a property, on the net that was read, from what is known
    /// by then; so it is asked again and again.
    RunProofs,
    /// Looks for runs with a property, on the net that was read.
    Runs,
    /// Finds out what the tree of runs is like, on the net that was read.
    Trees,
    /// Finds out the same from a description of all markings at once, in slices that grow.
    TreeDiagrams,
    /// Proves in slices that grow, on the net that was read and on nets reduced for some goals, and
    /// keeps what it has learned in between.
    Slices,
    /// Visits markings, on reduced nets first.
    Search,
    /// Proves by induction what arithmetic leaves open, in slices that grow, on the reduced net.
    Induction,
    /// Unrolls steps and asks for witnesses at their end, in slices that grow, on the reduced net.
    Unroll,
    /// Does the same where places may hold very much, when all else has had its turn.
    UnrollWide,
    /// Folds rounds of a run into loops, in slices, on the net that was read.
    Loops,
    /// Describes all markings at once, in slices that grow, on the reduced net.
    Diagrams,
    /// Looks for witnesses whenever nothing else does, on all grounds.
    Walk,
    /// Follows the candidates that engines in slices could not exclude.
    Guided,
}

/// What an engine is set to work on.
#[derive(Clone)]
pub struct Assignment<'g> {
    /// Where it works.
    pub ground: &'g Ground<'g>,
    /// Where others' settlements show.
    pub board: &'g Board<'g>,
    /// Same seed, same run; workers have different ones.
    pub seed: u64,
    /// How many threads it may use, its own included: all of them where nobody else works.
    pub threads: usize,
    /// Where questions to solvers are written to, if anywhere.
    pub dump: Option<Dump>,
    /// The SMT solver that is asked; Z3 where this build has it and none is named.
    pub smt_solver: Option<Program>,
    /// What to follow, of engines with the role [`Role::Guided`].
    pub hints: Vec<Hint>,
}

/// How often to fire what, so as to come to a goal: a solution of the state equation, rounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The goal.
    pub goal: GoalId,
    /// Firings of each effect class; classes that need not fire are left out.
    pub firings: Vec<(EffectId, u64)>,
}

/// How a slice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More time would not help.
    Finished,
    /// The budget ended first.
    Unfinished,
}

/// An engine at work on one ground, with what it has learned so far.
pub trait Session {
    /// Works until its goals are settled, it has nothing more to try, or `budget` is spent.
    fn slice(&mut self, budget: &Budget) -> Progress;

    /// Has more tried than before in the slices to come; whether there is anything to try.
    fn deepen(&mut self) -> bool {
        false
    }

    /// What it could not exclude, for open goals: a hint for walks, and nothing more.
    fn candidates(&self) -> Vec<Hint> {
        Vec::new()
    }

    /// What was done so far, in all slices, in a line.
    fn statistics(&self) -> String;
}

/// A session that keeps nothing: each slice is a run by itself, and says what it did.
pub fn each_slice_anew<'g>(
    run: impl FnMut(&Budget) -> String + 'g,
) -> Result<Box<dyn Session + 'g>, String> {
    Ok(Box::new(Anew { run, text: String::new() }))
}

struct Anew<F> {
    run: F,
    text: String,
}

impl<F: FnMut(&Budget) -> String> Session for Anew<F> {
    fn slice(&mut self, budget: &Budget) -> Progress {
        self.text = (self.run)(budget);
        Progress::Finished
    }

    fn statistics(&self) -> String {
        self.text.clone()
    }
}
