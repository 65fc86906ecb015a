//! `parikh check`: answers the questions of an examination about a model.

use super::evidence::EvidenceFile;
use super::formulas::{self, Asked};
use super::model::Model;
use super::output::{Format, Printer};
use super::trace_file::Trace;
use super::{Misuse, Outcome, coloured, limits, model, processes, signals};
use crate::answer::{Answer, Plan};
use crate::evidence::abstraction::ColouredModel;
use crate::input;
use crate::mcc::Examination;
use crate::run::{self, Event, Report, Unanswered};
use crate::unfold;
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use parikh_net::{Net, TransitionId, marking_text};
use parikh_solvers::Budget;
use parikh_solvers::dump::Dump;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(group(
    clap::ArgGroup::new("asked").required(true).multiple(true).args(["examination", "formula", "formulas"])
))]
#[command(after_help = format!("{EXAMPLES}\n\n{}\n\n{}", processes::ABOUT, formulas::LANGUAGE))]
pub(super) struct Arguments {
    /// A PNML file, or the directory of a contest instance (with model.pnml and query files).
    model: PathBuf,
    /// What to ask, by the contest's name or its capitals: ReachabilityDeadlock (RD), OneSafe (OS),
    /// QuasiLiveness (QL), Liveness (L), StableMarking (SM), StateSpace (SS), and, with a query file,
    /// ReachabilityCardinality (RC), ReachabilityFireability (RF), UpperBounds (UB). Of processes:
    /// Soundness (S), WeakSoundness (WS), RelaxedSoundness (RS), EasySoundness (ES), see below.
    #[arg(short, long, conflicts_with_all = ["formula", "formulas"])]
    examination: Option<Examination>,
    /// The query file in the contest's XML; by default EXAMINATION.xml beside the model.
    #[arg(long, requires = "examination")]
    queries: Option<PathBuf>,
    #[command(flatten)]
    formulas: formulas::Formulas,
    #[command(flatten)]
    cases: processes::Cases,
    /// How long it may take, reading included: 90s, 5m, 1h.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
    /// How much memory the process may use: 4G, 500M. By default 85 % of the machine's.
    #[arg(short, long, value_parser = limits::memory)]
    memory: Option<u64>,
    /// How many engines work at the same time; by default one per processor.
    #[arg(short = 'j', long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// The only engines to take part, of siphon-trap, state-equation, explicit, pdr, walk, walk-guided, runs, for liveness
    /// graph, finite-firings, undone, commoner, closed-net, regions, graph-of-a-reduced-net, and k-induction, bmc; by default
    /// all but the last two. What token intervals decide comes first in any case.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = run::engine_name)]
    engines: Vec<String>,
    /// How to print the answers.
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,
    /// Write the firing sequence of every answer that has one to DIR/ID.trace, for `parikh replay`.
    #[arg(long, value_name = "DIR")]
    trace: Option<PathBuf>,
    /// Write what every answer rests on to DIR/EXAMINATION.jsonl, for `parikh-certify MODEL DIR`:
    /// firing sequences, documents that the checker accepted, the reductions they rest on.
    #[arg(long, value_name = "DIR")]
    evidence: Option<PathBuf>,
    /// Print no answer whose evidence is weaker: `searched` takes the word of a search that visited all
    /// markings that matter, `certified` does not.
    #[arg(long, value_enum, value_name = "EVIDENCE", default_value = "searched")]
    require: Require,
    /// Write every question that the state equation asks a solver to DIR, numbered: linear programs
    /// as .lp, clauses as .cnf. A comment says which net, goal and encoding each comes from. Files of
    /// that numbering are overwritten.
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
    /// The seed of the random walks. Same seed and one thread, same run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// After the answers, say on stderr what each stage did.
    #[arg(long)]
    stats: bool,
}

/// The weakest evidence that is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Require {
    /// Replayed or accepted by the checker.
    Certified,
    /// Or visited to the end by a search.
    Searched,
}

const EXAMPLES: &str = "\
Examples:
  parikh check philosophers.pnml -e ReachabilityDeadlock --trace traces
  parikh check INPUTS/Peterson-PT-2 -e RC --timeout 5m --format json
  parikh check mutex.pnml --formula 'AG !(critical1 >= 1 && critical2 >= 1)'";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let budget = limits::budget(Some(arguments.timeout), arguments.memory);
    let say_so = || eprintln!("parikh: left before the rest was answered");
    signals::cancel_on_signal(&budget, say_so);
    signals::leave_after(&budget, say_so);
    if let Some(examination) = arguments.examination {
        if !examination.is_about_cases() && (arguments.cases.are_asked_about()) {
            bail!(Misuse(format!("--k and --final are about soundness, not {examination}")));
        }
        if !examination.is_supported() {
            bail!(Misuse(format!("{examination} is not supported yet")));
        }
        if arguments.queries.is_some() && !examination.has_queries() {
            bail!(Misuse(format!("{examination} has no queries: leave --queries out")));
        }
    }
    let model = model::read_as_it_is(&arguments.model)?;
    let defaults = run::Config::default();
    let config = run::Config {
        threads: arguments.threads.map_or(defaults.threads, usize::from),
        seed: arguments.seed,
        // Where a case got stuck is said from the run that led there.
        keep_all_witnesses: arguments.evidence.is_some()
            || arguments.examination.is_some_and(Examination::is_about_cases),
        keep_documents: arguments.evidence.is_some(),
        certified_only: arguments.require == Require::Certified,
        dump: match &arguments.dump {
            None => None,
            Some(directory) => Some(
                Dump::into(directory)
                    .with_context(|| format!("cannot create {}", directory.display()))?,
            ),
        },
        engines: match arguments.engines.as_slice() {
            [] => defaults.engines,
            names => run::engines_named(names),
        },
        ..defaults
    };
    let queries = match arguments.examination {
        Some(examination) if examination.has_queries() => {
            let beside = || model::query_file(&arguments.model, examination.name());
            Some(arguments.queries.clone().map_or_else(beside, Ok)?)
        }
        _ => None,
    };
    let subject = |net: &Net| match arguments.examination {
        None => Ok(Subject::Formulas(arguments.formulas.read(net)?)),
        Some(examination) if examination.is_about_cases() => {
            Ok(Subject::Process(examination, arguments.cases.number))
        }
        Some(examination) => Ok(Subject::Examination(examination, queries.clone())),
    };
    let printer = Printer::new(arguments.format, config.threads > 1);
    let evidence =
        Evidence { traces: arguments.trace.as_deref(), files: arguments.evidence.as_deref() };
    for directory in [evidence.traces, evidence.files].into_iter().flatten() {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    let statistics = arguments.stats;
    let report = match model {
        Model::Plain(net) => {
            let net = match arguments.examination {
                Some(examination) if examination.is_about_cases() => {
                    arguments.cases.begun(&net, examination, &arguments.model)?
                }
                _ => *net,
            };
            let job = Job { statistics, ..Job::new(&net, subject(&net)?, &budget, config) };
            job.run(&printer, evidence)?
        }
        Model::Coloured(_) if arguments.examination.is_some_and(Examination::is_about_cases) => {
            bail!(Misuse(
                "soundness is asked of place/transition nets: `parikh unfold MODEL -o flat.pnml` \
                 first, and name the final marking there with --final"
                    .to_owned()
            ));
        }
        Model::Coloured(net) => {
            let task = coloured::Task {
                unfolding: unfolding(arguments.examination),
                examination: arguments.examination,
                subject: &subject,
                budget: &budget,
                config,
                statistics,
            };
            task.run(net, &printer, evidence)?
        }
    };
    if arguments.stats {
        print_statistics(&report);
    }
    Ok(outcome(&report))
}

/// How a coloured net is unfolded for an examination: firings are counted one by one.
pub(super) fn unfolding(examination: Option<Examination>) -> unfold::Config {
    let symmetry = examination != Some(Examination::StateSpace);
    unfold::Config { symmetry, ..Default::default() }
}

pub(super) fn outcome(report: &Report) -> Outcome {
    if report.faults > 0 {
        Outcome::InternalError
    } else if report.unanswered.is_empty() {
        Outcome::Complete
    } else {
        Outcome::Incomplete
    }
}

/// Where evidence is written to.
#[derive(Clone, Copy, Default)]
pub(super) struct Evidence<'a> {
    /// Firing sequences.
    pub(super) traces: Option<&'a Path>,
    /// What every answer rests on.
    pub(super) files: Option<&'a Path>,
}

/// What is asked of a net.
pub(super) enum Subject {
    /// An examination, with its query file where it needs one.
    Examination(Examination, Option<PathBuf>),
    /// A question about a process, and of how many cases; the net has the markings that it is about.
    Process(Examination, u64),
    /// Formulas of the user's own.
    Formulas(Vec<Asked>),
}

/// One examination of one net: what `check` and `mcc` have in common.
pub(super) struct Job<'a> {
    pub(super) net: &'a Net,
    pub(super) subject: Subject,
    pub(super) budget: &'a Budget,
    pub(super) config: run::Config,
    /// Whether what each stage did is said even when an engine has to be left.
    pub(super) statistics: bool,
    /// The coloured net that `net` is the skeleton of, when that is worked on as it is.
    pub(super) coloured: Option<&'a ColouredModel>,
    /// What an earlier job did of these questions already.
    pub(super) before: Done,
}

/// What a job has done.
#[derive(Default)]
pub(super) struct Done {
    /// How it ended.
    pub(super) report: Report,
    /// The questions answered.
    pub(super) answered: HashSet<String>,
}

impl<'a> Job<'a> {
    /// One job, about a net as it is.
    pub(super) fn new(
        net: &'a Net,
        subject: Subject,
        budget: &'a Budget,
        config: run::Config,
    ) -> Self {
        let before = Done::default();
        Job { net, subject, budget, config, statistics: false, coloured: None, before }
    }

    /// Answers the questions, each printed as soon as it is decided.
    pub(super) fn run(&self, printer: &Printer, evidence: Evidence<'_>) -> Result<Report> {
        if let Subject::Examination(Examination::StateSpace, _) = self.subject {
            return Ok(self.state_space(printer));
        }
        let Done { report, .. } = self.begin(printer, evidence)?;
        Ok(self.finish(report, printer))
    }

    /// Answers what it can of the questions, each printed as soon as it is decided, and says nothing of
    /// the others.
    pub(super) fn begin(&self, printer: &Printer, evidence: Evidence<'_>) -> Result<Done> {
        let start = Instant::now();
        let (plan, refused) = match &self.subject {
            Subject::Examination(examination, queries) => {
                match Plan::of_examination(*examination, self.net) {
                    Some(plan) => (plan, Vec::new()),
                    None => self.plan_queries(*examination, queries.as_deref())?,
                }
            }
            Subject::Process(examination, _) => {
                match Plan::of_examination(*examination, self.net) {
                    Some(plan) => (plan.called(&self.name_of_all()), Vec::new()),
                    None => {
                        let reason = "the net is too large for goals that speak of all places";
                        let (id, reason) = (self.name_of_all(), reason.to_owned());
                        (Plan::default(), vec![Unanswered { id, reason }])
                    }
                }
            }
            Subject::Formulas(asked) => self.plan_asked(asked),
        };
        tracing::info!("{} questions, {} goals", plan.questions().len(), plan.goals().len());
        let progress = Progress::start(plan.questions().len());
        let mut write_error = None;
        let name = self.name_of_all();
        let mut file = evidence
            .files
            .map(|directory| EvidenceFile::create(directory, &name, self.net))
            .transpose()
            .with_context(|| format!("cannot write the evidence of {name}"))?;
        let mut answered = HashSet::new();
        let tell = |event: Event<'_>| match event {
            Event::Settled { id, goal, knowledge } => {
                if let Some(file) = &mut file
                    && let Err(error) = file.settled(id, goal, knowledge)
                {
                    write_error.get_or_insert(cannot_write(file.path(), error));
                }
            }
            Event::Answered(answer) => {
                answered.insert(answer.id.clone());
                if let Some(file) = &mut file
                    && let Err(error) = file.answer(answer)
                {
                    write_error.get_or_insert(cannot_write(file.path(), error));
                }
                let written = evidence.traces.and_then(|directory| {
                    self.write_trace(directory, answer)
                        .map_err(|error| write_error = Some(error))
                        .ok()
                        .flatten()
                });
                progress.hide(|| printer.answer(answer, start.elapsed(), written.as_ref()));
            }
            Event::Waiting { questions, goals } => progress.show(questions, goals),
            Event::Overrun { report, .. } => {
                progress.end();
                let mut report = report.clone();
                report.unanswered.extend(refused.iter().cloned());
                let report = self.finish(report, printer);
                if self.statistics {
                    print_statistics(&report);
                }
                if let Some(error) = &write_error {
                    eprintln!("parikh: {error:#}");
                }
                std::process::exit(super::code_of(outcome(&report)).into());
            }
        };
        let mut report = match self.coloured {
            None => run::run(self.net, plan, &self.config, self.budget, tell),
            Some(model) => run::run_coloured(model, plan, &self.config, self.budget, tell),
        };
        progress.end();
        report.unanswered.extend(refused);
        match write_error {
            Some(error) => Err(error),
            None => Ok(Done { report, answered }),
        }
    }

    /// What its questions are called together.
    fn name_of_all(&self) -> String {
        match &self.subject {
            Subject::Examination(examination, _) | Subject::Process(examination, 1) => {
                examination.name().to_owned()
            }
            Subject::Process(examination, cases) => format!("{cases}-{examination}"),
            Subject::Formulas(_) => "Formulas".to_owned(),
        }
    }

    /// What is to be said when all is over; the report of all that was done.
    fn finish(&self, mut report: Report, printer: &Printer) -> Report {
        report.answered += self.before.report.answered;
        report.faults += self.before.report.faults;
        report.statistics.splice(0..0, self.before.report.statistics.iter().cloned());
        finish(&report, printer);
        report
    }

    /// The plan of a query file, and the formulas in it that are refused.
    fn plan_queries(
        &self,
        examination: Examination,
        file: Option<&Path>,
    ) -> Result<(Plan, Vec<Unanswered>)> {
        let Some(file) = file else {
            bail!("{examination} needs a query file");
        };
        let queries = input::read_queries(file, self.net)?;
        let mut plan = Plan::default();
        let mut refused = Vec::new();
        if let Some(error) = queries.cut_short {
            eprintln!("parikh: {error}; the formulas before it are answered");
            let id = format!("(the rest of {})", file.display());
            refused.push(Unanswered { id, reason: error.to_string() });
        } else if queries.queries.is_empty() {
            bail!("{}: there is no formula in the file", file.display());
        }
        let mut ids = HashSet::new();
        for mut query in queries.queries {
            let planned = if query.id.contains(char::is_control) {
                query.id = query.id.escape_debug().to_string();
                Err("the id has control characters, which would break the lines of answers".into())
            } else if !ids.insert(query.id.clone()) {
                Err("an earlier formula has the same id".to_owned())
            } else if self.before.answered.contains(&query.id) {
                Ok(())
            } else {
                match &query.formula {
                    Ok(formula) => plan
                        .ask_formula(&query.id, formula, self.net)
                        .map_err(|error| error.to_string()),
                    Err(error) => Err(error.to_string()),
                }
            };
            if let Err(reason) = planned {
                // On the skeleton, the unfolding's plan will say so.
                if self.coloured.is_none() {
                    eprintln!("parikh: {}: formula {}: {reason}", file.display(), query.id);
                }
                refused.push(Unanswered { id: query.id, reason });
            }
        }
        Ok((plan, refused))
    }

    /// The plan of formulas given by the user, whose own mistakes were told already.
    fn plan_asked(&self, asked: &[Asked]) -> (Plan, Vec<Unanswered>) {
        let mut plan = Plan::default();
        let mut refused = Vec::new();
        let open = |asked: &&Asked| !self.before.answered.contains(&asked.id);
        for Asked { id, formula } in asked.iter().filter(open) {
            let planned = match formula {
                Ok(formula) => plan
                    .ask_formula(id, formula, self.net)
                    .map_err(|error| error.to_string())
                    .inspect_err(|reason| eprintln!("parikh: formula {id}: {reason}")),
                Err(reason) => Err(reason.clone()),
            };
            if let Err(reason) = planned {
                refused.push(Unanswered { id: id.clone(), reason });
            }
        }
        (plan, refused)
    }

    /// Names of transitions, or of steps.
    fn name(&self, t: TransitionId) -> Cow<'_, str> {
        match self.coloured {
            Some(model) => model.step_name(t).into(),
            None => self.net.transition_name(t).into(),
        }
    }

    /// Writes the answer's witness, if it has one; the file it went to.
    fn write_trace(&self, directory: &Path, answer: &Answer) -> Result<Option<PathBuf>> {
        let Some((_, sequence)) = &answer.witness else {
            return Ok(None);
        };
        let file = directory.join(format!("{}.trace", file_name(&answer.id)));
        let note = |key: &str, text: &str| (key.to_owned(), text.to_owned());
        let trace = Trace {
            notes: vec![
                note("net", self.net.name()),
                note("formula", &answer.id),
                note("value", &answer.value.to_string()),
                note("shows", &answer.reason),
            ]
            .into_iter()
            .chain(match self.subject {
                // The model may say nothing of it, or begin with one case of several.
                Subject::Process(..) => {
                    Some(note("from", &marking_text::print(self.net, self.net.initial())))
                }
                _ => None,
            })
            .collect(),
            sequence: sequence.clone(),
            repeat: answer.pump.clone(),
        };
        std::fs::write(&file, trace.print_named(&|t| self.name(t)))
            .with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Some(file))
    }

    fn state_space(&self, printer: &Printer) -> Report {
        let start = Instant::now();
        let mut report = run::state_space(self.net, &self.config, self.budget, |figure| {
            printer.figure(figure, start.elapsed());
        });
        for question in &mut report.unanswered {
            question.id = format!("STATE_SPACE {}", question.id);
        }
        finish(&report, printer);
        report
    }
}

/// What is to be said when all is over.
fn finish(report: &Report, printer: &Printer) {
    report.unanswered.iter().for_each(|question| printer.unanswered(question));
    printer.summary(report);
}

fn cannot_write(path: &Path, error: std::io::Error) -> anyhow::Error {
    anyhow::Error::new(error).context(format!("cannot write {}", path.display()))
}

/// An id as a file name: what file systems dislike is written as `%` and its code, so that two ids
/// never share a file.
fn file_name(id: &str) -> String {
    let safe = |c: char| match c {
        c if c.is_alphanumeric() || "-_.".contains(c) => c.to_string(),
        c => format!("%{:02X}", u32::from(c)),
    };
    id.chars().map(safe).collect()
}

fn print_statistics(report: &Report) {
    for (stage, text) in &report.statistics {
        eprintln!("{stage:<12} {text}");
    }
}

/// A line on stderr while work goes on, only on a terminal.
struct Progress {
    bar: ProgressBar,
    questions: usize,
}

impl Progress {
    fn start(questions: usize) -> Self {
        // Hidden by itself when stderr is no terminal.
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        Progress { bar, questions }
    }

    fn show(&self, open: usize, goals: usize) {
        let answered = self.questions - open;
        let text = format!("{answered} of {} answered, {goals} goals open", self.questions);
        self.bar.set_message(text);
        self.bar.tick();
    }

    /// Prints without the line in the way.
    fn hide(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}
