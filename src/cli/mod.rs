//! The command line: arguments in, one command run, an exit code out.
//!
//! stdout carries verdicts only, stderr logs and progress, files evidence.

mod automaton;
mod begun;
mod beside;
mod check;
mod convert;
mod draw;
mod encode;
mod examination;
mod explain;
mod fair;
mod formulas;
mod graph;
mod guest;
mod info;
mod job;
mod json;
mod leaving;
mod limits;
mod manual;
mod mcc;
mod model;
mod output;
mod pixels;
mod play;
mod processes;
mod progress;
mod properties;
mod questions;
mod reduce;
mod replay;
mod replay_coloured;
mod report;
mod signals;
mod states;
mod states_plot;
mod story;
mod structure;
mod systems;
mod terminal;
mod trace_file;
mod unfold;
mod verdicts;

use crate::formula::text::TextError;
use crate::input::InputError;
use crate::run::Report;
use clap::{Parser, Subcommand};
use parikh_net::printable::Printable;
use std::process::ExitCode;
use terminal::note;

/// Proves things about Petri nets, and hands over the evidence.
///
/// Every "reachable" is a firing sequence that was replayed on your net before it is printed;
/// every "never" says what it rests on.
#[derive(Parser)]
#[command(
    name = "parikh", version, propagate_version = true, after_help = EXIT_CODES, max_term_width = 112
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// More on stderr: -v a line per stage, -vv per step, -vvv everything. PARIKH_LOG overrides it.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Nothing on stderr but errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
}

const EXIT_CODES: &str = "\
Exit codes, the same for every output format:
  0  everything asked was answered
  1  the input could not be read (model, queries, trace, log; a formula or a marking, also one on
     the command line: it is read with the model), a trace does not replay or what it repeats makes
     nothing grow, a step of a log does not hold, a verdict file is not valid or contradicts the
     model, or a file cannot be written
  2  the command line is wrong
  3  some question is left unanswered: out of time, out of memory, or interrupted; a coloured net
     is too large to be unfolded
  4  an internal error: a claim failed its check. It was not printed; please report it

A file that cannot be written takes no answer away: what was asked is answered and printed, stderr \
says which file it was and why, and the code is 1, also where 0 or 3 would be.";

#[derive(Subcommand)]
enum Command {
    /// Answer the questions of an examination, or formulas, about a model.
    Check(check::Arguments),
    /// Show the automaton of a formula of LTL: its size and class, a picture, or a file for other
    /// tools.
    Automaton(automaton::Arguments),
    /// Write a goal in any encoding as a file for other solvers: SMT-LIB 2, LP format or DIMACS.
    Encode(encode::Arguments),
    /// Show what a model is: sizes, weights, units, initial marking.
    Info(info::Arguments),
    /// Show the sums of tokens that never change, or the firings that change nothing.
    Invariants(structure::invariants::Arguments),
    /// Show siphons: sets of places that stay empty once they are.
    Siphons(structure::sets::SiphonArguments),
    /// Show traps: sets of places that stay marked once they are.
    Traps(structure::sets::TrapArguments),
    /// Draw a net, with an invariant, a siphon, a trap or a trace highlighted.
    Draw(draw::Arguments),
    /// Write all markings of a small net: a picture, or a file for other tools.
    Graph(graph::Arguments),
    /// Find the figures of a state space: how many markings and firings, how many tokens at most.
    States(states::Arguments),
    /// Find the 21 properties of a contest model form, each with the reason.
    Properties(properties::Arguments),
    /// Check verdict files of the contest, or compare one with a model.
    #[command(subcommand)]
    Verdicts(verdicts::Command),
    /// Make a net smaller that answers the same questions, with a log of how.
    Reduce(reduce::Arguments),
    /// Write the place/transition net that a coloured net stands for, and which nodes are whose.
    Unfold(unfold::Arguments),
    /// Write a net in another format: PNML, or the language of TINA, of LoLA, or Parikh's own.
    Convert(convert::Arguments),
    /// Write one page to look at: what was found, the net, witnesses to play, certificates to read.
    Report(report::Arguments),
    /// Play the token game on a net: fire by name or number, undo, follow a trace.
    Play(play::Arguments),
    /// Answer all problems of a directory of the RERS challenge, and write a file of answers.
    Rers(systems::rers::Arguments),
    /// Fire a sequence from a file on a model, and show where it leads.
    Replay(replay::Arguments),
    /// Write a file that teaches your shell to complete `parikh`.
    Completions(manual::Completions),
    /// Write the manual pages, one for each command.
    Man(manual::Man),
    /// Act as a tool of the Model Checking Contest (BenchKit protocol).
    ///
    /// Reads BK_EXAMINATION, BK_INPUT, BK_TIME_CONFINEMENT and BK_MEMORY_CONFINEMENT, and the
    /// instance in the current directory; prints the contest's answer lines as soon as each is
    /// known, DO_NOT_COMPETE for examinations that Parikh does not take part in, and
    /// CANNOT_COMPUTE when no answer was found.
    Mcc,
    /// Be the process that a native solver runs in: what Parikh starts itself with.
    #[command(hide = true, name = guest::COMMAND)]
    Guest(guest::Arguments),
}

/// How a command ended, when it ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Complete,
    Incomplete,
    InternalError,
}

impl Outcome {
    /// How a run ended.
    fn of(report: &Report) -> Self {
        match report {
            report if report.faults > 0 => Outcome::InternalError,
            report if report.unanswered.is_empty() => Outcome::Complete,
            _ => Outcome::Incomplete,
        }
    }
}

/// Parses the arguments, runs the command, prints its error if it has one.
pub fn main() -> ExitCode {
    terminal::tell_of_panics();
    let arguments = Arguments::try_parse().unwrap_or_else(|error| refuse(error));
    terminal::start_logging(arguments.verbose, arguments.quiet);
    guest::invite(&arguments.command);
    let result = match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Automaton(arguments) => automaton::run(&arguments),
        Command::Encode(arguments) => encode::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Invariants(arguments) => structure::invariants::run(&arguments),
        Command::Siphons(arguments) => structure::sets::siphons(&arguments),
        Command::Traps(arguments) => structure::sets::traps(&arguments),
        Command::Draw(arguments) => draw::run(&arguments),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::States(arguments) => states::run(&arguments),
        Command::Properties(arguments) => properties::run(&arguments),
        Command::Verdicts(command) => verdicts::run(&command),
        Command::Reduce(arguments) => reduce::run(&arguments),
        Command::Unfold(arguments) => unfold::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Rers(arguments) => systems::rers::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Man(arguments) => manual::man(&arguments),
        Command::Mcc => mcc::run(),
        Command::Guest(arguments) => guest::run(&arguments),
    };
    match result {
        Ok(outcome) => ExitCode::from(leaving::code(code_of(outcome))),
        Err(error) => {
            tell(&error);
            ExitCode::from(match () {
                () if error.is::<Misuse>() || error.is::<Misspelt>() => 2,
                // Asked for, and beyond what time, memory or limits allow.
                () if is_declined(&error) => 3,
                () => 1,
            })
        }
    }
}

/// Whether a coloured net is too large to be unfolded, or its time is over.
fn is_declined(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<crate::unfold::Declined>())
}

/// Ends with what clap has to say: the help, the version, or what is wrong with the command line. A
/// name in it (`parikh check *.pnml`) may hold anything, so clap is told what there is to be shown
/// of it.
fn refuse(error: clap::Error) -> ! {
    let shown = std::env::args_os().map(|word| Printable(word.display()).to_string());
    match error.use_stderr() {
        true => Arguments::try_parse_from(shown).err().unwrap_or(error).exit(),
        false => error.exit(),
    }
}

/// Says what went wrong: in a line, and of a formula where in its text.
fn tell(error: &anyhow::Error) {
    match error.downcast_ref::<TextError>().filter(|_| error.chain().len() == 1) {
        Some(error) => formulas::complaint(error).iter().for_each(|line| note!("{line}")),
        None if error.is::<Misspelt>() => {
            note!("parikh: {error}");
            let lines = error.downcast_ref::<Misspelt>().map(|error| &error.where_in_the_text);
            lines.into_iter().flatten().for_each(|line| note!("  {line}"));
        }
        None => match error.downcast_ref::<InputError>() {
            Some(InputError::UnknownFormat { file, line, found, formats }) => {
                note!("parikh: {file}:{line}: the file begins with `{found}`, expected one of:");
                formats.iter().for_each(|format| note!("  {format}"));
            }
            refused => {
                note!("parikh: {}", chain(error));
                if let Some(InputError::Script { excerpt, .. }) = refused {
                    excerpt.iter().for_each(|line| note!("{line}"));
                }
            }
        },
    }
}

/// The exit code: 0 complete, 3 something is left unanswered, 4 an internal error.
fn code_of(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Complete => 0,
        Outcome::Incomplete => 3,
        Outcome::InternalError => 4,
    }
}

/// Arguments that are fine one by one and make no sense together: exit code 2, as for those that
/// clap refuses.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Misuse(String);

/// A text on the command line that is not spelt as it should be: exit code 2, too.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
struct Misspelt {
    why: String,
    /// The text, and below it a caret where it goes wrong.
    where_in_the_text: [String; 2],
}

/// An error with its causes, except those that the words before say already.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    /// Columns of a line that nobody wraps where the output is no terminal.
    const WIDE: usize = 98;

    /// What is said behind the options of a command and of those below it.
    fn ends(command: &clap::Command, all: &mut Vec<(String, String)>) {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        all.push((command.get_name().to_owned(), text));
        command.get_subcommands().for_each(|below| ends(below, all));
    }

    #[test]
    fn the_help_is_wrapped_once() {
        let mut all = Vec::new();
        ends(&Arguments::command(), &mut all);
        let wide = |line: &str| line.chars().count() > WIDE;
        for (name, text) in all {
            let lines: Vec<&str> = text.lines().collect();
            for line in &lines {
                let row = line.starts_with("  ") && line.trim_start().contains("  ");
                let example = line.starts_with("  parikh ");
                assert!(!wide(line) || !row && !example, "{name}: {line}");
            }
            // A paragraph is one line, which whoever prints it wraps.
            for pair in lines.windows(2) {
                let prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
                let by_hand = pair[0].chars().count() > 70 && prose(pair[0]) && prose(pair[1]);
                assert!(!by_hand, "{name}: {pair:?}");
            }
        }
    }
}
