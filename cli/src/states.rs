//! `parikh states`: prints the figures of a state space as they come, and the method for each.

use super::fair::RunRestriction;
use super::job::InquiryJob;
use super::output::{self, AnswerFormat, AnswerPrinter, FIGURE};
use super::questions::RequestedQuestions;
use super::terminal::note;
use super::{ProgramOutcome, limits, signals, states_plot};
use anyhow::{Context, Result};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use parikh::mcc::Examination;
use parikh::run;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(after_help = ABOUT)]
pub(super) struct StatesArguments {
    /// A net in any supported format, or the directory of a contest instance.
    model: PathBuf,
    /// Time limit, including reading the model: 90s, 5m, 1h.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
    /// Memory limit of the process: 4G, 500M. By default 85 % of the machine's memory.
    #[arg(short, long, value_parser = limits::memory)]
    memory: Option<u64>,
    /// The number of engines that run in parallel. By default one per processor.
    #[arg(short = 'j', long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// The output format.
    #[arg(short, long, value_enum, default_value = "text")]
    format: StatesFormat,
    /// Plot the growth of decision diagrams: the number of nodes over time, for each order of
    /// places that was tried.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StatesFormat {
    /// One line per figure, with the method.
    Text,
    /// A JSON object per line: one per figure as soon as it is known, then a summary.
    Json,
}

const ABOUT: &str = "\
Four figures, each printed as soon as it is known:
  markings                  how many can be reached
  firings                   how many between them: of each marking and transition at most one
  most tokens in a marking  on all places together
  most tokens in a place
`+inf` where there is no bound: what fires after some sequence can repeat for ever. The latter two \
are often known where the markings are too many to be counted: as the most that is seen, and a proof \
that there is no more. Behind each figure is what it stands on: `replayed`, `certified`, or \
`searched`, the word of a search that visited all markings.

When the time is over, or at SIGTERM or ^C, what is known by then is printed, the rest is said to be \
unknown, and the exit code is 3. `parikh check -e StateSpace` asks the same in the contest's words; \
`parikh graph` draws the markings of a small net.

Examples:
  parikh states philosophers.pnml
  parikh states INPUTS/Philosophers-PT-000050 --timeout 5m --format json
  parikh states philosophers.pnml --plot philosophers.svg";

pub(super) fn run(arguments: &StatesArguments) -> Result<ProgramOutcome> {
    let budget = limits::budget(Some(arguments.timeout), arguments.memory);
    let report_open = || {
        output::say_what_is_open();
        note!("parikh: left before the rest was found");
    };
    signals::cancel_on_signal(&budget, report_open);
    signals::leave_after(&budget, report_open);
    let defaults = run::RunConfig::default();
    let threads = arguments.threads.map_or(defaults.threads, usize::from);
    let format = match arguments.format {
        StatesFormat::Text => AnswerFormat::Text,
        StatesFormat::Json => AnswerFormat::Json,
    };
    // The bar is hidden if stderr is no terminal.
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    let printer = AnswerPrinter::new(format, threads > 1).of_states(bar.clone());
    printer.expects(run::FIGURES.into_iter().map(|figure| format!("{FIGURE}{figure}")));
    let model = parikh_input::read_model(&arguments.model)?;
    bar.set_message(model.sizes());
    bar.enable_steady_tick(Duration::from_millis(120));
    let config = run::RunConfig { threads, ..defaults };
    let (start, count_progress) = (Instant::now(), config.course.clone());
    let inquiry = RequestedQuestions::Examination(Examination::StateSpace);
    let (messages, directories) = Default::default();
    let job = InquiryJob {
        inquiry,
        meant: RunRestriction::default(),
        budget: &budget,
        config,
        watch: messages,
        printer,
        beside: directories,
    };
    let report = job.run(&model)?;
    bar.finish_and_clear();
    if let Some(file) = &arguments.plot {
        let plot = states_plot::plot(model.name(), start, &count_progress.tries());
        std::fs::write(file, plot).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(ProgramOutcome::of(&report))
}
