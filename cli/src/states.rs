//! `parikh states`: prints four numbers about a state space as they come, each with its method. The
//! numbers, called figures, are those of markings and firings, and the two largest token counts.

use super::expected::{self, QuestionKey};
use super::fair::RunRestriction;
use super::job::InquiryJob;
use super::limits::LimitOptions;
use super::output::{AnswerFormat, AnswerPrinter};
use super::questions::RequestedQuestions;
use super::terminal::note;
use super::{ProgramOutcome, model, signals, states_plot};
use anyhow::{Context, Result};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use parikh::mcc::Examination;
use parikh::run;
use std::cell::RefCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(after_help = ABOUT)]
pub(super) struct StatesArguments {
    /// A net in any supported format, or the directory of a contest instance.
    model: PathBuf,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    timing: model::TimingOptions,
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
  markings                  the number of reachable markings
  firings                   the number of edges of the reachability graph
  most tokens in a marking  the largest total number of tokens in a reachable marking
  most tokens in a place    the largest number of tokens on one place
For an unbounded net, figures are `+inf`: some sequence adds tokens and can repeat forever. The \
last two figures are often known even if the markings are too many to be counted: a reachable \
marking has that many tokens, and a proof excludes more. The evidence follows each figure: \
`replayed`, `certified`, or `searched`, which means an exhaustive search without a certificate.

At the time limit, or after SIGTERM or ^C, the figures known so far are printed, the others are \
printed as unknown, and the exit code is 3. `parikh check -e StateSpace` computes the same \
figures in the contest's format. `parikh graph` draws the markings of a small net.

Examples:
  parikh states philosophers.pnml
  parikh states INPUTS/Philosophers-PT-000050 --timeout 5m --format json
  parikh states philosophers.pnml --plot philosophers.svg";

pub(super) fn run(arguments: &StatesArguments) -> Result<ProgramOutcome> {
    let budget = arguments.limits.budget();
    let report_open = || {
        expected::report_open_questions();
        note!("parikh: stopped before all figures were computed");
    };
    signals::cancel_on_signal(&budget, report_open);
    signals::leave_after(&budget, report_open);
    let threads = arguments.limits.threads();
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
    printer.expects(run::FIGURES.into_iter().map(|figure| QuestionKey::Figure(figure.to_owned())));
    let model = parikh_input::read_model_as(&arguments.model, arguments.timing.treatment())?;
    bar.set_message(model.sizes());
    bar.enable_steady_tick(Duration::from_millis(120));
    let config = run::RunConfig { threads, ..run::RunConfig::default() };
    let (start, count_progress) = (Instant::now(), config.count_progress.clone());
    let inquiry = RequestedQuestions::Examination(Examination::StateSpace);
    let (messages, directories) = Default::default();
    let job = InquiryJob {
        inquiry,
        restriction: RunRestriction::default(),
        budget: &budget,
        config,
        messages,
        printer,
        directories,
        last_answer: RefCell::default(),
        is_followed: false,
    };
    let report = job.run(&model)?;
    bar.finish_and_clear();
    if let Some(file) = &arguments.plot {
        let plot = states_plot::plot(model.name(), start, &count_progress.tries());
        std::fs::write(file, plot).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(ProgramOutcome::of(&report))
}
