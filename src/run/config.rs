//! Configuration of an analysis.

use super::schedule::Schedule;
use parikh_engine::Engine;
use parikh_engine::board::{Board, MIN_SHORTENING_TIME};
use parikh_engine::diagrams::TryLog;
use parikh_engine::registry::{BY_NAME, ENGINES};
use parikh_solvers::dump::Dump;
use parikh_solvers::guest::Program;
use std::time::Duration;

/// Configuration of an analysis.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// Number of worker threads; 0 counts as 1. On a coloured net without its unfolding, at least
    /// two work.
    pub threads: usize,
    /// Seed of random numbers. With one thread, runs with the same seed usually differ only because
    /// of time limits.
    pub seed: u64,
    /// Keeps the witness of every goal. Otherwise, with more than 1000 goals, witnesses of
    /// reachable goals, of maxima and of runs are dropped. Witnesses of goals about deadness are
    /// still kept on a net without colours. With so many goals, a kept witness is dropped after the
    /// caller has received it, unless it is a witness of a maximum.
    pub keep_all_witnesses: bool,
    /// Keeps accepted certificates, for evidence files.
    pub keep_certificates: bool,
    /// Runs must be shown with the colours of their bindings, so a coloured net is not replaced by
    /// a quotient.
    pub show_bindings: bool,
    /// Shortens witnesses within a small share of the time.
    pub short_witnesses: bool,
    /// Time that shortening may take even if its share of the time is smaller; half a millisecond
    /// by default.
    pub short_witnesses_within: Duration,
    /// Also tries to prove that reachability witnesses are shortest. A proof gets half of the
    /// remaining time, or a minute without a time limit.
    pub shortest_witnesses: bool,
    /// Searches for place invariants that explain results, for at most a tenth of a second. Nets
    /// with more than 5000 places, coloured nets without unfolding, and nets with inhibitor or
    /// reset arcs are left out.
    pub reasons_by_sums: bool,
    /// Rejects unchecked searches: every refutation needs an accepted certificate.
    pub certified_only: bool,
    /// Directory to which solver queries are written, if any.
    pub dump: Option<Dump>,
    /// The SMT solver of engines that need one; by default the built-in Z3, if the build has it.
    pub smt_solver: Option<Program>,
    /// Limit on the size of a net reduced for some goals alone, 0.7 by default. Goals are analysed
    /// on such a net if it has at most this share of the transitions of the net reduced for all
    /// open goals. If there is no net reduced for all open goals, the limit is a share of the
    /// original net's transitions.
    pub own_reduction_below: f64,
    /// The engines that take part. By default, these are all engines except those that run only on
    /// request. Token intervals are computed first, whatever the engines, if they support the
    /// features of the net.
    pub engines: &'static [Engine],
    /// Names of reduction rules that are switched off; none by default.
    pub without_rules: Vec<&'static str>,
    /// The steps of the workers; by default [`Schedule::of_threads`].
    pub schedule: Option<Schedule>,
    /// Receives the progress of decision diagrams when markings are counted.
    pub count_progress: TryLog,
}

impl RunConfig {
    /// Configures a board. With `has_many_goals`, the board drops witnesses of reachable goals, of
    /// maxima and of runs. Witnesses of goals about deadness are still kept on a net without
    /// colours. The board keeps all witnesses if the witness of every goal is wanted.
    pub(super) fn board<'n>(&self, mut board: Board<'n>, has_many_goals: bool) -> Board<'n> {
        if has_many_goals && !self.keep_all_witnesses {
            board = board.without_witnesses();
        }
        if self.keep_certificates {
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

/// Checks the name of an engine given on a command line.
///
/// # Errors
/// If there is no engine with this name.
pub fn engine_name(name: &str) -> Result<String, String> {
    let names: Vec<String> = every_engine().map(|engine| hyphenated(engine.name)).collect();
    match names.iter().any(|known_name| known_name == name) {
        true => Ok(name.to_owned()),
        false => Err(format!("there are {}", names.join(", "))),
    }
}

/// Returns the engines with these names; the list lives as long as the program.
pub fn engines_named(names: &[String]) -> &'static [Engine] {
    let chosen = every_engine().filter(|engine| names.contains(&hyphenated(engine.name)));
    Box::leak(chosen.copied().collect())
}

/// Returns two lists of names: the engines that take part by default, and the engines that run only
/// on request.
pub fn engine_names() -> [Vec<String>; 2] {
    [ENGINES, BY_NAME].map(|engines| engines.iter().map(|engine| hyphenated(engine.name)).collect())
}

/// Returns the engines of both registries: by default and on request.
fn every_engine() -> impl Iterator<Item = &'static Engine> {
    ENGINES.iter().chain(BY_NAME)
}

/// Replaces every sequence of characters that are neither letters nor digits by one `-`, except at
/// the ends.
fn hyphenated(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

impl Default for RunConfig {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        RunConfig {
            threads,
            seed: 1,
            keep_all_witnesses: false,
            keep_certificates: false,
            show_bindings: false,
            short_witnesses: false,
            short_witnesses_within: MIN_SHORTENING_TIME,
            shortest_witnesses: false,
            reasons_by_sums: false,
            certified_only: false,
            dump: None,
            smt_solver: None,
            own_reduction_below: 0.7,
            engines: ENGINES,
            without_rules: Vec::new(),
            schedule: None,
            count_progress: TryLog::default(),
        }
    }
}
