//! The command line: parses the arguments, runs one command, and returns an exit code.
//!
//! stdout carries answers and requested outputs, such as pictures. stderr carries logs, notes and
//! progress lines, and files carry evidence.

mod automaton;
mod check;
mod convert;
mod csv;
mod dead_groups;
mod dead_markings;
mod draw;
mod encode;
mod examination;
mod expected;
mod explain;
mod fair;
mod formulas;
mod graph;
mod guest;
mod info;
mod job;
mod joint_output;
mod json;
mod leaving;
mod limits;
mod manual;
mod mcc;
mod model;
mod output;
mod output_files;
mod pixels;
mod play;
mod processes;
mod progress;
mod properties;
mod questions;
mod reduce;
mod replay;
mod replay_coloured;
pub mod report;
mod report_file;
#[cfg(feature = "serve")]
mod serve;
mod signals;
mod states;
mod states_plot;
mod story;
mod structure;
mod systems;
mod terminal;
mod totals;
mod trace_file;
mod trace_start;
mod unfold;
mod verdicts;

use clap::{Parser, Subcommand};
use parikh::run::RunReport;
use parikh_formula::text::TextError;
use parikh_input::InputError;
use parikh_net::printable::Printable;
use std::process::ExitCode;
use terminal::note;

/// The heading in `--help` of the options that most users do not need.
const EXPERT: &str = "Expert options";

/// Verifies Petri nets and produces evidence that can be checked.
///
/// Every "reachable" is a firing sequence that was replayed on the net before the answer is
/// printed; every "never" states its evidence.
#[derive(Parser)]
#[command(
    name = "parikh", version, propagate_version = true, after_help = EXIT_CODES, max_term_width = 112
)]
struct ProgramArguments {
    #[command(subcommand)]
    command: ProgramCommand,
    /// Print more on stderr: -v one line per stage, -vv per step, -vvv everything. PARIKH_LOG
    /// overrides it.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Log only errors on stderr, no warnings. Notes and progress lines are printed as usual.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
}

const EXIT_CODES: &str = "\
Exit codes, the same for every output format:
  0  all questions were answered
  1  an input cannot be read (model, queries, trace or log; also a formula or a marking on the
     command line), a trace does not replay or its repeated part cannot repeat, a step of a log
     fails its check, a verdict file is not valid or contradicts the model, or a file cannot be
     written
  2  the command line is wrong
  3  some question was not answered: the time or memory limit was reached, the run was
     interrupted, or a coloured net is too large to be unfolded
  4  an internal error: a claim failed its check and was not printed; please report it

If a file cannot be written, the questions are still answered and printed. A message on stderr \
names the file and the reason, and the exit code is 1 instead of 0 or 3.";

#[derive(Subcommand)]
enum ProgramCommand {
    /// Answer the questions of an examination, or formulas, about a model.
    Check(check::CheckArguments),
    /// Show the automaton of an LTL formula: its size and class, a picture, or a file for other
    /// tools.
    Automaton(automaton::AutomatonArguments),
    /// Write a goal in any encoding as a file for other solvers: SMT-LIB 2, LP format or DIMACS.
    Encode(encode::EncodeArguments),
    /// Describe a model: sizes, weights, units, initial marking.
    Info(info::InfoArguments),
    /// Show place invariants (sums of tokens that never change), or transition invariants (firings
    /// that change nothing together).
    Invariants(structure::invariants::InvariantsArguments),
    /// Show siphons: sets of places that stay empty once they are empty.
    Siphons(structure::sets::SiphonArguments),
    /// Show traps: sets of places that stay marked once they are marked.
    Traps(structure::sets::TrapArguments),
    /// Draw a net, with an invariant, a siphon, a trap or a trace highlighted.
    Draw(draw::DrawArguments),
    /// Write the reachability graph of a small net: a picture, or a file for other tools.
    Graph(graph::GraphArguments),
    /// Count a state space: the numbers of markings and firings, and the largest numbers of tokens.
    States(states::StatesArguments),
    /// Compute the 21 properties of a contest model form, each with the reason.
    Properties(properties::PropertiesArguments),
    /// Check verdict files of the contest, or compare one with a model.
    #[command(subcommand)]
    Verdicts(verdicts::VerdictsCommand),
    /// Reduce a net to a smaller one that answers the same questions, with a log of the steps.
    Reduce(reduce::ReduceArguments),
    /// Write the unfolding of a coloured net, and the origin of its nodes.
    Unfold(unfold::UnfoldArguments),
    /// Write a net in another format: PNML, or the language of TINA, of LoLA, or Parikh's own.
    Convert(convert::ConvertArguments),
    /// Write an HTML page with the findings, the net, witnesses to play and certificates to read.
    Report(report_file::ReportArguments),
    /// Serve a web page on this machine: drop a net, ask questions, watch the answers.
    #[cfg(feature = "serve")]
    Serve(serve::ServeArguments),
    /// Play the token game on a net: fire by name or number, undo, follow a trace.
    Play(play::PlayArguments),
    /// Answer all problems of a directory of the RERS challenge, and write a file of answers.
    Rers(systems::rers::RersArguments),
    /// Fire a sequence from a file on a model, and show where it leads.
    Replay(replay::ReplayArguments),
    /// Write a file that makes your shell complete `parikh` commands.
    Completions(manual::CompletionArguments),
    /// Write the manual pages, one for each command.
    Man(manual::ManArguments),
    /// Act as a tool of the Model Checking Contest (BenchKit protocol).
    ///
    /// Reads BK_EXAMINATION, BK_INPUT, BK_TIME_CONFINEMENT and BK_MEMORY_CONFINEMENT, and the
    /// instance in the current directory; prints the contest's answer lines as soon as each is
    /// known, DO_NOT_COMPETE for examinations that Parikh does not take part in, and
    /// CANNOT_COMPUTE when no answer was found.
    Mcc,
    /// Run as the worker process of a native solver. Parikh starts itself with this command.
    #[command(hide = true, name = guest::COMMAND)]
    Guest(guest::WorkerArguments),
}

/// The result of a command that ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ProgramOutcome {
    /// All questions were answered, or the requested output is complete.
    Complete,
    /// Some question is open, or some output is missing or incomplete because of a limit.
    Incomplete,
    /// A result failed its check, which is a bug.
    InternalError,
}

impl ProgramOutcome {
    /// Returns the outcome of a run.
    fn of(report: &RunReport) -> Self {
        match report {
            report if report.faults > 0 => ProgramOutcome::InternalError,
            report if report.unanswered.is_empty() => ProgramOutcome::Complete,
            _ => ProgramOutcome::Incomplete,
        }
    }
}

/// Parses the arguments and runs the command. Prints the error if the command fails. Returns the
/// exit code.
pub fn main() -> ExitCode {
    terminal::install_panic_hook();
    let arguments = ProgramArguments::try_parse().unwrap_or_else(|error| exit_with_usage(error));
    terminal::start_logging(arguments.verbose, arguments.quiet);
    #[cfg(feature = "serve")]
    if matches!(arguments.command, ProgramCommand::Check(_) | ProgramCommand::Report(_)) {
        parikh_serve::end_with_server();
    }
    guest::use_worker_processes(&arguments.command);
    let result = match arguments.command {
        ProgramCommand::Check(arguments) => check::run(&arguments),
        ProgramCommand::Automaton(arguments) => automaton::run(&arguments),
        ProgramCommand::Encode(arguments) => encode::run(&arguments),
        ProgramCommand::Info(arguments) => info::run(&arguments),
        ProgramCommand::Invariants(arguments) => structure::invariants::run(&arguments),
        ProgramCommand::Siphons(arguments) => structure::sets::siphons(&arguments),
        ProgramCommand::Traps(arguments) => structure::sets::traps(&arguments),
        ProgramCommand::Draw(arguments) => draw::run(&arguments),
        ProgramCommand::Graph(arguments) => graph::run(&arguments),
        ProgramCommand::States(arguments) => states::run(&arguments),
        ProgramCommand::Properties(arguments) => properties::run(&arguments),
        ProgramCommand::Verdicts(command) => verdicts::run(&command),
        ProgramCommand::Reduce(arguments) => reduce::run(&arguments),
        ProgramCommand::Unfold(arguments) => unfold::run(&arguments),
        ProgramCommand::Convert(arguments) => convert::run(&arguments),
        ProgramCommand::Report(arguments) => report_file::run(&arguments),
        #[cfg(feature = "serve")]
        ProgramCommand::Serve(arguments) => serve::run(&arguments),
        ProgramCommand::Play(arguments) => play::run(&arguments),
        ProgramCommand::Rers(arguments) => systems::rers::run(&arguments),
        ProgramCommand::Replay(arguments) => replay::run(&arguments),
        ProgramCommand::Completions(arguments) => manual::completions(&arguments),
        ProgramCommand::Man(arguments) => manual::man(&arguments),
        ProgramCommand::Mcc => mcc::run(),
        ProgramCommand::Guest(arguments) => guest::run(&arguments),
    };
    match result {
        Ok(outcome) => ExitCode::from(leaving::code(code_of(outcome))),
        Err(error) => {
            print_error(&error);
            ExitCode::from(match () {
                () if error.is::<UsageError>() || error.is::<SyntaxError>() => 2,
                // A coloured net was not unfolded: it exceeds a limit, a number overflows, or the
                // run was interrupted.
                () if is_declined(&error) => 3,
                () => 1,
            })
        }
    }
}

/// Returns true if a coloured net was not unfolded: it exceeds a limit on size, time or memory, a
/// number overflows, or the run was interrupted.
fn is_declined(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<parikh_unfolding::UnfoldingError>())
}

/// Ends with clap's message: the help, the version, or an error in the command line. Arguments such
/// as file names (`parikh check *.pnml`) may contain control characters, so clap gets printable
/// copies of them.
fn exit_with_usage(error: clap::Error) -> ! {
    let shown = std::env::args_os().map(|word| Printable(word.display()).to_string());
    match error.use_stderr() {
        true => ProgramArguments::try_parse_from(shown).err().unwrap_or(error).exit(),
        false => error.exit(),
    }
}

/// Prints an error, usually in one line. For a syntax error whose position in the text is known,
/// also prints the line with a caret. For a file of unknown format, also prints the expected
/// formats.
fn print_error(error: &anyhow::Error) {
    match error.downcast_ref::<TextError>().filter(|_| error.chain().len() == 1) {
        Some(error) => formulas::error_lines(error).iter().for_each(|line| note!("{line}")),
        None if error.is::<SyntaxError>() => {
            note!("parikh: {error}");
            let lines = error.downcast_ref::<SyntaxError>().map(|error| &error.where_in_the_text);
            lines.into_iter().flatten().for_each(|line| note!("  {line}"));
        }
        None => match error.downcast_ref::<InputError>() {
            Some(InputError::UnknownFormat { file, line, found, formats }) => {
                note!(
                    "parikh: {file}:{line}: unknown format: the file begins with `{found}`; \
                     expected one of:"
                );
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

/// Returns the exit code: 0 complete, 3 some question is open, 4 an internal error.
fn code_of(outcome: ProgramOutcome) -> u8 {
    match outcome {
        ProgramOutcome::Complete => 0,
        ProgramOutcome::Incomplete => 3,
        ProgramOutcome::InternalError => 4,
    }
}

/// A wrong use of the command line that clap does not detect, for example contradictory arguments.
/// The exit code is 2, as for arguments that clap refuses.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UsageError(String);

/// A syntax error in a text on the command line. The exit code is 2.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
struct SyntaxError {
    why: String,
    /// Two lines: the text, and a caret below the position of the error.
    where_in_the_text: [String; 2],
}

/// Joins the texts of an error and of its causes with colons. A cause is left out if the text so
/// far already contains it.
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

    /// The largest width of a line that is not wrapped when the output is no terminal.
    const WIDE: usize = 98;

    /// Collects the texts after the options of a command and of its subcommands.
    fn collect_after_help(command: &clap::Command, all: &mut Vec<(String, String)>) {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        all.push((command.get_name().to_owned(), text));
        command.get_subcommands().for_each(|below| collect_after_help(below, all));
    }

    #[test]
    fn the_help_is_wrapped_once() {
        let mut all = Vec::new();
        collect_after_help(&ProgramArguments::command(), &mut all);
        let wide = |line: &str| line.chars().count() > WIDE;
        for (name, text) in all {
            let lines: Vec<&str> = text.lines().collect();
            for line in &lines {
                let row = line.starts_with("  ") && line.trim_start().contains("  ");
                let example = line.starts_with("  parikh ");
                assert!(!wide(line) || !row && !example, "{name}: {line}");
            }
            // In the source of a help text, a paragraph has to be one line. Clap wraps the line to
            // the width of the terminal.
            for pair in lines.windows(2) {
                let prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
                let by_hand = pair[0].chars().count() > 70 && prose(pair[0]) && prose(pair[1]);
                assert!(!by_hand, "{name}: {pair:?}");
            }
        }
    }
}
