//! How a plan is worked on.

use super::schedule::Schedule;
use crate::board::{Board, FREE};
use crate::engine::Engine;
use crate::engine::diagrams::Course;
use crate::engine::registry::{BY_NAME, ENGINES};
use parikh_solvers::dump::Dump;
use parikh_solvers::guest::Program;
use std::time::Duration;

/// How a plan is worked on.
#[derive(Clone, Debug)]
pub struct Config {
    /// Engines at work at the same time, at least 1.
    pub threads: usize,
    /// Same seed and one thread, same run.
    pub seed: u64,
    /// Keep the witness of every goal, not only of those that decide a question by themselves.
    pub keep_all_witnesses: bool,
    /// Keep the documents that were accepted, for files of evidence.
    pub keep_documents: bool,
    /// Runs are to be shown, with the colours of their bindings: a coloured net is not replaced by
    /// one in which colours are one.
    pub show_bindings: bool,
    /// Make witnesses shorter before they are kept, for people: in a small share of the time.
    pub short_witnesses: bool,
    /// What that may take in any case; half a millisecond by default.
    pub short_witnesses_within: Duration,
    /// Besides, find out whether there are none shorter, of what is reachable: in half of the time
    /// that is left.
    pub shortest_witnesses: bool,
    /// Look for sums of tokens that say to people why something cannot be, for a tenth of a second.
    pub reasons_by_sums: bool,
    /// Take no search's word: what is refuted has a document that was accepted.
    pub certified_only: bool,
    /// Where questions to solvers are written to, if anywhere.
    pub dump: Option<Dump>,
    /// The SMT solver of engines that ask one; Z3 where this build has it and none is named.
    pub smt_solver: Option<Program>,
    /// Goals are worked on by themselves when the net reduced for them alone has at most this share
    /// of the transitions of the net reduced for all open goals. 0.7 by default.
    pub own_reduction_below: f64,
    /// The engines that take part, by default all; token intervals come before them, always.
    pub engines: &'static [Engine],
    /// Rules that reductions do without, by name; none by default.
    pub without_rules: Vec<&'static str>,
    /// What the workers do, in order; by default [`Schedule::of_threads`].
    pub schedule: Option<Schedule>,
    /// Told what becomes of the orders that diagrams are tried with where markings are counted.
    pub course: Course,
}

impl Config {
    /// The board with all that is to be kept, and no more; of `many` goals, witnesses are not.
    pub(super) fn board<'n>(&self, mut board: Board<'n>, many: bool) -> Board<'n> {
        if many && !self.keep_all_witnesses {
            board = board.without_witnesses();
        }
        if self.keep_documents {
            board = board.with_documents();
        }
        if self.short_witnesses || self.shortest_witnesses {
            board =
                board.with_short_witnesses(self.shortest_witnesses, self.short_witnesses_within);
        }
        if self.reasons_by_sums {
            board = board.with_reasons_by_sums();
        }
        if self.certified_only {
            board = board.certified_only();
        }
        board
    }
}

/// The name of an engine, as it is written on a command line.
///
/// # Errors
/// When there is none with this name.
pub fn engine_name(name: &str) -> Result<String, String> {
    let known: Vec<String> = every_engine().map(|engine| plain(engine.name)).collect();
    match known.iter().any(|known| known == name) {
        true => Ok(name.to_owned()),
        false => Err(format!("there are {}", known.join(", "))),
    }
}

/// The engines with these names: a list that lasts as long as the program, made once.
pub fn engines_named(names: &[String]) -> &'static [Engine] {
    let chosen = every_engine().filter(|engine| names.contains(&plain(engine.name)));
    Box::leak(chosen.copied().collect())
}

/// The names of those that take part by default, and of those that do only where they are asked
/// for.
pub fn engine_names() -> [Vec<String>; 2] {
    [ENGINES, BY_NAME].map(|engines| engines.iter().map(|engine| plain(engine.name)).collect())
}

fn every_engine() -> impl Iterator<Item = &'static Engine> {
    ENGINES.iter().chain(BY_NAME)
}

/// With `-` for whatever is no letter.
fn plain(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

impl Default for Config {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Config {
            threads,
            seed: 1,
            keep_all_witnesses: false,
            keep_documents: false,
            show_bindings: false,
            short_witnesses: false,
            short_witnesses_within: FREE,
            shortest_witnesses: false,
            reasons_by_sums: false,
            certified_only: false,
            dump: None,
            smt_solver: None,
            own_reduction_below: 0.7,
            engines: ENGINES,
            without_rules: Vec::new(),
            schedule: None,
            course: Course::default(),
        }
    }
}
