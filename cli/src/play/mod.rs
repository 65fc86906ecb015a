//! `parikh play`: the token game, in a terminal or from a script.
//!
//! Each input line is one command, and the output is plain lines. So the game works over any
//! connection, and a script is a text file. The net is played as read: inhibitor and reset arcs
//! have their own firing rule. So the game also accepts nets that no engine accepts.

mod course;
mod game;
mod names;

use super::terminal::{lines, print_verbatim};
use super::trace_start::beginning;
use super::{ProgramOutcome, model};
use anyhow::{Context, Result, anyhow, bail};
use course::FollowedTrace;
use game::{CommandResponse, TokenGame};
use parikh_formula::lower_state;
use parikh_formula::text::read_one;
use parikh_input::SourceModel;
use parikh_input::extended::bounds::{CapRooms, MAX_VISITED_MARKINGS};
use parikh_input::extended::translate_within_caps;
use parikh_input::model::Model;
use parikh_net::ExtendedNet;
use parikh_net::{FiringSequence, Marking, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use super::trace_file::TraceFile;

#[derive(clap::Args)]
#[command(after_help = COMMANDS)]
pub(super) struct PlayArguments {
    /// A net in any supported format; a coloured net is unfolded.
    model: PathBuf,
    /// A condition on markings whose truth is shown after every move: 'both: c1 >= 1 && c2 >= 1'.
    /// Repeatable.
    #[arg(long, value_name = "FORMULA")]
    goal: Vec<String>,
    /// A firing sequence for `next` to follow, as written by `parikh check --trace`.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// The seed of the command `random`.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    timing: model::TimingOptions,
}

const COMMANDS: &str = "\
Commands, one a line, read from the terminal or from standard input:
  3             fire the third of the enabled transitions
  NAME          fire the transition with this id or label; `NAME 5` fires it five times; if the
                name is also a number or a command, write `fire NAME` or \"NAME\"
  undo [N]      take back the last firing, or the last N
  random [N]    fire an enabled transition at random, or N in a row
  next [N]      fire the next transition of the trace, or the next N; `next all` fires the rest,
                and after that the cycle of a lasso once more each time
  show          show the marking, the enabled transitions and the goals
  why NAME      explain why a transition is disabled
  goal FORMULA  show the truth of a condition after every move
  mark NAME     remember this marking; `go NAME` goes back to it, `marks` lists them
  restart       go back to the initial marking
  trace         print the firings so far, in the format of `parikh replay`
  help, quit

Example:
  parikh play examples/philosophers.pnml --goal deadlock";

pub(super) fn run(arguments: &PlayArguments) -> Result<ProgramOutcome> {
    let net = read(arguments)?;
    let mut game = TokenGame::new(&net, arguments.seed);
    for formula in &arguments.goal {
        let (name, goal) = condition(formula, "--goal", net.core())?;
        game.add_goal(name, goal);
    }
    if let Some(file) = &arguments.trace {
        let (start, followed_trace) = trace(file, &net)?;
        game.follow(start, followed_trace);
    }
    let stdin = std::io::stdin();
    let is_terminal = stdin.is_terminal();
    lines(&game.begin())?;
    let mut all_done = true;
    let mut line = Vec::new();
    loop {
        if is_terminal {
            print_verbatim("> ")?;
        }
        line.clear();
        if stdin.lock().read_until(b'\n', &mut line).context("standard input")? == 0 {
            break;
        }
        // Invalid UTF-8 becomes an unknown command, and the game goes on.
        let text = String::from_utf8_lossy(&line);
        let response = match text.trim().strip_prefix("goal ") {
            Some(formula) => match condition(formula, "goal", net.core()) {
                Ok((name, goal)) => {
                    game.add_goal(name, goal);
                    game.command("show")
                }
                Err(why) => CommandResponse::refused(format!("{why:#}")),
            },
            None => game.command(text.trim()),
        };
        all_done &= response.has_succeeded;
        lines(&response.lines)?;
        if response.ends_game {
            break;
        }
    }
    match all_done || is_terminal {
        true => Ok(ProgramOutcome::Complete),
        false => bail!("some commands failed; stdout shows which"),
    }
}

/// Reads a net without translating inhibitor and reset arcs. A coloured net is unfolded.
fn read(arguments: &PlayArguments) -> Result<ExtendedNet> {
    Ok(match arguments.timing.read_source(&arguments.model)? {
        SourceModel::Net(net) => *net,
        SourceModel::Coloured(net) => {
            let net = Model::from(*net)
                .into_net(&parikh_unfolding::UnfoldingConfig::default(), &Budget::unlimited());
            net?.into()
        }
    })
}

/// Parses a condition on markings, optionally with a name in front. Returns the name and the
/// condition. Without a name, the text is the name.
fn condition(text: &str, file: &str, net: &Net) -> Result<(String, Predicate)> {
    let read = read_one(text, file, net);
    let formula = read.formula?;
    let goal = lower_state(&formula)
        .map_err(|why| anyhow!("{why}: expected a condition on markings, such as p >= 1"))?;
    let name = if read.id.is_empty() { text.trim().to_owned() } else { read.id };
    Ok((name, goal))
}

/// Reads a trace: its initial marking and its firings. A trace of a model with reset arcs may come
/// from the net without such arcs into which `check` translates the model. Then each copy of a
/// transition becomes the transition of the model.
///
/// # Errors
/// The file cannot be read or is no trace of the model or of its translation. Also an error: the
/// trace has several stages or loops, or exceeds an assumed bound. A third cause is a prefix or a
/// repeated suffix with more than [`MAX_TRACE_FIRINGS`] firings.
fn trace(file: &Path, net: &ExtendedNet) -> Result<(Marking, FollowedTrace)> {
    let path = file.display();
    let text = std::fs::read_to_string(file).with_context(|| path.to_string())?;
    let start_marking = beginning(&text, net.core()).with_context(|| path.to_string())?;
    let start = start_marking.unwrap_or_else(|| net.core().initial().clone());
    let followed =
        |trace: &TraceFile, origin: &dyn Fn(TransitionId) -> TransitionId| -> Result<_> {
            trace.check_no_stages_or_loops().with_context(|| path.to_string())?;
            let prefix = steps(&trace.sequence, origin).with_context(|| path.to_string())?;
            let cycle = match &trace.repeat {
                Some(cycle) => steps(cycle, origin).with_context(|| path.to_string())?,
                None => Vec::new(),
            };
            Ok((start.clone(), FollowedTrace::new(prefix, cycle)))
        };
    let error = match TraceFile::parse(net.core(), &text) {
        Ok(trace) => return followed(&trace, &|t| t),
        Err(error) => error,
    };
    let (rooms, budget) = (CapRooms::default(), Budget::unlimited());
    let started_net = net.clone().from_marking(start.clone());
    let translated = translate_within_caps(started_net, MAX_VISITED_MARKINGS, rooms, &budget).ok();
    if let Some(translated) = &translated
        && let Some(translation) = translated.translation()
        && let Ok(trace) = TraceFile::parse(translated, &text)
    {
        // A transition of the translation that represents no transition of the model fires where a
        // cap, that is, an assumed bound, is exceeded. For it, `model_transition` returns an id
        // beyond the model's transitions.
        let is_own = |t: TransitionId| {
            translation.model_transition(t).index() < translation.transition_count()
        };
        if !trace.transitions().all(is_own) {
            bail!(
                "{path}: the trace exceeds a token cap of the translated net, so it is not a \
                   run of the model"
            );
        }
        return followed(&trace, &|t| translation.model_transition(t));
    }
    Err(anyhow!("{path}:{}: {}", error.line, error.problem))
}

/// Expands a sequence into single firings. `origin` maps each transition of the sequence to the
/// transition of the model.
fn steps(
    sequence: &FiringSequence,
    origin: &dyn Fn(TransitionId) -> TransitionId,
) -> Result<Vec<TransitionId>> {
    if sequence.firings() > MAX_TRACE_FIRINGS as u128 {
        bail!("the trace has more than {MAX_TRACE_FIRINGS} firings, too many to play");
    }
    let steps = sequence.steps().iter().flat_map(|step| {
        let times = usize::try_from(step.count).unwrap_or(MAX_TRACE_FIRINGS);
        std::iter::repeat_n(origin(step.transition), times)
    });
    Ok(steps.collect())
}

/// The largest number of firings of a prefix, and of a repeated suffix.
const MAX_TRACE_FIRINGS: usize = 10_000_000;
